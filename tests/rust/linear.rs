//! Linear classifiers: update rules take the same steps on dense and sparse samples, exact solvers
//! reach the same optimum, which their certificates prove, and all methods can be stopped.

use softmargin::data::{Csr, Dense, Matrix, Random};
use softmargin::monitor::Monitor;
use softmargin::solver::linear::{
    DualSettings, FasterExact, GradientSettings, Intercept, L1Settings, LinearMachine,
    LinearMethod, LinearNewtonSettings, LinearProblem, LinearSolver, Loss, Optimizer, Penalty,
    Recorder, SgdSettings, Visit,
};
use softmargin::solver::{Certificate, Status};
use softmargin::{Error, Result};
use std::borrow::Cow;
use std::time::Duration;

const N: usize = 150;

/// Samples with many zeros, dense and sparse, in f64 and f32, and their labels.
struct Trial {
    dense: Matrix<'static, f64>,
    sparse: Matrix<'static, f64>,
    narrow: Matrix<'static, f32>,
    labels: Vec<f64>,
    weights: Vec<f64>,
}

impl Trial {
    fn new(d: usize, seed: u64) -> Result<Self> {
        let mut random = Random::new(seed);
        // Numbers that are exact in f32.
        let mut number = || match random.below(3) {
            0 => (random.below(2001) as f64 - 1000.0) / 512.0,
            _ => 0.0,
        };
        let values: Vec<f64> = (0..N * d).map(|_| number()).collect();
        let label = |row: &[f64]| {
            let noise = (random.below(1000) as f64 - 500.0) / 400.0;
            (row[0] - row[1] + noise + 0.1).signum()
        };
        let labels = values.chunks(d).map(label).collect();
        let weights = (0..N).map(|_| 0.25 + random.unit()).collect();
        let (mut offsets, mut columns, mut stored) = (vec![0], Vec::new(), Vec::new());
        for row in values.chunks(d) {
            for (column, &value) in row.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                columns.push(column as u32);
                stored.push(value);
            }
            offsets.push(stored.len());
        }
        let csr = Csr::new(offsets, Cow::Owned(columns), Cow::Owned(stored), d)?;
        let narrow = values.iter().map(|&value| value as f32).collect();
        Ok(Self {
            dense: Matrix::Dense(Dense::new(Cow::Owned(values), N, d)?),
            sparse: Matrix::Sparse(csr),
            narrow: Matrix::Dense(Dense::new(Cow::Owned(narrow), N, d)?),
            labels,
            weights,
        })
    }

    /// The classifiers of all kinds of samples.
    fn solve(&self, method: &LinearMethod, monitor: &Monitor) -> Result<[LinearMachine; 3]> {
        let label = |row: usize| Some(self.labels[row]);
        let weight = |row: usize| self.weights[row];
        let recorder = || Recorder::new(None);
        let dense = LinearProblem::new(&self.dense, label, weight, 1.0)?;
        let sparse = LinearProblem::new(&self.sparse, label, weight, 1.0)?;
        let narrow = LinearProblem::new(&self.narrow, label, weight, 1.0)?;
        Ok([
            method.solve(&dense, None, recorder(), monitor)?,
            method.solve(&sparse, None, recorder(), monitor)?,
            method.solve(&narrow, None, recorder(), monitor)?,
        ])
    }
}

fn sgd(optimizer: Optimizer) -> SgdSettings {
    SgdSettings {
        optimizer,
        penalty: Penalty::Lambda(0.02),
        epochs: Some(4),
        batch_size: 1,
        project: false,
        average: 0.5,
        eta0: None,
        momentum: 0.9,
        decay: 0.9,
        epsilon: 1e-8,
        as_printed: false,
        intercept: Intercept::Constant(1.0),
        visit: Visit::Shuffled,
        early_stop: None,
        seed: 7,
    }
}

fn dual(loss: Loss, c: f64) -> DualSettings {
    DualSettings {
        loss,
        penalty: Penalty::C(c),
        tol: 1e-9,
        max_iter: Some(200_000),
        intercept: Intercept::Constant(1.0),
        seed: 3,
    }
}

