"""Import a release of common-instancetypes as a catalog of the project."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from renderer.app.catalogs import open_catalog
from renderer.app.cluster_entry import NewSettings, with_cluster
from renderer.app.project import Project, ProjectOpener
from renderer.app.source_folder import SourceFolder
from renderer.app.usage_error import UsageError
from renderer.authoring.catalogs.catalog_folder import (
    CatalogFolder,
    catalog_folder,
    described_kinds,
    plan_import,
    release_label,
)
from renderer.authoring.catalogs.entry import is_entry
from renderer.emit.edit_user_files import change_files
from renderer.files.file_system import FileSystem, present_content
from renderer.findings.located import Located
from renderer.findings.run_findings import locate
from renderer.model.cluster_settings import BuiltinCatalog, CatalogPath, lists
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, has_errors
from renderer.model.digest_list import SUMS
from renderer.model.render_config import PROJECT_FILE
from renderer.model.vmrender_api import RENDER_CONFIG, VMRENDER_API_VERSION
from renderer.report.plain_text import printable
from renderer.yamlio.edit import add_entry

_RELEASE = re.compile(r"v?(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)")
_FIELD = "catalogs"


class ImportRequest(NamedTuple):
    """A release to import from ``paths``: checkouts, bundles, or folders with bundles.

    Without ``release``, the bundle names it. The catalog is written to ``into/name/release``. With ``adds``,
    it is listed in the project file. With ``force``, an earlier import with other content is replaced.
    """

    paths: Sequence[str]
    release: str | None
    name: str
    into: Path
    adds: bool
    force: bool


class CatalogImport(NamedTuple):
    """A catalog that was imported into ``folder``; ``written`` has the paths of changed files."""

    folder: str
    catalog: CatalogFolder
    written: tuple[str, ...]
    is_listed: bool

    def lines(self) -> Iterator[str]:
        """Yield lines for the user: the written files, and the next steps."""
        count = len(set(self.written) - {PROJECT_FILE})
        state = f"{count} files written" if count else "unchanged"
        yield f"{self.folder}: {self.catalog.size} instance types and preferences, {state}"
        yield f"sha256 of {SUMS}: {self.catalog.digest}"
        if PROJECT_FILE in self.written:
            yield f"{PROJECT_FILE}: written"
        if self.catalog.left_out:
            yield f"left out: {printable(described_kinds(self.catalog.left_out))}"
        if not self.is_listed:
            yield f"list it in {PROJECT_FILE}, before the catalogs that it takes precedence over:"
            yield "catalogs:"
            yield f"- path: {self.folder}"


class ImportResult(NamedTuple):
    """The import, or None if errors stopped it; ``fs`` has the files of the findings of a single catalog."""

    catalog: CatalogImport | None
    findings: tuple[Located, ...]
    fs: FileSystem | None


def import_catalog(project: Project, request: ImportRequest, open_project: ProjectOpener) -> ImportResult:
    """Check the catalog against the project's KubeVirt release, then write it with its digests.

    Raises ``UsageError`` if the release is unknown, and ``DiagnosticError``.
    """
    sources = [open_catalog(path, open_project) for path in request.paths]
    resources = [resource for source in sources for resource in source.resources]
    release = _release_to_import(request.release, release_label(resources), force=request.force)
    findings = tuple(
        finding
        for source in sources
        for finding in locate(
            source.fs, source.pipeline.check(source.resources.where(is_entry), project.config.kubevirt)
        )
    )
    # Findings of several catalogs are already located, in different trees.
    fs = sources[0].fs if len(sources) == 1 else None
    if has_errors(findings):
        return ImportResult(None, findings, fs)
    found = catalog_folder(resources, request.name, release)
    folder = SourceFolder.locate(project, request.into / request.name / release).path
    catalog = _write_catalog(project, folder, found, adds=request.adds, force=request.force)
    return ImportResult(catalog, findings, fs)


def normalized_release(text: str) -> str:
    """Return ``1.5.1`` and ``v1.5.1`` as ``v1.5.1``. Raises ``UsageError`` for anything else."""
    match = _RELEASE.fullmatch(text)
    if not match:
        raise UsageError(f"{text!r} is not a release; write it as v1.5.1")
    return f"v{match[1]}"


def _release_to_import(requested: str | None, declared: str | None, *, force: bool) -> str:
    """Return the release to import. Raises ``UsageError`` if no release is known, and ``DiagnosticError``."""
    if requested is None and declared is None:
        raise UsageError("say which release this is: --release v1.5.1")
    if requested is None or declared is None:
        return requested or normalized_release(declared or "")
    if requested != declared and not force:
        message = f"this is not {requested}: the bundle says that it is {declared}"
        hint = f"import it with --release {declared}"
        raise Diagnostic(Code.IMPORT_REFUSED, message, hint=hint).error()
    return requested


def _write_catalog(
    project: Project, folder: str, found: CatalogFolder, *, adds: bool, force: bool
) -> CatalogImport:
    fs = project.fs
    existing = {
        name: fs.read(f"{folder}/{name}") for name in fs.list(folder) if fs.is_file(f"{folder}/{name}")
    }
    plan = plan_import(found, existing, folder, force=force)
    writes = {f"{folder}/{name}": content for name, content in plan.writes.items()}
    removals = tuple(f"{folder}/{name}" for name in plan.removals)
    before: dict[str, bytes | None] = dict.fromkeys(writes)
    before |= {f"{folder}/{name}": content for name, content in existing.items()}
    if adds:
        written = present_content(fs, PROJECT_FILE)
        before[PROJECT_FILE] = written
        config = project.config
        place = _place_among(config.catalogs, posixpath.basename(posixpath.dirname(folder)))
        if config.cluster and written is not None:
            new = NewSettings(config.kubevirt, (folder,), config.cluster, place)
            edited = with_cluster(written, config, new)
        else:
            edited = with_catalog(written, folder, config.catalogs, place)
        writes |= {PROJECT_FILE: edited} if edited != written else {}
    change_files(project.root, writes, removals, before)
    is_listed = adds or lists(project.config.catalogs, folder)
    return CatalogImport(folder, found, tuple(writes), is_listed=is_listed)


def _place_among(catalogs: Sequence[CatalogPath | BuiltinCatalog], name: str) -> int:
    """Return the place of a new release of the catalog ``name``: after the project's own catalogs.

    It is before its other releases, and before what ships with vmrender: of equal names, the first counts.
    """
    for index, catalog in enumerate(catalogs):
        if isinstance(catalog, BuiltinCatalog):
            return index
        above, _, release = catalog.folder.rpartition("/")
        if posixpath.basename(above) == name and _RELEASE.fullmatch(release):
            return index
    return len(catalogs)


def with_catalog(
    content: bytes | None, folder: str, catalogs: Sequence[CatalogPath | BuiltinCatalog], place: int = 0
) -> bytes:
    """Return the project file with the catalog in ``folder`` at its ``place`` among its ``catalogs``.

    ``content`` is None if the file does not exist. Raises ``DiagnosticError``: edit-refused.
    """
    if lists(catalogs, folder) and content is not None:
        return content
    edited = content or f"apiVersion: {VMRENDER_API_VERSION}\nkind: {RENDER_CONFIG}\n".encode()
    for catalog in reversed(catalogs):  # catalogs that the project has without listing them
        entry = {"path": catalog.path} if isinstance(catalog, CatalogPath) else {"builtin": catalog.name}
        edited = add_entry(edited, PROJECT_FILE, _FIELD, entry, before=0)
    before = place if place < len(catalogs) else None
    return add_entry(edited, PROJECT_FILE, _FIELD, {"path": folder}, before=before)
