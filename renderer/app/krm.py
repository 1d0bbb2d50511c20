"""KRM functions: expand, validate or generate resources, by the kind of ``functionConfig``."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from renderer.app.project import Project
from renderer.emit.bounded_text import check_size
from renderer.files.file_system import FileSystem
from renderer.kustomize.build_annotations import is_local
from renderer.kustomize.krm import ResourceList
from renderer.kustomize.reader.listed_files import function_files
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Outcome
from renderer.model.kube.json import JsonObject
from renderer.model.kube.res_id import Gvk
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.render_config import ExpandMode, InstancetypeNames, OverlayEntry, RenderConfig
from renderer.model.vmrender_api import VMRENDER_API_VERSION, VMRENDER_GROUP, VMRENDER_VERSION
from renderer.pipeline import Pipeline
from renderer.pipeline.generators import GENERATORS
from renderer.project.project import EXPANSION, VALIDATION, with_function_config

_KINDS = tuple(Gvk(VMRENDER_GROUP, VMRENDER_VERSION, kind) for kind in (EXPANSION, VALIDATION))


def run_function(given: ResourceList, project: Project, fs: FileSystem) -> Outcome[tuple[JsonObject, ...]]:
    """Return the resulting items and the findings. ``fs`` layers the given list over the project.

    Raises ``DiagnosticError``: function-input for a functionConfig of another kind, config-invalid, and the
    errors of the generators.
    """
    written = given.config
    if written is not None and written.gvk in GENERATORS:
        files = function_files(fs, project.relative(Path.cwd()), written)
        generated = GENERATORS[written.gvk](written.content, written.origin, files)
        return Outcome(given.with_generated([each.content for each in generated]))
    if written is None:
        return _expand(given, fs, project.config)
    if written.gvk not in _KINDS:
        name = f"{written.api_version} {written.kind}".strip()
        known = sorted(f"{gvk.kind}" for gvk in (*_KINDS, *GENERATORS))
        raise Diagnostic.at(
            written.origin.below("kind"),
            Code.FUNCTION_INPUT,
            f"unknown function {name}" if name else "functionConfig has no apiVersion and no kind",
            f"functionConfig is one of {', '.join(known)}, of {VMRENDER_API_VERSION}",
        ).error()
    config = with_function_config(fs, project.config, written)
    expanded = _expand(given, fs, config)
    if written.kind == VALIDATION:
        return Outcome(tuple(item.content for item in given.items), expanded.diagnostics)
    return expanded


def _expand(given: ResourceList, fs: FileSystem, config: RenderConfig) -> Outcome[tuple[JsonObject, ...]]:
    # Leave the names of instance types to the orchestrator, which may add a prefix later.
    config = config._replace(overlays=(), instancetype_names=InstancetypeNames.PLAIN)
    items = [item for item in given.items if not _is_configuration(item)]
    # A validation judges the items as the cluster expands them.
    is_validation = given.config is not None and given.config.kind == VALIDATION
    overlay = config.overlay(OverlayEntry("."), ".", ".")._replace(write_instancetypes=True)
    overlay = overlay.with_target(None, ExpandMode.APPLIED if is_validation else None)
    checked = Pipeline(fs, config).check_composed(overlay, Outcome(ResourceSet(tuple(items))))
    check_size(checked.value)
    return Outcome(tuple(_results_in_order(given.items, checked.value)), checked.diagnostics)


def _results_in_order(given: Iterable[Resource], results: ResourceSet) -> Iterable[JsonObject]:
    """Yield the items in the given order, without items that the expansion makes useless."""
    contents = {resource.origin: resource.content for resource in results}
    for item in given:
        if _is_configuration(item):
            yield item.content
        elif item.origin in contents:
            yield contents[item.origin]


def _is_configuration(item: Resource) -> bool:
    return item.gvk.group == VMRENDER_GROUP or is_local(item.content)
