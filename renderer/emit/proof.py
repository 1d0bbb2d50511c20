"""The proof that the content of staging was left by vmrender, and was not added by a pull request.

A file in the staging folder names the trees of one change by the digests of their ownership files, and is
signed with the key of the user, which is not in any repository. Without a proof, nothing in staging is used.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from renderer.emit.durable import write_new_file
from renderer.emit.output_folder import STAGING_FOLDER
from renderer.emit.tree import is_folder, read_file
from renderer.files.signing_key import signing_key
from renderer.model.digest import hmac_sha256, is_same_digest, sha256
from renderer.model.render_config import OWNERSHIP_FILE

#: The name of the file with the proof.
PROOF = "proof"
_LONGEST = 1_000
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def write_proof(area: Path, before: bytes | None, after: bytes) -> None:
    """Write the proof of a change, from the ownership file of the old tree to that of the new one.

    Nothing is written if the user has no key. Raises ``OSError``.
    """
    key = _key(area)
    (area / PROOF).unlink(missing_ok=True)
    if key:
        digests = f"{_digest(before)} {_digest(after)}"
        write_new_file(area / PROOF, f"{digests} {_signature(key, digests)}\n".encode())


def unproved_tree(area: Path) -> str | None:
    """Return the name of a tree in staging that vmrender did not leave there, or None.

    ``swapping`` may be either tree of the change, ``replaying`` is the new one. An empty folder needs no
    proof. Raises ``OSError``.
    """
    trees = [
        name for name in ("swapping", "replaying") if is_folder(area / name) and any((area / name).iterdir())
    ]
    if not trees:
        return None
    before, after = _proved_digests(area)
    allowed = {"swapping": {before, after}, "replaying": {after}}
    for name in trees:
        found = read_file(area / name, OWNERSHIP_FILE)
        if (
            not after
            or not (found is None or isinstance(found, bytes))
            or _digest(found) not in allowed[name]
        ):
            return name if is_folder(area / name) else None  # it may just have been removed
    return None


def _key(area: Path) -> bytes | None:
    folder = Path(os.path.realpath(area))
    top = next((each.parent for each in folder.parents if each.name == STAGING_FOLDER), folder)
    return signing_key(os.environ, top)


def _proved_digests(area: Path) -> tuple[str, str]:
    """Return the digests of the ownership files before and after the change; empty without a proof."""
    key, content = _key(area), _read_regular_file(area / PROOF)
    with suppress(ValueError):
        before, after, signature = content.decode().split()
        if key and is_same_digest(signature.encode(), _signature(key, f"{before} {after}").encode()):
            return before, after
    return "", ""


def _read_regular_file(file: Path) -> bytes:
    """Return the beginning of a regular file, else nothing; ``file`` may be below an open folder."""
    with suppress(OSError), os.fdopen(os.open(file, _READ), "rb") as opened:
        if stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
            return opened.read(_LONGEST)
    return b""


def _signature(key: bytes, digests: str) -> str:
    return hmac_sha256(key, f"staging {digests}".encode()).hex()


def _digest(ownership: bytes | None) -> str:
    return "-" if ownership is None else sha256(ownership)
