"""What stays undone after a refused object, in the words that all formats share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from renderer.diff.grouped import Group
from renderer.model.difference import Danger, Difference, StalledSync
from renderer.model.kube.json import Json
from renderer.model.kube.res_id import ResId
from renderer.model.plural import listed, plural
from renderer.report.diff_words import qualified_name
from renderer.report.json_document import resource_json
from renderer.report.plain_text import printable

HEADING = "not applied with a refused object"


class StalledText(NamedTuple):
    """The overlay and who syncs it, and lines about what stays undone and who waits."""

    title: str
    lines: tuple[str, ...]


def worst_refused(groups: Iterable[Group]) -> Danger | None:
    """Return the danger of the first section with a refused object; None if no object is refused."""
    return next((group.danger for group in groups if group.change.is_refused), None)


def stalled_texts(difference: Difference, most: int) -> Iterator[StalledText]:
    """Yield the syncs that leave something undone, at most ``most`` names of objects in each."""
    for overlay in difference.overlays:
        for sync in (each for each in overlay.stalled if each.undone or each.waiting):
            deployer = f", {_name(sync.deployer)}" if sync.deployer else ""
            title = f"{printable(overlay.path)}{deployer}: {printable(sync.reason)}"
            yield StalledText(title, tuple(_lines(sync, most)))


def _lines(sync: StalledSync, most: int) -> Iterator[str]:
    undone = "stays undone" if sync.deployer else "may stay undone"
    if sync.undone:
        yield f"{undone}: {plural(len(sync.undone), 'change')}, {_names(sync.undone, most)}"
    if sync.waiting:
        yield f"waits until it is ready: {_names(sync.waiting, most)}"


def _names(objects: Iterable[ResId], most: int) -> str:
    return listed([_name(each) for each in objects], most)


def _name(resource: ResId) -> str:
    return f"{printable(resource.gvk.kind)} {qualified_name(resource)}"


def stalled_json(sync: StalledSync) -> Json:
    """Return the sync as ``schemas/vmrender/diff.json`` describes it."""
    return {
        "deployer": resource_json(sync.deployer),
        "refused": [resource_json(each) for each in sync.refused],
        "undone": [resource_json(each) for each in sync.undone],
        "waiting": [resource_json(each) for each in sync.waiting],
        "reason": sync.reason,
        "source": sync.source or None,
    }
