"""The stages in order, for one run: load, compose, substitute, expand, name, validate, review, judge."""

# ruff: noqa: PLC0415 - a stage is imported when it is first needed

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from renderer.files.file_system import FileSystem
from renderer.findings.levels import with_levels
from renderer.kubevirt.facts.kinds import (
    INSTANCETYPE_GROUP,
    PROPOSED_INSTANCETYPE_API_VERSION,
    VM_TEMPLATE,
    VM_TEMPLATE_REQUEST,
)
from renderer.kubevirt.facts.kubernetes_identity import map_errors, well_formed
from renderer.kubevirt.facts.server_fields import strip_server_fields, strip_status
from renderer.kubevirt.facts.unreleased import about_target
from renderer.kustomize.reader.find_kustomization import LoadRestrictor
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome, Severity, has_errors
from renderer.model.entry_point import EntryKind
from renderer.model.kube.json import Json
from renderer.model.kube.location import BUILTIN_SCHEME, Site
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import ResourceSet
from renderer.model.kube.sharing import forget_shared, once_for_same
from renderer.model.provenance import StepKind
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode, Overlay, OverlayEntry, RenderConfig
from renderer.model.run.work import begin_outside_run
from renderer.pipeline.cluster_stages import ClusterStages
from renderer.pipeline.encrypted_objects import past_encrypted
from renderer.pipeline.generators import GENERATORS
from renderer.pipeline.project_catalogs import ProjectCatalogs, shipped_catalog
from renderer.pipeline.run_context import FINDING_OVERLAYS, RunContext
from renderer.pipeline.shared_by_clusters import SharedByClusters

if TYPE_CHECKING:
    from renderer.gitops.unbuilt_folders import UnbuiltFolders
    from renderer.kubevirt.instancetype.catalog import CatalogSource
    from renderer.kustomize.compose import Composer
    from renderer.kustomize.reader.load import Loader
    from renderer.model.kube.resource import Resource
    from renderer.model.masking import Masking
    from renderer.model.pin import Pinnable
    from renderer.model.source_tree import KustomizationRoot
    from renderer.pipeline.cluster_objects import ClusterObjects
    from renderer.pipeline.entry_points import EntryPointComposer
    from renderer.project.overlays import FoundOverlays
    from renderer.provenance.trace import Trace

#: The kinds of virt-template.
_OF_VIRT_TEMPLATE = frozenset({VM_TEMPLATE, VM_TEMPLATE_REQUEST})


