"""KubeVirt releases."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress

from renderer.model.record import Record
from renderer.model.whole_number import whole_number

#: With or without the patch number.
_LENGTHS = (2, 3)
#: The patch number of a release without one: later than all actual patch releases.
_NEWEST = 1 << 30
#: Names of KubeVirt's main branch, which somebody may take for a release.
BRANCHES = ("main", "master", "HEAD", "nightly")


class Release(Record):
    """A release of KubeVirt, ordered by age: ``1.6.3``, or ``1.6`` for the newest patch release of 1.6.

    ``Release(1, 6)`` is 1.6.0, the first release with the features "since 1.6"; ``Release.parse("1.6")`` is
    what a user means by 1.6. An unknown patch release behaves like the newest known one.
    ``product`` is the release of a product that brings it, such as ``hco-1.17``, if the user names that; it
    has no age.
    """

    major: int
    minor: int
    patch: int = 0
    product: str = ""

    @classmethod
    def parse(cls, text: str) -> Release:
        """Parse ``1.9``, ``v1.9`` or ``v1.9.0``. Raises ``ValueError`` for anything else."""
        numbers = text.removeprefix("v").split(".")
        is_canonical = all(number.isdecimal() and str(whole_number(number)) == number for number in numbers)
        if len(numbers) not in _LENGTHS or not is_canonical:
            raise ValueError(f"not a KubeVirt release: {text!r}")
        major, minor, *patch = map(int, numbers)
        return cls(major, minor, min(patch[0], _NEWEST - 1) if patch else _NEWEST)

    @classmethod
    def bound(cls, text: str) -> Release:
        """Return the first release for ``text``: 1.6.0 for ``1.6``. Raises ``ValueError``."""
        release = cls.parse(text)
        return release if release.patch != _NEWEST else cls(release.major, release.minor)

    def __str__(self) -> str:
        return f"{self.number} of {self.product}" if self.product else self.number

    def __lt__(self, other: tuple[int | str, ...]) -> bool:
        return self[:3] < other[:3]

    def __le__(self, other: tuple[int | str, ...]) -> bool:
        return self[:3] <= other[:3]

    def __gt__(self, other: tuple[int | str, ...]) -> bool:
        return self[:3] > other[:3]

    def __ge__(self, other: tuple[int | str, ...]) -> bool:
        return self[:3] >= other[:3]

    @property
    def number(self) -> str:
        """The number of KubeVirt's release: ``1.6.3``, or ``1.6`` if it names no patch."""
        patch = "" if self.patch == _NEWEST else f".{self.patch}"
        return f"{self.major}.{self.minor}{patch}"

    @property
    def as_target(self) -> str:
        """The text that names it as a target release: its product if it has one, else its number."""
        return self.product or self.number

    @property
    def minor_release(self) -> Release:
        """The newest patch release of the same minor: ``1.6`` for 1.6.3."""
        return Release(self.major, self.minor, _NEWEST)

    @property
    def exact(self) -> Release:
        """The known patch release that it behaves like: 1.6.6 for ``1.6``, and for a later 1.6.9.

        The release itself if the patch releases of its minor are not known.
        """
        newest = NEWEST_PATCHES.get(self[:2])
        patch = self.patch if newest is None else min(self.patch, newest)
        return Release(self.major, self.minor, patch)

    @property
    def names_patch(self) -> bool:
        """False for a minor alone."""
        return self.patch != _NEWEST

    @property
    def as_bound(self) -> str:
        """The name for "since": ``1.6`` for 1.6.0, but ``1.6.4`` in full."""
        return (self if self.patch else self.minor_release).number

    def includes(self, *ports: tuple[int | str, ...]) -> bool:
        """Return True if the release has a change that first appeared in each of ``ports``.

        ``ports`` are the first releases with the change, one for each minor that it was ported to, the oldest
        first. Minors after the last one have it from the beginning: 1.5.3 and 1.6.1 are in 1.7.0, and not in
        1.6.0.
        """
        *earlier, last = ports
        number = self[:3]
        return number >= last[:3] or any(number[:2] == port[:2] and number >= port[:3] for port in earlier)


class Snapshot(Record):
    """The commit of KubeVirt's main branch that was read for a release that is not made yet, and its date."""

    commit: str
    date: str

    def __str__(self) -> str:
        return f"KubeVirt's main branch on {self.date}"


#: The newest patch release of each minor of KubeVirt.
NEWEST_PATCHES: Mapping[tuple[int, int], int] = {
    (1, minor): patch for minor, patch in enumerate((1, 1, 2, 1, 1, 3, 6, 4, 4, 0))
}
#: The minor that KubeVirt releases next, as its main branch was. Only whoever names it targets it. Once it is
#: released, its first patch goes into ``NEWEST_PATCHES``, and it leaves this table: nothing else decides.
UNRELEASED: Mapping[tuple[int, int], Snapshot] = {
    (1, 10): Snapshot("d923fdb815cd2016ddaebdaaa51db04133576d72", "2026-08-22"),
}

OLDEST = Release(1, 0)
#: The newest minor that is released: what is meant where nobody names a release.
LATEST = Release(*max(NEWEST_PATCHES), _NEWEST)
#: The newest minor that can be named as a target.
NEWEST = Release(*max([*NEWEST_PATCHES, *UNRELEASED]), _NEWEST)

#: The minors of Kubernetes for which there are schemas.
OLDEST_KUBERNETES = Release.parse("1.29")
LATEST_KUBERNETES = Release.parse("1.36")


def target_release(text: str, imported: Collection[Release] = ()) -> Release:
    """Return the release in ``text`` to render for. Its minor is known, or its schemas are ``imported``.

    Raises ``ValueError``, with a message for users, for any other release.
    """
    try:
        release = Release.parse(text)
    except ValueError:
        raise ValueError(not_a_release(text)) from None
    minor = release.minor_release
    if not OLDEST <= minor <= NEWEST and not (minor > NEWEST and minor in imported):
        raise ValueError(f"KubeVirt {release} is not supported; {supported_releases()}")
    return release


def snapshot_of(release: Release) -> Snapshot | None:
    """Return what was read for a release that KubeVirt has not made yet; None for any other."""
    return UNRELEASED.get(release[:2])


def supported_releases() -> str:
    """Return the releases that can be targets: ``1.0 to 1.9 are, and 1.10, which is not released yet``."""
    released = f"{OLDEST.as_bound} to {LATEST} are"
    return released if NEWEST == LATEST else f"{released}, and {NEWEST}, which is not released yet"


def not_a_release(text: str) -> str:
    """Return the message about ``text``, which is not a release of KubeVirt."""
    snapshot = snapshot_of(NEWEST)
    if text in BRANCHES and snapshot is not None:
        return (
            f'{text!r} is a branch of KubeVirt, which changes every day; write "{NEWEST}" for what it had'
            f" on {snapshot.date}"
        )
    near = LATEST
    with suppress(ValueError):  # 1.10.0-rc.1
        named = Release.parse(text.partition("-")[0]).minor_release
        near = named if OLDEST <= named <= NEWEST else near
    words = " or ".join(dict.fromkeys((str(near), str(near.exact))))
    return f"{text!r} is not a KubeVirt release; write it as {words}"
