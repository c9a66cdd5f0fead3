//! Model selection: many trainings on subsets of the same samples as one computation.
//!
//! The unit of work is a split into training and test samples. The samples of a split are scaled
//! by its training samples, sorted by class and packed once. Their products (squared distances or
//! dot products) are computed once for all kernels, and for all splits with the same scaling. A
//! kernel matrix, whose rows are computed when they are first read, is shared by all binary
//! problems and all settings of a path; the test samples are columns of the same matrix. Binary
//! classifiers are not kept, only their votes; the result of a cell is its scores and counts, and
//! its predictions and decision values if they are wanted. Jobs may have samples of their own,
//! such as those that a transformer fitted to their training samples returns.

mod clock;
mod evaluate;
mod gram;
mod linear;
mod outputs;
mod private_features;
mod scores;
mod shared;
mod source;
mod split;
mod tally;
mod task;

pub use clock::Phase;
pub use evaluate::{Cell, Decisions, Evaluation, Job, Outputs, Plan, Wanted};
pub use linear::LinearPath;
pub use scores::Scores;
pub use source::{Scaling, Source};
