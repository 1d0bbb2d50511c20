"""Check that a tree is as an earlier run made it, without knowing what is in its files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from renderer.disk import ConfinedFolder
from renderer.emit.output_folder import OutputFolder
from renderer.emit.ownership import OWNERSHIP_FILE
from renderer.emit.staging import StagingArea, has_staging_folder
from renderer.emit.tree import look_up_folder
from renderer.model.diagnostic import DiagnosticError
from renderer.model.digest import sha256

_DIGEST = 64


def files_unchanged_since_render(
    root: ConfinedFolder, output: str, digest: str, have: Callable[[str, str, Mapping[str, str]], bool]
) -> frozenset[str] | None:
    """The files of the tree in ``output`` if it is the one of ``digest`` to the last byte; None if not.

    ``have`` says whether the files in a folder below ``root`` have the SHA-256 that is given by their paths;
    it gets ``digest``, too. None too while another run is at work on the tree, or where one was killed.
    """
    try:
        folder = OutputFolder.below(Path(root.top), output)
        top = f"{root.top}/{folder.path}"
        ownership = root.read(f"{top}/{OWNERSHIP_FILE}")
        if sha256(ownership) != digest:
            return None
        if has_staging_folder(folder) and StagingArea.of(folder).is_left_over():
            return None
        owned = {line[_DIGEST + 2 :]: line[:_DIGEST] for line in ownership.decode().splitlines()[1:]}
        if not all(look_up_folder(f"{top}/{place}") is True for place in _folders(owned)):
            return None
    except (OSError, DiagnosticError):  # writing to the tree, or checking it, says it better
        return None
    return frozenset(owned) if have(folder.path, digest, owned) else None


def _folders(paths: Iterable[str]) -> frozenset[str]:
    """All that the files are in: of a link it is not the files behind it that count."""
    parents = {path.rpartition("/")[0] for path in paths} - {""}
    above = {parent[:index] for parent in parents for index, letter in enumerate(parent) if letter == "/"}
    return frozenset(parents | above)
