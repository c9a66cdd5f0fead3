//! Training of linear methods, and what their machines say of rows.

use super::arrays::{Rows, slice, with_matrix};
use super::door;
use super::linear_methods::LinearMaker;
use super::model::names;
use crate::Error;
use crate::memory::{account_small, try_collect, try_with_capacity, try_zeros};
use crate::model::{Ties, Votes, is_brief, linear_outputs, n_scores};
use crate::monitor::Monitor;
use crate::multiclass::{LinearSet, Patterns, Scheme};
use crate::solver::Status;
use crate::solver::linear::{LinearMachine, RuleState};
use numpy::{IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// Rows, labels and weights.
#[derive(FromPyObject)]
pub struct LinearData<'py> {
    #[pyo3(item)]
    rows: Bound<'py, PyAny>,
    #[pyo3(item)]
    codes: PyReadonlyArray1<'py, u32>,
    #[pyo3(item)]
    class_weights: PyReadonlyArray1<'py, f64>,
    #[pyo3(item)]
    sample_weights: Option<PyReadonlyArray1<'py, f64>>,
    #[pyo3(item)]
    states: Option<Bound<'py, PyList>>,
}

/// Steps, weights, memory, averaged steps, first step length.
type StateArg<'py> = (
    u64,
    PyReadonlyArray1<'py, f64>,
    PyReadonlyArray1<'py, f64>,
    u64,
    f64,
);

/// How classes are split, what the training may use, and what it records.
#[derive(FromPyObject)]
pub struct LinearTrain {
    #[pyo3(item)]
    multi_class: String,
    #[pyo3(item)]
    threads: usize,
    #[pyo3(item)]
    time_limit: Option<f64>,
    #[pyo3(item)]
    record_every: Option<u64>,
    #[pyo3(item)]
    progress: Option<Py<PyAny>>,
}

fn states(given: &Bound<'_, PyList>, n_weights: usize) -> PyResult<Vec<RuleState>> {
    let what = "states of machines";
    let copy = |values: &[f64]| try_collect(values.iter().copied(), what);
    let mut found = try_with_capacity(given.len(), 1, what)?;
    for state in given {
        let (n_steps, weights, memory, n_averaged, eta): StateArg<'_> = state.extract()?;
        account_small(STATE, what)?;
        let (weights, memory) = (copy(slice(&weights)?)?, copy(slice(&memory)?)?);
        let fits = weights.len() == n_weights && [0, n_weights].contains(&memory.len());
        let is_finite = weights.iter().chain(&memory).all(|value| value.is_finite());
        if !fits || !is_finite || (n_averaged > 0 && memory.is_empty()) {
            let message = "the state of the last training does not fit: it was changed";
            return Err(Error::Data(message.into()).into());
        }
        found.push(RuleState {
            n_steps,
            weights,
            memory,
            n_averaged,
            eta,
        });
    }
    Ok(found)
}

/// Trains all machines; a dictionary of arrays over the machines.
#[pyfunction]
pub fn linear_fit<'py>(
    py: Python<'py>,
    method: &str,
    settings: &Bound<'py, PyDict>,
    value: f64,
    data: LinearData<'py>,
    train: LinearTrain,
) -> PyResult<Bound<'py, PyDict>> {
    let Some(maker) = LinearMaker::new(method, settings)? else {
        let rule = "there is no such linear method";
        return Err(Error::parameter("method", format!("{method:?}"), rule).into());
    };
    let (solver, constant) = (maker.method(value)?, maker.constant()?);
    let scheme = Scheme::parse(&train.multi_class)?;
    let rows = Rows::extract(&data.rows)?;
    let view = rows.view()?;
    let (codes, classes) = (slice(&data.codes)?, slice(&data.class_weights)?);
    let samples = data.sample_weights.as_ref().map(slice).transpose()?;
    let starts = match &data.states {
        Some(given) => states(given, view.n_cols() + 1)?,
        None => Vec::new(),
    };
    let limits = door::Limits {
        threads: train.threads,
        seconds: train.time_limit,
    };
    let machines = door::run_within(py, limits, train.progress.as_ref(), |monitor| {
        with_matrix!(&view.matrix()?, matrix => {
            monitor.check()?;
            let machines = LinearSet::new(matrix, codes, classes, samples)?
                .train(&solver, scheme, constant, &starts, train.record_every, monitor)?;
            // The rows are read in place: another thread may have changed them.
            if machines.iter().any(|machine| machine.status == Status::NonFinite) {
                matrix.check_again()?;
            }
            Ok(machines)
        })
    })?;
    to_python(py, machines, train.record_every.is_some())
}

