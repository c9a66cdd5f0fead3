//! Exact line search along a Newton step.
//!
//! Along a line the objective is convex and piecewise quadratic. Its slope is increasing, and its
//! root is found by bisection.

use super::point::Point;
use super::{Bias, Run};

/// The number of bisections.
const BISECTIONS: usize = 60;

impl Run {
    /// The length of the step to `next`, at most 1, that minimizes the objective, and its relative
    /// decrease.
    pub(super) fn line_search(&self, next: &Point, share: f64) -> (f64, f64) {
        let here = &self.point;
        let change: Vec<f64> = next
            .outputs
            .iter()
            .zip(&here.outputs)
            .map(|(a, b)| a - b)
            .collect();
        let step = next.bias - here.bias;
        // |w|^2 after a step of length s is w0 + 2 w1 s + w2 s^2.
        let own = |point: &Point, with: &dyn Fn(usize) -> f64| -> f64 {
            point.terms.iter().map(|&(i, beta)| beta * with(i)).sum()
        };
        let of_here = |i: usize| here.outputs[i] - here.bias;
        let of_change = |i: usize| change[i] - step;
        let mut w0 = own(here, &of_here);
        let mut w1 = own(here, &of_change);
        let mut w2 = own(next, &of_change) - w1;
        if self.bias == Bias::Penalized {
            w0 += here.bias * here.bias;
            w1 += here.bias * step;
            w2 += step * step;
        }
        let active: Vec<usize> = (0..change.len())
            .filter(|&i| self.is_active(i, share))
            .collect();
        let loss =
            |i: usize, s: f64| (1.0 - self.signs[i] * (here.outputs[i] + s * change[i])).max(0.0);
        let slope = |s: f64| -> f64 {
            let losses = active
                .iter()
                .map(|&i| -2.0 * self.weights[i] * self.signs[i] * change[i] * loss(i, s));
            2.0 * self.lambda * (w1 + s * w2) + losses.sum::<f64>()
        };
        let value = |s: f64| -> f64 {
            let losses = active.iter().map(|&i| self.weights[i] * loss(i, s).powi(2));
            self.lambda * (w0 + s * (2.0 * w1 + s * w2)) + losses.sum::<f64>()
        };
        let (mut low, mut high) = (0.0, 1.0);
        let before = value(0.0);
        if slope(1.0) > 1e-9 * before {
            for _ in 0..BISECTIONS {
                let middle = 0.5 * (low + high);
                if slope(middle) > 0.0 {
                    high = middle;
                } else {
                    low = middle;
                }
            }
        } else {
            low = 1.0;
        }
        (low, (before - value(low)) / before.max(f64::MIN_POSITIVE))
    }
}
