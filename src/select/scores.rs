//! What a cell is judged by: three scores of its predictions, as scikit-learn defines them.
//!
//! Counts of each class are enough: rows that have it, rows that are predicted to have it, and
//! rows where both agree. A table of every class against every other would hold the square of
//! that, for nothing.

use crate::Result;
use crate::error::{filled, reserve};

/// Scores of predictions; NaN if there are none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scores {
    /// Share of rows whose class was predicted.
    pub accuracy: f64,
    /// Mean over the classes of the rows of the share of their rows that was predicted right.
    pub balanced_accuracy: f64,
    /// Mean of F1 over the classes that the rows or the predictions have.
    pub f1_macro: f64,
}

/// Rows of each class, with the room that scoring needs.
pub struct Counts {
    true_rows: Vec<u32>,
    predicted: Vec<u32>,
    right: Vec<u32>,
    /// A number for each class that counts.
    each: Vec<f64>,
}

impl Counts {
    /// Room for so many classes.
    pub fn new(n_classes: usize) -> Result<Self> {
        let what = "counts of classes";
        Ok(Self {
            true_rows: filled(n_classes, 1, what)?,
            predicted: filled(n_classes, 1, what)?,
            right: filled(n_classes, 1, what)?,
            each: reserve(n_classes, 1, what)?,
        })
    }

    /// The scores of predictions for rows of these classes.
    pub fn scores(&mut self, classes: &[u32], predicted: impl Iterator<Item = u32>) -> Scores {
        for counts in [&mut self.true_rows, &mut self.predicted, &mut self.right] {
            counts.fill(0);
        }
        let mut n_right = 0;
        for (&class, predicted) in classes.iter().zip(predicted) {
            self.true_rows[class as usize] += 1;
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

    /// The mean of a quotient over the classes whose divisor is not 0.
    fn mean(&mut self, quotient: impl Fn(f64, f64, f64) -> (f64, f64)) -> f64 {
        self.each.clear();
        let counts = self.right.iter().zip(&self.true_rows).zip(&self.predicted);
        for ((&right, &n_true), &n_predicted) in counts {
            let (above, below) = quotient(right.into(), n_true.into(), n_predicted.into());
            if below > 0.0 {
                self.each.push(above / below);
            }
        }
        sum(&self.each) / self.each.len() as f64
    }
}

/// Values that are added one after the other, eight sums at a time.
const BLOCK: usize = 128;

/// The sum in the order in which numpy adds, so that scores have the bits of scikit-learn's.
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
