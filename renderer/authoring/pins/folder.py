"""An overlay's folder ``pins``: reading its files, and writing them deterministically to the last byte.

A file is ours if it equals the file that vmrender would write for its content. So our files stay ours after a
merge in Git, but not after a change by hand, even of a comment.

Changes are planned in a safe order: at no time does a kustomization name a missing folder, or the component a
missing file.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from renderer.files.file_system import FileSystem
from renderer.kubevirt.facts.kinds import CONTROLLER_REVISION, VM, VM_POOL
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.digest import sha256
from renderer.model.kube.json import EMPTY, Json, JsonObject, array_at, content_digest, object_at, text_at
from renderer.model.kustomization import COMPONENT_HEAD
from renderer.model.run.work import spend
from renderer.yamlio.decode import decode_documents
from renderer.yamlio.edit import add_entry, remove_entry
from renderer.yamlio.encode import encode, encode_source

_COMPONENT_HEADER = """\
# Written by vmrender pin. The virtual machines in patches keep the instance types and preferences in
# resources, whatever becomes of the catalog. To let go of one: vmrender unpin.
"""
_REVISION_HEADER = (
    "# Written by vmrender pin: a copy, named after its content. Pin anew instead of changing it.\n"
)
_PATCH_HEADER = (
    "# Written by vmrender pin. To take what is in the catalog now: vmrender pin --update, or unpin.\n"
)
_UNSAFE = re.compile(r"[^a-z0-9._-]")
_LONGEST_NAME = 200
COMPONENT_FILE = "kustomization.yaml"
_VM_KINDS = (VM, VM_POOL)
PINS = "pins"
_SPELLINGS = (PINS, f"./{PINS}", f"{PINS}/", f"./{PINS}/")


@dataclass(frozen=True, slots=True)
class PinFile:
    """An object in the folder: a ControllerRevision, or the patch of a VirtualMachine."""

    name: str
    content: JsonObject

    @classmethod
    def of(cls, content: JsonObject) -> PinFile:
        return cls(_file_name(content), content)

    def __str__(self) -> str:
        """``ControllerRevision prod/u1.small-v1beta1-0123456789``."""
        metadata = object_at(self.content, "metadata")
        parts = text_at(metadata, "namespace"), text_at(metadata, "name")
        return f"{text_at(self.content, 'kind')} {'/'.join(filter(None, parts))}"

    @property
    def is_revision(self) -> bool:
        return self.content.get("kind") == CONTROLLER_REVISION

    @property
    def is_consistent(self) -> bool:
        """Return True if the digest in the name of a revision is the digest of its content."""
        name = text_at(self.content, "metadata", "name")
        return not self.is_revision or name.endswith(content_digest(self.content.get("data")))

    def text(self) -> bytes:
        header = _REVISION_HEADER if self.is_revision else _PATCH_HEADER
        return (header + encode_source(self.content)).encode()


def component_text(files: Iterable[PinFile]) -> bytes:
    """Return the kustomization of the component that has the files."""
    ordered = sorted(files, key=lambda file: file.name)
    resources: Json = [file.name for file in ordered if file.is_revision]
    patches: Json = [{"path": file.name} for file in ordered if not file.is_revision]
    content: JsonObject = {
        **COMPONENT_HEAD,
        "resources": resources,
        "patches": patches,
    }
    return (_COMPONENT_HEADER + encode([content])).encode()


def _file_name(content: JsonObject) -> str:
    """Return ``<kind>_<namespace>_<name>.yaml`` in lower case; with a digest if a name is not valid."""
    metadata = object_at(content, "metadata")
    parts = (text_at(content, "kind"), text_at(metadata, "namespace"), text_at(metadata, "name"))
    exact = "_".join(part for part in parts if part)
    safe = _UNSAFE.sub("-", exact.lower())[:_LONGEST_NAME]
    if safe != f"{parts[0].lower()}{exact[len(parts[0]) :]}":
        safe += f"-{sha256(exact)[:10]}"
    return f"{safe}.yaml"


@dataclass(frozen=True, slots=True)
class PinsFolder:
    """The files that the component at ``path`` lists, and the names of the files changed by hand."""

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


def files_in(fs: FileSystem, path: str) -> dict[str, bytes]:
    """Return the content of the files in the folder at ``path``, by name. Raises ``DiagnosticError``."""
    files: dict[str, bytes] = {}
    for name in fs.list(path):
        place = posixpath.join(path, name)
        if fs.is_file(place):
            files[name] = fs.read(place)
            spend(len(files[name]), "reading pins")  # many names may be links to one file
    return files


def read_folder(path: str, files: Mapping[str, bytes]) -> PinsFolder:
    """Return the folder at ``path``, whose ``files`` are given by name.

    Raises ``DiagnosticError``: errors of the decoder, file-not-found, and foreign-file for a kustomization
    that is not ours.
    """
    if COMPONENT_FILE not in files:
        return PinsFolder(path)
    written = files[COMPONENT_FILE]
    documents = decode_documents(written, f"{path}/{COMPONENT_FILE}")
    component = documents[0] if len(documents) == 1 else EMPTY
    patches = [text_at(patch, "path") for patch in array_at(component, "patches")]
    listed = [name for name in (*array_at(component, "resources"), *patches) if isinstance(name, str)]
    found = tuple(PinFile(name, _object(path, name, files)) for name in dict.fromkeys(listed))
    if component_text(found) != written or not all(
        file.is_revision or text_at(file.content, "kind") in _VM_KINDS for file in found
    ):
        raise Diagnostic.in_file(
            f"{path}/{COMPONENT_FILE}",
            Code.FOREIGN_FILE,
            f"{path}/{COMPONENT_FILE} was changed since vmrender pin wrote it",
            "move what you added to the overlay's own kustomization; pins are kept in this folder",
        ).error()
    edited = frozenset(
        file.name for file in found if not file.is_consistent or file.text() != files[file.name]
    )
    return PinsFolder(path, found, edited, exists=True)


def _object(path: str, name: str, files: Mapping[str, bytes]) -> JsonObject:
    if name not in files:
        raise Diagnostic.in_file(
            f"{path}/{COMPONENT_FILE}",
            Code.FILE_NOT_FOUND,
            f"{path}/{name} is missing",
            f"bring it back from Git, or remove it from {path}/{COMPONENT_FILE}",
        ).error()
    documents: tuple[Json, ...] = decode_documents(files[name], f"{path}/{name}")
    content = documents[0] if len(documents) == 1 else None
    return content if isinstance(content, dict) else EMPTY


@dataclass(frozen=True, slots=True)
class FileContent:
    """A file of the repository and its content."""

    path: str
    content: bytes


@dataclass(frozen=True, slots=True)
class PinChanges:
    """Files to write, then files to remove, in order; files in ``left`` were changed by hand and stay.

    The overlay no longer uses the files in ``left``.
    """

    writes: tuple[FileContent, ...] = ()
    removals: tuple[str, ...] = ()
    left: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.writes or self.removals)


def without_pins(kustomization: FileContent) -> FileContent:
    """Return the overlay's kustomization without pins. Raises: edit-refused."""
    path = kustomization.path
    return FileContent(path, remove_entry(kustomization.content, path, "components", _SPELLINGS))


