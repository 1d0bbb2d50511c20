"""The objects that deploy the compared overlays, on both sides, and those that deploy these objects."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from renderer.app.comparison.side import Side
from renderer.model.kube.res_id import ObjectKey
from renderer.model.kube.resource import Resource
from renderer.model.render_config import Overlay
from renderer.pipeline.deployers import is_set


class DeployerKey(NamedTuple):
    """Identifies a deployer. Its name alone does not, since each cluster may have an object of that name.

    ``entry`` is the entry of the project that leads to it, empty without one of an engine. ``folder`` is the
    folder of its file, if several have the name.
    """

    deployer: ObjectKey
    entry: str
    folder: str = ""


class _DeployersOfSide:
    """``direct`` and ``above`` have the deployers of each overlay, and what deploys these, by its path."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self.found: dict[DeployerKey, Resource] = {}
        self.direct: dict[str, dict[DeployerKey, None]] = {}
        self.above: dict[str, dict[DeployerKey, None]] = {}


class DeployerMap:
    """The deployers of overlays on both sides."""

    def __init__(self, before: Side, after: Side) -> None:
        self._sides = _DeployersOfSide(before), _DeployersOfSide(after)

    def add(self, overlay: Overlay) -> None:
        """Find what deploys an overlay."""
        for each in self._sides:
            deployers = [*_deployers_of(overlay.path, each.side)]
            for found, keys in (
                (deployers, each.direct.setdefault(overlay.path, {})),
                (each.side.deployers.above(deployers), each.above.setdefault(overlay.path, {})),
            ):
                for deployer in found:
                    key = self._key(deployer, entry_of(overlay))
                    each.found.setdefault(key, deployer)
                    keys[key] = None

    def _key(self, deployer: Resource, entry: str) -> DeployerKey:
        object_key = deployer.object_key
        is_ambiguous = any(len(each.side.deployers.written.get(object_key, ())) > 1 for each in self._sides)
        folder = posixpath.dirname(deployer.origin.path) if is_ambiguous and not entry else ""
        return DeployerKey(object_key, entry, folder)

    def of(self, path: str) -> tuple[Mapping[DeployerKey, None], Mapping[DeployerKey, None]]:
        """Return the deployers of an overlay on each side."""
        before, after = self._sides
        return before.direct[path], after.direct[path]

    def above(self, path: str) -> tuple[Mapping[DeployerKey, None], Mapping[DeployerKey, None]]:
        """Return the objects that deploy the deployers of an overlay, up to the roots, on each side."""
        before, after = self._sides
        return before.above[path], after.above[path]

    def object(self, number: int, key: DeployerKey) -> Resource | None:
        """Return a deployer on the first or second side (0 or 1), also if it deploys no overlay there."""
        each = self._sides[number]
        written = each.side.deployers.written.get(key.deployer, ())
        return each.found.get(key) or (written[0] if len(written) == 1 else None)

    def pair(self, key: DeployerKey) -> tuple[Resource | None, Resource | None]:
        """Return a deployer on both sides."""
        return self.object(0, key), self.object(1, key)

    def applied(self, overlay: Overlay) -> Iterator[tuple[Resource, Resource | None]]:
        """Yield the objects that deploy an overlay, as their engine gets them, before and after the change.

        They are the entry of the overlay; or, if it is a folder, the Applications and Kustomizations that
        sets make for it. The second of a pair is None if the set no longer makes it.
        """
        path = overlay.path
        old, new = (entry_object(each.side, path) for each in self._sides)
        if old is not None and new is not None:
            yield old, new
        for key in self._sides[1].direct[path] if overlay.deployer is None else ():
            sets = [each.found[key] for each in self._sides if key in each.direct[path]]
            if len(sets) == len(self._sides) and all(map(is_set, sets)):
                former, latter = (
                    each.side.deployers.made_for(one, overlay)
                    for each, one in zip(self._sides, sets, strict=True)
                )
                yield from ((each, latter.get(id_)) for id_, each in former.items())

    def places(self, last: Collection[str] = ()) -> Mapping[DeployerKey, str]:
        """Return the path of the first overlay that each deploys, or of the first below what it deploys.

        The overlays ``last`` come after all others.
        """
        places: dict[DeployerKey, str] = {}
        for is_last in (True, False):
            for by_path in (
                (side.above for side in reversed(self._sides)),
                (side.direct for side in self._sides),
            ):
                first: dict[DeployerKey, str] = {}
                for of_overlay in by_path:
                    for path, keys in of_overlay.items():
                        for key in keys if (path in last) is is_last else ():
                            first.setdefault(key, path)
                places |= first
        return places


def entry_of(overlay: Overlay) -> str:
    """Return the entry of the project that leads to the object that deploys an overlay; empty without one."""
    return overlay.listed_as if overlay.deployer else ""


def _deployers_of(path: str, side: Side) -> Iterator[Resource]:
    """Yield the objects in Git that deploy an overlay on one side, also if they are suspended."""
    if path in side.overlays:
        yield from side.deployers.in_git(side.deployers.of(side.overlays[path]))
    elif path in side.found.suspended:
        yield from side.deployers.in_git((side.found.suspended[path].entry,))


def entry_object(side: Side, path: str) -> Resource | None:
    """Return the object that is the entry of an overlay on a side, as its engine gets it; None without."""
    overlay = side.overlays.get(path)
    return overlay.deployer if overlay else None
