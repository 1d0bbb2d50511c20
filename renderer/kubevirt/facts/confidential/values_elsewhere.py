"""What the Secrets of one overlay have that the outputs of other overlays may not show.

An overlay shows nothing that its own Secrets have (``secret_values``). Elsewhere, much of it is an ordinary
text: the address of a server, a line of a configuration, a word. So less of it is confidential there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from renderer.kubevirt.facts.confidential.fields import (
    SECRET_DATA,
    SECRET_GENERATOR,
    START_DATA,
)
from renderer.kubevirt.facts.confidential.inner_values import (
    constants_of_template,
    is_file,
    says_who,
    stands_for_value,
    values_of_file,
)
from renderer.kubevirt.facts.confidential.malformed_text import entries_in_malformed
from renderer.kubevirt.facts.confidential.meant_keys import (
    LITERALS,
    has_values_of_secret,
    means_generator,
    meant_key,
)
from renderer.kubevirt.facts.confidential.nested_credentials import nested_credential_readings
from renderer.kubevirt.facts.confidential.parts import LOOKING, PATCHES, STEPS_PER_VALUE, Part, parts_of
from renderer.kubevirt.facts.confidential.scope import root_scope
from renderer.kubevirt.facts.confidential.secret_values import (
    WORD,
    credentials_of,
    entries_of,
    may_hold_objects_as_text,
)
from renderer.model.credential_text.names import names_credential, names_credential_of
from renderer.model.encoded_text import content_of_base64, text_in
from renderer.model.kube.json import (
    Json,
    JsonObject,
    count_values,
    mappings_in,
    object_at,
    scalar_text,
    text_at,
)
from renderer.model.pattern import pattern
from renderer.model.placeholders import has_placeholder, without_placeholders
from renderer.model.run.learned_values import Values
from renderer.model.run.readings import credential_readings, readings
from renderer.model.run.taint import texts_of
from renderer.model.run.work import spend
from renderer.yamlio.unquoted import as_written, may_have_unquoted

#: One of these is in every document, in lower case, that has a value of a Secret, or start data; or an object
#: is a Secret, or a patch for one.
_SIGNS = (
    b"stringdata",
    b"secretgenerator",
    b"unattend",
    b"userdata",
    b"networkdata",
    b"cloudinit",
    b"ignitiondata",
    b"launchsecurity",
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
#: The path of an operation of a JSON patch, as a path alone may be one of a container; the type of a Secret,
#: which an object of another kind may have by mistake. Each after words of which one is in it.
_FORMS = (
    (
        (b"/data", b"/binarydata"),
        pattern(
            rb"path[\"']?\s*+:\s*+(?:[|>][-+]?\s++)?(?:[!&][^\s,]{0,50}+\s++){0,2}+[\"']?/(?:binary)?data"
        ),
    ),
    (
        (b"opaque", b"kubernetes.io/", b"helm.sh/"),
        pattern(rb"type[\"']?\s*+:\s*+[\"']?(?:opaque|[a-z.]{0,20}+kubernetes\.io/|helm\.sh/)"),
    ),
)
#: A generator whose key is misspelt, and the fields of one. The letter is first, as literals are found fast.
_GENERATOR = pattern(rb"s(?<![\w-]s)(?!torage)[\w-]{2,7}g[\w-]{5,10}[\"']?\s*+:")
_LITERALS = LITERALS.encode()
_FIELDS = (_LITERALS, b"envs", b"files")
#: An object of the core group with ``data`` is a Secret, also if its kind is misspelt, or a ConfigMap.
_CONFIG_MAP, _CORE = b"configmap", pattern(rb"apiversion[\"']?\s*+:\s*+[\"']?v1\b")
_DATA = pattern(rb"data(?:(?<![a-z]data)|(?<=binarydata)(?<![a-z]binarydata))[\"']?\s*+:")
_BASE64 = pattern(r"[A-Za-z0-9+/\s]{8,}+={0,2}\s*")
#: A line that is no sentence, key, comment, heading or tag, such as a line of a private key.
_TELLING_LINE = pattern(r"(?![#<]|\[.*\]$)\S*[^\s:]")
#: ``user@host:path``.
_REMOTE_PATH = pattern(r"[\w.-]+@[\w.-]+:[\w./~-]+")
#: A variable of Flux, perhaps with an operator; a text that is not an address, and has no blank.
_EXPANSION, _ONE_WORD = pattern(r"\$\{(\w{1,200})(?:[^\w${}][^${}]{0,200})?\}"), pattern(r"[^\s/@]+")
_STAND_IN = pattern(r"Variable-\d+-of-Flux")
#: Quantities, images of a registry, and addresses of networks.
_ORDINARY = pattern(
    r"\d{1,6}(?:\.\d{1,3})?(?:[KMGTPE]i|[kMGTPEm])"
    r"|(?:[a-z0-9-]{1,63}\.)+[a-z]{2,18}(?::\d{1,5})?(?:/[a-z0-9._-]+)+(?::[\w.-]{1,128})?(?:@sha256:[0-9a-f]{64})?"
    r"|\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2}|:\d{1,5})?|[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}"
)
_TOKEN = pattern(r"\S+")
#: A field with the name of something that a cluster or a registry has, and the same in a text of bytes.
_NAMES = r"(?:[a-z][A-Za-z]{0,40})?[cC]lassName|storageClass|image|model|networkName|newName"
_FIELD_WITH_NAME, _WITHOUT_NAMES = pattern(_NAMES), frozenset({*SECRET_DATA, LITERALS})
_FIELD_IN_TEXT = pattern(
    rf"(?<![\w.-])(?:{_NAMES})[\"']?[ \t]{{0,9}}:[ \t]{{0,9}}[\"']?([^\s\"',{{}}]+)".encode()
)


def may_have_values(content: bytes) -> bool:
    """Return False if there is surely no such value in a document."""
    lowered = content.lower()
    return (
        any(sign in lowered for sign in _SIGNS)
        or (_SECRET in lowered and _KIND.search(lowered) is not None)
        or (_CONFIG_MAP not in lowered and bool(_CORE.search(lowered) and _DATA.search(lowered)))
        or any(
            any(word in lowered for word in words) and form.search(lowered) is not None
            for words, form in _FORMS
        )
        or (_SECRET in lowered and _LITERALS in lowered)
        or (any(field in lowered for field in _FIELDS) and _GENERATOR.search(lowered) is not None)
    )


def values_in(document: Json) -> Values:
    """Return what the Secrets in and among a document have, and the credentials of its start data."""
    spend(STEPS_PER_VALUE * count_values(document), LOOKING)
    return Values.union(map(values_of_part, parts_of(document, root_scope())))


def values_of_part(part: Part) -> Values:
    """Return what counts elsewhere of a confidential value of an object."""
    if part.is_start_data and isinstance(part.value, str):
        return values_of(START_DATA[0], part.value)
    if part.is_start_data:
        return Values(credentials_of(part.value))
    if part.is_malformed:
        return values_in_malformed(scalar_text(part.value))
    return Values.union(values_of(key, text) for key, text in (entries_of(part) if part.is_secret else ()))


def values_in_malformed(text: str) -> Values:
    """Return the same of a document that cannot be parsed."""
    return Values.union(values_of(key, value) for key, value in entries_in_malformed(text))


def values_as_written(text: str) -> Values:
    """Return what a document has in Secrets that YAML takes for something else: ``!x``, ``&x``, ``0x1F``."""
    if not may_have_unquoted(text):
        return Values()
    spend(1 + len(text), LOOKING)
    return values_in(as_written(text))


def generators_in(document: Json) -> Iterator[JsonObject]:
    """Yield the generators of Secrets in a kustomization, also misspelt, or the one that a document is."""
    for mapping in mappings_in(document):
        for key, child in mapping.items():
            if meant_key(key) == SECRET_GENERATOR:
                yield from map(object_at, child if isinstance(child, list) else (child,))
        if means_generator(text_at(mapping, "kind")):
            yield mapping


def values_of(key: str, text: str) -> Values:
    """Return what counts elsewhere of an entry of a Secret, also as Flux writes it: with ``$`` for ``$$``.

    Of the text of a chart, the default of a value counts as well: ``{{ .Values.password | default "x" }}``.
    Of what says who or where, and of a text with variables, that is the credentials in it; of other texts, no
    line that may be in any file. A single word in small letters counts if its key names a credential. What
    says where the value is does not, nor does a quantity, an image or an address unless its key names one.
    """
    texts = {text, text.replace("$$", "$")}
    if "{{" in text:
        texts.update(constants_of_template(text))
    inner = (entry for each in texts if key not in START_DATA for entry in values_of_file(each))
    entries = chain(((key, each) for each in texts), inner)
    found = Values.union(_values_as_written(name, each) for name, each in entries)
    return found._replace(variables=_variables_in(key, text)) if "${" in text else found


def _values_as_written(key: str, text: str) -> Values:
    decoded = text_in(content_of_base64(text)) if _BASE64.fullmatch(text) else ""
    written = decoded or text
    plain = written.strip()
    is_named = names_credential_of(key)
    if stands_for_value(plain) or (not is_named and _REMOTE_PATH.fullmatch(plain)):
        return Values()
    is_public = key in START_DATA or (says_who(key) and not is_file(plain))
    made: Iterable[str] = ()
    if not is_public and (not has_placeholder(plain) or (is_named and without_placeholders(plain, ""))):
        made = readings(text, _is_telling)
    if is_public or has_placeholder(plain):
        written = without_placeholders(written)
        plain = written.strip()
        made = chain(made, credential_readings(written))
    every = chain(made, nested_credential_readings(written))
    found = frozenset(each for each in every if not stands_for_value(each))
    if not is_named:
        found = frozenset(each for each in found if not _ORDINARY.fullmatch(each))
    words = frozenset(each for each in found if WORD.fullmatch(each))
    if is_public:
        return Values(found - words)
    telling = frozenset(each for each in words if "-" in each or (is_named and not names_credential(each)))
    tokens = found.intersection(() if is_named or not _TOKEN.fullmatch(plain) else (plain,)) - words
    return Values(found - words - tokens, telling, tokens)


def _variables_in(key: str, text: str) -> frozenset[str]:
    """Return the names of the variables that are confidential in an entry, as words in their place would be.

    In a text of several words and in an address, a variable counts if it is a credential in it.
    """
    names = {name: f"Variable-{number}-of-Flux" for number, name in enumerate(_EXPANSION.findall(text))}
    written = _EXPANSION.sub(lambda found: names[found[1]], text)
    values = _values_as_written(key, written)
    found = values.certain | values.tokens
    parts = _STAND_IN.findall("\0".join(found)) if _ONE_WORD.fullmatch(written) else ()
    confidential = found.union(parts)
    return frozenset(name for name, word in names.items() if word in confidential)


def _is_telling(line: str) -> bool:
    return _TELLING_LINE.fullmatch(line) is not None


def names_in(documents: Iterable[Json]) -> Iterator[str]:
    """Yield the names, namespaces and labels of objects, and what a kustomization sets of these."""
    for each in documents:
        for part in (object_at(each), object_at(each, "metadata")):
            for key in ("name", "namespace", "namePrefix", "nameSuffix", "labels", "commonLabels"):
                yield from texts_of(part.get(key))


def named_in_text(content: bytes) -> frozenset[str]:
    """Return what fields in a text may name: images, models of CPUs, classes, networks."""
    return frozenset(each.decode("utf-8", "replace") for each in _FIELD_IN_TEXT.findall(content))


def named_in(value: Json) -> Iterator[str]:
    """Yield what fields of objects, and of patches for them, name; no Secret and no data is looked at."""
    if isinstance(value, list):
        for child in value:
            yield from named_in(child)
    if not isinstance(value, dict) or has_values_of_secret(value.get("kind")):
        return
    for key, child in value.items():
        if isinstance(child, str) and _FIELD_WITH_NAME.fullmatch(key):
            yield child
        elif key in PATCHES and isinstance(child, str | list):
            texts = (text for text in texts_of(child) if not may_hold_objects_as_text(text))
            yield from (name for text in texts for name in named_in_text(text.encode()))
        elif key not in _WITHOUT_NAMES:
            yield from named_in(child)
