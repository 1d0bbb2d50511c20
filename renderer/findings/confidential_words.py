"""Find the keys of confidential values in a text, spelt correctly or not."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kubevirt.facts.confidential.fields import ANSWER_FILES
from renderer.kubevirt.facts.confidential.meant_keys import meant_key
from renderer.model.credential_text.names import names_credential
from renderer.model.pattern import pattern

#: A word before a colon, or in a path: ``~1`` is a slash in JSON pointers.
_WORD = r"[A-Za-z](?:[\w-]|\.(?=\w))*+"
_KEY = pattern(rf"""(?<![\w.-]){_WORD}(?=["']?\s{{0,99}}:)|(?<=/){_WORD}|(?<=~1){_WORD}""")
_NAME = pattern(r"[A-Za-z][\w.-]*+")


def confidential_words(text: str) -> Iterator[int]:
    """Yield where confidential keys are in a text, spelt correctly or not, as keys or in paths."""
    for found in _KEY.finditer(text):
        if meant_key(found[0]):
            yield found.start()


def names_of_credentials(text: str) -> Iterator[int]:
    """Yield where a text has the name of a password, a token or another credential."""
    for found in _NAME.finditer(text):
        if names_credential(found[0]):
            yield found.start()


def is_answer_file_literal(text: str | None) -> bool:
    """Return True for ``unattend.xml=<…>``: the entry of a generator with the text of an answer file.

    An entry of ``files`` has a path there, which is shown.
    """
    name, _, value = (text or "").partition("=")
    return "<" in value and name.strip().lower() in ANSWER_FILES
