"""Histories without the values of Secrets that a substitution put into other resources."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from renderer.model.act import Act
from renderer.model.difference import NoValue, Value
from renderer.model.history import FieldHistory, Step
from renderer.model.json import scalar_text
from renderer.provenance.paths import leaves


def without_values(
    histories: Iterable[FieldHistory], substituted: Collection[str], anywhere: Collection[str] = ()
) -> tuple[FieldHistory, ...]:
    """The histories with what fields hold withheld from where a value of a Secret came in.

    That is a substitution of one of the values ``substituted``, which may be short, or any step to a field
    with one of the values ``anywhere``.
    """
    if not substituted and not anywhere:
        return tuple(histories)
    return tuple(
        history._replace(steps=tuple(_masked(history.steps, substituted, anywhere))) for history in histories
    )


def _masked(steps: Iterable[Step], substituted: Collection[str], anywhere: Collection[str]) -> Iterator[Step]:
    is_secret = False
    for step in steps:
        sources = without_values(step.sources, substituted, anywhere)
        before = _withheld(step.before) if is_secret else step.before
        came_in = _holds(step.after, anywhere) or (
            step.act is Act.SUBSTITUTED and _holds(step.after, substituted)
        )
        is_secret = is_secret or came_in or any(_is_withheld(source) for source in sources)
        after = _withheld(step.after) if is_secret else step.after
        yield step._replace(before=before, after=after, sources=sources)


def _holds(value: Value, confidential: Collection[str]) -> bool:
    if isinstance(value, NoValue):
        return False
    texts = [scalar_text(leaf) for _, leaf in leaves(value)]
    return any(secret in text for secret in confidential for text in texts)


def _withheld(value: Value) -> Value:
    return value if value is NoValue.ABSENT else NoValue.WITHHELD


def _is_withheld(history: FieldHistory) -> bool:
    return history.value is NoValue.WITHHELD and any(step.act is Act.SUBSTITUTED for step in history.steps)
