//! What is the overhead of the row cache?
//!
//! 256 rows of 4,096 f32 (16 KiB each, 4 MiB in total), requested in turn; a missing row is copied,
//! which is cheaper than any kernel.
//!
//! - `hit`: all rows are resident.
//! - `miss`: an empty cache with capacity for all rows.
//! - `thrash`: a capacity of all rows but one, so that each row is evicted just before it is
//!   requested again.
//! - `group`: 32 rows at a time, with a capacity of all other rows.
//! - `copy`: the 256 copies without a cache.
//!
//! `cargo bench '^cache/'`
//!
//! Compare `thrash` with `copy`: the difference is the list and the search for a slot, and should
//! stay below half of the copy. A `miss` also pays for fresh memory. A `hit` should take less than
//! 10 ns. Compare `group` with `thrash`: they should be equal.

use criterion::{BatchSize, Criterion, Throughput, criterion_group};
use softmargin::kernel::RowCache;
use std::hint::black_box;

const ROWS: usize = 256;
const LEN: usize = 4_096;
const GROUP: usize = 32;
const BYTES: usize = LEN * size_of::<f32>();

/// Requests every row once; the sum keeps the compiler from removing the reads.
fn request_all(cache: &mut RowCache<f32>, source: &[f32]) -> f32 {
    let mut sum = 0.0;
    for row in 0..ROWS {
        let fill = |out: &mut [f32]| {
            out.copy_from_slice(source);
            Ok(())
        };
        sum += cache.row(row, fill).expect("a copy never fails")[row];
    }
    sum
}

/// As [`request_all`], a group of rows at a time.
fn ask_for_groups(cache: &mut RowCache<f32>, source: &[f32]) -> f32 {
    let rows: Vec<usize> = (0..ROWS).collect();
    let ask = |group: &[usize]| {
        let copy = |_: &[usize], places: Vec<&mut [f32]>| {
            places
                .into_iter()
                .for_each(|out| out.copy_from_slice(source));
            Ok(())
        };
        cache.rows(group, copy).expect("a copy never fails");
        group.iter().map(|&row| cache.peek(row)[row]).sum::<f32>()
    };
    rows.chunks(GROUP).map(ask).sum()
}

fn cache(criterion: &mut Criterion) {
    let source: Vec<f32> = (0..LEN).map(|i| i as f32).collect();
    let with_room_for = |n: usize| RowCache::<f32>::new(ROWS, LEN, n * BYTES).expect("a budget");
    let mut group = criterion.benchmark_group("cache");
    group.throughput(Throughput::Elements(ROWS as u64));
    group.bench_function("hit", |bench| {
        let mut cache = with_room_for(ROWS);
        request_all(&mut cache, &source);
        bench.iter(|| request_all(&mut cache, black_box(&source)));
        assert_eq!(cache.counts().misses, ROWS as u64);
    });
    group.bench_function("miss", |bench| {
        let new = || with_room_for(ROWS);
        let fill = |cache: &mut RowCache<f32>| request_all(cache, black_box(&source));
        bench.iter_batched_ref(new, fill, BatchSize::PerIteration);
    });
    group.bench_function("thrash", |bench| {
        let mut cache = with_room_for(ROWS - 1);
        request_all(&mut cache, &source);
        bench.iter(|| request_all(&mut cache, black_box(&source)));
        assert_eq!(cache.counts().hits, 0);
    });
    group.bench_function("group", |bench| {
        let mut cache = with_room_for(ROWS - GROUP);
        ask_for_groups(&mut cache, &source);
        bench.iter(|| ask_for_groups(&mut cache, black_box(&source)));
        assert_eq!(cache.counts().hits, 0);
    });
    group.bench_function("copy", |bench| {
        let mut rows = vec![0.0; ROWS * LEN];
        bench.iter(|| {
            let rows = black_box(&mut rows).chunks_exact_mut(LEN);
            rows.for_each(|row| row.copy_from_slice(black_box(&source)));
        });
    });
    group.finish();
}

criterion_group!(benches, cache);
