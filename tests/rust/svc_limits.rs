//! The exact solver ends: at limits, with indefinite kernels, with degenerate samples, and with
//! extreme values of C and tol.

use crate::svc_problem::{
    How, PLAIN, TOL, Trial, alone, assert_close, clouds, kernel, rbf, settings, weighted,
};
use softmargin::data::{Dense, Labels, Matrix};
use softmargin::kernel::KernelKind;
use softmargin::monitor::Monitor;
use softmargin::multiclass::{RowSource, Scheme, TrainingSet};
use softmargin::solver::{Start, Status, SvcSettings};
use softmargin::{Error, Result};
use std::borrow::Cow;
use std::time::Duration;

#[test]
fn training_takes_at_most_max_iter_steps() -> Result<()> {
    let hard = clouds(500, 4, 12, rbf(0.02));
    for (trial, c) in [
        (hard, 1024.0),
        (weighted(clouds(8_400, 2, 13, rbf(0.5))), 100.0),
    ] {
        for max_iter in [1, 2, 7, 100, 999] {
            let settings = SvcSettings {
                max_iter: Some(max_iter),
                ..settings(&[c, 2.0 * c], TOL)
            };
            for (machine, c) in trial.machines(&settings)?.iter().zip(&settings.cs) {
                let ended = (machine.n_iter, machine.status);
                assert_eq!(ended, (max_iter, Status::IterationLimit));
                trial.feasible(machine, *c);
            }
        }
    }
    Ok(())
}

#[test]
fn a_limit_that_is_not_reached_changes_nothing() -> Result<()> {
    let trial = clouds(500, 4, 12, rbf(0.02));
    let machine = alone(&trial, 1024.0, TOL)?;
    trial.optimum(&machine, 1024.0, TOL);
    let with_limit = |max_iter| {
        let max_iter = Some(max_iter);
        let settings = settings(&[1024.0], TOL);
        trial.machines(&SvcSettings {
            max_iter,
            ..settings
        })
    };
    assert_eq!(with_limit(machine.n_iter)?[0], machine);
    assert_eq!(
        with_limit(machine.n_iter - 1)?[0].status,
        Status::IterationLimit
    );
    Ok(())
}

#[test]
fn a_time_limit_that_has_passed_ends_a_training_at_its_start() -> Result<()> {
    let trial = clouds(500, 4, 12, rbf(0.02));
    let rows = Dense::new(Cow::Borrowed(&trial.values), trial.n(), trial.d)?;
    let labels = Labels::new(&trial.codes, 2)?;
    let set = TrainingSet::new(&Matrix::Dense(rows), labels, vec![1.0; 2], trial.kernel)?;
    let monitor = Monitor::with_time_limit(Some(Duration::ZERO));
    let solver = settings(&[1.0], TOL).check()?;
    let trained = set.train(
        &solver,
        Scheme::OneVsOne,
        RowSource::Auto,
        1 << 20,
        &monitor,
    )?;
    let machine = &trained.machines[0][0];
    assert_eq!((machine.status, machine.n_iter), (Status::TimeLimit, 0));
    assert!(machine.terms.is_empty());
    Ok(())
}

/// The sigmoid kernel is not positive definite: there may be no optimum.
#[test]
fn an_indefinite_kernel_ends() -> Result<()> {
    for (n, gamma) in [(50, 1.0), (300, 5.0), (300, 100.0), (2_500, 5.0)] {
        let mut kernel = kernel(KernelKind::Sigmoid, gamma);
        kernel.coef0 = 0.0;
        let trial = weighted(clouds(n, 3, 14, kernel));
        for c in [0.1, 1.0, 100.0] {
            let machine = alone(&trial, c, 1e-3)?;
            let ends = [Status::Converged, Status::Stalled];
            assert!(ends.contains(&machine.status), "{:?}", machine.status);
            trial.within_bounds(&machine, c);
        }
    }
    Ok(())
}

/// Every sample of `trial`, and a copy of it in the other class.
fn contradicted(mut trial: Trial) -> Trial {
    trial.values.extend_from_within(..);
    trial.codes = [
        &trial.codes[..],
        &trial.codes.iter().map(|c| 1 - c).collect::<Vec<_>>(),
    ]
    .concat();
    trial.row_weights.extend_from_within(..);
    trial
}

#[test]
fn samples_in_both_classes_reach_the_optimum() -> Result<()> {
    for kernel in [rbf(0.5), kernel(KernelKind::Polynomial, 0.2)] {
        let trial = contradicted(clouds(150, 2, 15, kernel));
        for c in [1.0, 1e3, 1e6] {
            let machine = alone(&trial, c, 1e-3)?;
            // All samples are at their bounds, and w = 0: the objective is the sum of the bounds.
            let objective = trial.optimum(&machine, c, 1e-3);
            assert_close(objective, 300.0 * c, 1e-6, "the sum of the bounds");
        }
        let trial = weighted(trial);
        for c in [1.0, 1e3] {
            trial.optimum(&alone(&trial, c, 1e-3)?, c, 1e-3);
        }
    }
    Ok(())
}

