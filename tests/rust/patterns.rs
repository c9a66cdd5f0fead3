//! Labels are counted for each pattern of signs, and saved counts are restored to the bit.

use softmargin::data::Random;
use softmargin::multiclass::Patterns;
use softmargin::{Error, Result};
use std::collections::HashMap;

fn scores(patterns: &Patterns, outputs: &[f64]) -> Vec<f64> {
    let mut scores = vec![f64::NAN; outputs.len() + 1];
    patterns.scores(outputs, &mut scores);
    scores
}

/// Samples of four classes: decision values, class, weight.
fn rows(n: usize) -> Vec<([f64; 3], usize, f64)> {
    let mut random = Random::new(5);
    let mut row = || {
        let output = |random: &mut Random| (random.unit() * 5.0).floor() - 2.0;
        let outputs = [(); 3].map(|()| output(&mut random));
        (outputs, random.below(4), 1.0 + random.below(3) as f64)
    };
    (0..n).map(|_| row()).collect()
}

fn counted(rows: &[([f64; 3], usize, f64)]) -> Patterns {
    let mut patterns = Patterns::new(4);
    for (outputs, class, weight) in rows {
        patterns
            .add(outputs, *class, *weight)
            .expect("few patterns");
    }
    patterns
}

#[test]
fn scores_are_the_label_frequencies_of_the_pattern() {
    let (rows, new) = (rows(300), rows(400));
    let patterns = counted(&rows);
    let mut table: HashMap<[bool; 3], [f64; 4]> = HashMap::new();
    for (outputs, class, weight) in &rows {
        table.entry(outputs.map(|v| v >= 0.0)).or_default()[*class] += weight;
    }
    for (outputs, ..) in &new {
        let counts = table[&outputs.map(|v| v >= 0.0)];
        let total: f64 = counts.iter().sum();
        let found = scores(&patterns, outputs);
        assert_eq!(found, counts.map(|count| count / total));
        let first = (0..4).find(|&c| found.iter().all(|score| *score <= found[c]));
        assert_eq!(patterns.winner(outputs), first.expect("a largest") as u32);
    }
}

#[test]
fn an_unknown_pattern_falls_back_to_the_frequencies() {
    let mut patterns = Patterns::new(3);
    patterns.add(&[1.0, 1.0], 0, 1.0).expect("few patterns");
    patterns.add(&[-1.0, 1.0], 1, 3.0).expect("few patterns");
    patterns.add(&[-1.0, -1.0], 2, 4.0).expect("few patterns");
    assert_eq!(scores(&patterns, &[1.0, -1.0]), [0.125, 0.375, 0.5]);
    assert_eq!(patterns.winner(&[1.0, -1.0]), 2);
    // The frequencies include samples that are counted later.
    patterns.add(&[-1.0, 1.0], 1, 8.0).expect("few patterns");
    assert_eq!(scores(&patterns, &[1.0, -1.0]), [0.0625, 0.6875, 0.25]);
    assert_eq!(patterns.winner(&[1.0, -1.0]), 1);
}

#[test]
fn ties_and_values_of_zero_go_to_the_lower_label() {
    let mut patterns = Patterns::new(3);
    patterns.add(&[1.0, -1.0], 2, 1.0).expect("few patterns");
    patterns.add(&[0.0, -1e-300], 1, 1.0).expect("few patterns");
    patterns.add(&[-1.0, -0.0], 1, 1.0).expect("few patterns");
    patterns.add(&[-1.0, 0.0], 0, 1.0).expect("few patterns");
    patterns.add(&[-1.0, 0.0], 2, 0.0).expect("few patterns");
    assert_eq!(scores(&patterns, &[-0.0, -2.0]), [0.0, 0.5, 0.5]);
    assert_eq!(patterns.winner(&[5.0, -2.0]), 1);
    assert_eq!(scores(&patterns, &[-3.0, 7.0]), [0.5, 0.5, 0.0]);
    assert_eq!(patterns.winner(&[-3.0, 7.0]), 0);
}

#[test]
fn without_counts_all_scores_are_equal() {
    let patterns = Patterns::new(3);
    assert!(patterns.is_empty());
    assert_eq!(Patterns::from_parts(3, &[], &[]), Ok(patterns.clone()));
    assert_eq!(scores(&patterns, &[1.0, 1.0]), [0.0; 3]);
    assert_eq!(patterns.winner(&[-1.0, -1.0]), 0);
}

