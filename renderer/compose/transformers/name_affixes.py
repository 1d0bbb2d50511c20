"""``namePrefix`` and ``nameSuffix`` (kustomize ``PrefixTransformer.go``, ``SuffixTransformer.go``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from renderer.compose.fields.field_specs import FieldSpecFilter, FieldSpecIndex, FieldSpecPath, WrongTypeError
from renderer.compose.identity import STEPS_TO_RENAME, remembering_id
from renderer.compose.scalar_nodes import with_written_texts
from renderer.compose.transform import Transform, TransformerContext
from renderer.model.json import Json, scalar_text
from renderer.model.kustomization import FieldSpec
from renderer.model.limits import check_name
from renderer.model.resource import Resource
from renderer.model.sharing import extended
from renderer.model.work import spend

_NAME = "metadata/name"


def prefix_transforms(context: TransformerContext) -> Iterator[Transform]:
    prefix = context.root.kustomization.name_prefix
    if prefix:
        yield prefix_transform(prefix, context.field_specs.name_prefix)


def suffix_transforms(context: TransformerContext) -> Iterator[Transform]:
    suffix = context.root.kustomization.name_suffix
    if suffix:
        yield suffix_transform(suffix, context.field_specs.name_suffix)


def prefix_transform(prefix: str, specs: tuple[FieldSpec, ...]) -> Transform:
    """Return the transform that puts ``prefix`` before the names that ``specs`` lead to."""
    return _affix_transform(
        specs,
        lambda name: f"{prefix}{name}",
        lambda resource: resource._replace(name_prefixes=extended(resource.name_prefixes, prefix)),
    )


def suffix_transform(suffix: str, specs: tuple[FieldSpec, ...]) -> Transform:
    """Return the transform that puts ``suffix`` behind the names that ``specs`` lead to."""
    return _affix_transform(
        specs,
        lambda name: f"{name}{suffix}",
        lambda resource: resource._replace(name_suffixes=extended(resource.name_suffixes, suffix)),
    )


def _affix_transform(
    specs: tuple[FieldSpec, ...],
    affixed: Callable[[str], str],
    with_affix: Callable[[Resource], Resource],
) -> Transform:
    index = FieldSpecIndex(specs)
    change = FieldSpecFilter(lambda value: affixed(_name(value)), created="")

    def affix(resource: Resource) -> Resource:
        spend(STEPS_TO_RENAME, "renaming resources")
        if _keeps_name(resource):
            return resource
        targets = index.targets(resource)
        if _renames(targets):
            resource = remembering_id(with_affix(resource))
        if resource.spellings:
            paths = {tuple(segment.name for segment in target.segments) for target in targets}
            resource = with_written_texts(resource, paths)
        renamed = change.apply(resource, targets)
        check_name(renamed)
        return renamed

    return lambda resources: resources.update(affix)


def _keeps_name(resource: Resource) -> bool:
    """Return True for the kinds whose names say what they are, or who they are for."""
    kind = resource.original_id.gvk.kind
    return kind in ("CustomResourceDefinition", "Namespace") or (
        kind == "APIService" and resource.gvk.group == "apiregistration.k8s.io"
    )


def _renames(targets: tuple[FieldSpecPath, ...]) -> bool:
    return any(target.path == _NAME for target in targets)


def _name(value: Json) -> str:
    if isinstance(value, dict | list):
        raise WrongTypeError("a scalar")
    return scalar_text(value)
