//! Model selection has the results of single trainings, in every mode.

use softmargin::data::{Affine, Csr, Dense, Labels, Matrix, Random};
use softmargin::kernel::{Gamma, KernelKind, KernelSettings};
use softmargin::model::{Model, Ties};
use softmargin::monitor::Monitor;
use softmargin::multiclass::{RowSource, Scheme, TrainingSet};
use softmargin::select::{
    Cell, Decisions, Evaluation, Job, Outputs, Plan, Scaling, Source, Wanted,
};
use softmargin::solver::{
    Bias, Formulation, Machine, Method, MnSvmSettings, NewtonSettings, NlSgdSettings,
    NnIsdaSettings, OllawvSettings, Order, Selection, Step, SvcSettings,
};
use softmargin::{Error, Result, threads};
use std::borrow::Cow;
use std::time::Duration;

const N: usize = 120;
const D: usize = 3;
const K: usize = 3;

fn rows() -> (Matrix<'static, f64>, Vec<u32>) {
    let mut random = Random::new(4);
    let codes: Vec<u32> = (0..N).map(|_| random.below(K) as u32).collect();
    let values = (0..N * D).map(|place| {
        let centre = f64::from((codes[place / D] as usize == place % D) as u32);
        centre + 1.5 * random.unit()
    });
    let rows = Dense::new(Cow::Owned(values.collect()), N, D).expect("finite values");
    (Matrix::Dense(rows), codes)
}

fn kernels() -> Vec<KernelSettings> {
    let rbf = |gamma: f64| KernelSettings {
        gamma: Gamma::Value(gamma),
        ..KernelSettings::default()
    };
    let linear = KernelSettings {
        kind: KernelKind::Linear,
        ..KernelSettings::default()
    };
    vec![rbf(0.2), linear, rbf(5.0)]
}

/// Every method, with tolerances so small that the path to the solution does not matter.
fn methods() -> Result<Vec<Method>> {
    let path = vec![4.0, 0.25];
    Ok(vec![
        OllawvSettings {
            margins: vec![0.5, 0.01],
            c: 1.0,
            bias: true,
            max_sv_fraction: 1.0,
            ..OllawvSettings::default()
        }
        .check()?
        .into(),
        SvcSettings {
            cs: path.clone(),
            formulation: Formulation::Classification,
            tol: 1e-9,
            working_set_size: None,
            shrinking: true,
            max_iter: None,
        }
        .check()?
        .into(),
        NlSgdSettings {
            cs: path.clone(),
            epochs: 2,
            average: 0.5,
            step: Step::Time,
            order: Order::Cyclic,
            seed: 3,
        }
        .check()?
        .into(),
        MnSvmSettings {
            cs: path.clone(),
            eps: 1e-9,
            selection: Selection::Random,
            seed: 3,
            max_iter: None,
        }
        .check()?
        .into(),
        NnIsdaSettings {
            cs: path.clone(),
            tol: 1e-9,
            max_iter: None,
        }
        .check()?
        .into(),
        NewtonSettings {
            cs: path,
            bias: Bias::Free,
            max_iter: None,
            line_search: true,
        }
        .check()?
        .into(),
    ])
}

/// Three splits; the last one has no training sample of class 2.
fn splits(codes: &[u32]) -> Vec<(Vec<u32>, Vec<u32>)> {
    let rows = || 0..N as u32;
    let fold = |f: u32| {
        (
            rows().filter(|row| row % 3 != f).collect(),
            rows().filter(|row| row % 3 == f).collect(),
        )
    };
    let has_two = |row: &u32| codes[*row as usize] == 2;
    let without = (
        rows().filter(|row| !has_two(row)).collect(),
        rows().filter(has_two).collect(),
    );
    vec![fold(0), fold(1), without]
}

fn jobs(codes: &[u32], method: &Method) -> Vec<Job<Method>> {
    let job = |(train, test)| Job {
        source: 0,
        train,
        test,
        kernels: kernels(),
        solvers: vec![method.clone(); 3],
        starts: Vec::new(),
    };
    splits(codes).into_iter().map(job).collect()
}

