//! Kernel rows from a Gram matrix, from a cache and computed on demand have the same bits, on any
//! number of threads, also after shrinking.

use softmargin::Result;
use softmargin::data::{Csr, Dense, Matrix, Random};
use softmargin::kernel::{
    BlockRows, CachedRows, ComputedRows, Gamma, Gram, GramRows, Kernel, KernelKind, KernelRows,
    KernelSettings, PackedRows, Parts, ShrinkableRows, SingleRows, Threading,
};
use softmargin::monitor::Monitor;
use softmargin::threads;
use std::borrow::Cow;
use std::iter::once;

/// With 250 features, a sweep over these rows is large enough for several threads.
const N: usize = 2500;
const D: usize = 250;

fn values(n: usize, d: usize) -> Vec<f32> {
    let mut random = Random::new(1);
    (0..n * d).map(|_| random.unit() as f32).collect()
}

fn packed(n: usize, d: usize) -> Result<PackedRows<f32>> {
    let matrix = Matrix::Dense(Dense::new(Cow::Owned(values(n, d)), n, d)?);
    PackedRows::new(&matrix, &(0..n as u32).collect::<Vec<_>>())
}

/// Sparse rows with every third feature.
fn packed_sparse(n: usize, d: usize) -> Result<PackedRows<f32>> {
    let (mut offsets, mut columns, mut kept) = (vec![0], Vec::new(), Vec::new());
    for (i, row) in values(n, d).chunks(d).enumerate() {
        for column in (i % 3..d).step_by(3) {
            columns.push(column as u32);
            kept.push(row[column]);
        }
        offsets.push(kept.len());
    }
    let csr = Csr::new(offsets, Cow::Owned(columns), Cow::Owned(kept), d)?;
    PackedRows::new(&Matrix::Sparse(csr), &(0..n as u32).collect::<Vec<_>>())
}

fn kernel(gamma: f64) -> Result<Kernel> {
    let settings = KernelSettings {
        gamma: Gamma::Value(gamma),
        ..KernelSettings::default()
    };
    settings.check_numbers()
}

/// Ranges that start and end inside of panels and pieces; one of them is empty.
fn parts() -> Parts {
    Parts::new([17..900, 1000..1000, 1000..2113, 2200..N])
}

/// The result of a sweep: state, smallest value with its sample, number of values.
#[derive(Debug, PartialEq)]
struct Swept {
    state: Vec<f32>,
    smallest: (f32, usize),
    n_values: usize,
}

