"""New names for the instance types and preferences of an overlay and of its catalogs.

A new name is the old one plus a suffix, as kustomize names ConfigMaps (``api/hasher/hasher.go``). The suffix
is a digest of what KubeVirt compares (``pkg/instancetype/revision/compare.go``): the ``spec`` as Go reads it,
independent of the API version, without the metadata.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from posixpath import normpath

from renderer.instancetype_names.references import InstancetypeReference
from renderer.kubevirt.facts.kinds import INSTANCETYPE_GROUP, MATCHER_TYPE_OF
from renderer.kubevirt.facts.kubernetes_names import LABEL_LENGTH, is_dns_subdomain
from renderer.kubevirt.instancetype.api.types import DecodeError, Decoding
from renderer.kubevirt.instancetype.catalog import Catalog, CatalogSource, Scope
from renderer.kubevirt.instancetype.find import spec_type_of
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY, Json, content_digest, object_at, scalar_text
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.record import Record
from renderer.model.render_config import InstancetypeNames, Overlay

#: The annotation that keeps an object's name when other objects of its overlay are renamed.
KEEP_NAME = "vmrender.io/keep-name"
#: The label in which common-instancetypes numbers its instance types.
VERSION = "instancetype.kubevirt.io/version"
#: KubeVirt copies the name into a label of each ControllerRevision; this is the maximum length of a label.
LONGEST_NAME = LABEL_LENGTH


def is_instancetype_or_preference(resource: Resource) -> bool:
    """Return True for an instance type or preference, namespaced or cluster-wide."""
    return resource.kind in MATCHER_TYPE_OF and resource.gvk.group == INSTANCETYPE_GROUP


def suffixed_name(resource: Resource, names: InstancetypeNames) -> str:
    """Return the name to write: the present one if the object keeps it, or lacks the version label.

    Raises: name-suffix for a name that Kubernetes or KubeVirt would reject.
    """
    if names is InstancetypeNames.PLAIN or _keeps_name(resource):
        return resource.name
    suffix = _spec_digest(resource) if names is InstancetypeNames.HASH else _version(resource)
    if not suffix:
        return resource.name
    name = f"{resource.name}-{suffix}"
    if len(name) > LONGEST_NAME:
        message = (
            f"{name} has {len(name)} characters, and KubeVirt copies it into a label, "
            f"which holds {LONGEST_NAME}"
        )
        hint = f'shorten {resource.name}, or annotate it with {KEEP_NAME}: "true"'
        raise Diagnostic.about(
            resource, FieldPath.of("metadata", "name"), Code.NAME_SUFFIX, message, hint
        ).error()
    return name


def _keeps_name(resource: Resource) -> bool:
    value: Json = resource.annotations.get(KEEP_NAME)
    if value in (None, "true", "false"):
        return value == "true"
    message = f'annotation {KEEP_NAME} is "true" or "false", not {scalar_text(value)!r}'
    at = FieldPath.of("metadata", "annotations", KEEP_NAME)
    raise Diagnostic.about(resource, at, Code.NAME_SUFFIX, message, f'write {KEEP_NAME}: "true"').error()


def _spec_digest(resource: Resource) -> str:
    """Return the digest of the spec as Go reads it, or as it is written if Go cannot read it."""
    content = resource.content.get("spec")
    spec_type = spec_type_of(MATCHER_TYPE_OF[resource.kind])
    try:
        spec = spec_type.decode(EMPTY if content is None else content, Decoding(strict=True))
    except DecodeError:
        return content_digest(content)
    return content_digest(spec_type.normal(spec))


def _version(resource: Resource) -> str:
    value: Json = object_at(resource.content, "metadata", "labels").get(VERSION)
    version = "" if value is None else scalar_text(value)
    if version and not is_dns_subdomain(version):
        message = f"label {VERSION} of {resource.current_id} cannot end a name: {version!r}"
        hint = "use lower-case letters, digits, - and ., as in v2 or 1.4"
        raise Diagnostic.about(
            resource, FieldPath.of("metadata", "labels", VERSION), Code.NAME_SUFFIX, message, hint
        ).error()
    return version


class NamedSource(Record):
    """The objects of an overlay or catalog, and the naming scheme for writing them."""

    resources: ResourceSet
    names: InstancetypeNames


def named_catalogs(catalogs: Iterable[CatalogSource], overlays: Iterable[Overlay]) -> tuple[NamedSource, ...]:
    """Return the catalogs, each with the naming scheme of the overlay in its folder, or with plain names."""
    schemes = {overlay.path: overlay.instancetype_names for overlay in overlays}
    return tuple(
        NamedSource(catalog.resources, schemes.get(normpath(catalog.name), InstancetypeNames.PLAIN))
        for catalog in catalogs
    )


class NewNames:
    """The new names of an overlay's own objects, which are among ``resources``, and of catalog objects.

    ``catalogs`` are loaded on the first lookup: an overlay that names no instance type needs none.
    """

    def __init__(
        self, resources: ResourceSet, names: InstancetypeNames, catalogs: Callable[[], Iterable[NamedSource]]
    ) -> None:
        self._own = NamedSource(resources, names)
        self._catalogs = catalogs
        self._new_names: dict[int, str] = {}

    def of(self, resource: Resource) -> str:
        """Return the new name of one of these objects; the present one if it is not renamed.

        Raises ``DiagnosticError``: name-suffix.
        """
        key = id(resource)
        if key not in self._new_names:
            names = self._own_schemes.get(key) or self._catalog_schemes[key]
            self._new_names[key] = suffixed_name(resource, names)
        return self._new_names[key]

    def candidates(self, reference: InstancetypeReference) -> tuple[Resource, ...]:
        """Return the objects that the reference may refer to; empty if no object has its name.

        A matcher refers to one object. A label may refer to objects of all namespaces, unless its own
        namespace has one of that name.
        """
        found = Scope(self._catalog, reference.namespace).find(reference.kind, reference.name)
        if found is not None:
            return (found,)
        if not reference.is_label:
            return ()
        return tuple(self._catalog.named(reference.kind, reference.name).values())

    def already_renamed(self, reference: InstancetypeReference) -> Resource | None:
        """Return the object whose new name is already in the reference, or None."""
        name = reference.name
        while "-" in name:  # for a-b-c: a-b, then a
            name = name.rpartition("-")[0]
            for resource in self.candidates(reference._replace(name=name)):
                if self.of(resource) == reference.name:
                    return resource
        return None

    @cached_property
    def _catalog_sources(self) -> tuple[NamedSource, ...]:
        return tuple(self._catalogs())

    @cached_property
    def _catalog(self) -> Catalog:
        return Catalog.of(
            *(CatalogSource("", each.resources) for each in (self._own, *self._catalog_sources))
        )

    @cached_property
    def _own_schemes(self) -> Mapping[int, InstancetypeNames]:
        return _schemes_by_id((self._own,))

    @cached_property
    def _catalog_schemes(self) -> Mapping[int, InstancetypeNames]:
        return _schemes_by_id(self._catalog_sources)


def _schemes_by_id(sources: Iterable[NamedSource]) -> Mapping[int, InstancetypeNames]:
    """Return the naming scheme of each object by its ``id``; the sources keep the objects alive."""
    return {
        id(resource): each.names
        for each in sources
        for resource in each.resources
        if is_instancetype_or_preference(resource)
    }
