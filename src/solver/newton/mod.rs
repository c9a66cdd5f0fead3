//! Primal Newton's method with kernels for the squared hinge loss (Chapelle 2007; Duros and Katzman
//! 2014, section 4.2).
//!
//! ```text
//! lambda |w|^2 + sum_i c_i max(0, 1 - y_i f(x_i))^2,   f = K beta + b,   lambda = 1 / C
//! ```
//!
//! Only the samples S with `y f < 1` have nonzero coefficients. For a given S, the optimum is the
//! solution of a system of linear equations, `(K_SS + lambda / c) beta_S + b = y_S`, with
//! `sum beta = 0` for a free bias. A Newton step moves toward it, up to the minimum of the
//! objective along the step, which the line search finds exactly. Training ends when a full step
//! does not change S.
//!
//! The first S comes from the solution on half of the samples of each class, whose first S comes
//! from half of those, down to about a thousand samples.
//!
//! Without the line search, as in the paper, every step is a full one. Steps may then repeat sets
//! of samples forever instead of reaching the optimum; this is recognized, and ends training.
//!
//! With a linear kernel the same optimum is computed in w, with one weight per feature (`linear`).
//!
//! Cost of a step: O(|S|^3) for the factorization of K_SS and O(n |S|) for the decision values.
//! Memory: 8 |S|^2 bytes besides the kernel rows.

mod line_search;
mod linear;
mod point;

use self::point::Point;
use super::cholesky;
use super::hyperparameters::{check_cs, check_max_iter};
use super::limit::Limit;
use super::path::{PathStart, along_path};
use super::rounding::rounding;
use super::{BinarySolver, Machine, Problem, Start, Status};
use crate::data::Matrix;
use crate::kernel::{BlockRows, Parts};
use crate::monitor::Monitor;
use crate::simd::{Lanes, zero_pages};
use crate::{Error, Result};

/// Unchecked hyperparameters.
#[derive(Debug, Clone, PartialEq)]
pub struct NewtonSettings {
    /// The values of the regularization parameter C = 1 / lambda, one for each classifier of the
    /// path.
    pub cs: Vec<f64>,
    /// How the bias is regularized.
    pub bias: Bias,
    /// The maximum number of Newton steps of a binary problem; `None` for no limit.
    pub max_iter: Option<usize>,
    /// Whether steps end at the minimum of the objective along them.
    pub line_search: bool,
}

/// How the bias is regularized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bias {
    /// There is no bias.
    None,
    /// The bias is not regularized.
    Free,
    /// The bias is part of the norm, as in [`super::NnIsda`].
    Penalized,
}

impl Bias {
    /// Parses the name used by the bindings.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "none" => Ok(Bias::None),
            "free" => Ok(Bias::Free),
            "penalized" => Ok(Bias::Penalized),
            _ => {
                let rule = "it must be True, False or 'penalized'";
                Err(Error::parameter("bias", name, rule))
            }
        }
    }
}

impl NewtonSettings {
    /// Checks the hyperparameters and returns the solver.
    pub fn check(mut self) -> Result<Newton> {
        check_cs(&mut self.cs)?;
        check_max_iter(self.max_iter)?;
        Ok(Newton { settings: self })
    }
}

/// The method with checked hyperparameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Newton {
    settings: NewtonSettings,
}

/// The number of samples up to which no subsample is solved first.
const SMALLEST_LEVEL: usize = 1000;

/// Kernel rows that are prefetched together.
const BLOCK: usize = 64;

/// The error of decision values, and of coefficients relative to the largest one, that is accepted
/// as rounding.
const OPTIMAL: f64 = 1e-5;

/// The largest accepted shift between two decision values by rounded kernel values.
const MAX_SHIFT: f64 = 1e-3;

/// The relative decrease of the objective below which training ends.
const MIN_DECREASE: f64 = 1e-14;

impl BinarySolver for Newton {
    fn path_len(&self) -> usize {
        self.settings.cs.len()
    }

    fn has_linear_form(&self) -> bool {
        self.settings.line_search
    }

    fn solve_rows<T: Lanes>(
        &self,
        problem: &Problem<'_>,
        parts: &Parts,
        rows: &Matrix<'_, T>,
        monitor: &Monitor,
    ) -> Result<Option<Vec<Machine>>> {
        linear::solve(&self.settings, problem, parts, rows, monitor).map(Some)
    }

