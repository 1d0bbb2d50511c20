"""What Git makes of the files of a commit at checkout, apart from line ends, and where a checkout is."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic

ATTRIBUTES_FILE = ".gitattributes"
#: The attributes by which Git converts more than line ends.
CONVERTING = ("working-tree-encoding", "filter", "ident")
_NO_VALUE = ("unspecified", "unset")
_UTF8 = ("utf-8", "utf8")
#: What Git expands in files with the attribute ``ident``.
_IDENT = b"$Id"


def top_of_checkout(folder: Path, environment: Mapping[str, str]) -> Path | None:
    """Return the nearest folder at or above ``folder`` that has a ``.git``; None if there is none.

    The search ends where git's own ends: below a folder of ``GIT_CEILING_DIRECTORIES``, and at the border of
    the file system unless ``GIT_DISCOVERY_ACROSS_FILESYSTEM`` is set.
    """
    folder = Path(os.path.realpath(folder))
    ceilings = environment.get("GIT_CEILING_DIRECTORIES", "").split(os.pathsep)
    crosses = environment.get("GIT_DISCOVERY_ACROSS_FILESYSTEM", "").lower() in ("1", "true", "yes", "on")
    for place in (folder, *folder.parents):
        try:
            if place != folder and not crosses and place.stat().st_dev != folder.stat().st_dev:
                return None
            if place != folder and str(place) in ceilings:
                return None
            if os.path.lexists(place / ".git"):
                return place
        except OSError:
            return None
    return None


def check_unconverted(path: str, content: bytes, attributes: Mapping[str, str]) -> None:
    """Check that Git writes a file of a work tree as it was committed; filters of Git LFS are not checked.

    ``attributes`` are the values of the attributes in ``CONVERTING``. Raises: file-unreadable.
    """
    for attribute, value in attributes.items():
        match attribute:
            case "ident":
                converts = value == "set" and _IDENT in content
            case "filter":
                converts = value not in {*_NO_VALUE, "set", "lfs"}
            case _:
                converts = value not in _NO_VALUE and value.lower() not in _UTF8
        if converts:
            written = attribute if value == "set" else f"{attribute}={value}"
            raise Diagnostic.in_file(
                path,
                Code.FILE_UNREADABLE,
                f"Git changes {path} at checkout, for its attribute {written}; Flux applies it as committed",
                f"remove the attribute from {ATTRIBUTES_FILE}, and commit the text that is to be applied",
            ).error()
