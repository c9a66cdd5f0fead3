//! Binary problems for the tests of `Svc`, with the certificate of a solution recomputed from the
//! kernel: feasible coefficients whose KKT violation is below tol.

use softmargin::Result;
use softmargin::data::{Dense, Labels, Matrix, Random};
use softmargin::kernel::{Gamma, KernelKind, KernelSettings};
use softmargin::monitor::Monitor;
use softmargin::multiclass::{RowSource, Scheme, Training, TrainingSet};
use softmargin::simd::Lanes;
use softmargin::solver::{Formulation, Machine, Start, Status, SvcSettings};
use std::borrow::Cow;
use std::time::Duration;

pub const TOL: f64 = 1e-6;

/// Samples of two classes with a kernel and weights.
#[derive(Clone)]
pub struct Trial {
    pub values: Vec<f64>,
    pub d: usize,
    pub codes: Vec<u32>,
    pub kernel: KernelSettings,
    pub class_weights: [f64; 2],
    pub row_weights: Vec<f64>,
}

pub fn kernel(kind: KernelKind, gamma: f64) -> KernelSettings {
    KernelSettings {
        kind,
        gamma: Gamma::Value(gamma),
        degree: 3,
        coef0: 1.0,
    }
}

pub fn rbf(gamma: f64) -> KernelSettings {
    kernel(KernelKind::Rbf, gamma)
}

/// A standard normal number (Box and Muller).
pub fn normal(random: &mut Random) -> f64 {
    let radius = (-2.0 * (1.0 - random.unit()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.unit()).cos()
}

/// Two normal distributions with this distance between their means; the second has a third of the
/// samples.
pub fn clouds_at_distance(
    distance: f64,
    n: usize,
    d: usize,
    seed: u64,
    kernel: KernelSettings,
) -> Trial {
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

/// Two overlapping normal distributions.
pub fn clouds(n: usize, d: usize, seed: u64, kernel: KernelSettings) -> Trial {
    clouds_at_distance(1.5, n, d, seed, kernel)
}

/// The same samples with weights for classes and samples.
pub fn weighted(trial: Trial) -> Trial {
    let mut random = Random::new(9);
    let row_weights = trial.row_weights.iter().map(|_| 0.2 + 2.0 * random.unit());
    Trial {
        class_weights: [0.5, 2.0],
        row_weights: row_weights.collect(),
        ..trial
    }
}

pub fn settings(cs: &[f64], tol: f64) -> SvcSettings {
    SvcSettings {
        cs: cs.to_vec(),
        formulation: Formulation::Classification,
        tol,
        working_set_size: None,
        shrinking: true,
        max_iter: None,
    }
}

impl Trial {
    pub fn n(&self) -> usize {
        self.codes.len()
    }

    pub fn label(&self, i: usize) -> f64 {
        2.0 * f64::from(self.codes[i]) - 1.0
    }

    /// The upper bound of alpha.
    pub fn bound(&self, i: usize, c: f64) -> f64 {
        self.class_weights[self.codes[i] as usize] * c * self.row_weights[i]
    }

    /// The kernel function, by its formula.
    pub fn k(&self, i: usize, j: usize) -> f64 {
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

    pub fn solve(&self, settings: &SvcSettings, how: &How) -> Result<(Vec<Machine>, Training)> {
        self.solve_in::<f64>(settings, how)
    }

    /// One classifier for each C, their terms with the indices of the caller.
    pub fn solve_in<T: Lanes>(
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
        // No training here takes long; one that does not end fails.
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

    pub fn machines(&self, settings: &SvcSettings) -> Result<Vec<Machine>> {
        Ok(self.solve(settings, &PLAIN)?.0)
    }

    /// `K beta`.
    pub fn outputs(&self, machine: &Machine) -> Vec<f64> {
        let terms = |i| machine.terms.iter().map(move |&(k, beta)| (i, k, beta));
        let sum = |i| {
            terms(i)
                .map(|(i, k, beta)| beta * self.k(i, k as usize))
                .sum()
        };
        (0..self.n()).map(sum).collect()
    }

    /// Checks that the coefficients are within their bounds, and returns them.
    pub fn within_bounds(&self, machine: &Machine, c: f64) -> Vec<f64> {
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

    /// Checks that the coefficients are feasible, and returns them.
    pub fn feasible(&self, machine: &Machine, c: f64) -> Vec<f64> {
        let beta = self.within_bounds(machine, c);
        let (sum, size) = beta
            .iter()
            .fold((0.0, 0.0), |(s, a), b| (s + b, a + b.abs()));
        assert!(sum.abs() <= 1e-9 * size, "{sum} of {size}");
        beta
    }

    /// The dual objective and the KKT violation.
    pub fn certificate(&self, machine: &Machine, c: f64) -> (f64, f64) {
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

    /// Checks that the classifier is optimal, and returns the dual objective.
    pub fn optimum(&self, machine: &Machine, c: f64, tol: f64) -> f64 {
        assert_eq!(machine.status, Status::Converged);
        let (objective, violation) = self.certificate(machine, c);
        assert!(violation < 1.1 * tol, "{violation} at C = {c}");
        objective
    }
}

/// What must not change the optimum: the row source, the cache size in bytes and the start.
pub struct How(pub RowSource, pub usize, pub Start);

/// The defaults.
pub const PLAIN: How = How(RowSource::Auto, 64 << 20, Start::Zero);

pub fn assert_close(a: f64, b: f64, relative: f64, what: &str) {
    assert!(
        (a - b).abs() <= relative * a.abs().max(b.abs()),
        "{a} and {b}: {what}"
    );
}

/// The classifier of one C, trained from scratch.
pub fn alone(trial: &Trial, c: f64, tol: f64) -> Result<Machine> {
    Ok(trial.machines(&settings(&[c], tol))?.remove(0))
}
