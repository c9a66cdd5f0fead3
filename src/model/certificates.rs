//! Certificates of all binary classifiers of a model.

use super::Model;
use super::layout::coef_row_of;
use crate::data::Matrix;
use crate::memory::{try_collect, try_filled, try_with_capacity};
use crate::monitor::Monitor;
use crate::simd::Lanes;
use crate::solver::{Certificate, Objective, Term};
use crate::{Error, Result};

/// Marks samples that are not support vectors.
const NONE: u32 = u32::MAX;

impl<T: Lanes> Model<T> {
    /// The same model with support vectors in f64.
    pub fn widen(&self) -> Result<Model<f64>> {
        Model::from_parts(
            self.kernel,
            self.scheme,
            self.rows.widen()?,
            try_collect(self.support.iter().copied(), "support vectors")?,
            &self.n_support(),
            try_collect(self.dual_coef.iter().copied(), "coefficients")?,
            try_collect(self.biases.iter().copied(), "biases")?,
            self.patterns.first().cloned(),
        )
    }
}

/// What the training samples of a model were, besides their features.
#[derive(Debug, Clone, Copy)]
pub struct Certified<'a> {
    /// The class of each sample.
    pub codes: &'a [u32],
    /// The target of each sample, for regression.
    pub targets: Option<&'a [f64]>,
    /// The weight of each sample, including that of its class.
    pub weights: &'a [f64],
    /// The regularization parameter of each binary classifier, which the weights multiply.
    pub cs: &'a [f64],
    /// What training minimizes.
    pub objective: Objective,
}

impl Model<f64> {
    /// The certificate of each binary classifier, from the training samples. One pass of kernel
    /// values, all samples by all support vectors, serves all binary classifiers.
    pub fn certificates(
        &self,
        matrix: &Matrix<'_, f64>,
        problem: &Certified<'_>,
        monitor: &Monitor,
    ) -> Result<Vec<Certificate>> {
        let Certified {
            codes, weights, cs, ..
        } = *problem;
        let (n, k, n_vectors) = (matrix.n_rows(), self.n_classes(), self.support.len());
        let n_targets = problem.targets.map_or(n, <[f64]>::len);
        if codes.len() != n || weights.len() != n || n_targets != n {
            return Err(Error::Shape(format!(
                "X has {n} samples, but there are {} labels, {n_targets} targets and {} weights",
                codes.len(),
                weights.len()
            )));
        }
        if cs.len() != self.n_machines() {
            return Err(Error::Shape(format!(
                "there are {} values of C for {} binary classifiers",
                cs.len(),
                self.n_machines()
            )));
        }
        if let Some(code) = codes.iter().find(|&&code| code as usize >= k) {
            return Err(Error::Data(format!(
                "class code {code} is not less than the number of classes, {k}"
            )));
        }
        let mut vector_of = try_filled::<u32>(n, 1, "support vectors")?;
        vector_of.fill(NONE);
        for (vector, &sample) in self.support.iter().enumerate() {
            let place = vector_of.get_mut(sample as usize);
            let out_of_bounds = || {
                Error::Data(format!(
                    "sample {sample} is a support vector, but X has {n} samples; \
                     pass the samples of the fit"
                ))
            };
            *place.ok_or_else(out_of_bounds)? = vector as u32;
        }
        let outputs = self.decision_values(matrix, monitor)?;
        let n_machines = self.n_machines();
        let mut found = try_with_capacity(n_machines, 1, "certificates")?;
        for machine in 0..n_machines {
            monitor.check()?;
            let sides = self.scheme.sides(machine, k);
            let terms = (0..n).filter_map(|sample| {
                let class = codes[sample] as usize;
                let label = match problem.targets {
                    Some(targets) => targets[sample],
                    None => sides.label(class)?,
                };
                let beta = match vector_of[sample] {
                    NONE => 0.0,
                    vector => {
                        let row = coef_row_of(self.scheme, machine, class, k);
                        self.dual_coef[row * n_vectors + vector as usize]
                    }
                };
                Some(Term {
                    label,
                    beta,
                    c: cs[machine] * weights[sample],
                    output: outputs[sample * n_machines + machine],
                })
            });
            let bias = self.biases[machine];
            found.push(problem.objective.certify(terms, bias));
        }
        Ok(found)
    }
}
