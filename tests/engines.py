"""Flux and Argo CD at work on a repository: which object of theirs applies which objects to the cluster.

A model of its own, to compare what is applied from the sources with what is applied from rendered trees. It
shares with the program how kustomize and directories are built and how variables are put in, which other
tests compare with the engines; which objects are applied, and by whom, it decides by itself.
"""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from renderer.files.file_system import FileSystem, normal_path
from renderer.gitops.argocd.application import is_application, is_application_set, sources
from renderer.gitops.flux.artifact import ArtifactFileSystem
from renderer.gitops.substitution.post_build import Variables
from renderer.gitops.substitution.substitute import substitute
from renderer.model.diagnostic import DiagnosticError
from renderer.model.entry_point import Strictness
from renderer.model.kube.cluster_wide import with_default_namespace
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.pipeline.argocd_build import ApplicationBuilder
from renderer.pipeline.flux_build import ArtifactBuilds

FLUX = "kustomize.toolkit.fluxcd.io"
#: API group, kind, namespace and name.
Key: TypeAlias = tuple[str, str, str, str]
#: The object of an engine that applies an object, and the object's key.
Applied: TypeAlias = dict[tuple[Key, Key], JsonObject]

_CIPHERTEXT = re.compile(r"ENC\[AES256_GCM,.*\]")
#: A variable in the clear text of every encrypted value that may have one.
VARIABLE_INSIDE = "${site}"


def key_of(content: JsonObject) -> Key:
    group = text_at(content, "apiVersion").rpartition("/")[0]
    metadata = object_at(content, "metadata")
    # the API server makes a new object of each one without a name
    name = text_at(metadata, "name") or json.dumps(content, sort_keys=True)
    return group, text_at(content, "kind"), text_at(metadata, "namespace"), name


class Flux:
    """A cluster with Flux: ``own_source`` is the key of the source that is this repository."""

    def __init__(self, fs: FileSystem, root: JsonObject, known: Iterable[JsonObject]) -> None:
        self._fs = fs
        self._root = root
        self._known = {key_of(each): each for each in known}
        self.applied: Applied = {}

    def run(self) -> Applied:
        """Apply until nothing changes any more."""
        for _ in range(12):
            before = self.applied
            self.applied = {}
            cluster = {**self._known, **{key: content for (_, key), content in before.items()}}
            kustomizations = [each for key, each in cluster.items() if key[:2] == (FLUX, "Kustomization")]
            for each in (
                self._root,
                *(each for each in kustomizations if key_of(each) != key_of(self._root)),
            ):
                for content in self._objects(each, cluster):
                    self.applied[key_of(each), key_of(content)] = content
            if self.applied == before:
                return before
        raise AssertionError("the cluster does not come to rest")

    def _objects(self, entry: JsonObject, cluster: Mapping[Key, JsonObject]) -> Iterable[JsonObject]:
        spec = object_at(entry, "spec")
        source = self._source(entry, cluster)
        if spec.get("suspend") is True or source is None:
            return ()
        artifact = ArtifactFileSystem(self._fs, text_at(source, "spec", "ignore"))
        composed = ArtifactBuilds(artifact).compose(Resource(entry, Site("entry.yaml")))
        if composed.failed:
            return ()
        objects = composed.value
        if object_at(spec, "decryption"):
            objects = objects.map(lambda each: each._replace(content=_decrypted(each.content)))
        if "postBuild" in spec:
            variables = _variables(entry, cluster)
            objects = substitute(objects, variables, Strictness.LENIENT).value.resources
        common = object_at(spec, "commonMetadata")
        return [_with_metadata(each.content, common) for each in objects if not _is_kustomize(each)]

    def _source(self, entry: JsonObject, cluster: Mapping[Key, JsonObject]) -> JsonObject | None:
        """Return the source of a Kustomization if it is this repository."""
        own = _source_key(self._root)
        if _source_key(entry) == own:
            return next((each for key, each in cluster.items() if key[1:] == own), {})
        found = next((each for key, each in cluster.items() if key[1:] == _source_key(entry)), None)
        root = next((each for key, each in cluster.items() if key[1:] == own), None)
        if found is None:  # applied by hand, and this repository if the path exists
            return {} if self._fs.is_folder(normal_path(text_at(entry, "spec", "path"))) else None
        if root is None:
            return None
        return found if text_at(found, "spec", "url") == text_at(root, "spec", "url") else None


