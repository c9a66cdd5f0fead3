//! Nesterov's accelerated gradient (Lu and Jin 2017, algorithm 3).
//!
//! ```text
//! v <- gamma v + eta (lambda (w - gamma v) - u);   w <- w - v
//! ```
//!
//! The violators in u are also those at `w - gamma v`, as in the text and equation 7 of the paper;
//! or those at w, as in its listing ([`MarginTest`]).

use super::RuleState;
use super::velocity::Velocity;

/// Where the margin of a sample is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarginTest {
    /// At `w - gamma v`.
    Ahead,
    /// At w.
    AtWeights,
}

/// The rule, continued from a state.
pub fn nag(lambda: f64, eta: f64, gamma: f64, test: MarginTest, state: &RuleState) -> Velocity {
    let decay = eta * lambda;
    let ahead = match test {
        MarginTest::Ahead => gamma,
        MarginTest::AtWeights => 0.0,
    };
    Velocity::new(gamma * (1.0 - decay), decay, ahead, eta, state)
}
