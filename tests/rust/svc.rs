//! The exact solver reaches an optimum, which the certificate proves. The path, the start,
//! shrinking, the row source and the number of threads do not change it.

use crate::svc_problem::{
    How, PLAIN, TOL, Trial, alone, assert_close, clouds, clouds_at_distance, kernel, normal, rbf,
    settings, weighted,
};
use softmargin::data::{Dense, Labels, Matrix, Random};
use softmargin::kernel::{
    CachedRows, ComputedRows, KernelKind, KernelSettings, PackedRows, Parts, Threading,
};
use softmargin::monitor::Monitor;
use softmargin::multiclass::RowSource;
use softmargin::solver::{BinarySolver, Machine, Problem, Start, Status, SvcSettings};
use softmargin::{Result, threads};
use std::borrow::Cow;

fn a_path_has_the_classifiers_of_its_cs(kernel: KernelSettings) -> Result<()> {
    let cs = [4.0, 0.1, 1.0, 4.0, 256.0, 0.1, 0.01];
    for (seed, n) in [(1, 100), (2, 300), (3, 700)] {
        let trial = weighted(clouds(n, 4, seed, kernel));
        let path = trial.machines(&settings(&cs, TOL))?;
        assert_eq!(path.len(), cs.len());
        for (machine, c) in path.iter().zip(cs) {
            let objective = trial.optimum(machine, c, TOL);
            let expected = trial.optimum(&alone(&trial, c, TOL)?, c, TOL);
            assert_close(objective, expected, 1e-6, &format!("C = {c}, {n} rows"));
        }
    }
    Ok(())
}

#[test]
fn a_path_has_the_classifiers_of_its_cs_with_rbf() -> Result<()> {
    a_path_has_the_classifiers_of_its_cs(rbf(0.5))
}

#[test]
fn a_path_has_the_classifiers_of_its_cs_with_a_polynomial() -> Result<()> {
    a_path_has_the_classifiers_of_its_cs(kernel(KernelKind::Polynomial, 0.2))
}

#[test]

fn a_path_has_the_classifiers_of_its_cs_with_a_linear_kernel() -> Result<()> {
    a_path_has_the_classifiers_of_its_cs(kernel(KernelKind::Linear, 1.0))
}

/// Feasible and infeasible starting points.
fn starts(trial: &Trial, machine: &Machine) -> Vec<Start> {
    let mut random = Random::new(5);
    let n = trial.n() as u32;
    let signed = |sign: f64| (0..n).map(move |i| (i, sign));
    let label = |i: u32| trial.label(i as usize);
    let vectors = || machine.terms.iter().map(|term| term.0);
    let noise: Vec<(u32, f64)> = (0..n).map(|i| (i, normal(&mut random))).collect();
    vec![
        Start::Zero,
        Start::Rows(vec![]),
        Start::Rows(vectors().collect()),
        Start::Rows((0..n).rev().chain(0..n).collect()),
        Start::Terms(vec![]),
        Start::Terms(machine.terms.clone()),
        // With wrong signs, out of bounds, for one label only, random.
        Start::Terms(machine.terms.iter().map(|&(i, b)| (i, -b)).collect()),
        Start::Terms(machine.terms.iter().map(|&(i, b)| (i, 1e6 * b)).collect()),
        Start::Terms(machine.terms.iter().map(|&(i, b)| (i, 1e-3 * b)).collect()),
        Start::Terms(signed(1.0).collect()),
        Start::Terms(signed(-1e300).collect()),
        Start::Terms((0..n).map(|i| (i, 1e3 * label(i))).collect()),
        Start::Terms((0..n).map(|i| (i, label(i).max(0.0))).collect()),
        Start::Terms(noise.iter().rev().chain(&noise).copied().collect()),
        Start::Terms(vectors().take(1).map(|i| (i, label(i))).collect()),
    ]
}

#[test]
fn the_start_does_not_change_the_optimum() -> Result<()> {
    let cs = [2.0, 16.0];
    for kernel in [rbf(0.5), kernel(KernelKind::Polynomial, 0.2)] {
        let trial = weighted(clouds(300, 3, 4, kernel));
        let machine = alone(&trial, cs[0], TOL)?;
        let expected = trial.optimum(&machine, cs[0], TOL);
        // A cache for all rows of a start, or for few of them.
        let few = 30 * trial.n() * size_of::<f64>();
        for (start, bytes) in starts(&trial, &machine)
            .into_iter()
            .flat_map(|start| [(start.clone(), 1 << 20), (start, few)])
        {
            let what = format!("from {start:?}");
            let how = How(RowSource::Cached, bytes, start);
            let path = trial.solve(&settings(&cs, TOL), &how)?.0;
            let objective = trial.optimum(&path[0], cs[0], TOL);
            assert_close(objective, expected, 1e-6, &what);
            trial.optimum(&path[1], cs[1], TOL);
        }
    }
    Ok(())
}

#[test]
fn a_start_at_the_optimum_takes_no_steps() -> Result<()> {
    let trial = weighted(clouds(300, 3, 4, rbf(0.5)));
    let machine = alone(&trial, 2.0, TOL)?;
    let how = How(PLAIN.0, PLAIN.1, Start::Terms(machine.terms));
    let again = &trial.solve(&settings(&[2.0], 10.0 * TOL), &how)?.0[0];
    assert_eq!((again.n_iter, again.status), (0, Status::Converged));
    Ok(())
}

