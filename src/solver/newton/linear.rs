//! The linear kernel: the same problem with one weight for each feature.
//!
//! `lambda |w|^2 + sum c max(0, 1 - y f)^2` is solved by [`LinearNewton`]; the coefficients of
//! the optimum are the pulls of the losses, `beta_i = y_i C c_i max(0, 1 - y_i f(x_i))`
//! ([`LinearNewton::expand`]).
//!
//! [`LinearNewton`]: crate::solver::linear::LinearNewton
//! [`LinearNewton::expand`]: crate::solver::linear::LinearNewton::expand

use super::{Bias, NewtonSettings};
use crate::Result;
use crate::data::Matrix;
use crate::kernel::Parts;
use crate::monitor::Monitor;
use crate::simd::Lanes;
use crate::solver::linear::{
    Expansion, Intercept, LinearNewtonSettings, LinearProblem, LinearSolver, Penalty, Recorder,
    RuleState,
};
use crate::solver::path::{PathStart, along_path};
use crate::solver::{Machine, Problem, Start, Status};

/// The share of the first gradient at which a machine is done.
const TOL: f64 = 1e-10;

/// The violation that rounding may leave in a model, where C is very large.
const OPTIMAL: f64 = 1e-3;

/// One machine for each C; each starts from the one before it.
pub fn solve<T: Lanes>(
    settings: &NewtonSettings,
    problem: &Problem<'_>,
    parts: &Parts,
    rows: &Matrix<'_, T>,
    monitor: &Monitor,
) -> Result<Vec<Machine>> {
    let n = rows.n_rows();
    let (mut labels, mut weights) = (vec![None; n], vec![0.0; n]);
    let signs = problem.signs_of(parts);
    let prices = problem.weights_of(parts);
    for (i, (sign, price)) in signs.into_iter().zip(prices).enumerate() {
        let row = parts.global(i);
        (labels[row], weights[row]) = (Some(sign), price);
    }
    let constant = if settings.bias == Bias::None {
        0.0
    } else {
        1.0
    };
    let linear = LinearProblem::new(rows, |row| labels[row], |row| weights[row], constant)?;
    let mut start = first_weights(problem.start, &linear);
    monitor.check()?;
    along_path(&settings.cs, PathStart::Warm, |c| {
        let method = LinearNewtonSettings {
            // The linear problem weighs half the squared norm.
            penalty: Penalty::C(0.5 * c),
            tol: TOL,
            max_iter: settings.max_iter,
            intercept: Intercept::None,
            free_bias: settings.bias == Bias::Free,
        }
        .check()?;
        let found = method.solve(&linear, Some(&start), Recorder::new(None), monitor)?;
        start.weights = found.weights;
        start
            .weights
            .push(if constant > 0.0 { found.bias } else { 0.0 });
        let Expansion { alpha, violation } = method.expand(&linear, &start, monitor)?;
        let used = (0..alpha.len()).filter(|&i| alpha[i] > 0.0);
        let term = |i: usize| (linear.member(i) as u32, linear.label(i) * alpha[i]);
        let machine = Machine {
            terms: used.map(term).collect(),
            bias: found.bias,
            n_iter: found.n_iter as usize,
            n_loops: 1,
            needs_f64: false,
            // The model is the sum of its rows, not w.
            status: match found.status {
                Status::Converged if violation.is_nan() || violation > OPTIMAL => Status::Stalled,
                status => status,
            },
        };
        Ok(machine.or_nothing())
    })
}

/// The weights of coefficients that are given; their bias is not known.
fn first_weights<T: Lanes>(start: &Start, linear: &LinearProblem<'_, T>) -> RuleState {
    let mut weights = vec![0.0; linear.n_weights()];
    if let Start::Terms(terms) = start {
        for &(row, beta) in terms {
            linear.add_row(row as usize, beta, &mut weights);
        }
        weights[linear.n_weights() - 1] = 0.0;
    }
    RuleState {
        weights,
        ..RuleState::default()
    }
}
