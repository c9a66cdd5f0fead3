"""docs/faults.md: which test provokes which fault, from the markers of the collected tests."""

from collections import Counter, defaultdict

from sklearn.base import BaseEstimator

from estimators import CLASSIFIERS, EXACT, KERNEL, PREDICTORS, READERS, TRAINERS
from fault_cases import CASES, GROUPS, NAMES

HEAD = """\
# Faults and what happens

Every fault and bad input that we know of, what a user sees, and the tests that provoke it. A
refusal is an exception with a sentence that names the argument, the value or its place, and the
rule; nothing is half-written, the estimator keeps its old state, and the next call works.

This page is made from the tests by `make faults`, and a test fails when it is not up to date or
when an estimator is missing that must be tried. {n_tests} tests provoke {n_cases} faults.
In the tables,

{sets}
"""

# Long lists of estimators in few words, the longest first.
SETS = {
    "all that read": READERS,
    "all that train": TRAINERS,
    "all that predict": PREDICTORS,
    "all classifiers": CLASSIFIERS,
    "all with a kernel": KERNEL,
    "all exact": EXACT,
}


class Coverage:
    """The tests of each case, with how often each runs, and the estimators they try."""

    def __init__(self):
        self.tests = defaultdict(Counter)
        self.estimators = defaultdict(set)
        self.n_tests = 0

    def add(self, item):
        """Count a collected test."""
        markers = list(item.iter_markers("case"))
        self.n_tests += bool(markers)
        parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
        found = {name for value in parameters if (name := _name(value))}
        for marker in markers:
            said = marker.kwargs.get("of", ())
            said = said.split() if isinstance(said, str) else said
            for number in marker.args:
                self.tests[number][item.path.stem, item.originalname] += 1
                self.estimators[number] |= found | set(said)

    def missing(self):
        """Return what must be tried and is not, by case."""
        found = {n: set(case.estimators) - self.estimators[n] for n, case in CASES.items()}
        found = {number: names for number, names in found.items() if names}
        return found | {n: {"any test"} for n in CASES if not self.tests[n]}

    def unknown(self):
        """Return the numbers that are no case."""
        return sorted(self.tests.keys() - CASES.keys())

    def page(self):
        """Return the page as text."""
        sets = "\n".join(f"- *{words}*: {', '.join(names)}" for words, names in SETS.items())
        parts = [HEAD.format(n_tests=f"{self.n_tests:,}", n_cases=len(CASES), sets=sets).rstrip()]
        numbers = iter(CASES)
        for title, cases in GROUPS.items():
            parts.append(f"\n## {title}\n\n| | Fault | What happens | Estimators | Tests |")
            parts.append("|---|---|---|---|---|")
            parts += [self._row(next(numbers)) for _ in cases]
        return "\n".join(parts) + "\n"

    def _row(self, number):
        case = CASES[number]
        tests = "; ".join(
            f"{_sentence(name)} ({module}{f', {count:,}' if count > 1 else ''})"
            for (module, name), count in self.tests[number].items()
        )
        names = _in_few_words(self.estimators[number])
        return f"| {number} | {case.fault} | {case.outcome} | {names} | {tests} |"


def _in_few_words(estimators):
    rest, words = set(estimators), []
    for name, members in SETS.items():
        if rest >= set(members):
            rest -= set(members)
            words.append(f"*{name}*")
    return ", ".join(words + sorted(rest, key=list(NAMES).index))


def _sentence(name):
    return name.removeprefix("test_").replace("_", " ")


def _name(value):
    """Return the estimator that a parameter of a test means, if it does."""
    if isinstance(value, type):
        value = value.__name__
    elif isinstance(value, BaseEstimator):
        value = type(value).__name__
    return NAMES.get(value) if isinstance(value, str) else None
