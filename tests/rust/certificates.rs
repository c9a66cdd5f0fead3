//! Certificates are bounds of the optimum, even if numbers overflow.

use softmargin::solver::{Certificate, Objective, Term};

/// Two points at distance 2 and their classifier f(x) = x, with this C.
fn two_points(c: f64) -> [Term; 2] {
    [-1.0, 1.0].map(|x: f64| Term {
        label: x,
        beta: 0.5 * x,
        c,
        output: x,
    })
}

#[test]
fn a_loss_of_zero_is_ignored_even_with_an_infinite_c() {
    let exact = Certificate {
        primal: 0.5,
        dual: 0.5,
        violation: 0.0,
    };
    for objective in [
        Objective::Hinge,
        Objective::SquaredHinge,
        Objective::PenalizedBias,
    ] {
        let found = objective.certify(two_points(f64::INFINITY).into_iter(), 0.0);
        assert_eq!(found, exact, "{objective:?}");
        assert_eq!(found.gap(), 0.0);
    }
}

#[test]
fn a_loss_is_part_of_the_primal_objective_and_a_violation() {
    // f(x) = x / 2: each sample has a slack of 1/2.
    let terms = two_points(2.0).map(|term| Term {
        beta: 0.5 * term.beta,
        output: 0.5 * term.output,
        ..term
    });
    let hinge = Objective::Hinge.certify(terms.into_iter(), 0.0);
    // 1/2 |w|^2 = 1/8; losses 2 * 2 * 1/2; sum of alphas 1/2.
    assert_eq!((hinge.primal, hinge.dual), (0.125 + 2.0, 0.5 - 0.125));
    assert_eq!(hinge.violation, 1.0);
    let squared = Objective::SquaredHinge.certify(terms.into_iter(), 0.0);
    assert_eq!(squared.primal, 0.125 + 0.5);
    assert_eq!(squared.dual, 0.5 - 0.125 - 0.5 * 2.0 * 0.0625 / 2.0);
    assert_eq!(squared.violation, 0.5 - 0.125);
}

#[test]
fn a_penalized_bias_is_part_of_both_objectives() {
    let terms = two_points(1.0).map(|term| Term {
        beta: term.beta + 0.25,
        output: term.output + 0.5,
        ..term
    });
    let free = Objective::SquaredHinge.certify(terms.into_iter(), 0.5);
    let penalized = Objective::PenalizedBias.certify(terms.into_iter(), 0.5);
    assert_eq!(penalized.primal, free.primal + 0.125);
    assert_eq!(penalized.dual, free.dual - 0.125);
    assert_eq!(penalized.violation, free.violation);
}

#[test]
fn a_negative_alpha_gives_no_lower_bound() {
    let mut terms = two_points(1.0);
    terms[0].beta = 0.5;
    let found = Objective::SquaredHinge.certify(terms.into_iter(), 0.0);
    assert_eq!(found.dual, f64::NEG_INFINITY);
    assert_eq!(found.gap(), f64::INFINITY);
}

#[test]
fn an_overflow_is_an_infinite_bound() {
    for objective in [
        Objective::Hinge,
        Objective::SquaredHinge,
        Objective::PenalizedBias,
    ] {
        let terms = two_points(1e300).map(|term| Term {
            beta: 1e300 * term.beta,
            output: -1e300 * term.output,
            ..term
        });
        let found = objective.certify(terms.into_iter(), 1e300);
        assert_eq!(found.primal, f64::INFINITY, "{objective:?}");
        assert!(!found.dual.is_nan() && !found.violation.is_nan());
        let nan = two_points(1.0).map(|term| Term {
            output: f64::NAN,
            ..term
        });
        let found = objective.certify(nan.into_iter(), 0.0);
        assert_eq!(found.gap(), f64::INFINITY, "{objective:?}");
        assert_eq!(found.violation, f64::INFINITY, "{objective:?}");
    }
}