#[test]
fn weights_whose_sum_overflows_still_have_a_winner() {
    let mut patterns = Patterns::new(2);
    for class in [0, 1, 1] {
        patterns
            .add(&[1.0], class, f64::MAX / 1.5)
            .expect("few patterns");
    }
    for output in [1.0, -1.0] {
        assert_eq!(patterns.winner(&[output]), 1);
        let scores = scores(&patterns, &[output]);
        assert!(scores[1] > scores[0] && scores[0] > 0.0, "{scores:?}");
    }
}

#[test]
fn any_number_of_classifiers_has_patterns() {
    let k = 1_000;
    let mut patterns = Patterns::new(k);
    let outputs = |class: usize| -> Vec<f64> {
        let sign = |machine: usize| if machine < class { -1.0 } else { 1.0 };
        (0..k - 1).map(sign).collect()
    };
    for class in 0..k {
        patterns
            .add(&outputs(class), class, 1.0)
            .expect("few patterns");
    }
    assert!((0..k).all(|class| patterns.winner(&outputs(class)) == class as u32));
}

/// Also with weights whose sum depends on the order.
#[test]
fn parts_are_restored_to_the_bit() -> Result<()> {
    let mut rows = rows(200);
    let mut random = Random::new(2);
    rows.iter_mut()
        .for_each(|(.., weight)| *weight = random.unit());
    rows.retain(|(outputs, ..)| outputs[0] < 0.0 || outputs[1] < 0.0);
    let patterns = counted(&rows);
    let (signs, counts) = patterns.parts()?;
    let n_patterns = signs.len() / 3;
    assert_eq!(counts.len(), n_patterns * 4);
    assert!(signs.chunks(3).is_sorted());
    let again = Patterns::from_parts(4, &signs, &counts)?;
    assert_eq!(again, patterns);
    assert_eq!(again.parts()?, (signs.clone(), counts.clone()));
    // In any order, including the frequencies for an unknown pattern.
    let signs: Vec<bool> = signs.chunks(3).rev().flatten().copied().collect();
    let counts: Vec<f64> = counts.chunks(4).rev().flatten().copied().collect();
    let reversed = Patterns::from_parts(4, &signs, &counts)?;
    assert_eq!(reversed, patterns);
    let unseen = [1.0, 1.0, 1.0];
    assert_eq!(scores(&reversed, &unseen), scores(&patterns, &unseen));
    Ok(())
}

#[test]
fn inconsistent_parts_are_rejected() {
    let signs = [false, true, true, true];
    let counts = [1.0, 2.0, 0.0, 3.0, 0.0, 0.5];
    assert!(Patterns::from_parts(3, &signs, &counts).is_ok());
    let changed = |place: usize, value: f64| {
        let mut changed = counts.to_vec();
        changed[place] = value;
        changed
    };
    let nobody = [0.0, 0.0, 0.0, 3.0, 0.0, 0.5].to_vec();
    for (k, signs, counts, sentence) in [
        (1, &signs[..], counts.to_vec(), "2 classes"),
        (0, &signs[..], counts.to_vec(), "2 classes"),
        (4, &signs[..], counts.to_vec(), "do not match 4 classes"),
        (usize::MAX, &signs[..], counts.to_vec(), "do not match"),
        (3, &signs[..3], counts.to_vec(), "3 signs"),
        (3, &signs[..], counts[..5].to_vec(), "5 pattern_counts"),
        (3, &signs[..0], counts.to_vec(), "do not match"),
        (3, &[true; 4][..], counts.to_vec(), "duplicate"),
        (3, &signs[..], nobody, "pattern 0 of patterns has no counts"),
        (3, &signs[..], changed(2, -1.0), "-1"),
        (3, &signs[..], changed(2, f64::NAN), "NaN"),
        (3, &signs[..], changed(2, f64::INFINITY), "inf"),
    ] {
        match Patterns::from_parts(k, signs, &counts) {
            Err(Error::Data(message)) => assert!(message.contains(sentence), "{message}"),
            other => panic!("{sentence}: {other:?}"),
        }
    }
}
