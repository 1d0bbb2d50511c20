"""The user's key, outside every repository, by which vmrender recognizes what it wrote itself.

It signs the entries of the cache, and the files that a run leaves in its staging folder. Its folder follows
the XDG Base Directory Specification.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

_KEY_BYTES = 32
#: The variable that replaces the stored key.
KEY_VARIABLE = "VMRENDER_CACHE_KEY"


def signing_key(environment: Mapping[str, str], project: Path) -> bytes | None:
    """Return the key of this user, created at the first call; None if it cannot be stored.

    A variable replaces it, for pipelines that keep a cache and have no persistent home. No key is read or
    stored in the repository of ``project``.
    """
    given = environment.get(KEY_VARIABLE)
    if given:
        return given.encode("utf-8", "surrogateescape")
    file = _key_file(environment)
    if _is_in_repository(file, project):
        return None
    try:
        return _read_key(file) or _make_key(file)
    except OSError:
        return None


def key_is_in_repository(environment: Mapping[str, str], project: Path) -> bool:
    """Return True if the key would be in the repository of ``project``: a pull request could bring it."""
    return not environment.get(KEY_VARIABLE) and _is_in_repository(_key_file(environment), project)


def _key_file(environment: Mapping[str, str]) -> Path:
    return user_folder(environment, "XDG_STATE_HOME", ".local/state") / "vmrender" / "cache-key"


def _is_in_repository(file: Path, project: Path) -> bool:
    """Return True if the path to a file leads through the checkout of ``project``, or through its folder."""
    root = Path(os.path.realpath(project))
    top = next((each for each in (root, *root.parents) if os.path.lexists(each / ".git")), root)
    if Path(os.path.realpath(file)).is_relative_to(top):
        return True
    for folder in file.parents:  # a link in the repository may lead out of it
        with suppress(OSError):
            if folder.samefile(top):
                return True
    return False


def user_folder(environment: Mapping[str, str], variable: str, below_home: str) -> Path:
    """Return a folder of the XDG Base Directory Specification, which ignores relative paths."""
    chosen = Path(environment.get(variable, ""))
    return chosen if chosen.is_absolute() else Path(os.path.expanduser("~"), below_home)  # noqa: PTH111 - Path.expanduser() raises where there is no home


def _read_key(file: Path) -> bytes | None:
    """Return None if others could have written or read the file, or if it is incomplete."""
    try:
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, "rb") as opened:
        status = os.fstat(descriptor)
        is_private = os.name != "posix" or (status.st_uid == os.geteuid() and not status.st_mode & 0o077)
        key = opened.read(_KEY_BYTES + 1) if is_private and stat.S_ISREG(status.st_mode) else b""
    return key if len(key) == _KEY_BYTES else None


def _make_key(file: Path) -> bytes | None:
    """Create a key and return it; if another run creates one at the same time and is first, return that one.

    The file appears under its name only when it is complete: it is a link to a file whose name nobody else
    knows, not even a thread of this process or a process with the same number in another container.
    """
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    key = os.urandom(_KEY_BYTES)
    fresh = file.with_name(f"{file.name}.{os.urandom(8).hex()}")
    try:
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as opened:
            opened.write(key)
        try:
            os.link(fresh, file)
        except FileExistsError:
            return _read_key(file)
    finally:
        fresh.unlink(missing_ok=True)
    return key
