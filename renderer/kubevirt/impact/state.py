"""A change of one VirtualMachine, and the state of its instance while virt-controller reacts to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeAlias

from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.stored_values import as_stored, differences, with_part
from renderer.kubevirt.facts.virtual_machine import run_strategy_of
from renderer.model.difference import ORDER, Effect
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY, Json, JsonObject, array_at, object_at
from renderer.model.release import Release

#: Before this release each VM lists under ``liveUpdateFeatures`` the features to update while it runs; since
#: then the cluster's rollout strategy decides.
LIVE_UPDATE_FEATURES_UNTIL = Release(1, 2)
#: The first release that records the revision in the status, which leaves the matcher to Git.
SINCE_REVISION_IN_STATUS = Release(1, 5)


class VmState(NamedTuple):
    """A VirtualMachine before, during or after a change, in the form of Go's types, so that states compare.

    ``content`` is the object after the mutating webhook. ``applied`` is its ``spec.template.spec`` with
    instance type and preference. ``instance`` is the VirtualMachineInstance that is created from it
    (``metadata``, ``spec``).
    """

    content: JsonObject
    applied: JsonObject
    instance: JsonObject

    @property
    def spec(self) -> JsonObject:
        return object_at(self.content, "spec")

    @property
    def template(self) -> JsonObject:
        """``spec.template.spec`` without instance type and preference."""
        return object_at(self.content, "spec", "template", "spec")

    @property
    def run_strategy(self) -> str:
        return run_strategy_of(self.spec)


class VmChange(NamedTuple):
    """A VirtualMachine before and after a change.

    ``update_refusal`` says why the cluster rejects the change, ``start_refusal`` why no instance can be
    created after it; both are empty if there is no rejection. ``between`` are its states since it was started
    from ``before``, the oldest first.
    ``access_modes`` are the access modes of the claims and DataVolumes in the repository, by name.
    ``runs`` is True if there is an instance; None if only the run strategy can decide. ``waiting`` is the
    spec in the cluster if it was changed since the VM started: the change then goes from it to ``after``.
    ``started`` is the instance that another release of KubeVirt has started, if the change is from one.
    ``was_startable`` is False if the cluster before the change refuses an instance, too.
    """

    before: VmState
    after: VmState
    update_refusal: str = ""
    start_refusal: str = ""
    access_modes: Mapping[str, tuple[str, ...]] = EMPTY
    between: tuple[VmState, ...] = ()
    runs: bool | None = None
    waiting: VmState | None = None
    started: JsonObject = EMPTY
    was_startable: bool = True

    def as_if_admitted(self) -> VmChange:
        """Return the change of a machine that the cluster refused before as well, as if it admitted both."""
        start_refusal = self.start_refusal if self.was_startable else ""
        return self._replace(update_refusal="", start_refusal=start_refusal)


class Update(NamedTuple):
    """A change, in a cluster, of a VirtualMachine that was started from ``before``."""

    before: VmState
    after: VmState
    cluster: Cluster
    access_modes: Mapping[str, tuple[str, ...]] = EMPTY


class UpdateBlocker(NamedTuple):
    """The reason why KubeVirt does not update a running instance, and the fields concerned."""

    reason: str
    fields: tuple[FieldPath, ...] = ()
    source: str = ""


class InstancePatch(NamedTuple):
    """Fields of the instance that were patched, and the effect on the machine."""

    effect: Effect
    reason: str
    fields: tuple[FieldPath, ...]
    source: str = ""


def vm_state(
    content: JsonObject, applied: JsonObject | None = None, instance: JsonObject | None = None
) -> VmState:
    """Return the state of a VirtualMachine; missing arguments default to its template."""
    template = object_at(content, "spec", "template")
    return VmState(
        as_stored(content),
        as_stored(object_at(template if applied is None else applied, "spec")),
        as_stored(instance or template),
    )


class InstanceState(NamedTuple):
    """The instance (``metadata`` and ``spec``), and the result of the change so far.

    ``restart``: RestartRequired is set. ``stuck``: the controller fails and does not continue.
    """

    instance: JsonObject
    restart: UpdateBlocker | None = None
    stuck: UpdateBlocker | None = None
    patches: tuple[InstancePatch, ...] = ()

    @property
    def spec(self) -> JsonObject:
        return object_at(self.instance, "spec")

    def at(self, *path: str) -> JsonObject:
        """Return an object in the instance's spec."""
        return object_at(self.instance, "spec", *path)

    def items(self, *path: str) -> tuple[JsonObject, ...]:
        """Return a list of objects in the instance's spec."""
        return tuple(object_at(each) for each in array_at(self.instance, "spec", *path))

    def with_patch(self, parts: Mapping[tuple[str, ...], Json], effect: Effect, reason: str) -> InstanceState:
        """Return the state with ``parts`` of the spec replaced."""
        whole = {("spec", *path): part for path, part in parts.items()}
        return self.with_object_patch(whole, effect, reason)

    def with_object_patch(
        self, parts: Mapping[tuple[str, ...], Json], effect: Effect, reason: str
    ) -> InstanceState:
        """Return the state with ``parts`` of the whole object replaced."""
        instance = self.instance
        for path, part in parts.items():
            instance = with_part(instance, path, part)
        changed = tuple(differences(self.instance, instance))
        if not changed:
            return self
        return self._replace(
            instance=instance, patches=(*self.patches, InstancePatch(effect, reason, changed))
        )

    def with_restart(self, reason: str, *fields: FieldPath) -> InstanceState:
        """Return the state with RestartRequired; the first reason is kept."""
        return self if self.restart else self._replace(restart=UpdateBlocker(reason, fields))

    def with_failure(self, reason: str, *fields: FieldPath) -> InstanceState:
        """Return the state in which the controller has failed."""
        return self._replace(stuck=UpdateBlocker(reason, fields))


#: One step of virt-controller's ``sync``.
Step: TypeAlias = Callable[[Update, InstanceState], InstanceState]


def spec_field(*path: str) -> FieldPath:
    """Return the path of a field of the instance's spec."""
    return FieldPath(("spec", *path))


def spec_fields(before: JsonObject, after: JsonObject) -> tuple[FieldPath, ...]:
    """Return the fields in which two specs of an instance differ."""
    return tuple(differences(before, after, FieldPath(("spec",))))


class FieldIndex:
    """A set of fields of an instance that can be searched for a field."""

    def __init__(self, fields: Iterable[FieldPath]) -> None:
        self._fields = {_plain(field) for field in fields}
        self._around = {field[:end] for field in self._fields for end in range(1, len(field))}

    def __contains__(self, field: FieldPath) -> bool:
        """Return True if a field is one of them, or is inside or around one of them."""
        path = _plain(field)
        return path in self._around or any(path[:end] in self._fields for end in range(1, len(path) + 1))


def _plain(field: FieldPath) -> tuple[object, ...]:
    *parents, last = field.segments or ("",)
    return (*parents, last.removesuffix(ORDER) if isinstance(last, str) else last)
