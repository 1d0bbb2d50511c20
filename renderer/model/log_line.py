"""Text for terminals and logs, which act on parts of what they are given.

Terminals act on control characters, and show lines in another order for bidirectional ones. GitHub's runner
takes a line that begins with ``::`` for a command, and ``##[`` anywhere in a line (actions/runner,
``ActionCommand.cs``); Azure's agent takes ``##vso[`` anywhere (azure-pipelines-agent, ``Command.cs``),
TeamCity ``##teamcity[`` (its service messages). Any word between the two signs counts as one.
"""

from __future__ import annotations

import re

from renderer.model.pattern import pattern

_COMMAND = pattern(r"^\s*(?=::)|##(?=\w*\[)")
_HASHES = pattern(r"##(?=\w*\[)")
_COLONS = pattern(r"^([^\S\n]*):(?=:)", re.MULTILINE)


def log_line(text: str) -> str:
    r"""Return ``text`` as one line: control characters escaped as in Python, ``\`` in what is a command."""
    shown = text if text.isprintable() else "".join(map(_visible, text))
    return _COMMAND.sub(r"\g<0>\\", shown) if "::" in shown or "##" in shown else shown


def log_json(document: str) -> str:
    """Return a JSON document of equal meaning in which nothing is a command."""
    return _HASHES.sub(r"#\\u0023", document)


def log_markup(document: str) -> str:
    """Return an XML, HTML or Markdown document of equal meaning in which nothing is a command."""
    return _COLONS.sub(r"\1&#58;", _HASHES.sub("#&#35;", document))


def _visible(character: str) -> str:
    if character.isprintable() or character == "\t":
        return character
    from unicodedata import category  # noqa: PLC0415 - few characters are neither

    if category(character) == "Zs":
        return character
    return character.encode("unicode_escape").decode("ascii")
