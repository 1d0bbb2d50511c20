"""Decide what of an object is confidential by walking it.

An object may hold others: a List, a policy, a ManifestWork, a Template, the values of a chart, the text of a
ConfigMap or of a patch. A walk keeps what the way from the root says about a value (``Scope``): the kind of
the object that the value is in, and the section of it. A text that may be a manifest is parsed and judged as
a whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from renderer.kubevirt.facts.confidential.conditions import (
    APPLICATION_SET,
    FAKE_GENERATOR,
    MAKERS_OF_SETS,
    RESOURCE_SET,
    SOURCE,
    UNKNOWN_TARGETS,
    WITH_CREDENTIALS,
    Entry,
    has_target,
    hides_beside_name,
    holds_value,
    is_any,
    is_arguments,
    is_beside_name,
    is_collection_of_credentials,
    is_command,
    is_credential,
    is_data_url,
    is_in,
    is_in_secret,
    is_input_among_fields,
    is_inputs,
    is_list,
    is_mapping,
    is_mapping_of_scalars,
    is_no_switch,
    is_of_operation,
    is_of_sev,
    is_operation,
    is_parameter_beside_generators,
    is_scalar_of_operator,
    is_schema,
    is_text,
    is_used_parameter,
    is_value_in_reference,
    is_value_of_tool,
    is_written_to_secret,
    makes_secrets,
    means_value,
    name_in,
    resembles,
)
from renderer.kubevirt.facts.confidential.fields import (
    ANSWER_FILES,
    CONFIDENTIAL_KEYS,
    COPIES,
    EXTRA_HEADERS,
    FILES_OF_GENERATORS,
    IDENTITY,
    KERNEL_ARGUMENTS,
    KIND_OF_GENERATOR,
    LAUNCH_SECURITY,
    PUBLIC_FIELDS_OF_GENERATORS,
    PUBLIC_FIELDS_OF_PARAMETERS,
    REFERENCES,
    SECRET_GENERATOR,
    SECTIONS,
    SECTIONS_OF_SECRETS,
    is_answer_file,
    is_confidential,
    is_reference_to_secret,
)
from renderer.kubevirt.facts.confidential.manifest_text import may_be_confidential, seems_confidential
from renderer.kubevirt.facts.confidential.meant_keys import has_values_of_secret, means_generator, meant_key
from renderer.kubevirt.facts.confidential.meant_kinds import ANY_KIND, OWN_KIND, means_secret, target_kind
from renderer.kubevirt.facts.confidential.scope import AREAS_OF_TOOLS, Area, Scope, ScopeOf, is_name
from renderer.kubevirt.facts.confidential.template_names import (
    ALL,
    NOT,
    VARIABLE,
    is_used,
    names_in_actions,
    names_in_tags,
    names_of_parameters,
    names_shown_by_actions,
    names_shown_by_tags,
    without_lines_of_actions,
)
from renderer.kubevirt.facts.image_sources import HOOK_SIDECARS
from renderer.kubevirt.facts.kinds import CONFIG_MAP, SECRET, VM_TEMPLATE
from renderer.model.credential_text.commands import credential_arguments
from renderer.model.credential_text.form import is_credential_value
from renderer.model.credential_text.keys_and_tokens import PRIVATE_KEYS
from renderer.model.credential_text.names import named_credentials, names_credential
from renderer.model.credential_text.requests import without_value_of_header
from renderer.model.credential_text.search import without_credentials
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.encryption import SOPS
from renderer.model.kube.field_path import FieldPath, Segment, parse_pointer
from renderer.model.kube.json import EMPTY, Json, JsonObject, array_at, count_values, object_at, text_at
from renderer.model.kube.sharing import once_for_same
from renderer.model.pattern import pattern
from renderer.model.run.taint import keys_of, texts_of
from renderer.model.run.work import spend

_SECRET_LIST = "SecretList"  # noqa: S105 - the kind
_STRING_DATA, _DATA = "stringData", "data"
#: The fields of a generator that are mappings.
_MAPPINGS_OF_GENERATORS = frozenset({"metadata", "options"})
_PATHS_OF_GENERATORS = frozenset({"env", "envs", FILES_OF_GENERATORS})
#: Of objects from which an operator makes Secrets, such as an ``ExternalSecret``, the ``template`` is meant
#: for what need not be secret. Of others, such as ``ClusterSecret``, the ``data`` has the values.
_TEMPLATE_OF_SECRET = "template"  # noqa: S105 - the name of a field
#: The values that a store and a generator of the External Secrets operator give out in tests.
_FAKES = frozenset({"fake", "fakeSpec"})
#: It has fields by name, not values.
_DEFINITION = "CustomResourceDefinition"
#: Added to the parameters of a Template, so that a Template within it is not searched for its own.
_NONE = frozenset({""})
_TEMPLATE = "Template"
_TEMPLATES = frozenset({_TEMPLATE, VM_TEMPLATE})
#: The field of vmrender's own Template with values, of which it may make a Secret.
_VALUES_OF_TEMPLATE = "values"
#: The fields of the ``spec`` of a ResourceSet (flux-operator ``api/v1/resourceset_types.go``): another one is
#: an input.
_FIELDS_OF_SETS = MAKERS_OF_SETS | {
    *(
        "commonMetadata",
        "dependsOn",
        "healthCheckExprs",
        "inputStrategy",
        "inputsFrom",
        "serviceAccountName",
        "wait",
    )
}
_NO_TEMPLATES_OF_SETS = frozenset({"inputs", "inputsFrom", "steps"})
#: The fields of a generator with parameters.
_PARAMETERS_OF_GENERATORS = frozenset({"elements", "elementsYaml", "parameters", "values"})
#: Fields of an ApplicationSet and of its generators (argo-cd
#: ``pkg/apis/application/v1alpha1/applicationset_types.go``): another one is a parameter in a wrong place.
_FIELDS_OF_APPLICATION_SETS = frozenset(
    {
        *("applyNestedSelectors", "clusterDecisionResource", "clusters", "directories", "elements"),
        *("elementsYaml", "exclude", "files", "filters", "flatList", "generators", "git", "goTemplate"),
        *("goTemplateOptions", "ignoreApplicationDifferences", "labelSelector", "list", "matchExpressions"),
        *("matchLabels", "matrix", "merge", "mergeKeys", "name", "path", "pathParamPrefix", "plugin"),
        *("preservedFields", "pullRequest", "repoURL", "requeueAfterSeconds", "revision", "scmProvider"),
        *("selector", "strategy", "syncPolicy", "template", "templatePatch", "values"),
    }
)
#: Generators that are followed from one to the next; Argo CD nests matrix generators only once.
_MOST_GENERATORS = 8
#: The fields of ``metadata`` (apimachinery ``pkg/apis/meta/v1/types.go``, ObjectMeta), and types of Secrets.
_FIELDS_OF_METADATA = frozenset(
    {
        *(
            "annotations",
            "clusterName",
            "creationTimestamp",
            "deletionGracePeriodSeconds",
            "deletionTimestamp",
        ),
        *("finalizers", "generateName", "generation", "labels", "managedFields", "name", "namespace"),
        *("ownerReferences", "resourceVersion", "selfLink", "uid"),
    }
)
#: Kinds of objects that put parameters into others, also misspelt.
WITH_PARAMETERS = frozenset({*_TEMPLATES, RESOURCE_SET, APPLICATION_SET})
#: Kinds of objects with a chart, and their fields with values of it.
_CHARTS = frozenset({"Application", APPLICATION_SET, "HelmChart", "HelmChartConfig", "HelmRelease"})
#: The section of a SealedSecret, and what is in it: base64, which begins with the length of a key of 256, 384
#: or 512 bytes (sealed-secrets ``pkg/crypto/crypto.go`` HybridEncrypt).
_SEALED_DATA, _SEALED = "encryptedData", pattern(r"A[QYg][A-Za-z0-9+/\s]*+={0,2}\s*")
#: In most private keys.
_PRIVATE_KEY = "PRIVATE KEY"
_REFERENCE_TO_CREDENTIAL = pattern(r"(?i)secret(ref)?$")
#: Fields of volumes, and of a download, that refer to other objects.
_REFERENCES = REFERENCES | {"secretExtraHeaders", "sysprep"}
#: Lists of names with values: ``env``, ``extraEnvVars``, ``httpHeaders``.
_VARIABLES = pattern(r"(?i)(env(s|ironment)?|env[-_]?vars?|headers|variables)$")
_VALUES_OF_CHARTS = frozenset({"helm", "plugin", "set"})
#: Fields with such values in many kinds, as a text or a mapping: Harvester's Addon, Sveltos' ClusterProfile,
#: HelmChartProxy of Cluster API, k0s' ClusterConfig.
_VALUES = frozenset(
    {"values", "valuesBlock", "valuesContent", "valuesInline", "valuesObject", "valuesTemplate"}
)
#: The keys that no other word resembles, so that they are recognised if they are misspelt.
_LONG_KEYS = frozenset(CONFIDENTIAL_KEYS) - {*LAUNCH_SECURITY}

_NO_PASSWORD = pattern(r"(?i)^existing|(ref|from|name|namespace|key|type|length|policy|enabled|description)$")
#: A field with headers by their names.
_HEADERS_BY_NAME = pattern(r"(?i)headers$")
#: The text of a request.
_BODY = "body"
#: Fields with a patch, as a text or a tree. Whom ``patch`` is for is beside it; Kyverno's policies, the
#: transformers of kustomize and early versions of Flux have the others.
_PATCH = "patch"
_OTHER_PATCHES = frozenset({"jsonOp", "patchStrategicMerge", "patchesJson6902", "patchesStrategicMerge"})
PATCHES = {_PATCH} | _OTHER_PATCHES
#: Annotations of a HyperConverged with a JSON patch of what its operator makes
#: (hyperconverged-cluster-operator ``controllers/common/consts.go``).
_JSON_PATCH_ANNOTATION = "/jsonpatch"
#: The fields of an operation of a JSON patch without a value, and one of launch security.
_ADDRESS_OF_OPERATION, _SEV = frozenset({"from", "op", "path"}), "sev"
#: A key in a JSON pointer that is the index of a list, or its end.
_ELEMENT = pattern(r"-|[0-9]+")
#: Lists whose elements have a value that is never a credential.
_WITHOUT_CREDENTIALS = frozenset({"matchFields", "taints", "tolerations"})
#: The field of a parameter of a plugin that has several values.
_ARRAY = "array"
#: Mappings by names that somebody chose: annotations, variables of Flux. The names in a text in their place.
_ENTRIES_BY_NAME = frozenset({"annotations", "substitute"})
_NAMES_IN_TEXT = pattern(r"[\w./-]+")
#: A key below which Secrets are described: ``secrets``, ``extraSecrets``, ``secretTemplate``.
_NAMES_SECRETS = pattern(r"(?i)secrets?(templates?)?$")
#: Steps for each value of an object that is walked and for each character of a text that is parsed, and the
#: characters of texts that are searched in one step (``model.run.work``).
STEPS_PER_VALUE, _STEPS_PER_CHARACTER, CHARACTERS_PER_STEP = 4, 4, 32
LOOKING = "looking for confidential values"
#: The fields of a container with what it runs.
_COMMANDS = ("args", "command")
#: Texts in texts in texts: what is deeper is not read, and counts as confidential.
_DEEPEST_TEXT = 4


_AREAS_WITH_OBJECTS = frozenset({Area.OBJECT, Area.CHART, Area.REFERENCE})
_AREAS_OF_PARTS = frozenset({Area.COMMAND, Area.HEADERS, Area.KERNEL_ARGUMENTS})


def opened(value: Json, scope: Scope) -> ScopeOf:
    """Return the function that gives the scope of each child of ``value``, whose own is ``scope``.

    ``value`` is None if only the path is known.
    """
    if scope.is_hidden:
        return lambda _: scope
    if isinstance(value, list):  # its elements are where the list is: the operations of a patch, too
        element = scope._replace(is_root=scope.is_root and bool(scope.target))
        if scope.area is Area.COMMAND:
            return partial(_scope_of_argument, credential_arguments(value, scope.command), element)
        if scope.is_among_variables and is_command(value):  # ``NAME=value`` in place of name and value
            return lambda _: element.within(Area.COMMAND)
        return lambda _: element
    mapping = value if isinstance(value, dict) else EMPTY
    return partial(_scope_of_entry, mapping, _entered(mapping, scope))


def _entered(mapping: JsonObject, scope: Scope) -> Scope:
    """Return the scope inside a mapping: a mapping with a kind may be an object of its own."""
    if scope.area not in _AREAS_WITH_OBJECTS:
        return scope
    if scope.is_root and means_secret(scope.target):  # a patch may name any kind
        return scope._replace(kind=SECRET)
    is_operation = "op" in mapping and "path" in mapping
    if scope.is_root and means_generator(scope.target) and not is_operation:
        return scope._replace(area=Area.GENERATORS, kind=KIND_OF_GENERATOR)
    kind = mapping.get("kind")
    has_identity = "metadata" in mapping or "apiVersion" in mapping
    if kind is None and scope.kind == _SECRET_LIST and has_identity:
        return scope._replace(kind=SECRET)
    if not isinstance(kind, str) or not (scope.is_root or has_identity or kind in (SECRET, _SECRET_LIST)):
        return scope
    kind = next((known for known in WITH_PARAMETERS if resembles(kind, known)), kind)
    if kind in WITH_PARAMETERS and not scope.parameters:
        return scope._replace(kind=kind, parameters=_parameters_of(kind, mapping) | _NONE)
    if means_generator(kind):
        return scope._replace(area=Area.GENERATORS, kind=KIND_OF_GENERATOR)
    return scope._replace(kind=kind)


def _parameters_of(kind: str, mapping: JsonObject) -> frozenset[str]:
    if kind in _TEMPLATES:
        return confidential_parameters(mapping)
    return confidential_inputs(mapping) if kind == RESOURCE_SET else _elements_not_in_names(mapping)


def _scope_of_argument(confidential: frozenset[int], scope: Scope, index: Segment) -> Scope:
    return scope.hidden() if index in confidential else scope


def _shown(entry: Entry) -> Scope:
    return entry.below


def _hidden(entry: Entry) -> Scope:
    return entry.below.hidden()


def _of_start_data(entry: Entry) -> Scope:
    return entry.below.hidden()._replace(is_start_data=True)


def _of_secret(entry: Entry) -> Scope:
    return entry.below.hidden(is_secret=True)


def _in(area: Area) -> Callable[[Entry], Scope]:
    return lambda entry: entry.below.within(area)


def _section_of_secret(entry: Entry) -> Scope:
    """Return the scope of a section of a Secret: its keys are shown, if it has any."""
    has_keys = entry.child is None or isinstance(entry.child, dict)
    return entry.below.within(Area.ENTRIES) if has_keys else _of_secret(entry)


def _template_of_secret(entry: Entry) -> Scope:
    return entry.below.within(Area.CHART)._replace(is_secret=True)


def _among_secrets(entry: Entry) -> Scope:
    return entry.below._replace(is_among_secrets=True)


def _among_variables(entry: Entry) -> Scope:
    return entry.below._replace(is_among_variables=True)


def _scope_of_command(entry: Entry) -> Scope:
    command = array_at(entry.mapping, "command") if entry.key == "args" else ()
    before = tuple(each if isinstance(each, str) else "" for each in command)
    return entry.below.within(Area.COMMAND)._replace(command=before)


def _scope_in_generator(entry: Entry) -> Scope:
    is_mapping = isinstance(entry.child, dict)
    if entry.key in _PATHS_OF_GENERATORS and not is_mapping:
        return entry.below.within(Area.FILES)
    is_identity = entry.here.kind == KIND_OF_GENERATOR and entry.key in IDENTITY
    is_public = entry.key in PUBLIC_FIELDS_OF_GENERATORS or is_identity
    is_public = is_public and (not is_mapping or entry.key in _MAPPINGS_OF_GENERATORS)
    return entry.below.within(Area.OBJECT) if is_public else _of_secret(entry)


def _scope_of_patch(entry: Entry) -> Scope:
    is_known = entry.key in _OTHER_PATCHES or has_target(entry)
    target = target_kind(object_at(entry.mapping, "target")) if is_known else OWN_KIND
    return Scope(is_root=True, target=target, depth=entry.here.depth)


def _scope_of_patch_in_annotation(entry: Entry) -> Scope:
    return Scope(is_root=True, target=entry.here.kind or ANY_KIND, depth=entry.here.depth)


def _scope_of_parameter(entry: Entry) -> Scope:
    name = name_in(entry.mapping)
    word = name.removesuffix("s") if entry.key == _ARRAY else name
    if name in entry.here.parameters or names_credential(word):
        return entry.below.hidden(is_secret=name in entry.here.parameters)
    return entry.below.within(Area.COMMAND) if entry.key == _ARRAY else entry.below


def _scope_of_elements(entry: Entry) -> Scope:
    """Return the scope of the inputs of a set, or of a generator's parameters: a text is not read."""
    is_hidden = is_text(entry) and entry.here.parameters != _NONE
    return _of_secret(entry) if is_hidden else entry.below.within(Area.INPUTS)


