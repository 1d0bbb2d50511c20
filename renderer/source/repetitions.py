"""One mistake is one finding, however many stages came across it."""

from __future__ import annotations

from collections.abc import Iterable

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.field_path import ROOT

#: What admission says of a value that the schema says with the values that are known.
_TOLD_BY_SCHEMA = frozenset(
    {Code.MATCHER_INVALID, Code.QUANTITY_INVALID, Code.RESOURCE_INVALID, Code.TOPOLOGY, Code.UNKNOWN_KIND}
)


def without_repetitions(located: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The findings, which know their lines, without those that only repeat what a schema refuses.

    They are: a finding about the same field in the same place; an API version that is not served, where an
    object of that version is used; a quantity that stopped the expansion of an object, which knows no field.
    """
    located = tuple(located)
    refused = [found for found in located if found.code is Code.SCHEMA and found.severity is Severity.ERROR]
    if not refused:
        return located
    places = {found.location for found in refused}
    fields = {(found.location, found.field) for found in refused}
    resources = {found.resource for found in refused}

    def repeats(found: Diagnostic) -> bool:
        if found.code is Code.API_VERSION:
            return any(related.location in places for related in found.related)
        if found.code is Code.QUANTITY_INVALID and (found.field or ROOT) == ROOT:
            return found.resource in resources
        return found.code in _TOLD_BY_SCHEMA and (found.location, found.field) in fields

    return tuple(found for found in located if not repeats(found))
