//! From the outputs of binary classifiers to scores and classes.

use super::arrays::{Rows, slice, with_matrix};
use super::door;
use crate::Error;
use crate::memory::{try_collect, try_zeros};
use crate::model::{self, Ties, Votes, is_brief, linear_outputs, n_scores};
use crate::monitor::Monitor;
use crate::multiclass::{Patterns, Scheme};
use numpy::{IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

/// The output of each linear binary classifier for each sample.
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
    let invalid = |_| PyErr::from(Error::Data("coef must be contiguous".into()));
    let (weights, biases) = (coef.as_slice().map_err(invalid)?, slice(&intercept)?);
    let work = |monitor: &Monitor| with_matrix!(&view.matrix()?, matrix => linear_outputs(matrix, weights, biases, monitor));
    let outputs = match is_brief(view.n_rows(), view.n_cols(), biases.len()) {
        true => door::run_briefly(py, work),
        false => door::run(py, threads, work),
    }?;
    let n = outputs.len() / biases.len().max(1);
    Ok(outputs
        .into_pyarray(py)
        .reshape([n, biases.len()])?
        .into_any())
}

/// Two arrays of numbers.
type Pair<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

/// Slope and offset of the sigmoid of each binary classifier.
#[pyfunction]
pub fn fit_sigmoids<'py>(
    py: Python<'py>,
    decisions: PyReadonlyArray2<'py, f64>,
    signs: PyReadonlyArray2<'py, i8>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    threads: usize,
) -> PyResult<Pair<'py>> {
    let n_classifiers = decisions.as_array().ncols();
    let weights = weights.as_ref().map(slice).transpose()?;
    let n = decisions.as_array().nrows();
    let (values, labels) = (decisions.as_slice(), signs.as_slice());
    let (Ok(values), Ok(labels)) = (values, labels) else {
        return Err(inconsistent());
    };
    if values.len() != labels.len() || weights.is_some_and(|weights| weights.len() != n) {
        return Err(inconsistent());
    }
    let found = door::run(py, threads, |monitor| {
        model::fit_sigmoids(values, labels, n_classifiers, weights, monitor)
    })?;
    let part = |of: fn(&model::Sigmoid) -> f64| -> Vec<f64> { found.iter().map(of).collect() };
    let (slopes, offsets) = (part(|own| own.slope), part(|own| own.offset));
    Ok((slopes.into_pyarray(py), offsets.into_pyarray(py)))
}

/// Samples between two checks for an interrupt.
const CHECK_INTERVAL: usize = 4096;

/// Patterns of signs, 0 or 1, and the count of each label for each.
type PatternArg<'py> = (PyReadonlyArray1<'py, u8>, PyReadonlyArray1<'py, f64>);

fn patterns_of((signs, counts): &PatternArg<'_>, n_classes: usize) -> PyResult<Patterns> {
    let signs = slice(signs)?;
    if signs.iter().any(|&sign| sign > 1) {
        return Err(inconsistent());
    }
    let signs = try_collect(signs.iter().map(|&sign| sign == 1), "patterns of signs")?;
    Ok(Patterns::from_parts(n_classes, &signs, slice(counts)?)?)
}

/// A score for each class, and the predicted class, from the outputs of all binary classifiers.
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
    let values = outputs.as_slice().map_err(|_| inconsistent())?;
    let patterns = match &patterns {
        Some(given) => Some(patterns_of(given, n_classes)?),
        None if scheme.uses_patterns(n_classes) => return Err(inconsistent()),
        None => None,
    };
    if !values.len().is_multiple_of(m) {
        return Err(inconsistent());
    }
    let width = n_scores(n_classes);
    let n = values.len() / m;
    let work = |monitor: &Monitor| {
        let mut scores = try_zeros(n, width, "scores")?;
        let mut classes: Vec<u32> = try_zeros(n, 1, "predictions")?;
        let mut votes = Votes::new(scheme, n_classes, patterns.as_ref());
        let rows = values.chunks_exact(m).zip(scores.chunks_exact_mut(width));
        for (row, ((outputs, scores), class)) in rows.zip(&mut classes).enumerate() {
            if row % CHECK_INTERVAL == 0 {
                monitor.check()?;
            }
            votes.scores(outputs, scores);
            *class = votes.winner(outputs, Ties::LargestSum);
        }
        Ok((scores, classes))
    };
    let (scores, classes) = match is_brief(n, n_classes, m) {
        true => door::run_briefly(py, work),
        false => door::run(py, 1, work),
    }?;
    let scores = scores.into_pyarray(py).reshape([n, width])?.into_any();
    Ok((scores, classes.into_pyarray(py)))
}

fn inconsistent() -> PyErr {
    Error::Data("outputs, classes and patterns do not fit together".into()).into()
}

/// [`PatternArg`] on its way to Python.
type PatternArrays<'py> = (Bound<'py, PyArray1<u8>>, Bound<'py, PyArray1<f64>>);

/// Counts the patterns of signs of the outputs for each label, and adds them to earlier counts.
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
    let values = outputs.as_slice().map_err(|_| inconsistent())?;
    let codes = slice(&codes)?;
    let weights = weights.as_ref().map(slice).transpose()?;
    let m = n_classes.saturating_sub(1).max(1);
    let fits = values.len() == codes.len() * m
        && codes.iter().all(|&code| (code as usize) < n_classes)
        && weights.is_none_or(|weights| weights.len() == codes.len());
    if !fits {
        return Err(inconsistent());
    }
    let (signs, counts) = door::run(py, 1, |monitor| {
        for (row, outputs) in values.chunks_exact(m).enumerate() {
            if row % CHECK_INTERVAL == 0 {
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
