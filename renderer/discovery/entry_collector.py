"""Collect the entries of a survey that deploy virtual machines, and the reasons why others do not."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from functools import cached_property
from shlex import quote

from renderer.discovery.flux_roots import declared_roots
from renderer.discovery.machines_in_files import containing_objects
from renderer.discovery.manifests import Manifests
from renderer.discovery.survey_results import FoundEntry, LeftOut
from renderer.files.file_system import is_inside
from renderer.findings.run_findings import locate
from renderer.gitops.flux.cluster_root import cluster_root
from renderer.gitops.flux.kustomization import deployed_folder
from renderer.gitops.openshift_template import is_template
from renderer.kubevirt.facts.kinds import INSTANCETYPE_GROUP, MACHINES
from renderer.kubevirt.vm_template.findings import is_of_virt_template
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome, Severity
from renderer.model.entry_point import EntryKind
from renderer.model.kube.resource import ResourceSet
from renderer.model.render_config import Overlay, OverlayEntry, RenderConfig
from renderer.pipeline import Pipeline
from renderer.pipeline.argocd_trees import START
from renderer.pipeline.entry_points import look_up_overlays
from renderer.pipeline.entry_search import Search
from renderer.pipeline.overlay_files import OverlayFiles
from renderer.pipeline.reached_objects import is_broken
from renderer.project.lone_file import TEMPLATE_TAG
from renderer.project.overlays import FoundOverlays

#: Texts in files that may deploy virtual machines, directly or through other entry points.
_SIGNS = (b"kubevirt.io/", b"kustomize.toolkit.fluxcd.io", b"source.toolkit.fluxcd.io", b"argoproj.io")
_VIRT_TEMPLATE = b"template.kubevirt.io/"
_SIGNS_OF_VARIABLES = (b"kind: ConfigMap", b"kind: Secret", b"configMapGenerator", b"secretGenerator")
_NO_MACHINE = "it deploys no virtual machine"


class EntryCollector:
    """The results of a survey so far; each entry is composed when it is added.

    ``assigned`` are the files that belong to an entry, or whose virtual machines are left out with a reason.
    ``composed`` are the objects of entries that are a kustomization, folder or file.
    """

    def __init__(self, manifests: Manifests, config: RenderConfig) -> None:
        self.entries: list[FoundEntry] = []
        self.broken: list[FoundEntry] = []
        self.left_out: list[LeftOut] = []
        self.assigned: set[str] = set()
        self.composed: list[ResourceSet] = []
        self._manifests = manifests
        self._config = config
        self._files = OverlayFiles(manifests.fs, manifests.graph)
        self._probable_inputs: set[str] = set()
        self._looked_up: dict[tuple[EntryKind, str], FoundOverlays] = {}

    @property
    def unassigned(self) -> list[str]:
        """Return the files with virtual machines that belong to no entry."""
        return [path for path in self._manifests.machine_files if path not in self.assigned]

    @cached_property
    def template_files(self) -> frozenset[str]:
        """The files with VirtualMachineTemplates or requests of them."""
        found = self._manifests.objects(_VIRT_TEMPLATE)
        return frozenset(path for path, resource in found if is_of_virt_template(resource))

    def is_probable_input(self, path: str) -> bool:
        """Return True if a broken entry should probably use the path, so that it is not an entry itself."""
        return any(each != "." and is_inside(path, each) for each in self._probable_inputs)

    def leave_out(self, path: str, files: Iterable[str], reason: str) -> None:
        """Note why the virtual machines in ``files``, which belong to no entry, are not rendered."""
        files = tuple(files)
        machines = self._manifests.count_machines(files)
        if machines:
            self.left_out.append(LeftOut(path, machines, reason))
            self.assigned.update(files)

    def compose(self, entry: OverlayEntry) -> Outcome[ResourceSet]:
        """Return the objects of a kustomization, folder or file."""
        return self._compose_overlay(self._look_up(entry).all_overlays()[0])

    def _look_up(self, entry: OverlayEntry) -> FoundOverlays:
        """Return the overlays of an entry, whatever they deploy. Raises ``DiagnosticError``."""
        key = entry.entry.kind, entry.path
        if key not in self._looked_up:
            config = self._config._replace(overlays=(entry,))
            self._looked_up[key] = look_up_overlays(self._manifests.fs, config)
        return self._looked_up[key]

    def _compose_overlay(self, overlay: Overlay) -> Outcome[ResourceSet]:
        return self._pipeline.compose_alone(overlay)

    @cached_property
    def _pipeline(self) -> Pipeline:
        """Reads what several overlays use once."""
        return Pipeline(self._manifests.fs, self._config)

    def add(self, entry: OverlayEntry) -> None:
        """Add the entry if its overlays have virtual machines or templates of them; else note the reason."""
        graph, has_engine = self._manifests.graph, entry.entry.has_engine
        try:
            if has_engine:
                config = self._config._replace(overlays=(entry,))
                looked_up = look_up_overlays(self._manifests.fs, config, Search(self._is_relevant))
            else:
                looked_up = self._look_up(entry)
            overlays = looked_up.overlays
            machines = sum(overlay.entry.machines for overlay in overlays if overlay.entry)
            if not machines:  # what cannot be found may have some
                looked_up.all_overlays()
        except DiagnosticError as error:
            left = LeftOut(entry.path, 0, self._resolution_error(entry, error))
            self._leave_out(entry, left, is_broken=is_broken(error.diagnostics))
            return
        for each in locate(self._manifests.fs, looked_up.errors):
            self.left_out.append(LeftOut(each.location.path if each.location else "", 0, each.message))
        composed = ResourceSet() if has_engine else self._composed(entry, overlays[0])
        if not has_engine:
            machines = sum(each.kind in MACHINES for each in composed)
        for overlay in overlays:
            for folder in filter(graph.may_be_broken, overlay.entry.folders if overlay.entry else ()):
                self._probable_inputs |= graph.probable_inputs(folder)
        files = frozenset[str]().union(*map(self._files.of, overlays))
        in_files = (
            each for path in sorted(self.template_files & files) for each in self._manifests.read(path)
        )
        templates = sum(map(is_of_virt_template, in_files if has_engine else composed))
        if machines or templates:
            with_machines = [each for each in overlays if each.entry and each.entry.machines]
            count = len(with_machines) or len(overlays)
            self.entries.append(FoundEntry(entry, machines, count, templates=templates))
        elif has_engine:
            self._note_without_machines(entry, overlays)
        # Virtual machines inside other objects, which are rendered unchanged.
        machine_files = self._manifests.machine_files.keys() & files
        of_openshift = {path for path in machine_files if any(map(is_template, self._manifests.read(path)))}
        evaluated = {each.deployer.origin for each in overlays if each.deployer}
        for path in sorted(machine_files - self.assigned):
            objects = (each for each in self._manifests.read(path) if each.origin not in evaluated)
            for found in containing_objects(objects):
                self.left_out.append(LeftOut(path, found.machines, found.reason))
        is_entry = machines or templates
        self.assigned |= (
            files if is_entry else machine_files - of_openshift
        )  # which may be entries themselves

    def with_adoption(self, found: FoundEntry) -> FoundEntry:
        """Return the entry of an engine with what happens once the engine is pointed at the trees."""
        if not found.entry.entry.has_engine:
            return found
        entry = found.entry._replace(entry=found.entry.entry._replace(repoint=True))
        try:
            overlays = look_up_overlays(self._manifests.fs, self._config._replace(overlays=(entry,))).overlays
        except DiagnosticError:  # rendering reports it
            return found
        points = [overlay.entry for overlay in overlays if overlay.entry]
        cautions = dict.fromkeys(
            f"{note.message}; {note.hint}"
            for point in points
            for note in point.notes
            if note.code is Code.SOURCE_ASSUMED
        )
        by_hand = [each for point in points if point.is_applied_by_hand for each in point.objects]
        namespaces = sorted({each.namespace for each in by_hand} - {""})
        if len(namespaces) > 1:
            caution = (
                f"{START} of {entry.path} has a folder for each of the namespaces {', '.join(namespaces)}: if"
                " they belong to different instances of Argo CD, apply each folder by itself"
            )
            cautions[caution] = None
        return found._replace(
            kept=tuple(kept for point in points for kept in point.kept),
            switch=self._switch(entry, overlays),
            started=tuple(f"{each.kind} {each.namespace}/{each.name}" for each in by_hand),
            cautions=tuple(cautions),
        )

    def _switch(self, entry: OverlayEntry, overlays: Iterable[Overlay]) -> str:
        """Return how to point the engine of an entry at its trees; empty if nothing has to be done."""
        trees = {overlay.name: posixpath.normpath(overlay.output) for overlay in overlays}
        cluster = entry.entry.name_prefix
        if entry.entry.kind is EntryKind.ARGOCD:
            tree = trees.get(f"{cluster}/{START}")
            return (
                f"Argo CD, {entry.path}: kubectl apply --recursive --filename {quote(tree)}" if tree else ""
            )
        root = cluster_root(self._manifests.fs, entry.path).kustomization
        tree = trees.get(f"{cluster}/{root.name}")
        declared = (each for _, each in declared_roots(self._manifests))
        paths = (deployed_folder(each) for each in (root, *declared))
        if not tree or tree in paths:
            return ""
        return f"Flux, {entry.path}: give the Kustomization {root.name} the path ./{tree}"

    def add_sizes(self, entry: OverlayEntry) -> None:
        """Add the entry if its overlays have instance types or preferences; else leave it."""
        try:
            overlays = self._look_up(entry).all_overlays()
        except DiagnosticError:
            return
        composed = [each for each in map(self._compose_overlay, overlays) if not each.failed]
        sizes = sum(each.gvk.group == INSTANCETYPE_GROUP for outcome in composed for each in outcome.value)
        if sizes:
            self.entries.append(FoundEntry(entry, 0, len(overlays), sizes=sizes))
            self.assigned.update(*map(self._files.of, overlays))

    def _composed(self, entry: OverlayEntry, overlay: Overlay) -> ResourceSet:
        """Return the objects of a kustomization or folder; none if it cannot be composed."""
        outcome = self._compose_overlay(overlay)
        if not outcome.failed:
            self.composed.append(outcome.value)
            return outcome.value
        files = self._files.of(overlay)
        count = self._manifests.count_machines(files)
        left = LeftOut(entry.path, count, self._first_error(outcome.diagnostics))
        is_template = TEMPLATE_TAG.search(self._manifests.contents.get(entry.path, b""))  # another tool's
        self._leave_out(entry, left, is_broken=is_broken(outcome.diagnostics) and not is_template)
        self._probable_inputs |= self._manifests.graph.probable_inputs(overlay.path)
        self.assigned |= files
        return ResourceSet()

    def _note_without_machines(self, entry: OverlayEntry, overlays: Iterable[Overlay]) -> None:
        """Note why an entry deploys no virtual machine: an overlay that has some may be broken."""
        graph, machine_files = self._manifests.graph, self._manifests.machine_files
        for overlay in overlays:
            files = self._files.of(overlay)
            folders = overlay.entry.folders if overlay.entry else ()
            if files.isdisjoint(machine_files) and not any(map(graph.may_be_broken, folders)):
                continue
            outcome = self._compose_overlay(overlay)
            if outcome.failed:
                self.assigned |= files
                reason = f"{overlay.path} cannot be built: {self._first_error(outcome.diagnostics)}"
                left = LeftOut(entry.path, self._manifests.count_machines(files), reason)
                self._leave_out(entry, left, is_broken=is_broken(outcome.diagnostics))
                return
        self.left_out.append(LeftOut(entry.path, 0, _NO_MACHINE))

    def _leave_out(self, entry: OverlayEntry, left: LeftOut, *, is_broken: bool) -> None:
        self.left_out.append(left)
        if is_broken:
            self.broken.append(FoundEntry(entry, left.machines, error=left.reason))

    def _resolution_error(self, entry: OverlayEntry, error: DiagnosticError) -> str:
        """Return why the entry has no overlays with virtual machines; ``error`` comes from resolving it.

        The error may only mean that nothing is rendered because only relevant folders were built.
        """
        if entry.entry.has_engine:
            try:
                self._look_up(entry).all_overlays()
            except DiagnosticError as complete:
                error = complete
            else:
                return _NO_MACHINE
        located = locate(self._manifests.fs, error.diagnostics)
        related = [each.message for found in located for each in found.related]
        reported = [text.removeprefix(f"not rendered of {entry.path}: ") for text in related]
        reported = reported or [self._first_error(error.diagnostics).removeprefix(f"{entry.path} ")]
        codes = (Code.APPLICATION_SET, Code.RENDERED_SOURCE)
        of_sets = [found for found in located if found.code in codes and found.hint]
        messages = {found.message for found in of_sets}
        cures = (f"{found.message}: {found.hint}" for found in of_sets)
        return "; ".join((*(each for each in reported if each not in messages), *cures))

    def _first_error(self, found: Iterable[Diagnostic]) -> str:
        """Return the message of the first error as a report has it, with confidential values masked."""
        first = next((each for each in found if each.severity is Severity.ERROR), None)
        return "it cannot be read" if first is None else locate(self._manifests.fs, (first,))[0].message

    def _is_relevant(self, folders: Iterable[str]) -> bool:
        """Return True if a build of the folders may result in virtual machines, or in values for them."""
        graph, contents = self._manifests.graph, self._manifests.contents
        folders = tuple(folders)
        if any(map(graph.may_be_broken, folders)):
            return True
        files = (path for folder in folders for path in graph.build_files(folder))
        return any(sign in contents.get(path, b"") for path in files for sign in self._signs)

    @cached_property
    def _signs(self) -> tuple[bytes, ...]:
        uses_variables = any(b"substituteFrom" in content for content in self._manifests.contents.values())
        return (*_SIGNS, *_SIGNS_OF_VARIABLES) if uses_variables else _SIGNS
