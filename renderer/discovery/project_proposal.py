"""The project file that results from a survey of a repository, and messages about it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from renderer.discovery.detected_release import agreed
from renderer.discovery.manifests import Manifests
from renderer.discovery.other_release import OtherRelease, other_releases
from renderer.discovery.survey import survey as survey_of
from renderer.discovery.survey_results import FoundEntry, LeftOut, Survey
from renderer.files.builtin_catalogs import BuiltinFileSystem
from renderer.files.file_system import DiskFileSystem, FileSystem
from renderer.findings.located import LocatedError
from renderer.findings.run_findings import locate
from renderer.model.cluster_settings import CatalogPath
from renderer.model.diagnostic import DiagnosticError
from renderer.model.entry_point import ENGINE_KINDS, EntryKind
from renderer.model.plural import plural
from renderer.model.release import LATEST, Release
from renderer.model.render_config import PROJECT_FILE, OverlayEntry, RenderConfig
from renderer.pipeline.entry_points import look_up_overlays
from renderer.project.project import check_project_name, load_project
from renderer.yamlio.scalar_text import is_ambiguous

_UNKNOWN_URLS = (
    "# No Application or Flux source names a Git remote of this repository. If it is one of these, list that",
    "# here, and run vmrender init again; it then says what to add.",
    "# repositories:",
)
_PLAIN = re.compile(r"[A-Za-z0-9./][A-Za-z0-9._/-]*")


class ProjectProposal(NamedTuple):
    """The result of a survey, and the existing project, if any.

    ``other_releases`` are those that the project is not rendered for, and that the repository installs.
    """

    survey: Survey
    config: RenderConfig | None = None
    other_releases: tuple[OtherRelease, ...] = ()

    @property
    def machines(self) -> int:
        return self.survey.machines

    @property
    def lists_overlays(self) -> bool:
        """Return True if the project file, or the one to be written, has overlays to render."""
        own = self.config.overlays if self.config else RenderConfig().overlays
        return bool(self.survey.entries) or own != RenderConfig().overlays

    @property
    def is_more_than_overlays(self) -> bool:
        """Return True if there are virtual machines that the usual project file does not render."""
        return any(
            each.entry.listed_by != "path"
            or each.entry.entry.kind is not EntryKind.KUSTOMIZATION
            or not fnmatchcase(each.entry.path, "overlays/*")
            for each in self.survey.entries
        ) or bool(self.survey.broken or any(each.machines for each in self.survey.left_out))

    @property
    def is_without_machines(self) -> bool:
        """Return True if the repository uses KubeVirt and has nothing to render."""
        return self.survey.uses_kubevirt and not self.survey.entries

    def broken_of(self, listed: Collection[str]) -> tuple[OverlayEntry, ...]:
        """Return the entries with ``listed`` paths that cannot be built, and so are not proposed."""
        proposed = {each.path for each in self.config.overlays} if self.config else frozenset[str]()
        entries = (with_repoint(each.entry) for each in self.survey.broken)
        return tuple(each for each in entries if each.path in listed and each.path not in proposed)

    def project_text(self, release: Release | None) -> str:
        return project_text(self.survey, release)

    @property
    def summary(self) -> tuple[str, ...]:
        return tuple(summary(self.survey))

    @property
    def releases(self) -> tuple[str, ...]:
        """Return what the project file says about releases, and why."""
        return tuple(_releases(self.survey))

    @property
    def not_rendered(self) -> tuple[str, ...]:
        """Return paths with virtual machines that are not rendered; the build says more on broken ones."""
        broken = {each.entry.path for each in self.survey.broken}
        left_out = (each for each in self.survey.left_out if each.machines and each.path not in broken)
        return tuple(map(_not_rendered, left_out))

    @property
    def kept(self) -> tuple[str, ...]:
        """Return what engines go on to apply once they are pointed at the trees, by entry."""
        return tuple(f"{each.entry.path}: {kept}" for each in self.survey.entries for kept in each.kept)

    @property
    def total(self) -> str:
        """Return the number of virtual machines and of overlays, in words."""
        return next(summary(self.survey))

    @property
    def switches(self) -> tuple[str, ...]:
        """Return, for each entry of an engine, what points the engine at its trees, with cautions."""
        switched = [each for each in self.survey.entries if each.switch]
        by_object: dict[str, list[str]] = {}
        for each in switched:
            for name in dict.fromkeys(each.started):
                by_object.setdefault(name, []).append(each.entry.path)
        cautions = [caution for each in switched for caution in each.cautions]
        cautions += [
            f"{name} is an object of {len(paths)} entries ({', '.join(paths)}): in one cluster, apply it from"
            " one of them only, or the last one replaces the others"
            for name, paths in by_object.items()
            if len(paths) > 1
        ]
        return (*(each.switch for each in switched), *(f"note: {each}" for each in dict.fromkeys(cautions)))

    @property
    def changes(self) -> tuple[str, ...]:
        """Return the messages of a second run; none if there is no project yet."""
        if self.config is None:
            return ()
        what = (
            "that can be built"
            if self.broken_of({each.entry.path for each in self.survey.broken})
            else "of it"
        )
        listed = tuple(changes(self.survey, self.config)) or (f"vmrender.yaml lists all {what}",)
        return (
            *listed,
            *(f"{each}; {each.advice} ({each.installed})" for each in self.other_releases),
        )


def survey_repository(root: Path) -> ProjectProposal:
    """Return a survey of the repository in ``root``.

    Raises ``DiagnosticError`` for a project file with the wrong name, ``LocatedError`` for a mistake in it.
    """
    fs = BuiltinFileSystem(DiskFileSystem(root))
    check_project_name(fs)
    try:
        config = load_project(fs) if fs.is_file(PROJECT_FILE) else None
    except DiagnosticError as error:
        raise LocatedError(*locate(fs, error.diagnostics)) from None
    others: tuple[OtherRelease, ...] = ()
    if config is not None:
        with suppress(DiagnosticError):  # reported by what renders the overlays
            overlays = look_up_overlays(fs, config).overlays
            others = tuple(other_releases(Manifests(fs, config.exclude), config, overlays, overlays))
    return ProjectProposal(survey_of(fs, config, with_adoption=True), config, others)


def proposed_project(fs: FileSystem, config: RenderConfig) -> ProjectProposal | None:
    """Return the proposal of ``init`` for a repository without a project; None if the defaults suffice."""
    found = ProjectProposal(survey_of(fs, config))
    survey = found.survey
    listed = survey.entries or survey.broken
    overlays = config.overlays
    if found.is_more_than_overlays and listed:
        overlays = tuple(with_repoint(each.entry) for each in listed)
    proposed = config._replace(
        kubevirt=survey.release or config.kubevirt,
        catalogs=(*map(CatalogPath, _default_catalogs(survey)), *config.catalogs),
        clusters=survey.clusters or config.clusters,
        overlays=overlays,
    )
    return None if proposed == config else found._replace(config=proposed)


def with_repoint(entry: OverlayEntry) -> OverlayEntry:
    """Return the entry of a new project: trees of an engine's entry have copies that point at trees."""
    return entry._replace(entry=entry.entry._replace(repoint=entry.entry.has_engine))


