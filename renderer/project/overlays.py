"""Find the overlays of a project: resolve its entries and their globs to folders."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from types import MappingProxyType

from renderer.files.file_system import FileSystem, FoldersAsFirstListed
from renderer.golang.glob import shell_glob
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity, has_errors
from renderer.model.engines import MANIFESTS
from renderer.model.entry_point import EntryKind, EntryPoint
from renderer.model.kube.field_path import ElementName, FieldPath
from renderer.model.kube.json import text_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import COMPONENT_KIND, KUSTOMIZATION_FILES
from renderer.model.record import Record
from renderer.model.render_config import PROJECT_FILE, Overlay, OverlayEntry, RenderConfig
from renderer.model.run.limits import limits, over_limit
from renderer.model.run.work import spend
from renderer.model.suggest import suggest, suggest_paths
from renderer.project.overlay_clusters import ambiguous_cluster, unnamed_clusters
from renderer.project.tree_paths import IS_RENDERED, tree_around, tree_at
from renderer.yamlio.decode import decode_yaml11

_OVERLAYS = FieldPath.of("overlays")
#: ``vmrender init`` and ``import`` write it, too, where it matches nothing yet.
_DEFAULT = RenderConfig().overlays[0]
#: Work steps (``model.run.work``) for listing a folder, and for each part of a path in it, maybe a link.
_LISTING, _LOOKING = 60, 60


class Suspended(Record):
    """An overlay that its engine no longer applies, or, with ``by_parent``, whose Kustomization it does not.

    Its objects stay in the cluster, and its tree in ``output``. ``entry`` is the object that deployed it.
    """

    output: str
    entry: Resource
    by_parent: bool = False


class EntryReport:
    """What is known of an entry of Flux or Argo CD beside its overlays.

    ``findings`` are about what cannot be found. ``is_complete`` is False if the entry may deploy more
    overlays than are known. ``is_certain`` is False if the known overlays may differ from what is deployed:
    their trees are not written. ``is_empty``: all that it deploys is known, and nothing of it is rendered.
    ``suspended`` has overlays by path.
    """

    def __init__(self) -> None:
        self.findings: list[Diagnostic] = []
        self.is_complete = True
        self.is_certain = True
        self.is_empty = False
        self.suspended: dict[str, Suspended] = {}

    def add(self, findings: Iterable[Diagnostic]) -> None:
        """Add findings about the entry; with an error among them, it is not complete."""
        self.findings += findings
        self.is_complete = self.is_complete and not has_errors(self.findings)

    def nothing_rendered(self, error: DiagnosticError) -> DiagnosticError:
        """Return the error about an entry without overlays; note that it is empty if that alone is wrong."""
        others = (each for each in error.diagnostics if each.code is not Code.ENTRY_POINT)
        self.is_empty = self.is_complete and not has_errors(others)
        return error


_NONE_SUSPENDED: Mapping[str, Suspended] = MappingProxyType({})


class FoundOverlays(Record):
    """The overlays of a project, and the findings about entries, some of whose overlays cannot be found.

    ``overlays`` are in the order of the entries, ``findings`` have the path of the entry.
    ``incomplete_entries`` are the paths of entries that may have overlays which are not known,
    ``uncertain_entries`` of entries whose overlays may differ from what is deployed, ``empty_entries`` of
    entries that certainly have none, which is an error all the same. ``suspended`` has overlays by path.
    ``cluster`` is the cluster that a command is about; empty for all.
    """

    overlays: tuple[Overlay, ...]
    findings: tuple[tuple[str, Diagnostic], ...] = ()
    incomplete_entries: frozenset[str] = frozenset()
    uncertain_entries: frozenset[str] = frozenset()
    empty_entries: frozenset[str] = frozenset()
    suspended: Mapping[str, Suspended] = _NONE_SUSPENDED
    cluster: str = ""

    @property
    def chosen(self) -> tuple[Overlay, ...]:
        """The overlays of the chosen cluster; all without one."""
        if not self.cluster:
            return self.overlays
        return tuple(each for each in self.overlays if each.cluster == self.cluster)

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The errors: with one of them, there are overlays that are not known."""
        return tuple(found for _, found in self.findings if found.severity is Severity.ERROR)

    def all_overlays(self) -> tuple[Overlay, ...]:
        """Return the overlays if all are known. Raises ``DiagnosticError`` with the findings otherwise."""
        if self.errors:
            raise DiagnosticError(*(found for _, found in self.findings))
        return self.overlays


