//! Two overlapping classes with weights, for the tests of kernel methods: trained by the library,
//! with the kernel matrix by its formula for the oracles.

use softmargin::Result;
use softmargin::data::{Dense, Labels, Matrix, Random};
use softmargin::kernel::{Gamma, KernelKind, KernelSettings};
use softmargin::monitor::Monitor;
use softmargin::multiclass::{RowSource, Scheme, TrainingSet};
use softmargin::solver::{Machine, Method, Start};
use std::borrow::Cow;

pub const RBF: KernelSettings = KernelSettings {
    kind: KernelKind::Rbf,
    gamma: Gamma::Value(0.7),
    degree: 2,
    coef0: 1.0,
};

/// `(x . z + coef0)^degree`.
pub const fn polynomial(degree: u32, coef0: f64) -> KernelSettings {
    KernelSettings {
        kind: KernelKind::Polynomial,
        gamma: Gamma::Value(1.0),
        degree,
        coef0,
    }
}

pub const LINEAR: KernelSettings = KernelSettings {
    kind: KernelKind::Linear,
    ..RBF
};

#[derive(Clone)]
pub struct BinaryProblem {
    pub values: Vec<f64>,
    pub d: usize,
    pub codes: Vec<u32>,
    pub kernel: KernelSettings,
    /// The weight of each sample, the weight of its class included.
    pub weights: Vec<f64>,
    pub start: Start,
}

impl BinaryProblem {
    /// `n` samples of three features, with weights between 0.5 and 2.
    pub fn new(n: usize, seed: u64, kernel: KernelSettings) -> Self {
        let mut random = Random::new(seed);
        let codes: Vec<u32> = (0..n).map(|i| (i as u32 + 1) % 2).collect();
        let mean = |i: usize| 0.4 * f64::from(codes[i]);
        let values = (0..3 * n).map(|k| mean(k / 3) + random.unit()).collect();
        Self {
            values,
            d: 3,
            kernel,
            weights: (0..n).map(|_| 0.5 + 1.5 * random.unit()).collect(),
            start: Start::Zero,
            codes,
        }
    }

    /// One feature, one sample of each class, weight 1, linear kernel.
    pub fn two_points(negative: f64, positive: f64) -> Self {
        Self {
            values: vec![negative, positive],
            d: 1,
            codes: vec![0, 1],
            weights: vec![1.0; 2],
            kernel: LINEAR,
            start: Start::Zero,
        }
    }

    pub fn n(&self) -> usize {
        self.codes.len()
    }

    /// The labels, +1 and -1.
    pub fn y(&self) -> Vec<f64> {
        let label = |&code: &u32| 2.0 * f64::from(code) - 1.0;
        self.codes.iter().map(label).collect()
    }

    /// The kernel matrix, row by row.
    pub fn k(&self) -> Vec<Vec<f64>> {
        let samples: Vec<&[f64]> = self.values.chunks(self.d).collect();
        let k = |a: &[f64], b: &[f64]| {
            let dot: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
            let squares = a.iter().zip(b).map(|(a, b)| (a - b).powi(2));
            match self.kernel.kind {
                KernelKind::Linear => dot,
                KernelKind::Polynomial => (dot + self.kernel.coef0).powi(self.kernel.degree as i32),
                _ => (-0.7 * squares.sum::<f64>()).exp(),
            }
        };
        let row = |a: &&[f64]| samples.iter().map(|b| k(a, b)).collect();
        samples.iter().map(row).collect()
    }

    /// One classifier for each setting, its terms with the caller's indices.
    pub fn train(&self, method: impl Into<Method>) -> Result<Vec<Machine>> {
        let matrix = Dense::new(Cow::Borrowed(&self.values[..]), self.n(), self.d)?;
        let labels = Labels::new(&self.codes, 2)?;
        let order = labels.order().to_vec();
        let set = TrainingSet::new(&Matrix::Dense(matrix), labels, vec![1.0; 2], self.kernel)?
            .with_row_weights(&self.weights)?
            .with_starts(vec![self.start.clone()])?;
        let (method, monitor) = (method.into(), Monitor::new());
        let scheme = Scheme::OneVsOne;
        let trained = set.train(&method, scheme, RowSource::Auto, 1 << 20, &monitor)?;
        let mut machines = trained.machines.concat();
        let terms = machines.iter_mut().flat_map(|machine| &mut machine.terms);
        terms.for_each(|(row, _)| *row = order[*row as usize]);
        Ok(machines)
    }

    /// The coefficient of each sample.
    pub fn beta(&self, machine: &Machine) -> Vec<f64> {
        let mut beta = vec![0.0; self.n()];
        for &(row, value) in &machine.terms {
            assert_eq!(std::mem::replace(&mut beta[row as usize], value), 0.0);
        }
        beta
    }

    /// `y_i alpha_i = beta_i`, once it is clear that no alpha is negative.
    pub fn alpha(&self, machine: &Machine) -> Vec<f64> {
        let beta = self.beta(machine);
        let alpha: Vec<f64> = beta.iter().zip(self.y()).map(|(b, y)| b * y).collect();
        assert!(alpha.iter().all(|&alpha| alpha >= 0.0));
        alpha
    }

    /// `Q_ij = y_i y_j (K_ij + 1) + delta_ij / (C w_i)`, the matrix of the L2 SVM.
    pub fn l2_matrix(&self, c: f64) -> Vec<Vec<f64>> {
        let (mut q, y) = (self.k(), self.y());
        for i in 0..self.n() {
            for j in 0..self.n() {
                q[i][j] = y[i] * y[j] * (q[i][j] + 1.0);
            }
            q[i][i] += 1.0 / (c * self.weights[i]);
        }
        q
    }
}

/// A matrix times a vector.
pub fn product(matrix: &[Vec<f64>], vector: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| dot(row, vector)).collect()
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub fn assert_close(found: &[f64], expected: &[f64], tol: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let largest = expected.iter().fold(0.0, |most: f64, e| most.max(e.abs()));
    for (i, (f, e)) in found.iter().zip(expected).enumerate() {
        assert!((f - e).abs() <= tol * largest, "{what}, {i}: {f}, not {e}");
    }
}