#[test]
fn shrinking_does_not_change_the_optimum() -> Result<()> {
    let far = |n| clouds_at_distance(5.0, n, 2, 7, rbf(0.5));
    // Large enough for shrinking; large enough for subsamples with many and with few support
    // vectors.
    let trials = [
        clouds(2_500, 2, 6, rbf(1.0)),
        clouds(8_400, 2, 7, rbf(0.5)),
        far(8_400),
    ];
    for (trial, c) in trials.into_iter().map(weighted).zip([10.0, 1.0, 1.0]) {
        let train = |shrinking: bool| {
            let settings = SvcSettings {
                shrinking,
                ..settings(&[c], TOL)
            };
            let (machines, trained) = trial.solve(&settings, &PLAIN)?;
            Result::Ok((trial.optimum(&machines[0], c, TOL), trained.n_kernel_evals))
        };
        let (with, without) = (train(true)?, train(false)?);
        assert_close(with.0, without.0, 1e-6, "with shrinking and without");
        assert_ne!(with.1, without.1, "samples were removed by shrinking");
    }
    Ok(())
}

#[test]
fn the_source_of_the_rows_does_not_change_the_optimum() -> Result<()> {
    use RowSource::{Auto, Cached, Computed, Gram};
    for (n, c) in [(200, 1.0), (200, 1000.0), (2_200, 1.0)] {
        let trial = weighted(clouds(n, 3, 8, rbf(0.5)));
        let expected = alone(&trial, c, TOL)?;
        let objective = trial.optimum(&expected, c, TOL);
        let row = n * size_of::<f64>();
        for (source, bytes) in [
            (Auto, 1 << 30),
            (Gram, 1 << 30),
            (Computed, 1),
            (Cached, 40 * row),
            (Cached, n * row),
        ] {
            let what = format!("{source:?} of {bytes} bytes, {n} rows");
            let how = How(source, bytes, Start::Zero);
            let machine = &trial.solve(&settings(&[c], TOL), &how)?.0[0];
            assert_close(trial.optimum(machine, c, TOL), objective, 1e-6, &what);
            assert!((machine.bias - expected.bias).abs() < 10.0 * TOL, "{what}");
        }
    }
    Ok(())
}

/// A step on a pair of samples needs two rows.
#[test]
fn any_working_set_and_a_cache_of_two_rows_reach_the_optimum() -> Result<()> {
    let trial = weighted(clouds(150, 3, 10, rbf(0.5)));
    let expected = trial.optimum(&alone(&trial, 2.0, TOL)?, 2.0, TOL);
    for (size, bytes) in [
        (2, 1),
        (2, 1 << 20),
        (3, 1),
        (17, 1 << 20),
        (149, 1 << 20),
        (1000, 1),
    ] {
        let settings = SvcSettings {
            working_set_size: Some(size),
            ..settings(&[2.0], TOL)
        };
        let how = How(RowSource::Cached, bytes, Start::Zero);
        let machine = &trial.solve(&settings, &how)?.0[0];
        let what = format!("{size} rows of {bytes} bytes");
        assert_close(trial.optimum(machine, 2.0, TOL), expected, 1e-6, &what);
    }
    Ok(())
}

/// Kernel values are rounded to f32; coefficients and `v` are not.
#[test]
fn rows_in_f32_reach_the_optimum() -> Result<()> {
    for (n, c) in [(300, 1.0), (300, 100.0), (2_500, 1.0)] {
        let mut trial = weighted(clouds(n, 3, 17, rbf(0.5)));
        let round = |value: &mut f64| *value = f64::from(*value as f32);
        trial.values.iter_mut().for_each(round);
        let machine = &trial.solve_in::<f32>(&settings(&[c], 1e-3), &PLAIN)?.0[0];
        let expected = trial.optimum(&alone(&trial, c, 1e-3)?, c, 1e-3);
        assert_close(
            trial.optimum(machine, c, 1e-3),
            expected,
            1e-5,
            "f32 and f64",
        );
    }
    Ok(())
}

#[test]
fn threads_do_not_change_a_bit() -> Result<()> {
    // With a subsample, shrinking, and sums that are split among threads.
    let trial = weighted(clouds(8_400, 2, 11, rbf(0.5)));
    let labels = Labels::new(&trial.codes, 2)?;
    let dense = Dense::new(Cow::Borrowed(&trial.values), trial.n(), trial.d)?;
    let packed = PackedRows::new(&Matrix::Dense(dense), labels.order())?;
    let (kernel, solver) = (
        trial.kernel.check_numbers()?,
        settings(&[0.5, 2.0], 1e-3).check()?,
    );
    let row_weights: Vec<f64> = labels
        .order()
        .iter()
        .map(|&i| trial.row_weights[i as usize])
        .collect();
    let problem = Problem {
        signs: &[-1.0, 1.0],
        weights: &trial.class_weights,
        targets: None,
        row_weights: Some(&row_weights),
        order: labels.order(),
        start: &Start::Zero,
        exact: None,
    };
    let rows = || {
        let parts = Parts::new([labels.rows_of(0), labels.rows_of(1)]);
        ComputedRows::new(&packed, &kernel, parts, Threading::Parallel)
    };
    let train = |n_threads: usize, bytes: Option<usize>| {
        threads::install(n_threads, || match bytes {
            None => solver.solve(&problem, &mut rows(), &Monitor::new()),
            Some(bytes) => {
                let mut rows = CachedRows::new(rows(), bytes)?;
                solver.solve(&problem, &mut rows, &Monitor::new())
            }
        })?
    };
    for bytes in [None, Some(4 << 20), Some(1 << 30)] {
        let expected = train(1, bytes)?;
        for n_threads in [2, 8] {
            let same = train(n_threads, bytes)? == expected;
            assert!(same, "{bytes:?} bytes on {n_threads} threads");
        }
    }
    Ok(())
}