def find_overlays(fs: FileSystem, config: RenderConfig) -> tuple[Overlay, ...]:
    """Return every overlay of entries without an engine. Raises ``DiagnosticError`` if one of them fails."""
    return look_up_overlays(fs, config).all_overlays()


def look_up_overlays(
    fs: FileSystem,
    config: RenderConfig,
    resolve_entry: Callable[[OverlayEntry, EntryReport], Iterable[Overlay]] = lambda _entry, _report: (),
) -> FoundOverlays:
    """Find every overlay that can be found; of two entries for a folder, the later one counts.

    ``resolve_entry`` finds the overlays of a Flux or Argo CD entry, and reports what it cannot find. An entry
    that fails has no overlays, like a glob that matches nothing while another entry matches. Raises
    ``DiagnosticError``: config-invalid for two overlays with the same output; build-limit for too many
    overlays.
    """
    fs = FoldersAsFirstListed(fs)
    found: dict[str, Overlay] = {}
    findings: list[tuple[str, Diagnostic]] = []
    unmatched: list[OverlayEntry] = []
    reports: list[tuple[str, EntryReport]] = []
    for entry in config.overlays:
        report = EntryReport()
        reports.append((entry.path, report))
        try:
            if entry.entry.has_engine:
                found |= {overlay.path: overlay for overlay in resolve_entry(entry, report)}
            else:
                folders = _folders_of_entry(fs, entry)
                found |= {folder: _overlay_in(fs, config, entry, folder) for folder in folders}
                unmatched += () if folders or entry.path == _DEFAULT.path else (entry,)
        except DiagnosticError as error:
            report.add(error.diagnostics)
        findings += ((entry.path, each) for each in report.findings)
    if found:
        findings += ((entry.path, _unmatched_glob(fs, entry)) for entry in unmatched)
    if len(found) > limits().overlays:
        message = f"the project has {len(found)} overlays, more than {limits().overlays}"
        raise over_limit("overlays", message, Site(PROJECT_FILE, 0, _OVERLAYS))
    _check_names(found.values())
    _check_outputs(found.values())
    _check_clusters(config, found.values())
    failed = [path for path, about_entry in findings if about_entry.severity is Severity.ERROR]
    if found and not failed and all(report.is_complete for _, report in reports):
        findings += (("", each) for each in unnamed_clusters(config, found.values()))
        if config.facts_files:
            from renderer.project.cluster_facts import outdated_facts  # noqa: PLC0415 - few projects have any

            findings += (("", each) for each in outdated_facts(fs, config))
    return FoundOverlays(
        tuple(found.values()),
        tuple(findings),
        incomplete_entries=frozenset(
            (*failed, *(path for path, report in reports if not report.is_complete))
        ),
        uncertain_entries=frozenset(path for path, report in reports if not report.is_certain),
        empty_entries=frozenset(path for path, report in reports if report.is_empty),
        suspended={
            path: each
            for _, report in reports
            for path, each in report.suspended.items()
            if path not in found
        },
    )


def _overlay_in(fs: FileSystem, config: RenderConfig, entry: OverlayEntry, folder: str) -> Overlay:
    """Return the overlay in a folder; without a kustomization, it is a plain folder or file of manifests."""
    name = posixpath.basename(folder)
    if "." in name and fs.is_file(folder):
        name = posixpath.splitext(name)[0]
    overlay = config.overlay(entry, folder, name)
    kind = entry.entry.kind
    if kind is EntryKind.KUSTOMIZATION:
        # A glob skips folders without a kustomization.
        has_none = not _is_glob(entry.path) and _kustomization_file(fs, folder) is None
        kind = EntryKind.DIRECTORY if has_none else kind
    has_parameters = entry.entry.parameters is not None or bool(entry.entry.parameter_file)
    if kind is EntryKind.KUSTOMIZATION and not has_parameters:
        return overlay
    return overlay._replace(entry=EntryPoint(entry.entry._replace(kind=kind)))


def names_of(overlay: Overlay) -> tuple[str, ...]:
    """Return what the overlay is called: name, path, and the path of its entry, which may list others."""
    return overlay.name, overlay.path, posixpath.normpath(overlay.listed_as)


