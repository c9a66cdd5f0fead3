//! The text format of LIBSVM and svmlight, read and written in pieces of any size.
//!
//! ```text
//! file    = [BOM] { line newline } [line]
//! line    = [ label ["qid:" digits] { index ":" value } ] [ "#" anything ]
//! number  = [sign] (digits ["." [digits]] | "." digits) [("e" | "E") [sign] digits]
//! index   = ["+"] digits
//! ```
//!
//! Labels and values are numbers, rounded correctly to their type. Blanks are spaces, tabs and
//! carriage returns, so that both Unix and Windows line ends are accepted.
//!
//! Accepted: a byte order mark, blank lines, comments, no newline at the end,
//! rows without features, leading zeros or `+`, explicit zeros (they count toward the
//! number of features, but are not stored), a query number (it is ignored).
//!
//! Rejected, with the line number and the word: a missing label, multiple
//! labels (`1,2`), anything but a finite decimal number of the right type
//! (`nan`, `inf`, `0x1`, `1_000`, `1e999`, NUL bytes, broken UTF-8), an index
//! that is negative, 0 (unless `zero_based`), repeated, descending, above
//! 2^31 - 1 or beyond `n_features`, and blanks around the colon.

use super::{Csr, Matrix, Real};
use crate::memory::try_extend;
use crate::{Error, Result};
use std::borrow::Cow;
use std::ops::Range;

/// The largest index, as in LIBSVM, where it is an `int`.
const MAX_INDEX: u64 = i32::MAX as u64;

/// Options of the reader.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadOptions {
    /// Whether the first feature has index 0 instead of 1.
    pub zero_based: bool,
    /// The number of features; `None` uses the largest index of the file.
    pub n_features: Option<usize>,
}

/// Reads a file in pieces.
///
/// Time and memory are linear in the length of the file, independent of the size of the pieces.
/// After an error, all later calls return the same error.
#[derive(Debug, Clone)]
pub struct Reader<T: Real> {
    options: ReadOptions,
    lines: u64,
    /// The start of an incomplete line.
    carry: Vec<u8>,
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<T>,
    labels: Vec<f64>,
    /// One more than the largest column so far.
    width: usize,
    failed: Option<Error>,
}

impl<T: Real> Reader<T> {
    /// A reader at the start of a file.
    pub fn new(options: ReadOptions) -> Self {
        Self {
            options,
            lines: 0,
            carry: Vec::new(),
            offsets: vec![0],
            indices: Vec::new(),
            values: Vec::new(),
            labels: Vec::new(),
            width: 0,
            failed: None,
        }
    }

