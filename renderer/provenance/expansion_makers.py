"""The makers of a VirtualMachine's versions during its expansion: instance type, preference, defaults.

Which fields of an instance type or preference decide on a value is found by leaving each of them out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from renderer.instancetype.apply.applier import AppliedSpecs, ApplyError
from renderer.instancetype.apply.vmi import apply_instancetype
from renderer.instancetype.custom_size import MEMORY, NO_CUSTOM_SIZE, VCPUS
from renderer.instancetype.expand import VmExpansion, with_default_devices
from renderer.instancetype.find import Found
from renderer.instancetype.preference.vmi import apply_preference
from renderer.instancetype.virtual_machine import VirtualMachine
from renderer.kubevirt.virtual_machine import TEMPLATE
from renderer.model.difference import NoValue, Value
from renderer.model.field_path import FieldPath
from renderer.model.json import EMPTY, Json, JsonObject, object_at, with_value, without
from renderer.model.location import Site
from renderer.model.provenance import StepKind
from renderer.model.resource import Resource
from renderer.provenance.makers import FieldSource, Maker, Version
from renderer.provenance.paths import value_at

#: The value in question, when a spec says this.
ValueOfSpec = Callable[[JsonObject], Value]


def decisive_fields(spec: JsonObject, outcome: ValueOfSpec, target: FieldPath) -> tuple[FieldPath, ...]:
    """Return the fields of ``spec`` that decide on the ``outcome`` at ``target``, each as deep as possible.

    What holds the very value comes first. Only the deepest section where no single field decides; nothing
    where none does.
    """
    value = outcome(spec)
    decisive = tuple(path for path in _fields(spec) if outcome(without(spec, *path)) != value)
    if not decisive:
        sections = sorted(_sections(spec), key=len, reverse=True)
        section = next((path for path in sections if outcome(without(spec, *path)) != value), None)
        decisive = () if section is None else (section,)
    fields = (_deeper(spec, FieldPath(path), value, target) for path in decisive)
    return tuple(sorted(fields, key=lambda field: value_at(spec, field) != value))


def _fields(value: Json, at: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the paths of all values that are no mappings, or empty ones."""
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


def _deeper(spec: JsonObject, field: FieldPath, value: Value, target: FieldPath) -> FieldPath:
    """Return the field below ``field`` that holds the value under the same name as ``target``, or ``field``.

    What is copied as a whole, such as a list of devices, is the same below.
    """
    for start in range(1, len(target.segments)):
        deeper = field.child(*target.segments[start:])
        found = value_at(spec, deeper)
        if found is not NoValue.ABSENT and found == value:
            return deeper
    return field


#: The fields of an instance type that a VM's own size replaces, and the size's fields.
_OWN_SIZES = {FieldPath.of("cpu", "guest"): VCPUS, FieldPath.of("memory", "guest"): MEMORY}


def vm_versions(expansion: VmExpansion) -> Iterator[Version]:
    """Yield the VirtualMachine after each step of its expansion."""
    selected, template = expansion.selected, expansion.sized
    act = StepKind.INFERRED if selected.custom_size == NO_CUSTOM_SIZE else StepKind.CUSTOM_SIZE
    yield _version(expansion, template, _ExpansionStep(expansion, act))
    if expansion.defaults:
        template = with_default_devices(template, expansion.cluster)
        yield _version(expansion, template, _ExpansionStep(expansion, StepKind.DEFAULTED))
    selection = AppliedSpecs(
        EMPTY if selected.instancetype is None else selected.instancetype.spec,
        EMPTY if selected.preference is None else selected.preference.spec,
        expansion.cluster.behaviour,
        vm_gives_memory=selected.custom_size.memory is not None,
    )
    if selected.instancetype is not None:
        applied = _ByInstancetype(expansion, selected.instancetype, selection, template)
        template = applied.outcome(selection)
        yield _version(expansion, template, applied)
    if selected.preference is not None:
        preferred = _ByPreference(expansion, selected.preference, selection, template)
        template = preferred.outcome(selection)
        yield _version(expansion, template, preferred)
    if expansion.defaults:
        yield _version(
            expansion, _template_of(expansion.expanded), _ExpansionStep(expansion, StepKind.DEFAULTED)
        )
    yield Version(expansion.expanded.content, _ExpansionStep(expansion, StepKind.EXPANDED))


def _version(expansion: VmExpansion, template: JsonObject, maker: Maker) -> Version:
    vm = expansion.vm
    content = with_value(vm.content, TEMPLATE.keys, template)
    return Version(vm.with_content(content).content, maker)


def _template_of(resource: Resource) -> JsonObject:
    vm = VirtualMachine.of(resource)
    return EMPTY if vm is None or vm.template is None else vm.template


