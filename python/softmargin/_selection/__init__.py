"""Model selection: nested cross-validation, grid and pattern search, folds, checkpoints."""
