//! Trains the linear binary classifiers of all classes in parallel, or a linear regressor.

use super::training_set::{check_sample_weights, check_targets};
use super::{Scheme, Sides};
use crate::data::{Matrix, max_abs};
use crate::memory::{account_small, try_with_capacity, try_zeros};
use crate::monitor::Monitor;
use crate::simd::Lanes;
use crate::solver::linear::{
    Example, LinearMachine, LinearProblem, LinearSolver, Outline, Recorder, RuleState, Snapshot,
};
use crate::{Error, Result, threads};
use rayon::prelude::*;
use std::hint::black_box;
use std::sync::OnceLock;

/// The purpose of the allocations, for error messages.
const WHAT: &str = "binary classifiers of all classes";

/// Training samples with their classes or targets, and weights.
#[derive(Debug, Clone, Copy)]
pub struct LinearSet<'a, T: Lanes> {
    rows: &'a Matrix<'a, T>,
    goals: Goals<'a>,
    row_weights: Option<&'a [f64]>,
}

/// What the samples are trained for.
#[derive(Debug, Clone, Copy)]
enum Goals<'a> {
    /// The class of each sample, and the weight of each class.
    Classes {
        codes: &'a [u32],
        weights: &'a [f64],
    },
    Targets(&'a [f64]),
}

impl<'a, T: Lanes> LinearSet<'a, T> {
    /// Checks classes and weights. A class may have no samples, and weights may be 0.
    pub fn new(
        rows: &'a Matrix<'a, T>,
        codes: &'a [u32],
        class_weights: &'a [f64],
        row_weights: Option<&'a [f64]>,
    ) -> Result<Self> {
        let (n, k) = (rows.n_rows(), class_weights.len());
        if codes.len() != n {
            return Err(Error::Shape(format!(
                "X has {n} samples, but y has {} labels",
                codes.len()
            )));
        }
        if k < 2 {
            return Err(Error::Data(format!(
                "y has {k} class(es), but a classifier needs at least 2 classes"
            )));
        }
        if let Some(code) = codes.iter().find(|&&code| code as usize >= k) {
            return Err(Error::Data(format!(
                "class code {code} is not less than the number of classes, {k}"
            )));
        }
        if let Some(weight) = class_weights.iter().find(|weight| !is_valid(weight)) {
            let rule = "every weight must be a finite number, at least 0";
            return Err(Error::parameter("class_weight", weight, rule));
        }
        let goals = Goals::Classes {
            codes,
            weights: class_weights,
        };
        Self::with_goals(rows, goals, row_weights)
    }

    /// Checks targets and weights. Weights may be 0.
    pub fn regression(
        rows: &'a Matrix<'a, T>,
        targets: &'a [f64],
        row_weights: Option<&'a [f64]>,
    ) -> Result<Self> {
        check_targets(targets, rows.n_rows())?;
        Self::with_goals(rows, Goals::Targets(targets), row_weights)
    }

    fn with_goals(
        rows: &'a Matrix<'a, T>,
        goals: Goals<'a>,
        row_weights: Option<&'a [f64]>,
    ) -> Result<Self> {
        let n = rows.n_rows();
        if u32::try_from(n).is_err() {
            return Err(Error::Shape(format!(
                "X has {n} samples, but a model supports at most 2^32 - 1"
            )));
        }
        if let Some(weights) = row_weights {
            check_sample_weights(weights, n)?;
            if let Some(row) = weights.iter().position(|weight| !is_valid(weight)) {
                return Err(Error::Data(format!(
                    "sample_weight[{row}] = {} is not valid: it must be a finite number, at least 0",
                    weights[row]
                )));
            }
        }
        check_range(rows)?;
        Ok(Self {
            rows,
            goals,
            row_weights,
        })
    }

    /// Number of classes; 1 for regression.
    pub fn n_classes(&self) -> usize {
        match self.goals {
            Goals::Classes { weights, .. } => weights.len(),
            Goals::Targets(_) => 1,
        }
    }

