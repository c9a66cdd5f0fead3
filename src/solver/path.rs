//! The regularization path: one binary classifier for each value of C.

use super::Machine;
use crate::Result;

/// The starting points along a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathStart {
    /// Each problem starts from the solution for the next smaller C: ascending order of C.
    Warm,
    /// Each problem starts from scratch, in the given order.
    Cold,
}

/// Calls `train` for each C, and returns the results in the order of `cs`.
pub fn along_path(
    cs: &[f64],
    start: PathStart,
    mut train: impl FnMut(f64) -> Result<Machine>,
) -> Result<Vec<Machine>> {
    let order = match start {
        PathStart::Warm => ascending(cs),
        PathStart::Cold => (0..cs.len()).collect(),
    };
    in_order(&order, |number| train(cs[number]))
}

/// Calls `train` for each setting in this order, and returns the results in the order of the
/// settings.
pub fn in_order(
    order: &[usize],
    mut train: impl FnMut(usize) -> Result<Machine>,
) -> Result<Vec<Machine>> {
    let mut machines = vec![None; order.len()];
    for &number in order {
        machines[number] = Some(train(number)?);
    }
    Ok(machines.into_iter().flatten().collect())
}

/// The indices that sort the values in ascending order.
pub fn ascending(values: &[f64]) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..values.len()).collect();
    indices.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    indices
}
