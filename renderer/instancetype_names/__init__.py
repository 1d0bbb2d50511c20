"""Rename instance types and preferences after their content (``instancetypeNames``), and all references."""