fn newton(c: f64) -> LinearNewtonSettings {
    LinearNewtonSettings {
        loss: Loss::SquaredHinge,
        penalty: Penalty::C(c),
        tol: 1e-9,
        max_iter: None,
        intercept: Intercept::Constant(1.0),
        free_bias: false,
    }
}

fn l1(c: f64) -> L1Settings {
    L1Settings {
        penalty: Penalty::C(c),
        tol: 1e-10,
        max_iter: Some(200_000),
        intercept: Intercept::Constant(1.0),
        seed: 3,
    }
}

fn gradient() -> GradientSettings {
    GradientSettings {
        penalty: Penalty::C(1.0),
        eta0: 0.05,
        max_iter: None,
        tol: 1e-8,
        intercept: Intercept::Constant(1.0),
    }
}

/// Methods with settings for which they take a while.
fn methods() -> Result<Vec<LinearMethod>> {
    let long = |optimizer| SgdSettings {
        epochs: Some(1_000_000),
        ..sgd(optimizer)
    };
    let endless = GradientSettings {
        eta0: 1e-9,
        ..gradient()
    };
    Ok(vec![
        long(Optimizer::Pegasos).check()?.into(),
        long(Optimizer::Nag).check()?.into(),
        long(Optimizer::RmsProp).check()?.into(),
        endless.check()?.into(),
        newton(1e4).check()?.into(),
        dual(Loss::Hinge, 1e6).check()?.into(),
        l1(1e6).check()?.into(),
    ])
}

fn assert_near(found: &LinearMachine, expected: &LinearMachine, close: f64) {
    let bound = |value: f64| close * (1.0 + value.abs());
    for (found, expected) in found.weights.iter().zip(&expected.weights) {
        assert!((found - expected).abs() <= bound(*expected));
    }
    assert!((found.bias - expected.bias).abs() <= bound(expected.bias));
}

#[test]
fn rules_take_the_same_steps_on_all_kinds_of_samples() -> Result<()> {
    let trial = Trial::new(40, 1)?;
    for optimizer in [
        Optimizer::Pegasos,
        Optimizer::Sgd,
        Optimizer::Momentum,
        Optimizer::Nag,
        Optimizer::RmsProp,
    ] {
        for (batch_size, project) in [(1, false), (7, true)] {
            let settings = SgdSettings {
                batch_size,
                project,
                ..sgd(optimizer)
            };
            let method = settings.check()?.into();
            let [dense, sparse, narrow] = trial.solve(&method, &Monitor::new())?;
            assert!(dense.weights.iter().any(|w| w.abs() > 1e-3));
            assert_near(&sparse, &dense, 1e-10);
            assert_near(&narrow, &dense, 1e-10);
            assert_eq!(dense.status, Status::Converged);
        }
    }
    Ok(())
}

/// The duality gap relative to the primal objective.
fn gap(certificate: Certificate) -> f64 {
    (certificate.primal - certificate.dual) / certificate.primal
}

#[test]
fn exact_solvers_reach_the_same_optimum() -> Result<()> {
    // 300 weights are solved by conjugate gradients instead of a factorization.
    for (d, seed) in [(5, 1), (30, 2), (300, 3)] {
        let trial = Trial::new(d, seed)?;
        for c in [0.01, 1.0, 20.0] {
            let by_newton = trial.solve(&newton(c).check()?.into(), &Monitor::new())?;
            let by_dual = dual(Loss::SquaredHinge, c).check()?.into();
            let by_dual = trial.solve(&by_dual, &Monitor::new())?;
            for machine in by_newton.iter().chain(&by_dual) {
                assert_near(machine, &by_newton[0], 1e-5);
                let proof = machine.certificate.expect("an exact method");
                assert!(gap(proof).abs() < 1e-8, "{proof:?}");
                assert!(proof.violation < 1e-6, "{proof:?}");
                assert_eq!(machine.status, Status::Converged);
            }
        }
        let slow = trial.solve(&gradient().check()?.into(), &Monitor::new())?;
        let fast = trial.solve(&newton(1.0).check()?.into(), &Monitor::new())?;
        assert_near(&slow[0], &fast[0], 1e-5);
    }
    Ok(())
}

