"""The ownership file of a rendered tree: it lists the files that vmrender wrote and may replace or prune.

The text is valid for ``sha256sum --check``: a header with the version of the format, then ``<sha256>
<path>`` for each file, sorted by path. Its name has no suffix that Argo CD or Flux would load.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.digest import sha256
from renderer.model.kube.location import Location
from renderer.model.pattern import pattern

OWNERSHIP_FILE = ".vmrender-owned"

_VERSION = 1
_HEADER = (
    f"# vmrender-owned {_VERSION} - the files vmrender wrote here and may replace or remove; do not edit"
)
_VERSION_LINE = pattern(r"# vmrender-owned (\d{1,9})\b.*")
_ENTRY = pattern(r"([0-9a-f]{64})  (\S.*)")
#: Maximum characters of a path in a tree: some systems limit the whole absolute path to 4,096 bytes.
LONGEST_PATH = 400
#: The expression is compiled only for paths with other characters.
_SAFE_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789._-/"
_UNSAFE_CHARACTER = pattern(r'[\x00-\x1f\x7f<>:"|?*\\]')


def encode_ownership(files: Mapping[str, bytes]) -> bytes:
    """Return the ownership file of a tree that holds ``files``, content by relative path."""
    lines = (f"{sha256(files[path])}  {path}" for path in sorted(files))
    return "".join(f"{line}\n" for line in (_HEADER, *lines)).encode()


def decode_ownership(content: bytes, path: str) -> Mapping[str, str]:
    """Return the digest of every owned file by relative path, from the ownership file at ``path``.

    Windows line ends and empty lines are accepted. Raises ``DiagnosticError``: ownership-invalid, with the
    line, for anything that vmrender did not write; above all for paths that lead out of the tree.
    """
    lines = content.decode("utf-8", "replace").split("\n")
    version = _VERSION_LINE.fullmatch(lines[0].rstrip())
    if not version:
        raise invalid_ownership(path, "does not begin as one", 1)
    if int(version[1]) != _VERSION:
        raise invalid_ownership(path, f"has format {version[1]}, this vmrender knows {_VERSION}", 1)
    owned: dict[str, str] = {}
    for number, file, file_digest in _entries(lines, path):
        if file in owned:
            raise invalid_ownership(path, f"lists {file!r} twice", number)
        owned[file] = file_digest
    return owned


def _entries(lines: list[str], path: str) -> Iterator[tuple[int, str, str]]:
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        entry = _ENTRY.fullmatch(line.rstrip())
        if not entry:
            raise invalid_ownership(path, "has a line that is not a digest and a path", number)
        if not is_tree_path(entry[2]):
            raise invalid_ownership(path, f"lists {entry[2]!r}, which is not a file of this tree", number)
        yield number, entry[2], entry[1]


def is_tree_path(path: str) -> bool:
    """Return True if ``path`` may be in a rendered tree: relative, normal, portable, not Git's or ours."""
    parts = path.split("/")
    return (
        path != OWNERSHIP_FILE
        and len(path) <= LONGEST_PATH
        and not (path.strip(_SAFE_CHARACTERS) and _UNSAFE_CHARACTER.search(path))
        and not any(part in {"", ".", ".."} or part.lower() == ".git" for part in parts)
    )


class EncodedFiles(Mapping[str, bytes]):
    """The bytes of files by path; each is encoded on access, as the texts are in memory already.

    ``ownership`` is the ownership file of a tree that holds them, with the digest of each; it is made once.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def __getitem__(self, path: str) -> bytes:
        return self._texts[path].encode()

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)

    @cached_property
    def ownership(self) -> bytes:
        return encode_ownership(self)


def encode_files(files: Mapping[str, str] | EncodedFiles) -> EncodedFiles:
    """Return the bytes of ``files`` by path. Raises ``ValueError`` for a path that no tree may hold."""
    if isinstance(files, EncodedFiles):
        return files
    for path in files:
        if not is_tree_path(path):
            raise ValueError(f"no path in a rendered tree: {path!r}")
    return EncodedFiles(files)


def invalid_ownership(path: str, problem: str, line: int = 0) -> DiagnosticError:
    """Return the error about an unusable ownership file at ``path``, with a hint."""
    return Diagnostic.in_file(
        Location(path, line),
        Code.OWNERSHIP_INVALID,
        f"the ownership file {problem}",
        "restore it from Git, or delete it: files that are as rendered are then taken over",
    ).error()
