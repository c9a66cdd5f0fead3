//! Decision values, computed for a block of samples at a time.
//!
//! A block of kernel values (up to 48 samples by 256 support vectors) is computed once and used by
//! all binary classifiers while it is in the cache. Sums within a block are in the type of the
//! samples, sums of blocks in f64. A linear kernel needs no kernel values: its classifiers have one
//! weight per feature.

use super::Model;
use super::linear::{self, ROWS as LINEAR_ROWS};
use super::votes::{Ties, Votes, n_scores};
use crate::data::Matrix;
use crate::kernel::{Extent, Queries};
use crate::memory::{try_filled, try_zeros};
use crate::monitor::Monitor;
use crate::simd::Lanes;
use crate::{Error, Result};
use rayon::prelude::*;

/// Support vectors per block.
const VECTORS: usize = 256;

/// Multiply-adds that take about a millisecond.
pub const BRIEF: usize = 1 << 21;

/// Decision values per block: with many classifiers, a block has fewer samples.
const OUTPUTS: usize = 1 << 19;

/// The buffers of one thread.
struct Scratch<T> {
    queries: Queries<T>,
    /// Kernel values of the queries.
    kernel: Vec<T>,
    /// Sums for each coefficient row.
    sums: Vec<T>,
    /// Decision values of all classifiers for each query.
    outputs: Vec<f64>,
}

impl<T: Lanes> Model<T> {
    /// The decision value of each binary classifier for each sample, sample by sample.
    pub fn decision_values(&self, matrix: &Matrix<'_, T>, monitor: &Monitor) -> Result<Vec<f64>> {
        let copy = |(): &mut (), outputs: &[f64], values: &mut [f64]| {
            values.copy_from_slice(outputs);
        };
        self.map_rows(matrix, self.n_machines(), monitor, || (), copy)
    }

    /// A score for each class, sample by sample; for two classes, the decision value.
    pub fn class_scores(&self, matrix: &Matrix<'_, T>, monitor: &Monitor) -> Result<Vec<f64>> {
        let width = n_scores(self.n_classes());
        let votes = self.votes(0);
        let score = |votes: &mut Votes<'_>, outputs: &[f64], scores: &mut [f64]| {
            votes.scores(outputs, scores);
        };
        self.map_rows(matrix, width, monitor, || votes.clone(), score)
    }

    /// The class of each sample, for a model with one setting.
    pub fn predict(
        &self,
        matrix: &Matrix<'_, T>,
        ties: Ties,
        monitor: &Monitor,
    ) -> Result<Vec<u32>> {
        self.predict_path(matrix, ties, monitor)
    }

    /// The class of each sample for each setting of a path, sample by sample.
    pub fn predict_path(
        &self,
        matrix: &Matrix<'_, T>,
        ties: Ties,
        monitor: &Monitor,
    ) -> Result<Vec<u32>> {
        let n_machines = self.n_machines();
        let choose = |votes: &mut Vec<Votes<'_>>, outputs: &[f64], classes: &mut [u32]| {
            let settings = outputs.chunks_exact(n_machines);
            for (setting, (class, outputs)) in classes.iter_mut().zip(settings).enumerate() {
                *class = rule_of(votes, setting).winner(outputs, ties);
            }
        };
        self.map_rows(matrix, self.n_settings, monitor, || self.rules(), choose)
    }

    /// The class and the decision values of each sample for each setting of a path, sample by
    /// sample: the number of the class, then the decision values of all binary classifiers
    /// (`machines`) or the scores of the classes.
    pub fn decide_path(
        &self,
        matrix: &Matrix<'_, T>,
        ties: Ties,
        machines: bool,
        monitor: &Monitor,
    ) -> Result<Vec<f64>> {
        let n_machines = self.n_machines();
        let n_values = if machines {
            n_machines
        } else {
            n_scores(self.n_classes())
        };
        let decide = |votes: &mut Vec<Votes<'_>>, outputs: &[f64], values: &mut [f64]| {
            let settings = outputs.chunks_exact(n_machines).enumerate();
            for ((setting, outputs), values) in settings.zip(values.chunks_exact_mut(1 + n_values))
            {
                let rule = rule_of(votes, setting);
                values[0] = f64::from(rule.winner(outputs, ties));
                if machines {
                    values[1..].copy_from_slice(outputs);
                } else {
                    rule.scores(outputs, &mut values[1..]);
                }
            }
        };
        let width = self.n_settings * (1 + n_values);
        self.map_rows(matrix, width, monitor, || self.rules(), decide)
    }

    /// The decision rules: one for all settings, unless each has its own patterns.
    fn rules(&self) -> Vec<Votes<'_>> {
        let n_rules = self.patterns.len().max(1);
        (0..n_rules).map(|setting| self.votes(setting)).collect()
    }

    /// The decision rule of a setting.
    fn votes(&self, setting: usize) -> Votes<'_> {
        Votes::new(self.scheme, self.n_classes(), self.patterns.get(setting))
    }

    /// Computes `width` values for each sample: `map(state, decision values, values)`. Decision
    /// values are stored for one block of samples at a time. Each thread has its own `state`.
    pub(super) fn map_rows<R: Clone + Default + Send, V>(
        &self,
        matrix: &Matrix<'_, T>,
        width: usize,
        monitor: &Monitor,
        state: impl Fn() -> V + Sync,
        map: impl Fn(&mut V, &[f64], &mut [R]) + Sync,
    ) -> Result<Vec<R>> {
        matrix.check_n_cols(self.rows.n_cols())?;
        self.kernel.check_range::<T>(Extent::of(matrix))?;
        let n_machines = self.biases.len();
        let mut results = try_zeros(matrix.n_rows(), width, "predictions")?;
        if let Some(linear) = &self.linear {
            let of_chunk = |(outputs, state): &mut (Vec<f64>, V), first: usize, out: &mut [R]| {
                monitor.check()?;
                for (place, out) in out.chunks_exact_mut(width).enumerate() {
                    linear.outputs(matrix, first + place, outputs);
                    check_outputs(outputs, matrix)?;
                    map(state, outputs, out);
                }
                Ok(())
            };
            let scratch = || Ok((try_filled(n_machines, 1, "decision values")?, state()));
            fill_by_chunks(&mut results, width, LINEAR_ROWS, scratch, of_chunk)?;
            return Ok(results);
        }
        let block = self.rows.query_block().min(OUTPUTS / n_machines);
        let block = block.clamp(1, matrix.n_rows().max(1));
        let scratch = || {
            let scratch = Scratch {
                queries: Queries::new(),
                kernel: try_filled(block, VECTORS, "kernel values")?,
                sums: try_filled(
                    block,
                    self.coefficients.stride(),
                    "sums of binary classifiers",
                )?,
                outputs: try_filled(block, n_machines, "decision values")?,
            };
            Ok((scratch, state()))
        };
        let of_block = |(scratch, state): &mut (Scratch<T>, V), first: usize, out: &mut [R]| {
            let rows = first..first + out.len() / width;
            let n_outputs = rows.len() * n_machines;
            self.rows.load(matrix, rows, &mut scratch.queries)?;
            self.decide(scratch, monitor)?;
            let outputs = &scratch.outputs[..n_outputs];
            check_outputs(outputs, matrix)?;
            let outputs = outputs.chunks_exact(n_machines);
            for (outputs, out) in outputs.zip(out.chunks_exact_mut(width)) {
                map(state, outputs, out);
            }
            Ok(())
        };
        fill_by_chunks(&mut results, width, block, scratch, of_block)?;
        Ok(results)
    }

    /// Whether one thread computes the decision values of `n_rows` samples in about a millisecond.
    pub fn is_brief(&self, n_rows: usize) -> bool {
        let (n_cols, n_machines) = (self.rows.n_cols(), self.biases.len());
        if self.linear.is_some() {
            return linear::is_brief(n_rows, n_cols, n_machines);
        }
        let values = self.rows.cost_of_product().saturating_add(n_machines);
        let of_row = values
            .saturating_mul(self.support.len())
            .saturating_add(n_cols);
        n_rows <= self.rows.query_block() && n_rows.saturating_mul(of_row) <= BRIEF
    }

    /// Computes the decision values of the loaded queries.
    fn decide(&self, scratch: &mut Scratch<T>, monitor: &Monitor) -> Result<()> {
        let Scratch {
            queries,
            kernel,
            sums,
            outputs: out,
        } = scratch;
        let n_machines = self.biases.len();
        for out in out.chunks_exact_mut(n_machines) {
            out.copy_from_slice(&self.biases);
        }
        for class in 0..self.n_classes() {
            let used = self.used_rows[class].clone();
            let machine_of = |coef_row| self.machine_of(class, coef_row);
            let machines: Vec<usize> = used.clone().map(machine_of).collect();
            let vectors = self.starts[class]..self.starts[class + 1];
            for start in vectors.clone().step_by(VECTORS) {
                monitor.check()?;
                let chunk = start..(start + VECTORS).min(vectors.end);
                let kernel = &mut kernel[..queries.len() * chunk.len()];
                self.rows
                    .kernel_block(&self.kernel, queries, chunk.clone(), kernel, chunk.len());
                self.coefficients.sums(&used, chunk, kernel, sums);
                let sums = sums.chunks_exact(self.coefficients.stride());
                for (sums, out) in sums.zip(out.chunks_exact_mut(n_machines)) {
                    for (&machine, sum) in machines.iter().zip(&sums[used.clone()]) {
                        out[machine] += self.coefficients.unit() * sum.to_f64();
                    }
                }
            }
        }
        Ok(())
    }
}

