//! LIBSVM text is read as documented or rejected with the line number, and written text is read
//! back to the bit.

use proptest::prelude::*;
use softmargin::data::libsvm_text::{ReadOptions, Reader, write};
use softmargin::data::{Csr, Dense, Matrix, Real};
use softmargin::{Error, Result};
use std::borrow::Cow;

type Rows<T> = (Csr<'static, T>, Vec<f64>);

const ONE_BASED: ReadOptions = ReadOptions {
    zero_based: false,
    n_features: None,
};
const ZERO_BASED: ReadOptions = ReadOptions {
    zero_based: true,
    n_features: None,
};

fn read_pieces<'p, T: Real>(
    pieces: impl IntoIterator<Item = &'p [u8]>,
    options: ReadOptions,
) -> Result<Rows<T>> {
    let mut reader = Reader::new(options);
    for piece in pieces {
        reader.feed(piece)?;
    }
    reader.finish()
}

/// Reads a text at once, and checks that reading byte by byte has the same result.
fn read(text: impl AsRef<[u8]>, options: ReadOptions) -> Result<Rows<f64>> {
    let text = text.as_ref();
    let whole = read_pieces([text], options);
    assert_eq!(read_pieces(text.chunks(1), options), whole);
    whole
}

fn width(options: ReadOptions, n_features: usize) -> ReadOptions {
    ReadOptions {
        n_features: Some(n_features),
        ..options
    }
}

/// The line and the message of the error.
fn refusal(text: impl AsRef<[u8]>, options: ReadOptions) -> (u64, String) {
    match read(text.as_ref(), options) {
        Err(Error::Text { line, message }) => (line, message),
        other => panic!("{:?} gave {other:?}", text.as_ref().escape_ascii()),
    }
}

fn bits<T: Real>(rows: &Csr<'_, T>) -> Vec<u64> {
    let wide = rows.values().iter().map(|v| v.to_f64().to_bits());
    wide.collect()
}

#[test]
fn a_plain_file_gives_its_rows_and_labels() {
    let (rows, labels) = read("+1 1:0.5 3:-2\n-1 2:1e3\n", ONE_BASED).expect("valid");
    assert_eq!(labels, [1.0, -1.0]);
    assert_eq!(rows.offsets(), [0, 2, 3]);
    assert_eq!(rows.indices(), [0, 2, 1]);
    assert_eq!(rows.values(), [0.5, -2.0, 1000.0]);
    assert_eq!(rows.n_cols(), 3);
}

#[test]
fn documented_variants_are_equivalent() {
    let plain = read("1 1:0.5 3:2\n-1 2:1\n", ONE_BASED).expect("valid");
    for odd in [
        "1 1:0.5 3:2\r\n-1 2:1\r\n",
        "1\t1:0.5 \t  3:2   \n \t-1  2:1\t\n",
        "1 1:0.5 3:2\n-1 2:1",
        "1 1:0.5 3:2\r\n-1 2:1\r",
        "\n\n1 1:0.5 3:2\n  \r\n-1 2:1\n\n",
        "# head\n1 1:0.5 3:2 # 4:nan \u{fc}\n  #\n-1 2:1#tail",
        "\u{feff}1 1:0.5 3:2\n-1 2:1\n",
        "\u{feff}# only a comment\n1 1:0.5 3:2\n-1 2:1\n",
        "+1 +1:+.5 +3:2.\n-1.0 002:10e-1\n",
        "1e0 1:5E-1 2:0 3:0.2e+1\n-1 1:-0.0 2:1 3:0e9\n",
        "1 qid:7 1:0.5 3:2\n-1  qid:12\t2:1\n",
    ] {
        assert_eq!(read(odd, ONE_BASED), Ok(plain.clone()), "{odd:?}");
    }
    let noise = b"1 1:0.5 3:2 #\xff\xfe\0\n-1 2:1\n";
    assert_eq!(read(noise, ONE_BASED), Ok(plain.clone()));
    assert_eq!(read("1 0:0.5 2:2\n-1 1:1\n", ZERO_BASED), Ok(plain));
}

#[test]
fn rows_may_be_empty_and_explicit_zeros_only_count_as_features() {
    let (rows, labels) = read("1\n2 # none\n3 4:0 9:0\n", ONE_BASED).expect("valid");
    assert_eq!(labels, [1.0, 2.0, 3.0]);
    assert_eq!(rows.offsets(), [0, 0, 0, 0]);
    assert_eq!((rows.n_rows(), rows.n_cols()), (3, 9));
    let (rows, _) = read("1\n", ONE_BASED).expect("valid");
    assert_eq!(rows.n_cols(), 0);
}

