//! OLLAWV selects the violators and computes the coefficients of algorithm 1.1 of Melki (2018),
//! which is implemented below in the simplest way. C only scales the decision function, and a path
//! of margins has the classifiers of single margins.

use softmargin::data::{Dense, Labels, Matrix, Random, Real};
use softmargin::kernel::{Gamma, KernelKind, KernelSettings};
use softmargin::monitor::Monitor;
use softmargin::multiclass::{RowSource, Scheme, TrainingSet};
use softmargin::simd::Lanes;
use softmargin::solver::{Machine, OllawvSettings, Status};
use softmargin::{Error, Result};
use std::borrow::Cow;

const GAMMA: f64 = 2.0;

/// Samples of four features with their classes, not sorted by class.
struct Data<T> {
    values: Vec<T>,
    codes: Vec<u32>,
}

/// Two overlapping distributions; with `twins`, every sample occurs twice.
fn clouds<T: Real>(n: usize, seed: u64, twins: bool) -> Data<T> {
    let mut random = Random::new(seed);
    let (mut values, mut codes) = (Vec::new(), Vec::new());
    for _ in 0..n {
        let code = random.below(2) as u32;
        let row: Vec<T> = (0..4)
            .map(|_| T::from_f64(random.unit() + 0.3 * f64::from(code)))
            .collect();
        for _ in 0..=usize::from(twins) {
            values.extend_from_slice(&row);
            codes.push(code);
        }
    }
    Data { values, codes }
}

fn settings(margins: &[f64]) -> OllawvSettings {
    OllawvSettings {
        margins: margins.to_vec(),
        c: 1.0,
        bias: true,
        max_sv_fraction: 1.0,
        ..OllawvSettings::default()
    }
}

/// One classifier for each margin, its terms with the indices of the caller.
fn train<T: Lanes>(
    data: &Data<T>,
    kind: KernelKind,
    settings: &OllawvSettings,
) -> Result<Vec<Machine>> {
    let matrix = Matrix::Dense(Dense::new(
        Cow::Borrowed(&data.values),
        data.codes.len(),
        4,
    )?);
    let kernel = KernelSettings {
        kind,
        gamma: Gamma::Value(GAMMA),
        ..KernelSettings::default()
    };
    let labels = Labels::new(&data.codes, 2)?;
    let order = labels.order().to_vec();
    let set = TrainingSet::new(&matrix, labels, vec![1.0, 1.0], kernel)?;
    let (solver, monitor) = (settings.clone().check()?, Monitor::new());
    let trained = set.train(&solver, Scheme::OneVsOne, RowSource::Computed, 0, &monitor)?;
    let mut machines = trained.machines.concat();
    let terms = machines.iter_mut().flat_map(|machine| &mut machine.terms);
    terms.for_each(|(row, _)| *row = order[*row as usize]);
    Ok(machines)
}

/// Algorithm 1.1 on the samples in the order of the caller: violators, coefficients, bias.
fn plain(data: &Data<f64>, settings: &OllawvSettings) -> (Vec<(u32, f64)>, f64) {
    let rows: Vec<&[f64]> = data.values.chunks(4).collect();
    let n = rows.len();
    let y: Vec<f64> = data
        .codes
        .iter()
        .map(|&code| 2.0 * f64::from(code) - 1.0)
        .collect();
    let kernel = |i: usize, j: usize| {
        let squares = rows[i].iter().zip(rows[j]).map(|(a, b)| (a - b).powi(2));
        (-GAMMA * squares.sum::<f64>()).exp()
    };
    let beta = f64::from(u8::from(settings.bias));
    let most = (settings.max_sv_fraction * n as f64).ceil() as usize;
    let (mut o, mut used) = (vec![0.0; n], vec![false; n]);
    let (mut terms, mut bias, mut wv) = (Vec::new(), 0.0, 0);
    while terms.len() < most {
        let eta = 2.0 / ((terms.len() + 1) as f64).sqrt();
        let l = eta * settings.c * y[wv];
        used[wv] = true;
        for i in (0..n).filter(|&i| !used[i]) {
            o[i] += l * kernel(i, wv) + beta * l / n as f64;
        }
        terms.push((wv as u32, l));
        bias += beta * l / n as f64;
        let unused = (0..n).filter(|&i| !used[i]);
        let Some(next) = unused.min_by(|&i, &j| (y[i] * o[i]).total_cmp(&(y[j] * o[j]))) else {
            break;
        };
        wv = next;
        if y[wv] * o[wv] >= settings.margins[0] * settings.c {
            break;
        }
    }
    (terms, bias)
}

