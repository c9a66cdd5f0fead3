"""The experiments of the five papers, run again: ours beside theirs.

>>> from hinge import experiments
>>> sorted(experiments.STUDIES)
['nlsgd', 'ollawv', 'primal', 'seeding', 'sgd-variants']

:func:`reproduce` does what ``hinge reproduce`` does on the command line.
"""

from hinge.experiments._reproduce import STUDIES, Reproduction, reproduce
from hinge.experiments._text import show, to_json

__all__ = ["STUDIES", "Reproduction", "reproduce", "show", "to_json"]
