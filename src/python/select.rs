//! The engine of model selection as Python objects. Finished cells survive an interrupt.

use super::arrays::{AnyMatrix, Rows, borrowed, slice};
use super::door;
use super::kernels::Kernel;
use super::limits::Limits;
use super::linear_solvers::LinearSolver;
use super::path::PathValue;
use super::problem::{check_lengths, starts};
use super::solvers::KernelSolver;
use crate::Error;
use crate::Result;
use crate::memory::{try_collect, try_with_capacity};
use crate::model::Ties;
use crate::monitor::Monitor;
use crate::multiclass::Scheme;
use crate::select::{
    Cell, Decisions, Evaluation as Core, Job, LinearPath, Phase, Plan, Scaling, Scores, Source,
    Wanted,
};
use crate::simd::Lanes;
use crate::solver::{BinarySolver, Method};
use numpy::{Element, IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyList;

/// Samples, or their kernel values, with labels and weights.
#[pyclass(name = "Source", module = "softmargin._core", frozen, get_all)]
pub struct SourceValue {
    rows: Py<PyAny>,
    codes: Py<PyArray1<u32>>,
    sample_weights: Option<Py<PyArray1<f64>>>,
    targets: Option<Py<PyArray1<f64>>>,
}

#[pymethods]
impl SourceValue {
    #[new]
    #[pyo3(signature = (rows, codes, sample_weights=None, targets=None))]
    fn new(
        rows: Py<PyAny>,
        codes: &Bound<'_, PyArray1<u32>>,
        sample_weights: Option<&Bound<'_, PyArray1<f64>>>,
        targets: Option<&Bound<'_, PyArray1<f64>>>,
    ) -> PyResult<Self> {
        check_lengths(codes.len(), sample_weights.map(|weights| weights.len()))?;
        Ok(Self {
            rows,
            codes: codes.clone().unbind(),
            sample_weights: sample_weights.map(|weights| weights.clone().unbind()),
            targets: targets.map(|targets| targets.clone().unbind()),
        })
    }
}

/// Training and test samples of a split, with the kernels and their paths to evaluate there.
#[pyclass(name = "Job", module = "softmargin._core", frozen, get_all)]
pub struct JobValue {
    source: usize,
    train: Py<PyArray1<u32>>,
    test: Py<PyArray1<u32>>,
    kernels: Vec<Kernel>,
    paths: Vec<Vec<Py<PyAny>>>,
    starts: Option<Py<PyList>>,
}

#[pymethods]
impl JobValue {
    #[new]
    #[pyo3(signature = (source, train, test, kernels, paths, starts=None))]
    fn new(
        source: usize,
        train: Py<PyArray1<u32>>,
        test: Py<PyArray1<u32>>,
        kernels: Vec<Kernel>,
        paths: Vec<Vec<Py<PyAny>>>,
        starts: Option<Py<PyList>>,
    ) -> Self {
        Self {
            source,
            train,
            test,
            kernels,
            paths,
            starts,
        }
    }
}

/// What all jobs have in common.
#[pyclass(name = "Plan", module = "softmargin._core", frozen, get_all)]
pub struct PlanValue {
    n_classes: usize,
    class_weights: Option<Py<PyArray1<f64>>>,
    multi_class: String,
    break_ties: bool,
    scaling: String,
    single_precision: bool,
    predictions: bool,
    decisions: Option<String>,
    train_outputs: bool,
}

#[pymethods]
impl PlanValue {
    #[new]
    #[pyo3(signature = (
        n_classes, *, class_weights, multi_class, break_ties, scaling, single_precision,
        predictions=false, decisions=None, train_outputs=false
    ))]
    #[allow(clippy::too_many_arguments)] // named in Python
    fn new(
        n_classes: usize,
        class_weights: Option<Py<PyArray1<f64>>>,
        multi_class: String,
        break_ties: bool,
        scaling: String,
        single_precision: bool,
        predictions: bool,
        decisions: Option<String>,
        train_outputs: bool,
    ) -> PyResult<Self> {
        Scheme::parse(&multi_class)?;
        Scaling::parse(&scaling)?;
        parse_decisions(decisions.as_deref())?;
        Ok(Self {
            n_classes,
            class_weights,
            multi_class,
            break_ties,
            scaling,
            single_precision,
            predictions,
            decisions,
            train_outputs,
        })
    }
}

