//! Support vector machines and their model selection, fast.
//!
//! The modules stand in one direction; each uses only what stands left of it
//! (`tests/rust/architecture.rs` checks this):
//!
//! `error, monitor, memory, threads -> data -> simd -> kernel -> solver -> multiclass -> model -> select -> python`
//!
//! Everything left of `python` knows nothing of Python, prints nothing, and
//! returns [`Result`]; parallel loops run in the rayon pool of the caller. Only `simd`
//! may hold unsafe code; the other modules cannot even allow it.

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
