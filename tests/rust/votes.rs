//! The class with the most votes wins. Ties go to the larger sum of decision values, then to the
//! lower label, or directly to the lower label.

use softmargin::Result;
use softmargin::data::Random;
use softmargin::model::{Ballots, Ties, Votes};
use softmargin::multiclass::{Patterns, Scheme, pair};

fn n_machines(scheme: Scheme, k: usize) -> usize {
    scheme.n_machines(k).expect("few machines")
}

const SCHEMES: [Scheme; 3] = [Scheme::OneVsOne, Scheme::OneVsRest, Scheme::Ordinal];
const TIES: [Ties; 2] = [Ties::LargestSum, Ties::LowestLabel];

fn classes(scheme: Scheme, k: usize, values: &[f64], ties: Ties) -> Vec<u32> {
    let mut votes = Votes::new(scheme, k, None);
    let rows = values.chunks(n_machines(scheme, k));
    rows.map(|outputs| votes.winner(outputs, ties)).collect()
}

fn scores(scheme: Scheme, k: usize, values: &[f64]) -> Vec<f64> {
    let mut votes = Votes::new(scheme, k, None);
    let rows = values.chunks(n_machines(scheme, k));
    let score = |outputs: &[f64]| {
        let mut scores = vec![0.0; if k == 2 { 1 } else { k }];
        votes.scores(outputs, &mut scores);
        scores
    };
    rows.flat_map(score).collect()
}

/// The predicted classes, with classifiers counted one after the other. Whether scores are
/// requested makes no difference, and they are those of [`Votes`].
fn counted(
    scheme: Scheme,
    k: usize,
    values: &[f64],
    ties: Ties,
    patterns: Option<&Patterns>,
) -> Vec<u32> {
    let m = n_machines(scheme, k);
    let n = values.len() / m;
    let count = |with_scores: bool| {
        let mut ballots = Ballots::new(scheme, k, n, 2, ties, with_scores).expect("few rows");
        for machine in 0..m {
            let outputs: Vec<f64> = values.iter().skip(machine).step_by(m).copied().collect();
            ballots.add(machine, 1, &outputs);
            let others: Vec<f64> = outputs.iter().map(|output| -output).collect();
            ballots.add(machine, 0, &others);
        }
        ballots
    };
    let winners = |ballots: &Ballots| -> Vec<u32> {
        (0..n).map(|row| ballots.winner(1, row, patterns)).collect()
    };
    let (without, with_scores) = (count(false), count(true));
    assert_eq!(winners(&without), winners(&with_scores));
    let mut votes = Votes::new(scheme, k, patterns);
    let width = if k == 2 { 1 } else { k };
    for (row, outputs) in values.chunks_exact(m).enumerate() {
        let (mut found, mut expected) = (vec![0.0; width], vec![0.0; width]);
        with_scores.scores(1, row, patterns, &mut found);
        votes.scores(outputs, &mut expected);
        assert_eq!(found, expected);
    }
    winners(&without)
}

/// The votes and sums of one sample, class by class.
fn count(k: usize, values: &[f64]) -> (Vec<usize>, Vec<f64>) {
    let (mut votes, mut sums) = (vec![0; k], vec![0.0; k]);
    for (m, &value) in values.iter().enumerate() {
        let (a, b) = pair(m, k);
        votes[if value < 0.0 { b } else { a }] += 1;
        sums[a] += value;
        sums[b] -= value;
    }
    (votes, sums)
}

/// The rule, implemented in the simplest way.
fn winner(k: usize, values: &[f64], ties: Ties) -> u32 {
    let (votes, sums) = count(k, values);
    let mut best = 0;
    for class in 1..k {
        let more = votes[class] > votes[best];
        let equal = votes[class] == votes[best] && ties == Ties::LargestSum;
        if more || (equal && sums[class] > sums[best]) {
            best = class;
        }
    }
    best as u32
}

/// Decision values of many samples; some are rounded, so that there are ties of votes and sums.
fn decisions(k: usize, scale: f64) -> Vec<f64> {
    let mut random = Random::new(3);
    let mut value = || match random.below(2) {
        0 => random.unit() - 0.5,
        _ => (random.unit() * 5.0).floor() / 2.0 - 1.0,
    };
    (0..5_000 * k * (k - 1) / 2)
        .map(|_| scale * value())
        .collect()
}

#[test]
fn the_winner_follows_the_rule() {
    for k in [3, 4, 7] {
        let decisions = decisions(k, 1.0);
        let found = TIES.map(|ties| {
            let rows = decisions.chunks(k * (k - 1) / 2);
            let expected: Vec<u32> = rows.map(|v| winner(k, v, ties)).collect();
            let found = classes(Scheme::OneVsOne, k, &decisions, ties);
            assert_eq!(found, expected, "{ties:?} of {k} classes");
            let together = counted(Scheme::OneVsOne, k, &decisions, ties, None);
            assert_eq!(together, expected, "{ties:?} of {k} classes");
            found
        });
        let pairs = || found[0].iter().zip(&found[1]);
        assert!(pairs().any(|(by_sum, by_label)| by_sum > by_label), "ties");
        assert!(pairs().all(|(by_sum, by_label)| by_sum >= by_label));
    }
}

