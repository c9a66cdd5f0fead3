//! Decision values, a block of rows at a time.
//!
//! A block of kernel values (up to 48 rows by 256 support vectors) is computed
//! once and serves all machines while it is in cache. Sums over a block are in
//! the type of the rows, sums of blocks in f64. A linear kernel needs no kernel
//! values: its machines have one weight for each feature.

use super::Model;
use super::linear::ROWS as LINEAR_ROWS;
use super::votes::{Ties, Votes};
use crate::Result;
use crate::data::Matrix;
use crate::error::zeros;
use crate::kernel::{Extent, Queries};
use crate::monitor::Monitor;
use crate::simd::Lanes;
use rayon::prelude::*;

/// Support vectors of one block.
const VECTORS: usize = 256;

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
        let width = if self.n_classes() == 2 {
            1
        } else {
            self.n_classes()
        };
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
        let (n_machines, block) = (self.biases.len(), self.rows.query_block());
        let mut results = zeros(matrix.n_rows(), width, "predictions")?;
        if let Some(linear) = &self.linear {
            results
                .par_chunks_mut(LINEAR_ROWS * width)
                .enumerate()
                .try_for_each_init(
                    || (vec![0.0; n_machines], make()),
                    |(outputs, room), (piece, out)| {
                        monitor.check()?;
                        for (place, out) in out.chunks_exact_mut(width).enumerate() {
                            linear.outputs(matrix, piece * LINEAR_ROWS + place, outputs);
                            map(room, outputs, out);
                        }
                        Ok(())
                    },
                )?;
            return Ok(results);
        }
        let scratch = || {
            let scratch = Scratch {
                queries: Queries::new(),
                kernel: vec![T::ZERO; block * VECTORS],
                sums: vec![T::ZERO; block * self.coefficients.stride()],
                outputs: vec![0.0; block * n_machines],
            };
            (scratch, make())
        };
        results
            .par_chunks_mut(block * width)
            .enumerate()
            .try_for_each_init(scratch, |(scratch, room), (number, out)| {
                let start = number * block;
                let rows = start..start + out.len() / width;
                self.rows.load(matrix, rows, &mut scratch.queries)?;
                self.decide(scratch, monitor)?;
                let outputs = scratch.outputs.chunks_exact(n_machines);
                for (outputs, out) in outputs.zip(out.chunks_exact_mut(width)) {
                    map(room, outputs, out);
                }
                Ok(())
            })?;
        Ok(results)
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
