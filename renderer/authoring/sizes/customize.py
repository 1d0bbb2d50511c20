"""Copy an instance type or preference with other values, as in KubeVirt's customisation proposal.

By default the copy of a cluster-wide object belongs to a namespace, and the labels and annotations of
``instancetype.kubevirt.io`` are left out, because they describe the original.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from renderer.authoring.sizes.definition import contradictions
from renderer.authoring.sizes.names import (
    DERIVED_LABELS,
    NAME_RULE,
    is_object_name,
    is_size_name,
    size_labels,
)
from renderer.authoring.sizes.switch_values import UINT32_MAX, SwitchError
from renderer.authoring.sizes.switches import SWITCHES, SWITCHES_FOR, Switch, SwitchTarget
from renderer.kubevirt.facts.kinds import (
    INSTANCETYPE,
    INSTANCETYPE_API_VERSION,
    INSTANCETYPE_PREFIX,
    PREFERENCE,
)
from renderer.kubevirt.facts.kubernetes_names import dns_label_errors, label_value_errors
from renderer.kubevirt.facts.server_fields import without_server_fields
from renderer.kubevirt.facts.size_labels import REQUIREMENT_LABELS
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.json import EMPTY, Json, JsonObject, object_at, with_value, without
from renderer.model.kube.list_elements import value_at
from renderer.model.kube.resource import Resource

_EFI = ("firmware", "preferredEfi")
_MAX_SOCKETS = ("cpu", "maxSockets")
#: The label with the release of the bundle that an object comes from; a copy does not come from one.
_BUNDLE_VERSION = f"{INSTANCETYPE_PREFIX}common-instancetypes-version"
_REQUIREMENT_LABELS = {
    **REQUIREMENT_LABELS,
    "required-architecture": ("requirements", "architecture"),
    "preferred-architecture": ("preferredArchitecture",),
    "arch": ("preferredArchitecture",),
}
_MATCHER_TYPES = {SwitchTarget.INSTANCETYPE: INSTANCETYPE, SwitchTarget.PREFERENCE: PREFERENCE}


@dataclass(frozen=True, slots=True)
class SpecChanges:
    """Switches by name: their ``values`` (empty for a switch without a value), or ``cleared`` by --no-."""

    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cleared: frozenset[str] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        return self.cleared | self.values.keys()

    @property
    def fields(self) -> frozenset[str]:
        """Return the fields that are written, by their names in diagnostics."""
        return frozenset(f"spec.{SWITCHES[name].path}" for name in self.values)

    def touch(self, section: str) -> bool:
        """Return True if a field of that section of the spec is written or removed."""
        return any(SWITCHES[name].path.startswith(f"{section}.") for name in self.names)


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """The copy to make."""

    name: str
    is_cluster_wide: bool = False
    namespace: str | None = None
    keep_labels: bool = False
    changes: SpecChanges = field(default_factory=SpecChanges)


def customized_content(source: Resource, copy: Copy) -> JsonObject:
    """Return the new instance type or preference. Raises ``SwitchError``."""
    target = target_of(source)
    _check_names(copy)
    _check_targets(source, target, copy.changes)
    _check_contradictions(copy.changes)
    spec = changed_spec(object_at(source.content, "spec"), copy.changes)
    _check_sizes(source, target, spec)
    metadata = customized_metadata(object_at(source.content, "metadata"), spec, target, copy)
    matcher_type = _MATCHER_TYPES[target]
    kind = matcher_type.cluster_kind if copy.is_cluster_wide else matcher_type.kind
    return {"apiVersion": INSTANCETYPE_API_VERSION, "kind": kind, "metadata": metadata, "spec": spec}


def problems(copied: JsonObject, target: SwitchTarget) -> tuple[Diagnostic, ...]:
    """Return the reasons why KubeVirt would reject every virtual machine that uses ``copied``."""
    return contradictions(object_at(copied, "spec")) if target is SwitchTarget.INSTANCETYPE else ()


def target_of(source: Resource) -> SwitchTarget:
    """Return the kind of object that switches change, from the kind of ``source``."""
    return SwitchTarget.PREFERENCE if source.kind in PREFERENCE.kinds else SwitchTarget.INSTANCETYPE


def _check_names(copy: Copy) -> None:
    if not is_object_name(copy.name):
        raise SwitchError(f"--name {copy.name!r} cannot be a name, which has {NAME_RULE}")
    namespace = copy.namespace
    if namespace is None:
        return
    if copy.is_cluster_wide:
        raise SwitchError("--namespace and --cluster contradict each other")
    if dns_label_errors(namespace):
        raise SwitchError(f"--namespace {namespace!r} cannot be the name of a namespace")


def _check_targets(source: Resource, target: SwitchTarget, changes: SpecChanges) -> None:
    for other, switches in SWITCHES_FOR.items():
        if other is target:
            continue
        for name in (switch.name for switch in switches if switch.name in changes.names):
            switch = name if name in changes.values else f"no-{name}"
            article = "an" if target is SwitchTarget.INSTANCETYPE else "a"
            raise SwitchError(f"--{switch} is for {other}s; {_quoted(source.name)} is {article} {target}")


def _check_contradictions(changes: SpecChanges) -> None:
    for name in changes.values:
        switch = SWITCHES[name]
        if name in changes.cleared and not switch.value.repeats:
            raise SwitchError(f"--{name} and --no-{name} contradict each other")
        for other in changes.values:
            if SWITCHES[other].path.startswith(switch.replaces):
                raise SwitchError(f"--{name} and --{other} contradict each other")


def _check_sizes(source: Resource, target: SwitchTarget, spec: JsonObject) -> None:
    """Reject a source that leaves its size to virtual machines: it cannot be copied with another size."""
    if target is not SwitchTarget.INSTANCETYPE:
        return
    for switch, section in (("vcpus", "cpu"), ("memory", "memory")):
        if object_at(spec, section).get("guest") is None:
            raise SwitchError(
                f"--{switch} is needed: {_quoted(source.name)} leaves it to the virtual machine"
            )


def changed_spec(spec: JsonObject, changes: SpecChanges) -> JsonObject:
    """Return ``spec`` with the cleared fields removed, then with the given values written.

    Raises ``SwitchError``.
    """
    changed = _modern_firmware(spec) if changes.touch("firmware") else spec
    for name in sorted(changes.cleared):
        switch = SWITCHES[name]
        path = switch.path.split(".")
        has_scope = not switch.off_within or value_at(changed, switch.off_within.split(".")) is not None
        if switch.off is not None and has_scope:
            changed = with_value(changed, path, switch.off)
        else:
            changed = _without(changed, path)
    for switch in SWITCHES.values():
        if switch.name in changes.values:
            changed = _with_switch(changed, switch, changes.values[switch.name])
    if "vcpus" in changes.values and "max-sockets" not in changes.names:
        changed = _with_scaled_sockets(changed, spec)
    return changed


def _with_switch(spec: JsonObject, switch: Switch, texts: tuple[str, ...]) -> JsonObject:
    path = switch.path.split(".")
    try:
        value = switch.value.read(texts, value_at(spec, path))
    except SwitchError as error:
        raise SwitchError(f"--{switch.name} {error}") from None
    for other in switch.replaces:
        spec = _without(spec, other.split("."))
    for other in switch.also_creates:
        spec = with_value(spec, other.split("."), object_at(spec, *other.split(".")))
    return with_value(spec, path, value)


def _without(spec: JsonObject, path: list[str]) -> JsonObject:
    """Return the spec without the field, and without mappings that become empty."""
    changed = without(spec, *path)
    parent = path[:-1]
    if changed is spec or not parent or object_at(changed, *parent):
        return changed
    return _without(changed, parent)


def _with_scaled_sockets(spec: JsonObject, before: JsonObject) -> JsonObject:
    """Scale maxSockets with the vCPUs: in cx1 both are equal, so that no vCPU can be hot-plugged."""
    sockets, vcpus = value_at(before, _MAX_SOCKETS), object_at(before, "cpu").get("guest")
    now = object_at(spec, "cpu").get("guest")
    if not isinstance(sockets, int) or not isinstance(vcpus, int) or not isinstance(now, int):
        return spec
    if not vcpus or sockets % vcpus or sockets // vcpus * now > UINT32_MAX:
        return spec
    return with_value(spec, _MAX_SOCKETS, sockets // vcpus * now)


def _modern_firmware(spec: JsonObject) -> JsonObject:
    """Write ``preferredEfi`` instead of the deprecated fields, which are ignored next to it.

    KubeVirt ``pkg/instancetype/preference/apply/firmware.go``.
    """
    firmware = object_at(spec, "firmware")
    uses_efi, secure = firmware.get("preferredUseEfi"), firmware.get("preferredUseSecureBoot")
    if uses_efi is not True or firmware.get("preferredUseBios") is True:
        return spec
    efi: JsonObject = EMPTY if secure is None else {"secureBoot": secure}
    older = without(without(firmware, "preferredUseEfi"), "preferredUseSecureBoot")
    return {**spec, "firmware": {"preferredEfi": efi, **older}}


def customized_metadata(source: JsonObject, spec: JsonObject, target: SwitchTarget, copy: Copy) -> JsonObject:
    """Return the metadata of the copy with ``spec``, without the fields that a cluster wrote into the source.

    Labels and annotations of ``instancetype.kubevirt.io`` are removed or, if they are kept, adapted.
    """
    written, _ = without_server_fields({"metadata": source})
    labels, annotations = (
        object_at(written, "metadata", "labels"),
        object_at(written, "metadata", "annotations"),
    )
    if copy.keep_labels:
        labels = _adapted_labels(labels, spec, target, copy.name)
    else:
        labels, annotations = (
            {key: value for key, value in pairs.items() if not key.startswith(INSTANCETYPE_PREFIX)}
            for pairs in (labels, annotations)
        )
    metadata: dict[str, Json] = {
        "name": copy.name,
        "namespace": copy.namespace,
        "labels": labels,
        "annotations": annotations,
    }
    return {key: value for key, value in metadata.items() if value}


def _adapted_labels(labels: JsonObject, spec: JsonObject, target: SwitchTarget, name: str) -> JsonObject:
    """Return the labels; labels about the spec are derived again if the source has any of them."""
    if target is SwitchTarget.INSTANCETYPE:
        derived_keys, derived = DERIVED_LABELS, _derived_size(spec, name)
    else:
        derived_keys = frozenset(INSTANCETYPE_PREFIX + key for key in _REQUIREMENT_LABELS)
        derived = _derived_requirements(spec)
    others = {k: v for k, v in labels.items() if k not in derived_keys and k != _BUNDLE_VERSION}
    return {**others, **derived} if derived_keys & labels.keys() else others


def _derived_size(spec: JsonObject, name: str) -> Mapping[str, str]:
    """Return the size labels; the size follows the series in a name: mysize in u1.mysize."""
    derived = size_labels(spec, name.partition(".")[2] or name)
    return {
        key: value
        for key, value in derived.items()
        if key != f"{INSTANCETYPE_PREFIX}size" or is_size_name(value)
    }


def _derived_requirements(spec: JsonObject) -> Mapping[str, str]:
    values = {key: value_at(spec, path) for key, path in _REQUIREMENT_LABELS.items()}
    texts = {key: str(value) for key, value in values.items() if value is not None}
    return {
        f"{INSTANCETYPE_PREFIX}{key}": text
        for key, text in texts.items()
        if text and not label_value_errors(text)
    }


def _quoted(name: str) -> str:
    """Return a name from a file for a message; terminal control characters are escaped."""
    return name if is_object_name(name) else repr(name)
