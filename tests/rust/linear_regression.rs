//! Linear regression: all solvers reach the optimum of a plain coordinate descent, certificates
//! prove it, and the solution follows the units of the targets.

use softmargin::data::{Csr, Dense, Matrix, Random};
use softmargin::kernel::{Gamma, KernelKind, KernelSettings};
use softmargin::model::Ties;
use softmargin::monitor::Monitor;
use softmargin::multiclass::{LinearSet, Scheme};
use softmargin::select::{Decisions, Evaluation, Job, LinearPath, Plan, Scaling, Source, Wanted};
use softmargin::solver::Status;
use softmargin::solver::linear::{
    DualSettings, FasterExact, Intercept, LinearMachine, LinearMethod, LinearNewtonSettings, Loss,
    Penalty,
};
use softmargin::{Result, threads};
use std::borrow::Cow;
use std::time::Duration;

const N: usize = 120;

/// Samples with zeros, their targets and weights.
struct Trial {
    d: usize,
    values: Vec<f64>,
    targets: Vec<f64>,
    weights: Vec<f64>,
}

impl Trial {
    fn new(d: usize, seed: u64) -> Self {
        let mut random = Random::new(seed);
        // Numbers that are exact in f32.
        let mut number = || match random.below(3) {
            0 => 0.0,
            _ => (random.below(2001) as f64 - 1000.0) / 512.0,
        };
        let values: Vec<f64> = (0..N * d).map(|_| number()).collect();
        let noise: Vec<f64> = (0..N).map(|_| number()).collect();
        let rows = values.chunks(d).zip(noise);
        let targets = rows.map(|(row, noise)| 2.0 * row[0] - row[d - 1] + noise + 3.0);
        Self {
            d,
            targets: targets.collect(),
            weights: (0..N).map(|_| 0.25 + random.unit()).collect(),
            values,
        }
    }

    fn dense(&self) -> Result<Matrix<'_, f64>> {
        Ok(Matrix::Dense(Dense::new(
            Cow::Borrowed(&self.values),
            N,
            self.d,
        )?))
    }

    fn narrow(&self) -> Result<Matrix<'_, f32>> {
        let values = self.values.iter().map(|&value| value as f32).collect();
        Ok(Matrix::Dense(Dense::new(Cow::Owned(values), N, self.d)?))
    }

    fn sparse(&self) -> Result<Matrix<'_, f64>> {
        let (mut offsets, mut columns, mut stored) = (vec![0], Vec::new(), Vec::new());
        for row in self.values.chunks(self.d) {
            for (column, &value) in row.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                columns.push(column as u32);
                stored.push(value);
            }
            offsets.push(stored.len());
        }
        let csr = Csr::new(offsets, Cow::Owned(columns), Cow::Owned(stored), self.d)?;
        Ok(Matrix::Sparse(csr))
    }

    fn solve(&self, method: &LinearMethod, monitor: &Monitor) -> Result<LinearMachine> {
        let rows = self.dense()?;
        train(&rows, &self.targets, Some(&self.weights), method, monitor)
    }

    /// A sample with the constant feature.
    fn row(&self, i: usize) -> impl Iterator<Item = f64> {
        self.values[i * self.d..(i + 1) * self.d]
            .iter()
            .copied()
            .chain([1.0])
    }

    /// The optimum by cyclic coordinate descent on the dual with two nonnegative variables for
    /// each sample, one for each side of the tube: no shrinking, and no signed variables.
    fn reference(&self, loss: Loss, c: f64) -> Vec<f64> {
        let epsilon = loss.tube().expect("a loss of targets");
        let (mut w, mut alpha) = (vec![0.0; self.d + 1], vec![[0.0f64; 2]; N]);
        for _ in 0..200_000 {
            let mut largest = 0.0f64;
            for (i, own) in alpha.iter_mut().enumerate() {
                let cost = c * self.weights[i];
                let (bound, diagonal) = match loss.is_squared() {
                    true => (f64::INFINITY, 0.5 / cost),
                    false => (cost, 0.0),
                };
                let square: f64 = self.row(i).map(|x| x * x).sum();
                for (place, sign) in [1.0, -1.0].into_iter().enumerate() {
                    let f: f64 = self.row(i).zip(&w).map(|(x, w)| x * w).sum();
                    let before = own[place];
                    let gradient = sign * (f - self.targets[i]) + epsilon + diagonal * before;
                    let after = (before - gradient / (square + diagonal)).clamp(0.0, bound);
                    own[place] = after;
                    largest = largest.max((after - before).abs());
                    let change = sign * (after - before);
                    w.iter_mut()
                        .zip(self.row(i))
                        .for_each(|(w, x)| *w += change * x);
                }
            }
            if largest < 1e-13 {
                break;
            }
        }
        w
    }

    /// The primal objective of weights, the last of which is the bias.
    fn primal(&self, w: &[f64], loss: Loss, c: f64) -> f64 {
        let epsilon = loss.tube().expect("a loss of targets");
        let loss_of = |i: usize| {
            let f: f64 = self.row(i).zip(w).map(|(x, w)| x * w).sum();
            let slack = ((self.targets[i] - f).abs() - epsilon).max(0.0);
            let cost = c * self.weights[i];
            cost * if loss.is_squared() {
                slack * slack
            } else {
                slack
            }
        };
        0.5 * w.iter().map(|w| w * w).sum::<f64>() + (0..N).map(loss_of).sum::<f64>()
    }
}

