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
use crate::simd::Lanes;
use rayon::prelude::*;

/// Support vectors of one block.
const VECTORS: usize = 256;

/// What one thread needs: queries, their kernel values, and sums for each coefficient row.
struct Scratch<T> {
    queries: Queries<T>,
    kernel: Vec<T>,
    sums: Vec<T>,
}

impl<T: Lanes> Model<T> {
    /// The output of each machine for each row of `matrix`: row after row.
    pub fn decision_values(&self, matrix: &Matrix<'_, T>, monitor: &Monitor) -> Result<Vec<f64>> {
        matrix.check_n_cols(self.rows.n_cols())?;
        self.kernel.check_range(matrix)?;
        let n_machines = self.n_machines();
        let mut values = zeros(matrix.n_rows(), n_machines, "decision values")?;
        let scratch = || Scratch {
            queries: Queries::new(),
            kernel: vec![T::ZERO; QUERY_BLOCK * VECTORS],
            sums: vec![T::ZERO; QUERY_BLOCK * self.coefficients.stride()],
        };
        values
            .par_chunks_mut(QUERY_BLOCK * n_machines)
            .enumerate()
            .try_for_each_init(scratch, |scratch, (block, out)| {
                let start = block * QUERY_BLOCK;
                let rows = start..start + out.len() / n_machines;
                self.rows.load(matrix, rows, &mut scratch.queries)?;
                self.decide(scratch, out, monitor)
            })?;
        Ok(values)
    }

    /// The values of one block of queries.
    fn decide(&self, scratch: &mut Scratch<T>, out: &mut [f64], monitor: &Monitor) -> Result<()> {
        let Scratch {
            queries,
            kernel,
            sums,
        } = scratch;
        let n_machines = self.n_machines();
        for out in out.chunks_exact_mut(n_machines) {
            out.copy_from_slice(&self.biases);
        }
        for class in 0..self.n_classes() {
            let machines: Vec<usize> = (0..self.n_coef_rows())
                .map(|coef_row| self.machine_of(class, coef_row))
                .collect();
            let vectors = self.starts[class]..self.starts[class + 1];
            for start in vectors.clone().step_by(VECTORS) {
                monitor.check()?;
                let chunk = start..(start + VECTORS).min(vectors.end);
                let kernel = &mut kernel[..queries.len() * chunk.len()];
                self.rows
                    .kernel_block(&self.kernel, queries, chunk.clone(), kernel, chunk.len());
                self.coefficients.sums(chunk, kernel, sums);
                let sums = sums.chunks_exact(self.coefficients.stride());
                for (sums, out) in sums.zip(out.chunks_exact_mut(n_machines)) {
                    for (&machine, sum) in machines.iter().zip(sums) {
                        out[machine] += self.coefficients.unit() * sum.to_f64();
                    }
                }
            }
        }
        Ok(())
    }
}
