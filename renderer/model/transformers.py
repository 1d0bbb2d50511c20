"""What kustomize's builtin transformers are told to do (``api/types``, ``api/internal/builtins``)."""

from __future__ import annotations

from dataclasses import dataclass

from renderer.model.location import Site
from renderer.model.record import Record
from renderer.model.selection import Selector

#: The field that names, sources and variables mean when they do not say which.
DEFAULT_FIELD_PATH = "metadata.name"


class Image(Record):
    """An entry of ``images``; ``name`` is a regular expression without tag and digest."""

    site: Site
    name: str = ""
    new_name: str = ""
    tag_suffix: str = ""
    new_tag: str = ""
    digest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replica:
    """An entry of ``replicas``: the name of a workload and how many there are to be of its pods."""

    site: Site
    name: str
    count: int


@dataclass(frozen=True, slots=True)
class FieldOptions:
    """How a replacement takes a field apart. ``index`` counts from 0; below 0 is before the first part."""

    delimiter: str = ""
    index: int = 0
    create: bool = False


class ReplacementSource(Record):
    """The one resource, and the field in it, that a value is taken from; empty means any."""

    site: Site
    group: str = ""
    version: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    field_path: str = DEFAULT_FIELD_PATH
    options: FieldOptions = FieldOptions()


class ReplacementTarget(Record):
    """The fields that a value is written to; ``select`` is None when nothing says in which resources."""

    site: Site
    select: Selector | None
    reject: tuple[Selector, ...] = ()
    field_paths: tuple[str, ...] = (DEFAULT_FIELD_PATH,)
    options: FieldOptions = FieldOptions()


class Replacement(Record):
    """A value, from a resource or given here, and where it goes; None where the author left it out."""

    site: Site
    source: ReplacementSource | None = None
    source_value: str | None = None
    targets: tuple[ReplacementTarget, ...] | None = None


class ReplacementFile(Record):
    """An entry of ``replacements`` that says in which file they are."""

    site: Site
    path: str


class Variable(Record):
    """An entry of ``vars``: ``$(name)`` stands for a field of the resource that the other fields identify."""

    site: Site
    name: str
    group: str = ""
    version: str = ""
    kind: str = ""
    object_name: str = ""
    object_namespace: str = ""
    field_path: str = DEFAULT_FIELD_PATH


class SortOptions(Record):
    """``sortOptions``; without ``legacy`` kustomize's own order holds."""

    site: Site
    order: str = ""
    legacy: LegacySortOptions | None = None


class LegacySortOptions(Record):
    """The kinds to put first and last, in their order."""

    first: tuple[str, ...]
    last: tuple[str, ...]
