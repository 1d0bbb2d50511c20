"""Checks of rendered manifests: JSON schemas by release, and rules about probable mistakes."""
