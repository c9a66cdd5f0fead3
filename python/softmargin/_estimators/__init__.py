"""Estimators with scikit-learn's interface, one module for each method."""