/// What the state of a machine takes as Python objects, about, its numbers aside.
const STATE: usize = 1024;

fn to_python(
    py: Python<'_>,
    mut machines: Vec<LinearMachine>,
    is_recorded: bool,
) -> PyResult<Bound<'_, PyDict>> {
    let found = PyDict::new(py);
    let (m, d) = (
        machines.len(),
        machines.first().map_or(0, |first| first.weights.len()),
    );
    let mut weights: Vec<f64> = try_with_capacity(m, d, "weights of machines")?;
    for machine in &mut machines {
        weights.extend(std::mem::take(&mut machine.weights));
    }
    found.set_item("coef", weights.into_pyarray(py).reshape([m, d])?)?;
    let each = || machines.iter();
    let biases = try_collect(each().map(|machine| machine.bias), "biases of machines")?;
    found.set_item("intercept", biases.into_pyarray(py))?;
    let n_iter = try_collect(
        each().map(|machine| machine.n_iter as i64),
        "steps of machines",
    )?;
    found.set_item("n_iter", n_iter.into_pyarray(py))?;
    let status = names(py, each().map(|machine| machine.status.name()))?;
    found.set_item("status", status)?;
    let proofs = each().filter_map(|machine| machine.certificate);
    let certificates = PyList::empty(py);
    for proof in proofs {
        account_small(STATE, "certificates of machines")?;
        certificates.append((proof.primal, proof.dual, proof.violation))?;
    }
    found.set_item("certificates", certificates)?;
    let (states, curves) = (PyList::empty(py), PyList::empty(py));
    for machine in machines {
        if let Some(state) = machine.state {
            account_small(STATE, "states of machines")?;
            states.append((
                state.n_steps,
                state.weights.into_pyarray(py),
                state.memory.into_pyarray(py),
                state.n_averaged,
                state.eta,
            ))?;
        }
        if !is_recorded {
            continue;
        }
        let shots = machine.snapshots;
        let steps: Vec<i64> = shots.iter().map(|shot| shot.step as i64).collect();
        let seconds: Vec<f64> = shots.iter().map(|shot| shot.seconds).collect();
        let biases: Vec<f64> = shots.iter().map(|shot| shot.bias).collect();
        let n = shots.len();
        let mut weights: Vec<f64> = try_with_capacity(n, d, "curve_")?;
        weights.extend(shots.into_iter().flat_map(|shot| shot.weights));
        curves.append((
            steps.into_pyarray(py),
            seconds.into_pyarray(py),
            weights.into_pyarray(py).reshape([n, d])?,
            biases.into_pyarray(py),
        ))?;
    }
    found.set_item("states", states)?;
    found.set_item("snapshots", curves)?;
    Ok(found)
}

/// The output of each machine for each row.
#[pyfunction]
pub fn linear_decision<'py>(
    py: Python<'py>,
    rows: &Bound<'py, PyAny>,
    coef: PyReadonlyArray2<'py, f64>,
    intercept: PyReadonlyArray1<'py, f64>,
    threads: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let rows = Rows::extract(rows)?;
    let view = rows.view()?;
    let refused = |_| PyErr::from(Error::Data("coef must be contiguous".into()));
    let (weights, biases) = (coef.as_slice().map_err(refused)?, slice(&intercept)?);
    let work = |monitor: &Monitor| with_matrix!(&view.matrix()?, matrix => linear_outputs(matrix, weights, biases, monitor));
    let outputs = match is_brief(view.n_rows(), view.n_cols(), biases.len()) {
        true => door::run_briefly(py, work),
        false => door::run(py, threads, None, work),
    }?;
    let n = outputs.len() / biases.len().max(1);
    Ok(outputs
        .into_pyarray(py)
        .reshape([n, biases.len()])?
        .into_any())
}

/// Rows between two looks for an interrupt.
const ROWS_TO_LOOK: usize = 4096;

