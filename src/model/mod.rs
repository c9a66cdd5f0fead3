//! Trained models: prediction with the binary classifiers of all classes.
//!
//! Each distinct support vector is stored once and shared by all binary classifiers. `layout.rs`
//! describes which coefficient belongs to which classifier.

mod ballots;
mod certificates;
mod coefficients;
mod counting;
mod layout;
mod linear;
mod predict;
mod sigmoid;
mod votes;

pub use ballots::Ballots;
pub use certificates::Certified;
pub use linear::{LinearWeights, is_brief, linear_outputs};
pub use sigmoid::{Sigmoid, fit_sigmoids};
pub use votes::{Ties, Votes, n_scores};

use crate::kernel::{Kernel, KernelKind, PackedRows};
use crate::memory::{try_collect, try_filled, try_with_capacity};
use crate::monitor::Monitor;
use crate::multiclass::{Patterns, Scheme, TrainingSet};
use crate::simd::Lanes;
use crate::solver::Machine;
use crate::solver::linear::Example;
use crate::{Error, Result};
use coefficients::Coefficients;
use layout::{coef_row_of, machine_of, n_coef_rows};
use std::ops::Range;

/// Number of weights up to which a model with a linear kernel always stores them.
const FEW_WEIGHTS: usize = 1 << 20;

/// A trained model.
#[derive(Debug, Clone)]
pub struct Model<T: Lanes> {
    kernel: Kernel,
    scheme: Scheme,
    /// Number of settings of the path; each has its own binary classifiers.
    n_settings: usize,
    rows: PackedRows<T>,
    support: Vec<u32>,
    /// The first support vector of each class, and the end of the last class.
    starts: Vec<usize>,
    /// `n_coef_rows` rows for each setting, with one coefficient per support vector.
    dual_coef: Vec<f64>,
    biases: Vec<f64>,
    /// For each class, the range of coefficient rows outside of which all coefficients are 0.
    used_rows: Vec<Range<usize>>,
    /// The patterns of each setting; empty if the scheme uses none.
    patterns: Vec<Patterns>,
    coefficients: Coefficients<T>,
    /// The weights of a linear kernel, unless they cost more than the products with all support
    /// vectors.
    linear: Option<LinearWeights>,
}

impl<T: Lanes> Model<T> {
    /// From trained binary classifiers. Copies the support vectors from the training set.
    pub fn new(
        set: &TrainingSet<T>,
        scheme: Scheme,
        machines: &[Machine],
        monitor: &Monitor,
    ) -> Result<Self> {
        Self::path(set, scheme, &[machines], monitor)
    }

    /// From the classifiers of each setting of a path, for [`Model::predict_path`].
    pub fn path(
        set: &TrainingSet<T>,
        scheme: Scheme,
        settings: &[&[Machine]],
        monitor: &Monitor,
    ) -> Result<Self> {
        let (kernel, labels) = (*set.kernel(), set.labels());
        let k = labels.n_classes();
        let all = || settings.iter().flat_map(|machines| machines.iter());
        // The number of each sorted sample among the support vectors.
        let mut number = try_collect((0..labels.n_rows()).map(|_| u32::MAX), "numbers of samples")?;
        for &(row, _) in all().flat_map(|machine| &machine.terms) {
            number[row as usize] = 0;
        }
        let n_marked = number.iter().filter(|&&number| number == 0).count();
        let mut support = try_with_capacity(n_marked, 1, "support vectors")?;
        let mut members = try_with_capacity(n_marked, 1, "support vectors")?;
        let mut n_support = try_filled(k, 1, "counts of support vectors")?;
        for (class, count) in n_support.iter_mut().enumerate() {
            for row in labels.rows_of(class) {
                if number[row] == 0 {
                    number[row] = support.len() as u32;
                    support.push(labels.order()[row]);
                    members.push(row);
                    *count += 1;
                }
            }
        }
        let n_sv = support.len();
        let n_coef_rows = n_coef_rows(scheme, k);
        let mut dual_coef = crate::memory::try_zeros(
            settings.len().saturating_mul(n_coef_rows),
            n_sv,
            "coefficients",
        )?;
        for (setting, machines) in settings.iter().enumerate() {
            for (m, machine) in machines.iter().enumerate() {
                for &(row, alpha) in &machine.terms {
                    let coef_row = setting * n_coef_rows
                        + coef_row_of(scheme, m, labels.class_of(row as usize), k);
                    dual_coef[coef_row * n_sv + number[row as usize] as usize] = alpha;
                }
            }
        }
        monitor.check()?;
        let rows = match set.packed() {
            None => {
                let columns = try_collect(support.iter().copied(), "support vectors")?;
                PackedRows::columns(columns, labels.n_rows())?
            }
            Some(packed) => packed.gather(&members)?,
        };
        monitor.check()?;
        let n_machines = settings.iter().map(|machines| machines.len()).sum();
        let mut biases = try_with_capacity(n_machines, 1, "biases")?;
        biases.extend(all().map(|machine| machine.bias));
        let model = Self::check(
            kernel,
            scheme,
            settings.len(),
            rows,
            support,
            &n_support,
            dual_coef,
            biases,
        )?;
        model.with_patterns(set, monitor)
    }

