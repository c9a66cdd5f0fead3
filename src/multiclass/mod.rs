//! Several classes out of binary machines: one against one, or one against the rest.
//!
//! Rows are sorted by class, so that a machine's rows are two or three
//! contiguous ranges. Machines are trained in parallel; a large one is parallel
//! inside as well.

mod scheme;
mod train;

pub use scheme::{MachineSpec, Scheme, pair, pair_number};
pub use train::{RowSource, Training, TrainingSet};
