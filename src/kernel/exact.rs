//! Sums of kernel values in f64, for problems whose kernel values are f32.
//!
//! A kernel value in f32 has an error of about 1e-7 relative to the largest one. Multiplied by
//! large coefficients, that can exceed the tolerance of a solver. The solver then computes its
//! sums in f64 to measure their error, and replaces them.

use super::computed_rows::add_kernel_sums;
use super::{Kernel, KernelKind, PackedRows, Threading};
use crate::Result;
use crate::data::Matrix;
use crate::monitor::Monitor;
use crate::simd::Lanes;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Sums of kernel values that are as exact as f64 allows.
pub trait ExactSums: Sync {
    /// `sums_k += sum over (i, factor) of factor K(i, rows_k)`, with global indices.
    fn add(
        &self,
        terms: &[(usize, f64)],
        rows: &[usize],
        sums: &mut [f64],
        threading: Threading,
        monitor: &Monitor,
    ) -> Result<()>;

    /// The violation of the optimality conditions in f64 that is accepted, in multiples of `tol`.
    fn slack(&self) -> f64;

    /// An upper bound on the error of the kernel values that a solver sees; infinite if unknown.
    fn precision(&self) -> f64;

    /// An upper bound on the range of the errors of all samples, relative to the range of the
    /// errors of a few of them.
    fn spread(&self) -> f64;
}

/// Values of gamma for which products that f32 cannot represent do not matter.
const USUAL_GAMMAS: std::ops::RangeInclusive<f64> = 1e-12..=1e12;

/// Packed rows in f32, of which rows in f64 are packed when sums are first requested.
pub struct ExactRows<'a, T: Lanes> {
    packed: &'a PackedRows<T>,
    kernel: &'a Kernel,
    wide: &'a OnceLock<PackedRows<f64>>,
    /// The rows before they were rounded to f32.
    unrounded: Option<&'a Matrix<'a, f64>>,
    /// The largest norm of the rounding error of a row.
    rounding: f64,
    slack: f64,
    n_computed: AtomicU64,
}

/// The slack for samples in f32, which are rounded themselves.
const SLACK: f64 = 2.0;

impl<'a, T: Lanes> ExactRows<'a, T> {
    /// `wide` stores the converted rows, and may be shared by several kernels and problems.
    /// `None` if the kernel values that a solver sees are in f64 already, or precomputed.
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
            unrounded: None,
            rounding: 0.0,
            slack: SLACK,
            n_computed: AtomicU64::new(0),
        })
    }

    /// With rows that were rounded to f32, by errors of at most this norm.
    pub fn with_unrounded(self, rows: Option<&'a Matrix<'a, f64>>, rounding: f64) -> Self {
        Self {
            unrounded: rows,
            rounding,
            ..self
        }
    }

    /// With another slack; see [`ExactSums::slack`].
    pub fn with_slack(self, slack: f64) -> Self {
        Self { slack, ..self }
    }

    /// Kernel values computed so far.
    pub fn n_computed(&self) -> u64 {
        self.n_computed.load(Ordering::Relaxed)
    }

    fn wide(&self) -> Result<&PackedRows<f64>> {
        if let Some(wide) = self.wide.get() {
            return Ok(wide);
        }
        // Two threads may convert them at the same time; the first result is kept.
        let converted = match self.unrounded {
            None => self.packed.widen()?,
            Some(rows) => {
                let all: Vec<u32> = (0..rows.n_rows() as u32).collect();
                PackedRows::new(rows, &all)?
            }
        };
        Ok(self.wide.get_or_init(|| converted))
    }
}

impl<T: Lanes> ExactSums for ExactRows<'_, T> {
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

    fn slack(&self) -> f64 {
        self.slack
    }

    fn spread(&self) -> f64 {
        match self.kernel.kind() {
            // The range of thousands of normally distributed errors is about three times as large.
            KernelKind::Rbf => 3.0,
            // Errors grow with the norm of a sample.
            _ => 10.0,
        }
    }

    fn precision(&self) -> f64 {
        match self.kernel.kind() {
            // The error of a squared distance grows with the square root of the number of
            // features; the exponential propagates at most 0.37 of its relative error. Measured
            // on random samples.
            KernelKind::Rbf => {
                let root = (self.packed.n_cols() as f64).sqrt();
                let of_products = f64::from(f32::EPSILON) * (0.8 + 0.15 * root);
                // If the difference of two rows changes by e, its square, d^2, changes by at most
                // 2 d e + e^2, and the kernel value by gamma exp(-gamma d^2) times that.
                let (gamma, e) = (self.kernel.gamma(), 2.0 * self.rounding);
                let of_rows = (2.0 * gamma / std::f64::consts::E).sqrt() * e + gamma * e * e;
                if USUAL_GAMMAS.contains(&gamma) {
                    of_products + of_rows
                } else {
                    f64::INFINITY
                }
            }
            _ => f64::INFINITY,
        }
    }
}
