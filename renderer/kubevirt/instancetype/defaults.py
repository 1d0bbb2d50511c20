"""Write KubeVirt's defaults into a VirtualMachine's template.

KubeVirt ``pkg/defaults/defaults.go`` (``SetDefaultVirtualMachineInstanceSpec``), ``pkg/util/util.go``
(``SetDefaultVolumeDisk``) and ``pkg/network/vmispec/defaults.go``. All functions accept and return the spec
of a template.
"""

from __future__ import annotations

from renderer.kubevirt.facts.cluster import Cluster, ClusterConfig
from renderer.kubevirt.instancetype.behaviour import Behaviour
from renderer.kubevirt.instancetype.cause import DefaultsError, ExpansionCause
from renderer.kubevirt.instancetype.vmi_template import VMI_SPEC, with_section
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.quantity import INT64_MAX, Quantity

_DEVICES = ("domain", "devices")
_NONE: tuple[Json, ...] = (None, [])
_REQUESTS = ("domain", "resources", "requests")
_LIMITS = ("domain", "resources", "limits")
_HUNDRED_PERCENT = 100
_DEFAULT_CPU_REQUEST = Quantity.parse("100m")
_UINT32 = 2**32


def with_default(spec: JsonObject, path: tuple[str, ...], value: Json) -> JsonObject:
    """Return the spec with ``value`` at ``path`` if the field is missing or an empty text."""
    current = object_at(spec, *path[:-1]).get(path[-1])
    return with_section(spec, path, value) if current in (None, "") else spec


def default_disks(spec: JsonObject) -> JsonObject:
    """Return the spec with a disk for every volume that no disk or file system uses."""
    devices = object_at(spec, *_DEVICES)
    disks = array_at(devices, "disks")
    named = {text_at(device, "name") for device in (*disks, *array_at(devices, "filesystems"))}
    volumes = (text_at(volume, "name") for volume in array_at(spec, "volumes"))
    # A duplicate volume gets two disks, as in KubeVirt.
    missing: list[Json] = [{"name": name} for name in volumes if name not in named]
    if not missing or not isinstance(devices.get("disks"), list | None):
        return spec
    return with_section(spec, (*_DEVICES, "disks"), [*disks, *missing])


def default_network(spec: JsonObject, config: ClusterConfig, behaviour: Behaviour) -> JsonObject:
    """Return the spec with the pod network and an interface on it, unless it has networks or interfaces.

    Raises ``DefaultsError`` if the cluster's default interface is not possible.
    """
    devices = object_at(spec, *_DEVICES)
    if devices.get("autoattachPodInterface") is False:
        return spec
    if spec.get("networks") not in _NONE or devices.get("interfaces") not in _NONE:
        return spec
    interface: JsonObject = {"name": "default", _default_binding(config, behaviour): {}}
    spec = with_section(spec, (*_DEVICES, "interfaces"), [interface])
    return {**spec, "networks": [{"name": "default", "pod": {}}]}


def _default_binding(config: ClusterConfig, behaviour: Behaviour) -> str:
    binding = config.default_interface
    if binding == "bridge" and not config.permits_bridge:
        raise _impossible("the cluster does not permit a bridge on the pod network")
    if binding == "slirp" and not (behaviour.permits_slirp and config.permits_slirp):
        raise _impossible("slirp, the cluster's default interface, is not permitted")
    return binding


def _impossible(reason: str) -> DefaultsError:
    at = VMI_SPEC.child("domain", "devices", "interfaces")
    message = f"the VM sets no network, and {reason}"
    hint = f"set {at} and {VMI_SPEC}.networks, or autoattachPodInterface: false"
    return DefaultsError(ExpansionCause.at_field(at, Code.DEFAULTS_FAILED, message, hint))


def default_requests(spec: JsonObject, config: ClusterConfig, behaviour: Behaviour) -> JsonObject:
    """Set ``resources.requests`` from limits and the cluster's defaults (``setDefaultResourceRequests``)."""
    spec = _request_from_limit(spec, "cpu")
    if behaviour.defaults_memory_request:
        overcommit = config.memory_overcommit if behaviour.overcommits_memory else _HUNDRED_PERCENT
        spec = _default_memory_request(_request_from_limit(spec, "memory"), overcommit)
    request = config.cpu_request
    if request is None or request.compare(_DEFAULT_CPU_REQUEST) == 0 or "cpu" in object_at(spec, *_REQUESTS):
        return spec
    if object_at(spec, "domain", "cpu").get("dedicatedCpuPlacement"):
        return spec
    return with_section(spec, (*_REQUESTS, "cpu"), request.json)


def _request_from_limit(spec: JsonObject, name: str) -> JsonObject:
    limit = object_at(spec, *_LIMITS).get(name)
    if _is_zero(limit) or not _is_zero(object_at(spec, *_REQUESTS).get(name)):
        return spec
    return with_section(spec, (*_REQUESTS, name), Quantity.of(limit).json)


