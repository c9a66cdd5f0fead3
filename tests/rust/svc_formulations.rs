//! The formulations of the exact solver besides C-SVC: the sums that nu fixes are kept, and each
//! setting of a path has the solution that it has alone.

use crate::svc_problem::{assert_close, kernel, normal, rbf, settings};
use softmargin::Result;
use softmargin::data::{Dense, Labels, Matrix, Random};
use softmargin::kernel::{KernelKind, KernelSettings};
use softmargin::monitor::Monitor;
use softmargin::multiclass::{RowSource, Scheme, TrainingSet};
use softmargin::solver::{Formulation, Machine, Status, SvcSettings};
use std::borrow::Cow;

/// Samples with targets and weights, of which many are equal, so that sums are multiples of bounds.
struct Trial {
    values: Vec<f64>,
    targets: Vec<f64>,
    weights: Vec<f64>,
    kernel: KernelSettings,
}

const N_FEATURES: usize = 3;

fn trial(n: usize, seed: u64, kernel: KernelSettings) -> Trial {
    let mut random = Random::new(seed);
    let values: Vec<f64> = (0..n * N_FEATURES).map(|_| normal(&mut random)).collect();
    let target = |i: usize| (2.0 * values[i * N_FEATURES]).sin() + 0.3 * normal(&mut random);
    let targets = (0..n).map(target).collect();
    let weights = (0..n).map(|_| [0.5, 1.0, 2.0, 3.0][random.below(4)]);
    Trial {
        weights: weights.collect(),
        targets,
        kernel,
        values,
    }
}

impl Trial {
    fn machines(&self, settings: &SvcSettings) -> Result<Vec<Machine>> {
        let n = self.targets.len();
        let rows = Matrix::Dense(Dense::new(Cow::Borrowed(&self.values), n, N_FEATURES)?);
        let set = TrainingSet::new(&rows, Labels::single(n)?, vec![1.0], self.kernel)?
            .with_targets(&self.targets)?
            .with_row_weights(&self.weights)?;
        let monitor = Monitor::new();
        let solver = settings.clone().check()?;
        let source = RowSource::Auto;
        let trained = set.train(&solver, Scheme::Single, source, 1 << 26, &monitor)?;
        Ok(trained.machines.concat())
    }

    fn total_weight(&self) -> f64 {
        self.weights.iter().sum()
    }
}

/// The sums of the positive and of minus the negative coefficients.
fn sums(machine: &Machine) -> (f64, f64) {
    let of = |sign: f64| machine.terms.iter().map(move |term| sign * term.1);
    let positive = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v.max(0.0)).sum();
    (positive(&mut of(1.0)), positive(&mut of(-1.0)))
}

fn with(formulation: Formulation, cs: &[f64], working_set_size: Option<usize>) -> SvcSettings {
    SvcSettings {
        formulation,
        working_set_size,
        ..settings(cs, 1e-7)
    }
}

const NUS: [f64; 5] = [0.5, 0.1, 0.9, 0.3, 0.02];

#[test]
fn the_sums_that_nu_fixes_are_kept() -> Result<()> {
    for (seed, n) in [(1, 20), (2, 101), (3, 178), (4, 700)] {
        for kernel in [rbf(0.5), kernel(KernelKind::Linear, 1.0)] {
            let trial = trial(n, seed, kernel);
            for size in [None, Some(2), Some(3), Some(20)]
                .into_iter()
                .take(1 + 3 * usize::from(n < 150))
            {
                let nus = NUS.to_vec();
                let one_class = Formulation::OneClass { nus: nus.clone() };
                let found = trial.machines(&with(one_class, &[1.0; 5], size))?;
                for (machine, nu) in found.iter().zip(NUS) {
                    assert_eq!(machine.status, Status::Converged);
                    let expected = nu * trial.total_weight();
                    assert_close(sums(machine).0, expected, 1e-9, "one class");
                }
                let regression = Formulation::NuRegression { nus };
                let found = trial.machines(&with(regression, &[4.0; 5], size))?;
                for (machine, nu) in found.iter().zip(NUS) {
                    assert_eq!(machine.status, Status::Converged);
                    let expected = 0.5 * nu * 4.0 * trial.total_weight();
                    let (positive, negative) = sums(machine);
                    assert_close(positive, negative, 1e-9, "both sides");
                    if machine.implied.unwrap_or_default() > 0.0 {
                        assert_close(positive, expected, 1e-9, "nu-SVR");
                    } else {
                        assert!(positive <= expected * (1.0 + 1e-6));
                    }
                }
            }
        }
    }
    Ok(())
}

#[test]
fn each_setting_of_a_path_has_the_solution_that_it_has_alone() -> Result<()> {
    let trial = trial(150, 5, rbf(0.5));
    let cs = [1.0, 8.0, 0.1, 8.0, 1.0];
    let values = vec![0.3, 0.05, 0.6, 0.4, 0.1];
    let one = |make: fn(Vec<f64>) -> Formulation| -> Result<()> {
        let path = trial.machines(&with(make(values.clone()), &cs, None))?;
        for (i, machine) in path.iter().enumerate() {
            let alone = with(make(vec![values[i]]), &cs[i..=i], None);
            let expected = &trial.machines(&alone)?[0];
            let (found, wanted) = (sums(machine).0, sums(expected).0);
            assert!((found - wanted).abs() <= 1e-4 * wanted.max(1e-3), "{i}");
            assert!((machine.bias - expected.bias).abs() <= 1e-4, "{i}");
            let implied = |machine: &Machine| machine.implied.unwrap_or_default();
            assert!((implied(machine) - implied(expected)).abs() <= 1e-4, "{i}");
        }
        Ok(())
    };
    one(|epsilons| Formulation::Regression { epsilons })?;
    one(|nus| Formulation::NuRegression { nus })?;
    one(|nus| Formulation::OneClass { nus })
}
