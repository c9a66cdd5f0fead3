//! Support vector machines and their model selection, fast.
//!
//! The modules stand in one direction; each uses only what stands left of it
//! (`tests/architecture.rs` checks this):
//!
//! `error, monitor, threads -> data -> simd -> kernel -> solver -> multiclass -> model -> select -> python`
//!
//! Everything left of `python` knows nothing of Python, prints nothing, and
//! returns [`Result`]; parallel loops run in the rayon pool of the caller.

#![deny(unsafe_code)]

pub mod data;
pub mod error;
pub mod kernel;
pub mod model;
pub mod monitor;
pub mod multiclass;
pub mod select;
pub mod simd;
pub mod solver;
pub mod threads;

#[cfg(feature = "python")]
mod python;

pub use error::{Error, Result};
