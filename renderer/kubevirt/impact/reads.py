"""When a virtual machine reads the Secrets, ConfigMaps and other objects that it names.

virt-launcher makes the disks of cloud-init, sysprep, Secrets and ConfigMaps when the instance starts
(``pkg/virt-launcher/virtwrap/manager.go`` preStartHook). The kubelet keeps the files in the pod up to date,
and so does virtiofs for the guest; access credentials are watched if the guest agent sets them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from renderer.kubevirt.facts.cloud_init import CLOUD_INIT_FIELDS, CLOUD_INIT_VOLUMES, NETWORK_DATA, USER_DATA
from renderer.kubevirt.facts.name_references import CREDENTIAL_SECRETS
from renderer.kubevirt.facts.pool_names import has_indexed_references
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView, element_segment
from renderer.model.difference import Effect, Impact
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, array_at, object_at, text_at
from renderer.model.record import Record
from renderer.model.release import Release

SECRET, CONFIG_MAP = "Secret", "ConfigMap"
SERVICE_ACCOUNT, NETWORK = "ServiceAccount", "NetworkAttachmentDefinition"
HOOKS = "hooks.kubevirt.io/hookSidecars"
_CLOUD_INIT = "pkg/cloud-init/cloud-init.go"
_MANAGER = "pkg/virt-launcher/virtwrap/manager.go preStartHook"
_AT_START = "virt-launcher reads it when the instance starts"
_ONCE = "most modules of cloud-init run at the first boot only, and its instance id stays"
#: What a guest that has booted before does not apply again, by the fields for a file of cloud-init.
CLOUD_INIT_ONCE = {USER_DATA: _ONCE, NETWORK_DATA: "a network that cloud-init has set up may stay"}
_LIVE = "the kubelet updates the files, and the guest sees them through virtiofs"
_PULL = "the image is pulled with it when the instance starts"
_ACCOUNT_SOURCE = "kubernetes plugin/pkg/admission/serviceaccount/admission.go Admit"


class ReadRule(Record):
    """A place of a machine that names an object: what reads it, when, and the function upstream.

    ``once`` says what a guest that has booted before does not apply again; empty if it applies all.
    """

    place: str
    kind: str
    impact: Impact
    keys: tuple[str, ...] = ()
    once: str = ""


def _rule(  # noqa: PLR0913, PLR0917 - a row of the table
    place: str,
    kind: str,
    effect: Effect,
    reason: str,
    source: str,
    keys: tuple[str, ...] = (),
    once: str = "",
) -> ReadRule:
    return ReadRule(place, kind, Impact(effect, reason, source), keys, once)


#: By the path of the field with the name, below the instance.
RULES = (
    *(
        _rule(
            f"volumes.{volume}.{fields.reference}",
            SECRET,
            Effect.PENDING,
            _AT_START,
            f"{_CLOUD_INIT} {resolver}",
            fields.keys,
            CLOUD_INIT_ONCE[fields],
        )
        for volume, resolver in zip(
            CLOUD_INIT_VOLUMES, ("resolveNoCloudSecrets", "resolveConfigDriveSecrets"), strict=True
        )
        for fields in CLOUD_INIT_FIELDS
    ),
    *(
        _rule(
            f"volumes.sysprep.{key}",
            kind,
            Effect.PENDING,
            _AT_START,
            "pkg/config/sysprep.go CreateSysprepDisks",
            once="a Windows that is set up does not read its answer file again",
        )
        for key, kind in (("secret", SECRET), ("configMap", CONFIG_MAP))
    ),
    _rule("volumes.secret", SECRET, Effect.PENDING, _AT_START, "pkg/config/secret.go CreateSecretDisks"),
    _rule(
        "volumes.configMap",
        CONFIG_MAP,
        Effect.PENDING,
        _AT_START,
        "pkg/config/config-map.go CreateConfigMapDisks",
    ),
    *(
        _rule(
            f"filesystems.{key}",
            kind,
            Effect.LIVE,
            _LIVE,
            "pkg/virt-controller/services/virtiofs.go generateContainerFromVolume",
        )
        for key, kind in (("secret", SECRET), ("configMap", CONFIG_MAP))
    ),
    *(
        _rule(
            f"accessCredentials.{kind}.{method}",
            SECRET,
            *(
                (
                    Effect.LIVE,
                    "virt-launcher watches it, and the guest agent sets it",
                    "pkg/virt-launcher/virtwrap/access-credentials/access_credentials.go watchSecrets",
                )
                if method == "qemuGuestAgent"
                else (Effect.PENDING, _AT_START, f"{_CLOUD_INIT} resolveSSHPublicKeys", (), _ONCE)
            ),
        )
        for kind, methods in (
            ("sshPublicKey", ("qemuGuestAgent", "noCloud", "configDrive")),
            ("userPassword", ("qemuGuestAgent",)),
        )
        for method in methods
    ),
    _rule("volumes.containerDisk.imagePullSecret", SECRET, Effect.PENDING, _PULL, _MANAGER),
    _rule("kernelBoot.imagePullSecret", SECRET, Effect.PENDING, _PULL, _MANAGER),
    _rule(
        "hookSidecars.configMap",
        CONFIG_MAP,
        Effect.PENDING,
        "the sidecar reads it when the instance starts",
        "pkg/hooks/hooks.go UnmarshalHookSidecarList",
    ),
    _rule(
        "serviceAccountName",
        SERVICE_ACCOUNT,
        Effect.PENDING,
        "the pod gets its pull secrets when the instance starts",
        _ACCOUNT_SOURCE,
    ),
    _rule(
        "networks.multus",
        NETWORK,
        Effect.NEXT_MIGRATION,
        "the pod is connected by it when it is created: at the next live migration or start",
        "pkg/network/multus/annotation.go GenerateCNIAnnotation",
    ),
)
_RULES = {(rule.place, rule.kind): rule for rule in RULES}
#: The fields of an object that a machine reads, by kind; another change is not read.
READ_FIELDS = {
    SECRET: ("data", "stringData"),
    CONFIG_MAP: ("data", "binaryData"),
    SERVICE_ACCOUNT: ("imagePullSecrets",),
    NETWORK: ("spec",),
}


_SOURCES = ("http", "s3", "gcs", "registry", "imageio", "vddk")
_IMPORTED = (("secretRef", SECRET), ("secretExtraHeaders", SECRET), ("certConfigMap", CONFIG_MAP))
IMPORTER = "containerized-data-importer pkg/controller/import-controller.go createImporterPod"


def read_by_importer(content: JsonObject) -> Iterator[tuple[str, str]]:
    """Yield kind and name of the objects that CDI's importer reads while it fills the disks of an object."""
    spec = object_at(content, "spec")
    machine = object_at(spec, "virtualMachineTemplate", "spec") or spec
    templates = (object_at(each, "spec") for each in array_at(machine, "dataVolumeTemplates"))
    for filled in (spec, object_at(spec, "template", "spec"), *templates):
        for source in _SOURCES:
            for key, kind in _IMPORTED:
                written = object_at(filled, "source", source).get(key)
                names = written if isinstance(written, list) else [written]
                yield from ((kind, name) for name in names if isinstance(name, str) and name)


