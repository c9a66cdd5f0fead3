//! Class scores and predictions from the decision values of the binary classifiers.
//!
//! - One-vs-one: each classifier votes. Ties go to the class with the largest sum of decision
//!   values, or to the lowest label, as in LIBSVM ([`Ties`]). A score is the number of votes plus
//!   that sum, transformed to (-1/3, 1/3) as in scikit-learn. The class with the largest score is
//!   the one predicted with [`Ties::LargestSum`].
//! - One-vs-rest: the scores are the decision values.
//! - Ordinal: the scores are probabilities given the pattern of signs, see [`Patterns`].

use crate::multiclass::{Patterns, Scheme};

/// Which of the classes with the most votes wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ties {
    /// The class with the largest sum of decision values, then the lowest label.
    LargestSum,
    /// The class with the lowest label.
    LowestLabel,
}

/// Number of scores of a sample: one per class; for two classes only one.
pub fn n_scores(n_classes: usize) -> usize {
    if n_classes == 2 { 1 } else { n_classes }
}

/// The score of a class in one-vs-one voting: the number of votes plus the sum of decision values,
/// transformed to (-1/3, 1/3).
pub fn class_score(votes: f64, sum: f64) -> f64 {
    votes + sum / (3.0 * (sum.abs() + 1.0))
}

/// The decision rule, with buffers for the votes of one sample.
#[derive(Debug, Clone)]
pub struct Votes<'a> {
    scheme: Scheme,
    n_classes: usize,
    patterns: Option<&'a Patterns>,
    votes: Vec<f64>,
    sums: Vec<f64>,
}

impl<'a> Votes<'a> {
    /// The rule of a scheme for `n_classes >= 2` classes. With patterns, these decide instead of
    /// votes.
    pub fn new(scheme: Scheme, n_classes: usize, patterns: Option<&'a Patterns>) -> Self {
        Self {
            scheme,
            n_classes,
            patterns: patterns.filter(|_| n_classes > 2),
            votes: vec![0.0; n_classes],
            sums: vec![0.0; n_classes],
        }
    }

    /// Whether the classifiers are pairs of classes, which vote.
    fn has_pairs(&self) -> bool {
        self.n_classes > 2 && self.scheme != Scheme::OneVsRest
    }

    /// Counts votes and sums. A decision value of 0 is a vote for the first class, as in
    /// scikit-learn.
    fn count(&mut self, outputs: &[f64]) {
        self.votes.fill(0.0);
        self.sums.fill(0.0);
        let mut outputs = outputs.iter();
        for a in 0..self.n_classes {
            for (b, &value) in self.scheme.rivals(a, self.n_classes).zip(&mut outputs) {
                self.votes[if value < 0.0 { b } else { a }] += 1.0;
                self.sums[a] += value;
                self.sums[b] -= value;
            }
        }
    }

    /// Writes a score for each class; for two classes and one-vs-rest, the decision values.
    pub fn scores(&mut self, outputs: &[f64], scores: &mut [f64]) {
        if let Some(patterns) = self.patterns {
            return patterns.scores(outputs, scores);
        }
        if !self.has_pairs() {
            return scores.copy_from_slice(outputs);
        }
        self.count(outputs);
        for ((score, vote), sum) in scores.iter_mut().zip(&self.votes).zip(&self.sums) {
            *score = class_score(*vote, *sum);
        }
    }

    /// The predicted class.
    pub fn winner(&mut self, outputs: &[f64], ties: Ties) -> u32 {
        if self.n_classes == 2 {
            return u32::from(outputs[0] > 0.0);
        }
        if let Some(patterns) = self.patterns {
            return patterns.winner(outputs);
        }
        if !self.has_pairs() {
            return largest(self.n_classes, |class| (outputs[class], 0.0));
        }
        self.count(outputs);
        largest(self.n_classes, |class| match ties {
            Ties::LargestSum => (self.votes[class], self.sums[class]),
            Ties::LowestLabel => (self.votes[class], 0.0),
        })
    }
}

/// The first class with the largest key.
fn largest(k: usize, key: impl Fn(usize) -> (f64, f64)) -> u32 {
    let better = |best, class| if key(class) > key(best) { class } else { best };
    (1..k).fold(0, better) as u32
}
