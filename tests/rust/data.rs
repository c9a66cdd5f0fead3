//! Samples and labels are checked once, errors contain the invalid place, and random numbers are
//! the same in every release.

use softmargin::data::{Dense, Labels, Random};
use softmargin::memory::{try_with_capacity, try_zeros};
use softmargin::simd::zero_pages;
use softmargin::{Error, Result};
use std::borrow::Cow;

fn refusal<T: std::fmt::Debug>(result: Result<T>) -> String {
    result.expect_err("must be refused").to_string()
}

#[test]
fn dense_rows_are_finite_and_of_their_shape() -> Result<()> {
    let dense = |values: Vec<f32>, n_rows, n_cols| Dense::new(Cow::Owned(values), n_rows, n_cols);
    let rows = dense(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3, 2)?;
    assert_eq!(
        (rows.n_rows(), rows.n_cols(), rows.row(1)),
        (3, 2, &[3.0, 4.0][..])
    );
    let head = rows.head(2);
    assert_eq!(head, rows.gather(&[0, 1])?);
    assert_eq!(head.values().as_ptr(), rows.values().as_ptr(), "borrowed");
    assert_eq!(
        rows.gather(&[2, 0, 2])?.into_values(),
        [5.0, 6.0, 1.0, 2.0, 5.0, 6.0]
    );
    assert_eq!(
        refusal(dense(vec![0.0; 5], 3, 2)),
        "cannot arrange 5 values as 3 rows of 2 features"
    );
    assert!(
        dense(vec![], usize::MAX, 2).is_err(),
        "the product overflows"
    );
    let rule = "; every value must be finite";
    for (value, name, rule) in [
        (f32::NAN, "NaN", ". Impute or drop missing values."),
        (f32::INFINITY, "inf", rule),
        (f32::NEG_INFINITY, "-inf", rule),
    ] {
        let mut values = vec![0.0; 6];
        (values[3], values[5]) = (value, f32::NAN);
        let sentence = format!("X contains {name} at row 1, column 1{rule}");
        assert_eq!(refusal(dense(values, 3, 2)), sentence);
    }
    Ok(())
}

#[test]
fn labels_sort_rows_by_class_and_keep_their_order() -> Result<()> {
    let labels = Labels::new(&[2, 0, 1, 0, 2, 0], 3)?;
    assert_eq!(labels.order(), [1, 3, 5, 2, 0, 4]);
    assert_eq!((labels.n_rows(), labels.n_classes()), (6, 3));
    assert_eq!(
        [0, 1, 2].map(|class| labels.rows_of(class)),
        [0..3, 3..4, 4..6]
    );
    assert!(
        (0..6)
            .map(|row| labels.class_of(row))
            .eq([0, 0, 0, 1, 2, 2])
    );
    for (codes, n_classes, sentence) in [
        (&[0, 0][..], 1, "y has 1 class(es)"),
        (&[], 0, "y has 0 class(es)"),
        (
            &[0, 3, 1],
            3,
            "class code 3 is not less than the number of classes, 3",
        ),
        (&[0, u32::MAX], 2, "class code 4294967295 is not less than"),
        (&[0, 2, 0], 3, "class 1 has no samples"),
    ] {
        let error = refusal(Labels::new(codes, n_classes));
        assert!(error.starts_with(sentence), "{error}");
    }
    Ok(())
}

/// The first numbers of SplitMix64, from the program of its authors.
#[test]
fn random_numbers_are_those_of_splitmix64() {
    let mut random = Random::new(1_234_567);
    let expected = [
        6_457_827_717_110_365_317,
        3_203_168_211_198_807_973,
        9_817_491_932_198_370_423,
    ];
    assert_eq!([(); 3].map(|()| random.next_u64()), expected);
    let mut random = Random::new(0);
    assert_eq!(random.next_u64(), 0xE220_A839_7B1D_CDAF);
    for n in [1, 2, 7, usize::MAX] {
        assert!((0..1000).all(|_| random.below(n) < n));
    }
    assert!(
        (0..1000)
            .map(|_| random.unit())
            .all(|x| (0.0..1.0).contains(&x))
    );
    let mut items: Vec<u32> = (0..100).collect();
    random.shuffle(&mut items);
    assert!(!items.is_sorted());
    items.sort_unstable();
    assert!(items.into_iter().eq(0..100), "a shuffle keeps every item");
}

#[test]
fn impossible_buffers_are_errors_and_not_aborts() -> Result<()> {
    assert_eq!(try_zeros::<f32>(2, 3, "six")?, [0.0; 6]);
    assert_eq!(zero_pages::<f32>(2, 3, "six")?, [0.0; 6]);
    assert!(zero_pages::<f64>(0, 3, "none")?.is_empty());
    assert!(
        zero_pages::<f64>(1 << 10, 1 << 10, "a megabyte")?
            .iter()
            .all(|v| v.to_bits() == 0)
    );
    assert!(try_with_capacity::<u64>(10, 10, "a hundred")?.capacity() >= 100);
    for (rows, cols) in [(usize::MAX, 2), (usize::MAX / 2, 1), (1 << 25, 1 << 25)] {
        for made in [try_zeros::<f64>, zero_pages::<f64>] {
            let error = made(rows, cols, "the test").expect_err("too large");
            assert!(matches!(error, Error::Memory { .. }));
            assert!(error.to_string().ends_with("bytes for the test"), "{error}");
        }
    }
    Ok(())
}
