"""Move the parts of objects that hold credentials to Secrets whose values stay in the cluster.

This affects Secrets, ConfigMaps with answer files of Windows or other credentials, and start data of a
virtual machine that seems to contain credentials. An object with a credential in another field
(``credential_fields``), or with one that no output shows (``withheld_fields``), is not written, nor is one
that repeats a credential of a Secret in the dump (``KnownCredentials``); only a copy of an object in an
annotation is left out alone. Start data moves to a Secret, which the volume then references (KubeVirt
``staging/src/kubevirt.io/api/core/v1/schema.go`` CloudInitNoCloudSource: ``secretRef`` and
``networkDataSecretRef``); the guest sees the same data.
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Sequence
from itertools import accumulate, chain, compress
from operator import and_

from renderer.kubevirt.facts.cloud_init import CLOUD_INIT_FIELDS, CLOUD_INIT_VOLUMES
from renderer.kubevirt.facts.confidential.conditions import INPUTS_OF_SETS
from renderer.kubevirt.facts.confidential.fields import ANSWER_FILES, IGNITION, SECTIONS_OF_SECRETS
from renderer.kubevirt.facts.confidential.masked import holds_secret
from renderer.kubevirt.facts.confidential.object_fields import withheld_fields
from renderer.kubevirt.facts.confidential.scope import is_name
from renderer.kubevirt.facts.confidential.secret_values import (
    confidential_texts,
    credentials_in,
    credentials_of_machines,
    fields_of_secrets,
    readings_of_texts,
    secret_values,
)
from renderer.kubevirt.facts.kinds import CONFIG_MAP, SECRET
from renderer.kubevirt.facts.virtual_machine import virtual_machine_paths
from renderer.kubevirt.guest_data.credential_fields import (
    credential_fields,
    holds_credential,
    is_copy_of_object,
)
from renderer.kubevirt.guest_data.credentials import may_have_credentials
from renderer.model.credential_text.names import names_credential_of
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY, Json, JsonObject, array_at, object_at, text_at, with_value
from renderer.model.masking import NOTHING, Masking
from renderer.model.pattern import pattern
from renderer.model.record import Record

#: Fields of cloud-init with text, the field for the reference that replaces them, and the key of the Secret.
_START_DATA = tuple(
    (field, fields.reference, fields.keys[0])
    for fields in CLOUD_INIT_FIELDS
    for field in (fields.plain, fields.base64)
)
_LONGEST_NAME = 253
_WORD = pattern(r"[a-z]+")


class Placeholder(Record):
    """An object to seal, with its keys and without values; ``moved_from`` are the fields that move to it."""

    content: JsonObject
    moved_from: tuple[FieldPath, ...] = ()


class Withheld(Record):
    """An object without its credentials.

    ``content`` is None if nothing of it can be written. ``fields`` are the fields that were removed from the
    object, or the fields because of which it cannot be written, up to a key that holds the credential.
    """

    content: JsonObject | None
    placeholders: tuple[Placeholder, ...] = ()
    fields: tuple[FieldPath, ...] = ()


class KnownCredentials:
    """Credentials that other objects of a dump may repeat: in Secrets, start data, inputs of ResourceSets.

    Of a Secret, the values named like a credential count, and the credentials in the others. It need not be
    imported: a controller or another team may have made it.
    """

    def __init__(self) -> None:
        self._values: set[str] = set()
        self._sets: list[JsonObject] = []

    def add(self, content: JsonObject) -> None:
        """Add the values of an object of the dump."""
        kind = text_at(content, "kind")
        self._values |= credentials_of_machines(content)
        if kind == SECRET:
            for key, text in confidential_texts(content):
                is_named = names_credential_of(key)
                self._values.update(readings_of_texts([text]) if is_named else credentials_in(text))
        elif kind in INPUTS_OF_SETS:
            self._sets.append(content)

    def masking(self) -> Masking:
        """Return the search for the values; a word in small letters may be the name of an object."""
        values = self._values | secret_values(self._sets)
        return Masking(value for value in values if not _WORD.fullmatch(value))


def withhold(content: JsonObject, known: Masking = NOTHING) -> Withheld:
    """Return the object without credentials, and without ``known`` values; itself if it has none."""
    withheld = _without_credentials(_without_copies(content), known)
    written = (withheld.content, *(each.content for each in withheld.placeholders))
    for each in written:
        found = each or EMPTY
        fields = chain(
            map(FieldPath, credential_fields(found)), fields_of_secrets(found), withheld_fields(found, known)
        )
        field = next(fields, None)
        if field is not None:
            return Withheld(None, (), (_without_credential_in_key(field),))
    return withheld


def _without_credential_in_key(field: FieldPath) -> FieldPath:
    """Return the path up to the first key that no field has, or that holds a credential itself."""
    is_shown = (
        not isinstance(key, str) or (is_name(key) and not holds_credential(key)) for key in field.segments
    )
    return FieldPath(tuple(compress(field.segments, accumulate(is_shown, and_))))


def _without_copies(content: JsonObject) -> JsonObject:
    """Return the object without annotations in which a tool keeps a copy of it that has a credential."""
    annotations = object_at(content, "metadata", "annotations")
    kept = {
        key: text
        for key, text in annotations.items()
        if not (isinstance(text, str) and is_copy_of_object(text) and holds_credential(text))
    }
    if len(kept) == len(annotations):
        return content
    return with_value(content, ("metadata", "annotations"), kept)


def _without_credentials(content: JsonObject, known: Masking) -> Withheld:
    kind, api_version = text_at(content, "kind"), text_at(content, "apiVersion")
    if kind == SECRET:
        return Withheld(None, (Placeholder(_without_secret_values(content)),))
    if (api_version, kind) == ("v1", CONFIG_MAP):
        keys = (*object_at(content, "data"), *object_at(content, "binaryData"))
        texts = {key: content[key] for key in ("data", "binaryData") if key in content}
        is_answer_file = any(key.lower() in ANSWER_FILES for key in keys)
        if is_answer_file or holds_credential(texts) or holds_secret(texts, known):
            return Withheld(None, (Placeholder(_without_secret_values(content)),))
        return Withheld(content)
    paths = virtual_machine_paths(content)
    if paths is None:
        return Withheld(content)
    ignition = (*paths.template.keys, "metadata", "annotations", IGNITION)
    if may_have_credentials(text_at(content, *ignition)):
        return Withheld(None, (), (FieldPath(ignition),))
    return _without_start_data(content, paths.instance.keys, known)


def _without_start_data(content: JsonObject, instance: tuple[str, ...], known: Masking) -> Withheld:
    """Return a virtual machine whose cloud-init data with credentials is moved to Secrets."""
    machine = object_at(content, "metadata")
    volumes: list[Json] = []
    placeholders: list[Placeholder] = []
    for index, volume in enumerate(array_at(content, *instance, "volumes")):
        source_key = next((key for key in CLOUD_INIT_VOLUMES if key in object_at(volume)), "")
        source = object_at(volume, source_key)
        confidential = _confidential_start_data(source, known)
        if not confidential:
            volumes.append(volume)
            continue
        volume_name = text_at(volume, "name") or "cloud-init"
        name = f"{text_at(machine, 'name')}-{volume_name}"[:_LONGEST_NAME].rstrip("-.")
        volumes.append({**object_at(volume), source_key: _with_secret_references(source, name)})
        metadata: dict[str, Json] = {"name": name}
        if text_at(machine, "namespace"):
            metadata["namespace"] = text_at(machine, "namespace")
        secret: JsonObject = {
            "apiVersion": "v1",
            "kind": SECRET,
            "metadata": metadata,
            "stringData": {key: "" for field, _, key in _START_DATA if field in confidential},
        }
        fields = tuple(FieldPath.of(*instance, "volumes", index, source_key, key) for key in confidential)
        placeholders.append(Placeholder(secret, fields))
    if not placeholders:
        return Withheld(content)
    moved = tuple(field for each in placeholders for field in each.moved_from)
    return Withheld(with_value(content, (*instance, "volumes"), volumes), tuple(placeholders), moved)


def _confidential_start_data(source: JsonObject, known: Masking) -> Sequence[str]:
    """Return the fields with start data if any of them has credentials, as they move together; else none."""
    texts = {field: text_at(source, field) for field, _, _ in _START_DATA if text_at(source, field)}
    for field, text in texts.items():
        plain = _decoded_base64(text) if field.endswith("Base64") else text
        if may_have_credentials(plain) or holds_credential(plain) or known.is_in(plain):
            return tuple(texts)
    return ()


def _decoded_base64(text: str) -> str:
    """Return the decoded text; for data that is not text (maybe compressed), a text with a credential."""
    try:
        return b64decode(text, validate=False).decode()
    except (binascii.Error, ValueError):
        return "password"


def _with_secret_references(source: JsonObject, name: str) -> JsonObject:
    """Return a cloud-init source with its data replaced by references to the Secret ``name``."""
    fields = {field for field, _, _ in _START_DATA}
    kept = {key: value for key, value in source.items() if key not in fields}
    references = {reference: {"name": name} for field, reference, _ in _START_DATA if source.get(field)}
    return {**kept, **references}


def _without_secret_values(content: JsonObject) -> JsonObject:
    """Return a Secret or ConfigMap with its keys and without values; no name that may hold one is a key."""
    keys = {key: "" for section in SECTIONS_OF_SECRETS for key in object_at(content, section) if is_name(key)}
    field = "stringData" if text_at(content, "kind") == SECRET else "data"
    kept = {key: content[key] for key in ("apiVersion", "kind", "type") if key in content}
    return {**kept, "metadata": _metadata_without_values(content), field: keys}


def _metadata_without_values(content: JsonObject) -> JsonObject:
    """Return the metadata of a Secret without the labels and annotations that repeat one of its values."""
    values = Masking(secret_values([content]))
    metadata = dict(object_at(content, "metadata"))
    for section in ("labels", "annotations"):
        if section in metadata:
            entries = object_at(metadata, section).items()
            metadata[section] = {key: text for key, text in entries if not values.is_in(str(text))}
    return metadata