class Read(Record):
    """A field of a machine that names an object, and the rule for it. ``name`` may have a namespace.

    ``is_indexed``: each machine of a pool reads an object of its own, whose name ends with its index.
    ``is_optional``: the machine starts without the object as well.
    """

    field: FieldPath
    name: str
    rule: ReadRule
    is_indexed: bool = False
    is_optional: bool = False


def reads_of(machine: VirtualMachineView, release: Release) -> Iterator[Read]:
    """Yield the objects that a machine reads."""
    filesystems = {text_at(object_at(each), "name") for each in array_at(machine.devices, "filesystems")}
    for index, volume in machine.volumes:
        name, at = text_at(volume, "name"), element_segment(volume, index)
        for source, content in volume.items():
            is_indexed = has_indexed_references(machine, source, release)
            is_optional = object_at(content).get("optional") is True
            for path, kind, found in _in_volume(source, object_at(content)):
                group = "filesystems" if name in filesystems else "volumes"
                rule = _RULES.get((f"{group}.{'.'.join((source, *path[:-1]))}", kind))
                rule = rule or _RULES.get((f"volumes.{'.'.join((source, *path))}", kind))
                if rule is not None and found:
                    field = machine.in_instance("volumes", at, source, *path)
                    yield Read(field, found, rule, is_indexed, is_optional)
    for index, network in machine.networks:
        named = text_at(network, "multus", "networkName")
        if named:
            field = machine.in_instance("networks", element_segment(network, index), "multus", "networkName")
            yield Read(field, named, _RULES["networks.multus", NETWORK])
    yield from _credential_reads(machine)
    yield from _pod_reads(machine)


def _in_volume(source: str, content: JsonObject) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Yield path, kind and name of each object that a volume names."""
    if source in CLOUD_INIT_VOLUMES:
        for fields in CLOUD_INIT_FIELDS:
            yield (fields.reference, "name"), SECRET, text_at(content, fields.reference, "name")
    elif source == "sysprep":
        yield ("secret", "name"), SECRET, text_at(content, "secret", "name")
        yield ("configMap", "name"), CONFIG_MAP, text_at(content, "configMap", "name")
    elif source == "secret":
        yield ("secretName",), SECRET, text_at(content, "secretName")
    elif source == "configMap":
        yield ("name",), CONFIG_MAP, text_at(content, "name")
    elif source == "containerDisk":
        yield ("imagePullSecret",), SECRET, text_at(content, "imagePullSecret")


def _credential_reads(machine: VirtualMachineView) -> Iterator[Read]:
    for index, each in enumerate(array_at(machine.instance, "accessCredentials")):
        credential = object_at(each)
        for path in CREDENTIAL_SECRETS:
            name = text_at(credential, *path)
            for method in object_at(credential, path[0], "propagationMethod") if name else ():
                rule = _RULES.get((f"accessCredentials.{path[0]}.{method}", SECRET))
                if rule is not None:
                    yield Read(machine.in_instance("accessCredentials", index, *path), name, rule)


def _pod_reads(machine: VirtualMachineView) -> Iterator[Read]:
    kernel = ("domain", "firmware", "kernelBoot", "container", "imagePullSecret")
    if name := text_at(machine.instance, *kernel):
        yield Read(machine.in_instance(*kernel), name, _RULES["kernelBoot.imagePullSecret", SECRET])
    if name := text_at(machine.instance, "serviceAccountName"):
        rule = _RULES["serviceAccountName", SERVICE_ACCOUNT]
        yield Read(machine.in_instance("serviceAccountName"), name, rule)
    field = machine.paths.template.child("metadata", "annotations", HOOKS)
    text = text_at(machine.resource.content, *field.keys)
    try:
        sidecars = json.loads(text) if text else []
    except (ValueError, RecursionError):  # the rule about sidecars reports it
        return
    for each in sidecars if isinstance(sidecars, list) else ():
        if name := text_at(object_at(each), "configMap", "name"):
            yield Read(field, name, _RULES["hookSidecars.configMap", CONFIG_MAP])