def _scope_of_header(entry: Entry) -> Scope:
    scheme_and_word = str(entry.child).split(maxsplit=1)
    return _hidden(entry) if all(map(is_credential_value, scheme_and_word)) else entry.below


def _scope_of_operation(entry: Entry) -> Scope:
    """Return the scope of a field of an operation of a JSON patch: its value may be one of a Secret.

    The value is judged where it is put: at its path in an object of the target's kind.
    """
    operation, here, below = entry.mapping, entry.here, entry.below
    if entry.key in _ADDRESS_OF_OPERATION:
        return below
    keys = parse_pointer(text_at(operation, "path"))
    if not any(keys):
        return here
    is_of_secret = means_secret(here.target)
    is_known = here.target not in UNKNOWN_TARGETS and keys[0] in SECTIONS_OF_SECRETS
    kind = SECRET if is_of_secret else here.target if is_known else ""
    if is_confidential(FieldPath(tuple(keys)), kind):
        is_of_secret = is_of_secret or _STRING_DATA in keys or _SEV in keys
        hidden = below.hidden(is_secret=is_of_secret)
        return hidden._replace(is_start_data=any(map(holds_start_data, keys)))
    *_, of_list, element, field = ("", "", *keys)
    if field == "value" and _ELEMENT.fullmatch(element) and of_list not in _WITHOUT_CREDENTIALS:
        return below.hidden()  # the name beside it is unknown
    patched = entry.child
    for name in reversed(keys):
        patched = [patched] if _ELEMENT.fullmatch(name) else {name: patched}
    kind = "" if here.target in UNKNOWN_TARGETS else here.target
    scope = Scope(kind=kind, is_root=True, target=here.target, depth=here.depth)
    for _ in keys:
        at: Segment = 0 if isinstance(patched, list) else next(iter(object_at(patched)))
        scope = opened(patched, scope)(at)
        patched = patched[0] if isinstance(patched, list) else object_at(patched)[str(at)]
    return scope._replace(is_root=False)


