"""Random mutations of files: bytes, words and numbers of texts, members of archives, states.

Each function takes a random number generator and some valid files, and returns the bytes of a
mutated file. Generators with the same seed give the same bytes.
"""

import bz2
import contextlib
import gzip
import io
import json
import pickle
import re
import zipfile
import zlib

import numpy as np

from archives import member, pack

_WORDS = re.compile(rb"[^\s:,;{}]+")
_NUMBERS = re.compile(rb"[-+]?[0-9][0-9.]*(?:[eE][-+]?[0-9]+)?")
_USUAL = [b"0", b"1", b"2", b"3", b"-1", b"0.25", b"1e-3", b"+7", b"12"]
_EXTREME = (
    b"-5 2000000000 2147483647 2147483648 4294967296 9223372036854775807 -9223372036854775808 "
    b"18446744073709551616 99999999999999999999999999 1e999 -1e999 1e-999 1e308 5e-324 nan NaN "
    b"inf -inf 0x1f 1_000 1,5 . - + e1 1e 1e+ true null None"
).split()
_BYTES = [byte.encode() for byte in "\0\n\r \t:,#'\"{}\\?%@\x1a٥\u2028\ufeff"] + [b"\xff", b"\xc3"]
# Numbers first, then other values of JSON.
_VALUES = [0, 1, -1, -5, 2, 3, 2_000_000_000, 2**31, 2**63, 2**64, 10**400, 0.5, -0.0, 1e300]
_N_NUMBERS = len(_VALUES)
_VALUES += [True, None, "", "a", "nan", "ovo", "ovr", "ordinal", "float32", "linear", "é", "\0"]
_VALUES += [[], {}, [1], ["a", "b"], {"float": "nan"}, {"float": "inf"}, {"dict": [["a", 1]]}]
_TYPES = ["f8", "f4", "f2", ">f8", "i8", "i4", "i1", "u8", "u4", "u1", "?", "U3", "S2", "c16"]


def text(rng, seeds):
    """Return a mutated text; compressed texts are mutated before or after compression."""
    content = rng.choice(seeds)
    for pack_again, unpack in ((gzip.compress, gzip.decompress), (bz2.compress, bz2.decompress)):
        try:
            inside = unpack(content)
        except (OSError, EOFError, ValueError, zlib.error):
            continue
        if rng.random() < 0.5:
            return pack_again(text(rng, [inside]))
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
        content = rng.choice(_TEXT_CHANGES)(rng, content, seeds)
    return content


