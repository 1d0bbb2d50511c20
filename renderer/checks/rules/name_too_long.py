"""A name is too long for what KubeVirt makes of it, so the machine does not start, or cannot be migrated.

Kubernetes accepts 253 characters in a name, and 63 in the value of a label and in the names of a pod's
volumes and containers. KubeVirt copies the name of a machine into labels: into `kubevirt.io/vmi-name` of each
live migration, which the API server then rejects (`mutating-webhook/mutators/migration-create-mutator.go`),
and into `persistent-state-for` of the claim that stores a persistent TPM or EFI, without which the machine
does not start (`pkg/storage/backend-storage`). The guest's host name is truncated to 63 characters.

Machines of a VirtualMachinePool get the pool's name, a dash and a number, so the pool's name has to be
shorter.

Other names get longer in the machine's pod, which the API server rejects if one has more than 63 characters:

- the Secret of `accessCredentials` is the volume NAME`-access-cred`,
- a volume with the user data of a Secret is the volume NAME`-udata`, with network data NAME`-ndata`,
- a container disk runs in the containers `volume`NAME and, without image volumes, `volume`NAME`-init`,
- a file system is served by the container `virtiofs-`NAME.

CDI rejects names of more than 63 characters in DataImportCrons, and as their `managedDataSource`.

Wrong:

```yaml
kind: VirtualMachine
metadata:
  name: warehouse-management-system-database-primary-production-frankfurt
```

Right:

```yaml
kind: VirtualMachine
metadata:
  name: wms-db-primary-fra
```
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.checks.rules.context import Context
from renderer.checks.rules.rule import Finding, MachineCheck, Rule
from renderer.kubevirt.facts.cloud_init import CLOUD_INIT_VOLUMES
from renderer.kubevirt.facts.feature_gates import Gate
from renderer.kubevirt.facts.kinds import DATA_IMPORT_CRON
from renderer.kubevirt.facts.name_references import CREDENTIAL_SECRETS
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView, elements
from renderer.model.codes import Code
from renderer.model.kube.field_path import FieldPath, Segment
from renderer.model.kube.json import JsonObject, object_at, text_at
from renderer.model.placeholders import has_placeholder
from renderer.model.record import Record
from renderer.model.rule_settings import Level

_LONGEST = 63
_POOL_SUFFIX = len("-0")


class _NameInPod(Record):
    """A name at ``path`` of the instance, and the pod's ``part`` whose name begins and ends with more."""

    path: tuple[Segment, ...]
    name: str
    part: str
    prefix: str = ""
    suffix: str = ""


def _check_machine(context: Context, machine: VirtualMachineView) -> Iterator[Finding]:
    longest = _LONGEST if machine.is_one else _LONGEST - _POOL_SUFFIX
    if len(machine.name) > longest:
        yield Finding(
            machine.resource,
            FieldPath.of("metadata", "name"),
            f"the name has {len(machine.name)} characters, and becomes a label, which holds 63",
            f"give it at most {longest} characters: with this one it cannot be live-migrated",
        )
    for each in _names_in_pod(context, machine):
        in_pod = f"{each.prefix}{each.name}{each.suffix}"
        if len(in_pod) > _LONGEST and not has_placeholder(each.name):
            yield Finding(
                machine.resource,
                machine.in_instance(*each.path),
                f"the pod gets a {each.part} {in_pod} of {len(in_pod)} characters, and Kubernetes accepts"
                f" {_LONGEST}: the machine does not start",
                f"shorten the name to {_LONGEST - len(each.prefix) - len(each.suffix)} characters",
            )


def _check_import_crons(context: Context) -> Iterator[Finding]:
    """Yield names that CDI rejects (``dataimportcron-validate.go``)."""
    for cron in context.of_kind(DATA_IMPORT_CRON):
        for path in (("metadata", "name"), ("spec", "managedDataSource")):
            name = text_at(cron.content, *path)
            if len(name) > _LONGEST and not has_placeholder(name):
                message = f"the name has {len(name)} characters: CDI accepts {_LONGEST} in a DataImportCron"
                yield Finding(cron, FieldPath.of(*path), message, f"shorten it to {_LONGEST} characters")


def _names_in_pod(context: Context, machine: VirtualMachineView) -> Iterator[_NameInPod]:
    """Yield the names that get longer (``rendervolumes.go``, ``container-disk.go`` and ``virtiofs.go``)."""
    credentials = machine.instance.get("accessCredentials")
    for index, credential in elements(credentials) if credentials else ():
        for path in CREDENTIAL_SECRETS:
            name = text_at(credential, *path)
            yield _NameInPod(("accessCredentials", index, *path), name, "volume", suffix="-access-cred")
    for index, volume in machine.volumes:
        name = text_at(volume, "name")
        if len(name) > _LONGEST // 2:
            yield from _names_of_volume(context, ("volumes", index, "name"), name, volume)
    filesystems = machine.devices.get("filesystems")
    for index, filesystem in elements(filesystems) if filesystems else ():
        at = ("domain", "devices", "filesystems", index, "name")
        yield _NameInPod(at, text_at(filesystem, "name"), "container", prefix="virtiofs-")


def _names_of_volume(
    context: Context, path: tuple[Segment, ...], name: str, volume: JsonObject
) -> Iterator[_NameInPod]:
    for source in CLOUD_INIT_VOLUMES:
        if text_at(object_at(volume, source), "secretRef", "name"):
            yield _NameInPod(path, name, "volume", suffix="-udata")
        elif text_at(object_at(volume, source), "networkDataSecretRef", "name"):
            yield _NameInPod(path, name, "volume", suffix="-ndata")
    if "containerDisk" in volume:
        suffix = "" if context.cluster.has_gate(Gate.IMAGE_VOLUME) else "-init"
        yield _NameInPod(path, name, "container", prefix="volume", suffix=suffix)


RULE = Rule(Code.NAME_TOO_LONG, Level.WARNING, MachineCheck(_check_machine, _check_import_crons), __doc__)
