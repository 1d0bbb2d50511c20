"""The trace of a run: every change to every resource, from which field histories are derived."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from renderer.kubevirt.facts.virtual_machine import TEMPLATE
from renderer.kubevirt.instancetype.applied_specs import AppliedSpecs, ApplyError
from renderer.kubevirt.instancetype.apply.vmi import apply_instancetype
from renderer.kubevirt.instancetype.behaviour import behaviour_of
from renderer.kubevirt.instancetype.custom_size import MEMORY, NO_CUSTOM_SIZE, VCPUS
from renderer.kubevirt.instancetype.expand import VmExpansion, with_default_devices
from renderer.kubevirt.instancetype.find import MatchedObject
from renderer.kubevirt.instancetype.preference.vmi import apply_preference
from renderer.kubevirt.instancetype.virtual_machine import VirtualMachine
from renderer.kustomize.identity import current_identity, identities
from renderer.kustomize.transform import CompositionChange
from renderer.model.difference import NoValue, Value
from renderer.model.field_path import FieldPath
from renderer.model.json import EMPTY, Json, JsonObject, object_at, with_value, without
from renderer.model.location import Site
from renderer.model.provenance import StepKind
from renderer.model.render_config import Overlay
from renderer.model.resource import Resource, ResourceSet
from renderer.model.source_tree import GeneratorPlugin
from renderer.model.work import spend
from renderer.provenance.makers import (
    CompositionStep,
    FieldSource,
    GeneratorStep,
    Maker,
    ReadFromFile,
    StageStep,
    Version,
)
from renderer.provenance.paths import field_value

#: Steps for finding a resource among the resources of the previous stage (``model.work``).
_STEPS_PER_RESOURCE = 20
#: Steps for keeping a version: each uses memory until the run ends.
_KEEPING = 60


class _Link(NamedTuple):
    """A change of a resource: ``before`` (None for the first), ``after`` and the versions between them.

    Links are looked up by the ``id`` of ``after``. The link keeps ``after`` alive, so that the id is not
    reused.
    """

    after: Resource
    before: Resource | None
    versions: Callable[[], Iterable[Version]]


class Trace:
    """The observer of one run; it keeps every version of every resource."""

    def __init__(self) -> None:
        self._links: dict[int, _Link] = {}
        self._composed: dict[str, ResourceSet] = {}

    def generated(self, resource: Resource, generator: GeneratorPlugin) -> None:
        self._record_maker(None, resource, GeneratorStep(resource, generator))

    def changed(self, before: Resource, after: Resource, change: CompositionChange) -> None:
        spend(_KEEPING, "noting the versions of resources")
        self._record_maker(before, after, CompositionStep(before, after, change))

    def expanded(self, expansion: VmExpansion) -> None:
        link = _Link(expansion.expanded, expansion.vm.resource, lambda: vm_versions(expansion))
        self._links[id(expansion.expanded)] = link

    def passed(self, overlay: Overlay, act: StepKind, before: ResourceSet, after: ResourceSet) -> None:
        """Record the input and output of a stage for an overlay; the stage may have dropped resources."""
        self._composed.setdefault(overlay.path, before)
        spend(_STEPS_PER_RESOURCE * (len(before) + len(after)), "noting the versions of resources")
        same = {id(resource) for resource in before}
        by_name = {current_identity(each)[1:]: each for each in before}  # its API version may change
        in_order = before if len(before) == len(after) else (None,) * len(after)
        for resource, at_its_place in zip(after, in_order, strict=True):
            if id(resource) in same or id(resource) in self._links:
                continue
            names = [identity[1:] for identity in identities(resource)]
            known = (by_name[name] for name in (names[0], *reversed(names)) if name in by_name)
            earlier = next(known, at_its_place)
            if earlier is not None:
                self._record_maker(earlier, resource, StageStep(earlier, act, overlay))

    def include(self, other: Trace) -> None:
        """Include what another trace observed of resources that this run uses as well."""
        self._links.update(other._links)

    def composed(self, overlay: Overlay) -> ResourceSet:
        """Return the overlay's resources before the first stage; empty if composition failed."""
        return self._composed.get(overlay.path, ResourceSet())

    def versions(self, resource: Resource) -> tuple[Version, ...]:
        """Return the versions of a resource, from its file or generator to the present, oldest first."""
        return tuple(self._versions(resource))

    def _versions(self, resource: Resource) -> Iterator[Version]:
        chain: list[_Link] = []
        while (link := self._links.get(id(resource))) is not None:
            chain.append(link)
            if link.before is None:
                break
            resource = link.before
        else:
            yield Version(resource.content, ReadFromFile(resource))
        for link in reversed(chain):
            yield from link.versions()

    def _record_maker(self, before: Resource | None, after: Resource, maker: Maker) -> None:
        self._links[id(after)] = _Link(after, before, lambda: (Version(after.content, maker),))


