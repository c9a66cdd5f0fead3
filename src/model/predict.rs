//! Decision values, a block of rows at a time.
//!
//! A block of kernel values (up to 48 rows by 256 support vectors) is computed
//! once and serves all machines while it is in cache. Sums over a block are in
//! the type of the rows, sums of blocks in f64. A linear kernel needs no kernel
//! values: its machines have one weight for each feature.

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

/// Support vectors of one block.
const VECTORS: usize = 256;

/// Multiply-adds that take less than about a millisecond.
pub const BRIEF: usize = 1 << 21;

/// Outputs of one block: where machines are many, it has fewer rows.
const OUTPUTS: usize = 1 << 19;

/// What one thread needs.
struct Scratch<T> {
    queries: Queries<T>,
    /// Kernel values of the queries.
    kernel: Vec<T>,
    /// Sums for each coefficient row.
    sums: Vec<T>,
    /// Outputs of all machines for each query.
    outputs: Vec<f64>,
}

impl<T: Lanes> Model<T> {
    /// The output of each machine for each row of `matrix`: row after row.
    pub fn decision_values(&self, matrix: &Matrix<'_, T>, monitor: &Monitor) -> Result<Vec<f64>> {
        let copy = |(): &mut (), outputs: &[f64], values: &mut [f64]| {
            values.copy_from_slice(outputs);
        };
        self.map_rows(matrix, self.n_machines(), monitor, || (), copy)
    }

    /// A score for each class, row after row; for two classes the output of their machine.
    pub fn class_scores(&self, matrix: &Matrix<'_, T>, monitor: &Monitor) -> Result<Vec<f64>> {
        let width = n_scores(self.n_classes());
        let votes = self.votes(0);
        let score = |votes: &mut Votes<'_>, outputs: &[f64], scores: &mut [f64]| {
            votes.scores(outputs, scores);
        };
        self.map_rows(matrix, width, monitor, || votes.clone(), score)
    }

    /// The class of each row, for a model of one setting.
    pub fn predict(
        &self,
        matrix: &Matrix<'_, T>,
        ties: Ties,
        monitor: &Monitor,
    ) -> Result<Vec<u32>> {
        self.predict_path(matrix, ties, monitor)
    }

    /// The class of each row for each setting of a path: setting after setting for a row.
    pub fn predict_path(
        &self,
        matrix: &Matrix<'_, T>,
        ties: Ties,
        monitor: &Monitor,
    ) -> Result<Vec<u32>> {
        let n_machines = self.n_machines();
        // One rule for all settings, but where each has patterns of its own.
        let n_rules = self.patterns.len().max(1);
        let votes: Vec<Votes<'_>> = (0..n_rules).map(|setting| self.votes(setting)).collect();
        let choose = |votes: &mut Vec<Votes<'_>>, outputs: &[f64], classes: &mut [u32]| {
            let settings = outputs.chunks_exact(n_machines);
            for (setting, (class, outputs)) in classes.iter_mut().zip(settings).enumerate() {
                *class = votes[setting.min(n_rules - 1)].winner(outputs, ties);
            }
        };
        self.map_rows(matrix, self.n_settings, monitor, || votes.clone(), choose)
    }

    /// The rule of a setting.
    fn votes(&self, setting: usize) -> Votes<'_> {
        Votes::new(self.scheme, self.n_classes(), self.patterns.get(setting))
    }

    /// `width` values for each row, made from the outputs of all machines; those are kept
    /// for a block of rows only. Each thread has the room to `map` that `make` gives.
    pub(super) fn map_rows<R: Clone + Default + Send, V>(
        &self,
        matrix: &Matrix<'_, T>,
        width: usize,
        monitor: &Monitor,
        make: impl Fn() -> V + Sync,
        map: impl Fn(&mut V, &[f64], &mut [R]) + Sync,
    ) -> Result<Vec<R>> {
        matrix.check_n_cols(self.rows.n_cols())?;
        self.kernel.check_range::<T>(Extent::of(matrix))?;
        let n_machines = self.biases.len();
        let mut results = try_zeros(matrix.n_rows(), width, "predictions")?;
        if let Some(linear) = &self.linear {
            let of_piece = |(outputs, room): &mut (Vec<f64>, V), first: usize, out: &mut [R]| {
                monitor.check()?;
                for (place, out) in out.chunks_exact_mut(width).enumerate() {
                    linear.outputs(matrix, first + place, outputs);
                    check_outputs(outputs, matrix)?;
                    map(room, outputs, out);
                }
                Ok(())
            };
            let room = || Ok((try_filled(n_machines, 1, "decision values")?, make()));
            by_pieces(&mut results, width, LINEAR_ROWS, room, of_piece)?;
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
            Ok((scratch, make()))
        };
        let of_block = |(scratch, room): &mut (Scratch<T>, V), first: usize, out: &mut [R]| {
            let rows = first..first + out.len() / width;
            let n_outputs = rows.len() * n_machines;
            self.rows.load(matrix, rows, &mut scratch.queries)?;
            self.decide(scratch, monitor)?;
            let outputs = &scratch.outputs[..n_outputs];
            check_outputs(outputs, matrix)?;
            let outputs = outputs.chunks_exact(n_machines);
            for (outputs, out) in outputs.zip(out.chunks_exact_mut(width)) {
                map(room, outputs, out);
            }
            Ok(())
        };
        by_pieces(&mut results, width, block, scratch, of_block)?;
        Ok(results)
    }

    /// Whether the outputs of so many rows are computed in less than a millisecond or so, and
    /// by one thread.
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

    /// The values of one block of queries.
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

/// Fills results, `width` for a row, in pieces of some rows: `fill(room, first row, results)`.
/// In parallel in the pool of the caller, but for a single piece, which needs no pool.
pub(super) fn by_pieces<R: Send, V>(
    results: &mut [R],
    width: usize,
    rows: usize,
    room: impl Fn() -> Result<V> + Sync + Send,
    fill: impl Fn(&mut V, usize, &mut [R]) -> Result<()> + Sync,
) -> Result<()> {
    if results.is_empty() {
        return Ok(());
    }
    if results.len() <= rows * width {
        return fill(&mut room()?, 0, results);
    }
    results
        .par_chunks_mut(rows * width)
        .enumerate()
        .try_for_each_init(room, |room, (piece, out)| {
            let room = room.as_mut().map_err(|error| error.clone())?;
            fill(room, piece * rows, out)
        })
}

/// Refuses outputs that are no numbers: rows of the caller that another thread changed since
/// they were checked, or coefficients beyond all bounds.
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
