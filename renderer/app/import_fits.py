"""Fit imported virtual machines to the project's catalogs, and group those that are alike.

A machine that is written with an instance type has to be expanded again when it is rendered: a sync that
only added the name would leave the size beside it, which KubeVirt refuses. So a folder is written with fits
only if no machine in it names an instance type in the cluster, where the opposite holds; and only such fits
are written with which nothing changes, now or at the next start.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence

from renderer.diff.compare import OverlaySide, compare_overlay
from renderer.dump.sources import CLUSTER_FOLDER, KUSTOMIZATION, SourceObject
from renderer.fit.fit import Fitter
from renderer.fit.grouping import grouped
from renderer.fit.series import SizeProposal, propose_sizes
from renderer.fit.values import FitQuality, FitReport, VmFit
from renderer.instancetype.catalog import Catalog, CatalogSource
from renderer.instancetype.expand import expand
from renderer.kubevirt.kinds import MATCHER_KEYS, VM
from renderer.model.difference import Impact
from renderer.model.json import Json, JsonObject, object_at, text_at
from renderer.model.location import Site
from renderer.model.record import Record
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode
from renderer.model.resource import Resource, ResourceSet
from renderer.pipeline.held_changes import HeldChanges, ProjectState
from renderer.yamlio.encode import encode

#: The folder of sizes that several machines share.
SIZES_FOLDER = f"{CLUSTER_FOLDER}/sizes"
_SERIES = "InstancetypeSeries"
_IN_USE = "other machines of the namespace name instance types, so that it is rendered as it is"


class FittedObjects(Record):
    """The objects with those that fit shortened, in the same order, and a report for each machine.

    ``folders`` are the namespaces with such machines, ``files`` those of the sizes that several share.
    """

    contents: tuple[JsonObject, ...]
    reports: tuple[FitReport, ...] = ()
    proposals: tuple[SizeProposal, ...] = ()
    folders: tuple[str, ...] = ()
    files: Mapping[str, str] = {}


def fit_objects(contents: Sequence[JsonObject], catalog: Catalog, release: Release) -> FittedObjects:
    """Fit the VirtualMachines among imported objects to a catalog, and to sizes that several share."""
    positions = [at for at, content in enumerate(contents) if _can_be_fitted(content)]
    fitter = Fitter(catalog, release)
    fits = {at: fitter.fit(contents[at]) for at in positions}
    unfitted = [at for at in positions if not _is_fitted(fits[at])]
    proposals = propose_sizes([contents[at] for at in unfitted], catalog, release)
    if proposals:
        resources = tuple(resource for proposal in proposals for resource in proposal.resources)
        catalog = catalog.after(CatalogSource(SIZES_FOLDER, ResourceSet(resources)))
        fitter = Fitter(catalog, release)
        fits |= {at: fitter.fit(contents[at]) for at in unfitted}
    occupied = {_namespace(content) for content in contents if _names_instancetype(content)}
    reports = {at: _report(contents[at], fits[at], occupied, catalog, release) for at in positions}
    written = [at for at in positions if reports[at].is_written]
    shortened = {at: fits[at].vm for at in written}
    return FittedObjects(
        tuple(shortened.get(at, content) for at, content in enumerate(contents)),
        tuple(reports.values()),
        proposals,
        tuple(sorted({_namespace(contents[at]) for at in written})),
        _files(proposals),
    )


def _can_be_fitted(content: JsonObject) -> bool:
    return text_at(content, "kind") == VM and not _names_instancetype(content)


def _names_instancetype(content: JsonObject) -> bool:
    machine = object_at(content, "spec", "virtualMachineTemplate") or content
    return any(object_at(machine, "spec").get(key) is not None for key in MATCHER_KEYS)


def _namespace(content: JsonObject) -> str:
    return text_at(content, "metadata", "namespace")


def _is_fitted(fit: VmFit) -> bool:
    """Return whether an instance type reproduces the machine, now and at its next start."""
    return fit.quality is FitQuality.EXACT and fit.instancetype is not None and not fit.starting


def _report(
    content: JsonObject, fit: VmFit, occupied: Iterable[str], catalog: Catalog, release: Release
) -> FitReport:
    """Return the answer; a preference alone that supplies nothing gives way to the nearest pair."""
    if fit.quality is FitQuality.EXACT and not fit.supplied:
        fit = fit.nearest or VmFit(FitQuality.NONE, content)
    resource = Resource(content, Site(""))
    instancetype, preference = (
        "" if each is None else each.resource.name for each in (fit.instancetype, fit.preference)
    )
    report = FitReport(
        resource.current_id, fit.quality, instancetype, preference, fit.supplied, fit.differing
    )
    if fit.quality is FitQuality.NEAREST:
        return report._replace(impact=_impact(resource, fit.vm, catalog, release))
    if fit.starting:
        fields = ", ".join(map(str, fit.starting))
        return report._replace(obstacle=f"the next start would have another {fields}")
    if fit.quality is FitQuality.EXACT and resource.namespace in occupied:
        return report._replace(obstacle=_IN_USE)
    return report


def _impact(before: Resource, vm: JsonObject, catalog: Catalog, release: Release) -> Impact | None:
    """Return what it does to a running machine when the expansion of ``vm`` takes its place."""
    expanded = expand(ResourceSet((before.with_content(vm),)), catalog, release, ExpandMode.APPLIED)
    after = next(iter(expanded.value))
    old, new = (ProjectState(ResourceSet((each,)), catalog) for each in (before, after))
    compared = compare_overlay(
        "",
        "",
        OverlaySide(release, (before,)),
        OverlaySide(release, (after,)),
        HeldChanges(old, new, release),
    )
    return next((change.impact for change in compared.changes), None)


def _files(proposals: Sequence[SizeProposal]) -> Mapping[str, str]:
    """Return a folder with the proposed series and preferences, text by path."""
    if not proposals:
        return {}
    listed: dict[str, list[Json]] = {"resources": [], "generators": []}
    files: dict[str, str] = {}
    for proposal in proposals:
        file = f"{proposal.name}.yaml"
        listed["generators" if proposal.manifest["kind"] == _SERIES else "resources"].append(file)
        files[f"{SIZES_FOLDER}/{file}"] = encode([proposal.manifest])
    kustomization: JsonObject = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        **{key: files for key, files in listed.items() if files},
    }
    return {f"{SIZES_FOLDER}/{KUSTOMIZATION}": encode([kustomization]), **files}


class GroupedObjects(Record):
    """Objects with groups of virtual machines in their places, and the ``files`` of these groups.

    ``listed`` are what the kustomizations of namespaces list: a group counts as an object whose file is its
    folder. ``replaced`` are the paths of files that are not written.
    """

    listed: tuple[SourceObject, ...]
    files: Mapping[str, str] = {}
    replaced: frozenset[str] = frozenset()
    groups: int = 0


def group_objects(objects: Sequence[SourceObject], label: str) -> GroupedObjects:
    """Group the VirtualMachines of each namespace that have the same value of a label."""
    by_folder: dict[str, list[SourceObject]] = {}
    for each in objects:
        if text_at(each.content, "kind") == VM and not each.is_placeholder:
            by_folder.setdefault(each.folder, []).append(each)
    added: list[SourceObject] = []
    files: dict[str, str] = {}
    replaced: set[str] = set()
    for folder, machines in by_folder.items():
        for group in grouped([each.content for each in machines], label):
            added.append(SourceObject(posixpath.join(folder, group.folder), group.base))
            files |= {posixpath.join(folder, path): text for path, text in group.files.items()}
            replaced |= {machines[at].path for at in group.members}
    kept: Iterator[SourceObject] = (each for each in objects if each.path not in replaced)
    return GroupedObjects((*kept, *added), files, frozenset(replaced), len(added))
