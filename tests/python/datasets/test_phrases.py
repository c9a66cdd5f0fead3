"""Phrases come as they stand in their file, or the line that is wrong is named."""

import gzip

import numpy as np
import pytest

from softmargin import load_phrases

HEAD = b"PhraseId\tSentenceId\tPhrase\tSentiment\n"


def test_phrases_and_labels_come_in_the_order_of_the_file(tmp_path):
    phrases = ["a fine film", 'it\'s "fine" , they say', " ", "Käse", "a\\b"]
    lines = [f"{i}\t1\t{phrase}\t{i % 5}\n" for i, phrase in enumerate(phrases)]
    text = HEAD + "".join(lines).encode()
    (tmp_path / "train.tsv").write_bytes(text)
    (tmp_path / "train.tsv.gz").write_bytes(gzip.compress(text))
    for name in ("train.tsv", "train.tsv.gz"):
        found, labels = load_phrases(tmp_path / name)
        assert found == phrases
        np.testing.assert_array_equal(labels, [0, 1, 2, 3, 4])
        assert labels.dtype == np.int64


WRONG = {
    "empty": (b"", "columns"),
    "no such columns": (b"text\tlabel\na\t1\n", "must have the columns 'Phrase' and 'Sentiment'"),
    "no phrases": (HEAD, "no phrases"),
    "a field too few": (HEAD + b"1\t1\ta\t0\n2\t1\t0\n", "line 3"),
    "a field too many": (HEAD + b"1\t1\ta\tb\t0\n", "line 2"),
    "a label that is no number": (HEAD + b"1\t1\ta\tgood\n", "line 2.*good"),
    "a label of 100 bits": (HEAD + b"1\t1\ta\t" + b"9" * 30 + b"\n", "line 2.*64-bit"),
    "a label of 5,000 digits": (HEAD + b"1\t1\ta\t" + b"9" * 5000 + b"\n", "line 2"),
    "not UTF-8": (HEAD + b"1\t1\t\xff\t1\n", "cannot be read"),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_what_is_wrong_is_named(mistake, tmp_path):
    content, words = WRONG[mistake]
    path = tmp_path / "train.tsv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=words) as raised:
        load_phrases(path)
    assert "train.tsv" in str(raised.value)


def test_a_file_that_breaks_off_is_named(tmp_path):
    path = tmp_path / "train.tsv.gz"
    path.write_bytes(gzip.compress(HEAD + b"1\t1\ta\t0\n" * 1000)[:-20])
    with pytest.raises(ValueError, match="cannot be read"):
        load_phrases(path)
