"""The trace of a run: every change of every resource; histories of fields are derived from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from renderer.kubevirt.instancetype.expand import VmExpansion
from renderer.kustomize.identity import current_identity, identities
from renderer.kustomize.transform import CompositionChange
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.made_of_template import MadeOfTemplate
from renderer.model.provenance import StepKind
from renderer.model.render_config import Overlay
from renderer.model.run.work import spend
from renderer.model.source_tree import GeneratorPlugin
from renderer.provenance.expansion_steps import vm_versions
from renderer.provenance.makers import (
    CompositionStep,
    GeneratorStep,
    Maker,
    ReadFromFile,
    StageStep,
    Version,
)
from renderer.provenance.template_steps import template_versions

#: Steps for finding a resource among the resources of the previous stage (``model.run.work``).
_STEPS_PER_RESOURCE = 20
#: Steps for storing a version: each uses memory until the run ends.
_STEPS_PER_VERSION = 60


class _Link(NamedTuple):
    """A change of a resource: ``before`` (None for the first), ``after`` and the versions between them.

    Links are looked up by the ``id`` of ``after``. The link keeps ``after`` alive, so that the id is not
    reused.
    """

    after: Resource
    before: Resource | None
    versions: Callable[[], Iterable[Version]]


class Trace:
    """The observer of one run; it stores every version of every resource."""

    def __init__(self) -> None:
        self._links: dict[int, _Link] = {}
        self._composed: dict[str, ResourceSet] = {}

    def generated(self, resource: Resource, generator: GeneratorPlugin) -> None:
        self._record_maker(None, resource, GeneratorStep(resource, generator))

    def changed(self, before: Resource, after: Resource, change: CompositionChange) -> None:
        spend(_STEPS_PER_VERSION, "noting the versions of resources")
        self._record_maker(before, after, CompositionStep(before, after, change))

    def expanded(self, expansion: VmExpansion) -> None:
        link = _Link(expansion.expanded, expansion.vm.resource, lambda: vm_versions(expansion))
        self._links[id(expansion.expanded)] = link

    def passed(self, overlay: Overlay, act: StepKind, before: ResourceSet, after: ResourceSet) -> None:
        """Record the input and output of a stage for an overlay; the stage may have dropped resources."""
        self._composed.setdefault(overlay.path, before)
        spend(_STEPS_PER_RESOURCE * (len(before) + len(after)), "noting the versions of resources")
        same = {id(resource) for resource in before}
        by_name = {current_identity(each)[1:]: each for each in before}  # its API version may change
        in_order = before if len(before) == len(after) else (None,) * len(after)
        for resource, at_same_index in zip(after, in_order, strict=True):
            if id(resource) in same or id(resource) in self._links:
                continue
            names = [identity[1:] for identity in identities(resource)]
            known = (by_name[name] for name in (names[0], *reversed(names)) if name in by_name)
            earlier = next(known, at_same_index)
            if earlier is not None:
                self._record_maker(earlier, resource, StageStep(earlier, act, overlay))

    def processed(self, made: MadeOfTemplate, given: Mapping[str, str], sites: Mapping[str, Site]) -> None:
        """Record an object that a template made with ``given`` values, which are at ``sites``."""
        self._links[id(made.made)] = _Link(
            made.made, None, lambda: template_versions(made, self.versions(made.template), given, sites)
        )

    def include(self, other: Trace) -> None:
        """Include what another trace observed of resources that this run uses as well."""
        self._links.update(other._links)

    def composed(self, overlay: Overlay) -> ResourceSet:
        """Return the overlay's resources before the first stage; empty if composition failed."""
        return self._composed.get(overlay.path, ResourceSet())

    def versions(self, resource: Resource) -> tuple[Version, ...]:
        """Return the versions of a resource, from its file or generator to the present, oldest first."""
        return tuple(self._versions(resource))

    def _versions(self, resource: Resource) -> Iterator[Version]:
        chain: list[_Link] = []
        while (link := self._links.get(id(resource))) is not None:
            chain.append(link)
            if link.before is None:
                break
            resource = link.before
        else:
            yield Version(resource.content, ReadFromFile(resource))
        for link in reversed(chain):
            yield from link.versions()

    def _record_maker(self, before: Resource | None, after: Resource, maker: Maker) -> None:
        self._links[id(after)] = _Link(after, before, lambda: (Version(after.content, maker),))
