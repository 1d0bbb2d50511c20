"""The values of Secrets, to be looked for where they do not belong."""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Iterable, Iterator

from renderer.model.json import Json, object_at, text_at

#: Characters of a value that is looked for: a shorter one may be part of any text.
SHORTEST = 6


def secret_values(objects: Iterable[Json]) -> frozenset[str]:
    """What the Secrets among ``objects`` hold, as text and in base64; of what has lines, each of them."""
    texts = (text for each in objects if text_at(each, "kind") == "Secret" for text in _texts(each))
    lines = (line.strip() for text in texts for line in text.splitlines())
    return frozenset(line for line in lines if len(line) >= SHORTEST)


def _texts(secret: Json) -> Iterator[str]:
    yield from (value for value in object_at(secret, "stringData").values() if isinstance(value, str))
    for value in object_at(secret, "data").values():
        if isinstance(value, str):
            yield value
            try:
                yield b64decode(value, validate=True).decode()
            except (binascii.Error, ValueError):  # it is no base64, or no text
                continue