    fn solve<T: Lanes>(
        &self,
        problem: &Problem<'_>,
        rows: &mut impl BlockRows<T>,
        monitor: &Monitor,
    ) -> Result<Vec<Machine>> {
        let parts = rows.parts().clone();
        let mut run = Run::new(problem, &parts, self.settings.bias);
        let mut levels = run.levels();
        let mut start = Some(problem.start);
        along_path(&self.settings.cs, PathStart::Warm, |c| {
            run.set_c(c);
            if let Some(Start::Terms(terms)) = start.take() {
                run.start_from(terms, rows, monitor)?;
                levels = vec![parts.n_rows()];
            }
            let wanted = std::mem::replace(&mut levels, vec![parts.n_rows()]);
            let is_seeded = !run.point.terms.is_empty();
            let mut status = self.train(&mut run, &wanted, rows, monitor)?;
            if matches!(status, Status::Stalled | Status::NonFinite) && is_seeded {
                // The starting point may be the reason: start again from zero.
                run.point = Point::zero(parts.n_rows());
                let all = run.levels();
                status = self.train(&mut run, &all, rows, monitor)?;
            }
            if status == Status::Converged && run.rounding(problem, monitor)? > MAX_SHIFT {
                status = Status::Stalled; // this is the optimum of a problem with rounded values
            }
            let machine = run.machine(status);
            if status != Status::Converged {
                run.point = Point::zero(parts.n_rows());
                levels = run.levels();
            }
            Ok(machine)
        })
    }
}

impl Newton {
    /// Solves the problems of growing subsamples, the last of which contains all samples.
    fn train<T: Lanes>(
        &self,
        run: &mut Run,
        levels: &[usize],
        rows: &mut impl BlockRows<T>,
        monitor: &Monitor,
    ) -> Result<Status> {
        for &level in levels {
            let status = run.descend(level, &self.settings, rows, monitor)?;
            if status != Status::Converged {
                return Ok(status);
            }
        }
        Ok(Status::Converged)
    }
}

/// Recognizes that full steps repeat a set of samples, which determines all further ones (Brent
/// 1980).
#[derive(Default)]
struct Cycle {
    /// The set after a number of steps that is a power of 2.
    set: Option<Vec<usize>>,
    n_steps: usize,
}

impl Cycle {
    /// Whether this set occurred before.
    fn is_closed_by(&mut self, set: &[usize]) -> bool {
        let is_closed = self.set.as_deref() == Some(set);
        self.n_steps += 1;
        if self.n_steps.is_power_of_two() {
            self.set = Some(set.to_vec());
        }
        is_closed
    }
}

struct Run {
    parts: Parts,
    signs: Vec<f64>,
    weights: Vec<f64>,
    /// The relative position, from 0 to 1, of each sample among those of its part.
    places: Vec<f64>,
    bias: Bias,
    lambda: f64,
    point: Point,
    n_iter: usize,
}

impl Run {
    fn new(problem: &Problem<'_>, parts: &Parts, bias: Bias) -> Self {
        let n = parts.n_rows();
        let places = parts.iter().flat_map(|part| {
            let len = part.local.len();
            (0..len).map(move |place| (place as f64 + 0.5) / len as f64)
        });
        Self {
            parts: parts.clone(),
            signs: problem.signs_of(parts),
            weights: problem.weights_of(parts),
            places: places.collect(),
            bias,
            lambda: 1.0,
            point: Point::zero(n),
            n_iter: 0,
        }
    }

    /// The sizes of the subsamples, ascending.
    fn levels(&self) -> Vec<usize> {
        let mut levels = vec![self.parts.n_rows()];
        while let Some(&last) = levels.last()
            && last > SMALLEST_LEVEL
        {
            levels.push(last.div_ceil(2));
        }
        levels.reverse();
        levels
    }

    fn set_c(&mut self, c: f64) {
        self.lambda = 1.0 / c;
        self.n_iter = 0;
    }

    fn start_from<T: Lanes>(
        &mut self,
        terms: &[(u32, f64)],
        rows: &mut impl BlockRows<T>,
        monitor: &Monitor,
    ) -> Result<()> {
        let local = |&(row, beta): &(u32, f64)| Some((self.parts.local(row as usize)?, beta));
        let mut terms: Vec<(usize, f64)> = terms.iter().filter_map(local).collect();
        terms.sort_by_key(|term| term.0);
        // Without the time limit, so that a warm start never loses its coefficients.
        if let Some(point) = self.point_of(terms, 0.0, rows, monitor, || false)? {
            self.point = point;
        }
        // The bias for which these coefficients are optimal.
        let point = &self.point;
        let residual = |&(i, beta): &(usize, f64)| {
            self.signs[i] - self.lambda * beta / self.weights[i] - point.outputs[i]
        };
        let bias = match self.bias {
            Bias::None => 0.0,
            Bias::Free => {
                let sum: f64 = point.terms.iter().map(residual).sum();
                sum / point.terms.len().max(1) as f64
            }
            Bias::Penalized => point.terms.iter().map(|term| term.1).sum(),
        };
        if bias.is_finite() {
            self.point.bias = bias;
            self.point.outputs.iter_mut().for_each(|f| *f += bias);
        }
        Ok(())
    }

