//! The samples, labels and weights of one linear binary problem.

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

/// The loss function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// `max(0, 1 - y f)`.
    Hinge,
    /// `max(0, 1 - y f)^2`.
    SquaredHinge,
}

impl Loss {
    /// Parses the name used in Python.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "hinge" => Ok(Loss::Hinge),
            "squared_hinge" => Ok(Loss::SquaredHinge),
            _ => {
                let rule = "it must be 'hinge' or 'squared_hinge'";
                Err(Error::parameter("loss", format!("{name:?}"), rule))
            }
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

/// Number of features to process between two checks for interrupts and the time limit.
const FEATURES_PER_CHECK: usize = 1 << 22;

/// Size of samples that stay in the cache of a core.
const CACHE_BYTES: usize = 1 << 19;

/// A binary problem: some samples of a matrix, with labels and weights.
#[derive(Debug, Clone)]
pub struct LinearProblem<'a, T: Lanes> {
    rows: &'a Matrix<'a, T>,
    n_rows: usize,
    /// The samples of the problem; `None` for all samples of the matrix.
    members: Option<Vec<u32>>,
    /// +1 or -1, in one byte, so that all of them stay in the cache.
    labels: Vec<i8>,
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
        let most = rows.n_rows();
        let mut members = try_with_capacity(most, 1, "the samples of a binary classifier")?;
        let mut labels = try_with_capacity(most, 1, "the labels of a binary classifier")?;
        let mut weights = try_with_capacity(most, 1, "the weights of a binary classifier")?;
        let mut all_one = true;
        for row in 0..most {
            let Some(label) = label(row) else { continue };
            let weight = weight(row);
            if weight > 0.0 {
                members.push(row as u32);
                labels.push(if label > 0.0 { 1 } else { -1 });
                weights.push(weight);
                all_one &= weight == 1.0;
            }
        }
        let n = members.len();
        Ok(Self {
            rows,
            n_rows: n,
            members: (n < rows.n_rows()).then_some(members),
            labels,
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

    /// The label of sample `i`, +1 or -1.
    #[inline]
    pub fn label(&self, i: usize) -> f64 {
        f64::from(self.labels[i])
    }

    /// The weight of sample `i`.
    #[inline]
    pub fn weight(&self, i: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[i])
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

    /// The numbers of samples with label +1 and with label -1.
    pub fn counts(&self) -> (usize, usize) {
        let positive = self.labels.iter().filter(|&&label| label > 0).count();
        (positive, self.n_rows() - positive)
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
