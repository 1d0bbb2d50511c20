"""Tables of checks: the fields and releases that need each check, and KubeVirt's function for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from typing import Generic, ParamSpec

from renderer.kubevirt.admission.causes import Cause, Causes
from renderer.model.record import Record
from renderer.model.release import Release

P = ParamSpec("P")


class Check(Record, Generic[P]):
    """One check: it yields a cause for each mistake.

    It runs if one of ``fields`` is written, or always if ``fields`` is empty. ``since`` is the first release
    that makes the check, ``until`` the first that no longer does; each has several releases if patch releases
    of older minors have the change as well (``Release.includes``).
    ``upstream`` names KubeVirt's function. If the check yields a cause and ``ends`` returns True for its
    arguments, the following checks are skipped.
    """

    run: Callable[P, Iterable[Cause]]
    fields: frozenset[str]
    upstream: str
    since: tuple[Release, ...]
    until: tuple[Release, ...]
    ends: Callable[..., bool] | None

    def is_made_by(self, release: Release) -> bool:
        """Return True if ``release`` makes the check."""
        return (not self.since or release.includes(*self.since)) and not (
            self.until and release.includes(*self.until)
        )

    def for_release(self, release: Release) -> Check[P]:
        """Return the check as ``release`` makes it.

        If ``release`` is only a minor version, and other patch releases of it do not make the check, its
        messages name the release that does.
        """
        exact = release.exact
        if release.names_patch or not exact.names_patch:
            return self
        if all(self.is_made_by(exact._replace(patch=patch)) for patch in range(exact.patch)):
            return self
        return self._replace(run=partial(_run_naming_release, self.run, exact))


def _run_naming_release(
    run: Callable[P, Iterable[Cause]], release: Release, *args: P.args, **kwargs: P.kwargs
) -> Causes:
    for cause in run(*args, **kwargs):
        yield cause._replace(message=f"{cause.message} (KubeVirt {release})")


def row(
    run: Callable[P, Iterable[Cause]],
    *fields: str,
    upstream: str = "",
    since: str = "",
    until: str = "",
    ends: Callable[..., bool] | None = None,
) -> Check[P]:
    """Return a row of a table of checks; ``since`` and ``until`` look like ``1.5`` or ``1.5.3 1.6.1``."""
    return Check(run, frozenset(fields), upstream, _releases(since), _releases(until), ends)


@cache  # two hundred rows name ten releases
def _releases(text: str) -> tuple[Release, ...]:
    return tuple(map(Release.bound, text.split()))


class CheckTable(Generic[P]):
    """Checks in the order in which KubeVirt makes them."""

    def __init__(self, *checks: Check[P]) -> None:
        self.checks = checks
        self._needed: dict[tuple[Release, frozenset[str]], tuple[Check[P], ...]] = {}

    def causes(
        self, release: Release, fields: frozenset[str], *args: P.args, **kwargs: P.kwargs
    ) -> Sequence[Cause]:
        """Return the causes of all checks that ``release`` makes if ``fields`` are written."""
        found: list[Cause] = []
        for check in self.checks_for(release, fields):
            causes = check.run(*args, **kwargs)
            if check.ends is None:
                found += causes
                continue
            causes = tuple(causes)
            found += causes
            if causes and check.ends(*args, **kwargs):
                break
        return found

    def checks_for(self, release: Release, fields: frozenset[str]) -> tuple[Check[P], ...]:
        """Return the checks that ``release`` makes if ``fields`` are written.

        The result is cached, because a fleet has few different sets of fields.
        """
        key = (release, fields)
        needed = self._needed.get(key)
        if needed is None:
            needed = self._needed[key] = tuple(
                check.for_release(release)
                for check in self.checks
                if (not check.fields or not check.fields.isdisjoint(fields)) and check.is_made_by(release)
            )
        return needed
