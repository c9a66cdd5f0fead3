"""Table 3 of Nguyen and Ho (2005), and the numbers that the text states for figure 2.

D. Nguyen and T. Ho, Speeding-up Model Selection for Support Vector Machines (FLAIRS, 2005). The
figures have normalized axes without numbers.
"""

from __future__ import annotations

# Features, classes, samples.
TABLE_3 = {
    "satimage": (36, 6, 4_435),
    "letter": (16, 26, 15_000),
    "shuttle": (9, 7, 43_500),
}

# Its "kernel cache sizes", interpreted as the number of samples in the working set, which was
# meant to contain all support vectors.
WORKING_SETS = {"satimage": 2_000, "letter": 2_000, "shuttle": 10_000}

# The smallest and the largest saving of time (%): shuttle, RBF kernel, C = 2; and satimage, linear
# kernel, C = 7. (The abstract states 28.8 as the smallest.)
LEAST_SAVED = 22.8
MOST_SAVED = 85.5
