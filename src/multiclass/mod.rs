//! Multiclass classification by binary classifiers: one-vs-one, one-vs-rest, or ordinal, that is,
//! neighbours in an order of the classes.
//!
//! Samples are sorted by class, so that the samples of a binary problem are a few contiguous
//! ranges. Binary problems are solved in parallel; a large one also uses several threads itself.

mod linear;
mod patterns;
mod scheme;
mod train;
mod training_set;

pub use linear::LinearSet;
pub use patterns::{Patterns, is_first};
pub use scheme::{MachineSpec, Scheme, Sides, pair, pair_number};
pub use train::{RowSource, Training};
pub use training_set::TrainingSet;
