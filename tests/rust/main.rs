//! All tests of the Rust core, in one program: the core is compiled and linked once for all of
//! them. A file is a module, so `cargo test svc` runs what stands in `svc.rs`.

mod architecture;
mod binary_problem;
mod cache;
mod certificates;
mod csr;
mod data;
mod digest;
mod exponential;
mod folds;
mod gram;
mod hyperparameters;
mod kernel;
mod kernel_settings;
mod levels;
mod libsvm_text;
mod libsvm_text_any;
mod linear;
mod mnsvm;
mod model;
mod model_parts;
mod multiclass;
mod newton;
mod nlsgd;
mod nnisda;
mod ollawv;
mod patterns;
mod products;
mod rows;
mod scaling;
mod scheme;
mod select;
mod simd;
mod svc;
mod threads;
mod votes;
