"""Divide user data into parts, as cloud-init does, and say what each of them is.

cloud-init knows a part by its first characters (``cloudinit/handlers/__init__.py`` INCLUSION_TYPES_MAP and
type_from_starts_with), by the type that a MIME message gives it (``cloudinit/user_data.py`` _process_msg), or
as an element of an archive (_explode_archive). Other programs read user data too: Cloudbase-Init on Windows,
Ignition, and operating systems with a format of their own.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from functools import lru_cache

from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import Json
from renderer.model.pattern import pattern
from renderer.model.placeholders import without_placeholders
from renderer.model.record import Record
from renderer.model.text_enum import TextEnum
from renderer.yamlio.decode import decode_yaml11


class Format(TextEnum):
    """What a part of user data is."""

    CLOUD_CONFIG = "cloud-config"
    SCRIPT = "script"
    IGNITION = "Ignition"
    OTHER = "other"  # known, and not looked into
    UNKNOWN = "unknown"  # cloud-init ignores it


class Part(Record):
    """One part. ``line`` is its first line in the user data, from 1; 0 if the part is encoded there."""

    format: Format
    text: str
    line: int


CLOUD_CONFIG_HEADER = "#cloud-config"
JINJA_HEADER = "## template: jinja"
ARCHIVE_HEADER = "#cloud-config-archive"
_JSON_PATCH_HEADER = "#cloud-config-jsonp"
#: The first characters of data that cloud-init reads, in lower case.
CLOUD_INIT_HEADERS = (
    CLOUD_CONFIG_HEADER,
    "#!",
    "#include",
    "#cloud-boothook",
    "#part-handler",
    JINJA_HEADER,
)
#: The first characters of scripts and messages that only Cloudbase-Init reads
#: (``cloudbaseinit/plugins/common/userdatautils.py``), in lower case.
_CLOUDBASE_INIT_HEADERS = ("#ps1", "rem cmd", "<powershell>", "<script>", "content-type:")
#: The first characters of other formats: JSON (Ignition, appliances), XML, TOML (Bottlerocket), and the
#: headers of Alpine's tiny-cloud.
_OTHER_STARTS = ("{", "<", "[", "#alpine-config", "#tiny-cloud")
#: The machine configuration of Talos Linux is YAML without a header
#: (``internal/app/machined/pkg/runtime/v1alpha1/platform/nocloud``).
_TALOS = pattern(r"^(?:machine:|(?:apiVersion|version): *v1alpha1\b)", re.MULTILINE)
#: Butane, which is converted to Ignition's JSON before a guest reads it.
_BUTANE = pattern(r"^variant: *[a-z]", re.MULTILINE)
_GZIP = b"\x1f\x8b"
#: MIME messages have this header within this number of bytes (cloud-init ``user_data.py`` convert_string).
_MIME_HEADER, _MIME_WITHIN = b"mime-version:", 4096
#: Types of MIME parts whose content says what it is.
_BY_CONTENT = ("text/plain", "text/x-not-multipart", "text/x-shellscript")
_MIME_TYPES = {"text/cloud-config": Format.CLOUD_CONFIG, "text/x-shellscript": Format.SCRIPT}
#: A guest's user data is small; a longer text after decompression is not looked into.
_MOST_DECOMPRESSED = 1 << 20


def parts(content: bytes) -> Sequence[Part]:
    """Return the parts of user data; none if it cannot be decompressed, or has messages nested too deep."""
    is_compressed = content.startswith(_GZIP)
    if is_compressed:
        decompressed = _decompressed(content)
        if decompressed is None:
            return ()
        content = decompressed
    if _MIME_HEADER in content[:_MIME_WITHIN].lower():
        try:
            found = tuple(_mime_parts(content))
        except RecursionError:  # of the standard library's parser
            return ()
    else:
        found = tuple(_plain_parts(content.decode("utf-8", "replace")))
    return tuple(part._replace(line=0) for part in found) if is_compressed else found


@lru_cache(maxsize=16)  # the rules read the same data of a machine, one rule after the other
def decode_cloud_config(text: str) -> Json:
    """Return cloud-config with the placeholder word for placeholders. Raises ``DiagnosticError``.

    As in PyYAML, the last of equal keys wins.
    """
    return decode_yaml11(without_placeholders(text).encode("utf-8", "replace"), "userData")


def format_of(text: str) -> Format:
    """Return what a text is by its first characters."""
    start = text.lstrip()[:40].lower()
    if start.startswith(CLOUD_CONFIG_HEADER) and not start.startswith((ARCHIVE_HEADER, _JSON_PATCH_HEADER)):
        return Format.CLOUD_CONFIG
    if start.startswith(("#!", *_CLOUDBASE_INIT_HEADERS[:-1])):
        return Format.SCRIPT
    if start.startswith("{"):
        return Format.IGNITION if '"ignition"' in text else Format.OTHER
    if start.startswith((*CLOUD_INIT_HEADERS, *_CLOUDBASE_INIT_HEADERS, *_OTHER_STARTS)):
        return Format.OTHER
    if is_butane(text):
        return Format.IGNITION
    return Format.OTHER if _TALOS.search(text) else Format.UNKNOWN


def is_butane(text: str) -> bool:
    """Return True if a text is Butane; searching each line of a long one takes a hundred times as long."""
    return "variant:" in text and _BUTANE.search(text) is not None


def _plain_parts(text: str, line: int = 1) -> Iterator[Part]:
    if not text.strip():
        return
    if text.lstrip()[: len(ARCHIVE_HEADER)].lower() == ARCHIVE_HEADER:
        yield from _archived_parts(text)
        return
    if text.lstrip()[: len(JINJA_HEADER)].lower() == JINJA_HEADER:
        first, _, rest = text.partition("\n")  # the header is the first line
        start = rest.lstrip()[: len(JINJA_HEADER)].lower()
        if start.startswith(("{%", "{{", "{#", JINJA_HEADER)):
            yield Part(Format.OTHER, rest, line + 1)
        else:
            yield from _plain_parts(rest, line + 1 if first.strip() else 0)
        return
    yield Part(format_of(text), text, line)


def _archived_parts(text: str) -> Iterator[Part]:
    """Yield the elements of an archive; one that cannot be read is a part of its own."""
    try:
        archive = decode_yaml11(text.encode("utf-8", "replace"), "archive")
    except DiagnosticError:
        archive = None
    if not isinstance(archive, list):
        yield Part(Format.OTHER, text, 1)
        return
    for element in archive:
        entry = element if isinstance(element, dict) else {"content": element}
        content, written_type = entry.get("content"), entry.get("type")
        if isinstance(content, str):
            known = format_of(content)
            default = Format.CLOUD_CONFIG if known is Format.UNKNOWN else known
            of_type = (
                _MIME_TYPES.get(written_type, Format.OTHER) if isinstance(written_type, str) else default
            )
            yield Part(of_type, content, 0)


def _mime_parts(content: bytes) -> Iterator[Part]:
    """Yield the parts of a MIME message."""
    from email import message_from_bytes  # noqa: PLC0415 - few user data are messages

    text, end = content.decode("utf-8", "replace"), 0
    for message in message_from_bytes(content).walk():
        if message.is_multipart():
            continue
        payload = message.get_payload(decode=True)
        if not isinstance(payload, bytes):
            continue
        written = payload.decode("utf-8", "replace")
        start = text.find(written, end) if written.strip() else -1
        line = text.count("\n", 0, start) + 1 if start >= 0 else 0
        end = max(end, start)
        mime_type = message.get_content_type()
        if mime_type in _BY_CONTENT:
            yield from _plain_parts(written, line)
        else:
            yield Part(_MIME_TYPES.get(mime_type, Format.OTHER), written, line)


def _decompressed(content: bytes) -> bytes | None:
    """Return the decompressed data; None if it cannot be read, or is too long."""
    decompressor = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        found = decompressor.decompress(content, _MOST_DECOMPRESSED)
    except zlib.error:
        return None
    return None if decompressor.unconsumed_tail else found
