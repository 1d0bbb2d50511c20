"""The images that change in the objects of both sides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from renderer.kubevirt.facts.image_sources import image_sources
from renderer.model.difference import ImageMove, ImageName
from renderer.model.kube.resource import Resource
from renderer.model.masking import Masking


def image_moves(pairs: Iterable[tuple[Resource, Resource]]) -> Iterator[ImageMove]:
    """Yield the images that differ between the two states of each object."""
    for before, after in pairs:
        old, new = ({each.place: each for each in image_sources(side)} for side in (before, after))
        for place in old | new:
            sources = old.get(place), new.get(place)
            images = [source and source.image for source in sources]
            known = sources[1] or sources[0]
            if known is not None and images[0] != images[1]:
                yield ImageMove(known.use, images[0], images[1], after.current_id)


def masked_moves(moves: Iterable[ImageMove], secrets: Masking) -> tuple[ImageMove, ...]:
    """Return the moves with ``***`` for each of ``secrets``."""

    def shown(image: ImageName | None) -> ImageName | None:
        return image and ImageName(*map(secrets.mask, image))

    return tuple(move._replace(before=shown(move.before), after=shown(move.after)) for move in moves)
