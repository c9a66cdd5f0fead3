//! Nesterov's accelerated gradient (Lu and Jin 2017, algorithm 3).
//!
//! ```text
//! v <- gamma v + eta (lambda (w - gamma v) - u);   w <- w - v
//! ```
//!
//! The violators in u are also those at `w - gamma v`. (The listing of the paper evaluates the loss
//! at w; its text and equation 7 evaluate the gradient at `w - gamma v`.)

use super::RuleState;
use super::velocity::Velocity;

/// The rule, continued from a state.
pub fn nag(lambda: f64, eta: f64, gamma: f64, state: &RuleState) -> Velocity {
    let decay = eta * lambda;
    Velocity::new(gamma * (1.0 - decay), decay, gamma, eta, state)
}
