"""VirtualMachines of all field groups, as people write them into Git."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any, TypeAlias

Object: TypeAlias = dict[str, Any]

INSTANCETYPES = ("u1.small", "u1.medium", "u1.2xlarge", "o1.large", "m1.large", "cx1.medium")
PREFERENCES = ("fedora", "ubuntu", "windows.11", "rhel.9", "alpine")
MULTUS = ("vlan10", "vlan20", "storage-net")


class Machine:
    """One VirtualMachine while it is written; ``release`` is the minor version of KubeVirt 1."""

    def __init__(self, rng: Random, name: str, namespace: str, release: int) -> None:
        self.rng, self.name, self.namespace, self.release = rng, name, namespace, release
        self.disks: list[Object] = []
        self.volumes: list[Object] = []
        self.interfaces: list[Object] = []
        self.networks: list[Object] = []
        self.devices: Object = {}
        self.domain: Object = {}
        self.instance: Object = {}
        self.spec: Object = {}
        self.sized = False
        self.secrets: list[str] = []
        self.config_maps: list[str] = []
        self.claims: list[str] = []

    def chance(self, likelihood: float) -> bool:
        return self.rng.random() < likelihood

    def some(self, **values: Any) -> Object:  # noqa: ANN401 - any JSON
        """Return some of the fields, at least one."""
        chosen = [name for name in values if self.chance(0.5)]
        return {name: deepcopy(values[name]) for name in chosen or [self.rng.choice(list(values))]}

    def content(self) -> Object:
        rng = self.rng
        if self.disks or self.chance(0.2):
            self.devices["disks"] = self.disks
        if self.interfaces:
            self.devices["interfaces"] = self.interfaces
            self.instance["networks"] = self.networks
        if self.volumes:
            self.instance["volumes"] = self.volumes
        domain = {**self.domain, "devices": self.devices}
        metadata: Object = {"labels": {"kubevirt.io/domain": self.name}}
        if self.chance(0.3):
            metadata["annotations"] = {"example.org/note": rng.choice(["web tier", "42", "true", ""])}
        template: Object = {"spec": {"domain": domain, **self.instance}}
        if self.chance(0.8):
            template["metadata"] = metadata
        labels = {"app": self.name, "tier": rng.choice(["web", "db", "cache"])}
        meta: Object = {"name": self.name, "namespace": self.namespace}
        if self.chance(0.7):
            meta["labels"] = labels
        if self.chance(0.3):
            meta["annotations"] = {"example.org/owner": "team-a@example.org"}
        return {
            "apiVersion": "kubevirt.io/v1",
            "kind": "VirtualMachine",
            "metadata": meta,
            "spec": {**_run(self), **self.spec, "template": template},
        }


def _run(machine: Machine) -> Object:
    if machine.chance(0.3):
        return {"running": machine.chance(0.7)}
    choices = ("Always", "Always", "Halted", "Manual", "RerunOnFailure", "Once")
    return {"runStrategy": machine.rng.choice(choices)}


def size(machine: Machine) -> None:
    """CPU and memory, by an instance type or by the VM itself."""
    rng = machine.rng
    if machine.chance(0.45):
        machine.sized = True
        matcher: Object = {"name": rng.choice(INSTANCETYPES)}
        if machine.chance(0.2):
            matcher = {"name": "own-size", "kind": "VirtualMachineInstancetype"}
        elif machine.chance(0.4):
            matcher["kind"] = "VirtualMachineClusterInstancetype"
        machine.spec["instancetype"] = matcher
    else:
        _own_cpu(machine)
        _own_memory(machine)
    if machine.chance(0.5):
        machine.spec["preference"] = _preference(machine)


def _preference(machine: Machine) -> Object:
    """One whose requirements the VM meets."""
    size = machine.spec.get("instancetype", {}).get("name")
    if size in (None, "own-size", "u1.small", "u1.medium", "cx1.medium") or machine.chance(0.25):
        return {"name": "own-taste", "kind": "VirtualMachinePreference"}
    kind = {"kind": "VirtualMachineClusterPreference"} if machine.chance(0.4) else {}
    return {"name": machine.rng.choice(PREFERENCES), **kind}


def _own_cpu(machine: Machine) -> None:
    rng = machine.rng
    choices: tuple[Object, ...] = (
        {},
        {"cores": 2},
        {"sockets": 2, "cores": 1, "threads": 1},
        {"cores": 4, "sockets": 1, "threads": 2},
        {"sockets": 4, "maxSockets": 8},
        {"cores": 2, "model": "host-passthrough"},
        {"cores": 2, "model": "Cascadelake-Server", "features": [{"name": "apic", "policy": "require"}]},
        {"cores": 2, "dedicatedCpuPlacement": True},
        {"cores": 4, "dedicatedCpuPlacement": True, "isolateEmulatorThread": True},
    )
    cpu = deepcopy(rng.choice(choices))
    if cpu:
        machine.domain["cpu"] = cpu
    elif machine.chance(0.3):
        machine.domain["resources"] = {"requests": {"cpu": rng.choice(["500m", "1", 2, "0.5"])}}


def _own_memory(machine: Machine) -> None:
    rng = machine.rng
    resources = machine.domain.setdefault("resources", {})
    way = rng.choice(("guest", "guest", "requests", "limits", "hugepages", "max"))
    if way == "requests":
        resources.setdefault("requests", {})["memory"] = rng.choice(["1Gi", "2048Mi", "1.5Gi", 1073741824])
    elif way == "limits":
        resources["limits"] = {"memory": "4Gi"}
        resources.setdefault("requests", {})["memory"] = "4096Mi"
    elif way == "hugepages":
        machine.domain["memory"] = {"guest": "4Gi", "hugepages": {"pageSize": rng.choice(["2Mi", "1Gi"])}}
    elif way == "max" and machine.release >= 1:
        machine.domain["memory"] = {"guest": "2Gi", "maxGuest": "8192Mi"}
    else:
        machine.domain["memory"] = {"guest": rng.choice(["512Mi", "2Gi", "4096Mi", "8G", "0.5Gi"])}
    if not resources:
        del machine.domain["resources"]


def disks(machine: Machine) -> None:
    """A root disk, and others of all buses and volume types."""
    _root(machine)
    for kind in machine.rng.sample(sorted(_VOLUMES), machine.rng.randint(0, 4)):
        name = f"{kind}-disk"[:20]
        volume = _VOLUMES[kind](machine, name)
        if volume is None:
            continue
        machine.volumes.append({"name": name, **volume})
        if machine.chance(0.85):
            machine.disks.append({"name": name, **_target(machine, kind)})
    orders = [disk for disk in machine.disks if "serial" not in disk and machine.chance(0.2)]
    for order, disk in enumerate(orders, start=1):
        disk["bootOrder"] = order


def _root(machine: Machine) -> None:
    name = machine.name
    way = machine.rng.choice(("template", "template", "claim", "volume", "container"))
    if way == "template":
        machine.spec["dataVolumeTemplates"] = [_data_volume_template(machine, f"{name}-root")]
        volume: Object = {"dataVolume": {"name": f"{name}-root"}}
    elif way == "claim":
        machine.claims.append(f"{name}-data")
        volume = {"persistentVolumeClaim": {"claimName": f"{name}-data"}}
    elif way == "volume":
        machine.claims.append(f"{name}-dv")
        volume = {"dataVolume": {"name": f"{name}-dv"}}
    else:
        image = machine.rng.choice(
            [
                "quay.io/containerdisks/fedora:41",
                "quay.io/containerdisks/fedora",
                "registry.local/a@sha256:" + "a" * 64,
            ]
        )
        volume = {
            "containerDisk": {
                "image": image,
                **({"imagePullPolicy": "Always"} if machine.chance(0.3) else {}),
            }
        }
    machine.volumes.append({"name": "root", **volume})
    if machine.chance(0.9):
        machine.disks.append({"name": "root", **_target(machine, "root")})


def _data_volume_template(machine: Machine, name: str) -> Object:
    rng = machine.rng
    sources: tuple[Object, ...] = (
        {"source": {"blank": {}}},
        {"source": {"http": {"url": "https://example.org/disk.qcow2"}}},
        {"source": {"registry": {"url": "docker://quay.io/containerdisks/fedora:41"}}},
        {"source": {"pvc": {"name": "golden", "namespace": "images"}}},
        {"sourceRef": {"kind": "DataSource", "name": "fedora", "namespace": "images"}},
    )
    size = {"resources": {"requests": {"storage": rng.choice(["30Gi", "10240Mi", "1.5Gi"])}}}
    target: Object = (
        {
            "storage": {
                **size,
                **machine.some(accessModes=["ReadWriteMany"], storageClassName="fast", volumeMode="Block"),
            }
        }
        if machine.chance(0.7)
        else {"pvc": {"accessModes": ["ReadWriteOnce"], **size}}
    )
    metadata: Object = {"name": name}
    if machine.chance(0.3):
        metadata["annotations"] = {"cdi.kubevirt.io/storage.bind.immediate.requested": "true"}
    return {"metadata": metadata, "spec": {**target, **deepcopy(rng.choice(sources))}}


def _target(machine: Machine, kind: str) -> Object:
    rng = machine.rng
    if kind == "sysprep":
        return {"cdrom": {"bus": "sata"}}
    targets: list[Object] = [
        {},
        {"disk": {}},
        {"disk": {"bus": "virtio"}},
        {"disk": {"bus": "sata"}},
        {"disk": {"bus": "scsi", "readonly": False}},
        {"disk": {"bus": "virtio"}, "cache": rng.choice(["none", "writethrough", "writeback"])},
        {"disk": {"bus": "virtio"}, "io": "threads", "dedicatedIOThread": True},
        {"disk": {"bus": "virtio"}, "serial": "CVLY623300HK240D"},
        {"disk": {"bus": "virtio"}, "blockSize": {"custom": {"logical": 512, "physical": 4096}}},
        {"cdrom": {"bus": "sata", "readonly": True}},
    ]
    if kind in ("claim", "hotplug") and machine.release >= 1:
        targets.append({"lun": {"bus": "scsi", "reservation": False}, "errorPolicy": "stop"})
    if kind == "root":
        targets = targets[:9]
    return deepcopy(rng.choice(targets))


def _cloud_init(machine: Machine, _name: str) -> Object | None:
    if any("cloudInit" in str(volume) for volume in machine.volumes):
        return None
    rng = machine.rng
    key = rng.choice(("cloudInitNoCloud", "cloudInitConfigDrive"))
    data = "#cloud-config\nuser: fedora\nchpasswd: {expire: false}\n"
    if machine.chance(0.4):
        machine.secrets.append(f"{machine.name}-cloud-init")
        return {key: {"secretRef": {"name": f"{machine.name}-cloud-init"}}}
    return {key: {"userData": data, **({"networkData": "version: 2\n"} if machine.chance(0.3) else {})}}


def _config_map(machine: Machine, _name: str) -> Object:
    machine.config_maps.append(f"{machine.name}-settings")
    return {"configMap": {"name": f"{machine.name}-settings"}}


def _secret(machine: Machine, _name: str) -> Object:
    machine.secrets.append(f"{machine.name}-keys")
    return {"secret": {"secretName": f"{machine.name}-keys"}}


def _sysprep(machine: Machine, _name: str) -> Object:
    machine.config_maps.append(f"{machine.name}-sysprep")
    return {"sysprep": {"configMap": {"name": f"{machine.name}-sysprep"}}}


def _claim(machine: Machine, _name: str) -> Object:
    machine.claims.append(f"{machine.name}-extra")
    return {"persistentVolumeClaim": {"claimName": f"{machine.name}-extra"}}


def _ephemeral(machine: Machine, _name: str) -> Object:
    machine.claims.append(f"{machine.name}-shared")
    return {"ephemeral": {"persistentVolumeClaim": {"claimName": f"{machine.name}-shared"}}}


#: Volumes by kind; None where the machine cannot have another one.
_VOLUMES: dict[str, Callable[[Machine, str], Object | None]] = {
    "claim": _claim,
    "cloudinit": _cloud_init,
    "configmap": _config_map,
    "empty": lambda machine, _: {"emptyDisk": {"capacity": machine.rng.choice(["2Gi", "2048Mi", "1G"])}},
    "ephemeral": _ephemeral,
    "secret": _secret,
    "serviceaccount": lambda *_: {"serviceAccount": {"serviceAccountName": "default"}},
    "sysprep": _sysprep,
}


def network(machine: Machine) -> None:
    """Interfaces of all bindings, or none."""
    if machine.chance(0.15):
        if machine.chance(0.3):
            machine.devices["autoattachPodInterface"] = False
        return
    rng = machine.rng
    binding: Object = rng.choice(({"masquerade": {}}, {"masquerade": {}}, {"bridge": {}}))
    first: Object = {"name": "default", **deepcopy(binding)}
    if "masquerade" in first and machine.chance(0.3):
        first["ports"] = [{"port": 80}, {"name": "ssh", "port": 22, "protocol": "TCP"}]
    machine.interfaces.append(first)
    machine.networks.append({"name": "default", "pod": {}})
    for number, name in enumerate(rng.sample(MULTUS, rng.randint(0, 2))):
        interface: Object = {"name": name, rng.choice(("bridge", "sriov")): {}}
        interface |= (
            machine.some(macAddress=f"02:00:00:00:{rng.randint(0, 255):02x}:{number:02x}")
            if machine.chance(0.4)
            else {}
        )
        if "bridge" in interface and machine.chance(0.4):
            interface["model"] = rng.choice(("virtio", "e1000e"))
        machine.interfaces.append(interface)
        machine.networks.append({"name": name, "multus": {"networkName": name}})
    if machine.chance(0.2):
        machine.devices["networkInterfaceMultiqueue"] = True


def firmware(machine: Machine) -> None:
    rng = machine.rng
    kind = rng.choice(("none", "none", "none", "identity", "bios", "efi", "secure", "kernel"))
    if kind == "identity":
        machine.domain["firmware"] = machine.some(
            uuid="5d307ca9-b3ef-428c-8861-06e72d69f223", serial=f"SN-{rng.randint(0, 99999):05d}"
        )
    elif kind == "bios":
        machine.domain["firmware"] = {"bootloader": {"bios": machine.some(useSerial=False)}}
    elif kind == "efi":
        machine.domain["firmware"] = {"bootloader": {"efi": {"secureBoot": False}}}
    elif kind == "secure":
        machine.domain["firmware"] = {"bootloader": {"efi": {"secureBoot": True}}}
        machine.domain.setdefault("features", {})["smm"] = rng.choice(({}, {"enabled": True}))
    elif kind == "kernel":
        container = {"image": "registry.local/kernel:6", "kernelPath": "/boot/vmlinuz"}
        machine.domain["firmware"] = {"kernelBoot": {"container": container}}


def platform(machine: Machine) -> None:
    """Clock, features, machine type, architecture and launch security."""
    rng = machine.rng
    if machine.chance(0.25):
        timers = machine.some(
            hpet={"present": False}, pit={"tickPolicy": "delay"}, rtc={"tickPolicy": "catchup"}
        )
        base: Object = rng.choice(({"utc": {}}, {"timezone": "Europe/Berlin"}))
        machine.domain["clock"] = {**deepcopy(base), "timer": timers}
    if machine.chance(0.3):
        machine.domain.setdefault("features", {}).update(
            machine.some(
                acpi={},
                apic={},
                pvspinlock={"enabled": True},
                kvm={"hidden": True},
                hyperv={"relaxed": {}, "vapic": {}, "spinlocks": {"spinlocks": 8191}},
            )
        )
    if machine.chance(0.15):
        machine.domain["machine"] = {"type": rng.choice(("q35", "pc-q35-rhel9.2.0"))}
    if machine.chance(0.15):
        machine.instance["architecture"] = "amd64"
    plugs_memory = "maxGuest" in machine.domain.get("memory", {})
    if not (machine.sized or plugs_memory or "features" in machine.domain) and machine.chance(0.1):
        machine.domain["launchSecurity"] = {"sev": {}}
        machine.domain["firmware"] = {"bootloader": {"efi": {"secureBoot": False}}}


def devices(machine: Machine) -> None:
    """Devices other than disks and interfaces."""
    rng = machine.rng
    extras: Object = {
        "tpm": rng.choice(({}, {"persistent": True}, {"persistent": False})),
        "rng": {},
        "watchdog": {"name": "dog", "i6300esb": rng.choice(({}, {"action": "poweroff"}))},
        "inputs": [{"name": "tablet", "type": "tablet", "bus": rng.choice(("usb", "virtio"))}],
        "hostDevices": [{"name": "qat", "deviceName": "intel.com/qat"}],
        "sound": {"name": "audio", "model": "ich9"},
    }
    if not machine.sized:
        extras["gpus"] = [{"name": "gpu1", "deviceName": "nvidia.com/A100"}]
    machine.devices |= {name: device for name, device in extras.items() if machine.chance(0.15)}
    if machine.chance(0.2):
        machine.devices |= machine.some(
            autoattachGraphicsDevice=False,
            autoattachSerialConsole=True,
            autoattachMemBalloon=True,
            blockMultiQueue=True,
            useVirtioTransitional=False,
            disableHotplug=False,
        )


def scheduling(machine: Machine) -> None:
    """Placement, and settings of the instance's pod."""
    rng = machine.rng
    if not machine.chance(0.5):
        return
    match = [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "b"]}]}]
    spread = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
    machine.instance |= machine.some(
        nodeSelector={"zone": rng.choice("abc"), "disk": ""},
        tolerations=[{"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}],
        affinity={
            "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": match}}
        },
        topologySpreadConstraints=[{**spread, "labelSelector": {"matchLabels": {"app": machine.name}}}],
        schedulerName="default-scheduler",
        priorityClassName="high",
        evictionStrategy=rng.choice(("LiveMigrate", "None", "LiveMigrateIfPossible")),
        terminationGracePeriodSeconds=rng.choice((0, 30, 180)),
        hostname=machine.name,
        startStrategy="Paused",
        dnsConfig={"nameservers": ["10.0.0.10"], "searches": ["example.org"]},
        readinessProbe={"exec": {"command": ["true"]}, "initialDelaySeconds": 0, "periodSeconds": 20},
        livenessProbe={"guestAgentPing": {}, "failureThreshold": 10},
    )
    if "livenessProbe" in machine.instance:
        machine.instance.pop("startStrategy", None)


def access(machine: Machine) -> None:
    """Credentials that the guest agent or cloud-init set."""
    if not machine.chance(0.15):
        return
    name = f"{machine.name}-ssh"
    machine.secrets.append(name)
    way: Object = {"qemuGuestAgent": {"users": ["fedora"]}}
    if any("cloudInitNoCloud" in volume for volume in machine.volumes) and machine.chance(0.5):
        way = {"noCloud": {}}
    key = {"source": {"secret": {"secretName": name}}, "propagationMethod": way}
    machine.instance["accessCredentials"] = [{"sshPublicKey": key}]


GROUPS: tuple[Callable[[Machine], None], ...] = (
    size,
    disks,
    network,
    firmware,
    platform,
    devices,
    scheduling,
    access,
)


def machine(rng: Random, name: str, namespace: str, release: int) -> Machine:
    """Return a VirtualMachine with fields of each group."""
    made = Machine(rng, name, namespace, release)
    for group in GROUPS:
        group(made)
    return made
