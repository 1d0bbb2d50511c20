"""Machines that a change makes name an object which nothing in the repository has or makes.

The object may be in the cluster all the same, as many Secrets are. That a machine will not start is said only
if it named an object of the repository before, and if no file had the new name yet. Otherwise its field says
what is not known, if overlays have other objects of the kind in its namespace.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from renderer.app.comparison.manifests_with import Manifest, manifests_with
from renderer.app.comparison.readers_elsewhere import ReadersElsewhere
from renderer.app.comparison.rendered_sides import RenderedSide
from renderer.app.comparison.side import Side
from renderer.diff.masking import without_secret_words
from renderer.diff.missing import texts_in
from renderer.diff.new_names import NewName, new_names, with_unknown_names
from renderer.diff.reads import ObjectName
from renderer.diff.sides import Sides
from renderer.kubevirt.facts.kinds import CONFIG_MAP, SECRET
from renderer.kubevirt.facts.virtual_machine import PATHS, VirtualMachineView
from renderer.kubevirt.impact.needs import NEEDED_KINDS
from renderer.model.difference import ChangeType, OverlayDifference
from renderer.model.kube.json import JsonObject, array_at, text_at
from renderer.model.kube.res_id import ResId
from renderer.model.kustomization import COMPONENT_KIND, KUSTOMIZATION_KIND
from renderer.model.pattern import pattern
from renderer.model.vmrender_api import VMRENDER_GROUP

_WORD = pattern(r"[\w.-]+")
_GENERATORS = (("secretGenerator", SECRET), ("configMapGenerator", CONFIG_MAP))
#: Kind and name of an object, in whatever namespace.
_Named = tuple[str, str]


class _Names(NamedTuple):
    """The names that a change wrote into machines of an overlay that has no such objects.

    ``had`` are the objects that it had before the change.
    """

    new: Mapping[ResId, Sequence[NewName]]
    had: Collection[ObjectName]
    sides: Sides


class UnknownNames:
    """Collects the new names in machines of all overlays; looks for their objects in the whole repository."""

    def __init__(self, sides: tuple[Side, Side], readers: ReadersElsewhere) -> None:
        self._sides = sides
        self._readers = readers
        self._names: dict[str, _Names] = {}

    def add(self, found: OverlayDifference, ends: tuple[RenderedSide | None, RenderedSide | None]) -> None:
        """Add the difference of an overlay, and its two sides."""
        changed = {
            each.id
            for each in found.changes
            if each.id.gvk.kind in PATHS and each.type is ChangeType.CHANGED and not each.is_refused
        }
        before, after = (side.content if side else None for side in ends)
        if not changed or before is None or after is None:
            return
        old, new = (
            [
                view
                for each in side.written
                if each.current_id in changed and (view := VirtualMachineView.of(each))
            ]
            for side in (before, after)
        )
        former = {view.resource.current_id: view for view in old}
        pairs = ((former[id_], view) for view in new if (id_ := view.resource.current_id) in former)
        names = [name for pair in pairs for name in new_names(*pair, after.release)]
        if names:
            had, has = (
                {ObjectName.of(each.current_id) for each in side.written if each.kind in NEEDED_KINDS}
                for side in (before, after)
            )
            missing: dict[ResId, list[NewName]] = {}
            for each in names:
                if has.isdisjoint(each.names):
                    missing.setdefault(each.machine, []).append(each)
            if missing:
                self._names[found.path] = _Names(missing, had, Sides(before, after))

    def added_to(self, differences: Iterable[OverlayDifference]) -> list[OverlayDifference]:
        """Return the differences; a machine that names an unknown object has a doubt or does not start."""
        every = [new for each in self._names.values() for own in each.new.values() for new in own]
        unknown = {new.name for new in every}
        objects = self._readers.objects() if unknown else frozenset[ObjectName]()
        unknown -= {each.name for each in objects}
        if unknown:
            unknown -= self._readers.made_names()
        if unknown:
            unknown -= {name for each in manifests_with(self._sides[1], unknown) for name in _provided(each)}
        if not unknown:
            return [*differences]
        former = {each.name for new in every if new.name in unknown for each in new.former}
        files = [*manifests_with(self._sides[0], unknown | former)]
        known = {word for each in files for word in each.words}
        were_there = {named for each in files for named in _objects(each)}
        places = _places(objects)

        def is_lost(new: NewName, names: _Names) -> bool:
            return (
                new.name not in known
                and _places(new.names) == _places(new.former)
                and any(each in names.had or (each.kind, each.name) in were_there for each in new.former)
            )

        return [self._with_names(each, unknown, is_lost, places) for each in differences]

    def _with_names(
        self,
        difference: OverlayDifference,
        unknown: Collection[str],
        is_lost: Callable[[NewName, _Names], bool],
        places: Collection[tuple[str, str]],
    ) -> OverlayDifference:
        """Return a difference with its ``unknown`` names; ``places`` are kinds and namespaces in Git."""
        names = self._names.get(difference.path)
        if names is None:
            return difference
        changes = []
        for change in difference.changes:
            own = [new for new in names.new.get(change.id, ()) if new.name in unknown]
            lost = [new.need for new in own if is_lost(new, names)]
            others = (new for new in own if new.need not in lost)
            doubtful = [new.need for new in others if not _places(new.names).isdisjoint(places)]
            changed = with_unknown_names(change, lost, doubtful) if lost or doubtful else change
            changes.append(
                change if changed is change else without_secret_words(changed, names.sides.secrets)
            )
        return difference._replace(changes=tuple(changes))


def _places(names: Iterable[ObjectName]) -> frozenset[tuple[str, str]]:
    return frozenset((each.kind, each.namespace) for each in names)


def _objects(manifest: Manifest) -> Iterator[_Named]:
    """Yield kind and name of the objects in a manifest, and of those that its generators make."""
    for document in manifest.documents or ():
        yield text_at(document, "kind"), text_at(document, "metadata", "name")
        yield from _generated(document)


def _provided(manifest: Manifest) -> Iterator[str]:
    """Yield the words of objects that may be what a machine names, make it, or use it as well.

    That excludes machines, patches of them, and the objects that vmrender makes machines of.
    """
    if manifest.documents is None:
        yield from manifest.words
    for document in manifest.documents or ():
        kind, group = text_at(document, "kind"), text_at(document, "apiVersion").partition("/")[0]
        if kind in ("", KUSTOMIZATION_KIND, COMPONENT_KIND):
            yield from (name for _, name in _generated(document))
        elif kind not in PATHS and group != VMRENDER_GROUP:
            for text in texts_in([document]):
                yield from _WORD.findall(text)


def _generated(kustomization: JsonObject) -> Iterator[_Named]:
    for key, kind in _GENERATORS:
        for each in array_at(kustomization, key):
            yield kind, text_at(each, "name")
