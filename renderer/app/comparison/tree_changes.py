"""Changes of files that decide what an engine applies of a rendered tree, and that no overlay has.

What is compared of an overlay is what its sources make. Its engine may apply something else, because of a
kustomization in the tree or above it, a ``.sourceignore``, or a manifest that somebody put into the tree.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property

from renderer.app.comparison.side import Side
from renderer.app.comparison.tree_readers import Missed, TreeReaders, is_plain_folder
from renderer.emit.ownership import Owned, decode_ownership
from renderer.files.file_system import folder_of, is_inside, readable_content
from renderer.gitops.argocd.directory import JSONNET
from renderer.gitops.flux.artifact import ArtifactFileSystem
from renderer.kustomize.reader.kustomization_graph import folders_above
from renderer.model.diagnostic import DiagnosticError
from renderer.model.engines import CHART, SOURCE_IGNORE, is_read_by_engines
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import KUSTOMIZATION_FILES, is_kustomization_file
from renderer.model.plural import listed, plural
from renderer.model.render_config import OWNERSHIP_FILE, Overlay
from renderer.project.tree_paths import is_tree

_MOST_NAMES = 3


class TreeChanges:
    """Compares the files of two sides, other than sources, that decide which part of a tree is applied."""

    def __init__(self, before: Side, after: Side) -> None:
        self._before, self._after = _Beside(before), _Beside(after)
        self._unread: dict[str, tuple[str, ...]] = {}

    def add(self, overlay: Overlay, before: Iterable[Resource], after: Iterable[Resource]) -> None:
        """Compare what engines read of the objects of an overlay, as they are written on both sides."""
        old, new = (each.side.overlays.get(overlay.path) for each in (self._before, self._after))
        if old is None or new is None or not (_may_have_tree(old) and _may_have_tree(new)):
            return
        before, after = tuple(before), tuple(after)
        if self._may_be_read_otherwise(old, new, before, after) and self._are_trees_applied(old, new):
            common = {each.current_id for each in before} & {each.current_id for each in after}
            former = self._before.readers.missed(old, before)
            latter = self._after.readers.missed(new, after)
            if not former and not latter and new.deployer is None:
                former = self._before.readers.missed_by_flux(old, before)
                latter = self._after.readers.missed_by_flux(new, after)
            self._unread[overlay.path] = tuple(_read_otherwise(former, latter, common, new.output))

    def reasons(self, path: str) -> Iterator[str]:
        """Yield why an engine may apply something else of an overlay than what is compared."""
        old, new = (each.side.overlays.get(path) for each in (self._before, self._after))
        if old is None or new is None or not _may_have_tree(new):
            return
        found = [*self._reasons(old, new)]
        if found and self._are_trees_applied(old, new):
            yield from found

    def _reasons(self, old: Overlay, new: Overlay) -> Iterator[str]:
        before, after = self._before, self._after
        former, latter = before.foreign_files(old.output), after.foreign_files(new.output)
        changed = [each for each in sorted({*former, *latter}) if former.get(each) != latter.get(each)]
        if changed:
            yield f"{listed(changed, _MOST_NAMES)} may change what is applied, and vmrender did not write it"
        ignores = [*self._changed_above(new.output, (SOURCE_IGNORE,))]
        unread = self._unread.get(new.path, ())
        if ignores and (unread or before.left_out(old) != after.left_out(new)):
            yield f"{listed(ignores)} changes what Flux sees of it"
        yield from unread
        if old.output != new.output:
            if is_tree(before.fs, old.output) and not before.side.deployers.of(old):
                yield f"it is rendered into {new.output}: what applies {old.output} gets no change any more"
            return
        if before.real_folder(new.output) != after.real_folder(new.output):
            yield f"{new.output} becomes, or is no longer, a symbolic link, or leads to another folder"
        for file in self._changed_above(new.output, KUSTOMIZATION_FILES) if new.deployer is None else ():
            if before.uses(file, new.output) or after.uses(file, new.output):
                yield f"{file} changes, by which {new.output} is applied"

    def _are_trees_applied(self, old: Overlay, new: Overlay) -> bool:
        """Return True unless an engine goes on to apply the sources of an entry."""
        return self._before.readers.is_tree_applied(old) or self._after.readers.is_tree_applied(new)

    def _may_be_read_otherwise(
        self, old: Overlay, new: Overlay, before: Iterable[Resource], after: Iterable[Resource]
    ) -> bool:
        """Return True if other files of an overlay may be read, although nothing that deploys it changes."""
        if (old.output, old.files, old.tree.extras) != (new.output, new.files, new.tree.extras):
            return True
        if is_plain_folder(new) and _places(before) != _places(after):
            return True
        points = [each.entry.ignore if each.entry else "" for each in (old, new)]
        return points[0] != points[1] or any(self._changed_above(new.output, (SOURCE_IGNORE,)))

    def _changed_above(self, output: str, names: tuple[str, ...]) -> Iterator[str]:
        """Yield the files with one of the names, in a folder above the tree, that the sides do not share."""
        for folder in folders_above(output):
            for name in names:
                file = posixpath.normpath(f"{folder}/{name}")
                if readable_content(self._before.fs, file) != readable_content(self._after.fs, file):
                    yield file


def _may_have_tree(overlay: Overlay) -> bool:
    """Return True if an engine may apply the tree of an overlay, and not its sources alone."""
    return overlay.deployer is None or (overlay.entry is not None and overlay.entry.options.repoint)


def _places(resources: Iterable[Resource]) -> Mapping[ResId, str]:
    return {each.current_id: each.origin.path for each in resources}


def _read_otherwise(former: Missed, latter: Missed, common: AbstractSet[ResId], output: str) -> Iterator[str]:
    """Yield the reasons why engines read other ``common`` objects of a tree than before."""
    if former and not latter:
        yield "nothing in this repository deploys it any more"
        return
    pairs = {each: (former[each], latter[each]) for each in sorted(former.keys() & latter.keys())}
    if former and former.keys() != latter.keys():  # another object may be in the place of one
        old, new = (frozenset.intersection(*each.values()) for each in (former, latter))
        pairs["what deploys it"] = old, new
    for label, (old, new) in pairs.items():
        if lost := (new - old) & common:
            yield f"{label} no longer reads {plural(len(lost), 'object')} of {output}"
        if found := (old - new) & common:
            yield f"{label} reads {plural(len(found), 'object')} of {output}, which it did not read before"


class _Beside:
    """The files of one side that no overlay has."""

    def __init__(self, side: Side) -> None:
        self.side, self.fs = side, side.fs
        self.readers = TreeReaders(side)

    def foreign_files(self, output: str) -> Mapping[str, bytes | None]:
        """Return the files that engines read with a tree, and vmrender did not write.

        A kustomization, a chart or Jsonnet that somebody put there may read files of any name, and a
        kustomization also files of other folders.
        """
        owned = {f"{output}/{path}" for path in self._owned(output)}
        others: list[str] = []
        waiting = [output]
        while waiting:
            folder = waiting.pop()
            for name in self.fs.list(folder):
                path = f"{folder}/{name}"
                if path in owned:
                    continue
                if self.fs.is_folder(path) and self.fs.resolve(path) == path:
                    waiting.append(path)
                else:
                    others.append(path)
        found = {each for each in others if is_read_by_engines(each)}
        if any(_reads_others(each) for each in found):
            built = (posixpath.dirname(each) for each in found if is_kustomization_file(each))
            found.update(others, *(self.side.graph.files(folder) for folder in built))
        own = {f"{output}/{OWNERSHIP_FILE}", *owned}
        return {path: readable_content(self.fs, path) for path in found - own}

    def uses(self, kustomization: str, output: str) -> bool:
        """Return True if a kustomization lists the tree, or a file in it."""
        links = self.side.graph.links(folder_of(kustomization))
        return links is not None and any(is_inside(each, output) for each in (*links.files, *links.folders))

    def left_out(self, overlay: Overlay) -> frozenset[str]:
        """Return the files in the folder of an overlay that Flux would apply, but does not see."""
        if overlay.deployer or overlay.path not in self.side.deployers.folders_for_flux(overlay):
            return frozenset()
        files = (each for each in self.side.listing.manifests if is_inside(each, overlay.path))
        return frozenset(filter(self._artifact.leaves_out, files))

    @cached_property
    def _artifact(self) -> ArtifactFileSystem:
        return ArtifactFileSystem(self.fs)

    def real_folder(self, output: str) -> str:
        """Return where the folder of a tree is, without symbolic links; empty outside of the repository."""
        try:
            return self.fs.resolve(output)
        except DiagnosticError:  # reported where the tree is written
            return ""

    def _owned(self, output: str) -> Owned:
        path = f"{output}/{OWNERSHIP_FILE}"
        try:
            return decode_ownership(readable_content(self.fs, path) or b"", path)
        except DiagnosticError:  # reported where the tree is written
            return {}


def _reads_others(path: str) -> bool:
    """Return True if an engine reads more files because of this one: what they are called is up to it."""
    name = posixpath.basename(path)
    return name in KUSTOMIZATION_FILES or name.endswith((CHART, *JSONNET))
