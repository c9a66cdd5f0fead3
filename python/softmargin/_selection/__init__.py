"""Model selection: nested cross-validation, searches, folds, checkpoints, progress."""