/// C only scales the decision values of OLLAWV, which must not change a prediction.
#[test]
fn the_winner_does_not_depend_on_the_scale() {
    for (power, ties) in [-60, -30, 30, 60]
        .into_iter()
        .flat_map(|p| TIES.map(|t| (p, t)))
    {
        let scaled = decisions(3, 2f64.powi(power));
        let expected: Vec<u32> = scaled.chunks(3).map(|v| winner(3, v, ties)).collect();
        let found = classes(Scheme::OneVsOne, 3, &scaled, ties);
        let wrong = expected.iter().zip(&found).filter(|(a, b)| a != b).count();
        assert_eq!(wrong, 0, "of {} rows at a scale of 2^{power}", found.len());
    }
}

#[test]
fn a_score_is_the_votes_plus_the_transformed_sum() {
    let (k, decisions) = (5, decisions(5, 1.0));
    let scores = scores(Scheme::OneVsOne, k, &decisions);
    for (scores, values) in scores.chunks(k).zip(decisions.chunks(10)) {
        let (votes, sums) = count(k, values);
        for class in 0..k {
            let squeezed = sums[class] / (3.0 * (sums[class].abs() + 1.0));
            assert_eq!(scores[class], votes[class] as f64 + squeezed);
        }
    }
    assert_eq!(scores.len(), 5_000 * k);
}

#[test]
fn values_of_zero_and_equal_classes_go_to_the_lower_label() {
    let of_three = |values: [f64; 3]| TIES.map(|t| classes(Scheme::OneVsOne, 3, &values, t)[0]);
    assert_eq!(of_three([0.0, 0.0, 0.0]), [0, 0]);
    // Each class beats one other by the same amount.
    assert_eq!(of_three([1.0, -1.0, 1.0]), [0, 0]);
    // Each class beats one other, and class 2 by more than the others.
    assert_eq!(of_three([1.0, -3.0, 1.0]), [2, 0]);
    // Class 1 has two votes.
    assert_eq!(of_three([-0.1, 9.0, 0.1]), [1, 1]);
    // Of two classes the second one needs a positive value.
    let values = [-1.0, 0.0, -0.0, 1e-300];
    for (scheme, ties) in SCHEMES.into_iter().flat_map(|s| TIES.map(|t| (s, t))) {
        assert_eq!(classes(scheme, 2, &values, ties), [0, 0, 0, 1]);
        assert_eq!(counted(scheme, 2, &values, ties, None), [0, 0, 0, 1]);
    }
}

#[test]
fn one_vs_rest_predicts_the_largest_value() {
    let values = [0.1, 0.3, 0.2, -3.0, -5.0, -3.0, 0.0, 0.0, 0.0];
    assert_eq!(scores(Scheme::OneVsRest, 3, &values), values);
    for ties in TIES {
        assert_eq!(classes(Scheme::OneVsRest, 3, &values, ties), [1, 0, 0]);
        assert_eq!(
            counted(Scheme::OneVsRest, 3, &values, ties, None),
            [1, 0, 0]
        );
        assert!(classes(Scheme::OneVsOne, 3, &[], ties).is_empty());
    }
}

#[test]
fn patterns_decide_for_more_than_two_ordinal_classes() -> Result<()> {
    let mut patterns = Patterns::new(3);
    patterns.add(&[1.0, -1.0], 0, 1.0)?;
    patterns.add(&[1.0, -1.0], 2, 3.0)?;
    patterns.add(&[1.0, 1.0], 1, 2.0)?;
    let mut votes = Votes::new(Scheme::Ordinal, 3, Some(&patterns));
    let rows = [[0.5, -9.0], [0.0, 0.0], [-1.0, 1.0]];
    for ties in TIES {
        assert_eq!(rows.map(|row| votes.winner(&row, ties)), [2, 1, 2]);
        let together = counted(
            Scheme::Ordinal,
            3,
            rows.as_flattened(),
            ties,
            Some(&patterns),
        );
        assert_eq!(together, [2, 1, 2]);
    }
    let mut scores = [f64::NAN; 3];
    votes.scores(&rows[0], &mut scores);
    assert_eq!(scores, [0.25, 0.0, 0.75]);
    // Without patterns, neighbours vote: class 1 wins against both.
    assert_eq!(
        classes(Scheme::Ordinal, 3, &[-1.0, 1.0], Ties::LargestSum),
        [1]
    );
    Ok(())
}
