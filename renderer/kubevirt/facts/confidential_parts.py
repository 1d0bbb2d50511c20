"""Decide what of an object is confidential by walking it, and mask that: every output asks here.

An object may hold others: a List, a policy, a ManifestWork, a Template, the values of a chart, the text of a
ConfigMap or of a patch. A walk keeps what the way from the root says about a value (``Scope``): the kind of
the object that the value is in, and the section of it. A text that may be a manifest is parsed and judged as
a whole. Values are masked as the tree holds them, before anything writes them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto
from functools import lru_cache, partial
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from renderer.kubevirt.facts.confidential import (
    ANSWER_FILES,
    COPIES,
    EXTRA_HEADERS,
    FILES_OF_GENERATORS,
    IGNITION,
    KERNEL_ARGUMENTS,
    LAUNCH_SECURITY,
    PUBLIC_FIELDS_OF_GENERATORS,
    PUBLIC_FIELDS_OF_PARAMETERS,
    PUBLIC_FIELDS_OF_SECRETS,
    REFERENCES,
    SECRET_DATA,
    SECRET_GENERATOR,
    SECTIONS,
    START_DATA,
    is_confidential,
    is_path_entry,
)
from renderer.kubevirt.facts.credential_text import (
    credential_arguments,
    is_credential_value,
    without_credentials,
    without_value_of_header,
)
from renderer.kubevirt.facts.image_sources import HOOK_SIDECARS
from renderer.kubevirt.facts.kinds import CONFIG_MAP, SECRET, VM_TEMPLATE
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.encryption import SOPS, is_ciphertext
from renderer.model.kube.field_path import ElementName, FieldPath, Segment, parse_pointer
from renderer.model.kube.json import (
    EMPTY,
    Json,
    JsonObject,
    array_at,
    count_values,
    object_at,
    scalar_text,
    text_at,
)
from renderer.model.kube.list_elements import FieldLookup
from renderer.model.kube.res_id import Gvk, ResId
from renderer.model.kube.sharing import once_for_same
from renderer.model.masking import MASK, NOTHING, Masking
from renderer.model.pattern import pattern
from renderer.model.readings import readings
from renderer.model.run.taint import keys_of, telling_keys_of, texts_of
from renderer.model.run.work import spend

if TYPE_CHECKING:
    from renderer.model.difference import FieldChange, Value

_SECRET_LIST = "SecretList"  # noqa: S105 - the kind
_STRING_DATA = "stringData"
#: The fields of a Secret whose entries are its values.
_SECTIONS_OF_SECRETS = frozenset(SECRET_DATA) - {SECRET_GENERATOR}
#: Another field with values, in what describes a Secret.
_LITERALS = "literals"
#: Kinds of objects of which an operator makes Secrets, such as ``ExternalSecret`` and ``SealedSecret``: its
#: ``template`` is meant for what need not be secret.
_MAKES_SECRETS = pattern(r".Secrets?$")
_TEMPLATE_OF_SECRET = "template"  # noqa: S105 - the name of a field
#: The values that a store of the External Secrets operator gives out in tests.
_FAKE = "fake"
#: It has fields by name, not values.
_DEFINITION = "CustomResourceDefinition"
#: The target of a patch that may be for an object of any kind.
_ANY_KIND = "*"
#: Added to the parameters of a Template, so that a Template within it is not searched for its own.
_NONE = frozenset({""})
_TEMPLATE = "Template"
_TEMPLATES = frozenset({_TEMPLATE, VM_TEMPLATE})
#: The field of vmrender's own Template with values, of which it may make a Secret.
_VALUES_OF_TEMPLATE = "values"
#: What puts inputs into templates of objects, and what else may have its inputs.
_SET, _PROVIDER = "ResourceSet", "ResourceSetInputProvider"
_INPUTS_OF_SETS: Mapping[str, str] = {_SET: "inputs", _PROVIDER: "defaultValues"}
_LINE_OF_ACTION = pattern(r"(?m)^[ \t]*<<[^<>\n]*>>[ \t]*\n")
_NAME_IN_ACTION, _VARIABLE = pattern(r"\.([A-Za-z_]\w*)"), "$"
_TAG, _NAME_IN_TAG = pattern(r"(?s)\{\{(.*?)\}\}"), pattern(r"[A-Za-z_][\w-]*")
#: Kinds of objects that hold the values of a chart.
CHARTS = frozenset({"Application", "ApplicationSet", "HelmChart", "HelmChartConfig", "HelmRelease"})
#: Kinds of operators with a credential, or the reference to one, among their fields.
_WITH_CREDENTIALS = frozenset({"BGPPeer", "ClusterSecretStore", "Provider", "SecretStore"})
_REFERENCE_TO_CREDENTIAL = pattern(r"(?i)secret(ref)?$")
_VALUES_OF_CHARTS = frozenset({"helm", "set", "values", "valuesContent", "valuesObject"})
_CONFIDENTIAL_KEYS = frozenset((*START_DATA, *LAUNCH_SECURITY, *COPIES, IGNITION))

#: The name of a parameter, or of a value of a chart, that holds a credential; the name of a Secret is none.
_CREDENTIAL_NAME = pattern(
    r"(?i)^(?!.*existing).*(pass(word|wd|phrase|code)?|(?<![a-z])pwd?|token|credentials?"
    r"|(api|access|secret|private|encryption)[-_]?key"
    r"|(client|app|shared|session|webhook|jwt|oauth|cookie)[-_]?secret)$"
)
#: The field of Ignition with the content of a file, as a URL.
_SOURCE = "source"
#: The name of a field that holds a credential in an object of any kind, unless another value is put in later.
_PASSWORD_NAME = pattern(
    r"(?i)^(?!.*existing).*(pass(word|wd|phrase)([-_]?hash)?|(?<![a-z])psk|client[-_]?secret|(?<![a-z])token)$"
)
#: Headers with a credential, besides those with such a name.
_HEADERS = frozenset({"authorization", "proxy-authorization", "cookie"})
#: A key below which Secrets are described: ``secrets``, ``extraSecrets``, ``secretTemplate``.
_NAMES_SECRETS = pattern(r"(?i)secrets?(templates?)?$")
#: A kind that is known only once parameters are substituted.
_VARIABLE_KIND = pattern(r"[${]")
_PARAMETER = pattern(r"\$\{\{?([a-zA-Z0-9_]+)\}?\}")
_CONFIDENTIAL_NAMES = (*_CONFIDENTIAL_KEYS, *ANSWER_FILES, *SECTIONS)
#: What a text has, in lower case, that may be a manifest with something confidential in it: one of these
#: words, or a kind that is put in later. In quotes, a word may be escaped.
_MENTIONS = ("secret", "stringdata", r"\u", r"\x", *map(str.lower, _CONFIDENTIAL_NAMES))
_KIND_PUT_IN_LATER = pattern(r"kind\W+[${]")
_WORDS = "|".join(map(re.escape, sorted(_CONFIDENTIAL_NAMES)))
_KIND_OF_SECRET = pattern(r"(?i)kind\W{1,9}secret|stringData|secretGenerator")
#: The characters of names of entries, and of labels and annotations.
_NAME = pattern(r"[-._/A-Za-z0-9]*")
#: What a text that cannot be parsed must not have.
_CERTAIN_MENTION = pattern(
    rf"(?i)kind\W{{1,9}}secret|stringData|secretGenerator|(?:{_WORDS})['\"]?\s*:|/(?:binary)?data/"
)
#: Kinds of objects that are always walked.
_WITH_VALUES = frozenset({SECRET, *_INPUTS_OF_SETS})
#: What the keys and texts of an object have, in lower case, that holds a value of a Secret: one of these keys
#: or words, or this pattern, with a line break between a key and its text.
_KEYS_OF_HOLDERS = frozenset({_FAKE, "op", "parameters", "password", "patch"})
_WORDS_OF_HOLDERS = ("stringdata", r"\u", r"\x")
_HOLDER = pattern(r"secret(?:generator|s?(?:templates?)?\W)|kind\W{1,9}(?:secret|\w*[${])")
#: Steps for each value of an object that is walked and for each character of a text that is parsed, and the
#: characters of texts that are searched in one step (``model.run.work``).
_STEPS_PER_VALUE, _STEPS_PER_CHARACTER, _CHARACTERS_PER_STEP = 4, 4, 32
#: Steps for the readings of a value of a Secret, and characters of it that are read in one step.
_STEPS_PER_READING, _CHARACTERS_READ_PER_STEP = 32, 3
#: Steps for a changed field of which both values may be shown.
_STEPS_PER_CHANGE = 30
#: Entries of two versions of an object that are compared in one step.
_COMPARED_PER_STEP = 8
_LOOKING = "looking for confidential values"
#: The fields of a container with what it runs.
_COMMANDS = ("args", "command")
#: Texts in texts in texts: what is deeper is not read, and counts as confidential.
_DEEPEST_TEXT = 4


class Area(Enum):
    """The section of an object that a value is in."""

    OBJECT = auto()
    ENTRIES = auto()  # of a Secret: each entry is a value
    REFERENCES = auto()  # all scalars are confidential, except the names of other objects
    GENERATORS = auto()  # the entries of secretGenerator
    FILES = auto()  # the paths of files that a generator reads
    CHART = auto()  # the values of a chart
    PARAMETERS = auto()  # of a Template or of a chart, with names
    INPUTS = auto()  # of a ResourceSet
    KERNEL_ARGUMENTS = auto()  # a text
    HEADERS = auto()  # texts
    COMMAND = auto()  # a text, or a list of arguments


_AREAS_WITH_OBJECTS = frozenset({Area.OBJECT, Area.CHART})


class Scope(NamedTuple):
    """What the way from the root of an object says about a value.

    ``is_hidden``: it is confidential as a whole; ``is_secret``: as a value of a Secret, which may occur
    elsewhere. ``kind`` is the kind of the object around it, ``target`` the kind
    that a patch is for.
    ``parameters`` are the names of parameters that confidential fields use. ``is_among_secrets``: a key on
    the way names Secrets. ``depth`` is the number of texts around it. ``command`` has the arguments before
    the first one of ``args``.
    """

    area: Area = Area.OBJECT
    kind: str = ""
    is_root: bool = False
    is_hidden: bool = False
    is_secret: bool = False
    target: str = ""
    parameters: frozenset[str] = frozenset()
    is_among_secrets: bool = False
    depth: int = 0
    command: tuple[str, ...] = ()

    def hides(self, value: Json) -> bool:
        """Return True if the value is confidential as a whole, whatever a text in it says."""
        if self.is_hidden:
            return True
        if isinstance(value, dict | list):
            return False
        if self.area is Area.FILES:
            return not (isinstance(value, str) and is_path_entry(value))
        return self.area is Area.REFERENCES

    def hidden(self, *, is_secret: bool = False) -> Scope:
        return self._replace(is_hidden=True, is_secret=self.is_secret or is_secret)

    def within(self, area: Area) -> Scope:
        return self._replace(area=area, is_root=False)


#: Returns the scope of a child of a mapping or list by its key.
_ScopeOf: TypeAlias = Callable[[Segment], Scope]


def root_scope(kind: str = "", target: str = "") -> Scope:
    """Return the scope of a whole object.

    ``kind`` counts if the object has none; ``target`` is the kind that counts whatever kind it has.
    """
    return Scope(kind=kind, is_root=True, target=target)


def opened(value: Json, scope: Scope) -> _ScopeOf:
    """Return the function that gives the scope of each child of ``value``, whose own is ``scope``.

    ``value`` is None if only the path is known.
    """
    if scope.is_hidden:
        return lambda _: scope
    if isinstance(value, list):  # its elements are where the list is: the operations of a patch, too
        element = scope._replace(is_root=scope.is_root and bool(scope.target))
        if scope.area is Area.COMMAND:
            return partial(_scope_of_argument, credential_arguments(value, scope.command), element)
        return lambda _: element
    mapping = value if isinstance(value, dict) else EMPTY
    return partial(_scope_of_entry, mapping, _entered(mapping, scope))


def _entered(mapping: JsonObject, scope: Scope) -> Scope:
    """Return the scope inside a mapping: a mapping with a kind may be an object of its own."""
    if scope.area not in _AREAS_WITH_OBJECTS:
        return scope
    if scope.is_root and scope.target == SECRET:  # a patch may name any kind
        return scope._replace(kind=SECRET)
    kind = mapping.get("kind")
    has_identity = "metadata" in mapping or "apiVersion" in mapping
    if kind is None and scope.kind == _SECRET_LIST and has_identity:
        return scope._replace(kind=SECRET)
    if not isinstance(kind, str) or not (scope.is_root or has_identity or kind in (SECRET, _SECRET_LIST)):
        return scope
    if kind in _TEMPLATES and not scope.parameters:
        return scope._replace(kind=kind, parameters=confidential_parameters(mapping) | _NONE)
    if kind == _SET and not scope.parameters:
        return scope._replace(kind=kind, parameters=confidential_inputs(mapping) | _NONE)
    return scope._replace(kind=kind)


def _is_command(value: Json) -> bool:
    if isinstance(value, list):
        return not any(isinstance(each, dict | list) for each in value)
    return isinstance(value, str)


def _scope_of_argument(confidential: frozenset[int], scope: Scope, index: Segment) -> Scope:
    return scope.hidden() if index in confidential else scope


def _scope_of_hooks(text: str, scope: Scope) -> Scope:
    """Return the scope of the hooks in an annotation: they are confidential if an argument of one is."""
    from renderer.yamlio.decode import decode_documents  # noqa: PLC0415 - few machines have hooks

    try:
        documents = decode_documents(text.encode("utf-8", "surrogatepass"), "text")
    except (DiagnosticError, ValueError):
        documents = ()
    hooks = (each for document in documents if isinstance(document, list) for each in document)
    for each in hooks:
        if isinstance(each, dict):
            command = array_at(each, "command")
            if credential_arguments(command) or credential_arguments(array_at(each, "args"), command):
                return scope.hidden()
    return scope.within(Area.COMMAND)


def _scope_of_entry(mapping: JsonObject, here: Scope, key: Segment) -> Scope:
    """Return the scope of an entry of a mapping, inside of which it is ``here``."""
    below = here._replace(is_root=False)
    if not isinstance(key, str):
        return below
    child = mapping.get(key)
    if here.area is Area.ENTRIES:
        return below.hidden(is_secret=True)
    if here.kind == _DEFINITION and key not in COPIES:
        return below
    if key in _CONFIDENTIAL_KEYS or (here.is_root and key == SOPS):
        return below.hidden()
    if here.kind == CONFIG_MAP and key.lower() in ANSWER_FILES:
        return below.hidden()
    if here.area is Area.REFERENCES:
        return below.within(Area.OBJECT) if key in REFERENCES else below
    if key in SECTIONS:
        return below.within(Area.REFERENCES)
    if key == KERNEL_ARGUMENTS:
        return below.within(Area.KERNEL_ARGUMENTS)
    if key == EXTRA_HEADERS:
        return below.within(Area.HEADERS)
    if key in _COMMANDS and _is_command(child):
        command = array_at(mapping, "command") if key == "args" else ()
        before = tuple(each if isinstance(each, str) else "" for each in command)
        return below.within(Area.COMMAND)._replace(command=before)
    if key == HOOK_SIDECARS and isinstance(child, str):
        return _scope_of_hooks(child, below)
    if key == SECRET_GENERATOR:
        return below.within(Area.GENERATORS)
    if here.area is Area.GENERATORS:
        if key == FILES_OF_GENERATORS:
            return below.within(Area.FILES)
        is_public = key in PUBLIC_FIELDS_OF_GENERATORS
        return below.within(Area.OBJECT) if is_public else below.hidden(is_secret=True)
    if key == _STRING_DATA:
        return _entries(child, below)
    if "op" in mapping and "path" in mapping and "kind" not in mapping:
        return _scope_of_operation(mapping, here, key)
    if _holds_value(mapping, here, key):
        return _entries(child, below) if key in _SECTIONS_OF_SECRETS else below.hidden(is_secret=True)
    if key == "patch" and isinstance(mapping.get("target"), dict):
        return Scope(is_root=True, target=text_at(mapping, "target", "kind") or _ANY_KIND, depth=here.depth)
    if key == "parameters" and (here.kind in _TEMPLATES or here.area is Area.CHART):
        return below.within(Area.PARAMETERS)
    if here.area is Area.PARAMETERS and "name" in mapping and key not in PUBLIC_FIELDS_OF_PARAMETERS:
        name = text_at(mapping, "name")
        is_credential = name in here.parameters or _CREDENTIAL_NAME.search(name)
        return below.hidden(is_secret=name in here.parameters) if is_credential else below
    if key == "value" and isinstance(child, str) and _names_credential(text_at(mapping, "name"), child):
        return below.hidden()
    if here.kind == _TEMPLATE and key == _VALUES_OF_TEMPLATE:
        return below.hidden()
    if here.kind in CHARTS and key in _VALUES_OF_CHARTS:
        return below.within(Area.CHART)
    if key == _TEMPLATE_OF_SECRET and _MAKES_SECRETS.search(here.kind):
        return below.within(Area.CHART)
    if key == _INPUTS_OF_SETS.get(here.kind):
        return below.within(Area.INPUTS)
    if here.area is Area.INPUTS and key in here.parameters:
        return below.hidden(is_secret=True)
    is_scalar = isinstance(child, str | int | float) and not isinstance(child, bool)
    if here.area in (Area.CHART, Area.INPUTS) and is_scalar and _CREDENTIAL_NAME.search(key):
        return below.hidden()
    if here.kind in _WITH_CREDENTIALS and is_scalar:
        is_credential = _CREDENTIAL_NAME.search(key) or _REFERENCE_TO_CREDENTIAL.search(key)
        return below.hidden(is_secret=True) if is_credential else below
    if key == _SOURCE and isinstance(child, str) and child.startswith("data:"):
        return below.hidden()
    if is_scalar and _PASSWORD_NAME.search(key) and is_credential_value(child):
        return below.hidden()
    if _NAMES_SECRETS.search(key) or (key == _FAKE and here.kind in _WITH_CREDENTIALS):
        return below._replace(is_among_secrets=True)
    return below


def _names_credential(name: str, value: str) -> bool:
    """Return True if a header, a variable of the environment or the like holds a credential as its value."""
    is_named = _CREDENTIAL_NAME.search(name) or name.lower() in _HEADERS
    return bool(is_named) and value.lower() not in ("", "true", "false")


def _scope_of_operation(operation: JsonObject, here: Scope, key: str) -> Scope:
    """Return the scope of a field of an operation of a JSON patch: its value may be one of a Secret."""
    below = here._replace(is_root=False)
    if key != "value":
        return below
    keys = parse_pointer(text_at(operation, "path"))
    if not any(keys):
        return here
    is_known = here.target not in ("", _ANY_KIND) and keys[0] in _SECTIONS_OF_SECRETS
    kind = here.target if is_known or here.target == SECRET else ""
    if not is_confidential(FieldPath(tuple(keys)), kind):
        return below
    return below.hidden(is_secret=here.target == SECRET or _STRING_DATA in keys)


def _holds_value(mapping: JsonObject, here: Scope, key: str) -> bool:
    """Return True if an entry of a mapping holds a value of a Secret, or the values by key."""
    is_object = here.is_root or "metadata" in mapping
    kind = mapping.get("kind", here.kind if is_object else "")
    if kind == SECRET or (here.is_root and here.target == SECRET):
        return key not in PUBLIC_FIELDS_OF_SECRETS if is_object else key in _SECTIONS_OF_SECRETS
    is_section = key in _SECTIONS_OF_SECRETS
    if here.is_among_secrets:
        return (is_section or key == _LITERALS) and isinstance(mapping.get(key), dict | list)
    may_be_any = kind == "" and here.is_root and here.target == _ANY_KIND
    return is_section and (may_be_any or (isinstance(kind, str) and _VARIABLE_KIND.search(kind) is not None))


def _entries(child: Json, below: Scope) -> Scope:
    """Return the scope of a section of a Secret: its keys are shown, if it has any."""
    if child is None or isinstance(child, dict):
        return below.within(Area.ENTRIES)
    return below.hidden(is_secret=True)


def confidential_parameters(template: JsonObject) -> frozenset[str]:
    """Return the names of a Template's parameters that are in confidential fields, or named after them."""
    rest = {key: value for key, value in template.items() if key not in ("kind", "parameters")}
    declared = (
        text_at(parameter, "name")
        for section in (template, object_at(template, "spec"))
        for parameter in array_at(section, "parameters")
    )
    credentials = frozenset(name for name in declared if _CREDENTIAL_NAME.search(name))
    return _names_in_confidential_parts(rest, _PARAMETER.findall) | credentials


