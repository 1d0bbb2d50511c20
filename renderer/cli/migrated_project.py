"""The files of a project that have something deprecated in them, and the builds that each is part of."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from renderer.emit.ownership import OWNERSHIP_FILE
from renderer.migration.migrate_file import Source
from renderer.migration.rules import MENTIONS
from renderer.migration.sources import Found, in_kustomization, in_resource_file
from renderer.model.diagnostic import DiagnosticError
from renderer.model.release import Release
from renderer.model.render_config import Overlay, RenderConfig
from renderer.source.candidates import Candidates
from renderer.source.file_system import FileSystem
from renderer.source.find_kustomization import KUSTOMIZATION_FILES
from renderer.source.overlays import find_overlays
from renderer.source.patch_targets import patched_kinds
from renderer.source.project import PROJECT_FILE
from renderer.source.reach import Reach
from renderer.source.validation_scope import Scoping

#: In every object of KubeVirt's; a JSON 6902 patch of one has it not, and is listed by a kustomization.
_GROUP = b"kubevirt.io"
#: What Helm, Jinja and others fill in; it is often no YAML before.
_TEMPLATE_TAG = re.compile(rb"\{\{|\{%")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file with something to say of it; ``builds`` are the overlays that it is part of."""

    source: Source
    builds: tuple[Overlay, ...]


@dataclass(frozen=True)
class MigratedProject:
    """``kubevirt`` overrules the target releases of the project."""

    fs: FileSystem
    config: RenderConfig
    kubevirt: Release | None

    def sources(self, paths: Iterable[str]) -> Iterator[SourceFile]:
        """The files at ``paths``, and in folders among them, that there is something to say of.

        Raises ``DiagnosticError`` for one that cannot be read, unless another tool fills it in first.
        """
        for file in dict.fromkeys(file for path in paths for file in self._files(path)):
            content = self.fs.read(file)
            if not MENTIONS.search(content) or not (
                self._reach.listing(file) or self._is_ours(file, content)
            ):
                continue
            found = tuple(self._found(file, content))
            if found:
                yield self._source(file, content, found)

    def _is_ours(self, file: str, content: bytes) -> bool:
        """Whether a file that no kustomization lists may hold objects, and is none of a Helm chart's."""
        return _GROUP in content and not any(
            parent.name == "templates" and self.fs.is_file((parent.parent / "Chart.yaml").as_posix())
            for parent in PurePosixPath(file).parents
        )

    def _files(self, path: str) -> Iterator[str]:
        """Links are followed, as nothing is written through them."""
        if self.fs.is_folder(path):
            yield from map(self.fs.resolve, self._candidates.below(path))
        elif not self._candidates.is_rendered(posixpath.dirname(path) or "."):
            yield self.fs.resolve(path)

    def _found(self, file: str, content: bytes) -> Iterator[Found]:
        try:
            if posixpath.basename(file) in KUSTOMIZATION_FILES:
                yield from in_kustomization(content, file)
            elif file != PROJECT_FILE:
                yield from in_resource_file(content, file, self._patched_kinds(file))
        except DiagnosticError:
            if not _TEMPLATE_TAG.search(content):
                raise

    def _patched_kinds(self, file: str) -> str | None:
        links = [(folder, self._reach.links(folder)) for folder in self._reach.listing(file)]
        return patched_kinds(self.fs, file, [(folder, link.file) for folder, link in links if link])

    def _source(self, file: str, content: bytes, found: tuple[Found, ...]) -> SourceFile:
        scope = self._scoping.scope_of([file])
        builds = tuple(build.with_target(self.kubevirt, None) for build in (*scope.overlays, *scope.unlisted))
        releases = {build.kubevirt: build.path for build in reversed(builds)}
        if not releases:
            releases = {self.kubevirt or self.config.kubevirt: "the project"}
        oldest = releases[min(releases)]
        return SourceFile(Source(file, content, found, frozenset(releases), oldest), builds)

    @cached_property
    def _overlays(self) -> tuple[Overlay, ...]:
        return find_overlays(self.fs, self.config)

    @cached_property
    def _candidates(self) -> Candidates:
        return Candidates(self.fs, [overlay.output for overlay in self._overlays], OWNERSHIP_FILE)

    @cached_property
    def _reach(self) -> Reach:
        return Reach(self.fs)

    @cached_property
    def _scoping(self) -> Scoping:
        return Scoping(self._reach, self._candidates, self.config, self._overlays)
