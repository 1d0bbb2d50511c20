"""The versions of a VirtualMachine during its expansion, and the fields that its values were copied from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from renderer.kubevirt.facts.virtual_machine import TEMPLATE
from renderer.kubevirt.instancetype.applied_specs import AppliedSpecs, ApplyError
from renderer.kubevirt.instancetype.apply.vmi import apply_instancetype
from renderer.kubevirt.instancetype.behaviour import behaviour_of
from renderer.kubevirt.instancetype.custom_size import MEMORY, NO_CUSTOM_SIZE, VCPUS
from renderer.kubevirt.instancetype.expand import VmExpansion, with_default_devices
from renderer.kubevirt.instancetype.find import MatchedObject
from renderer.kubevirt.instancetype.preference.vmi import apply_preference
from renderer.kubevirt.instancetype.virtual_machine import VirtualMachine
from renderer.model.difference import NoValue, Value
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY, Json, JsonObject, object_at, with_value, without
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.provenance import StepKind
from renderer.provenance.makers import (
    FieldSource,
    Maker,
    Version,
)
from renderer.provenance.paths import field_value

#: The value in question that follows from a spec.
ValueOfSpec = Callable[[JsonObject], Value]
#: The fields of an instance type that a VM's own size overrides, and the fields of that size.
_CUSTOM_SIZES = {FieldPath.of("cpu", "guest"): VCPUS, FieldPath.of("memory", "guest"): MEMORY}


def decisive_fields(spec: JsonObject, outcome: ValueOfSpec, target: FieldPath) -> tuple[FieldPath, ...]:
    """Return the fields of ``spec`` that decide the ``outcome`` at ``target``, each as deep as possible.

    Fields that have exactly this value come first. If no single field decides, return only the deepest
    section that does; if no section decides, return nothing.
    """
    value = outcome(spec)
    decisive = tuple(path for path in _fields(spec) if outcome(without(spec, *path)) != value)
    if not decisive:
        sections = sorted(_sections(spec), key=len, reverse=True)
        section = next((path for path in sections if outcome(without(spec, *path)) != value), None)
        decisive = () if section is None else (section,)
    fields = (_nested_field(spec, FieldPath(path), value, target) for path in decisive)
    return tuple(sorted(fields, key=lambda field: field_value(spec, field) != value))


def _fields(value: Json, at: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the paths of all values that are not mappings, and of empty mappings."""
    if isinstance(value, dict) and value:
        for key, child in value.items():
            yield from _fields(child, (*at, key))
    elif at:
        yield at