#[test]
fn newton_steps_reach_the_optimum_of_dual_descent_for_the_hinge_loss() -> Result<()> {
    // With 300 weights, there are more weights than samples.
    for (d, seed) in [(3, 1), (30, 2), (300, 3)] {
        let trial = Trial::new(d, seed)?;
        for c in [0.05, 1.0, 50.0] {
            let settings = DualSettings {
                tol: 1e-6,
                ..dual(Loss::Hinge, c)
            };
            let exact = dual(Loss::Hinge, c).check()?.into();
            let [exact, ..] = trial.solve(&exact, &Monitor::new())?;
            let faster = FasterExact::new(settings)?.into();
            for machine in trial.solve(&faster, &Monitor::new())? {
                let proof = machine.certificate.expect("an exact method");
                let best = exact.certificate.expect("an exact method");
                assert_eq!(machine.status, Status::Converged);
                assert!(proof.violation <= 1.1e-6, "{proof:?}");
                // Each sample contributes at most its cost times its projected gradient.
                let costs = c * trial.weights.iter().sum::<f64>();
                let (bound, rounding) = (costs * proof.violation, 1e-9 * best.primal);
                assert!((proof.primal - proof.dual) <= bound + rounding, "{proof:?}");
                assert!((proof.primal - best.primal).abs() <= bound + rounding);
                assert!(proof.dual <= best.primal + rounding);
                assert!(machine.n_iter <= exact.n_iter.max(100));
            }
        }
    }
    Ok(())
}

#[test]
fn a_certificate_of_the_hinge_loss_is_that_of_the_weights() -> Result<()> {
    let trial = Trial::new(6, 4)?;
    let descent: LinearMethod = dual(Loss::Hinge, 2.0).check()?.into();
    let faster: LinearMethod = FasterExact::new(dual(Loss::Hinge, 2.0))?.into();
    let machines = [&descent, &faster].map(|method| trial.solve(method, &Monitor::new()));
    let [descent, faster] = machines;
    for machine in descent?.into_iter().chain(faster?) {
        let w = &machine.weights;
        let mut primal = 0.5 * (w.iter().map(|w| w * w).sum::<f64>() + machine.bias.powi(2));
        let mut row = vec![0.0; w.len()];
        for i in 0..N {
            trial.dense.copy_row(i, &mut row);
            let output = machine.bias + row.iter().zip(w).map(|(x, w)| x * w).sum::<f64>();
            let lack = (1.0 - trial.labels[i] * output).max(0.0);
            primal += 2.0 * trial.weights[i] * lack;
        }
        let proof = machine.certificate.expect("an exact method");
        assert!((proof.primal - primal).abs() < 1e-9 * primal);
        assert!(gap(proof) > -1e-12 && gap(proof) < 1e-7);
        assert!(proof.violation <= 2e-9);
    }
    Ok(())
}