    /// Reads the next piece of the file, which may end anywhere, even inside of a number.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<()> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let fed = self.read_piece(bytes);
        self.failed = fed.clone().err();
        fed
    }

    /// Number of complete lines so far, including blank lines and comments.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// Number of rows read since the last call of `take`.
    pub fn n_rows(&self) -> usize {
        self.labels.len()
    }

    /// Returns the rows and labels read so far and removes them from the reader. Without
    /// `n_features`, the number of columns is the largest index so far.
    pub fn take(&mut self) -> Result<(Csr<'static, T>, Vec<f64>)> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let n_cols = self.options.n_features.unwrap_or(self.width);
        let offsets = std::mem::replace(&mut self.offsets, vec![0]);
        let indices = Cow::Owned(std::mem::take(&mut self.indices));
        let values = Cow::Owned(std::mem::take(&mut self.values));
        let rows = Csr::new(offsets, indices, values, n_cols)?;
        Ok((rows, std::mem::take(&mut self.labels)))
    }

    /// Reads a last line without a newline, and returns the rows and labels.
    pub fn finish(mut self) -> Result<(Csr<'static, T>, Vec<f64>)> {
        if self.failed.is_some() || !self.carry.is_empty() {
            self.feed(b"\n")?;
        }
        if self.labels.is_empty() {
            return Err(Error::Data("the file has no samples".into()));
        }
        let n_cols = self.options.n_features.unwrap_or(self.width);
        let (indices, values) = (Cow::Owned(self.indices), Cow::Owned(self.values));
        let rows = Csr::new(self.offsets, indices, values, n_cols)?;
        Ok((rows, self.labels))
    }

    /// Reads the lines that end in `bytes`, and keeps the start of the next line.
    fn read_piece(&mut self, bytes: &[u8]) -> Result<()> {
        let newline = bytes.iter().rposition(|&b| b == b'\n');
        let (lines, tail) = bytes.split_at(newline.map_or(0, |at| at + 1));
        if self.carry.is_empty() {
            self.read_lines(lines)?;
        } else if !lines.is_empty() {
            append(&mut self.carry, lines)?;
            let mut joined = std::mem::take(&mut self.carry);
            self.read_lines(&joined)?;
            joined.clear();
            self.carry = joined;
        }
        append(&mut self.carry, tail)
    }

    /// Reads complete lines.
    fn read_lines(&mut self, mut text: &[u8]) -> Result<()> {
        if self.lines == 0 {
            text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
        }
        while !text.is_empty() {
            text = skip_blanks(text);
            if !at_line_end(text) {
                text = self.read_row(text)?;
            }
            let newline = text.iter().position(|&b| b == b'\n');
            text = text.split_at(newline.map_or(text.len(), |at| at + 1)).1;
            self.lines += 1;
        }
        Ok(())
    }

    /// Reads a row and returns the rest of the text, from the end of the line or its comment.
    fn read_row<'b>(&mut self, text: &'b [u8]) -> Result<&'b [u8]> {
        let line = self.lines + 1;
        let refuse = |message| Err(Error::Text { line, message });
        let base = u64::from(!self.options.zero_based);
        let n_features = self.options.n_features.map_or(u64::MAX, |n| n as u64);
        let allowed = n_features.min(MAX_INDEX + 1 - base);
        let Some((label, rest)) = number(text) else {
            return refuse(label_fault(text));
        };
        let mut text = skip_blanks(skip_query(skip_blanks(rest)));
        let mut least = 0;
        while !at_line_end(text) {
            // Index 0 of a one-based file wraps around, and is rejected as too large.
            let (column, value, rest) = match pair::<T>(text) {
                Some((index, value, rest)) => (index.wrapping_sub(base), value, rest),
                None => (u64::MAX, T::ZERO, text),
            };
            if column < least || column >= allowed {
                return refuse(pair_fault::<T>(text, least + base, base));
            }
            if value != T::ZERO {
                append(&mut self.indices, &[column as u32])?;
                append(&mut self.values, &[value])?;
            }
            least = column + 1;
            text = skip_blanks(rest);
        }
        self.width = self.width.max(least as usize);
        append(&mut self.labels, &[label])?;
        append(&mut self.offsets, &[self.values.len()])?;
        Ok(text)
    }
}

/// Appends to a buffer of the reader.
fn append<V: Copy>(all: &mut Vec<V>, more: &[V]) -> Result<()> {
    try_extend(all, more, "the rows of a text file")
}

fn skip_blanks(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t' | b'\r', rest @ ..] = text {
        text = rest;
    }
    text
}

fn at_line_end(text: &[u8]) -> bool {
    matches!(text, [] | [b'\n' | b'#', ..])
}

fn at_word_end(text: &[u8]) -> bool {
    matches!(text, [] | [b' ' | b'\n' | b'\t' | b'\r' | b'#', ..])
}

/// Skips `qid:N`; anything else is left to [`pair`].
fn skip_query(text: &[u8]) -> &[u8] {
    let query = text.strip_prefix(b"qid:").unwrap_or_default();
    let (_, rest) = digits(0, query);
    let is_query = rest.len() < query.len() && at_word_end(rest);
    if is_query { rest } else { text }
}

