//! Which binary machines several classes need.

use crate::data::Labels;
use crate::kernel::Parts;
use crate::{Error, Result};

/// How classes are split into binary machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// A machine for each pair of classes; the class with the most votes wins.
    OneVsOne,
    /// A machine for each class against all others; the largest output wins.
    OneVsRest,
    /// A machine for each two classes that follow each other in order; the label that the
    /// training rows with the same signs of all machines mostly have wins.
    Ordinal,
}

/// One binary machine: its rows, their labels, and the classes on either side.
#[derive(Debug, Clone, PartialEq)]
pub struct MachineSpec {
    /// Ranges of the sorted rows.
    pub parts: Parts,
    /// The label of each part.
    pub signs: Vec<f64>,
    /// The class of each part.
    pub classes: Vec<usize>,
}

/// The most machines that one model may have.
const MOST_MACHINES: usize = 1 << 24;

impl Scheme {
    /// From the name that Python uses.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "ovo" => Ok(Scheme::OneVsOne),
            "ovr" => Ok(Scheme::OneVsRest),
            "ordinal" => Ok(Scheme::Ordinal),
            _ => Err(Error::parameter(
                "multi_class",
                format!("{name:?}"),
                "it must be 'ovo', 'ovr' or 'ordinal'",
            )),
        }
    }

    /// The name that Python uses.
    pub fn name(self) -> &'static str {
        match self {
            Scheme::OneVsOne => "ovo",
            Scheme::OneVsRest => "ovr",
            Scheme::Ordinal => "ordinal",
        }
    }

    /// Number of machines for `k` classes. Two classes need only one machine.
    pub fn n_machines(self, k: usize) -> Result<usize> {
        let n = match self {
            _ if k == 2 => Some(1),
            Scheme::OneVsOne => k.checked_mul(k.saturating_sub(1)).map(|pairs| pairs / 2),
            Scheme::OneVsRest => Some(k),
            Scheme::Ordinal => Some(k.saturating_sub(1)),
        };
        if let Some(n) = n.filter(|&n| n <= MOST_MACHINES) {
            return Ok(n);
        }
        let (machines, advice) = match self {
            Scheme::OneVsOne => (k as u128 * (k as u128 - 1) / 2, "; use multi_class='ovr'"),
            Scheme::OneVsRest => (k as u128, ""),
            Scheme::Ordinal => (k as u128 - 1, ""),
        };
        let what = if self == Scheme::OneVsOne {
            "pairs of classes"
        } else {
            "machines"
        };
        Err(Error::Data(format!(
            "y has {k} classes, which makes {machines} {what} to train, \
             more than the {MOST_MACHINES} that a model may have{advice}"
        )))
    }

    /// Machine number `number` of these labels.
    ///
    /// One against one: pairs (0, 1), (0, 2), …, (1, 2), …, and the first class is
    /// positive, as in LIBSVM; ordinal: of these (0, 1), (1, 2), …. Two classes: the second
    /// class is positive, as in scikit-learn. One against the rest: the class itself is
    /// positive.
    pub fn machine(self, number: usize, labels: &Labels) -> MachineSpec {
        let k = labels.n_classes();
        if k == 2 {
            return MachineSpec {
                parts: Parts::new([labels.rows_of(0), labels.rows_of(1)]),
                signs: vec![-1.0, 1.0],
                classes: vec![0, 1],
            };
        }
        if let Some((a, b)) = self.pair(number, k) {
            return MachineSpec {
                parts: Parts::new([labels.rows_of(a), labels.rows_of(b)]),
                signs: vec![1.0, -1.0],
                classes: vec![a, b],
            };
        }
        // One part for each class: class weights differ.
        let sign = |class| if class == number { 1.0 } else { -1.0 };
        MachineSpec {
            parts: Parts::new((0..k).map(|class| labels.rows_of(class))),
            signs: (0..k).map(sign).collect(),
            classes: (0..k).collect(),
        }
    }

    /// Number of rows of machine number `number`.
    pub fn n_rows(self, number: usize, labels: &Labels) -> usize {
        match self.pair(number, labels.n_classes()) {
            Some((a, b)) => labels.rows_of(a).len() + labels.rows_of(b).len(),
            None => labels.n_rows(),
        }
    }

    /// Whether the label of a row is read from the pattern of all signs, see
    /// [`Patterns`](super::Patterns).
    pub fn uses_patterns(self, k: usize) -> bool {
        self == Scheme::Ordinal && k > 2
    }

    /// The two classes of machine number `number` of `k > 2` classes; `None` where a machine
    /// is of all.
    pub fn pair(self, number: usize, k: usize) -> Option<(usize, usize)> {
        match self {
            Scheme::OneVsOne => Some(pair(number, k)),
            Scheme::OneVsRest => None,
            Scheme::Ordinal => Some((number, number + 1)),
        }
    }
}

/// Pair number `number` of `k` classes, in the order (0, 1), (0, 2), …, (1, 2), ….
pub fn pair(number: usize, k: usize) -> (usize, usize) {
    // The last class a whose first pair, (a, a + 1), does not come after `number`.
    let (mut a, mut end) = (0, k.saturating_sub(1));
    while end - a > 1 {
        let middle = (a + end) / 2;
        if pair_number(middle, middle + 1, k) <= number {
            a = middle;
        } else {
            end = middle;
        }
    }
    (a, a + 1 + number - pair_number(a, a + 1, k))
}

/// The inverse of [`pair`], for `a < b`.
pub fn pair_number(a: usize, b: usize, k: usize) -> usize {
    a * (2 * k - a - 1) / 2 + b - a - 1
}
