"""From expanded resources to what KubeVirt's validating webhooks see of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from renderer.instancetype.behaviour import Behaviour, behaviour_of
from renderer.instancetype.catalog import Catalog, CatalogSource
from renderer.instancetype.cause import CauseError
from renderer.instancetype.defaults import default_vmi_spec
from renderer.instancetype.virtual_machine import VirtualMachine
from renderer.kubevirt.admission_request import AdmissionRequest
from renderer.kubevirt.cluster import ClusterConfig
from renderer.model.diagnostic import DiagnosticError
from renderer.model.field_path import ROOT
from renderer.model.json import JsonObject, object_at
from renderer.model.release import Release
from renderer.model.resource import Resource, ResourceSet

_VM, _VMI, _POOL = "VirtualMachine", "VirtualMachineInstance", "VirtualMachinePool"


def admission_requests(
    expanded: ResourceSet, catalog: Catalog, release: Release
) -> Iterator[AdmissionRequest]:
    """The requests for the virtual machines, instances and pools in ``expanded``.

    A pool is seen without defaults; the VirtualMachine that it makes is another request. What cannot be
    defaulted makes none: whoever expanded it, or its schema, has told.
    """
    config = _cluster_config(expanded, catalog)
    if config is None:
        return
    requests = _Requests(config, behaviour_of(release))
    for resource in expanded:
        for request in requests.of(resource):
            try:
                yield request()
            except (CauseError, DiagnosticError):
                continue


class _Requests:
    def __init__(self, config: ClusterConfig, behaviour: Behaviour) -> None:
        self._config = config
        self._behaviour = behaviour

    def of(self, resource: Resource) -> Iterable[Callable[[], AdmissionRequest]]:
        kind = resource.content.get("kind")
        if kind not in (_VM, _VMI, _POOL) or not resource.gvk.group.endswith("kubevirt.io"):
            return ()
        if kind == _VMI:
            return (lambda: self._vmi(resource),)
        vm = VirtualMachine.of(resource)
        if vm is None or vm.template is None or vm.has_matchers:
            return ()
        if kind == _POOL:
            return (lambda: self._pool(resource), lambda: self._vm(vm))
        return (lambda: self._vm(vm),)

    def _vm(self, vm: VirtualMachine) -> AdmissionRequest:
        template = object_at(vm.spec, "template")
        spec = default_vmi_spec(object_at(template, "spec"), self._config, self._behaviour)
        content = {**vm.content, "spec": {**vm.spec, "template": {**template, "spec": spec}}}
        return AdmissionRequest(_VM, vm.resource, vm.base, content, self._config)

    def _vmi(self, resource: Resource) -> AdmissionRequest:
        from renderer.instancetype.vmi_object_defaults import default_vmi_object  # noqa: PLC0415 - few repositories have any

        spec = default_vmi_spec(object_at(resource.content, "spec"), self._config, self._behaviour)
        content: JsonObject = {
            **resource.content,
            "spec": default_vmi_object(spec, self._config.cpu_model),
        }
        return AdmissionRequest(_VMI, resource, ROOT, content, self._config)

    def _pool(self, resource: Resource) -> AdmissionRequest:
        return AdmissionRequest(_POOL, resource, ROOT, resource.content, self._config)


def _cluster_config(resources: ResourceSet, catalog: Catalog) -> ClusterConfig | None:
    """From the KubeVirt object among the resources, else in the catalog; None when it cannot be read."""
    own = resources.where(lambda resource: resource.content.get("kind") == "KubeVirt")
    if len(own):
        catalog = catalog.after(CatalogSource("", own))
    if next(catalog.of_kind("KubeVirt"), None) is None:
        return ClusterConfig()
    from renderer.instancetype.cluster_config import cluster_config  # noqa: PLC0415 - few repositories have any

    try:
        return cluster_config(catalog)
    except DiagnosticError:
        return None
