"""Import a cluster: make sources for Git from the output of ``kubectl get -o yaml``."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from renderer.adopt.dump.files import STDIN, find_files
from renderer.adopt.dump.gather import gather
from renderer.adopt.dump.read import read_dump
from renderer.adopt.dump.sources import counted_by_kind
from renderer.adopt.fit.series import SizeProposal
from renderer.adopt.fit.values import FitReport
from renderer.app.import_files import (
    PlannedSources,
    SourceChoices,
    newly_unlisted_files,
    plan_sources,
    project_file,
    rendered_folder,
)
from renderer.app.project import Project
from renderer.app.usage_error import UsageError
from renderer.emit.edit_user_files import change_files, check_writable
from renderer.emit.output_folder import OutputFolder
from renderer.findings.levels import with_levels
from renderer.findings.located import Located
from renderer.findings.run_findings import RunFindings
from renderer.kubevirt.facts.kubernetes_names import label_key_errors
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity, has_errors
from renderer.model.kube.json import JsonObject, text_at
from renderer.model.kube.location import Location
from renderer.model.release import LATEST, OLDEST, Release
from renderer.model.render_config import PROJECT_FILE, ExpandMode, RenderConfig

#: The folder at the top of the project in which each namespace gets a folder.
OUTPUT = "overlays"


class ClusterImport(NamedTuple):
    """A dump in ``files`` and folders (``-`` is the ``piped`` content), and the folder to write to.

    ``output`` is relative to the working directory; the default is ``overlays`` at the top of the project.
    Without ``kubevirt``, the release is read from the dump. ``force`` replaces files. ``all_namespaces`` also
    imports namespaces without a virtual machine.
    """

    files: tuple[str, ...]
    piped: BinaryIO
    output: Path | None = None
    kubevirt: Release | None = None
    choices: SourceChoices = SourceChoices()
    force: bool = False
    dry_run: bool = False
    all_namespaces: bool = False


class ImportedCluster(NamedTuple):
    """The result: ``objects`` by kind, files that were ``written``, and files that were already up to date.

    ``left_out`` counts omitted objects by kind and reason, ``fields`` the omitted fields of the cluster.
    ``to_seal`` are the placeholders. ``fits`` has the result for each machine whose instance type was looked
    for, ``sizes`` the proposed sizes that several machines share. ``grouped`` machines are patches of
    ``bases``. ``output`` is the folder of the sources, ``rendered`` the folder of the rendered trees. If
    ``findings`` has an error, nothing was written.
    """

    findings: tuple[Located, ...]
    objects: Mapping[str, int] = {}
    left_out: Mapping[tuple[str, str], int] = {}
    fields: int = 0
    to_seal: tuple[str, ...] = ()
    pins: int = 0
    release: Release = LATEST
    written: tuple[str, ...] = ()
    unchanged: int = 0
    fits: tuple[FitReport, ...] = ()
    sizes: tuple[SizeProposal, ...] = ()
    grouped: int = 0
    bases: int = 0
    output: str = OUTPUT
    rendered: str = "rendered"


def import_cluster(project: Project, request: ClusterImport) -> ImportedCluster:
    """Write the sources of a cluster into a folder of the project.

    Nothing is written if there is an error. Existing files stay unless ``force`` is set. Raises
    ``UsageError`` for a folder outside the project and an invalid label key, and ``DiagnosticError``.
    """
    label = request.choices.group_by
    label_errors = label_key_errors(label) if label else []
    if label_errors:
        raise UsageError(f"{label} is not a label key: {label_errors[0]}", "--group-by")
    output = _output_folder(project, request.output)
    try:
        dump = read_dump(find_files(request.files, request.piped))
        gathered = gather(dump, all_namespaces=request.all_namespaces)
    except DiagnosticError as error:
        return ImportedCluster(_locate(error.diagnostics))
    if not gathered.objects and not has_errors(gathered.findings):
        nothing = Diagnostic(
            Code.DUMP_INVALID,
            "the dump holds no object that belongs in Git",
            hint="print virtual machines and what they need: "
            "kubectl get vm,datavolume,pvc,service -A -o yaml",
            location=Location(request.files[0]) if request.files else None,
        )
        return ImportedCluster(_locate((*gathered.findings, nothing)))
    release, release_findings = _target_release(gathered.kubevirt, request.kubevirt, project.config)
    rules = project.config.rules
    findings = with_levels((*gathered.findings, *release_findings), rules)
    if has_errors(findings):
        return ImportedCluster(_locate(findings))
    planned = plan_sources(project, output, gathered, release, request.choices)
    writes = {posixpath.join(output, path): text.encode() for path, text in planned.files.items()}
    fs = project.fs
    to_write = (*writes, PROJECT_FILE)
    check_writable(project.root, to_write)
    before = {path: fs.read(path) if fs.is_file(path) else None for path in to_write}
    writes |= _project_file(project, output, planned, release)
    findings = (*findings, *with_levels(planned.findings, rules))
    changed, in_the_way = _changed_files(writes, before, force=request.force)
    if in_the_way:
        return ImportedCluster(_locate((*findings, *in_the_way)))
    unlisted = (
        Diagnostic.in_file(
            path,
            Code.FILE_UNLISTED,
            f"{path} stays, and the kustomization that the import writes does not list it",
            "remove it if the cluster no longer has its objects; list it again if it is yours",
            severity=Severity.WARNING,
        )
        for path in newly_unlisted_files(fs, changed)
    )
    kinds = {kind for kind, _ in gathered.left_out} | {each.resource.kind for each in gathered.objects}
    has_secrets = "Secret" in kinds or any(each.is_placeholder for each in planned.objects)
    exposed = _exposed_dumps(project, request.files) if has_secrets else ()
    findings = (*findings, *with_levels((*unlisted, *exposed), rules))
    if not request.dry_run and not has_errors(findings):
        change_files(project.root, changed, (), {path: before[path] for path in changed})
    return ImportedCluster(
        findings=_locate(findings),
        objects=counted_by_kind(planned.objects),
        left_out=gathered.left_out,
        fields=gathered.fields,
        to_seal=tuple(posixpath.join(output, each.path) for each in planned.objects if each.is_placeholder),
        pins=planned.pins,
        release=release,
        written=tuple(changed),
        unchanged=len(writes) - len(changed) + len(planned.kept),
        fits=planned.fitted.reports,
        sizes=planned.fitted.proposals,
        grouped=sum(bool(each.group) for each in planned.objects),
        bases=len({(each.folder, each.group) for each in planned.objects if each.group}),
        output=output,
        rendered=rendered_folder(project, output),
    )


def _project_file(
    project: Project, output: str, planned: PlannedSources, release: Release
) -> Mapping[str, bytes]:
    """Return the project file with entries for all folders with objects. Raises ``DiagnosticError``."""
    modes = {
        posixpath.join(output, folder): planned.modes.get(folder, ExpandMode.OFF)
        for folder in sorted({each.folder for each in planned.objects})
    }
    catalogs = tuple(posixpath.join(output, folder) for folder in planned.catalogs)
    return project_file(project, output, modes, catalogs, release)


def _output_folder(project: Project, written: Path | None) -> str:
    """Return the folder below the root of the project. Raises ``UsageError`` and ``DiagnosticError``."""
    if written is None:
        return OutputFolder.locate(project.root, OUTPUT).path
    path = Path(os.path.normpath(Path.cwd() / written))
    if not path.is_relative_to(project.root):
        raise UsageError(f"{written} lies outside the repository {project.root}", "--output")
    return OutputFolder.locate(project.root, path.relative_to(project.root).as_posix()).path


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
    nearest = min(max(release, OLDEST.minor_release), LATEST)
    warning = Diagnostic(
        Code.NOT_CHECKED,
        f"the cluster runs KubeVirt {release}; its objects are checked against {nearest}",
        hint=f"vmrender renders for KubeVirt {OLDEST.as_bound} to {LATEST}",
        severity=Severity.WARNING,
    )
    return nearest, (warning,)


def _exposed_dumps(project: Project, files: Sequence[str]) -> tuple[Diagnostic, ...]:
    """Return a finding for each file or folder of the dump that Git tracks or would add.

    Outside a Git repository, the result is empty.
    """
    from renderer.files.git import GitProcess  # noqa: PLC0415 - it starts git: only for files in the project

    inside = [
        path.relative_to(project.root).as_posix()
        for path in (Path(os.path.normpath(Path.cwd() / file)) for file in files if file != STDIN)
        if path.is_relative_to(project.root)
    ]
    if not inside:
        return ()
    listing = ("ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", *inside)
    try:
        answer = GitProcess(project.root, project.environment).run("--literal-pathspecs", *listing)
    except DiagnosticError:
        return ()
    found = [] if answer.code else answer.output.split("\0")[:-1]
    named = (name for name in inside if any(f"{path}/".startswith(f"{name}/") for path in found))
    return tuple(
        Diagnostic.in_file(
            name,
            Code.DUMP_EXPOSED,
            f"do not commit {name}: it holds values of Secrets, and Git does not ignore it",
            "move it out of the repository, or list it in .gitignore until you remove it",
            severity=Severity.WARNING,
        )
        for name in named
    )


def _locate(findings: Iterable[Diagnostic]) -> tuple[Located, ...]:
    """Return the findings in the order of the dump and the planned sources; they know their lines."""
    return tuple(map(RunFindings(None).located, findings))


def _changed_files(
    writes: Mapping[str, bytes], before: Mapping[str, bytes | None], *, force: bool
) -> tuple[dict[str, bytes], tuple[Diagnostic, ...]]:
    """Return the files that differ from the files on disk, and a finding about each that is in the way."""
    changed: dict[str, bytes] = {}
    in_the_way: list[Diagnostic] = []
    for path, content in writes.items():
        present = before[path]
        if present == content:
            continue
        changed[path] = content
        if present is not None and path != PROJECT_FILE and not force:
            message = f"{path} already exists, and differs from the cluster"
            hint = "nothing was written; compare with another folder as --output, or replace it with --force"
            in_the_way.append(Diagnostic.in_file(path, Code.FILE_EXISTS, message, hint))
    return changed, tuple(in_the_way)