/// Parses the form of decision values.
fn parse_decisions(name: Option<&str>) -> Result<Option<Decisions>> {
    match name {
        None => Ok(None),
        Some("classes") => Ok(Some(Decisions::Classes)),
        Some("pairs") => Ok(Some(Decisions::Machines)),
        Some(name) => Err(Error::parameter(
            "decisions",
            format!("{name:?}"),
            "it must be 'classes' or 'pairs'",
        )),
    }
}

/// The results of all cells: arrays over all values of the path of all kernels of all jobs.
/// Those of cells that are not done are 0.
#[pyclass(module = "softmargin._core", frozen, get_all)]
pub struct Cells {
    done: Py<PyArray1<bool>>,
    accuracy: Py<PyArray1<f64>>,
    balanced_accuracy: Py<PyArray1<f64>>,
    f1_macro: Py<PyArray1<f64>>,
    n_support: Py<PyArray1<u64>>,
    n_iter: Py<PyArray1<u64>>,
    n_loops: Py<PyArray1<u64>>,
    n_kernel_evals: Py<PyArray1<u64>>,
    n_unfinished: Py<PyArray1<u64>>,
}

/// Any method that the engine evaluates.
#[derive(FromPyObject)]
enum AnySolver {
    Kernel(KernelSolver),
    Linear(LinearSolver),
}

/// Predictions and decision values.
type TakenOutputs = (Py<PyArray2<u32>>, Py<PyArray2<f64>>);

/// What the arrays of results are called in errors.
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

/// Jobs whose solvers are made from their paths.
fn jobs_of<S>(
    py: Python<'_>,
    given: &[Py<JobValue>],
    solver: impl Fn(&[PathValue]) -> Result<S>,
) -> PyResult<Vec<Job<S>>> {
    let samples = |array: &Py<PyArray1<u32>>| {
        let array = borrowed(py, array)?;
        Ok::<_, PyErr>(try_collect(
            slice(&array)?.iter().copied(),
            "samples of splits",
        )?)
    };
    let values = |path: &Vec<Py<PyAny>>| {
        let values = path.iter().map(|value| value.extract(py));
        values.collect::<PyResult<Vec<PathValue>>>()
    };
    let job = |job: &Py<JobValue>| {
        let job = job.get();
        Ok(Job {
            source: job.source,
            train: samples(&job.train)?,
            test: samples(&job.test)?,
            kernels: job.kernels.iter().map(Kernel::settings).collect(),
            solvers: job
                .paths
                .iter()
                .map(|path| Ok(solver(&values(path)?)?))
                .collect::<PyResult<_>>()?,
            starts: starts(py, job.starts.as_ref())?,
        })
    };
    given.iter().map(job).collect()
}

#[pymethods]
impl Evaluation {
    #[new]
    fn new(py: Python<'_>, solver: AnySolver, jobs: Vec<Py<JobValue>>) -> PyResult<Self> {
        let jobs = match solver {
            AnySolver::Linear(solver) => {
                Jobs::Linear(jobs_of(py, &jobs, |path| solver.method(path))?)
            }
            AnySolver::Kernel(solver) => {
                Jobs::Kernel(jobs_of(py, &jobs, |path| solver.method(path))?)
            }
        };
        let core = match &jobs {
            Jobs::Kernel(jobs) => Core::new(jobs),
            Jobs::Linear(jobs) => Core::new(jobs),
        };
        Ok(Self { jobs, core })
    }

