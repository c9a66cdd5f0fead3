//! The last step of ordinal training: the patterns of the training samples are counted.
//!
//! The decision values are those of prediction, bit for bit, and samples are counted in order, so
//! that the counts do not depend on the number of threads.

use super::Model;
use crate::Result;
use crate::kernel::KernelKind;
use crate::monitor::Monitor;
use crate::multiclass::{Patterns, TrainingSet, is_first};
use crate::simd::Lanes;

impl<T: Lanes> Model<T> {
    /// The same model with the patterns of its training samples, if its scheme uses them.
    pub(super) fn with_patterns(mut self, set: &TrainingSet<T>, monitor: &Monitor) -> Result<Self> {
        let k = self.n_classes();
        if !self.scheme.uses_patterns(k) {
            return Ok(self);
        }
        let (width, n_machines) = (self.biases.len(), self.n_machines());
        let to_signs = |(): &mut (), outputs: &[f64], signs: &mut [bool]| {
            for (sign, &output) in signs.iter_mut().zip(outputs) {
                *sign = is_first(output);
            }
        };
        let signs = self.map_rows(&set.sorted_rows()?, width, monitor, || (), to_signs)?;
        self.patterns = vec![Patterns::new(k); self.n_settings];
        let labels = set.labels();
        for class in 0..k {
            monitor.check()?;
            for row in labels.rows_of(class) {
                let weight = set.row_weights().map_or(1.0, |weights| weights[row]);
                let settings = signs[row * width..(row + 1) * width].chunks_exact(n_machines);
                for (patterns, signs) in self.patterns.iter_mut().zip(settings) {
                    patterns.add_signs(signs, class, weight)?;
                }
            }
        }
        Ok(self)
    }

    /// Number of kernel values that were computed to count the patterns of `n_rows` training
    /// samples.
    pub fn n_counting_evals(&self, n_rows: usize) -> u64 {
        if self.patterns.is_empty() || self.kernel.kind() == KernelKind::Precomputed {
            return 0;
        }
        n_rows as u64 * self.support.len() as u64
    }
}
