"""A virtual machine in a resource of any kind, with the paths of its parts.

The kinds are VirtualMachine, VirtualMachinePool, VirtualMachineInstance and VirtualMachineInstanceReplicaSet.
The types are in KubeVirt ``staging/src/kubevirt.io/api/core/v1/types.go`` and
``…/api/pool/v1beta1/types.go``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Self, TypeAlias

from renderer.kubevirt.facts.kinds import (
    KUBEVIRT_GROUP,
    MATCHER_KEYS,
    MATCHER_TYPES,
    POOL_GROUP,
    VM,
    VM_POOL,
    VMI,
    VMI_REPLICA_SET,
)
from renderer.model.kube.field_path import ROOT, ElementName, FieldPath, Segment
from renderer.model.kube.json import EMPTY, Json, JsonObject, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.record import Record

#: The run strategies: they say when virt-controller keeps an instance of a VirtualMachine.
ALWAYS = "Always"
HALTED = "Halted"
MANUAL = "Manual"
ONCE = "Once"
RERUN_ON_FAILURE = "RerunOnFailure"
WAIT_AS_RECEIVER = "WaitAsReceiver"

_GROUPS = (KUBEVIRT_GROUP, POOL_GROUP)

#: A mapping in a list, and its index.
Element: TypeAlias = tuple[int, JsonObject]


class VirtualMachinePaths(Record):
    """The parts of a virtual machine, as paths from the root of its resource.

    ``machine`` has the ``metadata`` and ``spec`` of a VirtualMachine; it is None in kinds that contain only
    an instance. ``template`` has the ``metadata`` and ``spec`` of a VirtualMachineInstance. ``spec`` is the
    spec of the VirtualMachine, or the root in kinds that contain only an instance. ``instance`` is the spec
    of the VirtualMachineInstance.
    """

    machine: FieldPath | None
    template: FieldPath
    spec: FieldPath
    instance: FieldPath

    @classmethod
    def of(cls, machine: FieldPath | None, template: FieldPath) -> Self:
        spec = ROOT if machine is None else machine.child("spec")
        return cls(machine, template, spec, template.child("spec"))


#: Paths from the root of a VirtualMachine: to the template of its instance, and to the instance's spec.
TEMPLATE = FieldPath.of("spec", "template")
INSTANCE_SPEC = TEMPLATE.child("spec")

_POOLED = FieldPath.of("spec", "virtualMachineTemplate")

#: The kinds that create virtual machines.
PATHS: Mapping[str, VirtualMachinePaths] = {
    VM: VirtualMachinePaths.of(ROOT, TEMPLATE),
    VM_POOL: VirtualMachinePaths.of(_POOLED, _POOLED.child(*TEMPLATE.segments)),
    VMI: VirtualMachinePaths.of(None, ROOT),
    VMI_REPLICA_SET: VirtualMachinePaths.of(None, TEMPLATE),
}


class RunStrategy(Record):
    """A run strategy as text, the field that sets it, and its value there."""

    strategy: str
    field: FieldPath
    written: str


def virtual_machine_paths(content: JsonObject) -> VirtualMachinePaths | None:
    """Return the paths in an object of one of KubeVirt's kinds; None for an object of any other kind."""
    kind, api_version = content.get("kind"), content.get("apiVersion")
    if not isinstance(kind, str) or kind not in PATHS or not isinstance(api_version, str):
        return None
    return PATHS[kind] if api_version.partition("/")[0] in _GROUPS else None


def has_matchers(content: JsonObject) -> bool:
    """Return True if an object has a VirtualMachine that names an instance type or a preference."""
    paths = virtual_machine_paths(content)
    if paths is None or paths.machine is None:
        return False
    spec = object_at(content, *paths.spec.keys)
    return any(spec.get(key) is not None for key in MATCHER_KEYS)


