//! NL-SGD takes the steps of algorithm B of Melki and Kecman (2016), which is implemented below in
//! the simplest way; its duality gap decreases with the number of epochs.

use crate::binary_problem::{BinaryProblem, LINEAR, RBF, assert_close, dot, polynomial, product};
use softmargin::Result;
use softmargin::data::Random;
use softmargin::solver::{NlSgd, NlSgdSettings, Order, Status, Step};

fn settings(cs: &[f64], epochs: usize) -> NlSgdSettings {
    NlSgdSettings {
        cs: cs.to_vec(),
        epochs,
        average: 0.5,
        step: Step::Time,
        order: Order::Cyclic,
        seed: 7,
    }
}

fn method(cs: &[f64], epochs: usize) -> Result<NlSgd> {
    settings(cs, epochs).check()
}

/// The mean of alpha over the last steps.
fn plain(problem: &BinaryProblem, c: f64, given: &NlSgdSettings) -> Vec<f64> {
    let (k, y, n) = (problem.k(), problem.y(), problem.n());
    let mut random = Random::new(given.seed);
    let mut order: Vec<usize> = (0..n).collect();
    if given.order == Order::Cyclic {
        random.shuffle(&mut order);
    }
    let n_steps = given.epochs * n;
    let mut counts = vec![0.0; n];
    let mut alphas: Vec<Vec<f64>> = Vec::new();
    for t in 1..=n_steps {
        let divisor = if given.step == Step::Time { t } else { n };
        let alpha: Vec<f64> = counts.iter().map(|b| c * b / divisor as f64).collect();
        let i = match given.order {
            Order::Cyclic => order[(t - 1) % n],
            Order::Random => random.below(n),
        };
        if y[i] * dot(&k[i], &alpha) < 1.0 {
            counts[i] += problem.weights[i] * y[i];
        }
        alphas.push(alpha);
    }
    let width = ((given.average * n_steps as f64).ceil() as usize).max(1);
    let last = &alphas[n_steps - width..];
    let mean = |i: usize| last.iter().map(|alpha| alpha[i]).sum::<f64>() / width as f64;
    (0..n).map(mean).collect()
}

#[test]
fn coefficients_are_those_of_the_algorithm() -> Result<()> {
    for kernel in [RBF, LINEAR, polynomial(2, 1.0)] {
        let problem = BinaryProblem::new(50, 1, kernel);
        for (average, step, order, c) in [
            (0.5, Step::Time, Order::Cyclic, 0.5),
            (0.25, Step::Rows, Order::Random, 300.0),
            (0.0, Step::Time, Order::Random, 20.0),
            (1.0, Step::Rows, Order::Cyclic, 0.5),
        ] {
            let given = NlSgdSettings {
                average,
                step,
                order,
                ..settings(&[c], 3)
            };
            let expected = plain(&problem, c, &given);
            let machine = &problem.train(given.check()?)?[0];
            let what = format!("{average}, {step:?}, {order:?}, C = {c}");
            assert_close(&problem.beta(machine), &expected, 1e-10, &what);
            let ended = (machine.bias, machine.n_iter, machine.status);
            assert_eq!(ended, (0.0, 150, Status::Converged), "{what}");
        }
    }
    Ok(())
}

#[test]
fn a_path_is_the_runs_of_its_cs() -> Result<()> {
    let problem = BinaryProblem::new(60, 3, RBF);
    let cs = [20.0, 0.1, 300.0, 20.0];
    for (machine, c) in problem.train(method(&cs, 2)?)?.iter().zip(cs) {
        assert_eq!(machine, &problem.train(method(&[c], 2)?)?[0], "C = {c}");
    }
    Ok(())
}

/// The duality gap, relative to the primal objective, of
/// `lambda / 2 |w|^2 + mean of w_i max(0, 1 - y_i f(x_i))`. Its dual problem is
/// `max mean of a_i - |sum a_i y_i phi(x_i) / n|^2 / (2 lambda)` with `0 <= a_i <= w_i`.
fn gap(problem: &BinaryProblem, alpha: &[f64], c: f64) -> f64 {
    let (k, n) = (problem.k(), problem.n() as f64);
    let beta = |alpha: &[f64]| -> Vec<f64> {
        let signed = alpha.iter().zip(problem.y());
        signed.map(|(alpha, y)| alpha * y).collect()
    };
    let outputs = product(&k, &beta(alpha));
    let loss = |i: usize| problem.weights[i] * (1.0 - problem.y()[i] * outputs[i]).max(0.0);
    let losses: f64 = (0..problem.n()).map(loss).sum();
    let primal = 0.5 / c * dot(&beta(alpha), &outputs) + losses / n;
    let bounded = alpha.iter().zip(&problem.weights);
    let feasible: Vec<f64> = bounded.map(|(a, w)| a.min(c * w / n)).collect();
    let square = dot(&beta(&feasible), &product(&k, &beta(&feasible)));
    let dual = (feasible.iter().sum::<f64>() - 0.5 * square) / c;
    assert!(dual <= primal, "{dual} above {primal}");
    (primal - dual) / primal
}

#[test]
fn the_duality_gap_decreases_with_the_epochs() -> Result<()> {
    for (seed, kernel) in [(5, RBF), (6, polynomial(2, 1.0))] {
        let problem = BinaryProblem::new(60, seed, kernel);
        let c = 20.0;
        let gap_after = |epochs: usize| -> Result<f64> {
            let machine = &problem.train(method(&[c], epochs)?)?[0];
            Ok(gap(&problem, &problem.alpha(machine), c))
        };
        let (early, late) = (gap_after(20)?, gap_after(2000)?);
        assert!(late < 0.02 && late < 0.2 * early, "{early}, then {late}");
    }
    Ok(())
}
