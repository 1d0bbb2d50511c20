"""The Applications that an ApplicationSet generates.

argo-cd ``applicationset/controllers/template/template.go``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from renderer.gitops.argocd.application import default_finalizers
from renderer.gitops.argocd.generators.context import SetContext, check_count
from renderer.gitops.argocd.generators.table import kinds_of, parameter_sets
from renderer.gitops.argocd.generators.unmatched_clusters import unmatched_clusters
from renderer.gitops.argocd.parameters import Parameters, Rendering, SetError
from renderer.kubevirt.facts.confidential.parts import confidential_elements
from renderer.kubevirt.facts.confidential.template_names import is_used
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.model.kube.field_path import FieldPath, Segment
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.plural import listed
from renderer.model.run.taint import taint, taint_new_parts, taint_texts, texts_of
from renderer.model.run.work import spend
from renderer.model.suggest import did_you_mean
from renderer.yamlio.decode import decode_documents, decode_yaml11

#: A tag of templates without ``goTemplate`` that may be the name of a parameter.
_TAG = re.compile(r"\{\{\s*([\w.\[\]-]+)\s*\}\}")
_METADATA = ("name", "namespace", "labels", "annotations", "finalizers")


def rendering_of(entry: Resource) -> Rendering:
    """Return how the templates of the ApplicationSet ``entry`` are rendered."""
    spec = object_at(entry.content, "spec")
    options = (option for option in array_at(spec, "goTemplateOptions") if isinstance(option, str))
    return Rendering(spec.get("goTemplate") is True, tuple(options))


def generate_applications(
    entry: Resource, context: SetContext, warn: Callable[[Diagnostic], None] = lambda _: None
) -> tuple[Resource, ...]:
    """Return the Applications of the ApplicationSet ``entry``, in the order of its generators.

    Applications that share a name are left out, with a warning; the others stay (``controllers``,
    ``validateGeneratedApplications``). Raises ``DiagnosticError``: application-set. One failing generator
    fails the set, as in Argo CD.
    """
    applications: list[Resource] = []
    found: dict[Diagnostic, None] = {}
    for index, generator in enumerate(array_at(entry.content, "spec", "generators")):
        try:
            for application, parameters in _generated(entry, generator, context):
                applications.append(application)
                if not context.rendering.go_template and parameters:
                    found.update(dict.fromkeys(_unknown_tags(entry, application, parameters)))
            check_count(len(applications))
        except SetError as error:
            raise _evaluation_error(entry, error, "spec", "generators", index) from None
    unmatched = unmatched_clusters(entry, context.clusters)
    for warning in (*found, *_shared_name_warnings(entry, applications), *unmatched):
        warn(warning)
    names = Counter(each.name for each in applications)
    return tuple(each for each in applications if names[each.name] == 1)


def _evaluation_error(entry: Resource, error: SetError, *field: Segment) -> DiagnosticError:
    message = f"the ApplicationSet {entry.name} cannot be evaluated: {error}"
    return Diagnostic.about(entry, FieldPath(field), Code.APPLICATION_SET, message, error.hint).error()


def _generated(
    entry: Resource, generator: Json, context: SetContext
) -> Iterator[tuple[Resource, Parameters]]:
    base = object_at(entry.content, "spec", "template")
    confidential = confidential_elements(entry.content)
    for kind in kinds_of(generator):
        own = object_at(generator, kind, "template")
        template = with_missing_values(own, base) if own else base
        try:
            sets = parameter_sets(generator, kind, context, {})
        except SetError:
            _taint_named(_with_texts_read(generator), confidential)  # the error may quote an element
            raise
        for parameters in sets:
            name = _rendered_name(template, parameters, context.rendering) if confidential else ""
            public = _without_values_of(parameters, confidential, name)
            try:
                application = _application(entry, template, parameters, context.rendering)
                if public != parameters:
                    try:
                        known: Json = _application(entry, template, public, context.rendering).content
                    except (SetError, DiagnosticError):  # then all that the parameters add is confidential
                        known = [template, public, {**application.content, "spec": {}}]  # type: ignore[list-item]  # JSON's
                    read, known = map(_with_texts_read, (application.content, known))
                    taint_new_parts(read, [known, name])
            except SetError as error:
                if own:  # the field may belong to the generator
                    raise
                raise _evaluation_error(entry, error, "spec", "template", *error.field) from None
            yield application, parameters


def _rendered_name(template: JsonObject, parameters: Parameters, rendering: Rendering) -> str:
    """Return the name of the Application, which is shown; empty if it cannot be evaluated."""
    try:
        return rendering.text(text_at(template, "metadata", "name"), parameters)
    except SetError:
        return ""


def _without_values_of(parameters: Parameters, confidential: frozenset[str], shown: str) -> Parameters:
    """Return the parameters with empty texts for the confidential ones, whose values are recorded.

    A value that the text ``shown`` contains is not confidential: not what a function may make another of.
    """
    if not confidential:
        return parameters
    public: Parameters = {}
    for name, value in parameters.items():
        if is_used(name, confidential) or is_used(name.rpartition(".")[2], confidential):
            public[name] = _without_texts(value, shown)  # type: ignore[arg-type]  # JSON's
        elif isinstance(value, dict):
            public[name] = _without_values_of(value, confidential, shown)
        else:
            public[name] = value
    return public


def _without_texts(value: Json, shown: str) -> Json:
    """Return a tree with an empty text for each scalar that ``shown`` does not contain; they are recorded.

    Its form stays, so that a template that reads the fields of a parameter can be rendered.
    """
    if isinstance(value, dict):
        return {key: _without_texts(child, shown) for key, child in value.items()}
    if isinstance(value, list):
        return [_without_texts(child, shown) for child in value]
    values = [text for text in texts_of(value) if text not in shown]
    taint(values)
    return "" if values else value


def _taint_named(value: Json, confidential: frozenset[str]) -> None:
    """Record the values of the confidential names in the elements of a generator."""
    for key, child in object_at(value).items():
        if is_used(key, confidential):
            taint_texts(child)
        else:
            _taint_named(child, confidential)
    for child in value if isinstance(value, list) else ():
        _taint_named(child, confidential)


def _with_texts_read(value: Json) -> Json:
    """Return a tree with the content of each text that is a mapping or list of YAML in its place."""
    if isinstance(value, dict):
        return {key: _with_texts_read(child) for key, child in value.items()}
    if isinstance(value, list):
        return [_with_texts_read(child) for child in value]
    if not isinstance(value, str) or ":" not in value:
        return value
    try:
        documents = [*decode_documents(value.encode(errors="replace"), "")]
    except DiagnosticError:
        return value
    return documents if all(isinstance(each, dict | list) for each in documents) else value


def _application(
    entry: Resource, template: JsonObject, parameters: Parameters, rendering: Rendering
) -> Resource:
    rendered = object_at(rendering.deeply(template, parameters) if parameters else template)
    metadata = {key: value for key, value in object_at(rendered, "metadata").items() if key in _METADATA}
    defaults = default_finalizers(entry)
    if parameters and defaults and not metadata.get("finalizers"):
        metadata["finalizers"] = defaults
    application: JsonObject = {"metadata": metadata, "spec": object_at(rendered, "spec")}
    patch = entry.content["spec"].get("templatePatch") if isinstance(entry.content["spec"], dict) else None
    if isinstance(patch, str):
        try:
            application = _with_template_patch(application, rendering.text(patch, parameters))
        except SetError as error:
            raise _evaluation_error(entry, error, "spec", "templatePatch") from None
    metadata = {**object_at(application, "metadata"), "namespace": entry.namespace}
    content: JsonObject = {
        "apiVersion": entry.api_version,
        "kind": "Application",
        "metadata": metadata,
        "spec": object_at(application, "spec"),
    }
    if operation := object_at(application, "operation"):  # of templatePatch (createOrUpdateInCluster)
        content = {**content, "operation": operation}
    return Resource(content, entry.sites(FieldPath.of("spec", "template"))[0])


def with_missing_values(own: JsonObject, base: JsonObject) -> JsonObject:
    """Return ``own``, completed with the values of ``base`` that it lacks (``mergo.Merge``)."""
    merged: dict[str, Any] = dict(own)
    for key, value in base.items():
        known = merged.get(key)
        if isinstance(known, dict) and isinstance(value, dict):
            merged[key] = with_missing_values(known, value)
        elif not known:
            merged[key] = value
    return merged


def _with_template_patch(application: JsonObject, text: str) -> JsonObject:
    """Apply ``templatePatch`` (``template/patch.go``); it cannot change the project. Raises ``SetError``."""
    try:
        spend(len(text), "reading template patches")
        patch = decode_yaml11(text.encode(), "templatePatch")
    except DiagnosticError as error:
        raise SetError(f"its templatePatch, once rendered, is not YAML: {error}") from None
    if not isinstance(patch, dict):
        if patch is None:
            return application
        raise SetError("its templatePatch, once rendered, is not a mapping")
    merged = merge_template_patch(application, patch)
    project = text_at(application, "spec", "project")
    spec = {**object_at(merged, "spec"), "project": project} if project else object_at(merged, "spec")
    return {**merged, "spec": spec}


def merge_template_patch(value: JsonObject, patch: JsonObject) -> JsonObject:
    """Return a strategic merge for Applications: except for finalizers, their lists have no merge keys."""
    if patch.get("$patch") == "replace":
        return {key: each for key, each in patch.items() if key != "$patch"}
    if patch.get("$patch") == "delete":
        return {}
    merged: dict[str, Any] = dict(value)
    for key, change in patch.items():
        known = merged.get(key)
        if change is None:
            merged.pop(key, None)
        elif isinstance(change, dict):
            merged[key] = merge_template_patch(known if isinstance(known, dict) else {}, change)
        elif key == "finalizers" and isinstance(change, list) and isinstance(known, list):
            merged[key] = [*known, *(each for each in change if each not in known)]
        else:
            merged[key] = change
    return merged


def _shared_name_warnings(entry: Resource, applications: Iterable[Resource]) -> Iterator[Diagnostic]:
    """Yield a warning for each name that several Applications share."""
    for name, count in Counter(each.name for each in applications).items():
        if count > 1:
            yield Diagnostic.about(
                entry,
                FieldPath.of("spec", "template", "metadata", "name"),
                Code.APPLICATION_SET,
                f"the ApplicationSet {entry.name} generates {count} Applications with the name"
                f" {name or '(none)'}: Argo CD deploys none of them",
                "put a parameter that differs into spec.template.metadata.name",
                severity=Severity.WARNING,
            )


def _unknown_tags(entry: Resource, application: Resource, parameters: Parameters) -> Iterator[Diagnostic]:
    """Yield a warning for each ``{{name}}`` of the template for which no generator has a value."""
    otherwise = f"its parameters are {listed([*parameters])}"
    for path, text in _texts(application.content):
        for tag in _TAG.findall(text):
            hint = did_you_mean(tag, parameters, otherwise=otherwise)
            message = (
                f"no generator of the ApplicationSet {entry.name} gives {tag} a value:"
                f" Argo CD leaves {{{{{tag}}}}} as it is"
            )
            yield Diagnostic.about(
                entry,
                FieldPath.of("spec", "template", *path),
                Code.APPLICATION_SET,
                message,
                hint,
                severity=Severity.WARNING,
            )


def _texts(value: Json, path: tuple[Segment, ...] = ()) -> Iterator[tuple[tuple[Segment, ...], str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict | list):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _texts(each, (*path, key))
