"""Search a repository that was not written for vmrender for everything that deploys virtual machines.

Files are selected by words in their text. Only relevant files are parsed as YAML, and only folders and
entries that may deploy a virtual machine are composed.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from renderer.discovery.found_entries import FoundEntry, LeftOut, Survey, with_distinct_outputs
from renderer.discovery.machines_in_files import are_patches, holders, machine_ids, matched, mentions
from renderer.emit.ownership import OWNERSHIP_FILE
from renderer.files.file_system import FileSystem, is_inside
from renderer.findings.run_findings import locate
from renderer.gitops.argocd.application import is_application, is_application_set, sources
from renderer.gitops.flux.cluster_root import cluster_root
from renderer.gitops.flux.discovery import is_flux_kustomization
from renderer.gitops.openshift_template import is_template, process_templates
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph
from renderer.kustomize.reader.resources import read_resources
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.model.entry_point import EntryKind, EntryOptions
from renderer.model.json import array_at, object_at, scalar_text, text_at
from renderer.model.location import Site
from renderer.model.release import Release, target_release
from renderer.model.render_config import Overlay, OverlayEntry, RenderConfig
from renderer.model.resource import Resource, ResourceSet
from renderer.pipeline import Pipeline
from renderer.pipeline.entry_points import find_overlays
from renderer.pipeline.reached_objects import MACHINES, is_broken
from renderer.project.definitions import Definitions
from renderer.project.entry_settings import cluster_name
from renderer.project.lone_file import TEMPLATE_TAG
from renderer.project.validation_scope import ManifestFiles

_INSTANCETYPE = re.compile(
    rb"^kind:[ \t]*[\"']?VirtualMachine(?:Cluster)?(?:Instancetype|Preference)\b", re.MULTILINE
)
#: Texts in files that may deploy virtual machines, directly or through other entry points.
_SIGNS = (b"kubevirt.io/", b"kustomize.toolkit.fluxcd.io", b"source.toolkit.fluxcd.io", b"argoproj.io")
_SIGNS_OF_VARIABLES = (b"kind: ConfigMap", b"kind: Secret", b"configMapGenerator", b"secretGenerator")
_NO_MACHINE = "it leads to no virtual machine"
_PATCH = "it looks like a patch that no kustomization lists"
_OPERATOR = re.compile(rb"virt-operator:v([0-9]+\.[0-9]+(?:\.[0-9]+)?)")


def survey(fs: FileSystem, config: RenderConfig | None = None) -> Survey:
    """Return the survey of a repository; ``config`` has its URLs and clusters, if there is a project."""
    return _Surveyor(fs, config or RenderConfig()).survey()


class _Surveyor:
    def __init__(self, fs: FileSystem, config: RenderConfig) -> None:
        self._fs = fs
        self._config = config._replace(output="rendered/{name}", limits={})
        self._graph = KustomizationGraph(fs)
        self._covered: set[str] = set()
        self._entries: list[FoundEntry] = []
        self._broken: list[FoundEntry] = []
        self._left_out: list[LeftOut] = []
        self._meant: set[str] = set()
        self._plain: list[ResourceSet] = []

    def survey(self) -> Survey:
        for entry in (*self._flux_entries(), *self._argocd_entries()):
            self._add_entry(entry)
        broken = self._broken_roots()
        whole = [folder for folder in self._outermost(self._uncovered()) if folder not in broken]
        for folder in (*broken, *whole):
            if folder in broken or not self._is_meant(folder):
                self._add_entry(OverlayEntry(folder))
        self._templates()
        self._plain_files()
        rendered = {each.entry.path for each in self._entries}
        listed = tuple(with_distinct_outputs((*self._entries, *self._broken)))
        return Survey(
            listed[: len(self._entries)],
            tuple(each for each in self._left_out if each.machines or each.path not in rendered),
            tuple(dict.fromkeys((*self._catalogs(), *self._needed_catalogs()))),
            self._release(),
            tuple(self._gates()),
            listed[len(self._entries) :],
        )

    @cached_property
    def _contents(self) -> dict[str, bytes]:
        """All manifests except files that vmrender wrote, content by path."""
        found: dict[str, bytes] = {}
        for path in ManifestFiles(self._fs, (), OWNERSHIP_FILE, self._config.exclude).below("."):
            try:
                found[path] = self._fs.read(path)
            except DiagnosticError:
                continue
        return found

    @cached_property
    def _machine_files(self) -> dict[str, int]:
        """Return the likely number of virtual machines in the text of each file."""
        counts = {
            path: mentions(content) for path, content in self._contents.items() if b"kubevirt.io/" in content
        }
        return {path: count for path, count in counts.items() if count}

    def _uncovered(self) -> list[str]:
        return [path for path in self._machine_files if path not in self._covered]

    def _objects(self, *signs: bytes) -> Iterator[tuple[str, Resource]]:
        """Yield the objects of files that contain all ``signs``, as far as they can be read."""
        for path, content in self._contents.items():
            if all(sign in content for sign in signs):
                try:
                    found = read_resources(content, Site(path))
                except DiagnosticError:
                    continue
                yield from ((path, each) for each in found)

    def _bootstrapped(self) -> Iterator[str]:
        """Yield the folders that the bootstrap or the operator of Flux refers to."""
        for path, content in self._contents.items():
            is_sync = posixpath.basename(path) == "gotk-sync.yaml" or b"fluxcd.controlplane.io" in content
            if is_sync or (b"\ninstance:" in content and b"sync:" in content):
                try:
                    root = cluster_root(self._fs, posixpath.dirname(path) or ".").kustomization
                except DiagnosticError:
                    continue
                folder = _normal(text_at(root.content, "spec", "path"))
                if self._fs.is_folder(folder):
                    yield folder

    def _flux_entries(self) -> Iterator[OverlayEntry]:
        """Yield the folders of clusters: Flux was bootstrapped there, or nothing else deploys them."""
        roots = dict.fromkeys(self._bootstrapped())
        found = [(path, each) for path, each in self._objects(b"kustomize.toolkit.fluxcd.io", b"sourceRef")]
        kustomizations = [(path, each) for path, each in found if is_flux_kustomization(each)]
        links = [
            (posixpath.dirname(path) or ".", _normal(text_at(each.content, "spec", "path")))
            for path, each in kustomizations
        ]
        led_to = [to for folder, to in links if not is_inside(folder, to)]
        for folder, to in links:  # Flux was bootstrapped at one that deploys itself
            place = to if is_inside(folder, to) else folder
            if not any(is_inside(place, other) for other in (*roots, *led_to)):
                roots[place] = None
        for folder in _outermost_folders(roots):
            yield OverlayEntry(
                folder, entry=EntryOptions(EntryKind.FLUX, cluster=cluster_name(folder, EntryKind.FLUX))
            )

    def _argocd_entries(self) -> Iterator[OverlayEntry]:
        """Yield folders or files of Applications that no other Application deploys."""
        found = [
            (path, each)
            for path, each in self._objects(b"argoproj.io", b"Application")
            if is_application(each) or is_application_set(each)
        ]
        led_to = [
            (path, _normal(source.path))
            for path, each in found
            for source in sources(each)
            if source.path and "{" not in source.path
        ]
        own = {path for path, _ in found}
        places: dict[str, None] = {}
        for path in sorted(own):
            folder = posixpath.dirname(path) or "."
            if any(by != path and to != "." and is_inside(folder, to) for by, to in led_to):
                continue
            users = list(self._outermost([path]))
            is_alone = folder == "." or self._graph.links(folder) is not None
            for place in users or [path if is_alone else folder]:
                places[place] = None
        for place in _outermost_folders(places):
            yield OverlayEntry(
                place, entry=EntryOptions(EntryKind.ARGOCD, cluster=cluster_name(place, EntryKind.ARGOCD))
            )

    def _outermost(self, files: Iterable[str]) -> Iterator[str]:
        """Yield the outermost kustomizations that include the files."""
        seen: dict[str, None] = {}
        for file in files:
            for folder in self._graph.folders_listing(file):
                for user in self._users.get(folder, ()):
                    seen[user] = None
        yield from seen

    def _broken_roots(self) -> list[str]:
        """Return the outermost kustomizations that seem to use virtual machines, and cannot be built."""
        return [
            root
            for root in sorted({root for users in self._users.values() for root in users})
            if self._graph.may_be_broken(root)
            and self._graph.files(root).isdisjoint(self._covered)
            and self._graph.probably_uses(root, self._machine_files)
        ]

    def _is_meant(self, path: str) -> bool:
        return any(each != "." and is_inside(path, each) for each in self._meant)

    @cached_property
    def _users(self) -> dict[str, tuple[str, ...]]:
        """The outermost kustomizations that use a folder, by that folder."""
        folders = {posixpath.dirname(path) or "." for path in self._contents if "ustomization" in path}
        buildable = [
            folder
            for folder in sorted(folders)
            if (links := self._graph.links(folder)) and not links.is_component
        ]
        users: dict[str, set[str]] = {}
        for root in buildable:
            for folder in self._graph.folders(root):
                users.setdefault(folder, set()).add(root)
        outermost = {root for root in buildable if users.get(root) == {root}}
        return {folder: tuple(sorted(using & outermost)) for folder, using in users.items()}

    def _add_entry(self, entry: OverlayEntry) -> None:
        """Add the entry if its overlays have virtual machines; else note the reason."""
        try:
            overlays = find_overlays(self._fs, self._config._replace(overlays=(entry,)), self._is_relevant)
        except DiagnosticError as error:
            left = LeftOut(entry.path, 0, self._reason(entry, error))
            self._leave_out(entry, left, is_broken=is_broken(error.diagnostics))
            return
        if entry.entry.has_engine:
            machines = sum(overlay.entry.machines for overlay in overlays if overlay.entry)
        else:
            machines = self._composed(entry, overlays[0])
        for overlay in overlays:
            for folder in filter(self._graph.may_be_broken, overlay.entry.folders if overlay.entry else ()):
                self._meant |= self._graph.probable_inputs(folder)
        sources = frozenset[str]().union(*map(self._graph.files_of_overlay, overlays))
        if machines:
            with_machines = [each for each in overlays if each.entry and each.entry.machines]
            self._entries.append(FoundEntry(entry, machines, len(with_machines) or len(overlays)))
        elif entry.entry.has_engine:
            self._note_without_machines(entry, overlays)
            return
        self._note_holders(sources)
        self._covered |= sources if machines else {path for path in sources if path in self._machine_files}

    def _leave_out(self, entry: OverlayEntry, left: LeftOut, *, is_broken: bool) -> None:
        self._left_out.append(left)
        if is_broken:
            self._broken.append(FoundEntry(entry, left.machines, error=left.reason))

    def _note_without_machines(self, entry: OverlayEntry, overlays: Iterable[Overlay]) -> None:
        """Note why an entry deploys no virtual machine: an overlay that has some may be broken."""
        for overlay in overlays:
            files = self._graph.files_of_overlay(overlay)
            folders = overlay.entry.folders if overlay.entry else ()
            if files.isdisjoint(self._machine_files) and not any(map(self._graph.may_be_broken, folders)):
                continue
            outcome = Pipeline(self._fs, self._config).compose_alone(overlay)
            if outcome.failed:
                self._covered |= files
                reason = f"{overlay.path} cannot be built: {self._first(outcome.diagnostics)}"
                left = LeftOut(entry.path, self._counted(files), reason)
                self._leave_out(entry, left, is_broken=is_broken(outcome.diagnostics))
                return
        self._left_out.append(LeftOut(entry.path, 0, _NO_MACHINE))

    def _note_holders(self, files: Iterable[str]) -> None:
        """Note virtual machines inside other objects of files; these objects are rendered unchanged."""
        for path in sorted(self._machine_files.keys() & set(files) - self._covered):
            for holder in holders(self._read(path)):
                self._left_out.append(LeftOut(path, holder.machines, holder.reason))

    def _read(self, path: str) -> ResourceSet:
        """Return the objects of a file; none if it cannot be read."""
        try:
            return ResourceSet(tuple(read_resources(self._contents[path], Site(path))))
        except DiagnosticError:
            return ResourceSet()

    def _counted(self, files: Iterable[str]) -> int:
        """Return the number of virtual machines in files; a machine and its patches count once.

        In a file that cannot be read, the machines that its text mentions are counted.
        """
        read = {path: self._read(path) for path in files if path in self._machine_files}
        unread = sum(self._machine_files[path] for path, found in read.items() if not tuple(found))
        return unread + len({each for found in read.values() for each in machine_ids(found)})

    def _reason(self, entry: OverlayEntry, error: DiagnosticError) -> str:
        """Return why the entry has no overlays with virtual machines; ``error`` comes from resolving it.

        The error may only mean that nothing is rendered because only relevant folders were built.
        """
        if entry.entry.has_engine:
            try:
                find_overlays(self._fs, self._config._replace(overlays=(entry,)))
            except DiagnosticError as complete:
                error = complete
            else:
                return _NO_MACHINE
        related = [each.message for found in locate(self._fs, error.diagnostics) for each in found.related]
        reported = [text.removeprefix(f"not rendered of {entry.path}: ") for text in related]
        return "; ".join(reported) or self._first(error.diagnostics).removeprefix(f"{entry.path} ")

    def _first(self, found: Iterable[Diagnostic]) -> str:
        """Return the message of the first error as a report has it, with confidential values masked."""
        first = next((each for each in found if each.severity is Severity.ERROR), None)
        return "it cannot be read" if first is None else locate(self._fs, (first,))[0].message

    def _is_relevant(self, folders: Iterable[str]) -> bool:
        """Return True if a build of the folders may result in virtual machines, or in values for them."""
        folders = tuple(folders)
        if any(map(self._graph.may_be_broken, folders)):
            return True
        files = (path for folder in folders for path in self._graph.build_files(folder))
        return any(sign in self._contents.get(path, b"") for path in files for sign in self._signs)

    @cached_property
    def _signs(self) -> tuple[bytes, ...]:
        takes_variables = any(b"substituteFrom" in content for content in self._contents.values())
        return (*_SIGNS, *_SIGNS_OF_VARIABLES) if takes_variables else _SIGNS

    def _composed(self, entry: OverlayEntry, overlay: Overlay) -> int:
        """Return the number of virtual machines in a composed kustomization or folder.

        0 if it cannot be composed.
        """
        outcome = Pipeline(self._fs, self._config).compose_alone(overlay)
        if outcome.failed:
            files = self._graph.files_of_overlay(overlay)
            left = LeftOut(entry.path, self._counted(files), self._first(outcome.diagnostics))
            is_template = TEMPLATE_TAG.search(self._contents.get(entry.path, b""))  # another tool's
            self._leave_out(entry, left, is_broken=is_broken(outcome.diagnostics) and not is_template)
            self._meant |= self._graph.probable_inputs(overlay.path)
            self._covered |= files
            return 0
        self._plain.append(outcome.value)
        return sum(each.kind in MACHINES for each in outcome.value)

    def _templates(self) -> None:
        """Add each OpenShift Template as an entry of its own; leave out templates that need values."""
        for path, resource in self._objects(b"template.openshift.io", b"kubevirt.io/"):
            if not is_template(resource) or path in self._covered:
                continue
            self._covered.add(path)
            machines = sum(
                text_at(each, "kind") in MACHINES for each in array_at(resource.content, "objects")
            )
            missing = [
                text_at(each, "name")
                for each in array_at(resource.content, "parameters")
                if not scalar_text(object_at(each).get("value", ""))
                and (text_at(each, "generate") or object_at(each).get("required") is True)
            ]
            if missing:
                needed = ", ".join(missing)
                self._left_out.append(
                    LeftOut(path, machines, f"a Template whose parameters {needed} need values")
                )
            elif machines and not process_templates(ResourceSet((resource,)), {}).failed:
                options = EntryOptions(EntryKind.DIRECTORY, parameters={})
                self._entries.append(FoundEntry(OverlayEntry(path, entry=options), machines))

    def _plain_files(self) -> None:
        """Add files that nothing lists: their folders, or else each readable file."""
        by_folder: dict[str, list[str]] = {}
        for path in self._uncovered():
            if self._in_chart(path):
                self._left_out.append(LeftOut(path, self._machine_files[path], "in a Helm chart"))
            elif are_patches(self._read(path)):
                self._left_out.append(LeftOut(path, 0, _PATCH))
            elif not self._is_meant(path) and not self._users_of_file(path):
                by_folder.setdefault(posixpath.dirname(path) or ".", []).append(path)
        for folder, files in by_folder.items():
            place = [folder] if folder != "." and self._is_whole(folder) else files
            for path in place:
                self._add_entry(OverlayEntry(path, entry=EntryOptions(EntryKind.DIRECTORY)))

    def _is_whole(self, folder: str) -> bool:
        """Return True if the folder can be read as a whole, with no object in two files or two overlays."""
        is_shared = any((posixpath.dirname(path) or ".") == folder for path in self._covered)
        if is_shared or self._graph.links(folder) is not None:
            return False
        entry = OverlayEntry(folder, entry=EntryOptions(EntryKind.DIRECTORY))
        overlay = find_overlays(self._fs, self._config._replace(overlays=(entry,)))[0]
        outcome = Pipeline(self._fs, self._config).compose_alone(overlay)
        machines = sum(each.kind in MACHINES for each in outcome.value)
        inside = sum(
            count for path, count in self._machine_files.items() if (posixpath.dirname(path) or ".") == folder
        )
        return not outcome.failed and machines == inside

    def _users_of_file(self, path: str) -> bool:
        return any(True for _ in self._outermost([path]))

    def _in_chart(self, path: str) -> bool:
        while path:
            path = posixpath.dirname(path)
            if self._fs.is_file(posixpath.join(path, "Chart.yaml")):
                return True
        return False

    def _catalogs(self) -> Iterator[str]:
        """Yield kustomizations with only instance types and preferences that no entry deploys."""
        found: dict[str, None] = {}
        for path, content in self._contents.items():
            if _INSTANCETYPE.search(content) and path not in self._covered:
                found |= dict.fromkeys(self._outermost([path]))
        machines = {folder for path in self._machine_files for folder in self._outermost([path])}
        yield from (folder for folder in found if folder not in machines)

    def _needed_catalogs(self) -> Iterator[str]:
        """Yield kustomizations of objects that machines in folders name and only other entries deploy."""
        definitions = Definitions(self._fs, ManifestFiles(self._fs, (), OWNERSHIP_FILE), lambda *_: ())
        for resources in self._plain:
            deployed = {(each.kind, each.name) for each in resources}
            for each in resources:
                for kind, name in matched(each):
                    found = None if (kind, name) in deployed else definitions.find((kind,), name)
                    if found:
                        yield from self._graph.folders_listing(found.site.path)[:1]

    def _release(self) -> Release | None:
        """Return the release that the repository's KubeVirt object or operator names."""
        texts = [
            match[1].decode() for content in self._contents.values() for match in _OPERATOR.finditer(content)
        ]
        for _, each in self._kubevirt_objects():
            texts.insert(0, text_at(each.content, "spec", "imageTag").lstrip("v"))
        for text in texts:
            try:
                return target_release(text.partition("-")[0])
            except ValueError:
                continue
        return None

    def _gates(self) -> Iterator[str]:
        for _, each in self._kubevirt_objects():
            path = ("spec", "configuration", "developerConfiguration", "featureGates")
            yield from (gate for gate in array_at(each.content, *path) if isinstance(gate, str))

    def _kubevirt_objects(self) -> list[tuple[str, Resource]]:
        found = self._objects(b"kind: KubeVirt", b"kubevirt.io/")
        return [(path, each) for path, each in found if each.kind == "KubeVirt"]


def _normal(path: str) -> str:
    return posixpath.normpath(f"/{path}").lstrip("/") or "."


def _outermost_folders(folders: Iterable[str]) -> list[str]:
    given = list(dict.fromkeys(folders))
    return [each for each in given if not any(other != each and is_inside(each, other) for other in given)]