    /// Takes Newton steps on the first samples of each part, about `level` in total, until the set
    /// of support vectors does not change.
    fn descend<T: Lanes>(
        &mut self,
        level: usize,
        settings: &NewtonSettings,
        rows: &mut impl BlockRows<T>,
        monitor: &Monitor,
    ) -> Result<Status> {
        let share = level as f64 / self.parts.n_rows().max(1) as f64;
        let limit = Limit::new(settings.max_iter, self.parts.n_rows());
        let mut cycle = Cycle::default();
        loop {
            let set = self.violators(share);
            if !settings.line_search && cycle.is_closed_by(&set) {
                return Ok(Status::Stalled);
            }
            if let Some(status) = limit.reached(self.n_iter, monitor)? {
                return Ok(status);
            }
            if monitor.time_is_up() {
                return Ok(Status::TimeLimit);
            }
            self.n_iter += 1;
            let Some(next) = self.optimum_of(&set, rows, monitor)? else {
                return Ok(Status::of_failed_step(monitor));
            };
            if !next.bias.is_finite() || next.outputs.iter().any(|f| !f.is_finite()) {
                return Ok(Status::NonFinite);
            }
            let (length, decrease) = match settings.line_search {
                true => self.line_search(&next, share),
                false => (1.0, f64::INFINITY),
            };
            if length == 1.0 {
                self.point = next;
            } else {
                self.point.move_toward(&next, length);
            }
            if decrease.is_nan() {
                return Ok(Status::NonFinite);
            }
            if (length == 1.0 && self.violators(share) == set) || decrease <= MIN_DECREASE {
                return Ok(if self.is_optimal(share) {
                    Status::Converged
                } else {
                    Status::Stalled // rounding, for very large C
                });
            }
        }
    }

    /// The shift between two decision values by rounded kernel values.
    fn rounding(&self, problem: &Problem<'_>, monitor: &Monitor) -> Result<f64> {
        let mut beta = vec![0.0; self.signs.len()];
        self.point.terms.iter().for_each(|&(i, b)| beta[i] = b);
        let sum = |i: usize| self.point.outputs[i] - self.point.bias;
        rounding(problem, &self.parts, &beta, sum, MAX_SHIFT, monitor)
    }

    /// Whether a sample is among the first `share` of its part, and has a positive weight.
    fn is_active(&self, i: usize, share: f64) -> bool {
        self.places[i] < share && self.weights[i] > 0.0
    }

    /// Whether `lambda beta_i / c_i = y_i loss_i` for all samples, and no coefficient has the wrong
    /// sign.
    fn is_optimal(&self, share: f64) -> bool {
        let terms = &self.point.terms;
        let largest = terms.iter().map(|term| term.1.abs()).fold(0.0, f64::max);
        let mut beta = vec![0.0; self.signs.len()];
        terms.iter().for_each(|&(i, b)| beta[i] = b);
        (0..beta.len())
            .filter(|&i| self.is_active(i, share))
            .all(|i| {
                let loss = (1.0 - self.signs[i] * self.point.outputs[i]).max(0.0);
                let implied = self.lambda / self.weights[i] * self.signs[i] * beta[i];
                (implied - loss).abs() < OPTIMAL && self.signs[i] * beta[i] > -OPTIMAL * largest
            })
    }

    /// The samples with a positive loss.
    fn violators(&self, share: f64) -> Vec<usize> {
        let outputs = &self.point.outputs;
        (0..outputs.len())
            .filter(|&i| self.is_active(i, share) && self.signs[i] * outputs[i] < 1.0)
            .collect()
    }

