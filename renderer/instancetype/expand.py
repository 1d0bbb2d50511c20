"""The stage's front door: every VirtualMachine is resolved, checked and expanded."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from renderer.instancetype.admission import Cluster, admit
from renderer.instancetype.api.v1beta2 import leaves_memory_to_vm
from renderer.instancetype.behaviour import Behaviour, behaviour_of
from renderer.instancetype.catalog import Catalog, CatalogSource, Scope
from renderer.instancetype.cause import CauseError
from renderer.instancetype.cluster_config import cluster_config
from renderer.instancetype.custom.refusals import unexpanded_causes
from renderer.instancetype.custom.size import without_custom_vcpus
from renderer.instancetype.custom.supply import with_custom_size
from renderer.instancetype.empty_matchers import empty_matchers
from renderer.instancetype.expand_spec import expand_spec
from renderer.instancetype.find import Finder
from renderer.instancetype.findings import check_objects, vm_diagnostics
from renderer.instancetype.resolve import Matchers, Selected, resolve_matchers, select
from renderer.instancetype.revision.mismatch import mismatches
from renderer.instancetype.target_form import in_target_form
from renderer.instancetype.unresolved import unresolved_matchers
from renderer.instancetype.virtual_machine import VirtualMachine, expanded
from renderer.instancetype.vm_expansion import VmExpansion
from renderer.kubevirt.cluster import ClusterConfig
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome
from renderer.model.json import JsonObject
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode
from renderer.model.resource import Resource, ResourceSet

#: Is told of every VirtualMachine that is expanded.
Observe: TypeAlias = Callable[[VmExpansion], None]


def expand(  # noqa: PLR0913 - what is expanded, with what, for whom, and two that most callers leave out
    resources: ResourceSet,
    catalog: Catalog,
    release: Release,
    mode: ExpandMode,
    *,
    own: str = "the overlay",
    observe: Observe | None = None,
) -> Outcome[ResourceSet]:
    """The resources with their VirtualMachines and VirtualMachinePools expanded; all others as they are.

    Instance types, preferences, volumes and the KubeVirt object are looked up among ``resources``, which
    diagnostics call ``own``, then in ``catalog``. A VirtualMachine with a problem stays as it is, but for a
    size of its own, and does not keep others from being expanded. Instance types that leave a size to the VM
    are still among them; all others are in a form that the release knows.
    """
    everything = catalog.after(CatalogSource(own, resources))
    diagnostics: list[Diagnostic] = []
    config = ClusterConfig()
    try:
        config = cluster_config(everything)
    except DiagnosticError as error:
        diagnostics += error.diagnostics
    expander = _Expander(everything, Cluster(behaviour_of(release), config), mode, observe)
    results: list[Resource] = []
    for resource in resources:
        try:
            results.append(expander.expand(resource))
        except DiagnosticError as error:
            results.append(without_custom_vcpus(resource))
            diagnostics += error.diagnostics
    diagnostics += expander.warnings
    diagnostics += check_objects(resources, expander.used, behaviour_of(release))
    return Outcome(ResourceSet(tuple(results)), tuple(diagnostics)).then(in_target_form)


class _Expander:
    """Expands one resource after the other; what it has looked up serves the next as well."""

    def __init__(
        self, catalog: Catalog, cluster: Cluster, mode: ExpandMode, observe: Observe | None = None
    ) -> None:
        self._catalog = catalog
        self._cluster = cluster
        self._mode = mode
        self._observe = observe
        self._finder = Finder(cluster.behaviour)
        self.warnings: list[Diagnostic] = []

    @property
    def used(self) -> tuple[Resource, ...]:
        """The instance types and preferences that were expanded with."""
        return self._finder.used

    def expand(self, resource: Resource) -> Resource:
        """The resource expanded, if it is, or holds, a VirtualMachine. Raises ``DiagnosticError``."""
        vm = VirtualMachine.of(resource)
        if vm is None or vm.template is None:
            return resource
        unresolved = tuple(unresolved_matchers(vm)) if vm.has_matchers else ()
        if unresolved:
            self.warnings += unresolved
            return without_custom_vcpus(resource)
        try:
            return self._expand(vm, vm.template)
        except (CauseError, DiagnosticError) as error:
            raise DiagnosticError(*vm_diagnostics(error, vm)) from None

    def _expand(self, vm: VirtualMachine, template: JsonObject) -> Resource:
        behaviour = self._cluster.behaviour
        scope = Scope(self._catalog, vm.resource.namespace)
        matchers = resolve_matchers(vm.spec, scope, behaviour)
        found = select(matchers, vm.status, scope, self._finder)
        self.warnings += mismatches(vm, matchers, found)
        if self._mode is ExpandMode.OFF:
            _refuse_unexpanded(found, template, behaviour)
        selected, sized = with_custom_size(found, _inferred(matchers, found, template), vm, behaviour)
        applied = admit(selected, sized, scope, self._cluster)
        if self._mode is ExpandMode.OFF:
            return vm.resource
        defaults = self._mode is ExpandMode.DEFAULTS and bool(matchers)
        if defaults:
            applied = expand_spec(selected, sized, scope, self._cluster)
        whole = vm.with_content(expanded(vm.content, applied))
        if whole is not vm.resource:
            self.warnings += empty_matchers(vm)
        if self._observe and whole is not vm.resource:
            self._observe(VmExpansion(vm, whole, selected, sized, self._cluster, defaults))
        return whole


def _inferred(matchers: Matchers, selected: Selected, template: JsonObject) -> JsonObject:
    """The template after inference, which takes memory away that an instance type gives, and only that."""
    leaves_memory = selected.instancetype is not None and leaves_memory_to_vm(selected.instancetype.spec)
    return template if leaves_memory else matchers.template(template)


def _refuse_unexpanded(selected: Selected, template: JsonObject, behaviour: Behaviour) -> None:
    """Raises ``CauseError`` for a VirtualMachine that the cluster could not expand."""
    causes = tuple(unexpanded_causes(selected.instancetype, template, behaviour.release))
    if causes:
        raise CauseError(*causes)
