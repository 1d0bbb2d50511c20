"""Files that a command generates into a folder with their digests: what anybody else wrote there stays."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from renderer.files.file_system import FileSystem, present_content
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.digest import sha256
from renderer.model.digest_list import SUMS, digest_list, listed_digests

_HINT = "nothing was written: move it away, or remove it if it may be generated again"


class GeneratedFiles(NamedTuple):
    """The files to write, with the list of their digests, and what is there ``before``, both by path."""

    writes: Mapping[str, bytes]
    before: Mapping[str, bytes | None]


def plan_generated_files(
    fs: FileSystem, folder: str, files: Mapping[str, bytes], others: Collection[str] = ()
) -> GeneratedFiles:
    """Return what to write so that ``folder`` contains ``files``, and a list of digests for ``sha256sum``.

    Digests of other files stay in the list while they exist; digests of ``others`` are computed again.

    Raises ``DiagnosticError``: foreign-file for a file without its digest in the list, and for a list that
    names anything but schemas.
    """
    before = {name: present_content(fs, f"{folder}/{name}") for name in (*files, SUMS)}
    recorded = dict(listed_digests(before[SUMS] or b""))
    foreign = [
        name
        for name, content in files.items()
        if before[name] not in (None, content) and recorded.get(name) != _digest(before[name] or b"")
    ]
    if not all(name.endswith(".json") for name in recorded):
        foreign.append(SUMS)
    if foreign:
        raise DiagnosticError(*(_foreign(f"{folder}/{name}") for name in foreign))
    sums = {name: digest for name, digest in recorded.items() if fs.is_file(f"{folder}/{name}")}
    sums |= {name: _digest(fs.read(f"{folder}/{name}")) for name in others}
    sums |= {name: _digest(content) for name, content in files.items()}
    written = {**files, SUMS: digest_list(sums).encode()}
    return GeneratedFiles(
        {f"{folder}/{name}": content for name, content in written.items()},
        {f"{folder}/{name}": content for name, content in before.items()},
    )


def _digest(content: bytes) -> str:
    """Return the digest of a file as it was written, also if Git has changed the ends of its lines."""
    return sha256(content.replace(b"\r\n", b"\n"))


def _foreign(path: str) -> Diagnostic:
    message = f"{path} was not generated here, or was edited since"
    return Diagnostic.in_file(path, Code.FOREIGN_FILE, message, _HINT)