def _sections(value: JsonObject, at: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for key, child in value.items():
        if isinstance(child, dict) and child:
            yield (*at, key)
            yield from _sections(child, (*at, key))


def _nested_field(spec: JsonObject, field: FieldPath, value: Value, target: FieldPath) -> FieldPath:
    """Return the field below ``field`` with the value and the name of ``target``, or else ``field``.

    A value that is copied as a whole, such as a list of devices, is the same in the nested field.
    """
    for start in range(1, len(target.segments)):
        deeper = field.child(*target.segments[start:])
        found = field_value(spec, deeper)
        if found is not NoValue.ABSENT and found == value:
            return deeper
    return field


def vm_versions(expansion: VmExpansion) -> Iterator[Version]:
    """Yield the VirtualMachine after each step of its expansion."""
    selected, template = expansion.selected, expansion.sized
    act = StepKind.INFERRED if selected.custom_size == NO_CUSTOM_SIZE else StepKind.CUSTOM_SIZE
    yield _version(expansion, template, _ExpansionStep(expansion, act))
    if expansion.defaults or expansion.completed is not template:
        template = expansion.completed
        if expansion.defaults:
            template = with_default_devices(template, expansion.cluster)
        yield _version(expansion, template, _ExpansionStep(expansion, StepKind.DEFAULTED))
    selection = AppliedSpecs(
        EMPTY if selected.instancetype is None else selected.instancetype.spec,
        EMPTY if selected.preference is None else selected.preference.spec,
        behaviour_of(expansion.cluster.release),
        vm_sets_memory=selected.custom_size.memory is not None,
    )
    if selected.instancetype is not None:
        applied = _AppliedInstancetype(expansion, selected.instancetype, selection, template)
        template = applied.outcome(selection)
        yield _version(expansion, template, applied)
    if selected.preference is not None:
        preferred = _AppliedPreference(expansion, selected.preference, selection, template)
        template = preferred.outcome(selection)
        yield _version(expansion, template, preferred)
    if expansion.defaults:
        vm = VirtualMachine.of(expansion.expanded)
        template = EMPTY if vm is None or vm.template is None else vm.template
        yield _version(expansion, template, _ExpansionStep(expansion, StepKind.DEFAULTED))
    yield Version(expansion.expanded.content, _ExpansionStep(expansion, StepKind.EXPANDED))


def _version(expansion: VmExpansion, template: JsonObject, maker: Maker) -> Version:
    vm = expansion.vm
    content = with_value(vm.content, TEMPLATE.keys, template)
    return Version(vm.with_content(content).content, maker)


@dataclass(frozen=True, slots=True)
class _ExpansionStep:
    """A step of the expansion that applies neither an instance type nor a preference."""

    expansion: VmExpansion
    act: StepKind

    def display_name(self, _field: FieldPath) -> str:
        match self.act:
            case StepKind.DEFAULTED:
                return f"default of KubeVirt {self.expansion.cluster.release}"
            case StepKind.CUSTOM_SIZE:
                return "the VM's own size"
            case StepKind.INFERRED:
                return "inferred instance types decide on memory"
            case _:
                return "expansion leaves no matcher"

    def sites(self, field: FieldPath) -> tuple[Site, ...]:
        """Return the places that may have written the field; empty for matchers, which expansion removes."""
        return () if self.act is StepKind.EXPANDED else self.expansion.vm.resource.sites(field)

    def sources(self, field: FieldPath, _resources: Sequence[Resource]) -> Iterator[FieldSource]:
        if self.act is StepKind.CUSTOM_SIZE:
            vm = self.expansion.vm
            for size in map(vm.field, _CUSTOM_SIZES.values()):
                if size.segments[:-1] == field.segments[:-1] and field != size:
                    yield FieldSource(vm.resource, size)


@dataclass(frozen=True, slots=True)
class _AppliedSpec:
    """The step that applies an instance type or preference, ``found``, to a template."""

    expansion: VmExpansion
    found: MatchedObject
    selection: AppliedSpecs
    before: JsonObject

    def display_name(self, _field: FieldPath) -> str:
        return str(self.found)

    def sites(self, _field: FieldPath) -> tuple[Site, ...]:
        """Return the places of the matcher."""
        vm = self.expansion.vm
        return vm.resource.sites(vm.field(self.found.matcher_type.path))

    def _target(self, field: FieldPath) -> FieldPath:
        """Return the path of the field relative to the template."""
        return FieldPath(field.segments[len(self.expansion.vm.field(TEMPLATE).segments) :])

    def _instancetype_fields(
        self, target: FieldPath, outcome: Callable[[AppliedSpecs], Value]
    ) -> Iterator[FieldSource]:
        instancetype = self.expansion.selected.instancetype
        if instancetype is None:
            return

        def outcome_of(spec: JsonObject) -> Value:
            gives_memory = self.selection.vm_sets_memory and "guest" in object_at(spec, "memory")
            return outcome(self.selection._replace(instancetype=spec, vm_sets_memory=gives_memory))

        for field in decisive_fields(self.selection.instancetype, outcome_of, target):
            yield self._overridden_field(instancetype, field)

    def _overridden_field(self, instancetype: MatchedObject, field: FieldPath) -> FieldSource:
        """Return a field of its spec, or the VM's own size that overrides it."""
        custom_size = dict(zip(_CUSTOM_SIZES, self.expansion.selected.custom_size, strict=True))
        if custom_size.get(field) is None:
            return FieldSource(instancetype.resource, instancetype.field.child(*field.segments))
        vm = self.expansion.vm
        return FieldSource(vm.resource, vm.field(_CUSTOM_SIZES[field]))

    def _preference_fields(
        self, target: FieldPath, outcome: Callable[[AppliedSpecs], Value]
    ) -> Iterator[FieldSource]:
        preference = self.expansion.selected.preference
        if preference is None:
            return
        spec = self.selection.preference
        for field in decisive_fields(
            spec, lambda spec: outcome(self.selection._replace(preference=spec)), target
        ):
            yield FieldSource(preference.resource, preference.field.child(*field.segments))


@dataclass(frozen=True, slots=True)
class _AppliedInstancetype(_AppliedSpec):
    """The maker of a VM with its instance type; a preference decides the vCPU topology."""

    @property
    def act(self) -> StepKind:
        return StepKind.INSTANCETYPE

    def outcome(self, selection: AppliedSpecs) -> JsonObject:
        return apply_instancetype(selection, self.before)[0]

    def sources(self, field: FieldPath, _resources: Sequence[Resource]) -> Iterator[FieldSource]:
        target = self._target(field)
        outcome = _value_at(self.outcome, target)
        found = (*self._instancetype_fields(target, outcome), *self._preference_fields(target, outcome))
        yield from found or self._conflicting_fields(field)

    def _conflicting_fields(self, field: FieldPath) -> Iterator[FieldSource]:
        """Yield the instance type's field that conflicts with a value that is always set."""
        at = FieldPath(field.segments[len(self.expansion.vm.base.segments) :])
        for conflict in apply_instancetype(self.selection, self.outcome(self.selection))[1]:
            if conflict.field == at:
                yield self._overridden_field(self.found, FieldPath(conflict.instancetype_field.segments[1:]))


@dataclass(frozen=True, slots=True)
class _AppliedPreference(_AppliedSpec):
    """The maker of a VM with its preference."""

    @property
    def act(self) -> StepKind:
        return StepKind.PREFERENCE

    def outcome(self, selection: AppliedSpecs) -> JsonObject:
        return apply_preference(selection, self.before)

    def sources(self, field: FieldPath, _resources: Sequence[Resource]) -> Iterator[FieldSource]:
        target = self._target(field)
        yield from self._preference_fields(target, _value_at(self.outcome, target))


def _value_at(
    outcome: Callable[[AppliedSpecs], JsonObject], target: FieldPath
) -> Callable[[AppliedSpecs], Value]:
    def value(selection: AppliedSpecs) -> Value:
        try:
            return field_value(outcome(selection), target)
        except ApplyError:
            return NoValue.ABSENT

    return value
