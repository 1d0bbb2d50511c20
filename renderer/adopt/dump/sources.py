"""The sources of a cluster: a folder with a kustomization for each namespace, a file for each object."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping, Sequence

from renderer.files.file_system import FileSystem
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import EMPTY, Json, JsonObject, array_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import KUSTOMIZATION_FILE, KUSTOMIZATION_HEAD
from renderer.model.record import Record
from renderer.model.render_config import CLUSTER_FOLDER
from renderer.yamlio.edit import add_entries
from renderer.yamlio.encode import encode, encode_source

#: The folder for data about the cluster, the folder for instance types and preferences that an operator
#: installs in it, and the folder for sizes that its VMs share.
CONFIGURATION_FOLDER = f"{CLUSTER_FOLDER}/kubevirt"
INSTALLED_FOLDER = f"{CLUSTER_FOLDER}/installed"
SIZES_FOLDER = f"{CLUSTER_FOLDER}/sizes"
#: The suffix of a namespace's second folder, for VMs that are expanded; a namespace cannot contain a _.
FITTED = "_fitted"
#: The suffix of a folder for VMs that name an instance type, if the namespace's folder expands its VMs.
NAMED = "_named"
_TO_SEAL = """\
# Its values are in the cluster, and not here; no kustomization lists this file.
# Seal it, then list it under resources; docs/adopting.md of vmrender says how.
"""
_TO_MAKE = """\
# The cluster does not have this Secret yet, and no kustomization lists this file. Its values are in
{fields}
# The Secret has to exist before this machine is synced, which names it from now on.
# Fill in the values, seal it, then list it under resources; docs/adopting.md of vmrender says how.
"""
#: The head of the comment in a kustomization that lists placeholders.
_PLACEHOLDERS = "# To list once they are sealed:\n"


class SourceObject(Record):
    """An object and its file, ``namespace/kind_name.yaml``; with ``is_placeholder`` it is not applied.

    ``moved_from`` names the fields of a VM in the cluster whose values belong in a placeholder. A VM with a
    ``group`` has no file of its own: the folder of that name, in ``group_files``, generates it.
    """

    path: str
    content: JsonObject
    is_placeholder: bool = False
    moved_from: tuple[str, ...] = ()
    group: str = ""
    group_files: Mapping[str, str] = EMPTY

    @property
    def resource(self) -> Resource:
        return Resource(self.content, Site(self.path))

    @property
    def is_file(self) -> bool:
        return not self.group

    @property
    def listed_as(self) -> str:
        """Return the entry of the kustomization."""
        return self.group or posixpath.basename(self.path)

    @property
    def folder(self) -> str:
        return posixpath.dirname(self.path)

    def text(self) -> str:
        """Return the text of the file. Raises ``DiagnosticError`` for text that kustomize cannot print."""
        head = _TO_SEAL if self.is_placeholder else ""
        if self.moved_from:
            head = _TO_MAKE.format(fields="\n".join(f"# - {field}" for field in self.moved_from))
        try:
            return head + encode_source(self.content)
        except DiagnosticError as error:
            about = Resource(self.content, Site(self.path)).current_id
            [found] = error.diagnostics
            raise DiagnosticError(found._replace(message=f"{about}: {found.message}")) from None


def kustomization_with(fs: FileSystem, path: str, entries: Mapping[str, Sequence[str]]) -> bytes:
    """Return the kustomization at ``path``, or a new one, with the entries by field that it lacks.

    Raises ``DiagnosticError``: edit-refused.
    """
    content = fs.read(path) if fs.is_file(path) else encode([dict(KUSTOMIZATION_HEAD)]).encode()
    for field, names in entries.items():
        content = add_entries(content, path, field, names)
    return content


def kustomization_text(found: Sequence[SourceObject]) -> str:
    """Return the kustomization of a folder with these objects; placeholders are listed in comments."""
    content: dict[str, Json] = dict(KUSTOMIZATION_HEAD)
    namespaces = {text_at(each.content, "metadata", "namespace") for each in found}
    namespace = namespaces.pop() if len(namespaces) == 1 else ""
    if namespace and not any(_has_foreign_subject(each.content, namespace) for each in found):
        content["namespace"] = namespace
    content["resources"] = list(entries(found))
    return with_placeholders(encode([content]), found)


def entries(found: Iterable[SourceObject]) -> Sequence[str]:
    """Return the paths under which a kustomization lists these objects, sorted."""
    return sorted({each.listed_as for each in found if not each.is_placeholder})


def with_placeholders(kustomization: str, found: Iterable[SourceObject]) -> str:
    """Return the text of a kustomization with the placeholders in comments at its end."""
    names = sorted(posixpath.basename(each.path) for each in found if each.is_placeholder)
    lines = "".join(f"# - {name}\n" for name in names)
    if not lines:
        return kustomization
    if not kustomization.endswith("\n"):
        kustomization += "\n"
    before, head, after = kustomization.partition(_PLACEHOLDERS)
    return f"{before}{head}{lines}{after}" if head else f"{kustomization}{_PLACEHOLDERS}{lines}"


def configuration(kubevirt: JsonObject) -> Mapping[str, str]:
    """Return the files of the cluster's KubeVirt object, which is read but not deployed; text by path.

    Without the object, there are none.
    """
    if not kubevirt:
        return {}
    file = "kubevirt.yaml"
    head: JsonObject = {**KUSTOMIZATION_HEAD, "resources": [file]}
    return {
        f"{CONFIGURATION_FOLDER}/{KUSTOMIZATION_FILE}": encode([head]),
        f"{CONFIGURATION_FOLDER}/{file}": encode_source(_without_status(kubevirt)),
    }


def _without_status(kubevirt: JsonObject) -> JsonObject:
    """Return the KubeVirt object with only its configuration."""
    metadata = {
        "name": text_at(kubevirt, "metadata", "name"),
        "namespace": text_at(kubevirt, "metadata", "namespace"),
    }
    spec = kubevirt.get("spec")
    return {
        "apiVersion": text_at(kubevirt, "apiVersion"),
        "kind": text_at(kubevirt, "kind"),
        "metadata": metadata,
        "spec": spec if isinstance(spec, dict) else {},
    }


def _has_foreign_subject(content: JsonObject, namespace: str) -> bool:
    """Return True if the field ``namespace`` would change a subject of a role binding.

    It moves the subject ``default`` into the namespace (kustomize ``api/filters/namespace/namespace.go``).
    """
    return text_at(content, "kind").endswith("RoleBinding") and any(
        text_at(subject, "name") == "default" and text_at(subject, "namespace") != namespace
        for subject in array_at(content, "subjects")
    )


def counted_by_kind(objects: Iterable[SourceObject]) -> Mapping[str, int]:
    """Return the number of objects of each kind, sorted by kind."""
    counts: dict[str, int] = {}
    for each in objects:
        kind = text_at(each.content, "kind")
        counts[kind] = counts.get(kind, 0) + (not each.is_placeholder)
    return {kind: counts[kind] for kind in sorted(counts) if counts[kind]}
