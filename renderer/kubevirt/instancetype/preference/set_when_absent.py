"""The rule of most preferences: they apply if the VM does not set the field itself.

Null and an empty text count as absent; ``false``, 0 and ``{}`` do not.
"""

from __future__ import annotations

from collections.abc import Mapping

from renderer.model.kube.json import Json, JsonObject, with_entries
from renderer.model.kube.sharing import once_for_same, share_part


@once_for_same
def preferred_values(preferred: JsonObject, fields: Mapping[str, str]) -> JsonObject:
    """Return the preferred values of a section, by the section's own field names.

    ``fields`` maps the names of preferences to the names of the section's fields.
    """
    return {
        field: value
        for name, field in fields.items()
        if (value := preferred.get(name)) is not None and value != ""
    }


def fill_in(section: JsonObject, values: JsonObject) -> JsonObject:
    """Return ``section`` with its missing values filled in; ``section`` itself if none is missing."""
    missing: dict[str, Json] = {}
    for field, value in values.items():
        present = section.get(field)
        if present is None or present == "":
            missing[field] = value
    return with_entries(section, missing) if missing else section


def fill_in_section(parent: JsonObject, key: str, values: JsonObject) -> JsonObject:
    """Return ``parent`` with the mapping at ``key`` filled or created; ``parent`` if it is not a mapping."""
    present = parent.get(key)
    if present is None:
        return with_entries(parent, {key: values})
    if not isinstance(present, dict):
        return parent
    section = fill_in(present, values)
    return parent if section is present else with_entries(parent, {key: share_part(section)})
