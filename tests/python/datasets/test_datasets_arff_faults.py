"""ARFF files with a fault are refused by the number of the line."""

from functools import partial

import pytest

HEAD = "@relation r\n@attribute a real\n@attribute b {x,y,z}\n@attribute c {p,q}\n@data\n"


@pytest.fixture(name="refused")
def _refused(refused):
    return partial(refused, name="bad.arff")


@pytest.mark.parametrize(
    ("row", "match"),
    [
        ("1,w,p", "line 7: 'w' is not a declared value of 'b'; expected one of 'x', 'y', 'z'"),
        ("1,x,r", "line 7: 'r' is not a declared value of 'c'"),
        ("one,x,p", "line 7: 'one' in column 'a' is not a number"),
        ("nan,x,p", "line 7: 'nan' in column 'a'"),
        ("1_0,x,p", "line 7: '1_0' in column 'a'"),
        ("1,x", "line 7 has 2 values; expected one for each of the 3 attributes"),
        ("1,x,p,{2}", "line 7 has 4 values"),
        ("1,,p", "line 7: '' is not a declared value"),
        ("1,?,p", "line 7: missing value in column 'b'.*missing='drop'"),
        ("1,'x,p", 'line 7: cannot parse "\'x,p"'),
        ("1,'x'y,p", "line 7: "),
        ("{0 1}", "line 7 has 1 values"),
        ("1,x,\0p", "line 7 contains a NUL byte"),
        (b"1,x,\xff", "line 7 is not valid UTF-8"),
    ],
)
def test_a_bad_row_is_named(refused, row, match):
    row = row if isinstance(row, bytes) else row.encode()
    refused(HEAD.encode() + b"2,y,q\n" + row + b"\n1,x,p\n", match)


@pytest.mark.parametrize(
    ("row", "match"),
    [
        ("{3 1}", "line 7: attribute index 3 is out of range; there are 3 attributes"),
        ("{999999999999 1}", "line 7: cannot parse '999999999999 1'"),
        ("{-1 1}", "line 7: cannot parse '-1 1'"),
        ("{1 y, 0 1}", "line 7: attribute index 0 comes after 1"),
        ("{0 1, 0 2}", "line 7: attribute index 0 comes after 0"),
        ("{1 w}", "line 7: 'w' is not a declared value of 'b'"),
        ("{0 one}", "line 7: 'one' in column 'a'"),
        ("{0}", "line 7: cannot parse '0'"),
        ("{0 1", "line 7 must be enclosed in braces"),
        ("1,x,p", "line 7 must be enclosed in braces"),
        ("{0 ?}", "line 7: missing value in column 'a'"),
        ("{0 1,}", "line 7: cannot parse ''"),
    ],
)
def test_a_bad_sparse_row_is_named(refused, row, match):
    refused(f"{HEAD}{{1 y}}\n{row}\n{{}}\n", match)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("1,2,3\n", "line 1: '1,2,3' is not an ARFF declaration"),
        (HEAD.replace("@data\n", ""), "the line @data is missing"),
        (HEAD, "no samples"),
        ("@relation r\n@data\n1\n", "must be declared"),
        ("@attribute a real\n@data\n1\n", "must be declared"),
        (
            "@attribute a real\n@attribute a real\n@data\n1,2\n",
            "line 2: duplicate .* name 'a'",
        ),
        ("@attribute a\n@data\n1\n", "line 1: @attribute must have a name and a type"),
        ("@attribute 'a real\n@data\n1\n", "line 1: @attribute must have"),
        ("@attribute a string\n@attribute b real\n@data\n", "line 1: .* 'a' has type 'string'"),
        ("@attribute a date\n@attribute b real\n@data\n", "line 1: .*'date'"),
        ("@attribute a {x,y\n@attribute b real\n@data\n", "line 1: .* must end with '}'"),
        (
            "@attribute a {x,x}\n@attribute b real\n@data\n",
            "line 1: .* 'a' must be distinct",
        ),
        (
            "@attribute a {}\n@attribute b real\n@data\n",
            "line 1: .* 'a' must be .* not empty",
        ),
    ],
)
def test_a_bad_declaration_is_named(refused, text, match):
    refused(text, match)


def test_a_label_that_is_not_declared_is_named(refused):
    refused(
        HEAD + "1,x,p\n", "no column has this name; the columns are 'a', 'b', 'c'", label_column="d"
    )


def test_a_long_line_of_blanks_before_a_quote_is_read_in_no_time(refused):
    refused(f"{HEAD}1,{' ' * 200_000}x'\n", "line 6: ")