    /// From the parts of a saved model. Checks all sizes and numbers.
    #[allow(clippy::too_many_arguments)] // all parts of a model
    pub fn from_parts(
        kernel: Kernel,
        scheme: Scheme,
        rows: PackedRows<T>,
        support: Vec<u32>,
        n_support: &[usize],
        dual_coef: Vec<f64>,
        biases: Vec<f64>,
        patterns: Option<Patterns>,
    ) -> Result<Self> {
        let mut model = Self::check(
            kernel, scheme, 1, rows, support, n_support, dual_coef, biases,
        )?;
        let k = model.n_classes();
        match (scheme.uses_patterns(k), &patterns) {
            (true, None) => return not_a_model("patterns are missing".into()),
            (true, Some(patterns)) if patterns.is_empty() => {
                return not_a_model("patterns are empty".into());
            }
            (false, Some(_)) => {
                let name = scheme.name();
                return not_a_model(format!(
                    "multi_class={name:?} with {k} classes has no patterns"
                ));
            }
            (true, Some(patterns)) if patterns.n_classes() != k => {
                let n = patterns.n_classes();
                return not_a_model(format!(
                    "patterns are for {n} classes, but the model has {k}"
                ));
            }
            _ => {}
        }
        model.patterns.extend(patterns);
        Ok(model)
    }

    /// Checks all parts except patterns, and prepares the coefficients for prediction.
    #[allow(clippy::too_many_arguments)] // all parts of a model
    fn check(
        kernel: Kernel,
        scheme: Scheme,
        n_settings: usize,
        rows: PackedRows<T>,
        support: Vec<u32>,
        n_support: &[usize],
        dual_coef: Vec<f64>,
        biases: Vec<f64>,
    ) -> Result<Self> {
        let bad = not_a_model;
        let k = n_support.len();
        if k < scheme.least_classes() || (scheme == Scheme::Single && k > 1) {
            return bad(format!(
                "it has {k} class(es), which does not match multi_class={:?}",
                scheme.name()
            ));
        }
        let n_sv = n_support
            .iter()
            .fold(0, |sum: usize, &n| sum.saturating_add(n));
        if n_sv != support.len() || n_sv != rows.n_rows() {
            return bad(format!(
                "n_support counts {n_sv} support vectors, but there are {} indices and {} rows",
                support.len(),
                rows.n_rows()
            ));
        }
        let n_coef_rows = n_settings * n_coef_rows(scheme, k);
        if n_coef_rows.checked_mul(support.len()) != Some(dual_coef.len()) {
            return bad(format!(
                "{} coefficients do not match {k} classes and {} support vectors",
                dual_coef.len(),
                support.len()
            ));
        }
        if biases.len() != n_settings * scheme.n_machines(k)? {
            return bad(format!(
                "{} intercepts do not match {k} classes",
                biases.len()
            ));
        }
        if dual_coef.iter().chain(&biases).any(|v| !v.is_finite()) {
            return bad("every coefficient and intercept must be finite".into());
        }
        let mut starts = try_with_capacity(k, 2, "classes")?;
        starts.push(0);
        for n in n_support {
            starts.push(starts[starts.len() - 1] + n);
        }
        let used_rows = used_rows(&dual_coef, &starts);
        let coefficients = Coefficients::new(&dual_coef, n_coef_rows, support.len())?;
        let mut model = Self {
            kernel,
            scheme,
            n_settings,
            rows,
            support,
            starts,
            dual_coef,
            biases,
            used_rows,
            patterns: Vec::new(),
            coefficients,
            linear: None,
        };
        model.linear = model.linear_weights()?;
        Ok(model)
    }

