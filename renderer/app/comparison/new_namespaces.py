"""Machines in a namespace that no object was in before, and of which no file has the Namespace.

The cluster may have it. If it does not, nothing can be created there: the dry run of Flux fails for the whole
Kustomization (kustomize-controller ``internal/controller/kustomization_controller.go`` apply), and so does a
sync of Argo CD, unless that creates namespaces (``gitops-engine/pkg/sync`` autoCreateNamespace).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet

from renderer.app.comparison.manifests_with import Manifest, manifests_with
from renderer.app.comparison.rendered_sides import RenderedSide, written_of
from renderer.app.comparison.side import Side
from renderer.diff.missing import texts_in
from renderer.files.file_system import folder_of
from renderer.kubevirt.facts.made_by_cluster import is_system_namespace
from renderer.kubevirt.facts.virtual_machine import PATHS
from renderer.model.difference import ChangeType, OverlayDifference, ResourceChange
from renderer.model.kube.json import JsonObject, mappings_in, text_at
from renderer.model.kustomization import is_kustomization_file
from renderer.model.placeholders import has_placeholder
from renderer.model.render_config import Overlay

_NAMESPACE = "Namespace"
#: The kinds of objects of which clusters make a namespace of the same name.
_NAMESPACES = frozenset({_NAMESPACE, "Project", "ProjectRequest"})
#: How Argo CD and Flux's HelmReleases are told to make a namespace.
_OPTION, _FIELD = "CreateNamespace=true", "createNamespace"
_CONSEQUENCE = "unless the cluster has it, nothing can be created there"


class NewNamespaces:
    """The namespaces of all overlays before and after a change."""

    def __init__(self, sides: tuple[Side, Side]) -> None:
        self._sides = sides
        self._known: set[str] = set()
        self._in_git: set[str] = set()
        self._new: dict[str, frozenset[str]] = {}

    def add(
        self,
        overlay: Overlay,
        found: OverlayDifference,
        ends: tuple[RenderedSide | None, RenderedSide | None],
    ) -> None:
        """Add an overlay, its difference, and its two sides."""
        former, current = map(written_of, ends)
        self._known.update(each.namespace for each in former)
        self._in_git.update(each.name for each in (*former, *current) if each.kind in _NAMESPACES)
        new = frozenset(each.id.namespace for each in found.changes if _is_new(each))
        if new and not (overlay.deployer and _makes_namespaces(overlay.deployer.content)):
            self._new[found.path] = new

    def added_to(self, differences: Iterable[OverlayDifference]) -> list[OverlayDifference]:
        """Return the differences; an overlay with an unknown namespace has a note, if others are in Git."""
        new = frozenset[str]().union(*self._new.values()) - self._known - self._in_git
        unknown = {each for each in new if not is_system_namespace(each) and not has_placeholder(each)}
        for each in manifests_with(self._sides[0], unknown) if unknown else ():
            unknown -= {*_places_in(each)}
        if not unknown:
            return [*differences]
        has_others = bool(self._in_git)
        for each in [*manifests_with(self._sides[1], {*unknown, _NAMESPACE})]:
            has_others = has_others or any(map(_is_namespace, each.documents or ()))
            unknown -= {*self._provided(each)}
        return [self._with_note(each, unknown) if has_others else each for each in differences]

    def _with_note(self, difference: OverlayDifference, unknown: AbstractSet[str]) -> OverlayDifference:
        names = sorted(self._new.get(difference.path, frozenset()) & unknown)
        notes = (f"no Namespace {name} is in Git: {_CONSEQUENCE}" for name in names)
        return difference._replace(notes=(*difference.notes, *notes))

    def _provided(self, manifest: Manifest) -> Iterator[str]:
        """Yield the namespaces that a manifest makes, or tells somebody to make."""
        if manifest.documents is None:
            yield from manifest.words
        for document in manifest.documents or ():
            if _is_namespace(document):
                yield text_at(document, "metadata", "name")
            elif _makes_namespaces(document):
                yield from _named_places(document)
        if is_kustomization_file(manifest.path) and manifest.words != {_NAMESPACE}:
            composed = self._sides[1].composed(folder_of(manifest.path))
            yield from (each.name for each in composed or () if each.kind in _NAMESPACES)


def _is_new(change: ResourceChange) -> bool:
    """Return True for a machine that is added, or that goes to another namespace."""
    if change.id.gvk.kind not in PATHS or change.after is None or not change.after.namespace:
        return False
    before = change.before.namespace if change.before else None
    return change.type in (ChangeType.ADDED, ChangeType.RENAMED) and before != change.after.namespace


def _is_namespace(document: JsonObject) -> bool:
    return text_at(document, "kind") in _NAMESPACES


def _makes_namespaces(document: JsonObject) -> bool:
    """Return True for an object of an engine that makes the namespaces that it deploys to."""
    return _OPTION in texts_in([document]) or any(each.get(_FIELD) is True for each in mappings_in(document))


def _places_in(manifest: Manifest) -> Iterator[str]:
    """Yield the namespaces that a manifest puts objects into; all of its words if it cannot be read."""
    if manifest.documents is None:
        yield from manifest.words
    for document in manifest.documents or ():
        yield from _named_places(document)


def _named_places(document: JsonObject) -> Iterator[str]:
    for key, value in (item for each in mappings_in(document) for item in each.items()):
        if key.lower().endswith(_NAMESPACE.lower()) and isinstance(value, str):
            yield value
