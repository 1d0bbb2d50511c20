"""The catalog of the sizes that imported machines share; a later import adds rows to it."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence

from renderer.adopt.dump.sources import SIZES_FOLDER, kustomization_with
from renderer.adopt.fit.series import SizeProposal
from renderer.files.file_system import FileSystem
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.field_edit import AddItem
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, array_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kustomization import KUSTOMIZATION_FILE
from renderer.yamlio.decode import decode_documents
from renderer.yamlio.edit import EditedText, RefusedEditError, edit_fields
from renderer.yamlio.encode import encode_source

_SERIES = "InstancetypeSeries"


def size_files(fs: FileSystem, output: str, proposals: Sequence[SizeProposal]) -> Mapping[str, bytes]:
    """Return the files of the catalog with the proposed sizes, by path below ``output``; none without any.

    A series that the catalog has gets the rows that it lacks, and the kustomization the files. Raises
    ``DiagnosticError``: edit-refused.
    """
    if not proposals:
        return {}
    files: dict[str, bytes] = {}
    for each in proposals:
        path = posixpath.join(SIZES_FOLDER, f"{each.name}.yaml")
        place = posixpath.join(output, path)
        if not fs.is_file(place):
            files[path] = encode_source(each.manifest).encode()
        elif text_at(each.manifest, "kind") == _SERIES:
            files[path] = _with_rows(fs.read(place), place, array_at(each.manifest, "spec", "sizes"))
    names: dict[str, list[str]] = {"generators": [], "resources": []}
    for each in proposals:
        field = "generators" if text_at(each.manifest, "kind") == _SERIES else "resources"
        names[field].append(f"{each.name}.yaml")
    path = posixpath.join(SIZES_FOLDER, KUSTOMIZATION_FILE)
    return {**files, path: kustomization_with(fs, posixpath.join(output, path), names)}


def _with_rows(series: bytes, path: str, rows: Sequence[Json]) -> bytes:
    """Return the file of a series with the rows whose names it does not have."""
    [manifest, *_] = decode_documents(series, path)
    present = {text_at(row, "name") for row in array_at(manifest, "spec", "sizes")}
    missing = [row for row in rows if text_at(row, "name") not in present]
    if not missing:
        return series
    sizes = FieldPath.of("spec", "sizes")
    try:
        return edit_fields(series, EditedText(), [AddItem(sizes, row) for row in missing])
    except RefusedEditError:
        message = f"{sizes} is written in a way that cannot be edited safely"
        hint = f"add {', '.join(text_at(row, 'name') for row in missing)} to it yourself, and import again"
        raise Diagnostic.at(Site(path, 0, sizes), Code.EDIT_REFUSED, message, hint).error() from None
