"""Lists of SHA-256 digests, as ``sha256sum --check`` reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from renderer.model.digest import sha256
from renderer.model.pattern import pattern

SUMS = "SHA256SUMS"
_LINE = pattern(r"([0-9a-f]{64}) [ *](.+)")


def digest_list(digests: Mapping[str, str]) -> str:
    """Return the list of digests by path."""
    return "".join(f"{digest}  {path}\n" for path, digest in sorted(digests.items()))


def checksums(files: Mapping[str, bytes]) -> str:
    """Return the list of the digests of files by path."""
    return digest_list({path: sha256(content) for path, content in files.items()})


def listed_digests(content: bytes) -> Iterator[tuple[str, str]]:
    """Yield the path and digest in each line of a list; both are empty if the line is malformed."""
    for line in content.decode(errors="replace").splitlines():
        match = _LINE.fullmatch(line)
        yield (match[2], match[1]) if match else ("", "")
