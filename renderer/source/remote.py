"""Entries that name something on the network (``api/internal/git/repospec.go``, ``loader/fileloader.go``)."""

from __future__ import annotations

import re

_SCHEME = re.compile(
    r"(?:git::)?(?:(?:ssh|https?|file)://|[a-zA-Z][a-zA-Z0-9-]*@[^/]*:|github\.com[/:])", re.IGNORECASE
)


def is_remote(entry: str) -> bool:
    """Whether kustomize would fetch ``entry`` with git or HTTP."""
    return _SCHEME.match(entry) is not None