class Pipeline:
    """One run over one repository; files that several overlays share are read, composed and compiled once."""

    def __init__(  # noqa: PLR0913 - the parts of a run, and what only a comparison knows
        self,
        fs: FileSystem,
        config: RenderConfig,
        restrictor: LoadRestrictor = LoadRestrictor.ROOT_ONLY,
        context: RunContext | None = None,
        releases: Mapping[str, Release] = MappingProxyType({}),
        *,
        applies_sources: Callable[[Overlay], bool] = lambda _: False,
        deployed: Callable[[], ClusterObjects] | None = None,
    ) -> None:
        """``releases`` has target releases of overlays, by path, in place of what the project says.

        ``applies_sources`` returns True for an overlay whose engine applies its sources, not its tree.
        ``deployed`` returns the objects of the overlays if another run has composed them.
        """
        self._applies_sources = applies_sources
        begin_outside_run()
        self._context = context or RunContext.fresh()
        self._fs = fs
        self._config = config
        self._releases = releases
        self._restrictor = restrictor
        self._outlines: dict[str, KustomizationRoot] = {}
        self._last_secrets: tuple[frozenset[str], Masking] | None = None
        self._of_clusters: dict[str, ClusterStages] = {}
        self._shared = SharedByClusters(
            fs,
            config,
            self.compose,
            self.compose_applied,
            self._context,
            lambda: self.found.overlays,
            deployed,
        )

    def know_beside(self, beside: Callable[[Overlay], Iterable[Overlay]]) -> None:
        """Look for the object that configures KubeVirt also in what ``beside`` returns for an overlay."""
        self._shared.beside = beside

    def traced(self, trace: Trace) -> Pipeline:
        """Return a pipeline that observes how an overlay is made; what others have is known from this one."""
        return Pipeline(
            self._fs,
            self._config,
            self._restrictor,
            RunContext.fresh(trace),
            self._releases,
            applies_sources=self._applies_sources,
            deployed=lambda: self._shared.deployed,
        )

    @cached_property
    def found(self) -> FoundOverlays:
        """The overlays of the project, as far as they can be found. Raises ``DiagnosticError``.

        What is built to find them is not built again to render them.
        """
        from renderer.pipeline.entry_points import look_up_overlays
        from renderer.pipeline.entry_search import Search

        with self._context.recorder.using(FINDING_OVERLAYS):
            search = Search(
                flux_builds=lambda: self._entry_points.flux_builds,
                applications=lambda: self._entry_points.applications,
            )
            found = look_up_overlays(self._fs, self._config, search)
        overlays = (
            each._replace(kubevirt=self._releases.get(each.path, each.kubevirt)) for each in found.overlays
        )
        return found._replace(overlays=tuple(overlays), cluster=self._config.cluster)

    @property
    def validated_groups(self) -> frozenset[str]:
        """The API groups whose objects are validated against a schema."""
        return self._of_cluster(self._config.cluster).checks.groups

    @property
    def unchecked(self) -> Mapping[str, int]:
        """The number of distinct objects without a schema so far, by kind."""
        found: dict[str, set[ResId]] = {}
        for stages in self._of_clusters.values():
            for kind, objects in stages.checks.unchecked.items():
                found.setdefault(kind, set()).update(objects)
        return {kind: len(objects) for kind, objects in found.items()}

    def render(self, overlay: Overlay) -> Outcome[ResourceSet]:
        """Render an overlay: compose, expand and check it. The value has the resources to write."""
        return self.check_composed(overlay, self.compose_overlay(overlay))

    def compose_overlay(self, overlay: Overlay, *, is_last: bool = False) -> Outcome[ResourceSet]:
        """Compose an overlay as kustomize or the engine of its entry point does, before variables.

        With ``is_last``, everything read and composed so far is dropped, except the outline of the overlay,
        which is checked next. Anything needed later is read again.
        """
        composed = self._compose_input(overlay, is_last=is_last)
        if composed.failed:
            values = self._unbuilt.secret_values(_folders_of(overlay))
            noted = tuple(_noted(each, self._masking(values)) for each in composed.diagnostics)
            composed = Outcome(composed.value, noted if values else composed.diagnostics)
        if is_last:
            for part in ("_loader", "_composer"):
                self.__dict__.pop(part, None)
            if overlay.entry:
                self._entry_points.forget_builds()
            forget_shared()
        return composed

    def compose_applied(self, overlay: Overlay) -> Outcome[ResourceSet]:
        """Compose an overlay with its variables, and with what its engine sets on all objects."""
        composed = self.compose_overlay(overlay)
        return composed if composed.failed else self._substitute(overlay, composed)

    def _compose_input(self, overlay: Overlay, *, is_last: bool) -> Outcome[ResourceSet]:
        point = overlay.entry
        if point is None:
            return self.compose(overlay.path, is_last=is_last)
        has_folder = point.options.kind is EntryKind.KUSTOMIZATION
        folder = self.compose(overlay.path, is_last=is_last) if has_folder else None
        return self._entry_points.compose(overlay, point, folder)

    def compose_alone(self, overlay: Overlay) -> Outcome[ResourceSet]:
        """Compose an overlay whose findings are reported as they are, without the stages that follow."""
        composed = self.compose_overlay(overlay)
        return Outcome(composed.value, self.with_confidential(overlay, composed.value, composed.diagnostics))

    def check_composed(self, overlay: Overlay, composed: Outcome[ResourceSet]) -> Outcome[ResourceSet]:
        """Render the given composed resources instead of the resources of the overlay's folder.

        An error in what the overlays of a cluster share, such as a catalog, is an error of each of them.
        """
        try:
            whole = self._run_stages(overlay, composed)
        except DiagnosticError as error:
            return Outcome(ResourceSet(), error.diagnostics)
        if overlay.write_instancetypes:
            return whole
        written = whole.value.where(lambda each: each.gvk.group != INSTANCETYPE_GROUP)
        return Outcome(written, whole.diagnostics)

    def confidential(self, overlay: Overlay) -> frozenset[str]:
        """Return the values of Secrets that were substituted into the overlay when it was rendered."""
        of_flux = (
            frozenset[str]()
            if overlay.flux is None
            else self._of_cluster(overlay.cluster).flux.confidential(overlay)
        )
        return of_flux if overlay.entry is None else of_flux | self._entry_points.confidential(overlay)

    def secrets(self, overlay: Overlay, resources: Iterable[Resource]) -> frozenset[str]:
        """Return the values of the Secrets of a rendered overlay, and what was substituted into it."""
        from renderer.kubevirt.facts.confidential.secret_values import without_names

        contents = [each.content for each in resources]
        return self.confidential(overlay).union(*map(_secrets_in, without_names(contents)))

    def build(self, overlay: Overlay, *, validate: bool = False) -> Outcome[ResourceSet]:
        """Return the overlay composed, with its virtual machines expanded, and checked.

        In the mode ``off``, the result equals the output of kustomize, or of Flux if the project names its
        Kustomization; it is checked only with ``validate``. Sizes of the customisation proposal are printed
        in the version that clusters serve; incomplete sizes, which no cluster accepts, are left out.
        """
        composed = self.compose_overlay(overlay)
        if overlay.expand is not ExpandMode.OFF:
            return self._run_stages(overlay, composed)
        substituted = self._substitute(overlay, composed)
        if validate:
            found = self._run_stages(overlay, composed).diagnostics
            # What is printed has the namespaces that kustomize sets, and rendered trees have not.
            namespaced = tuple(each for each in substituted.diagnostics if each.code is Code.CLUSTER_SCOPED)
            found = (*self._reported(overlay, substituted, namespaced), *found)
        else:
            found = with_levels((*substituted.diagnostics, *about_target(overlay.kubevirt)), overlay.rules)
        return Outcome(_served(substituted.value), self.with_confidential(overlay, substituted.value, found))

    def compose(
        self, folder: str, listed_at: Site | None = None, *, is_last: bool = False
    ) -> Outcome[ResourceSet]:
        """Compose a folder as ``kustomize build`` does; the project names it at ``listed_at``.

        With ``is_last``, the resources of its tree are dropped, and its outline is kept.
        """
        if folder.startswith(BUILTIN_SCHEME):
            shipped = shipped_catalog(folder, self._config.merge_keys, self._context.trace)
            if shipped is not None:
                return Outcome(shipped)
        try:
            tree = self._loader.load(folder, listed_at)
            if is_last:
                self._outlines[folder] = tree.root.outline({})
            composed = self._composer.compose(tree, is_last=is_last)
        except DiagnosticError as error:
            composed = Outcome(ResourceSet(), error.diagnostics)
        if not composed.failed:
            return composed
        from renderer.pipeline.pinning import with_pin_hints

        return Outcome(composed.value, with_pin_hints(composed.diagnostics))

    def read(self, folder: str) -> tuple[Diagnostic, ...]:
        """Return the findings about the kustomization in ``folder``, and about the files that it lists."""
        try:
            return self._loader.load(folder).root.warnings
        except DiagnosticError as error:
            return error.diagnostics

    def expand(self, files: Iterable[str], release: Release, mode: ExpandMode) -> Outcome[ResourceSet]:
        """Expand the virtual machines of the documents in ``files``, and check all documents."""
        from renderer.kustomize.reader.load import load_files

        overlay = self._config.overlay(OverlayEntry(".", write_instancetypes=False), ".", ".")
        overlay = overlay.with_target(release, mode)
        stages = self._of_cluster(overlay.cluster)

        def expanded_and_checked(loaded: Outcome[ResourceSet]) -> Outcome[ResourceSet]:
            expanded = stages.expander.expand(loaded, release, mode, live=True)
            checked = expanded.then(lambda resources: stages.checks.validate(resources, release))
            reviewed = stages.checks.review(checked, loaded, release, mode)
            judged = stages.checks.judge(reviewed, loaded.value, overlay)
            judged = self._with_rest_of_unmatched(overlay, loaded, judged)
            conflicts = stages.catalogs.conflicts_of(overlay, loaded.value)
            judged = Outcome(judged.value, (*judged.diagnostics, *conflicts))
            return Outcome(stages.checks.without_nulls(judged.value, release), judged.diagnostics)

        read = well_formed(load_files(self._fs, files, generated_names=True))
        processed = past_encrypted(read, expanded_and_checked)
        of_templates = _of_templates(read.value, release, expanded_and_checked)
        of_sets = _of_resource_sets(read.value, expanded_and_checked)
        found = (*processed.diagnostics, *of_templates, *of_sets, *about_target(release))
        found = with_levels(found, self._config.rules)
        return Outcome(processed.value, self.with_confidential(overlay, read.value, found))

    def look_up(self, name: str) -> Resource:
        """Look up an instance type or preference of the cluster's catalogs. Raises ``DiagnosticError``."""
        from renderer.kubevirt.instancetype.lookup import look_up

        return look_up(self._of_cluster(self._config.cluster).catalogs.whole, name)

    def check(
        self, objects: ResourceSet, release: Release, cluster: str | None = None
    ) -> tuple[Diagnostic, ...]:
        """Check instance types and preferences themselves, as a cluster of the release would.

        Without the name of a ``cluster``, it is the one that sees the project.
        """
        from renderer.kubevirt.instancetype.behaviour import behaviour_of
        from renderer.kubevirt.instancetype.findings import check_objects

        checks = self._of_cluster(self._config.cluster if cluster is None else cluster).checks
        found = checks.validate(objects, release).diagnostics
        return found if has_errors(found) else (*found, *check_objects(objects, (), behaviour_of(release)))

    def pinnables(self, overlay: Overlay) -> Outcome[tuple[Pinnable, ...]]:
        """Return the overlay's virtual machines, each with the pin that it would get now."""
        composed = self.compose(overlay.path)
        if composed.failed:
            return Outcome((), composed.diagnostics)

        from dataclasses import replace

        from renderer.pipeline.pinning import pinnables

        try:
            tree = self._loader.load(overlay.path)
            catalogs = self._of_cluster(overlay.cluster).catalogs
            with catalogs.seen_by(overlay):
                catalog = catalogs.whole
            found = pinnables(overlay, tree, composed.value, self._composer, catalog)
            reported = (
                replace(each, findings=self.with_confidential(overlay, composed.value, each.findings))
                for each in found
            )
            return Outcome(tuple(reported), composed.diagnostics)
        except DiagnosticError as error:
            refused = self.with_confidential(overlay, composed.value, error.diagnostics)
            return Outcome((), composed.diagnostics + refused)

    @property
    def catalog_sources(self) -> tuple[CatalogSource, ...]:
        """The catalogs of the cluster that sees the project, by name. Raises ``DiagnosticError``."""
        return self.catalogs_of(self._config.cluster).sources

    def catalogs_of(self, cluster: str) -> ProjectCatalogs:
        """Return the catalogs of a cluster."""
        return self._of_cluster(cluster).catalogs

    def _of_cluster(self, cluster: str) -> ClusterStages:
        """Return the stages for the overlays of a cluster."""
        stages = self._of_clusters.get(cluster)
        if stages is None:
            stages = ClusterStages(self._config.of_cluster(cluster), self._shared)
            self._of_clusters[cluster] = stages
        return stages

    def _run_stages(self, overlay: Overlay, composed: Outcome[ResourceSet]) -> Outcome[ResourceSet]:
        """Run composed resources through all stages; instance types and preferences stay in the result."""
        stages = self._of_cluster(overlay.cluster)
        with stages.catalogs.including_deployed(overlay):
            written, substituted = composed, self._substitute(overlay, composed)
            composed = self._context.traced(overlay, StepKind.SUBSTITUTED, composed, substituted)
            strip = partial(strip_server_fields, keeps_owners=partial(self._applies_sources, overlay))
            composed = stages.checks.without_needless_namespaces(composed.then(strip))
            processed = past_encrypted(composed, lambda each: self._expand_and_check(overlay, each))
            found = (
                *processed.diagnostics,
                *map_errors(processed.value),
                *about_target(overlay.kubevirt),
            )
            if any(resource.kind == "Template" for resource in processed.value):
                from renderer.gitops.openshift_template import unprocessed_templates

                found = (*found, *unprocessed_templates(processed.value))
            if self._context.trace is None:  # which would observe machines that are not written
                of_templates = _of_templates(
                    composed.value, overlay.kubevirt, lambda each: self._expand_and_check(overlay, each)
                )
                found = (*found, *of_templates)
                if overlay.entry is None or overlay.entry.options.kind is not EntryKind.FLUX:
                    found += _of_resource_sets(
                        composed.value, lambda each: self._expand_and_check(overlay, each)
                    )
            found = self._with_variables_named(overlay, written, composed, found)
            return Outcome(strip_status(processed.value), self._reported(overlay, composed, found))

    def _expand_and_check(self, overlay: Overlay, composed: Outcome[ResourceSet]) -> Outcome[ResourceSet]:
        """Expand the virtual machines, and check all resources."""
        stages = self._of_cluster(overlay.cluster)
        built = stages.expander.expand_overlay(overlay, composed)
        if overlay.tree.sync_waves:
            from renderer.emit.tree_options import in_sync_waves

            built = self._context.traced(overlay, StepKind.SYNC_WAVE, built, built.then(in_sync_waves))
        checked = built.then(lambda resources: stages.checks.validate(resources, overlay.kubevirt))
        named = stages.expander.with_catalog_names(overlay, composed)
        checked = stages.checks.review(checked, named, overlay.kubevirt, overlay.expand)
        judged = stages.checks.judge(checked, composed.value, overlay)
        judged = self._with_rest_of_unmatched(overlay, named, judged)
        judged = self._context.traced(overlay, StepKind.SUPPRESSION, checked, judged)
        conflicts = stages.catalogs.conflicts_of(overlay, composed.value)
        judged = Outcome(judged.value, (*judged.diagnostics, *conflicts)) if conflicts else judged
        written = Outcome(stages.checks.without_nulls(judged.value, overlay.kubevirt), judged.diagnostics)
        return self._context.traced(overlay, StepKind.TARGET_FORM, judged, written)

    def _with_rest_of_unmatched(
        self, overlay: Overlay, composed: Outcome[ResourceSet], judged: Outcome[ResourceSet]
    ) -> Outcome[ResourceSet]:
        """Add the errors that KubeVirt finds in machines whose matchers match nothing, without these."""
        if not judged.failed:
            return judged
        from renderer.pipeline.unmatched import unmatched_matchers, without_matchers

        unmatched = unmatched_matchers(judged.diagnostics, overlay.kubevirt)
        if not unmatched:
            return judged
        stages, release = self._of_cluster(overlay.cluster), overlay.kubevirt
        rest = Outcome(without_matchers(composed.value, unmatched))
        checked = stages.expander.expand(rest, release, overlay.expand)
        checked = checked.then(lambda resources: stages.checks.validate(resources, release))
        checked = stages.checks.review(checked, rest, release, overlay.expand)
        checked = stages.checks.judge(checked, rest.value, overlay)
        known = {(each.resource, each.field, each.code) for each in judged.diagnostics}
        machines = {each.finding.resource for each in unmatched}
        errors = (
            each
            for each in checked.diagnostics
            if each.severity is Severity.ERROR
            and each.resource in machines
            and (each.resource, each.field, each.code) not in known
        )
        return Outcome(judged.value, (*judged.diagnostics, *errors))

    def _at_deciding_sites(
        self, overlay: Overlay, findings: tuple[Diagnostic, ...]
    ) -> tuple[Diagnostic, ...]:
        """In each finding, put the site that decided the field's value before its other sites."""
        if not findings or overlay.path.startswith(BUILTIN_SCHEME) or not self._fs.is_folder(overlay.path):
            return findings
        from renderer.provenance.deciding_sites import at_deciding_sites

        options = self._composer.options
        try:
            outline = self._outlines.get(overlay.path) or self._loader.load(overlay.path).root
            return at_deciding_sites(
                findings, outline, lambda: self._loader.load(overlay.path), options, GENERATORS
            )
        except DiagnosticError:
            return findings

    def _substitute(self, overlay: Overlay, composed: Outcome[ResourceSet]) -> Outcome[ResourceSet]:
        """Substitute variables of Flux, point at trees, and set what the engine sets on all objects."""
        composed = well_formed(composed)
        if overlay.entry is None:
            if overlay.flux is None:
                return composed
            return well_formed(self._of_cluster(overlay.cluster).flux.substitute(overlay, composed))
        substituted = well_formed(self._entry_points.substitute(overlay, overlay.entry, composed))
        self._context.traced(overlay, StepKind.SUBSTITUTED, composed, substituted)
        copied = self._entry_points.with_copies(overlay.entry, substituted)
        self._context.traced(overlay, StepKind.REPOINTED, substituted, copied)
        applied = self._entry_points.as_applied(overlay.entry, copied)
        return well_formed(self._context.traced(overlay, StepKind.ENTRY_POINT, copied, applied))

    def _with_variables_named(
        self,
        overlay: Overlay,
        written: Outcome[ResourceSet],
        substituted: Outcome[ResourceSet],
        found: tuple[Diagnostic, ...],
    ) -> tuple[Diagnostic, ...]:
        """Return the findings; hints about values that Flux puts in are about their variables."""
        variables = None
        if found and overlay.entry is not None:
            variables = self._entry_points.variables(overlay.entry)
        elif found and overlay.flux is not None:
            variables = self._of_cluster(overlay.cluster).flux.variables(overlay)
        if not variables or not variables.values:
            return found
        from renderer.pipeline.flux_values import with_variables_named

        return tuple(with_variables_named(found, written.value, substituted.value, variables))

    def _reported(
        self, overlay: Overlay, composed: Outcome[ResourceSet], found: tuple[Diagnostic, ...]
    ) -> tuple[Diagnostic, ...]:
        """Return the findings of all stages with their levels, deciding sites and confidential values."""
        if not found:
            return found
        return self.with_confidential(
            overlay, composed.value, self._at_deciding_sites(overlay, with_levels(found, overlay.rules))
        )

    def with_confidential(
        self, overlay: Overlay, resources: Iterable[Resource], found: tuple[Diagnostic, ...]
    ) -> tuple[Diagnostic, ...]:
        """Note in findings the values of the overlay's Secrets that no output may show.

        And those of other overlays, if something of a finding is made of one: it depends on these then.
        """
        if not found:
            return found
        from renderer.findings.masking import parts_of_value, without_derived_texts
        from renderer.findings.own_values import values_in_object
        from renderer.model.run.taint import learned_masking, noted_masking

        resources = tuple(resources)
        of_overlay = self._masking(self.secrets(overlay, resources))
        of_run, of_others = noted_masking(), learned_masking()
        by_id = {each.current_id: each.content for each in resources}
        noted: list[Diagnostic] = []
        for each in found:
            content = by_id.get(each.resource) if each.resource else None
            own = values_in_object(each, content) if content else None
            maskings = [masking for masking in (own, of_overlay) if masking]
            if content and (maskings or of_run or of_others):
                maskings += parts_of_value(each, content, of_overlay)
                own_texts = without_derived_texts(each, content, *maskings, of_run)
                each = without_derived_texts(own_texts, content, of_others)  # noqa: PLW2901 - the same, masked
                if each is not own_texts:
                    maskings.append(of_others)
            noted.append(_noted(each, *maskings) if maskings else each)
        return tuple(noted)

    @cached_property
    def _entry_points(self) -> EntryPointComposer:
        from renderer.pipeline.entry_points import EntryPointComposer
        from renderer.pipeline.flux_build import BuildContext

        build = BuildContext(self._config.merge_keys, self._context.trace, self._context.recorder)
        return EntryPointComposer(self._fs, build)

    def _masking(self, values: frozenset[str]) -> Masking:
        """Return the search for the values; the one of the overlay before, if that has the same."""
        from renderer.model.masking import Masking

        if self._last_secrets is None or self._last_secrets[0] != values:
            self._last_secrets = values, Masking(values)
        return self._last_secrets[1]

    @cached_property
    def _unbuilt(self) -> UnbuiltFolders:
        from renderer.gitops.unbuilt_folders import UnbuiltFolders

        return UnbuiltFolders(self._fs)

    @cached_property
    def _composer(self) -> Composer:
        from renderer.kustomize.compose import BuildOptions, Composer

        return Composer(GENERATORS, BuildOptions(merge_keys=self._config.merge_keys), self._context.trace)

    @cached_property
    def _loader(self) -> Loader:
        from renderer.kustomize.reader.load import Loader

        return Loader(self._fs, self._restrictor, self._composer.accumulate, self._context.recorder)


