"""The images that change in the objects of both sides."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping

from renderer.diff.masking import masked_pair, without_values_in
from renderer.kubevirt.facts.image_sources import ImageSource, image_sources
from renderer.model.difference import ImageMove, ImageName
from renderer.model.kube.resource import Resource
from renderer.model.masking import MASK, Masking


def image_moves(pairs: Iterable[tuple[Resource, Resource]], secrets: Masking) -> Iterator[ImageMove]:
    """Yield the images that differ between the two states of each object.

    An image that the object uses in another place, such as a renamed DataVolume, has not moved. Both images
    are ``***`` if a part of one is made of one of ``secrets``: of a URL, folder and file; of a reference,
    repository and tag.
    """
    for before, after in pairs:
        old, new = ({each.place: each for each in image_sources(side)} for side in (before, after))
        for place, moved in [*_renamed_places(old, new)]:
            del old[place], new[moved]
        moves = {place: (old.get(place), new.get(place)) for place in old | new}
        moved_places = [place for place, (was, now) in moves.items() if _image(was) != _image(now)]
        if not moved_places:
            continue
        public = [
            {each.place: each.image for each in image_sources(without_values_in(side, secrets))}
            for side in (before, after)
        ]
        for place in moved_places:
            sources = moves[place]
            known = sources[1] or sources[0]
            if known is None:
                continue
            images = [_image(each) for each in sources]
            is_public = all(
                image is None or shown.get(place) == image
                for image, shown in zip(images, public, strict=True)
            )
            texts = _text(images[0]), _text(images[1])
            if not is_public or masked_pair(*texts, secrets.mask) != texts:
                images = [each and ImageName(MASK) for each in images]
            yield ImageMove(secrets.mask(known.use), images[0], images[1], after.current_id)


def _image(source: ImageSource | None) -> ImageName | None:
    return source and source.image


def _renamed_places(
    old: Mapping[str, ImageSource], new: Mapping[str, ImageSource]
) -> Iterator[tuple[str, str]]:
    added: dict[tuple[str, ImageName], deque[str]] = {}
    for place, source in new.items():
        if place not in old:
            added.setdefault((source.use, source.image), deque()).append(place)
    for place, source in old.items():
        moved = added.get((source.use, source.image)) if place not in new else None
        if moved:
            yield place, moved.popleft()


def _text(image: ImageName | None) -> str:
    if image is None:
        return ""
    name, tag, digest = image
    return name + (f":{tag}" if tag else "") + (f"@{digest}" if digest else "")
