"""Decide whether a URL in an Application or GitRepository is the URL of the current repository."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

_URL = re.compile(
    r"(?:[a-z][a-z0-9+.-]*://)?(?:[^@/]*@)?(?P<host>[^/:]*)(?::[0-9]+(?=/))?[/:]+(?P<path>.*)", re.IGNORECASE
)
_PLACEHOLDER = re.compile(
    r"\$\{|<|>|\{\{|your[-_ ]|changeme|example\.(?:com|org|net)|patch-me|placeholder", re.IGNORECASE
)
_REMOTE_URL = re.compile(r"^\s*url\s*=\s*(\S+)\s*$", re.MULTILINE)
_SUBMODULE = re.compile(r"^\s*\[submodule ", re.MULTILINE)


class RepositoryUrls(NamedTuple):
    """The URLs of the repository, and the means to recognise it if no URL is equal.

    ``named`` are all URLs that objects of the repository name; ``is_folder`` tests whether a path exists.
    ``certain``: the project lists its URLs, so any other URL is another repository.
    """

    known: tuple[str, ...]
    named: tuple[str, ...] = ()
    certain: bool = False
    is_folder: Callable[[str], bool] = lambda _path: True

    def is_this_repository(self, url: str, path: str = "") -> bool:
        """Return True if ``url``, with the source's ``path`` in it, is this repository.

        It is this repository if host, owner and name match a known URL, or only owner and name, or only the
        name: forks and mirrors are named so. A placeholder matches if the path exists. So does any URL if no
        URL of the repository is known, or if none of the named URLs is known.
        """
        if any(_parts(url, count) & _parts(known, count) for known in self.known for count in (3, 2, 1)):
            return True
        exists = self.is_folder(path) if path else True
        if _PLACEHOLDER.search(url) and not self.certain:
            return exists
        return (
            exists
            and not self.certain
            and not any(_parts(named, 1) & _parts(known, 1) for named in self.named for known in self.known)
        )


def remote_urls(git_config: str) -> Iterator[str]:
    """Yield the URLs of remotes in the text of ``.git/config``."""
    remotes = git_config[: found.start()] if (found := _SUBMODULE.search(git_config)) else git_config
    yield from _REMOTE_URL.findall(remotes)


def checked_out_branch(head: str) -> str:
    """Return the branch in the text of ``.git/HEAD``; empty where a commit is checked out."""
    prefix = "ref: refs/heads/"
    return head.strip().removeprefix(prefix) if head.startswith(prefix) else ""


def _parts(url: str, count: int) -> frozenset[tuple[str, ...]]:
    """Return the last ``count`` of host, folders and name; empty if the URL has fewer."""
    match = _URL.fullmatch(url.strip())
    if not match:
        return frozenset()
    path = match["path"].strip("/").removesuffix(".git").lower()
    parts = (match["host"].lower(), *path.split("/"))
    if count > 2:  # noqa: PLR2004 - the whole
        return frozenset({parts})
    return frozenset({parts[-count:]}) if len(parts) > count and parts[-1] else frozenset()


def named_urls(urls: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct URLs, in order."""
    return tuple(dict.fromkeys(url for url in urls if url))
