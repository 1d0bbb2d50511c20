"""Reading a ``Template``: every problem in it is found, and noted at its place."""

from __future__ import annotations

from renderer.model.diagnostic import Diagnostic
from renderer.model.fields import Fields
from renderer.model.generated import ListedFile, ListedFiles
from renderer.templates.definition import Row, Template
from renderer.templates.matrix import read_rows
from renderer.templates.values import read_values


def read_template(fields: Fields, files: ListedFiles, findings: list[Diagnostic]) -> Template:
    """The Template in ``fields``. When anything was noted in ``findings``, it is not to be used."""
    fields.only("apiVersion", "kind", "metadata", "spec")
    metadata, spec = fields.child("metadata"), fields.child("spec")
    # Annotations say how other tools are to run the generator; they are none of the resources'.
    metadata.only("name", "annotations")
    name = metadata.text("name")
    if not name:
        metadata.reject(None, "the template has no metadata.name")
    spec.only("template", "values", "valuesFrom", "matrix")
    file = _file(spec, files)
    values = read_values(spec, files, findings)
    if "matrix" not in spec:
        return Template(file, (Row(values.content, f"the values of the Template {name}", fields.site),))
    matrix = spec.child("matrix")
    rows = read_rows(matrix, values)
    if not rows and not matrix.content:
        matrix.reject(
            None, f"{matrix.name()} has no axes", "write lists of values, such as size: [small, large]"
        )
    return Template(file, rows)


def _file(spec: Fields, files: ListedFiles) -> ListedFile:
    path = spec.text("template")
    if path and path in files:
        return files[path]
    if "template" not in spec or path == "":
        hint = "write the path of a Jinja2 file, relative to the kustomization"
        spec.reject(None, f"{spec.name()} has no template", hint)
    return ListedFile(path or "", b"")
