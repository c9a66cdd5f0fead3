//! Shrinking (Joachims 1999): the problem without the samples that are likely to stay at their
//! bounds.

use super::dual::{Dual, Violation};
use super::gradient::reconstruct_gradient;
use super::run::Run;
use super::working_set::Kept;
use crate::Result;
use crate::kernel::ShrinkableRows;
use crate::simd::Lanes;
use crate::solver::Status;

/// The number of samples below which shrinking does not pay.
const MIN_SAMPLES: usize = 2000;

impl<T: Lanes> Run<'_, T> {
    /// Solves the problem of the active samples, then reconstructs the gradient of the others,
    /// unless the time limit was reached. Returns how the smaller problem ended; `None` if
    /// shrinking does not pay.
    pub(super) fn shrink(
        &mut self,
        dual: &mut Dual,
        rows: &mut impl ShrinkableRows<T>,
        violation: &Violation,
        kept: &[usize],
    ) -> Result<Option<Status>> {
        if !self.settings.shrinking || dual.len() < MIN_SAMPLES {
            return Ok(None);
        }
        let (removed, active): (Vec<usize>, Vec<usize>) =
            (0..dual.len()).partition(|&i| dual.may_be_shrunk(i, violation));
        if active.len() > dual.len() / 2 {
            return Ok(None);
        }
        let mut solved = dual.gather(&active);
        let status = rows.shrink(&active, |rows| {
            self.gram_set.clear();
            let kept = kept.iter().filter_map(|i| active.binary_search(i).ok());
            self.solve(&mut solved, rows, Kept::Previous(kept.collect()), None)
        })?;
        let Some(status) = status else {
            return Ok(None);
        };
        self.gram_set.clear();
        if status == Status::TimeLimit {
            let level = || solved.level(self.tol);
            self.late.get_or_insert_with(level);
        } else {
            let changes = dual.changes_to(&active, &solved.beta);
            reconstruct_gradient(dual, rows, &changes, &removed, self.monitor)?;
        }
        for (k, &i) in active.iter().enumerate() {
            (dual.beta[i], dual.v[i]) = (solved.beta[k], solved.v[k]);
        }
        Ok(Some(status))
    }
}
