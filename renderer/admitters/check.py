"""Checks, what makes each necessary, and from which release to which it is made."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, ParamSpec

from renderer.admitters.cause import Cause
from renderer.model.record import Record
from renderer.model.release import Release

P = ParamSpec("P")


class Check(Record, Generic[P]):
    """One check: what it is made with, it yields what is wrong.

    It is made where one of ``fields`` is written, or always when there are none. ``since`` is the first
    release that makes it, ``until`` the first that no longer does.
    """

    run: Callable[P, Iterable[Cause]]
    fields: frozenset[str]
    since: Release | None
    until: Release | None


def on(
    run: Callable[P, Iterable[Cause]],
    *fields: str,
    since: Release | None = None,
    until: Release | None = None,
) -> Check[P]:
    """A row of a table of checks."""
    return Check(run, frozenset(fields), since, until)


class CheckTable(Generic[P]):
    """Checks in the order in which KubeVirt makes them."""

    def __init__(self, *checks: Check[P]) -> None:
        self._checks = checks
        self._needed: dict[tuple[Release, frozenset[str]], tuple[Callable[P, Iterable[Cause]], ...]] = {}

    def needed(self, release: Release, fields: frozenset[str]) -> tuple[Callable[P, Iterable[Cause]], ...]:
        """What ``release`` checks where ``fields`` are written; a fleet has few sets of fields."""
        key = (release, fields)
        if key not in self._needed:
            self._needed[key] = tuple(
                check.run
                for check in self._checks
                if (not check.fields or not check.fields.isdisjoint(fields))
                and (check.since is None or release >= check.since)
                and (check.until is None or release < check.until)
            )
        return self._needed[key]
