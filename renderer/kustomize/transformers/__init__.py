"""The builtin transformers, one module each; their order is in ``accumulate.BUILTIN_TRANSFORMERS``."""
