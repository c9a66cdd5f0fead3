//! Kernel functions and kernel matrices: blocks of rows, the whole Gram matrix, and rows that
//! are computed on demand or kept in a cache with a budget in bytes.

mod cache;
mod cached_rows;
mod computed_rows;
mod exact;
mod function;
mod gram;
mod gram_rows;
mod packed;
mod panels;
mod parts;
mod queries;
mod rows;
mod sparse;
mod sparse_subset;
mod subset;

pub use cache::{CacheCounts, RowCache};
pub use cached_rows::CachedRows;
pub use computed_rows::ComputedRows;
pub use exact::{ExactRows, ExactSums};
pub use function::{Extent, Gamma, Kernel, KernelKind, KernelSettings};
pub use gram::{Gram, KernelMatrix, all_products};
pub use gram_rows::GramRows;
pub use packed::{PackedRows, QUERY_BLOCK};
pub use panels::{Panels, pack_panels};
pub use parts::{Part, Parts, Piece, Row};
pub use queries::Queries;
pub use rows::{BlockRows, KernelRows, ShrinkableRows, SingleRows, Threading, sweep_pays};
pub use subset::Subset;
