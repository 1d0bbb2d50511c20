"""Find the fields of an object that hold a credential, in whatever form and encoding.

A field is judged by its name, its text, and what is in the text: YAML and JSON, base64 on one line or
several, compressed data, percent-encoding, UTF-16. So a Secret, cloud-init data or a password is found in a
Template, an Application, the values of a chart, a copy that a tool keeps, or a file of a ConfigMap as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

from renderer.kubevirt.facts.confidential.fields import (
    ANSWER_FILES,
    IGNITION,
    LAUNCH_SECURITY,
    SECTIONS_OF_SECRETS,
    START_DATA,
    is_answer_file,
    is_reference_to_secret,
    is_value_key,
)
from renderer.kubevirt.facts.kinds import SECRET
from renderer.kubevirt.guest_data.credentials import (
    CHPASSWD,
    is_plaintext,
    may_have_credentials,
    set_passwords,
)
from renderer.model.credential_text.commands import (
    credential_arguments,
    may_quote_command,
    passwords_of_commands,
    passwords_of_listed_commands,
)
from renderer.model.credential_text.form import is_credential_value
from renderer.model.credential_text.names import (
    KEYS_OF_NAMES,
    is_credential_field,
    named_credentials,
    names_credential,
)
from renderer.model.credential_text.search import credential_forms, may_be_credential
from renderer.model.diagnostic import DiagnosticError
from renderer.model.encoded_text import content_of_base64, text_in
from renderer.model.kube.field_path import Segment
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.pattern import pattern
from renderer.model.run.readings import percent_decoded
from renderer.model.run.work import spend
from renderer.yamlio.decode import decode_documents
from renderer.yamlio.events import MalformedError, document_count

_Path: TypeAlias = tuple[Segment, ...]

#: What a SealedSecret has is made to be in Git. It is long, as it begins with a key that RSA has encrypted
#: (sealed-secrets ``pkg/crypto/crypto.go`` HybridEncrypt).
_SEALED_SECTION, _SEALED = "encryptedData", pattern(r"[A-Za-z0-9+/]{100,}={0,2}")
_START_DATA_KEYS = frozenset(key.lower() for key in (*START_DATA, IGNITION))
#: Text that cannot be a credential, even in a field with the name of one: a word, a number, a path, an image.
_PLAIN = pattern(r"[a-z0-9/.-]{0,19}|[a-z0-9]+(?:[/.-][a-z0-9]+){1,20}")
#: What a text has, in lower case, that may be YAML or JSON with a credential in it.
_SIGNS_OF_TREE = (
    *("pass", "pw", "psk", "secret", "token", "cred", "key", "auth", "cookie", "jwt", "bearer", "connection"),
    *("dsn", "sig", "unattend", "ignition", "stringdata", "session", "dhcert", r"\u", r"\x", "*", "args"),
    "command",
    *(f"{what}{sign}data" for what in ("user", "network") for sign in ("", "-", "_", "-_")),
)
_SECRET_IN_TEXT = pattern(r"kind\W{1,9}secret\b|stringData", re.IGNORECASE)
_BASE64 = pattern(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}={0,2}")
_BASE64_LINES = pattern(
    r"(?<![A-Za-z0-9+/_-])(?:[A-Za-z0-9+/_-]{16,}"
    r"\t*+(?:[ ][ \t]*+(?:(?:\r?\n|\\n)[ \t]*+)?|(?:\r?\n|\\n)[ \t]*+))+[A-Za-z0-9+/_-]+={0,2}"
)
#: PKCS #1, PKCS #8 and SEC 1 keys in DER: a sequence that begins with version 0 or 1. Certificates do not.
_DER_KEY = pattern(
    rb"0(?:\x81.|\x82..|[\x20-\x7f])\x02\x01[\x00\x01](?:\x02[\x41-\xff]|0[\x03-\x20]\x06|\x04[\x14-\x50])",
    re.DOTALL,
)
_KEY_STORE = (b"\xfe\xed\xfe\xed", b"\xce\xce\xce\xce")
#: Characters that unpacking adds to a text, which are searched in one step (``model.run.work``).
_UNPACKED_PER_STEP = 3
#: YAML in base64 in YAML is read, and nothing deeper.
_DEEPEST = 5


def may_hold_credential(text: str) -> bool:
    """Return False if there is surely no credential in the text of a document."""
    return may_be_credential(text) or _may_be_tree(text) or _BASE64.search(text) is not None


def _may_be_tree(text: str) -> bool:
    """Return False if a text is surely no YAML or JSON with a credential in it."""
    lowered = text.lower()
    return any(sign in lowered for sign in _SIGNS_OF_TREE) or may_quote_command(text)


def credential_fields(value: Json, path: _Path = ()) -> Iterator[_Path]:
    """Yield the paths of fields that hold a credential."""
    yield from _in_value(value, path, 0)


def holds_credential(value: Json) -> bool:
    """Return True if a value is a credential, or has a field that holds one."""
    return next(credential_fields(value), None) is not None


def is_copy_of_object(text: str) -> bool:
    """Return True if the value of an annotation is a copy of an object, as tools keep one to compare with."""
    return any(
        "kind" in document or "metadata" in document or "spec" in document or "data" in document
        for reading in (text, *_readings(text))
        for document in _documents(reading) or ()
        if isinstance(document, dict)
    )


def _in_value(value: Json, path: _Path, depth: int) -> Iterator[_Path]:
    if isinstance(value, dict):
        yield from _in_mapping(value, path, depth)
    elif isinstance(value, list):
        yield from _in_list(value, path, depth)
    elif isinstance(value, str) and _is_credential_text(value, depth):
        yield path


def _in_mapping(mapping: JsonObject, path: _Path, depth: int) -> Iterator[_Path]:
    if path or depth:
        for section in SECTIONS_OF_SECRETS:
            is_secret = text_at(mapping, "kind").lower() == SECRET.lower() or section == "stringData"
            if is_secret and any(map(is_credential_value, object_at(mapping, section).values())):
                yield (*path, section)
    name = next((text_at(mapping, key) for key in KEYS_OF_NAMES if text_at(mapping, key)), "")
    name = name or text_at(mapping, "path").rpartition("/")[2]  # an operation of a JSON patch
    for key, child in mapping.items():
        here = (*path, key)
        if key == _SEALED_SECTION and isinstance(child, dict):
            yield from _in_value(
                {name: each for name, each in child.items() if not _is_sealed(each)}, here, depth
            )
            continue
        if (
            _is_credential_text(key, depth)
            or (key == "value" and names_credential(name) and is_credential_value(child))
            or _is_confidential_entry(mapping, key, child)
        ):
            yield here
        elif key == CHPASSWD and (found := [at for at, word in set_passwords(child) if is_plaintext(word)]):
            yield from ((*here, *at) for at in found)
        elif key == "args" and isinstance(child, list):
            yield from _in_list(child, here, depth, array_at(mapping, "command"))
        else:
            yield from _in_value(child, here, depth)


def _is_sealed(value: Json) -> bool:
    return isinstance(value, str) and _SEALED.fullmatch(value) is not None


def _is_confidential_entry(mapping: JsonObject, key: str, child: Json) -> bool:
    """Return True if the key of an entry says that its value is a credential."""
    if isinstance(child, str) and child:
        if key.lower() in ANSWER_FILES or key in LAUNCH_SECURITY:
            return True
        if key.replace("-", "").replace("_", "").lower() in _START_DATA_KEYS:
            return may_have_credentials(_decoded_start_data(child) if key.endswith("64") else child)
        if key == "auth" and ":" in _decoded(child):  # of a registry, in a file of docker
            return True
    if isinstance(child, dict) and is_reference_to_secret(key):
        return any(is_value_key(name) and is_credential_value(each) for name, each in child.items())
    if not is_credential_field(mapping, key):
        return False
    return is_credential_value(child) or (
        isinstance(child, list) and any(isinstance(each, str) and is_credential_value(each) for each in child)
    )


def _in_list(
    values: Sequence[Json], path: _Path, depth: int, command: Sequence[Json] = ()
) -> Iterator[_Path]:
    """``command`` has the arguments before the values, if they are arguments."""
    confidential = credential_arguments(values, command)
    for index, value in enumerate(values):
        here = (*path, index)
        if index in confidential:
            yield here
        else:
            yield from _in_value(value, here, depth)


@lru_cache(maxsize=8192)  # the objects of a cluster have few different texts
def _is_credential_text(text: str, depth: int = 0) -> bool:
    if _PLAIN.fullmatch(text):
        return False
    if (
        next(credential_forms(text), None)
        or next(passwords_of_commands(text), None)
        or next(passwords_of_listed_commands(text), None)
        or is_answer_file(text)
    ):
        return True
    if depth >= _DEEPEST:
        return False
    documents = _documents(text)
    is_json = bool(documents) and text.lstrip().startswith(("{", "[", '"')) and _is_one_document(text)
    if not is_json and next(named_credentials(text), None):  # in JSON, the walk finds them by their keys
        return True
    if documents is None and _SECRET_IN_TEXT.search(text):
        return True
    return any(_is_credential_text(reading, depth + 1) for reading in _readings(text)) or any(
        True for each in documents or () if each != text for _ in _in_value(each, (), depth + 1)
    )


def _is_one_document(text: str) -> bool:
    """Return False for ``[client]`` on the first of several lines: readers of YAML ignore what follows."""
    try:
        return document_count(text) == 1
    except MalformedError:
        return False


def _documents(text: str) -> Sequence[Json] | None:
    """Return the YAML documents that a text is, if any may hold a credential; None if it is not YAML."""
    if not (text.lstrip().startswith(("{", "[", '"')) or (":" in text and _may_be_tree(text))):
        return ()
    try:
        return decode_documents(text.encode("utf-8", "surrogatepass"), "text")
    except (DiagnosticError, ValueError):
        return None


def _readings(text: str) -> Iterator[str]:
    """Yield the text decoded from each encoding that it may be in."""
    if "%" in text:
        yield percent_decoded(text)
    for form in (_BASE64, _BASE64_LINES):
        for found in form.finditer(text):
            decoded = _decoded(found[0])
            spend(max(0, len(decoded) - len(found[0])) // _UNPACKED_PER_STEP, "looking for credentials")
            if decoded and decoded != text:
                yield decoded


def _decoded(text: str) -> str:
    """Return the text that base64 encodes; a name of it for a private key in another format, else nothing."""
    content = content_of_base64(text)
    return (
        "BEGIN PRIVATE KEY" if _DER_KEY.match(content) or content.startswith(_KEY_STORE) else text_in(content)
    )


def _decoded_start_data(text: str) -> str:
    """Return the decoded text; for data that is not text (maybe compressed), a text with a credential."""
    return _decoded(text) or "password"
