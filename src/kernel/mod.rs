//! Kernel functions, and every way to have their values: blocks of rows, the
//! whole Gram matrix, and rows kept by a cache with a budget in bytes.

mod cache;
mod computed;
mod exact;
mod function;
mod gram;
mod packed;
mod parts;
mod rows;
mod sparse;

pub use cache::{CacheCounts, RowCache};
pub use computed::{CachedRows, ComputedRows};
pub use exact::{ExactSums, WidenedRows};
pub use function::{Extent, Gamma, Kernel, KernelKind, KernelSettings};
pub use gram::{Gram, KernelMatrix};
pub use packed::{PackedRows, QUERY_BLOCK, Queries, pack_panels};
pub use parts::{Part, Parts, Piece, Row};
pub use rows::{GramRows, KernelRows, Threading, sweep_pays};
