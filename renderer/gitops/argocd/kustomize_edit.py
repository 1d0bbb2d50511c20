"""Kustomize sources: the kustomization after the edits by ``kustomize edit`` and Argo CD.

argo-cd ``util/kustomize/kustomize.go`` Build, kustomize ``kustomize/commands/edit``.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import Any

from renderer.files.file_system import FileSystem
from renderer.gitops.argocd.application import DeployedSource
from renderer.gitops.flux.generator import with_known_names
from renderer.gitops.folder_reader import FolderReader
from renderer.kustomize.reader.find_kustomization import find_kustomization
from renderer.kustomize.reader.kustomization import KNOWN_FIELDS
from renderer.model.kube.field_path import FieldPath, Segment
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, scalar_text, text_at
from renderer.model.kube.location import Site
from renderer.model.kustomization import CompletedKustomization
from renderer.yamlio.decode import decode_yaml11

_AFFIXES = ("namePrefix", "nameSuffix")
_KEEP = "*"
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+)|(\$))")


def complete(folders: FolderReader, source: DeployedSource, folder: str) -> CompletedKustomization:
    """Return ``folder``'s kustomization with ``spec.source.kustomize``. Raises ``DiagnosticError``.

    Without options, the content is the same object for all sources of the folder.
    """
    file, content = folders.once(_kustomization, folder)
    options = object_at(source.content, "kustomize")
    if not options or not isinstance(content, dict):
        return CompletedKustomization(folder, file, object_at(content))
    known = {name.lower() for name in KNOWN_FIELDS}
    if any(key.lower() not in known for key in content):  # the build reports them
        return CompletedKustomization(folder, file, content)
    return _Edit(folders.fs, source, folder, file, dict(with_known_names(content))).completed()


def _kustomization(fs: FileSystem, folder: str) -> tuple[str, Json]:
    file = find_kustomization(fs, folder)
    return file, decode_yaml11(fs.read(file), file)


class _Edit:
    """The edits in Argo CD's order."""

    def __init__(
        self, fs: FileSystem, source: DeployedSource, folder: str, file: str, content: dict[str, Any]
    ) -> None:
        self._fs = fs
        self._source = source
        self._folder = folder
        self._file = file
        self._content = content
        self._options = object_at(source.content, "kustomize")
        self._sites: dict[FieldPath, tuple[Site, ...]] = {}

    def completed(self) -> CompletedKustomization:
        for old, new in (("bases", "resources"), ("imageTags", "images")):  # FixKustomization
            moved = self._content.pop(old, None)
            if isinstance(moved, list):
                self._content[new] = [*(self._content.get(new) or ()), *moved]
        for field in _AFFIXES:
            self._set(field)
        self._set_images()
        self._set_replicas()
        self._add_labels()
        self._add_annotations()
        self._set("namespace")
        for index, patch in enumerate(array_at(self._options, "patches")):
            self._append("patches", patch, "patches", index)
        self._add_components()
        return CompletedKustomization(self._folder, self._file, self._content, self._sites)

    def _set(self, field: str) -> None:
        """Set a field of the kustomization to the option of the same name, if that is given."""
        value = text_at(self._options, field)
        if value:
            self._content[field] = value
            self._sites[FieldPath.of(field)] = self._sites_of(field)

    def _append(self, field: str, value: Json, *written: Segment) -> None:
        entries = [*(self._content.get(field) or ()), value]
        self._content[field] = entries
        self._sites[FieldPath.of(field, len(entries) - 1)] = self._sites_of(*written)

    def _set_images(self) -> None:
        """Apply ``edit set image``: by name, each written as ``name=new:tag@digest``, sorted."""
        written = [each for each in array_at(self._options, "images") if isinstance(each, str)]
        if not written:
            return
        images: dict[str, dict[str, Json]] = {}
        places: dict[str, int] = {}
        for index, text in enumerate(written):
            image = _parsed_image(self._substituted(text))
            if image is None:
                hint = "write name=new-name:tag, name:tag or name@digest"
                raise self._error(f"{text} is not an image to set", "images", index, hint=hint)
            images[str(image["name"])] = image
            places[str(image["name"])] = index
        known = {text_at(each, "name"): object_at(each) for each in array_at(self._content, "images")}
        for name, image in images.items():
            for key in ("newName", "newTag", "digest"):
                if image.get(key) == _KEEP:
                    image[key] = known.get(name, {}).get(key, "")
        entries = {**known, **images}
        self._content["images"] = _by_name(entries)
        for position, name in enumerate(sorted(entries)):
            if name in places:
                self._sites[FieldPath.of("images", position)] = self._sites_of("images", places[name])

    def _set_replicas(self) -> None:
        """Apply ``edit set replicas``: by name, sorted."""
        known = {text_at(each, "name"): object_at(each) for each in array_at(self._content, "replicas")}
        replicas: dict[str, JsonObject] = {}
        for index, each in enumerate(array_at(self._options, "replicas")):
            count = object_at(each).get("count")
            text = scalar_text(count)
            if not re.fullmatch(r"-?[0-9]{1,9}", text):
                raise self._error(f"{text} is not a number of replicas", "replicas", index, "count")
            replicas[text_at(each, "name")] = {"name": text_at(each, "name"), "count": int(text)}
        if replicas:
            self._content["replicas"] = _by_name({**known, **replicas})

    def _add_labels(self) -> None:
        labels = self._pairs("commonLabels", substituted=True)
        if not labels:
            return
        force = self._options.get("forceCommonLabels") is True
        templates = self._options.get("labelIncludeTemplates") is True
        if self._options.get("labelWithoutSelector") is not True:
            if templates:
                hint = "set labelWithoutSelector: true as well"
                raise self._error(
                    "labelIncludeTemplates alone is refused", "labelIncludeTemplates", hint=hint
                )
            if "commonLabels" not in self._content:
                self._sites[FieldPath.of("commonLabels")] = self._sites_of("commonLabels")
            self._content["commonLabels"] = self._with_pairs(
                "commonLabels", labels, "commonLabels", force=force
            )
            return
        self._add_to_labels(labels, templates=templates, force=force)

    def _add_to_labels(self, labels: Mapping[str, str], *, templates: bool, force: bool) -> None:
        """Add to the first entry of ``labels`` with the same settings, or a new one (``writeToLabels``)."""
        entries = list(array_at(self._content, "labels"))
        place = next(
            (
                index
                for index, each in enumerate(map(object_at, entries))
                if each.get("includeSelectors") is not True
                and (each.get("includeTemplates") is True) is templates
            ),
            None,
        )
        if place is None:
            entry: dict[str, Json] = {"pairs": dict(labels)}
            self._content["labels"] = [*entries, {**entry, "includeTemplates": True} if templates else entry]
            return
        entry = dict(object_at(entries[place]))
        pairs = object_at(entry, "pairs")
        self._check_new("commonLabels", pairs, labels, force=force)
        entries[place] = {**entry, "pairs": {**pairs, **labels}}
        self._content["labels"] = entries

    def _add_annotations(self) -> None:
        substituted = self._options.get("commonAnnotationsEnvsubst") is True
        annotations = self._pairs("commonAnnotations", substituted=substituted)
        if annotations:
            force = self._options.get("forceCommonAnnotations") is True
            field = "commonAnnotations"
            self._content[field] = self._with_pairs(field, annotations, field, force=force)

    def _with_pairs(self, field: str, pairs: Mapping[str, str], option: str, *, force: bool) -> JsonObject:
        known = object_at(self._content, field)
        self._check_new(option, known, pairs, force=force)
        for key in pairs:
            self._sites[FieldPath.of(field, key)] = self._sites_of(option, key)
        return {**known, **pairs}

    def _check_new(self, option: str, known: JsonObject, pairs: Mapping[str, str], *, force: bool) -> None:
        """Raise ``DiagnosticError`` for a label or annotation that the file already has."""
        for key in pairs if not force else ():
            if key in known:
                hint = f"set force{option[0].upper()}{option[1:]}: true, or remove it from one of the two"
                raise self._error(f"{key} is in {self._file} already", option, key, hint=hint)

    def _add_components(self) -> None:
        """Apply ``edit add component``: add the components that the file does not list yet."""
        optional = self._options.get("ignoreMissingComponents") is True
        for index, component in enumerate(array_at(self._options, "components")):
            if not isinstance(component, str):
                continue
            place = posixpath.normpath(posixpath.join(self._folder, component))
            exists = not place.startswith("..") and self._fs.is_folder(place)
            if (optional and not exists) or component in array_at(self._content, "components"):
                continue
            self._append("components", component, "components", index)

    def _pairs(self, option: str, *, substituted: bool) -> dict[str, str]:
        written = object_at(self._options, option)
        texts = {key: scalar_text(value) for key, value in written.items()}
        if substituted:
            texts = {key: self._substituted(text) for key, text in texts.items()}
        return {key: _unquoted(text) for key, text in texts.items()}

    def _substituted(self, text: str) -> str:
        """Replace variables of the build environment in ``text`` (``newEnv``); unknown ones become empty."""
        application = self._source.application
        values = {
            "ARGOCD_APP_NAME": application.name,
            "ARGOCD_APP_NAMESPACE": text_at(application.content, "spec", "destination", "namespace"),
            "ARGOCD_APP_PROJECT_NAME": text_at(application.content, "spec", "project"),
            "ARGOCD_APP_SOURCE_REPO_URL": self._source.url,
            "ARGOCD_APP_SOURCE_PATH": self._source.path,
            "ARGOCD_APP_SOURCE_TARGET_REVISION": self._source.revision,
        }

        def value(match: re.Match[str]) -> str:
            name = match[1] or match[2]
            if name and name.startswith("ARGOCD_APP_REVISION"):
                hint = "the commit is not known before it is made; use targetRevision, or drop the variable"
                raise self._error(f"${name} has no value in Git", hint=hint)
            return "$" if match[3] else values.get(name or "", "")

        return _VARIABLE.sub(value, text)

    def _sites_of(self, *written: Segment) -> tuple[Site, ...]:
        return self._source.sites("kustomize", *written)

    def _error(self, message: str, *written: Segment, hint: str | None = None) -> Exception:
        return self._source.error(message, "kustomize", *written, hint=hint)


def _parsed_image(text: str) -> dict[str, Json] | None:
    """Return an image as ``edit set image`` reads it; None if it is invalid (``setimage.go`` parse)."""
    key, equals, value = text.partition("=")
    name, tag, digest = split_image(value if equals else text)
    if name == text:
        return None
    named = {"name": key, "newName": name} if equals and key else {"name": name}
    parts: dict[str, Json] = {**named, "newTag": tag, "digest": digest}
    return {field: each for field, each in parts.items() if each}


def split_image(text: str) -> tuple[str, str, str]:
    """Split an image into name, tag and digest (kustomize ``api/internal/image/image.go``)."""
    slash = max(text.find("/"), 0)
    rest, _, digest = text[slash:].partition("@")
    before, colon, tag = rest.partition(":")
    return text[:slash] + before, tag if colon else "", digest


def _by_name(entries: Mapping[str, JsonObject]) -> list[JsonObject]:
    return [entries[name] for name in sorted(entries)]


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text
