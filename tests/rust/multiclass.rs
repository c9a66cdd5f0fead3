//! The classifiers of several classes are those of the binary problems, bit for bit, from every row
//! source and on any number of threads.

use softmargin::data::{Csr, Dense, Labels, Matrix, Random};
use softmargin::kernel::{Gamma, KernelSettings};
use softmargin::monitor::Monitor;
use softmargin::multiclass::{RowSource, Scheme, Training, TrainingSet, pair};
use softmargin::solver::{Formulation, Machine, Ollawv, OllawvSettings, Start, SvcSettings};
use softmargin::{Error, Result, threads};
use std::borrow::Cow;

const K: usize = 4;
const D: usize = 5;
const SCHEMES: [Scheme; 3] = [Scheme::OneVsOne, Scheme::OneVsRest, Scheme::Ordinal];

/// Classes of different sizes, not sorted.
fn codes(n: usize) -> Vec<u32> {
    let mut random = Random::new(7);
    (0..n)
        .map(|_| random.below(K).max(random.below(K)) as u32)
        .collect()
}

fn rows(codes: &[u32]) -> Matrix<'static, f32> {
    let mut random = Random::new(1);
    let value = |k: usize| random.unit() as f32 + 0.2 * codes[k / D] as f32;
    let values = (0..codes.len() * D).map(value).collect();
    let dense = Dense::new(Cow::Owned(values), codes.len(), D);
    Matrix::Dense(dense.expect("finite values"))
}

fn kernel() -> KernelSettings {
    KernelSettings {
        gamma: Gamma::Value(1.5),
        ..KernelSettings::default()
    }
}

fn solver() -> Ollawv {
    let settings = OllawvSettings {
        margins: vec![0.1, 0.8],
        c: 1.0,
        bias: true,
        max_sv_fraction: 0.9,
        ..OllawvSettings::default()
    };
    settings.check().expect("valid settings")
}

fn train(
    rows: &Matrix<'_, f32>,
    codes: &[u32],
    scheme: Scheme,
    source: RowSource,
) -> Result<Training> {
    let n_classes = codes.iter().max().map_or(0, |&most| most as usize + 1);
    let weights = vec![1.0; n_classes];
    let set = TrainingSet::new(rows, Labels::new(codes, n_classes)?, weights, kernel())?;
    set.train(&solver(), scheme, source, 1 << 16, &Monitor::new())
}

/// The same classifier with the indices of the caller; `kept` are those of its problem.
fn with_indices_of_the_caller(machine: &Machine, labels: &Labels, kept: &[u32]) -> Machine {
    let caller = |row: u32| kept[labels.order()[row as usize] as usize];
    let terms = machine.terms.iter().map(|&(row, l)| (caller(row), l));
    Machine {
        terms: terms.collect(),
        ..machine.clone()
    }
}

#[test]
fn each_classifier_is_that_of_its_binary_problem() -> Result<()> {
    let codes = codes(300);
    let (rows, labels) = (rows(&codes), Labels::new(&codes, K)?);
    let all: Vec<u32> = (0..300).collect();
    for scheme in SCHEMES {
        let trained = train(&rows, &codes, scheme, RowSource::Gram)?;
        for number in 0..scheme.n_machines(K)? {
            let (positive, negative) = match scheme {
                Scheme::OneVsOne => (pair(number, K).0, Some(pair(number, K).1)),
                Scheme::OneVsRest => (number, None),
                Scheme::Ordinal => (number, Some(number + 1)),
                Scheme::Single => unreachable!("a scheme for classes"),
            };
            let is = |row: u32, class: usize| codes[row as usize] as usize == class;
            let mut kept = all.clone();
            kept.retain(|&row| is(row, positive) || negative.is_none_or(|other| is(row, other)));
            let signs: Vec<u32> = kept
                .iter()
                .map(|&row| u32::from(is(row, positive)))
                .collect();
            let alone = train(&rows.gather(&kept)?, &signs, scheme, RowSource::Computed)?;
            let binary = Labels::new(&signs, 2)?;
            for (path, alone) in trained.machines.iter().zip(&alone.machines) {
                assert_eq!(path.len(), scheme.n_machines(K)?);
                let expected = with_indices_of_the_caller(&alone[0], &binary, &kept);
                let own = with_indices_of_the_caller(&path[number], &labels, &all);
                assert_eq!(own, expected, "{scheme:?}, machine {number}");
            }
        }
    }
    Ok(())
}

