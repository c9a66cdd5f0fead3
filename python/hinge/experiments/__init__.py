"""Experiments of the papers, to repeat here, and what the papers printed."""
