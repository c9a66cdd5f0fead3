"""Data sets by name, from files, and generated.

>>> from softmargin import datasets
>>> iris = datasets.load("iris")
>>> iris.X.shape, iris.y[:3], iris.classes
((150, 4), array([0, 0, 0]), array(['setosa', 'versicolor', 'virginica'], dtype='<U10'))
"""

from softmargin._files.schema import Feature, Schema
from softmargin.datasets._dataset import Dataset
from softmargin.datasets._gaussians import bayes_decision, bayes_error, two_gaussians
from softmargin.datasets._lookup import Entry, load, phrases, table
from softmargin.datasets._not_found import DatasetNotFound
from softmargin.datasets._reader import load_schema, read

__all__ = [
    "Dataset",
    "DatasetNotFound",
    "Entry",
    "Feature",
    "Schema",
    "bayes_decision",
    "bayes_error",
    "load",
    "load_schema",
    "phrases",
    "read",
    "table",
    "two_gaussians",
]
