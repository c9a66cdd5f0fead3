"""Tables 1 and 2 of Lu and Jin (2017), as printed, and the statements about their figures.

S. Lu and Z. Jin, Improved Stochastic Gradient Descent Algorithm for SVM (2017).
"""

from __future__ import annotations

RULES = ("pegasos", "momentum", "rmsprop", "nag")

# Training samples, test samples, features.
TABLE_1 = {
    "alpha": (400_000, 100_000, 500),
    "gamma": (400_000, 100_000, 500),
    "delta": (400_000, 100_000, 500),
    "mnist": (60_000, 10_000, 780),
    "letter": (15_000, 5_000, 16),
    "usps": (7_291, 2_007, 256),
}

# Accuracy on the test part (%), in the order of RULES.
TABLE_2 = {
    "alpha": (72.68, 71.56, 75.05, 71.82),
    "gamma": (73.15, 70.82, 77.04, 70.71),
    "delta": (70.77, 65.55, 74.60, 65.81),
    "mnist": (87.03, 83.82, 84.78, 84.17),
    "letter": (73.51, 73.16, 73.74, 73.59),
    "usps": (83.83, 82.46, 83.64, 82.23),
}

# Which rule has the "faster convergence rate" in figures 1 to 6.
FASTEST = {
    "alpha": "rmsprop",
    "gamma": "rmsprop",
    "delta": "rmsprop",
    "mnist": "rmsprop",
    "usps": "rmsprop",
    "letter": "pegasos",
}
FIGURES = {"alpha": 1, "gamma": 2, "delta": 3, "mnist": 4, "usps": 5, "letter": 6}

# According to the abstract, one rule has the "higher testing precision" on five data sets.
FIVE_SETS = ("alpha", "gamma", "delta", "mnist", "usps")
BEST_OF_FIVE = "rmsprop"
