"""A difference as one JSON document, or as a line for each object: ``schemas/vmrender/diff.json``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TypeVar

from renderer.diff.grouped import Group, groups_of
from renderer.kubevirt.facts.virtual_machine import PATHS
from renderer.model.difference import (
    ORDER,
    Amounts,
    Cause,
    ChangeType,
    DataChange,
    Difference,
    FieldChange,
    GuestChange,
    Impact,
    OverlayDifference,
    ResourceChange,
    Totals,
    changes_of,
)
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject
from renderer.model.text_enum import TextEnum
from renderer.report.diff_images import image_json
from renderer.report.diff_stalled import stalled_json
from renderer.report.diff_summary import (
    SourceChange,
    counts_of,
    dangers_of,
    effects_of,
    effects_on_others,
    source_changes,
    verdict,
)
from renderer.report.json_document import resource_json, value_json

#: Raised when readers of the document have to change; new fields may be added at any time.
VERSION = 1
_Counted = TypeVar("_Counted", bound=TextEnum)


def write(difference: Difference) -> str:
    """Return all compared overlays, including overlays without a difference; absent values are null."""
    changes = changes_of(difference.overlays)
    groups = groups_of(difference.overlays)
    document: Mapping[str, Json] = {
        "version": VERSION,
        "before": difference.before,
        "after": difference.after,
        "verdict": verdict(difference),
        "summary": {
            "dangers": _by_name(dangers_of(changes)),
            "resources": _by_name(counts_of(changes)),
            "virtualMachines": _by_name(effects_of(changes)),
            "otherObjects": _by_name(effects_on_others(changes)),
        },
        **({"assumptions": list(difference.assumptions)} if difference.assumptions else {}),
        "commits": [
            {
                "commit": commit.name,
                "subject": commit.subject,
                "dangers": _by_name(dangers_of(changes_of(commit.overlays))),
                "virtualMachines": _by_name(effects_of(changes_of(commit.overlays))),
                "notCompared": [overlay.path for overlay in commit.overlays if overlay.incomparable],
            }
            for commit in difference.commits
        ],
        "sources": [_source_change(each) for each in source_changes(groups)],
        "groups": [_group(group) for group in groups],
        "overlays": [_overlay(overlay, is_live=difference.is_live) for overlay in difference.overlays],
    }
    if difference.not_compared:
        document = {**document, "notCompared": list(difference.not_compared)}
    if difference.not_rendered:
        document = {**document, "notRendered": list(difference.not_rendered)}
    if objects := difference.changed_elsewhere:
        document = {**document, "changedElsewhere": [*map(str, objects)]}
    if difference.is_live:
        document = {**document, "live": True, "others": difference.others}
    return json.dumps(document, indent=2) + "\n"


def _by_name(counts: Mapping[_Counted, int]) -> Json:
    return {each.value: count for each, count in counts.items()}


def _overlay(overlay: OverlayDifference, *, is_live: bool) -> Json:
    before, after = overlay.releases
    document: Mapping[str, Json] = {
        "path": overlay.path,
        "name": overlay.name,
        **({"formerPath": overlay.former} if overlay.former else {}),
        **({"cluster": overlay.cluster} if overlay.cluster else {}),
        **({"formerCluster": overlay.former_cluster} if overlay.former_cluster is not None else {}),
        "kubevirt": {"before": before and before.as_target, "after": after and after.as_target},
        "incomparable": overlay.incomparable or None,
        "changes": [_change(change, is_live=is_live) for change in overlay.changes],
        "equal": overlay.equal,
        "totals": dict(zip(("before", "after"), map(_totals, overlay.totals), strict=True)),
        **({"images": [image_json(each) for each in overlay.images]} if overlay.images else {}),
        **({"stalled": [stalled_json(each) for each in overlay.stalled]} if overlay.stalled else {}),
    }
    if not is_live:
        document = {**document, "notes": list(overlay.notes)} if overlay.notes else document
        return {**document, "ignored": _ignored(overlay)} if overlay.ignored else document
    return {**document, "ignored": _ignored(overlay), "notes": list(overlay.notes)}


def _ignored(overlay: OverlayDifference) -> Json:
    return [
        {"source": each.source, "number": each.number, "note": each.note or None} for each in overlay.ignored
    ]


def _source_change(change: SourceChange) -> Json:
    changes = [member.change for member in change.members]
    return {
        **_cause(change.cause),
        "overlays": len({member.overlay.path for member in change.members}),
        "virtualMachines": sum(each.id.gvk.kind in PATHS for each in changes),
        "otherObjects": sum(each.id.gvk.kind not in PATHS for each in changes),
        "dangers": {str(danger): count for danger, count in dangers_of(changes).items()},
    }


def _cause(cause: Cause) -> Mapping[str, Json]:
    return {
        "path": cause.path,
        "line": cause.line or None,
        "state": cause.state or "changed",
        "about": cause.about or None,
    }


def _group(group: Group) -> Json:
    return {
        "danger": group.danger,
        "type": group.change.type,
        "kind": group.change.id.gvk.kind,
        "causes": [_cause(cause) for cause in group.causes],
        "overlays": len(group.overlays),
        "members": [
            {"overlay": member.overlay.path, "namespace": each.namespace, "name": each.name}
            for member in group.members
            for each in (member.change.id,)
        ],
    }


def _change(change: ResourceChange, *, is_live: bool) -> JsonObject:
    return {
        "type": change.type,
        "danger": change.danger,
        "before": resource_json(change.before),
        "after": resource_json(change.after),
        "impact": _impact(change.impact),
        "effects": [str(effect) for effect in change.effects],
        "pending": [_pending_field(field) for field in change.pending],
        "startRefusal": change.start_refusal or None,
        **({"formerRefusal": change.former_refusal} if change.former_refusal else {}),
        **({"movedFrom": change.moved_from} if change.moved_from else {}),
        "cause": _cause(change.cause) if change.cause else None,
        **({"runs": change.runs} if is_live else {}),
        "data": [_data(each) for each in change.data],
        "guest": [guest_json(each) for each in change.guest],
        "fields": [_field(field, is_live=is_live) for field in change.fields],
    }


def _data(change: DataChange) -> Json:
    return {
        "effect": change.effect,
        "harm": change.is_harm,
        "disk": change.disk,
        "before": change.before or None,
        "after": change.after or None,
        "reason": change.text,
        "source": change.source or None,
    }


def guest_json(change: GuestChange) -> Json:
    """Return a fact that the guest sees."""
    return {
        "fact": change.fact,
        "device": change.device or None,
        "before": change.before or None,
        "after": change.after or None,
        "risk": change.risk or None,
        "live": change.is_live,
        "source": change.source or None,
    }


def _pending_field(field: FieldPath) -> str:
    """Return ``spec.volumes#order`` for a list in another order; return any other path unchanged."""
    *parents, last = field.segments
    if not isinstance(last, str) or not last.endswith(ORDER):
        return str(field)
    return f"{FieldPath((*parents, last.removesuffix(ORDER)))}{ORDER}"


