"""The instance types and preferences that an operator installs in a cluster, as a catalog to look up in.

An overlay does not deploy them, but Git has to know them if they differ from its catalogs: a machine that
names one gets what the cluster has.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence

from renderer.adopt.dump.sources import INSTALLED_FOLDER, SourceObject
from renderer.adopt.dump.user_objects import clean
from renderer.app.import_revisions import is_same_spec
from renderer.emit.layout import object_file_name
from renderer.files.file_system import FileSystem
from renderer.kubevirt.facts.kinds import MATCHER_TYPES
from renderer.kubevirt.instancetype.catalog import Catalog
from renderer.kubevirt.instancetype.virtual_machine import VirtualMachine
from renderer.model.kube.json import JsonObject, object_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import KUSTOMIZATION_FILE, KUSTOMIZATION_HEAD
from renderer.yamlio.edit import add_entries
from renderer.yamlio.encode import encode, encode_source


def installed_files(
    fs: FileSystem,
    output: str,
    installed: Sequence[Resource],
    catalog: Catalog,
    objects: Iterable[SourceObject],
) -> Mapping[str, bytes]:
    """Return the files of the objects of ``installed`` that machines name, by path below ``output``.

    Objects that ``catalog``, of Git, has with the same content are left out. Files that exist stay. Raises
    ``DiagnosticError``: edit-refused.
    """
    named = {name for each in objects for name in _named(each.content)}
    files: dict[str, bytes] = {}
    for each in installed:
        known = catalog.named(each.kind, each.name).get(each.namespace)
        if (each.kind, each.name) not in named or each.namespace:
            continue
        if known is None or not is_same_spec(each.content.get("spec"), known.content.get("spec")):
            path = posixpath.join(INSTALLED_FOLDER, f"{each.kind.lower()}_{object_file_name(each.name)}")
            if not fs.is_file(posixpath.join(output, path)):
                files[path] = encode_source(_lookup_object(each.content)).encode()
    if not files:
        return {}
    kustomization = posixpath.join(INSTALLED_FOLDER, KUSTOMIZATION_FILE)
    place = posixpath.join(output, kustomization)
    content = fs.read(place) if fs.is_file(place) else encode([dict(KUSTOMIZATION_HEAD)]).encode()
    names = sorted(map(posixpath.basename, files))
    return {**files, kustomization: add_entries(content, place, "resources", names)}


def _lookup_object(content: JsonObject) -> JsonObject:
    """Return the part of an object that a machine gets, and its name."""
    cleaned = clean(content).content
    return {**cleaned, "metadata": {"name": text_at(cleaned, "metadata", "name")}}


def _named(content: JsonObject) -> Iterator[tuple[str, str]]:
    """Yield kind and name of the objects that a machine names."""
    vm = VirtualMachine.of(Resource(content, Site("")))
    for matcher_type in MATCHER_TYPES if vm is not None else ():
        matcher = object_at(vm.spec, matcher_type.key) if vm is not None else {}
        kind = matcher_type.matched_kind(text_at(matcher, "kind"))
        if kind:
            yield kind, text_at(matcher, "name")
