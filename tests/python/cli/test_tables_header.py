"""The first line of a table: names of columns, a sample, or refused where that is not clear."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from commands import call, facts_of_command, stdout_of
from softmargin import datasets

X, Y = load_iris(return_X_y=True)
WORDS = np.array(["setosa", "versicolor", "virginica"])[Y]


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path / "some.csv"


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(X).assign(label=WORDS),
        pd.DataFrame(X),
        pd.DataFrame(X[:, :2]),
        pd.DataFrame(WORDS[:, None]).assign(label=WORDS),
        pd.DataFrame(X, columns=list("abcd")).assign(setosa=WORDS),
        pd.DataFrame(X, columns=[400.5, 401.0, 401.5, "x"]),
    ],
    ids=["numbers and label", "numbers", "two", "text", "a name that is a value", "decimals"],
)
@pytest.mark.parametrize("index", [False, True])
@pytest.mark.filterwarnings("ignore:the first column has no name")
@pytest.mark.case(99)
def test_an_unclear_header_of_pandas_is_refused_and_read_if_it_is_named(path, frame, index):
    frame.to_csv(path, index=index)
    with pytest.raises(
        ValueError, match=r"line 1 may be a header or a sample: .*; pass header=True or"
    ):
        datasets.read(path)
    result = call("cv", path)
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    assert line.endswith("; pass --header or --no-header")
    found = datasets.read(path, header=True)
    assert found.n_rows == 150
    assert found.schema.label == str(frame.columns[-1])
    assert [feature.name for feature in found.schema.features] == [*map(str, frame.columns[:-1])]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(X, columns=list("abcd")).assign(label=WORDS),
        pd.DataFrame(X).assign(label=Y),
        pd.DataFrame(X, columns=[2001, 2002, 2003, 2004]).assign(label=Y),
        pd.DataFrame({"colour": WORDS, "kind": WORDS}),
    ],
)
def test_clear_headers_are_found_and_samples_are(path, frame):
    frame.to_csv(path, index=False)
    assert datasets.read(path).n_rows == 150
    frame.to_csv(path, index=False, header=False)
    found = datasets.read(path)
    assert (found.n_rows, found.schema.has_header) == (150, False)


def test_a_label_column_with_a_name_implies_a_header(path):
    pd.DataFrame(X).assign(label=WORDS).to_csv(path, index=False)
    found = datasets.read(path, "label")
    np.testing.assert_array_equal(found.X, X)
    assert found.labels.tolist() == WORDS.tolist()


@pytest.mark.filterwarnings("ignore:the first column has no name")
def test_a_number_that_is_the_name_of_another_column_is_refused(path):
    pd.DataFrame(X).assign(**{"4": Y}).to_csv(path)  # the index is column 0, and "4" column 5
    result = call("cv", path, "--header", "--label-column", 4)
    assert result.exit_code == 1
    assert "--label-column 4 is the index of one column and the name of another" in result.stderr
    assert facts_of_command("cv", path, "--header", "--label-column", -1)["data"]["features"] == 4
    assert datasets.read(path, "4").classes.tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", ["", "Unnamed: 0"])
def test_the_index_of_pandas_is_no_feature(path, name):
    frame = pd.DataFrame(X, columns=list("abcd")).assign(label=Y)
    frame.to_csv(path, index_label=name)
    with pytest.warns(UserWarning, match="the first column has no name, as pandas writes"):
        found = datasets.read(path)
    np.testing.assert_array_equal(found.X, X)
    by_index = datasets.read(path, 0)  # as labels it was asked for
    assert by_index.labels.tolist() == list(range(150))


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("a,b,a,kind\n1,2,3,u\n4,5,6,v\n", "two columns have the name 'a'; rename"),
        ("a,,kind\n1,2,u\n3,4,v\n", "the header has a column without a name"),
        ("x,y,x\nu,v,w\nv,w,u\n", "line 1 may be a header or a sample"),
    ],
)
def test_names_must_be_there_and_different(refused, text, match):
    refused(text, match)


@pytest.mark.case(99)
def test_a_model_with_numbers_for_names_knows_its_header(path):
    """Also columns in another order, of which the first line is as unclear by itself."""
    frame = pd.DataFrame(X).assign(label=WORDS)
    frame.to_csv(path, index=False)
    stdout_of("train", path, "m", "--header")
    plain = stdout_of("predict", path, "m")
    frame[["label", 3, 1, 0, 2]].to_csv(path, index=False)
    assert stdout_of("predict", path, "m") == plain
    frame[[3, 1, 0, 2]].to_csv(path, index=False)
    assert stdout_of("predict", path, "m") == plain


@pytest.mark.case(99, 100)
def test_a_model_without_names_takes_columns_by_position(path):
    frame = pd.DataFrame(X).assign(label=WORDS)
    frame.to_csv(path, index=False, header=False)
    assert facts_of_command("cv", path, "--no-header")["data"]["rows"] == 150
    stdout_of("train", path, "m")
    plain = stdout_of("predict", path, "m")
    for columns in (frame.columns, frame.columns[:4]):
        frame[columns].to_csv(path, index=False, header=False)
        assert stdout_of("predict", path, "m") == plain
        frame[columns].to_csv(path, index=False)  # 0,1,2,3 may be a sample
        assert "--header or --no-header" in call("predict", path, "m").stderr
        assert stdout_of("predict", path, "m", "--header") == plain
    frame[120:121].to_csv(path, index=False, header=False)  # nothing below to compare with
    assert stdout_of("predict", path, "m") == plain.splitlines(keepends=True)[120]
    frame.rename(columns=str).add_prefix("x").to_csv(path, index=False)
    result = call("predict", path, "m")
    assert result.stdout == plain
    assert "matched by position, because the training data has no column names" in result.stderr