/// Patterns of signs, 0 or 1, and how often each label has them.
type PatternArg<'py> = (PyReadonlyArray1<'py, u8>, PyReadonlyArray1<'py, f64>);

fn patterns_of((signs, counts): &PatternArg<'_>, n_classes: usize) -> PyResult<Patterns> {
    let signs = slice(signs)?;
    if signs.iter().any(|&sign| sign > 1) {
        return Err(fits_not());
    }
    let signs = try_collect(signs.iter().map(|&sign| sign == 1), "patterns of signs")?;
    Ok(Patterns::from_parts(n_classes, &signs, slice(counts)?)?)
}

/// What outputs of all machines say: a score for each class, and the class.
#[pyfunction]
pub fn decide<'py>(
    py: Python<'py>,
    outputs: PyReadonlyArray2<'py, f64>,
    multi_class: &str,
    n_classes: usize,
    patterns: Option<PatternArg<'py>>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyArray1<u32>>)> {
    let scheme = Scheme::parse(multi_class)?;
    let m = scheme.n_machines(n_classes)?;
    let values = outputs.as_slice().map_err(|_| fits_not())?;
    let patterns = match &patterns {
        Some(given) => Some(patterns_of(given, n_classes)?),
        None if scheme.uses_patterns(n_classes) => return Err(fits_not()),
        None => None,
    };
    if !values.len().is_multiple_of(m) {
        return Err(fits_not());
    }
    let width = n_scores(n_classes);
    let n = values.len() / m;
    let work = |monitor: &Monitor| {
        let mut scores = try_zeros(n, width, "scores")?;
        let mut classes: Vec<u32> = try_zeros(n, 1, "predictions")?;
        let mut votes = Votes::new(scheme, n_classes, patterns.as_ref());
        let rows = values.chunks_exact(m).zip(scores.chunks_exact_mut(width));
        for (row, ((outputs, scores), class)) in rows.zip(&mut classes).enumerate() {
            if row % ROWS_TO_LOOK == 0 {
                monitor.check()?;
            }
            votes.scores(outputs, scores);
            *class = votes.winner(outputs, Ties::LargestSum);
        }
        Ok((scores, classes))
    };
    let (scores, classes) = match is_brief(n, n_classes, m) {
        true => door::run_briefly(py, work),
        false => door::run(py, 1, None, work),
    }?;
    let scores = scores.into_pyarray(py).reshape([n, width])?.into_any();
    Ok((scores, classes.into_pyarray(py)))
}

fn fits_not() -> PyErr {
    Error::Data("outputs, classes and patterns do not fit together".into()).into()
}

/// [`PatternArg`] on its way to Python.
type PatternArrays<'py> = (Bound<'py, PyArray1<u8>>, Bound<'py, PyArray1<f64>>);

/// Counts patterns of signs of outputs for each label, on top of those that were counted before.
#[pyfunction]
pub fn count_patterns<'py>(
    py: Python<'py>,
    outputs: PyReadonlyArray2<'py, f64>,
    codes: PyReadonlyArray1<'py, u32>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    n_classes: usize,
    before: Option<PatternArg<'py>>,
) -> PyResult<PatternArrays<'py>> {
    let mut patterns = match &before {
        None => Patterns::new(n_classes),
        Some(given) => patterns_of(given, n_classes)?,
    };
    let values = outputs.as_slice().map_err(|_| fits_not())?;
    let codes = slice(&codes)?;
    let weights = weights.as_ref().map(slice).transpose()?;
    let m = n_classes.saturating_sub(1).max(1);
    let fits = values.len() == codes.len() * m
        && codes.iter().all(|&code| (code as usize) < n_classes)
        && weights.is_none_or(|weights| weights.len() == codes.len());
    if !fits {
        return Err(fits_not());
    }
    let (signs, counts) = door::run(py, 1, None, |monitor| {
        for (row, outputs) in values.chunks_exact(m).enumerate() {
            if row % ROWS_TO_LOOK == 0 {
                monitor.check()?;
            }
            let weight = weights.map_or(1.0, |weights| weights[row]);
            patterns.add(outputs, codes[row] as usize, weight)?;
        }
        patterns.parts()
    })?;
    let signs = try_collect(signs.into_iter().map(u8::from), "patterns of signs")?;
    Ok((signs.into_pyarray(py), counts.into_pyarray(py)))
}