def project_text(survey: Survey, release: Release | None = None) -> str:
    """Return ``vmrender.yaml`` for the results of the survey, with comments on omitted paths."""
    target = release or survey.release or LATEST
    broken = {each.entry.path for each in survey.broken}
    lines = ["apiVersion: vmrender.io/v1alpha1", "kind: RenderConfig", ""]
    where = "the repository deploys" if release is None and survey.release is not None else "the cluster runs"
    lines.append(f"# The release that {where}. What it refuses is refused here, too.")
    lines += [f'kubevirt: "{target.as_target}"', ""]
    lines += ["# Where instance types and preferences are looked up; the first hit wins.", "catalogs:"]
    lines += [f"  - path: {_scalar(path)}" for path in _default_catalogs(survey)]
    lines += [
        "  - builtin: common-instancetypes",
        "",
        *_cluster_lines(survey),
        f"# What deploys {'instance types' if survey.sizes else 'virtual machines'} in this repository.",
        "overlays:" if survey.entries else "overlays: []",
    ]
    for found in survey.entries:
        lines += [f"  # {_summary(found)}", *_entry_lines(found.entry)]
    for found in survey.broken:
        lines += [f"  # {_summary(found)}", *(f"  #{line[1:]}" for line in _entry_lines(found.entry))]
    lines += ["output: rendered/{name}"]
    if survey.unknown_urls:
        lines += ["", *_UNKNOWN_URLS, *(f"#   - {_scalar(url)}" for url in survey.unknown_urls)]
    left_out = [each for each in survey.left_out if each.path not in broken]
    if left_out:
        lines += ["", "# Not rendered:"]
        for each in left_out:
            count = f" ({plural(each.machines, 'virtual machine')})" if each.machines else ""
            lines.append(f"#   {_comment(each.path)}: {_comment(each.reason + count)}")
    return "\n".join(lines) + "\n"


def _default_catalogs(survey: Survey) -> Iterator[str]:
    """Yield the catalogs that are not of one of several clusters."""
    every = [frozenset(each.catalogs or ()) for each in survey.clusters]
    shared = frozenset.intersection(*every) if every else frozenset()
    for path in survey.catalogs:
        if not every or CatalogPath(path) in shared:
            yield path


def _cluster_lines(survey: Survey) -> Iterator[str]:
    if survey.clusters:
        yield "# The clusters; what they omit is as above. An overlay goes to the one that its path names."
        yield "clusters:"
    for each in survey.clusters:
        yield f"  - name: {_scalar(each.name)}"
        if each.kubevirt:
            yield f"    kubevirt: {_scalar(each.kubevirt.as_target)}"
        yield f"    configuration: [{', '.join(map(_scalar, each.configuration or ()))}]"
        own = [source.path for source in each.catalogs or () if isinstance(source, CatalogPath)]
        if own != list(_default_catalogs(survey)):
            yield "    catalogs:"
            yield from (f"      - path: {_scalar(path)}" for path in own)
            yield "      - builtin: common-instancetypes"
    if survey.clusters:
        yield ""