/// Appends the leading digits of `text` to `value`, which is exact up to 2^60.
fn digits(mut value: u64, mut text: &[u8]) -> (u64, &[u8]) {
    while let [digit @ b'0'..=b'9', rest @ ..] = text {
        value = (value * 10 + u64::from(digit - b'0')).min(1 << 60);
        text = rest;
    }
    (value, text)
}

/// An index with its colon, and the rest of the text.
fn index(text: &[u8]) -> Option<(u64, &[u8])> {
    let unsigned = text.strip_prefix(b"+").unwrap_or(text);
    let (index, rest) = digits(0, unsigned);
    (rest.len() < unsigned.len()).then_some((index, rest.strip_prefix(b":")?))
}

/// `index:value`, and the rest of the text.
fn pair<T: Real>(text: &[u8]) -> Option<(u64, T, &[u8])> {
    let (index, text) = index(text)?;
    // A fast path for single digits: the values of many data sets are all ones.
    let (value, rest) = match text {
        [digit @ b'0'..=b'9', rest @ ..] if at_word_end(rest) => {
            (T::from_f64(f64::from(digit - b'0')), rest)
        }
        _ => number(text)?,
    };
    Some((index, value, rest))
}

/// A finite number that ends with its word, and the rest of the text.
fn number<T: Real>(text: &[u8]) -> Option<(T, &[u8])> {
    let (negative, unsigned) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text.strip_prefix(b"+").unwrap_or(text)),
    };
    let (mut mantissa, mut rest) = digits(0, unsigned);
    let (mut n_digits, mut n_decimals) = (unsigned.len() - rest.len(), 0);
    if let [b'.', decimals @ ..] = rest {
        (mantissa, rest) = digits(mantissa, decimals);
        n_decimals = decimals.len() - rest.len();
        n_digits += n_decimals;
    }
    let (value, rest) = match quotient::<T>(mantissa, n_digits, n_decimals) {
        _ if n_digits == 0 => return None,
        Some(value) if at_word_end(rest) => (value, rest),
        _ => long_number(unsigned)?,
    };
    Some((if negative { -value } else { value }, rest))
}

/// `mantissa / 10^n_decimals` if both are exact in the type, so that only the division rounds:
/// 15 digits are less than 2^53, and 10^10 is exact in `f32`.
fn quotient<T: Real>(mantissa: u64, n_digits: usize, n_decimals: usize) -> Option<T> {
    if !(1..=15).contains(&n_digits) {
        return None;
    }
    let power = 10_u64.pow(n_decimals as u32);
    if !is_single::<T>() {
        return Some(T::from_f64(mantissa as f64 / power as f64));
    }
    let exact = mantissa < 1 << 24 && n_decimals <= 10;
    exact.then(|| T::from_f64(f64::from(mantissa as f32 / power as f32)))
}

/// Any decimal number without a sign.
#[inline(never)]
fn long_number<T: Real>(text: &[u8]) -> Option<(T, &[u8])> {
    let (value, length) = if is_single::<T>() {
        let (value, length) = fast_float2::parse_partial::<f32, _>(text).ok()?;
        (f64::from(value), length)
    } else {
        fast_float2::parse_partial(text).ok()?
    };
    let rest = text.get(length..)?;
    (value.is_finite() && at_word_end(rest)).then_some((T::from_f64(value), rest))
}

const fn is_single<T: Real>() -> bool {
    size_of::<T>() == size_of::<f32>()
}

/// The word at the start of `text`.
fn word(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|&b| at_word_end(&[b]));
    text.split_at(end.unwrap_or(text.len())).0
}

/// A word for an error message: escaped, at most 40 characters.
fn quoted(word: &[u8]) -> String {
    let start = String::from_utf8_lossy(word.get(..4 * 41).unwrap_or(word));
    let shown: String = start.chars().take(40).collect();
    let more = if shown.len() < start.len() { "…" } else { "" };
    format!("{shown:?}{more}")
}

