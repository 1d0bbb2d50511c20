"""Where the entries of a kustomization lead: to files, folders, or texts that they hold themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

from renderer.model.codes import Code
from renderer.model.completed_kustomization import CompletedKustomization
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.generated import ListedFile
from renderer.model.kustomization import Patch
from renderer.model.kustomization_kind import COMPONENT_KIND
from renderer.model.location import Site
from renderer.model.patches import LoadedPatch, PatchContent, StrategicMergePatches
from renderer.model.resource import Resource
from renderer.model.source_tree import Document, KustomizationRoot, ResourceFile
from renderer.source.patches import read_json_patch, read_patch
from renderer.source.paths import joined
from renderer.source.remote import is_remote
from renderer.source.resources import read_resources
from renderer.source.source_files import SourceFiles, remote
from renderer.yamlio.decode import decode_yaml11

T = TypeVar("T")
Listed = TypeVar("Listed")
#: Reads the root in a folder that is listed at a site.
ReadFolder: TypeAlias = Callable[[str, Site], KustomizationRoot]


class Entries:
    """How the entries of the kustomization in ``folder`` are read; each takes an entry and its site."""

    def __init__(
        self,
        files: SourceFiles,
        folder: str,
        site: Site,
        read_folder: ReadFolder,
        completed: CompletedKustomization | None = None,
    ) -> None:
        self._completed = completed
        self.folder = folder
        self._files = files
        self._site = site
        self._read_folder = read_folder
        self.findings: list[Diagnostic] = []

    def each(self, field: str, entries: Sequence[Listed], read: Callable[[Listed, Site], T]) -> tuple[T, ...]:
        """What ``read`` makes of the entries of ``field``; what is wrong with one is noted."""
        found: list[T] = []
        for index, entry in enumerate(entries):
            try:
                found.append(read(entry, self._site_of(field, index)))
            except DiagnosticError as error:
                self.findings += error.diagnostics
        return tuple(found)

    def _site_of(self, field: str, index: int) -> Site:
        return self._completed.site(field, index) if self._completed else self._site.below(field, index)

    def attempt(self, read: Callable[[], T], otherwise: T) -> T:
        """What ``read`` gives; ``otherwise`` when something is wrong, which is noted."""
        try:
            return read()
        except DiagnosticError as error:
            self.findings += error.diagnostics
            return otherwise

    def content(self, path: str, site: Site) -> bytes:
        """The content of a file. Raises: file-not-found, file-outside-root, unsupported-field."""
        return self._files.fs.read(self._files.file(path, self.folder, site))

    def file(self, path: str, site: Site) -> ListedFile:
        """A file with its real path. Raises as ``content``."""
        resolved = self._files.file(path, self.folder, site)
        return ListedFile(resolved, self._files.fs.read(resolved))

    def document(self, path: str, site: Site) -> Document:
        """The first document of a file, as YAML 1.1."""
        resolved = self._files.file(path, self.folder, site)
        return Document(Site(resolved), decode_yaml11(self._files.fs.read(resolved), resolved))

    def resource(self, path: str, site: Site) -> ResourceFile | KustomizationRoot:
        """A file, or else the folder of another kustomization (``kusttarget.go`` accumulateResources)."""
        if self._files.is_file(path, self.folder, site):
            return self._files.resources(path, self.folder, site)
        place = joined(self.folder, path)
        if not is_remote(path) and not (path and self._files.fs.is_folder(place)):
            raise self._files.missing(place, "file or folder", site)
        root = self._root(path, site)
        if root.kustomization.kind == COMPONENT_KIND:
            raise _wrong_kind(f"{path} is a Component", site, "list it under components")
        return root

    def component(self, path: str, site: Site) -> KustomizationRoot:
        root = self._root(path, site)
        if root.kustomization.kind != COMPONENT_KIND:
            kind = root.kustomization.kind
            raise _wrong_kind(f"{path} is a {kind}, no Component", site, "list it under resources")
        return root

    def plugin(self, entry: str, site: Site) -> ResourceFile | KustomizationRoot:
        """The configuration of a plugin: written here, or in a file or folder."""
        inline = _inline_resources(entry, site)
        return ResourceFile(site, inline) if inline is not None else self.resource(entry, site)

    def patch(self, listed: Patch, site: Site) -> LoadedPatch:
        """An entry of ``patches`` (``PatchTransformer.go`` Config)."""
        text = listed.patch.strip()
        if bool(text) == bool(listed.path):
            raise _ambiguous_patch(listed, site)
        return LoadedPatch(listed, self._patch_content(text, listed.path, site))

    def json6902(self, listed: Patch, site: Site) -> LoadedPatch:
        """An entry of ``patchesJson6902`` (``PatchJson6902Transformer.go`` Config)."""
        if listed.target is None or not listed.target.name:
            raise _invalid("the patch has no target.name", site)
        if bool(listed.patch) == bool(listed.path):
            raise _ambiguous_patch(listed, site)
        if listed.path:
            return LoadedPatch(listed, self._files.json_patch(listed.path, self.folder, site.below("path")))
        return LoadedPatch(listed, read_json_patch(listed.patch.encode(), site.below("patch")))

    def strategic_merge(self, entry: str, site: Site) -> StrategicMergePatches:
        """An entry of ``patchesStrategicMerge``: a text, or else a file."""
        inline = _inline_resources(entry, site)
        if inline is not None:
            return StrategicMergePatches(site, inline)
        file = self._files.resources(entry, self.folder, site)
        return StrategicMergePatches(file.site, file.resources)

    def _patch_content(self, text: str, path: str, site: Site) -> PatchContent:
        if path:
            return self._files.patch(path, self.folder, site.below("path"))
        return read_patch(text.encode(), site.below("patch"))

    def _root(self, path: str, site: Site) -> KustomizationRoot:
        if is_remote(path):
            raise remote(path, site)
        return self._read_folder(self._files.folder(path, self.folder, site), site)


def _inline_resources(text: str, site: Site) -> tuple[Resource, ...] | None:
    """The objects that the entry itself holds; None when it is a path."""
    try:
        return read_resources(text.encode(), site)
    except DiagnosticError:
        if "\n" in text.strip():
            raise
        return None


def _ambiguous_patch(listed: Patch, site: Site) -> DiagnosticError:
    problem = "both path and patch" if listed.path else "neither path nor patch"
    return _invalid(f"the patch has {problem}", site, "give one of them")


def _wrong_kind(message: str, site: Site, hint: str) -> DiagnosticError:
    return DiagnosticError(
        Diagnostic(code=Code.KUSTOMIZATION_FIELD, message=message, sites=(site,), hint=hint)
    )


def _invalid(message: str, site: Site, hint: str | None = None) -> DiagnosticError:
    return DiagnosticError(Diagnostic(code=Code.PATCH_INVALID, message=message, sites=(site,), hint=hint))
