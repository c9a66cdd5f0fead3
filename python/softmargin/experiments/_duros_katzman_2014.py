"""Tables 1 to 4 of Duros and Katzman (2014), as printed.

D. Duros and J. Katzman, Comparison of SVM Optimization Techniques in the Primal. GD is gradient
descent, SSG stochastic subgradient descent (Pegasos), NM Newton's method. Modes are two labels
("bin") or five ("multi"); features are binary ("bin") or counted words ("freq").
"""

from __future__ import annotations

# Table 1: phrases, distinct words, words of a phrase.
PHRASES, WORDS, WORDS_PER_PHRASE = 150_606, 18_226, 6.85

# Seconds of Newton's method by number of samples.
TABLE_2 = {1_000: 24, 2_000: 107, 4_000: 410, 8_000: 1_665, 16_000: 6_805}

# Accuracy and seconds by method, mode and features.
Entries = dict[tuple[str, str, str], tuple[float, int]]

# All phrases.
TABLE_3: Entries = {
    ("GD", "bin", "bin"): (0.7328, 184),
    ("GD", "multi", "bin"): (0.5119, 300),
    ("SSG", "bin", "bin"): (0.7319, 140),
    ("SSG", "bin", "freq"): (0.7312, 67),
    ("SSG", "multi", "bin"): (0.5142, 120),
    ("SSG", "multi", "freq"): (0.5141, 122),
}

# 1,000 phrases.
TABLE_4: Entries = {
    ("GD", "bin", "bin"): (0.8343, 1),
    ("GD", "bin", "freq"): (0.8404, 1),
    ("GD", "multi", "bin"): (0.6979, 2),
    ("GD", "multi", "freq"): (0.6929, 3),
    ("SSG", "bin", "bin"): (0.8485, 2),
    ("SSG", "bin", "freq"): (0.8485, 3),
    ("SSG", "multi", "bin"): (0.7061, 1),
    ("SSG", "multi", "freq"): (0.7172, 1),
    ("NM", "bin", "bin"): (0.7959, 470),
    ("NM", "multi", "bin"): (0.6828, 537),
}

# The accuracy that the paper calls chance, by mode: one over the number of labels.
CHANCE = {"bin": 0.5, "multi": 0.2}