def _folders_of(overlay: Overlay) -> tuple[str, ...]:
    return (overlay.path,) if overlay.entry is None else tuple(overlay.entry.folders)


@once_for_same
def _secrets_in(content: Json) -> frozenset[str]:
    """Return the values of Secrets in an object; most objects of a base are the same in all overlays."""
    from renderer.kubevirt.facts.confidential.secret_values import secret_values

    return secret_values([content])


@once_for_same
def _noted(finding: Diagnostic, *maskings: Masking) -> Diagnostic:
    """Return the finding with values that no output may show; the same object in all overlays of a base."""
    return finding._replace(confidential=(*finding.confidential, *maskings))


def _served(resources: ResourceSet) -> ResourceSet:
    """Return the resources; convert objects of the customisation proposal to the served version."""
    if not any(resource.api_version == PROPOSED_INSTANCETYPE_API_VERSION for resource in resources):
        return resources
    from renderer.kubevirt.instancetype.served_version import served_resources

    return served_resources(resources)


def _of_templates(
    resources: ResourceSet, release: Release, stages: Callable[[Outcome[ResourceSet]], Outcome[ResourceSet]]
) -> tuple[Diagnostic, ...]:
    """Return the findings about VirtualMachineTemplates, their requests, and the machines in them."""
    if not any(resource.kind in _OF_VIRT_TEMPLATE for resource in resources):
        return ()
    from renderer.pipeline.template_checks import template_findings

    checked = template_findings(resources, release, lambda each: past_encrypted(Outcome(each), stages))
    return tuple(checked)


def _of_resource_sets(
    resources: ResourceSet, stages: Callable[[Outcome[ResourceSet]], Outcome[ResourceSet]]
) -> tuple[Diagnostic, ...]:
    """Return the findings about what ResourceSets make, which an entry of Flux has in overlays of its own."""
    if not any(resource.kind == "ResourceSet" for resource in resources):
        return ()
    from renderer.pipeline.resource_sets import resource_set_findings

    return tuple(resource_set_findings(resources, lambda each: past_encrypted(Outcome(each), stages)))
