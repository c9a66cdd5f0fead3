//! Ordinal classification by patterns of signs (Duros and Katzman 2014, section 3.1).
//!
//! The ordered classes 0 < 1 < … < k - 1 have k - 1 binary classifiers, (0, 1), (1, 2), …. The
//! pattern S of a sample consists of the signs of all decision values, including those of
//! classifiers that were trained without the class of the sample. The probability
//!
//! ```text
//! P(label | S) = P(label, S) / P(S)
//! ```
//!
//! is estimated by counting the training samples, each with its weight. The label with the largest
//! probability is predicted, the lower one in a tie. A pattern that does not occur in the training
//! samples falls back to the frequencies of the labels.
//!
//! Predictions depend only on the counts, not on the order of counting, so that a saved and loaded
//! copy predicts the same bits.

use crate::memory::{account_small, try_filled, try_with_capacity};
use crate::{Error, Result};
use std::collections::BTreeMap;
use std::sync::OnceLock;

const WHAT: &str = "patterns of signs";

/// Counts of the labels for each pattern.
#[derive(Debug, Clone)]
pub struct Patterns {
    n_classes: usize,
    /// The labels that occur with each pattern, ascending, and their counts.
    counts: BTreeMap<Vec<bool>, Vec<(u32, f64)>>,
    /// The counts of all labels, computed for the first unknown pattern.
    frequencies: OnceLock<Vec<(u32, f64)>>,
}

impl PartialEq for Patterns {
    fn eq(&self, other: &Self) -> bool {
        (self.n_classes, &self.counts) == (other.n_classes, &other.counts)
    }
}

/// Whether a decision value votes for the first class of its pair; 0 does, as in votes.
pub fn is_first(output: f64) -> bool {
    output >= 0.0
}

impl Patterns {
    /// No counts yet, for `n_classes - 1` binary classifiers.
    pub fn new(n_classes: usize) -> Self {
        Self {
            n_classes,
            counts: BTreeMap::new(),
            frequencies: OnceLock::new(),
        }
    }

    /// Number of classes.
    pub fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// Whether no sample was counted.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Counts a sample with its decision values.
    pub fn add(&mut self, outputs: &[f64], class: usize, weight: f64) -> Result<()> {
        self.add_signs(&signs(outputs), class, weight)
    }

    /// As [`Patterns::add`], with the results of [`is_first`] instead of the decision values.
    pub fn add_signs(&mut self, signs: &[bool], class: usize, weight: f64) -> Result<()> {
        if weight <= 0.0 {
            return Ok(());
        }
        self.frequencies.take();
        let label = class as u32;
        let counts = match self.counts.get_mut(signs) {
            Some(counts) => counts,
            None => {
                account_small(signs.len(), WHAT)?;
                self.counts.entry(signs.to_vec()).or_default()
            }
        };
        match counts.binary_search_by_key(&label, |&(label, _)| label) {
            Ok(place) => counts[place].1 = (counts[place].1 + weight).min(f64::MAX),
            Err(place) => counts.insert(place, (label, weight)),
        }
        Ok(())
    }

    /// P(label | S) for each label; all 0 if no sample was counted.
    pub fn scores(&self, outputs: &[f64], scores: &mut [f64]) {
        self.scores_of(&signs(outputs), scores);
    }

    /// As [`Patterns::scores`], with the results of [`is_first`] instead of the decision values.
    pub fn scores_of(&self, signs: &[bool], scores: &mut [f64]) {
        scores.fill(0.0);
        for (label, share) in shares(self.counts_of(signs)) {
            scores[label as usize] = share;
        }
    }

    /// The label with the largest score, the lower one in a tie.
    pub fn winner(&self, outputs: &[f64]) -> u32 {
        self.winner_of(&signs(outputs))
    }

