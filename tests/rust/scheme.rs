//! Classes are split into pairs in a fixed order, and too many of them are rejected before any size
//! overflows.

use softmargin::Result;
use softmargin::data::Labels;
use softmargin::multiclass::{RowSource, Scheme, Sides, pair, pair_number};

const SCHEMES: [Scheme; 3] = Scheme::OF_CLASSES;

#[test]
fn pairs_and_their_numbers_are_inverse() {
    for k in 2..60 {
        let pairs = (0..k).flat_map(|a| (a + 1..k).map(move |b| (a, b)));
        for (number, (a, b)) in pairs.enumerate() {
            assert_eq!((pair(number, k), pair_number(a, b, k)), ((a, b), number));
        }
        let n_pairs = k * (k - 1) / 2;
        let expected = if k == 2 {
            [1, 1, 1]
        } else {
            [n_pairs, k, k - 1]
        };
        assert_eq!(SCHEMES.map(|scheme| scheme.n_machines(k)), expected.map(Ok));
    }
}

#[test]
fn a_problem_has_the_samples_and_signs_of_its_classes() -> Result<()> {
    let labels = Labels::new(&[2, 0, 1, 1, 0, 2, 2], 3)?;
    let spec = |scheme: Scheme, number| {
        let spec = scheme.machine(number, &labels);
        let rows: Vec<_> = spec.parts.iter().map(|part| part.global.clone()).collect();
        (rows, spec.signs, spec.classes)
    };
    let between_0_and_2 = (vec![0..2, 4..7], vec![1.0, -1.0], vec![0, 2]);
    assert_eq!(spec(Scheme::OneVsOne, 1), between_0_and_2);
    let one_or_not = (vec![0..2, 2..4, 4..7], vec![-1.0, 1.0, -1.0], vec![0, 1, 2]);
    assert_eq!(spec(Scheme::OneVsRest, 1), one_or_not);
    let neighbours = [(vec![0..2, 2..4], 0), (vec![2..4, 4..7], 1)];
    for (rows, first) in neighbours {
        let expected = (rows, vec![1.0, -1.0], vec![first, first + 1]);
        assert_eq!(spec(Scheme::Ordinal, first), expected);
    }
    // Of two classes the second is positive, in every scheme.
    let two = Labels::new(&[1, 0, 1], 2)?;
    for scheme in SCHEMES {
        assert_eq!(scheme.machine(0, &two).signs, [-1.0, 1.0]);
    }
    Ok(())
}

#[test]
fn the_sides_of_a_problem_label_its_classes() {
    let labels = |sides: Sides| [0, 1, 2].map(|class| sides.label(class));
    let (plus, minus) = (Some(1.0), Some(-1.0));
    let pair = Scheme::OneVsOne.sides(1, 3);
    assert_eq!(labels(pair), [plus, None, minus]);
    let neighbours = Scheme::Ordinal.sides(1, 3);
    assert_eq!(labels(neighbours), [None, plus, minus]);
    let rest = Scheme::OneVsRest.sides(1, 3);
    assert_eq!(labels(rest), [minus, plus, minus]);
    for scheme in SCHEMES {
        assert_eq!(scheme.sides(0, 2).label(1), plus);
        assert_eq!(scheme.sides(0, 2).label(0), minus);
        assert_eq!(Scheme::parse(scheme.name()), Ok(scheme));
    }
}

#[test]
fn too_many_pairs_are_rejected_with_their_number() {
    assert_eq!(Scheme::OneVsOne.n_machines(5_793), Ok(16_776_528));
    for (k, n_pairs) in [
        (5_794, "16782321"),
        (47_000, "1104476500"),
        (usize::MAX, "170141183460469231704017187605319778305"),
    ] {
        let error = Scheme::OneVsOne.n_machines(k).expect_err("too many");
        let sentence = error.to_string();
        assert!(sentence.contains(&format!("{k} classes")), "{sentence}");
        assert!(
            sentence.contains(&format!("{n_pairs} binary")),
            "{sentence}"
        );
        assert!(sentence.contains("use multi_class='ovr'"), "{sentence}");
    }
    assert_eq!(Scheme::OneVsRest.n_machines(47_000), Ok(47_000));
    assert_eq!(Scheme::Ordinal.n_machines(47_000), Ok(46_999));
}

#[test]
fn one_vs_rest_is_not_advised_if_it_needs_as_many() {
    for (scheme, machines) in [
        (Scheme::OneVsRest, "33554432 binary classifiers"),
        (Scheme::Ordinal, "33554431 binary classifiers"),
    ] {
        let error = scheme.n_machines(1 << 25).expect_err("too many");
        let sentence = error.to_string();
        assert!(sentence.contains(machines), "{sentence}");
        assert!(!sentence.contains("use multi_class='ovr'"), "{sentence}");
    }
}

#[test]
fn names_round_trip_and_unknown_ones_are_rejected() -> Result<()> {
    for scheme in SCHEMES {
        assert_eq!(Scheme::parse(scheme.name()), Ok(scheme));
    }
    let error = Scheme::parse("both")
        .expect_err("no such scheme")
        .to_string();
    assert!(
        error.starts_with("multi_class = \"both\" is not valid"),
        "{error}"
    );
    assert_eq!(RowSource::parse("gram")?, RowSource::Gram);
    let error = RowSource::parse("disk")
        .expect_err("no such source")
        .to_string();
    assert!(error.starts_with("rows = \"disk\" is not valid"), "{error}");
    Ok(())
}
