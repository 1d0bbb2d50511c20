"""Find the instance type and the preference that reproduce a VirtualMachine: the entry point of this stage.

An answer is exact if KubeVirt would produce the same result from the shorter VirtualMachine as from the whole
one: the template with the pair applied (``pkg/instancetype/apply``) has the same values, if necessary after
the release's defaults are set on both (``pkg/defaults``). Of several exact pairs, the best is the one that

1. has an instance type,
2. has a preference that the VirtualMachine mentions (``candidates``) and that supplies anything,
3. supplies most fields,
4. leaves fewest fields to the VirtualMachine that it would have set otherwise,
5. comes first in the order of ``candidates``: mentioned, cluster-wide, the smallest name.

If no pair is exact, the nearest is the answer. An instance type is near if its vCPUs and memory are at most
twice and at least half of the VM's. The one whose other fields differ least from the VM's comes first, then
the one of the nearest size. Each is tried with the preferences that do not change the rest of the VM. The
answer is the expansion that differs in the fewest fields.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from heapq import merge
from itertools import groupby, islice
from math import log2, prod
from typing import NamedTuple, TypeAlias

from renderer.adopt.fit.candidates import (
    Candidates,
    InstancetypeGroup,
    Mentions,
    SortKey,
    sort_key,
    topology_key,
    visible_in_order,
)
from renderer.adopt.fit.instancetype_fields import COUNTS, GUEST_MEMORY
from renderer.adopt.fit.preference_fields import Reduction, ReductionMemo
from renderer.adopt.fit.template_parts import is_same_template, leaf_count, template_of
from renderer.adopt.fit.values import Choice, FitQuality, ReducedPreference, Target, VmFit
from renderer.kubevirt.facts.cluster import DEFAULT_CONFIG, Cluster
from renderer.kubevirt.facts.kinds import MATCHER_KEYS
from renderer.kubevirt.facts.lists import is_equal
from renderer.kubevirt.facts.stored_values import as_stored, differences
from renderer.kubevirt.facts.virtual_machine import has_matchers
from renderer.kubevirt.instancetype.applied_specs import AppliedSpecs, ApplyError
from renderer.kubevirt.instancetype.apply.cpu import CpuTopology, cpu_topology
from renderer.kubevirt.instancetype.apply_to_vm import apply_checked
from renderer.kubevirt.instancetype.behaviour import ExpandDefaults, behaviour_of
from renderer.kubevirt.instancetype.catalog import Catalog, Scope
from renderer.kubevirt.instancetype.cause import CauseError
from renderer.kubevirt.instancetype.cluster_config import cluster_config
from renderer.kubevirt.instancetype.defaults import default_disks, default_vmi_spec
from renderer.kubevirt.instancetype.find import MatchedObject
from renderer.kubevirt.instancetype.resolve import ResolvedMatchers
from renderer.kubevirt.instancetype.stored_vm import NAME_ANNOTATIONS, VmStore
from renderer.kubevirt.instancetype.vmi_object_defaults import default_vmi_object
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY, Json, JsonObject, object_at, text_at
from renderer.model.kube.list_elements import value_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.quantity import lenient_quantity
from renderer.model.record import Record
from renderer.model.release import Release
from renderer.model.run.work import spend

_LARGEST_STEP = 1.0  # an exponent of two
_MOST_INSTANCETYPES = 3
_MOST_PREFERENCES = 2
_NOWHERE = Site("", 0)
_TEMPLATE = FieldPath.of("spec", "template")
#: A VM with more fields than KubeVirt can run is skipped.
_MOST_FIELDS = 5_000
#: It is rare that several equally good pairs are each rejected for a different reason; this many are tried.
_MOST_TRIED = 100
#: Steps (``model.run.work``) to look at an object of the catalog, to compare vCPUs with the topology of a
#: preference, and to try a pair.
_STEPS_PER_CANDIDATE, _STEPS_PER_TOPOLOGY, _STEPS_PER_TRY = 4, 4, 2_000
_FITTING = "fitting instance types and preferences"
#: What a pair does to the VM, by the ids of the reduction and of the group.
_Effect: TypeAlias = tuple[int, int]


class _Rank(NamedTuple):
    """The merits of an exact pair, as the module's docstring lists them; ``mention`` as in ``Mentions``.

    ``names`` are the positions of the preference and the instance type in the order of ``candidates``.
    """

    has_instancetype: bool
    mention: int
    supplied: int
    overridden: int
    names: tuple[SortKey, SortKey]

    @property
    def order(self) -> tuple[object, ...]:
        """The key by which pairs are sorted, the best first."""
        return not self.has_instancetype, -self.mention, -self.supplied, self.overridden, self.names


class _RankedInstancetype(NamedTuple):
    """An instance type, how many fields it supplies, and its place in the order of ``candidates``."""

    supplied: int
    place: SortKey
    instancetype: MatchedObject
    group: InstancetypeGroup


class Fitter:
    """Fits VirtualMachines to a catalog, which is indexed once."""

    def __init__(self, catalog: Catalog, release: Release) -> None:
        self._catalog = catalog
        behaviour = behaviour_of(release)
        try:
            config = cluster_config(catalog, release)
        except DiagnosticError:
            config = DEFAULT_CONFIG
        self.cluster = Cluster(release, config)
        self._store = VmStore(catalog, self.cluster)
        self.candidates = Candidates(catalog, behaviour)
        members = [group.members for group in self.candidates.instancetypes]
        members += [group.members for group in self.candidates.preferences]
        self._number = sum(map(len, members))
        self._topologies: dict[tuple[object, ...], CpuTopology | None] = {}

    def fit(self, vm: JsonObject, *, is_exact: bool = False) -> VmFit:
        """Return the pair that fits a VirtualMachine; no pair if it has a matcher, or too many fields.

        With ``is_exact``, the nearest pair is not searched for.
        """
        template = template_of(vm)
        if has_matchers(vm) or not template:
            return VmFit(FitQuality.NONE, vm)
        if leaf_count(template) > _MOST_FIELDS:
            return VmFit(FitQuality.NONE, vm)
        spend(_STEPS_PER_CANDIDATE * self._number, _FITTING)
        target = self.target(vm)
        preferences = self._reductions(target)
        exact = self._best_exact_fit(target, preferences)
        if is_exact or (exact is not None and exact.instancetype is not None):
            return exact or VmFit(FitQuality.NONE, vm)
        nearest = _nearest_fit(self, target, preferences)
        if exact is not None:
            return exact._replace(nearest=nearest)
        return nearest or VmFit(FitQuality.NONE, vm)

    def _best_exact_fit(self, target: Target, preferences: Sequence[ReducedPreference]) -> VmFit | None:
        """Return the best of the exact pairs; pairs that keep the next instance the same are preferred."""
        second: VmFit | None = None
        failed: set[_Effect] = set()
        for choice in islice(self._choices(target, preferences, failed), _MOST_TRIED):
            spend(_STEPS_PER_TRY, _FITTING)
            found = self.try_pair(target, choice)
            if found is None:
                continue
            if found.quality is FitQuality.EXACT and not found.differing_at_start:
                return found
            failed.add(_effect(choice.reduction, choice.group))
            if found.quality is FitQuality.EXACT and second is None:
                second = found
        return second

    def target(self, vm: JsonObject) -> Target:
        """Return a VM with everything that the search for its pair needs."""
        template = template_of(vm)
        try:
            defaulted = self._defaulted(template)
        except (CauseError, DiagnosticError):
            defaulted = template
        scope = Scope(self._catalog, text_at(vm, "metadata", "namespace"))
        return Target(
            vm, template, as_stored(template), as_stored(defaulted), self._instance(vm), scope, Mentions(vm)
        )

    def _defaulted(self, template: JsonObject) -> JsonObject:
        """Return the template with the defaults of its VirtualMachine. Raises the errors of the defaults."""
        behaviour, config = behaviour_of(self.cluster.release), self.cluster.config
        spec = default_vmi_spec(default_disks(object_at(template, "spec")), config, behaviour)
        if behaviour.expand_defaults is ExpandDefaults.OBJECT:
            spec = default_vmi_object(spec, config.cpu_model, behaviour)
        return {**template, "spec": spec}

    def _reductions(self, target: Target) -> list[ReducedPreference]:
        """Return the preferences that may have been applied, with their remainders; no preference first."""
        memo: ReductionMemo = {}
        found = [ReducedPreference((None,), EMPTY, topology_key(EMPTY), Reduction(target.template))]
        for group in self.candidates.preferences:
            reduction = group.fields.reduced(target.template, memo)
            members = (
                () if reduction is None else visible_in_order(group.members, target.mentions, target.scope)
            )
            if reduction is not None and members:
                spec = group.fields.spec
                found.append(ReducedPreference(members, spec, topology_key(spec), reduction))
        return found

    def _choices(
        self, target: Target, preferences: Sequence[ReducedPreference], failed: Container[_Effect]
    ) -> Iterator[Choice]:
        """Yield the pairs that may reproduce a VM, the best first; none with an effect that has ``failed``.

        They are made on demand: only a few of all pairs of a large catalog are tried.
        """
        instancetypes = [
            _RankedInstancetype(len(group.fields.fields), sort_key(each, target.mentions), each, group)
            for group in self._instancetypes(target)
            for each in visible_in_order(group.members, target.mentions, target.scope)
        ]
        instancetypes.sort(key=lambda found: (-found.supplied, found.place))
        by_vcpus = {found.group.fields.vcpus: found.group for found in instancetypes}
        fitting: dict[tuple[object, ...], frozenset[Json]] = {}
        of_vcpus: dict[frozenset[Json], Sequence[Sequence[_RankedInstancetype]]] = {}
        for each in preferences:
            if each.topology not in fitting:
                spend(_STEPS_PER_TOPOLOGY * len(by_vcpus), _FITTING)
                vcpus = frozenset(
                    number for number, group in by_vcpus.items() if self.has_topology(target, group, each)
                )
                fitting[each.topology] = vcpus
                if vcpus not in of_vcpus:
                    spend(len(instancetypes), _FITTING)
                    known = (found for found in instancetypes if found.group.fields.vcpus in vcpus)
                    of_vcpus[vcpus] = [
                        tuple(alike) for _, alike in groupby(known, lambda found: found.supplied)
                    ]
        ranked = (_ranked(target, each, of_vcpus[fitting[each.topology]], failed) for each in preferences)
        return (choice for _, choice in merge(*ranked, key=lambda found: found[0].order))

    def _instancetypes(self, target: Target) -> Iterator[InstancetypeGroup]:
        """Yield the instance types whose fields the VM has, ignoring vCPUs."""
        views = (target.stored, target.defaulted)
        for memory in dict.fromkeys(str(value_at(view, GUEST_MEMORY) or "0") for view in views):
            for group in self.candidates.with_memory(memory):
                if any(map(group.fields.are_in, views)):
                    yield group

    def has_topology(self, target: Target, group: InstancetypeGroup, preference: ReducedPreference) -> bool:
        """Return True if a preference's topology turns the instance type's vCPUs into the VM's."""
        topology = self._topology(group.fields.vcpus, preference)
        if topology is None:
            return False
        counts = (topology.sockets, topology.cores, topology.threads)
        return any(
            all(
                (value_at(view, path) or 0) == (count or 0)
                for path, count in zip(COUNTS, counts, strict=True)
            )
            for view in (target.stored, target.defaulted)
        )

    def _topology(self, vcpus: Json, preference: ReducedPreference) -> CpuTopology | None:
        known = (vcpus, *preference.topology)
        if known not in self._topologies:
            specs = AppliedSpecs(EMPTY, preference.spec, behaviour_of(self.cluster.release))
            try:
                self._topologies[known] = cpu_topology(vcpus, specs)
            except ApplyError:
                self._topologies[known] = None
        return self._topologies[known]

    def try_pair(self, target: Target, choice: Choice) -> VmFit | None:
        """Return the VM with the pair, exact or not; None if KubeVirt would not admit it."""
        remaining = choice.reduction.template
        if choice.group is not None:
            remaining = choice.group.fields.without(remaining)
        selected = ResolvedMatchers(choice.instancetype, choice.preference)
        try:
            applied = apply_checked(selected, remaining, target.scope, self.cluster)
            is_exact = is_same_template(applied, target.template) or not any(
                differences(target.defaulted, as_stored(self._defaulted(applied)))
            )
        except (CauseError, DiagnosticError):
            return None
        vm = _with_matchers(target.vm, remaining, selected)
        supplied = leaf_count(target.template) - leaf_count(remaining)
        found = VmFit(FitQuality.EXACT, vm, choice.instancetype, choice.preference, supplied)
        if is_exact:
            return found._replace(differing_at_start=tuple(self._differing_at_start(target, vm)))
        differing = tuple(differences(target.stored, as_stored(applied), _TEMPLATE))
        return found._replace(quality=FitQuality.NEAREST, differing=differing)

    def _differing_at_start(self, target: Target, vm: JsonObject) -> Iterator[FieldPath]:
        """Yield the fields in which the instance of ``vm`` differs, ignoring the names of the pair."""
        before, after = target.instance, self._instance(vm)
        if before is not None and after is not None:
            yield from (
                field for field in differences(before, after) if field.segments[-1] not in NAME_ANNOTATIONS
            )

    def _instance(self, vm: JsonObject) -> JsonObject | None:
        """Return the instance that KubeVirt creates from a new VM; None if it cannot be defaulted."""
        try:
            return as_stored(self._store.create(Resource(vm, _NOWHERE)).instance)
        except (CauseError, DiagnosticError):
            return None


