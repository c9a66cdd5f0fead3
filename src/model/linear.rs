//! Outputs of linear machines.

use crate::data::Matrix;
use crate::error::zeros;
use crate::monitor::Monitor;
use crate::simd::Lanes;
use crate::solver::linear::Example;
use crate::{Error, Result};
use rayon::prelude::*;

/// Rows of a piece of work.
const ROWS: usize = 256;

/// `w . x + b` of each row and machine, row after row. `weights` holds those of one machine after
/// the other.
pub fn linear_outputs<T: Lanes>(
    matrix: &Matrix<'_, T>,
    weights: &[f64],
    biases: &[f64],
    monitor: &Monitor,
) -> Result<Vec<f64>> {
    let (d, m) = (matrix.n_cols(), biases.len());
    if d.checked_mul(m) != Some(weights.len()) || m == 0 {
        return Err(Error::Shape(format!(
            "{} weights do not fit {m} machines and {d} features",
            weights.len()
        )));
    }
    // The bias behind the weights, as the weight of a constant feature.
    let mut machines: Vec<f64> = zeros(m, d + 1, "weights")?;
    for (number, machine) in machines.chunks_exact_mut(d + 1).enumerate() {
        machine[..d].copy_from_slice(&weights[number * d..(number + 1) * d]);
        machine[d] = biases[number];
    }
    let mut outputs = zeros(matrix.n_rows(), m, "outputs")?;
    outputs
        .par_chunks_mut(m * ROWS)
        .enumerate()
        .try_for_each(|(piece, out)| {
            monitor.check()?;
            for (place, out) in out.chunks_exact_mut(m).enumerate() {
                let example = Example {
                    row: matrix.row(piece * ROWS + place),
                    constant: 1.0,
                };
                for (out, machine) in out.iter_mut().zip(machines.chunks_exact(d + 1)) {
                    *out = example.dot(machine);
                }
            }
            Ok(())
        })?;
    Ok(outputs)
}
