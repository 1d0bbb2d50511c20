"""YAML as kustomize reads and writes it: trees, positions of fields, and edits that keep comments."""

from renderer.yamlio import libyaml

__all__ = ["libyaml"]
