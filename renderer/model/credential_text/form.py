"""A form of a credential, and which of the words that have it are credentials."""

from __future__ import annotations

import re

from renderer.model.kube.encryption import is_ciphertext
from renderer.model.kube.json import Json
from renderer.model.pattern import pattern
from renderer.model.placeholders import PLACEHOLDER_WORD, has_placeholder
from renderer.model.record import Record

_LONGEST_VALUE = 10_000
#: Texts that stand for a value: variables of shells, of Kubernetes and of templates, references, paths.
_REFERENCE = pattern(
    r"\$\w+|\$\([^()]*\)|%\(?\w+\)?[s%]?|\{[\w.]+\}|<[^<>]*>|(?:ref\+|vault:|env:|file:|secretref:|arn:).*"
    r"|(?:/[\w.-]+){2,}/?|null|none|nil|true|false|yes|no|on|off|~|[|>][-+]?|[*!]{1,2}|\W{1,3}",
    re.IGNORECASE,
)


class Form(Record):
    """A form of a credential.

    The group ``word`` of its pattern is the credential, which does not count if it is put in later; a form
    without the group always counts. What is masked is the word, or the group ``whole`` around it, of which
    other parts may be confidential, too.

    What has the form has one of the ``signs``, in any case. Most texts have none, and cost a few look-ups;
    the pattern is compiled for the first text that has one.
    """

    signs: tuple[str, ...]
    pattern: re.Pattern[str]

    def may_be_in(self, lowered: str) -> bool:
        """Return True if a text in lower case has one of the signs."""
        for sign in self.signs:  # noqa: SIM110 - half the time of any() for all the texts of a fleet
            if sign in lowered:
                return True
        return False


def is_credential_value(value: Json) -> bool:
    """Return True for a value that, after a name that says so, is a credential."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return False
    text = str(value).strip()
    return bool(text) and not _is_put_in_later(text) and not _REFERENCE.fullmatch(text[:_LONGEST_VALUE])


def is_written(found: re.Match[str]) -> bool:
    """Return True if a form has its credential, neither encrypted nor put in later."""
    word = found.groupdict().get("word")
    return word is None or not _is_put_in_later(word)


def _is_put_in_later(word: str) -> bool:
    """Return True for ciphertext and for a placeholder, of which a word may be the beginning."""
    return (
        is_ciphertext(word)
        or PLACEHOLDER_WORD in word
        or has_placeholder(word)
        or word.startswith(("{{", "${", "$(", "ENC["))
    )
