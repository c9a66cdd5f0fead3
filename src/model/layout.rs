//! Where the coefficients of a support vector stand, as LIBSVM and scikit-learn lay them out.
//!
//! Support vectors are grouped by class. One against one: a vector of class `c` has `k - 1`
//! coefficients, one for each other class, in the order of the classes. One against the rest:
//! one for each class. Ordinal: one for each machine, 0 for those of other classes. Two
//! classes: one.

use crate::multiclass::{Scheme, pair, pair_number};

/// Number of coefficients of a vector.
pub fn n_coef_rows(scheme: Scheme, k: usize) -> usize {
    match scheme {
        Scheme::OneVsOne | Scheme::Ordinal => k - 1,
        Scheme::OneVsRest if k == 2 => 1,
        Scheme::OneVsRest => k,
    }
}

/// The coefficient row of machine `m` for a vector of `class`.
pub fn coef_row_of(scheme: Scheme, m: usize, class: usize, k: usize) -> usize {
    match scheme {
        _ if k == 2 => 0,
        Scheme::OneVsRest | Scheme::Ordinal => m,
        Scheme::OneVsOne => {
            let (a, b) = pair(m, k);
            if class == a { b - 1 } else { a }
        }
    }
}

/// The machine that coefficient row `coef_row` of a vector of `class` belongs to.
pub fn machine_of(scheme: Scheme, class: usize, coef_row: usize, k: usize) -> usize {
    match scheme {
        _ if k == 2 => 0,
        Scheme::OneVsRest | Scheme::Ordinal => coef_row,
        Scheme::OneVsOne if coef_row < class => pair_number(coef_row, class, k),
        Scheme::OneVsOne => pair_number(class, coef_row + 1, k),
    }
}
