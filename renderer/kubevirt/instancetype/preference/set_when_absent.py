"""The rule of most preferences: they apply if the VM does not set the field itself.

Null and an empty text count as absent; ``false``, 0 and ``{}`` do not.
"""

from __future__ import annotations

from collections.abc import Mapping

from renderer.model.json import Json, JsonObject, with_entries
from renderer.model.sharing import once_for_same, share_part


@once_for_same
def wanted(preferred: JsonObject, fields: Mapping[str, str]) -> JsonObject:
    """Return the preferred values of a section, by the section's own field names.

    ``fields`` maps the names of preferences to the names of the section's fields.
    """
    return {
        field: value
        for name, field in fields.items()
        if (value := preferred.get(name)) is not None and value != ""
    }


def filled(section: JsonObject, values: JsonObject) -> JsonObject:
    """Return ``section`` with its missing values filled in; ``section`` itself if none is missing."""
    missing: dict[str, Json] = {}
    for field, value in values.items():
        present = section.get(field)
        if present is None or present == "":
            missing[field] = value
    return with_entries(section, missing) if missing else section


def with_filled(parent: JsonObject, key: str, values: JsonObject) -> JsonObject:
    """Return ``parent`` with the mapping at ``key`` filled or created; ``parent`` if it is not a mapping."""
    present = parent.get(key)
    if present is None:
        return with_entries(parent, {key: values})
    if not isinstance(present, dict):
        return parent
    section = filled(present, values)
    return parent if section is present else with_entries(parent, {key: share_part(section)})
