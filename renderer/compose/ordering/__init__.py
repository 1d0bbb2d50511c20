"""The order in which resources are written."""
