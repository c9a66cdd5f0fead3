//! The exact solver ends with a certificate, recomputed here from the kernel: feasible
//! coefficients whose KKT violation is below tol. The path, the start, shrinking and the
//! source of the rows do not change the optimum.

use softmargin::data::{Dense, Labels, Matrix, Random};
use softmargin::kernel::{
    CachedRows, ComputedRows, Gamma, KernelKind, KernelSettings, PackedRows, Parts, Threading,
};
use softmargin::monitor::Monitor;
use softmargin::multiclass::{RowSource, Scheme, Training, TrainingSet};
use softmargin::simd::Lanes;
use softmargin::solver::{BinarySolver, Machine, Problem, Start, Status, SvcSettings};
use softmargin::{Error, Result, threads};
use std::borrow::Cow;
use std::time::Duration;

const TOL: f64 = 1e-6;

/// Rows of two classes with a kernel and weights.
#[derive(Clone)]
struct Trial {
    values: Vec<f64>,
    d: usize,
    codes: Vec<u32>,
    kernel: KernelSettings,
    class_weights: [f64; 2],
    row_weights: Vec<f64>,
}

fn kernel(kind: KernelKind, gamma: f64) -> KernelSettings {
    KernelSettings {
        kind,
        gamma: Gamma::Value(gamma),
        degree: 3,
        coef0: 1.0,
    }
}

fn rbf(gamma: f64) -> KernelSettings {
    kernel(KernelKind::Rbf, gamma)
}

