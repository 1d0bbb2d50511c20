"""Conversion of HyperConverged objects between their API versions (``api/v1beta1/conversion.go``).

The operator stores v1beta1 up to 1.18, and v1 from 1.19 on. What v1 has and v1beta1 has not is kept in an
annotation of the v1beta1 object from 1.19 on. Go reads and writes the object, and the API server fills in the
defaults of the other version.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from renderer.golang.json_text import read_json
from renderer.kubevirt.facts.kinds import HYPERCONVERGED_GROUP
from renderer.kubevirt.hyperconverged.feature_gates import (
    DISABLED,
    ENABLED,
    MOVED_GATES,
    Phase,
    explicit_state,
    gate_names,
    is_enabled,
    phase_of,
)
from renderer.kubevirt.hyperconverged.go_decoding import GO_TYPES
from renderer.kubevirt.hyperconverged.mutating_webhook import MOVED_TO_FIELDS
from renderer.kubevirt.hyperconverged.object_fields import V1, V1BETA1, Setting, version_of
from renderer.kubevirt.hyperconverged.release import OperatorRelease, operator_types
from renderer.kubevirt.hyperconverged.structural_schema import structural_schema
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY, Json, JsonObject, array_at, object_at, with_value, without
from renderer.model.kube.list_elements import value_at

#: An annotation of v1beta1 with what only v1 has.
V1_ONLY_ANNOTATION = f"{HYPERCONVERGED_GROUP}/v1-only-fields"
_SINCE_1_19 = OperatorRelease(1, 19)
_SPEC = FieldPath.of("spec")
_GATES = _SPEC.child("featureGates")
_OBSERVABILITY = _SPEC.child("observability")
_RESOURCES_INJECTOR = _SPEC.child("deployment", "deployNetworkResourcesInjector")
#: The names in the annotation, in the order of Go's struct, and the fields of v1.
_V1_ONLY: Mapping[str, FieldPath] = {
    "deployNetworkResourcesInjector": _RESOURCES_INJECTOR,
    **dict(
        zip(
            ("mdevConfigEnable", "persistentReservationEnabled", "multiArchEnabled"),
            (gate.field for gate in MOVED_TO_FIELDS),
            strict=True,
        )
    ),
    "featureGates": _GATES,
    "observability": _OBSERVABILITY,
}
#: Gates of v1 that v1beta1 does not have.
_ONLY_IN_V1 = frozenset(("template", "deployObservabilityController"))
_STORAGE = (
    Setting.VM_STATE_STORAGE_CLASS,
    Setting.SCRATCH_SPACE_STORAGE_CLASS,
    Setting.FILESYSTEM_OVERHEAD,
    Setting.STORAGE_RESOURCES,
)


def as_stored(content: JsonObject, release: OperatorRelease) -> JsonObject:
    """Return an admitted object in the API version that a release stores."""
    return converted(content, V1 if release.stores_v1 else V1BETA1, release)


def converted(content: JsonObject, version: str, release: OperatorRelease) -> JsonObject:
    """Return an admitted object in another API version that the release serves, with its defaults.

    Raises ``GoTypeError`` for an object that Go cannot read, ``ValueError`` for a version that is not served
    and for an annotation of v1beta1 that is not JSON.
    """
    source = version_of(content)
    schema = structural_schema(release, version)
    if schema is None or source not in GO_TYPES:
        raise ValueError(f"{release} does not serve {source} as {version}")
    if source == version:
        return content
    types = operator_types(release)
    read = {**content, "spec": types.decode(GO_TYPES[source], content.get("spec", EMPTY))}
    moved = _to_v1(read, release) if version == V1 else _to_v1beta1(read, release)
    spec = types.rewritten(GO_TYPES[version], moved["spec"])
    return schema.defaulted({**moved, "apiVersion": f"{HYPERCONVERGED_GROUP}/{version}", "spec": spec})


def _to_v1(content: JsonObject, release: OperatorRelease) -> JsonObject:
    made = _with_v1_only_fields(content)
    for setting in _settings_to_v1(content):
        place = setting.place(V1)
        value, old = value_at(content, setting.place(V1BETA1).segments), value_at(made, place.segments)
        if isinstance(value, dict) and isinstance(old, dict):
            value = {**old, **value}
        made = with_value(made, place.keys, value)
    gates = object_at(content, "spec", "featureGates")
    listed = array_at(made, *_GATES.keys)
    listed = [*_listed(listed, gates, release)]
    for moved in MOVED_TO_FIELDS if release >= _SINCE_1_19 else ():
        state = gates.get(moved.name)
        if not isinstance(state, bool):
            continue
        made = with_value(made, moved.field.keys, state is not moved.negated)
        if explicit_state(listed, moved.name, release) not in (None, state):
            listed = _with_state(listed, moved.name, release, on=state)
    return with_value(made, _GATES.keys, listed)


def _settings_to_v1(content: JsonObject) -> Iterator[Setting]:
    """Yield the settings of v1beta1 that become fields of v1."""
    has_storage = any(value_at(content, each.place(V1BETA1).segments) is not None for each in _STORAGE)
    for setting in Setting:
        if not setting or not setting.v1:
            continue
        value = value_at(content, setting.place(V1BETA1).segments)
        if value is None or (setting is Setting.TUNING_POLICY and value != "annotation"):
            continue
        is_empty = not array_at(value, "insecureRegistries")
        if setting is Setting.STORAGE_IMPORT and is_empty and not has_storage:
            continue
        yield setting


def _with_v1_only_fields(content: JsonObject) -> JsonObject:
    """Return an object of v1 with the fields that an annotation of v1beta1 keeps, and without that."""
    annotations = object_at(content, "metadata", "annotations")
    kept = annotations.get(V1_ONLY_ANNOTATION)
    made: JsonObject = {**content, "spec": {}}
    if not isinstance(kept, str) or not kept:
        return made
    fields = object_at(read_json(kept))
    for name, field in _V1_ONLY.items():
        if fields.get(name) is not None:
            made = with_value(made, field.keys, fields[name])
    return without(made, "metadata", "annotations", V1_ONLY_ANNOTATION)


def _listed(listed: Json, gates: JsonObject, release: OperatorRelease) -> Iterator[Json]:
    """Yield the list of v1 after the gates of v1beta1: a gate with its default state is not listed."""
    entries = [*array_at(listed)]
    for name in gate_names(release):
        is_moved = name in MOVED_GATES and release >= _SINCE_1_19
        if name in _ONLY_IN_V1 or is_moved:
            continue
        default = phase_of(name, release) is Phase.BETA
        said, state = gates.get(name), explicit_state(entries, name, release)
        if said is None:
            entries = [each for each in entries if explicit_state([each], name, release) is None]
        elif said is not (default if state is None else state):
            entries = _with_state(entries, name, release, on=said is True)
    yield from entries


def _with_state(listed: list[Json], name: str, release: OperatorRelease, *, on: bool) -> list[Json]:
    state = ENABLED if on else DISABLED
    if explicit_state(listed, name, release) is None:
        return [*listed, {"name": name, "state": state}]
    return [
        each if explicit_state([each], name, release) is None else {**object_at(each), "state": state}
        for each in listed
    ]


def _to_v1beta1(content: JsonObject, release: OperatorRelease) -> JsonObject:
    made: JsonObject = {**content, "spec": {}}
    for setting in Setting:
        value = value_at(content, setting.place(V1).segments) if setting and setting.v1 else None
        is_empty_list = setting is Setting.OBSOLETE_CPU_MODELS and not value
        if value is not None and not is_empty_list:
            made = with_value(made, setting.place(V1BETA1).keys, value)
    listed = object_at(content, "spec").get("featureGates")
    gates: dict[str, Json] = {
        name: is_enabled(listed, name, release)
        for name in gate_names(release)
        if name not in _ONLY_IN_V1 and not (name in MOVED_GATES and release >= _SINCE_1_19)
    }
    if release < _SINCE_1_19:
        return with_value(made, _GATES.keys, gates)
    for moved in MOVED_TO_FIELDS:
        value = value_at(content, moved.field.segments)
        if isinstance(value, bool):
            gates[moved.name] = value is not moved.negated
    return _with_annotation(with_value(made, _GATES.keys, gates), content)


def _with_annotation(made: JsonObject, content: JsonObject) -> JsonObject:
    """Return an object of v1beta1 with the annotation that keeps what only v1 has."""
    import json  # noqa: PLC0415 - for what few do

    kept = {name: value_at(content, field.segments) for name, field in _V1_ONLY.items()}
    written = {name: value for name, value in kept.items() if value is not None and value != []}
    if not written:
        return made
    text = json.dumps(written, separators=(",", ":"), ensure_ascii=False)
    return with_value(made, ("metadata", "annotations", V1_ONLY_ANNOTATION), text)