/// The rule of a setting.
fn rule_of<'v, 'p>(rules: &'v mut [Votes<'p>], setting: usize) -> &'v mut Votes<'p> {
    let last = rules.len() - 1;
    &mut rules[setting.min(last)]
}

/// Fills `results`, `width` per sample, in chunks of `rows` samples: `fill(scratch, first sample,
/// results of the chunk)`. Runs in parallel in the current thread pool; a single chunk needs no
/// pool.
pub(super) fn fill_by_chunks<R: Send, V>(
    results: &mut [R],
    width: usize,
    rows: usize,
    scratch: impl Fn() -> Result<V> + Sync + Send,
    fill: impl Fn(&mut V, usize, &mut [R]) -> Result<()> + Sync,
) -> Result<()> {
    if results.is_empty() {
        return Ok(());
    }
    if results.len() <= rows * width {
        return fill(&mut scratch()?, 0, results);
    }
    results
        .par_chunks_mut(rows * width)
        .enumerate()
        .try_for_each_init(scratch, |scratch, (chunk, out)| {
            let scratch = scratch.as_mut().map_err(|error| error.clone())?;
            fill(scratch, chunk * rows, out)
        })
}

/// Fails if a decision value is NaN, either because another thread has changed the samples since
/// they were checked, or because the coefficients are too large.
fn check_outputs<T: Lanes>(outputs: &[f64], matrix: &Matrix<'_, T>) -> Result<()> {
    if outputs
        .iter()
        .fold(true, |all, output| all & output.is_finite())
    {
        return Ok(());
    }
    matrix.check_again()?;
    match outputs.iter().any(|output| output.is_nan()) {
        false => Ok(()),
        true => Err(Error::Data(
            "a decision value is NaN: X changed during prediction, or the coefficients of the \
             model are too large"
                .into(),
        )),
    }
}
