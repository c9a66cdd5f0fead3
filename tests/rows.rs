//! A solver cannot tell where its kernel rows come from: Gram matrix, cache and fresh
//! computation give the same bits, on any number of threads.

use hinge::Result;
use hinge::data::{Dense, Matrix, Random};
use hinge::kernel::{
    CachedRows, ComputedRows, Gamma, Gram, GramRows, Kernel, KernelRows, KernelSettings,
    PackedRows, Parts, Threading,
};
use hinge::monitor::Monitor;
use hinge::threads;
use std::borrow::Cow;

/// With 250 features, a sweep over these rows is large enough for several threads.
const N: usize = 2500;
const D: usize = 250;

fn packed(n: usize, d: usize) -> Result<PackedRows<f32>> {
    let mut random = Random::new(1);
    let values = (0..n * d).map(|_| random.unit() as f32).collect();
    let matrix = Matrix::Dense(Dense::new(Cow::Owned(values), n, d)?);
    PackedRows::new(&matrix, &(0..n as u32).collect::<Vec<_>>())
}

fn kernel(gamma: f64) -> Result<Kernel> {
    let settings = KernelSettings {
        gamma: Gamma::Value(gamma),
        ..KernelSettings::default()
    };
    settings.check_numbers()
}

/// Ranges that start and end inside panels and pieces, one of them without rows.
fn parts() -> Parts {
    Parts::new([17..900, 1000..1000, 1000..2113, 2200..N])
}

/// What one sweep left: state, smallest value with its row, number of values.
#[derive(Debug, PartialEq)]
struct Swept {
    state: Vec<f32>,
    smallest: (f32, usize),
    n_values: usize,
}

/// Adds the row to a state in which each row holds its own number.
fn sweep(rows: &mut impl KernelRows<f32>, i: usize) -> Result<Swept> {
    let n = rows.parts().n_rows();
    let mut state: Vec<f32> = (0..n).map(|k| k as f32).collect();
    let visit = |piece: &hinge::kernel::Piece, own: &mut [f32], values: &[f32]| {
        assert_eq!(own.len(), values.len());
        assert_eq!(own.len(), piece.local.len());
        let mut smallest = (f32::INFINITY, 0);
        for (k, (own, &value)) in piece.local.clone().zip(own.iter_mut().zip(values)) {
            assert_eq!(
                *own, k as f32,
                "each row is visited once, with its own state"
            );
            *own += value;
            if value < smallest.0 {
                smallest = (value, k);
            }
        }
        (smallest, values.len())
    };
    let reduce = |a: ((f32, usize), usize), b: ((f32, usize), usize)| {
        let smallest = if b.0.0 < a.0.0 { b.0 } else { a.0 };
        (smallest, a.1 + b.1)
    };
    let (smallest, n_values) = rows.sweep(i, &mut state, visit, reduce)?.expect("has rows");
    Ok(Swept {
        state,
        smallest,
        n_values,
    })
}

/// The row of each part, one after the other.
fn whole_row(rows: &mut impl KernelRows<f32>, i: usize) -> Result<Vec<f32>> {
    let n_parts = rows.parts().iter().count();
    let row = rows.row(i)?;
    Ok((0..n_parts)
        .flat_map(|part| row.part(part).to_vec())
        .collect())
}

/// The row and the sweep of each of some rows; twice, so that a cache has them.
fn all(rows: &mut impl KernelRows<f32>) -> Result<Vec<(Vec<f32>, Swept)>> {
    let n = rows.parts().n_rows();
    let mut answers = Vec::new();
    for _ in 0..2 {
        for i in [0, 1, 882, 883, 1500, n - 1] {
            answers.push((whole_row(rows, i)?, sweep(rows, i)?));
        }
    }
    Ok(answers)
}

#[test]
fn rows_and_sweeps_are_the_same_from_every_source_on_any_number_of_threads() -> Result<()> {
    let (packed, kernel) = (packed(N, D)?, kernel(0.02)?);
    let gram = Gram::new(&packed, &kernel, &Monitor::new())?;
    let expected = threads::install(1, || {
        all(&mut GramRows::new(&gram, parts(), Threading::Inside))
    })??;
    for (row, swept) in &expected {
        let sums = row.iter().enumerate().map(|(k, value)| k as f32 + value);
        assert_eq!(swept.state, sums.collect::<Vec<_>>());
        assert_eq!(swept.n_values, parts().n_rows());
        let least = row.iter().copied().fold(f32::INFINITY, f32::min);
        assert_eq!(swept.smallest.0, least);
        assert_eq!(Some(swept.smallest.1), row.iter().position(|v| *v == least));
    }
    for n_threads in [1, 2, 8] {
        threads::install(n_threads, || {
            let computed = || ComputedRows::new(&packed, &kernel, parts(), Threading::Inside);
            assert_eq!(
                all(&mut GramRows::new(&gram, parts(), Threading::Inside))?,
                expected
            );
            assert_eq!(all(&mut computed())?, expected);
            for n_kept in [1, 3, 100] {
                let bytes = n_kept * parts().n_rows() * size_of::<f32>();
                assert_eq!(all(&mut CachedRows::new(computed(), bytes)?)?, expected);
            }
            Result::Ok(())
        })??;
    }
    Ok(())
}

#[test]
fn kernel_values_are_counted_when_they_are_computed() -> Result<()> {
    let (packed, kernel) = (packed(300, 3)?, kernel(1.0)?);
    let gram = Gram::new(&packed, &kernel, &Monitor::new())?;
    let parts = || Parts::new([10..20, 100..250]);
    let mut rows = GramRows::new(&gram, parts(), Threading::Inside);
    let mut computed = ComputedRows::new(&packed, &kernel, parts(), Threading::Inside);
    let mut cached = CachedRows::new(
        ComputedRows::new(&packed, &kernel, parts(), Threading::Inside),
        1 << 20,
    )?;
    for i in [5, 7, 5, 5] {
        whole_row(&mut rows, i)?;
        whole_row(&mut computed, i)?;
        sweep(&mut cached, i)?;
    }
    let counts = (
        rows.n_computed(),
        computed.n_computed(),
        cached.n_computed(),
    );
    assert_eq!(counts, (0, 4 * 160, 2 * 160));
    assert_eq!((cached.counts().hits, cached.counts().misses), (2, 2));
    Ok(())
}

/// Only so many rows make the sweep over a cached row parallel.
#[test]
fn long_cached_rows_are_swept_in_parallel_to_the_same_bits() -> Result<()> {
    let (packed, kernel) = (packed(140_000, 2)?, kernel(3.0)?);
    let parts = || Parts::new([3..60_000, 60_001..140_000]);
    let computed = || ComputedRows::new(&packed, &kernel, parts(), Threading::Inside);
    let expected = threads::install(1, || sweep(&mut computed(), 100_000))??;
    for n_threads in [1, 2, 8] {
        let mut cached = CachedRows::new(computed(), 1 << 20)?;
        for _ in 0..2 {
            assert_eq!(
                threads::install(n_threads, || sweep(&mut cached, 100_000))??,
                expected
            );
        }
        assert_eq!(
            threads::install(n_threads, || sweep(&mut computed(), 100_000))??,
            expected
        );
    }
    Ok(())
}