def _names_in_confidential_parts(
    value: JsonObject, names_in: Callable[[str], Iterable[str]]
) -> frozenset[str]:
    """Return the names of parameters in confidential fields; ``names_in`` returns the ones in a text.

    A name of an object is not confidential, unless it is also part of a value of a Secret.
    """
    of_secrets: set[str] = set()
    of_others: set[str] = set()
    for part in _parts(value, Scope(parameters=_NONE)):
        used = (name for text in (*keys_of(part.value), *texts_of(part.value)) for name in names_in(text))
        (of_secrets if part.is_secret else of_others).update(used)
    names = {name for text in _names_of_objects(value) for name in names_in(text)}
    return frozenset(of_secrets | (of_others - names))


def confidential_inputs(resource_set: JsonObject) -> frozenset[str]:
    """Return the keys of the inputs of a ResourceSet that its templates put into confidential fields.

    A variable may have any of the inputs that are named in its template.
    """
    spec = object_at(resource_set, "spec")
    found: set[str] = set()
    for step in (spec, *map(object_at, array_at(spec, "steps"))):
        template = text_at(step, "resourcesTemplate")
        parts = {
            "resources": list(array_at(step, "resources")),
            "resourcesTemplate": _LINE_OF_ACTION.sub("", template),
        }
        spend(1 + len(template) // _CHARACTERS_PER_STEP, _LOOKING)
        used = _names_in_confidential_parts(parts, _names_in_actions)
        found |= used.union(_names_in_actions(template)) if _VARIABLE in used else used
    return frozenset(found)


def _names_in_actions(text: str) -> Iterator[str]:
    """Yield the names after a dot in the actions of a template; ``$`` for a variable without one."""
    for action in _actions(text):
        yield from _NAME_IN_ACTION.findall(action) or (_VARIABLE if _VARIABLE in action else ())


def _actions(template: str) -> Iterator[str]:
    """Yield what is between ``<<`` and ``>>``."""
    end = 0
    while (start := template.find("<<", end)) >= 0 and (end := template.find(">>", start)) >= 0:
        yield template[start:end]


def confidential_values_of_inputs(resource_set: JsonObject, inputs: Iterable[JsonObject]) -> Iterator[str]:
    """Yield the values among inputs, also of providers, that a ResourceSet puts into confidential fields."""
    scope = Scope(Area.INPUTS, kind=_SET, parameters=confidential_inputs(resource_set))
    for each in inputs:
        spend(1 + _STEPS_PER_VALUE * count_values(each), _LOOKING)
        for part in _parts(each, scope):
            yield from texts_of(part.value)


def confidential_elements(application_set: JsonObject) -> frozenset[str]:
    """Return the names of parameters that an ApplicationSet puts into confidential fields of Applications.

    What is in the names of the Applications is shown with them.
    """
    spec = object_at(application_set, "spec")
    application: JsonObject = {
        "kind": "Application",
        "metadata": {},
        "spec": object_at(spec, "template", "spec"),
    }
    parts: JsonObject = {"template": application, "templatePatch": text_at(spec, "templatePatch")}
    names = frozenset(_names_in_tags(text_at(spec, "template", "metadata", "name")))
    return _names_in_confidential_parts(parts, _names_in_tags) - names


def _names_in_tags(text: str) -> Iterator[str]:
    """Yield every name between ``{{`` and ``}}``, of a function as well."""
    spend(1 + len(text) // _CHARACTERS_PER_STEP, _LOOKING)
    for tag in _TAG.findall(text):
        yield from _NAME_IN_TAG.findall(tag)


def inputs_without_confidential(
    resource_set: JsonObject, inputs: Iterable[JsonObject]
) -> Iterator[JsonObject]:
    """Yield inputs with an empty text for each value that a ResourceSet puts into confidential fields."""
    scope = Scope(Area.INPUTS, kind=_SET, parameters=confidential_inputs(resource_set))
    for each in inputs:
        yield object_at(masked(each, scope, mask=lambda _: ""))


def confidential_values_of_parameters(template: JsonObject, given: Mapping[str, str]) -> Iterator[str]:
    """Yield the values of confidential parameters: the given ones, else the Template's own."""
    own = {
        text_at(each, "name"): scalar_text(object_at(each).get("value", ""))
        for section in (template, object_at(template, "spec"))
        for each in array_at(section, "parameters")
    }
    for name in confidential_parameters(template):
        if name in given or name in own:
            yield given.get(name, own.get(name, ""))


def _names_of_objects(value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        yield text_at(value, "metadata", "name")
    for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _names_of_objects(child)


class Part(NamedTuple):
    """A confidential value of an object; ``is_secret``: a value of a Secret, which may occur elsewhere."""

    value: Json
    is_secret: bool


def _parts(value: Json, scope: Scope) -> Iterator[Part]:
    """Yield the confidential values, outermost first, and those in texts that are manifests.

    A name that no entry of a Secret can have holds its value: in ``{password s3cret}``, a colon is missing.
    """
    if scope.hides(value):
        yield Part(value, scope.is_secret)
    elif isinstance(value, dict | list):
        scope_of = opened(value, scope)
        for key, child in value.items() if isinstance(value, dict) else enumerate(value):
            below = scope_of(key)
            if below.is_hidden and below.is_secret and not is_name(key):
                yield Part(key, is_secret=True)
            yield from _parts(child, below)
    elif isinstance(value, str):
        yield from _parts_of_text(value, scope)


def is_name(key: object) -> bool:
    """Return True if an entry, a label or an annotation can have the name."""
    return not isinstance(key, str) or _NAME.fullmatch(key) is not None


def _parts_of_text(text: str, scope: Scope) -> Sequence[Part]:
    """Return the confidential values of a text that is a manifest, a patch or the values of a chart."""
    is_patch = scope.is_root and bool(scope.target)
    is_chart = scope.area is Area.CHART
    if ":" not in text or not (is_patch or is_chart or _may_be_manifest(text)):
        return ()
    area = Area.CHART if is_chart else Area.OBJECT
    inside = Scope(area=area, is_root=True, target=scope.target if is_patch else "", depth=scope.depth + 1)
    return _parts_of_documents(text, inside)


def _may_be_manifest(text: str) -> bool:
    """Return False if a text is surely no manifest with something confidential in it."""
    lowered = text.lower()
    return any(word in lowered for word in _MENTIONS) or _KIND_PUT_IN_LATER.search(lowered) is not None


@lru_cache(maxsize=256)
def _parts_of_documents(text: str, scope: Scope) -> Sequence[Part]:
    """Return the confidential values of the documents in a text.

    A text that cannot be parsed, but seems to have one, is confidential as a whole.
    """
    from renderer.yamlio.decode import decode_documents  # noqa: PLC0415 - few texts are manifests

    if scope.depth > _DEEPEST_TEXT:
        return (Part(text, is_secret=False),)
    spend(1 + _STEPS_PER_CHARACTER * len(text), _LOOKING)
    try:
        documents = decode_documents(text.encode("utf-8", "replace"), "")
    except DiagnosticError:
        is_certain = scope.target == SECRET or _CERTAIN_MENTION.search(text)
        return (Part(text, is_secret=False),) if is_certain else ()
    roots = (each for each in documents if isinstance(each, dict | list))
    return tuple(part for root in roots for part in _parts(root, scope))


def hides(value: Json, scope: Scope) -> bool:
    """Return True if a value is confidential as a whole, as a field or as a text with something in it."""
    if scope.hides(value):
        return True
    return isinstance(value, str) and bool(_parts_of_text(value, scope))


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
    spend(1 + len(text) // _CHARACTERS_PER_STEP, _LOOKING)
    return (
        any(word in text for word in _WORDS_OF_HOLDERS)
        or _HOLDER.search(text) is not None
        or any(may_hold_objects(child) for child in children if isinstance(child, dict | list))
    )


def fields_of_secrets(content: JsonObject) -> Iterator[FieldPath]:
    """Yield the fields of an object that hold a value of a Secret, or a text with one."""
    if text_at(content, "kind") == SECRET or may_hold_objects(content):
        yield from map(FieldPath, _places_of_secrets(content, root_scope(), ()))


def _places_of_secrets(value: Json, scope: Scope, at: tuple[Segment, ...]) -> Iterator[tuple[Segment, ...]]:
    if isinstance(value, dict | list) and not scope.hides(value):
        scope_of = opened(value, scope)
        for key, child in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _places_of_secrets(child, scope_of(key), (*at, key))
    elif any(_may_be_of_secret(part, value, scope) for part in _parts(value, scope)):
        yield at


def _may_be_of_secret(part: Part, value: Json, scope: Scope) -> bool:
    """Return True if a part of a value may be from a Secret, for all that a text or a patch says."""
    if part.is_secret or (scope.is_root and scope.target):
        return any(texts_of(part.value))
    return part.value is value and isinstance(value, str) and _KIND_OF_SECRET.search(value) is not None


def secret_values(objects: Iterable[Json]) -> frozenset[str]:
    """Return the values of the Secrets among and in ``objects``, with their readings (``model.readings``).

    What a ResourceSet among them puts into Secrets is a value of its own inputs or of its providers.
    """
    known = list(objects)
    kinds = [text_at(each, "kind") for each in known]
    providers = [object_at(each) for each, kind in zip(known, kinds, strict=True) if kind == _PROVIDER]
    sets = (object_at(each) for each, kind in zip(known, kinds, strict=True) if kind == _SET and providers)
    inputs = [object_at(each, "spec", _INPUTS_OF_SETS[_PROVIDER]) for each in providers]
    given = (
        Part(text, is_secret=True) for each in sets for text in confidential_values_of_inputs(each, inputs)
    )
    return _readings_of_secrets(chain((part for each in known for part in _parts_of_object(each)), given))


def _parts_of_object(content: Json) -> Iterator[Part]:
    if text_at(content, "kind") in _WITH_VALUES or may_hold_objects(content):
        spend(_STEPS_PER_VALUE * count_values(content), _LOOKING)
        yield from _parts(content, root_scope())


def _readings_of_secrets(parts: Iterable[Part]) -> frozenset[str]:
    """Return the readings of the values of Secrets; of a mapping, which is a mistake, also of its keys."""
    found: set[str] = set()
    values = [part.value for part in parts if part.is_secret]
    for text in chain.from_iterable(chain(texts_of(value), telling_keys_of(value)) for value in values):
        spend(_STEPS_PER_READING + len(text) // _CHARACTERS_READ_PER_STEP, _LOOKING)
        made = tuple(readings(text))
        spend(sum(map(len, made)) // _CHARACTERS_PER_STEP, _LOOKING)  # a text may be unpacked a thousandfold
        found.update(made)
    return frozenset(found)


def confidential_readings(objects: Iterable[JsonObject]) -> frozenset[str]:
    """Return the values of Secrets among and in objects, start data, and the readings of both."""
    found: set[str] = set()
    for each in objects:
        spend(_STEPS_PER_VALUE * count_values(each), _LOOKING)
        for text in (text for part in _parts(each, root_scope()) for text in texts_of(part.value)):
            spend(_STEPS_PER_READING + len(text) // _CHARACTERS_READ_PER_STEP, _LOOKING)
            found.update(readings(text))
    return frozenset(found)


def holds_secret(value: Json, secrets: Masking) -> bool:
    """Return True if a key or scalar of a tree contains one of ``secrets``."""
    if isinstance(value, dict):
        return any(holds_secret(each, secrets) for entry in value.items() for each in entry)
    if isinstance(value, list):
        return any(holds_secret(each, secrets) for each in value)
    return contains_secret(value, secrets)


def shown_path(field: FieldPath, secrets: Masking) -> FieldPath:
    """Return the path with ``***`` for each key and name in it that contains one of ``secrets``.

    Of a key that is an address, the credentials are masked.
    """
    return FieldPath(tuple(_shown_segment(segment, secrets) for segment in field.segments))


def _shown_segment(segment: Segment, secrets: Masking) -> Segment:
    if isinstance(segment, ElementName):
        return segment._replace(value=MASK) if contains_secret(segment.value, secrets) else segment
    return masked_key(segment, secrets) if isinstance(segment, str) else segment


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
    for section in _SECTIONS_OF_SECRETS & changed.keys():
        if isinstance(changed[section], dict) and isinstance(object_at(after).get(section), dict):
            changed[section] = _unshared(changed[section], object_at(after)[section])
    return secret_values([{**changed, "kind": SECRET}]) if changed else frozenset()


def _unshared(before: Json, after: Json) -> dict[str, Json]:
    """Return the entries of a mapping that another one does not have."""
    entries, others = object_at(before), object_at(after)
    spend(1 + len(entries) // _COMPARED_PER_STEP, _LOOKING)
    return {key: value for key, value in entries.items() if others.get(key) is not value}


def contains_secret(value: Json, secrets: Masking) -> bool:
    """Return True if a scalar contains one of ``secrets``, or is ciphertext."""
    if isinstance(value, str):
        return secrets.is_in(value) or is_ciphertext(value)
    if value is None or isinstance(value, bool | dict | list):
        return False
    return secrets.is_in(scalar_text(value))


def masked(
    value: Json, scope: Scope, secrets: Masking = NOTHING, mask: Callable[[Json], str] = lambda _: MASK
) -> Json:
    """Return a tree with a mask for each confidential part of it, keys included.

    Every scalar that contains one of ``secrets`` is confidential; of another text, the credentials in
    addresses and requests are, and the passwords among the arguments of a kernel. ``mask`` makes the text for
    a value.
    """
    if hides(value, scope):
        return value if value is None or value in ({}, []) else mask(value)
    if isinstance(value, dict):
        scope_of = opened(value, scope)
        return {
            masked_key(key, secrets, mask): masked(child, scope_of(key), secrets, mask)
            for key, child in value.items()
        }
    if isinstance(value, list):
        scope_of = opened(value, scope)
        return [masked(child, scope_of(index), secrets, mask) for index, child in enumerate(value)]
    if contains_secret(value, secrets):
        return mask(value)
    if not isinstance(value, str):
        return value
    if scope.area is Area.HEADERS:
        value = without_value_of_header(value, mask)
    is_of_kernel, is_of_command = scope.area is Area.KERNEL_ARGUMENTS, scope.area is Area.COMMAND
    return without_credentials(value, mask, of_kernel=is_of_kernel, of_command=is_of_command)


def masked_key(key: str, secrets: Masking, mask: Callable[[Json], str] = lambda _: MASK) -> str:
    """Return a key of a mapping, with a mask for one of ``secrets`` in it and for its credentials."""
    if contains_secret(key, secrets):
        return mask(key)
    return key if key.isidentifier() else without_credentials(key, mask)  # most keys are words


class ConfidentialFields:
    """What is confidential in fields of an object, of which there may be several versions."""

    def __init__(self, kind: str, contents: Iterable[Json] = (), secrets: Masking = NOTHING) -> None:
        self._kind = kind
        self._secrets = secrets
        self._lookups = [(content, FieldLookup(content)) for content in contents or ({"kind": kind},)]
        #: By the identity of a mapping or list, which the contents keep alive.
        self._opened: dict[tuple[int, Scope], _ScopeOf] = {}

    def hides(self, field: FieldPath) -> bool:
        """Return True if the value of the field is confidential as a whole, or each of its entries is."""
        return any(
            hides(value, scope) or scope.area in (Area.ENTRIES, Area.REFERENCES)
            for scope, value in self._found(field)
        )

    def secret_values(self, field: FieldPath) -> frozenset[str]:
        """Return the values of Secrets at and below the field, as ``secret_values`` does for objects."""
        return _readings_of_secrets(
            part for scope, value in self._found(field) for part in _parts(value, scope)
        )

    def credentials(self, field: FieldPath) -> frozenset[str]:
        """Return what outputs mask in the text of the field: a password in a URL, the value of a header."""
        found: set[str] = set()

        def noted(value: Json) -> str:
            found.add(scalar_text(value))
            return MASK

        for scope, value in self._found(field):
            if isinstance(value, str) and not hides(value, scope):
                masked(value, scope, mask=noted)
        return frozenset(found)

    def without_secrets(self, change: FieldChange) -> FieldChange:
        """Return the change with ``NoValue.WITHHELD`` for each confidential value, and ``***`` in its path.

        If the value of one side is confidential, so is the other: most likely, it is a value of the same
        Secret.
        """
        from renderer.model.difference import NoValue  # noqa: PLC0415 - few commands compare

        values = (each for each in (change.before, change.after) if not isinstance(each, NoValue))
        spend(_STEPS_PER_CHANGE + _STEPS_PER_VALUE * sum(map(count_values, values)), _LOOKING)
        scopes = [scope for scope, _ in self._found(change.field)]
        before, after = (self._shown(value, scopes) for value in (change.before, change.after))
        is_hidden = NoValue.WITHHELD in (before, after)
        if is_hidden or (before == after and change.before != change.after):
            before, after = (each if each is NoValue.ABSENT else NoValue.WITHHELD for each in (before, after))
        return change._replace(field=shown_path(change.field, self._secrets), before=before, after=after)

    def _shown(self, value: Value, scopes: Iterable[Scope]) -> Value:
        from renderer.model.difference import NoValue  # noqa: PLC0415 - as above

        if isinstance(value, NoValue):
            return value
        for scope in scopes:
            if hides(value, scope):
                return NoValue.WITHHELD
            value = masked(value, scope, self._secrets)
        return NoValue.WITHHELD if value == MASK else value

    def _found(self, field: FieldPath) -> Iterator[tuple[Scope, Json]]:
        """Yield the scope and value of the field in each version of the object."""
        for content, lookup in self._lookups:
            value, scope = content, root_scope(self._kind)
            for segment in field.segments:
                place = id(value), scope
                if place not in self._opened:
                    self._opened[place] = opened(value, scope)
                scope = self._opened[place](segment)
                value = lookup.child(value, segment)
            yield scope, value


def shown_id(identity: ResId, secrets: Masking) -> ResId:
    """Return the id of an object with ``***`` for each of ``secrets`` in its kind and names."""
    gvk = Gvk(*map(secrets.mask, identity.gvk))
    return ResId(gvk, secrets.mask(identity.name), secrets.mask(identity.namespace))


@once_for_same
def fields_of(content: JsonObject) -> ConfidentialFields:
    """Return what is confidential in the fields of an object, whose values may be asked for one by one."""
    return ConfidentialFields(text_at(content, "kind"), (content,))
