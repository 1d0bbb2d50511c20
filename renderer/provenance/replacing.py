"""Which of a kustomization's replacements wrote a field, and where it had the value from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from renderer.compose.replacements.field_path import PathError, element_name, list_index, split_field_path
from renderer.compose.replacements.source import find_source
from renderer.compose.res_map import ResMap
from renderer.model.diagnostic import DiagnosticError
from renderer.model.field_path import ElementName, FieldPath, Segment
from renderer.model.location import Site
from renderer.model.resource import Resource
from renderer.model.transformers import Replacement, ReplacementTarget
from renderer.provenance.paths import named
from renderer.provenance.version import Source


def replacement_behind(
    replacements: Iterable[Replacement], layers: Sequence[Site], field: FieldPath
) -> Replacement | None:
    """The last one that changed the resource at ``layers``, newest first, in a field of that name."""
    found = [
        (layers.index(target.site), replacement)
        for replacement in replacements
        for target in replacement.targets or ()
        if target.site in layers and _may_write(target, field)
    ]
    return min(found, key=lambda each: each[0])[1] if found else None


def words_of(replacement: Replacement) -> str:
    """``replacement from ConfigMap settings data.host``."""
    source = replacement.source
    if source is None:
        return "replacement"
    return " ".join(filter(None, ("replacement from", source.kind, source.name, source.field_path)))


def source_of(replacement: Replacement, resources: Iterable[Resource]) -> Source | None:
    """The field that the value was taken from; None for a value that is given, or not found any more."""
    if replacement.source is None:
        return None
    try:
        resource = find_source(ResMap(resources), replacement.source)
        segments = tuple(_segments(replacement.source.field_path))
    except (DiagnosticError, PathError):
        return None
    return Source(resource, named(resource.content, FieldPath(segments)))


def _may_write(target: ReplacementTarget, field: FieldPath) -> bool:
    """Whether a path of the target ends in what the field is in, or leads to a text that holds it."""
    keys = {segment for segment in field.segments if isinstance(segment, str)}
    return any(keys.intersection(split_field_path(path)) for path in target.field_paths)


def _segments(path: str) -> Iterator[Segment]:
    for step in split_field_path(path):
        name, index = element_name(step), list_index(step)
        if name is not None:
            yield ElementName(*name)
        else:
            yield step if index is None else index
