//! The rows, labels and weights of one linear machine.

use super::example::Example;
use crate::data::{Matrix, Row};
use crate::memory::try_with_capacity;
use crate::simd::{Lanes, prefetch};
use crate::solver::hyperparameters::check_regularization;
use crate::{Error, Result};

/// The largest price of a loss that is told from a larger one: its square is finite.
pub const LARGEST: f64 = 1e100;

/// How the norm is weighed against the losses.
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

    /// The weight of the norm for a machine of `n` rows.
    pub fn lambda(self, n: usize) -> f64 {
        match self {
            Penalty::C(c) => (1.0 / c / n.max(1) as f64).max(1.0 / LARGEST),
            Penalty::Lambda(lambda) => lambda,
        }
    }

    /// The price of a loss for a machine of `n` rows.
    pub fn c(self, n: usize) -> f64 {
        match self {
            Penalty::C(c) => c,
            Penalty::Lambda(lambda) => (1.0 / lambda / n.max(1) as f64).max(1.0 / LARGEST),
        }
    }
}

/// What an output costs that is not right by a margin of 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// `max(0, 1 - y f)`.
    Hinge,
    /// Its square.
    SquaredHinge,
}

impl Loss {
    /// From the name that Python uses.
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

/// The bias of a linear machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Intercept {
    /// There is none.
    None,
    /// The weight of a feature of this value, which is part of the norm.
    Constant(f64),
    /// Found after the weights (004, section 3): the mean of `y - w . x` of the rows that are
    /// not right by a margin of 1.
    Violators,
}

impl Intercept {
    /// The value of the constant feature, 0 for none.
    pub fn constant(self) -> f64 {
        match self {
            Intercept::Constant(value) => value,
            Intercept::None | Intercept::Violators => 0.0,
        }
    }
}

/// What is known of a problem before its rows are gathered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outline {
    /// Features, without the constant one.
    pub n_features: usize,
    /// The value of the constant feature.
    pub constant: f64,
    /// Rows of positive weight.
    pub n_rows: usize,
    /// Sums of the weights of rows with label +1 and with label -1.
    pub weights: [f64; 2],
}

impl Outline {
    /// [`LinearProblem::violators_bias`] of zero weights: no row is right by a margin of 1.
    pub fn violators_bias(&self) -> f64 {
        let [positive, negative] = self.weights;
        (positive - negative) / (positive + negative).max(f64::MIN_POSITIVE)
    }
}

/// Features of all rows between two looks at the clock.
const FEATURES_TO_LOOK: usize = 1 << 22;

/// Values that stay in the cache next to a core.
const CACHE_BYTES: usize = 1 << 19;

/// A binary problem: some rows of a matrix with labels and weights.
#[derive(Debug, Clone)]
pub struct LinearProblem<'a, T: Lanes> {
    rows: &'a Matrix<'a, T>,
    n_rows: usize,
    /// The rows, if they are not all.
    members: Option<Vec<u32>>,
    /// +1 or -1, in one byte: all of them stay in cache.
    labels: Vec<i8>,
    weights: Option<Vec<f64>>,
    constant: f64,
    /// `x . x` of all rows of the matrix, without the constant, where they are known.
    squares: Option<&'a [f64]>,
    /// Whether a row must be asked for before it is read.
    fetches_ahead: bool,
}

impl<'a, T: Lanes> LinearProblem<'a, T> {
    /// From the rows that have a label, +1 or -1, with their weight; `weight` 0 leaves one out.
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
            fetches_ahead: size_of_val(rows.values()) > CACHE_BYTES,
        })
    }

    /// The same problem, with what [`LinearProblem::square`] needs of all rows of the matrix: the
    /// machines of many classes share it.
    pub fn with_squares(mut self, squares: &'a [f64]) -> Self {
        self.squares = Some(squares);
        self
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of weights: one for each feature, and one for the constant.
    pub fn n_weights(&self) -> usize {
        self.rows.n_cols() + 1
    }

    /// Rows between two looks at the clock and for an interrupt: some milliseconds of work.
    pub fn rows_to_look(&self) -> usize {
        (FEATURES_TO_LOOK / self.n_weights()).clamp(1, 1024)
    }

    /// Values that a row of the matrix stores on average, the constant one included.
    pub fn mean_stored(&self) -> f64 {
        let n_rows = self.rows.n_rows().max(1) as f64;
        1.0 + self.rows.values().len() as f64 / n_rows
    }

    /// Whether there are more features than rows.
    pub fn is_wide(&self) -> bool {
        self.rows.n_cols() > self.n_rows
    }

    /// Whether rows store every value.
    pub fn is_dense(&self) -> bool {
        matches!(self.rows, Matrix::Dense(_))
    }

    /// Row `i` of the problem.
    #[inline]
    pub fn example(&self, i: usize) -> Example<'_, T> {
        Example {
            row: self.rows.row(self.member(i)),
            constant: self.constant,
        }
    }

    /// `x . x` of row `i`, the constant feature included.
    pub fn square(&self, i: usize) -> f64 {
        match self.squares {
            Some(squares) => squares[self.member(i)] + self.constant * self.constant,
            None => self.example(i).square(),
        }
    }

    /// The label of row `i`, +1 or -1.
    #[inline]
    pub fn label(&self, i: usize) -> f64 {
        f64::from(self.labels[i])
    }

    /// The weight of row `i`.
    #[inline]
    pub fn weight(&self, i: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[i])
    }

    /// The number, among all rows, of row `i` of the problem.
    #[inline]
    pub fn member(&self, i: usize) -> usize {
        self.members
            .as_ref()
            .map_or(i, |members| members[i] as usize)
    }

    /// Adds a row of the matrix, by its number among all, to weights.
    pub fn add_row(&self, row: usize, factor: f64, weights: &mut [f64]) {
        let example = Example {
            row: self.rows.row(row),
            constant: self.constant,
        };
        example.add_to(weights, factor);
    }

    /// Asks for the values of row `i`, which will be read soon, unless the cache holds all rows.
    #[inline]
    pub fn prefetch(&self, i: usize) {
        if !self.fetches_ahead {
            return;
        }
        match self.rows.row(self.member(i)) {
            Row::Dense(values) => prefetch(values),
            // The first line of each: the machine itself goes on from there.
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

    /// The mean weight of all rows.
    pub fn mean_weight(&self) -> f64 {
        match &self.weights {
            None => 1.0,
            Some(weights) => weights.iter().sum::<f64>() / self.n_rows.max(1) as f64,
        }
    }

    /// Numbers of rows with label +1 and with label -1.
    pub fn counts(&self) -> (usize, usize) {
        let positive = self.labels.iter().filter(|&&label| label > 0).count();
        (positive, self.n_rows() - positive)
    }

    /// The mean of `y - w . x` of the rows that are not right by a margin of 1.
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