def _default_memory_request(spec: JsonObject, overcommit: int) -> JsonObject:
    if "memory" in object_at(spec, *_REQUESTS):
        return spec
    memory = object_at(spec, "domain", "memory")
    guest = memory.get("guest")
    guest = _page_size(memory) if guest is None else guest
    amount = 0 if guest is None else Quantity.of(guest).value()
    if amount <= 0:
        return spec
    if overcommit == _HUNDRED_PERCENT:
        return with_section(spec, (*_REQUESTS, "memory"), Quantity.of(guest).json)
    request = _go_quotient(_as_int64(amount * _HUNDRED_PERCENT), overcommit)
    written = Quantity.of_integer(request, Quantity.of(guest).form).json
    return with_section(spec, (*_REQUESTS, "memory"), written)


def default_guest_memory(spec: JsonObject) -> JsonObject:
    """Set ``memory.guest`` from the request, the limit or one huge page (``setGuestMemory``)."""
    memory = object_at(spec, "domain", "memory")
    if memory.get("guest") is not None:
        return spec
    for source in (_REQUESTS, _LIMITS):
        amount = object_at(spec, *source).get("memory")
        if not _is_zero(amount):
            return with_section(spec, ("domain", "memory", "guest"), Quantity.of(amount).json)
    page = _page_size(memory)
    if page is not None:
        return with_section(spec, ("domain", "memory", "guest"), page)
    if object_at(spec, "domain").get("memory") is None:
        return with_section(spec, ("domain", "memory"), {})
    return spec


def default_cpu_topology(spec: JsonObject) -> JsonObject:
    """Set ``cpu.sockets`` from limit or request if no topology is set (``SetDefaultGuestCPUTopology``)."""
    cpu = object_at(spec, "domain", "cpu")
    if cpu.get("cores") or cpu.get("sockets") or cpu.get("threads"):
        return spec
    sockets = 1
    for source in (_LIMITS, _REQUESTS):
        amounts = object_at(spec, *source)
        if "cpu" in amounts:
            sockets = Quantity.of(amounts["cpu"]).value() % _UINT32
            break
    for count, value in (("cores", 1), ("threads", 1), ("sockets", sockets)):
        if value:
            spec = with_section(spec, ("domain", "cpu", count), value)
    return spec


def _page_size(memory: JsonObject) -> str | None:
    """Return the huge page size if it is a valid quantity."""
    size = object_at(memory, "hugepages").get("pageSize")
    if not isinstance(size, str):
        return None
    try:
        return Quantity.parse(size).json
    except DiagnosticError:
        return None


def _is_zero(amount: Json) -> bool:
    return amount is None or Quantity.of(amount).sign == 0


def _as_int64(number: int) -> int:
    """Return the number after int64 overflow."""
    return (number + INT64_MAX + 1) % (2 * (INT64_MAX + 1)) - INT64_MAX - 1


def _go_quotient(dividend: int, divisor: int) -> int:
    """Divide like Go, which rounds towards zero."""
    quotient = abs(dividend) // abs(divisor)
    return quotient if (dividend < 0) == (divisor < 0) else -quotient


def default_vmi_spec(spec: JsonObject, config: ClusterConfig, behaviour: Behaviour) -> JsonObject:
    """Return the spec with defaults. Raises ``DefaultsError`` if the default network is not possible."""
    spec = default_architecture(spec, config)
    machine_type = Cluster(behaviour.release, config).machine_type(text_at(spec, "architecture"))
    spec = with_default(spec, ("domain", "machine", "type"), machine_type)
    spec = default_requests(spec, config, behaviour)
    if behaviour.defaults_guest_memory:
        spec = default_guest_memory(spec)
    spec = default_cpu_topology(spec)
    spec = _default_pull_policies(spec)
    if spec.get("evictionStrategy") is None and behaviour.defaults_eviction_strategy:
        spec = {**spec, "evictionStrategy": config.eviction_strategy}
    return default_disks(default_network(spec, config, behaviour))


def default_architecture(spec: JsonObject, config: ClusterConfig) -> JsonObject:
    """Return the template's spec with the cluster's architecture, unless it sets one."""
    return with_default(spec, ("architecture",), config.default_architecture)


def _default_pull_policies(spec: JsonObject) -> JsonObject:
    before = array_at(spec, "volumes")
    after = [_with_pull_policy(volume) for volume in before]
    unchanged = all(new is old for new, old in zip(after, before, strict=True))
    return spec if unchanged else {**spec, "volumes": after}


def _with_pull_policy(volume: Json) -> Json:
    """Set the pull policy: always pull an image with the tag ``latest``, or with neither tag nor digest."""
    if not isinstance(volume, dict) or not isinstance(volume.get("containerDisk"), dict):
        return volume
    image = text_at(volume, "containerDisk", "image")
    movable = image.endswith(":latest") or not (":" in image or "@" in image)
    policy = "Always" if movable else "IfNotPresent"
    return with_default(volume, ("containerDisk", "imagePullPolicy"), policy)
