"""New markers by which Flux's image automation writes images into the sources of overlays.

The controller replaces the value before a comment ``{"$imagepolicy": "NAMESPACE:NAME"}`` by the latest image
of that policy, and commits it (image-automation-controller ``pkg/update/setters.go``
``UpdateWithSetters``). A pull request that adds one changes nothing by itself, and what the controller
commits later may be in no pull request. The image of a container in a Deployment or the like is not one that
a machine boots from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from renderer.app.comparison.side import Side
from renderer.files.file_system import readable_content
from renderer.model.difference import OverlayDifference
from renderer.model.pattern import pattern
from renderer.model.plural import listed

_MARKER = pattern(rb"#[ \t]{0,9}(\{[ \t]{0,9}\"\$imagepolicy\"[^}\n]{1,200}\})")
#: The field with an image that a machine boots from.
_DISK = b"containerDisk"
_WORKLOAD = pattern(
    rb"(?m)^kind:[ \t]{1,9}(?:Deployment|StatefulSet|DaemonSet|ReplicaSet|Job|CronJob|Pod)[ \t\r]{0,9}$"
)
_MOST_PLACES = 5


def with_new_markers(
    differences: Sequence[OverlayDifference], sides: tuple[Side, Side], changed: Iterable[str]
) -> list[OverlayDifference]:
    """Return the differences; one with a new marker and a container disk in its files is not complete."""
    before, after = sides
    places = {path: lines for path in changed if (lines := [*_new_markers(before, after, path)])}
    if not places:
        return [*differences]

    @cache
    def has_disk(path: str) -> bool:
        return _DISK in (readable_content(after.fs, path) or b"")

    found: list[OverlayDifference] = []
    for each in differences:
        overlay = after.overlays.get(each.path)
        own = after.overlay_files.of(overlay) if overlay else frozenset[str]()
        where = [f"{path}:{line}" for path in sorted(places.keys() & own) for line in places[path]]
        if where and any(map(has_disk, own)):
            reason = f"image automation may write other images from now on: {listed(where, _MOST_PLACES)}"
            found.append(each.also_incomparable(reason))
        else:
            found.append(each)
    return found


def _new_markers(before: Side, after: Side, path: str) -> Iterator[int]:
    """Yield the lines of a file with a marker that it did not have, and that is not in a workload."""
    content = readable_content(after.fs, path) or b""
    if b"$imagepolicy" not in content:
        return
    known = Counter(_MARKER.findall(readable_content(before.fs, path) or b""))
    first = 1
    for document in content.split(b"\n---"):
        is_workload = _WORKLOAD.search(document) is not None
        for number, line in enumerate(document.split(b"\n"), first):
            for marker in _MARKER.findall(line):
                if known[marker] > 0:
                    known[marker] -= 1
                elif not is_workload:
                    yield number
        first += document.count(b"\n") + 1
