//! All benchmarks of the Rust core, in one program. The names of the benchmarks of a file start
//! with the name of the file: `cargo bench '^svc/'` runs those of `svc.rs`.

#![allow(missing_docs)]

mod cache;
mod gram;
mod kernel_rows;
mod libsvm_text;
mod linear;
mod methods;
mod ollawv;
mod predict;
mod select;
mod simd;
mod svc;
mod svr;

criterion::criterion_main!(
    cache::benches,
    gram::benches,
    kernel_rows::benches,
    libsvm_text::benches,
    linear::benches,
    methods::benches,
    ollawv::benches,
    predict::benches,
    select::benches,
    simd::benches,
    svc::benches,
    svr::benches
);
