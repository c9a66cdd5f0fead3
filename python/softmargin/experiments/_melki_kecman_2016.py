"""Tables I, II and III of Melki and Kecman (2016), as printed.

G. Melki and V. Kecman, Speeding Up Online Training of L1 Support Vector Machines (2016). Methods
are evaluated by nested cross-validation with 5 x 5 folds.
"""

from __future__ import annotations

METHODS = ("MN-SVM", "NN-ISDA", "NL-SGD")

SMALL = (
    "iris",
    "glass",
    "wine",
    "teach",
    "sonar",
    "dermatology",
    "heart",
    "prokaryotic",
    "eukaryotic",
)
MEDIUM = ("optdigits", "usps", "reuters")

# How many times as long as NL-SGD the others take on average, according to the text.
TIMES_AS_LONG = {
    "small": {"nnisda": 1.2, "mnsvm": 8.0},
    "medium": {"nnisda": 1.35, "mnsvm": 1.92},
}

# Accuracy (%) of the three methods.
TABLE_2 = {
    "iris": (96.67, 94.00, 96.00),
    "glass": (69.29, 67.82, 69.17),
    "wine": (96.60, 96.60, 97.17),
    "teach": (52.95, 52.31, 56.95),
    "sonar": (87.57, 89.48, 89.49),
    "dermatology": (98.36, 98.36, 97.38),
    "heart": (83.33, 83.33, 84.81),
    "prokaryotic": (88.97, 88.65, 87.86),
    "eukaryotic": (81.21, 79.56, 71.36),
    "optdigits": (99.31, 99.29, 98.88),
    "usps": (98.21, 98.05, 96.93),
    "reuters": (98.05, 98.08, 97.28),
}

# CPU time (s); the first column is titled GSVM, the program that contains MN-SVM.
TABLE_3 = {
    "iris": (3.57, 0.27, 0.18),
    "glass": (11.94, 1.01, 0.5),
    "wine": (4.84, 0.43, 0.47),
    "teach": (8.85, 0.44, 0.30),
    "sonar": (3.03, 0.98, 0.74),
    "dermatology": (11.68, 2.47, 1.69),
    "heart": (6.45, 0.91, 0.61),
    "prokaryotic": (50.86, 10.64, 5.61),
    "eukaryotic": (342.76, 49.16, 45.38),
    "optdigits": (787.85, 528.04, 340.70),
    "usps": (7777.82, 5245.55, 4193.36),
    "reuters": (1657.04, 1368.02, 758.05),
}
