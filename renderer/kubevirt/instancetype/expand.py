"""Resolve, check and expand every VirtualMachine: the entry point of this stage."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from renderer.kubevirt.facts.cluster import DEFAULT_CONFIG, Cluster
from renderer.kubevirt.facts.kinds import HYPERCONVERGED, KUBEVIRT, MATCHER_KEYS, MATCHER_TYPES, MatcherType
from renderer.kubevirt.facts.products import Configuration, configuration_of
from renderer.kubevirt.facts.virtual_machine import has_matchers
from renderer.kubevirt.instancetype.added_devices import with_preferred_devices
from renderer.kubevirt.instancetype.api.instancetype import leaves_memory_to_vm
from renderer.kubevirt.instancetype.apply_custom_size import with_custom_size
from renderer.kubevirt.instancetype.apply_to_vm import apply, apply_checked
from renderer.kubevirt.instancetype.behaviour import ExpandDefaults, behaviour_of
from renderer.kubevirt.instancetype.catalog import Catalog, CatalogSource, Scope
from renderer.kubevirt.instancetype.cause import CauseError
from renderer.kubevirt.instancetype.cluster_config import cluster_config
from renderer.kubevirt.instancetype.custom_size import unexpanded_causes, without_custom_vcpus
from renderer.kubevirt.instancetype.defaults import default_disks, default_network, default_vmi_spec
from renderer.kubevirt.instancetype.find import Finder
from renderer.kubevirt.instancetype.findings import check_objects, vm_diagnostics
from renderer.kubevirt.instancetype.matcher import Matcher
from renderer.kubevirt.instancetype.matcher_warnings import (
    default_of_boot_image,
    empty_matchers,
    mismatches,
    missing_revisions,
    unresolved_matchers,
)
from renderer.kubevirt.instancetype.resolve import Matchers, ResolvedMatchers, resolve_matchers, select
from renderer.kubevirt.instancetype.served_version import in_served_version
from renderer.kubevirt.instancetype.start_warnings import assumed_network, input_device_left_out
from renderer.kubevirt.instancetype.virtual_machine import VirtualMachine, with_expanded_template
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome
from renderer.model.kube.json import EMPTY, Json, JsonObject, object_at
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.record import Record
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode


class VmExpansion(Record):
    """The inputs and the result of one expansion: ``vm`` became ``expanded``.

    ``sized`` is its ``spec.template`` after inference and without its custom size; ``completed`` also has
    the devices that KubeVirt adds at the start. ``selected`` was applied to ``completed``; with ``defaults``
    the result was also defaulted.
    """

    vm: VirtualMachine
    expanded: Resource
    selected: ResolvedMatchers
    sized: JsonObject
    completed: JsonObject
    cluster: Cluster
    defaults: bool


class _UsedDefault(Record):
    """A matcher with the default of a boot image, and the VirtualMachines that infer it."""

    matcher_type: MatcherType
    matcher: Matcher
    vms: list[VirtualMachine]


#: Is called with every VirtualMachine that is expanded.
Observer: TypeAlias = Callable[[VmExpansion], None]
#: The maximum number of cached pairs of matchers; the objects that they name are cached separately.
_MOST_KNOWN = 1000


def expand_spec(
    selected: ResolvedMatchers, template: JsonObject, scope: Scope, cluster: Cluster
) -> JsonObject:
    """Return the answer of KubeVirt's ``expand-spec`` API (``pkg/instancetype/expand/expand.go``).

    That is the VirtualMachine's ``spec.template``, applied and defaulted as far as the release does it. Disks
    and the network get their defaults before the preference is applied, so the preference affects them.
    Raises ``CauseError``.
    """
    behaviour, config = behaviour_of(cluster.release), cluster.config
    if behaviour.expand_defaults is ExpandDefaults.NONE:
        return apply(selected, template, scope, behaviour)
    applied = apply(selected, with_default_devices(template, cluster), scope, behaviour)
    spec = default_vmi_spec(object_at(applied, "spec"), config, behaviour)
    if behaviour.expand_defaults is ExpandDefaults.OBJECT:
        from renderer.kubevirt.instancetype.vmi_object_defaults import default_vmi_object  # noqa: PLC0415 - few ask for it

        spec = default_vmi_object(spec, config.cpu_model, behaviour)
    return {**applied, "spec": spec}


def with_default_devices(template: JsonObject, cluster: Cluster) -> JsonObject:
    """Return ``spec.template`` with the devices that the release adds by default before it applies specs."""
    behaviour = behaviour_of(cluster.release)
    if behaviour.expand_defaults is ExpandDefaults.NONE:
        return template
    spec = default_disks(object_at(template, "spec"))
    return {**template, "spec": default_network(spec, cluster.config, behaviour)}


def expand(  # noqa: PLR0913 - what is expanded, with what, for whom, and four that most callers leave out
    resources: ResourceSet,
    catalog: Catalog,
    release: Release,
    mode: ExpandMode,
    *,
    source_name: str = "the overlay",
    live: bool = False,
    observe: Observer | None = None,
    webhook_input: list[Resource] | None = None,
) -> Outcome[ResourceSet]:
    """Return the resources with their VirtualMachines and VirtualMachinePools expanded.

    Instance types, preferences, volumes and the KubeVirt object are looked up among ``resources``, which
    diagnostics call ``source_name``, then in ``catalog``. A VirtualMachine with a problem stays unchanged,
    except that its custom size is removed, and the others are still expanded. Instance types that leave a
    size to the VM are still in the result; all others have a version that the release serves.

    ``live``: the VirtualMachines come from a cluster. A ControllerRevision that was not read with them is
    skipped with a warning, and the object itself is used. ``webhook_input`` receives the resources as the
    webhooks see them: expanded, even in the mode ``off``.
    """
    everything = catalog.after(CatalogSource(source_name, resources))
    diagnostics: list[Diagnostic] = []
    config = DEFAULT_CONFIG
    try:
        config = cluster_config(everything, release)
    except DiagnosticError as error:
        diagnostics += error.diagnostics
    expander = _Expander(everything, Cluster(release, config), mode, observe, live=live)
    results: list[Resource] = []
    for resource in resources:
        try:
            written, whole = expander.expand(resource)
        except DiagnosticError as error:
            written = whole = without_custom_vcpus(resource)
            diagnostics += error.diagnostics
        results.append(written)
        if webhook_input is not None:
            webhook_input.append(whole)
    diagnostics += expander.warnings
    diagnostics += check_objects(resources, expander.used, behaviour_of(release))
    return Outcome(ResourceSet(tuple(results)), tuple(diagnostics)).then(in_served_version)


class _Expander:
    """Expand one resource after the other; looked-up objects are cached for the next."""

    def __init__(
        self,
        catalog: Catalog,
        cluster: Cluster,
        mode: ExpandMode,
        observe: Observer | None,
        *,
        live: bool,
    ) -> None:
        self._catalog = catalog
        self._cluster = cluster
        self._mode = mode
        self._observe = observe
        self._live = live
        self._behaviour = behaviour_of(cluster.release)
        self._finder = Finder(self._behaviour, live=live)
        self._known: dict[tuple[object, ...], tuple[tuple[Json, ...], Matchers, ResolvedMatchers]] = {}
        self._knows_network = (
            configuration_of(cluster.release) is Configuration.HYPERCONVERGED
            or catalog.count(KUBEVIRT, HYPERCONVERGED) > 0
        )
        self._with_assumed_network: list[VirtualMachine] = []
        self._with_defaults: dict[tuple[str, Matcher], _UsedDefault] = {}
        self._warnings: list[Diagnostic] = []

    @property
    def warnings(self) -> Iterator[Diagnostic]:
        """The warnings about everything expanded so far."""
        yield from self._warnings
        for used in self._with_defaults.values():
            yield default_of_boot_image(used.matcher_type, used.matcher, used.vms)
        if self._with_assumed_network:
            yield assumed_network(self._with_assumed_network, self._cluster.config.default_interface)

    @property
    def used(self) -> tuple[Resource, ...]:
        """The instance types and preferences that the expansion used."""
        return self._finder.used

    def expand(self, resource: Resource) -> tuple[Resource, Resource]:
        """Return the resource as written and, if it is or contains a VirtualMachine, expanded.

        Raises ``DiagnosticError``.
        """
        vm = VirtualMachine.of(resource)
        if vm is None or vm.template is None:
            return resource, resource
        unresolved = tuple(unresolved_matchers(vm)) if has_matchers(resource.content) else ()
        if unresolved:
            self._warnings += unresolved
            left = without_custom_vcpus(resource)
            return left, left
        try:
            return self._expand(vm, vm.template)
        except (CauseError, DiagnosticError) as error:
            raise DiagnosticError(*vm_diagnostics(error, vm, self._mode)) from None

    def _expand(self, vm: VirtualMachine, template: JsonObject) -> tuple[Resource, Resource]:
        behaviour = self._behaviour
        scope = Scope(self._catalog, vm.resource.namespace)
        matchers, found = self._resolve(vm, scope)
        self._warnings += mismatches(vm, matchers, found)
        for matcher_type in MATCHER_TYPES:
            matcher: Matcher | None = getattr(matchers, matcher_type.key)
            if matcher is not None and matcher.boot_image:
                key = f"{matcher_type.key} of {matcher.boot_image}", matcher
                used = self._with_defaults.setdefault(key, _UsedDefault(matcher_type, matcher, []))
                used.vms.append(vm)
        if self._live:
            self._warnings += missing_revisions(vm, matchers, scope, behaviour)
        if self._mode is ExpandMode.OFF:
            causes = tuple(unexpanded_causes(found.instancetype, template, behaviour.release))
            if causes:
                raise CauseError(*causes)
        leaves_memory = found.instancetype is not None and leaves_memory_to_vm(found.instancetype.spec)
        inferred = template if leaves_memory else matchers.template(template)
        selected, sized = with_custom_size(found, inferred, vm, behaviour)
        if self._mode is ExpandMode.OFF:
            applied = apply_checked(selected, sized, scope, self._cluster)
            return vm.resource, vm.with_content(with_expanded_template(vm.content, applied))
        whole = self._write_expanded(vm, selected, sized, scope, has_matchers=bool(matchers))
        return whole, whole

    def _write_expanded(
        self,
        vm: VirtualMachine,
        selected: ResolvedMatchers,
        sized: JsonObject,
        scope: Scope,
        *,
        has_matchers: bool,
    ) -> Resource:
        """Return the VirtualMachine expanded in the mode ``applied`` or ``defaults``; note its warnings."""
        preference = None if selected.preference is None else selected.preference.spec
        writes_defaults = (
            self._mode is ExpandMode.DEFAULTS and self._behaviour.expand_defaults is not ExpandDefaults.NONE
        )
        completed = sized if writes_defaults else with_preferred_devices(sized, preference, self._cluster)
        applied = apply_checked(selected, completed, scope, self._cluster)
        defaults = self._mode is ExpandMode.DEFAULTS and has_matchers
        if defaults:
            applied = expand_spec(selected, completed, scope, self._cluster)
            if with_preferred_devices(applied, preference, self._cluster) is not applied:
                self._warnings.append(input_device_left_out(vm, preference or EMPTY))
        whole = vm.with_content(with_expanded_template(vm.content, applied))
        if whole is vm.resource:
            return whole
        self._warnings += empty_matchers(vm)
        if completed is not sized and not self._knows_network and _networks(completed) != _networks(sized):
            self._with_assumed_network.append(vm)
        if self._observe:
            self._observe(VmExpansion(vm, whole, selected, sized, completed, self._cluster, defaults))
        return whole

    def _resolve(self, vm: VirtualMachine, scope: Scope) -> tuple[Matchers, ResolvedMatchers]:
        """Return the matchers and the objects that they name. In a fleet these are mostly the same objects.

        Raises ``CauseError``.
        """
        spec, status = vm.spec, vm.status
        written = tuple(map(spec.get, MATCHER_KEYS))
        key = (*map(id, written), scope.namespace)
        known = None if status else self._known.get(key)
        if known is not None:
            return known[1:]
        matchers = resolve_matchers(spec, scope, self._behaviour)
        found = select(matchers, status, scope, self._finder)
        depends_on_vm = status or any("inferFromVolume" in object_at(each) for each in written)
        if not depends_on_vm and len(self._known) < _MOST_KNOWN:
            self._known[key] = written, matchers, found  # keeps the ids of the written values alive
        return matchers, found


def _networks(template: JsonObject) -> Json:
    return object_at(template, "spec").get("networks")