fn train<T: softmargin::simd::Lanes>(
    rows: &Matrix<'_, T>,
    targets: &[f64],
    weights: Option<&[f64]>,
    method: &LinearMethod,
    monitor: &Monitor,
) -> Result<LinearMachine> {
    let set = LinearSet::regression(rows, targets, weights)?;
    let mut machines = set.train(method, Scheme::Single, 1.0, &[], None, monitor)?;
    Ok(machines.remove(0))
}

fn weights_of(machine: &LinearMachine) -> Vec<f64> {
    let weights = machine.weights.iter().copied();
    weights.chain([machine.bias]).collect()
}

fn settings(loss: Loss, c: f64) -> DualSettings {
    DualSettings {
        loss,
        penalty: Penalty::C(c),
        tol: 1e-10,
        max_iter: Some(200_000),
        intercept: Intercept::Constant(1.0),
        seed: 3,
    }
}

/// All solvers of a loss.
fn methods(loss: Loss, c: f64) -> Result<Vec<LinearMethod>> {
    let dual = settings(loss, c);
    let newton = LinearNewtonSettings {
        loss,
        penalty: dual.penalty,
        tol: dual.tol,
        max_iter: None,
        intercept: dual.intercept,
        free_bias: false,
    };
    let mut found: Vec<LinearMethod> =
        vec![dual.clone().check()?.into(), FasterExact::new(dual)?.into()];
    if loss.is_squared() {
        found.push(newton.check()?.into());
    }
    Ok(found)
}

fn losses(epsilon: f64) -> [Loss; 2] {
    [Loss::Tube { epsilon }, Loss::SquaredTube { epsilon }]
}

#[test]
fn solvers_of_regression_reach_the_optimum_of_plain_coordinate_descent() -> Result<()> {
    for (d, seed) in [(4, 1), (30, 2), (300, 3)] {
        let trial = Trial::new(d, seed);
        for (c, epsilon) in [(0.02, 0.3), (0.5, 0.0), (0.5, 1.0), (2.0, 0.5)] {
            for loss in losses(epsilon) {
                let w = trial.reference(loss, c);
                let optimum = trial.primal(&w, loss, c);
                for method in methods(loss, c)? {
                    let machine = trial.solve(&method, &Monitor::new())?;
                    assert_eq!(machine.status, Status::Converged, "{method:?}");
                    let own = weights_of(&machine);
                    let primal = trial.primal(&own, loss, c);
                    assert!((primal - optimum).abs() <= 1e-8 * optimum, "{method:?}");
                    for (own, w) in own.iter().zip(&w) {
                        assert!((own - w).abs() <= 1e-4 * (1.0 + w.abs()), "{method:?}");
                    }
                    let proof = machine.certificate.expect("an exact method");
                    assert!((proof.primal - primal).abs() <= 1e-12 * primal);
                    assert!(proof.gap() >= -1e-12 * primal && proof.gap() <= 1e-7 * primal);
                    assert!(proof.violation <= 1e-7, "{proof:?} {method:?}");
                }
            }
        }
    }
    Ok(())
}

#[test]
fn targets_inside_the_tube_need_no_weights() -> Result<()> {
    let trial = Trial::new(4, 1);
    let epsilon = trial
        .targets
        .iter()
        .fold(0.0, |most: f64, p| most.max(p.abs()));
    for loss in losses(epsilon) {
        for method in methods(loss, 1.0)? {
            let machine = trial.solve(&method, &Monitor::new())?;
            assert!(weights_of(&machine).iter().all(|&w| w == 0.0));
            let proof = machine.certificate.expect("an exact method");
            assert_eq!((proof.primal, proof.dual), (0.0, 0.0));
            assert_eq!(machine.status, Status::Converged);
        }
    }
    Ok(())
}

