//! The engine of model selection as a Python object: what is done survives an interrupt.

use super::arrays::{Rows, slice, with_matrix};
use super::door;
use super::kernels::KernelArgs;
use super::linear_methods::LinearMaker;
use super::methods::Maker;
use crate::Result;
use crate::data::Matrix;
use crate::memory::{try_collect, try_with_capacity};
use crate::model::Ties;
use crate::monitor::Monitor;
use crate::multiclass::Scheme;
use crate::select::{Cell, Evaluation as Core, Job, LinearPath, Phase, Plan, Scaling, Scores};
use crate::simd::Lanes;
use crate::solver::{BinarySolver, Method};
use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// `(training rows, test rows, kernels, settings of the path)`.
type JobArg<'py> = (
    PyReadonlyArray1<'py, u32>,
    PyReadonlyArray1<'py, u32>,
    Vec<KernelArgs>,
    Vec<f64>,
);

/// What all jobs have in common, besides the rows.
#[derive(FromPyObject)]
struct PlanArgs<'py> {
    #[pyo3(item)]
    codes: PyReadonlyArray1<'py, u32>,
    #[pyo3(item)]
    n_classes: usize,
    #[pyo3(item)]
    class_weights: Option<PyReadonlyArray1<'py, f64>>,
    #[pyo3(item)]
    sample_weights: Option<PyReadonlyArray1<'py, f64>>,
    #[pyo3(item)]
    scale: bool,
    #[pyo3(item)]
    single_precision: bool,
    #[pyo3(item)]
    multi_class: String,
    #[pyo3(item)]
    break_ties: bool,
    #[pyo3(item)]
    budget_bytes: usize,
    #[pyo3(item)]
    threads: usize,
    #[pyo3(item)]
    time_limit: Option<f64>,
    #[pyo3(item)]
    progress: Option<Py<PyAny>>,
}

/// What is allocated to show the cells.
const WHAT: &str = "a table of cells";

#[pyclass(module = "softmargin._core", frozen)]
pub struct Evaluation {
    jobs: Jobs,
    core: Core,
}

enum Jobs {
    Kernel(Vec<Job<Method>>),
    Linear(Vec<Job<LinearPath>>),
}

/// Jobs whose solvers are made of the settings of their paths.
fn jobs_of<S>(given: &[JobArg<'_>], solver: impl Fn(&[f64]) -> Result<S>) -> PyResult<Vec<Job<S>>> {
    let job = |(train, test, kernels, path): &JobArg<'_>| {
        Ok(Job {
            train: try_collect(slice(train)?.iter().copied(), "rows of splits")?,
            test: try_collect(slice(test)?.iter().copied(), "rows of splits")?,
            kernels: kernels
                .iter()
                .map(KernelArgs::settings)
                .collect::<Result<_>>()?,
            solver: solver(path)?,
        })
    };
    given.iter().map(job).collect()
}

#[pymethods]
impl Evaluation {
    #[new]
    fn new(
        method: &str,
        settings: &Bound<'_, PyDict>,
        jobs_given: Vec<JobArg<'_>>,
    ) -> PyResult<Self> {
        let jobs = match LinearMaker::new(method, settings)? {
            Some(maker) => Jobs::Linear(jobs_of(&jobs_given, |path| {
                let methods = path.iter().map(|&value| maker.method(value));
                Ok(LinearPath {
                    methods: methods.collect::<Result<_>>()?,
                    constant: maker.constant()?,
                })
            })?),
            None => {
                let maker = Maker::new(method, settings)?;
                Jobs::Kernel(jobs_of(&jobs_given, |path| maker.method(path))?)
            }
        };
        let core = match &jobs {
            Jobs::Kernel(jobs) => Core::new(jobs),
            Jobs::Linear(jobs) => Core::new(jobs),
        };
        Ok(Self { jobs, core })
    }

