"""ARFF files as Weka writes them: quotes, escapes, comments and missing values."""

import numpy as np
import pytest
import scipy.sparse as sp

from softmargin import datasets

HEAD = "@relation r\n@attribute a {{{values}}}\n@attribute class {{p,q}}\n@data\n"
WORDS = [
    "?", "x", "a b", "it's", 'a "b"', "50 %", "%", "a,b", "{c}", "a\\b", "a\nb", "a\tb", "anb",
    "ä ß", "日本", " lead", "trail ", "\u001e", "-", "nan", "0", "1e3", "@data", "'", "'?'",
]  # fmt: skip


@pytest.fixture
def read(tmp_path):
    def from_text(text, **options):
        path = tmp_path / "plants.arff"
        path.write_bytes(text.encode())
        return datasets.read(path, **options)

    return from_text


def quoted(word, mark="'"):
    """Write a word as Weka does."""
    escapes = {"\\": "\\\\", mark: f"\\{mark}", "\n": "\\n", "\t": "\\t", "\u001e": "\\u001E"}
    return mark + "".join(escapes.get(letter, letter) for letter in word) + mark


def test_a_question_mark_in_quotes_is_a_value(read):
    text = HEAD.format(values="'?',x,y") + "'?',p\ny,q\n"
    for missing in ("raise", "drop"):
        found = read(text, missing=missing)
        assert found.X.tolist() == [[1, 0, 0], [0, 0, 1]]
    with pytest.raises(ValueError, match="line 6: missing value in column 'a'"):
        read(text.replace("y,q", "?,q"))
    assert read(text.replace("y,q", "?,q"), missing="drop").n_rows == 1


def test_a_question_mark_in_quotes_is_a_label(read):
    text = "@attribute a real\n@attribute b {'?',q}\n@data\n1,\"?\"\n2,q\n"
    assert read(text, missing="drop").labels.tolist() == ["?", "q"]
    assert read(text.replace('1,"?"', "{0 1, 1 '?'}").replace("2,q", "{0 2, 1 q}")).n_rows == 2


def test_escapes_are_those_of_weka(read):
    values = ["a\nb", "a\tb", "anb", "atb", "a\\nb", "a\u001eb"]
    head = f"@attribute a real\n@attribute b {{{','.join(map(quoted, values))}}}\n@data\n"
    rows = "".join(f"{place},{quoted(value)}\n" for place, value in enumerate(values))
    assert read(head + rows).labels.tolist() == values


@pytest.mark.parametrize(
    "rows", ["1,p % first\n2,'q%' % 'no, comment\n", "{0 1}% x\n{0 2, 1 'q%'} % y\n"]
)
def test_a_comment_may_end_a_line(read, rows):
    head = "@relation r % x\n@attribute a real %\n@attribute b {p,'q%'}% not {z}\n@data % now\n"
    assert read(head + rows).labels.tolist() == ["p", "q%"]


def test_a_percent_sign_inside_a_word_is_no_comment(read):
    text = "@attribute a real\n@attribute b {<10%,>=10%,p%q}\n@data\n1,<10%\n2,p%q\n"
    assert read(text).labels.tolist() == ["<10%", "p%q"]


def test_a_comment_is_no_part_of_a_label(read):
    text = "@attribute a real\n@attribute b string\n@data\n1,yes % sure\n2,no\n"
    assert read(text).labels.tolist() == ["yes", "no"]


def test_the_range_of_a_number_may_follow_at_once(read):
    text = "@attribute a real[0, 5]\n@attribute b integer [1,2]\n@attribute c{p,q}\n@data\n1,2,p\n"
    assert read(text + "3,1,q\n").X.tolist() == [[1, 2], [3, 1]]


def test_a_row_beside_the_word_data_is_not_lost(read):
    with pytest.raises(ValueError, match="line 3: unexpected text after @data"):
        read("@attribute a real\n@attribute b {p,q}\n@data 1,p\n2,q\n3,p\n")


@pytest.mark.parametrize("seed", range(20))
def test_any_words_come_back(read, seed):
    """Random files: what was written is what is read, from dense and from sparse rows."""
    rng = np.random.default_rng(seed)
    words = list(rng.permutation(WORDS)[: rng.integers(3, len(WORDS) + 1)])
    labels = [f"l {word}" for word in words[:3]]
    name = words[0] + "!"
    n = 30
    numbers = np.round(rng.normal(size=n), 3) * rng.integers(0, 2, n)
    codes, y = rng.integers(0, len(words), n), rng.integers(0, 3, n)
    y[:3] = range(3)

    def one(word):
        return quoted(word, rng.choice(["'", '"'])) if rng.random() < 0.9 else quoted(word)

    def blank():
        return rng.choice(["", " ", "\t", "  "])

    def end():
        return rng.choice(["\n", "\r\n", " % a comment, 'open\n", "\n\n% whole line\n", "\t\n"])

    def listed(items):
        return ",".join(blank() + one(item) + blank() for item in items)

    head = f"@RELATION {one('r')}{end()}@Attribute {one(name)}{blank()}{{{listed(words)}}}{end()}"
    head += f"@attribute b Numeric{end()}@ATTRIBUTE class {{{listed(labels)}}}{end()}@Data{end()}"
    dense, sparse = head, head
    for code, number, label in zip(codes, numbers.tolist(), y, strict=True):
        cells = [one(words[code]), repr(number), one(labels[label])]
        dense += (blank() + ",").join(blank() + cell for cell in cells) + end()
        given = [bool(code), number != 0, bool(label)]
        entries = [f"{place} {cell}" for place, cell in enumerate(cells) if given[place]]
        sparse += "{" + ("," + blank()).join(blank() + entry for entry in entries) + "}" + end()
    for text in (dense, sparse):
        found = read(text)
        X = found.X.toarray() if sp.issparse(found.X) else found.X
        np.testing.assert_array_equal(X[:, -1], numbers)
        np.testing.assert_array_equal(X[:, : len(words)].argmax(axis=1), codes)
        assert found.labels.tolist() == [labels[place] for place in y]
