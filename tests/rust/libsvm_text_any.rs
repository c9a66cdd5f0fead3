//! Random LIBSVM text: for any bytes in pieces of any size, the reader agrees with a slow and
//! simple one. `PROPTEST_CASES` sets the number of texts.

use proptest::prelude::*;
use softmargin::data::libsvm_text::{ReadOptions, Reader};
use softmargin::data::{Csr, Real};
use softmargin::{Error, Result};

/// A label, and the columns and values of nonzero features.
type Row<T> = (f64, Vec<(u32, T)>);
/// Samples and the number of columns; or the number of the invalid line, 0 for no samples.
type Outcome<T> = std::result::Result<(Vec<Row<T>>, usize), u64>;

/// A simple reader that follows the definition: lines without comments, split into words.
fn plain_reader<T: Decimal>(text: &[u8], options: ReadOptions) -> Outcome<T> {
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    let (mut rows, mut width) = (Vec::new(), 0);
    for (number, line) in (1_u64..).zip(text.split(|&byte| byte == b'\n')) {
        let before_comment = line.split(|&byte| byte == b'#').next().unwrap_or_default();
        let words = before_comment.split(|byte| b" \t\r".contains(byte));
        let words: Vec<&[u8]> = words.filter(|word| !word.is_empty()).collect();
        if let Some((label, words)) = words.split_first() {
            let (row, n_cols) = plain_row(label, words, options).ok_or(number)?;
            rows.push(row);
            width = width.max(n_cols);
        }
    }
    let n_cols = options.n_features.unwrap_or(width);
    if rows.is_empty() {
        Err(0)
    } else {
        Ok((rows, n_cols))
    }
}

fn plain_row<T: Decimal>(
    label: &[u8],
    words: &[&[u8]],
    options: ReadOptions,
) -> Option<(Row<T>, usize)> {
    let is_query = |word: &[u8]| word.strip_prefix(b"qid:").is_some_and(is_digits);
    let has_query = words.first().is_some_and(|word| is_query(word));
    let (mut entries, mut n_cols) = (Vec::new(), 0);
    for word in &words[usize::from(has_query)..] {
        let colon = word.iter().position(|&byte| byte == b':')?;
        let (index, value) = (&word[..colon], decimal::<T>(&word[colon + 1..])?);
        let index = index.strip_prefix(b"+").unwrap_or(index);
        let index: u64 = is_digits(index).then(|| text(index).parse().ok())??;
        let column = index.checked_sub(u64::from(!options.zero_based))?;
        let most = options.n_features.map_or(u64::MAX, |n| n as u64);
        if index > i32::MAX as u64 || column >= most || column < n_cols {
            return None;
        }
        n_cols = column + 1;
        if value != T::ZERO {
            entries.push((column as u32, value));
        }
    }
    Some(((decimal::<f64>(label)?, entries), n_cols as usize))
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or("not a text")
}

fn is_digits(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(u8::is_ascii_digit)
}

/// Numbers that the standard library parses.
trait Decimal: Real {
    fn standard(text: &str) -> Option<Self>;
}

