//! Evaluation of linear methods: each setting of the path is trained and tested on the scaled
//! samples of a split.

use super::clock::{Clock, Phase};
use super::evaluate::{Cell, Decisions, Evaluation, Job, Outputs, Plan};
use super::private_features::merge_private_features;
use super::scores::Counts;
use super::source::Source;
use super::split::renumber_classes;
use crate::data::Matrix;
use crate::memory::{try_collect, try_with_capacity, try_zeros};
use crate::model::{LinearWeights, Votes};
use crate::monitor::Monitor;
use crate::multiclass::{LinearSet, Patterns, Scheme};
use crate::simd::Lanes;
use crate::solver::Status;
use crate::solver::linear::{LinearMachine, LinearMethod, LinearSolver};
use crate::{Error, Result};
use rayon::prelude::*;

/// A linear method with the settings of its path, which are trained independently.
#[derive(Debug, Clone)]
pub struct LinearPath {
    /// The method for each setting.
    pub methods: Vec<LinearMethod>,
    /// The value of the constant feature; 0 for none.
    pub constant: f64,
}

impl Evaluation {
    /// As [`Evaluation::run`], for linear methods, which ignore the kernels of a job.
    pub fn run_linear<T: Lanes>(
        &self,
        sources: &[Source<'_, T>],
        plan: &Plan<'_>,
        jobs: &[Job<LinearPath>],
        monitor: &Monitor,
    ) -> Result<()> {
        // Values, and column indices of sparse rows.
        let entry_bytes = size_of::<T>() + size_of::<u32>();
        let sizes = sources.iter().map(|source| source.rows.values().len());
        let bytes = sizes.max().unwrap_or(0).saturating_mul(entry_bytes).max(1);
        // Samples are gathered and then scaled: each split takes up to two copies.
        let at_once = (plan.budget_bytes / 2 / bytes).max(1);
        let todo: Vec<usize> = (0..jobs.len()).filter(|&job| !self.is_done(job)).collect();
        // As many splits at once as the budget allows.
        for numbers in todo.chunks(at_once) {
            numbers.par_iter().with_max_len(1).try_for_each(|&number| {
                let job = &jobs[number];
                job.check(sources, plan)?;
                if monitor.time_is_up() {
                    return Ok(());
                }
                let source = &sources[job.source];
                let split = Split::new(source, plan, job, self.clock(), monitor)?;
                for (kernel, path) in job.solvers.iter().enumerate() {
                    if let Some(cells) = split.evaluate(plan, path, self.clock(), monitor)? {
                        self.set(number, kernel, &cells);
                    }
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

impl LinearPath {
    /// Whether the methods are those of `LinearSVC`, in which balanced classes have equal total
    /// weights of samples; in the others, as in scikit-learn's `SGDClassifier`, samples count
    /// equally.
    fn is_exact(&self) -> bool {
        let is_approximate = |method: &LinearMethod| {
            matches!(
                method,
                LinearMethod::Sgd(_) | LinearMethod::GradientDescent(_)
            )
        };
        !self.methods.iter().any(is_approximate)
    }
}

impl LinearPath {
    /// Whether the classifiers do not change if samples are rotated.
    fn is_rotation_invariant(&self) -> bool {
        let is_invariant = |method: &LinearMethod| match method {
            LinearMethod::LinearNewton(_)
            | LinearMethod::DualDescent(_)
            | LinearMethod::FasterExact(_) => true,
            LinearMethod::L1Descent(_)
            | LinearMethod::Sgd(_)
            | LinearMethod::GradientDescent(_) => false,
        };
        self.methods.iter().all(is_invariant)
    }
}

/// The number of samples of each class, or the sum of their weights.
fn totals(codes: &[u32], n_classes: usize, weights: Option<&[f64]>) -> Vec<f64> {
    let mut totals = vec![0.0; n_classes];
    for (i, &code) in codes.iter().enumerate() {
        totals[code as usize] += weights.map_or(1.0, |weights| weights[i]);
    }
    totals
}

/// The scaled samples of a split, in the order of the caller.
struct Split<T: Lanes> {
    train: Matrix<'static, T>,
    test: Matrix<'static, T>,
    /// The class of each training sample, among those that occur in the training samples.
    codes: Vec<u32>,
    /// The classes that occur in the training samples.
    classes: Vec<u32>,
    test_codes: Vec<u32>,
    class_weights: Vec<f64>,
    row_weights: Option<Vec<f64>>,
    /// The targets of the training samples, for regression.
    targets: Option<Vec<f64>>,
}

impl<T: Lanes> Split<T> {
    fn new(
        source: &Source<'_, T>,
        plan: &Plan<'_>,
        job: &Job<LinearPath>,
        clock: &Clock,
        monitor: &Monitor,
    ) -> Result<Self> {
        let _clock = clock.start(Phase::Rows);
        let scaling = source.scaling(&job.train, plan.scaling)?;
        let of = |numbers: &[u32], values: &[f64]| -> Vec<f64> {
            numbers.iter().map(|&row| values[row as usize]).collect()
        };
        let code = |&row: &u32| source.codes[row as usize];
        let (classes, codes) = renumber_classes(source.codes, &job.train);
        if classes.len() < plan.scheme.least_classes() {
            return Err(Error::Data(format!(
                "the training samples of a split have {} class(es), but a classifier needs at least 2",
                classes.len()
            )));
        }
        let row_weights = source.row_weights.map(|weights| of(&job.train, weights));
        let targets = source.targets.map(|targets| of(&job.train, targets));
        let counted = row_weights
            .as_deref()
            .filter(|_| job.solvers.iter().all(LinearPath::is_exact));
        let totals = totals(&codes, classes.len(), counted);
        let total: f64 = totals.iter().sum();
        let weight = |class: usize| match plan.class_weights {
            Some(weights) => weights[classes[class] as usize],
            None => total / (classes.len() as f64 * totals[class]),
        };
        let scaled = |part: &[u32]| {
            monitor.check()?;
            let gathered = source.rows.gather(part)?;
            monitor.check()?;
            scaling.apply(&gathered)
        };
        let (mut train, mut test) = (scaled(&job.train)?, scaled(&job.test)?);
        if job.solvers.iter().all(LinearPath::is_rotation_invariant) {
            merge_private_features(&mut train, &mut test)?;
            monitor.check()?;
        }
        Ok(Self {
            train,
            test,
            class_weights: (0..classes.len()).map(weight).collect(),
            row_weights,
            targets,
            test_codes: job.test.iter().map(code).collect(),
            codes,
            classes,
        })
    }

    /// The cells of the path; `None` if the time limit was reached.
    fn evaluate(
        &self,
        plan: &Plan<'_>,
        path: &LinearPath,
        clock: &Clock,
        monitor: &Monitor,
    ) -> Result<Option<Vec<Cell>>> {
        let weights = self.row_weights.as_deref();
        monitor.check()?;
        let set = match &self.targets {
            Some(targets) => LinearSet::regression(&self.train, targets, weights)?,
            None => LinearSet::new(&self.train, &self.codes, &self.class_weights, weights)?,
        };
        let cells: Vec<Option<Cell>> = path
            .methods
            .par_iter()
            .with_max_len(1)
            .map(|method| {
                let running = clock.start(Phase::Training);
                let machines = set.train(method, plan.scheme, path.constant, &[], None, monitor)?;
                drop(running);
                if machines
                    .iter()
                    .any(|machine| machine.status == Status::TimeLimit)
                {
                    return Ok(None);
                }
                let _clock = clock.start(Phase::Testing);
                self.test(plan, method, &machines, monitor).map(Some)
            })
            .collect::<Result<_>>()?;
        Ok(cells.into_iter().collect())
    }

    fn test(
        &self,
        plan: &Plan<'_>,
        method: &LinearMethod,
        machines: &[LinearMachine],
        monitor: &Monitor,
    ) -> Result<Cell> {
        let (k, scheme) = (self.classes.len(), plan.scheme);
        let biases = try_collect(machines.iter().map(|machine| machine.bias), "biases")?;
        let mut all = LinearWeights::zeros(self.train.n_cols(), &biases)?;
        for (number, machine) in machines.iter().enumerate() {
            all.of_machine(number)[..machine.weights.len()].copy_from_slice(&machine.weights);
        }
        let mut n_support = 0;
        let mut patterns = scheme.uses_patterns(k).then(|| Patterns::new(k));
        all.visit(&self.train, monitor, |row, outputs| {
            let class = self.codes[row] as usize;
            n_support += u32::from(match (&self.targets, method.tube()) {
                (Some(targets), Some(epsilon)) => (targets[row] - outputs[0]).abs() >= epsilon,
                _ => is_support(scheme, k, class, outputs),
            });
            let weights = self.row_weights.as_ref();
            match &mut patterns {
                Some(patterns) => {
                    patterns.add(outputs, class, weights.map_or(1.0, |weights| weights[row]))
                }
                None => Ok(()),
            }
        })?;
        let mut votes = Votes::new(scheme, k, patterns.as_ref());
        let wanted = plan.wanted;
        let mut parts = vec![&self.test];
        if wanted.of_train() {
            parts.push(&self.train);
        }
        let n_rows: usize = parts.iter().map(|rows| rows.n_rows()).sum();
        let width = match wanted.decisions {
            Some(form) => form.width(scheme, k)?,
            None => 0,
        };
        let mut outputs = Outputs {
            predicted: try_with_capacity(n_rows, 1, "predictions")?,
            decisions: try_zeros(n_rows, width, "decision values")?,
        };
        for rows in parts {
            all.visit(rows, monitor, |_, values| {
                let row = outputs.predicted.len();
                let winner = votes.winner(values, plan.ties);
                outputs.predicted.push(self.classes[winner as usize]);
                let scores = &mut outputs.decisions[row * width..(row + 1) * width];
                match wanted.decisions {
                    None => {}
                    Some(Decisions::Classes) => votes.scores(values, scores),
                    Some(Decisions::Machines) => scores.copy_from_slice(values),
                }
                Ok(())
            })?;
        }
        let predicted = outputs.predicted.iter().copied();
        let scores = Counts::new(plan.n_classes)?.scores(&self.test_codes, predicted);
        if !wanted.predictions {
            outputs.predicted = Vec::new();
        }
        let unfinished = |machine: &&LinearMachine| machine.status != Status::Converged;
        Ok(Cell {
            scores,
            outputs,
            n_support,
            n_iter: machines.iter().map(|machine| machine.n_iter).sum(),
            n_loops: machines.len() as u64,
            n_kernel_evals: 0,
            n_unfinished: machines.iter().filter(unfinished).count() as u32,
            n_stalled: 0,
        })
    }
}

/// Whether a sample of `class` is on the wrong side of the margin of some binary classifier.
fn is_support(scheme: Scheme, k: usize, class: usize, outputs: &[f64]) -> bool {
    let label = |machine: usize| scheme.sides(machine, k).label(class);
    let mut each = outputs.iter().enumerate();
    each.any(|(machine, output)| label(machine).is_some_and(|label| label * output <= 1.0))
}
