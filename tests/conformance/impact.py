"""The suite ``impact``: the effect of a change on a running VirtualMachine in KubeVirt.

The pairs of a file become the overlays of one project, before and after, and are compared by the functions
behind ``vmrender diff``. The classes are defined in the README of the vectors.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from renderer.app.comparison.compared_overlay import compare_sides
from renderer.app.comparison.rendered_sides import RenderedSide
from renderer.app.comparison.side import Side
from renderer.files.builtin_catalogs import BuiltinFileSystem
from renderer.files.bundled import data_folder
from renderer.files.file_system import MemoryFileSystem
from renderer.kubevirt.impact.network import UNPLUGGED
from renderer.model.difference import Effect, OverlayDifference, ResourceChange
from renderer.model.kube.field_path import ElementName, FieldPath
from renderer.model.kube.json import Json
from tests.conformance.case_result import CaseResult
from tests.conformance.lines import read_lines

#: In the order of the README: the first that happens is the class.
_CLASSES: Mapping[Effect, str] = {
    Effect.REFUSED: "refused",
    Effect.STOP: "stop",
    Effect.START: "start",
    Effect.NEXT_START: "halted",
    Effect.RESTART: "restart",
    Effect.STUCK: "stuck",
    Effect.MIGRATION: "migration",
    Effect.EVICTED: "blocked",
    Effect.BLOCKED: "blocked",
    Effect.NEXT_MIGRATION: "hot-plug",
    Effect.HOT_PLUG: "hot-plug",
    Effect.LIVE: "live",
    Effect.DISCONNECTED: "live",
    Effect.PENDING: "next-start",
    Effect.NONE: "none",
}
#: The vectors of 1.9 are of d923fdb815, on the way to 1.10, whose schemas are assumed to equal 1.9's.
_TARGETS = {"1.9": "1.10"}
#: Not counted: RestartRequired was there before the change.
_NOT_COUNTED = "restartRequiredAnyway"
_BATCH = 400
_NOTHING_BETWEEN: tuple[RenderedSide, ...] = ()
#: The spec that a VM was started from and the ones in between, if a pair has them; and its two sides.
_STATES = ("first", "via", "old", "new")


def run(paths: Iterable[Path]) -> Iterator[CaseResult]:
    """Return the results of all pairs in the files ``paths``."""
    for path in paths:
        pairs = [json.loads(line) for line in read_lines(path)]
        for start in range(0, len(pairs), _BATCH):
            yield from _run(pairs[start : start + _BATCH])


def _run(pairs: list[dict[str, Any]]) -> Iterator[CaseResult]:
    first, via, before, after = (Side(name, _project(pairs, name)) for name in _STATES)
    for number, pair in enumerate(pairs):
        path = f"overlays/{number}"
        started, between = before, _NOTHING_BETWEEN
        if "first" in pair:
            started, between = first, tuple(filter(None, (via.render(path), before.render(path))))
        rendered = started.render(path), after.render(path)
        difference = compare_sides((started, after), rendered, path, str(number), between)
        yield _result(pair, difference)


def _project(pairs: list[dict[str, Any]], side: str) -> BuiltinFileSystem:
    overlays = [
        {
            "path": f"overlays/{number}",
            "output": f"rendered/{number}",
            "kubevirt": _TARGETS.get(pair["release"], pair["release"]),
            "expand": pair.get("mode", "applied"),
        }
        for number, pair in enumerate(pairs)
    ]
    config = {
        "apiVersion": "vmrender.io/v1alpha1",
        "kind": "RenderConfig",
        "schemas": [{"path": "schemas"}],
        "overlays": overlays,
    }
    files = {"vmrender.yaml": json.dumps(config)}
    for path in (data_folder("schemas") / "kubevirt" / "1.9").iterdir():
        files[f"schemas/kubevirt/1.10/{path.name}"] = path.read_text(encoding="utf-8")
    for number, pair in enumerate(pairs):
        names = []
        for index, content in enumerate(_objects(pair, side)):
            names.append(f"{index}.yaml")
            files[f"overlays/{number}/{index}.yaml"] = json.dumps(content)
        files[f"overlays/{number}/kustomization.yaml"] = json.dumps({"resources": names})
    return BuiltinFileSystem(MemoryFileSystem({name: text.encode() for name, text in files.items()}))


def _objects(pair: dict[str, Any], side: str) -> Iterator[Any]:
    yield pair.get(side) or pair["old"]
    yield {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": "kubevirt", "namespace": "kubevirt"},
        "spec": {"configuration": pair["config"]},
    }
    has_own = side == "new" and "objectsNew" in pair
    yield from pair["objectsNew"] if has_own else pair.get("objects", ())
    if "accessMode" in pair:
        for claim in sorted(
            set(re.findall(r'"claimName": "([^"]*)"', json.dumps([pair["old"], pair["new"]])))
        ):
            yield {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "metadata": {"name": claim, "namespace": "default"},
                "spec": {"accessModes": [pair["accessMode"]], "resources": {"requests": {"storage": "1Gi"}}},
            }


def _result(pair: dict[str, Any], difference: OverlayDifference) -> CaseResult:
    changes = [change for change in difference.changes if change.id.gvk.kind == "VirtualMachine"]
    change = changes[0] if changes else None
    truth = pair["truth"]
    effect = "refused" if difference.incomparable else _class(change)
    if effect == "none" and _is_halted(pair["old"]) and _is_halted(pair["new"]):
        effect = "halted"  # the README's class for whatever changes there
    pending = [field for field in change.pending if not _is_unset(pair, field)] if change else []
    actual: dict[str, Json] = {
        "effect": effect,
        "pending": sorted(map(_path, pending)),
        "refusedAtStart": bool(change and change.start_refusal),
    }
    expected = {
        "effect": truth["class"],
        "pending": sorted(truth.get("pending", ())),
        "refusedAtStart": "nextStartRefused" in truth,
    }
    if expected["effect"] == "refused":
        actual |= {"pending": [], "refusedAtStart": False}
    fields = {name: actual[name] == expected[name] for name in expected}
    wrong = [f"{name} {actual[name]!r}, not {expected[name]!r}" for name, same in fields.items() if not same]
    if _NOT_COUNTED in truth:
        wrong, fields = [], {}
    return CaseResult(
        id=pair["id"],
        group=f"{pair['release']} {truth['class']}",
        passed=not wrong,
        detail="; ".join(wrong),
        actual=actual,
        release=pair["release"],
        fields=fields,
    )


def _class(change: ResourceChange | None) -> str:
    if change is None:
        return "none"
    found = next((name for effect, name in _CLASSES.items() if effect in change.effects), "none")
    is_unplugged = change.impact is not None and change.impact.reason == UNPLUGGED
    return "hot-plug" if found == "live" and is_unplugged else found


def _is_halted(vm: dict[str, Any]) -> bool:
    spec = vm["spec"]
    return spec.get("runStrategy") == "Halted" or spec.get("running") is False


def _is_unset(pair: dict[str, Any], field: FieldPath) -> bool:
    """Return True if a device switch is ``false`` or absent on both sides, as equal in the vectors."""
    name = str(field.segments[-1])
    if not name.startswith("autoattach") and name != "logSerialConsole":
        return False
    devices = (side["spec"]["template"]["spec"]["domain"].get("devices", {}) for side in _deployed(pair))
    return not any(found.get(name) for found in devices)


def _deployed(pair: dict[str, Any]) -> tuple[Any, Any]:
    old, new = pair.get("deployed") or (pair["old"], pair["new"])
    return old, new


def _path(field: FieldPath) -> str:
    """Return a path as the vectors write it: ``spec.volumes[root]``, ``annotations.note``."""
    text = ""
    segments = field.segments[1:] if field.segments[0] == "metadata" else field.segments
    for segment in segments:
        if isinstance(segment, ElementName):
            text += f"[{segment.value}]"
        elif isinstance(segment, int):
            text += f"[{segment}]"
        else:
            text += f".{segment}" if text else segment
    return text