/// All kernel values are equal, and every step ends at a bound.
#[test]
fn equal_samples_reach_the_optimum() -> Result<()> {
    for n in [5, 300, 2_500] {
        let mut trial = weighted(clouds(n, 2, 16, rbf(0.5)));
        trial.values.fill(0.25);
        trial.codes = (0..n as u32).map(|i| i % 2).collect();
        trial.optimum(&alone(&trial, 3.0, TOL)?, 3.0, TOL);
    }
    Ok(())
}

#[test]
fn two_samples_have_the_closed_form() -> Result<()> {
    let mut trial = clouds(2, 1, 1, kernel(KernelKind::Linear, 1.0));
    (trial.values, trial.codes) = (vec![1.0, 3.0], vec![0, 1]);
    let machine = alone(&trial, 10.0, TOL)?;
    let mut terms = machine.terms.clone();
    terms.sort_unstable_by_key(|term| term.0);
    // f(x) = x - 2.
    assert_eq!((terms, machine.bias), (vec![(0, -0.5), (1, 0.5)], -2.0));
    Ok(())
}

#[test]
fn settings_outside_their_domain_are_rejected_by_name() {
    let refused = |settings: SvcSettings, sentence: &str| {
        let error = settings.check().expect_err(sentence);
        assert!(matches!(error, Error::Parameter { .. }));
        assert!(error.to_string().starts_with(sentence), "{error}");
    };
    refused(settings(&[], TOL), "C = [] is not valid");
    for c in [0.0, -1.0, f64::NAN] {
        refused(settings(&[1.0, c], TOL), &format!("C = {c} is not valid"));
    }
    for tol in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused(settings(&[1.0], tol), &format!("tol = {tol} is not valid"));
    }
    for size in [0, 1] {
        let settings = SvcSettings {
            working_set_size: Some(size),
            ..settings(&[1.0], TOL)
        };
        refused(settings, &format!("working_set_size = {size} is not valid"));
    }
    let settings = SvcSettings {
        max_iter: Some(0),
        ..settings(&[1.0], TOL)
    };
    refused(settings, "max_iter = 0 is not valid");
}

/// Steps become smaller than the rounding of a coefficient.
#[test]

fn a_tol_below_all_rounding_ends() -> Result<()> {
    let trial = clouds(400, 3, 4, kernel(KernelKind::Polynomial, 0.2));
    for (c, tol) in [(1e6, 1e-10), (1e3, 1e-12), (1.0, 1e-15), (1.0, 1e-300)] {
        for source in [RowSource::Gram, RowSource::Cached] {
            let how = How(source, PLAIN.1, Start::Zero);
            let machine = &trial.solve(&settings(&[c], tol), &how)?.0[0];
            trial.feasible(machine, c);
        }
    }
    Ok(())
}

#[test]

fn an_infinite_c_ends_if_the_classes_are_not_separable() -> Result<()> {
    let trial = clouds(60, 2, 3, kernel(KernelKind::Linear, 1.0));
    for c in [1e15, f64::INFINITY] {
        let machine = alone(&trial, c, 1e-3)?;
        let (_, violation) = trial.certificate(&machine, c);
        assert!(
            machine.status != Status::Converged || violation < 1.0,
            "C = {c}"
        );
    }
    Ok(())
}

#[test]

fn numbers_beyond_f64_are_not_called_converged() -> Result<()> {
    let mut trial = contradicted(clouds(30, 2, 4, kernel(KernelKind::Linear, 1.0)));
    trial.class_weights = [1e20, 1e20];
    let machine = alone(&trial, f64::INFINITY, 1e-3)?;
    assert_eq!(machine.status, Status::NonFinite);
    Ok(())
}

#[test]

fn a_path_over_many_orders_of_magnitude_keeps_its_digits() -> Result<()> {
    let trial = clouds(300, 3, 4, rbf(0.5));
    let grid = (-15..16).map(|power| 2f64.powi(power)).collect();
    for cs in [vec![1e-300, 1.0], vec![1e-12, 1.0], grid] {
        for (machine, &c) in trial.machines(&settings(&cs, TOL))?.iter().zip(&cs) {
            trial.optimum(machine, c, TOL);
        }
    }
    // A start that is much too small keeps its digits, too.
    let terms = alone(&trial, 2.0, TOL)?.terms;
    let start = Start::Terms(terms.iter().map(|&(i, b)| (i, 1e-10 * b)).collect());
    let how = How(PLAIN.0, PLAIN.1, start);
    let machine = &trial.solve(&settings(&[2.0], TOL), &how)?.0[0];
    trial.optimum(machine, 2.0, TOL);
    Ok(())
}

#[test]

fn bounds_that_underflow_do_not_change_labels() -> Result<()> {
    let mut trial = clouds(100, 3, 4, rbf(0.5));
    trial.class_weights = [1e-30, 1e-30];
    let path = trial.machines(&settings(&[1e-300, 1e30], TOL))?;
    trial.optimum(&path[1], 1e30, TOL);
    Ok(())
}
