"""The objects without which a virtual machine does not start, and what fails where one is missing.

An instance that runs keeps what it has: only the pod of its next start, or of a live migration, is made anew.
Instance types and preferences are not among them, since KubeVirt keeps a ControllerRevision for each machine.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kubevirt.facts.kinds import CLAIM, DATA_VOLUME
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView, element_segment, elements
from renderer.kubevirt.impact.reads import CONFIG_MAP, NETWORK, SECRET, SERVICE_ACCOUNT, reads_of
from renderer.kubevirt.impact.storage import is_hotplug_volume
from renderer.model.difference import Effect, Impact
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import text_at
from renderer.model.record import Record
from renderer.model.release import Release

PRIORITY_CLASS = "PriorityClass"
#: Kinds of objects that are in no namespace.
CLUSTER_WIDE = frozenset({PRIORITY_CLASS})
DEVICE_CLAIM, DEVICE_CLAIM_TEMPLATE = "ResourceClaim", "ResourceClaimTemplate"
#: All kinds of objects that machines need.
NEEDED_KINDS = (
    *(SECRET, CONFIG_MAP, SERVICE_ACCOUNT, NETWORK, CLAIM, DATA_VOLUME),
    *(PRIORITY_CLASS, DEVICE_CLAIM, DEVICE_CLAIM_TEMPLATE),
)
#: Kubernetes makes this account in each namespace, and again if it is deleted.
_DEFAULT_ACCOUNT = "default"
_TEMPLATES = "pkg/virt-controller/services"
_NEXT_POD = "its next start or live migration"
_MOUNTED = (
    f"the pod of {_NEXT_POD} waits for it",
    "kubernetes pkg/kubelet/volumemanager/volume_manager.go WaitForAttachAndMount",
)
_PULLED = (
    f"at {_NEXT_POD}, the image is pulled without it",
    "kubernetes pkg/kubelet/kubelet_pods.go getPullSecretsForPod",
)
_REFUSED_BY = f"the pod of {_NEXT_POD} is refused"
_ACCOUNT = (_REFUSED_BY, "kubernetes plugin/pkg/admission/serviceaccount/admission.go Admit")
_PRIORITY = (_REFUSED_BY, "kubernetes plugin/pkg/admission/priority/admission.go admitPod")
_NETWORK = (
    f"KubeVirt makes no pod for {_NEXT_POD}",
    "pkg/network/multus/nad.go NetworkToResource",
)
_SIDECAR = (
    f"KubeVirt makes no pod for {_NEXT_POD}",
    f"{_TEMPLATES}/template.go renderLaunchManifest",
)
_DISK = (
    "KubeVirt waits for the claim before its next start",
    "pkg/virt-controller/watch/vmi/datavolumes.go areDataVolumesReady",
)
_NOT_SCHEDULED = (
    f"the pod of {_NEXT_POD} is not scheduled",
    "kubernetes pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go PreFilter",
)


class Need(Record):
    """A field of a machine that names an object without which it does not start.

    ``name`` may have a namespace. An object of any of the ``kinds`` will do. ``is_indexed``: each machine of
    a pool needs an object of its own, whose name ends with its index. ``failure`` says what fails without
    the object, ``source`` where upstream does so.
    """

    field: FieldPath
    kinds: tuple[str, ...]
    name: str
    failure: str
    source: str
    is_indexed: bool = False

    def impact_of_name(self) -> Impact:
        """Return what becomes of the machine if it is changed to name an object that does not exist.

        A running instance keeps the names that it was started with.
        """
        missing = f"{' or '.join(self.kinds)} {self.name} is not in Git"
        failure = self.failure.replace(_NEXT_POD, "its next start")
        return Impact(Effect.NO_START, f"{missing}: unless the cluster has it, {failure}", self.source)

    def impact(self, removal: str) -> Impact:
        """Return what the ``removal`` of the object does to the machine."""
        return Impact(Effect.NO_START, f"{removal}: {self.failure}", self.source)


def needs_of(machine: VirtualMachineView, release: Release) -> Iterator[Need]:
    """Yield the objects that a machine needs to start; not those that it marks as optional."""
    for read in reads_of(machine, release):
        kind = read.rule.kind
        if read.is_optional or (kind == SERVICE_ACCOUNT and read.name == _DEFAULT_ACCOUNT):
            continue
        failure, source = _MOUNTED
        if read.rule.place.endswith("imagePullSecret"):
            failure, source = _PULLED
        elif kind == SERVICE_ACCOUNT:
            failure, source = _ACCOUNT
        elif kind == NETWORK:
            failure, source = _NETWORK
        elif (read.rule.place, kind) == ("hookSidecars.configMap", CONFIG_MAP):
            failure, source = _SIDECAR
        yield Need(read.field, (kind,), read.name, failure, source, read.is_indexed)
    yield from _volumes(machine)
    yield from _pod(machine)


def _volumes(machine: VirtualMachineView) -> Iterator[Need]:
    made = {text_at(each, "metadata", "name") for _, each in machine.data_volume_templates}
    for index, volume in machine.volumes:
        at = element_segment(volume, index)
        if account := text_at(volume, "serviceAccount", "serviceAccountName"):
            field = machine.in_instance("volumes", at, "serviceAccount", "serviceAccountName")
            if account != _DEFAULT_ACCOUNT:
                yield Need(field, (SERVICE_ACCOUNT,), account, *_ACCOUNT)
        if is_hotplug_volume(volume):
            continue
        for path in (
            ("persistentVolumeClaim", "claimName"),
            ("ephemeral", "persistentVolumeClaim", "claimName"),
            ("dataVolume", "name"),
        ):
            claim = text_at(volume, *path)
            if claim and claim not in made:
                field = machine.in_instance("volumes", at, *path)
                yield Need(field, (CLAIM, DATA_VOLUME), claim, *_DISK)


def _pod(machine: VirtualMachineView) -> Iterator[Need]:
    if name := text_at(machine.instance, "priorityClassName"):
        yield Need(machine.in_instance("priorityClassName"), (PRIORITY_CLASS,), name, *_PRIORITY)
    for index, claim in elements(machine.instance.get("resourceClaims")):
        for key, kind in (
            ("resourceClaimName", DEVICE_CLAIM),
            ("resourceClaimTemplateName", DEVICE_CLAIM_TEMPLATE),
        ):
            if name := text_at(claim, key):
                field = machine.in_instance("resourceClaims", element_segment(claim, index), key)
                yield Need(field, (kind,), name, *_NOT_SCHEDULED)
