"""The Flux Kustomization of an overlay, and the objects that its variables may come from."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Iterator

from renderer.files.file_system import FileSystem, folder_of
from renderer.kustomize.reader.find_kustomization import LoadRestrictor
from renderer.kustomize.reader.resources import read_resources
from renderer.kustomize.reader.source_files import SourceFiles
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Related
from renderer.model.engines import FLUX_KUSTOMIZE_GROUP, MANIFESTS
from renderer.model.kube.field_path import ElementName, FieldPath
from renderer.model.kube.json import text_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import KUSTOMIZATION_FILES
from renderer.model.render_config import PROJECT_FILE, FluxSubstitution, Overlay

_KIND = "Kustomization"


class FluxSources:
    """The Flux Kustomization of one overlay, and the objects that its variables may come from.

    ``compose`` composes a folder that is named at a site.
    """

    def __init__(
        self, fs: FileSystem, overlay: Overlay, compose: Callable[[str, Site], tuple[Resource, ...]]
    ) -> None:
        self._files = SourceFiles(fs, LoadRestrictor.ROOT_ONLY)
        self._overlay = overlay
        self._compose = compose
        entry = FieldPath.of("overlays", ElementName("path", overlay.listed_as), "flux")
        self._site = Site(PROJECT_FILE, 0, entry)

    def kustomization(self, flux: FluxSubstitution) -> Resource:
        """Return the Kustomization in the file whose ``path`` is the overlay. Raises ``DiagnosticError``."""
        site = self._site.below("kustomization")
        file = self._files.file(flux.kustomization, ".", site)
        found = [
            each for each in self._read(file) if each.kind == _KIND and each.gvk.group == FLUX_KUSTOMIZE_GROUP
        ]
        fitting = [each for each in found if self._is_of_overlay(text_at(each.content, "spec", "path"))]
        if len(fitting) == 1:
            return fitting[0]
        if not found:
            message = f"there is no {_KIND} of {FLUX_KUSTOMIZE_GROUP} in {file}"
            raise Diagnostic.at(site, Code.FLUX_KUSTOMIZATION, message).error()
        message = f"{len(fitting) or 'no'} Kustomization in {file} has the path {self._overlay.path}"
        hint = f"set path: ./{self._overlay.path} in the spec of the Kustomization for this overlay"
        related = tuple(
            Related(
                f"{each.current_id} has the path {text_at(each.content, 'spec', 'path') or '(none)'}",
                each.sites(FieldPath.of("spec", "path")),
            )
            for each in fitting or found
        )
        raise Diagnostic.at(site, Code.FLUX_KUSTOMIZATION, message, hint, related=related).error()

    def candidates(self, flux: FluxSubstitution, names: Collection[str]) -> Iterator[Resource]:
        """Yield objects that may have one of the ``names``: listed ones, or ones next to the Kustomization.

        Raises ``DiagnosticError`` for a listed file that is missing or cannot be read.
        """
        if not flux.resources:
            yield from self._read_folder(folder_of(flux.kustomization), names)
        for index, path in enumerate(flux.resources):
            yield from self._read_listed(path, names, self._site.below("resources", index))

    def _read_listed(self, path: str, names: Collection[str], site: Site) -> Iterator[Resource]:
        if self._files.is_file(path, ".", site):
            yield from self._read(self._files.file(path, ".", site))
            return
        folder = self._files.folder(path, ".", site)
        if any(self._files.is_file(name, folder, site) for name in KUSTOMIZATION_FILES):
            yield from self._compose(folder, site)
        else:
            yield from self._read_folder(folder, names)

    def _read_folder(self, folder: str, names: Collection[str]) -> Iterator[Resource]:
        """Yield objects in files of the folder that mention a name; other files may not be manifests."""
        wanted = [name.encode() for name in names]
        fs = self._files.fs
        for name in fs.list(folder):
            path = posixpath.normpath(posixpath.join(folder, name))
            if not name.endswith(MANIFESTS) or name in KUSTOMIZATION_FILES or not fs.is_file(path):
                continue
            content = fs.read(path)
            if any(each in content for each in wanted):
                yield from read_resources(content, Site(path))

    def _read(self, file: str) -> tuple[Resource, ...]:
        return read_resources(self._files.fs.read(file), Site(file))

    def _is_of_overlay(self, path: str) -> bool:
        """Return True if ``path`` of a Flux Kustomization is the overlay.

        Flux's paths start at the top of the Git repository, which may be above the project.
        """
        normal = posixpath.normpath(path.lstrip("/") or ".")
        return normal == self._overlay.path or normal.endswith(f"/{self._overlay.path}")