    /// The weights of the features, for a linear kernel; `None` if they are too many.
    ///
    /// [`Kernel::check_range`] has ensured that sums of products are finite in f64.
    fn linear_weights(&self) -> Result<Option<LinearWeights>> {
        let (n_cols, n_sv) = (self.rows.n_cols(), self.support.len());
        let n_weights = n_cols.checked_mul(self.biases.len());
        let cost = self.rows.cost_of_product().saturating_mul(n_sv);
        let is_less = n_weights.is_some_and(|n| n <= FEW_WEIGHTS.max(cost));
        if self.kernel.kind() != KernelKind::Linear || !is_less {
            return Ok(None);
        }
        let rows = self.rows.unpack()?;
        let mut weights = LinearWeights::zeros(n_cols, &self.biases)?;
        for (coef_row, of_row) in self.dual_coef.chunks_exact(n_sv.max(1)).enumerate() {
            for class in 0..self.n_classes() {
                let machine = self.machine_of(class, coef_row);
                let vectors = self.starts[class]..self.starts[class + 1];
                for (vector, &coefficient) in vectors.clone().zip(&of_row[vectors]) {
                    let example = Example {
                        row: rows.row(vector),
                        constant: 0.0,
                    };
                    if coefficient != 0.0 {
                        example.add_to(weights.of_machine(machine), coefficient);
                    }
                }
            }
        }
        Ok(weights.is_finite().then_some(weights))
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// How classes were split into binary problems.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Number of classes.
    pub fn n_classes(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of binary classifiers of a setting.
    pub fn n_machines(&self) -> usize {
        self.biases.len() / self.n_settings
    }

    /// The index of each support vector among the training samples, class by class.
    pub fn support(&self) -> &[u32] {
        &self.support
    }

    /// Number of support vectors of each class.
    pub fn n_support(&self) -> Vec<usize> {
        self.starts.windows(2).map(|w| w[1] - w[0]).collect()
    }

    /// The dual coefficients, row by row; see the module.
    pub fn dual_coef(&self) -> &[f64] {
        &self.dual_coef
    }

    /// Number of coefficient rows.
    pub fn n_coef_rows(&self) -> usize {
        n_coef_rows(self.scheme, self.n_classes())
    }

    /// The bias of each binary classifier.
    pub fn biases(&self) -> &[f64] {
        &self.biases
    }

    /// The patterns of the first setting, for a scheme that uses them.
    pub fn patterns(&self) -> Option<&Patterns> {
        self.patterns.first()
    }

    /// The support vectors.
    pub fn rows(&self) -> &PackedRows<T> {
        &self.rows
    }

    /// The binary classifier of coefficient row `coef_row` of a support vector of `class`. Rows
    /// and classifiers are numbered through all settings.
    fn machine_of(&self, class: usize, coef_row: usize) -> usize {
        let (setting, coef_row) = (coef_row / self.n_coef_rows(), coef_row % self.n_coef_rows());
        let number = machine_of(self.scheme, class, coef_row, self.n_classes());
        setting * self.n_machines() + number
    }
}

/// For each class, the range from the first to the last coefficient row that is not all 0. For
/// ordinal classifiers these are at most two rows, independent of the number of classes.
fn used_rows(dual_coef: &[f64], starts: &[usize]) -> Vec<Range<usize>> {
    let mut used = vec![0..0; starts.len() - 1];
    let n_sv = starts[starts.len() - 1].max(1);
    for (number, row) in dual_coef.chunks_exact(n_sv).enumerate() {
        for (used, span) in used.iter_mut().zip(starts.windows(2)) {
            if row[span[0]..span[1]].iter().any(|&value| value != 0.0) {
                let first = if used.end == 0 { number } else { used.start };
                *used = first..number + 1;
            }
        }
    }
    used
}

fn not_a_model<R>(message: String) -> Result<R> {
    Err(Error::Data(format!("this is not a model: {message}")))
}
