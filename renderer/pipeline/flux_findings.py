"""The findings about the Kustomizations and ResourceSets of a Flux entry, and what of it is not rendered."""

# ruff: noqa: PLC0415 - a stage is imported when it is first needed

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Related, Severity
from renderer.model.entry_point import Strictness
from renderer.model.kube.encryption import is_encrypted
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import object_at, text_at
from renderer.model.kube.res_id import Reference
from renderer.model.kube.resource import Resource
from renderer.pipeline.flux_build import needs_others
from renderer.pipeline.flux_reached import ReachedByEntry
from renderer.pipeline.reached_objects import (
    left_out_notes,
    named_objects,
    nothing_rendered,
)
from renderer.pipeline.shared_objects import Applier, applied_twice, shared_by_machines

if TYPE_CHECKING:
    from renderer.gitops.flux.discovery import ReachedKustomization

#: Kinds of Flux and Argo CD for charts, which are counted but never rendered.
_CHARTS = ("HelmRelease", "HelmChart")
_MOST_NAMED = 3


def findings_by_object(
    found: ReachedByEntry, trees: Collection[Reference], strict: Strictness, *, is_complete: bool
) -> dict[Reference, tuple[Diagnostic, ...]]:
    """Return the findings about each rendered Kustomization, and about each ResourceSet.

    ``trees`` are the objects whose copies point at a tree. ``is_complete``: all ResourceSets are evaluated.
    """
    from renderer.gitops.entry_fields import empty_fields
    from renderer.gitops.flux.dependencies import Alternatives, missing_dependencies
    from renderer.gitops.flux.kustomization import is_flux_kustomization, source_key
    from renderer.pipeline.resource_sets import applier_of_set

    discovery, builder, reached = found.discovery, found.builder, found.reached
    appliers = [_applier(each) for each in reached if not builder.fs.is_folder(each.entry.origin.path)]
    appliers += map(applier_of_set, found.sets)
    twice, identical = applied_twice(appliers), shared_by_machines(appliers)
    by_object = {each.key: (*twice.get(each.key, ()), *identical.get(each.key, ())) for each in found.sets}
    known = {each.key for each in reached}
    known |= {key for key, each in discovery.objects.items() if is_flux_kustomization(each)}
    alternatives = Alternatives(known)
    is_complete = is_complete and not found.broken and not any(map(_deploys_unknown, reached))
    lost = {each.key: tuple(_lost_variables(each, found)) for each in found.rendered}
    unknown_copies = {
        each.key: each.entry.name
        for each in found.rendered
        if each.key in trees and (lost[each.key] or builder.has_broken_secrets(each))
    }
    for each in found.rendered:
        copies = [name for key, name in sorted(unknown_copies.items()) if key in each.deployed - {each.key}]
        refused = sorted(each.deployed & discovery.refused.keys())
        source = discovery.known(source_key(each.entry))
        by_object[each.key] = (
            *lost[each.key],
            *_unset_in_parents(each, frozenset(lost), strict),
            *twice.get(each.key, ()),
            *identical.get(each.key, ()),
            *(
                missing
                for waiting in each.lineage()
                for missing in missing_dependencies(waiting, alternatives, is_complete=is_complete)
            ),
            *(_unknown_copy(each.entry, name) for name in copies),
            *(error for key in refused for error in discovery.refused[key]),
            *(empty_fields(source) if source else ()),
        )
    return by_object


def _lost_variables(reached: ReachedKustomization, found: ReachedByEntry) -> Iterator[Diagnostic]:
    """Yield an error for each source of variables that is missing while others cannot be built."""
    from renderer.gitops.flux.kustomization import variable_sources

    above = " and ".join(sorted(set(found.broken))[:_MOST_NAMED])
    for index, key in enumerate(variable_sources(reached.entry) if found.broken else ()):
        is_read = key[0] != "Secret" or found.entry.entry.secrets
        if found.discovery.known(key) is None and is_read and key[2]:  # an empty name is an error of its own
            yield Diagnostic.about(
                reached.entry,
                FieldPath.of("spec", "postBuild", "substituteFrom", index),
                Code.ENTRY_POINT,
                f"the {key[0]} {key[2]} is not known before {above} can be built",
            )


def _applier(reached: ReachedKustomization) -> Applier:
    objects = reached.outcome.value.resources if reached.outcome and not reached.outcome.failed else ()
    cluster = object_at(reached.entry.content, "spec").get("kubeConfig")
    return Applier(reached.entry, objects, cluster, FieldPath.of("spec", "path"))


def _deploys_unknown(reached: ReachedKustomization) -> bool:
    """Return True if it may deploy Kustomizations that are not in this repository."""
    return reached.outcome is None and not reached.suspended


