//! How many bytes of LIBSVM text does one core read per second?
//!
//! Text like a9a: 32,561 samples with 14 ones each in 123 columns (about 2.3 MB), from a fixed
//! xorshift generator (seed 1). `decimals` has a tenth of the samples, with values of 17 digits,
//! which the fast paths do not cover. The text is read in pieces of 64 KiB, like a file.
//!
//! `cargo bench '^libsvm_text/'`
//!
//! Compare with `sklearn.datasets.load_svmlight_file` on the same text: the aim is more than five
//! times its throughput, and more than 300 MB/s for `ones`.

use criterion::{Criterion, Throughput, criterion_group};
use softmargin::data::libsvm_text::{ReadOptions, Reader};
use std::hint::black_box;

const COLUMNS: u64 = 123;
const ONES: u64 = 14;

struct Xorshift(u64);

impl Xorshift {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// Samples with one feature from each of 14 groups of columns.
fn text(n_rows: usize, value: impl Fn(&mut Xorshift) -> String) -> String {
    let mut random = Xorshift(1);
    let mut text = String::new();
    for _ in 0..n_rows {
        let positive = random.next().is_multiple_of(4);
        text.push_str(if positive { "+1" } else { "-1" });
        for group in 0..ONES {
            let (start, end) = (group * COLUMNS / ONES, (group + 1) * COLUMNS / ONES);
            let index = start + random.next() % (end - start) + 1;
            let value = value(&mut random);
            text.push_str(&format!(" {index}:{value}"));
        }
        text.push('\n');
    }
    text
}

fn read(text: &[u8]) -> usize {
    let mut reader = Reader::<f64>::new(ReadOptions::default());
    for piece in text.chunks(1 << 16) {
        reader.feed(piece).expect("the text is valid");
    }
    let (rows, labels) = reader.finish().expect("the text has rows");
    rows.values().len() + labels.len()
}

fn reading(criterion: &mut Criterion) {
    let ones = text(32_561, |_| "1".into());
    let decimals = text(3_256, |random| {
        format!("0.{:017}", random.next() % 100_000_000_000_000_000)
    });
    let mut group = criterion.benchmark_group("libsvm_text");
    for (name, text) in [("ones", ones), ("decimals", decimals)] {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |bench| {
            bench.iter(|| read(black_box(text.as_bytes())))
        });
    }
    group.finish();
}

criterion_group!(benches, reading);
