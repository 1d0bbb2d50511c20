"""The values that all rows have in common: of files, and over them those in the Template itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Related
from renderer.model.fields import Fields
from renderer.model.generated import ListedFile, ListedFiles
from renderer.model.json import EMPTY, Json, JsonObject
from renderer.model.location import Site
from renderer.templates.value_names import check_name
from renderer.yamlio.decode import decode_documents


class Values(NamedTuple):
    """Values by name, and where each of them was last written."""

    content: JsonObject
    sites: Mapping[str, Site]

    def merged(self, content: JsonObject, sites: Mapping[str, Site]) -> Values:
        """With ``content`` over it."""
        return Values(_over(self.content, content), {**self.sites, **sites})


def read_values(spec: Fields, files: ListedFiles, findings: list[Diagnostic]) -> Values:
    """What ``valuesFrom`` and ``values`` come to; what is wrong is noted in ``findings``."""
    values = Values(EMPTY, EMPTY)
    named: dict[str, Fields] = {}
    for entry in spec.elements("valuesFrom", bare="file"):
        entry.only("file", "name")
        name = entry.text("name")
        other = named.setdefault(name, entry) if name else entry
        if name and other is not entry:
            related = Related(f"{other.name()} is the other one", (other.site_of("name"),))
            entry.reject("name", f"there are two values {name}", "give one of them another name", (related,))
        values = values.merged(*_of_file(entry, name, files, findings))
    inline = spec.child("values")
    return values.merged(*_named_values(inline))


def _of_file(
    entry: Fields, name: str | None, files: ListedFiles, findings: list[Diagnostic]
) -> tuple[JsonObject, Mapping[str, Site]]:
    path = entry.text("file")
    file = files.get(path) if path else None
    if file is None:
        if "file" not in entry:
            entry.reject(None, f"{entry.name()} names no file")
        return EMPTY, EMPTY
    try:
        content = _decoded(file, entry)
    except DiagnosticError as error:
        findings += error.diagnostics
        return EMPTY, EMPTY
    site = Site(file.path)
    if name is not None:
        return ({name: content}, {name: site}) if check_name(entry, name, "name") else (EMPTY, EMPTY)
    if content is None:
        return EMPTY, EMPTY
    if not isinstance(content, dict):
        entry.reject("file", f"{path} does not hold values by name", "give what it holds a name, with name:")
        return EMPTY, EMPTY
    return _named_values(Fields(content, site, findings, Code.TEMPLATE_INVALID))


def _decoded(file: ListedFile, entry: Fields) -> Json:
    documents = decode_documents(file.content, file.path)
    if len(documents) > 1:
        entry.reject("file", f"{file.path} has more than one document", "values are a single one")
    return documents[0] if documents else None


def _named_values(fields: Fields) -> tuple[JsonObject, Mapping[str, Site]]:
    content = {name: value for name, value in fields.content.items() if check_name(fields, name)}
    return content, {name: fields.site_of(name) for name in content}


def _over(below: JsonObject, above: JsonObject) -> JsonObject:
    """Mappings are merged, everything else is replaced."""
    merged: dict[str, Json] = dict(below)
    for key, value in above.items():
        present = merged.get(key)
        merged[key] = (
            _over(present, value) if isinstance(present, dict) and isinstance(value, dict) else value
        )
    return merged