fn plan(weights: &[f64], scheme: Scheme, budget: usize) -> Plan<'_> {
    Plan {
        n_classes: K,
        class_weights: Some(weights),
        scaling: Scaling::None,
        scheme,
        ties: Ties::LargestSum,
        wanted: Wanted::default(),
        budget_bytes: budget,
    }
}

fn source<'a>(rows: &'a Matrix<'_, f64>, codes: &'a [u32]) -> [Source<'a, f64>; 1] {
    [Source {
        rows: rows.head(rows.n_rows()),
        codes,
        row_weights: None,
        targets: None,
    }]
}

/// Scores by their definition, from classes and predictions.
fn scores(classes: &[u32], predicted: &[u32]) -> [f64; 3] {
    let count = |is: &dyn Fn(u32, u32) -> bool| {
        let rows = classes.iter().zip(predicted);
        rows.filter(|&(&class, &found)| is(class, found)).count() as f64
    };
    let mean = |shares: Vec<f64>| {
        let known: Vec<f64> = shares.into_iter().filter(|share| !share.is_nan()).collect();
        known.iter().sum::<f64>() / known.len() as f64
    };
    let of_class = |share: &dyn Fn(u32, f64) -> f64| {
        let right = |class| count(&|a, b| a == class && b == class);
        mean(
            (0..K as u32)
                .map(|class| share(class, right(class)))
                .collect(),
        )
    };
    let n_true = |class| count(&|a, _| a == class);
    let n_found = |class| count(&|_, b| b == class);
    [
        count(&|a, b| a == b) / classes.len() as f64,
        of_class(&|class, right| right / n_true(class)),
        of_class(&|class, right| 2.0 * right / (n_true(class) + n_found(class))),
    ]
}

fn scores_of(cell: &Cell) -> [f64; 3] {
    let found = cell.scores;
    [found.accuracy, found.balanced_accuracy, found.f1_macro]
}

/// One training for each setting, and the scores of its predictions.
fn expected_scores(
    matrix: &Matrix<'_, f64>,
    codes: &[u32],
    job: &Job<Method>,
    kernel: KernelSettings,
    scheme: Scheme,
) -> Result<Vec<[f64; 3]>> {
    let (rows, test) = (matrix.gather(&job.train)?, matrix.gather(&job.test)?);
    let of_rows: Vec<u32> = job.train.iter().map(|&row| codes[row as usize]).collect();
    let k = of_rows.iter().max().map_or(0, |&most| most as usize + 1);
    let set = TrainingSet::new(&rows, Labels::new(&of_rows, k)?, vec![1.0; k], kernel)?;
    let monitor = Monitor::new();
    let training = set.train(&job.solvers[0], scheme, RowSource::Auto, 1 << 20, &monitor)?;
    let of_setting = |machines: &Vec<Machine>| {
        let model = Model::new(&set, scheme, machines, &monitor)?;
        let found = model.predict(&test, Ties::LargestSum, &monitor)?;
        let classes: Vec<u32> = job.test.iter().map(|&row| codes[row as usize]).collect();
        Ok(scores(&classes, &found))
    };
    training.machines.iter().map(of_setting).collect()
}

