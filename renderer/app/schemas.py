"""List, export and import the JSON Schemas that manifests are validated against."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, cast

from renderer.app.catalogs import project_entries
from renderer.app.project import Project
from renderer.app.source_folder import SourceFolder
from renderer.app.usage_error import UsageError
from renderer.authoring.catalogs.entry import EntryType
from renderer.authoring.new_project.editor_files import ANY_KIND
from renderer.checks.schemas.editor_schema import (
    FieldNames,
    described,
    field_names,
    first_releases,
    for_editor,
    for_patches,
    of_any_kind,
    with_choices,
    with_machine,
)
from renderer.checks.schemas.kubernetes_formats import Schema
from renderer.checks.schemas.kubevirt_kinds import KINDS, KubevirtKind, api_versions, kinds_at
from renderer.checks.schemas.project_schema import ProjectSchema, UnusableSchemaError
from renderer.checks.schemas.project_schema_files import ProjectSchemaFiles
from renderer.checks.schemas.registry import SchemaRegistry, input_schema
from renderer.checks.schemas.release_sources import release_schemas
from renderer.checks.schemas.schema_import import UnlikeKubevirtError, encoded, import_release
from renderer.emit.edit_user_files import change_files, write_failed
from renderer.emit.generated_files import plan_generated_files
from renderer.files.bundled import data_folder
from renderer.files.disk import folder_exists
from renderer.files.file_system import DiskFileSystem
from renderer.kubevirt.facts.kinds import VM_TEMPLATE
from renderer.kubevirt.facts.products import Product, is_supported, products, target_release
from renderer.kubevirt.facts.unreleased import about_target
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.engines import MANIFESTS
from renderer.model.kube.json import Json, JsonObject, with_value
from renderer.model.kube.res_id import Gvk
from renderer.model.project_schemas import ProjectSchemas
from renderer.model.release import OLDEST, Release, snapshot_of
from renderer.model.run.taint import taint_masking
from renderer.model.vmrender_api import INSTANCETYPE_SERIES, RENDER_CONFIG, TEMPLATE, VMRENDER_API_VERSION
from renderer.project.project_root import find_project_root, path_as_written, read_named_file
from renderer.project.project_schemas import listed_schemas, read_project_schemas
from renderer.yamlio.decode import decode_documents


class OwnKind(NamedTuple):
    """A kind of ours; its schema ships below ``schemas/vmrender``."""

    name: str
    api_version: str = VMRENDER_API_VERSION

    @property
    def document(self) -> JsonObject:
        path = data_folder("schemas") / "vmrender" / f"{self.name.lower()}.json"
        document: JsonObject = json.loads(path.read_bytes())
        return document


_OWN_KINDS = (OwnKind(RENDER_CONFIG), OwnKind(INSTANCETYPE_SERIES), OwnKind(TEMPLATE))


class SchemaVariant(NamedTuple):
    """What exported schemas are for.

    ``for_editor``: what vmrender merely warns about is not an error. ``for_patches``: nothing is required.
    ``choices``: the texts that fields accept, by the end of their path; editors offer them.
    """

    for_editor: bool = False
    for_patches: bool = False
    choices: Mapping[FieldNames, Sequence[str]] = {}


class SchemaImport(NamedTuple):
    """The folder of imported schemas, to be listed in the project file, and the number of schemas."""

    folder: str
    files: int


def list_schemas(project: Project, release: str | None) -> tuple[str, ...]:
    """List the KubeVirt releases with schemas, the project's own schemas, and the releases of products.

    For a given release, list its kinds.

    Raises ``UsageError`` for a release without schemas, and ``DiagnosticError``.
    """
    own = _project_schemas(project)
    registry = SchemaRegistry(project=own)
    if release is not None:
        target = _known_release(registry, release)
        return tuple(f"{kind.name}  {', '.join(api_versions(kind, target))}" for kind in kinds_at(target))
    imported = {path.partition("/")[0] for path in own.releases}
    return (
        *(f"KubeVirt {each}{_remark(each, imported)}" for each in registry.releases),
        *(f"{gvk.api_version} {gvk.kind}  {path}" for gvk, path in ProjectSchemaFiles(own).kinds),
        *(line for product in products()[1:] for line in _product_lines(product)),
    )


def schema_text(project: Project, name: str, release: str, variant: SchemaVariant) -> str:
    """Return the schema of one kind as JSON. Raises ``UsageError`` for an unknown kind or release."""
    registry = SchemaRegistry(project=_project_schemas(project))
    target = _known_release(registry, release)
    return _json_text(_document(registry, target, _kind_named(name, target), variant))


def schema_remarks(project: Project, release: str) -> tuple[str, ...]:
    """Return the remarks on a release whose schemas are exported.

    Raises ``UsageError`` for a release without schemas.
    """
    target = _known_release(SchemaRegistry(project=_project_schemas(project)), release)
    return tuple(remark.message for remark in about_target(target))


def export_schemas(
    project: Project, names: Iterable[str], release: str, into: Path, variant: SchemaVariant
) -> int:
    """Write the schemas of kinds, or of all, in kubeconform's layout, and one that judges by kind.

    Return the number of files. Raises ``UsageError`` and ``DiagnosticError``.
    """
    files = schema_files(project, names, release, variant)
    top, folder = _write_root(into)
    planned = plan_generated_files(DiskFileSystem(top), folder, files)
    change_files(top, planned.writes, (), planned.before)
    return len(files)


def schema_files(
    project: Project, names: Iterable[str], release: str, variant: SchemaVariant
) -> dict[str, bytes]:
    """Return exported schemas by path. Raises as ``export_schemas`` does.

    For editors, a kind has one file, which accepts every API version that the release serves.
    """
    registry = SchemaRegistry(project=_project_schemas(project))
    target = _known_release(registry, release)
    files: dict[str, bytes] = {}
    references: dict[tuple[str, str], str] = {}
    for kind in [_kind_named(name, target) for name in names] or _kinds_of(target):
        document = _document(registry, target, kind, variant)
        served = api_versions(kind, target) if isinstance(kind, KubevirtKind) else (kind.api_version,)
        for version in served[:1] if variant.for_editor else served:
            taken: JsonObject = {"enum": served} if variant.for_editor else {"const": version}
            path = f"{version.rpartition('/')[0]}/{kind.name.lower()}_{version.rpartition('/')[2]}.json"
            files[path] = _json_text(with_value(document, ("properties", "apiVersion"), taken)).encode()
            references |= {(each, kind.name): path for each in (served if variant.for_editor else (version,))}
    files[ANY_KIND] = _json_text(of_any_kind(references)).encode()
    return files


def project_choices(project: Project) -> Mapping[FieldNames, Sequence[str]]:
    """Return the names that the project's catalogs have for instance types and preferences.

    Names that a Secret's value was copied to are left out. Raises ``DiagnosticError`` if a catalog cannot be
    read.
    """
    entries = project_entries(project)
    confidential = taint_masking()
    return {
        (entry_type.value, "name"): sorted(
            {each.name for each in entries if each.type is entry_type and not confidential.is_in(each.name)}
        )
        for entry_type in EntryType
    }


def import_schemas(project: Project, paths: Sequence[Path], release: Release, into: Path) -> SchemaImport:
    """Make the schemas of a KubeVirt release from the definitions of its kinds, and write them to ``into``.

    Raises ``DiagnosticError``: import-refused if the definitions are incomplete or not KubeVirt's.
    """
    folder = SourceFolder.locate(project, into).path
    documents = [document for path in paths for document in _read_documents(path)]
    try:
        found = release_schemas(documents, release)
    except UnlikeKubevirtError as error:
        raise _refused(str(error), {}) from None
    missing = [kind.name for kind in KINDS if kind.name not in found]
    if missing:
        raise _refused(f"there is no definition of {', '.join(missing)}", found)
    try:
        files = {path: text.encode() for path, text in import_release(found, release).items()}
        for content in files.values():
            ProjectSchema(json.loads(content))
    except (UnlikeKubevirtError, UnusableSchemaError) as error:
        raise _refused(str(error), found) from None
    others = read_project_schemas(project.fs, (folder,)).others.values()
    written_by_hand = [below for below, _ in others if below.endswith(".json")]
    planned = plan_generated_files(project.fs, folder, files, written_by_hand)
    change_files(project.root, planned.writes, (), planned.before)
    return SchemaImport(folder, len(files))


def _remark(release: Release, imported: Collection[str]) -> str:
    """Return a remark on the meaning of a minor release in ``kubevirt:``, or why it cannot be used there."""
    if release < OLDEST:
        return f"  (schemas only; kubevirt: begins with {OLDEST.minor_release})"
    if str(release) in imported:
        return "  (imported)"
    snapshot = snapshot_of(release)
    if snapshot is not None:
        return f"  (not released; {snapshot}, commit {snapshot.commit[:10]})"
    return f"  (as a target: {release.exact})" if release.exact != release else ""


def _product_lines(product: Product) -> Iterator[str]:
    """Yield a line for each span of releases with the same KubeVirt and Kubernetes."""
    for span in product.spans:
        kubernetes = f", Kubernetes {span.kubernetes}" if span.kubernetes else ""
        remark = "" if is_supported(span.kubevirt) else "  (not supported)"
        yield f"{span.names}  KubeVirt {span.kubevirt}{kubernetes}{remark}"


def _project_schemas(project: Project) -> ProjectSchemas:
    return listed_schemas(project.fs, project.config.schemas)


def _known_release(registry: SchemaRegistry, text: str) -> Release:
    """Return the release called ``text``. Raises ``UsageError`` for a release without schemas."""
    known = registry.releases
    try:
        release = target_release(text, known) if _names_product(text) else Release.parse(text)
    except ValueError as error:
        raise UsageError(f"Invalid value: {error}") from error
    if release.minor_release not in known:
        raise UsageError(
            f"Invalid value: there are no schemas of KubeVirt {release}, only of {known[0]} to {known[-1]}"
        )
    return release.minor_release


def _names_product(text: str) -> bool:
    return not text.removeprefix("v")[:1].isdecimal()


def _kinds_of(release: Release) -> Sequence[KubevirtKind | OwnKind]:
    return (*kinds_at(release), *_OWN_KINDS)


def _kind_named(name: str, release: Release) -> KubevirtKind | OwnKind:
    """Return the kind called ``name``, in any case. Raises ``UsageError`` for one without a schema."""
    known = _kinds_of(release)
    for kind in known:
        if kind.name.lower() == name.lower():
            return kind
    kinds = ", ".join(kind.name for kind in known)
    raise UsageError(
        f"Invalid value: there is no schema of {name} for KubeVirt {release.minor_release}, only of {kinds}"
    )


def _write_root(into: Path) -> tuple[Path, str]:
    """Return the folder below which writing follows no link, and the path from there to ``into``.

    The folder is the repository, or ``into`` itself if it is elsewhere. Raises ``DiagnosticError``.
    """
    root = find_project_root(Path.cwd())
    folder = path_as_written(root, into)
    if folder is not None:
        return root, folder
    try:
        into.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise write_failed(error) from error
    return into.resolve(), "."


def _document(
    registry: SchemaRegistry, release: Release, kind: KubevirtKind | OwnKind, variant: SchemaVariant
) -> JsonObject:
    """Return the schema of a kind with what its fields mean, for what ``variant`` says."""
    if isinstance(kind, OwnKind):
        document = kind.document
    else:
        served = [each for each in registry.releases if OLDEST <= each < release and api_versions(kind, each)]
        documents = {each: _release_schema(registry, each, kind) for each in (*served, release)}
        document = documents[release]
        if variant.for_editor:
            newest = api_versions(kind, release)[0].rpartition("/")[2]
            document = for_editor(input_schema(document, Gvk(kind.group, newest, kind.name)))
        document = described(
            document, release, first_releases({each: field_names(found) for each, found in documents.items()})
        )
        if variant.for_editor and kind.name == VM_TEMPLATE:
            machine = next(each for each in KINDS if each.name == "VirtualMachine")
            parts = variant._replace(for_patches=False, choices={})
            document = with_machine(document, _document(registry, release, machine, parts))
    if variant.choices:
        # A size may be in an overlay, and its name a variable of Flux: an editor cannot tell.
        document = with_choices(document, variant.choices, offered=variant.for_editor)
    return for_patches(document) if variant.for_patches else document


def _release_schema(registry: SchemaRegistry, release: Release, kind: KubevirtKind) -> JsonObject:
    version = api_versions(kind, release)[0].rpartition("/")[2]
    return registry.schema(release, Gvk(kind.group, version, kind.name)).document


def _json_text(document: JsonObject) -> str:
    return encoded(cast("Schema", document))


def _read_documents(path: Path) -> Iterator[tuple[str, Json]]:
    """Yield the documents of a file, or of the files in a folder, each with its file name."""
    files = (
        sorted(each for each in path.iterdir() if each.suffix in MANIFESTS) if folder_exists(path) else [path]
    )
    for file in files:
        content = read_named_file(file)
        yield from ((file.name, document) for document in decode_documents(content, str(file)))


def _refused(message: str, found: Mapping[str, object]) -> DiagnosticError:
    hint = (
        f"found {', '.join(found) or 'none of KubeVirt'}; give the release's OpenAPI document or CRDs as well"
    )
    return Diagnostic(Code.IMPORT_REFUSED, message, hint=hint).error()
