//! NN-ISDA takes the steps of the plain algorithm below, and its solution satisfies the KKT
//! conditions of the L2 SVM.

use crate::binary_problem::{BinaryProblem, LINEAR, RBF, assert_close, dot, polynomial, product};
use softmargin::Result;
use softmargin::solver::{NnIsda, NnIsdaSettings, Start, Status};

fn method(cs: &[f64], tol: f64) -> Result<NnIsda> {
    let settings = NnIsdaSettings {
        cs: cs.to_vec(),
        tol,
        max_iter: None,
    };
    settings.check()
}

/// Non-negative Gauss-Seidel on `Q alpha = 1`, worst violator first. Returns alpha and the number
/// of steps. Ties, as between all samples at the start, go to the first in the order of the
/// classes.
fn plain(problem: &BinaryProblem, c: f64, tol: f64) -> (Vec<f64>, usize) {
    let (q, n) = (problem.l2_matrix(c), problem.n());
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&i| problem.codes[i]);
    let (mut alpha, mut n_steps) = (vec![0.0; n], 0);
    loop {
        let error: Vec<f64> = product(&q, &alpha).iter().map(|g| 1.0 - g).collect();
        let violation = |i: usize| match alpha[i] > 0.0 {
            true => error[i].abs(),
            false => error[i],
        };
        let worse = |a: usize, b: usize| if violation(b) > violation(a) { b } else { a };
        let i = order.iter().copied().fold(order[0], worse);
        if violation(i) < tol {
            return (alpha, n_steps);
        }
        alpha[i] = (alpha[i] + error[i] / q[i][i]).max(0.0);
        n_steps += 1;
    }
}

#[test]
fn steps_are_those_of_the_plain_version() -> Result<()> {
    for kernel in [RBF, LINEAR, polynomial(2, 1.0)] {
        let problem = BinaryProblem::new(50, 1, kernel);
        for c in [0.1, 10.0] {
            let machine = &problem.train(method(&[c], 1e-4)?)?[0];
            let (alpha, n_steps) = plain(&problem, c, 1e-4);
            assert_eq!(
                (machine.n_iter, machine.status),
                (n_steps, Status::Converged)
            );
            assert_close(&problem.alpha(machine), &alpha, 1e-9, &format!("C = {c}"));
            let bias: f64 = problem.beta(machine).iter().sum();
            assert_eq!(machine.bias, machine.terms.iter().map(|t| t.1).sum::<f64>());
            assert!((machine.bias - bias).abs() < 1e-12);
        }
    }
    Ok(())
}

#[test]
fn the_solution_satisfies_the_kkt_conditions() -> Result<()> {
    let tol = 1e-9;
    let problem = BinaryProblem::new(120, 2, RBF);
    let cs = [100.0, 0.5, 4.0];
    for (machine, c) in problem.train(method(&cs, tol)?)?.iter().zip(cs) {
        let alpha = problem.alpha(machine);
        let q = problem.l2_matrix(c);
        let g = product(&q, &alpha);
        for (i, (&alpha, g)) in alpha.iter().zip(&g).enumerate() {
            let violation = if alpha > 0.0 {
                (1.0 - g).abs()
            } else {
                1.0 - g
            };
            assert!(violation < 1.1 * tol, "{violation} of sample {i}, C = {c}");
        }
        // The dual objective is half the sum of alpha at the optimum: the duality gap is 0.
        let total: f64 = alpha.iter().sum();
        assert!((dot(&alpha, &g) - total).abs() < 1e-8 * total);
    }
    Ok(())
}

#[test]
fn a_path_is_the_runs_of_its_cs() -> Result<()> {
    let problem = BinaryProblem::new(60, 3, RBF);
    let cs = [4.0, 0.1, 100.0, 4.0];
    for (machine, c) in problem.train(method(&cs, 1e-3)?)?.iter().zip(cs) {
        assert_eq!(machine, &problem.train(method(&[c], 1e-3)?)?[0], "C = {c}");
    }
    Ok(())
}

#[test]
fn the_start_does_not_change_the_solution() -> Result<()> {
    let mut problem = BinaryProblem::new(60, 4, RBF);
    let expected = problem.train(method(&[5.0], 1e-10)?)?.remove(0);
    let label = |i: u32| problem.y()[i as usize];
    let starts = [
        expected.terms.clone(),
        expected.terms.iter().map(|&(i, b)| (i, -b)).collect(),
        (0..60).map(|i| (i, 1e6 * label(i))).collect(),
    ];
    for start in starts {
        problem.start = Start::Terms(start);
        let machine = &problem.train(method(&[5.0], 1e-10)?)?[0];
        assert_close(
            &problem.beta(machine),
            &problem.beta(&expected),
            1e-6,
            "start",
        );
    }
    Ok(())
}

/// `alpha = Q^-1 1` for two samples with `Q = [[a, -b], [-b, c]]`.
#[test]
fn two_points_have_the_closed_form() -> Result<()> {
    let c = 2.0;
    let machine = &BinaryProblem::two_points(1.0, 3.0).train(method(&[c], 1e-13)?)?[0];
    let (q_00, q_11, q_01) = (2.0 + 1.0 / c, 10.0 + 1.0 / c, -4.0);
    let determinant = q_00 * q_11 - q_01 * q_01;
    let (alpha_0, alpha_1) = ((q_11 - q_01) / determinant, (q_00 - q_01) / determinant);
    let problem = BinaryProblem::two_points(1.0, 3.0);
    assert_close(&problem.alpha(machine), &[alpha_0, alpha_1], 1e-10, "alpha");
    assert_close(&[machine.bias], &[alpha_1 - alpha_0], 1e-10, "bias");
    Ok(())
}
