"""What the Secrets of one overlay have that the outputs of other overlays may not show.

An overlay shows nothing that its own Secrets have (``secret_values``). Elsewhere, much of it is an ordinary
text: the address of a server, a line of a configuration, a word. So less of it is confidential there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from renderer.kubevirt.facts.confidential.fields import (
    SECRET_GENERATOR,
    START_DATA,
    is_identity,
)
from renderer.kubevirt.facts.confidential.malformed_text import entries_in_malformed
from renderer.kubevirt.facts.confidential.meant_keys import LITERALS, means_generator
from renderer.kubevirt.facts.confidential.nested_credentials import nested_credential_readings
from renderer.kubevirt.facts.confidential.parts import LOOKING, STEPS_PER_VALUE, opened, parts_of
from renderer.kubevirt.facts.confidential.scope import Scope, root_scope
from renderer.kubevirt.facts.confidential.secret_values import WORD
from renderer.model.credential_text.names import names_credential
from renderer.model.kube.encryption import is_ciphertext
from renderer.model.kube.json import Json, JsonObject, array_at, count_values, object_at, text_at
from renderer.model.pattern import pattern
from renderer.model.placeholders import has_placeholder, without_placeholders
from renderer.model.run.readings import content_of_base64, credential_readings, readings, text_in
from renderer.model.run.taint import texts_of
from renderer.model.run.work import spend

#: One of these is in every document, in lower case, that has a value of a Secret, or start data; or an object
#: is a Secret, or a patch for one.
_SIGNS = (
    b"stringdata",
    b"secretgenerator",
    b"unattend.xml",
    b"userdata",
    b"networkdata",
    rb"\u",
    rb"\x",
)
#: A kind, also after what YAML may have before a scalar.
_SECRET, _KIND = (
    b"secret",
    pattern(
        rb"kind[\"']?\s*+:\s*+(?:#[^\n]{0,200}+\s++){0,2}+(?:[!&][^\s,]{0,50}+\s++){0,2}+[\"']?\w*secret"
    ),
)
#: The path of an operation of a JSON patch. A path alone may be one of a container.
_DATA_OF_PATCH = pattern(
    rb"(?<![a-z])path[\"']?\s*+:\s*+(?:[|>][-+]?\s++)?(?:[!&][^\s,]{0,50}+\s++){0,2}+[\"']?/(?:binary)?data"
)
#: An object of the core group with ``data`` is a Secret, also if its kind is misspelt, or a ConfigMap.
_CONFIG_MAP, _CORE = b"configmap", pattern(rb"apiversion[\"']?\s*+:\s*+[\"']?v1\b")
_DATA = pattern(rb"(?<![a-z])(?:binary)?data[\"']?\s*+:")
_BASE64 = pattern(r"[A-Za-z0-9+/\s]{8,}+={0,2}\s*")
#: A line that is no sentence, key, comment, heading or tag, such as a line of a private key.
_TELLING_LINE = pattern(r"(?![#<]|\[.*\]$)\S*[^\s:]")
#: What stands for a value: the path of a file, a reference to another store, and ``user@host:path``.
_REFERENCE = pattern(
    r"(?:/[a-z][a-z0-9._-]*){2,}|<[^<>]*>|(?:vault|avp|op|ref\+[a-z]+):\S*|[\w.-]+@[\w.-]+:[\w./~-]+"
)
#: ``clusterID`` says what ``cluster`` says.
_ID = pattern(r"[-_.]?I[Dd]$|[-_.]id$")
#: A variable of Flux, perhaps with an operator; a text that is not an address, and has no blank.
_EXPANSION, _ONE_WORD = pattern(r"\$\{(\w{1,200})(?:[^\w${}][^${}]{0,200})?\}"), pattern(r"[^\s/@]+")
_STAND_IN = pattern(r"Variable-\d+-of-Flux")
_CONSTANT = pattern(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")


class Values(NamedTuple):
    """Values that other overlays may not show; the ``words`` only if no object has them as a name.

    ``variables`` are the names of variables of Flux of which such values are made.
    """

    certain: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    variables: frozenset[str] = frozenset()

    @classmethod
    def union(cls, found: Iterable[Values]) -> Values:
        """Return all values of several."""
        every = tuple(found)
        return cls(
            frozenset().union(*(each.certain for each in every)),
            frozenset().union(*(each.words for each in every)),
            frozenset().union(*(each.variables for each in every)),
        )


def may_have_values(content: bytes) -> bool:
    """Return False if there is surely no such value in a document."""
    lowered = content.lower()
    if any(sign in lowered for sign in _SIGNS) or (_SECRET in lowered and _KIND.search(lowered)):
        return True
    if _CONFIG_MAP not in lowered and _CORE.search(lowered) and _DATA.search(lowered):
        return True
    return _DATA_OF_PATCH.search(lowered) is not None


def values_in(document: Json) -> Values:
    """Return what the Secrets in and among a document have, and the credentials of its start data."""
    spend(STEPS_PER_VALUE * count_values(document), LOOKING)
    return Values.union(values_of(key, text) for key, text in _entries_of(document))


def values_in_malformed(text: str) -> Values:
    """Return the same of a document that cannot be parsed."""
    return Values.union(values_of(key, value) for key, value in entries_in_malformed(text))


def _entries_of(document: Json) -> Iterator[tuple[str, str]]:
    yield from _texts_with_keys(document, root_scope(), "")
    for generator in generators_in(document):
        for literal in texts_of(generator.get(LITERALS)):
            key, _, text = literal.partition("=")
            yield key, text


def generators_in(document: Json) -> Iterator[JsonObject]:
    """Yield the generators of Secrets in a kustomization, or the one that a document is."""
    yield from map(object_at, array_at(document, SECRET_GENERATOR))
    if means_generator(text_at(document, "kind")):
        yield object_at(document)


def values_of(key: str, text: str) -> Values:
    """Return what counts elsewhere of an entry of a Secret, also as Flux writes it: with ``$`` for ``$$``.

    Of what says who or where, and of a text with variables, that is the credentials in it; of other texts, no
    line that may be in any file. A single word in small letters counts if its key names a credential. What
    says where the value is does not.
    """
    spellings = (text, text.replace("$$", "$")) if "$$" in text else (text,)
    found = Values.union(_values_as_written(key, each) for each in spellings)
    return found._replace(variables=_variables_in(key, text)) if "${" in text else found


def _values_as_written(key: str, text: str) -> Values:
    decoded = text_in(content_of_base64(text)) if _BASE64.fullmatch(text) else ""
    plain = (decoded or text).strip()
    if _stands_for_value(plain):
        return Values()
    says_who = key in START_DATA or is_identity(_ID.sub("", key))
    if says_who or has_placeholder(plain):
        plain = without_placeholders(plain)
        made = credential_readings(plain)
    else:
        made = readings(text, _is_telling)
    every = chain(made, nested_credential_readings(plain))
    found = frozenset(each for each in every if not _stands_for_value(each))
    words = frozenset(each for each in found if WORD.fullmatch(each))
    if says_who:
        return Values(found - words)
    is_named = names_credential(key)
    telling = (each for each in words if "-" in each or (is_named and not names_credential(each)))
    return Values(found - words, frozenset(telling))


def _variables_in(key: str, text: str) -> frozenset[str]:
    """Return the names of the variables that are confidential in an entry, as words in their place would be.

    In a text of several words and in an address, a variable counts if it is a credential in it.
    """
    names = {name: f"Variable-{number}-of-Flux" for number, name in enumerate(_EXPANSION.findall(text))}
    written = _EXPANSION.sub(lambda found: names[found[1]], text)
    found = _values_as_written(key, written).certain
    parts = _STAND_IN.findall("\0".join(found)) if _ONE_WORD.fullmatch(written) else ()
    confidential = found.union(parts)
    return frozenset(name for name, word in names.items() if word in confidential)


def _stands_for_value(text: str) -> bool:
    if is_ciphertext(text) or _REFERENCE.fullmatch(text):
        return True
    return _CONSTANT.fullmatch(text) is not None and names_credential(text)


def _is_telling(line: str) -> bool:
    return _TELLING_LINE.fullmatch(line) is not None


def _texts_with_keys(value: Json, scope: Scope, key: str) -> Iterator[tuple[str, str]]:
    """Yield the values of Secrets, and start data, each after the key that it has."""
    if isinstance(value, dict | list) and not scope.hides(value):
        scope_of = opened(value, scope)
        for name, child in value.items() if isinstance(value, dict) else enumerate(value):
            if name != SECRET_GENERATOR:
                yield from _texts_with_keys(child, scope_of(name), name if isinstance(name, str) else key)
    elif key in START_DATA:
        yield from ((key, text) for text in texts_of(value))
    else:
        parts = (part for part in parts_of(value, scope) if part.is_secret)
        yield from ((key, text) for part in parts for text in texts_of(part.value))


def names_in(documents: Iterable[Json]) -> Iterator[str]:
    """Yield the names, namespaces and labels of objects, and what a kustomization sets of these."""
    for each in documents:
        for part in (object_at(each), object_at(each, "metadata")):
            for key in ("name", "namespace", "namePrefix", "nameSuffix", "labels", "commonLabels"):
                yield from texts_of(part.get(key))
