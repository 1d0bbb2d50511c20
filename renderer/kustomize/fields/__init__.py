"""Field specs: the fields that transformers visit, builtin and configured."""