/// A standard normal number (Box and Muller).
fn normal(random: &mut Random) -> f64 {
    let radius = (-2.0 * (1.0 - random.unit()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.unit()).cos()
}

/// Two clouds whose means are this far apart; the second has a third of the rows.
fn clouds_apart(distance: f64, n: usize, d: usize, seed: u64, kernel: KernelSettings) -> Trial {
    let mut random = Random::new(seed);
    let codes: Vec<u32> = (0..n).map(|_| u32::from(random.below(3) == 0)).collect();
    let mean = |row: usize| distance * f64::from(codes[row]) / (d as f64).sqrt();
    let values = (0..n * d).map(|k| mean(k / d) + normal(&mut random));
    Trial {
        values: values.collect(),
        d,
        codes: codes.clone(),
        kernel,
        class_weights: [1.0, 1.0],
        row_weights: vec![1.0; n],
    }
}

/// Two clouds that overlap.
fn clouds(n: usize, d: usize, seed: u64, kernel: KernelSettings) -> Trial {
    clouds_apart(1.5, n, d, seed, kernel)
}

/// The same rows with bounds that differ from class to class and from row to row.
fn weighted(trial: Trial) -> Trial {
    let mut random = Random::new(9);
    let row_weights = trial.row_weights.iter().map(|_| 0.2 + 2.0 * random.unit());
    Trial {
        class_weights: [0.5, 2.0],
        row_weights: row_weights.collect(),
        ..trial
    }
}

fn settings(cs: &[f64], tol: f64) -> SvcSettings {
    SvcSettings {
        cs: cs.to_vec(),
        tol,
        working_set_size: None,
        shrinking: true,
        max_iter: None,
    }
}

impl Trial {
    fn n(&self) -> usize {
        self.codes.len()
    }

    fn label(&self, i: usize) -> f64 {
        2.0 * f64::from(self.codes[i]) - 1.0
    }

    /// The upper bound of alpha.
    fn bound(&self, i: usize, c: f64) -> f64 {
        self.class_weights[self.codes[i] as usize] * c * self.row_weights[i]
    }

    /// The kernel function, by its formula.
    fn k(&self, i: usize, j: usize) -> f64 {
        let row = |i: usize| &self.values[i * self.d..(i + 1) * self.d];
        let pairs = || row(i).iter().zip(row(j));
        let dot = || pairs().map(|(a, b)| a * b).sum::<f64>();
        let (Gamma::Value(gamma), coef0) = (self.kernel.gamma, self.kernel.coef0) else {
            unreachable!("all kernels here have a number for gamma")
        };
        match self.kernel.kind {
            KernelKind::Linear => dot(),
            KernelKind::Polynomial => (gamma * dot() + coef0).powi(3),
            KernelKind::Sigmoid => (gamma * dot() + coef0).tanh(),
            _ => (-gamma * pairs().map(|(a, b)| (a - b).powi(2)).sum::<f64>()).exp(),
        }
    }

    fn solve(&self, settings: &SvcSettings, how: &How) -> Result<(Vec<Machine>, Training)> {
        self.solve_in::<f64>(settings, how)
    }

    /// One machine for each C, their terms in rows of the caller.
    fn solve_in<T: Lanes>(
        &self,
        settings: &SvcSettings,
        how: &How,
    ) -> Result<(Vec<Machine>, Training)> {
        let values = self
            .values
            .iter()
            .map(|&value| T::from_f64(value))
            .collect();
        let rows = Dense::new(Cow::Owned(values), self.n(), self.d)?;
        let labels = Labels::new(&self.codes, 2)?;
        let order = labels.order().to_vec();
        let weights = self.class_weights.to_vec();
        let set = TrainingSet::new(&Matrix::Dense(rows), labels, weights, self.kernel)?
            .with_row_weights(&self.row_weights)?
            .with_starts(vec![how.2.clone()])?;
        // No training here takes long: one that would never end fails instead.
        let monitor = Monitor::with_time_limit(Some(Duration::from_secs(300)));
        let solver = settings.clone().check()?;
        let train = || set.train(&solver, Scheme::OneVsOne, how.0, how.1, &monitor);
        let trained = train()?;
        let mut machines = trained.machines.concat();
        for machine in &mut machines {
            assert_ne!(machine.status, Status::TimeLimit);
            let terms = machine.terms.iter_mut();
            terms.for_each(|(row, _)| *row = order[*row as usize]);
        }
        Ok((machines, trained))
    }

    fn machines(&self, settings: &SvcSettings) -> Result<Vec<Machine>> {
        Ok(self.solve(settings, &PLAIN)?.0)
    }

    /// `K beta`, row by row.
    fn outputs(&self, machine: &Machine) -> Vec<f64> {
        let terms = |i| machine.terms.iter().map(move |&(k, beta)| (i, k, beta));
        let sum = |i| {
            terms(i)
                .map(|(i, k, beta)| beta * self.k(i, k as usize))
                .sum()
        };
        (0..self.n()).map(sum).collect()
    }

    /// Coefficients of all rows, once it is clear that they are within their bounds.
    fn within_bounds(&self, machine: &Machine, c: f64) -> Vec<f64> {
        let mut beta = vec![0.0; self.n()];
        for &(row, value) in &machine.terms {
            let alpha = value * self.label(row as usize);
            let bound = self.bound(row as usize, c);
            assert!(
                alpha > 0.0 && alpha <= bound,
                "row {row}: {alpha} of {bound}"
            );
            assert_eq!(std::mem::replace(&mut beta[row as usize], value), 0.0);
        }
        assert!(machine.bias.is_finite());
        beta
    }

    /// The same, once it is clear that they sum to 0 as well.
    fn feasible(&self, machine: &Machine, c: f64) -> Vec<f64> {
        let beta = self.within_bounds(machine, c);
        let (sum, size) = beta
            .iter()
            .fold((0.0, 0.0), |(s, a), b| (s + b, a + b.abs()));
        assert!(sum.abs() <= 1e-9 * size, "{sum} of {size}");
        beta
    }

    /// The dual objective and the KKT violation.
    fn certificate(&self, machine: &Machine, c: f64) -> (f64, f64) {
        let beta = self.feasible(machine, c);
        let outputs = self.outputs(machine);
        let objective = beta
            .iter()
            .zip(&outputs)
            .map(|(b, o)| b.abs() - 0.5 * b * o);
        let (mut max_up, mut min_low) = (f64::NEG_INFINITY, f64::INFINITY);
        for i in 0..self.n() {
            let (y, v) = (self.label(i), self.label(i) - outputs[i]);
            let (is_zero, is_full) = (beta[i] == 0.0, beta[i].abs() >= self.bound(i, c));
            if (y > 0.0 && !is_full) || (y < 0.0 && !is_zero) {
                max_up = max_up.max(v);
            }
            if (y < 0.0 && !is_full) || (y > 0.0 && !is_zero) {
                min_low = min_low.min(v);
            }
        }
        (objective.sum(), max_up - min_low)
    }

    /// The dual objective, once it is clear that the machine has the optimum.
    fn optimum(&self, machine: &Machine, c: f64, tol: f64) -> f64 {
        assert_eq!(machine.status, Status::Converged);
        let (objective, violation) = self.certificate(machine, c);
        assert!(violation < 1.1 * tol, "{violation} at C = {c}");
        objective
    }
}

/// What should not matter: where rows come from, with how many bytes, and the start.
struct How(RowSource, usize, Start);

/// As it is by default.
const PLAIN: How = How(RowSource::Auto, 64 << 20, Start::Zero);

fn assert_close(a: f64, b: f64, relative: f64, what: &str) {
    assert!(
        (a - b).abs() <= relative * a.abs().max(b.abs()),
        "{a} and {b}: {what}"
    );
}

/// The machine of one C, with nothing to help or hinder it.
fn alone(trial: &Trial, c: f64, tol: f64) -> Result<Machine> {
    Ok(trial.machines(&settings(&[c], tol))?.remove(0))
}

fn a_path_has_the_machines_of_its_cs(kernel: KernelSettings) -> Result<()> {
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
fn a_path_has_the_machines_of_its_cs_with_rbf() -> Result<()> {
    a_path_has_the_machines_of_its_cs(rbf(0.5))
}

#[test]
fn a_path_has_the_machines_of_its_cs_with_a_polynomial() -> Result<()> {
    a_path_has_the_machines_of_its_cs(kernel(KernelKind::Polynomial, 0.2))
}

#[test]

fn a_path_has_the_machines_of_its_cs_with_a_linear_kernel() -> Result<()> {
    a_path_has_the_machines_of_its_cs(kernel(KernelKind::Linear, 1.0))
}

/// Starts that are feasible and starts that are anything but.
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
        // Of the wrong sign, beyond the bounds, one side only, without order or sense.
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
        // Room for all rows of a start, or for few of them.
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

/// The solution is where a training that starts there stays.
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
    let far = |n| clouds_apart(5.0, n, 2, 7, rbf(0.5));
    // Large enough to narrow; large enough for a sample with many vectors, and with few.
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
        assert_ne!(with.1, without.1, "rows were left aside");
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

/// Two rows are all that a step of a pair of them needs.
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

/// Kernel values are rounded then, coefficients and `v` are not.
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
    // With a sample, rows left aside and sums that are split.
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

#[test]
fn no_machine_takes_more_steps_than_max_iter() -> Result<()> {
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

/// The sigmoid is not a positive definite kernel: there may be no optimum to find.
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

/// Every row of `trial` once more, as a row of the other class.
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
fn rows_that_contradict_each_other_reach_the_optimum() -> Result<()> {
    for kernel in [rbf(0.5), kernel(KernelKind::Polynomial, 0.2)] {
        let trial = contradicted(clouds(150, 2, 15, kernel));
        for c in [1.0, 1e3, 1e6] {
            let machine = alone(&trial, c, 1e-3)?;
            // No direction is better than another: all rows at their bounds gain 1 each.
            let objective = trial.optimum(&machine, c, 1e-3);
            assert_close(objective, 300.0 * c, 1e-6, "a bound for each row");
        }
        let trial = weighted(trial);
        for c in [1.0, 1e3] {
            trial.optimum(&alone(&trial, c, 1e-3)?, c, 1e-3);
        }
    }
    Ok(())
}

/// The kernel matrix has one value, and every step goes to a bound.
#[test]
fn rows_that_are_all_the_same_reach_the_optimum() -> Result<()> {
    for n in [5, 300, 2_500] {
        let mut trial = weighted(clouds(n, 2, 16, rbf(0.5)));
        trial.values.fill(0.25);
        trial.codes = (0..n as u32).map(|i| i % 2).collect();
        trial.optimum(&alone(&trial, 3.0, TOL)?, 3.0, TOL);
    }
    Ok(())
}

#[test]
fn two_rows_have_the_machine_between_them() -> Result<()> {
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
fn settings_outside_their_domain_are_refused_by_name() {
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

/// Here steps become smaller than what a coefficient can change by.
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

fn an_infinite_c_ends_where_no_machine_separates_the_rows() -> Result<()> {
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
    // So does a start that is much too small.
    let terms = alone(&trial, 2.0, TOL)?.terms;
    let start = Start::Terms(terms.iter().map(|&(i, b)| (i, 1e-10 * b)).collect());
    let how = How(PLAIN.0, PLAIN.1, start);
    let machine = &trial.solve(&settings(&[2.0], TOL), &how)?.0[0];
    trial.optimum(machine, 2.0, TOL);
    Ok(())
}

#[test]

fn bounds_that_underflow_do_not_turn_labels() -> Result<()> {
    let mut trial = clouds(100, 3, 4, rbf(0.5));
    trial.class_weights = [1e-30, 1e-30];
    let path = trial.machines(&settings(&[1e-300, 1e30], TOL))?;
    trial.optimum(&path[1], 1e30, TOL);
    Ok(())
}
