"""The artifacts that an ArtifactGenerator composes of files of this repository.

fluxcd/source-watcher ``internal/builder/builder.go``, ``merge.go`` and
``internal/controller/artifactgenerator_pathpattern.go``.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, takewhile
from typing import Any, NamedTuple, TypeAlias

from renderer.files.file_system import DelegatingFileSystem, FileSystem, folder_of, is_inside
from renderer.gitops.flux.artifact import SourceIgnore
from renderer.gitops.flux.generated_artifact import DESTINATION
from renderer.golang.glob import alternatives, doublestar_match, file_path_match, path_glob
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome, Related
from renderer.model.entry_point import ComposedArtifact
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, array_at, object_at, text_at
from renderer.model.kube.location import Location, Site
from renderer.model.kube.res_id import Reference
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.run.work import spend
from renderer.yamlio.decode import decode_documents
from renderer.yamlio.encode import encode

_ROOT = "@artifact"
_GLOB = frozenset("*?[]")
_CAPTURE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_ACTIVITY = "composing artifacts"
#: The steps of one file that a copy selects, of comparing its path with a pattern of ``exclude``, more for
#: each character that may be compiled anew, and of each character of two files that are merged.
_STEPS_PER_FILE, _STEPS_PER_PATTERN, _STEPS_PER_CHARACTER, _STEPS_PER_MERGED = 8, 20, 2, 2
_OF_ARTIFACTS = "Kustomization(s) of generated artifacts"

#: Returns the files of a source that is this repository, given a folder of it; None for any other source.
SourceFiles: TypeAlias = Callable[[Reference, str], FileSystem | None]


class NotComposedError(Exception):
    """An artifact that needs more than this repository; the text is what notes call its Kustomizations."""


class ArtifactRequest(NamedTuple):
    """An artifact of ``generator``, once the captures of ``pathPattern`` are filled in.

    ``copies`` are its copy operations, and ``place`` the field that has it.
    """

    generator: Resource
    place: FieldPath
    copies: tuple[JsonObject, ...]

    @property
    def sources(self) -> Iterator[Reference]:
        """The sources of the generator."""
        for each in array_at(self.generator.content, "spec", "sources"):
            namespace = text_at(each, "namespace") or self.generator.namespace
            yield text_at(each, "kind"), namespace, text_at(each, "name")

    def error(self, index: int, message: str) -> DiagnosticError:
        """Return the error about a copy operation, which Flux refuses, too."""
        field = self.place.child("copy", index)
        text = f"the ArtifactGenerator {self.generator.name} cannot make the artifact: {message}"
        return Diagnostic.about(self.generator, field, Code.FLUX_KUSTOMIZATION, text).error()


def requested_artifact(
    generators: Iterable[Resource], namespace: str, name: str, files: SourceFiles
) -> ArtifactRequest | None:
    """Return the artifact with a name; None if no generator makes it."""
    for generator in generators:
        if generator.namespace != namespace:
            continue
        for captures in _captures(generator, files):
            for index, artifact in enumerate(array_at(generator.content, "spec", "artifacts")):
                if _filled(text_at(artifact, "name"), captures).lower() == name:
                    copies = tuple(map(object_at, array_at(artifact, "copy")))
                    filled = (_filled_copy(each, captures) for each in copies)
                    return ArtifactRequest(generator, FieldPath.of("spec", "artifacts", index), tuple(filled))
    return None


def compose_artifact(request: ArtifactRequest, name: str, files: SourceFiles) -> ComposedArtifact:
    """Return the files of an artifact. Raises ``NotComposedError``, and ``DiagnosticError`` as Flux fails."""
    staging = _Staging()
    for index, copy in enumerate(request.copies):
        try:
            _Copy.of(request.generator, copy, files).apply(staging)
        except _CopyError as error:
            raise request.error(index, str(error)) from None
    ignored = SourceIgnore()
    kept = {path: file for path, file in staging.files.items() if not ignored.ignores(path)}
    merged = {path: content for path, content in staging.merged.items() if path in kept}
    return ComposedArtifact(f"{_ROOT}/{request.generator.namespace}/{name}", kept, merged)


class ComposedFileSystem(DelegatingFileSystem):
    """The files of a composed artifact, below its folder; ``resolve`` returns the files in the repository."""

    def __init__(self, below: FileSystem, artifact: ComposedArtifact) -> None:
        super().__init__(below)
        self._artifact = artifact
        self._sources = frozenset(artifact.files.values())
        self._names: dict[str, set[str]] = {}
        for path in artifact.files:
            place = f"{artifact.folder}/{path}"
            while place not in (artifact.folder, ""):
                place, name = posixpath.split(place)
                self._names.setdefault(place, set()).add(name)

    def read(self, path: str) -> bytes:
        inner = self._inner(path)
        if inner in self._artifact.merged:
            return self._artifact.merged[inner]
        source = self._artifact.files.get(inner, path)
        if source not in self._sources:
            raise Diagnostic.in_file(path, Code.FILE_NOT_FOUND, f"no such file: {path}").error()
        return self._below.read(source)

    def is_file(self, path: str) -> bool:
        return self._inner(path) in self._artifact.files

    def is_folder(self, path: str) -> bool:
        path = posixpath.normpath(path)
        return path in self._names or path == self._artifact.folder

    def list(self, path: str) -> tuple[str, ...]:
        return tuple(sorted(self._names.get(posixpath.normpath(path), ())))

    def resolve(self, path: str) -> str:
        inner = self._inner(path)
        is_copy = inner in self._artifact.files and inner not in self._artifact.merged
        return self._artifact.files[inner] if is_copy else posixpath.normpath(path)

    def _inner(self, path: str) -> str:
        """Return the path in the artifact; empty for a path outside."""
        path = posixpath.normpath(path)
        folder = self._artifact.folder
        return path[len(folder) + 1 :] if is_inside(path, folder) else ""


def in_repository(outcome: Outcome[ResourceSet], artifact: ComposedArtifact) -> Outcome[ResourceSet]:
    """Return the outcome of a build of the artifact; with the places of the files in the repository."""

    def site(written: Site) -> Site:
        source = artifact.source(written.path)
        return written if source == written.path else written._replace(path=source)

    def location(written: Location | None) -> Location | None:
        return written and written._replace(path=artifact.source(written.path))

    def related(written: Related) -> Related:
        return Related(written.message, tuple(map(site, written.sites)), location(written.location))

    def finding(written: Diagnostic) -> Diagnostic:
        return written._replace(
            sites=tuple(map(site, written.sites)),
            location=location(written.location),
            related=tuple(map(related, written.related)),
            fix=written.fix and written.fix._replace(roots=tuple(map(site, written.fix.roots))),
        )

    resources = outcome.value.map(
        lambda each: each._replace(origin=site(each.origin), layers=tuple(map(site, each.layers)))
    )
    return Outcome(resources, tuple(map(finding, outcome.diagnostics)))


class _CopyError(Exception):
    """A copy operation that source-watcher refuses."""


class _Staging:
    """The files of an artifact while its copy operations are applied, one after the other."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        self.merged: dict[str, bytes] = {}
        self._folders: set[str] = {"."}

    def is_folder(self, path: str) -> bool:
        return path in self._folders

    def add(self, path: str, source: str) -> None:
        """Copy the file ``source``; raises ``_CopyError`` for a path outside, or of a folder."""
        spend(_STEPS_PER_FILE, _ACTIVITY)
        if path == ".." or path.startswith(("../", "/")):
            raise _CopyError(f"{path} is outside of the artifact")
        above = folder_of(path)
        if path in self._folders or above in self.files:
            raise _CopyError(f"{path} is a file and a folder")
        self.files[path] = source
        self.merged.pop(path, None)
        while above not in self._folders:
            self._folders.add(above)
            above = folder_of(above)

    def merge(self, path: str, source: str, fs: FileSystem) -> None:
        """Merge the YAML file ``source`` over the one at ``path``; lists are replaced."""
        known, added = self.merged.get(path) or fs.read(self.files[path]), fs.read(source)
        spend(_STEPS_PER_MERGED * (len(known) + len(added)), _ACTIVITY)
        base = _documents_as_one(known, path)
        self.merged[path] = encode([_merged(base, _documents_as_one(added, source))]).encode()
        self.files[path] = source


