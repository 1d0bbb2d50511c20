"""Revisions as people name the two sides of a comparison: ``A``, ``A B``, ``A..B`` and ``A...B``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from renderer.app.usage_error import UsageError

if TYPE_CHECKING:
    from renderer.files.git_repository import GitRepository

SHORT = 12


class RevisionRange(NamedTuple):
    """The two sides; ``after`` is None for the work tree. ``base`` names a merge base for people."""

    before: str
    after: str | None
    base: str = ""


def revision_range(git: GitRepository, revisions: Sequence[str]) -> RevisionRange:
    """Return the two sides; in ``A..B`` and ``A...B``, a missing one is HEAD.

    Raises ``UsageError`` for more than two revisions, ``DiagnosticError`` for an unknown merge base.
    """
    match revisions:
        case []:
            return RevisionRange("HEAD", None)
        case [only] if "..." in only:
            one, _, other = only.partition("...")
            after = other or "HEAD"
            base = git.merge_base(one or "HEAD", after)
            return RevisionRange(base, after, f"{base[:SHORT]} (merge base of {one or 'HEAD'})")
        case [only] if ".." in only:
            one, _, other = only.partition("..")
            return RevisionRange(one or "HEAD", other or "HEAD")
        case [only]:
            return RevisionRange(only, None)
        case [first, second]:
            return RevisionRange(first, second)
        case _:
            raise UsageError("there are two sides at most: vmrender diff REVISION REVISION")
