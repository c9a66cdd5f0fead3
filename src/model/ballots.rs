//! Outputs of machines that come one after the other, counted for all rows at once.
//!
//! The outputs of all pairs of k classes would take k / 4 times the room of their votes and sums:
//! each machine is counted when it is there, and its outputs are dropped. What wins is what
//! [`Votes`](super::Votes) let win.

use super::votes::Ties;
use crate::Result;
use crate::memory::try_filled;
use crate::multiclass::{Patterns, Scheme, is_first};

/// What is counted for some rows, and for each setting of a path.
pub struct Ballots {
    scheme: Scheme,
    n_classes: usize,
    n_rows: usize,
    counts: Counts,
}

/// Setting after setting; of each, class after class or row after row.
enum Counts {
    /// Whether each row is of the second of two classes.
    Second(Vec<bool>),
    /// The largest output of each row so far, and its class.
    Largest(Vec<(f64, u32)>),
    /// Votes for each class, row by row; and sums of outputs, where they decide ties.
    Pairs(Vec<u16>, Vec<f64>),
    /// Signs of all machines, row by row.
    Signs(Vec<bool>),
}

impl Ballots {
    /// Nothing counted.
    pub fn new(
        scheme: Scheme,
        n_classes: usize,
        n_rows: usize,
        n_settings: usize,
        ties: Ties,
    ) -> Result<Self> {
        let k = n_classes;
        let n = n_rows.saturating_mul(n_settings);
        let what = "votes of test samples";
        let counts = match scheme {
            _ if k == 2 => Counts::Second(try_filled(n, 1, what)?),
            _ if scheme.uses_patterns(k) => Counts::Signs(try_filled(n, k - 1, what)?),
            Scheme::OneVsRest => Counts::Largest(try_filled(n, 1, what)?),
            Scheme::OneVsOne | Scheme::Ordinal => {
                let n_sums = if ties == Ties::LargestSum { n } else { 0 };
                Counts::Pairs(try_filled(n, k, what)?, try_filled(n_sums, k, what)?)
            }
        };
        Ok(Self {
            scheme,
            n_classes,
            n_rows,
            counts,
        })
    }

    /// Bytes for the votes of a row, at the most.
    pub fn bytes_of_row(n_classes: usize, n_settings: usize) -> usize {
        let each = size_of::<u16>() + size_of::<f64>();
        n_classes.saturating_mul(n_settings).saturating_mul(each)
    }

    /// Counts the outputs of a machine for all rows; machines come in their order.
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
            Counts::Pairs(votes, sums) => {
                let Some((a, b)) = self.scheme.pair(machine, k) else {
                    return;
                };
                for (class, is_second) in [(a, false), (b, true)] {
                    let start = (setting * k + class) * n;
                    for (vote, &output) in votes[start..start + n].iter_mut().zip(outputs) {
                        // A value of 0 goes to the first class.
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

    /// The signs of all machines for a row, where patterns decide; else none.
    pub fn signs(&self, setting: usize, row: usize) -> &[bool] {
        let width = self.n_classes - 1;
        match &self.counts {
            Counts::Signs(signs) => &signs[(setting * self.n_rows + row) * width..][..width],
            _ => &[],
        }
    }

    /// The predicted class of a row; `patterns` are those of the setting, if there are some.
    pub fn winner(&self, setting: usize, row: usize, patterns: Option<&Patterns>) -> u32 {
        let (k, n) = (self.n_classes, self.n_rows);
        match &self.counts {
            Counts::Second(is_second) => u32::from(is_second[setting * n + row]),
            Counts::Largest(largest) => largest[setting * n + row].1,
            Counts::Signs(_) => {
                let winner = |patterns: &Patterns| patterns.winner_of(self.signs(setting, row));
                patterns.map_or(0, winner)
            }
            Counts::Pairs(votes, sums) => {
                let key = |class: usize| {
                    let place = (setting * k + class) * n + row;
                    (votes[place], sums.get(place).copied().unwrap_or(0.0))
                };
                let better = |best, class| if key(class) > key(best) { class } else { best };
                (1..k).fold(0, better) as u32
            }
        }
    }
}
