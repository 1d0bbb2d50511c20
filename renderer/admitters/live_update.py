"""What CPU and memory have to be for changes to reach a running VM (KubeVirt ``pkg/liveupdate/memory``)."""

from __future__ import annotations

from renderer.admitters.behaviour import Behaviour
from renderer.admitters.causes import Causes, invalid
from renderer.admitters.cluster import Cluster
from renderer.admitters.cpu import check_max_sockets
from renderer.admitters.vmi_spec import VmiSpec, has, quantity, section, text

_BLOCK, _LARGE_BLOCK = "2Mi", "1Gi"
_BYTES = {_BLOCK: 2 << 20, _LARGE_BLOCK: 1 << 30}
_LEAST_GUEST = 1 << 30


def check_live_update(vmi: VmiSpec, cluster: Cluster) -> Causes:
    if not cluster.updates_live:
        return
    yield from check_max_sockets(vmi, cluster)
    if has(vmi.memory, "maxGuest"):
        problem = _incompatible(vmi) or _wrong_size(vmi, cluster.behaviour)
        if problem is not None:
            hint = "drop memory.maxGuest to do without hot plug"
            yield invalid(vmi.at("domain", "memory", "guest"), f"memory hot plug {problem}", hint)


def _incompatible(vmi: VmiSpec) -> str | None:
    if has(vmi.cpu, "realtime"):
        return "does not go with cpu.realtime"
    if has(section(vmi.cpu, "numa"), "guestMappingPassthrough"):
        return "does not go with cpu.numa.guestMappingPassthrough"
    if has(vmi.domain, "launchSecurity"):
        return "does not go with launchSecurity"
    return None if has(vmi.memory, "guest") else "needs memory.guest"


def _wrong_size(vmi: VmiSpec, behaviour: Behaviour) -> str | None:
    guest, most = quantity(vmi.memory, "guest"), quantity(vmi.memory, "maxGuest")
    block = _LARGE_BLOCK if text(section(vmi.memory, "hugepages"), "pageSize") == _LARGE_BLOCK else _BLOCK
    if guest.compare(most) > 0:
        return f"cannot start with {guest.json}, which is more than maxGuest, {most.json}"
    for name, amount in (("guest", guest), ("maxGuest", most)):
        if amount.value() % _BYTES[block]:
            return f"needs memory.{name} to be a multiple of {block}, which {amount.json} is not"
    if vmi.architecture not in behaviour.memory_hot_plug_architectures:
        architectures = " and ".join(behaviour.memory_hot_plug_architectures)
        return f"is only there on {architectures}, not on {vmi.architecture or 'a VM without architecture'}"
    if behaviour.hot_plugs_from_1gi and guest.value() < _LEAST_GUEST:
        return f"needs a guest of at least 1Gi, not {guest.json}"
    return None
