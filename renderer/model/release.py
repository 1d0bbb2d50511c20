"""KubeVirt releases."""

from __future__ import annotations

from collections.abc import Collection

from renderer.model.record import Record

#: With or without the number of the patch.
_LENGTHS = (2, 3)


class Release(Record):
    """A minor release of KubeVirt; compares as one expects. Patch releases are taken for the same."""

    major: int
    minor: int

    @classmethod
    def parse(cls, text: str) -> Release:
        """From ``1.9``, ``v1.9`` or ``v1.9.0``. Raises ``ValueError`` for anything else."""
        numbers = text.removeprefix("v").split(".")
        if len(numbers) not in _LENGTHS or not all(map(str.isdecimal, numbers)):
            raise ValueError(f"not a KubeVirt release: {text!r}")
        return cls(int(numbers[0]), int(numbers[1]))

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


OLDEST = Release(1, 0)
LATEST = Release(1, 9)

#: The minors of Kubernetes that there are schemas of.
OLDEST_KUBERNETES = Release(1, 29)
LATEST_KUBERNETES = Release(1, 36)


def target_release(text: str, imported: Collection[Release] = ()) -> Release:
    """A release to render for: one that is known, or ``imported``, as schemas of a later one can be.

    Raises ``ValueError``, in the user's words, for what is none.
    """
    try:
        release = Release.parse(text)
    except ValueError:
        raise ValueError(f"{text!r} is no KubeVirt release; write it as {LATEST}") from None
    if not OLDEST <= release <= LATEST and not (release > LATEST and release in imported):
        raise ValueError(f"KubeVirt {release} cannot be rendered for; {OLDEST} to {LATEST} can")
    return release