def _effect(reduction: Reduction, group: InstancetypeGroup | None) -> _Effect:
    """Return a key that pairs with the same effect on a VM share; the search keeps its objects alive."""
    return id(reduction), id(group)


def _ranked(
    target: Target,
    preference: ReducedPreference,
    instancetypes: Sequence[Sequence[_RankedInstancetype]],
    failed: Container[_Effect],
) -> Iterator[tuple[_Rank, Choice]]:
    """Yield the pairs of the preferences with one ``spec`` and of the instance types, the best first.

    The members of the preference are in order. The instance types are in groups that supply as many fields,
    those that supply most first.
    """
    reduction = preference.reduction
    supplied, overridden = reduction.supplied, reduction.overridden
    members = [(sort_key(each, target.mentions), each) for each in preference.members]
    for mention, alike in groupby(members, lambda found: -found[0][0] if supplied else 0):
        mentioned = tuple(alike)
        for candidates in instancetypes:
            left = candidates
            for place, member in mentioned:
                for each in left:
                    if _effect(reduction, each.group) not in failed:
                        rank = _Rank(
                            has_instancetype=True,
                            mention=mention,
                            supplied=supplied + each.supplied + len(COUNTS),
                            overridden=overridden,
                            names=(place, each.place),
                        )
                        yield rank, Choice(each.instancetype, member, each.group, reduction)
                left = [each for each in left if _effect(reduction, each.group) not in failed]
    for place, member in members if preference.spec is not EMPTY else ():
        if _effect(reduction, None) in failed:
            return
        rank = _Rank(
            has_instancetype=False,
            mention=-place[0],
            supplied=supplied,
            overridden=overridden,
            names=(place, sort_key(None, target.mentions)),
        )
        yield rank, Choice(None, member, None, reduction)


