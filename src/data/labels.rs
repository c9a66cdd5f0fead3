//! Class codes, and the order that makes every class one contiguous range of rows.

use crate::{Error, Result};
use std::ops::Range;

/// Rows sorted by class. Inside a class the caller's order is kept, so "lowest
/// index" inside a class means the same before and after sorting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    order: Vec<u32>,
    starts: Vec<usize>,
}

impl Labels {
    /// From one code in `0..n_classes` a row. At least two classes, each with a row.
    pub fn new(codes: &[u32], n_classes: usize) -> Result<Self> {
        if u32::try_from(codes.len()).is_err() {
            return Err(Error::Shape(format!(
                "{} rows are more than the 2^32 - 1 that a model can index",
                codes.len()
            )));
        }
        if n_classes < 2 {
            return Err(Error::Data(format!(
                "y has {n_classes} class(es), but a classifier needs at least 2 classes"
            )));
        }
        let mut starts = vec![0usize; n_classes + 1];
        for &code in codes {
            let Some(count) = starts.get_mut(code as usize + 1) else {
                return Err(Error::Data(format!(
                    "class code {code} is not below the number of classes, {n_classes}"
                )));
            };
            *count += 1;
        }
        if let Some(empty) = starts[1..].iter().position(|&count| count == 0) {
            return Err(Error::Data(format!("class number {empty} has no rows")));
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

    /// `order()[k]` is the caller's index of sorted row `k`.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.order.len()
    }

    /// Number of classes.
    pub fn n_classes(&self) -> usize {
        self.starts.len() - 1
    }

    /// The sorted rows of one class.
    pub fn rows_of(&self, class: usize) -> Range<usize> {
        self.starts[class]..self.starts[class + 1]
    }

    /// The class of a sorted row.
    pub fn class_of(&self, sorted_row: usize) -> usize {
        self.starts.partition_point(|&start| start <= sorted_row) - 1
    }
}
