"""Plan the files of an imported cluster: sources, pins, sizes, facts about it, and the project file."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from renderer.adopt.dump.gather import Gathered
from renderer.adopt.dump.sources import (
    CONFIGURATION_FOLDER,
    SIZES_FOLDER,
    SourceObject,
    configuration,
    kustomizations,
)
from renderer.app.catalog_import import with_catalog
from renderer.app.import_fit import FittedMachines, fit_machines
from renderer.app.import_objects import Secrets, assign_files, with_groups, written_contents
from renderer.app.import_revisions import detach_from_revisions, pin_files
from renderer.app.project import Project
from renderer.files.file_system import FileSystem
from renderer.kubevirt.facts.kinds import INSTANCETYPE_GROUP
from renderer.kubevirt.instancetype.catalog import Catalog, CatalogSource
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.json import Json, JsonObject, array_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.kustomization import KUSTOMIZATION_FILE
from renderer.model.release import Release
from renderer.model.render_config import (
    CLUSTER_FOLDER,
    PROJECT_FILE,
    CatalogPath,
    ExpandMode,
    OverlayEntry,
    RenderConfig,
)
from renderer.pipeline import Pipeline
from renderer.yamlio.decode import decode_yaml11
from renderer.yamlio.edit import add_entries

_DUMP = "the dump"
_NEW = """\
apiVersion: vmrender.io/v1alpha1
kind: RenderConfig

# The release that the cluster runs. What it refuses is refused here, too.
kubevirt: "{release}"

# Where instance types, preferences and the cluster's configuration are looked up; the first hit wins.
catalogs:
{catalogs}  - builtin: common-instancetypes

# Virtual machines keep the names of their instance types, as the cluster has them: sizes that a sync wrote
# next to these names would be refused.
expand: "off"

overlays:
  - path: {overlays}
{others}output: {output}
"""


class SourceChoices(NamedTuple):
    """The choices for sources: with ``fits``, look for instance types; ``group_by`` is a label or empty."""

    secrets: Secrets = Secrets.PLACEHOLDER
    fits: bool = False
    group_by: str = ""


class PlannedSources(NamedTuple):
    """The files of an import, text by path below the output folder.

    ``catalogs`` are the folders that machines of other folders refer to. ``modes`` has the folders whose
    machines are not expanded in the usual mode of an import. ``kept`` are the placeholders that already
    exist.
    """

    files: Mapping[str, str]
    objects: tuple[SourceObject, ...]
    catalogs: tuple[str, ...]
    modes: Mapping[str, ExpandMode]
    pins: int
    fitted: FittedMachines
    findings: tuple[Diagnostic, ...]
    kept: frozenset[str]


def plan_sources(
    project: Project, output: str, gathered: Gathered, release: Release, choices: SourceChoices
) -> PlannedSources:
    """Plan the files for a cluster's objects below the folder ``output``. Raises ``DiagnosticError``."""
    catalog = _lookup_catalog(project, output, gathered)
    detached = detach_from_revisions(gathered.objects, catalog, release)
    machines = [each.content for each in detached]
    fitted = fit_machines(machines, catalog, release, gathered.kubevirt) if choices.fits else FittedMachines()
    contents, findings = written_contents(gathered.objects, detached, fitted, choices.secrets)
    modes, objects = assign_files(contents)
    if choices.group_by:
        objects = with_groups(objects, choices.group_by)
    kept = {
        each.path
        for each in objects
        if each.is_placeholder and project.fs.is_file(posixpath.join(output, each.path))
    }
    files = {each.path: each.text() for each in objects if each.path not in kept and each.is_file}
    files |= {path: text for each in objects for path, text in each.group_files.items()}
    sealed = [each.path for each in objects if each.path in kept and _is_listed(project, output, each)]
    files |= kustomizations(objects, sealed)
    written = {(text_at(each.content, "kind"), *_object_name(each.content)) for each in objects}
    pins = [
        each.pin
        for each in detached
        if each.pin and (each.pin.target.kind, *_object_name(each.content)) in written
    ]
    files |= pin_files(pins, files)
    files |= fitted.files
    if gathered.kubevirt:
        files |= configuration(gathered.kubevirt)
    findings += [finding for each in detached for finding in each.findings]
    catalogs = tuple(_catalog_folders(objects, files))
    return PlannedSources(
        files, objects, catalogs, modes, len(pins), fitted, tuple(findings), frozenset(kept)
    )


def _object_name(content: JsonObject) -> tuple[str, str]:
    return text_at(content, "metadata", "namespace"), text_at(content, "metadata", "name")


def _lookup_catalog(project: Project, output: str, gathered: Gathered) -> Catalog:
    """Return the catalogs of the project and the dump, without sizes that an earlier import proposed."""
    kubevirt = (Resource(gathered.kubevirt, Site("")),) if gathered.kubevirt else ()
    own = (each.resource for each in gathered.objects if _is_instancetype(each.content))
    dumped = ResourceSet((*gathered.revisions, *kubevirt, *own))
    proposed = CatalogPath(posixpath.join(output, SIZES_FOLDER))
    catalogs = tuple(each for each in project.config.catalogs if each != proposed)
    pipeline = Pipeline(project.fs, project.config._replace(catalogs=catalogs))
    return Catalog.of(CatalogSource(_DUMP, dumped), *pipeline.catalog_sources)


