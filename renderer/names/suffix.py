"""The name that an instance type or preference gets: its own, and a suffix.

kustomize names ConfigMaps so (``api/hasher/hasher.go``). What counts here is what KubeVirt compares
(``pkg/instancetype/revision/compare.go``): the ``spec`` as Go reads it, whatever the version of the API, and
nothing of the metadata.
"""

from __future__ import annotations

import re

from renderer.instancetype.api.types import DecodeError, Decoding
from renderer.instancetype.find import spec_type_of
from renderer.kubevirt.kinds import INSTANCETYPE, INSTANCETYPE_GROUP, PREFERENCE
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.field_path import FieldPath
from renderer.model.json import EMPTY, Json, content_digest, object_at, scalar_text
from renderer.model.render_config import InstancetypeNames
from renderer.model.resource import Resource

#: On an object that keeps its name, whatever the others of its overlay get.
KEEP_NAME = "vmrender.io/keep-name"
#: The label by which common-instancetypes numbers its instance types.
VERSION = "instancetype.kubevirt.io/version"
#: KubeVirt copies the name into a label of each ControllerRevision, and labels hold no more.
LONGEST = 63

_TYPES = {kind: matcher_type for matcher_type in (INSTANCETYPE, PREFERENCE) for kind in matcher_type.kinds}
_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


def is_named(resource: Resource) -> bool:
    """Return True for an instance type or preference."""
    return resource.kind in _TYPES and resource.gvk.group == INSTANCETYPE_GROUP


def suffixed_name(resource: Resource, names: InstancetypeNames) -> str:
    """Return the name to write; the present one for an object that keeps it, or lacks the version label.

    Raises: name-suffix for a name that Kubernetes or KubeVirt would refuse.
    """
    if names is InstancetypeNames.PLAIN or _keeps_name(resource):
        return resource.name
    suffix = _spec_digest(resource) if names is InstancetypeNames.HASH else _version(resource)
    if not suffix:
        return resource.name
    name = f"{resource.name}-{suffix}"
    if len(name) > LONGEST:
        message = (
            f"{name} has {len(name)} characters, and KubeVirt copies it into a label, which holds {LONGEST}"
        )
        hint = f'shorten {resource.name}, or annotate it with {KEEP_NAME}: "true"'
        raise _error(resource, FieldPath.of("metadata", "name"), message, hint)
    return name


def _keeps_name(resource: Resource) -> bool:
    value: Json = resource.annotations.get(KEEP_NAME)
    if value in (None, "true", "false"):
        return value == "true"
    message = f'annotation {KEEP_NAME} is "true" or "false", not {scalar_text(value)!r}'
    at = FieldPath.of("metadata", "annotations", KEEP_NAME)
    raise _error(resource, at, message, f'write {KEEP_NAME}: "true"')


def _spec_digest(resource: Resource) -> str:
    """Return the digest of the spec as Go reads it, or as it is written if Go cannot read it."""
    content = resource.content.get("spec")
    spec_type = spec_type_of(_TYPES[resource.kind])
    try:
        spec = spec_type.decode(EMPTY if content is None else content, Decoding(strict=True))
    except DecodeError:
        return content_digest(content)
    return content_digest(spec_type.normal(spec))


def _version(resource: Resource) -> str:
    value: Json = object_at(resource.content, "metadata", "labels").get(VERSION)
    version = "" if value is None else scalar_text(value)
    if version and not _NAME.fullmatch(version):
        message = f"label {VERSION} of {resource.current_id} cannot end a name: {version!r}"
        hint = "use lower-case letters, digits, - and ., as in v2 or 1.4"
        raise _error(resource, FieldPath.of("metadata", "labels", VERSION), message, hint)
    return version


def _error(resource: Resource, field: FieldPath, message: str, hint: str) -> DiagnosticError:
    return DiagnosticError(Diagnostic.about(resource, field, Code.NAME_SUFFIX, message, hint))
