"""A place in a rendered tree, as editors and compilers write it: ``rendered/prod/shop/vm_db.yaml:12``."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import click

from renderer.cli.repository import Repository
from renderer.model.field_path import ROOT, FieldPath
from renderer.model.location import Site
from renderer.model.render_config import Overlay
from renderer.model.resource import Resource
from renderer.provenance.paths import named
from renderer.provenance.patterns import ResourcePattern
from renderer.yamlio.decode import decode_documents
from renderer.yamlio.marks import WrittenField, field_at_line

_FILE = re.compile(r"(?P<path>.+\.ya?ml)(?::(?P<line>[0-9]+))?(?::[0-9]+)?")


class RenderedPlace(NamedTuple):
    """The overlay that the file was rendered from, the resource in it, and the field on the line."""

    overlay: Overlay
    resource: ResourcePattern
    field: FieldPath


def rendered_place(repository: Repository, overlays: Iterable[Overlay], text: str) -> RenderedPlace | None:
    """None for a text that is no path of a YAML file.

    Raises ``click.UsageError`` for a file that no overlay is rendered into, and for a line that it does not
    have; ``DiagnosticError`` for one that cannot be read.
    """
    match = _FILE.fullmatch(text)
    if match is None:
        return None
    path = repository.relative(Path(match["path"]))
    overlay = _overlay_of(path, tuple(overlays))
    content = repository.fs.read(path)
    documents = [object_ if isinstance(object_, dict) else {} for object_ in decode_documents(content, path)]
    place = field_at_line(content, int(match["line"])) if match["line"] else _only(documents, path)
    if place is None or not documents[place.document]:
        raise click.UsageError(f"there is no resource on line {match['line']} of {path}")
    resource = Resource(documents[place.document], Site(path, place.document))
    kind = f"{resource.kind}.{resource.gvk.group}".rstrip(".")
    pattern = ResourcePattern(resource.name, kind, resource.namespace)
    return RenderedPlace(overlay, pattern, named(resource.content, place.field))


def _overlay_of(path: str, overlays: tuple[Overlay, ...]) -> Overlay:
    outputs = {posixpath.normpath(overlay.output): overlay for overlay in overlays}
    found = [output for output in outputs if path.startswith(f"{output}/")]
    if not found:
        known = ", ".join(outputs) or "nowhere"
        raise click.UsageError(f"{path} is no file of a rendered tree; overlays are rendered into {known}")
    return outputs[max(found, key=len)]


def _only(documents: list[dict[str, object]], path: str) -> WrittenField:
    """The only resource of the file."""
    numbers = [number for number, document in enumerate(documents) if document]
    if len(numbers) != 1:
        raise click.UsageError(f"{path} holds {len(numbers)} resources; say which with {path}:LINE")
    return WrittenField(numbers[0], ROOT)
