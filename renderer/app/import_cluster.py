"""Import a cluster: make sources for Git from the output of ``kubectl get -o yaml``."""

from __future__ import annotations

import posixpath
from pathlib import Path
from typing import BinaryIO, NamedTuple

from renderer.adopt.dump.files import find_files
from renderer.adopt.dump.gather import Gathered, gather
from renderer.adopt.dump.read import read_dump
from renderer.adopt.dump.selection import qualified_name, selected, unmatched
from renderer.adopt.dump.sources import counted_by_kind
from renderer.adopt.entry_objects import Engine
from renderer.adopt.import_summary import ImportSummary
from renderer.app.cluster_entry import NewSettings
from renderer.app.cluster_import.entries import EntryFiles, entry_files
from renderer.app.cluster_import.files import SourceChoices, plan_sources
from renderer.app.cluster_import.outlook import applied_by, files_to_seal, restarts
from renderer.app.cluster_import.project_file import NewFolder, project_file, rendered_folder
from renderer.app.cluster_import.target import as_seen_by, cluster_of_import
from renderer.app.exposed_dumps import exposed_dumps
from renderer.app.project import Project
from renderer.app.sparse_checkout import check_checked_out
from renderer.app.usage_error import UsageError
from renderer.emit.edit_user_files import change_files, check_writable
from renderer.emit.output_folder import OutputFolder
from renderer.files.file_system import present_content
from renderer.findings.levels import with_levels
from renderer.findings.located import Located
from renderer.findings.run_findings import located_as_given
from renderer.kubevirt.facts.cluster_facts import nearest_release
from renderer.kubevirt.facts.kubernetes_names import label_key_errors
from renderer.kubevirt.facts.unreleased import about_target
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity, has_errors
from renderer.model.kube.json import JsonObject, text_at
from renderer.model.kube.location import Location
from renderer.model.release import LATEST, OLDEST, Release, snapshot_of
from renderer.model.render_config import PROJECT_FILE, RenderConfig
from renderer.model.suggest import did_you_mean
from renderer.project.project_root import path_as_written

#: The folder at the top of the project in which each namespace gets a folder.
OUTPUT = "overlays"


class ClusterImport(NamedTuple):
    """A dump in ``files`` and folders (``-`` is the ``piped`` content), and the folder to write to.

    ``output`` is relative to the working directory; the default is ``overlays`` at the top of the project,
    and ``clusters/NAME`` there for a ``cluster`` of that name. Without ``kubevirt``, the release is read from
    the dump. ``all_namespaces`` also imports namespaces without a virtual machine. With ``only``, patterns of
    ``namespace/name``, just these objects and what machines among them use are imported. With ``entries``,
    the objects by which this engine deploys the trees are written.
    """

    files: tuple[str, ...]
    piped: BinaryIO
    output: Path | None = None
    kubevirt: Release | None = None
    choices: SourceChoices = SourceChoices()
    dry_run: bool = False
    all_namespaces: bool = False
    only: tuple[str, ...] = ()
    entries: Engine | None = None
    cluster: str = ""


class ImportedCluster(NamedTuple):
    """The findings, and the summary of what was written; nothing is written if a finding is an error."""

    findings: tuple[Located, ...]
    summary: ImportSummary | None = None


