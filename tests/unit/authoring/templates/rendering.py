"""Templates rendered from texts, for the tests here."""

from __future__ import annotations

from textwrap import dedent

import pytest

from renderer.authoring.templates.errors import TemplateError
from renderer.authoring.templates.render import Renderer
from renderer.authoring.templates.template import generate
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.json import Json, JsonObject
from renderer.model.kube.location import Site
from renderer.model.source_tree import Generated, ListedFile

SITE = Site("overlays/prod/web.yaml", 1)


def text(template: str, **values: Json) -> str:
    return Renderer(template.encode()).render(values).text


def lines(template: str, **values: Json) -> list[tuple[int, str]]:
    """The lines of the output, each with the template's that made it."""
    output = Renderer(dedent(template).encode()).render(values)
    return list(zip(output.lines, output.text.split("\n"), strict=True))


def failure(template: str, **values: Json) -> TemplateError:
    with pytest.raises(TemplateError) as error:
        text(template, **values)
    return error.value


def generated(spec: JsonObject, files: dict[str, str]) -> tuple[Generated, ...]:
    content: JsonObject = {
        "apiVersion": "vmrender.io/v1alpha1",
        "kind": "Template",
        "metadata": {"name": "web"},
        "spec": {"template": "web.yaml.j2", **spec},
    }
    listed = {
        path: ListedFile(f"overlays/prod/{path}", dedent(text).encode()) for path, text in files.items()
    }
    return generate(content, SITE, listed)


def problems(spec: JsonObject, files: dict[str, str]) -> dict[str, Diagnostic]:
    """Return the message of each field of the Template and its files."""
    with pytest.raises(DiagnosticError) as error:
        generated(spec, {"web.yaml.j2": "", **files})
    found = error.value.diagnostics
    assert {diagnostic.code for diagnostic in found} == {Code.TEMPLATE_INVALID}
    return {str(diagnostic.sites[0].field): diagnostic for diagnostic in found}
