"""Generate docs/faults.md from the markers of the collected tests."""

from collections import Counter, defaultdict

from sklearn.base import BaseEstimator

from estimators import CLASSIFIERS, EXACT, KERNEL, PREDICTORS, READERS, TRAINERS
from fault_cases import CASES, GROUPS, NAMES

HEAD = """\
# Errors

This page lists the invalid inputs and failures that the test suite provokes, and what happens in
each case. An error is an exception with a short message that names the argument, the value or its
position, and the rule. After an error no file is half-written, the estimator keeps its previous
state, and the next call works.

`make faults` generates this page from the tests. A test fails if the page is out of date, or if a
case does not cover all the estimators it should. There are {n_cases} cases, covered by {n_tests}
tests. The last column lists the test files with the number of tests.

The tables use these names for groups of estimators and functions:

{sets}
"""

# Names for long lists of estimators, the longest list first.
SETS = {
    "all readers": READERS,
    "all trainers": TRAINERS,
    "all predictors": PREDICTORS,
    "all classifiers": CLASSIFIERS,
    "all kernel methods": KERNEL,
    "all exact methods": EXACT,
}


class Coverage:
    """The number of tests of each case by file, and the estimators that they cover."""

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
            named = marker.kwargs.get("of", ())
            named = named.split() if isinstance(named, str) else named
            for number in marker.args:
                self.tests[number][item.path.stem] += 1
                self.estimators[number] |= found | set(named)

    def missing(self):
        """Return the estimators that are not covered, by case."""
        found = {n: set(case.estimators) - self.estimators[n] for n, case in CASES.items()}
        found = {number: names for number, names in found.items() if names}
        return found | {n: {"any test"} for n in CASES if not self.tests[n]}

    def unknown(self):
        """Return the numbers for which there is no case."""
        return sorted(self.tests.keys() - CASES.keys())

    def page(self):
        """Return the page as text."""
        sets = "\n".join(f"- *{words}*: {', '.join(names)}" for words, names in SETS.items())
        parts = [HEAD.format(n_tests=f"{self.n_tests:,}", n_cases=len(CASES), sets=sets).rstrip()]
        numbers = iter(CASES)
        for title, cases in GROUPS.items():
            parts.append(f"\n## {title}\n\n| | Case | Behavior | Estimators | Tests |")
            parts.append("|---|---|---|---|---|")
            parts += [self._row(next(numbers)) for _ in cases]
        return "\n".join(parts) + "\n"

    def _row(self, number):
        case = CASES[number]
        tests = ", ".join(f"`{file}` ({n:,})" for file, n in self.tests[number].items())
        names = _summary(self.estimators[number])
        return f"| {number} | {case.fault} | {case.outcome} | {names} | {tests} |"


def _summary(estimators):
    rest, words = set(estimators), []
    for name, members in SETS.items():
        if rest >= set(members):
            rest -= set(members)
            words.append(f"*{name}*")
    return ", ".join(words + sorted(rest, key=list(NAMES).index))


def _name(value):
    """Return the estimator that a test parameter stands for, or None."""
    if isinstance(value, type):
        value = value.__name__
    elif isinstance(value, BaseEstimator):
        value = type(value).__name__
    return NAMES.get(value) if isinstance(value, str) else None
