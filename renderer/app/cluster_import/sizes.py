"""The catalog of the sizes that imported machines share; a later import adds rows to it."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence

from renderer.adopt.dump.sources import SIZES_FOLDER, kustomization_with
from renderer.adopt.fit.series import SizeProposal
from renderer.files.file_system import FileSystem
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import array_at, object_at, text_at
from renderer.model.kustomization import KUSTOMIZATION_FILE
from renderer.model.vmrender_api import INSTANCETYPE_SERIES
from renderer.yamlio.edit import add_elements
from renderer.yamlio.encode import encode_source

_SIZES = FieldPath.of("spec", "sizes")


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
        elif text_at(each.manifest, "kind") == INSTANCETYPE_SERIES:
            rows = map(object_at, array_at(each.manifest, "spec", "sizes"))
            files[path] = add_elements(fs.read(place), place, _SIZES, "name", rows)
    names: dict[str, list[str]] = {"generators": [], "resources": []}
    for each in proposals:
        field = "generators" if text_at(each.manifest, "kind") == INSTANCETYPE_SERIES else "resources"
        names[field].append(f"{each.name}.yaml")
    path = posixpath.join(SIZES_FOLDER, KUSTOMIZATION_FILE)
    return {**files, path: kustomization_with(fs, posixpath.join(output, path), names)}
