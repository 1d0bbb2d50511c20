"""The images that change in the objects of both sides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from renderer.diff.masking import masked_pair
from renderer.kubevirt.facts.image_sources import ImageSource, image_sources
from renderer.model.difference import ImageMove, ImageName
from renderer.model.kube.resource import Resource
from renderer.model.masking import MASK, Masking


def image_moves(pairs: Iterable[tuple[Resource, Resource]]) -> Iterator[ImageMove]:
    """Yield the images that differ between the two states of each object.

    An image that the object uses in another place, such as a renamed DataVolume, has not moved.
    """
    for before, after in pairs:
        old, new = ({each.place: each for each in image_sources(side)} for side in (before, after))
        for place, moved in [*_renamed_places(old, new)]:
            del old[place], new[moved]
        for place in old | new:
            sources = old.get(place), new.get(place)
            images = [source and source.image for source in sources]
            known = sources[1] or sources[0]
            if known is not None and images[0] != images[1]:
                yield ImageMove(known.use, images[0], images[1], after.current_id)


def _renamed_places(
    old: Mapping[str, ImageSource], new: Mapping[str, ImageSource]
) -> Iterator[tuple[str, str]]:
    added = [place for place in new if place not in old]
    for place in [place for place in old if place not in new]:
        facts = old[place].use, old[place].image
        moved = next((each for each in added if (new[each].use, new[each].image) == facts), None)
        if moved is not None:
            added.remove(moved)
            yield place, moved


def masked_moves(moves: Iterable[ImageMove], secrets: Masking) -> Iterator[ImageMove]:
    """Yield the moves with ``***`` for images if one of ``secrets`` is in them, also across their parts."""
    hidden = ImageName(MASK)
    for move in moves:
        texts = _text(move.before), _text(move.after)
        is_shown = masked_pair(*texts, secrets.mask) == texts
        yield move if is_shown else move._replace(before=move.before and hidden, after=move.after and hidden)


def _text(image: ImageName | None) -> str:
    if image is None:
        return ""
    name, tag, digest = image
    return name + (f":{tag}" if tag else "") + (f"@{digest}" if digest else "")