class _Copy(NamedTuple):
    fs: FileSystem
    pattern: str
    target: str
    into_folder: bool
    exclude: tuple[str, ...]
    steps_of_excluding: int
    strategy: str

    @classmethod
    def of(cls, generator: Resource, copy: JsonObject, files: SourceFiles) -> _Copy:
        """Read a copy operation. Raises ``NotComposedError`` and ``_CopyError``."""
        alias, slash, pattern = text_at(copy, "from").removeprefix("@").partition("/")
        to = text_at(copy, "to")
        if not slash or not to.startswith(DESTINATION):
            raise _CopyError("from begins with @ALIAS/, and to with @artifact/")
        fs = _source_files(generator, alias, pattern, files)
        if fs is None:
            raise NotComposedError(f"{_OF_ARTIFACTS} with sources that are not this repository")
        strategy = text_at(copy, "strategy") or "Overwrite"
        if strategy == "Extract":
            raise NotComposedError(f"{_OF_ARTIFACTS} that extract archives")
        exclude = tuple(each for each in array_at(copy, "exclude") if isinstance(each, str))
        choices = tuple(map(alternatives, exclude))
        if not all(choices):
            raise NotComposedError(f"{_OF_ARTIFACTS} with patterns of too many alternatives")
        characters = sum(map(len, chain.from_iterable(choices)))
        steps = _STEPS_PER_PATTERN * len(exclude) + _STEPS_PER_CHARACTER * characters
        spend(steps, _ACTIVITY)
        target = posixpath.normpath(to.removeprefix(DESTINATION) or ".")
        return cls(fs, pattern, target, to.endswith("/"), exclude, steps, strategy)

    def apply(self, staging: _Staging) -> None:
        """Copy what the operation selects. Raises ``_CopyError``."""
        if not _GLOB & set(self.pattern):
            self._copy_one(posixpath.normpath(self.pattern), staging)
            return
        matches = list(self._matches())
        if not matches:
            raise _CopyError(f"no files match the pattern {self.pattern}")
        base = _literal_folder(self.pattern)
        kept = [each for each in matches if not self._excludes(each, base)]
        if not kept:
            raise _CopyError(f"all files that match {self.pattern} are excluded")
        folder = self.pattern.removesuffix("/**") if self.pattern.endswith("/**") else ""
        for match in kept:
            below = match[len(folder) + 1 :] if folder and match.startswith(f"{folder}/") else match
            self._copy(match, posixpath.join(self.target, below), base, staging)

    def _copy_one(self, path: str, staging: _Staging) -> None:
        if self.fs.is_folder(path):
            name = posixpath.basename(path)
            self._copy(path, posixpath.join(self.target, name if name != "." else ""), path, staging)
        elif not self.fs.is_file(path):
            raise _CopyError(f"{path} does not exist")
        elif not self._excludes(path, "."):
            is_folder = self.into_folder or staging.is_folder(self.target)
            target = posixpath.join(self.target, posixpath.basename(path)) if is_folder else self.target
            self._copy(path, target, ".", staging)

    def _copy(self, path: str, target: str, base: str, staging: _Staging) -> None:
        target = posixpath.normpath(target)
        if not self.fs.is_folder(path):
            if self.strategy == "Merge" and target in staging.files:
                staging.merge(target, path, self.fs)
            else:
                staging.add(target, path)
            return
        for name in self.fs.list(path):
            inner = posixpath.normpath(posixpath.join(path, name))
            if self._excludes(inner, base):
                continue
            if self.fs.is_folder(inner):
                self._copy(inner, posixpath.join(target, name), base, staging)
            else:
                staging.add(posixpath.normpath(posixpath.join(target, name)), inner)

    def _matches(self) -> Iterator[str]:
        """Yield what ``fs.Glob`` of Go finds: ``**`` is a star, which stays in one folder."""
        found = ["."]
        for part in self.pattern.split("/"):
            if path_glob(part) is None:
                raise _CopyError(f"the pattern {self.pattern} is malformed")
            places = [(folder, name) for folder in found for name in self.fs.list(folder)]
            spend(_STEPS_PER_FILE * len(places), _ACTIVITY)
            found = [
                posixpath.normpath(posixpath.join(folder, name))
                for folder, name in places
                if file_path_match(part, name)
            ]
        yield from found

    def _excludes(self, path: str, base: str) -> bool:
        spend(self.steps_of_excluding, _ACTIVITY)
        relative = path[len(base) + 1 :] if base != "." and path.startswith(f"{base}/") else path
        name = posixpath.basename(path)
        return any(
            doublestar_match(pattern, path)
            or doublestar_match(pattern, relative)
            or ("/" not in pattern and doublestar_match(pattern, name))
            for pattern in self.exclude
        )


