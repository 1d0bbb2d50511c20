"""The conditions of the rules in ``parts``: what may be asked about an entry of a mapping."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from renderer.kubevirt.facts.confidential.fields import (
    FIELDS_OF_SEV,
    PUBLIC_FIELDS_OF_SECRETS,
    SECTIONS_OF_SECRETS,
    is_value_key,
)
from renderer.kubevirt.facts.confidential.meant_keys import LITERALS, means_generator
from renderer.kubevirt.facts.confidential.meant_kinds import (
    ANY_KIND,
    OWN_KIND,
    is_secret_if_it_has_data,
    may_be_secret,
    means_secret,
    target_kind,
    without_letters,
)
from renderer.kubevirt.facts.confidential.scope import Scope, is_content
from renderer.kubevirt.facts.confidential.template_names import is_used
from renderer.kubevirt.facts.made_secrets import MAKES_SECRETS
from renderer.model.credential_text.form import is_credential_value
from renderer.model.credential_text.names import is_credential_field, names_credential, names_secrets
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.pattern import pattern
from renderer.model.run.work import spend

#: What puts inputs into templates of objects, and what else may have its inputs.
RESOURCE_SET, INPUT_PROVIDER = "ResourceSet", "ResourceSetInputProvider"
#: What puts the parameters of generators into Applications.
APPLICATION_SET = "ApplicationSet"
#: The fields of a ResourceSet with templates.
MAKERS_OF_SETS = frozenset({"resources", "resourcesTemplate", "steps"})
INPUTS_OF_SETS: Mapping[str, str] = {RESOURCE_SET: "inputs", INPUT_PROVIDER: "defaultValues"}
_TYPE_OF_SECRET = pattern(r"Opaque|(?:[a-z]+\.)?kubernetes\.io/[a-z-]+|helm\.sh/release\.v\d")
#: A generator of the External Secrets operator that gives out values in tests.
FAKE_GENERATOR = "Fake"
#: Kinds of operators with a credential, or the reference to one, among their fields.
WITH_CREDENTIALS = frozenset(
    {"BGPPeer", "ClusterGenerator", "ClusterSecretStore", FAKE_GENERATOR, "Provider", "SecretStore"}
)
#: The fields of a reference with the names of another object, and of a part of it.
_NAME_IN_REFERENCE = pattern(
    r"(?i)(name|namespace|key|kind|group|property|version|type|ref|optional|policy|store)$"
)
#: Fields that hold a reference, and other fields of one.
_HOLDS_REFERENCE = pattern(r"(?i)(ref(erence)?|selector|from)$")
_OTHER_NAMES = frozenset({"divisor", "fieldPath", "path", "resource", "targetPath"})
#: The field of Ignition with the content of a file, as a URL; and of a replacement, with where its value is.
SOURCE = "source"
#: The name of a field with credentials in a list or mapping, and the fields in it with another meaning.
_PASSWORDS = pattern(
    r"(?i)^(?!.*existing).*(pass(word|wd|phrase)s?|(access|api|private|secret)[-_]?keys|tokens)$"
)
#: A longer name is not a key of a ConfigMap (apimachinery ``pkg/util/validation/validation.go``
#: ``IsConfigMapKey``), and the characters of names that are compared in one step (``model.run.work``).
_LONGEST_KEY, _CHARACTERS_PER_STEP = 253, 4
#: A mapping with more entries is not one of a name and its value.
_MOST_BESIDE_NAME = 16
UNKNOWN_TARGETS = ("", ANY_KIND, OWN_KIND)
_FIRST_OF_PATH = pattern(r"[^./]*")
#: A kind that is known only once parameters are substituted.
_VARIABLE_KIND = pattern(r"[${]|<<")


class Entry(NamedTuple):
    """An entry of a mapping that is in the scope ``here``; ``below`` is its scope without a rule."""

    mapping: JsonObject
    here: Scope
    key: str
    child: Json
    below: Scope


def is_command(value: Json) -> bool:
    """Return True for a text, or a list without mappings and lists: what a container may run."""
    if isinstance(value, list):
        return not any(isinstance(each, dict | list) for each in value)
    return isinstance(value, str)


def is_any(_entry: Entry) -> bool:
    """Return True: the condition of a rule without one."""
    return True


def is_text(entry: Entry) -> bool:
    """Return True for a text."""
    return isinstance(entry.child, str)


def is_mapping(entry: Entry) -> bool:
    """Return True for a mapping."""
    return isinstance(entry.child, dict)


def is_list(entry: Entry) -> bool:
    """Return True for a list."""
    return isinstance(entry.child, list)


def _is_scalar(entry: Entry) -> bool:
    return isinstance(entry.child, str | int | float) and not isinstance(entry.child, bool)


def is_schema(entry: Entry) -> bool:
    """Return True for a mapping with a ``type``, as a property of a schema has."""
    return isinstance(entry.child, dict) and "type" in entry.child


def is_in(*kinds: str) -> Callable[[Entry], bool]:
    """Return the condition that the entry is in an object of one of these kinds."""
    return lambda entry: entry.here.kind in kinds


def is_arguments(entry: Entry) -> bool:
    """Return True for what a container may run."""
    return is_command(entry.child)


def is_operation(mapping: JsonObject) -> bool:
    """Return True for an operation of a JSON patch."""
    return "op" in mapping and "path" in mapping and "kind" not in mapping


def is_of_operation(entry: Entry) -> bool:
    """Return True for a field of an operation of a JSON patch."""
    return is_operation(entry.mapping)


def has_target(entry: Entry) -> bool:
    """Return True if it is said beside the entry whom a patch is for."""
    return isinstance(entry.mapping.get("target"), dict)


def is_of_sev(entry: Entry) -> bool:
    """Return True among the fields of ``launchSecurity.sev``."""
    return FIELDS_OF_SEV.issuperset(entry.mapping)


def is_in_secret(entry: Entry) -> bool:
    """Return True for a mapping in a Secret, or in a patch of one."""
    return isinstance(entry.child, dict) and _is_secret(entry.mapping, entry.here)


def is_written_to_secret(entry: Entry) -> bool:
    """Return True for the value of what writes into Secrets; a mapping under ``source`` says where it is."""
    is_value = entry.key != SOURCE or not isinstance(entry.child, dict)
    return is_value and _may_write_value_of_secret(entry.mapping)


def is_beside_name(entry: Entry) -> bool:
    """Return True for the value of a credential that the ``name`` beside it names."""
    return hides_beside_name(entry.mapping, entry.key)


def makes_secrets(entry: Entry) -> bool:
    """Return True in an object from which an operator makes a Secret."""
    return MAKES_SECRETS.search(entry.here.kind) is not None


def is_inputs(entry: Entry) -> bool:
    """Return True for the inputs of a ResourceSet or of a provider, also misspelt."""
    name = INPUTS_OF_SETS.get(entry.here.kind)
    return name is not None and (entry.key == name or resembles(entry.key, name))


def is_used_parameter(entry: Entry) -> bool:
    """Return True for a parameter that confidential fields use."""
    return is_used(entry.key, entry.here.parameters)


def is_input_among_fields(entry: Entry) -> bool:
    """Return True for a used input beside the fields of a ResourceSet, one level too high."""
    is_set = entry.here.kind == RESOURCE_SET and not MAKERS_OF_SETS.isdisjoint(entry.mapping)
    return is_set and is_used_parameter(entry)


def is_parameter_beside_generators(entry: Entry) -> bool:
    """Return True for a used parameter beside the generators of an ApplicationSet, some levels too high."""
    is_set = entry.here.kind == APPLICATION_SET and "generators" in entry.mapping
    return is_set and is_used_parameter(entry)


def is_collection_of_credentials(entry: Entry) -> bool:
    """Return True for a list of texts, or a list or mapping whose key is surely the name of credentials."""
    is_sure = isinstance(entry.child, dict | list) and _PASSWORDS.search(entry.key) is not None
    is_collection = is_sure or (isinstance(entry.child, list) and is_command(entry.child))
    return is_collection and not is_schema(entry) and not names_secrets(entry.key, entry.child)


def is_no_switch(entry: Entry) -> bool:
    """Return True for a scalar with the name of a credential that is neither empty nor true nor false."""
    return _is_scalar(entry) and _names_credential(entry.key, str(entry.child))


def is_value_of_tool(entry: Entry) -> bool:
    """Return True for a scalar with the name of a credential, not of a Secret."""
    return is_no_switch(entry) and not names_secrets(entry.key, entry.child)


def is_value_in_reference(entry: Entry) -> bool:
    """Return True for a scalar in a reference that is the value itself."""
    if not _is_scalar(entry) or not is_credential_value(entry.child):
        return False
    if entry.here.kind in WITH_CREDENTIALS:
        return _NAME_IN_REFERENCE.search(entry.key) is None
    return is_value_key(entry.key)


def is_scalar_of_operator(entry: Entry) -> bool:
    """Return True for a scalar in an object of an operator with credentials."""
    return entry.here.kind in WITH_CREDENTIALS and _is_scalar(entry)


def is_mapping_of_scalars(entry: Entry) -> bool:
    """Return True for a mapping of scalars that is not a schema."""
    is_mapping = isinstance(entry.child, dict) and is_command([*entry.child.values()])
    return is_mapping and not is_schema(entry)


def is_data_url(entry: Entry) -> bool:
    """Return True for a URL that has its content in it."""
    return isinstance(entry.child, str) and entry.child.startswith("data:")


def is_credential(entry: Entry) -> bool:
    """Return True for a scalar in a field that is named like a credential."""
    is_named = _is_scalar(entry) and is_credential_field(entry.mapping, entry.key)
    return is_named and is_credential_value(entry.child)


def hides_beside_name(mapping: JsonObject, key: str) -> bool:
    """Return True if an entry of a mapping is the value of a credential that the ``name`` in it names.

    What is exactly a reference to another object is shown.
    """
    child = mapping.get(key)
    is_written = not isinstance(child, bool | None) and not is_reference(child)
    return key != "name" and is_written and _names_credential(name_in(mapping), str(child))


def name_in(mapping: JsonObject) -> str:
    """Return the ``name`` in a mapping, which may be misspelt; empty if there is none."""
    if "name" in mapping or len(mapping) > _MOST_BESIDE_NAME:
        return text_at(mapping, "name")
    return next((str(child) for key, child in mapping.items() if resembles(key, "name")), "")


@lru_cache(maxsize=1024)
def means_value(key: str) -> bool:
    """Return True for ``value``, in any case and with one mistake; ``values`` is another field."""
    return key == "value" or (key.lower() != "values" and resembles(key, "value"))


@lru_cache(maxsize=1024)
def resembles(key: str, word: str) -> bool:
    """Return True for a word in any case and with one mistake: a letter more, less, swapped or wrong."""
    is_as_long = abs(len(key) - len(word)) <= 1
    return is_as_long and not without_letters(key.lower(), 1).isdisjoint(without_letters(word.lower(), 1))


def resembling(names: Iterable[str], others: Iterable[str]) -> Iterator[str]:
    """Yield the names that resemble one of the others, except for themselves; these are looked up."""
    by_form: dict[str, set[str]] = defaultdict(set)
    for other in others:
        for form in _forms_of_name(other):
            by_form[form].add(other)
    for name in names if by_form else ():
        if any(not by_form[form] <= {name} for form in _forms_of_name(name) & by_form.keys()):
            yield name


def _forms_of_name(name: str) -> frozenset[str]:
    spend(1 + len(name) // _CHARACTERS_PER_STEP, "looking for misspelt names")
    return without_letters(name.lower(), 1) if len(name) <= _LONGEST_KEY else frozenset()


def is_reference(value: Json) -> bool:
    """Return True for a mapping that only has names in fields of a reference, such as ``secretKeyRef``."""
    return isinstance(value, dict) and all(
        is_reference(child)
        if _HOLDS_REFERENCE.search(key)
        else not isinstance(child, dict | list)
        and (_NAME_IN_REFERENCE.search(key) or key in _OTHER_NAMES)
        and not is_content(child)
        for key, child in value.items()
    )


def _names_credential(name: str, value: str) -> bool:
    """Return True if a header, a variable of the environment or the like holds a credential as its value."""
    return names_credential(name) and value.lower() not in ("", "true", "false")


def _may_write_value_of_secret(transformer: JsonObject) -> bool:
    """Return True if it has targets that may be entries of a Secret, or of its generator."""
    for target in array_at(transformer, "targets"):
        kind = target_kind(object_at(target, "select") or object_at(target, "selector"))
        paths = (*array_at(target, "fieldPaths"), text_at(target, "fieldPath"))
        fields = {found[0] for found in map(_FIRST_OF_PATH.match, map(str, paths)) if found}
        if may_be_secret(kind) and not fields.isdisjoint(SECTIONS_OF_SECRETS):
            return True
        if LITERALS in fields and (kind == ANY_KIND or means_generator(kind)):
            return True
    return False


def _is_secret(mapping: JsonObject, here: Scope) -> bool:
    """Return True if a mapping is a Secret, or a patch of one."""
    is_object = here.is_root or "metadata" in mapping
    kind = mapping.get("kind", here.kind if is_object else "")
    return means_secret(kind) or (here.is_root and means_secret(here.target))


def holds_value(entry: Entry) -> bool:
    """Return True if an entry of a mapping holds a value of a Secret, or the values by key."""
    mapping, here, key = entry.mapping, entry.here, entry.key
    is_object = here.is_root or "metadata" in mapping
    if _is_secret(mapping, here):
        return key not in PUBLIC_FIELDS_OF_SECRETS if is_object else key in SECTIONS_OF_SECRETS
    kind = mapping.get("kind", here.kind if is_object else "")
    is_section = key in SECTIONS_OF_SECRETS
    if is_section and is_object and _TYPE_OF_SECRET.fullmatch(text_at(mapping, "type")):
        return True  # whatever kind it has by mistake
    if here.is_among_secrets:
        return (is_section or key == LITERALS) and isinstance(mapping.get(key), dict | list)
    may_be_any = kind == "" and here.is_root and here.target in (ANY_KIND, OWN_KIND)
    if not is_section:
        return may_be_any and key == LITERALS
    is_put_in_later = isinstance(kind, str) and _VARIABLE_KIND.search(kind) is not None
    is_known = here.is_root and here.target not in UNKNOWN_TARGETS
    is_of_core = is_object and is_secret_if_it_has_data(mapping.get("apiVersion"), kind)
    return may_be_any or is_put_in_later or (is_of_core and not is_known)
