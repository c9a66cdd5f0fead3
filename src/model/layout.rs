//! The layout of dual coefficients, which is that of LIBSVM and scikit-learn.
//!
//! Support vectors are grouped by class. The number of coefficients of a support vector is
//!
//! - one-vs-one: `k - 1`, one for each other class in ascending order;
//! - one-vs-rest: `k`, one for each class;
//! - ordinal: `k - 1`, one for each binary classifier, 0 for classifiers of other classes;
//! - two classes: 1;
//! - a single function: 1.

use crate::multiclass::{Scheme, pair, pair_number};

/// Number of coefficients of a support vector.
pub fn n_coef_rows(scheme: Scheme, k: usize) -> usize {
    match scheme {
        Scheme::OneVsOne | Scheme::Ordinal => k - 1,
        Scheme::OneVsRest if k == 2 => 1,
        Scheme::OneVsRest => k,
        Scheme::Single => 1,
    }
}

/// The coefficient row of binary classifier `m` for a support vector of `class`.
pub fn coef_row_of(scheme: Scheme, m: usize, class: usize, k: usize) -> usize {
    match scheme {
        _ if k == 2 => 0,
        Scheme::OneVsRest | Scheme::Ordinal | Scheme::Single => m,
        Scheme::OneVsOne => {
            let (a, b) = pair(m, k);
            if class == a { b - 1 } else { a }
        }
    }
}

/// The binary classifier of coefficient row `coef_row` of a support vector of `class`.
pub fn machine_of(scheme: Scheme, class: usize, coef_row: usize, k: usize) -> usize {
    match scheme {
        _ if k == 2 => 0,
        Scheme::OneVsRest | Scheme::Ordinal | Scheme::Single => coef_row,
        Scheme::OneVsOne if coef_row < class => pair_number(coef_row, class, k),
        Scheme::OneVsOne => pair_number(class, coef_row + 1, k),
    }
}