def _literal_folder(pattern: str) -> str:
    """Return the folder of a path or pattern, up to the first name with a star, bracket or capture."""
    folders = takewhile(lambda part: not (_GLOB | {"{"}) & set(part), pattern.split("/")[:-1])
    return posixpath.normpath("/".join(folders) or ".")


def _source_files(generator: Resource, alias: str, pattern: str, files: SourceFiles) -> FileSystem | None:
    for source in array_at(generator.content, "spec", "sources"):
        if text_at(source, "alias") == alias:
            namespace = text_at(source, "namespace") or generator.namespace
            key = text_at(source, "kind"), namespace, text_at(source, "name")
            return files(key, _literal_folder(pattern))
    raise _CopyError(f"there is no source with the alias {alias}")


def _captures(generator: Resource, files: SourceFiles) -> Iterator[Mapping[str, str]]:
    """Yield the values of captures for each folder that ``pathPattern`` matches; without one, none, once."""
    pattern = text_at(generator.content, "spec", "pathPattern")
    if not pattern:
        yield {}
        return
    alias, _, path = pattern.removeprefix("@").partition("/")
    try:
        fs = _source_files(generator, alias, path, files)
    except _CopyError:
        return
    found: list[tuple[str, dict[str, str]]] = [(".", {})] if fs else []
    for part in path.split("/"):
        before, *rest = _CAPTURE.split(part, maxsplit=1)
        name, after = rest or ("", "")
        deeper: list[tuple[str, dict[str, str]]] = []
        for folder, values in found:
            for each in fs.list(folder) if fs else ():
                spend(_STEPS_PER_FILE, _ACTIVITY)
                place = posixpath.normpath(posixpath.join(folder, each))
                value = each.removeprefix(before).removesuffix(after) if name else ""
                is_match = each == (f"{before}{value}{after}" if name else part)
                if is_match and bool(value) == bool(name) and fs and fs.is_folder(place):
                    deeper.append((place, {**values, name: value} if name else values))
        found = deeper
    yield from (values for _, values in found)


