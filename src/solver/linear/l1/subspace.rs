//! Newton steps in the subspace of the nonzero weights (after Chen, Curtis and Robinson 2017).
//!
//! As long as no weight changes its sign, the objective is differentiable, with
//!
//! ```text
//! g_j = L'_j + sign(w_j),   H = 2 sum over the samples with b_i > 0 of z_i z_i'
//! ```
//!
//! Some iterations of conjugate gradients with a diagonal preconditioner give a direction p that
//! approximates `H p = -g`. It changes all weights at once, which helps where features are
//! correlated and coordinate descent is slow. Weights that would change their sign are set to 0,
//! and the step to that point ends at the minimum on its way. If that is near the start, the step
//! follows p itself, as far as no weight changes its sign.

use super::columns::{Column, Columns};
use crate::Result;
use crate::memory::try_zeros;
use crate::monitor::Monitor;

/// The residual relative to the gradient at which conjugate gradients end.
const RESIDUAL: f64 = 0.01;

/// The curvature along a direction, relative to that of the diagonal, that is taken for 0.
const NO_CURVATURE: f64 = 1e-12;

/// The fraction of a change of the weights below which it is not worth a step.
const MIN_LENGTH: f64 = 0.1;

/// The maximum number of iterations of the line search.
const MAX_TRIALS: usize = 30;

/// The slope, relative to the first one, at which the line search ends.
const SMALL_SLOPE: f64 = 1e-6;

/// The purpose of the allocations, for error messages.
const WHAT: &str = "a Newton step";

/// The nonzero weights at which a step starts.
pub struct Subspace<'r> {
    /// The samples by feature.
    pub columns: &'r Columns,
    /// The features.
    pub features: &'r [u32],
    /// Their weights.
    pub weights: &'r [f64],
    /// The scaled slacks b of all samples.
    pub slacks: &'r [f64],
}

/// A step that decreases the objective.
pub struct Step {
    /// The new weights.
    pub weights: Vec<f64>,
    /// The new slacks.
    pub slacks: Vec<f64>,
    /// The fraction of the change of the weights at which the objective is minimal.
    length: f64,
    /// Number of products with H, each of which costs about as much as an epoch.
    pub n_products: usize,
}