/// The outputs of one training for each setting, for the test and then the training samples.
fn expected_outputs(
    matrix: &Matrix<'_, f64>,
    codes: &[u32],
    job: &Job<Method>,
    kernel: KernelSettings,
    plan: &Plan<'_>,
) -> Result<Vec<Outputs>> {
    let (rows, test) = (matrix.gather(&job.train)?, matrix.gather(&job.test)?);
    let of_rows: Vec<u32> = job.train.iter().map(|&row| codes[row as usize]).collect();
    let k = of_rows.iter().max().map_or(0, |&most| most as usize + 1);
    let set = TrainingSet::new(&rows, Labels::new(&of_rows, k)?, vec![1.0; k], kernel)?;
    let monitor = Monitor::new();
    let training = set.train(
        &job.solvers[0],
        plan.scheme,
        RowSource::Auto,
        1 << 20,
        &monitor,
    )?;
    let of_setting = |machines: &Vec<Machine>| {
        let model = Model::new(&set, plan.scheme, machines, &monitor)?;
        let mut outputs = Outputs::default();
        for rows in [&test, &rows] {
            outputs
                .predicted
                .extend(model.predict(rows, plan.ties, &monitor)?);
            outputs.decisions.extend(match plan.wanted.decisions {
                Some(Decisions::Machines) => model.decision_values(rows, &monitor)?,
                _ => model.class_scores(rows, &monitor)?,
            });
        }
        Ok(outputs)
    };
    training.machines.iter().map(of_setting).collect()
}

#[test]
fn outputs_are_those_of_single_models() -> Result<()> {
    let (matrix, codes) = rows();
    let schemes = [Scheme::OneVsOne, Scheme::OneVsRest, Scheme::Ordinal];
    let forms = [Decisions::Classes, Decisions::Machines];
    // The budgets of a kernel matrix, and of none.
    for (scheme, form, budget) in schemes
        .iter()
        .flat_map(|&scheme| forms.map(|form| (scheme, form)))
        .flat_map(|(scheme, form)| [1 << 30, 0].map(|budget| (scheme, form, budget)))
    {
        let method = methods()?.swap_remove(1);
        let jobs = jobs(&codes, &method);
        let plan = Plan {
            wanted: Wanted {
                predictions: true,
                decisions: Some(form),
                train: true,
            },
            ..plan(&[1.0; K], scheme, budget)
        };
        let evaluation = Evaluation::new(&jobs);
        threads::install(2, || {
            let sources = source(&matrix, &codes);
            evaluation.run::<f64, f64, _>(&sources, &plan, &jobs, &Monitor::new())
        })??;
        for (number, job) in jobs.iter().enumerate() {
            for (place, &kernel) in job.kernels.iter().enumerate() {
                let expected = expected_outputs(&matrix, &codes, job, kernel, &plan)?;
                let found = evaluation.take_outputs(number, place).expect("done");
                for (found, expected) in found.iter().zip(&expected) {
                    assert_eq!(found.predicted, expected.predicted);
                    assert_eq!(found.decisions.len(), expected.decisions.len());
                    for (a, b) in found.decisions.iter().zip(&expected.decisions) {
                        assert!((a - b).abs() < 1e-6, "{scheme:?} {form:?} {a} {b}");
                    }
                }
                assert!(evaluation.take_outputs(number, place).is_none(), "taken");
            }
        }
    }
    Ok(())
}

#[test]
fn a_precomputed_kernel_gives_the_cells_of_its_samples() -> Result<()> {
    let (matrix, codes) = rows();
    let product = |i: usize, j: usize| -> f64 {
        let row = |i: usize| &matrix.values()[i * D..(i + 1) * D];
        row(i).iter().zip(row(j)).map(|(a, b)| a * b).sum()
    };
    let values = (0..N * N).map(|place| product(place / N, place % N));
    let kernel = Matrix::Dense(Dense::new(Cow::Owned(values.collect()), N, N)?);
    let method = methods()?.swap_remove(1);
    let run = |rows: &Matrix<'_, f64>, kind: KernelKind| -> Result<Vec<Cell>> {
        let mut jobs = jobs(&codes, &method);
        for job in &mut jobs {
            job.kernels = vec![KernelSettings {
                kind,
                ..KernelSettings::default()
            }];
            job.solvers.truncate(1);
        }
        let evaluation = Evaluation::new(&jobs);
        let plan = plan(&[1.0; K], Scheme::OneVsOne, 1 << 30);
        let sources = source(rows, &codes);
        evaluation.run::<f64, f64, _>(&sources, &plan, &jobs, &Monitor::new())?;
        let of_job = |job| evaluation.cells(job, 0).expect("done").to_vec();
        Ok((0..jobs.len()).flat_map(of_job).collect())
    };
    let expected = run(&matrix, KernelKind::Linear)?;
    for (found, expected) in run(&kernel, KernelKind::Precomputed)?.iter().zip(expected) {
        assert_eq!(found.scores, expected.scores);
        assert_eq!(found.n_support, expected.n_support);
    }
    Ok(())
}

