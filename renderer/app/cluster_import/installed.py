"""The instance types and preferences that an operator installs in a cluster, as a catalog to look up in.

An overlay does not deploy them, but Git has to know them if they differ from its catalogs: a machine that
names one gets what the cluster has.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping

from renderer.adopt.dump.sources import INSTALLED_FOLDER, SourceObject, kustomization_with
from renderer.adopt.dump.user_objects import clean
from renderer.app.cluster_import.revisions import is_same_spec
from renderer.emit.layout import object_file_name
from renderer.files.file_system import FileSystem
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.instancetype.catalog import Catalog
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.kube.json import Json, JsonObject, text_at
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import KUSTOMIZATION_FILE
from renderer.yamlio.encode import encode_source


def installed_files(
    fs: FileSystem,
    output: str,
    installed: Iterable[Resource],
    objects: Iterable[SourceObject],
    *,
    replace: bool,
) -> tuple[Mapping[str, bytes], tuple[Diagnostic, ...]]:
    """Return the files of the objects of ``installed`` that machines name, by path below ``output``.

    A file that exists with other content is replaced with ``replace``; otherwise it stays, with a warning.
    Raises ``DiagnosticError``: edit-refused.
    """
    views = (VirtualMachineView.of(each.resource) for each in objects)
    named = {matched for view in views if view is not None for matched in view.matched_objects()}
    files: dict[str, bytes] = {}
    outdated: list[Diagnostic] = []
    for each in installed:
        path = posixpath.join(INSTALLED_FOLDER, f"{each.kind.lower()}_{object_file_name(each.name)}")
        place = posixpath.join(output, path)
        is_present = fs.is_file(place)
        if is_present and not replace:
            outdated.append(
                Diagnostic.in_file(
                    place,
                    Code.NOT_CHECKED,
                    f"the cluster has another {each.kind} {each.name} than this file: machines that name it"
                    " are checked and compared with the one in the file",
                    "import --force takes over what the cluster has",
                    severity=Severity.WARNING,
                )
            )
        elif is_present or (each.kind, each.name) in named:
            files[path] = encode_source(_lookup_object(each.content)).encode()
    if files:
        kustomization = posixpath.join(INSTALLED_FOLDER, KUSTOMIZATION_FILE)
        names = sorted(map(posixpath.basename, files))
        files[kustomization] = kustomization_with(
            fs, posixpath.join(output, kustomization), {"resources": names}
        )
    return files, tuple(outdated)


def unknown_to_git(installed: Iterable[Resource], catalog: Catalog) -> Iterator[Resource]:
    """Yield the cluster-wide objects that ``catalog``, of Git, does not have with the same content."""
    for each in installed:
        known = catalog.named(each.kind, each.name).get(each.namespace)
        if not each.namespace and (known is None or not is_same_spec(_spec(each), _spec(known))):
            yield each


def _spec(resource: Resource) -> Json:
    return resource.content.get("spec")


def _lookup_object(content: JsonObject) -> JsonObject:
    """Return the part of an object that a machine gets, and its name."""
    cleaned = clean(content).content
    return {**cleaned, "metadata": {"name": text_at(cleaned, "metadata", "name")}}