def _with_matchers(vm: JsonObject, template: JsonObject, selected: ResolvedMatchers) -> JsonObject:
    """Return the VirtualMachine with another template and a pair; its keys stay sorted."""
    spec: dict[str, Json] = {**object_at(vm, "spec"), "template": template}
    for key, found in (("instancetype", selected.instancetype), ("preference", selected.preference)):
        if found is not None:
            spec[key] = {"kind": found.resource.kind, "name": found.resource.name}
    before = list(object_at(vm, "spec"))
    for key in (key for key in MATCHER_KEYS if key in spec and key not in before):
        place = next((at for at, other in enumerate(before) if other > key), len(before))
        before.insert(place, key)
    return {**vm, "spec": {key: spec[key] for key in before}}


class Size(Record):
    """The size of a VM; memory in bytes."""

    vcpus: int
    memory: int


def _nearest_fit(fitter: Fitter, target: Target, preferences: Sequence[ReducedPreference]) -> VmFit | None:
    """Return the nearest pair with an instance type; None if no instance type is near."""
    size = size_of(target)
    if size is None:
        return None
    near = sorted(_near_instancetypes(fitter.candidates, target, size), key=lambda found: found[0])
    tried: list[tuple[int, tuple[int, float, str], int, VmFit]] = []
    for rank, group in near[:_MOST_INSTANCETYPES]:
        instancetype = visible_in_order(group.members, target.mentions, target.scope)[0]
        for preference in _preferences_to_try(fitter, target, group, preferences):
            choice = Choice(instancetype, preference.members[0], group, preference.reduction)
            fit = fitter.try_pair(target, choice)
            if fit is not None:
                tried.append((len(fit.differing), rank, len(tried), fit))
    return min(tried)[-1] if tried else None


