//! Model selection: many trainings on parts of the same rows, as one computation.
//!
//! The unit of work is a split: training rows, and test rows to be predicted. Its rows are
//! scaled by its training rows, sorted by class and packed once; their products (squared
//! distances, or dot products) are computed once and serve every kernel (and other splits that scale rows alike); a kernel matrix,
//! whose rows are computed when they are first asked for, serves every machine and the whole
//! path of a method. Test rows are columns of the same
//! matrix. Machines are counted one after the other and forgotten; what comes out of a cell is
//! its scores, and what its training took.

mod clock;
mod evaluate;
mod gram;
mod linear;
mod outputs;
mod scores;
mod shared;
mod split;
mod tally;
mod task;

pub use clock::Phase;
pub use evaluate::{Cell, Evaluation, Job, Plan};
pub use linear::LinearPath;
pub use scores::Scores;
pub use split::Scaling;
