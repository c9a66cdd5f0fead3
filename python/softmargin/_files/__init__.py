"""File formats: saved models, LIBSVM text and models, ONNX, and labelled phrases."""
