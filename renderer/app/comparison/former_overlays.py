"""The overlay that had an object before another overlay of its cluster gets it.

Sites often have objects of the same names, and the project need not say which cluster is theirs. So several
overlays may lose an object that another one gets. It then comes from the overlay that was renamed: the one
with the same output, deployer or folder name. Without one, it comes from the overlay with an equal object, or
else from the next in order.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from renderer.app.comparison.shared_clusters import clusters_on
from renderer.app.comparison.side import Side
from renderer.model.kube.res_id import ObjectKey
from renderer.model.kube.resource import Resource
from renderer.model.render_config import Overlay
from renderer.model.run.work import spend
from renderer.pipeline.target_cluster import Cluster

#: Objects by their identity in a cluster.
Objects: TypeAlias = Mapping[ObjectKey, Resource]
#: The path of the former overlay of each object that an overlay gains, by the path of that overlay.
Origins: TypeAlias = Mapping[str, Mapping[ObjectKey, str]]
_Overlays: TypeAlias = Mapping[str, Overlay]
#: A listed cluster and the entry of an engine; empty where the project does not say it.
_Cluster: TypeAlias = tuple[str, str]
#: An object in a cluster: of a destination; of all that are written as addresses, or as names; or of all.
_Place: TypeAlias = tuple[_Cluster, str | bool | None, ObjectKey]

#: The cluster of the overlays that the project lists by path.
_BY_PATH = ("", "")
#: The cluster of all overlays whose clusters are on one side only: it may have been renamed.
_RENAMED = ("", "a renamed entry")
#: An overlay that was listed by path may become an entry of an engine, and the other way round.
_UNCERTAIN = {_BY_PATH: _RENAMED, _RENAMED: _BY_PATH}
#: Steps to look for the former overlay of an object (``model.run.work``).
_STEPS_PER_OBJECT = 10


def origins_of(
    sides: tuple[Side, Side], lost: Mapping[str, Objects], gained: Mapping[str, Objects]
) -> Origins:
    """Return the former overlays of the objects that overlays gain.

    ``lost`` and ``gained`` are the objects of some overlays, by path.
    """
    if not lost or not gained:
        return {}
    before, after = sides
    former, latter = clusters_on(sides)
    kept = {_without_destination(each) for each in former.values()}
    kept &= {_without_destination(each) for each in latter.values()}
    kept |= {(name, "") for name in before.clusters & after.clusters if name}
    losing: dict[_Place, dict[str, None]] = {}
    for path, objects in lost.items():
        cluster, destination = _target(former[path], kept)
        for key in objects:
            spend(_STEPS_PER_OBJECT, "looking for objects that move")
            losing.setdefault((cluster, destination, key), {})[path] = None
            losing.setdefault((cluster, "://" in destination, key), {})[path] = None
            losing.setdefault((cluster, None, key), {})[path] = None
    renamed = _renamed(before.overlays, after.overlays)
    chosen = _Choice(lost, losing)
    origins: dict[str, dict[ObjectKey, str]] = {}
    for path, objects in gained.items():
        cluster, destination = _target(latter[path], kept)
        targets = [(cluster, destination), (cluster, "://" not in destination)]
        targets += [(_UNCERTAIN[cluster], None)] if cluster in _UNCERTAIN else []
        for key, resource in objects.items():
            place = next((place for each in targets if (place := (*each, key)) in losing), None)
            if place is not None:
                origins.setdefault(path, {})[key] = chosen.overlay(place, resource, renamed.get(path, ""))
    return origins


class _Choice:
    """Chooses among the overlays that lose an object."""

    def __init__(self, lost: Mapping[str, Objects], losing: Mapping[_Place, Mapping[str, None]]) -> None:
        self._lost = lost
        self._losing = losing
        self._by_content: dict[_Place, Mapping[str, str]] = {}
        self._taken: dict[_Place, int] = {}

    def overlay(self, place: _Place, resource: Resource, renamed: str) -> str:
        """Return the former overlay of an object; ``renamed`` is that of its overlay, if it has one."""
        if renamed in self._losing[place]:
            return renamed
        candidates, key = [*self._losing[place]], place[2]
        if len(candidates) == 1:
            return candidates[0]
        if place not in self._by_content:
            found = {_content(self._lost[path][key]): path for path in reversed(candidates)}
            self._by_content[place] = found
        number = self._taken.get(place, 0)
        self._taken[place] = number + 1
        return self._by_content[place].get(_content(resource)) or candidates[number % len(candidates)]


def _content(resource: Resource) -> str:
    return json.dumps(resource.content, sort_keys=True)


def _without_destination(cluster: Cluster) -> _Cluster:
    name, entry, _ = cluster
    return (name, "") if name else ("", entry)


def _target(cluster: Cluster, kept: set[_Cluster]) -> tuple[_Cluster, str]:
    """Return the cluster of an overlay and its destination, where the project does not list the cluster."""
    own, (name, _, destination) = _without_destination(cluster), cluster
    return own if own in kept else _RENAMED, "" if name else destination


def _renamed(before: _Overlays, after: _Overlays) -> Mapping[str, str]:
    """Return the former paths of the overlays that have been renamed."""
    former: dict[tuple[str, object], str] = {}
    for path, overlay in before.items():
        if path not in after:
            for trait in _traits(overlay):
                former.setdefault(trait, path)
    found = {}
    for path, overlay in after.items():
        if path not in before:
            known = (former[trait] for trait in _traits(overlay) if trait in former)
            found[path] = next(known, "")
    return found


def _traits(overlay: Overlay) -> Iterator[tuple[str, object]]:
    """Yield the traits by which a renamed overlay is recognised, the most reliable first."""
    yield "output", overlay.output
    yield "path below the first folder", overlay.path.partition("/")[2]
    if overlay.deployer:
        yield "deployer", overlay.deployer.object_key
    yield "name", overlay.name
