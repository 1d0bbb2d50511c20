"""Read the files that fields name, each once."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from renderer.files.file_system import FileSystem, folder_of, is_inside, join_path
from renderer.kustomize.reader.find_kustomization import LoadRestrictor
from renderer.kustomize.reader.remote_entries import is_remote, remote_path_error
from renderer.kustomize.reader.resources import read_json_patch, read_patch, read_resources, unread_text
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.field_edit import SetField
from renderer.model.fix import Fix
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json
from renderer.model.kube.list_elements import value_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import ResourceSet
from renderer.model.run.work import spend
from renderer.model.source_tree import JsonPatch, PatchContent, ResourceFile
from renderer.model.suggest import suggest_paths
from renderer.yamlio.decode import decode_yaml11, taint_content

T = TypeVar("T")
#: The bytes of manifests that are parsed in one step: each source of Flux has files of its own.
BYTES_PER_STEP = 2
#: Steps to list a folder, in addition to the steps for each name in it (``model.run.work``).
_STEPS_PER_LISTING = 60


class SourceFiles:
    """Every reader accepts a path as written in a field, the kustomization's folder and the field's site."""

    def __init__(
        self, fs: FileSystem, restrictor: LoadRestrictor, *, skips_unsupported: bool = False
    ) -> None:
        """``skips_unsupported``: what needs other repositories, charts or plugins is left out of the tree."""
        self.fs = fs
        self.restrictor = restrictor
        self.skips_unsupported = skips_unsupported
        self._resources: dict[str, ResourceFile] = {}
        self._patches: dict[str, PatchContent] = {}
        self._json_patches: dict[str, JsonPatch] = {}
        self._warnings: dict[str, tuple[Diagnostic, ...]] = {}
        #: The kustomizations that list something missing, and the paths in each list of them.
        self._with_missing: dict[str, Json] = {}
        self._listed: dict[tuple[str, FieldPath], frozenset[str]] = {}
        #: The names in the folders of missing files.
        self._names: dict[str, tuple[str, ...]] = {}
        self._of_secrets: set[str] = set()
        self._of_others: set[str] = set()

    def resources(self, path: str, folder: str, site: Site) -> ResourceFile:
        return self._read_once(self._resources, self.file(path, folder, site), self._objects_of)

    def patch(self, path: str, folder: str, site: Site) -> PatchContent:
        return self._read_once(self._patches, self.file(path, folder, site), read_patch)

    def json_patch(self, path: str, folder: str, site: Site) -> JsonPatch:
        return self._read_once(self._json_patches, self.file(path, folder, site), read_json_patch)

    def is_file(self, path: str, folder: str, site: Site) -> bool:
        """Return True if it is a file. Raises: file-outside-root."""
        with _reported_at(site):
            return self.fs.is_file(join_path(folder, path))

    def file(self, path: str, folder: str, site: Site, *, is_of_secret: bool = False) -> str:
        """Return the real path of a file. Raises: file-not-found, file-outside-root, unsupported-field.

        ``is_of_secret``: a Secret is made from it. Its values are recorded once something else reads it, too.
        """
        place = join_path(folder, path)
        with _reported_at(site):
            if not self.fs.is_file(place):
                if is_remote(path):
                    raise remote_path_error(path, site, is_file=True)
                raise self.missing_error(place, "file", site)
            resolved = self.fs.resolve(place)
        if self.restrictor is LoadRestrictor.ROOT_ONLY and not is_inside(resolved, folder):
            hint = (
                "make its folder a kustomization and list that; only "
                "vmrender build --load-restrictor LoadRestrictionsNone reads files from elsewhere"
            )
            raise Diagnostic.at(
                site, Code.FILE_OUTSIDE_ROOT, f"{path} is not in or below {folder}", hint
            ).error()
        (self._of_secrets if is_of_secret else self._of_others).add(resolved)
        if resolved in self._of_secrets and resolved in self._of_others:
            taint_content(self.fs.read(resolved))
        return resolved

    def folder(self, path: str, folder: str, site: Site) -> str:
        """Return the real path of a folder. Raises: file-not-found, file-outside-root, unsupported-field."""
        place = join_path(folder, path)
        if is_remote(path):
            raise remote_path_error(path, site)
        with _reported_at(site):
            if not path or not self.fs.is_folder(place):
                raise self.missing_error(place, "folder", site)
            return self.fs.resolve(place)

    def missing_error(self, place: str, wanted: str, site: Site) -> DiagnosticError:
        """Return the error for a file or folder that is not at ``place``, with the nearest names."""
        parent, name = posixpath.split(place)
        if name in self._names_in(parent or "."):  # a pipe, a device, a dangling link
            return Diagnostic.at(site, Code.FILE_UNREADABLE, f"{place} is not a {wanted}").error()
        present = self._listed_beside(site)
        folder = folder_of(site.path)
        found = suggest_paths(place, self._names_in) or tuple(self._at_other_depths(place, folder, wanted))
        nearest = tuple(path for path in found if path != site.path and path not in present)
        hint = f"did you mean {' or '.join(nearest)}?" if nearest else None
        fix: Fix | None = None
        if len(nearest) == 1:  # the entry is the path relative to the folder of its file
            old, new = (posixpath.relpath(path, folder) for path in (place, nearest[0]))
            fix = Fix.in_document(site, SetField(site.field, new), old=old)
        return Diagnostic.at(site, Code.FILE_NOT_FOUND, f"no such {wanted}: {place}", hint, fix=fix).error()

    def _at_other_depths(self, place: str, folder: str, wanted: str) -> Iterator[str]:
        """Yield what exists, and is ``wanted``, where an entry leads with one ``..`` more or less."""
        entry = posixpath.relpath(place, folder)
        for other in (posixpath.join("..", entry), entry.removeprefix("../")):
            path = posixpath.normpath(posixpath.join(folder, other))
            with suppress(DiagnosticError):  # a link out of the repository
                is_other = path != place and not path.startswith("../") and not is_inside(folder, path)
                is_file, is_folder = self.fs.is_file(path), self.fs.is_folder(path)
                if is_other and ((is_file and wanted != "folder") or (is_folder and wanted != "file")):
                    yield path

    def _listed_beside(self, site: Site) -> frozenset[str]:
        """Return the paths that the list of the entry at ``site`` has already."""
        place = site.path, site.field.parent
        if place not in self._listed:
            if site.path not in self._with_missing:
                self._with_missing[site.path] = None
                with suppress(DiagnosticError):
                    self._with_missing[site.path] = decode_yaml11(self.fs.read(site.path), site.path)
            entries = value_at(self._with_missing[site.path], site.field.parent.segments)
            folder = posixpath.dirname(site.path)
            texts = [each for each in entries if isinstance(each, str)] if isinstance(entries, list) else []
            self._listed[place] = frozenset(join_path(folder, each) for each in texts)
        return self._listed[place]

    def _names_in(self, folder: str) -> tuple[str, ...]:
        activity = "listing folders of missing files"
        if folder not in self._names:
            self._names[folder] = self.fs.list(folder)
            spend(_STEPS_PER_LISTING + len(self._names[folder]), activity)
        spend(1 + len(self._names[folder]), activity)
        return self._names[folder]

    def _read_once(self, known: dict[str, T], path: str, read: Callable[[bytes, Site], T]) -> T:
        if path not in known:
            content = self.fs.read(path)
            known[path] = read(content, Site(path))
            self._warnings[path] = unread_text(content, path)
        return known[path]

    def _objects_of(self, content: bytes, site: Site) -> ResourceFile:
        spend(len(content) // BYTES_PER_STEP, "reading resources")
        return ResourceFile(site, ResourceSet(read_resources(content, site)))

    def warnings(self, path: str) -> tuple[Diagnostic, ...]:
        """Return the warnings about a file that has been read."""
        return self._warnings[path]


@contextmanager
def _reported_at(site: Site) -> Iterator[None]:
    """Report errors of the file system at the field that names the path."""
    try:
        yield
    except DiagnosticError as error:
        findings = (
            finding if finding.sites else finding._replace(sites=(site,), location=None)
            for finding in error.diagnostics
        )
        raise DiagnosticError(*findings) from None
