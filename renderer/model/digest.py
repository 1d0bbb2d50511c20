"""SHA-256 in hexadecimal, and signatures by HMAC (RFC 2104) with it."""

from __future__ import annotations

import hashlib
import hmac


def sha256(content: bytes | str) -> str:
    """Return the SHA-256 in hexadecimal; a text is encoded as UTF-8 and may contain lone surrogates."""
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogatepass")
    return hashlib.sha256(content).hexdigest()


def hmac_sha256(key: bytes, content: bytes) -> bytes:
    """Return the signature of ``content`` by ``key``."""
    return hmac.digest(key, content, "sha256")


def is_same_digest(one: bytes, other: bytes) -> bool:
    """Return True if the digests are equal, in a time that does not reveal how much of them is equal."""
    return hmac.compare_digest(one, other)