def is_named(overlay: Overlay, wanted: str) -> bool:
    """Return True if the overlay is called ``wanted``, or matches it: ``clusters/prod:*``, ``prod-?``."""
    name = posixpath.normpath(wanted)
    names = names_of(overlay)
    return name in names or (_is_glob(name) and any(fnmatchcase(each, name) for each in names))


def overlay_at(config: RenderConfig, overlays: Iterable[Overlay], folder: str) -> Overlay:
    """Return the project's overlay in ``folder``, or else one with the project's defaults.

    The latter is never deployed to a cluster, so it does not count as an overlay that writes instance types.
    It is for the cluster that the command is about, or else a catalog for the cluster that lists it.
    """
    known = (
        overlay for overlay in overlays if overlay.path == folder and config.cluster in ("", overlay.cluster)
    )
    listing = config.catalog_folders().get(folder, ()) if config.clusters and not config.cluster else ()
    cluster = listing[0] if len(listing) == 1 else config.cluster
    entry = OverlayEntry(folder, write_instancetypes=False, cluster=cluster)
    return next(known, None) or config.overlay(entry, folder, posixpath.basename(folder))


def output_sites(overlay: Overlay) -> tuple[Site, ...]:
    """Return the places in the project file that decide the overlay's output folder."""
    entry = entry_site(overlay.listed_as, overlay.listed_by)
    return (
        entry.below("output"),
        Site(PROJECT_FILE, 0, FieldPath.of("output")),
        entry.below(overlay.listed_by),
    )


def entry_site(path: str, listed_by: str = "path") -> Site:
    """Return the site of the project's entry that has ``path`` in the field ``listed_by``."""
    return Site(PROJECT_FILE, 0, _OVERLAYS.child(ElementName(listed_by, path)))


def may_have_overlays(fs: FileSystem, entry: OverlayEntry) -> bool:
    """Return False for an entry that names no file or folder, or whose pattern matches no folder."""
    path = posixpath.normpath(entry.path)
    if _is_glob(path):
        return any(_matching_folders(fs, ".", path.split("/")))
    return fs.is_file(path) or fs.is_folder(path)


def _folders_of_entry(fs: FileSystem, entry: OverlayEntry) -> tuple[str, ...]:
    pattern = posixpath.normpath(entry.path)
    plain = entry.entry.kind is not EntryKind.KUSTOMIZATION
    if _is_glob(pattern):
        folders = _matching_folders(fs, ".", pattern.split("/"))
        return tuple(
            each
            for each in folders
            if (plain and _has_manifests(fs, each)) or _is_overlay(fs, each)
            if not tree_around(fs, each)
        )
    check_is_source(fs, pattern, "path", entry.path)
    if _kustomization_file(fs, pattern) is None and not _has_manifests(fs, pattern) and not plain:
        message = f"no overlay in {pattern}"
        hint = f"it needs one of {', '.join(KUSTOMIZATION_FILES)}"
        if not fs.is_folder(pattern) and not fs.is_file(pattern):
            message, hint = missing_path(fs, pattern)
        site = entry_site(entry.path).below("path")
        raise Diagnostic.at(site, Code.KUSTOMIZATION_MISSING, message, hint).error()
    return (pattern,)


def check_is_source(fs: FileSystem, path: str, listed_by: str, listed_as: str) -> None:
    """Raise ``DiagnosticError`` (rendered-source) if the path of an entry leads into a rendered tree."""
    tree = tree_at(fs, path)
    if tree:
        site = entry_site(listed_as, listed_by).below(listed_by)
        message = f"{path} leads into {tree}, {IS_RENDERED}"
        hint = "name the folder of the sources"
        raise Diagnostic.at(site, Code.RENDERED_SOURCE, message, hint).error()


