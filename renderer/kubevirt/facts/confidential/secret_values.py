"""The values of Secrets, which may occur elsewhere, and are masked wherever they do."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import chain

from renderer.kubevirt.facts.confidential.conditions import (
    APPLICATION_SET,
    INPUT_PROVIDER,
    INPUTS_OF_SETS,
    RESOURCE_SET,
)
from renderer.kubevirt.facts.confidential.fields import (
    IGNITION,
    SECRET_DATA,
    SECTIONS_OF_SECRETS,
    START_DATA,
    is_identity,
)
from renderer.kubevirt.facts.confidential.inner_values import constants_of_template, values_of_file
from renderer.kubevirt.facts.confidential.manifest_text import (
    seems_to_hold_secret,
)
from renderer.kubevirt.facts.confidential.meant_keys import LITERALS, has_values_of_secret, meant_key
from renderer.kubevirt.facts.confidential.meant_kinds import means_secret
from renderer.kubevirt.facts.confidential.nested_credentials import (
    credential_readings_in_tree,
    nested_credential_readings,
)
from renderer.kubevirt.facts.confidential.parameters import confidential_values_of_inputs
from renderer.kubevirt.facts.confidential.parts import (
    CHARACTERS_PER_STEP,
    LOOKING,
    STEPS_PER_VALUE,
    Part,
    holds_start_data,
    opened,
    parts_of,
)
from renderer.kubevirt.facts.confidential.scope import Scope, root_scope
from renderer.kubevirt.facts.kinds import SECRET
from renderer.model.encoded_text import content_of_base64, text_in
from renderer.model.kube.field_path import FieldPath, Segment
from renderer.model.kube.json import (
    Json,
    JsonObject,
    count_values,
    object_at,
    scalar_text,
    text_at,
)
from renderer.model.kube.sharing import once_for_same
from renderer.model.pattern import pattern
from renderer.model.placeholders import without_placeholders
from renderer.model.run.readings import credential_readings, readings
from renderer.model.run.taint import telling_keys_of, texts_of
from renderer.model.run.work import spend

#: Kinds of objects that are always walked.
_WITH_VALUES = frozenset({SECRET, APPLICATION_SET, *INPUTS_OF_SETS})
#: What the keys and texts of an object have, in lower case, that holds a value of a Secret: one of these keys
#: or words, or this pattern, with a line break between a key and its text.
_KEYS_OF_HOLDERS = frozenset({"fake", "op", "parameters", "password", "patch", "sev"})
_WORDS_OF_HOLDERS = ("stringdata", "unattend", r"\u", r"\x")
#: What a text has, in lower case, that is a manifest with start data.
_DATA_OF_MACHINE = pattern(rf"(?:{'|'.join(map(str.lower, (*START_DATA, IGNITION)))})[\"']?\s*:")
_HOLDER = pattern(r"secret(?:generator|s?(?:templates?)?\W)|kind\W{1,9}(?:\w{0,50}secret|\w*[${])")
#: What the text of such an object has, or of a machine with start data.
_IN_TEXT = pattern(
    r"(?i)secret|stringdata|unattend|\\[ux]|"
    rf"\b(?:{'|'.join(sorted({*_KEYS_OF_HOLDERS, *START_DATA}))})\b|"
    r"kind\W{1,9}(?:ResourceSet|\w*[${])"
)
#: Entries of two versions of an object that are compared in one step (``model.run.work``).
_COMPARED_PER_STEP = 8
#: Steps for each value of a Secret in what a change does not share, besides those of any walk: a value that
#: is not data is judged by all rules, and a patch may change it again with each operation.
_STEPS_PER_CHANGED_VALUE = 20
_STRING_DATA = "stringData"
#: The keys of values with entries in them: of generators, and sections, which are mappings.
_KEYS_OF_ENTRIES = frozenset({LITERALS, *SECRET_DATA})
#: A word in small letters, as names of objects are.
WORD = pattern(r"[a-z]+(?:-(?:[a-z]+|\d{1,3}))*")


@once_for_same
def may_hold_objects(tree: Json) -> bool:
    """Return False if there is surely no value of a Secret in a tree; most objects have none.

    The versions of an object, and the objects of a fleet, share most of their subtrees.
    """
    if not isinstance(tree, dict | list):
        return False
    if isinstance(tree, dict) and not _KEYS_OF_HOLDERS.isdisjoint(tree):
        return True
    children = tree.values() if isinstance(tree, dict) else tree
    texts = chain.from_iterable(tree.items()) if isinstance(tree, dict) else tree
    text = "\n".join([each for each in texts if type(each) is str]).lower() + "\n"
    spend(1 + len(text) // CHARACTERS_PER_STEP, LOOKING)
    return (
        any(word in text for word in _WORDS_OF_HOLDERS)
        or ("data" in text and _DATA_OF_MACHINE.search(text) is not None)
        or _HOLDER.search(text) is not None
        or any(may_hold_objects(child) for child in children if isinstance(child, dict | list))
    )


def may_hold_objects_as_text(text: str) -> bool:
    """Return False if there is surely no value of a Secret, and no start data, in the documents of a text."""
    return _IN_TEXT.search(text) is not None


def fields_of_secrets(content: JsonObject) -> Iterator[FieldPath]:
    """Yield the fields of an object that hold a value of a Secret, or a text with one."""
    if has_values_of_secret(text_at(content, "kind")) or may_hold_objects(content):
        yield from map(FieldPath, _places_of_secrets(content, root_scope(), ()))


def _places_of_secrets(value: Json, scope: Scope, at: tuple[Segment, ...]) -> Iterator[tuple[Segment, ...]]:
    if isinstance(value, dict | list) and not scope.hides(value):
        scope_of = opened(value, scope)
        for key, child in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _places_of_secrets(child, scope_of(key), (*at, key))
    elif any(_may_be_of_secret(part, value, scope) for part in parts_of(value, scope)):
        yield at


def _may_be_of_secret(part: Part, value: Json, scope: Scope) -> bool:
    """Return True if a part of a value may be from a Secret, for all that a text or a patch says."""
    if part.is_secret or (scope.is_root and scope.target):
        return any(texts_of(part.value))
    return part.value is value and isinstance(value, str) and seems_to_hold_secret(value)


def secret_values(objects: Iterable[Json], others: Iterable[Json] = ()) -> frozenset[str]:
    """Return the values of the Secrets among and in ``objects``, and their readings (``model.run.readings``).

    A word that a Secret has as a host, an environment or the like is public if another object has it as its
    name, its namespace or a label; ``others`` are further objects with names. What a ResourceSet among them
    puts into Secrets is a value of its own inputs or of its providers.
    """
    known = list(objects)
    kinds = [text_at(each, "kind") for each in known]
    providers = [object_at(each) for each, kind in zip(known, kinds, strict=True) if kind == INPUT_PROVIDER]
    sets = (
        object_at(each) for each, kind in zip(known, kinds, strict=True) if kind == RESOURCE_SET and providers
    )
    inputs = [object_at(each, "spec", INPUTS_OF_SETS[INPUT_PROVIDER]) for each in providers]
    given = (
        Part(text, is_secret=True) for each in sets for text in confidential_values_of_inputs(each, inputs)
    )
    parts = (part for each in without_names(known, others) for part in _parts_of_object(each))
    found = [*chain(parts, given)]
    credentials = (credentials_of(part.value) for part in found if part.is_start_data)
    return readings_of_secrets(found).union(*credentials, *map(credentials_of_machines, known))


@once_for_same
def credentials_of_machines(tree: Json) -> frozenset[str]:
    """Return the credentials in the start data of machines in a tree."""
    found: set[str] = set()
    entries = tree.items() if isinstance(tree, dict) else enumerate(tree if isinstance(tree, list) else ())
    for key, child in entries:
        if isinstance(key, str) and holds_start_data(key):
            found |= credentials_of(child)
        elif isinstance(child, dict | list):
            found |= credentials_of_machines(child)
    return frozenset(found)


def credentials_of(start_data: Json) -> frozenset[str]:
    """Return the credentials in start data, which may be a mapping by mistake, and their readings.

    The rest of such a text is public elsewhere, as the names of hosts and packages are, and so is a word in
    small letters, which is a password by default.
    """
    made = (
        credentials_in(start_data) if isinstance(start_data, str) else credential_readings_in_tree(start_data)
    )
    return frozenset(each for each in made if not WORD.fullmatch(each))


def credentials_in(text: str) -> Iterator[str]:
    """Yield the readings of the credentials in a text, and in the tree that it is."""
    written = without_placeholders(text)
    yield from credential_readings(written)
    yield from nested_credential_readings(written)


def without_names(objects: Collection[Json], others: Iterable[Json] = ()) -> Iterator[Json]:
    """Yield the objects, Secrets without the entries of which another object has the value as a name.

    ``others`` are further objects with names, which are read only if a Secret has such an entry.
    """
    names: frozenset[str] | None = None
    for each in objects:
        words = _words_in(each) if text_at(each, "kind") == SECRET else {}
        if words and names is None:
            names = frozenset(_names_of(chain(objects, others)))
        public = {place for place, word in words.items() if names and word in names}
        yield _without_entries(object_at(each), public) if public else each


def _words_in(secret: Json) -> Mapping[tuple[str, str], str]:
    """Return the words in small letters that say who or where, by their section and key."""
    return {
        (section, key): word
        for section in SECTIONS_OF_SECRETS
        for key, value in object_at(secret, section).items()
        if isinstance(value, str) and is_identity(key) and (word := _word_in(value, section))
    }


def _word_in(value: str, section: str) -> str:
    text = value if section == _STRING_DATA else text_in(content_of_base64(value))
    return text if WORD.fullmatch(text) else ""


def _names_of(objects: Iterable[Json]) -> Iterator[str]:
    """Yield the names, namespaces and labels of the objects that are no Secrets."""
    for each in objects:
        if not means_secret(text_at(each, "kind")):
            metadata = object_at(each, "metadata")
            yield from (text_at(metadata, "name"), text_at(metadata, "namespace"))
            yield from texts_of(object_at(metadata, "labels"))


def _without_entries(secret: JsonObject, places: Collection[tuple[str, str]]) -> JsonObject:
    sections = {
        section: {
            key: value for key, value in object_at(secret, section).items() if (section, key) not in places
        }
        for section, _ in places
    }
    return {**secret, **sections}


def _parts_of_object(content: Json) -> Iterator[Part]:
    kind = text_at(content, "kind")
    if kind in _WITH_VALUES or has_values_of_secret(kind) or may_hold_objects(content):
        spend(STEPS_PER_VALUE * count_values(content), LOOKING)
        yield from parts_of(content, root_scope())


def readings_of_secrets(parts: Iterable[Part]) -> frozenset[str]:
    """Return the readings of the values of Secrets, and of what the files and templates among them have.

    Of a mapping, which is a mistake, the keys are read as well.
    """
    secrets = [part for part in parts if part.is_secret]
    texts = [text for part in secrets for _, text in entries_of(part)]
    files = (value for text in texts for _, value in values_of_file(text))
    constants = chain.from_iterable(map(constants_of_template, texts))
    keys = (telling_keys_of(part.value) for part in secrets)
    return readings_of_texts(chain(texts, files, constants, *keys))


def entries_of(part: Part) -> Iterator[tuple[str, str]]:
    """Yield the scalars in a value of a Secret, each after the key that it has, and the entries in them.

    A mapping in the place of a text, where ``|`` is missing, has keys of its own. A literal of a generator
    has a key in it, and so has a text in the place of a mapping.
    """
    yield from _entries_in(part.value, part.key)


def _entries_in(value: Json, key: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, child in value.items():
            yield from _entries_in(child, name)
    elif isinstance(value, list):
        for child in value:
            yield from _entries_in(child, key)
    elif value is not None:
        text = scalar_text(value)
        yield key, text
        if meant_key(key) in _KEYS_OF_ENTRIES:
            from renderer.kubevirt.facts.confidential.malformed_text import (  # noqa: PLC0415 - few builds need it
                entries_in_lines,
            )

            yield from entries_in_lines(text)


def confidential_texts(
    content: Json, counts: Callable[[Json], bool] = lambda _value: True
) -> Iterator[tuple[str, str]]:
    """Yield the values of Secrets in a tree, and start data: each text after the key that it has.

    Values and subtrees that do not count, by ``counts``, are left out.
    """
    spend(STEPS_PER_VALUE * count_values(content), LOOKING)
    yield from _texts_with_keys(content, root_scope(), "", counts)


def _texts_with_keys(
    value: Json, scope: Scope, key: str, counts: Callable[[Json], bool]
) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict | list) and not scope.hides(value):
        scope_of = opened(value, scope)
        for name, child in value.items() if isinstance(value, dict) else enumerate(value):
            if counts(child):
                own_key = name if isinstance(name, str) else key
                yield from _texts_with_keys(child, scope_of(name), own_key, counts)
    else:
        yield from ((key, text) for part in parts_of(value, scope) for text in texts_of(part.value))


def readings_of_texts(texts: Iterable[str]) -> frozenset[str]:
    """Return the readings of confidential texts, and of the credentials in the trees that they are."""
    found: set[str] = set()
    for text in texts:
        spend(1, LOOKING)
        found.update(readings(text), nested_credential_readings(text))
    return frozenset(found)


def removed_values(before: JsonObject, after: JsonObject) -> frozenset[str]:
    """Return the values that the change removes from a Secret."""
    if text_at(after, "kind") == SECRET and all(before.get(key) is after.get(key) for key in SECRET_DATA):
        return frozenset()
    changed = secret_values_in_changes(before, after)
    return changed - secret_values([after]) if changed else changed


def secret_values_in_changes(before: Json, after: Json) -> frozenset[str]:
    """Return the values of Secrets in the parts of ``before`` that ``after`` does not share.

    That is less to walk in a Secret of which a change shares most entries; in another object, all counts.
    """
    if text_at(before, "kind") != SECRET or text_at(after, "kind") != SECRET:
        return secret_values([before])
    changed = _unshared(before, after)
    for section in changed.keys() & {*SECTIONS_OF_SECRETS}:
        if isinstance(changed[section], dict) and isinstance(object_at(after).get(section), dict):
            changed[section] = _unshared(changed[section], object_at(after)[section])
    spend(_STEPS_PER_CHANGED_VALUE * count_values(changed), LOOKING)
    return secret_values([{**changed, "kind": SECRET}]) if changed else frozenset()


def _unshared(before: Json, after: Json) -> dict[str, Json]:
    """Return the entries of a mapping that another one does not have."""
    entries, others = object_at(before), object_at(after)
    spend(1 + len(entries) // _COMPARED_PER_STEP, LOOKING)
    return {key: value for key, value in entries.items() if others.get(key) is not value}
