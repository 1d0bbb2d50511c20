"""Base64 as Go decodes it, in the ``data`` of a Secret and elsewhere."""

from __future__ import annotations

from base64 import b64decode

_LINE_BREAKS = str.maketrans("", "", "\r\n")


def decoded_base64(text: str) -> bytes:
    """Return the bytes. Line breaks do not count; raises ``ValueError`` for anything else that is not base64.

    Go ``src/encoding/base64/base64.go`` ``Decode``.
    """
    return b64decode(text.translate(_LINE_BREAKS), validate=True)
