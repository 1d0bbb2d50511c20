"""``kind: Template``: resources of a Jinja2 file and values.

A Template is listed in a kustomization's ``generators``:

    apiVersion: vmrender.io/v1alpha1
    kind: Template
    metadata:
      name: web
    spec:
      template: web.yaml.j2       # relative to the kustomization, as are all paths in it
      valuesFrom:
        - file: sizes.yaml        # a mapping: each of its keys is a value
        - file: zones.yaml        # with a name, the whole file is one value
          name: zones
      values:                     # these override the files
        image: fedora:42
      matrix:                     # optional: the template is rendered for each combination
        size: [small, large]
        zone: {from: zones}       # a value that is a list
        exclude:
          - size: large
            zone: b
        include:
          - size: large
            replicas: 2           # only where the size is large

Later files override earlier ones, ``values`` overrides all files (mappings merge, everything else is
replaced), and the values that ``include`` adds to a row override both. The name of an axis cannot be the name
of another value.

The output is YAML: any number of resources. Patches, labels and names apply to them as to any other.
Templates run in Jinja's sandbox. It offers only the values, ``range``, ``dict``, ``namespace`` and ``fail``,
the filters and tests of ``filters.table``, and a few methods of texts, lists and mappings: no files, no other
templates, no environment, no clock and no random numbers. An undefined value is an error. Lines that contain
only a block produce no output (``trim_blocks``, ``lstrip_blocks``). Work and output are bounded (``limits``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial

from renderer.authoring.templates.errors import TemplateError
from renderer.authoring.templates.instrument import Output
from renderer.authoring.templates.matrix import MatrixRow, Template, read_rows, read_values
from renderer.authoring.templates.render import Renderer
from renderer.kubevirt.facts.confidential.exposed_values import exposed_values
from renderer.kubevirt.facts.confidential.secret_values import confidential_texts
from renderer.kubevirt.guest_data.credentials import THROW_AWAY
from renderer.model.codes import Code
from renderer.model.credential_text.names import names_credential
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Related
from renderer.model.fields import Fields, describe_value
from renderer.model.kube.json import Json, JsonObject, object_at, scalar_text, text_at
from renderer.model.kube.location import GeneratedText, Location, Site
from renderer.model.run.readings import SHORTEST
from renderer.model.run.taint import keys_of, taint, taint_new_parts, taint_texts, texts_of
from renderer.model.run.work import spend
from renderer.model.source_tree import Generated, ListedFile, ListedFiles
from renderer.yamlio.decode import decode_documents, taint_content

#: What has values that a template may get from its own.
_CONFIDENTIAL = re.compile(rb"Secret|(?i:unattend\.xml)")
#: The lines of the output, which the user has not seen, at the end of the decoder's message.
_LINES_OF_OUTPUT = re.compile(r"(, on lines \d+ and \d+| that begins on line \d+)$")
#: Steps for reading a character that a template produced (``model.run.work``).
_STEPS_PER_CHARACTER = 1


def generate(content: JsonObject, site: Site, files: ListedFiles) -> tuple[Generated, ...]:
    """Return the resources of the Template ``content``, written at ``site``, row by row.

    Each is located at a line of the template. Raises ``DiagnosticError``: template-invalid with all errors in
    the Template and its values; template-failed, template-limit, resource-invalid and errors of the YAML
    decoder for the first row that fails.
    """
    credentials = frozenset(_credentials_in(content.get("spec")))
    taint(credentials)
    may_be_secret = _may_generate_secret(content, files)
    if may_be_secret:
        taint_texts(content.get("spec"))
        for path, file in files.items():
            if path != text_at(content, "spec", "template"):
                taint_content(file.content)
    findings: list[Diagnostic] = []
    template = read_template(Fields(content, site, findings, Code.TEMPLATE_INVALID), files, findings)
    if findings:
        raise DiagnosticError(*findings)
    try:
        renderer = Renderer(template.file.content)
    except TemplateError as error:
        raise _render_error(error, template.file) from None
    rendered = partial(
        _rendered, renderer, template.file, may_be_secret=may_be_secret, credentials=credentials
    )
    return tuple(generated for row in template.rows for generated in rendered(row))


def _credentials_in(value: Json) -> Iterator[str]:
    """Yield the values that are named like a password, a token or a key."""
    if isinstance(value, dict):
        for key, child in value.items():
            if names_credential(key):
                yield from (text for text in texts_of(child) if text not in THROW_AWAY)
            else:
                yield from _credentials_in(child)
    elif isinstance(value, list):
        for child in value:
            yield from _credentials_in(child)


def _may_generate_secret(content: JsonObject, files: ListedFiles) -> bool:
    """Return True if the Template may generate a Secret or an answer file: its values may be confidential."""
    if any(_CONFIDENTIAL.search(file.content) for file in files.values()):
        return True
    return "Secret" in texts_of(content.get("spec"))


def _rendered(
    renderer: Renderer,
    file: ListedFile,
    row: MatrixRow,
    *,
    may_be_secret: bool,
    credentials: frozenset[str],
) -> tuple[Generated, ...]:
    """Return the output of the template for a row.

    ``may_be_secret``: no message may quote the results of its expressions; otherwise of those alone that use
    one of ``credentials``, or a value that is in a confidential field of an object.
    """
    try:
        output = renderer.render(row.values)
    except TemplateError as error:
        raise _render_error(error, file, Related(f"made of {row.label}", (row.site,))) from None
    if may_be_secret:
        _taint_output(output, file.content.decode("utf-8", "replace"), row)
        return read_objects(output, file.path, row)
    if credentials:
        _taint_results(renderer, output, row, credentials)
    objects = read_objects(output, file.path, row)
    exposed = _exposed(objects, row) - credentials
    if exposed:
        taint(exposed)
        _taint_results(renderer, output, row, credentials | exposed)
    return objects


def _exposed(objects: Sequence[Generated], row: MatrixRow) -> frozenset[str]:
    """Return the values of a row that are in start data or another confidential field of its objects."""
    contents = [each.content for each in objects]
    texts = (found for each in contents for found in confidential_texts(each))
    names = (text_at(each, "metadata", key) for each in contents for key in ("name", "namespace"))
    return exposed_values(texts, names, texts_of(row.values))


def _taint_results(renderer: Renderer, output: Output, row: MatrixRow, values: frozenset[str]) -> None:
    """Record what the template makes of some of the values of a row."""
    with suppress(TemplateError, DiagnosticError, UnicodeEncodeError):  # without the values, it may fail
        public = renderer.render(object_at(_without(row.values, values)))
        taint_new_parts(*([*decode_documents(each.text.encode(), "")] for each in (output, public)))


def _without(value: Json, texts: frozenset[str]) -> Json:
    """Return a tree with an empty text for each scalar that is among ``texts``."""
    if isinstance(value, dict):
        return {key: _without(child, texts) for key, child in value.items()}
    if isinstance(value, list):
        return [_without(child, texts) for child in value]
    return "" if value is not None and scalar_text(value) in texts else value


def _taint_output(output: Output, written: str, row: MatrixRow) -> None:
    """Record the results of expressions, and what YAML makes of them; ``written`` is the template.

    Keys of the Template's values are not secret: an expression may write a whole section. A short result is
    masked only if it is part of a longer text on its line.
    """
    hidden: dict[int, str] = {}
    public = {piece for piece in {*output.pieces} if len(piece) >= SHORTEST and piece in written}
    for line in output.values_in_lines():
        made = {index: piece for index, piece in line.items() if piece not in public}
        if sum(map(len, made.values())) >= SHORTEST:
            hidden |= made
    taint({text for piece in hidden.values() for text in _made_of_values(piece, written)})
    if not hidden:
        return
    with suppress(DiagnosticError, UnicodeEncodeError):  # reported when the objects are read
        read = [*decode_documents(output.text.encode(), "")]
        rest: Sequence[Json] = ()
        with suppress(DiagnosticError):  # without the values, it may not be YAML
            rest = decode_documents(output.without(hidden, "value").encode(), "")
        own = [
            each for each in (*texts_of(read), *keys_of(read)) if len(each) >= SHORTEST and each in written
        ]
        taint_new_parts(read, [*rest, *own, dict.fromkeys(keys_of(row.values))])


def _made_of_values(piece: str, written: str) -> Sequence[str]:
    """Return a piece of the output; of a block with lines of the template in it, only its other lines."""
    lines = piece.split("\n")
    others = [line for line in lines if len(line.strip()) < SHORTEST or line.strip() not in written]
    return others if len(others) < len(lines) else [piece]


def _render_error(error: TemplateError, file: ListedFile, *related: Related) -> DiagnosticError:
    return Diagnostic.in_file(
        Location(file.path, error.line), error.code, error.message, error.hint, related=related
    ).error()


def read_template(fields: Fields, files: ListedFiles, findings: list[Diagnostic]) -> Template:
    """Return the Template in ``fields``. If anything was added to ``findings``, it must not be used."""
    fields.only("apiVersion", "kind", "metadata", "spec")
    metadata, spec = fields.child("metadata"), fields.child("spec")
    # Annotations configure how other tools run the generator; the resources do not get them.
    metadata.only("name", "annotations")
    name = metadata.text("name")
    if not name:
        metadata.reject(None, "the template has no metadata.name")
    spec.only("template", "values", "valuesFrom", "matrix")
    file = _file(spec, files)
    values = read_values(spec, files, findings)
    if "matrix" not in spec:
        return Template(file, (MatrixRow(values.content, f"the values of the Template {name}", fields.site),))
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


def read_objects(output: Output, path: str, row: MatrixRow) -> tuple[Generated, ...]:
    """Return the objects, each at its place in the output of the template ``path``; skip empty documents.

    Raises ``DiagnosticError``: resource-invalid, and errors of the decoder, on the template's lines.
    """
    text = GeneratedText(output.text, output.lines, row.label, row.site)
    spend(_STEPS_PER_CHARACTER * len(output.text), "reading what Templates make")
    try:
        documents = decode_documents(output.text.encode(), path)
    except UnicodeEncodeError as error:
        line = output.lines[output.text.count("\n", 0, error.start)]
        raise Diagnostic.in_file(
            Location(path, line),
            Code.TEMPLATE_FAILED,
            "the template's output contains half of a surrogate pair, which is not a character",
            related=(Related(f"made of {row.label}", (row.site,)),),
        ).error() from None
    except DiagnosticError as error:
        raise DiagnosticError(
            *(
                found._replace(
                    message=f"the template's output is invalid: {_LINES_OF_OUTPUT.sub('', found.message)}",
                    location=_template_location(found.location, output.lines),
                    related=(
                        *(
                            related._replace(location=_template_location(related.location, output.lines))
                            for related in found.related
                        ),
                        Related(f"made of {row.label}", (row.site,)),
                    ),
                )
                for found in error.diagnostics
            )
        ) from None
    sites = [Site(path, index, text=text) for index in range(len(documents))]
    findings = tuple(_object_problems(documents, sites))
    if findings:
        raise DiagnosticError(*findings)
    return tuple(
        Generated(document, site)
        for document, site in zip(documents, sites, strict=True)
        if isinstance(document, dict) and document
    )


def _template_location(location: Location | None, lines: Sequence[int]) -> Location | None:
    """Return the template's line for a line of the output; a missing part is noticed after the last line."""
    if location is None or not location.line:
        return location
    return Location(location.path, lines[min(location.line, len(lines)) - 1])