/// The subgradient conditions are computed here without the solver: `|g_j| <= 1`, and
/// `g_j = sign(w_j)` for nonzero weights, with `g_j = 2 sum_i c_i y_i x_ij max(0, 1 - y_i f_i)`.
#[test]
fn weights_with_an_l1_penalty_satisfy_the_subgradient_conditions() -> Result<()> {
    for (d, seed) in [(5, 1), (30, 2), (300, 3)] {
        let trial = Trial::new(d, seed)?;
        for c in [0.01, 0.3, 5.0] {
            let machines = trial.solve(&l1(c).check()?.into(), &Monitor::new())?;
            for machine in &machines {
                let mut w = machine.weights.clone();
                w.push(machine.bias);
                let (mut row, mut g) = (vec![0.0; d], vec![0.0; d + 1]);
                let mut primal: f64 = w.iter().map(|w| w.abs()).sum();
                for i in 0..N {
                    trial.dense.copy_row(i, &mut row);
                    let x = || row.iter().copied().chain([1.0]);
                    let f: f64 = x().zip(&w).map(|(x, w)| x * w).sum();
                    let slack = (1.0 - trial.labels[i] * f).max(0.0);
                    let cost = c * trial.weights[i];
                    primal += cost * slack * slack;
                    let factor = 2.0 * cost * trial.labels[i] * slack;
                    g.iter_mut().zip(x()).for_each(|(g, x)| *g += factor * x);
                }
                for (g, w) in g.iter().zip(&w) {
                    let excess = if *w == 0.0 {
                        g.abs() - 1.0
                    } else {
                        (g - w.signum()).abs()
                    };
                    assert!(excess <= 1e-6, "d = {d}, C = {c}: w = {w}, g = {g}");
                }
                let proof = machine.certificate.expect("an exact method");
                assert!((proof.primal - primal).abs() <= 1e-12 * primal, "{proof:?}");
                assert!(gap(proof) > -1e-12 && gap(proof) < 1e-6, "{proof:?}");
                assert!(proof.violation <= 1e-6, "{proof:?}");
                assert_eq!(machine.status, Status::Converged);
                assert_near(machine, &machines[0], 1e-6);
            }
        }
    }
    Ok(())
}

#[test]
fn a_small_c_leaves_no_weight_with_an_l1_penalty() -> Result<()> {
    let trial = Trial::new(30, 7)?;
    let total: f64 = trial.weights.iter().sum();
    for machine in trial.solve(&l1(1e-4).check()?.into(), &Monitor::new())? {
        assert!(machine.weights.iter().all(|&w| w == 0.0) && machine.bias == 0.0);
        let proof = machine.certificate.expect("an exact method");
        // Each sample has a loss of 1, and so has the dual objective: the gap is 0.
        assert!((proof.primal - 1e-4 * total).abs() < 1e-15);
        assert!((proof.dual - proof.primal).abs() < 1e-15);
        assert_eq!(proof.violation, 0.0);
        assert_eq!((machine.status, machine.n_iter), (Status::Converged, 1));
    }
    Ok(())
}

#[test]
fn the_seed_does_not_change_the_optimum_with_an_l1_penalty() -> Result<()> {
    let trial = Trial::new(40, 8)?;
    let solve = |seed| {
        trial.solve(
            &L1Settings { seed, ..l1(0.5) }.check()?.into(),
            &Monitor::new(),
        )
    };
    let [expected, ..] = solve(0)?;
    for seed in 1..5 {
        let [found, ..] = solve(seed)?;
        assert_near(&found, &expected, 1e-6);
        let zeros = |machine: &LinearMachine| -> Vec<bool> {
            machine.weights.iter().map(|&w| w == 0.0).collect()
        };
        assert_eq!(zeros(&found), zeros(&expected));
    }
    assert_eq!(solve(0)?[0].weights, expected.weights);
    Ok(())
}

#[test]
fn an_interrupt_stops_every_method() -> Result<()> {
    let trial = Trial::new(300, 5)?;
    for method in methods()? {
        let monitor = Monitor::new();
        monitor.interrupt();
        let stopped = trial.solve(&method, &monitor);
        assert!(matches!(stopped, Err(Error::Interrupted)), "{method:?}");
    }
    Ok(())
}

#[test]
fn a_time_limit_returns_weights_and_the_status() -> Result<()> {
    let trial = Trial::new(300, 6)?;
    for method in methods()? {
        let monitor = Monitor::with_time_limit(Some(Duration::from_nanos(1)));
        for machine in trial.solve(&method, &monitor)? {
            assert_eq!(machine.status, Status::TimeLimit, "{method:?}");
            assert!(machine.weights.iter().all(|w| w.is_finite()));
        }
    }
    Ok(())
}
