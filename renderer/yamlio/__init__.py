"""YAML as kustomize reads and writes it: trees, marks of where things stand, and edits that keep comments."""

from renderer.yamlio.libyaml import C_PARSER

__all__ = ["C_PARSER"]
