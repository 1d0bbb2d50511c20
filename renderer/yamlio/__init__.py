"""YAML as kustomize reads and writes it: trees, marks of where things stand, and edits that keep comments."""

from renderer.yamlio import libyaml

__all__ = ["libyaml"]