#[test]
fn violators_and_coefficients_are_those_of_the_algorithm() -> Result<()> {
    for (seed, twins) in [(1, false), (2, false), (3, true)] {
        let data = clouds::<f64>(150, seed, twins);
        for (margin, c, bias) in [(0.1, 1.0, true), (0.5, 16.0, false), (1e9, 0.3, true)] {
            let settings = OllawvSettings {
                c,
                bias,
                ..settings(&[margin])
            };
            let machine = &train(&data, KernelKind::Rbf, &settings)?[0];
            let (terms, bias) = plain(&data, &settings);
            let rows = |terms: &[(u32, f64)]| terms.iter().map(|t| t.0).collect::<Vec<_>>();
            assert_eq!(
                rows(&machine.terms),
                rows(&terms),
                "margin {margin}, seed {seed}"
            );
            for (own, plain) in machine.terms.iter().zip(&terms) {
                assert!((own.1 - plain.1).abs() <= 1e-15 * plain.1.abs());
            }
            assert!((machine.bias - bias).abs() <= 1e-12 * c);
            assert_eq!(
                (machine.n_iter, machine.status),
                (terms.len(), Status::Converged)
            );
        }
    }
    Ok(())
}

fn a_margin_path_is_the_runs_of_its_margins<T: Lanes>() -> Result<()> {
    let data = clouds::<T>(200, 4, false);
    let margins = [0.5, 0.0, 2.0, 0.1, 0.1, 1e9, 1e-3];
    let path = train(&data, KernelKind::Rbf, &settings(&margins))?;
    for (machine, margin) in path.iter().zip(margins) {
        let alone = train(&data, KernelKind::Rbf, &settings(&[margin]))?;
        assert_eq!(std::slice::from_ref(machine), alone, "margin {margin}");
    }
    assert_eq!(path.len(), margins.len());
    assert!(path[1].n_iter < path[0].n_iter && path[0].n_iter < path[5].n_iter);
    Ok(())
}

fn a_margin_path_in_epochs_is_the_runs_of_its_margins<T: Lanes>() -> Result<()> {
    let data = clouds::<T>(200, 4, false);
    let margins = [0.5, 0.0, 2.0, 0.1, 0.1, 1e9, 1e-3];
    for (epochs, max_sv_fraction) in [(2, 1.0), (5, 0.3)] {
        let of = |margins: &[f64]| OllawvSettings {
            epochs,
            max_sv_fraction,
            ..settings(margins)
        };
        let path = train(&data, KernelKind::Rbf, &of(&margins))?;
        for (machine, margin) in path.iter().zip(margins) {
            let alone = train(&data, KernelKind::Rbf, &of(&[margin]))?;
            assert_eq!(std::slice::from_ref(machine), alone, "margin {margin}");
            let mut rows: Vec<u32> = machine.terms.iter().map(|t| t.0).collect();
            rows.sort_unstable();
            rows.dedup();
            assert_eq!(rows.len(), machine.terms.len(), "one term per sample");
        }
        // The largest margin is out of reach: all samples, or all support vectors, are used up.
        let most = (max_sv_fraction * 200.0) as usize;
        let last = &path[5];
        assert_eq!((last.terms.len(), last.n_iter), (most, epochs * most));
        let is_limited = last.status == Status::IterationLimit;
        assert_eq!(is_limited, max_sv_fraction < 1.0);
    }
    Ok(())
}