def _filled(text: str, captures: Mapping[str, str]) -> str:
    return _CAPTURE.sub(lambda match: captures.get(match[1], match[0]), text) if captures else text


def _filled_copy(copy: JsonObject, captures: Mapping[str, str]) -> JsonObject:
    paths = {field: _filled(text_at(copy, field), captures) for field in ("from", "to") if field in copy}
    return {**copy, **paths}


def _documents_as_one(content: bytes, path: str) -> JsonObject:
    """Return the documents of a file merged in order. Raises ``_CopyError``."""
    merged: JsonObject = {}
    try:
        documents = decode_documents(content, path)
    except DiagnosticError as error:
        raise _CopyError(f"{path} is not YAML: {error.diagnostics[0].message}") from None
    for document in documents:
        if document is not None and not isinstance(document, dict):
            raise _CopyError(f"{path} is not a mapping, and cannot be merged")
        merged = _merged(merged, document or {})
    return merged


def _merged(base: JsonObject, overlay: JsonObject) -> JsonObject:
    """Return Helm's merge of two mappings: lists and other values are replaced."""
    result: dict[str, Any] = dict(base)
    for key, value in overlay.items():
        known = result.get(key)
        both = isinstance(known, dict) and isinstance(value, dict)
        result[key] = _merged(object_at(known), object_at(value)) if both else value
    return result
