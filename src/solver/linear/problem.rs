//! The samples, labels or targets, and weights of one linear problem.
//!
//! Targets are divided by a power of two near their mean absolute deviation, and so are the other
//! quantities in their units: with `p' = p / u`, `epsilon' = epsilon / u` and `w' = w / u`,
//!
//! ```text
//! 1/2 |w|^2 + C sum_i max(0, |p_i - w . x_i| - epsilon)
//!     = u^2 (1/2 |w'|^2 + C / u sum_i max(0, |p_i' - w' . x_i| - epsilon'))
//! ```
//!
//! and for the squared loss the same with C instead of C / u. Thus tolerances have the same meaning
//! as for the labels +1 and -1, and products of large targets do not overflow.

use super::example::Example;
use crate::data::{Matrix, Row};
use crate::memory::try_with_capacity;
use crate::simd::{Lanes, prefetch};
use crate::solver::hyperparameters::check_regularization;
use crate::{Error, Result};

/// The largest regularization parameter: larger values are replaced by it, so that squares are
/// finite.
pub const LARGEST: f64 = 1e100;

/// The regularization parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Penalty {
    /// `1/2 |w|^2 + C sum of losses`.
    C(f64),
    /// `lambda / 2 |w|^2 + mean of losses`.
    Lambda(f64),
}

impl Penalty {
    /// Rejects values below `1 / LARGEST`, and replaces values above [`LARGEST`].
    pub fn check(self) -> Result<Self> {
        let rule = "it must be a positive number, at least 1e-100";
        let check = |name, value| check_regularization(name, value, LARGEST, rule);
        Ok(match self {
            Penalty::C(c) => Penalty::C(check("C", c)?),
            Penalty::Lambda(lambda) => Penalty::Lambda(check("lambda_", lambda)?),
        })
    }

    /// The factor of the norm, for a problem with `n` samples.
    pub fn lambda(self, n: usize) -> f64 {
        match self {
            Penalty::C(c) => (1.0 / c / n.max(1) as f64).max(1.0 / LARGEST),
            Penalty::Lambda(lambda) => lambda,
        }
    }

    /// The factor of the losses, for a problem with `n` samples.
    pub fn c(self, n: usize) -> f64 {
        match self {
            Penalty::C(c) => c,
            Penalty::Lambda(lambda) => (1.0 / lambda / n.max(1) as f64).max(1.0 / LARGEST),
        }
    }
}

/// The loss function of a label y or a target p.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Loss {
    /// `max(0, 1 - y f)`.
    Hinge,
    /// `max(0, 1 - y f)^2`.
    SquaredHinge,
    /// `max(0, |p - f| - epsilon)`.
    Tube {
        /// The half-width of the tube.
        epsilon: f64,
    },
    /// `max(0, |p - f| - epsilon)^2`.
    SquaredTube {
        /// The half-width of the tube.
        epsilon: f64,
    },
}

impl Loss {
    /// Parses the name used in Python; `epsilon` is the half-width of a tube.
    pub fn parse(name: &str, epsilon: f64) -> Result<Self> {
        match name {
            "hinge" => Ok(Loss::Hinge),
            "squared_hinge" => Ok(Loss::SquaredHinge),
            "epsilon_insensitive" => Ok(Loss::Tube { epsilon }),
            "squared_epsilon_insensitive" => Ok(Loss::SquaredTube { epsilon }),
            _ => {
                let rule = "it must be 'hinge', 'squared_hinge', 'epsilon_insensitive' or \
                            'squared_epsilon_insensitive'";
                Err(Error::parameter("loss", format!("{name:?}"), rule))
            }
        }
    }

    /// Rejects negative half-widths of a tube.
    pub fn check(self) -> Result<Self> {
        match self.tube() {
            Some(epsilon) if !(epsilon >= 0.0 && epsilon.is_finite()) => {
                let rule = "it must be a finite number, at least 0";
                Err(Error::parameter("epsilon", epsilon, rule))
            }
            _ => Ok(self),
        }
    }

    /// The half-width of the tube, for a loss of targets.
    pub fn tube(self) -> Option<f64> {
        match self {
            Loss::Hinge | Loss::SquaredHinge => None,
            Loss::Tube { epsilon } | Loss::SquaredTube { epsilon } => Some(epsilon),
        }
    }

    /// Whether the loss is squared.
    pub fn is_squared(self) -> bool {
        matches!(self, Loss::SquaredHinge | Loss::SquaredTube { .. })
    }

