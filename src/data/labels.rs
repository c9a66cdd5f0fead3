//! Class codes, and the order that makes each class a contiguous range of samples.

use crate::{Error, Result};
use std::ops::Range;

/// Samples sorted by class. The sort is stable, so that the order of the samples within a class
/// does not change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    order: Vec<u32>,
    starts: Vec<usize>,
}

impl Labels {
    /// Samples without labels: a single class of all of them, in their order.
    pub fn single(n_rows: usize) -> Result<Self> {
        let n = u32::try_from(n_rows).map_err(|_| too_many(n_rows))?;
        if n == 0 {
            return Err(Error::Data("X has no samples".into()));
        }
        Ok(Self {
            order: (0..n).collect(),
            starts: vec![0, n_rows],
        })
    }

    /// From one code in `0..n_classes` per sample. There must be at least two classes, each with
    /// at least one sample.
    pub fn new(codes: &[u32], n_classes: usize) -> Result<Self> {
        if n_classes < 2 {
            return Err(Error::Data(format!(
                "y has {n_classes} class(es), but a classifier needs at least 2 classes"
            )));
        }
        Self::of_strata(codes, n_classes)
    }

    /// As [`Labels::new`], for the strata of folds: there may be a single one.
    pub fn of_strata(codes: &[u32], n_classes: usize) -> Result<Self> {
        if u32::try_from(codes.len()).is_err() {
            return Err(too_many(codes.len()));
        }
        let mut starts = vec![0usize; n_classes + 1];
        for &code in codes {
            let Some(count) = starts.get_mut(code as usize + 1) else {
                return Err(Error::Data(format!(
                    "class code {code} is not less than the number of classes, {n_classes}"
                )));
            };
            *count += 1;
        }
        if let Some(empty) = starts[1..].iter().position(|&count| count == 0) {
            return Err(Error::Data(format!("class {empty} has no samples")));
        }
        for class in 0..n_classes {
            starts[class + 1] += starts[class];
        }
        let mut next = starts.clone();
        let mut order = vec![0u32; codes.len()];
        for (row, &code) in codes.iter().enumerate() {
            let slot = &mut next[code as usize];
            order[*slot] = row as u32;
            *slot += 1;
        }
        Ok(Self { order, starts })
    }

    /// `order()[k]` is the index of sorted sample `k` in the order of the caller.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Number of samples.
    pub fn n_rows(&self) -> usize {
        self.order.len()
    }

    /// Number of classes.
    pub fn n_classes(&self) -> usize {
        self.starts.len() - 1
    }

    /// The range of the sorted samples of one class.
    pub fn rows_of(&self, class: usize) -> Range<usize> {
        self.starts[class]..self.starts[class + 1]
    }

    /// The class of a sorted sample.
    pub fn class_of(&self, sorted_row: usize) -> usize {
        self.starts.partition_point(|&start| start <= sorted_row) - 1
    }
}

fn too_many(n_rows: usize) -> Error {
    Error::Shape(format!(
        "X has {n_rows} samples, but a model supports at most 2^32 - 1"
    ))
}