def _unset_in_parents(
    reached: ReachedKustomization, rendered: Collection[Reference], strictness: Strictness
) -> Iterator[Diagnostic]:
    """Yield the variables in the Kustomization and its parents that the Kustomizations above do not set.

    A Kustomization that is ``rendered`` itself reports what its own objects have.
    """
    for child in reached.lineage():
        above = child.parent
        if above is None or above.key in rendered:
            continue
        for each in above.unset:
            if each.resource.origin == child.entry.origin:
                found = each.finding(strictness)
                deployer = Related(f"{above.entry.name} deploys it", above.entry.sites())
                yield found._replace(related=(*found.related, deployer))


def _unknown_copy(parent: Resource, child: str) -> Diagnostic:
    return Diagnostic.about(
        parent,
        None,
        Code.ENTRY_POINT,
        f"the tree of {parent.name} stays as it is: its copy of {child} depends on what cannot be built",
    )


def nothing_rendered_error(found: ReachedByEntry, notes: Iterable[Diagnostic]) -> DiagnosticError:
    """Return the errors about malformed fields, or else the error about an entry without overlays."""
    from renderer.gitops.entry_fields import KUSTOMIZATION_FORMATS, malformed_fields

    malformed = [
        error for each in found.reached for error in malformed_fields(each.entry, KUSTOMIZATION_FORMATS)
    ]
    if malformed:
        return DiagnosticError(*malformed)
    names = [each.entry.name for each in found.reached if each.entry is not found.root]
    return nothing_rendered(found.entry, "Flux Kustomization", names, notes, _other_urls(found))


def _other_urls(found: ReachedByEntry) -> Iterator[str]:
    """Yield the URLs of other repositories that Kustomizations are built from."""
    from renderer.gitops.flux.discovery import SourceRelation
    from renderer.gitops.flux.kustomization import source_key

    for each in found.reached:
        source = found.discovery.known(source_key(each.entry))
        if source is not None and each.source is SourceRelation.OTHER:
            yield text_at(source.content, "spec", "url")


def left_to_sources(found: ReachedByEntry) -> dict[str, list[str]]:
    """Return the names of Kustomizations that go on to be applied from their sources, by the reason."""
    from renderer.gitops.flux.discovery import SourceRelation

    every = found.reached
    own = {each.key for each in found.rendered}
    needing = [each.entry.name for each in every if each.outcome and needs_others(each.outcome)]
    encrypted = [
        each.entry.name
        for each in every
        if each.outcome and not needs_others(each.outcome) and each.key not in own
        if any(map(is_encrypted, each.outcome.value))
    ]
    return {
        "Kustomization(s) of other repositories": [
            e.entry.name for e in every if e.source is SourceRelation.OTHER
        ],
        **{
            reason: [e.entry.name for e in every if e.left_out == reason]
            for reason in dict.fromkeys(e.left_out for e in every if e.left_out)
        },
        "Kustomization(s) whose source is not in Git": [
            e.entry.name for e in every if e.source is SourceRelation.MISSING
        ],
        "suspended Kustomization(s)": [e.entry.name for e in every if e.suspended],
        "Kustomization(s) with charts or remote bases": needing,
        "Kustomization(s) with encrypted objects": encrypted,
    }


def notes_about_left_out(found: ReachedByEntry, kept: Mapping[str, list[str]]) -> Iterator[Diagnostic]:
    """Yield notes about objects that the cluster's entry deploys but that are not rendered.

    ``kept`` are the names of those that are applied from their sources, by the reason.
    """
    from renderer.gitops.flux.discovery import SourceRelation

    built = [resource for each in found.reached if each.outcome for resource in each.outcome.value]
    others = {
        "Kustomization(s) that apply rendered trees": found.builder.applying_trees,
        "HelmRelease(s)": [each.name for each in built if each.kind in _CHARTS],
    }
    yield from left_out_notes(found.entry, {**kept, **others})
    assumed = (each.entry for each in found.reached if each.source is SourceRelation.ASSUMED)
    yield from _assumed_sources(assumed)


def _assumed_sources(entries: Iterable[Resource]) -> Iterator[Diagnostic]:
    """Yield a note for each source that is taken for this repository because the paths exist here."""
    from renderer.gitops.flux.kustomization import source_key

    by_source: dict[Reference, list[Resource]] = {}
    for each in entries:
        by_source.setdefault(source_key(each), []).append(each)
    for (kind, namespace, name), found in by_source.items():
        yield Diagnostic.about(
            found[0],
            FieldPath.of("spec", "sourceRef"),
            Code.SOURCE_ASSUMED,
            f"the {kind} {namespace}/{name} is not in Git, and is taken for this repository, which has"
            f" {text_at(found[0].content, 'spec', 'path')}: {named_objects('Kustomization', found)}",
            f"if it is another repository, add the {kind} to Git",
            severity=Severity.INFO,
        )