#[test]
fn classifiers_do_not_depend_on_threads_or_row_source() -> Result<()> {
    let codes = codes(700);
    let dense = rows(&codes);
    let sparse = Matrix::Sparse(Csr::new(
        (0..=codes.len()).map(|i| i * D).collect(),
        Cow::Owned((0..codes.len()).flat_map(|_| 0..D as u32).collect()),
        Cow::Owned(dense.values().to_vec()),
        D,
    )?);
    for (rows, scheme) in [&dense, &sparse]
        .into_iter()
        .flat_map(|m| SCHEMES.map(|s| (m, s)))
    {
        let train_from = |source| train(rows, &codes, scheme, source);
        let expected = threads::install(1, || train_from(RowSource::Gram))??;
        for n_threads in [1, 2, 8] {
            for name in ["auto", "gram", "cached", "computed"] {
                let source = RowSource::parse(name)?;
                let trained = threads::install(n_threads, || train_from(source))??;
                let same = trained.machines == expected.machines;
                assert!(same, "{scheme:?} from {name} on {n_threads} threads");
            }
        }
    }
    Ok(())
}

/// With this many samples, each step of a solver is parallel.
#[test]
fn a_large_problem_does_not_depend_on_threads_or_row_source() -> Result<()> {
    let mut codes = codes(26_000);
    codes.iter_mut().for_each(|code| *code %= 2);
    let rows = rows(&codes);
    let set = TrainingSet::new(&rows, Labels::new(&codes, 2)?, vec![1.0; 2], kernel())?;
    let settings = OllawvSettings {
        margins: vec![0.1],
        c: 1.0,
        bias: true,
        max_sv_fraction: 0.005,
        ..OllawvSettings::default()
    };
    let solver = settings.check()?;
    let train = |n_threads, source| {
        let train = || set.train(&solver, Scheme::OneVsOne, source, 1 << 20, &Monitor::new());
        threads::install(n_threads, train)?
    };
    let expected = train(1, RowSource::Computed)?.machines;
    for n_threads in [2, 8] {
        for source in [RowSource::Computed, RowSource::Cached] {
            let same = train(n_threads, source)?.machines == expected;
            assert!(same, "{source:?} on {n_threads} threads");
        }
    }
    Ok(())
}

#[test]
fn kernel_values_are_counted_for_the_steps_taken() -> Result<()> {
    let codes = codes(200);
    let labels = Labels::new(&codes, K)?;
    for scheme in SCHEMES {
        let trained = train(&rows(&codes), &codes, scheme, RowSource::Computed)?;
        let n_rows = |number| scheme.machine(number, &labels).parts.n_rows();
        let longest = trained.machines[1].iter().enumerate();
        let expected: usize = longest.map(|(m, machine)| machine.n_iter * n_rows(m)).sum();
        assert_eq!(trained.n_kernel_evals, expected as u64);
        let on_gram = train(&rows(&codes), &codes, scheme, RowSource::Gram)?;
        assert_eq!(on_gram.n_kernel_evals, 200 * 200);
    }
    Ok(())
}