#[test]
fn the_number_of_features_can_be_given() {
    let (rows, _) = read("1 2:1\n", width(ONE_BASED, 5)).expect("valid");
    assert_eq!(rows.n_cols(), 5);
    assert!(read("1 5:1\n", width(ONE_BASED, 5)).is_ok());
    assert!(read("1 4:1\n", width(ZERO_BASED, 5)).is_ok());
    let (line, message) = refusal("1 5:1\n1 6:1\n", width(ONE_BASED, 5));
    assert_eq!(line, 2);
    assert!(message.contains("\"6:1\"") && message.contains("n_features"));
    assert_eq!(refusal("1 5:0\n", width(ZERO_BASED, 5)).0, 1);
    assert_eq!(refusal("1 1:1\n", width(ONE_BASED, 0)).0, 1);
}

#[test]
fn invalid_words_are_rejected_with_the_line_and_quoted() {
    for (word, hint) in [
        ("0:1", "zero_based"),
        ("00:1", "index 0"),
        ("-1:1", "integer index"),
        ("1.5:1", "integer index"),
        ("a:b", "integer index"),
        (":1", "integer index"),
        (":", "integer index"),
        ("5", "index:value"),
        ("qid:1", "index:value"),
        ("1:", "finite float64"),
        ("1:a", "finite float64"),
        ("1:nan", "finite float64"),
        ("1:-inf", "finite float64"),
        ("1:Infinity", "finite float64"),
        ("1:0x10", "finite float64"),
        ("1:1_000", "finite float64"),
        ("1:1,5", "finite float64"),
        ("1:1e999", "finite float64"),
        ("1:1e", "finite float64"),
        ("1:.", "finite float64"),
        ("1:+-1", "finite float64"),
        ("1:1:1", "finite float64"),
        ("2147483648:1", "2147483647"),
        ("99999999999999999999999:1", "2147483647"),
    ] {
        for after in ["", "\n", " 7:1\n", "\t# comment", "\r\n3 1:1\n"] {
            let text = format!("# head\n1 1:1\n-1 {word}{after}");
            // A query number belongs directly after the label.
            let text = text.replace("-1 qid", "-1 1:1 qid");
            let (line, message) = refusal(&text, ONE_BASED);
            assert_eq!(line, 3, "{text:?}");
            assert!(message.contains(&format!("{word:?}")), "{message}");
            assert!(message.contains(hint), "{message}");
        }
    }
    assert!(read("1 2147483647:1\n", ONE_BASED).is_ok());
    assert!(read("1 2147483647:1\n", ZERO_BASED).is_ok());
    for text in [
        "1 qid:x 1:1",
        "1 qid: 1:1",
        "1 qid:1 qid:2",
        "1 1 :1",
        "1 1: 1",
    ] {
        assert_eq!(refusal(text, ONE_BASED).0, 1);
    }
}

#[test]
fn indices_must_ascend() {
    for (row, after) in [("1 3:1 2:1", 3), ("1 2:1 2:1", 2), ("1 2:0 2:1", 2)] {
        let (line, message) = refusal(format!("1 9:1\n{row}\n"), ONE_BASED);
        assert_eq!(line, 2);
        let hint = format!("\"2:1\" comes after index {after}");
        assert!(message.contains(&hint), "{message}");
    }
    let (_, message) = refusal("1 0:1 0:2\n", ZERO_BASED);
    assert!(message.contains("\"0:2\" comes after index 0"), "{message}");
}

#[test]
fn invalid_labels_are_rejected_with_the_line() {
    for (label, hint) in [
        ("1:1", "label is missing"),
        (":1", "label is missing"),
        ("1,2", "multiple labels are not supported"),
        ("yes", "not a finite decimal number"),
        ("nan", "not a finite decimal number"),
        ("inf", "not a finite decimal number"),
        ("1e400", "not a finite decimal number"),
        ("\u{fc}", "not a finite decimal number"),
    ] {
        let (line, message) = refusal(format!("1 1:1\n\n{label} 2:1\n"), ONE_BASED);
        assert_eq!(line, 3);
        assert!(message.contains(hint), "{message}");
        assert!(message.contains(&format!("{label:?}")), "{message}");
    }
}

