"""What changes when kustomize writes a document anew before it decodes it.

kyaml keeps a resource as YAML nodes, and makes JSON of it by writing them with go-yaml v3 and
reading that text (kyaml ``rnode.go`` MarshalJSON). Not every scalar comes through unharmed.
"""

from __future__ import annotations

from yaml.error import YAMLError
from yaml.events import ScalarEvent

from renderer.yamlio.errors import UnusableError
from renderer.yamlio.events import EventSource, read_events
from renderer.yamlio.scalar_style import LINE_BREAKS, SPACE_BEFORE_BREAK, UNPRINTABLE
from renderer.yamlio.scalar_text import block_hints

_BLOCK_STYLES = "|>"
_BLANKS = " \t"


def rewritten_plain(text: str) -> str | None:
    """The text of a plain scalar between brackets that comes to be quoted; None for all others."""
    return text if not text or ":" in text else None


def rewritten(text: str, style: str) -> str:
    """The text of a quoted or block scalar, ``style`` as events have it.

    Folded text gains blank lines around lines that are indented more (go-yaml v3 ``emitterc.go``).
    Raises ``UnusableError`` for a block that begins with a tab, as it cannot be read again.
    """
    if style not in _BLOCK_STYLES or not text or _is_written_quoted(text):
        return text
    if text[0] == "\t":
        raise UnusableError(
            "kustomize cannot read a block of text that begins with a tab",
            hint='write the text in double quotes, with "\\t" for the tab',
        )
    return _refolded(text) if style == ">" else text


def _is_written_quoted(text: str) -> bool:
    if text[-1] == " " or SPACE_BEFORE_BREAK.search(text):
        return True
    return UNPRINTABLE.search(text.replace("\t", "")) is not None


def _refolded(text: str) -> str:
    end = "" if text[-1] in LINE_BREAKS else "\n"
    try:
        return read_events(f">{block_hints(text)}\n{_folded(text)}{end}", _scalar)
    except YAMLError:
        raise UnusableError("kustomize cannot read this folded block again once it has written it") from None


def _scalar(source: EventSource) -> str:
    event = source.get_event()
    while not isinstance(event, ScalarEvent):
        event = source.get_event()
    return event.value


def _folded(text: str) -> str:
    """The lines of a folded block, with double breaks unless the text begins with a blank."""
    doubles = text.lstrip(LINE_BREAKS)[:1] not in _BLANKS
    written: list[str] = []
    line_start = is_indented = True
    for character in text:
        if character in LINE_BREAKS:
            doubled = doubles and character == "\n" and not line_start and not is_indented
            written.append("\n\n" if doubled else character)
            line_start = True
        else:
            if line_start:
                is_indented = character in _BLANKS
            written.append(f"  {character}" if line_start else character)
            line_start = False
    return "".join(written)
