"""Paths of locations in the form that other programs expect."""

from __future__ import annotations

from renderer.findings.located import Located
from renderer.model.kube.location import BUILTIN_SCHEME, Location

_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
_STANDARD_INPUT = "-"


def is_in_repository(path: str) -> bool:
    """Return True if the path names a file of the user's repository: not a bundled file or standard input."""
    return not path.startswith((BUILTIN_SCHEME, "/")) and path != _STANDARD_INPUT


def below(folder: str, finding: Located) -> Located:
    """Return the finding with ``folder``, a path in the repository, before the paths of its files."""
    related = tuple(each._replace(location=_below(folder, each.location)) for each in finding.related)
    fix = finding.fix
    if fix is not None and is_in_repository(fix.path):
        fix = fix._replace(path=f"{folder}/{fix.path}")
    return finding._replace(location=_below(folder, finding.location), related=related, fix=fix)


def at_revision(revision: str, finding: Located) -> Located:
    """Return the finding with a revision before the paths of its files, which nobody can edit there."""
    related = tuple(each._replace(location=_at_revision(revision, each.location)) for each in finding.related)
    return finding._replace(location=_at_revision(revision, finding.location), related=related, fix=None)


def _at_revision(revision: str, location: Location | None) -> Location | None:
    if location is None or location.path.startswith(BUILTIN_SCHEME):
        return location
    return location._replace(path=f"{revision}:{location.path}")


def _below(folder: str, location: Location | None) -> Location | None:
    if location is None or not is_in_repository(location.path):
        return location
    return location._replace(path=f"{folder}/{location.path}")


def uri_of(path: str) -> str:
    """Return the path as a URI, relative if the path is relative (RFC 3986)."""
    if path.startswith(BUILTIN_SCHEME):
        return BUILTIN_SCHEME + _quoted(path.removeprefix(BUILTIN_SCHEME))
    return f"file://{_quoted(path)}" if path.startswith("/") else _quoted(path)


def _quoted(path: str) -> str:
    try:
        content = path.encode("utf-8", "surrogateescape")  # file names that are not UTF-8
    except UnicodeEncodeError:
        content = path.encode("utf-8", "surrogatepass")
    return "".join(chr(byte) if byte in _UNRESERVED else f"%{byte:02X}" for byte in content)
