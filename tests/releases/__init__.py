"""The rules that differ by release, as a list: ``python -m tests.releases``."""
