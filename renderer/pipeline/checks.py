"""Check the resources to write: by schemas, by KubeVirt's webhooks, by rules."""

# ruff: noqa: PLC0415 - a stage is imported when it is first needed

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from renderer.files.file_system import FileSystem
from renderer.files.recorder import Recorder, Task
from renderer.kubevirt.facts.products import kubernetes_of
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError, Outcome, Severity
from renderer.model.kube.cluster_wide import unknown_scope, without_needless_namespaces
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import ResourceSet
from renderer.model.project_schemas import NO_SCHEMAS, ProjectSchemas
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode, Overlay, RenderConfig
from renderer.pipeline.expansion import Expander
from renderer.pipeline.project_catalogs import ProjectCatalogs
from renderer.pipeline.sound_parts import is_in_sound_part, with_sound_parts, wrong_fields

if TYPE_CHECKING:
    from renderer.checks.schemas.registry import SchemaRegistry
    from renderer.kubevirt.facts.cluster import Cluster
    from renderer.kubevirt.instancetype.catalog import Catalog


class Checks:
    """The checks of one run; schemas are read once, and only for kinds that occur."""

    def __init__(
        self,
        fs: FileSystem,
        config: RenderConfig,
        catalogs: ProjectCatalogs,
        expansion: Expander,
        recorder: Recorder,
    ) -> None:
        self._fs = fs
        self._config = config
        self._catalogs = catalogs
        self._expansion = expansion
        self._recorder = recorder
        self._schemas: dict[Release | None, SchemaRegistry] = {}
        self._input_schemas: dict[Release | None, SchemaRegistry] = {}
        #: The objects so far that have no schema, by kind.
        self.unchecked: dict[str, set[ResId]] = {}

    @property
    def groups(self) -> frozenset[str]:
        """The API groups that have schemas."""
        return self._schemas_for(self._config.kubevirt).groups

    def without_needless_namespaces(self, composed: Outcome[ResourceSet]) -> Outcome[ResourceSet]:
        """Return the resources, the cluster-wide ones without a namespace, and no warnings about it.

        Raises ``DiagnosticError`` for schemas of the project that cannot be read.
        """
        scope_of = self._scope_of if self._config.schemas else unknown_scope
        value = without_needless_namespaces(composed.value, scope_of)
        found = composed.diagnostics
        if found:
            found = tuple(each for each in found if each.code is not Code.CLUSTER_SCOPED)
        return Outcome(value, found)

    def _scope_of(self, group: str, kind: str) -> bool | None:
        with self._recorder.using(Task("schemas")):
            return self._schemas_for(self._config.kubevirt).scope_of(group, kind)

    def validate(self, resources: ResourceSet, release: Release) -> Outcome[ResourceSet]:
        """Validate all resources against schemas. The value has the resources to write."""
        from renderer.checks.schemas.validate import unchecked, validate
        from renderer.kubevirt.instancetype.served_version import is_only_for_rendering

        with self._recorder.using(Task("schemas")):
            written = resources.where(lambda resource: not is_only_for_rendering(resource))
            schemas = self._schemas_for(release)
            diagnostics = validate(written, release, schemas)
            for resource in unchecked(written, schemas):
                self.unchecked.setdefault(resource.kind, set()).add(resource.current_id)
            if len(written) < len(resources):
                inputs = self._schemas_for_input(release)
                diagnostics += validate(resources.where(is_only_for_rendering), release, inputs)
            return Outcome(written, diagnostics)

    def without_nulls(self, resources: ResourceSet, release: Release) -> ResourceSet:
        """Return the checked resources without nulls of known fields, as they are written."""
        from renderer.checks.schemas.nulls import without_nulls

        return without_nulls(resources, release, self._schemas_for(release))

    def review(
        self,
        checked: Outcome[ResourceSet],
        composed: Outcome[ResourceSet],
        release: Release,
        mode: ExpandMode,
    ) -> Outcome[ResourceSet]:
        """Add the findings of KubeVirt's webhooks about objects, and parts of machines, without an error."""
        from renderer.kubevirt.admission import concerns

        if not concerns(checked.value):
            return checked
        from renderer.kubevirt.admission.review import review
        from renderer.kubevirt.admission.unknown_gates import (
            unknown_gates_of_objects,
            unknown_gates_of_project,
        )
        from renderer.kubevirt.instancetype.admission_requests import admission_requests
        from renderer.kubevirt.instancetype.virtual_machine import needs_catalog

        has_matchers = needs_catalog(composed.value)
        expanded = checked.value
        if mode is ExpandMode.OFF and has_matchers:
            expanded = self._expansion.webhook_input(composed, release)
        refused = wrong_fields(checked.diagnostics)
        asked = expanded if not refused else _without_wrong_values(expanded, refused)
        catalog = self._catalogs.whole if has_matchers and not composed.failed else self._catalogs.empty
        found = review(admission_requests(asked, catalog, release), release, composed.value)
        if any(each.code is Code.ADMISSION for each in found):
            catalog = self._catalog_of_cluster(catalog, checked.value, release)
            found = review(admission_requests(asked, catalog, release), release, composed.value)
        if refused:
            found = tuple(each for each in found if is_in_sound_part(each, refused.get(each.resource)))
        refused_fields = {(each.resource, each.field) for each in found if each.severity is Severity.ERROR}
        others = (  # report a missing field once
            each
            for each in checked.diagnostics
            if each.severity is not Severity.WARNING or (each.resource, each.field) not in refused_fields
        )
        unknown = (
            *unknown_gates_of_project(self._config.feature_gates),
            *unknown_gates_of_objects(asked, release),
        )
        return Outcome(checked.value, (*others, *unknown, *found))

    def _catalog_of_cluster(self, catalog: Catalog, resources: ResourceSet, release: Release) -> Catalog:
        """Return the catalog with the ``KubeVirt`` or HyperConverged object, which no matcher refers to.

        Objects of the repository count before the facts of the cluster. If neither the overlay nor a catalog
        nor another overlay of the cluster nor its facts have one, use the feature gates that any of these
        objects in the repository enables.
        """
        from renderer.kubevirt.facts.kinds import configures_kubevirt
        from renderer.kubevirt.instancetype.catalog import CatalogSource
        from renderer.kubevirt.instancetype.cluster_kubevirt import find_configuring, kubevirt_of

        if self._catalogs.has_own:
            with suppress(DiagnosticError):  # in a catalog that no matcher needs
                catalog = self._catalogs.whole
        looked_up = find_configuring(catalog)
        if looked_up is not None and not self._catalogs.is_fact(looked_up):
            return catalog
        own = next(filter(configures_kubevirt, resources), None)
        if own is not None and looked_up is None:
            return catalog
        deployed = own or self._catalogs.kubevirt_of_cluster
        if deployed is not None:
            # Messages name the object itself, but a fact counts before an object of another kind.
            deployed = deployed if looked_up is None else kubevirt_of(deployed, release)
            return catalog.after(CatalogSource("", ResourceSet((deployed,))))
        if looked_up is not None:
            return catalog
        return catalog.with_gates(self._catalogs.gates_in_repository(release))

    def judge(
        self, checked: Outcome[ResourceSet], composed: ResourceSet, overlay: Overlay
    ) -> Outcome[ResourceSet]:
        """Add the findings of the rules, and drop the annotations that suppress them."""
        from renderer.checks.rules import rules_apply_to

        if not rules_apply_to(checked.value):
            return checked
        from renderer.authoring.catalogs.bundled import bundled_names
        from renderer.checks.rules.context import Context, Lookups, no_bundled_names
        from renderer.checks.rules.judge import judge

        lookups = Lookups(
            self._catalogs.find,
            bundled_names if overlay.write_instancetypes else no_bundled_names,
            lambda release: self._cluster(checked.value, release),
            self._catalogs.is_in_cluster,
            self._catalogs.is_surely_in_cluster,
            lambda: self._catalogs.storage_profiles,
        )
        context = Context(checked.value, composed, overlay.kubevirt, lookups)
        return judge(context, checked.diagnostics, overlay.rules)

    def _cluster(self, resources: ResourceSet, release: Release) -> Cluster:
        """Return the cluster of the object in the overlay that configures KubeVirt, else in a catalog.

        An invalid object, which the schema stage reports, counts as missing.
        """
        from renderer.kubevirt.facts.cluster import DEFAULT_CONFIG, Cluster
        from renderer.kubevirt.instancetype.stored_vm import read_cluster_config

        config = DEFAULT_CONFIG
        with suppress(DiagnosticError):
            catalog = self._catalog_of_cluster(self._catalogs.empty, resources, release)
            config = read_cluster_config(resources, catalog, release)
        return Cluster(release, config)

    def _schemas_for(self, release: Release) -> SchemaRegistry:
        """Return the schemas that apply to a target release; there is one registry for each Kubernetes."""
        from renderer.checks.schemas.registry import SchemaRegistry

        kubernetes = self._kubernetes(release)
        if kubernetes not in self._schemas:
            self._schemas[kubernetes] = SchemaRegistry(project=self._project_schemas, kubernetes=kubernetes)
        return self._schemas[kubernetes]

    def _schemas_for_input(self, release: Release) -> SchemaRegistry:
        from renderer.checks.schemas.registry import InputSchemaRegistry

        kubernetes = self._kubernetes(release)
        if kubernetes not in self._input_schemas:
            registry = InputSchemaRegistry(project=self._project_schemas, kubernetes=kubernetes)
            self._input_schemas[kubernetes] = registry
        return self._input_schemas[kubernetes]

    def _kubernetes(self, release: Release) -> Release | None:
        """Return the minor of Kubernetes: the project's, else that of the product; None for the latest."""
        return self._config.kubernetes or kubernetes_of(release)

    @cached_property
    def _project_schemas(self) -> ProjectSchemas:
        """The schemas in the repository. Raises ``DiagnosticError``."""
        if not self._config.schemas:
            return NO_SCHEMAS
        from renderer.project.project_schemas import listed_schemas

        return listed_schemas(self._fs, self._config.schemas)


def _without_wrong_values(
    resources: ResourceSet, refused: Mapping[ResId | None, Sequence[FieldPath]]
) -> ResourceSet:
    """Return the resources that a webhook can judge, of machines only the values without an error."""
    kept = (
        with_sound_parts(each, refused[each.current_id]) if each.current_id in refused else each
        for each in resources
    )
    return ResourceSet(tuple(each for each in kept if each is not None))
