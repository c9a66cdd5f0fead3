"""Data sets by name, from files, and generated.

>>> from hinge import datasets
>>> iris = datasets.load("iris")
>>> iris.X.shape, iris.y[:3], iris.classes
((150, 4), array([0, 0, 0]), array(['setosa', 'versicolor', 'virginica'], dtype='<U10'))
"""

from hinge._schema import Feature, Schema
from hinge.datasets._dataset import Dataset
from hinge.datasets._files import load_schema, read
from hinge.datasets._gaussians import bayes_decision, bayes_error, two_gaussians
from hinge.datasets._lookup import Entry, load, phrases, table
from hinge.datasets._not_found import DatasetNotFound

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