@dataclass(frozen=True, slots=True)
class _ExpansionStep:
    """The step of an expansion that needs neither an instance type nor a preference."""

    expansion: VmExpansion
    act: StepKind

    def words(self, _field: FieldPath) -> str:
        match self.act:
            case StepKind.DEFAULTED:
                return f"default of KubeVirt {self.expansion.cluster.behaviour.release}"
            case StepKind.CUSTOM_SIZE:
                return "the VM's own size"
            case StepKind.INFERRED:
                return "inferred instance types decide on memory"
            case _:
                return "expansion leaves no matcher"

    def sites(self, field: FieldPath) -> tuple[Site, ...]:
        """Return the places that may have written the field; none for matchers, which expansion removes."""
        return () if self.act is StepKind.EXPANDED else self.expansion.vm.resource.sites(field)

    def sources(self, field: FieldPath, _among: Sequence[Resource]) -> Iterator[FieldSource]:
        if self.act is StepKind.CUSTOM_SIZE:
            vm = self.expansion.vm
            for size in map(vm.field, _OWN_SIZES.values()):
                if size.segments[:-1] == field.segments[:-1] and field != size:
                    yield FieldSource(vm.resource, size)


@dataclass(frozen=True, slots=True)
class _Applied:
    """The step that applies an instance type or preference, ``found``, to a template."""

    expansion: VmExpansion
    found: Found
    selection: AppliedSpecs
    before: JsonObject

    def words(self, _field: FieldPath) -> str:
        return str(self.found)

    def sites(self, _field: FieldPath) -> tuple[Site, ...]:
        """Return the matcher's places."""
        vm = self.expansion.vm
        return vm.resource.sites(vm.field(self.found.matcher_type.path))

    def _target(self, field: FieldPath) -> FieldPath:
        """Return the path of the field from the template on."""
        return FieldPath(field.segments[len(self.expansion.vm.field(TEMPLATE).segments) :])

    def _of_instancetype(
        self, target: FieldPath, outcome: Callable[[AppliedSpecs], Value]
    ) -> Iterator[FieldSource]:
        instancetype = self.expansion.selected.instancetype
        if instancetype is None:
            return

        def outcome_of(spec: JsonObject) -> Value:
            gives_memory = self.selection.vm_gives_memory and "guest" in object_at(spec, "memory")
            return outcome(self.selection._replace(instancetype=spec, vm_gives_memory=gives_memory))

        for field in decisive_fields(self.selection.instancetype, outcome_of, target):
            yield self._field_of(instancetype, field)

    def _field_of(self, instancetype: Found, field: FieldPath) -> FieldSource:
        """Return a field of its spec, or the VM's own size that replaces it."""
        given = dict(zip(_OWN_SIZES, self.expansion.selected.custom_size, strict=True))
        if given.get(field) is None:
            return FieldSource(instancetype.resource, instancetype.field.child(*field.segments))
        vm = self.expansion.vm
        return FieldSource(vm.resource, vm.field(_OWN_SIZES[field]))

    def _of_preference(
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
class _ByInstancetype(_Applied):
    """The maker of a VM with its instance type; how vCPUs are laid out is a preference's to say."""

    @property
    def act(self) -> StepKind:
        return StepKind.INSTANCETYPE

    def outcome(self, selection: AppliedSpecs) -> JsonObject:
        return apply_instancetype(selection, self.before)[0]

    def sources(self, field: FieldPath, _among: Sequence[Resource]) -> Iterator[FieldSource]:
        target = self._target(field)
        outcome = _value(self.outcome, target)
        found = (*self._of_instancetype(target, outcome), *self._of_preference(target, outcome))
        yield from found or self._that_conflict(field)

    def _that_conflict(self, field: FieldPath) -> Iterator[FieldSource]:
        """Yield the instance type's field that conflicts with a value that is always set."""
        at = FieldPath(field.segments[len(self.expansion.vm.base.segments) :])
        for conflict in apply_instancetype(self.selection, self.outcome(self.selection))[1]:
            if conflict.field == at:
                yield self._field_of(self.found, FieldPath(conflict.instancetype_field.segments[1:]))


@dataclass(frozen=True, slots=True)
class _ByPreference(_Applied):
    """The maker of a VM with its preference."""

    @property
    def act(self) -> StepKind:
        return StepKind.PREFERENCE

    def outcome(self, selection: AppliedSpecs) -> JsonObject:
        return apply_preference(selection, self.before)

    def sources(self, field: FieldPath, _among: Sequence[Resource]) -> Iterator[FieldSource]:
        target = self._target(field)
        yield from self._of_preference(target, _value(self.outcome, target))


def _value(
    outcome: Callable[[AppliedSpecs], JsonObject], target: FieldPath
) -> Callable[[AppliedSpecs], Value]:
    def value(selection: AppliedSpecs) -> Value:
        try:
            return value_at(outcome(selection), target)
        except ApplyError:
            return NoValue.ABSENT

    return value
