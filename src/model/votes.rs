//! From the outputs of machines to one score for each class.
//!
//! One against one: each machine votes; ties go to the class with the larger sum
//! of decision values, then to the lower label. A score is the number of votes
//! plus that sum squeezed into (-1/3, 1/3), as scikit-learn defines it, so that
//! the largest score is the predicted class.

use crate::multiclass::{Scheme, pair};
use rayon::prelude::*;

/// Rows scored by one task.
const ROWS: usize = 1024;

/// Scores of `k > 2` classes, row after row, from the values of all machines.
pub fn class_scores(scheme: Scheme, k: usize, decisions: &[f64]) -> Vec<f64> {
    if scheme == Scheme::OneVsRest {
        return decisions.to_vec();
    }
    let pairs: Vec<(usize, usize)> = (0..k * (k - 1) / 2).map(|m| pair(m, k)).collect();
    let n_rows = decisions.len() / pairs.len().max(1);
    let mut scores = vec![0.0; n_rows * k];
    scores
        .par_chunks_mut(ROWS * k)
        .zip(decisions.par_chunks(ROWS * pairs.len()))
        .for_each(|(scores, decisions)| {
            let mut sums = vec![0.0; k];
            let rows = scores.chunks_exact_mut(k);
            for (votes, values) in rows.zip(decisions.chunks_exact(pairs.len())) {
                sums.fill(0.0);
                for (&(a, b), &value) in pairs.iter().zip(values) {
                    // A value of 0 goes to the first class, as in scikit-learn.
                    votes[if value < 0.0 { b } else { a }] += 1.0;
                    sums[a] += value;
                    sums[b] -= value;
                }
                for (vote, sum) in votes.iter_mut().zip(&sums) {
                    *vote += sum / (3.0 * (sum.abs() + 1.0));
                }
            }
        });
    scores
}

/// The class of each row; the lowest of equal ones.
pub fn predict_classes(scheme: Scheme, k: usize, decisions: &[f64]) -> Vec<u32> {
    if k == 2 {
        return decisions.iter().map(|&v| u32::from(v > 0.0)).collect();
    }
    let scores = class_scores(scheme, k, decisions);
    let largest = |scores: &[f64]| {
        let better = |best: usize, class: usize| {
            if scores[class] > scores[best] {
                class
            } else {
                best
            }
        };
        (1..k).fold(0, better) as u32
    };
    scores.chunks_exact(k).map(largest).collect()
}
