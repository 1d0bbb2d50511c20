"""Validate files: through the overlays built from them, or alone if no kustomization lists them."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property, partial, reduce
from pathlib import Path

from renderer.app.project import Project, ProjectOpener, chosen_overlays
from renderer.app.several_projects import (
    group_by_project,
    merge_findings,
    path_in_common_folder,
    project_folders,
)
from renderer.app.usage_error import UsageError
from renderer.checks.schemas.kubevirt_kinds import CHECKED_GROUPS, GROUPS_OF_KINDS
from renderer.files.file_system import STANDARD_INPUT, FileSystem
from renderer.findings.levels import with_levels
from renderer.findings.located import Located, Unshown
from renderer.findings.run_findings import FindingFilter, RunFindings
from renderer.kubevirt.facts.kinds import MATCHER_KEYS
from renderer.kubevirt.facts.placeholders import placeholder_in
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph, folders_above
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome, Severity, has_errors
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import object_at, without
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.plural import plural
from renderer.model.record import Record
from renderer.model.release import Release
from renderer.model.render_config import (
    OWNERSHIP_FILE,
    PROJECT_FILE,
    ExpandMode,
    InstancetypeNames,
    Overlay,
)
from renderer.pipeline import Pipeline
from renderer.pipeline.entry_points import look_up_overlays
from renderer.pipeline.overlay_files import OverlayFiles
from renderer.pipeline.reached_objects import MACHINES
from renderer.project.lone_file import LoneFiles, is_generator, with_generator
from renderer.project.overlays import FoundOverlays, overlay_at
from renderer.project.stray_patch import StrayPatches, is_named_as_patch
from renderer.project.validation_scope import ManifestFiles, ScopeFinder

_NO_COUNTS: Mapping[str, int] = {}
_ALL_FINDINGS = FindingFilter()
#: Findings about missing objects: another file, applied in the same way, may have them.
_NOT_FOUND = frozenset(
    {Code.INSTANCETYPE_NOT_FOUND, Code.PREFERENCE_NOT_FOUND, Code.INFERENCE_FAILED, Code.REVISION_INVALID}
)
#: Findings about matchers that match nothing.
_UNMATCHED = frozenset(
    {
        Code.INSTANCETYPE_NOT_FOUND,
        Code.PREFERENCE_NOT_FOUND,
        Code.REVISION_INVALID,
        Code.UNKNOWN_KIND,
    }
)
_PATCH_HINT = (
    "no kustomization lists this file, so it is checked alone; list it in one if it is a patch or a base"
)
_WHOLE_PROJECT = "."
_INSTANCETYPE_GROUP = "instancetype.kubevirt.io"


class ValidationResult(Record):
    """The findings, and what was validated: overlays by path, and files that were checked alone.

    ``fs`` has the files at the paths of the findings. ``unchecked`` counts objects without a schema, by kind.
    ``unbuilt`` counts overlays that could not be built. ``unshown`` counts findings that were not kept.
    """

    fs: FileSystem
    findings: tuple[Located, ...]
    overlays: tuple[str, ...]
    files: tuple[str, ...]
    unchecked: Mapping[str, int] = _NO_COUNTS
    unbuilt: int = 0
    unshown: Unshown = Unshown()


def validate_paths(
    open_project: ProjectOpener,
    paths: tuple[Path, ...],
    kubevirt: Release | None,
    chosen: FindingFilter = _ALL_FINDINGS,
) -> ValidationResult:
    """Validate files and folders of one or more projects; without paths, the project here.

    ``kubevirt`` overrides the target releases of the projects. Raises ``DiagnosticError`` if the overlays of
    a project cannot be found.
    """
    projects: list[Project] = []
    results: list[ValidationResult] = []
    for group in group_by_project(paths or (Path.cwd(),)).values():
        project = open_project(group[0])
        projects.append(project)
        relative = [project.relative(path) for path in group] if paths else ["."]
        results.append(validate(project, relative, kubevirt, chosen))
    if len(results) == 1:
        return results[0]
    fs, findings = merge_findings(
        [(each, found.findings) for each, found in zip(projects, results, strict=True)]
    )
    overlays: list[str] = []
    files: list[str] = []
    unchecked: Counter[str] = Counter()
    for folder, result in zip(project_folders(projects), results, strict=True):
        overlays += (path_in_common_folder(folder, path) for path in result.overlays)
        files += (path_in_common_folder(folder, path) for path in result.files)
        unchecked.update(result.unchecked)
    unbuilt = sum(result.unbuilt for result in results)
    unshown = reduce(Unshown.plus, (result.unshown for result in results))
    return ValidationResult(fs, findings, tuple(overlays), tuple(files), unchecked, unbuilt, unshown)


def validate(
    project: Project,
    paths: Iterable[str],
    kubevirt: Release | None = None,
    chosen: FindingFilter = _ALL_FINDINGS,
) -> ValidationResult:
    """Validate the files at ``paths`` (relative to the project) and in folders among them.

    Raises ``UsageError`` if a path does not exist, and ``DiagnosticError`` if the overlays of the project
    cannot be found.
    """
    run = _Validation(project, kubevirt)
    paths = tuple(paths)
    files = tuple(dict.fromkeys(file for path in paths for file in _manifests_at(run, path)))
    files_of = OverlayFiles(run.fs, run.graph).of
    scope = ScopeFinder(run.graph, run.manifests, run.config, run.overlays, files_of).scope_of(files)
    unlisted = [overlay for overlay in scope.unlisted if _mentions_kubevirt(run, overlay.path)]
    about = None if _WHOLE_PROJECT in paths else scope.files
    lone = _LoneFileChecks(run)
    findings = RunFindings(project.fs, chosen)
    findings.add(with_levels(tuple(_entry_findings(run, paths, scope.files)), run.config.rules))
    for overlay in scope.overlays:
        findings.add(_build_findings(run, overlay, about), overlay.path)
    for overlay in unlisted:
        findings.add(_unlisted_findings(run, overlay, about), overlay.path)
    for folder in scope.parts:
        findings.add(_unused_findings(run, folder))
    for file in scope.alone:
        findings.add(lone.findings(file))
    return ValidationResult(
        project.fs,
        findings.found(),
        tuple(overlay.path for overlay in (*scope.overlays, *unlisted)),
        tuple(lone.checked),
        run.pipeline.unchecked,
        len(run.unbuilt),
        findings.unshown,
    )


def _entry_findings(run: _Validation, paths: Collection[str], files: Collection[str]) -> Iterator[Diagnostic]:
    """Yield the findings about entries whose overlays cannot be found, if they may be about ``files``."""
    for _, found in run.found.findings:
        if "." in paths or any(site.path in files for site in found.sites):
            yield found


def validate_overlays(
    project: Project,
    names: Iterable[str],
    kubevirt: Release | None = None,
    chosen: FindingFilter = _ALL_FINDINGS,
) -> ValidationResult:
    """Validate the overlays that ``names`` name, with everything that they are built from.

    Raises ``UsageError`` for an unknown overlay, and ``DiagnosticError`` if it may be one of an entry that
    cannot be read.
    """
    run = _Validation(project, kubevirt)
    findings = RunFindings(project.fs, chosen)
    selected = chosen_overlays(run.found, names)
    for overlay in selected:
        findings.add(_build_findings(run, overlay, None), overlay.path)
    return ValidationResult(
        project.fs,
        findings.found(),
        tuple(overlay.path for overlay in selected),
        (),
        run.pipeline.unchecked,
        len(run.unbuilt),
        findings.unshown,
    )


class _Validation:
    """The views of a project that a validation needs, each created on first use."""

    def __init__(self, project: Project, kubevirt: Release | None) -> None:
        self.root = project.root
        self.fs = project.fs
        self.config = project.config
        self.kubevirt = kubevirt
        #: The overlays that could not be built.
        self.unbuilt: set[str] = set()

    @cached_property
    def overlays(self) -> tuple[Overlay, ...]:
        return self.found.overlays

    @cached_property
    def found(self) -> FoundOverlays:
        return look_up_overlays(self.fs, self.config)

    @cached_property
    def manifests(self) -> ManifestFiles:
        outputs = [overlay.output for overlay in self.overlays]
        return ManifestFiles(self.fs, outputs, OWNERSHIP_FILE, self.config.exclude)

    @cached_property
    def graph(self) -> KustomizationGraph:
        return KustomizationGraph(self.fs)

    @cached_property
    def lone_files(self) -> LoneFiles:
        return LoneFiles(self.fs, self.pipeline.validated_groups if self.config.schemas else CHECKED_GROUPS)

    @cached_property
    def pipeline(self) -> Pipeline:
        return Pipeline(self.fs, self.config)

    def check(
        self, overlay: Overlay, composed: Outcome[ResourceSet], pipeline: Pipeline | None = None
    ) -> tuple[Diagnostic, ...]:
        """Return all findings about composed resources if they are rendered as ``overlay`` says."""
        target = overlay.with_target(self.kubevirt, None)
        try:
            return (pipeline or self.pipeline).check_composed(target, composed).diagnostics
        except DiagnosticError as error:  # for example of a catalog; go on with other overlays
            return error.diagnostics


def may_be_caused_by(found: Diagnostic, files: Collection[str]) -> bool:
    """Return True if ``files`` may have caused the finding; any file may cause an error without an object."""
    if found.resource is None and found.severity is Severity.ERROR:
        return True
    sites = (*found.sites, *(site for related in found.related for site in related.sites))
    return any(site.path in files for site in sites) or (
        found.location is not None and found.location.path in files
    )


class _LoneFileChecks:
    """Files that no kustomization lists; ``checked`` are the files so far that had an object to check."""

    def __init__(self, run: _Validation) -> None:
        self._run = run
        self._read: dict[str, ResourceSet] = {}
        self.checked: list[str] = []

    def findings(self, file: str) -> tuple[Diagnostic, ...]:
        try:
            resources = self._run.lone_files.read(file)
        except DiagnosticError as error:
            self.checked += [file] if has_errors(error.diagnostics) else []
            return with_levels(error.diagnostics, self._run.config.rules)
        if not resources:
            return self._misspelt_groups(file)
        self.checked.append(file)
        if any(is_generator(resource) for resource in resources):
            return self._generator_findings(file)
        target = self._overlay_of(file).with_target(self._run.kubevirt, None)
        together = resources
        found = self._run.check(target, Outcome(resources))
        if any(each.code in _NOT_FOUND for each in found):
            together = ResourceSet((*resources, *self._objects_to_look_up(file)))
            all_found = self._run.check(target, Outcome(together))
            found = tuple(each for each in all_found if may_be_caused_by(each, {file}))
        found = self._with_errors_as_written(resources, target, found)
        found = tuple(self._without_unmatched(file, together, target, found))
        found = tuple(_merge_parameters(found, self._run.lone_files.parameters(file)))
        found = tuple(self._excuse_patches(file, found, resources))
        return (
            *found,
            *with_levels(tuple(self._not_rendered(file, resources, found)), self._run.config.rules),
        )

    def _not_rendered(
        self, file: str, resources: ResourceSet, found: Iterable[Diagnostic]
    ) -> Iterator[Diagnostic]:
        """Yield a note that no overlay of the project has the first virtual machine of the file."""
        run = self._run
        if not run.fs.is_file(PROJECT_FILE) or not run.overlays:
            return
        machine = next((each for each in resources if each.kind in MACHINES), None)
        if machine is None or any(each.code is Code.NOT_CHECKED for each in found):
            return
        above = (run.graph.links(folder) for folder in folders_above(file))
        listing = next((links.file for links in above if links), None)
        yield Diagnostic.about(
            machine,
            FieldPath.of("kind"),
            Code.NOT_RENDERED,
            "no overlay has this file, so its virtual machines are not rendered",
            f"list it under resources in {listing}, or leave it out under exclude in {PROJECT_FILE}"
            if listing
            else f"add an entry to overlays in {PROJECT_FILE}, or leave it out under exclude there",
            severity=Severity.INFO,
        )

    def _with_errors_as_written(
        self, resources: ResourceSet, target: Overlay, found: tuple[Diagnostic, ...]
    ) -> tuple[Diagnostic, ...]:
        """Return the findings with the schema's errors about the objects as written.

        The file is never rendered, so no instance type fills in ``domain`` before KubeVirt requires it.
        """
        expanded = resources.where(_has_matchers)
        if target.expand is ExpandMode.OFF or not expanded:
            return found
        known = {(each.resource, each.field) for each in found}
        checked = with_levels(self._run.pipeline.check(expanded, target.kubevirt), self._run.config.rules)
        hidden = {
            (each.resource, each.field): each
            for each in checked
            if each.code is Code.SCHEMA and each.severity is Severity.ERROR and each.field is not None
        }
        missed = hidden.keys() - known
        others = (  # except about what such a missing field lacks
            each for each in found if each.field is None or (each.resource, each.field.parent) not in missed
        )
        return (*others, *(each for key, each in hidden.items() if key in missed))

    def _without_unmatched(
        self, file: str, resources: ResourceSet, target: Overlay, found: tuple[Diagnostic, ...]
    ) -> Iterator[Diagnostic]:
        """Yield the findings, as KubeVirt from 1.6 on judges machines whose matchers match nothing.

        It ignores these matchers, and admits the rest of the machine
        (``pkg/instancetype/webhooks/vm/admitter.go``). A lone file need not be expanded, and the objects that
        it names may be in the cluster. But a name that resembles a name in the catalog is still a mistake.
        """
        from renderer.kubevirt.instancetype.behaviour import behaviour_of  # noqa: PLC0415 - few files need it

        unmatched = {
            each: keys
            for each in found
            if each.code in _UNMATCHED
            and not (each.hint or "").startswith("did you mean")
            and (keys := _path_to_matcher(each))
        }
        if not unmatched or not behaviour_of(target.kubevirt).admits_missing_objects:
            yield from found
            return
        warnings = (each._replace(severity=Severity.WARNING) for each in unmatched)
        yield from with_levels(tuple(warnings), self._run.config.rules)
        yield from (each for each in found if each not in unmatched)
        left = resources
        for each, keys in unmatched.items():
            left = left.map(partial(_without_field, id_=each.resource, keys=keys))
        known = {(each.resource, each.field, each.code) for each in found}
        for each in self._run.check(target, Outcome(left)):
            is_new = (each.resource, each.field, each.code) not in known
            if is_new and each.severity is Severity.ERROR and may_be_caused_by(each, {file}):
                yield each

    def _misspelt_groups(self, file: str) -> tuple[Diagnostic, ...]:
        """Return errors about KubeVirt kinds in misspelt API groups, or without an API version."""
        if not self._run.lone_files.mentions_kind(file):
            return ()
        from renderer.checks.schemas.api_version import refuse_api_version  # noqa: PLC0415 - few files need it

        misspelt = (
            each
            for each in self._resources(file)
            if each.kind in GROUPS_OF_KINDS
            and (each.api_version or not is_named_as_patch(file, each.name))
            and object_at(each.content, "spec")
        )
        found = tuple(error for each in misspelt for error in refuse_api_version(each))
        self.checked += [file] if found else []
        return with_levels(found, self._run.config.rules)

    def _excuse_patches(
        self, file: str, found: Iterable[Diagnostic], resources: ResourceSet
    ) -> Iterator[Diagnostic]:
        """Yield the findings, except about missing fields that a patch may omit.

        The file may instead hold an incomplete object; its name, or another object of that name, decides.
        """
        patched: dict[ResId, None] = {}
        for each in found:
            if each.resource is None or each.field is None or not _is_about_missing_field(each, resources):
                yield each
            elif each.resource in patched or self._stray_patches.is_patch(file, each.resource, each.field):
                patched[each.resource] = None
            else:
                yield each._replace(hint=_PATCH_HINT)
        for patch in patched:
            yield Diagnostic.in_file(
                file,
                Code.NOT_CHECKED,
                f"this looks like a patch of {patch.gvk.kind} {patch.name} that no kustomization"
                " lists: what it leaves out is not checked",
                "list it under patches of a kustomization, or remove it",
                severity=Severity.INFO,
            )

    @cached_property
    def _stray_patches(self) -> StrayPatches:
        run = self._run

        def mentioned(path: str) -> ResourceSet:
            is_read = run.manifests.is_candidate(path) and run.lone_files.mentioned_groups(path)
            return self._resources(path) if is_read else ResourceSet()

        return StrayPatches(run.graph, run.fs.list, mentioned)

    def _generator_findings(self, file: str) -> tuple[Diagnostic, ...]:
        fs, folder = with_generator(self._run.fs, file)
        pipeline = Pipeline(fs, self._run.config)
        return self._run.check(self._overlay_of(file), pipeline.compose(folder), pipeline)

    def _overlay_of(self, file: str) -> Overlay:
        """Return the overlay in the folder of the file, or one with the defaults of the project."""
        overlay = overlay_at(self._run.config, self._run.overlays, posixpath.dirname(file) or ".")
        mode = ExpandMode.OFF if overlay.expand is ExpandMode.OFF else ExpandMode.APPLIED
        return overlay._replace(
            expand=mode, write_instancetypes=False, instancetype_names=InstancetypeNames.PLAIN
        )

    def _objects_to_look_up(self, file: str) -> Iterator[Resource]:
        """Yield resources of other files to look up: all in the folder, and instance types in any folder."""
        folder = posixpath.dirname(file)
        for path in self._unlisted_files:
            if path != file and (
                posixpath.dirname(path) == folder
                or _INSTANCETYPE_GROUP in self._run.lone_files.mentioned_groups(path)
            ):
                yield from self._resources(path)

    @cached_property
    def _unlisted_files(self) -> tuple[str, ...]:
        """Return all files of the project that no kustomization lists."""
        files = self._run.manifests.below(".")
        return tuple(file for file in files if not self._run.graph.folders_listing(file))

    def _resources(self, path: str) -> ResourceSet:
        """Return the resources of a file that the user did not name; an empty set if it cannot be read."""
        if path not in self._read:
            try:
                self._read[path] = self._run.lone_files.read_all(path)
            except DiagnosticError:
                self._read[path] = ResourceSet()
        return self._read[path]


def _has_matchers(resource: Resource) -> bool:
    spec = object_at(resource.content, "spec")
    return any(spec.get(key) is not None for key in MATCHER_KEYS)


def _path_to_matcher(found: Diagnostic) -> tuple[str, ...]:
    """Return the keys of the path to the finding's matcher; empty if it is not about a matcher."""
    keys = [key for key in found.field.segments if isinstance(key, str)] if found.field else []
    place = next((index for index, key in enumerate(keys) if key in MATCHER_KEYS), None)
    return () if place is None else tuple(keys[: place + 1])


