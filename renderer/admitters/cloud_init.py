"""cloud-init volumes: where their data comes from, and how much it is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from renderer.admitters.cause import Causes, invalid
from renderer.admitters.vmi_spec import has, section, text
from renderer.admitters.volume import Volume
from renderer.model.field_path import FieldPath
from renderer.model.json import JsonObject

_SOURCES = ("cloudInitNoCloud", "cloudInitConfigDrive")
_MOST_BYTES = 2048
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_NOT_BASE64 = re.compile(r"[^A-Za-z0-9+/]")


def check_cloud_init(volume: Volume) -> Causes:
    source = next((source for source in _SOURCES if has(volume.content, source)), None)
    if source is None:
        return
    data = section(volume.content, source)
    users, networks = _sources(data, "userData"), _sources(data, "networkData")
    for kind, sources in (("userData", users), ("networkData", networks)):
        if sources:
            yield from _check_data(volume.at(source), data, kind, sources)
    if not users and not networks:
        yield invalid(volume.at(source), f"{source} has neither user data nor network data")


def _check_data(at: FieldPath, data: JsonObject, kind: str, sources: Sequence[str]) -> Causes:
    length = len(text(data, kind).encode(errors="replace"))
    encoded = text(data, f"{kind}Base64")
    if encoded:
        decoded, is_valid = _decoded_length(encoded)
        if not is_valid:
            yield invalid(at.child(f"{kind}Base64"), f"{kind}Base64 is not base64")
        length = length or decoded
    if len(sources) > 1:
        message = f"the {kind} is given more than once: {', '.join(sources)}"
        yield invalid(at, message, "keep one of them")
    if length > _MOST_BYTES:
        hint = f"put it into a Secret and name that in {_secret_key(kind)}"
        yield invalid(at, f"the {kind} has {length} bytes; {_MOST_BYTES} fit into a VM", hint)


def _sources(data: JsonObject, kind: str) -> list[str]:
    secret = _secret_key(kind)
    named = [secret] if secret in data and text(section(data, secret), "name") else []
    return named + [key for key in (f"{kind}Base64", kind) if data.get(key)]


def _secret_key(kind: str) -> str:
    """``secretRef`` of the Go type's UserDataSecretRef; that of network data has a name of its own."""
    return "secretRef" if kind == "userData" else "networkDataSecretRef"


def _decoded_length(encoded: str) -> tuple[int, bool]:
    """How many bytes Go decodes, up to the first character that is wrong, and whether there is none.

    Line breaks do not count, padding does.
    """
    characters = encoded.replace("\n", "").replace("\r", "")
    if _BASE64.fullmatch(characters):
        return len(characters) // 4 * 3 - characters.count("="), True
    return len(_NOT_BASE64.split(characters, maxsplit=1)[0]) // 4 * 3, False
