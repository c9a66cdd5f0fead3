//! Votes and counts of the binary classifiers of one kernel on one split.

use super::evaluate::{Cell, Decisions, Outputs, Plan};
use super::scores::{Counts, Scores};
use super::split::Split;
use crate::Result;
use crate::memory::{try_filled, try_with_capacity, try_zeros};
use crate::model::Ballots;
use crate::multiclass::Patterns;
use crate::simd::Lanes;
use crate::solver::{Machine, Status};

/// Counts of the binary classifiers of one setting.
#[derive(Debug, Clone)]
pub struct Work {
    is_support: Vec<bool>,
    n_iter: u64,
    n_loops: u64,
    n_unfinished: u32,
    n_stalled: u32,
}

impl Work {
    /// All counts 0.
    pub fn new(n_train: usize) -> Result<Self> {
        Ok(Self {
            is_support: try_filled(n_train, 1, "flags of support vectors")?,
            n_iter: 0,
            n_loops: 0,
            n_unfinished: 0,
            n_stalled: 0,
        })
    }

    /// Adds a binary classifier.
    pub fn add(&mut self, machine: &Machine) {
        for &(row, _) in &machine.terms {
            self.is_support[row as usize] = true;
        }
        self.n_iter += machine.n_iter as u64;
        self.n_loops += machine.n_loops as u64;
        self.n_unfinished += u32::from(machine.status != Status::Converged);
        self.n_stalled += u32::from(machine.status == Status::Stalled);
    }

    /// The cell with these scores and outputs.
    pub fn cell(&self, scores: Scores, outputs: Outputs, n_kernel_evals: u64) -> Cell {
        Cell {
            scores,
            outputs,
            n_support: self.is_support.iter().filter(|&&is| is).count() as u32,
            n_iter: self.n_iter,
            n_loops: self.n_loops,
            n_kernel_evals,
            n_unfinished: self.n_unfinished,
            n_stalled: self.n_stalled,
        }
    }
}

/// The binary classifiers of one problem along the path, and their decision values for all
/// counted samples.
pub struct Tested {
    pub path: Vec<Machine>,
    pub outputs: Vec<f64>,
    /// Number of kernel values computed in f64.
    pub n_exact: u64,
}

/// Votes and counts of all binary classifiers so far, for each setting of the path.
pub struct Tally {
    ballots: Ballots,
    /// The decision values of all binary classifiers, sample by sample, if they are wanted.
    values: Vec<f64>,
    work: Vec<Work>,
    n_rows: usize,
    /// Number of all binary classifiers, and of those counted so far.
    n_machines: usize,
    n_added: usize,
    n_exact: u64,
}

impl Tally {
    /// For the decision values of `n_rows` samples.
    pub fn new<T: Lanes>(
        split: &Split<T>,
        plan: &Plan<'_>,
        n_rows: usize,
        n_settings: usize,
    ) -> Result<Self> {
        let (scheme, n_classes) = (plan.scheme, split.labels.n_classes());
        let n_machines = scheme.n_machines(n_classes)?;
        let work = (0..n_settings).map(|_| Work::new(split.n_train()));
        let by_class = plan.wanted.decisions == Some(Decisions::Classes);
        let n_values = match plan.wanted.decisions {
            Some(Decisions::Machines) => n_machines.saturating_mul(n_rows),
            _ => 0,
        };
        Ok(Self {
            ballots: Ballots::new(scheme, n_classes, n_rows, n_settings, plan.ties, by_class)?,
            values: try_zeros(n_values, n_settings, "decision values")?,
            work: work.collect::<Result<_>>()?,
            n_rows,
            n_machines,
            n_added: 0,
            n_exact: 0,
        })
    }

    /// Adds the next binary classifier.
    pub fn add(&mut self, tested: &Tested) {
        let outputs = tested.outputs.chunks_exact(self.n_rows.max(1));
        for (setting, outputs) in outputs.enumerate() {
            self.ballots.add(self.n_added, setting, outputs);
            let of_setting = self.values.iter_mut();
            let of_setting =
                of_setting.skip(setting * self.n_rows * self.n_machines + self.n_added);
            for (value, output) in of_setting.step_by(self.n_machines).zip(outputs) {
                *value = *output;
            }
        }
        for (work, machine) in self.work.iter_mut().zip(&tested.path) {
            work.add(machine);
        }
        self.n_added += 1;
        self.n_exact += tested.n_exact;
    }

    /// Number of kernel values computed in f64.
    pub fn n_exact(&self) -> u64 {
        self.n_exact
    }

    /// The cells of the path. If the training samples, sorted by class and with these weights, are
    /// evaluated as well, they come before the test samples.
    pub fn cells<T: Lanes>(
        &self,
        split: &Split<T>,
        plan: &Plan<'_>,
        row_weights: Option<&[f64]>,
        n_kernel_evals: u64,
    ) -> Result<Vec<Cell>> {
        let n_train = self.n_rows - split.test_codes.len();
        let mut counts = Counts::new(plan.n_classes)?;
        let mut cells = Vec::new();
        for (setting, work) in self.work.iter().enumerate() {
            let patterns = if plan.scheme.uses_patterns(split.labels.n_classes()) {
                Some(self.patterns(split, setting, row_weights)?)
            } else {
                None
            };
            let class_of = |row: usize| {
                let winner = self.ballots.winner(setting, row, patterns.as_ref());
                split.classes[winner as usize]
            };
            let scores = counts.scores(&split.test_codes, (n_train..self.n_rows).map(class_of));
            let mut outputs = Outputs::default();
            let mut rows = try_with_capacity(self.n_rows, 1, "samples")?;
            rows.extend(n_train..self.n_rows);
            if plan.wanted.of_train() {
                rows.extend(split.places()?.iter().map(|&place| place as usize));
            }
            if plan.wanted.predictions {
                outputs.predicted = try_with_capacity(rows.len(), 1, "predictions")?;
                outputs
                    .predicted
                    .extend(rows.iter().map(|&row| class_of(row)));
            }
            if let Some(form) = plan.wanted.decisions {
                let width = form.width(plan.scheme, split.labels.n_classes())?;
                outputs.decisions = try_zeros(rows.len(), width, "decision values")?;
                let out = outputs.decisions.chunks_exact_mut(width);
                for (out, &row) in out.zip(&rows) {
                    match form {
                        Decisions::Classes => {
                            self.ballots.scores(setting, row, patterns.as_ref(), out);
                        }
                        Decisions::Machines => {
                            let first = (setting * self.n_rows + row) * self.n_machines;
                            out.copy_from_slice(&self.values[first..first + width]);
                        }
                    }
                }
            }
            let n_kernel_evals = if setting == 0 { n_kernel_evals } else { 0 };
            cells.push(work.cell(scores, outputs, n_kernel_evals));
        }
        Ok(cells)
    }

    /// The patterns of the training samples.
    fn patterns<T: Lanes>(
        &self,
        split: &Split<T>,
        setting: usize,
        row_weights: Option<&[f64]>,
    ) -> Result<Patterns> {
        let labels = &split.labels;
        let mut patterns = Patterns::new(labels.n_classes());
        for class in 0..labels.n_classes() {
            for row in labels.rows_of(class) {
                let weight = row_weights.map_or(1.0, |weights| weights[row]);
                patterns.add_signs(self.ballots.signs(setting, row), class, weight)?;
            }
        }
        Ok(patterns)
    }
}