def _flip(rng, content, seeds):
    if not content:
        return content
    changed = bytearray(content)
    changed[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _cut(rng, content, seeds):
    start, end = _span(rng, content)
    return content[:start] + content[end:]


def _repeat(rng, content, seeds):
    start, end = _span(rng, content)
    return content[:end] + content[start:end] * rng.choice([1, 1, 2, 50]) + content[end:]


def _insert(rng, content, seeds):
    place = rng.randrange(len(content) + 1)
    new = rng.choice([*_BYTES, *_USUAL, *_EXTREME, rng.randbytes(rng.randrange(1, 9))])
    return content[:place] + new + content[place:]


def _splice(rng, content, seeds):
    other = rng.choice(seeds)
    return content[: rng.randrange(len(content) + 1)] + other[rng.randrange(len(other) + 1) :]


def _replace_number(rng, content, seeds):
    return _replaced(rng, content, _NUMBERS, rng.choice(rng.choice([_USUAL, _EXTREME])))


def _replace_word(rng, content, seeds):
    found = _WORDS.findall(content)
    return _replaced(rng, content, _WORDS, rng.choice(found)) if found else content


def _shuffle_lines(rng, content, seeds):
    lines = content.splitlines(keepends=True)
    if len(lines) > 1:
        one, other = rng.sample(range(len(lines)), 2)
        lines[one], lines[other] = lines[other], lines[one] * rng.choice([0, 1, 2])
    return b"".join(lines)


_TEXT_CHANGES = [_flip, _cut, _repeat, _insert, _splice, _replace_number, _replace_number]
_TEXT_CHANGES += [_replace_word, _shuffle_lines]


def _span(rng, content):
    """Return start and end of a random span, usually a short one."""
    start = rng.randrange(len(content) + 1)
    return start, min(len(content), start + rng.choice([1, 1, 2, 5, 20, 200]))


def _replaced(rng, content, pattern, new):
    found = list(pattern.finditer(content))
    if not found:
        return content
    start, end = rng.choice(found).span()
    return content[:start] + new + content[end:]


def archive(rng, seeds):
    """Return an archive with mutated bytes, or with mutated members and valid checksums."""
    content = rng.choice(seeds)
    if rng.random() < 0.2:
        return text(rng, [content])
    with zipfile.ZipFile(io.BytesIO(content)) as whole:
        members = [(info.filename, whole.read(info)) for info in whole.infolist()]
        is_packed = any(info.compress_type for info in whole.infolist())
    count = min(len(members), rng.choice([1, 1, 1, 2, 3]))
    for place in sorted(rng.sample(range(len(members)), count), reverse=True):
        name, inside = members[place]
        way = rng.random()
        if way < 0.08:
            del members[place]
        elif way < 0.16:
            other = rng.choice(["y.npy", "X.npy", "more.npy", "run.txt", rng.choice(members)[0]])
            members[place] = (other, inside)
        elif way < 0.3:
            members[place] = (name, text(rng, [inside]))
        elif name.endswith(".json"):
            members[place] = (name, _json(rng, inside))
        else:
            array = np.load(io.BytesIO(inside), allow_pickle=False)
            members[place] = (name, member(_array(rng, array)))
    if rng.random() < 0.03:
        is_packed = not is_packed
    unique = {name: (name, inside) for name, inside in members}.values()
    stream = io.BytesIO()
    pack(stream, unique, compression=zipfile.ZIP_DEFLATED if is_packed else zipfile.ZIP_STORED)
    return stream.getvalue()


def _json(rng, inside):
    """Return a JSON text with a value changed, added or removed."""
    whole = json.loads(inside)
    places = _places(whole)
    holder, name = rng.choice(places)
    way = rng.random()
    if way < 0.15 and isinstance(holder, dict):
        del holder[name]
    elif way < 0.3:
        other, own = rng.choice(places)
        holder[name] = json.loads(json.dumps(other[own]))
    else:
        holder[name] = rng.choice(_VALUES)
    return json.dumps(whole).encode()


def _places(value):
    """Return all places in a JSON value: the container, and the key or index."""
    if not isinstance(value, dict | list):
        return []
    names = list(value) if isinstance(value, dict) else list(range(len(value)))
    return [(value, name) for name in names] + [p for name in names for p in _places(value[name])]


def _array(rng, array):
    """Return an array with a changed number, length, shape or dtype."""
    array = np.array(array)
    way = rng.randrange(8)
    if way == 0 and array.size:
        raw, width = bytearray(array.tobytes()), array.itemsize
        start = rng.randrange(array.size) * width
        raw[start : start + width] = rng.randbytes(width)
        return np.frombuffer(raw, array.dtype).reshape(array.shape)
    if way <= 3 and array.size:
        with np.errstate(all="ignore"), contextlib.suppress(ValueError, OverflowError, TypeError):
            array.flat[rng.randrange(array.size)] = rng.choice(
                [np.nan, np.inf, *_VALUES[:_N_NUMBERS]]
            )
        return array
    if way == 4:
        return array[: rng.randrange(len(array) + 1)] if array.ndim else array.reshape(1)
    if way == 5:
        return np.concatenate([array, array]) if array.ndim else np.array([array, array])
    if way == 6:
        shapes = [array.T, array.reshape(-1), array.reshape(1, -1), array[..., None]]
        return rng.choice([*shapes, np.flip(array)])
    try:
        with np.errstate(all="ignore"):
            return array.astype(rng.choice(_TYPES))
    except (ValueError, TypeError):
        return array.astype("S")


def state(rng, seeds):
    """Return a pickled state with changed values in its model, or a changed attribute."""
    kind, whole = pickle.loads(rng.choice(seeds))
    model = whole["_model"]
    own = [name for name in ("classes_", "C_", "epsilon_") if name in whole]
    for name in rng.sample([*model, *own], rng.choice([1, 1, 2, 3])):
        if name == "classes_":
            whole[name] = np.resize(whole[name], rng.randrange(6))
        elif name in own:
            whole[name] = _value(rng, whole[name])
        elif rng.random() < 0.05:
            del model[name]
        else:
            model[name] = _value(rng, model[name])
    return pickle.dumps((kind, whole), 4)


def _value(rng, value):
    """Return a changed value of a state, usually of the same type."""
    if isinstance(value, np.ndarray) and rng.random() < 0.9:
        return _array(rng, value)
    if isinstance(value, tuple):  # the parts of sparse rows
        place = rng.randrange(len(value))
        return (*value[:place], _value(rng, value[place]), *value[place + 1 :])
    return rng.choice(_VALUES)
