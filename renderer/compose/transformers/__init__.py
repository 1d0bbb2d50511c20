"""The builtin transformers, one module each; their order is in ``builtin_transformers``."""
