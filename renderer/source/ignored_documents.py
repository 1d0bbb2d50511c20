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
    line = second_document(content)
    if not line:
        return ()
    return (
        Diagnostic(
            code=Code.IGNORED_DOCUMENT,
            severity=Severity.WARNING,
            message="only the first document of a kustomization counts",
            location=Location(path, line),
            hint="move the rest into a file of its own and list that under resources",
        ),
    )


def second_document(content: bytes) -> int:
    """The line on which a second document with something in it begins; 0 when there is none."""
    if b"\n---" not in content:
        return 0
    starts = [0, *(separator.end() for separator in _SEPARATOR.finditer(content))]
    ends = [*(separator.start() for separator in _SEPARATOR.finditer(content)), len(content)]
    found = [start for start, end in zip(starts, ends, strict=True) if _CONTENT.search(content[start:end])]
    return content.count(b"\n", 0, found[1]) + 1 if len(found) > 1 else 0
