"""``$patch`` in strategic merge patches (kustomize ``kyaml/yaml/merge2/smpdirective.go``)."""

from __future__ import annotations

from enum import StrEnum
from typing import cast

from renderer.compose.patching.associative_list import delete_elements
from renderer.model.json import Json, JsonObject, scalar_text

_KEY = "$patch"


class Directive(StrEnum):
    """What a patch wants done with the value it stands beside."""

    MERGE = "merge"
    REPLACE = "replace"
    DELETE = "delete"


class DirectiveError(Exception):
    """``$patch`` has a value that means nothing."""


def mapping_directive(patch: JsonObject) -> tuple[Directive, JsonObject]:
    """The directive in a mapping, and the mapping without it. Raises ``DirectiveError``."""
    if _KEY not in patch:
        return Directive.MERGE, patch
    directive = _directive(patch[_KEY])
    return directive, {key: value for key, value in patch.items() if key != _KEY}


def list_directive(patch: list[Json]) -> tuple[Directive, list[Json]]:
    """The directive in a list, in an element that holds nothing else, and the list without it.

    Only the first element with ``$patch`` counts. Raises ``DirectiveError``.
    """
    found = next((element for element in patch if isinstance(element, dict) and _KEY in element), None)
    if found is None or len(cast("JsonObject", found)) > 1:
        return Directive.MERGE, patch
    directive = _directive(cast("JsonObject", found)[_KEY])
    return directive, delete_elements(patch, (_KEY,), (directive.value,))


def _directive(value: Json) -> Directive:
    text = scalar_text(value)
    if text not in set(Directive):
        raise DirectiveError(f"$patch cannot be {text}; it is one of {', '.join(Directive)}")
    return Directive(text)