    /// The optimum if exactly these samples have a positive loss; `None` if the equations are
    /// singular or the time limit was reached.
    fn optimum_of<T: Lanes>(
        &self,
        set: &[usize],
        rows: &mut impl BlockRows<T>,
        monitor: &Monitor,
    ) -> Result<Option<Point>> {
        let m = set.len();
        if m == 0 {
            return Ok(Some(Point {
                terms: Vec::new(),
                bias: self.point.bias,
                outputs: vec![self.point.bias; self.signs.len()],
            }));
        }
        let Some(sides) = self.solve_equations(set, rows, monitor)? else {
            return Ok(None);
        };
        let (of_signs, of_ones) = sides.split_at(m);
        let bias = match self.bias {
            Bias::Free => of_signs.iter().sum::<f64>() / of_ones.iter().sum::<f64>(),
            _ => 0.0,
        };
        let beta = of_signs.iter().zip(of_ones).map(|(a, b)| a - bias * b);
        let terms: Vec<(usize, f64)> = set.iter().copied().zip(beta).collect();
        let bias = match self.bias {
            Bias::None => 0.0,
            Bias::Free => bias,
            Bias::Penalized => terms.iter().map(|term| term.1).sum(),
        };
        self.point_of(terms, bias, rows, monitor, || monitor.time_is_up())
    }

    /// Solves `(K_SS + lambda / c) x = y` and `(K_SS + lambda / c) x = 1`; returns both solutions,
    /// one after the other.
    fn solve_equations<T: Lanes>(
        &self,
        set: &[usize],
        rows: &mut impl BlockRows<T>,
        monitor: &Monitor,
    ) -> Result<Option<Vec<f64>>> {
        let m = set.len();
        let mut matrix = zero_pages::<f64>(m, m, "the kernel matrix of the support vectors")?;
        let mut values = vec![T::ZERO; m];
        let one = if self.bias == Bias::Penalized {
            1.0
        } else {
            0.0
        };
        let columns = set.iter().enumerate().zip(matrix.chunks_exact_mut(m));
        let is_filled = visit_in_blocks(
            set,
            rows,
            monitor,
            columns,
            |rows, ((place, &i), column)| {
                rows.resident_row(i).gather(set, &mut values);
                for (out, value) in column.iter_mut().zip(&values) {
                    *out = value.to_f64() + one;
                }
                column[place] += self.lambda / self.weights[i];
            },
        )?;
        if !is_filled {
            return Ok(None);
        }
        let signs = set.iter().map(|&i| self.signs[i]);
        let mut sides: Vec<f64> = signs.chain(std::iter::repeat_n(1.0, m)).collect();
        if !cholesky::factorize(&mut matrix, m, monitor)? {
            return Ok(None);
        }
        cholesky::solve(&matrix, m, &mut sides);
        Ok(Some(sides))
    }

    /// The point with these coefficients; computes the decision values of all samples. `None` if
    /// `must_stop` returned true before that.
    fn point_of<T: Lanes>(
        &self,
        terms: Vec<(usize, f64)>,
        bias: f64,
        rows: &mut impl BlockRows<T>,
        monitor: &Monitor,
        must_stop: impl Fn() -> bool,
    ) -> Result<Option<Point>> {
        let mut outputs = vec![bias; self.signs.len()];
        let size = rows.max_resident().clamp(1, BLOCK);
        for block in terms.chunks(size) {
            if must_stop() {
                return Ok(None);
            }
            let wanted: Vec<usize> = block.iter().map(|term| term.0).collect();
            rows.prefetch(&wanted, monitor)?;
            rows.accumulate(block, &mut outputs);
        }
        Ok(Some(Point {
            terms,
            bias,
            outputs,
        }))
    }

    fn machine(&self, status: Status) -> Machine {
        let used = self.point.terms.iter().filter(|term| term.1 != 0.0);
        let machine = Machine {
            terms: used
                .map(|&(i, beta)| (self.parts.global(i) as u32, beta))
                .collect(),
            bias: self.point.bias,
            n_iter: self.n_iter,
            n_loops: 1,
            status,
            needs_f64: false,
            implied: None,
        };
        machine.or_non_finite()
    }
}

/// Calls `visit` with each item, one per sample of `set`, while its kernel row is resident. Returns
/// false if the time limit was reached before all items were visited.
fn visit_in_blocks<T: Lanes, R: BlockRows<T>, I>(
    set: &[usize],
    rows: &mut R,
    monitor: &Monitor,
    mut items: impl Iterator<Item = I>,
    mut visit: impl FnMut(&R, I),
) -> Result<bool> {
    let size = rows.max_resident().clamp(1, BLOCK);
    for block in set.chunks(size) {
        if monitor.time_is_up() {
            return Ok(false);
        }
        rows.prefetch(block, monitor)?;
        for item in items.by_ref().take(block.len()) {
            visit(rows, item);
        }
    }
    Ok(true)
}