/// Samples far from the origin, which f32 alone could not tell apart.
#[test]
fn rounded_samples_have_the_solution_of_exact_ones() -> Result<()> {
    let (matrix, codes) = rows();
    let method = methods()?.swap_remove(1);
    let mut jobs = jobs(&codes, &method);
    for job in &mut jobs {
        job.kernels.remove(1); // RBF only
        job.solvers.truncate(2);
    }
    let shifted = |by: f64| -> Result<Matrix<'static, f64>> {
        let values = matrix.values().iter().map(|value| value + by).collect();
        Ok(Matrix::Dense(Dense::new(Cow::Owned(values), N, D)?))
    };
    let plan = plan(&[1.0; K], Scheme::OneVsOne, 1 << 30);
    let run = |rows: &Matrix<'_, f64>, is_rounded: bool| -> Result<Vec<Cell>> {
        let evaluation = Evaluation::new(&jobs);
        let (sources, monitor) = (source(rows, &codes), Monitor::new());
        match is_rounded {
            true => evaluation.run::<f64, f32, _>(&sources, &plan, &jobs, &monitor)?,
            false => evaluation.run::<f64, f64, _>(&sources, &plan, &jobs, &monitor)?,
        }
        let each = (0..jobs.len()).flat_map(|job| [(job, 0), (job, 1)]);
        let cells = each.flat_map(|(job, kernel)| evaluation.cells(job, kernel).expect("done"));
        Ok(cells.cloned().collect())
    };
    let expected = run(&matrix, false)?;
    for by in [0.0, 1e6, 1e9] {
        for (found, expected) in run(&shifted(by)?, true)?.iter().zip(&expected) {
            assert_eq!(found.scores, expected.scores, "shifted by {by}");
        }
    }
    Ok(())
}

fn all_cells(evaluation: &Evaluation, n_jobs: usize) -> Vec<Vec<Cell>> {
    let each = (0..n_jobs).flat_map(|job| (0..3).map(move |kernel| (job, kernel)));
    each.map(|(job, kernel)| evaluation.cells(job, kernel).expect("done").to_vec())
        .collect()
}

#[test]
fn cells_are_those_of_single_trainings() -> Result<()> {
    let (matrix, codes) = rows();
    for method in methods()? {
        for scheme in [Scheme::OneVsOne, Scheme::OneVsRest, Scheme::Ordinal] {
            let jobs = jobs(&codes, &method);
            let plan = plan(&[1.0; K], scheme, 1 << 30);
            let evaluation = Evaluation::new(&jobs);
            threads::install(2, || {
                evaluation.run::<f64, f64, _>(
                    &source(&matrix, &codes),
                    &plan,
                    &jobs,
                    &Monitor::new(),
                )
            })??;
            assert_eq!(evaluation.n_done(), 9);
            for (number, job) in jobs.iter().enumerate() {
                for (place, &kernel) in job.kernels.iter().enumerate() {
                    let expected = expected_scores(&matrix, &codes, job, kernel, scheme)?;
                    let cells = evaluation.cells(number, place).expect("done");
                    let found: Vec<[f64; 3]> = cells.iter().map(scores_of).collect();
                    assert_eq!(found, expected, "{method:?} {scheme:?} {number} {place}");
                    assert!(cells.iter().all(|cell| cell.n_unfinished == 0));
                }
            }
        }
    }
    Ok(())
}