#[test]
fn inconsistent_labels_and_weights_are_rejected() -> Result<()> {
    let codes = codes(50);
    let set = |n: usize, weights: &[f64]| {
        let labels = Labels::new(&codes[..n], K)?;
        TrainingSet::new(&rows(&codes), labels, weights.to_vec(), kernel()).map(|_| ())
    };
    let shape = |message: &str| Err(Error::Shape(message.into()));
    assert_eq!(set(50, &[1.0; K]), Ok(()));
    assert_eq!(
        set(49, &[1.0; K]),
        shape("X has 50 samples, but y has 49 labels")
    );
    assert_eq!(
        set(50, &[1.0; 3]),
        shape("class_weight has 3 values, but y has 4 classes")
    );
    for weight in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = set(50, &[1.0, weight, 1.0, 1.0]).expect_err("no weight");
        assert!(
            error
                .to_string()
                .starts_with(&format!("class_weight = {weight} "))
        );
    }
    Ok(())
}

fn set(codes: &[u32], starts: Vec<Start>) -> Result<TrainingSet<f32>> {
    let labels = Labels::new(codes, K)?;
    TrainingSet::new(&rows(codes), labels, vec![1.0; K], kernel())?.with_starts(starts)
}

#[test]
fn invalid_starts_are_rejected() -> Result<()> {
    let codes = codes(50);
    let refused = |start: Start| set(&codes, vec![start]).map(|_| ());
    assert_eq!(refused(Start::Rows(vec![0, 49])), Ok(()));
    assert_eq!(refused(Start::Terms(vec![(49, -1e300)])), Ok(()));
    let no_row = Err(Error::Shape(
        "init contains sample 50, but X has 50 samples".into(),
    ));
    assert_eq!(refused(Start::Rows(vec![3, 50])), no_row);
    assert_eq!(refused(Start::Terms(vec![(3, 1.0), (50, 1.0)])), no_row);
    for beta in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let message =
            format!("init contains the coefficient {beta} for sample 7; it must be finite");
        let start = Start::Terms(vec![(3, 1.0), (7, beta)]);
        assert_eq!(refused(start), Err(Error::Data(message)));
    }
    for (scheme, n_starts) in [(SCHEMES[0], 5), (SCHEMES[0], 7), (SCHEMES[1], 6)] {
        let set = set(&codes, vec![Start::Zero; n_starts])?;
        let trained = set.train(&solver(), scheme, RowSource::Auto, 1, &Monitor::new());
        let n_machines = scheme.n_machines(K)?;
        let message = format!(
            "init has {n_starts} starting points, but y needs {n_machines} binary classifiers"
        );
        assert_eq!(trained.map(|_| ()), Err(Error::Shape(message)));
    }
    Ok(())
}

/// Every solver then starts at its solution.
#[test]
fn each_problem_has_its_own_start_with_the_indices_of_the_caller() -> Result<()> {
    let codes = codes(200);
    let (labels, all): (Labels, Vec<u32>) = (Labels::new(&codes, K)?, (0..200).collect());
    for scheme in SCHEMES {
        let train = |starts: Vec<Start>, tol: f64| {
            let settings = SvcSettings {
                cs: vec![2.0],
                formulation: Formulation::Classification,
                tol,
                working_set_size: None,
                shrinking: true,
                max_iter: None,
            };
            let (solver, monitor) = (settings.check()?, Monitor::new());
            let trained =
                set(&codes, starts)?.train(&solver, scheme, RowSource::Auto, 1 << 20, &monitor)?;
            Result::Ok(trained.machines[0].clone())
        };
        let machines = train(Vec::new(), 1e-6)?;
        assert!(machines.iter().all(|machine| machine.n_iter > 0));
        let terms = |m: &Machine| Start::Terms(with_indices_of_the_caller(m, &labels, &all).terms);
        let again = train(machines.iter().map(terms).collect(), 1e-5)?;
        assert!(again.iter().all(|machine| machine.n_iter == 0));
        let shifted = machines.iter().map(terms).skip(1).chain([Start::Zero]);
        let from_others = train(shifted.collect(), 1e-5)?;
        assert!(from_others.iter().all(|machine| machine.n_iter > 0));
    }
    Ok(())
}