    /// The upper bound of the absolute value of a dual variable, and D, the factor of half its
    /// square in the dual objective, for a sample whose loss has the factor `cost`.
    #[inline]
    pub fn bound_and_diagonal(self, cost: f64) -> (f64, f64) {
        match self.is_squared() {
            false => (cost, 0.0),
            true => (f64::INFINITY, 0.5 / cost),
        }
    }
}

/// How the bias of a linear classifier is computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Intercept {
    /// There is no bias.
    None,
    /// The weight of a constant feature with this value, which is part of the norm.
    Constant(f64),
    /// Computed after training (Duros and Katzman 2014, section 3): the weighted mean of
    /// `y - w . x` over the samples with `y w . x < 1`.
    Violators,
}

impl Intercept {
    /// The value of the constant feature; 0 for none.
    pub fn constant(self) -> f64 {
        match self {
            Intercept::Constant(value) => value,
            Intercept::None | Intercept::Violators => 0.0,
        }
    }
}

/// The size and weights of a problem whose samples have not been gathered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outline {
    /// Number of features, without the constant one.
    pub n_features: usize,
    /// The value of the constant feature.
    pub constant: f64,
    /// Number of samples of positive weight.
    pub n_rows: usize,
    /// The total weights of the samples with label +1 and with label -1.
    pub weights: [f64; 2],
}

impl Outline {
    /// [`LinearProblem::violators_bias`] of zero weights: every sample violates the margin.
    pub fn violators_bias(&self) -> f64 {
        let [positive, negative] = self.weights;
        (positive - negative) / (positive + negative).max(f64::MIN_POSITIVE)
    }
}

/// Number of samples by which prefetching should be ahead of reading.
pub const PREFETCH_DISTANCE: usize = 8;

/// Number of features to process between two checks for interrupts and the time limit.
const FEATURES_PER_CHECK: usize = 1 << 22;

/// Size of samples that stay in the cache of a core.
const CACHE_BYTES: usize = 1 << 19;

/// What the decision values of the samples should be.
#[derive(Debug, Clone)]
enum Goals {
    /// At least 1 times the label, which is +1 or -1, in one byte, so that all of them stay in the
    /// cache.
    Labels(Vec<i8>),
    /// Near the target, which is divided by `unit`.
    Targets { scaled: Vec<f64>, unit: f64 },
}

/// A problem: some samples of a matrix, with labels or targets, and weights.
#[derive(Debug, Clone)]
pub struct LinearProblem<'a, T: Lanes> {
    rows: &'a Matrix<'a, T>,
    n_rows: usize,
    /// The samples of the problem; `None` for all samples of the matrix.
    members: Option<Vec<u32>>,
    goals: Goals,
    weights: Option<Vec<f64>>,
    constant: f64,
    /// `x . x` of all samples of the matrix, without the constant feature, if known.
    squares: Option<&'a [f64]>,
    /// Whether prefetching pays, because the samples do not fit into the cache.
    uses_prefetch: bool,
}

impl<'a, T: Lanes> LinearProblem<'a, T> {
    /// The problem of all samples with a label, +1 or -1, and a positive weight.
    pub fn new(
        rows: &'a Matrix<'a, T>,
        label: impl Fn(usize) -> Option<f64>,
        weight: impl Fn(usize) -> f64,
        constant: f64,
    ) -> Result<Self> {
        let mut labels = try_with_capacity(rows.n_rows(), 1, "the labels of a binary classifier")?;
        let add = |label| labels.push(if label > 0.0 { 1 } else { -1 });
        let problem = Self::of_members(rows, label, weight, add, constant)?;
        Ok(Self {
            goals: Goals::Labels(labels),
            ..problem
        })
    }

    /// The problem of all samples of positive weight with a target.
    pub fn regression(
        rows: &'a Matrix<'a, T>,
        target: impl Fn(usize) -> f64,
        weight: impl Fn(usize) -> f64,
        constant: f64,
    ) -> Result<Self> {
        let mut scaled = try_with_capacity(rows.n_rows(), 1, "the targets of the samples")?;
        let add = |target| scaled.push(target);
        let target = |row| Some(target(row));
        let problem = Self::of_members(rows, target, weight, add, constant)?;
        let unit = unit_of(&scaled);
        scaled.iter_mut().for_each(|target| *target /= unit);
        Ok(Self {
            goals: Goals::Targets { scaled, unit },
            ..problem
        })
    }

