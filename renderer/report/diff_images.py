"""The images that a change moves, in the rows that all formats share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from renderer.model.difference import Difference, ImageMove, ImageName
from renderer.model.kube.json import Json
from renderer.model.kube.res_id import ResId
from renderer.model.masking import MASK
from renderer.model.plural import listed, plural
from renderer.report.diff_words import NOTHING, qualified_name
from renderer.report.json_document import resource_json
from renderer.report.plain_text import printable

HEADING = "images"
#: The number of images that are listed; ``--format json`` has all.
MOST_IMAGES = 30
_MOST_USERS = 3


class ImageRow(NamedTuple):
    """An image from and to, in words, what it is for, and the objects that use it."""

    image: str
    before: str
    after: str
    use: str
    users: str


def image_rows(difference: Difference) -> list[ImageRow]:
    """Return a row for each image that moves in the same way, the one with the most users first."""
    found: dict[tuple[str, ImageName | None, ImageName | None], dict[tuple[str, ResId], ResId]] = {}
    for overlay in difference.overlays:
        for move in overlay.images:
            users = found.setdefault((move.use, move.before, move.after), {})
            users[overlay.path, move.user] = move.user
    rows = sorted(found.items(), key=lambda each: -len(each[1]))
    return [_row(use, before, after, [*users.values()]) for (use, before, after), users in rows]


def _row(use: str, before: ImageName | None, after: ImageName | None, users: list[ResId]) -> ImageRow:
    same = before is None or after is None or before.repository == after.repository
    known = after or before
    image = printable(known.repository) if known else ""
    from_text, to_text = (_version(side) if same else _whole(side) for side in (before, after))
    return ImageRow(image, from_text, to_text, printable(use), _users(users))


def _version(image: ImageName | None) -> str:
    if image is None:
        return NOTHING
    if image.repository == MASK:  # nothing is said of the tag, either
        return MASK
    parts = [printable(image.tag), printable(f"@{image.digest}" if image.digest else "")]
    return "".join(parts) or "no tag"


def _whole(image: ImageName | None) -> str:
    if image is None:
        return NOTHING
    between = "" if image.repository.endswith("/") or not image.tag else ":"
    return printable(f"{image.repository}{between}{image.tag}{f'@{image.digest}' if image.digest else ''}")


def _users(users: Iterable[ResId]) -> str:
    names = [*dict.fromkeys(f"{printable(each.gvk.kind)} {qualified_name(each)}" for each in users)]
    return listed(names, _MOST_USERS)


def more_images(rows: list[ImageRow]) -> str:
    """Return how many images are not listed; empty if all are."""
    return f"and {plural(len(rows) - MOST_IMAGES, 'more image')}" if len(rows) > MOST_IMAGES else ""


def image_json(move: ImageMove) -> Json:
    """Return an image as ``schemas/vmrender/diff.json`` describes it."""
    return {
        "use": move.use,
        "before": _image(move.before),
        "after": _image(move.after),
        "user": resource_json(move.user),
    }


def _image(image: ImageName | None) -> Json:
    if image is None:
        return None
    return {"repository": image.repository, "tag": image.tag or None, "digest": image.digest or None}