def summary(survey: Survey) -> Iterator[str]:
    """Yield the results, one per line: totals, and paths that are not rendered."""
    clusters = {
        kind: [each for each in survey.entries if each.entry.entry.kind is kind] for kind in ENGINE_KINDS
    }
    overlays = sum(each.overlays for each in survey.entries)
    counted = plural(survey.machines, "virtual machine")
    if survey.sizes:
        counted = f"no virtual machine, and {_sizes(survey.sizes)}"
    elif survey.templates:
        machines = counted if survey.machines else "no virtual machine"
        counted = f"{machines}, and {_templates(survey.templates)}"
    text = f"{counted} in {plural(overlays, 'overlay')}"
    engines = [plural(len(found), kind.engine) for kind, found in clusters.items() if found]
    plain = len(survey.entries) - sum(map(len, clusters.values()))
    if engines:
        engines += ["1 folder" if plain == 1 else f"{plain} folders or files"] if plain else []
        text += f" of {' and '.join(engines)}"
    if survey.broken:
        text += f", and {len(survey.broken)} that cannot be built"
    yield text
    yield from map(_not_rendered, survey.left_out)


def _releases(survey: Survey) -> Iterator[str]:
    """Yield the release of the repository and of each cluster, each with what says it."""
    clusters = [(f"{each.settings.name}: ", each.release) for each in survey.proposed if each.release]
    for where, found in (("", agreed(survey.releases)), *clusters):
        if found and found.release:
            text = f"{where}kubevirt: {found.release.as_target}, because of {found}"
            yield f"{text}; write another if the cluster was upgraded" if found.installed.upgrades else text
    if clusters or not survey.releases or survey.release:
        return
    known = [each for each in survey.releases if each.release] or [survey.releases[0]]
    sources = " and ".join(dict.fromkeys(map(str, known[:2])))
    doubt = "contradict each other" if len(known) > 1 else "does not name a supported release"
    advice = "list each cluster with its release" if len(known) > 1 else "write the one that the cluster runs"
    yield f"kubevirt: {LATEST}, the newest, as {sources} {doubt}; {advice}"


def _not_rendered(left: LeftOut) -> str:
    count = f"{plural(left.machines, 'virtual machine')} in " if left.machines else ""
    return f"not rendered: {count}{left.path}: {left.reason}"


def changes(survey: Survey, config: RenderConfig) -> Iterator[str]:
    """Yield entries that an existing project file lacks, and entries whose paths no longer exist."""
    listed = {(entry.listed_by, entry.path.rstrip("/")) for entry in config.overlays}
    globs = [entry.path for entry in config.overlays if "*" in entry.path]
    found = {(each.entry.listed_by, each.entry.path.rstrip("/")): each for each in survey.entries}
    for key, each in found.items():
        if key not in listed and not any(
            each.entry.listed_by == "path" and fnmatchcase(each.entry.path, pattern) for pattern in globs
        ):
            yield f"new: {each.entry.path} ({_summary(each)}); add under overlays: - {_key(each.entry)}"
    known = config.catalog_folders()
    for path in survey.catalogs:
        if path not in known:
            yield f"new: {path} (instance types or preferences); add under catalogs: - path: {path}"


def _entry_lines(entry: OverlayEntry) -> Iterator[str]:
    yield f"  - {_key(entry)}"
    if entry.entry.has_engine:
        usual = entry.path.rstrip("/").rpartition("/")[2]
        if entry.entry.name_prefix != usual:
            yield f"    name: {_scalar(entry.entry.name_prefix)}"
        yield "    repoint: true"
    if entry.entry.parameters is not None:
        yield "    parameters: {}"
    if entry.output:
        yield f"    output: {_scalar(entry.output)}"


def _key(entry: OverlayEntry) -> str:
    return f"{entry.listed_by}: {_scalar(entry.path)}"


def _summary(each: FoundEntry) -> str:
    if each.error:
        return f"cannot be built: {_comment(each.error)}"
    machines = _sizes(each.sizes) if each.sizes else plural(each.machines, "virtual machine")
    if each.entry.entry.parameters is not None:
        return f"{'VirtualMachineTemplate' if each.templates else 'OpenShift Template'}: {machines}"
    if each.templates:
        machines = (
            f"{machines} and {_templates(each.templates)}" if each.machines else _templates(each.templates)
        )
    kind = each.entry.entry.kind
    if kind.engine:
        return f"{kind.engine}: {machines} in {plural(each.overlays, 'overlay')}"
    return f"{'plain manifests' if kind is EntryKind.DIRECTORY else 'kustomization'}: {machines}"


def _sizes(count: int) -> str:
    return f"{count} instance types and preferences" if count > 1 else "1 instance type or preference"


def _templates(count: int) -> str:
    return (
        f"{count} VirtualMachineTemplates or requests" if count > 1 else "1 VirtualMachineTemplate or request"
    )


def _scalar(text: str) -> str:
    return text if _PLAIN.fullmatch(text) and not is_ambiguous(text) else json.dumps(text)


def _comment(text: str) -> str:
    return " ".join(text.split())
