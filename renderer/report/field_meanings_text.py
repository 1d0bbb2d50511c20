"""What fields mean, as text for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from renderer.model.field_meaning import FieldMeaning

_WIDTH = 100


def write(meanings: Iterable[FieldMeaning]) -> str:
    """Return a paragraph for each field: its path and type, its meaning, its values, the fields in it."""
    return "\n".join("".join(f"{line}\n" for line in _lines(each)) for each in meanings)


def _lines(meaning: FieldMeaning) -> Iterator[str]:
    kind_of_value = f" ({meaning.type})" if meaning.type else ""
    yield f"{meaning.kind} {meaning.field}{kind_of_value}"
    if meaning.title:
        yield from textwrap.wrap(
            f"{meaning.title}. {meaning.text}", _WIDTH, initial_indent="  ", subsequent_indent="  "
        )
    if meaning.values:
        yield f"  values: {', '.join(map(str, meaning.values))}"
    width = max((len(name) for name, _ in meaning.fields), default=0)
    for name, title in meaning.fields:
        yield f"  {name:<{width}}  {title}".rstrip()
