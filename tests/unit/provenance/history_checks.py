"""Invariants of histories, checked for all fields of all resources of a build."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from renderer.files.file_system import FileSystem
from renderer.findings.locator import Locator
from renderer.model.difference import NoValue
from renderer.model.history import FieldHistory
from renderer.model.kube.resource import Resource
from renderer.model.provenance import StepKind
from renderer.model.render_config import Overlay, OverlayEntry, RenderConfig
from renderer.provenance.histories import Historian, with_locations
from renderer.provenance.paths import field_value, leaves
from renderer.provenance.trace import Trace


def overlay_of(folder: str) -> Overlay:
    return RenderConfig().overlay(OverlayEntry(folder), folder, folder)


def histories_of(
    trace: Trace, overlay: Overlay, resource: Resource, fs: FileSystem
) -> tuple[FieldHistory, ...]:
    historian = Historian(trace, overlay)
    wanted = frozenset(historian.fields(resource))
    return with_locations(historian.histories(resource, wanted), Locator(fs).location_of)


def mistakes(trace: Trace, overlay: Overlay, resources: Iterable[Resource], fs: FileSystem) -> Iterator[str]:
    """Yield the problems of the histories of the resources' fields, one per line."""
    for resource in resources:
        histories = histories_of(trace, overlay, resource, fs)
        found = {history.field: history for history in histories if history.value is not NoValue.ABSENT}
        for path, value in leaves(resource.content):
            name = f"{resource.current_id} {path}"
            history = found.get(path)
            if history is None or not history.steps:
                yield f"{name} has no history"
            elif history.value not in (value, NoValue.WITHHELD):
                yield f"{name} ends with {history.value}, not {value}"
            else:
                yield from (f"{name} {problem}" for problem in _mistakes(history, fs))
        for path in found:
            if field_value(resource.content, path) is NoValue.ABSENT:
                yield f"{resource.current_id} {path} is not there any more"


def _mistakes(history: FieldHistory, fs: FileSystem) -> Iterator[str]:
    if history.steps[0].before is not NoValue.ABSENT:
        yield "begins with something that is there already"
    for earlier, later in pairwise(history.steps):
        if earlier.after != later.before:
            yield f"jumps from {earlier.after} to {later.before}"
    location = history.steps[0].location
    lines = fs.read(location.path).decode().splitlines() if location else []
    if location is None or not 0 < location.line <= len(lines):
        yield f"comes from no line: {location}"
        return
    if "kind: InstancetypeSeries" in lines:
        return  # each field of a size is written by the row of the size
    if "kind: VirtualMachineTemplate" in lines:
        return  # a parameter may name the key; the API version and kind are added
    key = history.field.segments[-1] if history.field.segments else 0
    line = lines[location.line - 1]
    if history.steps[0].act is StepKind.WRITTEN and isinstance(key, str) and key not in line:
        yield f"is not on its line {location}: {line}"
