//! Newton's method with kernels reaches the optimum of the primal objective: coefficients are
//! proportional to the losses, and the solution with a penalized bias is that of NN-ISDA.

use crate::binary_problem::{BinaryProblem, LINEAR, RBF, assert_close, polynomial, product};
use softmargin::Result;
use softmargin::solver::{Bias, Machine, Newton, NewtonSettings, NnIsdaSettings, Start, Status};

const BIASES: [Bias; 3] = [Bias::None, Bias::Free, Bias::Penalized];

fn method(cs: &[f64], bias: Bias) -> Result<Newton> {
    let settings = NewtonSettings {
        cs: cs.to_vec(),
        bias,
        max_iter: None,
        line_search: true,
    };
    settings.check()
}

/// The gradient of `|w|^2 / C + sum of w_i max(0, 1 - y_i f(x_i))^2` is 0 if and only if
/// `beta_i = C w_i y_i max(0, 1 - y_i f(x_i))`; that of the bias if and only if the sum of beta
/// is 0 (free), or the bias itself (penalized).
fn assert_optimal(problem: &BinaryProblem, machine: &Machine, c: f64, bias: Bias, tol: f64) {
    let what = format!("C = {c}, {bias:?}");
    assert_eq!(machine.status, Status::Converged, "{what}");
    let (beta, y) = (problem.beta(machine), problem.y());
    let outputs = product(&problem.k(), &beta);
    let optimal = |i: usize| {
        let loss = (1.0 - y[i] * (outputs[i] + machine.bias)).max(0.0);
        c * problem.weights[i] * y[i] * loss
    };
    let expected: Vec<f64> = (0..problem.n()).map(optimal).collect();
    assert_close(&beta, &expected, tol, &what);
    let (total, size) = beta
        .iter()
        .fold((0.0, 0.0), |(t, s), b| (t + b, s + b.abs()));
    match bias {
        Bias::None => assert_eq!(machine.bias, 0.0, "{what}"),
        Bias::Free => assert!(total.abs() < tol * size, "{what}: {total}"),
        Bias::Penalized => assert!((total - machine.bias).abs() < tol * size, "{what}"),
    }
}

#[test]
fn the_gradient_is_0_along_the_path() -> Result<()> {
    let cs = [10.0, 0.1, 1.0, 100.0];
    for kernel in [RBF, polynomial(2, 1.0), LINEAR] {
        let problem = BinaryProblem::new(120, 1, kernel);
        for bias in BIASES {
            for (machine, c) in problem.train(method(&cs, bias)?)?.iter().zip(cs) {
                assert_optimal(&problem, machine, c, bias, 1e-6);
            }
        }
    }
    Ok(())
}

/// From about a thousand samples, the problem of half of them is solved first.
#[test]
fn large_problems_reach_the_optimum() -> Result<()> {
    let problem = BinaryProblem::new(1500, 2, RBF);
    let machine = &problem.train(method(&[1.0], Bias::Free)?)?[0];
    assert_optimal(&problem, machine, 1.0, Bias::Free, 1e-6);
    Ok(())
}

#[test]
fn a_penalized_bias_gives_the_solution_of_nnisda() -> Result<()> {
    let cs = [0.2, 5.0];
    for (seed, kernel) in [(3, RBF), (4, polynomial(2, 1.0)), (5, LINEAR)] {
        let problem = BinaryProblem::new(80, seed, kernel);
        let nnisda = NnIsdaSettings {
            cs: cs.to_vec(),
            tol: 1e-11,
            max_iter: None,
        };
        let expected = problem.train(nnisda.check()?)?;
        let found = problem.train(method(&cs, Bias::Penalized)?)?;
        for (found, expected) in found.iter().zip(&expected) {
            let what = format!("{:?}", problem.kernel.kind);
            assert_close(&problem.beta(found), &problem.beta(expected), 1e-6, &what);
            assert!((found.bias - expected.bias).abs() < 1e-6, "{what}");
        }
    }
    Ok(())
}

/// A linear kernel is solved in the weights of the features, a polynomial of degree 1 with kernel
/// rows.
#[test]
fn the_linear_form_is_the_kernel_form() -> Result<()> {
    for bias in BIASES {
        let mut problem = BinaryProblem::new(100, 6, LINEAR);
        let linear = problem.train(method(&[0.5, 20.0], bias)?)?;
        problem.kernel = polynomial(1, 0.0);
        let kernel = problem.train(method(&[0.5, 20.0], bias)?)?;
        for (linear, kernel) in linear.iter().zip(&kernel) {
            let what = format!("{bias:?}");
            assert_close(&problem.beta(linear), &problem.beta(kernel), 1e-6, &what);
            assert!((linear.bias - kernel.bias).abs() < 1e-6, "{what}");
        }
    }
    Ok(())
}

#[test]
fn a_start_at_the_optimum_takes_one_step() -> Result<()> {
    let mut problem = BinaryProblem::new(100, 7, RBF);
    let expected = problem.train(method(&[2.0], Bias::Free)?)?.remove(0);
    problem.start = Start::Terms(expected.terms.clone());
    let again = &problem.train(method(&[2.0], Bias::Free)?)?[0];
    assert_eq!(again.n_iter, 1);
    assert_close(
        &problem.beta(again),
        &problem.beta(&expected),
        1e-9,
        "start",
    );
    Ok(())
}

/// `beta = (-t, t)` with `(K_00 + K_11 - 2 K_01 + 2 / C) t = 2` for a free bias.
#[test]
fn two_points_have_the_closed_form() -> Result<()> {
    let problem = BinaryProblem::two_points(1.0, 3.0);
    let machine = &problem.train(method(&[2.0], Bias::Free)?)?[0];
    let t = 2.0 / (1.0 + 9.0 - 2.0 * 3.0 + 2.0 / 2.0);
    assert_close(&problem.beta(machine), &[-t, t], 1e-9, "beta");
    // f(3) = (9 - 3) t + b = 1 - t / C.
    assert_close(&[machine.bias], &[1.0 - t / 2.0 - 6.0 * t], 1e-9, "bias");
    Ok(())
}
