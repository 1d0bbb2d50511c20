"""An overlay's folder ``pins`` as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.json import EMPTY, Json, JsonObject, array_at, text_at
from renderer.model.location import Location
from renderer.pins.files import PinFile, component_text
from renderer.yamlio.decode import decode_documents

COMPONENT_FILE = "kustomization.yaml"
_VM_KINDS = ("VirtualMachine", "VirtualMachinePool")


@dataclass(frozen=True, slots=True)
class PinsFolder:
    """The files that the component at ``path`` lists, and the names of those changed by hand."""

    path: str
    files: tuple[PinFile, ...] = ()
    edited: frozenset[str] = frozenset()
    exists: bool = False

    @property
    def patches(self) -> tuple[PinFile, ...]:
        return tuple(file for file in self.files if not file.is_revision)

    @property
    def revisions(self) -> tuple[PinFile, ...]:
        return tuple(file for file in self.files if file.is_revision)


def read_folder(path: str, files: Mapping[str, bytes]) -> PinsFolder:
    """The folder at ``path``, whose ``files`` are given by name.

    Raises ``DiagnosticError``: what the decoder raises, file-not-found, and foreign-file for a
    kustomization that is not ours.
    """
    if COMPONENT_FILE not in files:
        return PinsFolder(path)
    written = files[COMPONENT_FILE]
    listed = _listed(path, written)
    found = tuple(PinFile(name, _object(path, name, files)) for name in listed)
    if component_text(found) != written or not all(map(_is_known, found)):
        raise _foreign(f"{path}/{COMPONENT_FILE}")
    edited = frozenset(
        file.name for file in found if not file.is_consistent or file.text() != files[file.name]
    )
    return PinsFolder(path, found, edited, exists=True)


def _listed(path: str, written: bytes) -> tuple[str, ...]:
    content = decode_documents(written, f"{path}/{COMPONENT_FILE}")
    component = content[0] if len(content) == 1 else EMPTY
    patches = [text_at(patch, "path") for patch in array_at(component, "patches")]
    names = [*array_at(component, "resources"), *patches]
    return tuple(name for name in names if isinstance(name, str))


def _object(path: str, name: str, files: Mapping[str, bytes]) -> JsonObject:
    if name not in files:
        finding = Diagnostic(
            code=Code.FILE_NOT_FOUND,
            message=f"{path}/{name} is missing",
            location=Location(f"{path}/{COMPONENT_FILE}"),
            hint=f"bring it back from Git, or remove it from {path}/{COMPONENT_FILE}",
        )
        raise DiagnosticError(finding)
    documents: tuple[Json, ...] = decode_documents(files[name], f"{path}/{name}")
    content = documents[0] if len(documents) == 1 else None
    return content if isinstance(content, dict) else EMPTY


def _is_known(file: PinFile) -> bool:
    return file.is_revision or file.content.get("kind") in _VM_KINDS


def _foreign(path: str) -> DiagnosticError:
    return DiagnosticError(
        Diagnostic(
            code=Code.FOREIGN_FILE,
            message=f"{path} is not as vmrender pin wrote it",
            location=Location(path),
            hint="move what you added to the overlay's own kustomization; pins are kept in this folder",
        )
    )