def import_cluster(project: Project, request: ClusterImport) -> ImportedCluster:
    """Write the sources of a cluster into a folder of the project.

    Nothing is written if there is an error. What Git has stays, unless ``choices.replace`` is set. Raises
    ``UsageError`` for a folder outside the project, an invalid label key and a pattern that matches nothing,
    and ``DiagnosticError``.
    """
    label = request.choices.group_by
    label_errors = label_key_errors(label) if label else []
    if label_errors:
        raise UsageError(f"{label} is not a label key: {label_errors[0]}", "--group-by")
    output = _output_folder(project, request)
    try:
        gathered = _gather(request)
    except DiagnosticError as error:
        return ImportedCluster(located_as_given(error.diagnostics))
    cluster = cluster_of_import(
        project.config, request.cluster, output, gathered, is_output_named=request.output is not None
    )
    seen = as_seen_by(project, cluster)
    release, release_findings = _target_release(gathered.kubevirt, request.kubevirt, seen.config)
    rules = project.config.rules
    findings = with_levels((*gathered.findings, *release_findings, *about_target(release)), rules)
    if has_errors(findings):
        return ImportedCluster(located_as_given(findings))
    everywhere = request.output is None and not cluster
    check_checked_out(project, "." if everywhere else output, output)
    choices = request.choices._replace(everywhere=everywhere, cluster=cluster)
    planned = plan_sources(seen, output, gathered, release, choices)
    findings = (*findings, *with_levels(planned.findings, rules))
    if has_errors(findings):
        return ImportedCluster(located_as_given(findings))
    writes = {posixpath.join(output, path): content for path, content in planned.files.items()}
    fs, entries = project.fs, request.entries
    to_write = (*writes, PROJECT_FILE)
    check_writable(project.root, to_write)
    before = {path: present_content(fs, path) for path in to_write}
    new_folders = {
        posixpath.join(output, folder): NewFolder(mode, entries is Engine.ARGO_CD and folder in planned.waves)
        for folder, mode in sorted(planned.modes.items())
    }
    catalogs = tuple(posixpath.join(output, folder) for folder in planned.catalogs)
    writes |= project_file(project, output, new_folders, NewSettings(release, catalogs, cluster))
    entry_objects = EntryFiles({})
    if entries is not None:
        folders = {posixpath.join(output, folder): pins for folder, pins in planned.folders.items()}
        entry_objects = entry_files(project, entries, output, writes[PROJECT_FILE], folders)
        check_writable(project.root, entry_objects.files)
        before |= {path: present_content(fs, path) for path in entry_objects.files}
        writes |= entry_objects.files
    changed = {path: content for path, content in writes.items() if before[path] != content}
    kinds = {kind for kind, _ in gathered.left_out} | {each.resource.kind for each in gathered.objects}
    has_secrets = "Secret" in kinds or any(each.is_placeholder for each in planned.objects)
    exposed = exposed_dumps(project, request.files) if has_secrets else ()
    findings = (*findings, *with_levels(exposed, rules))
    if has_errors(findings):
        return ImportedCluster(located_as_given(findings))
    if not request.dry_run:
        change_files(project.root, changed, (), {path: before[path] for path in changed})
    summary = ImportSummary(
        release=release,
        is_dry_run=request.dry_run,
        objects=counted_by_kind(planned.objects),
        known=planned.known,
        elsewhere=planned.elsewhere,
        left_out=gathered.left_out,
        nodes=gathered.nodes,
        fields=gathered.fields,
        pins=planned.pins,
        written=tuple(changed),
        to_seal=files_to_seal(output, planned.objects),
        restarts=restarts(gathered.objects, planned.objects),
        applied_by=applied_by(gathered.objects, planned.objects),
        autoscaled=gathered.autoscaled,
        in_progress=gathered.in_progress,
        fits=planned.fitted.reports,
        sizes=planned.fitted.proposals,
        group_by=request.choices.group_by,
        grouped=sum(bool(each.group) for each in planned.objects),
        bases=len({(each.folder, each.group) for each in planned.objects if each.group}),
        cluster=cluster,
        output=output,
        rendered=rendered_folder(project, output),
        entries=tuple(entry_objects.files),
        unordered=entry_objects.unordered,
    )
    return ImportedCluster(located_as_given(findings), summary)


def _gather(request: ClusterImport) -> Gathered:
    """Read the dump, and keep what ``only`` selects.

    Raises ``UsageError`` for a pattern that matches nothing, and ``DiagnosticError`` for a dump that cannot
    be read or holds nothing that belongs in Git.
    """
    dump = read_dump(find_files(request.files, request.piped))
    gathered = gather(dump, all_namespaces=request.all_namespaces or bool(request.only))
    if not gathered.objects and not has_errors(gathered.findings):
        nothing = Diagnostic(
            Code.DUMP_INVALID,
            "the dump holds no object that belongs in Git",
            hint="print virtual machines and what they need: "
            "kubectl get vm,datavolume,pvc,service -A -o yaml",
            location=Location(request.files[0]) if request.files else None,
        )
        raise DiagnosticError(*gathered.findings, nothing)
    if not request.only:
        return gathered
    for pattern in unmatched(gathered.objects, request.only):
        hint = did_you_mean(
            pattern,
            map(qualified_name, gathered.objects),
            otherwise="vmrender import lists why objects are left out",
        )
        raise UsageError(f"the dump holds no {pattern} that belongs in Git; {hint}", "--only")
    return selected(gathered, request.only)


def _output_folder(project: Project, request: ClusterImport) -> str:
    """Return the folder below the root of the project. Raises ``UsageError`` and ``DiagnosticError``."""
    written = request.output
    if written is None:
        if request.cluster in (".", "..") or "/" in request.cluster:
            message = f"{request.cluster!r} is not the name of a folder; name one with --output"
            raise UsageError(message, "--cluster")
        folder = f"clusters/{request.cluster}" if request.cluster else OUTPUT
        return OutputFolder.locate(project.root, folder).path
    path = path_as_written(project.root, written)
    if path is None:
        raise UsageError(f"{written} lies outside the repository {project.root}", "--output")
    return OutputFolder.locate(project.root, path).path


def _target_release(
    kubevirt: JsonObject, requested: Release | None, config: RenderConfig
) -> tuple[Release, tuple[Diagnostic, ...]]:
    """Return the target release: the requested one, else the cluster's, else the project's."""
    observed = text_at(kubevirt, "status", "observedKubeVirtVersion").partition("-")[0]
    if requested:
        return requested, ()
    try:
        release = Release.parse(observed)
    except ValueError:
        guess = config.kubevirt
        warning = Diagnostic(
            Code.NOT_CHECKED,
            f"the dump does not say which release the cluster runs; KubeVirt {guess} is a guess",
            hint="name it with --kubevirt, or also print the KubeVirt object: kubectl get kubevirt,vm,…",
            severity=Severity.WARNING,
        )
        return guess, (warning,)
    if OLDEST <= release <= LATEST:
        return release, ()
    nearest = nearest_release(release)
    hint = f"vmrender renders for KubeVirt {OLDEST.as_bound} to {LATEST}"
    warning = Diagnostic(
        Code.NOT_CHECKED,
        f"the cluster runs KubeVirt {release}; its objects are checked against {nearest}",
        hint=f"name it with --kubevirt {release}" if snapshot_of(release) else hint,
        severity=Severity.WARNING,
    )
    return nearest, (warning,)