#: The value in question that follows from a spec.
ValueOfSpec = Callable[[JsonObject], Value]


def decisive_fields(spec: JsonObject, outcome: ValueOfSpec, target: FieldPath) -> tuple[FieldPath, ...]:
    """Return the fields of ``spec`` that decide the ``outcome`` at ``target``, each as deep as possible.

    Fields that hold exactly this value come first. If no single field decides, return only the deepest
    section that does; if no section decides, return nothing.
    """
    value = outcome(spec)
    decisive = tuple(path for path in _fields(spec) if outcome(without(spec, *path)) != value)
    if not decisive:
        sections = sorted(_sections(spec), key=len, reverse=True)
        section = next((path for path in sections if outcome(without(spec, *path)) != value), None)
        decisive = () if section is None else (section,)
    fields = (_deeper(spec, FieldPath(path), value, target) for path in decisive)
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


def _deeper(spec: JsonObject, field: FieldPath, value: Value, target: FieldPath) -> FieldPath:
    """Return the field below ``field`` with the value and the name of ``target``, or else ``field``.

    A value that is copied as a whole, such as a list of devices, is the same in the nested field.
    """
    for start in range(1, len(target.segments)):
        deeper = field.child(*target.segments[start:])
        found = field_value(spec, deeper)
        if found is not NoValue.ABSENT and found == value:
            return deeper
    return field


#: The fields of an instance type that a VM's own size overrides, and the fields of that size.
_OWN_SIZES = {FieldPath.of("cpu", "guest"): VCPUS, FieldPath.of("memory", "guest"): MEMORY}


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
    """The expansion step that needs neither an instance type nor a preference."""

    expansion: VmExpansion
    act: StepKind

    def words(self, _field: FieldPath) -> str:
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
    found: MatchedObject
    selection: AppliedSpecs
    before: JsonObject

    def words(self, _field: FieldPath) -> str:
        return str(self.found)

    def sites(self, _field: FieldPath) -> tuple[Site, ...]:
        """Return the places of the matcher."""
        vm = self.expansion.vm
        return vm.resource.sites(vm.field(self.found.matcher_type.path))

    def _target(self, field: FieldPath) -> FieldPath:
        """Return the path of the field relative to the template."""
        return FieldPath(field.segments[len(self.expansion.vm.field(TEMPLATE).segments) :])

    def _of_instancetype(
        self, target: FieldPath, outcome: Callable[[AppliedSpecs], Value]
    ) -> Iterator[FieldSource]:
        instancetype = self.expansion.selected.instancetype
        if instancetype is None:
            return

        def outcome_of(spec: JsonObject) -> Value:
            gives_memory = self.selection.vm_sets_memory and "guest" in object_at(spec, "memory")
            return outcome(self.selection._replace(instancetype=spec, vm_sets_memory=gives_memory))

        for field in decisive_fields(self.selection.instancetype, outcome_of, target):
            yield self._field_of(instancetype, field)

    def _field_of(self, instancetype: MatchedObject, field: FieldPath) -> FieldSource:
        """Return a field of its spec, or the VM's own size that overrides it."""
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
    """The maker of a VM with its instance type; a preference decides the vCPU topology."""

    @property
    def act(self) -> StepKind:
        return StepKind.INSTANCETYPE

    def outcome(self, selection: AppliedSpecs) -> JsonObject:
        return apply_instancetype(selection, self.before)[0]

    def sources(self, field: FieldPath, _among: Sequence[Resource]) -> Iterator[FieldSource]:
        target = self._target(field)
        outcome = _value(self.outcome, target)
        found = (*self._of_instancetype(target, outcome), *self._of_preference(target, outcome))
        yield from found or self._conflicting_fields(field)

    def _conflicting_fields(self, field: FieldPath) -> Iterator[FieldSource]:
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
            return field_value(outcome(selection), target)
        except ApplyError:
            return NoValue.ABSENT

    return value
