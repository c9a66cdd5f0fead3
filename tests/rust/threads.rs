//! A pool is used by one computation at a time, and the monitor can stop training.

use rayon::ThreadPool;
use softmargin::data::{Dense, Labels, Matrix, Random};
use softmargin::kernel::{Gamma, Gram, KernelSettings, PackedRows};
use softmargin::model::Model;
use softmargin::monitor::Monitor;
use softmargin::multiclass::{RowSource, Scheme, Training, TrainingSet};
use softmargin::solver::OllawvSettings;
use softmargin::{Error, Result, threads};
use std::borrow::Cow;
use std::time::Duration;

fn rows(n: usize) -> Matrix<'static, f32> {
    let mut random = Random::new(1);
    let values = (0..4 * n).map(|_| random.unit() as f32).collect();
    Matrix::Dense(Dense::new(Cow::Owned(values), n, 4).expect("finite values"))
}

/// Four classes whose solvers use all samples, unless they are stopped.
fn training_set(n: usize) -> Result<TrainingSet<f32>> {
    let codes: Vec<u32> = (0..n as u32).map(|row| row % 4).collect();
    let kernel = KernelSettings {
        gamma: Gamma::Value(1.0),
        ..KernelSettings::default()
    };
    TrainingSet::new(&rows(n), Labels::new(&codes, 4)?, vec![1.0; 4], kernel)
}

fn train(set: &TrainingSet<f32>, source: RowSource, monitor: &Monitor) -> Result<Training> {
    let settings = OllawvSettings {
        margins: vec![1e9],
        c: 1.0,
        bias: true,
        max_sv_fraction: 1.0,
        ..OllawvSettings::default()
    };
    set.train(
        &settings.check()?,
        Scheme::OneVsOne,
        source,
        1 << 20,
        monitor,
    )
}

#[test]
fn a_pool_has_the_requested_number_of_threads() -> Result<()> {
    for n_threads in [1, 2, 5] {
        let seen = threads::with_pool(n_threads, |pool| pool.install(rayon::current_num_threads))?;
        assert_eq!(seen, n_threads);
    }
    Ok(())
}

#[test]
fn zero_threads_are_rejected() {
    let error = threads::with_pool(0, |_| ()).expect_err("no threads");
    assert_eq!(
        error.to_string(),
        "threads = 0 is not valid: it must be at least 1"
    );
}

#[test]
fn concurrent_computations_do_not_share_threads() -> Result<()> {
    let thread_of_pool = || std::thread::current().id();
    let (outer, inner) = threads::with_pool(1, |outer| {
        let inner = threads::with_pool(1, |inner| inner.install(thread_of_pool));
        (outer.install(thread_of_pool), inner)
    })?;
    assert_ne!(outer, inner?);
    Ok(())
}

#[test]
fn a_pool_is_reused() -> Result<()> {
    let ids = |pool: &ThreadPool| pool.broadcast(|_| std::thread::current().id());
    // Another test may hold the lock of the idle pools, for which nobody waits.
    for _ in 0..100 {
        if threads::with_pool(7, ids)? == threads::with_pool(7, ids)? {
            return Ok(());
        }
    }
    panic!("every computation had threads of its own");
}

#[test]
fn an_interrupt_before_the_start_stops_everything() -> Result<()> {
    let monitor = Monitor::new();
    let (set, rows) = (training_set(200)?, rows(200));
    let trained = train(&set, RowSource::Gram, &monitor)?;
    assert_eq!(
        monitor.steps(),
        6 * 100,
        "six binary problems of a hundred samples"
    );
    let machines = &trained.machines[0];
    let model = Model::new(&set, Scheme::OneVsOne, machines, &monitor)?;
    monitor.interrupt();
    for source in [RowSource::Gram, RowSource::Cached, RowSource::Computed] {
        let stopped = train(&set, source, &monitor).map(|_| ());
        assert_eq!(stopped, Err(Error::Interrupted), "{source:?}");
    }
    assert_eq!(
        model.decision_values(&rows, &monitor),
        Err(Error::Interrupted)
    );
    let packed = PackedRows::new(&rows, set.labels().order())?;
    let gram = Gram::new(&packed, set.kernel(), &monitor).map(|_| ());
    assert_eq!(gram, Err(Error::Interrupted));
    Ok(())
}

/// Without the interrupt, training would take minutes.
#[test]
fn an_interrupt_stops_a_running_training() -> Result<()> {
    let set = training_set(200_000)?;
    for (source, n_threads) in [(RowSource::Computed, 1), (RowSource::Cached, 2)] {
        let monitor = Monitor::new();
        let stopped = std::thread::scope(|scope| {
            scope.spawn(|| {
                while monitor.steps() < 10 {
                    std::thread::sleep(Duration::from_millis(1));
                }
                monitor.interrupt();
            });
            threads::install(n_threads, || train(&set, source, &monitor).map(|_| ()))
        });
        assert_eq!(stopped, Ok(Err(Error::Interrupted)));
        assert!((10..600_000).contains(&monitor.steps()));
    }
    Ok(())
}

#[test]
fn a_time_limit_is_up_when_it_has_passed() {
    assert!(!Monitor::new().time_is_up());
    assert!(!Monitor::with_time_limit(None).time_is_up());
    assert!(!Monitor::with_time_limit(Some(Duration::MAX)).time_is_up());
    assert!(Monitor::with_time_limit(Some(Duration::ZERO)).time_is_up());
    let monitor = Monitor::new();
    assert_eq!(
        (monitor.tick(3), monitor.tick(4), monitor.steps()),
        (Ok(()), Ok(()), 7)
    );
}

#[test]
fn idle_threads_do_not_accumulate() -> Result<()> {
    for n_threads in (1..=40).chain([200]) {
        threads::with_pool(n_threads, |_| ())?;
    }
    // Those of the last pools; the others are about to end.
    let ends_soon = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        idle_threads() <= 300
    });
    assert!(ends_soon, "{} threads", idle_threads());
    Ok(())
}

/// Number of threads of our pools in this process, including those of other tests; 0 if the system
/// does not report them.
fn idle_threads() -> usize {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else {
        return 0;
    };
    let names = tasks
        .flatten()
        .flat_map(|task| std::fs::read_to_string(task.path().join("comm")));
    names.filter(|name| name.starts_with("softmargin-")).count()
}

#[test]
fn parallel_results_are_in_order_and_an_error_ends_the_computation() -> Result<()> {
    let made = || threads::try_par_map(3..1000, "squares", |number| Ok(number * number));
    let expected: Vec<usize> = (3..1000).map(|number| number * number).collect();
    assert_eq!(made()?, expected, "outside of a pool of ours");
    for n_threads in [1, 2, 5] {
        assert_eq!(threads::install(n_threads, made)??, expected);
        let refused = threads::install(n_threads, || {
            threads::try_par_map(0..1000, "numbers", |number| match number {
                700 => Err(Error::Data("seven hundred".into())),
                _ => Ok(number),
            })
        })?;
        assert_eq!(refused, Err(Error::Data("seven hundred".into())));
    }
    let nothing: Vec<usize> = threads::try_par_map(5..5, "nothing", Ok)?;
    assert!(nothing.is_empty());
    Ok(())
}
