"""``replacements``: values copied from one resource to others (kustomize ``api/filters/replacement``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from renderer.kubevirt.facts.confidential.exposed_values import exposed_values
from renderer.kubevirt.facts.confidential.object_fields import fields_of
from renderer.kubevirt.facts.confidential.parts import Part
from renderer.kubevirt.facts.kinds import SECRET
from renderer.kustomize.annotations import with_annotations_for_build
from renderer.kustomize.embedded_text import changed_text, count_within, text_on_path
from renderer.kustomize.identity import DEFAULT_NAMESPACE
from renderer.kustomize.replacement_paths import PathError, PathMatcher, lookup_place, split_field_path
from renderer.kustomize.replacement_value import ReplacementValue
from renderer.kustomize.res_map import ResMap
from renderer.kustomize.scalar_nodes import (
    ScalarNode,
    with_scalar_node,
    with_scalar_nodes,
    with_shared_change,
)
from renderer.kustomize.selection import STEPS_PER_SELECTION, ResourceSelector
from renderer.kustomize.transform import Transform
from renderer.kustomize.values import ABSENT, Slot
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Related, Severity
from renderer.model.field_edit import SetField
from renderer.model.kube.field_path import FieldPath, Segment
from renderer.model.kube.json import Json, object_at
from renderer.model.kube.list_elements import value_at
from renderer.model.kube.res_id import ResId, namespaced_name
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import (
    FieldOptions,
    Replacement,
    ReplacementSource,
    ReplacementTarget,
    Selector,
)
from renderer.model.pattern import pattern
from renderer.model.run.taint import taint
from renderer.model.run.work import spend
from renderer.model.suggest import suggest

#: Steps to check if a target selects a resource, by all ids that it ever had, and to write one of its fields
#: (``model.run.work``).
_STEPS_PER_TARGET, _STEPS_PER_FIELD = 16, 80
_DIGITS = pattern("[0-9]+")
#: Characters that make a text a regular expression and that no name contains; names contain dots, too.
_PATTERN_SIGN = pattern(r"[][\\^$*+?(){}|]")


def find_source(resources: ResMap, source: ReplacementSource) -> Resource:
    """Return the resource that ``source`` identifies by a current or previous id.

    Raises: kustomization-field.
    """
    named = resources.named(source.name or None)
    spend(len(named) * STEPS_PER_SELECTION, "looking for sources of replacements")
    matches = [resource for _, resource in named if _is_source(resource, source)]
    if not matches:
        # The name in a source is literal (kustomize ``kyaml/resid`` IsSelectedBy).
        names = _names_of_kind(source.kind, resources)
        near = suggest(source.name, names)
        hint = f"did you mean {' or '.join(near)}?" if near else "list it under the resources of this folder"
        site = source.site.below("name")
        raise Diagnostic.at(
            site,
            Code.KUSTOMIZATION_FIELD,
            f"the replacement source {_describe(source)} does not exist",
            hint,
            fix=SetField(site.field, near[0]) if len(near) == 1 else None,
        ).error()
    if len(matches) > 1:
        raise Diagnostic.at(
            source.site,
            Code.KUSTOMIZATION_FIELD,
            f"several resources match the replacement source {_describe(source)}",
            "select one with group, version, kind, name and namespace",
            related=tuple(Related(f"this is {match.current_id}", match.sites()) for match in matches),
        ).error()
    return matches[0]


def _is_source(resource: Resource, source: ReplacementSource) -> bool:
    gvk = resource.gvk
    if source.group not in ("", gvk.group) or source.version not in ("", gvk.version):
        return False
    return any(
        source.kind in ("", id_.gvk.kind)
        and source.name in ("", id_.name)
        # Here kustomize does not check whether the kind is namespaced.
        and source.namespace in ("", id_.namespace or DEFAULT_NAMESPACE)
        for id_ in _ids(resource)
    )


def _ids(resource: Resource) -> Iterator[ResId]:
    yield resource.current_id
    yield from resource.previous_ids


def _names_of_kind(kind: str, resources: Iterable[Resource]) -> set[str]:
    """Return the current and previous names of resources of a kind; of any kind if ``kind`` is empty."""
    return {id_.name for resource in resources for id_ in _ids(resource) if kind in ("", id_.gvk.kind)}


def _describe(source: ReplacementSource) -> str:
    kind = source.kind or "resource"
    return f"{kind} {namespaced_name(source.namespace, source.name)}".strip()


class TargetSelector:
    """The prepared ``select`` and ``reject`` of one target. Raises: kustomization-field."""

    def __init__(self, target: ReplacementTarget) -> None:
        if target.select is None:
            raise Diagnostic.at(
                target.site,
                Code.KUSTOMIZATION_FIELD,
                "a replacement target has no select",
                "add select with a kind or name",
            ).error()
        self._select = ResourceSelector(target.select, target.site.below("select"))
        self._reject = [
            ResourceSelector(selector, target.site.below("reject", index))
            for index, selector in enumerate(target.reject)
        ]

    def selected(self, resources: ResMap) -> tuple[tuple[int, Resource], ...]:
        """Return the selected resources, each with its key."""
        named = resources.named(self._select.literal_name)
        steps = _STEPS_PER_TARGET * (1 + len(self._reject))
        spend(len(named) * steps, "selecting targets of replacements")
        return tuple((key, resource) for key, resource in named if self._selects(resource))

    def _selects(self, resource: Resource) -> bool:
        """Return True if labels, annotations and an id, current or previous, match, and no rejection does.

        A rejection's labels and annotations reject by themselves, and so does its id.
        """
        return (
            self._select.matches_metadata(resource)
            and self._select.matches_any_id(resource)
            and not any(
                reject.has_metadata_condition and reject.matches_metadata(resource) for reject in self._reject
            )
            and not any(
                reject.has_id_condition and reject.matches_any_id(resource) for reject in self._reject
            )
        )


def replacement_transform(
    replacements: tuple[Replacement, ...], warn: Callable[[Diagnostic], None]
) -> Transform:
    """Return the transform that applies the replacements in order.

    ``warn`` receives targets that are probably misspelled. The transform raises: kustomization-field,
    resource-invalid.
    """

    def replace(resources: ResMap) -> None:
        for replacement in replacements:
            _apply_replacement(resources, replacement, warn)

    return replace


def _apply_replacement(
    resources: ResMap, replacement: Replacement, warn: Callable[[Diagnostic], None]
) -> None:
    if replacement.targets is None or (replacement.source is None and replacement.source_value is None):
        missing = "targets" if replacement.targets is None else "source"
        hint = "a replacement needs source or sourceValue, and targets"
        raise Diagnostic.at(
            replacement.site, Code.KUSTOMIZATION_FIELD, f"the replacement has no {missing}", hint
        ).error()
    value = _value_to_write(resources, replacement)
    for target in replacement.targets:
        selected = TargetSelector(target).selected(resources)
        if not selected and target.select is not None:
            _warn_of_misspelled(target, target.select, resources, warn)
        for key, resource in selected:
            check = partial(resources.check_growth, key)
            resources.replace(key, _with_target_fields(resource, value, target, check, warn))


def _warn_of_misspelled(
    target: ReplacementTarget, select: Selector, resources: ResMap, warn: Callable[[Diagnostic], None]
) -> None:
    """Warn about a target that selects nothing because of its spelling; other such targets are optional.

    A regular expression, which a target may have and a source may not, cannot be misspelled.
    """
    kinds = {id_.gvk.kind for resource in resources for id_ in _ids(resource)}
    names = _names_of_kind(select.kind, resources)
    named = f"{select.kind or 'resource'} {select.name}"
    for key, written, known, what in (
        ("kind", select.kind, kinds, select.kind),
        ("name", select.name, names, named),
    ):
        spend(len(known), "suggesting names of resources")
        if not written or written in known or _PATTERN_SIGN.search(written):
            continue
        suggested = suggest(written, known, most=1, cutoff=0.8)
        if suggested and _DIGITS.findall(suggested[0]) == _DIGITS.findall(written):
            warn(
                Diagnostic.at(
                    target.site.below("select", key),
                    Code.KUSTOMIZATION_FIELD,
                    f"the target of the replacement selects nothing: there is no {what}",
                    f"did you mean {suggested[0]}?",
                    severity=Severity.WARNING,
                )
            )
            return


def _value_to_write(resources: ResMap, replacement: Replacement) -> ReplacementValue:
    source = replacement.source
    if source is None:
        try:
            return ReplacementValue.from_source_value(replacement.source_value or "")
        except PathError as error:
            raise Diagnostic.at(
                replacement.site,
                Code.KUSTOMIZATION_FIELD,
                f"sourceValue cannot be written: {error}",
                "write another value",
            ).error() from None
    if replacement.source_value is not None:
        raise Diagnostic.at(
            replacement.site,
            Code.KUSTOMIZATION_FIELD,
            "the replacement has both source and sourceValue",
            "remove one of them",
        ).error()
    resource = find_source(resources, source)
    try:
        return _value_of_field(resource, source)
    except PathError as error:
        raise Diagnostic.at(
            source.site.below("fieldPath"),
            Code.KUSTOMIZATION_FIELD,
            f"the source {source.field_path} of {resource.current_id} has no value: {error}",
            _path_hint(resource.content, source.field_path)
            or "point fieldPath to a field that exists when the replacement runs",
            resource=resource,
        ).error() from None


def _path_hint(content: Json, path: str) -> str | None:
    """Return a hint with the path after its first unknown key is corrected.

    None if no key resembles it, or if it is not a path.
    """
    try:
        keys = split_field_path(path)
    except PathError:
        return None
    for index, key in enumerate(keys):
        if not isinstance(content, dict):
            return None
        if key not in content:
            nearest = suggest(key, content, most=1)
            if not nearest:
                return None
            return f"did you mean {'.'.join((*keys[:index], nearest[0], *keys[index + 1 :]))}?"
        content = content[key]
    return None


def _value_of_field(resource: Resource, source: ReplacementSource) -> ReplacementValue:
    """Return the value, or the part of it, that a replacement copies. Raises ``PathError``."""
    value, place = lookup_place(resource.content, split_field_path(source.field_path))
    if value is ABSENT or value is None or value in ({}, []):
        raise PathError("the field is missing or empty")
    copied = ReplacementValue.of(value, resource.spelling(*place))
    confidential = fields_of(resource.content)
    field = FieldPath(place)
    return copied.part(
        source.options, is_secret=confidential.hides(field), credentials=confidential.credentials(field)
    )


def _with_target_fields(
    resource: Resource,
    value: ReplacementValue,
    target: ReplacementTarget,
    check: Callable[[Resource], object],
    warn: Callable[[Diagnostic], None],
) -> Resource:
    """Return the resource with the value in all fields of ``target``.

    ``check`` receives the resource after each field, ``warn`` the fields that kustomize does not change.
    """
    content = resource.content
    # An empty section is a mapping if kustomize keeps notes in it. A missing one is left to ``create``.
    if "annotations" in object_at(content, "metadata"):
        content = with_annotations_for_build(resource)
    written = resource.with_content(content, target.site)
    for path in target.field_paths:
        spend(_STEPS_PER_FIELD, "writing replacements")
        try:
            changed, unwritten = _with_field(written, split_field_path(path), value, target.options)
        except PathError as error:
            create = "" if target.options.create else ", or create it with options.create: true"
            raise Diagnostic.at(
                target.site.below("fieldPaths", target.field_paths.index(path)),
                Code.KUSTOMIZATION_FIELD,
                f"a replacement cannot be written to {path} of {resource.current_id}: {error}",
                _path_hint(resource.content, path) or f"correct the path or select other resources{create}",
                resource=resource,
                field=FieldPath.of("fieldPaths"),
            ).error() from None
        if unwritten:
            warn(
                Diagnostic.at(
                    target.site.below("fieldPaths", target.field_paths.index(path)),
                    Code.KUSTOMIZATION_FIELD,
                    f"the replacement does not write to {path} of {resource.current_id}: "
                    "kustomize finds the field inside a text, and does not change the text",
                    "write a path of keys and indices to one text, such as items.0.config.field;"
                    " a text inside another text cannot be changed",
                    severity=Severity.WARNING,
                    resource=resource,
                )
            )
        written = with_shared_change(written, changed) if changed.shared_fields else changed
        check(written)
    return written


def _with_field(
    resource: Resource, steps: tuple[str, ...], value: ReplacementValue, options: FieldOptions
) -> tuple[Resource, int]:
    """Return the resource with the value, and the number of fields in texts that are not changed."""
    within_text = _with_field_in_text(resource, steps, value, options)
    if within_text is not None:
        return within_text
    changed, matcher = _with_value_at(resource, steps, value, options)
    if not matcher.matches:
        raise PathError("the field is missing")
    return changed, matcher.matches_within


def _with_field_in_text(
    resource: Resource, steps: tuple[str, ...], value: ReplacementValue, options: FieldOptions
) -> tuple[Resource, int] | None:
    """Return the resource with the field inside a text changed; None if the path leads into no text."""
    place = text_on_path(resource, steps)
    if place is None:
        return None
    outer, inner = place
    try:
        text, unwritten = changed_text(resource.written_text(*outer), inner, value, creates=options.create)
        old = value_at(resource.content, outer)
        node = ReplacementValue.of(text).into(old, resource.spelling(*outer), FieldOptions())
    except PathError:
        return None
    return (with_scalar_node(resource, outer, node), unwritten) if isinstance(node, ScalarNode) else None


def _note_if_exposed(
    resource: Resource, field: FieldPath, value: ReplacementValue, new: Json | ScalarNode
) -> None:
    """Note a value that becomes start data or another confidential text, so that its source is masked, too.

    What a Secret has is masked everywhere in its overlay, so a value of it is noted for the other overlays.
    The name of a machine in its user data remains public.
    """
    if not fields_of(resource.content).hides(field):
        return
    text, key = new.text if isinstance(new, ScalarNode) else None, str(field.segments[-1])
    if resource.kind == SECRET and text in (None, value.text):
        from renderer.kubevirt.facts.confidential.values_elsewhere import (  # noqa: PLC0415 - few builds need it
            values_of_part,
        )

        written = new.value if isinstance(new, ScalarNode) else new
        found = values_of_part(Part(written, is_secret=True, key=key))
        taint(found.certain | found.tokens)
    elif text is not None:
        taint(exposed_values([(key, text)], (resource.name, resource.namespace), [value.text.strip()]))


def _with_value_at(
    resource: Resource, steps: tuple[str, ...], value: ReplacementValue, options: FieldOptions
) -> tuple[Resource, PathMatcher]:
    """Return the resource with the value in the fields that ``steps`` lead to, and their matcher.

    Fields inside texts count as found but are not written, as in kustomize: it writes them to the tree that
    it reads from the text, not to the text (``kyaml/yaml/match.go`` handleStructuredDataInScalar).
    """
    nodes: list[tuple[tuple[Segment, ...], ScalarNode]] = []

    def set_field(old: Slot, at: tuple[Segment, ...]) -> Json:
        spend(_STEPS_PER_FIELD + len(resource.spellings) // 4, "writing replacements")
        new = value.into(old, resource.spelling(*at), options)
        _note_if_exposed(resource, FieldPath(at), value, new)
        if not isinstance(new, ScalarNode):
            return new
        nodes.append((at, new))
        return new.value

    def within(_scalar: Json, at: tuple[Segment, ...], rest: tuple[str, ...]) -> int:
        return count_within(resource.written_text(*at), rest, creates=options.create)

    matcher = PathMatcher(set_field, within, creates=options.create)
    content = matcher.visit(resource.content, steps)
    return with_scalar_nodes(resource.with_content(object_at(content)), nodes), matcher