#[test]
fn the_solution_follows_the_units_of_the_targets() -> Result<()> {
    let trial = Trial::new(30, 2);
    for unit in [0.5f64.powi(700), 2.0f64.powi(40), 2.0f64.powi(600)] {
        let targets: Vec<f64> = trial.targets.iter().map(|p| p * unit).collect();
        for loss in losses(0.5) {
            let (scaled, factor) = match loss {
                Loss::SquaredTube { epsilon } => {
                    let epsilon = epsilon * unit;
                    (Loss::SquaredTube { epsilon }, 1.0)
                }
                _ => {
                    let epsilon = 0.5 * unit;
                    (Loss::Tube { epsilon }, unit)
                }
            };
            if !(1e-100..1e100).contains(&factor) {
                continue; // no valid C
            }
            let rows = trial.dense()?;
            let weights = Some(&trial.weights[..]);
            let pairs = methods(loss, 0.5)?.into_iter();
            for (plain, large) in pairs.zip(methods(scaled, 0.5 * factor)?) {
                let expected = trial.solve(&plain, &Monitor::new())?;
                let found = train(&rows, &targets, weights, &large, &Monitor::new())?;
                for (found, expected) in weights_of(&found).iter().zip(weights_of(&expected)) {
                    assert_eq!(*found, expected * unit);
                }
                assert_eq!(found.n_iter, expected.n_iter);
                let (found, expected) = (found.certificate, expected.certificate);
                let (found, expected) = found.zip(expected).expect("exact methods");
                assert_eq!(found.violation, expected.violation * unit);
                assert_eq!(found.primal, expected.primal * unit * unit);
            }
        }
    }
    Ok(())
}

#[test]
fn regression_takes_all_kinds_of_samples() -> Result<()> {
    let trial = Trial::new(30, 2);
    let weights = Some(&trial.weights[..]);
    for loss in losses(0.25) {
        for method in methods(loss, 2.0)? {
            let dense = trial.solve(&method, &Monitor::new())?;
            let (sparse, narrow) = (trial.sparse()?, trial.narrow()?);
            let monitor = Monitor::new();
            let sparse = train(&sparse, &trial.targets, weights, &method, &monitor)?;
            let narrow = train(&narrow, &trial.targets, weights, &method, &monitor)?;
            for other in [sparse, narrow] {
                for (own, w) in weights_of(&other).iter().zip(weights_of(&dense)) {
                    assert!((own - w).abs() < 1e-6 * (1.0 + w.abs()));
                }
            }
        }
    }
    Ok(())
}

#[test]
fn samples_of_weight_zero_do_not_change_a_regressor() -> Result<()> {
    let trial = Trial::new(30, 2);
    let (mut values, mut targets) = (trial.values.clone(), trial.targets.clone());
    let mut weights = trial.weights.clone();
    values.extend((0..30).map(|x| 100.0 - f64::from(x)));
    targets.push(1e300);
    weights.push(0.0);
    let rows = Matrix::Dense(Dense::new(Cow::Owned(values), N + 1, 30)?);
    for loss in losses(0.25) {
        for method in methods(loss, 2.0)? {
            let expected = trial.solve(&method, &Monitor::new())?;
            let found = train(&rows, &targets, Some(&weights), &method, &Monitor::new())?;
            assert_eq!(weights_of(&found), weights_of(&expected));
        }
    }
    Ok(())
}

#[test]
fn a_regressor_does_not_depend_on_threads() -> Result<()> {
    // Long sums are split into pieces.
    let (n, d) = (20_000, 40);
    let mut random = Random::new(5);
    let values: Vec<f64> = (0..n * d).map(|_| random.unit() - 0.5).collect();
    let rows = values.chunks(d);
    let targets: Vec<f64> = rows.map(|row| row[0] - row[1] + random.unit()).collect();
    let rows = Matrix::Dense(Dense::new(Cow::Owned(values), n, d)?);
    for loss in losses(0.1) {
        let method = FasterExact::new(DualSettings {
            tol: 1e-4,
            ..settings(loss, 10.0)
        })?
        .into();
        let fit = || train(&rows, &targets, None, &method, &Monitor::new());
        let [one, three] = [1, 3].map(|n| threads::install(n, fit));
        let (one, three) = (one??, three??);
        assert_eq!(one.status, Status::Converged);
        assert_eq!(one, three);
    }
    Ok(())
}

#[test]
fn a_regressor_that_is_stopped_has_a_valid_certificate() -> Result<()> {
    let trial = Trial::new(30, 2);
    for loss in losses(0.1) {
        for (method, exact) in methods(loss, 1e5)?.into_iter().zip(methods(loss, 1e5)?) {
            let optimum = trial.solve(&exact, &Monitor::new())?;
            let optimum = optimum.certificate.expect("an exact method").primal;
            let monitor = Monitor::with_time_limit(Some(Duration::ZERO));
            let machine = trial.solve(&method, &monitor)?;
            assert_eq!(machine.status, Status::TimeLimit);
            let proof = machine.certificate.expect("an exact method");
            assert!(proof.primal >= optimum * (1.0 - 1e-7));
            assert!(proof.dual <= optimum * (1.0 + 1e-7));
        }
    }
    Ok(())
}