fn c_scales_the_decision_function_and_nothing_else<T: Lanes>() -> Result<()> {
    let data = clouds::<T>(200, 5, false);
    let one = &train(&data, KernelKind::Rbf, &settings(&[0.3]))?[0];
    for c in [0.0625, 3.0, 1024.0, 1e-9] {
        let scaled = &train(
            &data,
            KernelKind::Rbf,
            &OllawvSettings {
                c,
                ..settings(&[0.3])
            },
        )?[0];
        let expected: Vec<_> = one.terms.iter().map(|&(row, l)| (row, c * l)).collect();
        assert_eq!(scaled.terms, expected);
        assert_eq!((scaled.bias, scaled.n_iter), (c * one.bias, one.n_iter));
    }
    Ok(())
}

fn the_fraction_of_support_vectors_is_a_limit<T: Lanes>() -> Result<()> {
    let data = clouds::<T>(101, 6, false);
    for (max_sv_fraction, most) in [(1e-9, 1), (0.25, 26), (0.5, 51), (0.999, 101), (1.0, 101)] {
        let settings = OllawvSettings {
            max_sv_fraction,
            ..settings(&[1e9])
        };
        let machine = &train(&data, KernelKind::Rbf, &settings)?[0];
        assert_eq!((machine.terms.len(), machine.n_iter), (most, most));
        // If all samples are used, no limit was reached.
        let cut = most < data.codes.len();
        assert_eq!(machine.status == Status::IterationLimit, cut);
        let mut rows: Vec<u32> = machine.terms.iter().map(|t| t.0).collect();
        rows.sort_unstable();
        rows.dedup();
        assert_eq!(rows.len(), most, "no row is used twice");
    }
    Ok(())
}

/// With a kernel of 0 and no bias all decision values are 0: the order of the caller decides.
fn ties_and_the_first_sample_follow_the_order_of_the_caller<T: Lanes>() -> Result<()> {
    let settings = OllawvSettings {
        bias: false,
        ..settings(&[1.0, 0.0])
    };
    for seed in 0..10 {
        let codes = clouds::<T>(37, seed, false).codes;
        let values = vec![T::ZERO; 4 * codes.len()];
        let path = train(&Data { values, codes }, KernelKind::Linear, &settings)?;
        assert!(path[0].terms.iter().map(|t| t.0).eq(0..37), "seed {seed}");
        // A decision value that equals the margin has reached it.
        assert!(path[1].terms.iter().map(|t| t.0).eq(0..1), "seed {seed}");
    }
    Ok(())
}

#[test]
fn settings_outside_their_domain_are_rejected_by_name() {
    let refused = |settings: OllawvSettings, sentence: &str| {
        let error = settings.check().expect_err(sentence);
        assert!(matches!(error, Error::Parameter { .. }));
        assert!(error.to_string().starts_with(sentence), "{error}");
    };
    refused(settings(&[]), "margins = [] is not valid");
    refused(settings(&[0.1, -1.0]), "margin = -1 is not valid");
    refused(settings(&[f64::NAN]), "margin = NaN is not valid");
    for c in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let settings = OllawvSettings {
            c,
            ..settings(&[0.1])
        };
        refused(settings, &format!("C = {c} is not valid"));
    }
    for epochs in [0, 1_000_001] {
        let settings = OllawvSettings {
            epochs,
            ..settings(&[0.1])
        };
        refused(settings, &format!("epochs = {epochs} is not valid"));
    }
    for max_sv_fraction in [0.0, -0.5, 1.5, f64::NAN] {
        let settings = OllawvSettings {
            max_sv_fraction,
            ..settings(&[0.1])
        };
        refused(
            settings,
            &format!("max_sv_fraction = {max_sv_fraction} is not valid"),
        );
    }
}

macro_rules! in_both_types {
    ($($claim:ident),*) => {
        mod f32 { $(#[test] fn $claim() -> softmargin::Result<()> { super::$claim::<f32>() })* }
        mod f64 { $(#[test] fn $claim() -> softmargin::Result<()> { super::$claim::<f64>() })* }
    };
}

in_both_types!(
    a_margin_path_is_the_runs_of_its_margins,
    a_margin_path_in_epochs_is_the_runs_of_its_margins,
    c_scales_the_decision_function_and_nothing_else,
    the_fraction_of_support_vectors_is_a_limit,
    ties_and_the_first_sample_follow_the_order_of_the_caller
);