    /// A problem of all samples with a goal and a positive weight, which calls `add` with the goal
    /// of each of them and does not store it.
    fn of_members(
        rows: &'a Matrix<'a, T>,
        goal: impl Fn(usize) -> Option<f64>,
        weight: impl Fn(usize) -> f64,
        mut add: impl FnMut(f64),
        constant: f64,
    ) -> Result<Self> {
        let most = rows.n_rows();
        let mut members = try_with_capacity(most, 1, "the samples of a linear problem")?;
        let mut weights = try_with_capacity(most, 1, "the weights of a linear problem")?;
        let mut all_one = true;
        for row in 0..most {
            let Some(goal) = goal(row) else { continue };
            let weight = weight(row);
            if weight > 0.0 {
                members.push(row as u32);
                add(goal);
                weights.push(weight);
                all_one &= weight == 1.0;
            }
        }
        let n = members.len();
        Ok(Self {
            rows,
            n_rows: n,
            members: (n < rows.n_rows()).then_some(members),
            goals: Goals::Labels(Vec::new()),
            weights: (!all_one).then_some(weights),
            constant,
            squares: None,
            uses_prefetch: size_of_val(rows.values()) > CACHE_BYTES,
        })
    }

    /// The same problem with precomputed squared norms of all samples of the matrix, which the
    /// problems of many classes share.
    pub fn with_squares(mut self, squares: &'a [f64]) -> Self {
        self.squares = Some(squares);
        self
    }

    /// Number of samples.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of weights: one per feature, and one for the constant feature.
    pub fn n_weights(&self) -> usize {
        self.rows.n_cols() + 1
    }

    /// Number of samples between two checks for interrupts and the time limit: a few milliseconds
    /// of work.
    pub fn check_interval(&self) -> usize {
        (FEATURES_PER_CHECK / self.n_weights()).clamp(1, 1024)
    }

    /// Mean number of stored values per sample of the matrix, including the constant one.
    pub fn mean_stored(&self) -> f64 {
        let n_rows = self.rows.n_rows().max(1) as f64;
        1.0 + self.rows.values().len() as f64 / n_rows
    }

    /// Whether there are more features than samples.
    pub fn is_wide(&self) -> bool {
        self.rows.n_cols() > self.n_rows
    }

    /// Whether the samples are dense.
    pub fn is_dense(&self) -> bool {
        matches!(self.rows, Matrix::Dense(_))
    }