    /// As [`Patterns::winner`], with the results of [`is_first`] instead of the decision values.
    pub fn winner_of(&self, signs: &[bool]) -> u32 {
        let mut best = (0, 0.0);
        for (label, share) in shares(self.counts_of(signs)) {
            if share > best.1 {
                best = (label, share);
            }
        }
        best.0
    }

    /// The counts for a pattern; those of all labels if the pattern is unknown.
    fn counts_of(&self, signs: &[bool]) -> &[(u32, f64)] {
        match self.counts.get(signs) {
            Some(counts) => counts,
            None => self.frequencies.get_or_init(|| self.label_counts()),
        }
    }

    /// The counts of the labels over all patterns.
    fn label_counts(&self) -> Vec<(u32, f64)> {
        let mut sums = vec![0.0; self.n_classes];
        for &(label, count) in self.counts.values().flatten() {
            sums[label as usize] += count;
        }
        let positive = (0..).zip(sums).filter(|&(_, sum)| sum > 0.0);
        positive
            .map(|(label, sum)| (label, sum.min(f64::MAX)))
            .collect()
    }

    /// The known patterns in ascending order, `n_classes - 1` values each, true for the first
    /// class of a pair; and the counts of all labels, `n_classes` for each pattern.
    pub fn parts(&self) -> Result<(Vec<bool>, Vec<f64>)> {
        let mut signs =
            try_with_capacity(self.counts.len(), self.n_classes.saturating_sub(1), WHAT)?;
        let mut table = try_filled(self.counts.len(), self.n_classes, WHAT)?;
        let rows = table.chunks_exact_mut(self.n_classes.max(1));
        for (row, counts) in rows.zip(self.counts.values()) {
            for &(label, count) in counts {
                row[label as usize] = count;
            }
        }
        signs.extend(self.counts.keys().flatten());
        Ok((signs, table))
    }

    /// From saved parts, in any order. Checks all sizes and numbers.
    pub fn from_parts(n_classes: usize, signs: &[bool], counts: &[f64]) -> Result<Self> {
        let bad = |message: String| Err(Error::Data(message));
        if n_classes < 2 {
            return bad(format!(
                "patterns need at least 2 classes, but there are {n_classes}"
            ));
        }
        let n_patterns = signs.len() / (n_classes - 1);
        let fits = signs.len().is_multiple_of(n_classes - 1)
            && n_patterns.checked_mul(n_classes) == Some(counts.len());
        if !fits {
            return bad(format!(
                "patterns with {} signs and {} pattern_counts do not match {n_classes} classes",
                signs.len(),
                counts.len()
            ));
        }
        if let Some(count) = counts.iter().find(|c| !(**c >= 0.0 && c.is_finite())) {
            return bad(format!(
                "pattern_counts contains {count}, but a count must be finite and not negative"
            ));
        }
        let mut patterns = Self::new(n_classes);
        let rows = signs.chunks_exact(n_classes - 1);
        for (number, (signs, counts)) in rows.zip(counts.chunks_exact(n_classes)).enumerate() {
            let all = (0..).zip(counts.iter().copied());
            let positive: Vec<(u32, f64)> = all.filter(|&(_, count)| count > 0.0).collect();
            if positive.is_empty() {
                return bad(format!("pattern {number} of patterns has no counts"));
            }
            account_small(signs.len(), WHAT)?;
            if patterns.counts.insert(signs.to_vec(), positive).is_some() {
                return bad(format!("pattern {number} of patterns is a duplicate"));
            }
        }
        Ok(patterns)
    }
}

/// The pattern of a sample.
fn signs(outputs: &[f64]) -> Vec<bool> {
    outputs.iter().map(|&output| is_first(output)).collect()
}

/// Counts divided by their sum.
fn shares(counts: &[(u32, f64)]) -> impl Iterator<Item = (u32, f64)> {
    let total: f64 = counts.iter().map(|&(_, count)| count).sum();
    let total = total.min(f64::MAX);
    counts
        .iter()
        .map(move |&(label, count)| (label, count / total))
}
