"""Documents behind the first one of a kustomization file, which kustomize does not read."""

from __future__ import annotations

import re

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.location import Location

_SEPARATOR = re.compile(rb"^---(?=\s|\Z).*$", re.MULTILINE)
_CONTENT = re.compile(rb"^[ \t]*[^\s#]", re.MULTILINE)


def ignored_documents(content: bytes, path: str) -> tuple[Diagnostic, ...]:
    """A warning, when there is more than one document with something in it."""
    if b"\n---" not in content:
        return ()
    starts = [0, *(separator.end() for separator in _SEPARATOR.finditer(content))]
    ends = [*(separator.start() for separator in _SEPARATOR.finditer(content)), len(content)]
    found = [start for start, end in zip(starts, ends, strict=True) if _CONTENT.search(content[start:end])]
    if len(found) < 2:  # noqa: PLR2004 - one is as it should be
        return ()
    return (
        Diagnostic(
            code=Code.IGNORED_DOCUMENT,
            severity=Severity.WARNING,
            message="only the first document of a kustomization counts",
            location=Location(path, content.count(b"\n", 0, found[1]) + 1),
            hint="move the rest into a file of its own and list that under resources",
        ),
    )
