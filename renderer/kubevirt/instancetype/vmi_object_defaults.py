"""The defaults that creating a VirtualMachineInstance adds, beyond the defaults of the spec.

Until 1.3 a VirtualMachine is admitted with them too. Only the expand-spec of 1.3 adds them.

They come from KubeVirt v1.3 ``pkg/virt-api/webhooks`` (``SetDefaultVirtualMachine``, ``hyperv.go``) and
``staging/src/kubevirt.io/api/core/v1/zz_generated.defaults.go``. Its random firmware UUID is left out.
"""

from __future__ import annotations

from collections.abc import Callable

from renderer.kubevirt.facts.cluster import ClusterConfig
from renderer.kubevirt.facts.cpu_models import HOST_MODEL, HOST_PASSTHROUGH
from renderer.kubevirt.facts.sizes import positive
from renderer.kubevirt.instancetype.behaviour import Behaviour
from renderer.kubevirt.instancetype.defaults import default_vmi_spec, with_default
from renderer.kubevirt.instancetype.vmi_template import with_section
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at

_CPU_FEATURES = ("domain", "cpu", "features")
#: A feature, and the feature that it requires; a required feature is below the ones that require it.
_DEPENDENCIES = (
    ("evmcs", "vapic"),
    ("ipi", "vpindex"),
    ("tlbflush", "vpindex"),
    ("synictimer", "synic"),
    ("synic", "vpindex"),
)
_DISKS = ("domain", "devices", "disks")
_GPUS = ("domain", "devices", "gpus")
_FEATURES = ("domain", "features")
_HYPERV = (*_FEATURES, "hyperv")
_TIMER = ("domain", "clock", "timer")
_TIMERS = ("hpet", "kvm", "pit", "rtc", "hyperv")
_FEATURE_STATES = ("apic", "smm", "pvspinlock")
_HYPERV_STATES = (
    "relaxed",
    "vapic",
    "spinlocks",
    "vpindex",
    "runtime",
    "synic",
    "synictimer",
    "reset",
    "vendorid",
    "frequencies",
    "reenlightenment",
    "tlbflush",
    "ipi",
    "evmcs",
)
_HYPERV_PARTS = (("synictimer", "direct"), ("tlbflush", "direct"), ("tlbflush", "extended"))
_SPINLOCK_RETRIES = 4096
_FIRMWARE = ("domain", "firmware")
_VIRTIO_ARCHITECTURES = frozenset({"arm64", "s390x"})
_DISK_TARGETS = ("disk", "cdrom", "lun")
_PROBE = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}


def default_spec_for_webhook(spec: JsonObject, config: ClusterConfig, behaviour: Behaviour) -> JsonObject:
    """Return a VirtualMachine's template as the validating webhook sees it.

    Raises ``DefaultsError`` if the default network is not possible.
    """
    spec = default_vmi_spec(spec, config, behaviour)
    if not behaviour.defaults_template_as_instance:
        return spec
    if spec.get("architecture") == "s390x" and not behaviour.knows_s390x:
        defaulted = default_vmi_object({**spec, "architecture": "amd64"}, config.cpu_model, behaviour)
        return {**defaulted, "architecture": "s390x"}
    return default_vmi_object(spec, config.cpu_model, behaviour)


def default_hyperv_dependencies(spec: JsonObject) -> JsonObject:
    """Enable every Hyper-V feature that an enabled one requires (``pkg/virt-api/webhooks/hyperv.go``).

    Stop at the first required feature that is disabled, so that validation rejects it.
    """
    for name, needed in _DEPENDENCIES:
        if object_at(spec, *_HYPERV, name).get("enabled") is not True:
            continue
        enabled = object_at(spec, *_HYPERV, needed).get("enabled")
        if enabled is False:
            return spec
        spec = with_section(spec, (*_HYPERV, needed, "enabled"), section=True)
    evmcs = object_at(spec, *_HYPERV).get("evmcs")
    if evmcs is None or object_at(evmcs).get("enabled") is False:
        return spec
    return with_section(spec, _CPU_FEATURES, _with_vmx(list(array_at(spec, *_CPU_FEATURES))))


def _with_vmx(features: list[Json]) -> list[Json]:
    """Return the CPU features with ``vmx`` required."""
    for index, feature in enumerate(features):
        if isinstance(feature, dict) and feature.get("name") == "vmx":
            return [*features[:index], {**feature, "policy": "require"}, *features[index + 1 :]]
    return [*features, {"name": "vmx", "policy": "require"}]


