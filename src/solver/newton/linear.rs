//! The linear kernel: the same problem with one weight per feature.
//!
//! [`LinearNewton`] minimizes `lambda |w|^2 + sum c_i max(0, 1 - y_i f(x_i))^2`. The coefficients
//! at the optimum are `beta_i = y_i C c_i max(0, 1 - y_i f(x_i))` ([`LinearNewton::expand`]).
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
    Expansion, Intercept, LinearNewtonSettings, LinearProblem, LinearSolver, Loss, Penalty,
    Recorder, RuleState,
};
use crate::solver::path::{PathStart, along_path};
use crate::solver::{Machine, Problem, Start, Status};

/// The norm of the gradient, relative to the first one, at which training stops.
const TOL: f64 = 1e-10;

/// The violation of the optimality conditions that is accepted as rounding, for very large C.
const OPTIMAL: f64 = 1e-3;

/// Trains one binary classifier for each C; each starts from the solution for the previous C.
pub fn solve<T: Lanes>(
    settings: &NewtonSettings,
    problem: &Problem<'_>,
    parts: &Parts,
    rows: &Matrix<'_, T>,
    monitor: &Monitor,
) -> Result<Vec<Machine>> {
    let n = rows.n_rows();
    let (mut labels, mut weights) = (vec![None; n], vec![0.0; n]);
    let of_samples = problem
        .signs_of(parts)
        .into_iter()
        .zip(problem.weights_of(parts));
    for (i, (sign, weight)) in of_samples.enumerate() {
        let row = parts.global(i);
        (labels[row], weights[row]) = (Some(sign), weight);
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
            loss: Loss::SquaredHinge,
            // The linear problem has half the squared norm.
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
            implied: None,
            // The model predicts with the expansion, not with w.
            status: match found.status {
                Status::Converged if violation.is_nan() || violation > OPTIMAL => Status::Stalled,
                status => status,
            },
        };
        Ok(machine.or_non_finite())
    })
}

/// The weights of the starting point; its bias is unknown.
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
