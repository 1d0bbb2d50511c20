"""Text for terminals and logs, which interpret parts of their input.

Terminals interpret control characters, and reorder lines with bidirectional ones. GitHub's runner interprets
a line that begins with ``::`` as a command, and ``##[`` anywhere in a line (actions/runner,
``ActionCommand.cs``); Azure's agent interprets ``##vso[`` anywhere (azure-pipelines-agent, ``Command.cs``),
TeamCity ``##teamcity[`` (its service messages). Any word between ``##`` and ``[`` is treated like one of
these.
"""

from __future__ import annotations

import re

from renderer.model.pattern import pattern

_COMMAND = pattern(r"^\s*(?=::)|##(?=\w*\[)")
_HASHES = pattern(r"##(?=\w*\[)")
#: An escape in JSON; the group is half of a surrogate pair without the other half.
_ESCAPE = pattern(r"\\(?:ud[89ab]..\\ud[c-f]..|(ud[89a-f]..)|.)")
_COLONS = pattern(r"^([^\S\n]*):(?=:)", re.MULTILINE)


def log_line(text: str) -> str:
    r"""Return ``text`` as one line: control characters escaped as in Python, ``\`` within commands."""
    shown = text if text.isprintable() else "".join(map(_visible, text))
    return _COMMAND.sub(r"\g<0>\\", shown) if "::" in shown or "##" in shown else shown


def log_json(document: str) -> str:
    r"""Return a JSON document of equal meaning without commands.

    Not every reader accepts half of a surrogate pair, which is a byte of a file name that is not UTF-8: it
    becomes the text ``\udcff``, as in all other formats. The document is in ASCII.
    """
    if "\\ud" in document:
        document = _ESCAPE.sub(lambda found: rf"\\{found[1]}" if found[1] else found[0], document)
    return _HASHES.sub(r"#\\u0023", document)


def log_markup(document: str) -> str:
    """Return an XML, HTML or Markdown document of equal meaning without commands."""
    return _COLONS.sub(r"\1&#58;", _HASHES.sub("#&#35;", document))


def _visible(character: str) -> str:
    if character.isprintable() or character == "\t":
        return character
    from unicodedata import category  # noqa: PLC0415 - few characters are neither

    if category(character) == "Zs":
        return character
    return character.encode("unicode_escape").decode("ascii")
