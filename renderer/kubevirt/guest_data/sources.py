"""Find the files that KubeVirt hands to a guest: in the machine itself, or in its Secrets and ConfigMaps.

KubeVirt looks for an answer file of Windows without regard to case (``pkg/config/sysprep.go``
validateUnattendPresence).
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from renderer.kubevirt.facts.cloud_init import (
    CLOUD_INIT_FIELDS,
    CLOUD_INIT_VOLUMES,
    NETWORK_DATA,
    USER_DATA,
)
from renderer.kubevirt.facts.confidential.fields import ANSWER_FILES, IGNITION
from renderer.kubevirt.facts.kinds import CONFIG_MAP, SECRET
from renderer.kubevirt.facts.pool_names import has_indexed_references
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.kube.encryption import is_ciphertext
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.kube.location import Location
from renderer.model.kube.resource import Resource
from renderer.model.kube.sharing import once_for_same
from renderer.model.record import Record
from renderer.model.release import Release
from renderer.model.run.work import spend
from renderer.model.text_enum import TextEnum

SYSPREP = "sysprep"
#: Objects of which a controller makes a Secret whose keys they list.
_SEALED_SECRET = "bitnami.com", "SealedSecret"
_EXTERNAL_SECRET = "external-secrets.io", "ExternalSecret"
#: Values of ``creationPolicy`` with which External Secrets adds keys to a Secret of others, or makes none.
_NOT_OWNED = ("Merge", "None")
#: The fields of a volume with its network data, in any of its forms.
_NETWORK_FIELDS = (NETWORK_DATA.plain, NETWORK_DATA.base64, NETWORK_DATA.reference)


class Role(TextEnum):
    """What a file is for."""

    USER_DATA = "user data"
    NETWORK_DATA = "network data"
    ANSWER_FILE = "answer file"
    IGNITION = "Ignition"


#: What each file of a cloud-init volume is for.
_CLOUD_INIT_ROLES = ((Role.USER_DATA, USER_DATA), (Role.NETWORK_DATA, NETWORK_DATA))
#: The most copies of a pool whose own Secrets are looked up: the rest are made like them.
_MOST_COPIES = 100

#: The work steps of reading a value of a Secret.
_STEPS_PER_ENTRY = 4

#: Return the objects of a kind with a name that may be in a namespace.
Find = Callable[[str, str, str], Sequence[Resource]]


class GuestFile(Record):
    """A file that the guest of ``machine`` reads.

    ``field`` of ``resource`` contains it, in base64 if ``is_base64``. ``volume`` is the kind of the volume
    that it comes from; it is empty for an annotation. ``path`` is the file of the repository that a generator
    read it from, if there is one. ``unread_at`` is set if nothing reads the file: it is the reference to the
    Secret, through which KubeVirt reads other keys only.
    """

    machine: VirtualMachineView
    role: Role
    volume: str
    resource: Resource
    field: FieldPath
    content: bytes
    is_base64: bool
    path: str = ""
    unread_at: FieldPath | None = None

    @property
    def name(self) -> str:
        """The name of the field or key that holds the file."""
        return str(self.field.segments[-1])

    @property
    def has_lines(self) -> bool:
        """True if the lines of the file are lines of a file in the repository."""
        return bool(self.path) or not self.is_base64

    def location(self, line: int, column: int = 1) -> Location | None:
        """Return a line and column, from 1, of the text as a location; None if no file has this line.

        Without a path it is relative to the text at the field.
        """
        return Location(self.path, line, column) if line and self.has_lines else None


class _Entry(NamedTuple):
    """A value of a Secret or ConfigMap: its field and key, as it is written, and decoded.

    The values that a controller puts into a Secret are null, and so are those in its templates.
    """

    field: FieldPath
    key: str
    value: Json
    content: bytes = b""
    is_base64: bool = False


class MissingKey(Record):
    """``reference`` in a machine names ``resource``, which has none of the ``keys`` that KubeVirt reads."""

    machine: VirtualMachineView
    role: Role
    volume: str
    reference: FieldPath
    resource: Resource
    keys: tuple[str, ...]
    is_alone: bool  # the volume has no other data, so the instance does not start

    @property
    def present(self) -> Mapping[str, FieldPath]:
        """The keys that the object has instead, and their fields."""
        return fields_of_data(self.resource)


def guest_files(
    machine: VirtualMachineView, find: Find, release: Release
) -> Iterator[GuestFile | MissingKey]:
    """Yield the files of a machine whose content is known, and the references without a usable key."""
    for index, volume in machine.volumes:
        for kind in CLOUD_INIT_VOLUMES:
            source = volume.get(kind)
            if isinstance(source, dict):
                is_indexed = has_indexed_references(machine, kind, release)
                find_secrets = partial(_secrets_of_copies, machine, find) if is_indexed else find
                yield from _cloud_init_files(machine, index, kind, source, find_secrets)
        sysprep = volume.get(SYSPREP)
        if isinstance(sysprep, dict):
            yield from _answer_files(machine, index, sysprep, find)
    ignition = object_at(machine.resource.content, *machine.paths.template.keys, "metadata", "annotations")
    text = ignition.get(IGNITION)
    if isinstance(text, str) and text:
        field = machine.paths.template.child("metadata", "annotations", IGNITION)
        yield GuestFile(machine, Role.IGNITION, "", machine.resource, field, text.encode(), is_base64=False)


def makes_secret(resource: Resource, name: str) -> bool:
    """Return True if the object is a Secret with that name, or a controller makes one of its keys."""
    if (resource.gvk.group, resource.kind) == _EXTERNAL_SECRET:
        return name == (text_at(resource.content, "spec", "target", "name") or resource.name)
    is_secret = resource.kind == SECRET or (resource.gvk.group, resource.kind) == _SEALED_SECRET
    return is_secret and resource.name == name


def plain_values(resource: Resource) -> Iterator[tuple[FieldPath, str, str]]:
    """Yield field, key and text of the readable values of a Secret or ConfigMap."""
    for each in _entries(resource):
        if each.content and not is_ciphertext(each.value):
            yield each.field, each.key, each.content.decode("utf-8", "replace")


@once_for_same
def fields_of_data(resource: Resource) -> Mapping[str, FieldPath]:
    """Return the keys of a Secret or ConfigMap, and their fields."""
    return {each.key: each.field for each in _entries(resource)}


def _cloud_init_files(
    machine: VirtualMachineView, index: int, kind: str, source: JsonObject, find: Find
) -> Iterator[GuestFile | MissingKey]:
    for role, fields in _CLOUD_INIT_ROLES:
        name = text_at(source, fields.reference, "name")
        for secret in find(SECRET, name, machine.namespace) if name else ():
            found = _first_entry(secret, fields.keys)
            if found:
                yield from _file_of_entry(machine, role, kind, secret, found)
                if fields is USER_DATA and not any(map(source.get, _NETWORK_FIELDS)):
                    reference = machine.in_instance("volumes", index, kind, fields.reference, "name")
                    yield from _unread_network_data(machine, kind, secret, reference)
            elif _entries(secret):  # a controller may fill in an empty one
                reference = machine.in_instance("volumes", index, kind, fields.reference, "name")
                is_alone = not any(
                    source.get(other)
                    for each in CLOUD_INIT_FIELDS
                    for other in (each.plain, each.base64, each.reference)
                    if other != fields.reference
                )
                yield MissingKey(machine, role, kind, reference, secret, fields.keys, is_alone)
        for key in (fields.plain, fields.base64):
            text = source.get(key)
            content = _content(text, is_base64=key == fields.base64)
            if content:
                field = machine.in_instance("volumes", index, kind, key)
                is_base64 = key == fields.base64
                yield GuestFile(machine, role, kind, machine.resource, field, content, is_base64)
                break  # KubeVirt reads the first one that is not empty


def _unread_network_data(
    machine: VirtualMachineView, kind: str, secret: Resource, reference: FieldPath
) -> Iterator[GuestFile]:
    """Yield the network data in a Secret of which the pod of the instance gets only the user data."""
    entry = _first_entry(secret, NETWORK_DATA.keys)
    if entry:
        for file in _file_of_entry(machine, Role.NETWORK_DATA, kind, secret, entry):
            yield file._replace(unread_at=reference)


def _answer_files(
    machine: VirtualMachineView, index: int, source: JsonObject, find: Find
) -> Iterator[GuestFile | MissingKey]:
    for field, kind in (("configMap", CONFIG_MAP), ("secret", SECRET)):
        name = text_at(source, field, "name")
        for resource in find(kind, name, machine.namespace) if name else ():
            found = _answer_file_entries(resource)
            for entry in found:
                yield from _file_of_entry(machine, Role.ANSWER_FILE, SYSPREP, resource, entry)
            if not found and _entries(resource):
                reference = machine.in_instance("volumes", index, SYSPREP, field, "name")
                yield MissingKey(
                    machine, Role.ANSWER_FILE, SYSPREP, reference, resource, ANSWER_FILES, is_alone=True
                )


def _secrets_of_copies(
    machine: VirtualMachineView, find: Find, kind: str, name: str, namespace: str
) -> Sequence[Resource]:
    """Return the objects with the name and an index, of which each machine of a pool reads its own."""
    copies = range(min(machine.replicas, _MOST_COPIES))
    return [found for copy in copies for found in find(kind, f"{name}-{copy}", namespace)]


@once_for_same
def _entries(resource: Resource) -> Sequence[_Entry]:
    """Return the data of a Secret or ConfigMap, once for all machines: first what wins over the others."""
    found = tuple(_read_entries(resource))
    spend(_STEPS_PER_ENTRY * len(found), "reading the data of Secrets")
    return found


@once_for_same
def _first_entry(resource: Resource, keys: tuple[str, ...]) -> _Entry | None:
    """Return the entry of the first of the keys that an object has."""
    found = (each for key in keys for each in _entries(resource) if each.key == key)
    return next(found, None)


@once_for_same
def _answer_file_entries(resource: Resource) -> Sequence[_Entry]:
    return [each for each in _entries(resource) if each.key.lower() in ANSWER_FILES]


def _read_entries(resource: Resource) -> Iterator[_Entry]:
    match (resource.gvk.group, resource.kind):
        case made if made == _SEALED_SECRET:
            for parents in (("spec", "encryptedData"), ("spec", "template", "data")):
                for key in object_at(resource.content, *parents):
                    yield _Entry(FieldPath((*parents, key)), key, None)
        case made if made == _EXTERNAL_SECRET:
            yield from _keys_of_external_secret(object_at(resource.content, "spec"))
        case _:
            fields = ("stringData", "data") if resource.kind == SECRET else ("data", "binaryData")
            for field in fields:
                is_base64 = field == "binaryData" or (field == "data" and resource.kind == SECRET)
                for key, value in object_at(resource.content, field).items():
                    content = _content(value, is_base64=is_base64)
                    yield _Entry(FieldPath.of(field, key), key, value, content, is_base64)


def _keys_of_external_secret(spec: JsonObject) -> Iterator[_Entry]:
    """Yield the keys that External Secrets gives the Secret; none if they are not all in the repository.

    A template replaces the data, unless its ``mergePolicy`` says otherwise (external-secrets
    ``pkg/controllers/externalsecret/externalsecret_controller_template.go`` applyTemplate).
    """
    target, template = object_at(spec, "target"), object_at(spec, "target", "template")
    if spec.get("dataFrom") or template.get("templateFrom") or target.get("creationPolicy") in _NOT_OWNED:
        return
    templated = object_at(template, "data")
    for key in templated:
        yield _Entry(FieldPath.of("spec", "target", "template", "data", key), key, None)
    if not templated or template.get("mergePolicy") == "Merge":
        for index, element in enumerate(array_at(spec, "data")):
            key = text_at(element, "secretKey")
            if key:
                yield _Entry(FieldPath.of("spec", "data", index, "secretKey"), key, None)


def _file_of_entry(
    machine: VirtualMachineView,
    role: Role,
    volume: str,
    resource: Resource,
    entry: _Entry,
) -> Iterator[GuestFile]:
    if entry.content and not is_ciphertext(entry.value):
        written = resource.data_place(entry.key)
        path = written.file if written and not written.line else ""
        yield GuestFile(machine, role, volume, resource, entry.field, entry.content, entry.is_base64, path)


def _content(value: Json, *, is_base64: bool) -> bytes:
    """Return the bytes of a value; none for a value that is not text, or that the schema refuses."""
    if not isinstance(value, str):
        return b""
    if not is_base64:
        return value.encode("utf-8", "surrogatepass")
    try:
        return b64decode("".join(value.split()), validate=True)
    except (binascii.Error, ValueError):
        return b""
