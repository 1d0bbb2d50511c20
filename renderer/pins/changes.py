"""Plan the files to write and to remove in the folder ``pins``, in a safe order.

At no point does a kustomization name a folder that is not there, or the component a file that is not.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from dataclasses import dataclass

from renderer.pins.folder import COMPONENT_FILE, PinFile, PinsFolder, component_text
from renderer.yamlio.edit import add_entry, remove_entry

PINS = "pins"
_SPELLINGS = (PINS, f"./{PINS}", f"{PINS}/", f"./{PINS}/")


@dataclass(frozen=True, slots=True)
class FileContent:
    """A file of the repository and its content."""

    path: str
    content: bytes


@dataclass(frozen=True, slots=True)
class PinChanges:
    """Files to write, then files to remove, in this order; ``left`` are changed by hand and stay, unused."""

    writes: tuple[FileContent, ...] = ()
    removals: tuple[str, ...] = ()
    left: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.writes or self.removals)


def without_pins(kustomization: FileContent) -> FileContent:
    """The overlay's kustomization as it would be without pins. Raises: edit-refused."""
    path = kustomization.path
    return FileContent(path, remove_entry(kustomization.content, path, "components", _SPELLINGS))


def changes(folder: PinsFolder, kustomization: FileContent, files: Iterable[PinFile]) -> PinChanges:
    """Return the changes that give the folder these files and make it a component of the overlay.

    ``kustomization`` is the overlay's. Raises ``DiagnosticError``: edit-refused.
    """
    files = sorted(files, key=lambda file: file.name)
    if not files:
        return _emptied(folder, kustomization)
    known = {file.name: file for file in folder.files}
    new = [
        FileContent(_path(folder, file.name), file.text())
        for file in files
        if file.name not in known or known[file.name].content != file.content
    ]
    listing_changes = not folder.exists or component_text(files) != component_text(folder.files)
    component = [FileContent(_path(folder, COMPONENT_FILE), component_text(files))] if listing_changes else []
    unused = known.keys() - {file.name for file in files}
    removals, left = _removable(folder, unused)
    return PinChanges((*new, *component, *_listed(kustomization)), removals, left)


def _emptied(folder: PinsFolder, kustomization: FileContent) -> PinChanges:
    edited = without_pins(kustomization)
    writes = (edited,) if edited != kustomization else ()
    removals, left = _removable(folder, {file.name for file in folder.files})
    component = (_path(folder, COMPONENT_FILE),) if folder.exists else ()
    return PinChanges(writes, component + removals, left)


def _listed(kustomization: FileContent) -> tuple[FileContent, ...]:
    path, content = kustomization.path, kustomization.content
    if without_pins(kustomization) != kustomization:
        return ()
    return (FileContent(path, add_entry(content, path, "components", PINS)),)


def _removable(folder: PinsFolder, names: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    ordered = sorted(names)
    removed = tuple(_path(folder, name) for name in ordered if name not in folder.edited)
    return removed, tuple(_path(folder, name) for name in ordered if name in folder.edited)


def _path(folder: PinsFolder, name: str) -> str:
    return posixpath.join(folder.path, name)
