//! Sums of kernel values in f64, for problems whose kernel values are f32.
//!
//! A kernel value in f32 is off by about 1e-7 of the largest one. Multiplied by large
//! coefficients that is more than a solver's tolerance: it then measures by these sums how
//! far its own are off, and replaces them.

use super::computed::add_kernel_sums;
use super::{Kernel, KernelKind, PackedRows, Threading};
use crate::Result;
use crate::monitor::Monitor;
use crate::simd::Lanes;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Sums of kernel values that are as exact as f64 allows.
pub trait ExactSums: Sync {
    /// `sums_k += sum over (i, factor) of factor K(i, rows_k)`, by numbers of packed rows.
    fn add(
        &self,
        terms: &[(usize, f64)],
        rows: &[usize],
        sums: &mut [f64],
        threading: Threading,
        monitor: &Monitor,
    ) -> Result<()>;

    /// What the values that a solver sees are off by, at the most; infinite if that is unknown.
    fn precision(&self) -> f64;

    /// What the spread of the errors of all rows is, at the most, of the spread of those of a few.
    fn spread(&self) -> f64;
}

/// Packed rows of a smaller type than f64, which are converted when sums are first asked for.
pub struct WidenedRows<'a, T: Lanes> {
    packed: &'a PackedRows<T>,
    kernel: &'a Kernel,
    wide: &'a OnceLock<PackedRows<f64>>,
    n_computed: AtomicU64,
}

impl<'a, T: Lanes> WidenedRows<'a, T> {
    /// `wide` keeps the converted rows, for other kernels and problems, too. `None` where the
    /// kernel values that a solver sees are exact already.
    pub fn new(
        packed: &'a PackedRows<T>,
        kernel: &'a Kernel,
        wide: &'a OnceLock<PackedRows<f64>>,
    ) -> Option<Self> {
        let is_exact = size_of::<T>() >= size_of::<f64>();
        (!is_exact && kernel.kind() != KernelKind::Precomputed).then_some(Self {
            packed,
            kernel,
            wide,
            n_computed: AtomicU64::new(0),
        })
    }

    /// Kernel values computed so far.
    pub fn n_computed(&self) -> u64 {
        self.n_computed.load(Ordering::Relaxed)
    }

    fn wide(&self) -> Result<&PackedRows<f64>> {
        if let Some(wide) = self.wide.get() {
            return Ok(wide);
        }
        // Two threads may both convert them; the first result is kept.
        let converted = self.packed.widen()?;
        Ok(self.wide.get_or_init(|| converted))
    }
}

impl<T: Lanes> ExactSums for WidenedRows<'_, T> {
    fn add(
        &self,
        terms: &[(usize, f64)],
        rows: &[usize],
        sums: &mut [f64],
        threading: Threading,
        monitor: &Monitor,
    ) -> Result<()> {
        let wide = self.wide()?;
        let others = wide.gather(rows)?;
        let n_values = terms.len() as u64 * rows.len() as u64;
        self.n_computed.fetch_add(n_values, Ordering::Relaxed);
        add_kernel_sums(wide, &others, self.kernel, terms, sums, threading, monitor)
    }

    fn spread(&self) -> f64 {
        match self.kernel.kind() {
            // The extremes of thousands of normal errors lie about three times as far apart.
            KernelKind::Rbf => 3.0,
            // Errors grow with the length of a row.
            _ => 10.0,
        }
    }

    fn precision(&self) -> f64 {
        match self.kernel.kind() {
            // Errors of the squared distance grow with the root of the number of features; the
            // exponential passes on 0.37 of their share at the most. Measured on random rows.
            KernelKind::Rbf => {
                let root = (self.packed.n_cols() as f64).sqrt();
                f64::from(f32::EPSILON) * (0.8 + 0.15 * root)
            }
            _ => f64::INFINITY,
        }
    }
}