    /// Evaluates what is not done yet; what was done before an exception stays.
    fn run(&self, py: Python<'_>, rows: &Bound<'_, PyAny>, plan: PlanArgs<'_>) -> PyResult<()> {
        let rows = Rows::extract(rows)?;
        let view = rows.view()?;
        let codes = slice(&plan.codes)?;
        let common = Plan {
            codes,
            n_classes: plan.n_classes,
            class_weights: plan.class_weights.as_ref().map(slice).transpose()?,
            row_weights: plan.sample_weights.as_ref().map(slice).transpose()?,
            scaling: if plan.scale {
                Scaling::MinMax
            } else {
                Scaling::None
            },
            scheme: Scheme::parse(&plan.multi_class)?,
            ties: if plan.break_ties {
                Ties::LargestSum
            } else {
                Ties::LowestLabel
            },
            budget_bytes: plan.budget_bytes,
        };
        let limits = door::Limits {
            threads: plan.threads,
            seconds: plan.time_limit,
        };
        let single = plan.single_precision;
        door::run_within(
            py,
            limits,
            plan.progress.as_ref(),
            |monitor| with_matrix!(&view.matrix()?, matrix => self.run_on(matrix, &common, single, monitor)),
        )
    }

    /// Kernels of all jobs that are done; may be called while `run` goes on.
    fn n_done(&self) -> usize {
        self.core.n_done()
    }

    /// Seconds of all threads in each phase of the work so far.
    fn seconds(&self) -> Vec<(&'static str, f64)> {
        let named = |(phase, seconds): (Phase, f64)| (phase.name(), seconds);
        self.core.seconds().map(named).to_vec()
    }

    /// What is done, as arrays over all settings of all kernels of all jobs: `done`, the scores
    /// and the counts.
    fn table<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = PyDict::new(py);
        let cells = self.all_cells()?;
        let done = try_collect(cells.iter().map(Option::is_some), WHAT)?;
        found.set_item("done", done.into_pyarray(py))?;
        let score = |name: &str, of: fn(&Scores) -> f64| {
            let value = |cell: &Option<&Cell>| cell.map_or(0.0, |cell| of(&cell.scores));
            let values = try_collect(cells.iter().map(value), WHAT)?;
            found.set_item(name, values.into_pyarray(py))
        };
        score("accuracy", |scores| scores.accuracy)?;
        score("balanced_accuracy", |scores| scores.balanced_accuracy)?;
        score("f1_macro", |scores| scores.f1_macro)?;
        let number = |name: &str, of: fn(&Cell) -> u64| {
            let values = try_collect(cells.iter().map(|cell| cell.map_or(0, of)), WHAT)?;
            found.set_item(name, values.into_pyarray(py))
        };
        number("n_support", |cell| cell.n_support.into())?;
        number("n_iter", |cell| cell.n_iter)?;
        number("n_loops", |cell| cell.n_loops)?;
        number("n_kernel_evals", |cell| cell.n_kernel_evals)?;
        number("n_unfinished", |cell| cell.n_unfinished.into())?;
        Ok(found)
    }
}

impl Evaluation {
    /// The cells of all settings of all kernels of all jobs, as far as they are done.
    fn all_cells(&self) -> Result<Vec<Option<&Cell>>> {
        // Kernels, and settings of the path, of each job.
        let sizes: Vec<(usize, usize)> = match &self.jobs {
            Jobs::Kernel(jobs) => {
                let size = |job: &Job<Method>| (job.kernels.len(), job.solver.path_len());
                jobs.iter().map(size).collect()
            }
            Jobs::Linear(jobs) => {
                let size = |job: &Job<LinearPath>| (job.kernels.len(), job.solver.methods.len());
                jobs.iter().map(size).collect()
            }
        };
        let n_cells = sizes.iter().map(|(kernels, settings)| kernels * settings);
        let mut cells = try_with_capacity(n_cells.sum(), 1, WHAT)?;
        for (number, (n_kernels, n_settings)) in sizes.into_iter().enumerate() {
            for kernel in 0..n_kernels {
                let found = self.core.cells(number, kernel);
                let settings = 0..n_settings;
                cells.extend(settings.map(|setting| found.and_then(|found| found.get(setting))));
            }
        }
        Ok(cells)
    }

    fn run_on<S: Lanes>(
        &self,
        matrix: &Matrix<'_, S>,
        plan: &Plan<'_>,
        single: bool,
        monitor: &Monitor,
    ) -> Result<()> {
        match &self.jobs {
            Jobs::Kernel(jobs) if single => self.core.run::<S, f32, _>(matrix, plan, jobs, monitor),
            Jobs::Kernel(jobs) => self.core.run::<S, S, _>(matrix, plan, jobs, monitor),
            Jobs::Linear(jobs) => self.core.run_linear(matrix, plan, jobs, monitor),
        }
    }
}