    /// Evaluates what is not done yet; what was done before an exception is kept.
    fn run(
        &self,
        py: Python<'_>,
        sources: Vec<Py<SourceValue>>,
        plan: &PlanValue,
        limits: &Limits,
    ) -> PyResult<()> {
        let rows = sources
            .iter()
            .map(|source| Rows::extract(source.get().rows.bind(py)))
            .collect::<PyResult<Vec<_>>>()?;
        let views = rows.iter().map(Rows::view).collect::<PyResult<Vec<_>>>()?;
        let borrow = |array| borrowed(py, array);
        let codes = sources
            .iter()
            .map(|source| borrowed(py, &source.get().codes))
            .collect::<PyResult<Vec<_>>>()?;
        let codes = codes.iter().map(slice).collect::<PyResult<Vec<_>>>()?;
        let weights = sources
            .iter()
            .map(|source| source.get().sample_weights.as_ref().map(borrow).transpose())
            .collect::<PyResult<Vec<_>>>()?;
        let weights = weights
            .iter()
            .map(|weights| weights.as_ref().map(slice).transpose())
            .collect::<PyResult<Vec<_>>>()?;
        let targets = sources
            .iter()
            .map(|source| source.get().targets.as_ref().map(borrow).transpose())
            .collect::<PyResult<Vec<_>>>()?;
        let targets = targets
            .iter()
            .map(|targets| targets.as_ref().map(slice).transpose())
            .collect::<PyResult<Vec<_>>>()?;
        let class_weights = plan.class_weights.as_ref().map(borrow).transpose()?;
        let common = Plan {
            n_classes: plan.n_classes,
            class_weights: class_weights.as_ref().map(slice).transpose()?,
            scaling: Scaling::parse(&plan.scaling)?,
            scheme: Scheme::parse(&plan.multi_class)?,
            ties: if plan.break_ties {
                Ties::LargestSum
            } else {
                Ties::LowestLabel
            },
            wanted: Wanted {
                predictions: plan.predictions,
                decisions: parse_decisions(plan.decisions.as_deref())?,
                train: plan.train_outputs,
            },
            budget_bytes: limits.memory_bytes,
        };
        let single = plan.single_precision;
        door::run_within(py, limits, |monitor| {
            let (mut in_f32, mut in_f64) = (Vec::new(), Vec::new());
            for (number, view) in views.iter().enumerate() {
                let (codes, row_weights) = (codes[number], weights[number]);
                let targets = targets[number];
                match view.matrix()? {
                    AnyMatrix::F32(rows) => in_f32.push(Source {
                        rows,
                        codes,
                        row_weights,
                        targets,
                    }),
                    AnyMatrix::F64(rows) => in_f64.push(Source {
                        rows,
                        codes,
                        row_weights,
                        targets,
                    }),
                }
            }
            match (in_f32.is_empty(), in_f64.is_empty()) {
                (false, true) => self.run_on(&in_f32, &common, single, monitor),
                (true, _) => self.run_on(&in_f64, &common, single, monitor),
                (false, false) => Err(Error::Shape(
                    "all sources must have values of the same type".into(),
                )),
            }
        })
    }

    /// Kernels of all jobs that are done; may be called while `run` is running.
    fn n_done(&self) -> usize {
        self.core.n_done()
    }

    /// Removes and returns the outputs of a kernel of a job: the predictions and the decision
    /// values of all its samples, one row per setting of the path. `None` if it is not done.
    fn take_outputs(
        &self,
        py: Python<'_>,
        job: usize,
        kernel: usize,
    ) -> PyResult<Option<TakenOutputs>> {
        let Some(outputs) = self.core.take_outputs(job, kernel) else {
            return Ok(None);
        };
        let n_settings = outputs.len();
        let n_predicted = outputs.iter().map(|own| own.predicted.len()).sum();
        let n_decisions = outputs.iter().map(|own| own.decisions.len()).sum();
        let mut predicted: Vec<u32> = try_with_capacity(n_predicted, 1, WHAT)?;
        let mut decisions: Vec<f64> = try_with_capacity(n_decisions, 1, WHAT)?;
        for own in &outputs {
            predicted.extend_from_slice(&own.predicted);
            decisions.extend_from_slice(&own.decisions);
        }
        let shape = |len: usize| [n_settings, len / n_settings.max(1)];
        Ok(Some((
            predicted
                .into_pyarray(py)
                .reshape(shape(n_predicted))?
                .unbind(),
            decisions
                .into_pyarray(py)
                .reshape(shape(n_decisions))?
                .unbind(),
        )))
    }

