"""The operator's mutating webhook: what it adds to a new HyperConverged object (``pkg/webhooks/mutator``).

Upstream's webhook answers with a JSON patch. If its path leads through a mapping that the object does not
have, the API server cannot apply it, and refuses the object.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias, cast

from renderer.golang.json_patch import OperationError, apply_operation
from renderer.kubevirt.facts.boot_images import IMMEDIATE_BINDING
from renderer.kubevirt.hyperconverged.feature_gates import (
    DISABLE_MDEV,
    MULTI_ARCH_IMPORT,
    PERSISTENT_RESERVATION,
    explicit_state,
)
from renderer.kubevirt.hyperconverged.object_fields import HIGH_BURST, V1, Setting, version_of
from renderer.kubevirt.hyperconverged.release import OperatorFacts, OperatorRelease
from renderer.model.kube.field_path import FieldPath, format_pointer
from renderer.model.kube.json import EMPTY, Json, JsonObject, array_at, object_at
from renderer.model.kube.list_elements import value_at
from renderer.model.record import Record

LIVE_MIGRATE, NO_EVICTION = "LiveMigrate", "None"
_KSM_SINCE = OperatorRelease(1, 17)
_RETENTION_SINCE = OperatorRelease(1, 18)
_GATES_BECAME_FIELDS_SINCE = OperatorRelease(1, 19)
_SPEC = FieldPath.of("spec")
_MDEV = _SPEC.child("virtualization", "mediatedDevicesConfiguration")
_STORAGE = _SPEC.child("storage")
_RESERVATION = _STORAGE.child("persistentReservationConfiguration")


class MovedGate(Record):
    """A gate of v1 that became a field: ``negated`` if the field says the opposite."""

    name: str
    field: FieldPath
    negated: bool


MOVED_TO_FIELDS = (
    MovedGate(DISABLE_MDEV, _MDEV.child("enabled"), negated=True),
    MovedGate(PERSISTENT_RESERVATION, _RESERVATION.child("enabled"), negated=False),
    MovedGate(MULTI_ARCH_IMPORT, _SPEC.child("workloadSources", MULTI_ARCH_IMPORT), negated=False),
)


class Addition(Record):
    """A value that the webhook sets; None removes the field."""

    at: FieldPath
    value: Json

    @property
    def operation(self) -> JsonObject:
        """The operation of the webhook's JSON patch."""
        name = "remove" if self.value is None else "add"
        return {"op": name, "path": format_pointer(map(str, self.at.segments)), "value": self.value}


class Mutation(Record):
    """The answer of the webhook: the changed object, or the reason why there is none.

    ``contradicted`` is the gate that says the opposite of its field, ``unapplied`` the place of a patch that
    does not apply. ``deprecated`` are the gates that the webhook warns about.
    """

    content: JsonObject
    deprecated: tuple[str, ...] = ()
    contradicted: MovedGate | None = None
    unapplied: FieldPath | None = None


_Additions: TypeAlias = Iterator[Addition]


def mutate(content: JsonObject, release: OperatorRelease, facts: OperatorFacts) -> Mutation:
    """Return what the webhook makes of a new, defaulted object.

    The operator knows already whether its infrastructure is highly available, so that ``evictionStrategy``
    has its default. Before, it adds none.
    """
    gates = tuple(_listed_moved_gates(content, release))
    for gate, wanted in gates:
        written = value_at(content, gate.field.segments)
        if isinstance(written, bool) and written is not wanted:
            return Mutation(content, contradicted=gate)
    deprecated = tuple(gate.name for gate, _ in gates)
    changed = content
    for addition in _additions(content, release, facts):
        try:
            changed = object_at(apply_operation(changed, addition.operation))
        except OperationError:
            return Mutation(content, deprecated, unapplied=addition.at)
    return Mutation(changed, deprecated)


def _additions(content: JsonObject, release: OperatorRelease, facts: OperatorFacts) -> _Additions:
    yield from _for_import_templates(content, Setting.DATA_IMPORT_CRON_TEMPLATES.place_in(content), release)
    eviction_strategy = Setting.EVICTION_STRATEGY.place_in(content)
    if value_at(content, eviction_strategy.segments) is None:
        strategy = LIVE_MIGRATE if facts.infrastructure_highly_available else NO_EVICTION
        yield Addition(eviction_strategy, strategy)
    if version_of(content) == V1:
        tuning_policy = Setting.TUNING_POLICY.place_in(content)
        if value_at(content, tuning_policy.segments) == HIGH_BURST:
            yield Addition(tuning_policy, None)
    else:
        yield from _for_mediated_devices(content, Setting.MEDIATED_DEVICES.place_in(content))
    ksm = Setting.KSM.place_in(content)
    if release >= _KSM_SINCE and value_at(content, ksm.segments) is None:
        yield Addition(ksm, EMPTY)
    for gate, wanted in _listed_moved_gates(content, release):
        if not isinstance(value_at(content, gate.field.segments), bool):
            yield _field_of_gate(content, gate, wanted)


def _for_import_templates(content: JsonObject, at: FieldPath, release: OperatorRelease) -> _Additions:
    for index, template in enumerate(array_at(value_at(content, at.segments))):
        annotations = at.child(index, "metadata", "annotations")
        written = value_at(content, annotations.segments)
        if not isinstance(written, dict):
            yield Addition(annotations, {IMMEDIATE_BINDING: "true"})
        elif IMMEDIATE_BINDING not in written:
            yield Addition(annotations.child(IMMEDIATE_BINDING), "true")
        spec = object_at(template).get("spec")
        if release < _RETENTION_SINCE or not isinstance(spec, dict):
            continue
        if spec.get("retentionPolicy") is None:
            yield Addition(at.child(index, "spec", "retentionPolicy"), "None")
        if spec.get("importsToKeep") is None:
            yield Addition(at.child(index, "spec", "importsToKeep"), 1)


def _for_mediated_devices(content: JsonObject, at: FieldPath) -> _Additions:
    """Yield the types under their new name, where only the deprecated ``mediatedDevicesTypes`` has any."""
    configuration = object_at(value_at(content, at.segments))
    nodes = enumerate(array_at(configuration, "nodeMediatedDeviceTypes"))
    of_nodes = [(at.child("nodeMediatedDeviceTypes", index), object_at(each)) for index, each in nodes]
    for place, section in [(at, configuration), *of_nodes]:
        types = array_at(section, "mediatedDevicesTypes")
        if types and not array_at(section, "mediatedDeviceTypes"):
            yield Addition(place.child("mediatedDeviceTypes"), types)


def _listed_moved_gates(content: JsonObject, release: OperatorRelease) -> Iterator[tuple[MovedGate, bool]]:
    """Yield the gates in the list of v1 that became fields, and what each says about its field."""
    if release < _GATES_BECAME_FIELDS_SINCE or version_of(content) != V1:
        return
    listed = object_at(content, "spec").get("featureGates")
    for gate in MOVED_TO_FIELDS:
        state = explicit_state(listed, gate.name, release)
        if state is not None:
            yield gate, state is not gate.negated


def _field_of_gate(content: JsonObject, gate: MovedGate, wanted: bool) -> Addition:  # noqa: FBT001 - a field's value
    """Return the addition of a field; upstream makes the mappings around all but the one of boot images."""
    at, value = gate.field, cast("Json", wanted)
    while gate.name != MULTI_ARCH_IMPORT and at.parent != _SPEC.child("virtualization"):
        if isinstance(value_at(content, at.parent.segments), dict):
            break
        at, value = at.parent, {str(at.segments[-1]): value}
    return Addition(at, value)