#[test]
fn classifiers_and_regressors_need_their_own_kind_of_y() -> Result<()> {
    let trial = Trial::new(4, 1);
    let rows = trial.dense()?;
    let classifier = settings(Loss::Hinge, 1.0).check()?.into();
    assert!(trial.solve(&classifier, &Monitor::new()).is_err());
    let codes = [0, 1].repeat(N / 2);
    let set = LinearSet::new(&rows, &codes, &[1.0, 1.0], None)?;
    for method in methods(Loss::SquaredTube { epsilon: 0.1 }, 1.0)? {
        let found = set.train(&method, Scheme::OneVsRest, 1.0, &[], None, &Monitor::new());
        assert!(found.is_err());
    }
    assert!(LinearSet::regression(&rows, &trial.targets[1..], None).is_err());
    let mut targets = trial.targets.clone();
    targets[7] = f64::NAN;
    assert!(LinearSet::regression(&rows, &targets, None).is_err());
    let newton = LinearNewtonSettings {
        loss: Loss::Tube { epsilon: 0.1 },
        penalty: Penalty::C(1.0),
        tol: 1e-4,
        max_iter: None,
        intercept: Intercept::None,
        free_bias: false,
    };
    assert!(newton.check().is_err());
    Ok(())
}

/// An evaluation has the predictions of single trainings, and counts the samples that are not
/// inside the tube.
#[test]
fn splits_of_an_evaluation_are_trained_for_their_targets() -> Result<()> {
    let trial = Trial::new(30, 2);
    let rows = trial.dense()?;
    let sources = [Source {
        rows: rows.head(N),
        codes: &[0; N],
        row_weights: Some(&trial.weights),
        targets: Some(&trial.targets),
    }];
    let plan = Plan {
        n_classes: 1,
        class_weights: Some(&[1.0]),
        scaling: Scaling::None,
        scheme: Scheme::Single,
        ties: Ties::LargestSum,
        wanted: Wanted {
            predictions: false,
            decisions: Some(Decisions::Machines),
            train: true,
        },
        budget_bytes: 1 << 24,
    };
    let kernel = KernelSettings {
        kind: KernelKind::Linear,
        gamma: Gamma::Value(1.0),
        degree: 3,
        coef0: 0.0,
    };
    let (epsilon, constant) = (0.75, 1.0);
    let mut methods = Vec::new();
    for loss in losses(epsilon) {
        methods.push(FasterExact::new(settings(loss, 0.3))?.into());
    }
    let jobs: Vec<Job<LinearPath>> = (0..3)
        .map(|fold| Job {
            source: 0,
            train: (0..N as u32).filter(|row| row % 3 != fold).collect(),
            test: (0..N as u32).filter(|row| row % 3 == fold).collect(),
            kernels: vec![kernel],
            solvers: vec![LinearPath {
                methods: methods.clone(),
                constant,
            }],
            starts: Vec::new(),
        })
        .collect();
    let evaluation = Evaluation::new(&jobs);
    evaluation.run_linear(&sources, &plan, &jobs, &Monitor::new())?;
    for (number, job) in jobs.iter().enumerate() {
        let train_rows = rows.gather(&job.train)?;
        let of = |values: &[f64]| -> Vec<f64> {
            job.train.iter().map(|&row| values[row as usize]).collect()
        };
        let (targets, weights) = (of(&trial.targets), of(&trial.weights));
        let cells = evaluation.cells(number, 0).expect("done");
        let outputs = evaluation.take_outputs(number, 0).expect("done");
        for ((method, cell), found) in methods.iter().zip(cells).zip(outputs) {
            let monitor = Monitor::new();
            let machine = train(&train_rows, &targets, Some(&weights), method, &monitor)?;
            let w = weights_of(&machine);
            let output = |row: u32| -> f64 {
                let each = trial.row(row as usize).zip(&w);
                each.map(|(x, w)| x * w).sum()
            };
            let all = job.test.iter().chain(&job.train);
            assert_eq!(found.decisions.len(), N);
            for (&row, found) in all.zip(&found.decisions) {
                assert!((found - output(row)).abs() < 1e-6);
            }
            let is_outside = |&&row: &&u32| {
                let error = trial.targets[row as usize] - output(row);
                error.abs() > epsilon + 1e-6
            };
            let least = job.train.iter().filter(is_outside).count() as u32;
            assert!(least > 0 && cell.n_support >= least);
            assert!(cell.n_support < job.train.len() as u32);
            assert_eq!(cell.n_unfinished, 0);
        }
    }
    Ok(())
}
