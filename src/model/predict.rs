//! Decision values, a block of rows at a time.
//!
//! A block of kernel values (up to 48 rows by 256 support vectors) is computed
//! once and serves all machines while it is in cache. Sums over a block are in
//! the type of the rows, sums of blocks in f64.

use super::Model;
use crate::Result;
use crate::data::Matrix;
use crate::error::zeros;
use crate::kernel::{QUERY_BLOCK, Queries};
use crate::monitor::Monitor;
use crate::simd::{self, Lanes};
use rayon::prelude::*;

/// Support vectors of one block.
const VECTORS: usize = 256;

impl<T: Lanes> Model<T> {
    /// The output of each machine for each row of `matrix`: row after row.
    pub fn decision_values(&self, matrix: &Matrix<'_, T>, monitor: &Monitor) -> Result<Vec<f64>> {
        matrix.check_n_cols(self.rows.n_cols())?;
        self.kernel.check_range(matrix)?;
        let n_machines = self.n_machines();
        let mut values = zeros(matrix.n_rows(), n_machines, "decision values")?;
        values
            .par_chunks_mut(QUERY_BLOCK * n_machines)
            .enumerate()
            .try_for_each_init(
                || (Queries::new(), vec![T::ZERO; QUERY_BLOCK * VECTORS]),
                |(queries, buffer), (block, out)| {
                    let start = block * QUERY_BLOCK;
                    let rows = start..start + out.len() / n_machines;
                    self.rows.load(matrix, rows, queries);
                    self.decide(queries, buffer, out, monitor)
                },
            )?;
        Ok(values)
    }

    /// The values of one block of queries.
    fn decide(
        &self,
        queries: &Queries<T>,
        buffer: &mut [T],
        out: &mut [f64],
        monitor: &Monitor,
    ) -> Result<()> {
        let n_machines = self.n_machines();
        for out in out.chunks_exact_mut(n_machines) {
            out.copy_from_slice(&self.biases);
        }
        let n_sv = self.support.len();
        for class in 0..self.n_classes() {
            let vectors = self.starts[class]..self.starts[class + 1];
            for start in vectors.clone().step_by(VECTORS) {
                monitor.check()?;
                let chunk = start..(start + VECTORS).min(vectors.end);
                let kernel = &mut buffer[..queries.len() * VECTORS];
                self.rows
                    .kernel_block(&self.kernel, queries, chunk.clone(), kernel, VECTORS);
                for (coef_row, coefficients) in self.coefficients.chunks_exact(n_sv).enumerate() {
                    let coefficients = &coefficients[chunk.clone()];
                    let machine = self.machine_of(class, coef_row);
                    let rows = kernel.chunks_exact(VECTORS);
                    for (row, out) in rows.zip(out.chunks_exact_mut(n_machines)) {
                        let sum = simd::dot(&row[..chunk.len()], coefficients);
                        out[machine] += sum.to_f64();
                    }
                }
            }
        }
        Ok(())
    }
}
