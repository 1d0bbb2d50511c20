"""Objects that machines need by way of others, and that leave Git.

An image is pulled with the Secrets of a ServiceAccount, a disk is mounted with the Secret of its
PersistentVolume or StorageClass, a device is of the class of its claim, and virt-handler is on the network
that the ``KubeVirt`` object names for live migrations. What machines name themselves is in ``missing``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from renderer.diff.missing import Makers
from renderer.diff.reads import ObjectName
from renderer.kubevirt.facts.kinds import CLAIM, DATA_VOLUME, KUBEVIRT, STORAGE_CLASS
from renderer.kubevirt.facts.made_networks import made_networks
from renderer.kubevirt.facts.made_secrets import made_secrets
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.impact.needs import DEVICE_CLAIM, DEVICE_CLAIM_TEMPLATE
from renderer.kubevirt.impact.reads import NETWORK, SECRET, SERVICE_ACCOUNT
from renderer.kubevirt.impact.storage_objects import claim_spec, data_volume_templates, targets_of
from renderer.model.difference import ChangeType, Effect, Impact, ResourceChange
from renderer.model.kube.json import Json, JsonObject, array_at, mappings_in, object_at, text_at
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.pattern import pattern
from renderer.model.plural import listed
from renderer.model.run.work import spend

_VOLUME, _DEVICE_CLASS, _RUNTIME_CLASS = "PersistentVolume", "DeviceClass", "RuntimeClass"
#: A parameter of a StorageClass that names a Secret for the driver (external-provisioner
#: ``pkg/controller/controller.go``); it may be made of the name of the claim.
_SECRET_PARAMETER = pattern(r"(?P<role>.*)(?:-secret-name|SecretName)")
#: What only needs its Secret to make a claim or to make it larger, in a parameter or the field of a volume.
_NOT_FOR_MOUNTS = ("provisioner", "expand")
_NEXT = "at its next start or live migration"
#: What fails without the needed object, by the kind that names it, and where upstream needs it.
_FAILURES: Mapping[str, tuple[str, str]] = {
    SERVICE_ACCOUNT: (
        f"pulls its image without it {_NEXT}",
        "kubernetes plugin/pkg/admission/serviceaccount/admission.go Admit",
    ),
    **dict.fromkeys(
        (_VOLUME, STORAGE_CLASS),
        (
            f"waits for its disk {_NEXT}",
            "kubernetes pkg/volume/csi/csi_attacher.go MountDevice",
        ),
    ),
    **dict.fromkeys(
        (DEVICE_CLAIM, DEVICE_CLAIM_TEMPLATE),
        (
            f"is not scheduled {_NEXT}",
            "kubernetes pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go PreFilter",
        ),
    ),
    KUBEVIRT: (
        f"may not start {_NEXT}, as the configuration of KubeVirt needs it",
        "pkg/virt-operator/resource/generate/components/daemonsets.go NewHandlerDaemonSet",
    ),
}
_MOST_NAMES, _ACTIVITY = 5, "looking for what machines need by way of others"
_LOSING = (ChangeType.REMOVED, ChangeType.RENAMED)
_Share: TypeAlias = Callable[[str, str], bool]
_Users: TypeAlias = dict[ObjectName, dict[str, dict[ResId, None]]]


class _Link(NamedTuple):
    """An object that names a needed one, and the overlay that has it."""

    path: str
    resource: Resource


class IndirectNeeds:
    """The objects that machines need indirectly, such as the pull Secret of a ServiceAccount."""

    def __init__(self) -> None:
        self._links: dict[ObjectName, list[_Link]] = {}
        self._objects: tuple[dict[tuple[str, ResId], Resource], ...] = ({}, {})
        self._there: dict[ObjectName, list[str]] = {}
        self._makers: dict[str, Makers] = {}
        #: The machines by what they use: an account, a claim, a claim of a device, a class of storage.
        self._users: _Users = {}
        self._claims: dict[ObjectName, list[ObjectName]] = {}
        self._everything = ObjectName(KUBEVIRT, "", "")

    def add(self, path: str, before: Iterable[Resource], after: Sequence[Resource]) -> None:
        """Add the objects of an overlay."""
        for side, objects in zip((before, after), self._objects, strict=True):
            objects.update({(path, each.current_id): each for each in side if each.kind == SERVICE_ACCOUNT})
        self._makers[path] = Makers(after)
        for each in after:
            for made in (each.current_id, *made_secrets(each), *made_networks(each)):
                self._there.setdefault(ObjectName.of(made), []).append(path)
            for name in needed_by(each):
                self._links.setdefault(name, []).append(_Link(path, each))
            for holder, claim in _claims_of(each):
                self._claims.setdefault(holder, []).append(claim)
            machine = VirtualMachineView.of(each)
            for name in (*_used_by(machine), self._everything) if machine and not machine.is_halted else ():
                self._users.setdefault(name, {}).setdefault(path, {})[each.current_id] = None

    def judged(self, change: ResourceChange, path: str, share: _Share) -> ResourceChange:
        """Return the change of an overlay, with the machines that need what it removes.

        ``share`` says if two overlays are of one cluster.
        """
        stays = change.impact is not None and change.impact.effect in (Effect.NONE, Effect.REFUSED)
        if change.id.gvk.kind == SERVICE_ACCOUNT and not stays:
            return change.worsened(self._of_account(change, path, share))
        gone = {ObjectName.of(each) for each in {*change.former_made} - {*change.made}}
        if change.before is not None and change.type in _LOSING:
            gone.add(ObjectName.of(change.before))
        return change if stays else change.worsened(self._of_removed(gone, path, share))

    def _of_removed(self, gone: Iterable[ObjectName], path: str, share: _Share) -> Iterator[Impact]:
        for name in sorted(gone):
            there, links = self._there.get(name, ()), self._links.get(name, ())
            spend(len(there) + len(links), _ACTIVITY)
            links = [each for each in links if share(path, each.path)]
            if (
                not links
                or any(share(path, other) for other in there)
                or self._may_be_made(name, path, share)
            ):
                continue
            for each in links:
                event = f"{each.resource.current_id} names {name.kind} {name.name}"
                if found := self._impact(each.resource, event, path, share):
                    yield found

    def _may_be_made(self, name: ObjectName, path: str, share: _Share) -> bool:
        """Return True if an operator may make an object of the name for another object."""
        spend(len(self._makers), _ACTIVITY)
        return any(each.may_make(name.name) for other, each in self._makers.items() if share(path, other))

    def _of_account(self, change: ResourceChange, path: str, share: _Share) -> Iterator[Impact]:
        """Yield the impact on machines whose ServiceAccount no longer names a Secret to pull images with.

        One that names another Secret in its place pulls images with that.
        """
        before, after = (side.get((path, change.id)) for side in self._objects)
        old, new = (set(needed_by(each)) if each else set[ObjectName]() for each in (before, after))
        if before is None or new - old:
            return
        for name in sorted(old - new):
            if found := self._impact(before, f"it no longer names Secret {name.name}", path, share):
                yield found

    def _impact(self, link: Resource, event: str, path: str, share: _Share) -> Impact | None:
        own = self._everything if link.kind == KUBEVIRT else ObjectName.of(link.current_id)
        names = [own, *self._claims.get(own, ())]
        users: dict[ResId, None] = {}
        for name in names:
            for other, ids in self._users.get(name, {}).items():
                users |= ids if share(path, other) else {}
        spend(len(users), _ACTIVITY)
        if not users:
            return None
        failure, source = _FAILURES[link.kind]
        machines = listed([f"{each.gvk.kind} {each.name}" for each in users], _MOST_NAMES)
        return Impact(Effect.NO_START, f"{event}: {machines} {failure}", source)


def needed_by(resource: Resource) -> Iterator[ObjectName]:
    """Yield the objects that an object names, and without which machines that use it do not start."""
    content, namespace = resource.content, resource.namespace
    spec = object_at(content, "spec")
    if resource.kind == SERVICE_ACCOUNT:
        secrets = map(object_at, array_at(content, "imagePullSecrets"))
        yield from (
            ObjectName(SECRET, namespace, name) for each in secrets if (name := text_at(each, "name"))
        )
    elif resource.kind == _VOLUME:
        claimed = text_at(spec, "claimRef", "namespace")
        for key, each in _mappings_by_key(spec):
            if key.lower().endswith("secretref") and _is_for_mounts(key) and text_at(each, "name"):
                yield ObjectName(SECRET, text_at(each, "namespace") or claimed, text_at(each, "name"))
    elif resource.kind == STORAGE_CLASS:
        parameters = object_at(content, "parameters")
        for key in parameters:
            if (match := _SECRET_PARAMETER.fullmatch(key)) and _is_for_mounts(key):
                spaces = (f"{match['role']}-secret-namespace", f"{match['role']}SecretNamespace")
                where = next(filter(None, (text_at(parameters, each) for each in spaces)), "")
                yield ObjectName(SECRET, where, text_at(parameters, key))
    elif resource.kind in (DEVICE_CLAIM, DEVICE_CLAIM_TEMPLATE):
        classes = {text_at(each, "deviceClassName") for each in mappings_in(spec)}
        yield from (ObjectName(_DEVICE_CLASS, "", name) for name in sorted(classes - {""}))
    elif resource.kind == KUBEVIRT:
        network = text_at(spec, "configuration", "migrations", "network")
        runtime = text_at(spec, "configuration", "defaultRuntimeClass")
        yield from [ObjectName(NETWORK, namespace, network)] if network else ()
        yield from [ObjectName(_RUNTIME_CLASS, "", runtime)] if runtime else ()


def _is_for_mounts(key: str) -> bool:
    return not any(each in key.lower() for each in _NOT_FOR_MOUNTS)


def _mappings_by_key(value: Json) -> Iterator[tuple[str, JsonObject]]:
    for each in mappings_in(value):
        yield from ((key, object_at(child)) for key, child in each.items() if isinstance(child, dict))


def _claims_of(resource: Resource) -> Iterator[tuple[ObjectName, ObjectName]]:
    """Yield the volume or class that holds a claim, and the claim, of what makes or binds claims."""
    machine = VirtualMachineView.of(resource)
    made = data_volume_templates(machine.spec) if machine else {}
    if resource.kind in (CLAIM, DATA_VOLUME):
        made = {resource.name: resource.content}
    if resource.kind == _VOLUME:
        reference = object_at(resource.content, "spec", "claimRef")
        claim = ObjectName(CLAIM, text_at(reference, "namespace"), text_at(reference, "name"))
        yield ObjectName.of(resource.current_id), claim
    for name, content in made.items():
        spec, claim = claim_spec(content), ObjectName(CLAIM, resource.namespace, name)
        yield ObjectName(STORAGE_CLASS, "", text_at(spec, "storageClassName")), claim
        yield ObjectName(_VOLUME, "", text_at(spec, "volumeName")), claim


def _used_by(machine: VirtualMachineView) -> Iterator[ObjectName]:
    namespace, instance = machine.namespace, machine.instance
    for target in targets_of(instance).values():
        if target.is_claim:
            yield ObjectName(CLAIM, namespace, target.name)
    for each in map(object_at, array_at(instance, "resourceClaims")):
        yield ObjectName(DEVICE_CLAIM, namespace, text_at(each, "resourceClaimName"))
        yield ObjectName(DEVICE_CLAIM_TEMPLATE, namespace, text_at(each, "resourceClaimTemplateName"))
    volumes = [volume for _, volume in machine.volumes]
    images = (object_at(each, key) for each in volumes for key in ("containerDisk", "image", "kernelBoot"))
    if any(each and not text_at(each, "imagePullSecret") for each in images):
        accounts = (text_at(each, "serviceAccount", "serviceAccountName") for each in volumes)
        yield ObjectName(SERVICE_ACCOUNT, namespace, next(filter(None, accounts), "default"))
