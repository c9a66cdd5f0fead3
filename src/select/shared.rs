//! Products of all samples, computed once for all splits with the same scaling.
//!
//! Samples that are not scaled, or whose features have few distinct values, are the same in many
//! splits. If a product costs more than a copy, these splits copy their products.

use super::evaluate::{Job, Plan};
use super::source::Source;
use super::split::{Products, Split};
use crate::Result;
use crate::data::{Affine, Matrix};
use crate::kernel::{PackedRows, all_products};
use crate::memory::byte_count;
use crate::monitor::Monitor;
use crate::simd::{Lanes, Product};

/// Multiply-adds per product from which copying it is faster.
const LEAST_COST: usize = 64;

/// The shared products may take `1 / SHARE` of the budget.
const SHARE: usize = 4;

/// Products of all samples with all samples.
pub struct Shared<T> {
    scaling: Affine,
    n: usize,
    /// The values of each product.
    values: Vec<(Product, Vec<T>)>,
}

impl<T: Lanes> Shared<T> {
    /// Computes the products for the most frequent scaling, if sharing them pays off.
    pub fn find<S: Lanes, M>(
        sources: &[Source<'_, S>],
        centers: &[Option<Vec<f64>>],
        plan: &Plan<'_>,
        jobs: &[&Job<M>],
        monitor: &Monitor,
    ) -> Result<Option<Self>> {
        let ([source], [center]) = (sources, centers) else {
            return Ok(None);
        };
        if jobs.iter().any(|job| job.is_precomputed()) {
            return Ok(None);
        }
        let (rows, n) = (&source.rows, source.rows.n_rows());
        let cost = match rows {
            Matrix::Dense(_) => rows.n_cols(),
            Matrix::Sparse(csr) => 8 * csr.values().len() / n.max(1),
        };
        let kinds: Vec<Product> = Product::ALL
            .into_iter()
            .filter(|&product| jobs.iter().any(|job| uses(job, product)))
            .collect();
        let bytes = byte_count::<T>(n, n).and_then(|bytes| bytes.checked_mul(kinds.len()));
        let fits = bytes.is_some_and(|bytes| bytes <= plan.budget_bytes / SHARE);
        if cost < LEAST_COST || !fits || jobs.len() < 2 {
            return Ok(None);
        }
        let scalings = jobs
            .iter()
            .map(|job| {
                monitor.check()?;
                source.scaling(&job.train, plan.scaling)
            })
            .collect::<Result<Vec<_>>>()?;
        let count = |scaling: &Affine| scalings.iter().filter(|other| *other == scaling).count();
        let Some(scaling) = scalings.iter().max_by_key(|scaling| count(scaling)) else {
            return Ok(None);
        };
        if count(scaling) < 2 {
            return Ok(None);
        }
        let mut wide: Matrix<'_, S> = scaling.apply(rows)?;
        if let Some(center) = center {
            wide.subtract(center);
        }
        let scaled: Matrix<'_, T> = wide.convert()?;
        drop(wide);
        monitor.check()?;
        let all: Vec<u32> = (0..n as u32).collect();
        let packed = PackedRows::new(&scaled, &all)?;
        let of_kind = |&product: &Product| Ok((product, all_products(&packed, product, monitor)?));
        Ok(Some(Self {
            scaling: scaling.clone(),
            n,
            values: kinds.iter().map(of_kind).collect::<Result<_>>()?,
        }))
    }

    /// The size in bytes.
    pub fn bytes(&self) -> usize {
        self.values.len() * self.n * self.n * size_of::<T>()
    }

    /// Copies the products of a split into a reused buffer; `None` if its scaling differs.
    pub fn products(
        &self,
        split: &Split<T>,
        product: Product,
        buffer: impl FnOnce() -> Result<Vec<T>>,
        monitor: &Monitor,
    ) -> Result<Option<Products<T>>> {
        let of_kind = self.values.iter().find(|(kind, _)| *kind == product);
        let (true, Some((_, all))) = (split.scaling() == Some(&self.scaling), of_kind) else {
            return Ok(None);
        };
        let n = split.n_rows();
        let mut values = split.resize_products(buffer()?)?;
        for (out, &row) in values.chunks_exact_mut(n.max(1)).zip(split.train()) {
            monitor.check()?;
            let from = &all[row as usize * self.n..(row as usize + 1) * self.n];
            for (out, &column) in out.iter_mut().zip(&split.order) {
                *out = from[column as usize];
            }
        }
        Ok(Some(Products::new(values, n)))
    }
}

/// Whether a job has a kernel that is a function of a product.
fn uses<M>(job: &Job<M>, product: Product) -> bool {
    job.kernels
        .iter()
        .any(|kernel| kernel.kind.product() == product)
}
