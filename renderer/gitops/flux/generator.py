"""The kustomization that kustomize-controller builds: from a file or generated, with the spec merged into it.

``fluxcd/pkg`` ``kustomize/kustomize_generator.go``: findOrGenerateKustomization, scanManifests,
GenerateManifest.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from renderer.files.file_system import FileSystem
from renderer.gitops.flux.kustomization import deployed_folder
from renderer.gitops.folder_reader import FolderReader
from renderer.kustomize.reader.kustomization import KNOWN_FIELDS
from renderer.kustomize.reader.resources import read_resources
from renderer.kustomize.reader.source_files import BYTES_PER_STEP
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.engines import FLUX_MANIFESTS
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import KUSTOMIZATION_FILES, KUSTOMIZATION_HEAD, CompletedKustomization
from renderer.model.run.work import spend
from renderer.yamlio.decode import decode_yaml11

#: Fields of the spec that replace fields of the file.
_REPLACING_FIELDS = {"targetNamespace": "namespace", "namePrefix": "namePrefix", "nameSuffix": "nameSuffix"}
_SELECTOR = ("group", "version", "kind", "name", "namespace", "labelSelector", "annotationSelector")


def source_folder(fs: FileSystem, entry: Resource) -> str:
    """Return the folder that ``spec.path`` names.

    Raises ``DiagnosticError``: flux-kustomization if there is no such folder.
    """
    folder = deployed_folder(entry)
    if not fs.is_folder(folder):
        hint = "spec.path counts from the top of the repository that sourceRef names"
        written = text_at(entry.content, "spec", "path")
        message = f"spec.path of {entry.current_id} is {written}, and there is no such folder"
        field = FieldPath.of("spec", "path")
        raise Diagnostic.about(entry, field, Code.FLUX_KUSTOMIZATION, message, hint).error()
    return folder


def complete(folders: FolderReader, entry: Resource) -> CompletedKustomization:
    """Return the kustomization of the Flux Kustomization ``entry``. Raises ``DiagnosticError``."""
    folder = source_folder(folders.fs, entry)
    found = find_or_generate(folders, folder, entry.origin.below("spec", "path"))
    spec = object_at(entry.content, "spec")
    content: dict[str, Any] = {**KUSTOMIZATION_HEAD, **found.content}
    merge = _Merge(content, dict(found.sites), entry)
    if not found.generated and not content.get("resources"):  # it builds to nothing, and is not an error
        content["buildMetadata"] = ["originAnnotations"]
    for name, field in _REPLACING_FIELDS.items():
        if isinstance(spec.get(name), str):
            merge.replace(field, spec[name], name)
    for index, patch in enumerate(array_at(spec, "patches")):
        merge.append("patches", _patch(patch), "patches", index)
    _add_components(folders.fs, folder, merge)
    _add_deprecated_patches(merge)
    _merge_images(merge, map(object_at, array_at(spec, "images")))
    if array_at(spec, "buildMetadata"):
        merge.replace("buildMetadata", spec["buildMetadata"], "buildMetadata")
    return found._replace(content=content, sites=merge.sites)


class _Kustomization(NamedTuple):
    """The kustomization of a folder, whatever names the folder."""

    file: str
    content: JsonObject
    generated: bool


def find_or_generate(folders: FolderReader, folder: str, listed_at: Site) -> CompletedKustomization:
    """Return the kustomization of ``folder``, or one that lists its manifests. Raises ``DiagnosticError``.

    ``listed_at`` is the place that names the folder; findings about a generated kustomization point at it.
    """
    found = folders.once(_kustomization, folder)
    if not found.generated:
        return CompletedKustomization(folder, found.file, found.content, lenient=True)
    count = len(array_at(found.content, "resources"))
    sites = {FieldPath.of("resources", index): (listed_at,) for index in range(count)}
    sites[FieldPath()] = (listed_at,)
    return CompletedKustomization(folder, found.file, found.content, sites, generated=True)


def _kustomization(fs: FileSystem, folder: str) -> _Kustomization:
    for name in KUSTOMIZATION_FILES:
        path = posixpath.normpath(posixpath.join(folder, name))
        if fs.is_file(path):
            content = with_known_names(decode_yaml11(fs.read(path), path))
            return _Kustomization(path, content, generated=False)
    path = posixpath.normpath(posixpath.join(folder, KUSTOMIZATION_FILES[0]))
    resources = [f"./{name}" for name in scan_manifests(fs, folder)]
    generated: JsonObject = {"resources": resources} if resources else {"namespace": "_placeholder"}
    return _Kustomization(path, generated, generated=True)


def scan_manifests(fs: FileSystem, folder: str, below: str = "") -> Iterator[str]:
    """Return the entries of a generated kustomization: paths relative to ``folder``, in the order of a walk.

    Raises ``DiagnosticError`` for a YAML file that is not a manifest, which fails the whole Kustomization.
    """
    for name in fs.list(posixpath.join(folder, below)):
        relative = posixpath.join(below, name)
        path = posixpath.normpath(posixpath.join(folder, relative))
        if fs.is_folder(path):
            if any(fs.is_file(posixpath.join(path, file)) for file in KUSTOMIZATION_FILES):
                yield relative
            else:
                yield from scan_manifests(fs, folder, relative)
        elif name.endswith(FLUX_MANIFESTS) and fs.is_file(path):
            content = fs.read(path)
            spend(len(content) // BYTES_PER_STEP, "reading resources")
            read_resources(content, Site(path))
            yield relative


def with_known_names(content: Json) -> JsonObject:
    """Return the fields of a kustomization file under their canonical names; unknown ones are dropped."""
    spelled = {name.lower(): name for name in KNOWN_FIELDS}
    fields = object_at(content)
    exact = {key: value for key, value in fields.items() if key in KNOWN_FIELDS}
    others = {spelled[key.lower()]: value for key, value in fields.items() if key.lower() in spelled}
    return {**others, **exact}


def _add_deprecated_patches(merge: _Merge) -> None:
    """Add the two lists of patches that exist in API versions before ``v1``."""
    spec = object_at(merge.entry.content, "spec")
    for index, patch in enumerate(array_at(spec, "patchesStrategicMerge")):
        merge.append("patchesStrategicMerge", _json_text(patch), "patchesStrategicMerge", index)
    for index, patch in enumerate(array_at(spec, "patchesJson6902")):
        operations = _json_text(object_at(patch).get("patch"))
        merge.append("patchesJson6902", _patch(patch, operations), "patchesJson6902", index)


class _Merge:
    """Merges fields of ``entry.spec`` into ``content``, and records where each is written."""

    def __init__(
        self, content: dict[str, Any], sites: dict[FieldPath, tuple[Site, ...]], entry: Resource
    ) -> None:
        self.content = content
        self.sites = sites
        self.entry = entry

    def replace(self, field: str, value: Json, written: str) -> None:
        self.content[field] = value
        self.sites[FieldPath.of(field)] = self._sites(written)

    def append(self, field: str, value: Json, *written: str | int) -> None:
        entries = [*(self.content.get(field) or ()), value]
        self.content[field] = entries
        self.sites[FieldPath.of(field, len(entries) - 1)] = self._sites(*written)

    def change(self, field: str, index: int, value: Json, *written: str | int) -> None:
        entries = list(self.content[field])
        entries[index] = value
        self.content[field] = entries
        self.sites[FieldPath.of(field, index)] = self._sites(*written)

    def _sites(self, *written: str | int) -> tuple[Site, ...]:
        return self.entry.sites(FieldPath.of("spec", *written))


def _patch(written: Json, text: str | None = None) -> JsonObject:
    """Return an entry of ``patches`` with only the fields that Flux knows (``adaptSelector``)."""
    patch = object_at(written)
    entry: dict[str, Json] = {"patch": text_at(patch, "patch") if text is None else text}
    if isinstance(patch.get("target"), dict):
        target = object_at(patch, "target")
        entry["target"] = {name: target[name] for name in _SELECTOR if target.get(name) is not None}
    return entry


def _add_components(fs: FileSystem, folder: str, merge: _Merge) -> None:
    """Add the components. Raises ``DiagnosticError`` for one that is not a local, relative path."""
    spec = object_at(merge.entry.content, "spec")
    for index, component in enumerate(array_at(spec, "components")):
        path = component if isinstance(component, str) else ""
        if not path or path.startswith("/") or ":" in path:
            message = f"the component {path} is not a relative path"
            hint = "write a path that begins at spec.path, such as ../components/backup"
            field = FieldPath.of("spec", "components", index)
            raise Diagnostic.about(merge.entry, field, Code.FLUX_KUSTOMIZATION, message, hint).error()
        place = posixpath.normpath(posixpath.join(folder, path))
        exists = not place.startswith("..") and (fs.is_folder(place) or fs.is_file(place))
        if spec.get("ignoreMissingComponents") is True and not exists:
            continue
        merge.append("components", path, "components", index)


def _merge_images(merge: _Merge, images: Iterable[JsonObject]) -> None:
    """Set new values on the file's image of the same name; tag and digest count as one value."""
    places: dict[str, int] = {}
    for place, written in enumerate(array_at(merge.content, "images")):
        places.setdefault(text_at(written, "name"), place)
    for index, image in enumerate(images):
        new = {key: image[key] for key in ("name", "newName", "newTag", "digest") if image.get(key)}
        place = places.setdefault(text_at(image, "name"), len(array_at(merge.content, "images")))
        if place == len(array_at(merge.content, "images")):
            merge.append("images", new, "images", index)
            continue
        known = object_at(merge.content["images"][place])
        base = without_tag(known) if "newTag" in new or "digest" in new else known
        merge.change("images", place, {**base, **new}, "images", index)


def without_tag(image: JsonObject) -> JsonObject:
    """Return an entry of ``images`` without its tag and digest."""
    return {key: value for key, value in image.items() if key not in ("newTag", "digest")}


def _json_text(value: Json) -> str:
    import json  # noqa: PLC0415 - only Kustomizations of deprecated API versions need it

    return json.dumps(value)