def size_of(target: Target) -> Size | None:
    """Return the vCPUs and memory that a VM's instance has; None if they are unknown."""
    counts = [value_at(target.defaulted, path) for path in COUNTS]
    return _size_from(
        prod(count for count in counts if isinstance(count, int) and count),
        value_at(target.defaulted, GUEST_MEMORY),
    )


def _size_from(vcpus: Json, memory: Json) -> Size | None:
    amount = lenient_quantity(memory)
    if not isinstance(vcpus, int) or vcpus < 1 or amount is None or amount.value() < 1:
        return None
    return Size(vcpus, amount.value())


def _near_instancetypes(
    candidates: Candidates, target: Target, size: Size
) -> Iterator[tuple[tuple[int, float, str], InstancetypeGroup]]:
    for group in candidates.instancetypes:
        other = _size_from(group.fields.vcpus, group.fields.memory)
        if other is None:
            continue
        steps = [abs(log2(mine / its)) for mine, its in zip(size, other, strict=True)]
        if max(steps) > _LARGEST_STEP:
            continue
        members = visible_in_order(group.members, target.mentions, target.scope)
        if members:
            others = sum(
                not is_equal(value_at(target.stored, path), value)
                for path, value in group.fields.fields.items()
                if path != GUEST_MEMORY
            )
            yield (others, sum(steps), members[0].resource.name), group


def _preferences_to_try(
    fitter: Fitter, target: Target, group: InstancetypeGroup, preferences: Sequence[ReducedPreference]
) -> list[ReducedPreference]:
    """Return the preferences to try: first those with the VM's topology, then those that supply most."""
    return sorted(
        preferences,
        key=lambda each: (
            not fitter.has_topology(target, group, each),
            -each.reduction.supplied,
            each.reduction.overridden,
        ),
    )[:_MOST_PREFERENCES]


def fit(vm: JsonObject, catalog: Catalog, release: Release) -> VmFit:
    """Return the pair of a catalog that fits one VirtualMachine; use ``Fitter`` for many."""
    return Fitter(catalog, release).fit(vm)
