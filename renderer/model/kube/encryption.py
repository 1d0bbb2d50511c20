"""Objects that SOPS has encrypted. vmrender has no key, and needs none: it writes them as they are.

Flux decrypts them when it applies them (kustomize-controller ``internal/decryptor/decryptor.go``). It reads
an object as JSON, and does not verify the MAC: what matters is the ciphertext, and the path of keys to it.
"""

from __future__ import annotations

from collections.abc import Collection

from renderer.model.kube.json import Json
from renderer.model.kube.resource import Resource
from renderer.model.plural import plural

#: The field that SOPS adds: the encrypted keys, the rules about which values are encrypted, and the MAC.
SOPS = "sops"
_CIPHERTEXT = "ENC[AES256_GCM,"
_MOST_NAMED = 5


def is_encrypted(resource: Resource) -> bool:
    """Return True if SOPS has encrypted the object, or some of its values."""
    return isinstance(resource.content.get(SOPS), dict)


def is_ciphertext(value: Json) -> bool:
    """Return True for a value in the form that SOPS encrypts values into (``aes/cipher.go``)."""
    return isinstance(value, str) and value.startswith(_CIPHERTEXT)


def has_ciphertext(value: Json) -> bool:
    """Return True if any value of an object is encrypted, so that nobody can compare it without the key."""
    if isinstance(value, dict):
        return any(map(has_ciphertext, value.values()))
    return any(map(has_ciphertext, value)) if isinstance(value, list) else is_ciphertext(value)


def holds_ciphertext(line: str) -> bool:
    """Return True if a line of a file has an encrypted value, or an encrypted comment."""
    return _CIPHERTEXT in line


def public_names(encrypted: Collection[Resource]) -> str:
    """Return the kinds and first names of encrypted objects; a name that is ciphertext is not shown."""
    shown = [
        f"{each.kind} {each.name}"
        for each in encrypted
        if not is_ciphertext(each.kind) and not is_ciphertext(each.name)
    ]
    hidden = len(encrypted) - len(shown)
    names = [
        *shown[:_MOST_NAMED],
        *([f"{plural(hidden, 'object')} with an encrypted name"] if hidden else []),
    ]
    return ", ".join(names) + (", …" if len(shown) > _MOST_NAMED else "")
