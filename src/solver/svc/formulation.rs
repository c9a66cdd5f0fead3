//! What the exact solver trains: five settings of one dual problem.
//!
//! ```text
//!                 p         bounds of beta_i        constraint                        primal
//! C-SVC           y_i       0 and y_i C_i           sum beta = 0                      sum C_i max(0, 1 - y_i f_i)
//! epsilon-SVR     target    -C_i and C_i            sum beta = 0                      sum C_i max(0, |p_i - f_i| - epsilon)
//! nu-SVC          0         0 and y_i w_i           sum of each side nu W / 2         see below
//! nu-SVR          target    -C_i and C_i            sum of each side nu C W / 2       epsilon-SVR with the best epsilon
//! one-class       0         0 and w_i               sum beta = nu W                   sum w_i max(0, -f_i) + nu W bias
//! ```
//!
//! plus `1/2 |w|^2` in each primal; `w_i` are the weights of the samples, `C_i = C w_i` and
//! `W = sum w_i` (Schölkopf et al. 2000 and 2001; Chang and Lin 2001 and 2002).
//!
//! The levels of the two sides of a nu formulation are `bias + h` and `bias - h`.
//!
//! - nu-SVR: `epsilon = h`. If h is negative, the sums are larger than those of the solution for
//!   epsilon = 0. That is then the solution: the constraint is in fact an upper bound.
//! - nu-SVC: `-h` is the margin rho of the problem, and the coefficients divided by rho are the
//!   solution of C-SVC with C = 1 / rho. If nu is too small, rho is 0, and there is no such C.

use super::dual::{Dual, Sample};
use super::side::{PerSide, Side};
use crate::kernel::Parts;
use crate::solver::Problem;
use crate::solver::hyperparameters::check_fraction;
use crate::{Error, Result};

/// The problem to solve, with epsilon or nu of each setting of the path.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Formulation {
    /// C-SVC.
    #[default]
    Classification,
    /// epsilon-SVR.
    Regression {
        /// The half-width of the tube of each setting.
        epsilons: Vec<f64>,
    },
    /// nu-SVC; C has no effect.
    NuClassification {
        /// Nu of each setting.
        nus: Vec<f64>,
    },
    /// nu-SVR.
    NuRegression {
        /// Nu of each setting.
        nus: Vec<f64>,
    },
    /// The one-class problem; C has no effect.
    OneClass {
        /// Nu of each setting.
        nus: Vec<f64>,
    },
}

impl Formulation {
    /// Checks epsilon or nu of a path of this many settings.
    pub fn check(&self, n_settings: usize) -> Result<()> {
        let values = self.values();
        if *self != Formulation::Classification && values.len() != n_settings {
            return Err(Error::Shape(format!(
                "the path has {n_settings} values of C, but {} of epsilon or nu",
                values.len()
            )));
        }
        match self {
            Formulation::Classification => Ok(()),
            Formulation::Regression { epsilons } => {
                let is_wrong = |epsilon: &&f64| !(**epsilon >= 0.0 && epsilon.is_finite());
                match epsilons.iter().find(is_wrong) {
                    None => Ok(()),
                    Some(epsilon) => {
                        let rule = "it must be a finite number, at least 0";
                        Err(Error::parameter("epsilon", epsilon, rule))
                    }
                }
            }
            _ => values.iter().try_for_each(|&nu| check_fraction("nu", nu)),
        }
    }

    fn values(&self) -> &[f64] {
        match self {
            Formulation::Classification => &[],
            Formulation::Regression { epsilons: values }
            | Formulation::NuClassification { nus: values }
            | Formulation::NuRegression { nus: values }
            | Formulation::OneClass { nus: values } => values,
        }
    }

    /// Whether the linear terms are targets.
    pub fn has_targets(&self) -> bool {
        matches!(
            self,
            Formulation::Regression { .. } | Formulation::NuRegression { .. }
        )
    }

    /// Epsilon of a setting; 0 for problems that have none, or determine it themselves.
    fn epsilon(&self, setting: usize) -> f64 {
        match self {
            Formulation::Regression { epsilons } => epsilons[setting],
            _ => 0.0,
        }
    }

    /// The indices of the settings in the order in which they are trained: ascending in C, and
    /// for each C along epsilon or nu, forwards and backwards in turn, so that every problem is
    /// similar to the one before it.
    pub fn order(&self, cs: &[f64]) -> Vec<usize> {
        let value = |i: usize| self.values().get(i).copied().unwrap_or(0.0);
        let mut order: Vec<usize> = (0..cs.len()).collect();
        order.sort_by(|&a, &b| {
            let by_c = cs[a].total_cmp(&cs[b]);
            by_c.then(value(b).total_cmp(&value(a)))
        });
        let of_same_c = order.chunk_by_mut(|&a, &b| cs[a] == cs[b]);
        if *self != Self::Classification {
            of_same_c.skip(1).step_by(2).for_each(<[usize]>::reverse);
        }
        order
    }

    /// The fixed sums of the sides of a setting, for these upper bounds of all coefficients.
    fn sums(&self, setting: usize, bounds: impl Iterator<Item = f64>) -> Option<PerSide<f64>> {
        match self {
            Formulation::Classification | Formulation::Regression { .. } => None,
            Formulation::NuClassification { nus } | Formulation::NuRegression { nus } => {
                let total: f64 = bounds.sum();
                Some(PerSide::of(0.5 * nus[setting] * total))
            }
            Formulation::OneClass { nus } => {
                let total: f64 = bounds.sum();
                Some(PerSide([nus[setting] * total, 0.0]))
            }
        }
    }

    /// The linear term and bounds of a sample, with this label and upper bound.
    fn sample(&self, label: f64, target: f64, bound: f64) -> Sample {
        let (lower, upper) = match self {
            Formulation::Regression { .. } | Formulation::NuRegression { .. } => (-bound, bound),
            _ if label > 0.0 => (0.0, bound),
            _ => (-bound, 0.0),
        };
        let linear = match self {
            Formulation::Classification => label,
            Formulation::Regression { .. } | Formulation::NuRegression { .. } => target,
            Formulation::NuClassification { .. } | Formulation::OneClass { .. } => 0.0,
        };
        Sample {
            linear,
            lower,
            upper,
        }
    }

    /// The dual of a setting, with all coefficients 0.
    pub fn dual(&self, setting: usize, problem: &Problem<'_>, parts: &Parts, c: f64) -> Dual {
        let bounds: Vec<f64> = problem.bounds(parts, c).collect();
        let target = |i: usize| {
            problem
                .targets
                .map_or(0.0, |targets| targets[parts.global(i)])
        };
        let labels = parts.repeat(problem.signs).zip(&bounds).enumerate();
        let samples = labels.map(|(i, (label, &bound))| self.sample(label, target(i), bound));
        let sums = self.sums(setting, bounds.iter().copied());
        Dual::new(samples, self.epsilon(setting), sums)
    }

    /// The error of a problem whose bounds are too small for its sums.
    pub fn infeasible(&self, setting: usize, dual: &Dual) -> Error {
        let nu = self.values().get(setting).copied().unwrap_or(0.0);
        let of_side = |side: Side| -> f64 {
            let bounds = match side {
                Side::Positive => &dual.upper,
                Side::Negative => &dual.lower,
            };
            bounds.iter().map(|bound| bound.abs()).sum()
        };
        let [one, other] = Side::BOTH.map(of_side);
        let largest = 2.0 * one.min(other) / (one + other);
        Error::Data(format!(
            "nu = {nu} is infeasible: with the weights of these two classes, it can be at most \
             {largest:.6}, twice the share of the smaller class"
        ))
    }
}
