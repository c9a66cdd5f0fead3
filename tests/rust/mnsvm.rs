//! MN-SVM has the solution of the plain algorithm below: the point of minimal norm in the simplex.
//! It is the solution of NN-ISDA, scaled to sum 1.

use crate::binary_problem::{BinaryProblem, LINEAR, RBF, assert_close, dot, polynomial, product};
use softmargin::Result;
use softmargin::solver::{MnSvm, MnSvmSettings, NnIsdaSettings, Selection, Status};

fn method(cs: &[f64], eps: f64, selection: Selection) -> Result<MnSvm> {
    let settings = MnSvmSettings {
        cs: cs.to_vec(),
        eps,
        selection,
        seed: 5,
        max_iter: None,
    };
    settings.check()
}

/// The plain algorithm. Returns alpha with sum 1, its squared norm, and the number of steps.
fn plain(q: &[Vec<f64>], last_eps: f64) -> (Vec<f64>, f64, usize) {
    let n = q.len();
    let (mut alpha, mut n_steps, mut eps, mut tau) = (vec![0.0; n], 0, 0.5, f64::INFINITY);
    alpha[0] = 1.0;
    loop {
        let g = product(q, &alpha);
        let square = dot(&alpha, &g);
        let by_g = |i: &usize, j: &usize| g[*i].total_cmp(&g[*j]);
        let v = (0..n).min_by(by_g).expect("a problem has samples");
        if g[v] < square {
            tau = q[v][v].min(tau);
        }
        if g[v] >= square || g[v] >= square - eps * (square * tau).sqrt() {
            if eps <= last_eps {
                return (alpha, square, n_steps);
            }
            eps = last_eps.max(0.5 * eps);
            continue;
        }
        let used = (0..n).filter(|&i| alpha[i] > 0.0);
        let u = used.max_by(by_g).expect("the sum of alpha is 1");
        tau = q[u][u].min(tau);
        let curvature = q[u][u] + q[v][v] - 2.0 * q[u][v];
        let step = ((g[u] - g[v]) / curvature).min(alpha[u]);
        alpha[v] += step;
        alpha[u] -= step;
        n_steps += 1;
    }
}

/// Alpha divided by its sum.
fn normalized(alpha: &[f64]) -> Vec<f64> {
    let total: f64 = alpha.iter().sum();
    alpha.iter().map(|alpha| alpha / total).collect()
}

/// The two samples of a step have the same gradient after it. Rounding decides which of them is
/// selected next, so that the number of steps may differ.
#[test]
fn the_solution_is_that_of_the_plain_version() -> Result<()> {
    for kernel in [RBF, LINEAR, polynomial(2, 1.0)] {
        let problem = BinaryProblem::new(50, 1, kernel);
        for c in [0.1, 10.0] {
            let machine = &problem.train(method(&[c], 1e-8, Selection::Worst)?)?[0];
            let (alpha, square, n_steps) = plain(&problem.l2_matrix(c), 1e-8);
            let expected: Vec<f64> = alpha.iter().map(|alpha| alpha / square).collect();
            let what = format!("C = {c}");
            assert_eq!(machine.status, Status::Converged, "{what}");
            assert_close(&problem.alpha(machine), &expected, 1e-5, &what);
            assert!(machine.n_iter < 2 * n_steps && n_steps < 2 * machine.n_iter);
        }
    }
    Ok(())
}

#[test]
fn the_first_step_joins_the_first_sample_and_the_worst_violator() -> Result<()> {
    let problem = BinaryProblem::new(50, 2, RBF);
    let (c, q) = (3.0, problem.l2_matrix(3.0));
    let settings = MnSvmSettings {
        cs: vec![c],
        eps: 1e-3,
        selection: Selection::Worst,
        seed: 0,
        max_iter: Some(1),
    };
    let machine = &problem.train(settings.check()?)?[0];
    assert_eq!(
        (machine.n_iter, machine.status),
        (1, Status::IterationLimit)
    );
    let v = (0..50)
        .min_by(|&i, &j| q[0][i].total_cmp(&q[0][j]))
        .expect("samples");
    let step = (q[0][0] - q[0][v]) / (q[0][0] + q[v][v] - 2.0 * q[0][v]);
    let mut alpha = vec![0.0; 50];
    (alpha[0], alpha[v]) = (1.0 - step, step);
    let square = dot(&alpha, &product(&q, &alpha));
    alpha.iter_mut().for_each(|alpha| *alpha /= square);
    assert_close(&problem.alpha(machine), &alpha, 1e-12, "alpha");
    Ok(())
}

/// `sqrt(w2)` is an upper bound of the minimal norm, the smallest `g / sqrt(w2)` a lower bound.
#[test]
fn the_norm_is_minimal_over_the_simplex() -> Result<()> {
    let problem = BinaryProblem::new(120, 2, RBF);
    let (cs, eps) = ([100.0, 0.5, 4.0], 1e-6);
    for selection in [Selection::Worst, Selection::Random] {
        let path = problem.train(method(&cs, eps, selection)?)?;
        for (machine, c) in path.iter().zip(cs) {
            let alpha = normalized(&problem.alpha(machine));
            let q = problem.l2_matrix(c);
            let g = product(&q, &alpha);
            let square = dot(&alpha, &g);
            let lowest = g.iter().copied().fold(f64::INFINITY, f64::min);
            let tau = (0..q.len()).map(|i| q[i][i]).fold(0.0, f64::max);
            let gap = square.sqrt() - lowest / square.sqrt();
            assert!(
                gap <= 1.1 * eps * tau.sqrt(),
                "{gap}, C = {c}, {selection:?}"
            );
        }
    }
    Ok(())
}

#[test]
fn scaled_to_sum_1_it_is_the_solution_of_nnisda() -> Result<()> {
    for (seed, kernel) in [(3, RBF), (4, polynomial(2, 1.0))] {
        let problem = BinaryProblem::new(80, seed, kernel);
        let cs = [0.2, 5.0];
        let nnisda = NnIsdaSettings {
            cs: cs.to_vec(),
            tol: 1e-11,
            max_iter: None,
        };
        let expected = problem.train(nnisda.check()?)?;
        let found = problem.train(method(&cs, 1e-10, Selection::Worst)?)?;
        for ((found, expected), c) in found.iter().zip(&expected).zip(cs) {
            let (found, expected) = (problem.alpha(found), problem.alpha(expected));
            let what = format!("C = {c}");
            assert_close(&normalized(&found), &normalized(&expected), 1e-6, &what);
            // The scale is that of `Q alpha = 1`, too.
            assert_close(&found, &expected, 1e-6, &what);
        }
    }
    Ok(())
}

/// The point of minimal norm between two points: `(Q_11 - Q_01, Q_00 - Q_01)`, up to scale.
#[test]
fn two_points_have_the_closed_form() -> Result<()> {
    let problem = BinaryProblem::two_points(1.0, 3.0);
    let machine = &problem.train(method(&[2.0], 1e-9, Selection::Worst)?)?[0];
    let (q_00, q_11, q_01) = (2.5, 10.5, -4.0);
    let expected = normalized(&[q_11 - q_01, q_00 - q_01]);
    assert_close(
        &normalized(&problem.alpha(machine)),
        &expected,
        1e-9,
        "alpha",
    );
    Ok(())
}
