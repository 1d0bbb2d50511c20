"""Create the requests that KubeVirt's validating webhooks get for expanded resources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from renderer.kubevirt.facts.admission_request import REVIEWED_KINDS, AdmissionRequest
from renderer.kubevirt.facts.cluster import DEFAULT_CONFIG, ClusterConfig
from renderer.kubevirt.facts.kinds import (
    HYPERCONVERGED,
    KUBEVIRT,
    VM,
    VM_POOL,
    VMI,
    VMI_REPLICA_SET,
    configures_kubevirt,
    is_kubevirt_group,
)
from renderer.kubevirt.facts.virtual_machine import has_matchers
from renderer.kubevirt.instancetype.behaviour import Behaviour, behaviour_of
from renderer.kubevirt.instancetype.catalog import Catalog, CatalogSource
from renderer.kubevirt.instancetype.cause import CauseError
from renderer.kubevirt.instancetype.defaults import default_vmi_spec
from renderer.kubevirt.instancetype.virtual_machine import VirtualMachine
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import JsonObject, object_at, text_at
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import Release


def admission_requests(
    expanded: ResourceSet, catalog: Catalog, release: Release
) -> Iterator[AdmissionRequest]:
    """Yield the requests for the virtual machines, instances and pools in ``expanded``.

    A pool is judged without defaults; the VirtualMachine that it creates is a separate request.
    """
    config = _cluster_config(expanded, catalog, release)
    if config is None:
        return
    requests = _Requests(config, behaviour_of(release))
    for resource in expanded:
        yield from requests.of(resource)


class _Requests:
    def __init__(self, config: ClusterConfig, behaviour: Behaviour) -> None:
        self._config = config
        self._behaviour = behaviour

    def of(self, resource: Resource) -> Iterable[AdmissionRequest]:
        kind = resource.kind
        if kind not in REVIEWED_KINDS or not is_kubevirt_group(resource.gvk.group):
            return ()
        if kind == VMI:
            return (self._vmi(resource, ROOT, resource.content),)
        if kind in (VM, VM_POOL):
            return self._of_machine(resource)
        if kind == VMI_REPLICA_SET:
            base = FieldPath.of("spec", "template")  # of the instance that a replica set creates
            instance = self._vmi(resource, base, object_at(resource.content, "spec", "template"))
            return (self._as_written(resource), instance)
        return (self._as_written(resource),)

    def _of_machine(self, resource: Resource) -> Iterable[AdmissionRequest]:
        vm = VirtualMachine.of(resource)
        if vm is None or vm.template is None or has_matchers(resource.content):
            return ()
        if resource.kind == VM_POOL:
            return (self._as_written(resource), self._vm(vm))
        return (self._vm(vm),)

    def _vm(self, vm: VirtualMachine) -> AdmissionRequest:
        return AdmissionRequest(
            VM, vm.resource, vm.base, vm.content, self._config, with_defaults=self._with_vm_defaults
        )

    def _with_vm_defaults(self, content: JsonObject) -> JsonObject:
        """Return the VirtualMachine with defaults. Raises ``DiagnosticError``; the expansion reports why."""
        vm_spec = object_at(content, "spec")
        template = object_at(vm_spec, "template")
        spec = object_at(template, "spec")
        try:
            if self._behaviour.defaults_template_as_instance:
                from renderer.kubevirt.instancetype.vmi_object_defaults import default_spec_for_webhook  # noqa: PLC0415 - old releases

                spec = default_spec_for_webhook(spec, self._config, self._behaviour)
            else:
                spec = default_vmi_spec(spec, self._config, self._behaviour)
        except CauseError:
            raise DiagnosticError from None
        return {**content, "spec": {**vm_spec, "template": {**template, "spec": spec}}}

    def _vmi(self, resource: Resource, base: FieldPath, content: JsonObject) -> AdmissionRequest:
        return AdmissionRequest(
            VMI, resource, base, content, self._config, with_defaults=self._with_vmi_defaults
        )

    def _with_vmi_defaults(self, content: JsonObject) -> JsonObject:
        """Return the instance with defaults. Raises ``DiagnosticError``; the expansion reports why."""
        from renderer.kubevirt.instancetype.vmi_object_defaults import default_vmi_object  # noqa: PLC0415 - few repositories have any

        try:
            spec = default_vmi_spec(object_at(content, "spec"), self._config, self._behaviour)
            spec = default_vmi_object(spec, self._config.cpu_model, self._behaviour)
        except CauseError:
            raise DiagnosticError from None
        return {**content, "spec": spec}

    def _as_written(self, resource: Resource) -> AdmissionRequest:
        kind = text_at(resource.content, "kind")
        return AdmissionRequest(kind, resource, ROOT, resource.content, self._config)


def _cluster_config(resources: ResourceSet, catalog: Catalog, release: Release) -> ClusterConfig | None:
    """Return the configuration of the cluster that gets the resources besides what is in the catalog.

    Return None if it is invalid.
    """
    own = resources.where(configures_kubevirt)
    if len(own):
        catalog = catalog.after(CatalogSource("", own))
    if not release.product and not catalog.feature_gates and not catalog.count(KUBEVIRT, HYPERCONVERGED):
        return DEFAULT_CONFIG
    from renderer.kubevirt.instancetype.cluster_config import cluster_config  # noqa: PLC0415 - few repositories have any

    try:
        return cluster_config(catalog, release)
    except DiagnosticError:
        return None
