//! From the outputs of machines to one score for each class, or to the class.
//!
//! One against one: each machine votes; ties go to the class with the larger sum
//! of decision values, then to the lower label. A score is the number of votes
//! plus that sum squeezed into (-1/3, 1/3), as scikit-learn defines it, so that
//! the largest score is the predicted class.

use crate::Result;
use crate::error::zeros;
use crate::multiclass::{Scheme, pair};
use rayon::prelude::*;

/// Rows handled by one task.
const ROWS: usize = 1024;

/// The machines of `k > 2` classes, each with its pair of classes.
fn pairs(k: usize) -> Vec<(usize, usize)> {
    (0..k * (k - 1) / 2).map(|m| pair(m, k)).collect()
}

/// Votes and sums of decision values of one row. A value of 0 goes to the first
/// class, as in scikit-learn.
fn tally(pairs: &[(usize, usize)], values: &[f64], votes: &mut [f64], sums: &mut [f64]) {
    votes.fill(0.0);
    sums.fill(0.0);
    for (&(a, b), &value) in pairs.iter().zip(values) {
        votes[if value < 0.0 { b } else { a }] += 1.0;
        sums[a] += value;
        sums[b] -= value;
    }
}

/// Scores of `k > 2` classes, row after row, from the values of all machines.
pub fn class_scores(scheme: Scheme, k: usize, decisions: Vec<f64>) -> Result<Vec<f64>> {
    if scheme == Scheme::OneVsRest {
        return Ok(decisions);
    }
    let pairs = pairs(k);
    let mut scores = zeros(decisions.len() / pairs.len(), k, "class scores")?;
    scores
        .par_chunks_mut(ROWS * k)
        .zip(decisions.par_chunks(ROWS * pairs.len()))
        .for_each(|(scores, decisions)| {
            let mut sums = vec![0.0; k];
            let rows = scores.chunks_exact_mut(k);
            for (votes, values) in rows.zip(decisions.chunks_exact(pairs.len())) {
                tally(&pairs, values, votes, &mut sums);
                for (vote, sum) in votes.iter_mut().zip(&sums) {
                    *vote += sum / (3.0 * (sum.abs() + 1.0));
                }
            }
        });
    Ok(scores)
}

/// The class of each row, from the values of all machines.
pub fn predict_classes(scheme: Scheme, k: usize, decisions: &[f64]) -> Result<Vec<u32>> {
    let pairs = if k > 2 && scheme == Scheme::OneVsOne {
        pairs(k)
    } else {
        Vec::new()
    };
    let n_machines = match scheme {
        _ if k == 2 => 1,
        Scheme::OneVsOne => pairs.len(),
        Scheme::OneVsRest => k,
    };
    let mut classes = zeros(decisions.len() / n_machines, 1, "classes")?;
    classes
        .par_chunks_mut(ROWS)
        .zip(decisions.par_chunks(ROWS * n_machines))
        .for_each(|(classes, decisions)| {
            let (mut votes, mut sums) = (vec![0.0; k], vec![0.0; k]);
            for (class, values) in classes.iter_mut().zip(decisions.chunks_exact(n_machines)) {
                *class = match scheme {
                    _ if k == 2 => u32::from(values[0] > 0.0),
                    Scheme::OneVsRest => largest(k, |class| (values[class], 0.0)),
                    Scheme::OneVsOne => {
                        tally(&pairs, values, &mut votes, &mut sums);
                        largest(k, |class| (votes[class], sums[class]))
                    }
                };
            }
        });
    Ok(classes)
}

/// The first class with the largest key.
fn largest(k: usize, key: impl Fn(usize) -> (f64, f64)) -> u32 {
    let better = |best, class| if key(class) > key(best) { class } else { best };
    (1..k).fold(0, better) as u32
}
