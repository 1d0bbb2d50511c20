"""``replacements``: values copied from one resource to others (kustomize ``api/filters/replacement``)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from renderer.compose.absent import ABSENT, Slot
from renderer.compose.replacements.field_path import PathError, lookup, split_field_path
from renderer.compose.replacements.path_matcher import Change, PathMatcher
from renderer.compose.replacements.source import find_source
from renderer.compose.replacements.structured_text import changed_text, count_within, split_at_text
from renderer.compose.replacements.target_selector import TargetSelector
from renderer.compose.replacements.value import ReplacementValue
from renderer.compose.res_map import ResMap
from renderer.compose.transform import Transform
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.field_path import FieldPath
from renderer.model.json import Json, object_at
from renderer.model.resource import Resource
from renderer.model.transformers import FieldOptions, Replacement, ReplacementSource, ReplacementTarget


def replacing(replacements: tuple[Replacement, ...]) -> Transform:
    """Carries out the replacements one after the other.

    The transform raises: kustomization-field, resource-invalid.
    """

    def replace(resources: ResMap) -> None:
        for replacement in replacements:
            _replace(resources, replacement)

    return replace


def _replace(resources: ResMap, replacement: Replacement) -> None:
    if replacement.targets is None or (replacement.source is None and replacement.source_value is None):
        raise _incomplete(replacement)
    value = _value(resources, replacement)
    for target in replacement.targets:
        for key, resource in TargetSelector(target).selected(resources):
            resources.replace(key, _written(resource, value, target, partial(resources.check_growth, key)))


def _value(resources: ResMap, replacement: Replacement) -> ReplacementValue:
    source = replacement.source
    if source is None:
        return _given(replacement)
    if replacement.source_value is not None:
        raise _error("a replacement has either source or sourceValue", replacement, "remove one of them")
    resource = find_source(resources, source)
    try:
        return _found(resource, source).part(source.options)
    except PathError as error:
        raise DiagnosticError(
            Diagnostic(
                code=Code.KUSTOMIZATION_FIELD,
                message=f"{source.field_path} of {resource.current_id} gives a replacement no value: {error}",
                sites=(source.site,),
                resource=resource.current_id,
                hint="fieldPath has to lead to a value that is there when the replacement is made",
            )
        ) from None


def _found(resource: Resource, source: ReplacementSource) -> ReplacementValue:
    found = lookup(resource.content, split_field_path(source.field_path))
    if found is ABSENT or found is None or found in ({}, []):
        raise PathError("there is nothing")
    return ReplacementValue.of(found)


def _given(replacement: Replacement) -> ReplacementValue:
    try:
        return ReplacementValue.given(replacement.source_value or "")
    except PathError as error:
        raise _error(f"sourceValue cannot be written: {error}", replacement, "write another value") from None


def _written(
    resource: Resource,
    value: ReplacementValue,
    target: ReplacementTarget,
    check: Callable[[Resource], object],
) -> Resource:
    """The resource with the value in all fields of ``target``; ``check`` is given it after each field."""
    content: Json = resource.content
    for path in target.field_paths:
        try:
            content = _with_field(content, split_field_path(path), value, target.options)
        except PathError as error:
            raise _no_field(resource, path, target, error) from None
        check(resource.with_content(object_at(content), target.site))
    return resource.with_content(content, target.site) if isinstance(content, dict) else resource


def _with_field(
    content: Json, steps: tuple[str, ...], value: ReplacementValue, options: FieldOptions
) -> Json:
    within_text = _with_field_in_text(content, steps, value, options)
    if within_text is not None:
        return within_text
    content, matches = _changed(content, steps, lambda old: value.into(old, options), creates=options.create)
    if not matches:
        raise PathError("there is none")
    return content


def _with_field_in_text(
    content: Json, steps: tuple[str, ...], value: ReplacementValue, options: FieldOptions
) -> Json:
    """The content with the field changed inside of a text; None when the path does not lead into one."""
    split = split_at_text(content, steps)
    if split is None:
        return None
    outer, inner = split

    def change(old: Slot) -> Json:
        in_text = changed_text(
            None if old is ABSENT else old,
            inner,
            lambda field: value.into(field, FieldOptions()),
            creates=options.create,
        )
        return ReplacementValue.of(in_text).into(old, FieldOptions())

    try:
        return _changed(content, outer, change, creates=False)[0]
    except PathError:
        return None


def _changed(content: Json, steps: tuple[str, ...], change: Change, *, creates: bool) -> tuple[Json, int]:
    matcher = PathMatcher(change, creates, lambda text, rest: count_within(text, rest, creates=creates))
    changed = matcher.visit(content, steps)
    return changed, matcher.matches


def _incomplete(replacement: Replacement) -> DiagnosticError:
    missing = "targets" if replacement.targets is None else "source"
    hint = "a replacement needs source or sourceValue, and targets"
    return _error(f"the replacement has no {missing}", replacement, hint)


def _error(message: str, replacement: Replacement, hint: str) -> DiagnosticError:
    return DiagnosticError(
        Diagnostic(code=Code.KUSTOMIZATION_FIELD, message=message, sites=(replacement.site,), hint=hint)
    )


def _no_field(resource: Resource, path: str, target: ReplacementTarget, error: PathError) -> DiagnosticError:
    create = "" if target.options.create else ", or make it with options.create: true"
    return DiagnosticError(
        Diagnostic(
            code=Code.KUSTOMIZATION_FIELD,
            message=f"a replacement cannot be written to {path} of {resource.current_id}: {error}",
            sites=(target.site,),
            resource=resource.current_id,
            field=FieldPath.of("fieldPaths"),
            hint=f"correct the path or select other resources{create}",
        )
    )
