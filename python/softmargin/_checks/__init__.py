"""Validation of user input: samples, labels, weights, parameters and resources."""
