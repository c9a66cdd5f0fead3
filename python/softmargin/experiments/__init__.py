"""Repeat the experiments of five papers and compare the results with the published ones.

>>> from softmargin import experiments
>>> sorted(experiments.STUDIES)
['nlsgd', 'ollawv', 'primal', 'seeding', 'sgd-variants']

:func:`reproduce` is the function behind the command ``softmargin reproduce``.
"""

from softmargin.experiments._reproduce import STUDIES, Reproduction, reproduce
from softmargin.experiments._terminal import show, to_json

__all__ = ["STUDIES", "Reproduction", "reproduce", "show", "to_json"]
