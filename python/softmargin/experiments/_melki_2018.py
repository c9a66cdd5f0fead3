"""Tables 1.2, 1.3 and 1.5 of Melki (2018), as printed.

G. A. Melki, Novel Support Vector Machines for Diverse Learning Paradigms (Virginia Commonwealth
University, 2018), chapter 1. Methods are evaluated by nested cross-validation with 5 x 5 folds.
In table 1.5 the data sets heart, prokaryotic and eukaryotic are called heart2, pro and euk.

Recomputing the tests from the printed numbers shows:

- The ranks of accuracy in table 1.3 count the lowest accuracy as the best: the correct rank is 4
  minus the printed one. MNSVM is first with 1.761, NNISDA has 1.978, and OLLAWV is last with 2.261,
  although no difference is significant. The ranks of runtime and support vectors are correct.
- The ranks and the critical distance of table 1.5 count its row of averages as a 24th data set.
- The p-values are those of Iman and Davenport without a correction for ties.
"""

from __future__ import annotations

# Samples, features, classes, and the group in the paper.
DATASETS: dict[str, tuple[int, int, int, str]] = {
    "iris": (150, 4, 3, "small"),
    "teach": (151, 5, 3, "small"),
    "wine": (178, 13, 3, "small"),
    "cancer": (198, 32, 2, "small"),
    "sonar": (208, 60, 2, "small"),
    "glass": (214, 9, 6, "small"),
    "vote": (232, 16, 2, "small"),
    "heart": (270, 13, 2, "small"),
    "dermatology": (366, 33, 6, "small"),
    "prokaryotic": (997, 20, 3, "small"),
    "eukaryotic": (2_427, 20, 2, "small"),
    "optdigits": (5_620, 64, 10, "medium"),
    "satimage": (6_435, 36, 6, "medium"),
    "usps": (9_298, 256, 10, "medium"),
    "pendigits": (10_992, 16, 10, "medium"),
    "reuters": (11_069, 8_315, 2, "medium"),
    "letter": (20_000, 16, 26, "medium"),
    "adult": (48_842, 123, 2, "large"),
    "w3a": (49_749, 300, 2, "large"),
    "shuttle": (58_000, 7, 7, "large"),
    "web": (64_700, 300, 2, "large"),
    "ijcnn1": (141_691, 22, 2, "large"),
    "intrusion": (5_209_460, 127, 2, "large"),
}

METHODS_1_3 = ("OLLAWV", "NNISDA", "MNSVM")
METHODS_1_5 = ("OLLAWV", "KNN", "J48", "JRip", "Naive Bayes", "Logistic")