def _object_problems(documents: Sequence[Json], sites: Sequence[Site]) -> Iterator[Diagnostic]:
    for document, site in zip(documents, sites, strict=True):
        if document is None or document in ({}, []):
            continue
        if not isinstance(document, dict):
            yield Diagnostic.at(
                site, Code.RESOURCE_INVALID, "the output is not a Kubernetes object, which would be a mapping"
            )
        elif not text_at(document, "kind"):
            yield Diagnostic.at(
                site,
                Code.RESOURCE_INVALID,
                f"the object {text_at(document, 'metadata', 'name') or 'here'} has no kind",
            )
        elif not text_at(document, "metadata", "name"):
            yield _name_problem(document, site)


def _name_problem(document: JsonObject, site: Site) -> Diagnostic:
    """Return the finding about an object without a name, or with one that YAML does not read as text."""
    name = object_at(document, "metadata").get("name")
    if name in (None, ""):
        return Diagnostic.at(site, Code.RESOURCE_INVALID, f"the {document['kind']} has no metadata.name")
    return Diagnostic.at(
        site.below("metadata", "name"),
        Code.RESOURCE_INVALID,
        f"metadata.name must be text, not {describe_value(name)}",
        None if isinstance(name, dict | list) else 'write quotes around it in the template: name: "…"',
    )