def _scope_of_hooks(entry: Entry) -> Scope:
    """Return the scope of the hooks in an annotation: they are confidential if an argument of one is."""
    from renderer.yamlio.decode import decode_documents  # noqa: PLC0415 - few machines have hooks

    try:
        documents = decode_documents(str(entry.child).encode("utf-8", "surrogatepass"), "text")
    except (DiagnosticError, ValueError):
        documents = ()
    hooks = (each for document in documents if isinstance(document, list) for each in document)
    for each in hooks:
        if isinstance(each, dict):
            command = array_at(each, "command")
            if credential_arguments(command) or credential_arguments(array_at(each, "args"), command):
                return entry.below.hidden()
    return entry.below.within(Area.COMMAND)


def _is_no_mapping_of_entries(entry: Entry) -> bool:
    """Return True for a text or list in the place of a mapping, with the name of a confidential entry in it.

    A missing colon, as in ``unattend.xml |``, makes a text of the mapping and of all below its keys.
    """
    child = entry.child
    if not isinstance(child, str | list):
        return False
    texts = "\n".join((*keys_of(child), *texts_of(child)))
    spend(1 + len(texts) // CHARACTERS_PER_STEP, LOOKING)
    return any(map(_names_confidential_entry, _NAMES_IN_TEXT.findall(texts)))


@lru_cache(maxsize=4096)
def _names_confidential_entry(name: str) -> bool:
    is_known = holds_start_data(name) or name in LAUNCH_SECURITY or meant_key(name) in ANSWER_FILES
    return is_known or names_credential(name)


def _holds_sign_after_confidential_key(key: str) -> bool:
    """Return True for a key such as ``cloudInitNoCloud=userData``, with a sign for a colon."""
    return "=" in key and any(map(_names_confidential_entry, _NAMES_IN_TEXT.findall(key)))


def _is_no_data(entry: Entry) -> bool:
    """Return True for such a text or list in the place of the data of a ConfigMap."""
    is_of_object = entry.here.is_root or "metadata" in entry.mapping
    return entry.here.kind == CONFIG_MAP and is_of_object and _is_no_mapping_of_entries(entry)


def _is_not_sealed(entry: Entry) -> bool:
    """Return True for a text in the place of a sealed one, which begins with the length of its key."""
    return is_text(entry) and _SEALED.fullmatch(str(entry.child)) is None


class _Rule(NamedTuple):
    """The scope of entries with some ``keys``, in one of ``areas`` or in any, for which ``when`` is true."""

    keys: Callable[[str], object] | Collection[str] | None
    scope: Callable[[Entry], Scope]
    when: Callable[[Entry], bool] = is_any
    areas: Collection[Area] = ()

    def is_about(self, key: str) -> bool:
        return self.keys is None or bool(self.keys(key) if callable(self.keys) else key in self.keys)


def holds_start_data(key: str) -> bool:
    """Return True for a field with start data or a copy of an object, also misspelt."""
    return meant_key(key) in _LONG_KEYS


def _means_parameters(key: str) -> bool:
    return key == "parameters" or resembles(key, "parameters")


def _means_written_value(key: str) -> bool:
    """Return True for the value that a replacement, or a ValueAddTransformer of kustomize, writes.

    It may be in the place of the mapping ``source`` by mistake.
    """
    return key == SOURCE or means_value(key) or resembles(key, "sourceValue")


def _means(*meant: str) -> Callable[[str], bool]:
    return lambda key: meant_key(key) in meant


def _matching(expression: re.Pattern[str]) -> Callable[[str], bool]:
    """Return a function that compiles the expression when it is called, not with the module."""
    return lambda key: expression.search(key) is not None


def _except(keys: Collection[str]) -> Callable[[str], bool]:
    return lambda key: key not in keys


#: The first rule decides that is about the key and the area of an entry, and whose condition holds. Without
#: one, the entry is shown, and what is in it is judged by itself.
_RULES = (
    _Rule(None, _of_secret, areas={Area.ENTRIES}),
    _Rule({_SEALED_DATA}, _in(Area.SEALED), is_mapping),
    _Rule(None, _of_secret, _is_not_sealed, {Area.SEALED}),
    _Rule(_except(COPIES), _shown, is_in(_DEFINITION)),
    # Keys that are confidential in any object, and what an area says of all of its keys.
    _Rule(holds_start_data, _of_start_data),
    _Rule(LAUNCH_SECURITY, _of_secret, is_of_sev),
    _Rule(LAUNCH_SECURITY, _hidden),
    _Rule({SOPS}, _hidden, lambda entry: entry.here.is_root),
    _Rule(_means(*ANSWER_FILES), _of_secret),
    _Rule(_holds_sign_after_confidential_key, _hidden),
    _Rule(SECTIONS_OF_SECRETS, _of_secret, _is_no_data),
    _Rule(_ENTRIES_BY_NAME, _of_start_data, _is_no_mapping_of_entries, {Area.OBJECT, Area.METADATA}),
    _Rule(_matching(_NO_PASSWORD), _in(Area.OBJECT), areas={Area.PASSWORDS}),
    _Rule(None, _shown, areas={Area.PASSWORDS}),
    _Rule(REFERENCES, _in(Area.REFERENCE), areas={Area.REFERENCES}),
    _Rule(None, _shown, areas={Area.REFERENCES}),
    _Rule(_means(*SECTIONS), _in(Area.REFERENCES)),
    # Texts with credentials among other words: commands, headers, arguments of a kernel.
    _Rule({KERNEL_ARGUMENTS}, _in(Area.KERNEL_ARGUMENTS)),
    _Rule({"name"}, _in(Area.REFERENCE), areas={Area.HEADERS}),
    _Rule(None, _hidden, areas={Area.HEADERS}),
    _Rule(_means(EXTRA_HEADERS), _in(Area.HEADERS)),
    _Rule(_COMMANDS, _scope_of_command, is_arguments),
    _Rule({HOOK_SIDECARS}, _scope_of_hooks, is_text),
    # Secrets, what generates them, and what writes into them: patches, operations, replacements.
    _Rule(_means(SECRET_GENERATOR), _in(Area.GENERATORS)),
    _Rule(None, _scope_in_generator, areas={Area.GENERATORS}),
    _Rule({_STRING_DATA}, _section_of_secret),
    # A value is among the metadata of a Secret if the line before it is lost; ``$patch`` is a directive.
    _Rule(SECTIONS_OF_SECRETS, _section_of_secret, areas={Area.METADATA}),
    _Rule(_FIELDS_OF_METADATA, _in(Area.OBJECT), areas={Area.METADATA}),
    _Rule(lambda key: key.startswith("$"), _in(Area.OBJECT), areas={Area.METADATA}),
    _Rule(None, _hidden, areas={Area.METADATA}),
    _Rule(None, _scope_of_operation, is_of_operation),
    _Rule({"metadata"}, _in(Area.METADATA), is_in_secret),
    _Rule(SECTIONS_OF_SECRETS, _section_of_secret, holds_value),
    _Rule(_except(SECTIONS_OF_SECRETS), _of_secret, holds_value),
    _Rule(lambda key: key.endswith(_JSON_PATCH_ANNOTATION), _scope_of_patch_in_annotation, is_text),
    _Rule(_OTHER_PATCHES, _scope_of_patch),
    _Rule({_PATCH}, _scope_of_patch, lambda entry: is_text(entry) or has_target(entry)),
    _Rule(_means_written_value, _of_secret, is_written_to_secret),
    # Parameters of Templates, values of charts, inputs of sets, by what uses them or by their names.
    _Rule(_means_parameters, _in(Area.PARAMETERS), areas={Area.CHART}),
    _Rule(_means_parameters, _in(Area.PARAMETERS), is_in(*_TEMPLATES)),
    _Rule(
        _except(PUBLIC_FIELDS_OF_PARAMETERS),
        _scope_of_parameter,
        lambda entry: bool(name_in(entry.mapping)),
        {Area.PARAMETERS},
    ),
    _Rule(means_value, _hidden, is_beside_name),
    _Rule({_VALUES_OF_TEMPLATE}, _hidden, is_in(_TEMPLATE)),
    _Rule(_PARAMETERS_OF_GENERATORS, _scope_of_elements, areas={Area.GENERATORS_OF_SET}),
    _Rule({"list"}, _scope_of_elements, is_list, {Area.GENERATORS_OF_SET}),
    _Rule({"generators"}, _in(Area.GENERATORS_OF_SET), is_in(APPLICATION_SET)),
    _Rule({"template"}, _in(Area.OBJECT), areas={Area.GENERATORS_OF_SET}),
    _Rule(
        _except(_FIELDS_OF_APPLICATION_SETS), _of_secret, is_used_parameter, areas={Area.GENERATORS_OF_SET}
    ),
    _Rule(_except(_FIELDS_OF_APPLICATION_SETS), _of_secret, is_parameter_beside_generators),
    _Rule(_VALUES, _in(Area.CHART), lambda entry: is_mapping(entry) or is_text(entry)),
    _Rule(_VALUES_OF_CHARTS, _in(Area.CHART), is_in(*_CHARTS)),
    _Rule({_TEMPLATE_OF_SECRET}, _template_of_secret, makes_secrets),
    _Rule({_DATA}, _section_of_secret, lambda e: is_mapping(e) and makes_secrets(e), {Area.OBJECT}),
    _Rule(None, _scope_of_elements, is_inputs),
    _Rule(None, _of_secret, is_used_parameter, {Area.INPUTS}),
    _Rule(None, _of_secret, lambda e: not name_in(e.mapping) and is_used_parameter(e), {Area.PARAMETERS}),
    _Rule(_except(_FIELDS_OF_SETS), _of_secret, is_input_among_fields),
    # Fields of any object that are named like a credential, or refer to one.
    _Rule(names_credential, _in(Area.PASSWORDS), is_collection_of_credentials),
    _Rule(names_credential, _hidden, is_value_of_tool, AREAS_OF_TOOLS),
    _Rule(names_credential, _scope_of_header, is_no_switch, {Area.HEADERS_BY_NAME}),
    _Rule(_matching(_HEADERS_BY_NAME), _in(Area.HEADERS_BY_NAME), is_mapping),
    _Rule({_BODY}, _in(Area.COMMAND), is_text),
    _Rule(None, _of_secret, is_value_in_reference, {Area.REFERENCE}),
    _Rule(names_credential, _of_secret, is_scalar_of_operator),
    _Rule(_matching(_REFERENCE_TO_CREDENTIAL), _of_secret, is_scalar_of_operator),
    _Rule(None, _shown, is_scalar_of_operator),
    _Rule(names_credential, _in(Area.REFERENCE), is_mapping_of_scalars),
    _Rule(_REFERENCES, _in(Area.REFERENCE), lambda entry: not is_schema(entry)),
    _Rule(is_reference_to_secret, _in(Area.REFERENCE), lambda entry: not is_schema(entry)),
    _Rule({SOURCE}, _hidden, is_data_url),
    _Rule(names_credential, _hidden, is_credential),
    _Rule(_matching(_NAMES_SECRETS), _among_secrets),
    _Rule(_FAKES, _among_secrets, is_in(*WITH_CREDENTIALS)),
    _Rule({"spec"}, _among_secrets, is_in(FAKE_GENERATOR)),
    _Rule(_matching(_VARIABLES), _among_variables, is_list),
    _Rule(_matching(_VARIABLES), _in(Area.COMMAND), is_text),
)


@lru_cache(maxsize=32768)  # objects have few different keys; a large hostile one is walked several times
def _rules_about(key: str, area: Area) -> Sequence[_Rule]:
    return tuple(rule for rule in _rules_in(area) if rule.is_about(key))


@lru_cache(maxsize=len(Area))
def _rules_in(area: Area) -> Sequence[_Rule]:
    return tuple(rule for rule in _RULES if not rule.areas or area in rule.areas)


def _scope_of_entry(mapping: JsonObject, here: Scope, key: Segment) -> Scope:
    """Return the scope of an entry of a mapping, inside of which it is ``here``."""
    below = here._replace(is_root=False)
    if not isinstance(key, str):
        return below
    if here.is_among_variables and here.kind != _DEFINITION:
        if hides_beside_name(mapping, key):
            return below.hidden()
        here, below = (each._replace(is_among_variables=False) for each in (here, below))
    entry = Entry(mapping, here, key, mapping.get(key), below)
    for rule in _rules_about(key, here.area):
        if rule.when(entry):
            return rule.scope(entry)
    return below


def confidential_parameters(template: JsonObject) -> frozenset[str]:
    """Return the names of a Template's parameters that are in confidential fields, or named after them."""
    rest = {key: value for key, value in template.items() if key not in ("kind", "parameters")}
    declared = (
        text_at(parameter, "name")
        for section in (template, object_at(template, "spec"))
        for parameter in array_at(section, "parameters")
    )
    credentials = frozenset(name for name in declared if names_credential(name))
    return names_in_confidential_parts(rest, names_of_parameters, names_of_parameters) | credentials


def names_in_confidential_parts(
    value: JsonObject,
    names_in: Callable[[str], Iterable[str]],
    shown_by: Callable[[str], Iterable[str]],
) -> frozenset[str]:
    """Return the names of parameters in confidential fields; ``names_in`` returns the ones in a text.

    A value that is a part of the name of an object, without a function that hides it, is not confidential,
    unless it is also part of a value of a Secret; ``shown_by`` returns the names of these.
    """
    of_secrets: set[str] = set()
    of_others: set[str] = set()
    for part in parts_of(value, Scope(parameters=_NONE)):
        used = (name for text in (*keys_of(part.value), *texts_of(part.value)) for name in names_in(text))
        (of_secrets if part.is_secret else of_others).update(used)
    names = {name for text in _names_of_objects(value) for name in shown_by(text)}
    found = of_secrets | (of_others - names)
    return frozenset(found | {f"{NOT}{name}" for name in names - found} if ALL in found else found)


def confidential_inputs(resource_set: JsonObject) -> frozenset[str]:
    """Return the keys of the inputs of a ResourceSet that its templates put into confidential fields.

    A variable may have any of the inputs that are named in its template.
    """
    spec = object_at(resource_set, "spec")
    found: set[str] = set()
    for step in (spec, *map(object_at, array_at(spec, "steps"))):
        template = text_at(step, "resourcesTemplate")
        parts = {key: value for key, value in step.items() if key not in _NO_TEMPLATES_OF_SETS}
        parts["resourcesTemplate"] = without_lines_of_actions(template)
        spend(1 + len(template) // CHARACTERS_PER_STEP, LOOKING)
        used = names_in_confidential_parts(parts, names_in_actions, names_shown_by_actions)
        found |= used.union(names_in_actions(template)) if VARIABLE in used else used
    return frozenset(found)


@once_for_same
def confidential_elements(application_set: JsonObject) -> frozenset[str]:
    """Return the names of parameters that an ApplicationSet puts into confidential fields of Applications.

    A generator may have a template of its own. What the name of an Application contains as it is, is shown
    with it nevertheless.
    """
    spec = object_at(application_set, "spec")
    generators = array_at(spec, "generators")
    applications: list[JsonObject] = [
        {"kind": "Application", "metadata": {}, "spec": object_at(template, "spec")}
        for template in (object_at(spec, "template"), *_templates_of(generators))
    ]
    parts: JsonObject = {"templates": applications, "templatePatch": text_at(spec, "templatePatch")}
    names = names_in_confidential_parts(parts, names_in_tags, names_shown_by_tags)
    for _ in range(_MOST_GENERATORS):  # a generator of a matrix may use the parameters of the one before it
        spend(1 + STEPS_PER_VALUE * count_values(generators), LOOKING)
        more = names.union(_names_used_by(generators, names)) if names else names
        if more == names:
            return names
        names = more
    return names | {ALL}


def _elements_not_in_names(application_set: JsonObject) -> frozenset[str]:
    """Return these names without those that the name of an Application contains as they are."""
    spec = object_at(application_set, "spec")
    templates = (object_at(spec, "template"), *_templates_of(array_at(spec, "generators")))
    names = [text_at(template, "metadata", "name") for template in templates]
    shown = {parameter for name in names for parameter in names_shown_by_tags(name)}
    found = confidential_elements(application_set) - shown
    return found.union(f"{NOT}{name}" for name in shown) if ALL in found else found


def _templates_of(generators: Json) -> Iterator[JsonObject]:
    """Yield the templates of generators, also of those within others."""
    for generator in generators if isinstance(generators, list) else ():
        for settings in object_at(generator).values():
            yield object_at(settings, "template")
            yield from _templates_of(object_at(settings).get("generators"))


def _names_used_by(generators: Json, names: frozenset[str]) -> Iterator[str]:
    """Yield the names in the tags of elements with one of ``names``."""
    for key, child in object_at(generators).items():
        if is_used(key, names):
            yield from (name for text in texts_of(child) for name in names_in_tags(text))
        else:
            yield from _names_used_by(child, names)
    for child in generators if isinstance(generators, list) else ():
        yield from _names_used_by(child, names)


def _names_of_objects(value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        yield text_at(value, "metadata", "name")
    for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _names_of_objects(child)


class Part(NamedTuple):
    """A confidential value of an object, and the key that it has, or is put at.

    ``is_secret``: it is a value of a Secret, which may occur elsewhere; ``is_start_data``: the credentials in
    it may; ``is_malformed``: it is a text that cannot be parsed and may have both.
    """

    value: Json
    is_secret: bool
    key: str = ""
    is_start_data: bool = False
    is_malformed: bool = False


def parts_of(value: Json, scope: Scope, key: str = "") -> Iterator[Part]:
    """Yield the confidential values, outermost first, and those in texts that are manifests.

    ``key`` is the one that ``value`` has. A name that no entry of a Secret can have holds its value: in
    ``{password s3cret}``, a colon is missing.
    """
    if scope.hides(value):
        yield Part(value, scope.is_secret, key, scope.is_start_data)
    elif isinstance(value, dict | list):
        scope_of = opened(value, scope)
        known_key = _key_of_value(value) if isinstance(value, dict) else key
        for name, child in value.items() if isinstance(value, dict) else enumerate(value):
            below = scope_of(name)
            if below.is_hidden and below.is_secret and not is_name(name):
                yield Part(name, is_secret=True)
            yield from parts_of(child, below, known_key or str(name))
    elif isinstance(value, str):
        if scope.depth and has_confidential_part(value, scope.area):  # in a text, no part is masked
            yield Part(value, is_secret=False)
        else:
            yield from _parts_of_text(value, scope)


def _key_of_value(mapping: JsonObject) -> str:
    """Return the key at which an operation of a JSON patch puts its value; an empty one if it is not one."""
    keys = parse_pointer(text_at(mapping, "path")) if is_operation(mapping) else ()
    return next((key for key in reversed(keys) if not _ELEMENT.fullmatch(key)), "")


def without_confidential_parts(text: str, area: Area, mask: Callable[[str], str]) -> str:
    """Return a text with a mask for each part that is confidential in its area.

    These are the credentials in addresses and requests, and what only a header, a command or arguments for a
    kernel have.
    """
    if area is Area.HEADERS:
        text = without_value_of_header(text, mask)
    is_of_kernel, is_of_command = area is Area.KERNEL_ARGUMENTS, area is Area.COMMAND
    return without_credentials(text, mask, of_kernel=is_of_kernel, of_command=is_of_command)


def has_confidential_part(text: str, area: Area) -> bool:
    """Return True if a part of a text is confidential that would not be in the text of another field."""
    return area in _AREAS_OF_PARTS and without_confidential_parts(text, area, lambda _: "") != text


def _parts_of_text(text: str, scope: Scope) -> Sequence[Part]:
    """Return the confidential values of a text: a manifest, a patch, a private key, an answer file."""
    if _PRIVATE_KEY in text and PRIVATE_KEYS.pattern.search(text):
        return (Part(text, is_secret=False),)
    if is_answer_file(text):
        return (Part(text, is_secret=True),)
    is_patch = scope.is_root and bool(scope.target)
    is_chart = scope.area is Area.CHART
    if ":" not in text or not (is_patch or is_chart or may_be_confidential(text)):
        return (Part(text, scope.is_secret),) if is_chart and _sets_credential(text) else ()
    inside = Scope(
        area=Area.CHART if is_chart else Area.OBJECT,
        is_root=True,
        is_secret=scope.is_secret,
        target=scope.target if is_patch else "",
        depth=scope.depth + 1,
    )
    return _parts_of_documents(text, inside)


@lru_cache(maxsize=256)
def _parts_of_documents(text: str, scope: Scope) -> Sequence[Part]:
    """Return the confidential values of the documents in a text.

    A text that cannot be parsed, but seems to have one, is confidential as a whole.
    """
    from renderer.yamlio.decode import decode_documents  # noqa: PLC0415 - few texts are manifests

    if scope.depth > _DEEPEST_TEXT:
        return (Part(text, is_secret=False),)
    spend(1 + _STEPS_PER_CHARACTER * len(text), LOOKING)
    try:
        documents = decode_documents(text.encode("utf-8", "replace"), "")
    except DiagnosticError:
        is_of_secret = has_values_of_secret(scope.target) or (
            scope.target == ANY_KIND and _DATA in text.lower()
        )
        has_credential = scope.area is Area.CHART and _sets_credential(text)
        is_certain = is_of_secret or has_credential or seems_confidential(text)
        return (Part(text, scope.is_secret, is_malformed=not scope.is_secret),) if is_certain else ()
    if scope.area is Area.CHART and not all(map(_is_tree, documents)) and _sets_credential(text):
        return (Part(text, scope.is_secret),)
    roots = (each for each in documents if isinstance(each, dict | list))
    return tuple(part for root in roots for part in parts_of(root, scope))


def _is_tree(document: Json) -> bool:
    """Return True for a mapping or a list of mappings, if no key of it is a line ``name = value``."""
    if isinstance(document, dict):
        return not any("=" in key for key in document)
    return isinstance(document, list) and any(isinstance(each, dict) for each in document)


def _sets_credential(text: str) -> bool:
    """Return True if a text of any syntax has a credential with its name: ``password = …``, ``--token …``.

    What a template puts in later is not one.
    """
    spend(1 + len(text) // CHARACTERS_PER_STEP, LOOKING)
    return any(not found["word"].startswith(("{", "[")) for found in named_credentials(text))


def hides(value: Json, scope: Scope) -> bool:
    """Return True if a value is confidential as a whole, as a field or as a text with something in it."""
    if scope.hides(value):
        return True
    return isinstance(value, str) and bool(_parts_of_text(value, scope))
