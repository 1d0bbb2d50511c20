"""Expand, check and compare objects given as dictionaries, in a project that exists only in memory.

The objects are handled like files: they are written as JSON and read again, with all limits. The results
share nothing with the arguments.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, TypeAlias

from renderer.app.api.arguments import check_mapping
from renderer.app.api.values import Expanded, Findings
from renderer.app.build import expand_files
from renderer.app.comparison.result import Comparison
from renderer.app.comparison.side import Side
from renderer.app.diff import compare_projects
from renderer.app.project import Project
from renderer.app.reporter import Silent
from renderer.files.builtin_catalogs import BuiltinFileSystem
from renderer.files.file_system import FilesAbove, MemoryFileSystem
from renderer.findings.located import Located
from renderer.findings.run_findings import locate
from renderer.kustomize.reader.load import load_files
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.location import Location
from renderer.model.release import Release
from renderer.model.render_config import (
    PROJECT_FILE,
    ExpandMode,
    InstancetypeNames,
    OverlayEntry,
    RenderConfig,
)
from renderer.model.vmrender_api import RENDER_CONFIG, VMRENDER_API_VERSION
from renderer.pipeline import Pipeline

#: An object as ``json`` and YAML libraries read it.
Manifest: TypeAlias = Mapping[str, Any]

#: The file names that findings use for the given objects.
_OBJECT, _CATALOG = "(object).yaml", "(catalog).yaml"


def expand_object(
    manifest: Manifest,
    catalog: Iterable[Manifest],
    project: Project,
    kubevirt: Release | None,
    mode: ExpandMode | None,
) -> Expanded:
    """Expand one object. Raises ``ValueError`` if it is not JSON, ``DiagnosticError`` for the project."""
    documents = _documents(manifest, catalog)
    fs = FilesAbove(documents, project.fs)
    try:
        built = expand_files(project, documents, kubevirt=kubevirt, expand=mode)
    except DiagnosticError as error:
        return Expanded(None, _without_lines(locate(fs, error.diagnostics)))
    expanded = (each for each in built.resources or () if each.origin.path == _OBJECT)
    expanded_manifest = next((deepcopy(dict(each.content)) for each in expanded), None)
    return Expanded(expanded_manifest, _without_lines(built.findings))


def check_object(
    manifest: Manifest, catalog: Iterable[Manifest], project: Project, kubevirt: Release | None
) -> Findings:
    """Return the findings about an object and its catalog. Raises the same errors as ``expand_object``."""
    documents = _documents(manifest, catalog)
    fs = FilesAbove(documents, project.fs)
    config = project.config._replace(overlays=(), instancetype_names=InstancetypeNames.PLAIN)
    overlay = config.overlay(OverlayEntry("."), ".", ".").with_target(kubevirt, ExpandMode.APPLIED)
    try:
        objects = load_files(fs, documents, generated_names=True)
    except DiagnosticError as error:
        return _without_lines(locate(fs, error.diagnostics))
    return _without_lines(locate(fs, Pipeline(fs, config).check_composed(overlay, objects).diagnostics))


def compare_states(
    before: Iterable[Manifest],
    after: Iterable[Manifest],
    catalog: Iterable[Manifest],
    kubevirt: Release | None,
) -> Comparison:
    """Compare two states of one overlay.

    Raises ``ValueError`` for an object that is not JSON, and ``DiagnosticError`` for an empty object.
    """
    before, after, catalog = tuple(before), tuple(after), tuple(catalog)
    arguments: tuple[tuple[tuple[object, ...], str], ...] = (
        (before, "before"),
        (after, "after"),
        (catalog, "catalog"),
    )
    for objects, name in arguments:
        for number, each in enumerate(objects):
            if isinstance(each, Mapping) and not each:  # kustomize skips such a document
                message = f"{name}[{number}] is not a Kubernetes object, which would be a mapping with a kind"
                raise Diagnostic(Code.RESOURCE_INVALID, message).error()
    shared = _text(catalog, "catalog")
    sides = [
        Side(
            name,
            BuiltinFileSystem(MemoryFileSystem(dict(_project_files(_text(state, name), shared, kubevirt)))),
        )
        for name, state in (("before", before), ("after", after))
    ]
    return compare_projects(sides[0], sides[1], (), Silent())


def project_in_memory(environment: Mapping[str, str]) -> Project:
    """Return a project without files and with all defaults."""
    return Project(Path("/"), BuiltinFileSystem(MemoryFileSystem({})), RenderConfig(), environment)


def _project_files(state: bytes, catalog: bytes, kubevirt: Release | None) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a project with one overlay, by path."""
    catalogs: list[object] = [{"builtin": "common-instancetypes"}]
    if catalog:
        catalogs.insert(0, {"path": "catalog"})
        yield "catalog/kustomization.yaml", json.dumps({"resources": [_CATALOG]}).encode()
        yield f"catalog/{_CATALOG}", catalog
    settings = {
        "apiVersion": VMRENDER_API_VERSION,
        "kind": RENDER_CONFIG,
        "catalogs": catalogs,
        "overlays": [{"path": "state"}],
        **({"kubevirt": kubevirt.as_target} if kubevirt else {}),
    }
    yield PROJECT_FILE, json.dumps(settings).encode()
    yield "state/kustomization.yaml", json.dumps({"resources": [_OBJECT] if state else []}).encode()
    yield f"state/{_OBJECT}", state


def _documents(manifest: Manifest, catalog: Iterable[Manifest]) -> Mapping[str, bytes]:
    written = {_OBJECT: _text([manifest], "the object"), _CATALOG: _text(catalog, "catalog")}
    return {name: content for name, content in written.items() if content}


def _text(objects: Iterable[Manifest], name: str) -> bytes:
    """Return the objects as the content of a YAML file, one document each.

    Raises ``TypeError`` if an object is not a mapping, ``ValueError`` if it is not JSON.
    """
    objects = tuple(objects)
    for number, each in enumerate(objects):
        check_mapping(each, f"{name}[{number}]")
    try:
        documents = [json.dumps(dict(each), allow_nan=False) for each in objects]
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{name} cannot be written as JSON: {error}") from None
    return "\n---\n".join(documents).encode()


def _without_lines(findings: Iterable[Located]) -> Findings:
    """Return the findings with the file name alone: given objects have no lines."""
    return Findings(
        each._replace(
            location=_without_line(each.location),
            related=tuple(other._replace(location=_without_line(other.location)) for other in each.related),
        )
        for each in findings
    )


def _without_line(location: Location | None) -> Location | None:
    is_given = location is not None and location.path in (_OBJECT, _CATALOG)
    return Location(location.path) if location is not None and is_given else location