class VirtualMachineView:
    """A resource that creates one virtual machine, or several copies of one.

    ``machine`` is the VirtualMachine and ``spec`` its spec; both are empty in kinds that contain only an
    instance. Their contents are looked up each time, because a fleet has a hundred thousand views.
    """

    __slots__ = ("instance", "machine", "paths", "resource", "spec")

    def __init__(self, resource: Resource, paths: VirtualMachinePaths) -> None:
        self.resource: Final = resource
        self.paths: Final = paths
        self.machine: Final = EMPTY if paths.machine is None else _section(resource.content, paths.machine)
        self.spec: Final = object_at(self.machine, "spec")
        self.instance: Final = _section(resource.content, paths.instance)

    @classmethod
    def of(cls, resource: Resource) -> Self | None:
        """Return the view of a resource; None for a resource of any other kind."""
        paths = virtual_machine_paths(resource.content)
        return None if paths is None else cls(resource, paths)

    @property
    def kind(self) -> str:
        return self.resource.kind

    @property
    def name(self) -> str:
        return self.resource.name

    @property
    def namespace(self) -> str:
        return self.resource.namespace

    @property
    def is_one(self) -> bool:
        """True if the resource is one virtual machine, not a number of copies."""
        return self.kind in (VM, VMI)

    @property
    def replicas(self) -> int:
        """The number of virtual machines."""
        replicas = None if self.is_one else object_at(self.resource.content, "spec").get("replicas")
        return replicas if isinstance(replicas, int) and not isinstance(replicas, bool) else 1

    @property
    def domain(self) -> JsonObject:
        return _mapping(self.instance.get("domain"))

    @property
    def devices(self) -> JsonObject:
        return _mapping(_mapping(self.instance.get("domain")).get("devices"))

    @property
    def disks(self) -> Sequence[Element]:
        return elements(self.devices.get("disks"))

    @property
    def interfaces(self) -> Sequence[Element]:
        return elements(self.devices.get("interfaces"))

    @property
    def ports(self) -> Sequence[JsonObject]:
        """The ports that interfaces list; the machine's pod has them too (``containerPortsFromVMI``)."""
        listed = (elements(interface.get("ports")) for _, interface in self.interfaces)
        return [port for ports in listed for _, port in ports]

    @property
    def volumes(self) -> Sequence[Element]:
        return elements(self.instance.get("volumes"))

    @property
    def networks(self) -> Sequence[Element]:
        return elements(self.instance.get("networks"))

    @property
    def data_volume_templates(self) -> Sequence[Element]:
        return elements(self.spec.get("dataVolumeTemplates"))

    @property
    def written_run_strategy(self) -> RunStrategy | None:
        """The run strategy in the manifest.

        None if the manifest sets none, or sets both ``running`` and ``runStrategy``, which KubeVirt rejects.
        """
        strategy, running = self.spec.get("runStrategy"), self.spec.get("running")
        if isinstance(strategy, str) and strategy and running is None:
            return RunStrategy(strategy, self.in_spec("runStrategy"), f"runStrategy: {strategy}")
        if isinstance(running, bool) and strategy is None:
            written = f"running: {str(running).lower()}"
            return RunStrategy(ALWAYS if running else HALTED, self.in_spec("running"), written)
        return None

    @property
    def run_strategy(self) -> str:
        """The run strategy, such as ``Always``; see ``run_strategy_of``."""
        return run_strategy_of(self.spec)

    @property
    def is_halted(self) -> bool:
        return self.run_strategy == HALTED

    def matched_objects(self) -> Iterator[tuple[str, str]]:
        """Yield kind and name of the instance type and the preference that the matchers name."""
        for matcher_type in MATCHER_TYPES:
            matcher = object_at(self.spec, matcher_type.key)
            kind, name = matcher_type.matched_kind(text_at(matcher, "kind")), text_at(matcher, "name")
            if kind and name:
                yield kind, name

    def in_spec(self, *segments: Segment) -> FieldPath:
        """Return a field of the VirtualMachine's spec as a field of the resource."""
        return self.paths.spec.child(*segments)

    def in_instance(self, *segments: Segment) -> FieldPath:
        """Return a field of the instance's spec as a field of the resource."""
        return self.paths.instance.child(*segments)

    def in_devices(self, *segments: Segment) -> FieldPath:
        """Return a field of the instance's devices as a field of the resource."""
        return self.paths.instance.child("domain", "devices", *segments)


def run_strategy_of(vm_spec: JsonObject) -> str:
    """Return the run strategy in the spec of a VirtualMachine; ``Always`` if it sets none.

    KubeVirt's webhook rejects a VirtualMachine that sets none; the instances of other kinds always run.
    """
    strategy = vm_spec.get("runStrategy")
    if isinstance(strategy, str) and strategy:
        return strategy
    return HALTED if vm_spec.get("running") is False else ALWAYS


def element_segment(element: JsonObject, index: int) -> Segment:
    """Return how a path names an element of a list: by its name if it has one."""
    name = text_at(element, "name")
    return ElementName("name", name) if name else index


def elements(value: Json) -> Sequence[Element]:
    """Return the mappings in a list, each with its index."""
    if not isinstance(value, list):
        return ()
    return [each for each in enumerate(value) if isinstance(each[1], dict)]


def elements_by_name(value: Sequence[Json]) -> Mapping[str, JsonObject]:
    """Return the elements of a list by their ``name``; the last duplicate wins, as in KubeVirt's maps."""
    return {
        str(name): each for each in value if isinstance(each, dict) and (name := each.get("name")) is not None
    }


def _section(content: JsonObject, path: FieldPath) -> JsonObject:
    for key in path.segments:
        content = _mapping(content.get(str(key)))
    return content


def _mapping(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else EMPTY