def _source_key(entry: JsonObject) -> tuple[str, str, str]:
    reference = object_at(entry, "spec", "sourceRef")
    own = text_at(entry, "metadata", "namespace")
    return text_at(reference, "kind"), text_at(reference, "namespace") or own, text_at(reference, "name")


def _is_kustomize(resource: Resource) -> bool:
    return resource.gvk.group == "kustomize.config.k8s.io"


def _with_metadata(content: JsonObject, common: JsonObject) -> JsonObject:
    metadata = object_at(content, "metadata")
    added = {
        field: {**object_at(metadata, field), **object_at(common, field)}
        for field in ("labels", "annotations")
        if object_at(common, field)
    }
    return {**content, "metadata": {**metadata, **added}} if added else content


def _variables(entry: JsonObject, cluster: Mapping[Key, JsonObject]) -> Variables:
    """The values of ``postBuild``, from the objects in the cluster."""
    values: dict[str, str] = {}
    post_build = object_at(entry, "spec", "postBuild")
    namespace = text_at(entry, "metadata", "namespace")
    for each in array_at(post_build, "substituteFrom"):
        source = cluster.get(("", text_at(each, "kind"), namespace, text_at(each, "name")), {})
        is_secret = text_at(each, "kind") == "Secret"
        for name, value in object_at(source, "data").items():
            values[name] = b64decode(str(value)).decode() if is_secret else str(value)
        values |= {name: str(value) for name, value in object_at(source, "stringData").items()}
    values |= {name: str(value) for name, value in object_at(post_build, "substitute").items()}
    strategy = text_at(entry, "spec", "postBuild", "substituteStrategy")
    return Variables({name: value.replace("\n", "") for name, value in values.items()}, strategy == "Always")


def _decrypted(content: JsonObject) -> JsonObject:
    """An object as Flux decrypts it: every ciphertext has a clear text of its own."""
    if text_at(content, "sops", "mac"):
        clear = {name: _clear(value, name) for name, value in content.items() if name != "sops"}
        if text_at(content, "kind") == "Secret" and "data" in clear:
            clear["data"] = {
                name: b64encode(str(value).removesuffix(VARIABLE_INSIDE).encode()).decode()
                if _CIPHERTEXT.fullmatch(str(object_at(content, "data").get(name)))
                else value
                for name, value in object_at(clear, "data").items()
            }
        return clear
    return content


def _clear(value: Json, path: str) -> Json:
    if isinstance(value, dict):
        return {name: _clear(child, f"{path}:{name}") for name, child in value.items()}
    if isinstance(value, list):
        return [_clear(child, path) for child in value]
    if isinstance(value, str) and _CIPHERTEXT.fullmatch(value):
        # as with SOPS, the clear text depends on the ciphertext and on the keys above it alone
        return f"{hashlib.sha256(f'{path} {value}'.encode()).hexdigest()[:12]}{VARIABLE_INSIDE}"
    return value


class ArgoCd:
    """A cluster with Argo CD, and the Applications and sets that somebody applies by hand."""

    def __init__(
        self,
        fs: FileSystem,
        is_this_repository: Callable[[str, str], bool],
        generate: Callable[[Resource], Iterable[Resource]],
    ) -> None:
        self._fs = fs
        self._is_this_repository = is_this_repository
        self._generate = generate

    def run(self, started: Iterable[Resource]) -> Applied:
        by_hand = ("", "", "", "by hand")
        applied: Applied = {}
        waiting = [(by_hand, each) for each in started]
        while waiting:
            owner, resource = waiting.pop(0)
            key = key_of(resource.content)
            if (owner, key) in applied:
                continue
            applied[owner, key] = resource.content
            if is_application_set(resource):
                waiting += [(key, each) for each in self._generated(resource)]
            elif is_application(resource) and not any(
                each[1] == key for each in applied if each != (owner, key)
            ):
                waiting += [(key, each) for each in self._objects(resource)]
        return applied

    def _generated(self, resource: Resource) -> Iterable[Resource]:
        try:
            return self._generate(resource)
        except DiagnosticError:
            return ()

    def _objects(self, application: Resource) -> ResourceSet:
        own = {each.url for each in sources(application) if self._is_this_repository(each.url, each.path)}
        outcome = ApplicationBuilder(self._fs).build(application, own.__contains__)
        if outcome.failed:
            return ResourceSet()
        namespace = text_at(application.content, "spec", "destination", "namespace")
        return with_default_namespace(outcome.value, namespace)