def _is_listed(project: Project, output: str, placeholder: SourceObject) -> bool:
    """Return True if the existing kustomization lists a Secret that somebody sealed."""
    path = posixpath.join(output, placeholder.path)
    kustomization = posixpath.join(posixpath.dirname(path), KUSTOMIZATION_FILE)
    if not project.fs.is_file(kustomization):
        return False
    written = decode_yaml11(project.fs.read(kustomization), kustomization)
    return posixpath.normpath(path) in _listed_paths(written, kustomization, ("resources",))


def newly_unlisted_files(fs: FileSystem, writes: Mapping[str, bytes]) -> tuple[str, ...]:
    """Return the files and folders that kustomizations on disk list, but the new ones do not."""
    graph = KustomizationGraph(fs)
    unlisted: set[str] = set()
    for path, content in writes.items():
        folder, name = posixpath.split(path)
        links = graph.links(folder) if name == KUSTOMIZATION_FILE else None
        if links is not None:
            written = decode_yaml11(content, path)
            listed = _listed_paths(written, path, ("resources", "components", "generators", "patches"))
            unlisted |= {each for each in links.files | links.folders if each not in listed}
    return tuple(sorted(each for each in unlisted if fs.is_file(each) or fs.is_folder(each)))


def _listed_paths(kustomization: Json, path: str, fields: Iterable[str]) -> frozenset[str]:
    """Return the paths, from the project's root, that ``fields`` of the kustomization at ``path`` list."""
    folder = posixpath.dirname(path)
    entries = (
        each if isinstance(each, str) else text_at(each, "path")
        for field in fields
        for each in array_at(kustomization, field)
    )
    return frozenset(posixpath.normpath(posixpath.join(folder, entry)) for entry in entries if entry)


def _is_instancetype(content: JsonObject) -> bool:
    return text_at(content, "apiVersion").startswith(f"{INSTANCETYPE_GROUP}/")


def _catalog_folders(objects: Iterable[SourceObject], files: Iterable[str]) -> Iterator[str]:
    """Yield the folders of the import that have instance types, preferences or the KubeVirt object."""
    if any(each.folder == CLUSTER_FOLDER and _is_instancetype(each.content) for each in objects):
        yield CLUSTER_FOLDER
    for folder in (SIZES_FOLDER, CONFIGURATION_FOLDER):
        if any(path.startswith(f"{folder}/") for path in files):
            yield folder


def project_file(
    project: Project,
    output: str,
    modes: Mapping[str, ExpandMode],
    catalogs: Sequence[str],
    release: Release,
) -> Mapping[str, bytes]:
    """Return the project file for imported folders below ``output``, by its path.

    ``modes`` has the folders. An existing project file keeps its release, and gets the missing entries.
    Raises ``DiagnosticError``: edit-refused.
    """
    if not project.fs.is_file(PROJECT_FILE):
        entries = "".join(f"  - path: {json.dumps(path)}\n" for path in catalogs)
        text = _NEW.format(
            release=release,
            catalogs=entries,
            overlays=json.dumps(f"{output}/*"),
            output=json.dumps(_default_output(output)),
            others="".join(
                f"  - path: {json.dumps(folder)}\n    expand: {mode.value}\n"
                for folder, mode in modes.items()
                if mode is not ExpandMode.OFF
            ),
        )
        return {PROJECT_FILE: text.encode()}
    content = project.fs.read(PROJECT_FILE)
    config = project.config
    for path in reversed(catalogs):
        content = with_catalog(content, path, config.catalogs)
    missing = _missing_entries(config, output, modes, release)
    return {PROJECT_FILE: add_entries(content, PROJECT_FILE, "overlays", missing)}


def rendered_folder(project: Project, output: str) -> str:
    """Return the folder for the rendered trees of the imported overlays."""
    config = project.config
    entries = [entry for entry in config.overlays if entry.path == f"{output}/*"]
    path = (entries[-1].output or config.output) if entries else _default_output(output)
    return path.partition("{")[0].rstrip("/") or "."


def _missing_entries(
    config: RenderConfig, output: str, modes: Mapping[str, ExpandMode], release: Release
) -> Iterator[Json]:
    """Yield the entries missing in ``overlays``. Of two entries for a folder, the later one counts."""
    everything = f"{output}/*"
    listed = {entry.path: entry for entry in config.overlays}
    target = {} if release.exact == config.kubevirt.exact else {"kubevirt": str(release)}
    if config.overlays == RenderConfig().overlays:
        yield {"path": OverlayEntry("overlays/*").path}  # the default, which any entry replaces
    usual, rendered = ExpandMode.OFF, _default_output(output)
    if everything in listed:
        usual = listed[everything].expand or config.expand
        rendered = listed[everything].output or config.output
    else:
        yield {"path": everything, "expand": ExpandMode.OFF.value, "output": rendered, **target}
    place = {} if rendered == config.output else {"output": rendered}
    for folder, mode in modes.items():
        if mode is not usual and folder not in listed:
            yield {"path": folder, "expand": mode.value, **place, **target}


def _default_output(output: str) -> str:
    return "rendered/{name}" if output == "overlays" else f"rendered/{output.replace('/', '-')}/{{name}}"
