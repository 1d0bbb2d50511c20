"""From expanded resources to what KubeVirt's validating webhooks see of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from renderer.instancetype.behaviour import Behaviour, behaviour_of
from renderer.instancetype.catalog import Catalog, CatalogSource
from renderer.instancetype.cause import CauseError
from renderer.instancetype.defaults.vmi_spec import default_vmi_spec
from renderer.instancetype.virtual_machine import VirtualMachine
from renderer.model.admission import ADMITTED, AdmissionRequest
from renderer.model.cluster_config import ClusterConfig
from renderer.model.diagnostic import DiagnosticError
from renderer.model.field_path import ROOT, FieldPath
from renderer.model.json import JsonObject, object_at, text_at
from renderer.model.release import Release
from renderer.model.resource import Resource
from renderer.model.resource_set import ResourceSet

_VM, _VMI, _POOL = "VirtualMachine", "VirtualMachineInstance", "VirtualMachinePool"
_REPLICA_SET = "VirtualMachineInstanceReplicaSet"


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
        if kind not in ADMITTED or not resource.gvk.group.endswith("kubevirt.io"):
            return ()
        if kind == _VMI:
            return (lambda: self._vmi(resource, ROOT, resource.content),)
        if kind in (_VM, _POOL):
            return self._of_machine(resource)
        if kind == _REPLICA_SET:
            return (lambda: self._as_written(resource), lambda: self._vmi_of_template(resource))
        return (lambda: self._as_written(resource),)

    def _of_machine(self, resource: Resource) -> Iterable[Callable[[], AdmissionRequest]]:
        vm = VirtualMachine.of(resource)
        if vm is None or vm.template is None or vm.has_matchers:
            return ()
        if resource.content.get("kind") == _POOL:
            return (lambda: self._as_written(resource), lambda: self._vm(vm))
        return (lambda: self._vm(vm),)

    def _vm(self, vm: VirtualMachine) -> AdmissionRequest:
        template = object_at(vm.spec, "template")
        spec = self._default(object_at(template, "spec"))
        content = {**vm.content, "spec": {**vm.spec, "template": {**template, "spec": spec}}}
        return AdmissionRequest(_VM, vm.resource, vm.base, content, self._config)

    def _default(self, spec: JsonObject) -> JsonObject:
        if not self._behaviour.defaults_template_as_instance:
            return default_vmi_spec(spec, self._config, self._behaviour)
        from renderer.instancetype.defaults.vmi_object import default_admitted_spec  # noqa: PLC0415 - old releases

        return default_admitted_spec(spec, self._config, self._behaviour)

    def _vmi(self, resource: Resource, base: FieldPath, content: JsonObject) -> AdmissionRequest:
        from renderer.instancetype.defaults.vmi_object import default_vmi_object  # noqa: PLC0415 - few repositories have any

        spec = default_vmi_spec(object_at(content, "spec"), self._config, self._behaviour)
        defaulted: JsonObject = {**content, "spec": default_vmi_object(spec, self._config.cpu_model)}
        return AdmissionRequest(_VMI, resource, base, defaulted, self._config)

    def _vmi_of_template(self, resource: Resource) -> AdmissionRequest:
        """Return the request for an instance that a replica set makes."""
        base = FieldPath.of("spec", "template")
        return self._vmi(resource, base, object_at(resource.content, "spec", "template"))

    def _as_written(self, resource: Resource) -> AdmissionRequest:
        kind = text_at(resource.content, "kind")
        return AdmissionRequest(kind, resource, ROOT, resource.content, self._config)


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
