"""The guest data of machines as rules see it: the files of a machine, and problems in their text."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.checks.rules.context import Context
from renderer.checks.rules.rule import Finding
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.guest_data.sources import GuestFile, MissingKey, guest_files
from renderer.model.kube.field_path import FieldPath, Segment
from renderer.model.kube.resource import Resource
from renderer.model.record import Record
from renderer.model.suggest import suggest
from renderer.yamlio.events import document_count
from renderer.yamlio.marks import MarkedFile


class Problem(Record):
    """A mistake in a text; ``line`` and ``column`` count from 1, a line of 0 is not known."""

    message: str
    hint: str
    line: int = 0
    column: int = 1


class GuestYaml(Record):
    """The text of YAML data, which begins on ``line`` of its file; it makes problems with their lines."""

    text: str
    line: int

    def problem(self, path: tuple[Segment, ...], message: str, hint: str) -> Problem:
        """Return a problem at the value with that path, or at the nearest one above it."""
        mark = (
            MarkedFile(self.text.encode("utf-8", "replace")).find(0, FieldPath(path)) if self.line else None
        )
        if mark is None:
            return Problem(message, hint, self.line)
        return Problem(message, hint, self.line + mark.line - 1, mark.column)


def files_of(context: Context, machine: VirtualMachineView) -> Iterator[GuestFile | MissingKey]:
    """Yield the guest data of a machine, with what the overlay has of its Secrets and ConfigMaps."""

    def find(kind: str, name: str, namespace: str) -> list[Resource]:
        items = context.inventory.named(kind, name)
        return [
            item.resource
            for item in items
            if item.resource.kind == kind and (not namespace or item.namespace in ("", namespace))
        ]

    yield from guest_files(machine, find)


def finding(file: GuestFile, problem: Problem) -> Finding:
    """Return the finding about a problem in a file."""
    location = file.location(problem.line, problem.column)
    message = problem.message
    if problem.line > 1 and location is None:
        message = f"{message} (line {problem.line} of the text)"
    return Finding(file.resource, file.field, message, problem.hint, location=location)


def has_several_documents(text: str) -> bool:
    """Return True if the YAML text has more than one document, which cloud-init refuses."""
    return "\n---" in text and document_count(text) > 1


def nearest_key(written: object, known: tuple[str, ...]) -> str | None:
    """Return the known key that ``written`` probably means; None for a known key or another word."""
    if not isinstance(written, str) or written in known:
        return None
    plain = {_plain(key): key for key in known}
    if _plain(written) in plain:
        return plain[_plain(written)]
    near = suggest(written, known, most=1, cutoff=0.8)
    return near[0] if near else None


def _plain(key: str) -> str:
    return key.lower().replace("-", "").replace("_", "")
