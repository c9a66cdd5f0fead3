//! Sparse rows are canonical or rejected with the invalid place: no arrays result in indices that
//! are out of bounds.

use proptest::prelude::*;
use softmargin::Result;
use softmargin::data::{Csr, Matrix};
use std::borrow::Cow;

fn csr(
    offsets: &[usize],
    indices: &[u32],
    values: &[f64],
    n_cols: usize,
) -> Result<Csr<'static, f64>> {
    let (indices, values) = (indices.to_vec(), values.to_vec());
    Csr::new(
        offsets.to_vec(),
        Cow::Owned(indices),
        Cow::Owned(values),
        n_cols,
    )
}

fn refusal<T: std::fmt::Debug>(result: Result<T>) -> String {
    result.expect_err("must be refused").to_string()
}

#[test]
fn sparse_rows_are_canonical() -> Result<()> {
    let rows = csr(&[0, 2, 2, 3], &[0, 2, 1], &[1.0, 2.0, 3.0], 3)?;
    assert_eq!(
        (rows.n_rows(), rows.row(0)),
        (3, (&[0, 2][..], &[1.0, 2.0][..]))
    );
    let gathered = rows.gather(&[2, 1, 0])?;
    assert_eq!(
        gathered,
        csr(&[0, 1, 1, 3], &[1, 0, 2], &[3.0, 1.0, 2.0], 3)?
    );
    for n_rows in 0..=3 {
        let head = rows.head(n_rows);
        let order: Vec<u32> = (0..n_rows as u32).collect();
        assert_eq!(head, rows.gather(&order)?);
        assert_eq!(head.values().as_ptr(), rows.values().as_ptr(), "borrowed");
    }
    let (matrix, mut row) = (Matrix::Sparse(rows), [9.0; 3]);
    matrix.copy_row(0, &mut row);
    assert_eq!((row, matrix.max_abs()), ([1.0, 0.0, 2.0], 3.0));

    assert!(refusal(csr(&[], &[], &[], 3)).contains("must start with 0"));
    assert!(refusal(csr(&[1, 1], &[0], &[1.0], 3)).contains("must start with 0"));
    assert!(refusal(csr(&[0, 2, 1], &[0], &[1.0], 3)).contains("decreases after row 1"));
    let short = refusal(csr(&[0, 2], &[0, 1], &[1.0], 3));
    assert!(short.contains("ends at 2, but there are 2 indices and 1 values"));
    let wide = refusal(csr(&[0, 0, 1], &[3], &[1.0], 3));
    assert_eq!(
        wide,
        "sparse X has column index 3 in row 1, but only 3 columns"
    );
    assert!(csr(&[0, 0, 1, 1, 2], &[1, 0], &[1.0; 2], 3).is_ok());
    for columns in [[1, 0], [1, 1]] {
        let unsorted = refusal(csr(&[0, 2], &columns, &[1.0; 2], 3));
        assert!(unsorted.contains("not ascending in row 0"));
    }
    let nan = refusal(csr(&[0, 1, 2], &[0, 2], &[1.0, f64::NAN], 3));
    assert!(nan.starts_with("X contains NaN at row 1, column 2"));
    Ok(())
}

#[test]
fn unsorted_and_repeated_columns_are_put_in_order() -> Result<()> {
    let canonical = |columns: &[u32], values: &[f64]| {
        let (columns, values) = (Cow::Owned(columns.to_vec()), Cow::Owned(values.to_vec()));
        Csr::canonical(vec![0, 3, 3, 5], columns, values, 4)
    };
    let columns = [2, 0, 2, 1, 3];
    let sorted = canonical(&columns, &[1.0, 2.0, 4.0, 5.0, 6.0])?;
    let expected = csr(&[0, 2, 2, 4], &[0, 2, 1, 3], &[2.0, 5.0, 5.0, 6.0], 4)?;
    assert_eq!(sorted, expected);
    let huge = canonical(&columns, &[f64::MAX, 2.0, f64::MAX, 5.0, 6.0]);
    assert!(refusal(huge).contains("inf"));
    let wild = canonical(&[9, 0, 2, 1, 3], &[1.0; 5]);
    assert!(refusal(wild).contains("column index 9 in row 0"));
    Ok(())
}

proptest! {
    /// Canonical rows, also with one number changed, which may still be canonical.
    #[test]
    fn no_arrays_result_in_indices_out_of_bounds(
        rows in prop::collection::vec(prop::collection::btree_set(0u32..5, 0..4), 0..5),
        n_cols in 3usize..7,
        (changed, place, number) in (0..6, any::<prop::sample::Index>(), 0u32..8),
    ) {
        let mut indices: Vec<u32> = rows.iter().flatten().copied().collect();
        let mut offsets = vec![0];
        for row in &rows {
            offsets.push(offsets[offsets.len() - 1] + row.len());
        }
        let mut values = vec![1.0; indices.len()];
        match changed {
            0 => offsets[place.index(rows.len() + 1)] = number as usize,
            1 if !indices.is_empty() => indices[place.index(values.len())] = number,
            2 => indices.push(number),
            3 => values.push(1.0),
            _ => {}
        }
        let canonical = offsets[0] == 0
            && offsets.is_sorted()
            && offsets.last() == Some(&indices.len())
            && values.len() == indices.len()
            && indices.iter().all(|&c| (c as usize) < n_cols)
            && offsets.windows(2).all(|w| indices[w[0]..w[1]].is_sorted_by(|a, b| a < b));
        let made = csr(&offsets, &indices, &values, n_cols);
        prop_assert_eq!(made.is_ok(), canonical);
        if let Ok(made) = made {
            let columns = (0..made.n_rows()).flat_map(|i| made.row(i).0.to_vec());
            prop_assert_eq!(columns.collect::<Vec<_>>(), indices);
        }
    }

    #[test]
    fn arbitrary_arrays_are_rejected_and_never_panic(
        offsets in prop::collection::vec(any::<usize>(), 0..6),
        indices in prop::collection::vec(any::<u32>(), 0..8),
        n_cols in any::<usize>(),
    ) {
        let values = vec![1.0; indices.len()];
        prop_assert!(csr(&offsets, &indices, &values, n_cols).is_err() || indices.is_empty());
    }
}
