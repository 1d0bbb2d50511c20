"""Learn the values of the Secrets on both sides of a comparison, also in overlays that do not differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from renderer.app.comparison.side import Side
from renderer.model.render_config import PROJECT_FILE
from renderer.model.run.taint import learn_from
from renderer.project.secrets_in_files import values_of_secrets


def learn_from_sides(before: Side, others: Sequence[tuple[Side, Iterable[str]]]) -> None:
    """Learn the values on both sides of a comparison, and at the commits between them.

    ``others`` are these commits and, as the last one, the side after; each has the files in which it differs
    from the side before. The Secrets of a work tree are known from its project (``learn_from_project``).
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
