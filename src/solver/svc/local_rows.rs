//! The kernel matrix of a working set.

use crate::Result;
use crate::memory::{checked_len, keep_buffer, take_buffer, try_with_capacity};
use crate::simd::{Lanes, PAIR_LANES};

/// The kernel matrix of a working set, each row padded to whole lanes. Rows are gathered when they
/// are first used: many samples of a large working set never move.
#[derive(Debug, Default)]
pub struct LocalGram<T: Send + 'static> {
    values: Vec<T>,
    diagonal: Vec<T>,
    is_filled: Vec<bool>,
    stride: usize,
}

impl<T: Lanes> LocalGram<T> {
    /// Replaces the matrix by one with this diagonal and no rows, and no memory for rows.
    pub fn reset_diagonal(&mut self, diagonal: Vec<T>) {
        self.stride = padded_len(diagonal.len());
        self.is_filled.clear();
        self.diagonal = diagonal;
        self.diagonal.resize(self.stride, T::ZERO);
    }

    /// Replaces the matrix by one with this diagonal and no rows yet, reusing the memory.
    pub fn reset(&mut self, diagonal: Vec<T>) -> Result<()> {
        let m = diagonal.len();
        self.reset_diagonal(diagonal);
        let len = checked_len::<T>(m, self.stride, WORKING_SET)?;
        if self.values.capacity() == 0 {
            self.values = take_buffer();
        }
        if self.values.capacity() < len {
            self.values = try_with_capacity(m, self.stride, WORKING_SET)?;
        }
        if self.values.len() < len {
            self.values.resize(len, T::ZERO);
        }
        self.is_filled.resize(m, false);
        Ok(())
    }

    /// Fills row `i` if it is not filled yet: `gather(i, out)` writes its values.
    fn ensure(&mut self, i: usize, gather: Gather<'_, T>) {
        if self.is_filled[i] {
            return;
        }
        let m = self.is_filled.len();
        let row = &mut self.values[i * self.stride..(i + 1) * self.stride];
        gather(i, &mut row[..m]);
        row[m..].fill(T::ZERO);
        self.is_filled[i] = true;
    }
}

impl<T: Send + 'static> Drop for LocalGram<T> {
    /// Leaves the memory for the next problem.
    fn drop(&mut self) {
        keep_buffer(std::mem::take(&mut self.values));
    }
}

/// The purpose of the allocation, for error messages.
const WORKING_SET: &str = "the kernel matrix of the working set";

/// Writes the kernel values of a sample of the working set with all of them.
pub type Gather<'a, T> = &'a dyn Fn(usize, &mut [T]);

/// Where the kernel values of a working set are.
pub enum Values<'a, T> {
    /// They are copied to a [`LocalGram`].
    Gathered(Gather<'a, T>),
    /// The working set is the whole problem, and its rows, padded, are used where they are.
    InPlace(&'a dyn Fn(usize) -> &'a [T]),
}

/// The kernel rows of a working set.
pub struct LocalRows<'a, T: Send + 'static> {
    gram: &'a mut LocalGram<T>,
    values: Values<'a, T>,
}

impl<'a, T: Lanes> LocalRows<'a, T> {
    /// The rows of the working set that `gram` was reset to.
    pub fn new(gram: &'a mut LocalGram<T>, values: Values<'a, T>) -> Self {
        Self { gram, values }
    }

    /// The length of a padded row.
    pub fn stride(&self) -> usize {
        self.gram.stride
    }

    /// Makes row `i` available.
    pub fn ensure(&mut self, i: usize) {
        if let Values::Gathered(gather) = self.values {
            self.gram.ensure(i, gather);
        }
    }

    /// Row `i`, padded; it must be available.
    pub fn row(&self, i: usize) -> &[T] {
        let stride = self.gram.stride;
        match self.values {
            Values::Gathered(_) => &self.gram.values[i * stride..(i + 1) * stride],
            Values::InPlace(row) => &row(i)[..stride],
        }
    }

    /// The values `K(i, i)`, padded.
    pub fn diagonal(&self) -> &[T] {
        &self.gram.diagonal
    }
}

/// The length of the padded rows of `m` samples.
pub fn padded_len(m: usize) -> usize {
    m.next_multiple_of(PAIR_LANES)
}
