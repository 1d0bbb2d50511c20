"""A diff of a file of the user that shows no confidential line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from renderer.emit.unified_diff import unified_diff
from renderer.findings.public_lines import public_lines
from renderer.findings.quoted_lines import lines_of_values
from renderer.kubevirt.facts.confidential.secret_values import secret_values
from renderer.model.kube.resource import Resource
from renderer.model.masking import MASK
from renderer.model.pattern import pattern
from renderer.model.run.taint import taint_again, taint_masking

#: The key of a line, with what is before it.
_KEY = pattern(r"[\s-]*+[^\s:#][^:#]*+:(?=\s|$)")


def note_secrets(resources: Iterable[Resource]) -> None:
    """Record the values of the Secrets of a build: no diff of its files shows a line that repeats one."""
    taint_again(secret_values(each.content for each in resources))


def public_diff(path: str, before: bytes, after: bytes) -> str:
    """Return the diff of a file; its lines have no values of Secrets and no cloud-init data.

    A line that one version hides is hidden in the other as well, and so is another value of the same key. If
    one version hides more keys, only lines that both have are shown of the other.
    """
    old, new = (_lines(content) for content in (before, after))
    shown = unified_diff(path, _masked(old, new), _masked(new, old))
    return shown or f"--- {path}\n+++ {path}\n(what changes is on lines that hold confidential data)\n"


def _lines(content: bytes) -> Sequence[tuple[str, bool]]:
    """Return the lines of a file, each with whether it must not be shown."""
    written = content.decode("utf-8", "replace").split("\n")
    numbers = range(1, len(written) + 1)
    confidential = taint_masking()
    public = public_lines(content, numbers)
    hidden = lines_of_values(content, public, confidential) if confidential else frozenset[int]()
    return [
        (public.get(number, line), number not in public or number in hidden or confidential.is_in(line))
        for number, line in enumerate(written, 1)
    ]


def _hidden(lines: Iterable[tuple[str, bool]]) -> AbstractSet[str]:
    """Return the hidden lines, up to the value of a key if there is one."""
    return {_without_value(line) for line, is_hidden in lines if is_hidden and line.strip()}


def _without_value(line: str) -> str:
    found = _KEY.match(line)
    return found[0] if found else line


def _masked(lines: Sequence[tuple[str, bool]], others: Sequence[tuple[str, bool]]) -> bytes:
    """Return the file with a mask for each line that must not be shown; ``others`` is the other version."""
    hidden = _hidden(others) - _hidden(lines)
    kept = {line for line, _ in others} if hidden else {line for line, _ in lines}
    shown = [
        MASK if is_hidden or _without_value(line) in hidden or line not in kept else line
        for line, is_hidden in lines
    ]
    # What follows the last line break is not a line.
    return "\n".join([*shown[:-1], shown[-1] if lines[-1][0] else ""]).encode()
