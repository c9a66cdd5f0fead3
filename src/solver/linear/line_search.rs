//! The minimum of a convex, piecewise quadratic objective along a direction.

/// The maximum number of trial points.
const MAX_TRIALS: usize = 50;

/// The step length, of any size, at which the slope is at most `precision` times the first one, with
/// the values of the objective before and after the step.
///
/// `at(s)` returns value, slope and curvature after a step of length s. Each iteration is a Newton
/// step for the root of the slope, or a bisection if that would leave the bracketing interval.
pub fn minimize(at: impl Fn(f64) -> [f64; 3], precision: f64) -> (f64, [f64; 2]) {
    let [before, first_slope, _] = at(0.0);
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let mut s = 1.0;
    let mut now = at(s);
    for _ in 0..MAX_TRIALS {
        let [_, slope, curvature] = now;
        if slope.abs() <= precision * first_slope.abs() {
            break;
        }
        if slope > 0.0 {
            high = s;
        } else {
            low = s;
        }
        s -= slope / curvature;
        if !(s > low && s < high) {
            s = if high.is_finite() {
                0.5 * (low + high)
            } else {
                2.0 * low
            };
        }
        now = at(s);
    }
    (s, [before, now[0]])
}