def default_vmi_object(spec: JsonObject, cpu_model: str, behaviour: Behaviour) -> JsonObject:
    """Add the object's defaults to a defaulted spec; ``cpu_model`` is the cluster's, or empty."""
    architecture = text_at(spec, "architecture")
    if architecture == "s390x":
        spec = with_default_flag(spec, (*_FEATURES, "acpi", "enabled"), value=False)
    spec = _default_features(spec)
    timers = object_at(spec, *_TIMER)
    for name in _TIMERS:
        if timers.get(name) is not None:
            spec = with_default_flag(spec, (*_TIMER, name, "present"), value=True)
    spec = _with_each(spec, _DISKS, _default_disk)
    spec = _with_each(spec, _GPUS, lambda gpu: _with_enabled(gpu, "virtualGPUOptions", "display", "ramFB"))
    watchdog = behaviour.other_watchdogs.get(architecture, "i6300esb")
    if watchdog and object_at(spec, "domain", "devices").get("watchdog") is not None:
        spec = with_default(spec, ("domain", "devices", "watchdog", watchdog, "action"), "reset")
    for name in ("livenessProbe", "readinessProbe"):
        probe = spec.get(name)
        if isinstance(probe, dict):
            missing = {key: value for key, value in _PROBE.items() if not positive(probe.get(key))}
            spec = {**spec, name: {**probe, **missing}}
    spec = default_hyperv_dependencies(spec)
    bus = "virtio" if architecture in _VIRTIO_ARCHITECTURES else "sata"
    spec = _with_each(spec, _DISKS, lambda disk: _with_bus(disk, bus))
    if architecture == "arm64":
        spec = _default_arm64_bootloader(spec, behaviour)
    model = HOST_PASSTHROUGH if architecture == "arm64" else cpu_model or HOST_MODEL
    return with_default(spec, ("domain", "cpu", "model"), model)


def _default_arm64_bootloader(spec: JsonObject, behaviour: Behaviour) -> JsonObject:
    """Set EFI without secure boot if there is no boot loader (``setDefaultArm64Bootloader``)."""
    bootloader = object_at(spec, *_FIRMWARE).get("bootloader")
    if bootloader is None:
        return with_section(spec, (*_FIRMWARE, "bootloader"), {"efi": {"secureBoot": False}})
    if object_at(bootloader).get("efi") is not None and behaviour.defaults_secure_boot_of_efi:
        spec = with_default_flag(spec, (*_FIRMWARE, "bootloader", "efi", "secureBoot"), value=False)
    return spec


def with_default_flag(spec: JsonObject, path: tuple[str, ...], *, value: bool) -> JsonObject:
    """Return the spec with ``value`` at ``path``, unless the field is set."""
    return spec if object_at(spec, *path[:-1]).get(path[-1]) is not None else with_section(spec, path, value)


def _with_enabled(spec: JsonObject, *path: str) -> JsonObject:
    """Set ``enabled: true`` in the section at ``path`` if it exists and does not say."""
    if object_at(spec, *path[:-1]).get(path[-1]) is None:
        return spec
    return with_default_flag(spec, (*path, "enabled"), value=True)


def _default_features(spec: JsonObject) -> JsonObject:
    if object_at(spec, "domain").get("features") is None:
        return spec
    spec = with_default_flag(spec, (*_FEATURES, "acpi", "enabled"), value=True)
    for name in _FEATURE_STATES:
        spec = _with_enabled(spec, *_FEATURES, name)
    for name in _HYPERV_STATES:
        spec = _with_enabled(spec, *_HYPERV, name)
    for parent, name in _HYPERV_PARTS:
        spec = _with_enabled(spec, *_HYPERV, parent, name)
    spinlocks = object_at(spec, *_HYPERV, "spinlocks")
    if spinlocks.get("enabled") is True and spinlocks.get("spinlocks") is None:
        spec = with_section(spec, (*_HYPERV, "spinlocks", "spinlocks"), _SPINLOCK_RETRIES)
    return spec


def _default_disk(disk: JsonObject) -> JsonObject:
    if all(disk.get(target) is None for target in _DISK_TARGETS):
        disk = {**disk, "disk": {}}
    if disk.get("cdrom") is not None:
        disk = with_default_flag(disk, ("cdrom", "readonly"), value=True)
        disk = with_default(disk, ("cdrom", "tray"), "closed")
    return _with_enabled(disk, "blockSize", "matchVolume")


def _with_bus(disk: JsonObject, bus: str) -> JsonObject:
    for target in _DISK_TARGETS:
        if disk.get(target) is not None:
            disk = with_default(disk, (target, "bus"), bus)
    return disk


def _with_each(
    spec: JsonObject, path: tuple[str, ...], change: Callable[[JsonObject], JsonObject]
) -> JsonObject:
    before = array_at(spec, *path)
    after = [change(element) if isinstance(element, dict) else element for element in before]
    return with_section(spec, path, after) if after else spec
