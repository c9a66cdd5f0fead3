//! A trained model: each distinct support vector once, for all machines.
//!
//! `layout.rs` tells which coefficient belongs to which machine.

mod ballots;
mod certificates;
mod coefficients;
mod counting;
mod layout;
mod linear;
mod predict;
mod votes;

pub use ballots::Ballots;
pub use linear::{LinearWeights, is_brief, linear_outputs};
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

/// Weights that are always worth their room.
const FEW_WEIGHTS: usize = 1 << 20;

/// Everything that prediction needs.
#[derive(Debug, Clone)]
pub struct Model<T: Lanes> {
    kernel: Kernel,
    scheme: Scheme,
    /// Sets of machines for the same classes, one for each setting of a path; mostly 1.
    n_settings: usize,
    rows: PackedRows<T>,
    support: Vec<u32>,
    /// Where the vectors of each class start, and the end.
    starts: Vec<usize>,
    /// `n_coef_rows` rows for each setting, as long as there are support vectors.
    dual_coef: Vec<f64>,
    biases: Vec<f64>,
    /// The coefficient rows outside of which those of a class are all 0.
    used_rows: Vec<Range<usize>>,
    /// Of each setting, for a scheme that uses them; else none.
    patterns: Vec<Patterns>,
    coefficients: Coefficients<T>,
    /// Of a linear kernel, unless they are more than the products with all support vectors cost.
    linear: Option<LinearWeights>,
}

impl<T: Lanes> Model<T> {
    /// From the machines of a training. Support vectors are copied from the rows of the set:
    /// those that were trained.
    pub fn new(
        set: &TrainingSet<T>,
        scheme: Scheme,
        machines: &[Machine],
        monitor: &Monitor,
    ) -> Result<Self> {
        Self::path(set, scheme, &[machines], monitor)
    }

    /// From the machines of each setting of a path, for [`Model::predict_path`].
    pub fn path(
        set: &TrainingSet<T>,
        scheme: Scheme,
        settings: &[&[Machine]],
        monitor: &Monitor,
    ) -> Result<Self> {
        let (kernel, labels) = (*set.kernel(), set.labels());
        let k = labels.n_classes();
        let all = || settings.iter().flat_map(|machines| machines.iter());
        // The number of each sorted row among the support vectors.
        let mut number = try_collect((0..labels.n_rows()).map(|_| u32::MAX), "numbers of rows")?;
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
        model.counted(set, monitor)
    }

    /// From the parts of a model that was saved: every size and number is checked.
    #[allow(clippy::too_many_arguments)] // all that a model has
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
                return not_a_model("patterns are of no rows".into());
            }
            (false, Some(_)) => {
                let name = scheme.name();
                return not_a_model(format!("patterns do not fit {name:?} and {k} classes"));
            }
            (true, Some(patterns)) if patterns.n_classes() != k => {
                let n = patterns.n_classes();
                return not_a_model(format!("patterns of {n} classes do not fit {k} classes"));
            }
            _ => {}
        }
        model.patterns.extend(patterns);
        Ok(model)
    }

    #[allow(clippy::too_many_arguments)] // all that a model has
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
        if k < 2 {
            return bad(format!("it has {k} classes"));
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
                "{} coefficients do not fit {k} classes and {} support vectors",
                dual_coef.len(),
                support.len()
            ));
        }
        if biases.len() != n_settings * scheme.n_machines(k)? {
            return bad(format!(
                "{} intercepts do not fit {k} classes",
                biases.len()
            ));
        }
        if dual_coef.iter().chain(&biases).any(|v| !v.is_finite()) {
            return bad("a coefficient or an intercept is not finite".into());
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

    /// The weight of each feature, for a linear kernel.
    ///
    /// Sums of products are bounded by the range of f64, which [`Kernel::check_range`] watches.
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

    /// How classes were split into machines.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Number of classes.
    pub fn n_classes(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of binary machines of a setting.
    pub fn n_machines(&self) -> usize {
        self.biases.len() / self.n_settings
    }

    /// The caller's index of each support vector, class by class.
    pub fn support(&self) -> &[u32] {
        &self.support
    }

    /// Number of support vectors of each class.
    pub fn n_support(&self) -> Vec<usize> {
        self.starts.windows(2).map(|w| w[1] - w[0]).collect()
    }

    /// Coefficients, row after row; see the module.
    pub fn dual_coef(&self) -> &[f64] {
        &self.dual_coef
    }

    /// Number of rows of the coefficients.
    pub fn n_coef_rows(&self) -> usize {
        n_coef_rows(self.scheme, self.n_classes())
    }

    /// The constant of each machine.
    pub fn biases(&self) -> &[f64] {
        &self.biases
    }

    /// What labels the training rows had by the signs of all machines, for a scheme that uses
    /// it: the patterns of the first setting.
    pub fn patterns(&self) -> Option<&Patterns> {
        self.patterns.first()
    }

    /// The support vectors.
    pub fn rows(&self) -> &PackedRows<T> {
        &self.rows
    }

    /// The machine, those of all settings one after the other, that coefficient row `coef_row`
    /// of a vector of `class` belongs to.
    fn machine_of(&self, class: usize, coef_row: usize) -> usize {
        let (setting, coef_row) = (coef_row / self.n_coef_rows(), coef_row % self.n_coef_rows());
        let number = machine_of(self.scheme, class, coef_row, self.n_classes());
        setting * self.n_machines() + number
    }
}

/// For each class the coefficient rows from the first to the last that is not all 0: two of
/// ordinal machines, however many classes there are.
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
