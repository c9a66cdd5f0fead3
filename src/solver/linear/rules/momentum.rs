//! Momentum (Lu and Jin 2017, algorithm 1).
//!
//! ```text
//! v <- gamma v + eta (lambda w - u);   w <- w - v
//! ```

use super::RuleState;
use super::velocity::Velocity;

/// The rule, continued from a state.
pub fn momentum(lambda: f64, eta: f64, gamma: f64, state: &RuleState) -> Velocity {
    Velocity::new(gamma, eta * lambda, 0.0, eta, state)
}
