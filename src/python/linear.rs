//! Training of linear methods.

use super::arrays::{slice, with_matrix};
use super::door;
use super::limits::Limits;
use super::linear_solvers::LinearSolver;
use super::model::names;
use super::path::PathValue;
use super::problem::TrainingData;
use crate::Error;
use crate::memory::{account_small, try_collect, try_with_capacity};
use crate::multiclass::LinearSet;
use crate::solver::linear::{LinearMachine, RuleState, Snapshot};
use crate::solver::{Certificate, Status};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyList;

/// Linear binary classifiers or a regressor, with arrays over all of them.
#[pyclass(module = "softmargin._core", frozen, get_all)]
pub struct LinearFit {
    coef: Py<PyArray2<f64>>,
    intercept: Py<PyArray1<f64>>,
    n_iter: Py<PyArray1<i64>>,
    status: Py<PyList>,
    /// Primal and dual objective, gap and violation, for exact methods.
    certificates: Py<PyList>,
    /// Where stochastic methods resume.
    states: Py<PyList>,
    /// Steps, seconds, weights and biases of each, if they were recorded.
    snapshots: Py<PyList>,
}

/// Steps, weights, memory, averaged steps, first step length.
type StateArg<'py> = (
    u64,
    PyReadonlyArray1<'py, f64>,
    PyReadonlyArray1<'py, f64>,
    u64,
    f64,
);

fn rule_states(given: &Bound<'_, PyList>, n_weights: usize) -> PyResult<Vec<RuleState>> {
    let what = "states of machines";
    let copy = |values: &[f64]| try_collect(values.iter().copied(), what);
    let mut found = try_with_capacity(given.len(), 1, what)?;
    for state in given {
        let (n_steps, weights, memory, n_averaged, eta): StateArg<'_> = state.extract()?;
        account_small(SMALL_OBJECTS, what)?;
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

/// Trains the binary classifiers or the regressor of a linear method with this value of its path.
#[pyfunction]
#[pyo3(signature = (solver, value, data, limits, states = None, record_every = None))]
pub fn linear_fit(
    py: Python<'_>,
    solver: LinearSolver,
    value: PathValue,
    data: &TrainingData,
    limits: &Limits,
    states: Option<&Bound<'_, PyList>>,
    record_every: Option<u64>,
) -> PyResult<LinearFit> {
    let path = solver.method(&[value])?;
    let no_method = || Error::Internal("a path without a method".into());
    let method = path.methods.first().ok_or_else(no_method)?;
    let arrays = data.borrow(py)?;
    let scheme = arrays.scheme;
    let view = arrays.rows.view()?;
    let (codes, classes) = (slice(&arrays.codes)?, slice(&arrays.class_weights)?);
    let samples = arrays.sample_weights.as_ref().map(slice).transpose()?;
    let targets = arrays.targets.as_ref().map(slice).transpose()?;
    let starts = match states {
        Some(given) => rule_states(given, view.n_cols() + 1)?,
        None => Vec::new(),
    };
    let machines = door::run_within(py, limits, |monitor| {
        with_matrix!(&view.matrix()?, matrix => {
            monitor.check()?;
            let set = match targets {
                Some(targets) => LinearSet::regression(matrix, targets, samples)?,
                None => LinearSet::new(matrix, codes, classes, samples)?,
            };
            let machines =
                set.train(method, scheme, path.constant, &starts, record_every, monitor)?;
            // The samples are read in place: another thread may have changed them.
            if machines.iter().any(|machine| machine.status == Status::NonFinite) {
                matrix.check_again()?;
            }
            Ok(machines)
        })
    })?;
    to_python(py, machines, record_every.is_some())
}

/// The approximate size in bytes of a certificate or a state as Python objects, arrays excluded.
const SMALL_OBJECTS: usize = 1024;

fn to_python(
    py: Python<'_>,
    mut machines: Vec<LinearMachine>,
    is_recorded: bool,
) -> PyResult<LinearFit> {
    let (m, d) = (
        machines.len(),
        machines.first().map_or(0, |first| first.weights.len()),
    );
    let mut weights: Vec<f64> = try_with_capacity(m, d, "weights")?;
    for machine in &mut machines {
        weights.extend(std::mem::take(&mut machine.weights));
    }
    let each = || machines.iter();
    let biases = try_collect(each().map(|machine| machine.bias), "intercepts")?;
    let n_iter = try_collect(each().map(|machine| machine.n_iter as i64), "n_iter")?;
    let status = names(py, each().map(|machine| machine.status.name()))?;
    let certificates = certificate_list(py, each().filter_map(|machine| machine.certificate))?;
    let (states, snapshots) = (PyList::empty(py), PyList::empty(py));
    for machine in machines {
        if let Some(state) = machine.state {
            account_small(SMALL_OBJECTS, "training states")?;
            states.append((
                state.n_steps,
                state.weights.into_pyarray(py),
                state.memory.into_pyarray(py),
                state.n_averaged,
                state.eta,
            ))?;
        }
        if is_recorded {
            snapshots.append(recorded(py, machine.snapshots, d)?)?;
        }
    }
    Ok(LinearFit {
        coef: weights.into_pyarray(py).reshape([m, d])?.unbind(),
        intercept: biases.into_pyarray(py).unbind(),
        n_iter: n_iter.into_pyarray(py).unbind(),
        status: status.unbind(),
        certificates: certificates.unbind(),
        states: states.unbind(),
        snapshots: snapshots.unbind(),
    })
}

/// Primal and dual objective, gap and violation of each certificate.
pub fn certificate_list(
    py: Python<'_>,
    certificates: impl Iterator<Item = Certificate>,
) -> PyResult<Bound<'_, PyList>> {
    let found = PyList::empty(py);
    for certificate in certificates {
        account_small(SMALL_OBJECTS, "certificates")?;
        let Certificate {
            primal,
            dual,
            violation,
        } = certificate;
        found.append((primal, dual, certificate.gap(), violation))?;
    }
    Ok(found)
}

/// Steps, seconds, weights and biases of snapshots.
type SnapshotArrays<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray1<f64>>,
);

fn recorded(
    py: Python<'_>,
    shots: Vec<Snapshot>,
    n_features: usize,
) -> PyResult<SnapshotArrays<'_>> {
    let n = shots.len();
    let steps: Vec<i64> = shots.iter().map(|shot| shot.step as i64).collect();
    let seconds: Vec<f64> = shots.iter().map(|shot| shot.seconds).collect();
    let biases: Vec<f64> = shots.iter().map(|shot| shot.bias).collect();
    let mut weights: Vec<f64> = try_with_capacity(n, n_features, "curve_")?;
    weights.extend(shots.into_iter().flat_map(|shot| shot.weights));
    Ok((
        steps.into_pyarray(py),
        seconds.into_pyarray(py),
        weights.into_pyarray(py).reshape([n, n_features])?,
        biases.into_pyarray(py),
    ))
}
