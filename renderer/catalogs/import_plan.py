"""What an import may do to the folder that it writes: never more than an import has written there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from renderer.catalogs.imported import SUMS, Imported, digest_of, refused
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError

_SUM = re.compile(r"([0-9a-f]{64}) [ *]([A-Za-z0-9._-]+)")


class Plan(NamedTuple):
    """What is to be done to the folder, whose present files are ``{name: content}``."""

    writes: Mapping[str, bytes]
    removals: tuple[str, ...]


def plan_import(new: Imported, present: Mapping[str, bytes], folder: str, *, force: bool) -> Plan:
    """What makes ``folder`` hold ``new``; nothing where it does already.

    Raises ``DiagnosticError``: foreign-file for files in the way that no import wrote, which ``force`` does
    not touch either; import-refused where the folder holds another import or one that was changed by hand,
    unless ``force``.
    """
    recorded = _recorded(present.get(SUMS, b""))
    ours = {*recorded, SUMS} if SUMS in present else set[str]()
    foreign = sorted(name for name in new.files if name in present and name not in ours)
    if foreign:
        raise DiagnosticError(*(_foreign(f"{folder}/{name}") for name in foreign))
    old = {name: content for name, content in present.items() if name in ours}
    if old == new.files:
        return Plan({}, ())
    if old and not force:
        raise _other_content(new, old, recorded, folder)
    return Plan(new.files, tuple(sorted(old.keys() - new.files.keys())))


def _recorded(sums: bytes) -> Mapping[str, str]:
    """The digests by file name; a line of another form is passed over, so that its file is not ours."""
    lines = sums.decode(errors="replace").splitlines()
    return {match[2]: match[1] for match in map(_SUM.fullmatch, lines) if match}


def _other_content(
    new: Imported, old: Mapping[str, bytes], recorded: Mapping[str, str], folder: str
) -> DiagnosticError:
    edited = sorted(name for name, digest in recorded.items() if digest_of(old.get(name, b"")) != digest)
    if edited:
        message = f"{', '.join(edited)} in {folder} was changed since the import"
        return refused(message, "put changes into another folder; --force writes it anew")
    names = sorted({*new.files, *old} - {SUMS})
    differing = ", ".join(name for name in names if old.get(name) != new.files.get(name))
    message = f"{folder} was imported with other content: {differing} would change"
    return refused(message, "see what differs with vmrender catalog diff; --force takes the new content")


def _foreign(path: str) -> Diagnostic:
    message = f"{path} is in the way, and no import wrote it"
    return Diagnostic(
        code=Code.FOREIGN_FILE, message=message, hint="move it, or import --into another folder"
    )
