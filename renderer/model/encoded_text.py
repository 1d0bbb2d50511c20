"""What text that seems to be base64 encodes, and the text that bytes are, however they were written."""

from __future__ import annotations

import zlib
from base64 import b64decode
from contextlib import suppress

from renderer.model.pattern import pattern

#: Decoded bytes that are no text begin to be random early.
_CONTROL = pattern(r"[\x00-\x08\x0e-\x1f\x7f]")
_NOT_BASE64 = pattern(r"\\n|\s|=")
_STANDARD = str.maketrans("-_", "+/")
_GZIP, _BZIP2, _XZ = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0"
#: The headers of zlib's four levels.
_ZLIB = (b"x\x01", b"x\x5e", b"x\x9c", b"x\xda")
#: bzip2 and xz unpack a few bytes into megabytes: what a text needs at most, as a multiple of the bytes, and
#: the bytes that xz may use meanwhile.
_MOST_TIMES, _MOST_MEMORY = 64, 64 * 1024 * 1024
_MOST_DECOMPRESSED = 4 * 1024 * 1024


def content_of_base64(text: str) -> bytes:
    """Return what base64 encodes, unpacked if it is compressed; nothing if it is not base64."""
    return _unpacked(bytes_of_base64(text))


def bytes_of_base64(text: str) -> bytes:
    """Return what base64 in either alphabet encodes; nothing if it is not base64.

    It may be on several lines, also with their ends escaped, and lack the signs at its end.
    """
    digits = _NOT_BASE64.sub("", text).translate(_STANDARD)
    try:
        return b64decode(digits + "=" * (-len(digits) % 4))
    except ValueError:
        return b""


def _unpacked(content: bytes) -> bytes:
    """Return the beginning of what gzip, zlib, bzip2 or xz has compressed; other content as it is."""
    if content.startswith(_GZIP):
        try:
            return zlib.decompressobj(wbits=zlib.MAX_WBITS | 16).decompress(content, _MOST_DECOMPRESSED)
        except zlib.error:
            return b""
    if content.startswith(_ZLIB):
        with suppress(zlib.error):
            return zlib.decompressobj().decompress(content, _MOST_DECOMPRESSED)
    most = min(_MOST_DECOMPRESSED, _MOST_TIMES * len(content))
    with suppress(ImportError):  # Python may be built without these libraries
        if content.startswith(_BZIP2):
            from bz2 import BZ2Decompressor  # noqa: PLC0415 - few texts are compressed

            with suppress(OSError):
                return BZ2Decompressor().decompress(content, most)
        if content.startswith(_XZ):
            from lzma import LZMADecompressor, LZMAError  # noqa: PLC0415 - as above

            with suppress(LZMAError):
                return LZMADecompressor(memlimit=_MOST_MEMORY).decompress(content, most)
    return content


def text_in(content: bytes) -> str:
    """Return the text that bytes are in UTF-8 or UTF-16; an empty one if they are neither."""
    encoding = "utf-8"
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    elif content[:1] == b"\0":
        encoding = "utf-16-be"
    elif content[1:2] == b"\0":
        encoding = "utf-16-le"
    try:
        decoded = content.decode(encoding)
    except UnicodeDecodeError:
        return ""
    return "" if _CONTROL.search(decoded) else decoded