# Accuracy (%), runtime (s) and support vectors (%) of the three methods.
_PRINTED_1_3 = {
    "iris": ((97.33, 94.00, 96.67), (0.05, 0.27, 3.57), (13.50, 40.20, 29.80)),
    "teach": ((52.32, 52.31, 52.95), (0.12, 0.44, 8.85), (69.19, 99.80, 87.40)),
    "wine": ((98.87, 96.60, 96.60), (0.28, 0.43, 4.84), (15.02, 44.40, 48.60)),
    "cancer": ((80.36, 81.86, 81.38), (0.49, 0.85, 4.46), (42.79, 83.80, 89.60)),
    "sonar": ((92.32, 89.48, 87.57), (0.59, 0.98, 3.03), (31.26, 73.00, 66.00)),
    "glass": ((72.41, 67.81, 69.30), (0.46, 1.01, 11.94), (62.84, 90.80, 87.60)),
    "vote": ((96.54, 96.11, 93.99), (0.26, 0.46, 1.49), (13.36, 33.20, 34.00)),
    "heart": ((82.22, 83.33, 83.33), (0.50, 0.91, 6.45), (37.69, 73.00, 82.00)),
    "dermatology": ((97.82, 98.36, 98.36), (1.62, 2.47, 11.68), (36.94, 59.00, 59.80)),
    "prokaryotic": ((88.96, 88.86, 88.97), (6.09, 10.64, 50.86), (29.01, 51.20, 49.00)),
    "eukaryotic": ((77.38, 79.56, 81.21), (61.95, 49.16, 342.76), (54.11, 76.40, 72.60)),
    "optdigits": ((99.11, 99.29, 99.31), (411, 528, 787), (28.64, 31.60, 30.60)),
    "satimage": ((91.66, 92.39, 92.35), (1_334, 687, 1_094), (20.72, 45.00, 44.80)),
    "usps": ((97.49, 98.05, 98.24), (10_214, 5_245, 7_777), (11.22, 29.40, 28.00)),
    "pendigits": ((99.56, 99.62, 99.61), (723, 909, 1_500), (10.27, 17.60, 16.60)),
    "reuters": ((98.03, 98.08, 97.99), (954, 1_368, 1_657), (8.770, 18.20, 18.60)),
    "letter": ((96.99, 99.11, 99.13), (5_259, 12_009, 26_551), (43.56, 57.60, 56.60)),
    "adult": ((84.75, 85.07, 85.13), (21_025, 72_552, 123_067), (34.66, 56.00, 56.60)),
    "w3a": ((98.86, 98.82, 98.82), (6_532, 15_951, 24_562), (3.270, 14.60, 12.40)),
    "shuttle": ((99.77, 99.83, 99.87), (2_833, 7_420, 45_062), (2.010, 6.00, 16.40)),
    "web": ((98.94, 99.00, 99.00), (12_067, 30_583, 38_040), (4.320, 13.20, 10.80)),
    "ijcnn1": ((98.31, 99.34, 99.41), (162_587, 296_917, 370_144), (16.36, 11.00, 7.600)),
    "intrusion": ((99.77, 99.67, 99.66), (2_402_804, 4_646_810, 3_772_113), (0.780, 2.000, 1.700)),
}

# Mean and standard deviation over the outer folds of accuracy (%) of the six methods.
_PRINTED_1_5 = {
    "iris": ((97.33, 96.00, 94.00, 90.67, 96.00, 97.33), (1.49, 3.65, 2.79, 4.35, 2.79, 2.79)),
    "teach": ((52.32, 59.64, 49.72, 56.75, 53.75, 51.77), (3.46, 2.89, 7.58, 9.60, 6.46, 6.00)),
    "wine": ((98.87, 97.73, 90.43, 93.24, 96.60, 96.05), (1.54, 3.72, 5.83, 3.27, 3.14, 2.50)),
    "cancer": ((80.36, 77.32, 73.81, 73.78, 67.73, 77.32), (5.80, 6.93, 8.57, 5.81, 5.07, 7.70)),
    "sonar": ((92.32, 88.99, 76.16, 75.18, 73.69, 75.18), (3.11, 4.59, 10.6, 6.77, 7.65, 7.30)),
    "glass": ((72.41, 67.73, 65.06, 65.59, 49.46, 62.04), (2.28, 5.91, 5.51, 9.66, 5.19, 5.70)),
    "vote": ((96.54, 92.26, 95.70, 96.54, 92.24, 93.54), (1.87, 3.19, 2.12, 2.45, 3.24, 2.50)),
    "heart": ((82.22, 79.63, 78.52, 80.74, 84.44, 83.33), (2.93, 5.71, 2.81, 4.06, 4.46, 3.90)),
    "dermatology": (
        (97.82, 96.18, 94.52, 91.27, 97.28, 96.98),
        (0.05, 1.78, 2.21, 5.08, 1.64, 2.20),
    ),
    "prokaryotic": (
        (88.96, 87.96, 78.54, 79.13, 62.38, 87.57),
        (2.14, 3.01, 1.62, 2.78, 3.54, 2.50),
    ),
    "eukaryotic": (
        (77.38, 81.42, 65.27, 66.42, 39.27, 69.55),
        (1.96, 2.06, 2.92, 3.47, 3.43, 1.30),
    ),
    "optdigits": ((99.11, 98.74, 90.87, 91.28, 92.42, 95.05), (0.38, 0.39, 1.09, 0.40, 0.75, 0.90)),
    "satimage": ((91.66, 90.38, 85.64, 85.33, 85.41, 88.14), (0.80, 0.72, 1.21, 0.77, 0.92, 1.30)),
    "usps": ((97.49, 97.04, 88.73, 89.20, 79.45, 91.88), (0.22, 0.47, 0.46, 1.00, 0.59, 0.60)),
    "pendigits": ((99.56, 99.33, 96.24, 96.34, 88.34, 95.59), (0.12, 0.17, 0.31, 0.41, 0.65, 0.30)),
    "reuters": ((98.03, 97.15, 96.90, 97.18, 93.52, 69.54), (0.22, 0.43, 0.32, 0.44, 0.02, 0.90)),
    "letter": ((96.99, 95.71, 87.34, 87.02, 74.12, 77.45), (0.21, 0.19, 0.68, 0.66, 0.97, 0.30)),
    "adult": ((84.75, 83.85, 84.38, 83.73, 80.57, 82.46), (0.26, 0.28, 0.28, 0.17, 0.09, 0.30)),
    "w3a": ((98.86, 98.60, 98.71, 98.41, 96.71, 98.61), (0.04, 0.06, 0.05, 0.10, 0.20, 0.30)),
    "shuttle": ((99.77, 99.93, 99.97, 99.96, 98.57, 96.83), (0.03, 0.03, 0.02, 0.02, 0.24, 0.30)),
    "web": ((98.94, 98.89, 98.79, 98.50, 96.71, 98.70), (0.05, 0.06, 0.09, 0.13, 0.21, 0.60)),
    "ijcnn1": ((98.31, 98.48, 98.40, 98.11, 90.69, 92.29), (0.07, 0.04, 0.09, 0.10, 0.26, 0.30)),
    "intrusion": (
        (99.77, 88.20, 58.01, 87.66, 49.75, 65.15),
        (0.02, 1.06, 26.6, 3.79, 30.7, 15.00),
    ),
}