#[test]
fn other_bytes_are_rejected_outside_of_comments() {
    for text in [
        b"1 1:\xff\n".as_slice(),
        b"1 1:1\0\n",
        b"\x001 1:1\n",
        b"1 1:1 \xc3",
    ] {
        assert_eq!(refusal(text, ONE_BASED).0, 1);
    }
    // A byte order mark is accepted only at the start of the file.
    assert_eq!(refusal("1 1:1\n\u{feff}1 1:1\n", ONE_BASED).0, 2);
}

#[test]
fn a_long_invalid_word_is_truncated_and_escaped() {
    let (_, message) = refusal(format!("1 {}\n", "\u{fc}".repeat(1000)), ONE_BASED);
    let shown = message.matches('\u{fc}').count();
    assert_eq!(shown, 40);
    assert!(message.contains('…'));
    let (_, message) = refusal("1 \u{1b}[31m\0\n", ONE_BASED);
    assert!(!message.contains(char::is_control), "{message:?}");
}

#[test]
fn a_file_without_samples_is_rejected() {
    for text in ["", "\n", "\u{feff}", "# nothing\n\n  \r\n# more"] {
        let empty = Error::Data("the file has no samples".into());
        assert_eq!(read(text, ONE_BASED), Err(empty));
    }
}

#[test]
fn lines_are_counted_and_an_error_stays() {
    let mut reader = Reader::<f32>::new(ONE_BASED);
    reader.feed(b"1 1:1\n# c\n\n2 1").expect("valid so far");
    assert_eq!(reader.lines(), 3);
    let first = reader.feed(b":x\n3 1:1\n");
    assert!(matches!(first, Err(Error::Text { line: 4, .. })));
    assert_eq!(reader.feed(b"5 1:1\n"), first);
    assert_eq!(reader.lines(), 3);
    assert_eq!(reader.finish().err(), first.err());
}

#[test]
fn a_very_long_line_in_tiny_pieces_takes_linear_time() {
    let pairs: Vec<String> = (1..=400_000).map(|i| format!("{i}:0.25")).collect();
    let text = format!("1 {}", pairs.join(" "));
    let whole = read(&text, ONE_BASED).expect("valid");
    assert_eq!(whole.0.n_cols(), 400_000);
    assert_eq!(read_pieces(text.as_bytes().chunks(3), ONE_BASED), Ok(whole));
}

#[test]
fn hard_decimals_are_rounded_correctly() {
    let tiny = format!("0.{}1e70001", "0".repeat(70_000));
    for text in [
        "9007199254740993",
        "2.2250738585072011e-308",
        "5e-324",
        "1.7976931348623157e308",
        "16777217",
        "1.00000017881393432617187499",
        "1.00000017881393432617187500",
        "2.13064444065094",
        "4.84575343132019",
        "8.5899345920000004",
        "123456789012345.6",
        ".000000000000001",
        "1e23",
        "1e-400",
        &tiny,
    ] {
        assert_rounded(text);
    }
}

/// A decimal is rounded as by the standard library, in both types.
fn assert_rounded(decimal: &str) {
    let text = format!("{decimal} 1:1 2:{decimal}");
    let (single, double) = (decimal.parse::<f32>(), decimal.parse::<f64>());
    let (single, double) = (single.expect("a number"), double.expect("a number"));
    match read_pieces::<f64>([text.as_bytes()], ONE_BASED) {
        Ok((rows, labels)) => {
            let value = rows.values().get(1).copied().unwrap_or(0.0);
            assert_eq!(value, double, "{decimal}");
            assert_eq!(labels, [double], "{decimal}");
        }
        Err(_) => assert!(double.is_infinite(), "{decimal}"),
    }
    match read_pieces::<f32>([text.as_bytes()], ONE_BASED) {
        Ok((rows, _)) => {
            let value = rows.values().get(1).copied().unwrap_or(0.0);
            assert_eq!(value, single, "{decimal}");
        }
        Err(_) => assert!(single.is_infinite(), "{decimal}"),
    }
}

#[test]
fn numbers_are_written_short_and_zeros_not_at_all() {
    let values = vec![1.0, 0.0, -0.5, 0.0, 1e-7, 1e300];
    let dense = Matrix::Dense(Dense::new(Cow::Owned(values), 2, 3).expect("valid"));
    let mut out = Vec::new();
    write(&dense, &[1.0, -2.5], 0..2, false, &mut out).expect("valid");
    assert_eq!(
        out.escape_ascii().to_string(),
        r"1 1:1 3:-0.5\n-2.5 2:1e-7 3:1e300\n"
    );
    write(&dense, &[1.0, 3.0], 1..2, true, &mut out).expect("valid");
    assert!(out.ends_with(b"\n3 1:1e-7 2:1e300\n"), "appends");
    let single = Dense::new(Cow::Owned(vec![0.1_f32, 16777216.0]), 1, 2).expect("valid");
    let mut out = Vec::new();
    write(&Matrix::Dense(single), &[0.0], 0..1, false, &mut out).expect("valid");
    assert_eq!(out, b"0 1:0.1 2:16777216\n");
}

