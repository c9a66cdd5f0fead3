//! Votes of binary classifiers that are counted one classifier at a time, for many samples.
//!
//! The decision values of all pairs of k classes would take k / 4 times the memory of their votes
//! and sums. Therefore the decision values of a classifier are counted and dropped before those of
//! the next one are computed. The predictions are those of [`Votes`](super::Votes).

use super::votes::{Ties, class_score, n_scores};
use crate::Result;
use crate::memory::try_filled;
use crate::multiclass::{Patterns, Scheme, is_first};

/// The votes of some samples, for each setting of a path.
pub struct Ballots {
    scheme: Scheme,
    n_classes: usize,
    n_rows: usize,
    ties: Ties,
    counts: Counts,
}

/// Setting by setting; within a setting, class by class or sample by sample.
enum Counts {
    /// Whether each sample belongs to the second of two classes.
    Second(Vec<bool>),
    /// The largest decision value of each sample so far, and its class.
    Largest(Vec<(f64, u32)>),
    /// All decision values, sample by sample.
    Values(Vec<f64>),
    /// The votes for each class, sample by sample; and the sums of decision values, if they break
    /// ties or are part of scores.
    Pairs(Vec<u16>, Vec<f64>),
    /// The signs of all decision values, sample by sample.
    Signs(Vec<bool>),
}

impl Ballots {
    /// No votes yet. With `scores`, [`Ballots::scores`] may be called.
    pub fn new(
        scheme: Scheme,
        n_classes: usize,
        n_rows: usize,
        n_settings: usize,
        ties: Ties,
        scores: bool,
    ) -> Result<Self> {
        let k = n_classes;
        let n = n_rows.saturating_mul(n_settings);
        let what = "votes of test samples";
        let counts = match scheme {
            _ if scores && k == 2 => Counts::Values(try_filled(n, 1, what)?),
            _ if k == 2 => Counts::Second(try_filled(n, 1, what)?),
            _ if scheme.uses_patterns(k) => Counts::Signs(try_filled(n, k - 1, what)?),
            Scheme::OneVsRest | Scheme::Single if scores => Counts::Values(try_filled(n, k, what)?),
            Scheme::OneVsRest | Scheme::Single => Counts::Largest(try_filled(n, 1, what)?),
            Scheme::OneVsOne | Scheme::Ordinal => {
                let has_sums = scores || ties == Ties::LargestSum;
                let n_sums = if has_sums { n } else { 0 };
                Counts::Pairs(try_filled(n, k, what)?, try_filled(n_sums, k, what)?)
            }
        };
        Ok(Self {
            scheme,
            n_classes,
            n_rows,
            ties,
            counts,
        })
    }

    /// An upper bound of the bytes per sample.
    pub fn bytes_of_row(n_classes: usize, n_settings: usize) -> usize {
        let each = size_of::<u16>() + size_of::<f64>();
        n_classes.saturating_mul(n_settings).saturating_mul(each)
    }

    /// Counts the decision values of one binary classifier for all samples. Classifiers must be
    /// counted in order.
    pub fn add(&mut self, machine: usize, setting: usize, outputs: &[f64]) {
        let (k, n) = (self.n_classes, self.n_rows);
        match &mut self.counts {
            Counts::Second(is_second) => {
                for (is_second, &output) in is_second[setting * n..].iter_mut().zip(outputs) {
                    *is_second = output > 0.0;
                }
            }
            Counts::Largest(largest) => {
                for (largest, &output) in largest[setting * n..].iter_mut().zip(outputs) {
                    if machine == 0 || output > largest.0 {
                        *largest = (output, machine as u32);
                    }
                }
            }
            Counts::Values(values) => {
                let width = n_scores(k);
                let of_setting = &mut values[setting * n * width..];
                for (values, &output) in of_setting.chunks_exact_mut(width).zip(outputs) {
                    values[machine] = output;
                }
            }
            Counts::Pairs(votes, sums) => {
                let Some((a, b)) = self.scheme.pair(machine, k) else {
                    return;
                };
                for (class, is_second) in [(a, false), (b, true)] {
                    let start = (setting * k + class) * n;
                    for (vote, &output) in votes[start..start + n].iter_mut().zip(outputs) {
                        // A decision value of 0 is a vote for the first class.
                        *vote += u16::from((output < 0.0) == is_second);
                    }
                    let sign = if is_second { -1.0 } else { 1.0 };
                    let sums = sums.get_mut(start..start + n).unwrap_or_default();
                    for (sum, &output) in sums.iter_mut().zip(outputs) {
                        *sum += sign * output;
                    }
                }
            }
            Counts::Signs(signs) => {
                let of_setting = &mut signs[setting * n * (k - 1)..];
                let rows = of_setting.chunks_exact_mut(k - 1);
                for (signs, &output) in rows.zip(outputs) {
                    signs[machine] = is_first(output);
                }
            }
        }
    }

    /// The signs of all decision values of a sample; empty if the scheme uses no patterns.
    pub fn signs(&self, setting: usize, row: usize) -> &[bool] {
        let width = self.n_classes - 1;
        match &self.counts {
            Counts::Signs(signs) => &signs[(setting * self.n_rows + row) * width..][..width],
            _ => &[],
        }
    }

    /// The predicted class of a sample. `patterns` are those of the setting, for a scheme that
    /// uses them.
    pub fn winner(&self, setting: usize, row: usize, patterns: Option<&Patterns>) -> u32 {
        let (k, n) = (self.n_classes, self.n_rows);
        match &self.counts {
            Counts::Second(is_second) => u32::from(is_second[setting * n + row]),
            Counts::Largest(largest) => largest[setting * n + row].1,
            Counts::Values(values) if k == 2 => u32::from(values[setting * n + row] > 0.0),
            Counts::Values(values) => {
                let own = &values[(setting * n + row) * k..][..k];
                let better = |best, class| if own[class] > own[best] { class } else { best };
                (1..k).fold(0, better) as u32
            }
            Counts::Signs(_) => {
                let winner = |patterns: &Patterns| patterns.winner_of(self.signs(setting, row));
                patterns.map_or(0, winner)
            }
            Counts::Pairs(votes, sums) => {
                let key = |class: usize| {
                    let place = (setting * k + class) * n + row;
                    let sum = match self.ties {
                        Ties::LargestSum => sums.get(place).copied(),
                        Ties::LowestLabel => None,
                    };
                    (votes[place], sum.unwrap_or(0.0))
                };
                let better = |best, class| if key(class) > key(best) { class } else { best };
                (1..k).fold(0, better) as u32
            }
        }
    }
    /// Writes the scores of a sample, as [`Votes::scores`](super::Votes::scores). All 0 if scores
    /// were not requested.
    pub fn scores(
        &self,
        setting: usize,
        row: usize,
        patterns: Option<&Patterns>,
        scores: &mut [f64],
    ) {
        let (k, n) = (self.n_classes, self.n_rows);
        scores.fill(0.0);
        match &self.counts {
            Counts::Second(_) | Counts::Largest(_) => {}
            Counts::Values(values) => {
                let width = scores.len();
                scores.copy_from_slice(&values[(setting * n + row) * width..][..width]);
            }
            Counts::Signs(_) => {
                if let Some(patterns) = patterns {
                    patterns.scores_of(self.signs(setting, row), scores);
                }
            }
            Counts::Pairs(votes, sums) => {
                for (class, score) in scores.iter_mut().enumerate() {
                    let place = (setting * k + class) * n + row;
                    let sum = sums.get(place).copied().unwrap_or(0.0);
                    *score = class_score(f64::from(votes[place]), sum);
                }
            }
        }
    }
}
