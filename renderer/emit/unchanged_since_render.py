"""Check that a tree is unchanged since an earlier run, without knowing the content of its files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from renderer.emit.output_folder import OutputFolder
from renderer.emit.ownership import unchanged_ownership
from renderer.emit.staging import StagingArea, has_staging_folder
from renderer.files.disk import ConfinedFolder
from renderer.model.diagnostic import DiagnosticError
from renderer.model.digest import sha256
from renderer.model.record import Record
from renderer.model.render_config import OWNERSHIP_FILE


class UnchangedTree(Record):
    """The ``files`` of a rendered tree, sorted; it ``is_alone`` if its folders hold no other manifest."""

    files: tuple[str, ...]
    is_alone: bool


def unchanged_tree(
    root: ConfinedFolder,
    output: str,
    digest: str,
    is_alone: Callable[[str, str, Mapping[str, str], Collection[str]], bool | None],
) -> UnchangedTree | None:
    """Return the tree in ``output`` if it matches ``digest`` to the last byte; else None.

    ``is_alone`` gets the folder below ``root``, the ``digest``, the SHA-256 of each file by its path, and the
    folders in it; it returns None if the files differ. The result is also None while another run changes the
    tree, or after one was killed.
    """
    try:
        folder = OutputFolder.below(Path(root.top), output)
        top = f"{root.top}/{folder.path}"
        ownership = root.read(f"{top}/{OWNERSHIP_FILE}")
        if sha256(ownership) != digest:
            return None
        if has_staging_folder(folder) and StagingArea.of(folder).is_left_over():
            return None
        owned = unchanged_ownership(ownership)
    except (OSError, DiagnosticError):  # writing or checking the tree reports it better
        return None
    parents = {path.rpartition("/")[0] for path in owned} | {""}  # the tree itself is the empty path
    above = {parent[:index] for parent in parents for index, letter in enumerate(parent) if letter == "/"}
    alone = is_alone(folder.path, digest, owned, frozenset(parents | above))
    return None if alone is None else UnchangedTree(tuple(sorted(owned)), alone)
