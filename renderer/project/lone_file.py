"""The files that no kustomization lists, and the objects in them that vmrender checks."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from renderer.checks.schemas.kubevirt_kinds import GROUPS_OF_KINDS, OPERATOR_GROUPS
from renderer.files.file_system import STANDARD_INPUT, FilesAbove, FileSystem, folder_of
from renderer.kubevirt.facts.kubernetes_identity import check_identity
from renderer.kustomize.reader.resources import read_resources, unread_text
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.model.engines import CHART
from renderer.model.kube.json import Json, array_at, object_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.kustomization import KUSTOMIZATION_FILES
from renderer.model.pattern import pattern
from renderer.model.vmrender_api import RENDER_CONFIG, VMRENDER_API_VERSION, VMRENDER_GROUP
from renderer.project.cluster_facts import is_facts_file
from renderer.project.stray_patch import is_named_as_patch
from renderer.yamlio.decode import decode_documents

#: The kind of an object or of an item of a list.
_KIND_OF_OURS = pattern(
    rf"""^[^\S\n]*(?:-\s+)?[{{"']*kind["']?\s*:\s*["']?(?:{"|".join(sorted(GROUPS_OF_KINDS))})\b""".encode(),
    re.MULTILINE,
)
_API_VERSION = pattern(rb"""\bapiVersion["']?\s*:\s*["']?\w""")
#: What a ResourceSet of the Flux operator makes is checked if its text mentions one of the groups.
_RESOURCE_SET = ("fluxcd.controlplane.io/v1", "ResourceSet")
_OPENSHIFT_TEMPLATE = ("template.openshift.io/v1", "Template")
#: The tags of Helm, Jinja and others; until they are filled in, a file is often not valid YAML.
TEMPLATE_TAG = pattern(rb"\{\{|\{%")


class LoneFiles:
    """Reads files of ``fs``; ``groups`` are the API groups whose objects are checked."""

    def __init__(self, fs: FileSystem, groups: Collection[str]) -> None:
        self._fs = fs
        self._last = "", b""
        self._groups = frozenset((*groups, VMRENDER_GROUP))
        names = "|".join(re.escape(group) for group in sorted(self._groups))
        self._mention = re.compile(rf"""apiVersion["']?\s*:\s*["']?({names})/""".encode())

    def read(self, path: str) -> ResourceSet:
        """Return the objects in the file; no objects if none of them is to be checked.

        Objects in an OpenShift template are included. Raises ``DiagnosticError``: the errors of the decoder,
        for standard input and for files that seem to have such an object, and resource-invalid.
        """
        content = self._content(path)
        if path != STANDARD_INPUT and (not self._mentions_object(content) or is_facts_file(content)):
            return ResourceSet()
        if TEMPLATE_TAG.search(content) and self._is_in_chart(path):
            raise _needs_another_tool(path)
        try:
            found = _read_objects(content, path)
        except DiagnosticError as error:
            return self._ignore_if_foreign(content, path, error)
        return found if any(self._is_checked(resource.content) for resource in found) else ResourceSet()

    def warnings(self, path: str) -> tuple[Diagnostic, ...]:
        """Return the warnings about the text of a file that seems to have an object to check."""
        content = self._content(path)
        return unread_text(content, path) if self._mentions_object(content) else ()

    def parameters(self, path: str) -> Mapping[str, Site]:
        """Return the parameters that OpenShift templates in the file declare, each with its site."""
        content = self._fs.read(path)
        if b"template.openshift.io/" not in content:
            return {}
        found = read_resources(content, Site(path), generated_names=True)
        return {
            text_at(parameter, "name"): template.origin.below("parameters", index)
            for template in found
            if (template.api_version, template.kind) == _OPENSHIFT_TEMPLATE
            for index, parameter in enumerate(array_at(template.content, "parameters"))
        }

    def read_all(self, path: str) -> ResourceSet:
        """Return all objects in the file. Raises ``DiagnosticError``."""
        return _read_objects(self._fs.read(path), path)

    def mentioned_groups(self, path: str) -> frozenset[str]:
        """Return the groups whose objects seem to be in the file; no groups if it cannot be read."""
        try:
            content = self._fs.read(path)
        except DiagnosticError:
            return frozenset()
        return frozenset(match[1].decode() for match in self._mention.finditer(as_ascii(content)))

    def mentions_kind(self, path: str) -> bool:
        """Return True if an object in the file seems to be of a kind of KubeVirt's or CDI's, in any group."""
        return _KIND_OF_OURS.search(as_ascii(self._content(path))) is not None

    def _mentions_object(self, content: bytes) -> bool:
        """Return True if the text mentions one of the groups, or one of their kinds without any group."""
        text = as_ascii(content)
        if self._mention.search(text):
            return True
        return _KIND_OF_OURS.search(text) is not None and not _API_VERSION.search(text)

    def _content(self, path: str) -> bytes:
        """Return the content of a file; the last one is kept, because each file is asked about twice."""
        if self._last[0] != path:
            self._last = path, self._fs.read(path)
        return self._last[1]

    def _ignore_if_foreign(self, content: bytes, path: str, error: DiagnosticError) -> ResourceSet:
        """Ignore a file that concerns none of the groups. Raises ``DiagnosticError`` for all others."""
        if any(found.code is not Code.RESOURCE_INVALID for found in error.diagnostics):
            if not TEMPLATE_TAG.search(content):
                raise error
            raise _needs_another_tool(path)
        for document in _with_items(decode_documents(content, path)):
            if self._is_checked(document) or lacks_api_version(document, path):
                raise error
        return ResourceSet()

    def _is_in_chart(self, path: str) -> bool:
        """Return True if the file is a template of a Helm chart; some are YAML that means something else."""
        chart, _, below = path.rpartition("templates/")
        return bool(below) and self._fs.is_file(posixpath.normpath(posixpath.join(chart, CHART)))

    def _is_checked(self, content: Json) -> bool:
        if (text_at(content, "apiVersion"), text_at(content, "kind")) == _RESOURCE_SET:
            return True
        group, _, _ = text_at(content, "apiVersion").rpartition("/")
        is_report = group in OPERATOR_GROUPS and "spec" not in object_at(content)  # written by the operator
        return group in self._groups and text_at(content, "kind") != RENDER_CONFIG and not is_report


def _with_items(documents: Iterable[Json]) -> Iterator[Json]:
    """Yield the documents, and the items of Lists and the objects of Templates in them."""
    for document in documents:
        yield document
        for key in ("items", "objects"):
            yield from _with_items(array_at(document, key))


def _needs_another_tool(path: str) -> DiagnosticError:
    return Diagnostic.in_file(
        path,
        Code.NOT_CHECKED,
        "this is a template of another tool, which is not YAML before it is filled in: not checked",
        "validate its output",
        severity=Severity.INFO,
    ).error()


def as_ascii(content: bytes) -> bytes:
    """Return the text to search for words: UTF-16 is refused later, and only if it is about KubeVirt."""
    return content.replace(b"\0", b"") if b"\0" in content else content


def lacks_api_version(content: Json, path: str) -> bool:
    """Return True if it has a kind of KubeVirt's or CDI's, no API version, and is not a patch.

    A patch need not have one. Standard input that no path names is not taken for a patch.
    """
    kind, version = text_at(content, "kind"), object_at(content).get("apiVersion")
    if kind not in GROUPS_OF_KINDS or version not in (None, ""):
        return False
    if path == STANDARD_INPUT:
        return True
    name = text_at(content, "metadata", "name")
    return bool(object_at(content, "spec")) and not is_named_as_patch(path, name)


def is_generator(resource: Resource) -> bool:
    """Return True if it is an ``InstancetypeSeries`` or ``Template``, which generates objects."""
    return resource.api_version == VMRENDER_API_VERSION and resource.kind != RENDER_CONFIG


def with_generator(fs: FileSystem, file: str) -> tuple[FileSystem, str]:
    """Return a tree, and a folder in it whose kustomization has ``file`` as its only generator."""
    folder = folder_of(file)
    names = (posixpath.normpath(posixpath.join(folder, name)) for name in KUSTOMIZATION_FILES)
    existing = [name for name in names if fs.is_file(name)]
    kustomization = existing[0] if existing else posixpath.join(folder, KUSTOMIZATION_FILES[0])
    entry = json.dumps(posixpath.basename(file))
    text = f"generators: [{entry}]\n".encode()
    return FilesAbove({posixpath.normpath(kustomization): text}, fs), folder


def _read_objects(content: bytes, path: str) -> ResourceSet:
    read = read_resources(content, Site(path), generated_names=True)
    return ResourceSet(tuple(each for resource in read for each in _expand_template(resource)))


def _expand_template(resource: Resource) -> Iterator[Resource]:
    """Yield the resource, or its objects if it is an OpenShift template."""
    if (resource.api_version, resource.kind) != _OPENSHIFT_TEMPLATE:
        yield resource
        return
    for index, item in enumerate(array_at(resource.content, "objects")):
        if isinstance(item, dict) and item.get("kind"):
            yield check_identity(Resource(item, resource.origin.below("objects", index)))