def _field(change: FieldChange, *, is_live: bool) -> Json:
    return {
        "field": str(change.field),
        "before": value_json(change.before),
        "after": value_json(change.after),
        "reordered": change.reordered,
        "inherited": change.inherited,
        "impact": _impact(change.impact),
        "cause": _cause(change.cause) if change.cause else None,
        **({"owners": list(change.owners), "kept": change.kept} if is_live else {}),
    }


def _impact(impact: Impact | None) -> Json:
    if impact is None:
        return None
    return {"effect": impact.effect, "reason": impact.reason, "source": impact.source or None}


def _totals(totals: Totals | None) -> Json:
    if totals is None:
        return None
    return {"running": _amounts(totals.running), "halted": _amounts(totals.halted)}


def _amounts(amounts: Amounts) -> Json:
    return {
        "virtualMachines": amounts.machines,
        "vcpus": amounts.vcpus,
        "memoryBytes": amounts.memory,
        "hugepagesBytes": amounts.hugepages,
        "gpus": amounts.gpus,
    }


def write_lines(difference: Difference) -> str:
    """Return a line for each object that differs, and for each overlay that cannot be compared.

    It is ``$defs/line`` of the schema.
    """
    lines = (line for overlay in difference.overlays for line in _lines(overlay, is_live=difference.is_live))
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


def _lines(overlay: OverlayDifference, *, is_live: bool) -> Iterator[JsonObject]:
    place = {"overlay": overlay.path, "cluster": overlay.cluster or None}
    if overlay.incomparable:
        yield {**place, "incomparable": overlay.incomparable}
    for change in overlay.changes:
        leaves = change.type is ChangeType.REMOVED and overlay.former_cluster is not None
        place["cluster"] = (overlay.former_cluster if leaves else overlay.cluster) or None
        yield {**place, "resource": resource_json(change.id), **_change(change, is_live=is_live)}