def changes(folder: PinsFolder, kustomization: FileContent, files: Iterable[PinFile]) -> PinChanges:
    """Return the changes that write these files to the folder and make it a component of the overlay.

    ``kustomization`` is the overlay's. Raises ``DiagnosticError``: edit-refused.
    """
    files = sorted(files, key=lambda file: file.name)
    unpinned = without_pins(kustomization)
    if not files:
        removals, left = _removable(folder, {file.name for file in folder.files})
        component = (_path(folder, COMPONENT_FILE),) if folder.exists else ()
        return PinChanges((unpinned,) if unpinned != kustomization else (), component + removals, left)
    known = {file.name: file for file in folder.files}
    writes = [
        FileContent(_path(folder, file.name), file.text())
        for file in files
        if file.name not in known or known[file.name].content != file.content
    ]
    if not folder.exists or component_text(files) != component_text(folder.files):
        writes.append(FileContent(_path(folder, COMPONENT_FILE), component_text(files)))
    if unpinned == kustomization:  # it does not list the component yet
        path = kustomization.path
        writes.append(FileContent(path, add_entry(kustomization.content, path, "components", PINS)))
    removals, left = _removable(folder, known.keys() - {file.name for file in files})
    return PinChanges(tuple(writes), removals, left)


def _removable(folder: PinsFolder, names: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the paths to remove, and the paths of files that were changed by hand."""
    ordered = sorted(names)
    removed = tuple(_path(folder, name) for name in ordered if name not in folder.edited)
    return removed, tuple(_path(folder, name) for name in ordered if name in folder.edited)


def _path(folder: PinsFolder, name: str) -> str:
    return posixpath.join(folder.path, name)
