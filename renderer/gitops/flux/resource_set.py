"""The objects that a ResourceSet of the Flux operator makes of its inputs.

Written from its documentation: https://fluxoperator.dev/docs/crd/resourceset/ and resourcesetinputprovider/.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import product
from math import prod
from typing import NamedTuple, TypeAlias

from renderer.gitops.flux.applied_objects import with_common_metadata
from renderer.gitops.flux.flux_operator import PROVIDER, is_disabled
from renderer.golang.booleans import FALSE, TRUE
from renderer.golang.template import Delimiters, GoTemplateError, render
from renderer.golang.template.evaluate import GoFunction
from renderer.golang.template.values import deep_copy, go_value
from renderer.kubevirt.facts.confidential.parameters import (
    confidential_values_of_inputs,
    inputs_without_confidential,
)
from renderer.kubevirt.facts.confidential.secret_values import secret_values
from renderer.kustomize.reader.resources import read_resources
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.model.engines import FLUX_OPERATOR_GROUP
from renderer.model.kube.cluster_wide import with_default_namespace
from renderer.model.kube.encryption import is_encrypted
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY, Json, JsonObject, array_at, object_at, text_at
from renderer.model.kube.label_selector import SelectorError, read_selector, selects
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import Reference
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.plural import listed
from renderer.model.run.limits import limit_hint, limits
from renderer.model.run.taint import taint, taint_new_parts, texts_of
from renderer.model.run.work import spend
from renderer.model.suggest import did_you_mean
from renderer.yamlio.encode import encode, encode_source
from renderer.yamlio.object_stream import begins_with_json, decode_stream

_COPY_FROM = f"{FLUX_OPERATOR_GROUP}/copyFrom"
_COPIED_KINDS = ("ConfigMap", "Secret")
_DELIMITERS = Delimiters("<<", ">>")
_STEPS_PER_TEXT, _CHARACTERS_PER_STEP = 20, 2
#: A type of providers whose name may be repeated in messages; only ``Static`` ones have their inputs in Git.
_TYPE = re.compile(r"[A-Za-z0-9]{1,40}")
_MISSING = re.compile(r"no entry for key '([^']*)'")
_WORD = re.compile(r"[^\s\"',:{}\[\]]+")
#: Texts that every implementation of ``slugify`` treats alike.
_PLAIN_WORDS = re.compile(r"[A-Za-z0-9]([A-Za-z0-9 /-]{0,61}[A-Za-z0-9])?")

#: One set of values of ``inputs``.
Inputs: TypeAlias = dict[str, object]


class LeftOutError(Exception):
    """A ResourceSet that is not evaluated; the text is what notes call such sets."""


class InvalidSetError(Exception):
    """A ResourceSet that cannot be evaluated because of one of its fields."""

    def __init__(self, message: str, field: FieldPath, hint: str | None = None) -> None:
        super().__init__(message)
        self.field = field
        self.hint = hint


class GeneratedObjects(NamedTuple):
    """The objects of a ResourceSet, and the ``providers`` of its inputs.

    ``left_out`` is what notes call sets that are not evaluated for the same reason; empty for any other.
    """

    objects: ResourceSet = ResourceSet()
    providers: tuple[Resource, ...] = ()
    findings: tuple[Diagnostic, ...] = ()
    left_out: str = ""


def generate_objects(entry: Resource, known: Mapping[Reference, Resource]) -> GeneratedObjects:
    """Return the objects of the ResourceSet ``entry``; ``known`` are the objects of its cluster."""
    try:
        _check_is_evaluated(entry)
        taint(confidential_values_of_inputs(entry.content, _inline_inputs(entry)))
        providers = tuple(dict.fromkeys(_providers(entry, known)))
        used = tuple(known[key] for key in providers)
        taint(confidential_values_of_inputs(entry.content, map(_exported, used)))
        made = tuple(_rendered(entry, _input_sets(entry, used)))
    except LeftOutError as error:
        return GeneratedObjects(left_out=str(error))
    except InvalidSetError as error:
        message = f"the ResourceSet {entry.name} cannot be evaluated: {error}"
        found = _warning(entry, error.field, message, error.hint)
        return GeneratedObjects(findings=(found,), left_out="ResourceSet(s) with mistakes")
    placed = with_default_namespace(ResourceSet(made), entry.namespace)
    different: list[Diagnostic] = []
    distinct = _without_repeated(entry, placed, different)
    not_copied = tuple(_missing_sources(entry, distinct, known))
    objects = with_common_metadata(distinct.map(lambda each: _with_copied_data(each, known)), entry)
    taint(secret_values(each.content for each in objects))
    return GeneratedObjects(objects, used, (*different, *not_copied))


def _warning(entry: Resource, field: FieldPath, message: str, hint: str | None) -> Diagnostic:
    return Diagnostic.about(entry, field, Code.RESOURCE_SET, message, hint, severity=Severity.WARNING)


def _check_is_evaluated(entry: Resource) -> None:
    """Raise ``LeftOutError`` if the operator leaves the set alone, or if nobody but it can read the set."""
    if is_disabled(entry):
        raise LeftOutError("suspended ResourceSet(s)")
    if is_encrypted(entry):
        raise LeftOutError("encrypted ResourceSet(s)")


def _providers(entry: Resource, known: Mapping[Reference, Resource]) -> Iterator[Reference]:
    """Yield the providers of ``inputsFrom``, which are in the namespace of the set."""
    here = [each for each in known.values() if each.kind == PROVIDER and each.namespace == entry.namespace]
    for index, source in enumerate(array_at(entry.content, "spec", "inputsFrom")):
        name, selector = text_at(source, "name"), object_at(source).get("selector")
        if name:
            found = [each for each in here if each.name == name]
        else:
            try:
                requirements = read_selector(selector)
            except SelectorError as error:
                field = FieldPath.of("spec", "inputsFrom", index, "selector")
                raise InvalidSetError(str(error), field) from None
            spend(len(here) * (1 + len(requirements)), "selecting inputs of ResourceSets")
            found = [each for each in here if selects(requirements, each.labels)]
        if not found:
            raise LeftOutError("ResourceSet(s) with inputs that are not in Git")
        yield from (each.reference for each in found)


def _input_sets(entry: Resource, providers: Iterable[Resource]) -> list[Inputs]:
    """Return the values of ``inputs``, one mapping for each time that the templates are rendered."""
    spec = object_at(entry.content, "spec")
    by_provider = [(each, [_exported(each)]) for each in providers]
    inline = _inline_inputs(entry)
    if inline:
        by_provider.insert(0, (entry, inline))
    strategy = text_at(spec, "inputStrategy", "name") or "Flatten"
    if strategy not in ("Flatten", "Permute"):
        field = FieldPath.of("spec", "inputStrategy", "name")
        raise InvalidSetError(f"there is no strategy {strategy}", field, "write Flatten or Permute")
    if not by_provider:
        return [{}]  # objects without inputs
    counts = [len(sets) for _, sets in by_provider]
    count, most = prod(counts) if strategy == "Permute" else sum(counts), limits().template_rows
    if count > most:
        field = FieldPath.of("spec", "inputs")
        message = f"its inputs make more than {most} sets"
        raise InvalidSetError(message, field, limit_hint("template_rows"))
    values = [[_with_provider(provider, each) for each in sets] for provider, sets in by_provider]
    if strategy == "Flatten":
        return [each for sets in values for each in sets]
    names = [re.sub(r"[^a-z0-9]+", "_", provider.name.lower()) for provider, _ in by_provider]
    if len(set(names)) < len(names):
        field = FieldPath.of("spec", "inputsFrom")
        message = "two providers have the same name once - and . are replaced by _"
        raise InvalidSetError(message, field, "rename one of them")
    return [dict(zip(names, each, strict=True)) for each in product(*values)]


def _inline_inputs(entry: Resource) -> list[JsonObject]:
    return [object_at(each) for each in array_at(entry.content, "spec", "inputs")]


def _exported(provider: Resource) -> JsonObject:
    """Return the inputs of a provider that has them in Git: its default values."""
    kind = text_at(provider.content, "spec", "type")
    if kind != "Static":
        named = f"of the type {kind}" if _TYPE.fullmatch(kind) else "of an unknown type"
        raise LeftOutError(f"ResourceSet(s) with inputs {named}")
    if is_disabled(provider):
        raise LeftOutError("ResourceSet(s) with inputs of suspended providers")
    return object_at(provider.content, "spec", "defaultValues")


def _with_provider(provider: Resource, values: JsonObject) -> Inputs:
    identity = {
        "apiVersion": provider.api_version,
        "kind": provider.kind,
        "name": provider.name,
        "namespace": provider.namespace,
    }
    return {"provider": identity, **values}


def _rendered(entry: Resource, input_sets: Sequence[Inputs]) -> Iterator[Resource]:
    """Yield the objects; the ones of ``resources`` come first, as they win over others of the same name."""
    templates = tuple(_templates(entry))
    public_sets = inputs_without_confidential(entry.content, input_sets)  # type: ignore[arg-type]  # as below
    sets = [(_as_in_go(each), _as_in_go(other)) for each, other in zip(input_sets, public_sets, strict=True)]
    for text, field in templates:
        origin = entry.sites(field)[0]
        for inputs, public in sets:
            try:
                objects = _objects_of_text(text, inputs, origin)
            except GoTemplateError as error:
                raise InvalidSetError(str(error), field, _hint(str(error), inputs)) from None
            except DiagnosticError as error:
                message = f"its output is not a list of objects: {error.diagnostics[0].message}"
                raise InvalidSetError(message, field) from None
            if public != inputs:
                _taint_results(objects, text, public, origin)
            yield from (Resource(each.content, origin) for each in objects if not is_disabled(each))


def _objects_of_text(text: str, inputs: object, origin: Site) -> tuple[Resource, ...]:
    """Return the objects that a template makes. Raises ``GoTemplateError`` and ``DiagnosticError``."""
    spend(_STEPS_PER_TEXT + len(text) // _CHARACTERS_PER_STEP, "evaluating ResourceSets")
    functions = _functions(inputs)
    output = render(text, EMPTY, ("missingkey=error",), delimiters=_DELIMITERS, functions=functions)
    spend(len(output), "evaluating ResourceSets")
    if begins_with_json(output):
        values = (value for _, value in decode_stream(output, origin.path))
        output = "---\n".join(encode_source(object_at(value)) for value in values if value is not None)
    return read_resources(output.encode(errors="replace"), origin, generated_names=True)


def _taint_results(objects: Iterable[Resource], text: str, public: object, origin: Site) -> None:
    """Record what is in the objects only because of confidential inputs: what functions made of them, too."""
    known: list[Json] = [*_WORD.findall(text)]
    with suppress(GoTemplateError, DiagnosticError):  # without the values, it may be none
        known += (each.content for each in _objects_of_text(text, public, origin))
    taint_new_parts([each.content for each in objects], known)


def _templates(entry: Resource) -> Iterator[tuple[str, FieldPath]]:
    """Yield the templates with their fields: of each entry of ``resources``, then the texts."""
    spec = object_at(entry.content, "spec")
    places = [(FieldPath.of("spec"), spec)]
    for index, step in enumerate(array_at(spec, "steps")):
        places.append((FieldPath.of("spec", "steps", index), object_at(step)))
    for place, fields in places:
        for index, resource in enumerate(array_at(fields, "resources")):
            yield encode([resource]), place.child("resources", index)
    for place, fields in places:
        if text_at(fields, "resourcesTemplate"):
            yield text_at(fields, "resourcesTemplate"), place.child("resourcesTemplate")


def _as_in_go(inputs: Mapping[str, object]) -> object:
    try:
        return go_value(inputs)  # type: ignore[arg-type]  # values of JSON, and texts
    except GoTemplateError as error:
        raise InvalidSetError(f"its inputs cannot be read: {error}", FieldPath.of("spec", "inputs")) from None


def _functions(inputs: object) -> Mapping[str, GoFunction]:
    own = deep_copy(inputs)  # a template may change what it gets
    return {
        "bool": GoFunction(_bool, "a"),
        "inputs": GoFunction(lambda: own),
        "slugify": GoFunction(_slugify, "s"),
    }


def _bool(value: object) -> bool:
    """Return the boolean, or the one that a text is (``strconv.ParseBool``)."""
    if isinstance(value, bool):
        return value
    if value in TRUE or value in FALSE:
        return value in TRUE
    raise GoTemplateError("bool: the value is not a boolean")


def _slugify(text: str) -> str:
    if not _PLAIN_WORDS.fullmatch(text):
        raise GoTemplateError("slugify is only known for letters, digits, spaces, / and -")
    return re.sub(r"[ /-]+", "-", text.lower())


def _hint(message: str, inputs: object) -> str | None:
    missing = _MISSING.search(message)
    if missing and missing[1] == "id":
        return "only the cluster knows inputs.id; write an id of your own into the inputs"
    if missing and isinstance(inputs, dict):
        nested = (key for each in inputs.values() if isinstance(each, dict) for key in each)
        names = tuple(dict.fromkeys((*inputs, *nested)))
        return did_you_mean(missing[1], names, otherwise=f"its inputs have {listed(names)}")
    return "docs/existing-repositories.md lists the functions that templates may use"


def _without_repeated(entry: Resource, resources: ResourceSet, findings: list[Diagnostic]) -> ResourceSet:
    """Return the objects, the first one of each identity; one that differs from it is a finding."""
    first: dict[tuple[str, Reference], Resource] = {}
    differing: dict[tuple[str, Reference], None] = {}
    for each in resources:
        key = each.api_version, each.reference
        if first.setdefault(key, each).content != each.content:
            differing[key] = None
    for key in differing:
        each = first[key]
        findings.append(
            _warning(
                entry,
                FieldPath.of("spec"),
                f"the ResourceSet {entry.name} makes different objects {each.kind} {each.name}: the operator"
                " applies one of them",
                "put an input that differs into the name",
            )
        )
    return ResourceSet(tuple(first.values()))


def _source_of_data(resource: Resource) -> Reference | None:
    """Return the object that a ConfigMap or Secret copies its data from."""
    written = resource.annotations.get(_COPY_FROM)
    if resource.kind not in _COPIED_KINDS or not isinstance(written, str):
        return None
    namespace, _, name = written.partition("/")
    return resource.kind, namespace, name


def _missing_sources(
    entry: Resource, resources: ResourceSet, known: Mapping[Reference, Resource]
) -> Iterator[Diagnostic]:
    for each in resources:
        source = _source_of_data(each)
        if source is not None and (source not in known or is_encrypted(known[source])):
            kind, namespace, name = source
            message = f"the {kind} {each.name} gets its data from {namespace}/{name}, which is not in Git"
            yield _warning(entry, FieldPath.of("spec"), message, None)._replace(severity=Severity.INFO)


def _with_copied_data(resource: Resource, known: Mapping[Reference, Resource]) -> Resource:
    reference = _source_of_data(resource)
    source = known.get(reference) if reference else None
    if source is None or is_encrypted(source):
        return resource
    data = {field: source.content[field] for field in ("data", "stringData") if field in source.content}
    spend(1 + sum(map(len, texts_of(data))), "evaluating ResourceSets")
    return resource.with_content({**resource.content, **data})
