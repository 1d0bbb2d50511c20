"""The Kubernetes objects in what a template makes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Related
from renderer.model.generated import Generated
from renderer.model.json import Json, text_at
from renderer.model.location import GeneratedText, Location, Site
from renderer.templates.definition import Row
from renderer.templates.output import Output
from renderer.yamlio.decode import decode_documents

#: Lines of the output, which nobody has seen, at the end of what the decoder says.
_LINES_OF_OUTPUT = re.compile(r"(, on lines \d+ and \d+| that begins on line \d+)$")


def read_objects(output: Output, path: str, row: Row) -> tuple[Generated, ...]:
    """The objects, each at its place in the output of the template ``path``; empty documents are none.

    Raises ``DiagnosticError``: resource-invalid, and what the decoder raises, on the template's lines.
    """
    text = GeneratedText(output.text, output.lines, row.label, row.site)
    try:
        documents = decode_documents(output.text.encode(), path)
    except UnicodeEncodeError as error:
        line = output.lines[output.text.count("\n", 0, error.start)]
        raise DiagnosticError(_unwritable(Location(path, line), row)) from None
    except DiagnosticError as error:
        raise DiagnosticError(
            *(_in_template(found, output.lines, row) for found in error.diagnostics)
        ) from None
    sites = [Site(path, index, text=text) for index in range(len(documents))]
    findings = tuple(_problems(documents, sites))
    if findings:
        raise DiagnosticError(*findings)
    return tuple(
        Generated(document, site)
        for document, site in zip(documents, sites, strict=True)
        if isinstance(document, dict) and document
    )


def _unwritable(location: Location, row: Row) -> Diagnostic:
    return Diagnostic(
        code=Code.TEMPLATE_FAILED,
        message="the template's output holds half of a surrogate pair, which is no character",
        location=location,
        related=(Related(f"made of {row.label}", (row.site,)),),
    )


def _in_template(found: Diagnostic, lines: Sequence[int], row: Row) -> Diagnostic:
    return replace(
        found,
        message=f"the template's output is not usable: {_LINES_OF_OUTPUT.sub('', found.message)}",
        location=_mapped(found.location, lines),
        related=(
            *(related._replace(location=_mapped(related.location, lines)) for related in found.related),
            Related(f"made of {row.label}", (row.site,)),
        ),
    )


def _mapped(location: Location | None, lines: Sequence[int]) -> Location | None:
    """The line of the template for one of the output; what is missing is noticed behind the last one."""
    if location is None or not location.line:
        return location
    return Location(location.path, lines[min(location.line, len(lines)) - 1])


def _problems(documents: Sequence[Json], sites: Sequence[Site]) -> Iterator[Diagnostic]:
    for document, site in zip(documents, sites, strict=True):
        if document is None or document in ({}, []):
            continue
        if not isinstance(document, dict):
            yield _invalid("the output is no Kubernetes object, which would be a mapping", site)
        elif not text_at(document, "kind"):
            yield _invalid(f"the object {text_at(document, 'metadata', 'name') or 'here'} has no kind", site)
        elif not text_at(document, "metadata", "name"):
            yield _invalid(f"the {document['kind']} has no metadata.name", site)


def _invalid(message: str, site: Site) -> Diagnostic:
    return Diagnostic(code=Code.RESOURCE_INVALID, message=message, sites=(site,))
