//! How several classes are split into binary problems.

use crate::data::Labels;
use crate::kernel::Parts;
use crate::{Error, Result};
use std::ops::Range;

/// How classes are split into binary problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// A classifier for each pair of classes; the class with the most votes wins.
    OneVsOne,
    /// A classifier for each class against all others; the largest decision value wins.
    OneVsRest,
    /// A classifier for each pair of neighbouring classes; the most probable label for the
    /// signs of all decision values wins (see [`Patterns`](super::Patterns)).
    Ordinal,
    /// One function of all samples, which have no classes: regression and novelty detection.
    Single,
}

/// One binary problem: its samples, their labels and their classes.
#[derive(Debug, Clone, PartialEq)]
pub struct MachineSpec {
    /// Ranges of the sorted samples.
    pub parts: Parts,
    /// The label of each part.
    pub signs: Vec<f64>,
    /// The class of each part.
    pub classes: Vec<usize>,
}

/// The classes that a binary classifier separates, or the single class of all samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sides {
    /// Two classes; the samples of other classes are not part of the problem.
    Pair {
        /// The class with label +1.
        positive: usize,
        /// The class with label -1.
        negative: usize,
    },
    /// One class, with label +1, and all other classes.
    OneVsRest {
        /// The class with label +1.
        positive: usize,
    },
}

impl Sides {
    /// The label of a class: +1 or -1; `None` if its samples are not part of the problem.
    #[inline]
    pub fn label(self, class: usize) -> Option<f64> {
        match self {
            Sides::Pair { positive, .. } | Sides::OneVsRest { positive } if class == positive => {
                Some(1.0)
            }
            Sides::Pair { negative, .. } => (class == negative).then_some(-1.0),
            Sides::OneVsRest { .. } => Some(-1.0),
        }
    }
}

/// The maximum number of binary classifiers of a model.
const MOST_MACHINES: usize = 1 << 24;

impl Scheme {
    /// The schemes for classes.
    pub const OF_CLASSES: [Scheme; 3] = [Scheme::OneVsOne, Scheme::OneVsRest, Scheme::Ordinal];

    /// Parses the name used in Python.
    pub fn parse(name: &str) -> Result<Self> {
        let mut known = Self::OF_CLASSES.into_iter().chain([Scheme::Single]);
        let known = known.find(|scheme| scheme.name() == name);
        known.ok_or_else(|| {
            Error::parameter(
                "multi_class",
                format!("{name:?}"),
                "it must be 'ovo', 'ovr' or 'ordinal'",
            )
        })
    }

    /// The name used in Python.
    pub fn name(self) -> &'static str {
        match self {
            Scheme::OneVsOne => "ovo",
            Scheme::OneVsRest => "ovr",
            Scheme::Ordinal => "ordinal",
            Scheme::Single => "single",
        }
    }

    /// The least number of classes.
    pub fn least_classes(self) -> usize {
        match self {
            Scheme::Single => 1,
            _ => 2,
        }
    }

    /// Number of binary classifiers for `k` classes; 1 for two classes.
    pub fn n_machines(self, k: usize) -> Result<usize> {
        let n = match self {
            Scheme::Single => Some(1),
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
            Scheme::Single => (1, ""),
        };
        Err(Error::Data(format!(
            "y has {k} classes, which needs {machines} binary classifiers, \
             but a model supports at most {MOST_MACHINES}{advice}"
        )))
    }

    /// The classes that binary classifier `number` separates, for `k` classes.
    ///
    /// - One-vs-one: the pairs (0, 1), (0, 2), …, (1, 2), …; the first class is positive, as in
    ///   LIBSVM. Ordinal: the pairs (0, 1), (1, 2), ….
    /// - One-vs-rest: the class itself is positive.
    /// - Two classes: the second class is positive, as in scikit-learn.
    /// - Single: all samples are positive.
    pub fn sides(self, number: usize, k: usize) -> Sides {
        match self.pair(number, k) {
            _ if k == 2 => Sides::Pair {
                positive: 1,
                negative: 0,
            },
            Some((positive, negative)) => Sides::Pair { positive, negative },
            None => Sides::OneVsRest { positive: number },
        }
    }

    /// Binary problem `number` for these labels.
    pub fn machine(self, number: usize, labels: &Labels) -> MachineSpec {
        let k = labels.n_classes();
        let sides = self.sides(number, k);
        // One part per class, in ascending order, because class weights differ.
        let classes: Vec<usize> = match sides {
            Sides::Pair { positive, negative } => {
                vec![positive.min(negative), positive.max(negative)]
            }
            Sides::OneVsRest { .. } => (0..k).collect(),
        };
        let label = |&class: &usize| sides.label(class);
        MachineSpec {
            parts: Parts::new(classes.iter().map(|&class| labels.rows_of(class))),
            signs: classes.iter().filter_map(label).collect(),
            classes,
        }
    }

    /// Number of samples of binary problem `number` for these labels.
    pub fn n_rows_of(self, number: usize, labels: &Labels) -> usize {
        match self.sides(number, labels.n_classes()) {
            Sides::Pair { positive, negative } => {
                labels.rows_of(positive).len() + labels.rows_of(negative).len()
            }
            Sides::OneVsRest { .. } => labels.n_rows(),
        }
    }

    /// Whether labels are predicted from patterns of signs, see [`Patterns`](super::Patterns).
    pub fn uses_patterns(self, k: usize) -> bool {
        self == Scheme::Ordinal && k > 2
    }

    /// The two classes of binary classifier `number`, for `k > 2` classes; `None` for
    /// one-vs-rest.
    pub fn pair(self, number: usize, k: usize) -> Option<(usize, usize)> {
        match self {
            Scheme::OneVsOne => Some(pair(number, k)),
            Scheme::OneVsRest | Scheme::Single => None,
            Scheme::Ordinal => Some((number, number + 1)),
        }
    }

    /// The second classes of the pairs whose first class is `a`, for `k > 2` classes. Visiting
    /// them for all `a` in ascending order visits all binary classifiers in order.
    pub fn rivals(self, a: usize, k: usize) -> Range<usize> {
        match self {
            Scheme::OneVsOne => a + 1..k,
            Scheme::OneVsRest | Scheme::Single => 0..0,
            Scheme::Ordinal => a + 1..k.min(a + 2),
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
