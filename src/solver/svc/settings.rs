//! Hyperparameters of the exact solver.

use super::{Formulation, Svc};
use crate::solver::hyperparameters::{check_cs, check_max_iter, check_positive};
use crate::{Error, Result};

/// Unchecked hyperparameters.
#[derive(Debug, Clone, PartialEq)]
pub struct SvcSettings {
    /// The values of the regularization parameter C, one for each classifier of the path: the
    /// upper bounds of alpha before weights.
    pub cs: Vec<f64>,
    /// The problem that is solved, with epsilon or nu of each setting.
    pub formulation: Formulation,
    /// The tolerance of the KKT conditions.
    pub tol: f64,
    /// The number of samples in the working set; `None` chooses it during training.
    pub working_set_size: Option<usize>,
    /// Whether samples that are likely to stay at their bounds are removed temporarily.
    pub shrinking: bool,
    /// The maximum number of iterations of a binary problem; `None` for no limit.
    pub max_iter: Option<usize>,
}

impl SvcSettings {
    /// Checks the hyperparameters and returns the solver.
    pub fn check(mut self) -> Result<Svc> {
        check_cs(&mut self.cs)?;
        self.formulation.check(self.cs.len())?;
        check_positive("tol", self.tol)?;
        if let Some(size) = self.working_set_size.filter(|&size| size < 2) {
            let rule = "it must be at least 2";
            return Err(Error::parameter("working_set_size", size, rule));
        }
        check_max_iter(self.max_iter)?;
        Ok(Svc { settings: self })
    }
}
