//! Several classes out of binary machines: one against one, one against the rest, or neighbours
//! in an order of the classes.
//!
//! Rows are sorted by class, so that a machine's rows are two or three
//! contiguous ranges. Machines are trained in parallel; a large one is parallel
//! inside as well.

mod linear;
mod patterns;
mod scheme;
mod train;

pub use linear::LinearSet;
pub use patterns::{Patterns, is_first};
pub use scheme::{MachineSpec, Scheme, Sides, pair, pair_number};
pub use train::{RowSource, Training, TrainingSet};
