"""Objects that SOPS has encrypted. vmrender has no key, and needs none: it writes them as they are.

Flux decrypts them when it applies them (kustomize-controller ``internal/decryptor/decryptor.go``). It reads
an object as JSON, and does not verify the MAC: what matters is the ciphertext, and the path of keys to it.
"""

from __future__ import annotations

from renderer.model.kube.json import Json
from renderer.model.kube.resource import Resource

#: The field that SOPS adds: the encrypted keys, the rules about which values are encrypted, and the MAC.
SOPS = "sops"
_CIPHERTEXT = "ENC[AES256_GCM,"


def is_encrypted(resource: Resource) -> bool:
    """Return True if SOPS has encrypted the object, or some of its values."""
    return isinstance(resource.content.get(SOPS), dict)


def is_ciphertext(value: Json) -> bool:
    """Return True for a value in the form that SOPS encrypts values into (``aes/cipher.go``)."""
    return isinstance(value, str) and value.startswith(_CIPHERTEXT)


def holds_ciphertext(line: str) -> bool:
    """Return True if a line of a file has an encrypted value, or an encrypted comment."""
    return _CIPHERTEXT in line