def _without_field(resource: Resource, id_: ResId | None, keys: tuple[str, ...]) -> Resource:
    is_it = resource.current_id == id_
    return resource.with_content(without(resource.content, *keys)) if is_it else resource


def _merge_parameters(found: Iterable[Diagnostic], parameters: Mapping[str, Site]) -> Iterator[Diagnostic]:
    """Yield the findings; merge all about fields that contain a parameter of the template into one."""
    unset: dict[str, Site] = {}
    fields = 0
    for each in found:
        name = (placeholder_in(each.message) or "").strip("${}")
        if each.code is Code.PLACEHOLDER and name in parameters:
            unset[name] = parameters[name]
            fields += 1
        else:
            yield each
    if unset:
        holding = f"{plural(fields, 'field')} that {'holds' if fields == 1 else 'hold'}"
        noun = "parameter" if len(unset) == 1 else "parameters"
        yield Diagnostic.at(
            next(iter(unset.values())),
            Code.NOT_CHECKED,
            f"{holding} the {noun} {', '.join(unset)} of this template: not checked",
            "give them values in vmrender.yaml, under parameters of an overlay",
            severity=Severity.INFO,
        )


def _is_about_missing_field(found: Diagnostic, resources: ResourceSet) -> bool:
    """Return True if the finding is about a required field that is missing."""
    if found.code is not Code.SCHEMA or found.hint is not None or found.field is None:
        return False
    keys = [segment for segment in found.field.segments if isinstance(segment, str)]
    if not keys or len(keys) < len(found.field.segments):
        return False
    own = (each for each in resources if each.current_id == found.resource)
    return any(keys[-1] not in object_at(each.content, *keys[:-1]) for each in own)


