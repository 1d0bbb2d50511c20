"""Read the metadata of the installed vmrender: the addresses of the project, and where pip installed it from.

The table of addresses is ``[project.urls]`` in ``pyproject.toml``; whoever publishes vmrender elsewhere
changes it there. The table gets ``Download`` only once the name on the package index is ours. Until then,
nothing that vmrender writes links to an address of the table, because somebody else could register it.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import NamedTuple

DISTRIBUTION = "vmrender"
_PACKAGE = Path(__file__).resolve().parents[1]


class Addresses(NamedTuple):
    """Addresses of the published project; a missing address is empty."""

    source: str = ""
    issues: str = ""
    download: str = ""


@cache
def published_addresses() -> Addresses:
    """Return the table's addresses; empty until a release is published, or without metadata."""
    found = _distribution()
    lines = (found.metadata.get_all("Project-URL") or ()) if found else ()
    table = {label.strip().lower(): url.strip() for label, _, url in (line.partition(",") for line in lines)}
    if "download" not in table:
        return Addresses()
    return Addresses(table.get("source", ""), table.get("issues", ""), table["download"])


def direct_url() -> dict[str, object] | None:
    """Return the ``direct_url.json`` (PEP 610) of this installation: the source that pip installed from.

    Return None for a copy from an index, a wheelhouse or a system package, and if the file cannot be read.
    """
    found = _distribution()
    try:
        value = json.loads((found and found.read_text("direct_url.json")) or "null")
    except (ValueError, OSError):
        return None
    return value if isinstance(value, dict) else None


def checkout() -> Path | None:
    """Return the clone of vmrender that this package runs in, as in an editable installation."""
    top = _PACKAGE.parent
    return top if is_checkout(top) else None


def is_checkout(folder: Path) -> bool:
    """Return True if ``folder`` is the top of a clone of vmrender."""
    return all((folder / name).exists() for name in (".git", ".pre-commit-hooks.yaml", "renderer"))


def _distribution() -> Distribution | None:
    """Return the metadata of the running package; ignore the metadata of another copy on the path."""
    try:
        found = distribution(DISTRIBUTION)
    except PackageNotFoundError:
        return None
    installed = Path(str(found.locate_file(_PACKAGE.name))).resolve() == _PACKAGE
    return found if installed or not (_PACKAGE / "_data").is_dir() else None
