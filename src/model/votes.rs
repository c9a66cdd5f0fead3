//! From the outputs of machines to a score for each class, or to the class.
//!
//! One against one: each machine votes. Ties go to the class with the larger sum of
//! decision values, then to the lower label; or at once to the lower label, as in LIBSVM. A
//! score is the number of votes plus that sum squeezed into (-1/3, 1/3), as scikit-learn
//! defines it, so that the largest score is the class that the first rule predicts.
//!
//! Ordinal: the pattern of signs tells the probability of each class, see [`Patterns`].

use crate::multiclass::{Patterns, Scheme};

/// Which of the classes with the most votes wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ties {
    /// That with the largest sum of decision values.
    LargestSum,
    /// That with the lowest label.
    LowestLabel,
}

/// The rule for one number of classes, with room to count.
#[derive(Debug, Clone)]
pub struct Votes<'a> {
    n_classes: usize,
    patterns: Option<&'a Patterns>,
    /// The classes of each machine, where pairs of them vote.
    pairs: Vec<(usize, usize)>,
    votes: Vec<f64>,
    sums: Vec<f64>,
}

impl<'a> Votes<'a> {
    /// The rule of a scheme for `n_classes >= 2` classes; patterns, where there are some,
    /// decide instead of votes.
    pub fn new(scheme: Scheme, n_classes: usize, patterns: Option<&'a Patterns>) -> Self {
        let k = n_classes;
        let patterns = patterns.filter(|_| k > 2);
        let n_pairs = match patterns {
            None if k > 2 => scheme.n_machines(k).unwrap_or(0),
            _ => 0,
        };
        let of_machine = |machine| scheme.pair(machine, k);
        Self {
            n_classes,
            patterns,
            pairs: (0..n_pairs).map_while(of_machine).collect(),
            votes: vec![0.0; k],
            sums: vec![0.0; k],
        }
    }

    /// Counts votes and sums; a value of 0 goes to the first class, as in scikit-learn.
    fn count(&mut self, outputs: &[f64]) {
        self.votes.fill(0.0);
        self.sums.fill(0.0);
        for (&(a, b), &value) in self.pairs.iter().zip(outputs) {
            self.votes[if value < 0.0 { b } else { a }] += 1.0;
            self.sums[a] += value;
            self.sums[b] -= value;
        }
    }

    /// A score for each class; for two classes, or one against the rest, the outputs.
    pub fn scores(&mut self, outputs: &[f64], scores: &mut [f64]) {
        if let Some(patterns) = self.patterns {
            return patterns.scores(outputs, scores);
        }
        if self.pairs.is_empty() {
            return scores.copy_from_slice(outputs);
        }
        self.count(outputs);
        for ((score, vote), sum) in scores.iter_mut().zip(&self.votes).zip(&self.sums) {
            *score = vote + sum / (3.0 * (sum.abs() + 1.0));
        }
    }

    /// The predicted classes of many rows, whose outputs are given machine after machine.
    pub fn winners(&self, outputs: &[&[f64]], ties: Ties) -> Vec<u32> {
        let n = outputs.first().map_or(0, |of_machine| of_machine.len());
        let k = self.n_classes;
        if self.pairs.is_empty() {
            let mut one = self.clone();
            let row = |i: usize| outputs.iter().map(|of| of[i]).collect::<Vec<_>>();
            return (0..n).map(|i| one.winner(&row(i), ties)).collect();
        }
        let (mut votes, mut sums) = (vec![0.0; k * n], vec![0.0; k * n]);
        let mut add = |class: usize, of: &[f64], sign: f64| {
            let range = class * n..(class + 1) * n;
            let counts = votes[range.clone()].iter_mut().zip(&mut sums[range]);
            for ((vote, sum), &value) in counts.zip(of) {
                // A value of 0 goes to the first class.
                *vote += f64::from((value < 0.0) == (sign < 0.0));
                *sum += sign * value;
            }
        };
        for (&(a, b), of) in self.pairs.iter().zip(outputs) {
            add(a, of, 1.0);
            add(b, of, -1.0);
        }
        let key = |class: usize, i: usize| match ties {
            Ties::LargestSum => (votes[class * n + i], sums[class * n + i]),
            Ties::LowestLabel => (votes[class * n + i], 0.0),
        };
        (0..n).map(|i| largest(k, |class| key(class, i))).collect()
    }

    /// The predicted class.
    pub fn winner(&mut self, outputs: &[f64], ties: Ties) -> u32 {
        if self.n_classes == 2 {
            return u32::from(outputs[0] > 0.0);
        }
        if let Some(patterns) = self.patterns {
            return patterns.winner(outputs);
        }
        if self.pairs.is_empty() {
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