#[test]
fn threads_and_budgets_change_nothing() -> Result<()> {
    let (matrix, codes) = rows();
    let schemes = [Scheme::OneVsOne, Scheme::Ordinal];
    let methods = methods()?;
    for (method, scheme) in methods
        .iter()
        .flat_map(|m| schemes.map(|scheme| (m, scheme)))
    {
        let jobs = jobs(&codes, method);
        let run = |n_threads: usize, budget: usize| -> Result<Vec<Vec<Cell>>> {
            let plan = plan(&[1.0; K], scheme, budget);
            let evaluation = Evaluation::new(&jobs);
            threads::install(n_threads, || {
                evaluation.run::<f64, f64, _>(
                    &source(&matrix, &codes),
                    &plan,
                    &jobs,
                    &Monitor::new(),
                )
            })??;
            Ok(all_cells(&evaluation, jobs.len()))
        };
        let expected = run(1, 1 << 30)?;
        let matrix_bytes = 80 * N * 8;
        // Splits in parallel, kernels in parallel, binary classifiers in parallel.
        for (n_threads, budget) in [(2, 1 << 30), (3, 4 * matrix_bytes), (5, 2 * matrix_bytes)] {
            assert_eq!(run(n_threads, budget)?, expected, "{n_threads} {budget}");
        }
        // Without a matrix: the same predictions, but other counts of kernel values.
        let scores = |cells: Vec<Vec<Cell>>| -> Vec<[f64; 3]> {
            cells.iter().flatten().map(scores_of).collect()
        };
        assert_eq!(scores(run(2, 0)?), scores(expected));
    }
    Ok(())
}

#[test]
fn invalid_jobs_are_rejected_and_finished_cells_are_kept() -> Result<()> {
    let (matrix, codes) = rows();
    let method = methods()?.swap_remove(0);
    let plan = plan(&[1.0; K], Scheme::OneVsOne, 1 << 30);
    let run = |jobs: &[Job<Method>], monitor: &Monitor| {
        let evaluation = Evaluation::new(jobs);
        let result = evaluation.run::<f64, f64, _>(&source(&matrix, &codes), &plan, jobs, monitor);
        (result, evaluation.n_done())
    };
    let mut outside = jobs(&codes, &method);
    outside[1].test.push(N as u32);
    let refused = run(&outside, &Monitor::new());
    assert!(matches!(refused, (Err(Error::Shape(_)), 0)));
    let mut precomputed = jobs(&codes, &method);
    precomputed[0].kernels[1].kind = KernelKind::Precomputed;
    assert!(matches!(
        run(&precomputed, &Monitor::new()),
        (Err(Error::Data(_)), 0)
    ));
    let mut one_class = jobs(&codes, &method);
    one_class[2].train.retain(|&row| codes[row as usize] == 0);
    let (error, _) = run(&one_class, &Monitor::new());
    assert!(
        error
            .expect_err("one class")
            .to_string()
            .contains("training and")
    );
    let plain = jobs(&codes, &method);
    let stopped = Monitor::new();
    stopped.interrupt();
    assert!(matches!(
        run(&plain, &stopped),
        (Err(Error::Interrupted), 0)
    ));
    let late = Monitor::with_time_limit(Some(Duration::ZERO));
    assert!(matches!(run(&plain, &late), (Ok(()), 0)));
    Ok(())
}

