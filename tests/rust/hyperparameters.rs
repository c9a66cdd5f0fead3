//! All methods accept and reject the same values of C, `tol` and `max_iter`, in the same words.

use softmargin::solver::linear::{
    DualSettings, FasterExact, GradientSettings, Intercept, L1Settings, LinearNewtonSettings, Loss,
    Penalty,
};
use softmargin::solver::{
    Bias, Formulation, MnSvmSettings, NewtonSettings, NlSgdSettings, NnIsdaSettings,
    OllawvSettings, Order, Selection, Step, SvcSettings,
};
use softmargin::{Error, Result};

/// The parameters that methods share.
#[derive(Clone, Copy)]
struct Shared {
    c: f64,
    tol: f64,
    max_iter: Option<usize>,
}

const VALID: Shared = Shared {
    c: 1.0,
    tol: 1e-3,
    max_iter: None,
};

type Check = (&'static str, fn(Shared) -> Result<()>);

/// Kernel methods; those in the second list have no `tol` or no `max_iter`.
const KERNEL: [Check; 2] = [("svc", svc), ("nnisda", nnisda)];
const OTHER_KERNEL: [Check; 4] = [
    ("mnsvm", mnsvm),
    ("newton", newton),
    ("nlsgd", nlsgd),
    ("ollawv", ollawv),
];
const LINEAR: [Check; 5] = [
    ("dual", dual),
    ("linear newton", linear_newton),
    ("gradient", gradient),
    ("faster exact", faster_exact),
    ("l1", l1),
];

fn svc(given: Shared) -> Result<()> {
    let settings = SvcSettings {
        cs: vec![1.0, given.c],
        formulation: Formulation::Classification,
        tol: given.tol,
        working_set_size: None,
        shrinking: true,
        max_iter: given.max_iter,
    };
    settings.check().map(|_| ())
}

fn nnisda(given: Shared) -> Result<()> {
    let settings = NnIsdaSettings {
        cs: vec![1.0, given.c],
        tol: given.tol,
        max_iter: given.max_iter,
    };
    settings.check().map(|_| ())
}

fn mnsvm(given: Shared) -> Result<()> {
    let settings = MnSvmSettings {
        cs: vec![1.0, given.c],
        eps: 1e-3,
        selection: Selection::Worst,
        seed: 0,
        max_iter: given.max_iter,
    };
    settings.check().map(|_| ())
}

fn newton(given: Shared) -> Result<()> {
    let settings = NewtonSettings {
        cs: vec![1.0, given.c],
        bias: Bias::Free,
        max_iter: given.max_iter,
        line_search: true,
    };
    settings.check().map(|_| ())
}

fn nlsgd(given: Shared) -> Result<()> {
    let settings = NlSgdSettings {
        cs: vec![1.0, given.c],
        epochs: 1,
        average: 0.5,
        step: Step::Time,
        order: Order::Cyclic,
        seed: 0,
    };
    settings.check().map(|_| ())
}

fn ollawv(given: Shared) -> Result<()> {
    let settings = OllawvSettings {
        margins: vec![0.1],
        c: given.c,
        bias: true,
        max_sv_fraction: 1.0,
        ..OllawvSettings::default()
    };
    settings.check().map(|_| ())
}

fn dual_settings(given: Shared) -> DualSettings {
    DualSettings {
        loss: Loss::Hinge,
        penalty: Penalty::C(given.c),
        tol: given.tol,
        max_iter: given.max_iter,
        intercept: Intercept::None,
        seed: 0,
    }
}

fn dual(given: Shared) -> Result<()> {
    dual_settings(given).check().map(|_| ())
}

fn faster_exact(given: Shared) -> Result<()> {
    FasterExact::new(dual_settings(given)).map(|_| ())
}

fn linear_newton(given: Shared) -> Result<()> {
    let settings = LinearNewtonSettings {
        loss: Loss::SquaredHinge,
        penalty: Penalty::C(given.c),
        tol: given.tol,
        max_iter: given.max_iter,
        intercept: Intercept::None,
        free_bias: false,
    };
    settings.check().map(|_| ())
}

fn l1(given: Shared) -> Result<()> {
    let settings = L1Settings {
        penalty: Penalty::C(given.c),
        tol: given.tol,
        max_iter: given.max_iter,
        intercept: Intercept::None,
        seed: 0,
    };
    settings.check().map(|_| ())
}

fn gradient(given: Shared) -> Result<()> {
    let settings = GradientSettings {
        penalty: Penalty::C(given.c),
        eta0: 0.1,
        max_iter: given.max_iter,
        tol: given.tol,
        intercept: Intercept::None,
    };
    settings.check().map(|_| ())
}

fn assert_rejected((method, check): &Check, given: Shared, sentence: &str) {
    let error = check(given).expect_err(method);
    assert!(matches!(error, Error::Parameter { .. }), "{method}");
    assert_eq!(error.to_string(), sentence, "{method}");
}

/// Values of C without a finite inverse, and their text in messages.
const BAD_CS: [(f64, &str); 6] = [
    (0.0, "0"),
    (-1.0, "-1"),
    (f64::NAN, "NaN"),
    (f64::NEG_INFINITY, "-inf"),
    (1e-305, "1e-305"),
    (9.9e-301, "9.9e-301"),
];

#[test]
fn the_same_values_of_c_are_rejected_by_all_methods() {
    for (c, text) in BAD_CS {
        let given = Shared { c, ..VALID };
        let sentence = |least| {
            format!("C = {text} is not valid: it must be a positive number, at least {least}")
        };
        for method in KERNEL.iter().chain(&OTHER_KERNEL) {
            assert_rejected(method, given, &sentence("1e-300"));
        }
        for method in &LINEAR {
            assert_rejected(method, given, &sentence("1e-100"));
        }
    }
}

#[test]
fn extreme_values_of_c_are_accepted_by_all_methods() {
    for c in [1e-100, 1.0, 1e300] {
        for (method, check) in KERNEL.iter().chain(&OTHER_KERNEL).chain(&LINEAR) {
            assert_eq!(check(Shared { c, ..VALID }), Ok(()), "{method}, C = {c}");
        }
    }
    for c in [1e-300, 1e-200] {
        for (method, check) in KERNEL.iter().chain(&OTHER_KERNEL) {
            assert_eq!(check(Shared { c, ..VALID }), Ok(()), "{method}, C = {c}");
        }
    }
    // Infinity means a hard margin, except for OLLAWV, whose coefficients are multiples of C.
    for c in [1e308, f64::INFINITY] {
        let given = Shared { c, ..VALID };
        for (method, check) in KERNEL.iter().chain(&OTHER_KERNEL).chain(&LINEAR) {
            assert_eq!(
                check(given).is_ok(),
                *method != "ollawv",
                "{method}, C = {c}"
            );
        }
    }
}

#[test]
fn the_same_tolerances_and_limits_are_rejected_by_all_methods() {
    for tol in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let sentence = format!("tol = {tol} is not valid: it must be a finite positive number");
        for method in KERNEL.iter().chain(&LINEAR) {
            assert_rejected(method, Shared { tol, ..VALID }, &sentence);
        }
    }
    let given = Shared {
        max_iter: Some(0),
        ..VALID
    };
    let sentence = "max_iter = 0 is not valid: it must be positive, or -1 for no limit";
    for method in KERNEL.iter().chain(&OTHER_KERNEL[..2]).chain(&LINEAR) {
        assert_rejected(method, given, sentence);
    }
}
