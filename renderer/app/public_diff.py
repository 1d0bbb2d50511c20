"""A diff of a file of the user that shows no confidential line."""

from __future__ import annotations

from collections.abc import Iterable

from renderer.emit.unified_diff import unified_diff
from renderer.findings.public_lines import public_lines
from renderer.findings.quoted_lines import lines_of_values
from renderer.kubevirt.facts.confidential.secret_values import secret_values
from renderer.model.kube.resource import Resource
from renderer.model.masking import MASK
from renderer.model.run.taint import taint_again, taint_masking


def note_secrets(resources: Iterable[Resource]) -> None:
    """Record the values of the Secrets of a build: no diff of its files shows a line that repeats one."""
    taint_again(secret_values(each.content for each in resources))


def public_diff(path: str, before: bytes, after: bytes) -> str:
    """Return the diff of a file; its lines have no values of Secrets and no cloud-init data."""
    shown = unified_diff(path, _masked(before), _masked(after))
    return shown or f"--- {path}\n+++ {path}\n(what changes is on lines that hold confidential data)\n"


def _masked(content: bytes) -> bytes:
    """Return the file with each line masked that must not be shown."""
    numbers = range(1, content.count(b"\n") + 2)
    confidential = taint_masking()
    public = public_lines(content, numbers)
    hidden = lines_of_values(content, public, confidential) if confidential else frozenset[int]()
    shown = {
        number: line
        for number, line in public.items()
        if number not in hidden and not confidential.is_in(line)
    }
    *lines, last = (shown.get(number, MASK) for number in numbers)
    return "\n".join([*lines, last if not content.endswith(b"\n") else ""]).encode()
