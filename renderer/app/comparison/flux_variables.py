"""The ConfigMaps of one side that Flux Kustomizations take variables of, as the cluster gets them.

A kustomization may generate one or patch it. So what lists it is built, up to what something deploys.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import NamedTuple

from renderer.app.comparison.side import Side
from renderer.files.file_system import folder_of
from renderer.gitops.flux.kustomization import is_flux_kustomization, variable_sources
from renderer.kubevirt.facts.kinds import CONFIG_MAP
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import object_at, text_at
from renderer.model.kube.res_id import Reference
from renderer.model.kube.resource import Resource
from renderer.model.pattern import pattern

_WORD = pattern(rb"[\w.-]+")


class _Placed(NamedTuple):
    """A ConfigMap, and the path by which it is near to others: of what deploys it, or else its own."""

    place: str
    config_map: Resource


class FluxVariables:
    """``deployers`` are all that deploy something; ``objects_of`` returns the objects in a file."""

    def __init__(
        self,
        side: Side,
        deployers: Callable[[], Iterable[Resource]],
        objects_of: Callable[[str], Sequence[Resource]],
    ) -> None:
        self._side, self._deployers, self._objects_of = side, deployers, objects_of

    def of(self, kustomization: Resource) -> Iterator[Resource]:
        """Yield the ConfigMaps that ``substituteFrom`` names; of several, the nearest."""
        path = kustomization.origin.path
        for source in variable_sources(kustomization):
            kind, _, name = source
            found = [*self._by_reference.get(source, ()), *self._by_reference.get((kind, "", name), ())]
            if found:
                nearest = max(found, key=lambda each: len(posixpath.commonprefix([path, each.place])))
                yield nearest.config_map

    @cached_property
    def _by_reference(self) -> Mapping[Reference, Sequence[_Placed]]:
        """The ConfigMaps by reference; one without a namespace may get it from a kustomization."""
        kustomizations = filter(is_flux_kustomization, self._deployers())
        sources = {source for each in kustomizations for source in variable_sources(each)}
        names = {name for kind, _, name in sources if kind == CONFIG_MAP}
        found: dict[Reference, list[_Placed]] = {}
        for each in self._named(names) if names else ():
            found.setdefault(each.config_map.reference, []).append(each)
        return found

    def _named(self, names: set[str]) -> Iterator[_Placed]:
        """Yield the ConfigMaps with one of the names, as they are built, or else as they are in files."""
        side, encoded = self._side, {each.encode() for each in names}
        written: dict[str, list[Resource]] = {}
        for path in side.listing.manifests:
            with suppress(DiagnosticError):  # reported where it is used
                content = side.fs.read(path)
                if CONFIG_MAP.encode() in content and not encoded.isdisjoint(_WORD.findall(content)):
                    objects = [each for each in self._objects_of(path) if each.kind == CONFIG_MAP]
                    written[path] = [each for each in objects if each.name in names]
        makers = {
            folder for path, found in written.items() if found for folder in side.graph.folders_listing(path)
        }
        for path, content in side.listing.generating.items():
            if not encoded.isdisjoint(_WORD.findall(content)):
                makers.add(folder_of(path))
        for folder, deployers in self._outermost(makers):
            built = side.composed(folder)
            if built is None:  # reported where it is rendered
                continue
            for path in side.graph.files(folder):
                written.pop(path, None)
            for each in built:
                if each.kind == CONFIG_MAP and each.name in names:
                    yield from (_Placed(one.origin.path, _in_target(each, one)) for one in deployers)
                    if not deployers:
                        yield _Placed(f"{folder}/", each)
        yield from (_Placed(path, each) for path, objects in written.items() for each in objects)

    def _outermost(self, folders: set[str]) -> Iterator[tuple[str, Sequence[Resource]]]:
        """Yield the kustomizations that use those in ``folders``: those that something deploys, with that.

        Those that no other one uses count as well.
        """
        deployers: dict[str, list[Resource]] = {}
        users: dict[str, list[str]] = {}
        for each in self._deployers() if folders else ():
            for folder in self._side.deployers.sources_of(each):
                deployers.setdefault(folder, []).append(each)
        for folder in self._side.listing.kustomizations if folders else ():
            links = self._side.graph.links(folder)
            for used in links.folders if links else ():
                users.setdefault(used, []).append(folder)
        waiting, known = sorted(folders), {*folders}
        while waiting:
            folder = waiting.pop()
            above = users.get(folder, ())
            if folder in deployers or not above:
                yield folder, deployers.get(folder, ())
            waiting += (each for each in above if each not in known)
            known.update(above)


def _in_target(built: Resource, deployer: Resource) -> Resource:
    """Return an object in the namespace that a Kustomization gives to all that it deploys."""
    target = text_at(deployer.content, "spec", "targetNamespace") if is_flux_kustomization(deployer) else ""
    metadata = {**object_at(built.content, "metadata"), "namespace": target}
    return built.with_content({**built.content, "metadata": metadata}) if target else built