# Accuracy (%), runtime (s), support vectors (%).
TABLE_1_3: dict[str, dict[str, tuple[float, float, float]]] = {
    name: dict(zip(METHODS_1_3, zip(*columns, strict=True), strict=True))
    for name, columns in _PRINTED_1_3.items()
}

# Mean and standard deviation of accuracy (%).
TABLE_1_5: dict[str, dict[str, tuple[float, float]]] = {
    name: dict(zip(METHODS_1_5, zip(*columns, strict=True), strict=True))
    for name, columns in _PRINTED_1_5.items()
}

# The rows of averages and of ranks.
AVERAGES_1_3 = {
    "accuracy": dict(zip(METHODS_1_3, (91.29, 91.15, 91.25), strict=True)),
    "runtime": dict(zip(METHODS_1_3, (114_209, 221_350, 191_861), strict=True)),
    "support vectors": dict(zip(METHODS_1_3, (25.66, 44.65, 43.79), strict=True)),
}
RANKS_1_3 = {
    "accuracy": dict(zip(METHODS_1_3, (1.739, 2.022, 2.239), strict=True)),
    "runtime": dict(zip(METHODS_1_3, (1.217, 1.913, 2.869), strict=True)),
    "support vectors": dict(zip(METHODS_1_3, (1.087, 2.609, 2.304), strict=True)),
}
AVERAGES_1_5 = dict(zip(METHODS_1_5, (91.29, 90.05, 84.60, 86.18, 79.96, 84.45), strict=True))
RANKS_1_5 = dict(zip(METHODS_1_5, (1.500, 2.500, 4.041, 3.9583, 5.0625, 3.9375), strict=True))

# P-values of Iman and Davenport, and critical distances of Bonferroni and Dunn at 0.05.
P_VALUES_1_3 = {"accuracy": 0.2397, "runtime": 0.0, "support vectors": 0.0}
CRITICAL_DISTANCE_1_3 = 0.66
CRITICAL_DISTANCE_1_5 = 1.391