    /// The problem of one binary classifier, with the labels of [`Scheme::sides`], or of the
    /// regressor.
    pub fn problem(
        &self,
        scheme: Scheme,
        number: usize,
        constant: f64,
    ) -> Result<LinearProblem<'a, T>> {
        let row_weight = |row: usize| self.row_weights.map_or(1.0, |weights| weights[row]);
        let (codes, weights) = match self.goals {
            Goals::Classes { codes, weights } => (codes, weights),
            Goals::Targets(targets) => {
                let target = |row: usize| targets[row];
                return LinearProblem::regression(self.rows, target, row_weight, constant);
            }
        };
        let sides = scheme.sides(number, self.n_classes());
        let label = |row: usize| sides.label(codes[row] as usize);
        let weight = |row: usize| weights[codes[row] as usize] * row_weight(row);
        LinearProblem::new(self.rows, label, weight, constant)
    }

    /// The squared norm `x . x` of each sample.
    fn squares(&self) -> Result<Vec<f64>> {
        let mut squares = try_zeros(self.rows.n_rows(), 1, "squared norms of samples")?;
        squares.par_iter_mut().enumerate().for_each(|(i, square)| {
            let (row, constant) = (self.rows.row(i), 0.0);
            *square = Example { row, constant }.square();
        });
        Ok(squares)
    }

    /// The number and the total weight of the samples of each class, without those of weight 0.
    fn class_totals(&self) -> ClassTotals {
        let mut of = vec![(0, 0.0); self.n_classes()];
        let (codes, by_class) = match self.goals {
            Goals::Classes { codes, weights } => (codes, weights),
            Goals::Targets(_) => (&[][..], &[][..]),
        };
        for (row, &code) in codes.iter().enumerate() {
            let weight = self.row_weights.map_or(1.0, |weights| weights[row]);
            let weight = weight * by_class[code as usize];
            if weight > 0.0 {
                let (count, sum) = &mut of[code as usize];
                (*count, *sum) = (*count + 1, *sum + weight);
            }
        }
        let add = |a: (usize, f64), b: &(usize, f64)| (a.0 + b.0, a.1 + b.1);
        let all = of.iter().fold((0, 0.0), add);
        ClassTotals { of, all }
    }

    /// The size and weights of a binary problem, without gathering its samples.
    fn outline(
        &self,
        scheme: Scheme,
        number: usize,
        constant: f64,
        totals: &ClassTotals,
    ) -> Outline {
        let (positive, negative) = match scheme.sides(number, self.n_classes()) {
            Sides::Pair { positive, negative } => (totals.of[positive], totals.of[negative]),
            Sides::OneVsRest { positive } => {
                let (own, all) = (totals.of[positive], totals.all);
                (own, (all.0 - own.0, (all.1 - own.1).max(0.0)))
            }
        };
        Outline {
            n_features: self.rows.n_cols(),
            constant,
            n_rows: positive.0 + negative.0,
            weights: [positive.1, negative.1],
        }
    }

    /// Trains all binary classifiers, or the regressor, in parallel in the current thread pool.
    /// `starts` is empty, or has the state from which each of them continues.
    pub fn train(
        &self,
        solver: &impl LinearSolver,
        scheme: Scheme,
        constant: f64,
        starts: &[RuleState],
        record_every: Option<u64>,
        monitor: &Monitor,
    ) -> Result<Vec<LinearMachine>> {
        let is_regression = matches!(self.goals, Goals::Targets(_));
        if solver.tube().is_some() != is_regression || (scheme == Scheme::Single) != is_regression {
            let message = "a regressor needs targets, and a classifier needs classes";
            return Err(Error::Data(message.into()));
        }
        let n_machines = scheme.n_machines(self.n_classes())?;
        if !starts.is_empty() && starts.len() != n_machines {
            return Err(Error::Shape(format!(
                "the solver has {} states, but y needs {n_machines} binary classifiers",
                starts.len()
            )));
        }
        self.check_memory(solver.n_vectors(), n_machines)?;
        let shares = n_machines > 1 && solver.uses_squares();
        let squares = shares.then(|| self.squares()).transpose()?;
        let totals = OnceLock::new();
        let train = |number: usize| {
            let start = starts.get(number);
            // Gathering the samples takes time as well, and there may be many classifiers. The
            // first one is always trained.
            if number > 0 && monitor.time_is_up() {
                let totals = totals.get_or_init(|| self.class_totals());
                let outline = self.outline(scheme, number, constant, totals);
                if let Some(mut machine) = solver.untrained(&outline, start)? {
                    machine.snapshots.extend(record_every.map(|_| Snapshot {
                        step: 0,
                        seconds: 0.0,
                        weights: machine.weights.clone(),
                        bias: machine.bias,
                    }));
                    return Ok(machine);
                }
            }
            let mut problem = self.problem(scheme, number, constant)?;
            if let Some(squares) = &squares {
                problem = problem.with_squares(squares);
            }
            let recorder = Recorder::new(record_every);
            let machine = solver.solve(&problem, start, recorder, monitor)?;
            account_small(size_of_val(&machine.weights[..]), WHAT)?;
            Ok(machine)
        };
        threads::try_par_map(0..n_machines, WHAT, train)
    }

    /// Fails if there is not enough memory for the weights during training, or after it, when the
    /// caller copies them.
    fn check_memory(&self, n_vectors: (usize, usize), n_machines: usize) -> Result<()> {
        let (held, kept) = n_vectors;
        let at_once = n_machines.min(rayon::current_num_threads());
        let during = at_once * held + (n_machines - at_once) * kept;
        let most = during.max(n_machines.saturating_mul(kept + 1));
        let buffer = try_with_capacity::<f64>(
            most,
            self.rows.n_cols() + 1,
            "the weights of all binary classifiers",
        )?;
        drop(black_box(buffer));
        Ok(())
    }
}

fn is_valid(weight: &f64) -> bool {
    weight.is_finite() && *weight >= 0.0
}

/// Numbers and total weights of samples.
struct ClassTotals {
    /// Of each class.
    of: Vec<(usize, f64)>,
    /// Of all classes.
    all: (usize, f64),
}

/// The largest value of a feature: sums of squares stay far inside the range of f64.
const LARGEST: f64 = 1e100;

/// Values per task.
const PIECE: usize = 1 << 16;

/// Fails if products of values overflow.
fn check_range<T: Lanes>(rows: &Matrix<'_, T>) -> Result<()> {
    if T::MAX.to_f64() <= LARGEST {
        return Ok(());
    }
    let pieces = rows.values().par_chunks(PIECE).map(max_abs);
    let most = pieces.reduce(|| 0.0, f64::max);
    if most <= LARGEST {
        return Ok(());
    }
    Err(Error::Data(format!(
        "X has values up to {most:e}, whose products overflow; scale the features"
    )))
}
