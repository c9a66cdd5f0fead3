//! Decision values of linear classifiers, `w . x + b`, with weights in f64.

use super::predict::{BRIEF, fill_by_chunks};
use crate::data::Matrix;
use crate::memory::{try_filled, try_zeros};
use crate::monitor::Monitor;
use crate::simd::Lanes;
use crate::solver::linear::Example;
use crate::{Error, Result};

/// Samples per task.
pub const ROWS: usize = 256;

/// The weights of all binary classifiers. The bias follows the weights of a classifier, as the
/// weight of a constant feature.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearWeights {
    machines: Vec<f64>,
    /// Number of weights of a classifier, including the bias.
    width: usize,
}

impl LinearWeights {
    /// Weights of 0, with these biases.
    pub fn zeros(n_cols: usize, biases: &[f64]) -> Result<Self> {
        let width = n_cols + 1;
        let mut machines = try_zeros(biases.len(), width, "weights")?;
        let of_machine = machines.chunks_exact_mut(width);
        for (machine, bias) in of_machine.zip(biases) {
            machine[n_cols] = *bias;
        }
        Ok(Self { machines, width })
    }

    /// From the weights of the classifiers, one after the other.
    pub fn new(weights: &[f64], n_cols: usize, biases: &[f64]) -> Result<Self> {
        if n_cols.checked_mul(biases.len()) != Some(weights.len()) || biases.is_empty() {
            return Err(Error::Shape(format!(
                "{} weights do not match {} binary classifiers and {n_cols} features",
                weights.len(),
                biases.len()
            )));
        }
        let mut all = Self::zeros(n_cols, biases)?;
        for number in 0..biases.len() {
            let own = &weights[number * n_cols..(number + 1) * n_cols];
            all.of_machine(number)[..n_cols].copy_from_slice(own);
        }
        Ok(all)
    }

    /// The weights of a classifier, followed by its bias.
    pub fn of_machine(&mut self, number: usize) -> &mut [f64] {
        &mut self.machines[number * self.width..(number + 1) * self.width]
    }

    /// Whether all weights are finite.
    pub fn is_finite(&self) -> bool {
        self.machines.iter().all(|weight| weight.is_finite())
    }

    /// `w . x + b` of each classifier for one sample.
    pub fn outputs<T: Lanes>(&self, matrix: &Matrix<'_, T>, row: usize, out: &mut [f64]) {
        let example = Example {
            row: matrix.row(row),
            constant: 1.0,
        };
        for (out, machine) in out.iter_mut().zip(self.machines.chunks_exact(self.width)) {
            *out = example.dot(machine);
        }
    }
}

/// `w . x + b` for each sample and each classifier, sample by sample. `weights` contains the
/// weights of the classifiers, one after the other.
pub fn linear_outputs<T: Lanes>(
    matrix: &Matrix<'_, T>,
    weights: &[f64],
    biases: &[f64],
    monitor: &Monitor,
) -> Result<Vec<f64>> {
    let machines = LinearWeights::new(weights, matrix.n_cols(), biases)?;
    let mut outputs = try_zeros(matrix.n_rows(), biases.len(), "decision values")?;
    machines.write_outputs(matrix, 0, &mut outputs, monitor)?;
    Ok(outputs)
}

/// Number of decision values that [`LinearWeights::visit`] stores at a time.
const VALUES: usize = 1 << 20;

impl LinearWeights {
    fn n_machines(&self) -> usize {
        self.machines.len() / self.width
    }

    /// Writes the decision values of the samples from `first` on; `outputs` determines how many.
    fn write_outputs<T: Lanes>(
        &self,
        matrix: &Matrix<'_, T>,
        first: usize,
        outputs: &mut [f64],
        monitor: &Monitor,
    ) -> Result<()> {
        let m = self.n_machines();
        let of_chunk = |(): &mut (), start: usize, out: &mut [f64]| {
            monitor.check()?;
            for (place, out) in out.chunks_exact_mut(m).enumerate() {
                self.outputs(matrix, first + start + place, out);
            }
            match out.iter().all(|output| output.is_finite()) {
                true => Ok(()),
                false => Err(Error::Data(format!(
                    "X has values up to {:e}, which overflows the decision values; scale the features",
                    matrix.max_abs()
                ))),
            }
        };
        fill_by_chunks(outputs, m, ROWS, || Ok(()), of_chunk)
    }

    /// Calls `visit` with the index and the decision values of each sample, in order. Decision
    /// values are computed in blocks and not kept.
    pub fn visit<T: Lanes>(
        &self,
        matrix: &Matrix<'_, T>,
        monitor: &Monitor,
        mut visit: impl FnMut(usize, &[f64]) -> Result<()>,
    ) -> Result<()> {
        let (m, n) = (self.n_machines(), matrix.n_rows());
        let n_rows = (VALUES / m).clamp(1, n.max(1));
        let mut outputs = try_filled(n_rows, m, "decision values")?;
        for start in (0..n).step_by(n_rows) {
            let outputs = &mut outputs[..m * n_rows.min(n - start)];
            self.write_outputs(matrix, start, outputs, monitor)?;
            for (place, outputs) in outputs.chunks_exact(m).enumerate() {
                visit(start + place, outputs)?;
            }
        }
        Ok(())
    }
}

/// Whether one thread computes the decision values of `n_rows` samples in about a millisecond.
pub fn is_brief(n_rows: usize, n_cols: usize, n_machines: usize) -> bool {
    let of_row = n_cols.saturating_mul(n_machines);
    n_rows <= ROWS && n_rows.saturating_mul(of_row) <= BRIEF
}
