"""Compare the files that earlier runs read with the present repository.

The digest of a file is computed again only if its times, size or inode changed, as in Git's index.
"""

from __future__ import annotations

import marshal
import os
import stat
from collections.abc import Callable, Collection, Iterable, Mapping
from operator import attrgetter
from pathlib import Path
from time import time_ns
from typing import Any

from renderer.cache.store import Store
from renderer.emit.leftovers import holds_only
from renderer.files.file_system import FileSystem
from renderer.files.recorder import FileQuestion, answer
from renderer.model.diagnostic import DiagnosticError
from renderer.model.digest import sha256
from renderer.model.kube.json import object_at

#: The times of a file's and its entry's last change, in nanoseconds, its size and its inode.
_SIGNS = "st_mtime_ns", "st_ctime_ns", "st_size", "st_ino"
_signs = attrgetter(*_SIGNS)
_mode_and_signs = attrgetter("st_mode", *_SIGNS)
#: In nanoseconds: a file that changed this shortly before it was read may change again with the same times,
#: as file system clocks are coarse. A clock of whole seconds is exact to two seconds only.
_RECENT, _RECENT_BY_SECONDS = 100_000_000, 2_000_000_000
_SECOND = 1_000_000_000
_MOST_DIGESTS = 200_000


class FileDigests:
    """The digests of files below ``root``, by relative path; ``read`` returns the content of files inside."""

    def __init__(self, root: Path, read: Callable[[str], bytes], store: Store) -> None:
        self._root = str(root)
        self._read = read
        self._store = store
        self._known = object_at(store.get("file-signs", self._root))
        self._fresh: dict[str, list[str | int | bool]] = {}

    def of(self, path: str) -> str | None:
        """Return the digest of a file; None for a link, a folder, or a file that cannot be read."""
        try:
            status = os.lstat(f"{self._root}/{path}")
            if not stat.S_ISREG(status.st_mode):
                return None
            signs = list(_signs(status))
            known = self._known.get(path)
            if isinstance(known, list) and known[1:] == signs:
                return str(known[0])
        except (OSError, ValueError):
            return None
        digest = self._of_content(path)
        if digest and _has_settled(status):
            self._fresh[path] = [digest, *signs]
        return digest

    def tree_has_no_other_files(
        self, folder: str, tree: str, digests: Mapping[str, str], folders: Collection[str]
    ) -> bool | None:
        """Return True if ``folders`` of a rendered tree hold no other files that Flux would apply.

        ``digests`` has the files by path below ``folder``; None if one of them has another digest. ``tree``
        is a digest of all of them: a tree has thousands of files, whose times and sizes are stored as one
        value. So are the times of its folders, which change when something is added.
        """
        prefix = f"{folder}/"
        root = f"{self._root}/{prefix}"
        try:
            files = [os.lstat(root + name) for name in digests]  # noqa: PTH116, RUF100 - texts, for speed
            parents = [os.lstat((root + name).rstrip("/")) for name in folders]  # noqa: PTH116, RUF100 - as above
        except (OSError, ValueError):
            return None
        signs, folder_signs = _digest_of_signs(files), _digest_of_signs(parents)
        known = self._known.get(prefix)
        known = known if isinstance(known, list) and known[:2] == [tree, signs] else None
        if known and known[2:3] == [folder_signs]:  # earlier releases did not store them
            return known[3:] == [True]
        if not all(stat.S_ISDIR(status.st_mode) for status in parents):  # a link has other files
            return None
        if not known:
            for (name, digest), status in zip(digests.items(), files, strict=True):
                if not stat.S_ISREG(status.st_mode) or self._of_content(prefix + name) != digest:
                    return None
        is_complete = holds_only(root, digests.keys(), folders)
        if all(map(_has_settled, files)):
            # A tree may have been put in place just now, while its files are older.
            settled = folder_signs if all(map(_has_settled, parents)) else ""
            self._fresh[prefix] = [tree, signs, settled, is_complete]
        return is_complete

    def _of_content(self, path: str) -> str | None:
        try:
            return sha256(self._read(path))
        except (OSError, ValueError, DiagnosticError):
            return None

    def keep(self) -> None:
        """Store the digests for the next run."""
        if self._fresh:
            known = {**self._known, **self._fresh}
            self._store.put(dict(list(known.items())[-_MOST_DIGESTS:]), "file-signs", self._root)


def _digest_of_signs(statuses: Iterable[os.stat_result]) -> str:
    return sha256(marshal.dumps(list(map(_mode_and_signs, statuses)), 2))


def _has_settled(status: os.stat_result) -> bool:
    """Return True if a later change would show in the times.

    They are read before the content: if it changed in between, they are older than the content.
    """
    changed = max(status.st_mtime_ns, status.st_ctime_ns)
    margin = _RECENT if changed % _SECOND else _RECENT_BY_SECONDS
    return changed + margin < time_ns()


class RecordedInputs:
    """Asks the repository again, each question once in a run."""

    def __init__(self, fs: FileSystem, digests: FileDigests) -> None:
        self._fs = fs
        self._digests = digests
        self._answers: dict[FileQuestion, str] = {}

    def are_current(self, seen: Iterable[Any]) -> bool:
        """Return True if no answer has changed; ``seen`` has the form that ``inputs_json`` makes."""
        return all(self._answer(method, path) == earlier for method, path, earlier in seen)

    def _answer(self, method: str, path: str) -> str:
        question = FileQuestion(method, path)
        if question not in self._answers:
            # The digest of a file is stored by its times and size; a link has none, so the repository
            # answers.
            digest = self._digests.of(path) if method == "read" else None
            self._answers[question] = digest or answer(self._fs, question)
        return self._answers[question]


def inputs_from_json(value: Iterable[Any]) -> Mapping[FileQuestion, str]:
    """Return the questions and their answers that ``inputs_json`` wrote."""
    return {FileQuestion(method, path): earlier for method, path, earlier in value}
