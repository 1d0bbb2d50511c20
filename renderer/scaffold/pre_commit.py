"""The configuration of pre-commit, https://pre-commit.com/#plugins."""

from __future__ import annotations

PRE_COMMIT = ".pre-commit-config.yaml"

_HEAD = """\
# pre-commit install: from then on each commit is checked, and rendered/ follows it.
repos:
"""


def pre_commit_file(version: str) -> str:
    """The whole file."""
    return _HEAD + pre_commit_entry(version)


def pre_commit_entry(version: str) -> str:
    """An entry of its list ``repos``."""
    return f"""\
  - repo: https://github.com/vmrender/vmrender
    rev: v{version}
    hooks:
      - id: vmrender-validate
      - id: vmrender-render
"""