    /// Sample `i` of the problem.
    #[inline]
    pub fn example(&self, i: usize) -> Example<'_, T> {
        Example {
            row: self.rows.row(self.member(i)),
            constant: self.constant,
        }
    }

    /// `x . x` of sample `i`, including the constant feature.
    pub fn square(&self, i: usize) -> f64 {
        match self.squares {
            Some(squares) => squares[self.member(i)] + self.constant * self.constant,
            None => self.example(i).square(),
        }
    }

    /// The label of sample `i`, +1 or -1; the scaled target for regression.
    #[inline]
    pub fn label(&self, i: usize) -> f64 {
        match &self.goals {
            Goals::Labels(labels) => f64::from(labels[i]),
            Goals::Targets { scaled, .. } => scaled[i],
        }
    }

    /// Whether the samples have targets instead of labels.
    pub fn has_targets(&self) -> bool {
        matches!(self.goals, Goals::Targets { .. })
    }

    /// The factor by which targets were divided; 1 for labels.
    pub fn unit(&self) -> f64 {
        match self.goals {
            Goals::Labels(_) => 1.0,
            Goals::Targets { unit, .. } => unit,
        }
    }

    /// The factor of the losses of the scaled problem.
    pub fn c(&self, penalty: Penalty, loss: Loss) -> f64 {
        let c = penalty.c(self.n_rows);
        if loss.is_squared() {
            c
        } else {
            c / self.unit()
        }
    }

    /// The half-width of the tube of the scaled problem; 0 for labels.
    pub fn epsilon(&self, loss: Loss) -> f64 {
        (loss.tube().unwrap_or(0.0) / self.unit()).min(LARGEST)
    }

    /// The direction in which the loss of sample `i` decreases at the decision value `f`: the
    /// label, or the sign of the residual.
    #[inline]
    pub fn side(&self, i: usize, f: f64) -> f64 {
        match &self.goals {
            Goals::Labels(labels) => f64::from(labels[i]),
            Goals::Targets { scaled, .. } if f > scaled[i] => -1.0,
            Goals::Targets { .. } => 1.0,
        }
    }

    /// The side of sample `i`, +1 or -1, to which its signed coefficient `beta` belongs, or moves
    /// from 0 at the decision value `f`.
    #[inline]
    pub fn side_of(&self, i: usize, beta: f64, f: f64) -> f64 {
        if beta == 0.0 || !self.has_targets() {
            self.side(i, f)
        } else {
            beta.signum()
        }
    }

    /// `side (p - f) - epsilon` of sample `i`, where p is the label or the target. If positive, it
    /// is the slack: `1 - y f`, or the distance of f from the tube.
    #[inline]
    pub fn excess(&self, i: usize, side: f64, f: f64, epsilon: f64) -> f64 {
        side * (self.label(i) - f) - epsilon
    }

    /// The weight of sample `i`.
    #[inline]
    pub fn weight(&self, i: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[i])
    }

    /// `c` times the weight of sample `i`, at most [`LARGEST`].
    #[inline]
    pub fn cost(&self, i: usize, c: f64) -> f64 {
        (c * self.weight(i)).min(LARGEST)
    }

    /// The index in the matrix of sample `i` of the problem.
    #[inline]
    pub fn member(&self, i: usize) -> usize {
        self.members
            .as_ref()
            .map_or(i, |members| members[i] as usize)
    }

    /// `weights += factor x` for the sample `x` with index `row` in the matrix.
    pub fn add_row(&self, row: usize, factor: f64, weights: &mut [f64]) {
        let example = Example {
            row: self.rows.row(row),
            constant: self.constant,
        };
        example.add_to(weights, factor);
    }

    /// Prefetches sample `i`, which will be read soon.
    #[inline]
    pub fn prefetch(&self, i: usize) {
        if !self.uses_prefetch {
            return;
        }
        match self.rows.row(self.member(i)) {
            Row::Dense(values) => prefetch(values),
            // The first cache line of each; the hardware prefetches the rest.
            Row::Sparse(columns, values) => {
                prefetch(&columns[..columns.len().min(1)]);
                prefetch(&values[..values.len().min(1)]);
            }
        }
    }

    /// The value of the constant feature.
    pub fn constant(&self) -> f64 {
        self.constant
    }

    /// The mean weight of the samples.
    pub fn mean_weight(&self) -> f64 {
        match &self.weights {
            None => 1.0,
            Some(weights) => weights.iter().sum::<f64>() / self.n_rows.max(1) as f64,
        }
    }

    /// The fraction of the samples with the rarer label; 1 for targets.
    pub fn rarer_fraction(&self) -> f64 {
        let Goals::Labels(labels) = &self.goals else {
            return 1.0;
        };
        let positive = labels.iter().filter(|&&label| label > 0).count();
        let rarer = positive.min(labels.len() - positive).max(1);
        rarer as f64 / labels.len().max(1) as f64
    }

    /// The weighted mean of `y - w . x` over the samples with `y w . x < 1`.
    pub fn violators_bias(&self, w: &[f64]) -> f64 {
        let (mut sum, mut total) = (0.0, 0.0);
        for i in 0..self.n_rows() {
            let (output, label) = (self.example(i).dot(w), self.label(i));
            if label * output < 1.0 {
                sum += self.weight(i) * (label - output);
                total += self.weight(i);
            }
        }
        if total > 0.0 { sum / total } else { 0.0 }
    }
}

/// The least ratio of the mean absolute deviation to the mean absolute value of targets that is not
/// attributed to rounding.
const LEAST_DEVIATION: f64 = 1e-5;

/// The range of the units of targets.
const UNITS: (f64, f64) = (1e-280, 1e300);

/// A power of two, at most the mean absolute deviation of the targets; of nearly constant targets,
/// a small fraction of their size.
fn unit_of(targets: &[f64]) -> f64 {
    let largest = targets.iter().fold(0.0f64, |most, p| most.max(p.abs()));
    if largest == 0.0 {
        return 1.0;
    }
    let n = targets.len() as f64;
    let mean = |of: &dyn Fn(f64) -> f64| targets.iter().map(|p| of(p / largest)).sum::<f64>() / n;
    let center = mean(&|p| p);
    let deviation = mean(&|p| (p - center).abs());
    let size = deviation.max(LEAST_DEVIATION * mean(&f64::abs)) * largest;
    // Without the bits of the mantissa.
    f64::from_bits(size.clamp(UNITS.0, UNITS.1).to_bits() >> 52 << 52)
}
