"""``kind: Template``: resources of a Jinja2 file and values.

A Template stands in a kustomization's ``generators``:

    apiVersion: vmrender.io/v1alpha1
    kind: Template
    metadata:
      name: web
    spec:
      template: web.yaml.j2       # relative to the kustomization, as are all paths in it
      valuesFrom:
        - file: sizes.yaml        # a mapping: each of its keys is a value
        - file: zones.yaml        # with a name, whatever the file holds is one value
          name: zones
      values:                     # over those of the files
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

Values of later files are over those of earlier ones, ``values`` over all files (mappings merge, everything
else is replaced), and what ``include`` adds to a row over both. A value on an axis can be nothing else too.

The output is YAML: any number of resources, which patches, labels and names work on as on any other.
Templates run in Jinja's sandbox. There is nothing in it but the values, ``range``, ``dict``, ``namespace``
and ``fail``, the filters and tests of ``filters.table``, and a few methods of texts, lists and mappings: no
files, no other templates, no environment, clock or chance. What is undefined is an error. Lines that hold
nothing but a block leave nothing behind (``trim_blocks``, ``lstrip_blocks``). Work and output are bounded
(``limits``).
"""

from __future__ import annotations

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Related
from renderer.model.fields import Fields
from renderer.model.generated import Generated, ListedFile, ListedFiles
from renderer.model.json import JsonObject
from renderer.model.location import Location, Site
from renderer.templates.definition import Row
from renderer.templates.errors import TemplateError
from renderer.templates.objects import read_objects
from renderer.templates.read_template import read_template
from renderer.templates.render import Renderer


def generate(content: JsonObject, site: Site, files: ListedFiles) -> tuple[Generated, ...]:
    """The resources of the Template ``content``, which stands at ``site``, row by row.

    Each comes from a line of the template. Raises ``DiagnosticError``: template-invalid with everything that
    is wrong in the Template and its values; template-failed, template-limit, resource-invalid and what the
    YAML decoder raises for the first row that fails.
    """
    findings: list[Diagnostic] = []
    template = read_template(Fields(content, site, findings, Code.TEMPLATE_INVALID), files, findings)
    if findings:
        raise DiagnosticError(*findings)
    try:
        renderer = Renderer(template.file.content)
    except TemplateError as error:
        raise _failed(error, template.file) from None
    return tuple(made for row in template.rows for made in _rendered(renderer, template.file, row))


def _rendered(renderer: Renderer, file: ListedFile, row: Row) -> tuple[Generated, ...]:
    try:
        output = renderer.render(row.values)
    except TemplateError as error:
        raise _failed(error, file, Related(f"made of {row.label}", (row.site,))) from None
    return read_objects(output, file.path, row)


def _failed(error: TemplateError, file: ListedFile, *related: Related) -> DiagnosticError:
    return DiagnosticError(
        Diagnostic(
            code=error.code,
            message=error.message,
            location=Location(file.path, error.line),
            hint=error.hint,
            related=related,
        )
    )
