"""The experiments of the five papers, run again: ours beside theirs.

>>> from softmargin import experiments
>>> sorted(experiments.STUDIES)
['nlsgd', 'ollawv', 'primal', 'seeding', 'sgd-variants']

:func:`reproduce` does what ``softmargin reproduce`` does on the command line.
"""

from softmargin.experiments._reproduce import STUDIES, Reproduction, reproduce
from softmargin.experiments._terminal import show, to_json

__all__ = ["STUDIES", "Reproduction", "reproduce", "show", "to_json"]
