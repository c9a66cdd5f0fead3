//! Samples, labels and folds: checked once, trusted afterwards.

mod csr;
mod dense;
mod digest;
mod folds;
mod labels;
pub mod libsvm_text;
mod matrix;
mod random;
mod real;
mod scaling;

pub use csr::Csr;
pub use dense::{Dense, first_not_finite, not_finite};
pub use digest::Digest;
pub use folds::{fold_labels, nested_fold_labels};
pub use labels::Labels;
pub use matrix::{Matrix, Row, max_abs};
pub use random::Random;
pub use real::Real;
pub use scaling::Affine;
