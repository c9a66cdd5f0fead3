//! The one door: every native computation detaches from the interpreter, runs in a thread pool of
//! our own, responds to Ctrl-C, and returns a result or raises an exception. Only computations of
//! about a millisecond run in the calling thread.

use super::limits::Limits;
use crate::memory::{check_headroom, drop_buffers};
use crate::monitor::Monitor;
use crate::{Error, Result, threads};
use pyo3::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

/// The interval at which the waiting thread checks for signals and reports progress.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Runs `work` as [`run_within`] does, with a number of threads and no other limit.
pub fn run<R: Send>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce(&Monitor) -> Result<R> + Send,
) -> PyResult<R> {
    run_within(py, &Limits::threads(threads), work)
}

/// Runs work of less than a few milliseconds in the calling thread, since waking a pool would take
/// longer. The work must not need a pool.
pub fn run_briefly<R: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Monitor) -> Result<R> + Send,
) -> PyResult<R> {
    let monitor = &Monitor::new();
    match py.detach(|| catch_unwind(AssertUnwindSafe(|| work(monitor)))) {
        Ok(result) => Ok(result?),
        Err(panic) => Err(Error::Internal(message_of(&*panic)).into()),
    }
}

/// Runs `work` in a pool of our own, within limits of threads and time. The calling thread only
/// waits: it lets Python handle signals, and calls the progress function if there is one. The
/// first exception of either stops the work and is raised.
pub fn run_within<R: Send>(
    py: Python<'_>,
    limits: &Limits,
    work: impl FnOnce(&Monitor) -> Result<R> + Send,
) -> PyResult<R> {
    let threads = limits.threads;
    check_headroom(threads)?;
    let monitor = &Monitor::with_time_limit(limits.duration());
    let mut outcome = None;
    let mut raised = None;
    py.detach(|| {
        let (done, finished) = sync_channel::<()>(1);
        let outcome = &mut outcome;
        threads::with_pool(threads, |pool| {
            pool.in_place_scope(|scope| {
                scope.spawn(move |_| {
                    *outcome = Some(catch_unwind(AssertUnwindSafe(|| work(monitor))));
                    drop_buffers();
                    drop(done);
                });
                while let Err(RecvTimeoutError::Timeout) = finished.recv_timeout(POLL_INTERVAL) {
                    if raised.is_none()
                        && let Err(exception) = poll(limits.progress.as_ref(), monitor)
                    {
                        monitor.interrupt();
                        raised = Some(exception);
                    }
                }
            });
        })
    })?;
    match (raised, outcome) {
        // The caller asked to stop, so that results which were finished meanwhile are dropped.
        (Some(exception), _) => Err(exception),
        (None, Some(Ok(result))) => Ok(result?),
        (None, Some(Err(panic))) => Err(Error::Internal(message_of(&*panic)).into()),
        (None, None) => Err(Error::Internal("the work was not started".into()).into()),
    }
}

fn poll(progress: Option<&Py<PyAny>>, monitor: &Monitor) -> PyResult<()> {
    Python::attach(|py| {
        py.check_signals()?;
        if let Some(progress) = progress {
            progress.call1(py, (monitor.steps(),))?;
        }
        Ok(())
    })
}

fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".into())
}

/// For the test of the door: panics in the pool.
#[pyfunction]
pub fn inject_panic(py: Python<'_>, threads: usize) -> PyResult<()> {
    run(py, threads, |_| panic!("injected by a test"))
}
