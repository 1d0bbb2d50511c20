"""Content-based names of instance types and preferences, and everything that refers to them."""
