"""Find where this copy of vmrender was installed from, for the hooks and pipelines that ``init`` writes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit  # takes addresses apart, opens nothing

from renderer import __version__
from renderer.authoring.new_project.install_source import (
    Archive,
    InstallSource,
    Repository,
    Unknown,
    is_local,
    parse_address,
    parse_revision,
    parse_source,
)
from renderer.files.git import GitProcess
from renderer.files.installation import checkout, direct_url, is_checkout, published_addresses
from renderer.model.diagnostic import DiagnosticError

_DROPPED = (
    "the user name or password in the address of vmrender is left out: whoever installs it needs their own"
)
_UNKNOWN = "nothing says where this vmrender was installed from"


class InstalledFrom(NamedTuple):
    """The install source, and a note about it for the user who starts a project."""

    source: InstallSource
    notes: tuple[str, ...] = ()


def named_source(text: str) -> InstalledFrom:
    """Return the source that ``--source`` names. Raises ``ValueError``."""
    source, dropped = parse_source(text)
    return InstalledFrom(source, (_DROPPED,) if dropped else ())


def installed_from(environment: Mapping[str, str]) -> InstalledFrom:
    """Return the source that pip recorded (PEP 610), or the running clone, or else the published release."""
    clone = checkout()
    if clone:
        return _of_clone(clone, environment)
    recorded = direct_url()
    if recorded is None:
        published = published_addresses()
        if published.source:
            return InstalledFrom(Repository(published.source, f"v{__version__}", release=__version__))
        return InstalledFrom(Unknown(_UNKNOWN))
    try:
        return _of_direct_url(recorded, environment)
    except ValueError as error:
        return InstalledFrom(Unknown(f"the source that vmrender was installed from cannot be used: {error}"))


def _of_direct_url(recorded: Mapping[str, object], environment: Mapping[str, str]) -> InstalledFrom:
    """Read the three forms of https://packaging.python.org/en/latest/specifications/direct-url-data-structure/.

    Raises ``ValueError``.
    """
    url = recorded.get("url")
    if not isinstance(url, str):
        raise ValueError("its address is not recorded")  # noqa: TRY004 - read from a file
    if recorded.get("subdirectory"):
        raise ValueError("it is a subdirectory of another project")
    if url.lower().startswith("file:"):
        path = unquote(urlsplit(url).path)
        url = path[1:] if path[2:3] == ":" else path  # /C:/Users
    address = parse_address(url)
    notes = (_DROPPED,) if address.dropped else ()
    version, archive = recorded.get("vcs_info"), recorded.get("archive_info")
    if isinstance(version, dict) and version.get("vcs") == "git":
        commit = parse_revision(str(version.get("commit_id")))
        requested = version.get("requested_revision")
        if not isinstance(requested, str) or requested == commit:
            requested = ""
        name = parse_revision(requested) if requested else ""
        return InstalledFrom(Repository(address.url, commit, name), notes)
    if isinstance(archive, dict):
        hashes = archive.get("hashes")
        digest = hashes.get("sha256") if isinstance(hashes, dict) else None
        if not isinstance(digest, str) or not re.fullmatch(r"[0-9a-f]{64}", digest):
            digest = ""
        return InstalledFrom(Archive(address.url, digest), notes)
    folder = Path(address.url)
    if not is_local(Archive(address.url)) or not is_checkout(folder):
        raise ValueError(f"{address.url} is not a clone of vmrender, or no longer")
    return _of_clone(folder, environment)


def _of_clone(folder: Path, environment: Mapping[str, str]) -> InstalledFrom:
    """Return the HEAD commit of a clone, in the repository that it was cloned from or in the clone itself."""
    try:
        git = GitProcess(folder, environment)
    except DiagnosticError as error:
        return InstalledFrom(Unknown(f"git cannot say what is in {folder}: {error.diagnostics[0].message}"))
    commit = git.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}").output.strip()
    if not commit:
        lost = git.id_of("HEAD")
        reason = f"lacks commit {lost}: git fsck says more" if lost else "has no commit yet"
        return InstalledFrom(Unknown(f"{folder} {reason}"))
    notes = []
    if git.run("status", "--porcelain", "--untracked-files=no").output:
        notes.append(f"uncommitted changes in {folder} are not installed")
    tag = git.run("describe", "--tags", "--exact-match", "--match", "v*", commit).output.strip()
    remote = _remote_of(git)
    if remote is None or is_local(Archive(remote[0])):
        return InstalledFrom(Repository(remote[0] if remote else str(folder), commit, tag), tuple(notes))
    url, dropped = remote
    if dropped:
        notes.append(_DROPPED)
    if not git.run("branch", "--remotes", "--contains", commit).output.strip():
        notes.append(f"push {folder} before others use it: {url} does not seem to have commit {commit[:12]}")
    return InstalledFrom(Repository(url, commit, tag), tuple(notes))


def _remote_of(git: GitProcess) -> tuple[str, bool] | None:
    """Return the address of ``origin`` without a password, and True if a password was removed."""
    try:
        found = parse_address(git.origin())
    except ValueError:
        return None
    return found.url, found.dropped
