"""What paper 002 prints: table 3, and the numbers that its text gives for figure 2.

D. Nguyen and T. Ho, Speeding-up Model Selection for Support Vector Machines (FLAIRS, 2005). Its
figures have no numbers; their axes are normalised.
"""

from __future__ import annotations

# Attributes, classes, rows.
TABLE_3 = {
    "satimage": (36, 6, 4_435),
    "letter": (16, 26, 15_000),
    "shuttle": (9, 7, 43_500),
}

# Its "kernel cache sizes", taken for the rows of the working set, which was to cover all support
# vectors.
WORKING_SETS = {"satimage": 2_000, "letter": 2_000, "shuttle": 10_000}

# The least and the most of the time that is saved (%): shuttle, RBF kernel, C = 2; and satimage,
# linear kernel, C = 7. (The abstract has 28.8 for the least.)
LEAST_SAVED = 22.8
MOST_SAVED = 85.5
