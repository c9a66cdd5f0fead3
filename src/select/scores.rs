//! Scores of predictions, as defined by scikit-learn.
//!
//! Three counts per class are enough: true samples, predicted samples, and correct predictions.
//! The confusion matrix, whose size is quadratic in the number of classes, is not needed.

use crate::Result;
use crate::memory::{try_filled, try_with_capacity};

/// Scores of predictions; NaN if there are no samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scores {
    /// The fraction of correct predictions.
    pub accuracy: f64,
    /// The mean recall over the classes of the samples.
    pub balanced_accuracy: f64,
    /// The mean F1 score over the classes of the samples and predictions.
    pub f1_macro: f64,
}

/// Counts per class, in buffers that are reused.
pub struct Counts {
    n_true: Vec<u32>,
    predicted: Vec<u32>,
    right: Vec<u32>,
    /// The score of each class that occurs.
    each: Vec<f64>,
}

impl Counts {
    /// Counts for `n_classes` classes.
    pub fn new(n_classes: usize) -> Result<Self> {
        let what = "counts of classes";
        Ok(Self {
            n_true: try_filled(n_classes, 1, what)?,
            predicted: try_filled(n_classes, 1, what)?,
            right: try_filled(n_classes, 1, what)?,
            each: try_with_capacity(n_classes, 1, what)?,
        })
    }

    /// The scores of predictions for samples of these classes.
    pub fn scores(&mut self, classes: &[u32], predicted: impl Iterator<Item = u32>) -> Scores {
        for counts in [&mut self.n_true, &mut self.predicted, &mut self.right] {
            counts.fill(0);
        }
        let mut n_right = 0;
        for (&class, predicted) in classes.iter().zip(predicted) {
            self.n_true[class as usize] += 1;
            self.predicted[predicted as usize] += 1;
            if class == predicted {
                self.right[class as usize] += 1;
                n_right += 1;
            }
        }
        Scores {
            accuracy: f64::from(n_right) / classes.len() as f64,
            balanced_accuracy: self.mean(|right, n_true, _| (right, n_true)),
            f1_macro: self.mean(|right, n_true, n_predicted| (2.0 * right, n_true + n_predicted)),
        }
    }

    /// The mean of a ratio over the classes whose denominator is not 0.
    fn mean(&mut self, quotient: impl Fn(f64, f64, f64) -> (f64, f64)) -> f64 {
        self.each.clear();
        let counts = self.right.iter().zip(&self.n_true).zip(&self.predicted);
        for ((&right, &n_true), &n_predicted) in counts {
            let (above, below) = quotient(right.into(), n_true.into(), n_predicted.into());
            if below > 0.0 {
                self.each.push(above / below);
            }
        }
        sum(&self.each) / self.each.len() as f64
    }
}

/// The longest block of values that is summed without splitting, as in numpy.
const BLOCK: usize = 128;

/// The sum in the order of numpy's pairwise summation, so that scores equal those of scikit-learn
/// bit by bit.
fn sum(values: &[f64]) -> f64 {
    if values.len() < 8 {
        return values.iter().fold(0.0, |sum, value| sum + value);
    }
    if values.len() > BLOCK {
        let half = values.len() / 2;
        let (first, second) = values.split_at(half - half % 8);
        return sum(first) + sum(second);
    }
    let (eights, rest) = values.as_chunks::<8>();
    let mut sums = eights[0];
    for eight in &eights[1..] {
        for (sum, value) in sums.iter_mut().zip(eight) {
            *sum += value;
        }
    }
    let [a, b, c, d, e, f, g, h] = sums;
    let all = ((a + b) + (c + d)) + ((e + f) + (g + h));
    rest.iter().fold(all, |sum, value| sum + value)
}
