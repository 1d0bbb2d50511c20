"""Propose an ``InstancetypeSeries`` for sizes that several VirtualMachines share and no catalog has.

VirtualMachines with the same features of a size (dedicated CPUs, huge pages …) go into one series; each size
that at least two of them have is a row of it. A VirtualMachine whose vCPUs are not plain sockets also needs a
preference for their topology. Names are derived from sizes alone, so the next import proposes the same.
Nothing is proposed that does not fit at least two VirtualMachines exactly.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from renderer.adopt.fit.fit import Fitter
from renderer.adopt.fit.instancetype_fields import COUNTS, GUEST_MEMORY
from renderer.adopt.fit.values import FitQuality, Target
from renderer.authoring.sizes.series import generate
from renderer.kubevirt.facts.kinds import INSTANCETYPE_API_VERSION, PREFERENCE
from renderer.kubevirt.instancetype.catalog import Catalog, CatalogSource
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import EMPTY, Json, JsonObject, array_at, content_digest, text_at, with_value
from renderer.model.kube.list_elements import value_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.record import Record
from renderer.model.release import Release
from renderer.model.vmrender_api import INSTANCETYPE_SERIES, VMRENDER_API_VERSION

_NAME = "imported"
_FEWEST_VMS = 2
_FIRST_WITH_SHORT_TOPOLOGIES = Release(1, 4)
_CPU = ("spec", "domain", "cpu")
#: The features of a size: their paths in an instance type's ``spec``, and in the template of a VM.
_FEATURES = {
    ("cpu", "dedicatedCPUPlacement"): (*_CPU, "dedicatedCpuPlacement"),
    ("cpu", "isolateEmulatorThread"): (*_CPU, "isolateEmulatorThread"),
    ("cpu", "numa"): (*_CPU, "numa"),
    ("cpu", "realtime"): (*_CPU, "realtime"),
    ("memory", "hugepages"): ("spec", "domain", "memory", "hugepages"),
    ("memory", "maxGuest"): ("spec", "domain", "memory", "maxGuest"),
}
_MAX_SOCKETS = (*_CPU, "maxSockets")


class SizeRow(Record):
    """One size of a series."""

    vcpus: int
    memory: str
    max_sockets: int = 0

    @property
    def content(self) -> JsonObject:
        """Return the row as written in a series; its name is derived from the size: ``6x12gi``."""
        name = f"{self.vcpus}x{self.memory.lower()}"
        row: dict[str, Json] = {"name": name, "vcpus": self.vcpus, "memory": self.memory}
        if self.max_sockets:
            row |= {"name": f"{name}-max{self.max_sockets}", "maxSockets": self.max_sockets}
        return row


class SizeProposal(Record):
    """A series or a preference to write, and the number of VirtualMachines that it fits exactly.

    ``resources`` are the objects that it generates in a catalog.
    """

    name: str
    manifest: JsonObject
    resources: ResourceSet
    uses: int = 0


def propose_sizes(vms: Sequence[JsonObject], catalog: Catalog, release: Release) -> tuple[SizeProposal, ...]:
    """Return series and preferences for the VMs that no instance type of ``catalog`` fits exactly."""
    fitter = Fitter(catalog, release)
    targets = [fitter.target(vm) for vm in vms]
    preferences = list(_topology_preferences(targets, release))
    proposals = [*_series(targets), *preferences]
    if not proposals:
        return ()
    resources = tuple(resource for proposal in proposals for resource in proposal.resources)
    extended = Fitter(catalog.after(CatalogSource("proposed", ResourceSet(resources))), release)
    uses: Counter[str] = Counter()
    for vm in vms:
        fit = extended.fit(vm, is_exact=True)
        if fit.quality is FitQuality.EXACT and fit.instancetype is not None:
            uses.update(
                found.resource.name for found in (fit.instancetype, fit.preference) if found is not None
            )
    return tuple(_in_use(proposals, uses))


def _in_use(proposals: Iterable[SizeProposal], uses: Mapping[str, int]) -> Iterator[SizeProposal]:
    """Yield the proposals without rows that fewer than two VMs use, and without unused proposals."""
    for proposal in proposals:
        names = (resource.name for resource in proposal.resources)
        used = {name for name in names if uses.get(name, 0) >= _FEWEST_VMS}
        if not used:
            continue
        manifest = proposal.manifest
        rows = array_at(manifest, "spec", "sizes")
        if rows:
            kept = [row for row in rows if f"{proposal.name}.{text_at(row, 'name')}" in used]
            manifest = with_value(manifest, ("spec", "sizes"), kept)
        resources = tuple(resource for resource in proposal.resources if resource.name in used)
        yield SizeProposal(
            proposal.name, manifest, ResourceSet(resources), sum(uses[name] for name in sorted(used))
        )


def _series(targets: Iterable[Target]) -> Iterator[SizeProposal]:
    rows: dict[str, Counter[SizeRow]] = defaultdict(Counter)
    features: dict[str, JsonObject] = {}
    for target in targets:
        row = _row(target)
        if row is not None:
            spec = _size_features(target)
            name = f"{_NAME}-{content_digest(spec)[:5]}" if spec else _NAME
            features[name] = spec
            rows[name][row] += 1
    for name in sorted(rows):
        shared = sorted(row for row, count in rows[name].items() if count >= _FEWEST_VMS)
        if shared:
            yield from _proposal(name, features[name], shared)


def _proposal(name: str, template: JsonObject, rows: Iterable[SizeRow]) -> Iterator[SizeProposal]:
    """Yield the series, unless it cannot generate an instance type: pages that do not divide the memory."""
    spec: dict[str, Json] = {"template": {"spec": template}} if template else {}
    spec["sizes"] = [row.content for row in sorted(rows, key=lambda row: (row.vcpus, str(row)))]
    manifest: JsonObject = {
        "apiVersion": VMRENDER_API_VERSION,
        "kind": INSTANCETYPE_SERIES,
        "metadata": {"name": name},
        "spec": spec,
    }
    try:
        made = generate(manifest, Site(name, 0))
    except DiagnosticError:
        return
    yield SizeProposal(name, manifest, ResourceSet(tuple(Resource(each.content, each.site) for each in made)))


def _row(target: Target) -> SizeRow | None:
    counts = _counts(target)
    memory = value_at(target.stored, GUEST_MEMORY)
    if counts is None or not isinstance(memory, str):
        return None
    sockets, cores, threads = counts
    most = value_at(target.stored, _MAX_SOCKETS)
    return SizeRow(sockets * cores * threads, memory, most if isinstance(most, int) else 0)


def _counts(target: Target) -> tuple[int, int, int] | None:
    """Return sockets, cores and threads; None if the VM leaves some of them open."""
    counts = [value_at(target.defaulted, path) for path in COUNTS]
    sockets, cores, threads = (count if isinstance(count, int) else 0 for count in counts)
    return (sockets, cores, threads) if sockets and cores and threads else None


def _size_features(target: Target) -> JsonObject:
    """Return the features of a VM's size as a part of an instance type's ``spec``."""
    spec: JsonObject = EMPTY
    for place, path in _FEATURES.items():
        value = value_at(target.stored, path)
        if value is not None:
            spec = with_value(spec, place, value)
    return spec


def _topology_preferences(targets: Iterable[Target], release: Release) -> Iterator[SizeProposal]:
    """Yield a preference for each topology that several VMs have, ignoring the number of sockets."""
    found = Counter(counts for target in targets if (counts := _counts(target)) is not None)
    counts_by_name: Counter[str] = Counter()
    specs: dict[str, JsonObject] = {}
    for counts, number in found.items():
        name, spec = _topology(*counts, release)
        if spec:
            counts_by_name[name] += number
            specs[name] = spec
    for name in sorted(name for name, number in counts_by_name.items() if number >= _FEWEST_VMS):
        full_name = f"{_NAME}.{name}"
        manifest: JsonObject = {
            "apiVersion": INSTANCETYPE_API_VERSION,
            "kind": PREFERENCE.cluster_kind,
            "metadata": {"name": full_name},
            "spec": {"cpu": specs[name]},
        }
        yield SizeProposal(full_name, manifest, ResourceSet((Resource(manifest, Site(full_name, 0)),)))


def _topology(sockets: int, cores: int, threads: int, release: Release) -> tuple[str, JsonObject]:
    """Return name and ``spec.cpu`` of a preference; empty if none is needed, or if none reproduces the VM."""
    is_short = release >= _FIRST_WITH_SHORT_TOPOLOGIES
    name = ""
    options: JsonObject = EMPTY
    match sockets, cores, threads:
        case (_, 1, 1):
            return name, options
        case (1, _, 1):
            return "cores", {"preferredCPUTopology": "cores" if is_short else "preferCores"}
        case (1, 1, _):
            return "threads", {"preferredCPUTopology": "threads" if is_short else "preferThreads"}
        case (_, _, 1):
            name, options = f"spread-{cores}", {"across": "SocketsCores", "ratio": cores}
        case (1, _, 2):
            name, options = "threads-of-cores", {"across": "CoresThreads", "ratio": 2}
        case (_, _, 2):
            name, options = f"threads-of-{cores}-cores", {"across": "SocketsCoresThreads", "ratio": cores}
        case _:
            pass
    is_known = bool(options) and is_short
    return name, {"preferredCPUTopology": "spread", "spreadOptions": options} if is_known else EMPTY
