"""What the Secrets on both sides of a comparison have, also in overlays that are the same on both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from renderer.app.comparison.side import Side
from renderer.model.render_config import PROJECT_FILE
from renderer.model.run.taint import learn_from
from renderer.project.secrets_in_files import values_of_secrets


def learn_from_sides(before: Side, others: Sequence[tuple[Side, Iterable[str]]]) -> None:
    """Learn the values of both sides of a comparison, and those between them.

    With each of the ``others``, of which the last is the side after, come the files that differ from the side
    before. A work tree is learned from as a project.
    """
    after, _ = others[-1]

    def values() -> Iterator[str]:
        if after.revision or not after.fs.is_file(PROJECT_FILE):
            yield from values_of_secrets(after.fs, after.listing.readable)
        for side, changed in others:
            if side is not after:
                yield from values_of_secrets(side.fs, changed)
        yield from values_of_secrets(before.fs, others[-1][1])

    learn_from(before, values)
