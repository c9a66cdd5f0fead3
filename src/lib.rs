//! Fast support vector machines and model selection.
//!
//! Modules depend on each other in one direction: each uses only those left of it
//! (`tests/rust/architecture.rs` checks this).
//!
//! `error, monitor, memory, threads -> data -> simd -> kernel -> solver -> multiclass -> model -> select -> python`
//!
//! All modules left of `python` are independent of Python, print nothing, and return [`Result`].
//! Parallel loops run in the current rayon pool. Only `simd` may contain unsafe code; it is
//! forbidden in all other modules.

#![deny(unsafe_code)]

#[forbid(unsafe_code)]
pub mod data;
#[forbid(unsafe_code)]
pub mod error;
#[forbid(unsafe_code)]
pub mod kernel;
#[forbid(unsafe_code)]
pub mod memory;
#[forbid(unsafe_code)]
pub mod model;
#[forbid(unsafe_code)]
pub mod monitor;
#[forbid(unsafe_code)]
pub mod multiclass;
#[forbid(unsafe_code)]
pub mod select;
pub mod simd;
#[forbid(unsafe_code)]
pub mod solver;
#[forbid(unsafe_code)]
pub mod threads;

#[cfg(feature = "python")]
#[forbid(unsafe_code)]
mod python;

pub use error::{Error, Result};
