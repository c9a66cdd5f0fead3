//! The only code that knows Python: arrays in, errors out, one door.

#![allow(missing_docs)] // documented in `python/softmargin/_core.pyi`

mod arrays;
mod door;
mod errors;
mod folds;
mod kernels;
mod linear;
mod linear_methods;
mod methods;
mod model;
mod scaling;
mod select;
mod state;
mod text;
mod train;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<model::Model>()?;
    module.add_class::<text::LibsvmReader>()?;
    module.add_class::<select::Evaluation>()?;
    module.add_function(wrap_pyfunction!(methods::fit, module)?)?;
    module.add_function(wrap_pyfunction!(linear::linear_fit, module)?)?;
    module.add_function(wrap_pyfunction!(linear::linear_decision, module)?)?;
    module.add_function(wrap_pyfunction!(linear::decide, module)?)?;
    module.add_function(wrap_pyfunction!(linear::count_patterns, module)?)?;
    module.add_function(wrap_pyfunction!(kernels::check_kernel, module)?)?;
    module.add_function(wrap_pyfunction!(kernels::kernel_matrix, module)?)?;
    module.add_function(wrap_pyfunction!(kernels::rows_digest, module)?)?;
    module.add_function(wrap_pyfunction!(kernels::simd_level, module)?)?;
    module.add_function(wrap_pyfunction!(folds::fold_labels, module)?)?;
    module.add_function(wrap_pyfunction!(folds::nested_fold_labels, module)?)?;
    module.add_function(wrap_pyfunction!(scaling::minmax_fit, module)?)?;
    module.add_function(wrap_pyfunction!(scaling::minmax_apply, module)?)?;
    module.add_function(wrap_pyfunction!(text::libsvm_lines, module)?)?;
    module.add_function(wrap_pyfunction!(door::inject_panic, module)?)?;
    Ok(())
}