def _unmatched_glob(fs: FileSystem, entry: OverlayEntry) -> Diagnostic:
    """Return the error about a glob that matches no overlay; the hint corrects its first mistyped part."""
    parts = posixpath.normpath(entry.path).split("/")
    hint = "the folders that it matches have no kustomization: correct the pattern, or remove the entry"
    above: tuple[str, ...] = (".",)
    for index, part in enumerate(parts):
        matched = tuple(_matching_folders(fs, ".", parts[: index + 1]))
        if not matched:
            names = sorted({name for folder in above for name in fs.list(folder)})
            spend(len(names) // 4, "finding overlays")
            nearest = ["/".join((*parts[:index], name, *parts[index + 1 :])) for name in suggest(part, names)]
            hint = f"did you mean {' or '.join(nearest)}?" if nearest else "correct it, or remove the entry"
            break
        above = matched
    site = entry_site(entry.path, entry.listed_by).below(entry.listed_by)
    return Diagnostic.at(site, Code.KUSTOMIZATION_MISSING, f"{entry.path} matches no overlay", hint)


def missing_path(fs: FileSystem, path: str) -> tuple[str, str]:
    """Return the message and the hint for an entry of ``overlays`` that names no file or folder."""
    nearest = suggest_paths(path, fs.list)
    hint = (
        f"did you mean {' or '.join(nearest)}?"
        if nearest
        else "write the path relative to the folder of vmrender.yaml"
    )
    return f"no such file or folder: {path}", hint


def _has_manifests(fs: FileSystem, path: str) -> bool:
    """Return True if the path is a manifest, or a folder with a manifest in it."""
    if fs.is_file(path):
        return path.endswith(MANIFESTS)
    return any(name.endswith(MANIFESTS) for name in fs.list(path))


def _is_overlay(fs: FileSystem, folder: str) -> bool:
    """Return True if the folder can be built by itself; a component cannot."""
    file = _kustomization_file(fs, folder)
    if file is None:
        return False
    content = fs.read(file)
    if (
        COMPONENT_KIND.encode() not in content and b"\\" not in content
    ):  # however it is quoted, and most are not
        return True
    try:
        return text_at(decode_yaml11(content, file), "kind") != COMPONENT_KIND
    except DiagnosticError:  # reported when the overlay is built
        return True


def _kustomization_file(fs: FileSystem, folder: str) -> str | None:
    files = (posixpath.join(folder, name) for name in KUSTOMIZATION_FILES)
    return next((file for file in files if fs.is_file(file)), None)


def _matching_folders(fs: FileSystem, folder: str, pattern: list[str]) -> Iterator[str]:
    head, *rest = pattern
    names: Iterable[str] = (head,)
    if _is_glob(head):
        listed, glob = fs.list(folder), shell_glob(head)
        spend(_LISTING + len(listed) * (len(head) // 8 + 1), "finding overlays")
        names = [name for name in listed if name == head or glob.matches(name)]
    for name in names:
        path = posixpath.normpath(posixpath.join(folder, name))
        if fs.is_folder(path):
            spend(_LOOKING * (2 + path.count("/")), "finding overlays")
            if rest:
                yield from _matching_folders(fs, path, rest)
            else:
                yield path


def _is_glob(pattern: str) -> bool:
    return any(character in pattern for character in "*?[")


def _check_names(overlays: Iterable[Overlay]) -> None:
    """Reject names that would act on a terminal or a CI system. Raises ``DiagnosticError``."""
    for overlay in overlays:
        for name in (overlay.path, overlay.output):
            if name.isprintable() and not name.lstrip().startswith(("::", "##")):
                continue
            site = entry_site(overlay.listed_as, overlay.listed_by).below(overlay.listed_by)
            hint = "rename it; names hold no control characters and do not begin with :: or ##"
            raise Diagnostic.at(
                site, Code.CONFIG_INVALID, f"{name!r} is not a name for an overlay", hint
            ).error()


def _check_clusters(config: RenderConfig, overlays: Iterable[Overlay]) -> None:
    for overlay in overlays if config.clusters else ():
        site = entry_site(overlay.listed_as, overlay.listed_by).below(overlay.listed_by)
        ambiguous = ambiguous_cluster(config.clusters, overlay, site)
        if ambiguous:
            raise ambiguous.error()


def _check_outputs(overlays: Iterable[Overlay]) -> None:
    outputs: dict[str, Overlay] = {}
    for overlay in overlays:
        other = outputs.setdefault(posixpath.normpath(overlay.output), overlay)
        if other is not overlay:
            raise Diagnostic(
                Code.CONFIG_INVALID,
                f"overlays {other.path} and {overlay.path} are both rendered into {overlay.output}",
                hint="give one of them its own output",
                sites=output_sites(overlay),
            ).error()
