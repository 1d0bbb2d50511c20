"""Decide whether a URL in an Application or GitRepository is the URL of the current repository."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from renderer.model.credential_text.search import without_credentials
from renderer.model.masking import MASK

_URL = re.compile(
    r"(?:[a-z][a-z0-9+.-]*://)?(?:[^@/]*@)?(?P<host>[^/:]*)(?::[0-9]+(?=/))?[/:]++(?P<path>.*)", re.IGNORECASE
)
_PLACEHOLDER = re.compile(r"\$\{|<|>|\{\{|your[-_ ]|changeme|patch-me|placeholder", re.IGNORECASE)
#: A host of documentation, which may be meant as a placeholder.
_EXAMPLE = re.compile(r"[@/.]example\.(?:com|org|net)\b", re.IGNORECASE)
_REMOTE_URL = re.compile(r"^[^\S\n]*url\s*=\s*(\S+)[^\S\n]*$", re.MULTILINE)
#: How many of host, owner and name match.
_WHOLE, _OWNER_AND_NAME, _NAME = 3, 2, 1
#: The user of a URL, with any password; the user of ssh alone is a name.
_USER = re.compile(r"^([a-z][a-z0-9+.-]*+://)(?!(?<=ssh://)[^@:/]*+@)[^/]*@", re.IGNORECASE)
_QUERY = re.compile(r"[?#].*", re.DOTALL)
_SUBMODULE = re.compile(r"^[^\S\n]*\[submodule ", re.MULTILINE)


class SourceAddress(NamedTuple):
    """A source that an object of the repository names: a URL, and a path in it."""

    url: str
    path: str = ""


class RepositoryUrls:
    """The URLs of the repository, and the means to recognise it if no URL is equal."""

    def __init__(
        self,
        known: tuple[str, ...],
        named: Iterable[SourceAddress] = (),
        *,
        certain: bool = False,
        is_folder: Callable[[str], bool] = lambda _path: True,
    ) -> None:
        """``named`` are the sources that objects of the repository name.

        ``certain``: the project lists its URLs, so any other URL is another repository. ``is_folder`` tests
        whether a path exists.
        """
        self.known = known
        self.certain = certain
        self.is_folder = is_folder
        self._named = tuple(dict.fromkeys(named))

    def naming(self, named: Iterable[SourceAddress]) -> RepositoryUrls:
        """Return the URLs, with the sources that objects name."""
        return RepositoryUrls(self.known, named, certain=self.certain, is_folder=self.is_folder)

    def with_known(self, url: str) -> RepositoryUrls:
        """Return the URLs, with one more that is known to be the repository's, if it is not empty."""
        known = (*self.known, url) if url else self.known
        named = (*self._named, SourceAddress(url))
        return RepositoryUrls(known, named, certain=self.certain, is_folder=self.is_folder)

    def lists(self, url: str) -> bool:
        """Return True if a known URL equals ``url``, except for spelling."""
        return self._level(url) == _WHOLE

    def names(self, url: str) -> bool:
        """Return True if a known URL has the same owner and name, or if none is known."""
        return not self.known or self._level(url) >= _OWNER_AND_NAME

    def is_this_repository(self, url: str, path: str = "") -> bool:
        """Return True if ``url``, with the source's ``path`` in it, is this repository.

        It is this repository if owner and name match a known URL. If no object names it so, the name
        suffices, because a fork or a mirror keeps it. A placeholder matches if the path exists. If no URL of
        the repository is known, the one repository whose paths all exist is this one.
        """
        level = self._level(url)
        exists = self.is_folder(path) if path else True
        if level:
            return level >= min(self._best_level, _OWNER_AND_NAME) and (exists or level > _NAME)
        if self.certain or not exists:
            return False
        if _PLACEHOLDER.search(url) or self._is_example(url):
            return True
        candidates = self.candidates
        return not self.known and (not candidates or candidates == (_repository(url),))

    @property
    def is_named(self) -> bool:
        """Return True if a named URL is known to be this repository, so that others are certainly not."""
        return self.certain or self._best_level > 0

    @cached_property
    def candidates(self) -> tuple[str, ...]:
        """Return the repositories that may be this one if no URL of it is known: all their paths exist."""
        if self.known:
            return ()
        paths: dict[str, list[str]] = {}
        for named in self._named:
            if named.url and not _PLACEHOLDER.search(named.url):
                paths.setdefault(_repository(named.url), []).append(named.path)
        return tuple(
            repository
            for repository, listed in paths.items()
            if all(map(self.is_folder, filter(None, listed)))
        )

    @cached_property
    def _best_level(self) -> int:
        """Return how well the URL that is nearest to a known one matches it."""
        return max(map(self._level, dict.fromkeys(named.url for named in self._named)), default=0)

    def _is_example(self, url: str) -> bool:
        """Return True if the host is a placeholder: nothing names the repository, which has a real host."""
        if not self.known or self._best_level or any(map(_EXAMPLE.search, self.known)):
            return False
        return _EXAMPLE.search(url) is not None

    def _level(self, url: str) -> int:
        """Return how many of host, owner and name match a known URL, from the name on."""
        known = self._known_parts if self.known else {}
        return next((level for level, parts in known.items() if _parts(url, level) & parts), 0)

    @cached_property
    def _known_parts(self) -> Mapping[int, frozenset[tuple[str, ...]]]:
        """The parts of the known URLs that are compared, by how many of them, the most first."""
        levels = (_WHOLE, _OWNER_AND_NAME, _NAME)
        return {level: frozenset().union(*(_parts(url, level) for url in self.known)) for level in levels}


def remote_urls(git_config: str) -> Iterator[str]:
    """Yield the URLs of remotes in the text of ``.git/config``."""
    remotes = git_config[: found.start()] if (found := _SUBMODULE.search(git_config)) else git_config
    yield from _REMOTE_URL.findall(remotes)


def public_url(url: str) -> str:
    """Return the URL as one may show it and write it into files: without user, password, query or fragment.

    Of ``ssh://git@…`` the user stays; what is left names the same repository (``are_same_repository``).
    """
    bare = _QUERY.sub("", url.strip())
    return without_credentials(_USER.sub(r"\1", bare), lambda _: MASK)


def checked_out_branch(head: str) -> str:
    """Return the branch in the text of ``.git/HEAD``; empty where a commit is checked out."""
    prefix = "ref: refs/heads/"
    return head.strip().removeprefix(prefix) if head.startswith(prefix) else ""


def _parts(url: str, count: int) -> frozenset[tuple[str, ...]]:
    """Return the last ``count`` of host, folders and name; empty if the URL has fewer."""
    match = _URL.fullmatch(_QUERY.sub("", url.strip()))
    if not match:
        return frozenset()
    path = match["path"].strip("/").removesuffix(".git").lower()
    parts = (match["host"].lower(), *path.split("/"))
    if count == _WHOLE:
        return frozenset({parts})
    return frozenset({parts[-count:]}) if len(parts) > count and parts[-1] else frozenset()


def are_same_repository(one: str, other: str) -> bool:
    """Return True if two URLs have one host and path, such as those for SSH and HTTPS."""
    return one == other or bool(_parts(one, _WHOLE) & _parts(other, _WHOLE))


def _repository(url: str) -> str:
    """Return owner and name, or the URL itself if it does not have both."""
    return next(("/".join(parts) for parts in _parts(url, _OWNER_AND_NAME)), url.strip())
