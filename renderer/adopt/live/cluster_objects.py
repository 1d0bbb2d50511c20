"""The objects of one cluster, by their identity, and the running virtual machines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain

from renderer.adopt.live.deletions import Deletions
from renderer.kubevirt.facts.confidential.secret_values import secret_values
from renderer.kubevirt.facts.kinds import CONTROLLER_REVISION, KUBEVIRT, VMI, is_hyperconverged
from renderer.kubevirt.impact.storage_objects import StorageObjects
from renderer.kubevirt.instancetype.cluster_kubevirt import kubevirt_of
from renderer.model.kube.json import EMPTY, JsonObject, array_at, object_at, text_at, without
from renderer.model.kube.owners import controller_of
from renderer.model.kube.res_id import ObjectKey
from renderer.model.kube.resource import Resource
from renderer.model.release import Release

#: ``printableStatus`` of a VirtualMachine without an instance.
_WITHOUT_INSTANCE = frozenset(
    {
        "DataVolumeError",
        "ErrorPvcNotFound",
        "Provisioning",
        "Stopped",
        "WaitingForVolumeBinding",
    }
)
_OVER = ("Failed", "Succeeded")
#: They name fields, and have no values.
_MANAGED_FIELDS = ("metadata", "managedFields")


class ClusterObjects:
    """The objects of a dump. Of two with the same identity, the first counts.

    ``other_secrets`` are Secrets that are not compared; what is compared may repeat their values.
    """

    def __init__(self, resources: Iterable[Resource], other_secrets: Iterable[JsonObject] = ()) -> None:
        self.resources = tuple(resources)
        self._other_secrets = tuple(other_secrets)
        self._found: dict[ObjectKey, Resource] = {}
        self._named: dict[ObjectKey, list[Resource]] = {}
        for each in self.resources:
            if self._found.setdefault(each.object_key, each) is each:
                group, kind, _, name = each.object_key
                self._named.setdefault((group, kind, "", name), []).append(each)

    def find(self, written: Resource, namespace: str = "") -> Resource | None:
        """Return the object of the cluster that corresponds to an object of Git.

        An object without a namespace in Git is in ``namespace``, which its engine gives it. If that is not
        known, it is found by its name, unless several namespaces have one of that name.
        """
        found = self._found.get(written.object_key)
        if found is not None or written.namespace:
            return found
        named = self.named(written)
        if namespace:
            return next((each for each in named if each.namespace == namespace), None)
        return named[0] if len(named) == 1 else None

    def named(self, written: Resource) -> Sequence[Resource]:
        """Return the objects that an object without a namespace in Git may be, of all namespaces."""
        return self._named.get(written.object_key, ())

    @cached_property
    def revisions(self) -> Mapping[tuple[str, str], Resource]:
        """The ControllerRevisions, by namespace and name."""
        return {
            (each.namespace, each.name): each for each in self.resources if each.kind == CONTROLLER_REVISION
        }

    @cached_property
    def namespaces_with_revisions(self) -> frozenset[str]:
        """The namespaces whose ControllerRevisions are in the dump."""
        return frozenset(namespace for namespace, _ in self.revisions)

    @cached_property
    def applied_revisions(self) -> frozenset[tuple[str, str]]:
        """Namespace and name of the ControllerRevisions that no controller made, such as pins."""
        return frozenset(key for key, each in self.revisions.items() if controller_of(each.content) is None)

    @cached_property
    def secret_values(self) -> frozenset[str]:
        """The values of the Secrets among and in the objects, and of the others of the dump.

        Instances, and the revisions that virt-controller makes, are copies of machines; nothing shows them.
        """
        originals = (each for each in self.resources if each.kind not in (VMI, CONTROLLER_REVISION))
        contents = (without(each.content, *_MANAGED_FIELDS) for each in originals)
        return secret_values(chain(contents, self._other_secrets))

    @cached_property
    def storage(self) -> StorageObjects:
        """The DataVolumes, claims and storage classes."""
        return StorageObjects(self.resources)

    @cached_property
    def deletions(self) -> Deletions:
        """The objects that the cluster is deleting."""
        return Deletions(self.resources)

    @cached_property
    def kubevirt(self) -> JsonObject:
        """Return the cluster's KubeVirt object; empty if the dump has none."""
        found = (each.content for each in self.resources if each.kind == KUBEVIRT)
        return next((each for each in found if text_at(each, "apiVersion").startswith("kubevirt.io/")), EMPTY)

    def configuration(self, release: Release) -> JsonObject:
        """Return the KubeVirt object, or the one that is made of the HyperConverged object, or none."""
        made = (kubevirt_of(each, release).content for each in self._hyperconverged)
        return self.kubevirt or next(made, EMPTY)

    @cached_property
    def _hyperconverged(self) -> tuple[Resource, ...]:
        return tuple(filter(is_hyperconverged, self.resources))

    def runs(self, vm: Resource) -> bool | None:
        """Return True if a VirtualMachine has an instance; None if the dump does not say."""
        if (vm.namespace, vm.name) in self._instances:
            return self.instance(vm) is not None
        return runs_by_status(object_at(vm.content, "status"))

    def instance(self, vm: Resource) -> Resource | None:
        """Return the instance of a running VirtualMachine; None if the dump has none."""
        found = self._instances.get((vm.namespace, vm.name))
        return None if found is None or text_at(found.content, "status", "phase") in _OVER else found

    def waits_for_restart(self, vm: Resource) -> bool:
        """Return True if KubeVirt reports that a VirtualMachine runs with another spec than its own."""
        conditions = map(object_at, array_at(vm.content, "status", "conditions"))
        return self.runs(vm) is not False and any(
            (each.get("type"), each.get("status")) == ("RestartRequired", "True") for each in conditions
        )

    @cached_property
    def _instances(self) -> Mapping[tuple[str, str], Resource]:
        return {(each.namespace, each.name): each for each in self.resources if each.kind == VMI}


def runs_by_status(status: JsonObject) -> bool | None:
    """Return True if the status of a VirtualMachine says that it has an instance; None if it says nothing."""
    printable = text_at(status, "printableStatus")
    if printable:
        return printable not in _WITHOUT_INSTANCE
    return status.get("created") is True if status else None
