"""Tables of checks: the fields and releases that make each necessary, and the function of KubeVirt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Generic, ParamSpec

from renderer.admitters.causes import Cause
from renderer.model.record import Record
from renderer.model.release import Release

P = ParamSpec("P")


class Check(Record, Generic[P]):
    """One check: it yields a cause for each thing that is wrong.

    It is made where one of ``fields`` is written, or always when there are none. ``since`` is the first
    release that makes it, ``until`` the first that no longer does; a release is its latest patch.
    ``upstream`` names KubeVirt's function. When it yields a cause and ``ends`` is true of its arguments, the
    checks after it are not made.
    """

    run: Callable[P, Iterable[Cause]]
    fields: frozenset[str]
    upstream: str
    since: Release | None
    until: Release | None
    ends: Callable[..., bool] | None

    def holds_for(self, release: Release) -> bool:
        """Return true if ``release`` makes the check."""
        return (self.since is None or release >= self.since) and (self.until is None or release < self.until)


def on(
    run: Callable[P, Iterable[Cause]],
    *fields: str,
    upstream: str = "",
    since: str = "",
    until: str = "",
    ends: Callable[..., bool] | None = None,
) -> Check[P]:
    """Return a row of a table of checks; ``since`` and ``until`` are releases such as ``1.5``."""
    return Check(run, frozenset(fields), upstream, _release(since), _release(until), ends)


@cache  # two hundred rows name ten releases
def _release(text: str) -> Release | None:
    return Release.parse(text) if text else None


class CheckTable(Generic[P]):
    """Checks in the order in which KubeVirt makes them."""

    def __init__(self, *checks: Check[P]) -> None:
        self.checks = checks
        self._needed: dict[tuple[Release, frozenset[str]], tuple[Check[P], ...]] = {}

    def causes(
        self, release: Release, fields: frozenset[str], *args: P.args, **kwargs: P.kwargs
    ) -> Sequence[Cause]:
        """Return the causes of all checks that ``release`` makes where ``fields`` are written."""
        found: list[Cause] = []
        for check in self.needed(release, fields):
            causes = check.run(*args, **kwargs)
            if check.ends is None:
                found += causes
                continue
            causes = tuple(causes)
            found += causes
            if causes and check.ends(*args, **kwargs):
                break
        return found

    def needed(self, release: Release, fields: frozenset[str]) -> tuple[Check[P], ...]:
        """Return the checks that ``release`` makes where ``fields`` are written.

        A fleet has few sets of fields, so the answer is kept.
        """
        key = (release, fields)
        needed = self._needed.get(key)
        if needed is None:
            needed = self._needed[key] = tuple(
                check
                for check in self.checks
                if (not check.fields or not check.fields.isdisjoint(fields)) and check.holds_for(release)
            )
        return needed
