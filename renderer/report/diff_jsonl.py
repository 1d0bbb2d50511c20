"""A difference as JSON lines, one for each object: ``$defs/line`` of ``schemas/vmrender/diff.json``."""

from __future__ import annotations

import json
from collections.abc import Iterator

from renderer.model.difference import ChangeType, Difference, OverlayDifference
from renderer.model.kube.json import JsonObject
from renderer.report.diff_json import change_json
from renderer.report.json_document import resource_json


def write(difference: Difference) -> str:
    """Return a line for each object that differs, and for each overlay that cannot be compared."""
    lines = (line for overlay in difference.overlays for line in _lines(overlay, is_live=difference.is_live))
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


def _lines(overlay: OverlayDifference, *, is_live: bool) -> Iterator[JsonObject]:
    place = {"overlay": overlay.path, "cluster": overlay.cluster or None}
    if overlay.incomparable:
        yield {**place, "incomparable": overlay.incomparable}
    for change in overlay.changes:
        leaves = change.type is ChangeType.REMOVED and overlay.former_cluster is not None
        place["cluster"] = (overlay.former_cluster if leaves else overlay.cluster) or None
        yield {**place, "resource": resource_json(change.id), **change_json(change, is_live=is_live)}
