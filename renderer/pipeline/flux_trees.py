"""Which objects of a Flux entry have copies that point at a rendered tree, and what keeps Flux from it."""

# ruff: noqa: PLC0415 - a stage is imported when it is first needed

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from renderer.files.file_system import is_inside, normal_path
from renderer.gitops.flux.kustomization import deployed_folder, source_key
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.engines import SOURCE_IGNORE
from renderer.model.entry_point import RepointedTree
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import array_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import Reference
from renderer.pipeline.flux_reached import ReachedByEntry
from renderer.pipeline.reached_objects import (
    urls_of_copies,
)
from renderer.project.tree_paths import is_tree

if TYPE_CHECKING:
    from renderer.gitops.flux.discovery import ReachedKustomization


def trees_for_copies(found: ReachedByEntry) -> dict[Reference, RepointedTree]:
    """Return the trees that copies of engine objects point at, by object."""
    trees = {
        each.key: RepointedTree(
            *each.key, found.outputs.tree_of(each.entry), keeps_variables=each.keeps_variables
        )
        for each in found.rendered
        if _can_point_at_tree(each) and _has_or_gets_tree(each, found)
    }
    return trees | _operator_trees(found) if _can_point_at_tree(found.reached[0]) else trees


def _has_or_gets_tree(reached: ReachedKustomization, found: ReachedByEntry) -> bool:
    """Return False for a Kustomization that cannot be built, and that has no tree of an earlier run."""
    is_built = reached.outcome is None or not reached.outcome.failed
    return is_built or is_tree(found.builder.fs, found.outputs.tree_of(reached.entry))


def _can_point_at_tree(reached: ReachedKustomization) -> bool:
    """Return True if Flux can apply it from its tree.

    A generated artifact does not have the tree, and there is no copy of what a ResourceSet makes.
    """
    is_generated = reached.origin is not None or reached.artifact is not None
    return not reached.uncarried and not is_generated and reached.made_by is None


def applied_from_sources(rendered: Iterable[ReachedKustomization]) -> dict[str, list[str]]:
    """Return the names of rendered Kustomizations that cannot point at their trees, by the reason."""
    every = list(rendered)
    return {
        "Kustomization(s) with objects that a tree cannot carry": [
            each.entry.name for each in every if each.uncarried
        ],
        "Kustomization(s) of generated artifacts": [
            each.entry.name for each in every if each.origin or each.artifact
        ],
        "Kustomization(s) of ResourceSets": [each.entry.name for each in every if each.made_by],
    }


def _operator_trees(found: ReachedByEntry) -> dict[Reference, RepointedTree]:
    """Return the root's tree for each object of the Flux operator that creates the root."""
    from renderer.gitops.flux.repointing import sync_path

    tree = found.outputs.tree_of(found.root)
    places = (deployed_folder(found.root), tree)
    trees: dict[Reference, RepointedTree] = {}
    for each in found.rendered:
        for resource in each.outcome.value if each.outcome else ():
            path = sync_path(resource)
            if path and normal_path(path) in places:
                trees[resource.reference] = RepointedTree(*resource.reference, tree)
    return trees


def left_out_trees(found: ReachedByEntry) -> Iterator[Diagnostic]:
    """Yield a warning for each source whose ignore rules hide a tree from Flux."""
    discovery, builder = found.discovery, found.builder
    hidden: dict[Reference, str] = {}
    for each in found.rendered:
        key, tree = source_key(each.entry), found.outputs.tree_of(each.entry)
        source = discovery.known(key)
        checked_out = array_at(source.content, "spec", "sparseCheckout") if source else ()
        is_missing = bool(checked_out) and not any(
            isinstance(folder, str) and is_inside(tree, normal_path(folder)) for folder in checked_out
        )
        if is_missing or builder.builds.artifact(each.ignore).leaves_out(f"{tree}/manifest.yaml"):
            hidden.setdefault(key, tree)
    for key, tree in hidden.items():
        source, top = discovery.known(key), tree.partition("/")[0]
        if source is not None and array_at(source.content, "spec", "sparseCheckout"):
            site, hint = source.sites(FieldPath.of("spec", "sparseCheckout"))[0], f"add {top} to it"
        elif source is not None and text_at(source.content, "spec", "ignore"):
            site = source.sites(FieldPath.of("spec", "ignore"))[0]
            hint = f"add a last line to spec.ignore: !/{top}/"
        else:
            site, hint = Site(SOURCE_IGNORE), f"add a last line to {SOURCE_IGNORE}: !/{top}/"
        message = f"Flux does not see {tree}: the source {key[2]} leaves it out"
        yield Diagnostic.at(site, Code.TREE_LEFT_OUT, message, hint, severity=Severity.WARNING)


def assumed_urls(found: ReachedByEntry) -> Iterator[Diagnostic]:
    """Yield the notes about copies that point at trees in a repository that may be another one."""
    sources = (found.discovery.known(source_key(each.entry)) for each in found.rendered)
    used = (text_at(each.content, "spec", "url") for each in sources if each is not None)
    return urls_of_copies(found.entry, found.urls, used)
