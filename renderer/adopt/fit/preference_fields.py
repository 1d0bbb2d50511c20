"""The fields that a preference sets in a VirtualMachine, found by applying it to an empty one.

A preference fills in the fields that a VirtualMachine leaves open. So it can have produced a VirtualMachine
only if all fields that it fills in are present; where such a field has another value, the VirtualMachine
itself had set it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, TypeAlias

from renderer.adopt.fit.template_parts import (
    fields_of,
    is_same_template,
    leaf_count,
    pruned,
    without_applied,
)
from renderer.kubevirt.instancetype.applied_specs import AppliedSpecs, ApplyError
from renderer.kubevirt.instancetype.behaviour import Behaviour, ExpandDefaults
from renderer.kubevirt.instancetype.preference.devices import (
    apply_devices,
    apply_disks,
    apply_inputs,
    apply_interfaces,
    apply_panic_devices,
)
from renderer.kubevirt.instancetype.preference.domain import (
    apply_cpu_features,
    apply_machine,
)
from renderer.kubevirt.instancetype.preference.vmi import PREFERENCE_APPLIERS, ApplyPart
from renderer.kubevirt.instancetype.vmi_object_defaults import default_vmi_object
from renderer.kubevirt.instancetype.vmi_template import devices_of, with_device_field
from renderer.model.kube.json import (
    EMPTY,
    Json,
    JsonObject,
    array_at,
    object_at,
    text_at,
    with_value,
    without,
)
from renderer.model.kube.list_elements import value_at
from renderer.model.record import Record

#: Lists of devices whose elements are filled in one by one.
_ELEMENTS = {apply_disks: "disks", apply_interfaces: "interfaces", apply_inputs: "inputs"}
_DISK_KINDS = ("disk", "cdrom", "lun")
#: Fields of an element that identify it, or that the schema of a VirtualMachine requires.
_KEPT_IN_ELEMENTS = frozenset({"name", *_DISK_KINDS})
_REQUIRED = {"inputs": "type"}
_OPENED = frozenset(
    {
        "metadata",
        "annotations",
        "spec",
        "domain",
        "devices",
        "sound",
        "video",
        "features",
        "hyperv",
        "firmware",
        "bootloader",
        "bios",
        "efi",
        "clock",
        "machine",
    }
)
#: Mappings in which a preference fills in each missing field, regardless of the other fields.
_ALWAYS_FILLED = frozenset(
    {"metadata", "annotations", "spec", "domain", "devices", "features", "hyperv", "firmware", "machine"}
)
#: Mappings to which several sections of a preference contribute.
_SHARED = frozenset({"metadata", "spec", "domain", "devices"})
#: An empty VirtualMachine; without ``cpu`` KubeVirt crashes on preferred CPU features.
_EMPTY_TEMPLATE: JsonObject = {"spec": {"domain": {"cpu": {}}}}
_CPU = ("spec", "domain", "cpu")
_FEATURES = (*_CPU, "features")
_ACPI = ("spec", "domain", "features", "acpi")
#: The identity of a VM; and the pod interface, which expand-spec adds before it applies the preference.
_KEPT = (("spec", "architecture"), ("spec", "domain", "devices", "autoattachPodInterface"))


class SectionReduction(Record):
    """The shortening of one section of a template: new values by their paths, None for removed fields.

    ``supplied`` is the number of fields that the preference sets again, ``overridden`` the number of fields
    to which the VirtualMachine gives another value.
    """

    changes: tuple[tuple[tuple[str, ...], Json], ...] = ()
    supplied: int = 0
    overridden: int = 0


#: The reductions of one template so far, by applier and the part of a preference that it applies.
ReductionMemo: TypeAlias = "dict[tuple[int, str], SectionReduction | None]"


class Reduction:
    """A template without the fields that a preference sets again."""

    def __init__(self, template: JsonObject, sections: Sequence[SectionReduction] = ()) -> None:
        self._template = template
        self._sections = sections
        self.supplied = sum(section.supplied for section in sections)
        self.overridden = sum(section.overridden for section in sections)

    @cached_property
    def template(self) -> JsonObject:
        """Return the shortened template."""
        remaining = self._template
        for section in self._sections:
            for path, value in section.changes:
                remaining = without(remaining, *path) if value is None else with_value(remaining, path, value)
        return pruned(remaining, self._template)


class _Section(NamedTuple):
    """A part of a preference, the applier that applies it, and its result for an empty VM."""

    apply: ApplyPart
    key: tuple[int, str]
    applied: JsonObject
    paths: tuple[tuple[str, ...], ...]


class PreferenceFields:
    """The fields that the ``spec`` of a preference sets."""

    def __init__(self, spec: JsonObject, behaviour: Behaviour) -> None:
        """Raises ``ApplyError`` for a preference that cannot be applied."""
        self.spec = spec
        self._specs = AppliedSpecs(EMPTY, spec, behaviour)
        self._defaults_object = behaviour.expand_defaults is ExpandDefaults.OBJECT
        sections: list[_Section] = []
        for index, applier in enumerate(PREFERENCE_APPLIERS):
            part = spec.get(applier.field)
            if part is not None:
                applied = applier.apply(self._specs, _EMPTY_TEMPLATE)
                paths = tuple(path for path in _paths(applier.apply, applied, _OPENED) if path not in _KEPT)
                key = index, json.dumps(part, sort_keys=True)
                sections.append(_Section(applier.apply, key, applied, paths))
        self._sections = tuple(sections)
        self._needed = tuple(
            path for section in sections for path in _paths(section.apply, section.applied, _ALWAYS_FILLED)
        )

    def reduced(self, template: JsonObject, memo: ReductionMemo) -> Reduction | None:
        """Return the template without the fields that the preference sets; None if it would change others."""
        if any(value_at(template, path) in (None, "") for path in self._needed):
            return None
        found = []
        for section in self._sections:
            if section.key not in memo:
                memo[section.key] = self._reduced_section(section, template)
            reduction = memo[section.key]
            if reduction is None:
                return None
            found.append(reduction)
        return Reduction(template, found)

    def _reduced_section(self, section: _Section, template: JsonObject) -> SectionReduction | None:
        for remaining in self._candidates(section.apply, section.applied, template):
            if self._reproduces(section.apply, remaining, template):
                overridden = sum(value_at(remaining, path) is not None for path in section.paths)
                changes = tuple(_changes(template, remaining))
                supplied = sum(
                    leaf_count(value_at(template, path)) - leaf_count(value) for path, value in changes
                )
                return SectionReduction(changes, supplied, overridden)
        return None

    def _reproduces(self, apply: ApplyPart, reduced: JsonObject, template: JsonObject) -> bool:
        try:
            applied = apply(self._specs, reduced)
        except ApplyError:
            return False
        if is_same_template(applied, template):
            return True
        # expand-spec of 1.3 enables the features that the preference leaves open.
        return self._defaults_object and is_same_template(self._defaulted(applied), self._defaulted(template))

    def _defaulted(self, template: JsonObject) -> JsonObject:
        spec = default_vmi_object(object_at(template, "spec"), "", self._specs.behaviour)
        return {**template, "spec": spec}

    def _candidates(
        self, apply: ApplyPart, applied: JsonObject, template: JsonObject
    ) -> Iterator[JsonObject]:
        """Yield templates that the applier may turn into ``template``, the shortest first."""
        if apply in _ELEMENTS:
            yield self._with_reduced_elements(apply, _ELEMENTS[apply], template)
        elif apply is apply_cpu_features:
            yield from _without_cpu_features(template, array_at(applied, *_FEATURES))
        elif apply is apply_panic_devices:
            created = devices_of(applied).get("panicDevices")
            if created is not None and created == devices_of(template).get("panicDevices"):
                yield without(template, "spec", "domain", "devices", "panicDevices")
        elif apply is not apply_machine and applied is not _EMPTY_TEMPLATE:
            if apply is apply_devices and devices_of(template).get("sound") is not None:
                applied = apply(self._specs, with_device_field(_EMPTY_TEMPLATE, "sound", {}))
            for kept in (_CPU, *_KEPT):
                applied = without(applied, *kept)
            yield without_applied(template, applied, _OPENED)
        yield template

    def _with_reduced_elements(self, apply: ApplyPart, name: str, template: JsonObject) -> JsonObject:
        elements = devices_of(template).get(name)
        if not isinstance(elements, list) or (apply(self._specs, template) is template and not elements):
            return template
        reduced = [self._reduced_element(apply, name, each, template) for each in elements]
        if all(new is old for new, old in zip(reduced, elements, strict=True)):
            return template
        return with_device_field(template, name, reduced)

    def _reduced_element(self, apply: ApplyPart, name: str, element: Json, template: JsonObject) -> Json:
        if not isinstance(element, dict):
            return element
        applied = self._applied_element(apply, name, element, template)
        if not applied:
            return element
        shortest = _without_applied_element(element, applied)
        choices = [shortest, *(_without_applied_element(element, {key: applied[key]}) for key in applied)]
        whole = with_device_field(template, name, [element])
        for choice in choices:
            if choice is not element and self._reproduces(
                apply, with_device_field(template, name, [choice]), whole
            ):
                return choice
        return element

    def _applied_element(
        self, apply: ApplyPart, name: str, element: JsonObject, template: JsonObject
    ) -> JsonObject:
        """Return the fields that the applier sets on an element which has only its name and its kind."""
        bare: JsonObject = {key: element[key] for key in ("name",) if key in element}
        kinds = [kind for kind in _DISK_KINDS if element.get(kind) is not None] if name == "disks" else []
        empty: JsonObject = {**bare, **{kind: {} for kind in kinds}}
        with_kinds: JsonObject = {**bare, **{kind: element[kind] for kind in kinds}}
        applied: dict[str, Json] = {}
        for skeleton in (with_kinds, empty):
            after = array_at(
                devices_of(apply(self._specs, with_device_field(template, name, [skeleton]))), name
            )
            applied |= object_at(after[0])
        return {key: value for key, value in applied.items() if key not in ("name", _REQUIRED.get(name))}


def _paths(apply: ApplyPart, applied: JsonObject, opened: frozenset[str]) -> Iterator[tuple[str, ...]]:
    """Yield the paths of the fields that an applier sets on an empty VM."""
    if applied is not _EMPTY_TEMPLATE and apply not in (apply_cpu_features, apply_panic_devices):
        for path, value in fields_of(applied, opened):
            if path not in (_CPU, _ACPI) and value not in (None, ""):
                yield path


def _changes(
    before: JsonObject, after: JsonObject, at: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Json]]:
    """Yield the fields whose values differ in ``after``, with None for a removed field."""
    for key, value in before.items():
        new = after.get(key)
        if new is value:
            continue
        if key in _SHARED and isinstance(value, dict) and isinstance(new, dict):
            yield from _changes(value, new, (*at, key))
        else:
            yield (*at, key), new


def _without_applied_element(element: JsonObject, applied: JsonObject) -> JsonObject:
    """Return a device without the fields in ``applied``; the kind of a disk stays, if only as ``{}``."""
    plain = {key: value for key, value in applied.items() if key not in _KEPT_IN_ELEMENTS}
    remaining = without_applied(element, plain, frozenset())
    for kind in _DISK_KINDS:
        target, preferred = remaining.get(kind), applied.get(kind)
        if isinstance(target, dict) and isinstance(preferred, dict):
            remaining = {**remaining, kind: without_applied(target, preferred, frozenset())}
    return remaining


def _without_cpu_features(template: JsonObject, preferred: Sequence[Json]) -> Iterator[JsonObject]:
    """Yield templates without preferred features: first without all of them, then without the last ones."""
    features = array_at(template, *_FEATURES)
    if not preferred or not features:
        return
    yield _with_cpu_features(template, [each for each in features if each not in preferred])
    names = {text_at(each, "name") for each in preferred}
    kept = list(features)
    while kept and text_at(kept[-1], "name") in names:
        kept.pop()
        yield _with_cpu_features(template, kept)


def _with_cpu_features(template: JsonObject, features: list[Json]) -> JsonObject:
    if features:
        return with_value(template, _FEATURES, features)
    return without(template, *_FEATURES)