/// Adds the row to a state of sample numbers.
fn sweep(rows: &mut impl SingleRows<f32>, i: usize) -> Result<Swept> {
    let n = rows.parts().n_rows();
    let mut state: Vec<f32> = (0..n).map(|k| k as f32).collect();
    let visit = |piece: &softmargin::kernel::Piece, own: &mut [f32], values: &[f32]| {
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
fn whole_row(rows: &mut impl SingleRows<f32>, i: usize) -> Result<Vec<f32>> {
    let n_parts = rows.parts().iter().count();
    let row = rows.row(i)?;
    Ok((0..n_parts)
        .flat_map(|part| row.part(part).to_vec())
        .collect())
}

/// The values and the sweep of some rows, twice, so that the second time is a cache hit.
fn all(rows: &mut impl SingleRows<f32>) -> Result<Vec<(Vec<f32>, Swept)>> {
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
        all(&mut GramRows::new(&gram, parts(), Threading::Parallel))
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
            let computed = || ComputedRows::new(&packed, &kernel, parts(), Threading::Parallel);
            assert_eq!(
                all(&mut GramRows::new(&gram, parts(), Threading::Parallel))?,
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
    let mut rows = GramRows::new(&gram, parts(), Threading::Parallel);
    let mut computed = ComputedRows::new(&packed, &kernel, parts(), Threading::Parallel);
    let mut cached = CachedRows::new(
        ComputedRows::new(&packed, &kernel, parts(), Threading::Parallel),
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

/// With this many samples, the sweep over a cached row is parallel.
#[test]
fn long_cached_rows_are_swept_in_parallel_to_the_same_bits() -> Result<()> {
    let (packed, kernel) = (packed(140_000, 2)?, kernel(3.0)?);
    let parts = || Parts::new([3..60_000, 60_001..140_000]);
    let computed = || ComputedRows::new(&packed, &kernel, parts(), Threading::Parallel);
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

/// The samples to keep: about two thirds, some of each nonempty part.
fn keep(n: usize) -> Vec<usize> {
    let mut random = Random::new(2);
    (0..n).filter(|_| random.below(3) > 0).collect()
}

/// Checks that rows, sweeps, resident rows and single values are entries of the whole matrix, in
/// which local row `i` is row `global[i]`.
fn assert_entries_of(
    rows: &mut (impl SingleRows<f32> + BlockRows<f32>),
    gram: &Gram<f32>,
    global: &[usize],
) -> Result<()> {
    let n = global.len();
    assert_eq!(rows.parts().n_rows(), n);
    let some: Vec<usize> = (0..n).step_by(n / 7).take(rows.max_resident()).collect();
    rows.prefetch(&some, &Monitor::new())?;
    for &i in &some {
        let whole = gram.row(global[i]);
        let expected: Vec<f32> = global.iter().map(|&k| whole[k]).collect();
        let row = rows.resident_row(i);
        assert!((0..n).all(|k| row.at(k) == expected[k]), "row {i}");
    }
    for &i in &some {
        let whole = gram.row(global[i]);
        let expected: Vec<f32> = global.iter().map(|&k| whole[k]).collect();
        assert!(whole_row(rows, i)? == expected, "row {i}");
        let sums = expected.iter().enumerate().map(|(k, v)| k as f32 + v);
        assert!(sweep(rows, i)?.state.into_iter().eq(sums), "row {i}");
    }
    Ok(())
}

/// Shrinks twice; the second problem uses rows that are resident in the first one.
fn assert_shrunk_entries_of(
    mut rows: impl SingleRows<f32> + ShrinkableRows<f32>,
    gram: &Gram<f32>,
) -> Result<()> {
    let n = rows.parts().n_rows();
    let global: Vec<usize> = (0..n).map(|i| rows.parts().global(i)).collect();
    assert_entries_of(&mut rows, gram, &global)?;
    let first = keep(n);
    let n_before = rows.n_computed();
    let n_shrunk = rows.shrink(&first, |rows| {
        let global: Vec<usize> = first.iter().map(|&i| global[i]).collect();
        assert_entries_of(rows, gram, &global)?;
        let n_before = rows.n_computed();
        let second = keep(first.len());
        let n_shrunk = rows.shrink(&second, |rows| {
            let global: Vec<usize> = second.iter().map(|&i| global[i]).collect();
            assert_entries_of(rows, gram, &global)?;
            Ok(rows.n_computed())
        })?;
        let n_shrunk = n_shrunk.expect("shorter rows are cheaper");
        assert_eq!(rows.n_computed(), n_before + n_shrunk);
        Ok(rows.n_computed())
    })?;
    // The whole problem can be used again, and its count includes that of the shrunk one.
    let n_shrunk = n_shrunk.expect("shorter rows are cheaper");
    assert_eq!(rows.n_computed(), n_before + n_shrunk);
    assert_entries_of(&mut rows, gram, &global)
}

#[test]
fn shrunk_rows_are_entries_of_the_whole_matrix() -> Result<()> {
    let kernel = kernel(0.5)?;
    for packed in [packed(N, 5)?, packed_sparse(N, 12)?] {
        let gram = Gram::new(&packed, &kernel, &Monitor::new())?;
        for threading in [Threading::Parallel, Threading::Sequential] {
            let computed = || ComputedRows::new(&packed, &kernel, parts(), threading);
            assert_shrunk_entries_of(computed(), &gram)?;
            for n_kept in [1, 4, 100] {
                let bytes = n_kept * parts().n_rows() * size_of::<f32>();
                assert_shrunk_entries_of(CachedRows::new(computed(), bytes)?, &gram)?;
            }
            let mut rows = GramRows::new(&gram, parts(), threading);
            let shrunk = rows.shrink(&keep(parts().n_rows()), |_| Ok(()))?;
            assert_eq!(shrunk, None);
        }
    }
    Ok(())
}

#[test]
fn a_cache_takes_its_rows_along_when_it_is_shrunk() -> Result<()> {
    let (packed, kernel) = (packed(300, 3)?, kernel(1.0)?);
    let parts = Parts::new([10..20, 100..250]);
    let computed = ComputedRows::new(&packed, &kernel, parts, Threading::Parallel);
    let mut rows = CachedRows::new(computed, 1 << 20)?;
    let monitor = Monitor::new();
    rows.prefetch(&[3, 50, 51, 120], &monitor)?;
    let keep: Vec<usize> = (0..160).filter(|i| i % 3 == 0).collect();
    rows.shrink(&keep, |rows| {
        rows.prefetch(&[1, 17, 40], &monitor)?; // Rows 3, 51 and 120 of the whole.
        assert_eq!(rows.n_computed(), 0);
        assert_eq!((rows.counts().hits, rows.counts().misses), (3, 4));
        Ok(())
    })?
    .expect("shorter rows are cheaper");
    rows.prefetch(&[50], &monitor)?;
    assert_eq!(rows.n_computed(), 5 * 160, "nothing was left behind");
    Ok(())
}

/// Enough terms to split the sums over all samples, and other samples for several tasks.
fn terms_and_others(n: usize) -> (Vec<(usize, f64)>, Vec<usize>) {
    let mut random = Random::new(3);
    let terms = (0..n).step_by(n / 500);
    (
        terms.map(|i| (i, 4.0 * random.unit() - 2.0)).collect(),
        keep(n),
    )
}

/// Sums that start at 1, after `accumulate_at` and after `accumulate`.
fn accumulated(rows: &mut impl ShrinkableRows<f32>) -> Result<[Vec<f64>; 2]> {
    let (n, monitor) = (rows.parts().n_rows(), Monitor::new());
    let (terms, others) = terms_and_others(n);
    let (mut apart, mut whole) = (vec![1.0; others.len()], vec![1.0; n]);
    rows.accumulate_at(&terms, &others, &mut apart, &monitor)?;
    for terms in terms.chunks(rows.max_resident().min(terms.len())) {
        let set: Vec<usize> = terms.iter().map(|term| term.0).collect();
        rows.prefetch(&set, &monitor)?;
        rows.accumulate(terms, &mut whole);
    }
    Ok([apart, whole])
}

#[test]
fn sums_of_rows_are_plain_sums_with_the_same_bits_on_any_number_of_threads() -> Result<()> {
    let kernel = kernel(0.5)?;
    for packed in [packed(N, 5)?, packed_sparse(N, 12)?] {
        let gram = Gram::new(&packed, &kernel, &Monitor::new())?;
        let (parts, n) = (parts(), parts().n_rows());
        let (terms, others) = terms_and_others(n);
        let plain = |k: usize| {
            let row = gram.row(parts.global(k));
            let term = |&(i, factor): &(usize, f64)| factor * f64::from(row[parts.global(i)]);
            1.0 + terms.iter().map(term).sum::<f64>()
        };
        let expected = [
            others.iter().map(|&k| plain(k)).collect::<Vec<_>>(),
            (0..n).map(plain).collect(),
        ];
        let all = |n_threads: usize| {
            threads::install(n_threads, || {
                let mut sums = Vec::new();
                for threading in [Threading::Parallel, Threading::Sequential] {
                    let computed = || ComputedRows::new(&packed, &kernel, parts.clone(), threading);
                    let few = 30 * n * size_of::<f32>();
                    sums.push(accumulated(&mut GramRows::new(
                        &gram,
                        parts.clone(),
                        threading,
                    ))?);
                    sums.push(accumulated(&mut computed())?);
                    sums.push(accumulated(&mut CachedRows::new(computed(), few)?)?);
                    sums.push(accumulated(&mut CachedRows::new(computed(), 1 << 24)?)?);
                }
                Result::Ok(sums)
            })?
        };
        let alone = all(1)?;
        for (found, expected) in alone.iter().flat_map(|sums| sums.iter().zip(&expected)) {
            assert_eq!(found.len(), expected.len());
            let errors = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
            assert!(errors.fold(0.0, f64::max) < 1e-12);
        }
        for n_threads in [2, 8] {
            assert!(all(n_threads)? == alone, "on {n_threads} threads");
        }
    }
    Ok(())
}

#[test]
fn an_interrupt_ends_the_computation_of_rows_and_sums() -> Result<()> {
    let (packed, kernel) = (packed(300, 3)?, kernel(1.0)?);
    let gram = Gram::new(&packed, &kernel, &Monitor::new())?;
    let monitor = Monitor::new();
    monitor.interrupt();
    fn stopped(rows: &mut impl ShrinkableRows<f32>, monitor: &Monitor) -> [Result<()>; 2] {
        let apart = rows.accumulate_at(&[(1, 2.0)], &[0, 5], &mut [0.0; 2], monitor);
        [rows.prefetch(&[1, 2], monitor), apart]
    }
    let parts = || Parts::new([10..20, 100..250]);
    let computed = || ComputedRows::new(&packed, &kernel, parts(), Threading::Parallel);
    let interrupted = Err(softmargin::Error::Interrupted);
    assert_eq!(
        stopped(&mut computed(), &monitor),
        [(); 2].map(|()| interrupted.clone())
    );
    let mut cached = CachedRows::new(computed(), 1 << 20)?;
    assert_eq!(
        stopped(&mut cached, &monitor),
        [(); 2].map(|()| interrupted.clone())
    );
    // The missing rows are computed when they are requested again.
    cached.prefetch(&[1, 2], &Monitor::new())?;
    let expected: Vec<f32> = (0..160).map(|k| gram.row(11)[parts().global(k)]).collect();
    assert_eq!(whole_row(&mut cached, 1)?, expected);
    let mut rows = GramRows::new(&gram, parts(), Threading::Parallel);
    assert_eq!(stopped(&mut rows, &monitor), [Ok(()), interrupted]);
    Ok(())
}

#[test]
fn local_rows_are_the_inverse_of_packed_rows() {
    let parts = parts();
    let packed: Vec<usize> = (0..parts.n_rows()).map(|i| parts.global(i)).collect();
    for row in 0..N + 100 {
        assert_eq!(parts.local(row), packed.binary_search(&row).ok());
    }
    assert_eq!(Parts::new([]).local(0), None);
}

#[test]
fn a_shrunk_row_stays_in_its_part() {
    let parts = parts();
    for keep in [keep(parts.n_rows()), vec![], vec![883], vec![0, 882, 2295]] {
        let shrunk = parts.shrink(&keep);
        assert_eq!(shrunk.n_rows(), keep.len());
        assert_eq!(shrunk.iter().count(), parts.iter().count());
        for (new, &old) in keep.iter().enumerate() {
            assert_eq!(shrunk.global(new), new, "packed one after the other");
            assert_eq!(shrunk.part_of(new), parts.part_of(old));
        }
    }
}

#[test]
fn gathered_values_are_those_at_the_rows() -> Result<()> {
    let (packed, kernel) = (packed(N, 3)?, kernel(1.0)?);
    let gram = Gram::new(&packed, &kernel, &Monitor::new())?;
    let mut of_gram = GramRows::new(&gram, parts(), Threading::Parallel);
    let mut computed = ComputedRows::new(&packed, &kernel, parts(), Threading::Parallel);
    for row in [of_gram.row(1000)?, computed.row(1000)?] {
        let n = parts().n_rows();
        for rows in [keep(n), (0..n).collect(), vec![], vec![0, 882, 883, n - 1]] {
            let mut values = vec![0.0; rows.len()];
            row.gather(&rows, &mut values);
            assert!(rows.iter().map(|&i| row.at(i)).eq(values));
        }
    }
    Ok(())
}

/// The kernel values of some samples of a problem among each other, which are computed on their
/// own, are those of whole rows.
#[test]
fn kernel_values_of_a_subset_have_the_bits_of_whole_rows() -> Result<()> {
    let (n, d) = (4200, 30);
    let samples: Vec<usize> = (7..n).filter(|i| i % 31 == 3 || i % 40 == 1).collect();
    for (name, packed) in [("dense", packed(n, d)?), ("sparse", packed_sparse(n, d)?)] {
        let linear = KernelSettings {
            kind: KernelKind::Linear,
            gamma: Gamma::Value(1.0),
            ..KernelSettings::default()
        };
        for kernel in [kernel(0.07)?, linear.check_numbers()?] {
            let computed = ComputedRows::new(
                &packed,
                &kernel,
                Parts::new(once(7..n)),
                Threading::Parallel,
            );
            let mut rows = CachedRows::new(computed, 1 << 24)?;
            let local: Vec<usize> = samples.iter().map(|&i| i - 7).collect();
            let subset = rows.subset(&local)?.expect("cheap kernel values");
            let diagonal = subset.diagonal();
            assert_eq!(diagonal.len(), local.len());
            let mut own = vec![0.0; local.len()];
            let mut expected = own.clone();
            for (k, &i) in local.iter().enumerate() {
                subset.row(k, &mut own);
                rows.row(i)?.gather(&local, &mut expected);
                assert_eq!(own, expected, "{name}, sample {i}");
                assert_eq!(diagonal[k], own[k], "{name}, sample {i}");
            }
            assert_eq!(subset.n_computed(), (local.len() * local.len()) as u64);
        }
    }
    Ok(())
}

/// Samples without features, and more features than rows are long.
#[test]
fn unusual_sparse_samples_have_a_subset_only_if_it_is_small() -> Result<()> {
    let n = 4200;
    let kernel = kernel(1.0)?;
    for (d, is_small) in [(1, true), (2000, true), (2200, false), (1 << 20, false)] {
        // The first samples are empty, the others have one feature each.
        let columns: Vec<u32> = (10..n).map(|i| (i % d) as u32).collect();
        let offsets = (0..=n).map(|i: usize| i.saturating_sub(10)).collect();
        let ones = vec![1.0_f32; n - 10];
        let csr = Csr::new(offsets, Cow::Owned(columns), Cow::Owned(ones), d)?;
        let order: Vec<u32> = (0..n as u32).collect();
        let packed = PackedRows::new(&Matrix::Sparse(csr), &order)?;
        let computed = ComputedRows::new(
            &packed,
            &kernel,
            Parts::new(once(0..n)),
            Threading::Parallel,
        );
        let rows = CachedRows::new(computed, 1 << 24)?;
        let all: Vec<usize> = (0..n).collect();
        assert_eq!(rows.subset(&all)?.is_some(), is_small, "{d} features");
        let Some(empty) = rows.subset(&all[..10])? else {
            continue;
        };
        let mut values = [0.0; 10];
        empty.row(3, &mut values);
        assert_eq!(values, [1.0; 10]);
    }
    Ok(())
}
