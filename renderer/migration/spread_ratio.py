"""``preferSpreadSocketToCoreRatio`` of a preference is ``cpu.spreadOptions.ratio`` since KubeVirt 1.3.

KubeVirt ``pkg/instancetype/preference/apply/cpu.go`` (GetSpreadOptions): of both the new one counts.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.migration.change import Change, Finding, NotMigrated, Subject
from renderer.model.field_edit import AddField, FieldEdit, RemoveField, RenameField, SetField
from renderer.model.field_path import FieldPath
from renderer.model.json import JsonObject, object_at
from renderer.model.release import Release

_OLD = "preferSpreadSocketToCoreRatio"
_FIELD = FieldPath.of("spec", _OLD)
_CPU = FieldPath.of("spec", "cpu")
_SINCE = Release(1, 3)


def in_preference(content: JsonObject) -> Iterator[Finding]:
    spec = object_at(content, "spec")
    if _OLD not in spec:
        return
    ratio = spec[_OLD]
    if isinstance(ratio, bool) or not isinstance(ratio, int) or ratio <= 0:
        hint = "write a number, or remove it" if ratio != 0 else "remove it, as 0 means the default of 2"
        yield NotMigrated(
            _FIELD, f"{_OLD} has no ratio that could be written as cpu.spreadOptions.ratio", hint, _SINCE
        )
        return
    edits = tuple(_edits(spec, ratio))
    after = "removed, as cpu.spreadOptions.ratio counts"
    if len(edits) > 1:
        after = f"cpu.spreadOptions.ratio: {ratio}"
    yield Change(Subject.SPREAD_RATIO, _FIELD, f"{_OLD}: {ratio}", after, edits, _SINCE)


def _edits(spec: JsonObject, ratio: int) -> Iterator[FieldEdit]:
    options = object_at(spec, "cpu", "spreadOptions")
    if "cpu" not in spec:
        yield RenameField(_FIELD, "cpu")
        yield SetField(_CPU, {"spreadOptions": {"ratio": ratio}})
        return
    yield RemoveField(_FIELD)
    if options.get("ratio") is not None:
        return
    if "spreadOptions" not in object_at(spec, "cpu"):
        yield AddField(_CPU, "spreadOptions", {"ratio": ratio})
    else:
        yield AddField(_CPU.child("spreadOptions"), "ratio", ratio)
