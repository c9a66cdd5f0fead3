//! Cholesky factorization of large matrices: block by block, so that it can be interrupted, and in
//! parallel, with the same bits for any number of threads.
//!
//! This is the left-looking blocked algorithm, with the kernels of the crate `faer`. For each block
//! of columns: subtract the product of the columns before it, factorize the diagonal block, and
//! solve for the rows below. Rows are split into pieces of a fixed height, which are independent.

use crate::Result;
use crate::monitor::Monitor;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor;
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, MatMut, MatRef, Par};

/// Columns per block.
const WIDTH: usize = 128;

/// Rows per piece.
const HEIGHT: usize = 512;

/// Replaces the lower triangle of a symmetric `m` x `m` matrix by its factor; `false` if it is
/// not positive definite, or if the time limit was reached.
pub fn factorize(values: &mut [f64], m: usize, monitor: &Monitor) -> Result<bool> {
    let mut matrix = MatMut::from_column_major_slice_mut(values, m, m);
    let needed = factor::cholesky_in_place_scratch::<f64>(WIDTH, Par::Seq, Default::default());
    let mut memory = MemBuffer::new(needed);
    for start in (0..m).step_by(WIDTH) {
        monitor.check()?;
        if monitor.time_is_up() {
            return Ok(false);
        }
        let width = WIDTH.min(m - start);
        let (before, rest) = matrix.as_mut().split_at_col_mut(start);
        let before = before.as_ref().subrows(start, m - start);
        let block = rest.subcols_mut(0, width).subrows_mut(start, m - start);
        let top = before.subrows(0, width);
        in_pieces(block, 0, &|piece, first| {
            let rows = before.subrows(first, piece.nrows());
            matmul(piece, Accum::Add, rows, top.transpose(), -1.0, Par::Seq);
        });
        let rest = matrix.as_mut().subcols_mut(start, width);
        let (_, own) = rest.split_at_row_mut(start);
        let (mut diagonal, below) = own.split_at_row_mut(width);
        let stack = MemStack::new(&mut memory);
        let settings = (Default::default(), Default::default());
        if factor::cholesky_in_place(diagonal.as_mut(), settings.0, Par::Seq, stack, settings.1)
            .is_err()
        {
            return Ok(false);
        }
        let diagonal = diagonal.as_ref();
        in_pieces(below, 0, &|piece, _| {
            solve_lower_triangular_in_place(diagonal, piece.transpose_mut(), Par::Seq);
        });
    }
    Ok(true)
}

/// Solves `L L' x = b` in place, for one or several columns `b`.
pub fn solve(factor: &[f64], m: usize, sides: &mut [f64]) {
    use faer::linalg::cholesky::llt::solve as llt_solve;
    let n_sides = sides.len() / m.max(1);
    let factor = MatRef::from_column_major_slice(factor, m, m);
    let sides = MatMut::from_column_major_slice_mut(sides, m, n_sides);
    let needed = llt_solve::solve_in_place_scratch::<f64>(m, n_sides, Par::Seq);
    let mut memory = MemBuffer::new(needed);
    llt_solve::solve_in_place(factor, sides, Par::Seq, MemStack::new(&mut memory));
}

/// Calls `visit` with each piece of rows and the index of its first row, in parallel.
fn in_pieces(
    rows: MatMut<'_, f64>,
    first: usize,
    visit: &(impl Fn(MatMut<'_, f64>, usize) + Sync),
) {
    let n = rows.nrows();
    if n == 0 || rows.ncols() == 0 {
        return;
    }
    if n <= HEIGHT {
        return visit(rows, first);
    }
    let middle = (n / 2).next_multiple_of(HEIGHT).min(n);
    let (upper, lower) = rows.split_at_row_mut(middle);
    rayon::join(
        || in_pieces(upper, first, visit),
        || in_pieces(lower, first + middle, visit),
    );
}
