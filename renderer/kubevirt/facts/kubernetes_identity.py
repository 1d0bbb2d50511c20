"""What says which object a manifest is: ``apiVersion``, ``kind``, and the names in its metadata.

Stages look objects up by these fields, and name overlays and files after them. kustomize's reader refuses
objects without a kind or name, whatever type these have; every other door checks the fields here. The
pipeline checks them again for what patches, templates and variables made of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from renderer.kubevirt.facts.kubernetes_names import dns_label_errors, dns_subdomain_errors
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome
from renderer.model.fields import describe_value
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY, Json, object_at
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.placeholders import without_placeholders

_TEXT, _MAPPING = "text", "a mapping"
#: Texts of ``metadata``. A scalar of another type is left to kustomize, which reads its text, and to schemas.
_METADATA_TEXTS = ("name", "namespace", "generateName")
_METADATA_MAPS = ("labels", "annotations")
#: Of a kind and an API version: of a DNS label, and of a subdomain, a slash and a label.
_LONGEST = {"kind": 63, "apiVersion": 317}
_NAME, _NAMESPACE = FieldPath.of("metadata", "name"), FieldPath.of("metadata", "namespace")
_NAME_HINT = "Kubernetes accepts no other name, and vmrender names a folder after it"


def check_identity(resource: Resource) -> Resource:
    """Return the resource. Raises ``DiagnosticError`` (resource-invalid) for each of its malformed fields."""
    errors = tuple(identity_errors(resource))
    if errors:
        raise DiagnosticError(*errors)
    return resource


def well_formed(built: Outcome[ResourceSet]) -> Outcome[ResourceSet]:
    """Return the resources without malformed ones, on which no stage can work, and the errors about these."""
    errors = tuple(found for resource in built.value for found in identity_errors(resource))
    if not errors:
        return built
    sound = built.value.where(lambda resource: not any(identity_errors(resource)))
    return Outcome(sound, (*built.diagnostics, *errors))


def identity_errors(resource: Resource) -> Iterable[Diagnostic]:
    """Return an error for each field that has another type or length than any Kubernetes object has there."""
    content = resource.content
    kind, api_version, metadata = content.get("kind"), content.get("apiVersion", ""), content.get("metadata")
    # Nearly all objects are as they should be, and each is checked several times.
    if (
        isinstance(kind, str)
        and 0 < len(kind) <= _LONGEST["kind"]
        and isinstance(api_version, str)
        and len(api_version) <= _LONGEST["apiVersion"]
        and isinstance(metadata, dict)
        and not any(isinstance(metadata.get(key), dict | list) for key in _METADATA_TEXTS)
    ):
        return ()
    return _errors(resource)


def map_errors(resources: Iterable[Resource]) -> Iterator[Diagnostic]:
    """Yield an error for labels and annotations that are not maps from text to text.

    A schema says the same of objects that have one. Scalars of another type are left to it.
    """
    for resource in resources:
        metadata = object_at(resource.content, "metadata")
        for key in _METADATA_MAPS:
            entries = metadata.get(key)
            if entries is None:
                continue
            if not isinstance(entries, dict):
                yield _malformed(resource, FieldPath.of("metadata", key), _MAPPING, entries)
                continue
            for name, value in entries.items():
                if isinstance(value, dict | list):
                    yield _malformed(resource, FieldPath.of("metadata", key, name), _TEXT, value)


def entry_name_errors(entry: Resource) -> Iterator[Diagnostic]:
    """Yield the errors in the name and namespace of an object of an engine; overlays are named after it.

    They are DNS names, as for any custom resource (apiextensions-apiserver ``customresource/strategy.go``).
    Variables in them may be filled in later.
    """
    for field, text, errors_of in (
        (_NAME, entry.name, dns_subdomain_errors),
        (_NAMESPACE, entry.namespace, dns_label_errors),
    ):
        if field is _NAMESPACE and not text:
            continue
        # A variable with a slash would be several parts of a path.
        shown = text if "/" in text else without_placeholders(text, "x")
        for error in errors_of(shown):
            message = f"{text!r} cannot be the {field.segments[-1]} of an {entry.kind}: it {error}"
            yield Diagnostic.about(entry, field, Code.RESOURCE_INVALID, message, _NAME_HINT)


def _errors(resource: Resource) -> Iterator[Diagnostic]:
    content = resource.content
    for key in ("apiVersion", "kind"):
        value = content.get(key)
        if isinstance(value, dict | list):
            yield _malformed(resource, FieldPath.of(key), _TEXT, value)
        elif isinstance(value, str) and len(value) > _LONGEST[key]:
            message = f"{key} has {len(value)} characters; the API server accepts at most {_LONGEST[key]}"
            yield Diagnostic.about(resource, FieldPath.of(key), Code.RESOURCE_INVALID, message)
    if content.get("kind") in (None, ""):
        yield Diagnostic.about(resource, None, Code.RESOURCE_INVALID, "the object has no kind")
    metadata = content.get("metadata")
    if metadata is not None and not isinstance(metadata, dict):
        yield _malformed(resource, FieldPath.of("metadata"), _MAPPING, metadata)
        return
    fields: Mapping[str, Json] = metadata or EMPTY
    for key in _METADATA_TEXTS:
        if isinstance(fields.get(key), dict | list):
            yield _malformed(resource, FieldPath.of("metadata", key), _TEXT, fields.get(key))


def _malformed(resource: Resource, field: FieldPath, expected: str, value: Json) -> Diagnostic:
    message = f"{field} must be {expected}, not {describe_value(value)}"
    return Diagnostic.about(resource, field, Code.RESOURCE_INVALID, message)