    /// Seconds of all threads in each phase of the work so far.
    fn seconds(&self) -> Vec<(&'static str, f64)> {
        let named = |(phase, seconds): (Phase, f64)| (phase.name(), seconds);
        self.core.seconds().map(named).to_vec()
    }

    /// The results so far.
    fn table(&self, py: Python<'_>) -> PyResult<Cells> {
        let cells = self.all_cells()?;
        let score = |of: fn(&Scores) -> f64| {
            let value = |cell: &Option<&Cell>| cell.map_or(0.0, |cell| of(&cell.scores));
            array(py, cells.iter().map(value))
        };
        let count = |of: fn(&Cell) -> u64| array(py, cells.iter().map(|cell| cell.map_or(0, of)));
        Ok(Cells {
            done: array(py, cells.iter().map(Option::is_some))?,
            accuracy: score(|scores| scores.accuracy)?,
            balanced_accuracy: score(|scores| scores.balanced_accuracy)?,
            f1_macro: score(|scores| scores.f1_macro)?,
            n_support: count(|cell| cell.n_support.into())?,
            n_iter: count(|cell| cell.n_iter)?,
            n_loops: count(|cell| cell.n_loops)?,
            n_kernel_evals: count(|cell| cell.n_kernel_evals)?,
            n_unfinished: count(|cell| cell.n_unfinished.into())?,
        })
    }
}

fn array<T: Element>(
    py: Python<'_>,
    values: impl ExactSizeIterator<Item = T>,
) -> PyResult<Py<PyArray1<T>>> {
    Ok(try_collect(values, WHAT)?.into_pyarray(py).unbind())
}

impl Evaluation {
    /// The cells of all settings of all kernels of all jobs, as far as they are done.
    fn all_cells(&self) -> Result<Vec<Option<&Cell>>> {
        // The length of the path of each kernel of each job.
        let sizes: Vec<Vec<usize>> = match &self.jobs {
            Jobs::Kernel(jobs) => {
                let size = |job: &Job<Method>| job.solvers.iter().map(Method::path_len).collect();
                jobs.iter().map(size).collect()
            }
            Jobs::Linear(jobs) => {
                let of_path = |path: &LinearPath| path.methods.len();
                let size = |job: &Job<LinearPath>| job.solvers.iter().map(of_path).collect();
                jobs.iter().map(size).collect()
            }
        };
        let mut cells = try_with_capacity(sizes.iter().flatten().sum(), 1, WHAT)?;
        for (number, sizes) in sizes.into_iter().enumerate() {
            for (kernel, n_settings) in sizes.into_iter().enumerate() {
                let found = self.core.cells(number, kernel);
                let settings = 0..n_settings;
                cells.extend(settings.map(|setting| found.and_then(|found| found.get(setting))));
            }
        }
        Ok(cells)
    }

    fn run_on<S: Lanes>(
        &self,
        sources: &[Source<'_, S>],
        plan: &Plan<'_>,
        single: bool,
        monitor: &Monitor,
    ) -> Result<()> {
        match &self.jobs {
            Jobs::Linear(jobs) => self.core.run_linear(sources, plan, jobs, monitor),
            // Precomputed kernel values are used as they are: without samples, the effect of
            // rounding them could not be measured.
            Jobs::Kernel(jobs) if single && !jobs.iter().any(Job::is_precomputed) => {
                match self.core.run::<S, f32, _>(sources, plan, jobs, monitor) {
                    // Values that f32 cannot represent.
                    Err(Error::Data(_)) => self.core.run::<S, S, _>(sources, plan, jobs, monitor),
                    other => other,
                }
            }
            Jobs::Kernel(jobs) => self.core.run::<S, S, _>(sources, plan, jobs, monitor),
        }
    }
}