impl Decimal for f32 {
    fn standard(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

impl Decimal for f64 {
    fn standard(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

/// A finite number; the standard library also accepts words such as `inf`.
fn decimal<T: Decimal>(bytes: &[u8]) -> Option<T> {
    let is_plain = bytes.iter().all(|byte| b"0123456789+-.eE".contains(byte));
    let value = is_plain.then(|| T::standard(text(bytes)))??;
    value.is_finite().then_some(value)
}

fn rows_of<T: Real>((rows, labels): (Csr<'_, T>, Vec<f64>)) -> Vec<Row<T>> {
    let row = |(i, label)| {
        let (columns, values) = rows.row(i);
        (
            label,
            columns
                .iter()
                .copied()
                .zip(values.iter().copied())
                .collect(),
        )
    };
    labels.into_iter().enumerate().map(row).collect()
}

/// Splits a text into pieces of these sizes, repeatedly.
fn pieces<'t>(mut text: &'t [u8], sizes: &[usize]) -> Vec<&'t [u8]> {
    let mut all = Vec::new();
    for &size in sizes.iter().cycle() {
        let (piece, rest) = text.split_at(size.min(text.len()));
        all.push(piece);
        text = rest;
        if text.is_empty() {
            break;
        }
    }
    all
}

fn outcome<T: Real>(read: Result<(Vec<Row<T>>, usize)>) -> Outcome<T> {
    read.map_err(|error| match error {
        Error::Text { line, message } => {
            assert!((1..300).contains(&message.len()), "{message}");
            line
        }
        Error::Data(message) => {
            assert_eq!(message, "the file has no samples");
            0
        }
        other => panic!("{other:?}"),
    })
}

fn read_whole<T: Real>(pieces: &[&[u8]], options: ReadOptions) -> Result<(Vec<Row<T>>, usize)> {
    let mut reader = Reader::<T>::new(options);
    for piece in pieces {
        reader.feed(piece)?;
    }
    let found = reader.finish()?;
    let n_cols = found.0.n_cols();
    Ok((rows_of(found), n_cols))
}

/// Takes the samples after every piece, as for blocks of a long file.
fn read_taking<T: Real>(pieces: &[&[u8]], options: ReadOptions) -> Result<(Vec<Row<T>>, usize)> {
    let mut reader = Reader::<T>::new(options);
    let (mut rows, mut n_cols) = (Vec::new(), 0);
    for piece in pieces.iter().copied().chain([b"\n".as_slice()]) {
        reader.feed(piece)?;
        let taken = reader.take()?;
        n_cols = taken.0.n_cols();
        rows.extend(rows_of(taken));
    }
    if rows.is_empty() {
        return Err(Error::Data("the file has no samples".into()));
    }
    Ok((rows, n_cols))
}

/// All checks of one text.
fn assert_read<T: Decimal>(text: &[u8], options: ReadOptions, sizes: &[usize]) {
    let expected = plain_reader::<T>(text, options);
    let shown = text.escape_ascii();
    assert_eq!(
        outcome(read_whole::<T>(&[text], options)),
        expected,
        "{shown}"
    );
    let cut = pieces(text, sizes);
    assert_eq!(
        outcome(read_whole::<T>(&cut, options)),
        expected,
        "{shown} in {cut:?}"
    );
    assert_eq!(
        outcome(read_taking::<T>(&cut, options)),
        expected,
        "{shown} in {cut:?}"
    );
}

fn any_options() -> impl Strategy<Value = ReadOptions> {
    let n_features = prop_oneof![3 => Just(None), 1 => (0..9_usize).prop_map(Some)];
    (any::<bool>(), n_features).prop_map(|(zero_based, n_features)| ReadOptions {
        zero_based,
        n_features,
    })
}

fn any_sizes() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(1..12_usize, 1..5)
}

/// Numbers, and text that looks like a number.
fn any_number() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[+-]?[0-9]{1,3}(\\.[0-9]{0,4})?",
        2 => "[+-]?(\\.[0-9]{1,18}|[0-9]{1,22}\\.?[0-9]{0,5})([eE][+-]?[0-9]{1,3})?",
        1 => "nan|inf|-Infinity|0x1f|1_0|1,2|1e|e5|\\.|[+-]|[0-9]e9999|-0|\u{665}|1\u{0}",
    ]
}

/// Lines with a label and ascending indices, occasionally with an error.
fn any_line() -> impl Strategy<Value = String> {
    let index = prop_oneof![
        8 => (1..4_u64).boxed(),
        1 => prop::sample::select(vec![0, 2_147_483_646, 2_147_483_647, 2_147_483_648, 1 << 40]).boxed(),
    ];
    let pairs = prop::collection::vec((index, any_number()), 0..5);
    let blank = prop::sample::select(vec![" ", "  ", "\t", " \t ", "\r", ""]);
    let end = prop::sample::select(vec!["\n", "\r\n", " \n", " # 1:x\n", "#\n", "\n\n", ""]);
    let query = prop::sample::select(vec!["", "", "", "qid:7", "qid:x", "qid:"]);
    (any_number(), query, pairs, blank, end).prop_map(|(label, query, pairs, blank, end)| {
        let mut line = format!("{label} {query}{blank}");
        let mut last = 0;
        for (step, value) in pairs {
            last += step;
            line += &format!(" {last}:{value}");
        }
        line + blank + end
    })
}

proptest! {
    #[test]
    fn any_bytes_are_read_as_the_definition_says(
        text in prop::collection::vec(any::<u8>(), 0..120), options in any_options(), sizes in any_sizes(),
    ) {
        assert_read::<f64>(&text, options, &sizes);
    }

    #[test]
    fn any_words_are_read_as_the_definition_says(
        text in "(\u{feff})?[0-3:. #+eqid\n\t\r-]{0,60}", options in any_options(), sizes in any_sizes(),
    ) {
        assert_read::<f64>(text.as_bytes(), options, &sizes);
    }

    #[test]
    fn nearly_valid_lines_are_read_as_the_definition_says(
        lines in prop::collection::vec(any_line(), 0..7), options in any_options(), sizes in any_sizes(),
    ) {
        assert_read::<f64>(lines.concat().as_bytes(), options, &sizes);
        assert_read::<f32>(lines.concat().as_bytes(), options, &sizes);
    }

    #[test]
    fn a_changed_byte_is_read_as_the_definition_says(
        lines in prop::collection::vec(any_line(), 1..5),
        place in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        sizes in any_sizes(),
    ) {
        let mut text = lines.concat().into_bytes();
        text[place.index(lines.concat().len())] = byte;
        assert_read::<f64>(&text, ReadOptions::default(), &sizes);
    }
}
