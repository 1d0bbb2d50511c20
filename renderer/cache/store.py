"""The cache on disk: its folder and the entries.

Folders follow the XDG Base Directory Specification. The key is stored outside the cache: someone who can
write into the cache, such as another job that fills it, cannot make a valid entry. An entry is a file of
signed JSON; an incomplete or foreign entry is treated as missing. The signature covers the name, so that one
entry cannot replace another. Concurrent runs replace each other's entries atomically; a crash leaves an old
entry, or a file that is ignored.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from time import time

from renderer.files.disk import readable_entries
from renderer.files.signing_key import user_folder
from renderer.model.digest import hmac_sha256, is_same_digest, sha256
from renderer.model.kube.json import Json
from renderer.model.record import Record

#: Changes with the form of entries.
_FORM = "v1"
_SIGNATURE_BYTES = 32
_LARGEST_ENTRY = 64 << 20
#: Bytes of all entries together; beyond that, the least recently used entries are removed first.
LARGEST_CACHE = 256 << 20
_AFTER_CLEARING = 0.75
#: In seconds: the time of use of an entry is updated once a day.
_DAY = 86_400
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def cache_folder(environment: Mapping[str, str]) -> Path:
    """Return the folder of the cache, below ``XDG_CACHE_HOME`` or ``~/.cache``."""
    return user_folder(environment, "XDG_CACHE_HOME", ".cache") / "vmrender" / _FORM


class CacheSize(Record):
    """The number of entries, and their bytes together."""

    entries: int
    bytes: int


class Store:
    """The entries in ``folder`` that were signed with ``key``."""

    def __init__(self, folder: Path, key: bytes, largest: int = LARGEST_CACHE) -> None:
        self._folder = folder
        self._key = key
        self._largest = largest
        self._has_grown = False

    def get(self, *name: str) -> Json:
        """Return the entry; None if it is missing, is damaged, or was not written by this user."""
        digest = sha256("\0".join(name))
        file = self._file(digest)
        try:
            descriptor = os.open(file, _READ)
            try:
                status = os.fstat(descriptor)
                if not stat.S_ISREG(status.st_mode):
                    return None
                # ``read`` allocates as many bytes as requested. A truncated entry is invalid.
                content = os.read(descriptor, min(status.st_size, _LARGEST_ENTRY))
            finally:
                os.close(descriptor)
        except OSError:
            return None
        signature, body = content[:_SIGNATURE_BYTES], content[_SIGNATURE_BYTES:]
        if not is_same_digest(signature, self._signature(digest, body)):
            return None
        if status.st_mtime < time() - _DAY:
            with suppress(OSError):
                os.utime(file)  # mark it as used
        value: Json = json.loads(body)
        return value

    def put(self, value: Json, *name: str) -> None:
        """Store ``value`` under ``name``, or do nothing if it is too large or cannot be written."""
        digest, body = sha256("\0".join(name)), json.dumps(value, separators=(",", ":")).encode()
        if len(body) + _SIGNATURE_BYTES > _LARGEST_ENTRY:
            return
        file = self._file(digest)
        fresh = f"{file}.{os.getpid()}"
        with suppress(OSError):
            os.makedirs(os.path.dirname(file), mode=0o700, exist_ok=True)  # noqa: PTH103, PTH120 - texts, for speed
            with suppress(FileNotFoundError):
                os.unlink(fresh)  # noqa: PTH108 - as above
            with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as opened:
                opened.write(self._signature(digest, body) + body)
            os.replace(fresh, file)  # noqa: PTH105 - as above
            self._has_grown = True

    def tidy(self) -> None:
        """Remove old entries until the size is within the limit, if this run stored anything."""
        if not self._has_grown:
            return
        files = sorted(_files(self._folder), key=lambda found: found.used, reverse=True)
        total = sum(file.size for file in files)
        if total > self._largest:
            while files and total > self._largest * _AFTER_CLEARING:
                oldest = files.pop()
                total -= oldest.size
                with suppress(OSError):
                    os.unlink(oldest.path)  # noqa: PTH108 - as above

    def _file(self, digest: str) -> str:
        return f"{self._folder}/{digest[:2]}/{digest[2:]}"

    def _signature(self, digest: str, body: bytes) -> bytes:
        return hmac_sha256(self._key, digest.encode() + body)


def size_of(folder: Path) -> CacheSize:
    """Return the size of the cache in ``folder``."""
    sizes = [file.size for file in _files(folder)]
    return CacheSize(len(sizes), sum(sizes))


def clear(folder: Path) -> CacheSize:
    """Remove all entries, including those signed by others. Return what was removed."""
    removed = []
    for file in _files(folder):
        with suppress(FileNotFoundError):
            os.unlink(file.path)  # noqa: PTH108 - as above
            removed.append(file.size)
    return CacheSize(len(removed), sum(removed))


class _File(Record):
    path: str
    size: int
    used: int


def _files(folder: Path) -> Iterator[_File]:
    """Yield the files of entries: follow no links, and skip deeper folders and other names."""
    for group in readable_entries(str(folder)):
        if len(group.name) == 2 and group.is_dir(follow_symlinks=False):  # noqa: PLR2004 - as ``_file`` names it
            for entry in readable_entries(group.path):
                with suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    if stat.S_ISREG(status.st_mode):
                        yield _File(entry.path, status.st_size, status.st_mtime_ns)