/// `gamma='scale'` uses the variance of the scaled training samples of each split.
#[test]
fn gamma_is_resolved_by_the_training_samples_of_a_split() -> Result<()> {
    let (dense, codes) = rows();
    let scaled_by = |rows: &Matrix<'static, f64>, train: &[u32]| -> Result<Matrix<'static, f64>> {
        let scaling = Affine::min_max(rows, train.iter().map(|&row| row as usize))?;
        scaling.apply(&rows.gather(train)?)
    };
    for matrix in [sparse_of(&dense)?, dense] {
        for method in &methods()?[..2] {
            let mut jobs = jobs(&codes, method);
            let evaluate = |jobs: &[Job<Method>]| -> Result<Vec<Vec<Cell>>> {
                let plan = Plan {
                    scaling: Scaling::MinMax,
                    ..plan(&[1.0; K], Scheme::OneVsOne, 1 << 30)
                };
                let evaluation = Evaluation::new(jobs);
                evaluation.run::<f64, f64, _>(
                    &source(&matrix, &codes),
                    &plan,
                    jobs,
                    &Monitor::new(),
                )?;
                Ok((0..jobs.len())
                    .map(|job| evaluation.cells(job, 0).expect("done").to_vec())
                    .collect())
            };
            for job in &mut jobs {
                job.kernels = vec![KernelSettings::default()];
                job.solvers.truncate(1);
            }
            let by_rule = evaluate(&jobs)?;
            for job in &mut jobs {
                let gamma = Gamma::Scale.resolve(&scaled_by(&matrix, &job.train)?);
                job.kernels[0].gamma = Gamma::Value(gamma);
            }
            for (by_rule, by_number) in by_rule.iter().zip(evaluate(&jobs)?) {
                for (a, b) in by_rule.iter().zip(&by_number) {
                    assert_eq!((a.scores, a.n_support), (b.scores, b.n_support));
                }
            }
        }
    }
    Ok(())
}

/// The same samples, without values below 1.
fn sparse_of(rows: &Matrix<'_, f64>) -> Result<Matrix<'static, f64>> {
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in rows.values().chunks_exact(rows.n_cols()) {
        for (column, &value) in row.iter().enumerate().filter(|(_, value)| **value >= 1.0) {
            indices.push(column as u32);
            values.push(value);
        }
        offsets.push(values.len());
    }
    let (indices, values) = (Cow::Owned(indices), Cow::Owned(values));
    let csr = Csr::new(offsets, indices, values, rows.n_cols())?;
    Ok(Matrix::Sparse(csr))
}

/// Samples of zeros and ones are the same in every split, scaled or not.
#[test]
fn splits_with_equal_scaling_share_their_products() -> Result<()> {
    let mut random = Random::new(7);
    let (n, d) = (90, 80);
    let values: Vec<f64> = (0..n * d).map(|_| random.below(2) as f64).collect();
    let matrix = Matrix::Dense(Dense::new(Cow::Owned(values), n, d)?);
    let codes: Vec<u32> = (0..n).map(|_| random.below(K) as u32).collect();
    let method = methods()?.swap_remove(0);
    let job = |fold: u32| Job {
        source: 0,
        train: (0..n as u32).filter(|row| row % 4 != fold).collect(),
        test: (0..n as u32).filter(|row| row % 4 == fold).collect(),
        kernels: kernels(),
        solvers: vec![method.clone(); 3],
        starts: Vec::new(),
    };
    let jobs: Vec<Job<Method>> = (0..4).map(job).collect();
    for scaling in [Scaling::None, Scaling::MinMax] {
        let run = |jobs: &[Job<Method>]| -> Result<(Vec<Vec<Cell>>, usize)> {
            let weights = [1.0; K];
            let plan = Plan {
                scaling,
                ..plan(&weights, Scheme::OneVsOne, 1 << 30)
            };
            let evaluation = Evaluation::new(jobs);
            evaluation.run::<f64, f32, _>(
                &source(&matrix, &codes),
                &plan,
                jobs,
                &Monitor::new(),
            )?;
            Ok((all_cells(&evaluation, jobs.len()), evaluation.n_shared()))
        };
        let (together, n_shared) = run(&jobs)?;
        assert_eq!(n_shared, 2 * jobs.len(), "distances and dot products");
        let mut separately = Vec::new();
        for job in &jobs {
            let (cells, n_shared) = run(std::slice::from_ref(job))?;
            assert_eq!(n_shared, 0, "nobody to share with");
            separately.extend(cells);
        }
        assert_eq!(together, separately);
    }
    Ok(())
}
