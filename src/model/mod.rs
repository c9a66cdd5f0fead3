//! A trained model: each distinct support vector once, for all machines.
//!
//! Coefficients are laid out as LIBSVM and scikit-learn do. Support vectors are
//! grouped by class. One against one: a vector of class `c` has `k - 1`
//! coefficients, one for each other class, in the order of the classes. One
//! against the rest: one for each class. Ordinal: one for each machine, 0 for
//! those of other classes. Two classes: one.

mod coefficients;
mod linear;
mod predict;
mod votes;

pub use linear::linear_outputs;
pub use votes::{Ties, Votes};

use crate::data::{Labels, Matrix};
use crate::kernel::{Kernel, KernelKind, PackedRows};
use crate::multiclass::{Scheme, pair_number};
use crate::simd::Lanes;
use crate::solver::Machine;
use crate::{Error, Result};
use coefficients::Coefficients;

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
    coefficients: Coefficients<T>,
}

impl<T: Lanes> Model<T> {
    /// From trained machines; `matrix` are the rows in the caller's order.
    pub fn new(
        kernel: Kernel,
        scheme: Scheme,
        labels: &Labels,
        machines: &[Machine],
        matrix: &Matrix<'_, T>,
    ) -> Result<Self> {
        Self::path(kernel, scheme, labels, &[machines], matrix)
    }

    /// From the machines of each setting of a path, for [`Model::predict_path`].
    pub fn path(
        kernel: Kernel,
        scheme: Scheme,
        labels: &Labels,
        settings: &[&[Machine]],
        matrix: &Matrix<'_, T>,
    ) -> Result<Self> {
        let k = labels.n_classes();
        let all = || settings.iter().flat_map(|machines| machines.iter());
        // The number of each sorted row among the support vectors.
        let mut number = vec![u32::MAX; labels.n_rows()];
        for &(row, _) in all().flat_map(|machine| &machine.terms) {
            number[row as usize] = 0;
        }
        let mut support = Vec::new();
        let mut n_support = vec![0; k];
        for (class, count) in n_support.iter_mut().enumerate() {
            for row in labels.rows_of(class) {
                if number[row] == 0 {
                    number[row] = support.len() as u32;
                    support.push(labels.order()[row]);
                    *count += 1;
                }
            }
        }
        let n_sv = support.len();
        let n_coef_rows = n_coef_rows(scheme, k);
        let mut dual_coef =
            crate::error::zeros(settings.len() * n_coef_rows, n_sv, "coefficients")?;
        for (setting, machines) in settings.iter().enumerate() {
            for (m, machine) in machines.iter().enumerate() {
                for &(row, alpha) in &machine.terms {
                    let coef_row = setting * n_coef_rows
                        + coef_row_of(scheme, m, labels.class_of(row as usize), k);
                    dual_coef[coef_row * n_sv + number[row as usize] as usize] = alpha;
                }
            }
        }
        let rows = match kernel.kind() {
            KernelKind::Precomputed => PackedRows::columns(support.clone(), labels.n_rows())?,
            _ => PackedRows::new(matrix, &support)?,
        };
        let biases = all().map(|machine| machine.bias).collect();
        Self::check(
            kernel,
            scheme,
            settings.len(),
            rows,
            support,
            &n_support,
            dual_coef,
            biases,
        )
    }

    /// From the parts of a model that was saved: every size and number is checked.
    pub fn from_parts(
        kernel: Kernel,
        scheme: Scheme,
        rows: PackedRows<T>,
        support: Vec<u32>,
        n_support: &[usize],
        dual_coef: Vec<f64>,
        biases: Vec<f64>,
    ) -> Result<Self> {
        Self::check(
            kernel, scheme, 1, rows, support, n_support, dual_coef, biases,
        )
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
        let bad = |message: String| Err(Error::Data(format!("this is not a model: {message}")));
        let k = n_support.len();
        if k < 2 {
            return bad(format!("it has {k} classes"));
        }
        let n_sv = n_support
            .iter()
            .try_fold(0usize, |sum, &n| sum.checked_add(n));
        if n_sv != Some(support.len()) || support.len() != rows.n_rows() {
            return bad(format!(
                "n_support counts {n_sv:?} support vectors, but there are {} indices and {} rows",
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
        let mut starts = vec![0];
        for n in n_support {
            starts.push(starts[starts.len() - 1] + n);
        }
        let coefficients = Coefficients::new(&dual_coef, n_coef_rows, support.len())?;
        Ok(Self {
            kernel,
            scheme,
            n_settings,
            rows,
            support,
            starts,
            dual_coef,
            biases,
            coefficients,
        })
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

    /// The support vectors.
    pub fn rows(&self) -> &PackedRows<T> {
        &self.rows
    }

    /// The machine, those of all settings one after the other, that coefficient row `coef_row`
    /// of a vector of `class` belongs to.
    fn machine_of(&self, class: usize, coef_row: usize) -> usize {
        let k = self.n_classes();
        let (setting, coef_row) = (coef_row / self.n_coef_rows(), coef_row % self.n_coef_rows());
        let first = setting * self.n_machines();
        first
            + match self.scheme {
                _ if k == 2 => 0,
                Scheme::OneVsRest | Scheme::Ordinal => coef_row,
                Scheme::OneVsOne if coef_row < class => pair_number(coef_row, class, k),
                Scheme::OneVsOne => pair_number(class, coef_row + 1, k),
            }
    }
}

fn n_coef_rows(scheme: Scheme, k: usize) -> usize {
    match scheme {
        Scheme::OneVsOne | Scheme::Ordinal => k - 1,
        Scheme::OneVsRest if k == 2 => 1,
        Scheme::OneVsRest => k,
    }
}

/// The coefficient row of machine `m` for a vector of `class`.
fn coef_row_of(scheme: Scheme, m: usize, class: usize, k: usize) -> usize {
    match scheme {
        _ if k == 2 => 0,
        Scheme::OneVsRest | Scheme::Ordinal => m,
        Scheme::OneVsOne => {
            let (a, b) = crate::multiclass::pair(m, k);
            if class == a { b - 1 } else { a }
        }
    }
}
