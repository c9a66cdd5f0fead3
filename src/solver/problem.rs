//! A binary problem: labels, weights and the starting point of a solver.

use crate::kernel::{ExactSums, Parts};

/// The starting point of a solver, for methods that support warm starts.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Start {
    /// All coefficients are 0.
    #[default]
    Zero,
    /// All coefficients are 0, and the first working set contains these packed samples, such as
    /// the support vectors of another model. If there is not room for all, the first ones enter.
    Rows(Vec<u32>),
    /// These coefficients of packed samples, projected onto the bounds.
    Terms(Vec<(u32, f64)>),
}

/// The labels and weights of a binary problem; its kernel rows are a
/// [`KernelRows`](crate::kernel::KernelRows).
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// The label, +1 or -1, of the samples of each part.
    pub signs: &'a [f64],
    /// The weight of the samples of each part.
    pub weights: &'a [f64],
    /// The target of each packed sample, for regression.
    pub targets: Option<&'a [f64]>,
    /// The weight of each packed sample, if they differ.
    pub row_weights: Option<&'a [f64]>,
    /// The caller's index of each packed sample: the lower one wins a tie.
    pub order: &'a [u32],
    /// The starting point.
    pub start: &'a Start,
    /// Sums of kernel values in f64; `None` if the kernel rows are in f64 already.
    pub exact: Option<&'a dyn ExactSums>,
}

impl Problem<'_> {
    /// The weight of a packed sample, without the weight of its part.
    pub fn row_weight(&self, row: usize) -> f64 {
        self.row_weights.map_or(1.0, |weights| weights[row])
    }

    /// The upper bound of alpha of each sample: C times its weights.
    pub(super) fn bounds<'s>(&'s self, parts: &'s Parts, c: f64) -> impl Iterator<Item = f64> + 's {
        let weights = parts.repeat(self.weights).enumerate();
        weights.map(move |(i, weight)| weight * c * self.row_weight(parts.global(i)))
    }

    /// The label of each sample of the problem.
    pub(super) fn signs_of(&self, parts: &Parts) -> Vec<f64> {
        parts.repeat(self.signs).collect()
    }

    /// The weight of each sample of the problem, including the weight of its part.
    pub(super) fn weights_of(&self, parts: &Parts) -> Vec<f64> {
        let of_part = parts.iter().zip(self.weights);
        let weights = of_part.flat_map(|(part, &weight)| {
            let samples = part.global.clone();
            samples.map(move |row| weight * self.row_weight(row))
        });
        weights.collect()
    }
}
