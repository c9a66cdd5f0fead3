"""Files that are wrong are refused by what is wrong; files that are right are read."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import malformed
from malformed import CORPUS, READERS, files
from systems import linux

# The faults that the files of a reader provoke: in any of them, or in those that it refuses.
ANY = {"libsvm-text": 88}
BROKEN = {"libsvm-text": 88, "libsvm-model": 89, "model": 89, "pickled-state": 92}

REFUSALS = tomllib.loads((CORPUS / "refusals.toml").read_text("utf-8"))


def examples(*, valid):
    cases = ANY if valid else BROKEN
    return [
        pytest.param(
            reader,
            path,
            id=f"{reader}/{path.name}",
            marks=pytest.mark.case(cases[reader]) if reader in cases else (),
        )
        for reader in READERS
        for path in files(reader, valid=valid)
    ]


@pytest.fixture
def own(tmp_path):
    """A function that copies a file to a folder where others can be written beside it."""

    def copy(path):
        copied = tmp_path / path.name
        copied.write_bytes(path.read_bytes())
        return copied

    return copy


@pytest.mark.parametrize(("reader", "path"), examples(valid=True))
def test_a_valid_file_is_read_and_works(reader, path, own):
    assert READERS[reader].refusal(own(path)) is None


@pytest.mark.parametrize(("reader", "path"), examples(valid=False))
def test_a_malformed_file_is_refused_by_what_is_wrong(reader, path, own):
    refusal = READERS[reader].refusal(own(path))
    assert refusal is not None
    assert REFUSALS[reader][path.name] in refusal


def test_every_refusal_has_its_file():
    assert set(REFUSALS) == set(READERS)
    for reader, sentences in REFUSALS.items():
        assert set(sentences) == {path.name for path in files(reader, valid=False)}


@linux
@pytest.mark.case(88, 89, 92)
def test_changed_files_are_read_as_a_whole_or_refused():
    """The first inputs of each reader; ``make fuzz`` has more."""
    script = Path(malformed.__file__).with_name("fuzz_readers.py")
    command = [sys.executable, str(script), "--count", "250", "--seconds", "300"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.split() for line in done.stdout.splitlines()[1:] if line]
    assert [row[0] for row in rows] == list(READERS)
    for name, tried, accepted, refused, faults in rows:
        assert (int(tried), int(faults)) == (250, 0), name
        assert int(accepted) > 10 < int(refused), name
