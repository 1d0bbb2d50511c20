"""Read the project file ``vmrender.yaml``, and the settings of a KRM function."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Iterator

from renderer.files.file_system import FileSystem
from renderer.model.cluster_settings import ClusterSettings
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.model.fields import Fields
from renderer.model.kube.field_path import ElementName, FieldPath
from renderer.model.kube.json import array_at, object_at, text_at
from renderer.model.kube.location import Location, Site
from renderer.model.kube.resource import Resource
from renderer.model.release import Release
from renderer.model.render_config import (
    PROJECT_FILE,
    WRONG_PROJECT_FILES,
    ExpandMode,
    InstancetypeNames,
    Layout,
    MergeKeys,
    OverlayEntry,
    RenderConfig,
)
from renderer.model.vmrender_api import RENDER_CONFIG, VMRENDER_API_VERSION
from renderer.project.cluster_settings import (
    CLUSTER_FIELDS,
    check_cluster_name,
    read_catalogs,
    read_cluster_settings,
    read_clusters,
    read_release,
)
from renderer.project.entry_settings import (
    ENTRY_FIELDS,
    entry_path,
    note_misplaced_parameters,
    read_entry_options,
)
from renderer.project.project_settings import (
    TREE_FIELDS,
    read_flux_settings,
    read_ignored_differences,
    read_limits,
    read_rule_settings,
    read_tree_options,
)
from renderer.yamlio.decode import decode_yaml11
from renderer.yamlio.documents import second_document

#: The fields of an entry of ``overlays``, and of the project file.
_OVERLAY_FIELDS = (
    "path",
    "output",
    "kubevirt",
    "expand",
    "layout",
    "writeInstancetypes",
    "rules",
    "instancetypeNames",
    *ENTRY_FIELDS,
    *TREE_FIELDS,
)
_FIELDS = (
    "apiVersion",
    "kind",
    *CLUSTER_FIELDS,
    "schemas",
    "overlays",
    "output",
    "expand",
    "layout",
    "writeInstancetypes",
    "mergeKeys",
    "rules",
    "instancetypeNames",
    "limits",
    "exclude",
    "repositories",
    "clusters",
    "diff",
    *TREE_FIELDS,
)
EXPANSION = "Expansion"
VALIDATION = "Validation"


def load_project(fs: FileSystem, *, with_facts: bool = True) -> RenderConfig:
    """Return the settings of the repository's project; all defaults if it has no file.

    ``with_facts``: releases that it does not say are those of the facts of its clusters. Raises
    ``DiagnosticError``: config-invalid, with everything that is wrong at once.
    """
    if not fs.is_file(PROJECT_FILE) and PROJECT_FILE not in fs.list("."):  # else reading it reports why
        return RenderConfig()
    findings: list[Diagnostic] = []
    text = fs.read(PROJECT_FILE)
    content = decode_yaml11(text, PROJECT_FILE)
    schemas = [text_at(entry, "path") for entry in array_at(content, "schemas")]
    config = _read_config(Fields(content, Site(PROJECT_FILE), findings), _imported_releases(fs, schemas))
    findings += _check_single_document(text)
    if findings:
        raise DiagnosticError(*findings)
    if with_facts and config.facts_files:
        from renderer.project.cluster_facts import with_releases_of_facts  # noqa: PLC0415 - few projects have any

        return with_releases_of_facts(fs, config, object_at(content))
    return config


def check_project_name(fs: FileSystem) -> None:
    """Raise ``DiagnosticError``: config-invalid for a project file that has the wrong name."""
    wrong = next((name for name in WRONG_PROJECT_FILES if fs.is_file(name)), None)
    if wrong and not fs.is_file(PROJECT_FILE):
        message = f"{wrong} is not read: the project file is named {PROJECT_FILE}"
        raise Diagnostic.in_file(wrong, Code.CONFIG_INVALID, message, f"rename {wrong}").error()


def unread_project_files(fs: FileSystem) -> Iterator[Diagnostic]:
    """Yield a warning for each file beside the project file that has one of its wrong names."""
    for name in WRONG_PROJECT_FILES if fs.is_file(PROJECT_FILE) else ():
        if fs.is_file(name):
            message = f"{name} is not read: {PROJECT_FILE} beside it is the project file"
            hint = f"remove {name}, or move what only it has into {PROJECT_FILE}"
            at = Location(name, 1)
            yield Diagnostic.in_file(at, Code.IGNORED_DOCUMENT, message, hint, severity=Severity.WARNING)


def catalog_site(path: str) -> Site:
    """Return the site where the project names the catalog in a folder."""
    return Site(PROJECT_FILE, 0, FieldPath.of("catalogs", ElementName("path", path), "path"))


def _check_single_document(text: bytes) -> Iterable[Diagnostic]:
    line = second_document(text)
    if line:
        yield Diagnostic.in_file(
            Location(PROJECT_FILE, line),
            Code.CONFIG_INVALID,
            "the project file holds a second document, which would have no effect",
            "write everything into the first",
        )


def _imported_releases(fs: FileSystem, folders: Collection[str]) -> frozenset[Release]:
    """Return the releases that can be targets because the project has their schemas."""
    if not folders:
        return frozenset()
    from renderer.project.project_schemas import imported_releases  # noqa: PLC0415 - few projects have any

    return imported_releases(fs, folders)


def _read_config(fields: Fields, imported: Collection[Release] = ()) -> RenderConfig:
    fields.only(*_FIELDS)
    _expect(fields, "apiVersion", VMRENDER_API_VERSION)
    _expect(fields, "kind", RENDER_CONFIG)
    default = RenderConfig()
    write_instancetypes = fields.flag("writeInstancetypes")
    clusters = tuple(read_clusters(fields, imported))
    return RenderConfig(
        **read_cluster_settings(fields, imported),
        schemas=tuple(_read_schema_paths(fields)),
        overlays=tuple(_read_overlay(entry, imported, clusters) for entry in fields.elements("overlays"))
        or default.overlays,
        output=_read_output(fields) or default.output,
        expand=fields.choice("expand", ExpandMode) or default.expand,
        layout=fields.choice("layout", Layout) or default.layout,
        write_instancetypes=default.write_instancetypes
        if write_instancetypes is None
        else write_instancetypes,
        merge_keys=fields.choice("mergeKeys", MergeKeys) or default.merge_keys,
        rules=read_rule_settings(fields),
        instancetype_names=fields.choice("instancetypeNames", InstancetypeNames)
        or default.instancetype_names,
        tree=read_tree_options(fields),
        limits=read_limits(fields),
        exclude=tuple(_read_excluded(fields)),
        repositories=fields.list_of_texts("repositories"),
        clusters=clusters,
        ignored_differences=tuple(read_ignored_differences(fields)),
    )


def _expect(fields: Fields, key: str, value: str) -> None:
    found = fields.text(key)
    if found is None:
        fields.reject(None, f"{key} is missing", f"write {key}: {value}")
    elif found != value:
        fields.reject(key, f"{key} must be {value}, not {found!r}")


def _read_schema_paths(fields: Fields) -> Iterator[str]:
    for entry in fields.elements("schemas"):
        entry.only("path")
        path = entry.text("path")
        if path:
            yield path
        else:
            entry.reject(None, "write the path of a folder with schemas, or of a file with one")


def _read_excluded(fields: Fields) -> Iterator[str]:
    for pattern in fields.list_of_texts("exclude"):
        path = posixpath.normpath(pattern)
        if not pattern or path == "." or path.startswith(("/", "../")) or path == "..":
            message = f"exclude cannot be {pattern!r}"
            fields.reject("exclude", message, "write a path below this folder, or a glob")
        else:
            yield path


def _read_overlay(
    fields: Fields, imported: Collection[Release], clusters: Iterable[ClusterSettings]
) -> OverlayEntry:
    fields.only(*_OVERLAY_FIELDS)
    note_misplaced_parameters(fields, _OVERLAY_FIELDS)
    kind, path = entry_path(fields)
    cluster = fields.text("cluster") or ""
    check_cluster_name(fields, cluster, clusters)
    return OverlayEntry(
        path=path,
        output=_read_output(fields),
        cluster=cluster,
        kubevirt=read_release(fields, imported),
        expand=fields.choice("expand", ExpandMode),
        layout=fields.choice("layout", Layout),
        write_instancetypes=fields.flag("writeInstancetypes"),
        rules=read_rule_settings(fields),
        instancetype_names=fields.choice("instancetypeNames", InstancetypeNames),
        tree=read_tree_options(fields),
        flux=None if isinstance(fields.content.get("flux"), str) else read_flux_settings(fields),
        entry=read_entry_options(fields, kind, path),
    )


def _read_output(fields: Fields) -> str | None:
    output = fields.text("output")
    if output == "":
        fields.reject("output", "output is empty", "write a path, such as rendered/{name}")
    if output is not None and "{" in output.replace("{name}", ""):
        fields.reject("output", f"output has a placeholder other than {{name}}: {output}")
    return output


def with_function_config(fs: FileSystem, config: RenderConfig, written: Resource) -> RenderConfig:
    """Return the project with the settings of ``spec``.

    They are ``cluster``, whose settings it begins with, ``kubevirt``, ``catalogs``, ``rules`` and, to expand,
    ``expand``. Raises ``DiagnosticError``:
    config-invalid, with everything that is wrong at once.
    """
    findings: list[Diagnostic] = []
    fields = Fields(written.content, written.origin, findings)
    fields.only("apiVersion", "kind", "metadata", "spec")
    spec = fields.child("spec")
    common = ("cluster", "kubevirt", "catalogs", "rules")
    spec.only(*common, *(("expand",) if written.kind == EXPANSION else ()))
    cluster = spec.text("cluster") or ""
    check_cluster_name(spec, cluster, config.clusters)
    config = config.of_cluster(cluster)
    changed = config._replace(
        kubevirt=read_release(spec, _imported_releases(fs, config.schemas)) or config.kubevirt,
        catalogs=tuple(read_catalogs(spec)) if "catalogs" in spec else config.catalogs,
        expand=spec.choice("expand", ExpandMode) or config.expand,
        rules=read_rule_settings(spec).over(config.rules),
    )
    if findings:
        raise DiagnosticError(*findings)
    return changed
