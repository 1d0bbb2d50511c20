"""Entries of Flux: the Kustomizations that a cluster's folder deploys, each as an entry point."""

# ruff: noqa: PLC0415 - a stage is imported when it is first needed

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from renderer.files.file_system import FileSystem
from renderer.model.diagnostic import Outcome
from renderer.model.entry_point import EntryPoint, RepointedTree
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import array_at
from renderer.model.kube.res_id import Reference
from renderer.model.render_config import OverlayEntry, RenderConfig
from renderer.pipeline.entry_search import Search
from renderer.pipeline.flux_dependencies import dependencies_first
from renderer.pipeline.flux_findings import (
    findings_by_object,
    left_to_sources,
    notes_about_left_out,
    nothing_rendered_error,
)
from renderer.pipeline.flux_reached import folders_of, reached_by
from renderer.pipeline.flux_trees import applied_from_sources, assumed_urls, left_out_trees, trees_for_copies
from renderer.pipeline.reached_objects import (
    count_machines,
    deployed_instancetypes,
    described_groups,
    points_at_sources,
    rendered_source_errors,
)
from renderer.pipeline.shared_patches import BuiltPatches, matched_targets
from renderer.project.overlays import EntryReport

if TYPE_CHECKING:
    from renderer.gitops.flux.discovery import ReachedKustomization


def flux_points(
    fs: FileSystem, config: RenderConfig, entry: OverlayEntry, search: Search, report: EntryReport
) -> Iterator[tuple[str, EntryPoint]]:
    """Yield (name, entry point) for each Flux Kustomization with virtual machines that the entry deploys.

    ``report`` gets what is suspended, and whether there may be more.
    """
    from renderer.gitops.flux.controller import find_controller, strictness
    from renderer.gitops.flux.kustomization import variable_sources
    from renderer.pipeline.resource_sets import (
        findings_about_left_out,
        left_out_sets,
        set_point,
        sets_to_render,
    )

    found = reached_by(fs, config, entry, search, report)
    discovery, outputs, reached, rendered = found.discovery, found.outputs, found.reached, found.rendered
    rendered_sets, left_out = sets_to_render(found.sets), left_out_sets(found.sets)
    kept = {**left_to_sources(found), **left_out}
    notes = (*notes_about_left_out(found, kept), *findings_about_left_out(found.sets))
    if not rendered and not rendered_sets:
        raise report.nothing_rendered(nothing_rendered_error(found, notes))
    trees: dict[Reference, RepointedTree] = {}
    if entry.entry.repoint:
        trees = trees_for_copies(found)
        notes = (*notes, *left_out_trees(found), *assumed_urls(found))
    strict = strictness(
        entry.entry.flux_release or config.flux, find_controller(discovery.objects), strict=entry.entry.strict
    )
    made = [Outcome(each.objects) for each in found.sets]
    shared = deployed_instancetypes((*(each.outcome for each in reached), *made))
    built = {each.key: _built_patches(each) for each in reached}
    matched = matched_targets(built.values())
    own = frozenset(each.key for each in rendered)
    described = tuple(described_groups({**kept, **applied_from_sources(rendered)}))
    findings = findings_by_object(found, trees, strict, is_complete=not left_out)
    for each in dependencies_first(rendered):
        name, deployed = outputs.name_of(each.entry), each.deployed
        if not entry.entry.repoint:
            notes = (*notes, *points_at_sources(entry, name, [key[2] for key in own & deployed]))
        sources = map(discovery.known, dict.fromkeys(variable_sources(each.entry)))
        yield (
            name,
            EntryPoint(
                entry.entry,
                each.entry,
                each.ignore,
                tuple(source for source in sources if source is not None),
                tuple(folders_of(each.entry)),
                shared,
                count_machines(each.outcome),
                (*notes, *rendered_source_errors(each.outcome), *each.uncarried, *findings[each.key]),
                tuple(tree for key, tree in trees.items() if key in deployed),
                kept=described,
                matched=matched.intersection(built[each.key].targets),
                strictness=strict,
                artifact=each.artifact,
            ),
        )
        notes = described = ()
    for reached_set in rendered_sets:
        name = outputs.name_of(reached_set.entry)
        notes = (*notes, *findings[reached_set.key])
        if not entry.entry.repoint:
            names = [resource.name for resource in reached_set.objects if resource.reference in own]
            notes = (*notes, *points_at_sources(entry, name, names))
        yield name, set_point(entry, reached_set, shared, notes, described)
        notes = described = ()


def _built_patches(reached: ReachedKustomization) -> BuiltPatches:
    listed = array_at(reached.entry.content, "spec", "patches")
    return BuiltPatches.of(reached.entry, reached.outcome, [(FieldPath.of("spec", "patches"), listed)])