impl Subspace<'_> {
    /// The step with at most `max_products` products; `None` if no step decreases the objective.
    pub fn step(&self, max_products: usize, monitor: &Monitor) -> Result<Option<Step>> {
        let derivatives = |place| self.column(place).derivatives(self.slacks);
        let (mut gradient, diagonal): (Vec<f64>, Vec<f64>) =
            (0..self.features.len()).map(derivatives).unzip();
        for (g, w) in gradient.iter_mut().zip(self.weights) {
            *g += w.signum();
        }
        let (p, n_products) = self.direction(&gradient, &diagonal, max_products, monitor)?;
        for change in [self.clip(&p), self.scale(&p)] {
            if dot(&gradient, &change) < 0.0 {
                let step = self.shorten(&change, n_products)?;
                if step.length >= MIN_LENGTH {
                    return Ok(Some(step));
                }
            }
        }
        Ok(None)
    }

    /// The change p of the weights, where those that would change their sign become 0.
    fn clip(&self, p: &[f64]) -> Vec<f64> {
        let each = self.weights.iter().zip(p);
        each.map(|(&w, &p)| if (w + p) * w > 0.0 { p } else { -w })
            .collect()
    }

    /// The change p of the weights, scaled so that the first weight that would change its sign
    /// becomes 0.
    fn scale(&self, p: &[f64]) -> Vec<f64> {
        let each = self.weights.iter().zip(p);
        let lengths = each.map(|(w, p)| if p * w < 0.0 { -w / p } else { 1.0 });
        let length = lengths.fold(1.0, f64::min);
        p.iter().map(|p| length * p).collect()
    }

    fn column(&self, place: usize) -> Column<'_> {
        self.columns.column(self.features[place] as usize)
    }

    /// `out <- sum_j p_j z_j`.
    fn expand(&self, p: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (place, &p) in p.iter().enumerate() {
            self.column(place).subtract_from(out, -p);
        }
    }

    /// The direction p, and the number of products with H.
    fn direction(
        &self,
        gradient: &[f64],
        diagonal: &[f64],
        max_products: usize,
        monitor: &Monitor,
    ) -> Result<(Vec<f64>, usize)> {
        let scale = |r: f64, h: f64| if h > 0.0 { r / h } else { 0.0 };
        let scaled = |r: &[f64]| r.iter().zip(diagonal).map(|(&r, &h)| scale(r, h)).collect();
        let mut p = vec![0.0; gradient.len()];
        let mut r: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let mut v: Vec<f64> = scaled(&r);
        let mut square = dot(&r, &v);
        let enough = RESIDUAL * RESIDUAL * square;
        let mut of_samples = try_zeros(self.slacks.len(), 1, WHAT)?;
        let mut hv = vec![0.0; v.len()];
        for n_products in 0..max_products {
            monitor.check()?;
            if square <= enough || monitor.time_is_up() {
                return Ok((p, n_products));
            }
            self.multiply(&v, &mut hv, &mut of_samples);
            let curvature = dot(&v, &hv);
            let of_diagonal: f64 = v.iter().zip(diagonal).map(|(v, h)| v * v * h).sum();
            if curvature <= NO_CURVATURE * of_diagonal {
                return Ok((p, n_products + 1));
            }
            let length = square / curvature;
            for (place, hv) in hv.iter().enumerate() {
                p[place] += length * v[place];
                r[place] -= length * hv;
            }
            let next: Vec<f64> = scaled(&r);
            let ratio = dot(&r, &next) / square;
            square *= ratio;
            for (v, next) in v.iter_mut().zip(next) {
                *v = next + ratio * *v;
            }
        }
        Ok((p, max_products))
    }

    /// `product <- H v`; `of_samples` is a buffer with an element per sample.
    fn multiply(&self, v: &[f64], product: &mut [f64], of_samples: &mut [f64]) {
        self.expand(v, of_samples);
        for (u, b) in of_samples.iter_mut().zip(self.slacks) {
            *u = if *b > 0.0 { 2.0 * *u } else { 0.0 };
        }
        for (place, product) in product.iter_mut().enumerate() {
            *product = self.column(place).dot(of_samples);
        }
    }

    /// The step to the minimum between the weights and the weights plus `change`.
    fn shorten(&self, change: &[f64], n_products: usize) -> Result<Step> {
        let mut slacks = try_zeros(self.slacks.len(), 1, WHAT)?;
        self.expand(change, &mut slacks);
        let length = self.line_search(change, &slacks);
        for (slack, b) in slacks.iter_mut().zip(self.slacks) {
            *slack = b - length * *slack;
        }
        let each = self.weights.iter().zip(change);
        Ok(Step {
            weights: each.map(|(w, change)| w + length * change).collect(),
            slacks,
            length,
            n_products,
        })
    }

    /// The length s from 0 to 1 that minimizes the objective at `weights + s change`, whose slacks
    /// are `b - s slack_change`.
    ///
    /// The slope is increasing and piecewise linear. Each iteration is a Newton step for its root,
    /// or a bisection if that would leave the bracketing interval.
    fn line_search(&self, change: &[f64], slack_change: &[f64]) -> f64 {
        let signs = self.weights.iter().map(|w| w.signum());
        let of_norm: f64 = signs.zip(change).map(|(sign, change)| sign * change).sum();
        let slope_at = |s: f64| {
            let (mut slope, mut curvature) = (of_norm, 0.0);
            for (b, change) in self.slacks.iter().zip(slack_change) {
                let b = b - s * change;
                let change = if b > 0.0 { *change } else { 0.0 };
                slope -= 2.0 * b * change;
                curvature += 2.0 * change * change;
            }
            (slope, curvature)
        };
        let (first, _) = slope_at(0.0);
        let (mut low, mut high, mut s) = (0.0, 1.0, 1.0);
        for _ in 0..MAX_TRIALS {
            let (slope, curvature) = slope_at(s);
            if slope.abs() <= SMALL_SLOPE * first.abs() || (s == 1.0 && slope < 0.0) {
                break;
            }
            if slope > 0.0 {
                high = s;
            } else {
                low = s;
            }
            s -= slope / curvature;
            if !(s > low && s < high) {
                s = 0.5 * (low + high);
            }
        }
        s
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
