"""The ownership file of a rendered tree: it lists the files that vmrender wrote and may replace or prune.

The text is valid for ``sha256sum --check``. Its name has no suffix that Argo CD or Flux would load. After a
header with the version of the format, each file has three lines::

    # <path>
    <sha256>  <path>
    <empty>

and the last line is a comment.

The form is for merges by Git (docs/decisions/0033). The lines around a digest never change, so changes of
different files never touch. Entries are in the order of the digests of their paths, so new files with similar
names are seldom neighbours. Where entries meet at one place, any order is right: with the attribute
``merge=union``, Git keeps both sides. Until the next run, a merged file may then list a path with the digest
of each side, or have Git's conflict markers; it is read all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import TypeAlias

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.digest import sha256
from renderer.model.kube.location import Location
from renderer.model.pattern import pattern
from renderer.model.render_config import OWNERSHIP_FILE
from renderer.model.whole_number import whole_number

#: A line of ``.gitattributes``: Git keeps the lines of both sides.
MERGE_ATTRIBUTE = f"{OWNERSHIP_FILE} merge=union\n"

#: The digests of the contents that vmrender wrote, by path; several only after a merge.
Owned: TypeAlias = Mapping[str, AbstractSet[str]]

_VERSION = 2
_HEADER = (
    f"# vmrender-owned {_VERSION} - the files vmrender wrote here and may replace or remove; do not edit"
)
#: Also the last entry has unchanged lines around it, and the file does not end with an empty line.
_FOOTER = "# end\n"
_VERSION_LINE = pattern(r"# vmrender-owned (\d{1,9})\b.*")
_ENTRY = pattern(r"([0-9a-f]{64})  (\S.*)")
#: The lines that Git writes around and between the sides of a conflict.
_MARKER = pattern(r"(<{7}|>{7}|\|{7})( .*)?|={7}")
_CONFLICT = (pattern(rb"(?m)^<{7} "), pattern(rb"(?m)^={7}\r?$"), pattern(rb"(?m)^>{7} "))
#: Maximum characters of a path in a tree: some systems limit the whole absolute path to 4,096 bytes.
LONGEST_PATH = 400
_DIGEST = 64
#: The expression is compiled only for paths with other characters.
_SAFE_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789._-/"
_UNSAFE_CHARACTER = pattern(r'[\x00-\x1f\x7f<>:"|?*\\]')


def encode_ownership(files: Mapping[str, bytes]) -> bytes:
    """Return the ownership file of a tree that holds ``files``, content by relative path."""
    entries = (f"# {path}\n{sha256(files[path])}  {path}\n\n" for path in sorted(files, key=sha256))
    return "".join((f"{_HEADER}\n\n", *entries, _FOOTER)).encode()


def decode_ownership(content: bytes, path: str) -> Owned:
    """Return the digests of every owned file by relative path, from the ownership file at ``path``.

    Windows line ends, the older format and whatever Git makes of a merge are accepted. Raises
    ``DiagnosticError``: ownership-invalid, with the line, for anything else that vmrender did not write;
    above all for paths that lead out of the tree.
    """
    owned: dict[str, set[str]] = {}
    has_header = False
    for number, line in enumerate(content.decode("utf-8", "replace").split("\n"), start=1):
        text = line.rstrip()
        if version := _VERSION_LINE.fullmatch(text):
            has_header = True
            if not 0 < whole_number(version[1]) <= _VERSION:
                raise invalid_ownership(
                    path, f"has format {version[1]}, this vmrender knows {_VERSION}", number
                )
        elif _MARKER.fullmatch(text):
            continue
        elif not has_header:
            raise invalid_ownership(path, "does not begin as one", number)
        elif text and not text.startswith("#"):
            file, digest = _entry(text, path, number)
            owned.setdefault(file, set()).add(digest)
    return owned


def _entry(line: str, path: str, number: int) -> tuple[str, str]:
    entry = _ENTRY.fullmatch(line)
    if not entry:
        raise invalid_ownership(path, "has a line that is not a digest and a path", number)
    if not is_tree_path(entry[2]):
        raise invalid_ownership(path, f"lists {entry[2]!r}, which is not a file of this tree", number)
    return entry[2], entry[1]


def unchanged_ownership(content: bytes) -> Mapping[str, str]:
    """Return the digest of every owned file by path, from a file that is known to be as it was written."""
    lines = content.decode().split("\n")[3:-2:3]  # of each entry, the second line
    return {line[_DIGEST + 2 :]: line[:_DIGEST] for line in lines}


def is_ours(content: bytes, path: str, owned: Owned) -> bool:
    """Return True if vmrender wrote ``content`` at ``path``, or if Git merged it from what vmrender wrote.

    Git merges two versions of vmrender if both are listed: an edit on one side leaves its digest as it was.
    A conflict that Git left in a listed file is not an edit either. Who forges the list cannot make a file of
    somebody else one of ours: it does not look as if vmrender had written it.
    """
    digests = owned.get(path, frozenset())
    if sha256(content) in digests:
        return True
    if not digests or (len(digests) == 1 and not has_conflict(content)):
        return False
    from renderer.emit.merged_files import may_be_merge  # noqa: PLC0415 - only after a merge

    return may_be_merge(content)


def has_conflict(content: bytes) -> bool:
    """Return True if Git left the markers of a merge conflict in ``content``."""
    end = 0
    for marker in _CONFLICT:
        found = marker.search(content, end)
        if not found:
            return False
        end = found.end()
    return True


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