#[test]
fn values_that_cannot_be_read_back_are_not_written() {
    let rows = |n_cols| Csr::new(vec![0, 1], vec![0].into(), vec![1.0_f64].into(), n_cols);
    let narrow = Matrix::Sparse(rows(1).expect("valid"));
    let mut out = Vec::new();
    let shape = |r| matches!(r, Err(Error::Shape(_)));
    assert!(shape(write(&narrow, &[1.0, 1.0], 0..1, false, &mut out)));
    assert!(shape(write(&narrow, &[1.0], 0..2, false, &mut out)));
    #[allow(clippy::reversed_empty_ranges)]
    let reversed = 1..0;
    assert!(shape(write(&narrow, &[1.0], reversed, false, &mut out)));
    let wide = Matrix::Sparse(rows(1 << 31).expect("valid"));
    assert!(shape(write(&wide, &[1.0], 0..1, false, &mut out)));
    let nan = write(&narrow, &[f64::NAN], 0..1, false, &mut out);
    assert!(matches!(nan, Err(Error::Data(_))));
    assert!(out.is_empty());
    write(&wide, &[1.0], 0..1, true, &mut out).expect("2^31 features fit from 0 on");
    let widest = Matrix::Sparse(rows(usize::MAX).expect("valid"));
    assert!(shape(write(&widest, &[1.0], 0..1, false, &mut out)));
}

/// Samples with up to 8 nonzero values of 50 features, and their labels.
fn any_rows<T: Real>(value: impl Strategy<Value = T>) -> impl Strategy<Value = Rows<T>> {
    let row = prop::collection::btree_map(0..50_u32, value, 0..8);
    prop::collection::vec((row, any::<f64>()), 1..12).prop_map(|drawn| {
        let (mut offsets, mut indices, mut values) = (vec![0], vec![], vec![]);
        let mut labels = vec![];
        for (row, label) in drawn {
            let kept = row
                .into_iter()
                .filter(|(_, v)| v.is_finite() && *v != T::ZERO);
            for (column, value) in kept {
                indices.push(column);
                values.push(value);
            }
            offsets.push(values.len());
            labels.push(if label.is_finite() { label } else { 1.0 });
        }
        let rows = Csr::new(offsets, indices.into(), values.into(), 50).expect("valid");
        (rows, labels)
    })
}

fn assert_round_trip<T: Real>((rows, labels): Rows<T>, zero_based: bool) {
    let mut text = Vec::new();
    let all = Matrix::Sparse(rows.clone());
    write(&all, &labels, 0..rows.n_rows(), zero_based, &mut text).expect("valid");
    let base = if zero_based { ZERO_BASED } else { ONE_BASED };
    let options = width(base, 50);
    let (back, back_labels) = read_pieces::<T>([text.as_slice()], options).expect("valid");
    assert_eq!(back, rows);
    assert_eq!(bits(&back), bits(&rows));
    let label_bits = |all: &[f64]| all.iter().map(|l| l.to_bits()).collect::<Vec<_>>();
    assert_eq!(label_bits(&back_labels), label_bits(&labels));
    let bytewise = read_pieces::<T>(text.chunks(1), options);
    assert_eq!(bytewise, Ok((back, back_labels)));
}

proptest! {
    #[test]
    fn written_doubles_read_back_to_the_bit(rows in any_rows(any::<f64>()), zero in any::<bool>()) {
        assert_round_trip(rows, zero);
    }

    #[test]
    fn written_singles_read_back_to_the_bit(rows in any_rows(any::<f32>()), zero in any::<bool>()) {
        assert_round_trip(rows, zero);
    }

    #[test]
    fn any_decimal_is_rounded_correctly(decimal in "[+-]?([0-9]{1,20}\\.?[0-9]{0,20}|\\.[0-9]{1,12})([eE][+-]?[0-9]{1,3})?") {
        assert_rounded(&decimal);
    }

    #[test]
    fn short_decimals_are_rounded_correctly(decimal in "-?[0-9]{1,8}\\.[0-9]{0,9}") {
        assert_rounded(&decimal);
    }
}
