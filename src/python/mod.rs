//! The only code that knows Python: arrays in, errors out, one door.

#![allow(missing_docs)] // documented in `python/softmargin/_core.pyi`

mod arrays;
mod decisions;
mod door;
mod errors;
mod folds;
mod kernels;
mod limits;
mod linear;
mod linear_solvers;
mod model;
mod path;
mod problem;
mod scaling;
mod select;
mod solvers;
mod state;
mod text;
mod train;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<kernels::Kernel>()?;
    module.add_class::<limits::Limits>()?;
    module.add_class::<problem::TrainingData>()?;
    module.add_class::<solvers::OllawvSolver>()?;
    module.add_class::<solvers::SvcSolver>()?;
    module.add_class::<solvers::NlSgdSolver>()?;
    module.add_class::<solvers::MnSvmSolver>()?;
    module.add_class::<solvers::NnIsdaSolver>()?;
    module.add_class::<solvers::NewtonSolver>()?;
    module.add_class::<linear_solvers::SgdSolver>()?;
    module.add_class::<linear_solvers::GradientSolver>()?;
    module.add_class::<linear_solvers::ExactLinearSolver>()?;
    module.add_class::<linear_solvers::L1LinearSolver>()?;
    module.add_class::<model::Model>()?;
    module.add_class::<state::ModelState>()?;
    module.add_class::<linear::LinearFit>()?;
    module.add_class::<text::LibsvmReader>()?;
    module.add_class::<select::JobValue>()?;
    module.add_class::<select::SourceValue>()?;
    module.add_class::<select::PlanValue>()?;
    module.add_class::<select::Cells>()?;
    module.add_class::<select::Evaluation>()?;
    module.add_function(wrap_pyfunction!(solvers::fit, module)?)?;
    module.add_function(wrap_pyfunction!(linear::linear_fit, module)?)?;
    module.add_function(wrap_pyfunction!(decisions::linear_decision, module)?)?;
    module.add_function(wrap_pyfunction!(decisions::decide, module)?)?;
    module.add_function(wrap_pyfunction!(decisions::fit_sigmoids, module)?)?;
    module.add_function(wrap_pyfunction!(decisions::count_patterns, module)?)?;
    module.add_function(wrap_pyfunction!(kernels::kernel_matrix, module)?)?;
    module.add_function(wrap_pyfunction!(kernels::rows_digest, module)?)?;
    module.add_function(wrap_pyfunction!(kernels::simd_level, module)?)?;
    module.add_function(wrap_pyfunction!(kernels::release_memory, module)?)?;
    module.add_function(wrap_pyfunction!(folds::fold_labels, module)?)?;
    module.add_function(wrap_pyfunction!(folds::nested_fold_labels, module)?)?;
    module.add_function(wrap_pyfunction!(scaling::minmax_fit, module)?)?;
    module.add_function(wrap_pyfunction!(scaling::minmax_apply, module)?)?;
    module.add_function(wrap_pyfunction!(text::libsvm_lines, module)?)?;
    module.add_function(wrap_pyfunction!(door::inject_panic, module)?)?;
    Ok(())
}
