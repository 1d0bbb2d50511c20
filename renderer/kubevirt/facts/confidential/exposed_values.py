"""Which values are confidential because an engine puts them into a Secret or a password.

Nothing calls them confidential where they come from: in a Kustomization, a ConfigMap or a Template.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from renderer.kubevirt.facts.confidential.fields import is_identity
from renderer.kubevirt.facts.confidential.secret_values import readings_of_texts
from renderer.model.api_words import is_api_word
from renderer.model.masking import Masking
from renderer.model.pattern import pattern
from renderer.model.run.readings import SHORTEST

#: A word of a text, with the name before a value (``name=value``, ``"name": "value"``), and the quote and
#: colon after a key of a mapping, such as ``"host:5000":``.
_WORD = pattern(r"""(?:([\w.-]++)(["']?[ \t]*+[:=](?!//)[ \t]*+["']?))?+([^\s"'{}\[\],;]*+)(["'][ \t]*+:)?""")
#: What only an address has.
ADDRESS = "://"


def is_searched_for(value: str) -> bool:
    """Return True if a value is looked for elsewhere: it is long enough, and not a word of the API."""
    return len(value) >= SHORTEST and not is_api_word(value)


def exposed_values(
    texts: Iterable[tuple[str, str]], names: Iterable[str], values: Iterable[str]
) -> frozenset[str]:
    """Return the ``values`` that become a Secret's value, a part of one, or a password.

    ``texts`` are confidential texts with their keys, and ``names`` the names and namespaces of objects, with
    the values in them. A value is shown if a name has it and Secrets have it only as a user, a host or the
    like, or only as a part of a line. In an address and in a text of several lines, such parts are public.
    """
    certain, uncertain = exposures(texts, values)
    every_name = "\0".join(names) if uncertain else ""
    return certain | frozenset(value for value in uncertain if value not in every_name)


def exposures(
    texts: Iterable[tuple[str, str]], values: Iterable[str]
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the ``values`` that confidential texts have, and those that are public if a name has them."""
    known = frozenset(filter(is_searched_for, values))
    if not known:
        return frozenset(), frozenset()
    search = Masking(known)
    uncertain: set[str] = set()
    certain: set[str] = set()
    for key, text in texts:
        made = known & readings_of_texts([text])
        if is_identity(key):
            uncertain |= made & {text.strip()}
            certain |= made - {text.strip()}
        else:
            certain |= made
        uncertain.update(known.intersection(_parts_of_line(key, text, search)))
    return frozenset(certain), frozenset(uncertain)


def _parts_of_line(key: str, text: str, search: Masking) -> Iterable[str]:
    """Return the values in a text of one line, without addresses, keys, and words for who or where."""

    def without_public(word: re.Match[str]) -> str:
        name, sign, value, after_key = word.groups()
        if ADDRESS in value or after_key or is_identity(name or key):
            return ""
        is_key = sign and ":" in sign and (not value or sign.startswith(("'", '"')))
        return value if is_key else word[0]

    return () if "\n" in text.strip() else search.values_in(_WORD.sub(without_public, text))
