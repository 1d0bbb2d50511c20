"""The place that hooks and pipelines install vmrender from: a Git repository, an archive or a package index.

Its address comes from the command line, from pip (PEP 610) or from a clone's remote, and is written into
files that start programs. Therefore an address is accepted only in a form that means the same to Git, pip,
YAML and a shell, and never with a password.
"""

from __future__ import annotations

import re
from typing import NamedTuple, TypeGuard

_HOST = r"(?P<host>[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])"
_PATH = r"[A-Za-z0-9._~+%=,@-]+(?:/[A-Za-z0-9._~+%=,@-]+)*/?"
_HTTPS = re.compile(rf"https://(?P<user>[^/]*@)?{_HOST}(?P<port>:[0-9]+)?/(?P<path>{_PATH})", re.IGNORECASE)
_SSH = re.compile(
    rf"ssh://(?:(?P<user>[A-Za-z0-9._-]+)(?P<password>:[^/]*)?@)?{_HOST}(?P<port>:[0-9]+)?/(?P<path>{_PATH})",
    re.IGNORECASE,
)
#: git@host:path, which git accepts in addition to URLs. A single letter instead of the host is a Windows
#: drive.
_SCP = re.compile(rf"(?:(?P<user>[A-Za-z0-9._-]+)@)?(?=..){_HOST}:(?!/)(?P<path>{_PATH})")
_LOCAL = re.compile(r"(?:/|[A-Za-z]:[\\/])[^\x00-\x1f\x7f-\x9f\u2028\u2029]*")
_REVISION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/+-]{0,199}")
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_RELEASE = re.compile(r"vmrender==(?P<version>[0-9]+(?:\.[0-9]+)*(?:(?:a|b|rc|\.post|\.dev)[0-9]+)?)")
_ARCHIVE = re.compile(r"(?P<url>.*\.(?:whl|tar\.gz|zip))(?:#sha256=(?P<sha256>[0-9a-f]{64}))?")
_GITHUB = "github.com"


class Address(NamedTuple):
    """``url`` is as git and pip accept it. ``dropped`` is true if a name or password was removed from it."""

    url: str
    dropped: bool = False


class Repository(NamedTuple):
    """A Git repository of vmrender. ``name`` is the tag or branch that resolved to the commit ``revision``.

    It is empty if that is not known. ``release`` is the equal version on the package index, if any.
    """

    url: str
    revision: str
    name: str = ""
    release: str = ""

    @property
    def is_commit(self) -> bool:
        return _COMMIT.fullmatch(self.revision) is not None

    def on_server(self, servers: tuple[str, ...]) -> str | None:
        """Return ``owner/repository`` of a repository on GitHub, or on one of ``servers``."""
        match = _HTTPS.fullmatch(self.url) or _SSH.fullmatch(self.url) or _SCP.fullmatch(self.url)
        if match is None or match["host"].lower() not in (_GITHUB, *servers):
            return None
        path = match["path"].removesuffix("/").removesuffix(".git")
        return path if path.count("/") == 1 else None


class Archive(NamedTuple):
    """A wheel or sdist. ``sha256`` is empty if it is not known."""

    url: str
    sha256: str = ""


class IndexRelease(NamedTuple):
    """A version in the package index that pip is configured to use, such as a company's."""

    version: str


class Unknown(NamedTuple):
    """No known place: the vmrender on the ``PATH`` is run, and nothing installs it."""

    reason: str


InstallSource = Repository | Archive | IndexRelease | Unknown


def parse_address(text: str) -> Address:
    """Return an address that is safe to write into files. Raises ``ValueError`` with the reason if not."""
    if text.startswith("file:///") and "%" not in text:
        text = text.removeprefix("file://")
    if match := _HTTPS.fullmatch(text):
        url = f"https://{match['host']}{match['port'] or ''}/{match['path']}"
        found = Address(url, dropped=match["user"] is not None)
    elif match := _SSH.fullmatch(text):
        user = f"{match['user']}@" if match["user"] else ""
        url = f"ssh://{user}{match['host']}{match['port'] or ''}/{match['path']}"
        found = Address(url, dropped=match["password"] is not None)
    elif _SCP.fullmatch(text) or _LOCAL.fullmatch(text):
        found = Address(text)
    else:
        raise ValueError(_refusal(text))
    if ".." in re.split(r"[/\\]", found.url):
        raise ValueError("the address has .. in it; write the resolved path")
    return found


def _refusal(text: str) -> str:
    """Say why an address is rejected, without quoting it: it may contain a password."""
    if not text.isprintable():
        return "the address has a control character"
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]{1,20}):(?://|:)", text)
    if scheme and scheme[1].lower() not in ("https", "ssh"):
        return f"{scheme[1]} is a way that others can change or read; https and ssh are not"
    if scheme and re.search(r"[?#]", text):
        return "the address has a query or fragment, which may hold a password"
    return "an address is https://HOST/PATH, ssh://HOST/PATH, USER@HOST:PATH or a folder from / on"


def parse_revision(text: str) -> str:
    """Return the name of a commit, tag or branch. Raises ``ValueError``."""
    if not _REVISION.fullmatch(text) or ".." in text or "//" in text or text.endswith(("/", ".", ".lock")):
        raise ValueError(
            "a revision is a commit, or a tag or branch of letters, digits, '.', '_', '/', '+' and '-'"
        )
    return text


def parse_source(text: str) -> tuple[InstallSource, bool]:
    """Return the place that ``--source`` names, and True if a user name or password was removed from it.

    Raises ``ValueError`` with a description of the error.
    """
    if release := _RELEASE.fullmatch(text):
        return IndexRelease(release["version"]), False
    text = text.removeprefix("git+")
    if archive := _ARCHIVE.fullmatch(text):
        address = parse_address(archive["url"])
        return Archive(address.url, archive["sha256"] or ""), address.dropped
    before, _, path = text.partition("://") if "://" in text else ("", "", text)
    _host, separator, rest = path.partition("/" if before else ":")
    _, at, revision = (rest if separator else path).rpartition("@")
    if not at:
        parse_address(text)  # reports errors in the address itself first
        raise ValueError("the revision is missing: URL@REVISION, where a commit or a tag is best")
    start = len(text) - len(revision) - 1
    address = parse_address(text[:start])
    return Repository(address.url, parse_revision(revision)), address.dropped


def is_local(source: InstallSource) -> TypeGuard[Repository | Archive]:
    """Return True if other machines cannot reach the place."""
    return isinstance(source, Repository | Archive) and _LOCAL.fullmatch(source.url) is not None


def requirement(source: Repository | Archive | IndexRelease) -> str:
    """Return a requirement for pip (PEP 508)."""
    match source:
        case IndexRelease(version):
            return f"vmrender=={version}"
        case Archive(url, sha256):
            return f"vmrender @ {_as_url(url)}" + (f"#sha256={sha256}" if sha256 else "")
        case Repository(url, revision, _, release):
            return f"vmrender=={release}" if release else f"vmrender @ git+{_as_url(url)}@{revision}"


def _as_url(address: str) -> str:
    """Return an address as a URL, which pip requires even if git accepts another form."""
    if "://" in address:
        return address
    if _LOCAL.fullmatch(address):
        path = address.replace("\\", "/").replace("%", "%25").replace(" ", "%20").replace("#", "%23")
        return f"file://{'' if path.startswith('/') else '/'}{path.replace('@', '%40')}"
    host, _, path = address.partition(":")
    return f"ssh://{host}/{path}"
