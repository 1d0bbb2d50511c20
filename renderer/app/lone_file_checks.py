"""Check files that no kustomization lists: alone, or with the objects beside them that they name."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from renderer.app.validation_run import ValidationRun, may_be_caused_by
from renderer.checks.schemas.kubevirt_kinds import GROUPS_OF_KINDS
from renderer.files.file_system import STANDARD_INPUT, folder_of
from renderer.findings.levels import with_levels
from renderer.kubevirt.facts.kinds import (
    HYPERCONVERGED_GROUP,
    INSTANCETYPE_GROUP,
    KUBEVIRT,
    MACHINES,
    SSP_GROUP,
)
from renderer.kubevirt.facts.virtual_machine import has_matchers
from renderer.kustomize.reader.commented_entries import CommentedEntries
from renderer.kustomize.reader.kustomization_graph import folders_above
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome, Severity, has_errors
from renderer.model.field_edit import AddItem
from renderer.model.fix import Fix
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import object_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.placeholders import placeholder_in
from renderer.model.plural import plural
from renderer.model.render_config import (
    PROJECT_FILE,
    ExpandMode,
    InstancetypeNames,
    Overlay,
)
from renderer.model.run.taint import texts_of
from renderer.pipeline import Pipeline
from renderer.project.lone_file import is_generator, lacks_api_version, with_generator
from renderer.project.overlays import overlay_at
from renderer.project.stray_patch import StrayPatches

#: Findings about missing objects: another file, applied in the same way, may have them.
_NOT_FOUND = frozenset(
    {Code.INSTANCETYPE_NOT_FOUND, Code.PREFERENCE_NOT_FOUND, Code.INFERENCE_FAILED, Code.REVISION_INVALID}
)
#: The API groups of objects that configure the cluster, in addition to ``KubeVirt``.
_CONFIGURING = frozenset({HYPERCONVERGED_GROUP, SSP_GROUP})
_PATCH_HINT = (
    "no kustomization lists this file, so it is checked alone; list it in one if it is a patch or a base"
)


class LoneFileChecks:
    """Files that no kustomization lists; ``checked`` are the files so far that had an object to check."""

    def __init__(self, run: ValidationRun) -> None:
        self._run = run
        self._read: dict[str, ResourceSet] = {}
        self._commented = CommentedEntries(run.fs, run.graph)
        self._beside: dict[str, Mapping[str, Sequence[tuple[str, Resource]]]] = {}
        self.checked: list[str] = []

    def findings(self, file: str) -> tuple[Diagnostic, ...]:
        try:
            resources = self._run.lone_files.read(file)
        except DiagnosticError as error:
            self.checked += [file] if has_errors(error.diagnostics) else []
            return with_levels(error.diagnostics, self._run.config.rules)
        unread = with_levels(self._run.lone_files.warnings(file), self._run.config.rules)
        return *self._findings_about(file, resources), *unread

    def _findings_about(self, file: str, resources: ResourceSet) -> tuple[Diagnostic, ...]:
        if not resources:
            return self._misspelt_groups(file)
        self.checked.append(file)
        if any(is_generator(resource) for resource in resources):
            return self._generator_findings(file)
        target = self._overlay_of(file).with_target(self._run.kubevirt, None)
        together = resources
        found = self._run.check(target, Outcome(resources))
        if any(each.code in _NOT_FOUND for each in found):
            together = ResourceSet((*resources, *self._objects_to_look_up(file, resources)))
            all_found = self._run.check(target, Outcome(together))
            found = tuple(each for each in all_found if may_be_caused_by(each, {file}))
        found = self._with_errors_as_written(resources, target, found)
        found = tuple(self._with_unmatched_as_warnings(target, found))
        found = tuple(_merge_parameters(found, self._run.lone_files.parameters(file)))
        found = tuple(self._excuse_patches(file, found, resources))
        return (
            *found,
            *with_levels(tuple(self._not_rendered(file, resources, found)), self._run.config.rules),
        )

    def _not_rendered(
        self, file: str, resources: ResourceSet, found: Iterable[Diagnostic]
    ) -> Iterator[Diagnostic]:
        """Yield a note that no overlay has the first virtual machine of the file, if all are known."""
        run = self._run
        is_project = file != STANDARD_INPUT and run.fs.is_file(PROJECT_FILE)
        if not is_project or not run.overlays or run.found.incomplete_entries:
            return
        machine = next((each for each in resources if each.kind in MACHINES), None)
        if machine is None or any(each.code is Code.NOT_CHECKED for each in found):
            return
        above = (run.graph.links(folder) for folder in folders_above(file))
        listing = next((links.file for links in above if links), None)
        fix: Fix | None = None
        if listing is None:
            hint = f"add an entry to overlays in {PROJECT_FILE}, or leave it out under exclude there"
        elif self._commented.have(file):
            hint = f"its entry is commented out; leave it out under exclude in {PROJECT_FILE} as well"
        elif self._is_forgotten(file, found):
            hint = f"list it under resources in {listing}, which lists all other files beside it"
            fix = Fix.at(Site(listing), AddItem(FieldPath.of("resources"), posixpath.basename(file)))
        else:
            hint = f"list it under resources in {listing}, or leave it out under exclude in {PROJECT_FILE}"
        yield Diagnostic.about(
            machine,
            FieldPath.of("kind"),
            Code.NOT_RENDERED,
            "no overlay has this file, so its virtual machines are not rendered",
            hint,
            severity=Severity.INFO,
            fix=fix,
        )

    def _is_forgotten(self, file: str, found: Iterable[Diagnostic]) -> bool:
        """Return True if the file was most probably meant to be listed by the kustomization beside it.

        That lists all other manifests of the folder, and overlays use it. The file holds one object without
        an error, which is neither a copy nor a patch of one that these overlays have.
        """
        run, folder = self._run, folder_of(file)
        links = run.graph.links(folder)
        if links is None or has_errors(tuple(found)) or len(self._resources(file)) != 1:
            return False
        beside = [path for path in run.manifests.below(folder) if folder_of(path) == folder]
        unlisted = [path for path in beside if path != links.file and path not in links.files]
        if unlisted != [file] or len(beside) <= len((links.file, file)):
            return False
        built = [files for files in map(run.graph.files_of_overlay, run.overlays) if links.file in files]
        [machine] = self._resources(file)
        present = (each for path in frozenset().union(*built) for each in self._resources(path))
        return bool(built) and all((each.kind, each.name) != (machine.kind, machine.name) for each in present)

    def _with_errors_as_written(
        self, resources: ResourceSet, target: Overlay, found: tuple[Diagnostic, ...]
    ) -> tuple[Diagnostic, ...]:
        """Return the findings with the schema's errors about the objects as written.

        The file is never rendered, so no instance type fills in ``domain`` before KubeVirt requires it.
        """
        expanded = resources.where(lambda each: has_matchers(each.content))
        if target.expand is ExpandMode.OFF or not expanded:
            return found
        known = {(each.resource, each.field) for each in found}
        checked = with_levels(
            self._run.pipeline.check(expanded, target.kubevirt, target.cluster), self._run.config.rules
        )
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

    def _with_unmatched_as_warnings(
        self, target: Overlay, found: tuple[Diagnostic, ...]
    ) -> Iterator[Diagnostic]:
        """Yield the findings, with warnings about matchers that match nothing where KubeVirt admits them.

        A lone file need not be expanded, and the objects that it names may be in the cluster.
        """
        from renderer.pipeline.unmatched import unmatched_matchers  # noqa: PLC0415 - few files need it

        unmatched = [each.finding for each in unmatched_matchers(found, target.kubevirt)]
        warnings = (each._replace(severity=Severity.WARNING) for each in unmatched)
        yield from with_levels(tuple(warnings), self._run.config.rules)
        yield from (each for each in found if each not in unmatched)

    def _misspelt_groups(self, file: str) -> tuple[Diagnostic, ...]:
        """Return errors about KubeVirt kinds in misspelt API groups, or without an API version."""
        if not self._run.lone_files.mentions_kind(file):
            return ()
        from renderer.checks.schemas.api_version import refuse_api_version  # noqa: PLC0415 - few files need it

        misspelt = (
            each
            for each in self._resources(file)
            if lacks_api_version(each.content, file)
            or (each.kind in GROUPS_OF_KINDS and each.api_version and object_at(each.content, "spec"))
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
            elif each.resource in patched or self._is_patch(file, each.resource, each.field):
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

    def _is_patch(self, file: str, incomplete: ResId, missing: FieldPath) -> bool:
        """Return True for a patch, and for what is switched off, whose target may be switched off as well."""
        return self._stray_patches.is_patch(file, incomplete, missing) or self._commented.have(file)

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
        overlay = overlay_at(self._run.config, self._run.overlays, folder_of(file))
        mode = ExpandMode.OFF if overlay.expand is ExpandMode.OFF else ExpandMode.APPLIED
        return overlay._replace(
            expand=mode, write_instancetypes=False, instancetype_names=InstancetypeNames.PLAIN
        )

    def _objects_to_look_up(self, file: str, resources: ResourceSet) -> Iterator[Resource]:
        """Yield resources of other files to look up: instance types in any folder, and objects in the folder.

        Of the folder, these are only the objects that the file names, that those name in turn, or that
        configure the cluster: each file would otherwise be checked with all others. No machine is looked up.
        """
        yield from (each for path, each in self._instancetypes if path != file)
        by_name = self._objects_by_name(posixpath.dirname(file))
        names, found = ["", *_names_in(resources)], set[int]()
        known = set(names)
        for name in names:
            for path, each in by_name.get(name, ()):
                if path != file and id(each) not in found:
                    found.add(id(each))
                    yield each
                    more = {*_names_in([each])} - known
                    names += sorted(more)  # the loop goes on with them
                    known |= more

    @cached_property
    def _instancetypes(self) -> tuple[tuple[str, Resource], ...]:
        """Return the instance types and preferences that no kustomization lists, with their files."""
        mentioned = self._run.lone_files.mentioned_groups
        files = [path for path in self._unlisted_files if INSTANCETYPE_GROUP in mentioned(path)]
        objects = ((path, each) for path in files for each in self._resources(path))
        return tuple((path, each) for path, each in objects if each.gvk.group == INSTANCETYPE_GROUP)

    def _objects_by_name(self, folder: str) -> Mapping[str, Sequence[tuple[str, Resource]]]:
        """Return what may be looked up in a folder, with its files.

        What configures the cluster is under the empty name.
        """
        if folder not in self._beside:
            found: dict[str, list[tuple[str, Resource]]] = {}
            for path in self._unlisted_files:
                for each in self._resources(path) if posixpath.dirname(path) == folder else ():
                    if each.kind in MACHINES or each.gvk.group == INSTANCETYPE_GROUP:
                        continue
                    configures = each.kind == KUBEVIRT or each.gvk.group in _CONFIGURING
                    made = text_at(each.content, "spec", "managedDataSource")  # by a DataImportCron
                    for name in {each.name, made or each.name, "" if configures else each.name}:
                        found.setdefault(name, []).append((path, each))
            self._beside[folder] = found
        return self._beside[folder]

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


def _names_in(resources: Iterable[Resource]) -> Iterator[str]:
    """Yield the texts in resources that may be the name of an object, without its namespace."""
    return (text.rpartition("/")[2] for each in resources for text in texts_of(each.content))


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
