"""SHA-256 (FIPS 180-4) and the HMAC of it (RFC 2104), without OpenSSL as long as little is hashed.

``hashlib`` and ``hmac`` load OpenSSL, which takes 4 ms and 5 MB. Python also has an SHA-256 of its own, which
takes 3 ms more for each MB. So the first MB of a process is left to that one.
"""

from __future__ import annotations

from _operator import _compare_digest
from typing import TYPE_CHECKING, AnyStr

if TYPE_CHECKING:
    from hashlib import _Hash
    from hashlib import sha256 as _own_sha256
else:
    try:
        from _sha2 import sha256 as _own_sha256
    except ImportError:
        try:
            from _sha256 import sha256 as _own_sha256  # CPython 3.11
        except ImportError:
            from hashlib import sha256 as _own_sha256

#: So many bytes take as much longer without OpenSSL as it takes to load.
_FEW = 1_000_000
_BLOCK_SIZE = 64
_INNER, _OUTER = (bytes(byte ^ pad for byte in range(256)) for pad in (0x36, 0x5C))


class Sha256:
    """Hashes by Python's own code, and by OpenSSL after the first ``few`` bytes."""

    def __init__(self, few: int = _FEW) -> None:
        self._left = few

    def __call__(self, content: bytes) -> _Hash:
        self._left -= len(content)
        if self._left >= 0:
            return _own_sha256(content)
        from hashlib import sha256  # noqa: PLC0415 - loads OpenSSL

        return sha256(content)


_hash = Sha256()


def sha256(content: bytes | str) -> str:
    """Return the SHA-256 in hexadecimal; of a text, that of its UTF-8, in which half characters may stand."""
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogatepass")
    return _hash(content).hexdigest()


def hmac_sha256(key: bytes, content: bytes) -> bytes:
    """Return the signature of ``content`` by ``key``."""
    if len(key) > _BLOCK_SIZE:
        key = _hash(key).digest()
    key = key.ljust(_BLOCK_SIZE, b"\0")
    inner = _hash(key.translate(_INNER) + content).digest()
    return _hash(key.translate(_OUTER) + inner).digest()


def is_same_digest(one: AnyStr, other: AnyStr) -> bool:
    """Compare in a time that says nothing about where they differ; texts must be ASCII."""
    return _compare_digest(one, other)