def _manifests_at(run: _Validation, path: str) -> Iterator[str]:
    """Yield the manifests at ``path``. Raises ``UsageError`` if it does not exist."""
    manifests = run.manifests
    if path == STANDARD_INPUT:
        yield path
    elif run.fs.is_folder(path):
        yield from manifests.below(path)
    elif manifests.is_candidate(path) and not manifests.is_rendered(posixpath.dirname(path) or "."):
        yield path
    elif not run.fs.is_file(path) and posixpath.basename(path) not in run.fs.list(
        posixpath.dirname(path) or "."
    ):  # a path that its folder lists may be a pipe, which is skipped, not waited for
        raise UsageError(f"there is no file or folder {path!r} in {run.root}")


def _build_findings(run: _Validation, overlay: Overlay, files: frozenset[str] | None) -> Iterator[Diagnostic]:
    """Yield the findings of a build that are about the files; all findings if it fails or without files."""
    composed = run.pipeline.compose_overlay(overlay)
    if composed.failed:
        run.unbuilt.add(overlay.path)
    found = (
        with_levels(composed.diagnostics, overlay.rules) if composed.failed else run.check(overlay, composed)
    )
    for each in found:
        if composed.failed or files is None or may_be_caused_by(each, files):
            yield each


def _mentions_kubevirt(run: _Validation, folder: str) -> bool:
    """Return True if a file of the kustomization mentions KubeVirt; in most, none does."""
    return any(run.lone_files.mentioned_groups(file) for file in run.graph.files(folder))


def _unlisted_findings(
    run: _Validation, overlay: Overlay, files: frozenset[str] | None
) -> Iterator[Diagnostic]:
    """Yield the findings of a kustomization that is never rendered; failing to build it is not an error."""
    excused = tuple(
        _excuse_unsupported(found, overlay.path) for found in _build_findings(run, overlay, files)
    )
    yield from with_levels(excused, run.config.rules)


def _unused_findings(run: _Validation, folder: str) -> Iterator[Diagnostic]:
    """Yield the findings of a kustomization that no build uses, such as an unused component."""
    if _mentions_kubevirt(run, folder):
        excused = tuple(_excuse_unsupported(found, folder) for found in run.pipeline.read(folder))
        yield from with_levels(excused, run.config.rules)


def _excuse_unsupported(found: Diagnostic, folder: str) -> Diagnostic:
    if found.code is not Code.UNSUPPORTED_FIELD:
        return found
    message = f"{found.message}: {folder} is not checked"
    return found._replace(code=Code.NOT_CHECKED, severity=Severity.WARNING, message=message)
