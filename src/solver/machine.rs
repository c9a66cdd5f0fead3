//! The result of a solver.

use super::Status;

/// A trained binary classifier: `f(x) = sum alpha_k K(x_k, x) + bias`, where alpha includes the
/// label.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    /// Packed index and coefficient of each support vector, in the order of the method.
    pub terms: Vec<(u32, f64)>,
    /// The bias.
    pub bias: f64,
    /// Number of iterations.
    pub n_iter: usize,
    /// Number of outer iterations; 1 for methods without an inner solver.
    pub n_loops: usize,
    /// How training ended.
    pub status: Status,
    /// Whether decision values need kernel values in f64: those in the type of the rows would
    /// shift them by more than the tolerance.
    pub needs_f64: bool,
    /// What nu stands for, in the formulations with nu: the half-width epsilon of the tube of
    /// regression, or C of classification.
    pub implied: Option<f64>,
}

impl Machine {
    /// The classifier of a run that had no time for a step: 0 everywhere.
    pub fn untrained() -> Self {
        Self {
            needs_f64: false,
            implied: None,
            terms: Vec::new(),
            bias: 0.0,
            n_iter: 0,
            n_loops: 0,
            status: Status::TimeLimit,
        }
    }

    /// Replaces a classifier that overflowed, now or during training, by one without support
    /// vectors whose status is [`Status::NonFinite`].
    pub(super) fn or_non_finite(self) -> Self {
        let is_finite = self.terms.iter().all(|term| term.1.is_finite());
        if is_finite && self.bias.is_finite() && self.status != Status::NonFinite {
            return self;
        }
        Self {
            terms: Vec::new(),
            bias: 0.0,
            status: Status::NonFinite,
            ..self
        }
    }
}