/// The error message for an invalid label.
#[cold]
fn label_fault(text: &[u8]) -> String {
    let (word, label) = (word(text), quoted(word(text)));
    if word.contains(&b':') {
        format!("the label is missing; the line starts with {label}")
    } else if word.contains(&b',') {
        format!("the label {label} contains a comma, but multiple labels are not supported")
    } else {
        format!("the label {label} is not a finite decimal number")
    }
}

/// The error message for an invalid `index:value`, whose index must be at least `least`.
#[cold]
fn pair_fault<T: Real>(text: &[u8], least: u64, base: u64) -> String {
    let word = quoted(word(text));
    let Some((index, value)) = index(text) else {
        return format!(
            "{word} is not of the form index:value with an integer index of at least {base}"
        );
    };
    if number::<T>(value).is_none() {
        format!("the value of {word} is not a finite {} number", T::NAME)
    } else if index < base {
        format!("{word} has index 0, but indices start at 1 unless zero_based is set")
    } else if index > MAX_INDEX {
        format!("{word} has an index above {MAX_INDEX}")
    } else if index < least {
        let last = least - 1;
        format!("{word} comes after index {last}, but indices must ascend")
    } else {
        format!("{word} has an index beyond n_features")
    }
}

/// Appends the rows `range` as text to `out`.
///
/// Each number is the shortest decimal that parses to the same value. Zeros are not written, so
/// that reading restores the number of features only with [`ReadOptions::n_features`]. After an
/// error, `out` contains the rows before it.
pub fn write<T: Real>(
    rows: &Matrix<'_, T>,
    labels: &[f64],
    range: Range<usize>,
    zero_based: bool,
    out: &mut Vec<u8>,
) -> Result<()> {
    let (n_rows, n_labels) = (rows.n_rows(), labels.len());
    let (true, Some(chosen)) = (n_rows == n_labels, labels.get(range.clone())) else {
        return Err(Error::Shape(format!(
            "cannot write rows {range:?} of {n_rows} rows with {n_labels} labels"
        )));
    };
    let (base, n_cols) = (u32::from(!zero_based), rows.n_cols());
    if n_cols as u64 > MAX_INDEX + 1 - u64::from(base) {
        let message = format!("{n_cols} features are too many for indices up to {MAX_INDEX}");
        return Err(Error::Shape(message));
    }
    for (i, &label) in range.zip(chosen) {
        if !label.is_finite() {
            let message = format!("the label of row {i} is {label}; every label must be finite");
            return Err(Error::Data(message));
        }
        write_number(label, out);
        match rows {
            Matrix::Dense(m) => write_pairs((base..).zip(m.row(i)), out),
            Matrix::Sparse(m) => {
                let (columns, values) = m.row(i);
                write_pairs(columns.iter().map(|c| c + base).zip(values), out);
            }
        }
        out.push(b'\n');
    }
    Ok(())
}

/// Appends `index:value` for all nonzero values.
fn write_pairs<'v, T: Real>(pairs: impl Iterator<Item = (u32, &'v T)>, out: &mut Vec<u8>) {
    for (index, &value) in pairs.filter(|&(_, &value)| value != T::ZERO) {
        out.push(b' ');
        write_number(f64::from(index), out);
        out.push(b':');
        write_number(value, out);
    }
}

/// Appends a finite number: small integers as digits, others as formatted by `ryu`.
fn write_number<T: Real>(value: T, out: &mut Vec<u8>) {
    let whole = value.to_f64() as u32;
    if whole > 0 && f64::from(whole) == value.to_f64() {
        return out.extend_from_slice(whole.to_string().as_bytes());
    }
    let mut buffer = ryu::Buffer::new();
    let text = match is_single::<T>() {
        true => buffer.format_finite(value.to_f64() as f32),
        false => buffer.format_finite(value.to_f64()),
    };
    out.extend_from_slice(text.strip_suffix(".0").unwrap_or(text).as_bytes());
}
