"""Find instance types and preferences for imported machines that name none, and propose sizes they share."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from renderer.diff.impact.judge import judge
from renderer.diff.impact.table import Views
from renderer.dump.sources import KUSTOMIZATION, SIZES_FOLDER
from renderer.fit.fit import Fitter
from renderer.fit.series import SizeProposal, propose_sizes
from renderer.fit.values import FitQuality, VmFit
from renderer.instancetype.catalog import Catalog, CatalogSource
from renderer.instancetype.expand import expand
from renderer.instancetype.virtual_machine import VirtualMachine
from renderer.kubevirt.cluster import Cluster
from renderer.kubevirt.kinds import VM
from renderer.kubevirt.lists import field_changes
from renderer.kubevirt.virtual_machine import VirtualMachineView
from renderer.model.difference import Impact
from renderer.model.json import EMPTY, Json, JsonObject, text_at
from renderer.model.location import Site
from renderer.model.record import Record
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode
from renderer.model.resource import Resource, ResourceSet
from renderer.yamlio.encode import encode

_NOWHERE = Site("")
_MOST_FIELDS = 4
_SERIES = "InstancetypeSeries"


class MachineFit(Record):
    """The answer for one machine; ``impact`` is the effect that the nearest pair would have on it."""

    label: str
    fit: VmFit
    impact: Impact | None = None

    def line(self) -> str:
        """Return the answer as a line for the user."""
        fit = self.fit
        if fit.quality is FitQuality.NONE:
            return f"no fit: {self.label}: no instance type or preference is near"
        if fit.quality is FitQuality.EXACT:
            later = f"; from the next start on {_named(fit.starting)} differ" if fit.starting else ""
            return f"fit: {self.label}: {_pair(fit)}, exactly{later}"
        effect = f"; on the machine: {self.impact.effect} ({self.impact.reason})" if self.impact else ""
        return f"nearest: {self.label}: {_pair(fit)} differs in {_named(fit.differing)}{effect}"


class FittedMachines(Record):
    """The machines that a pair reproduces: ``contents`` by their positions, with the pair.

    ``files`` are those of the sizes that were proposed, text by path; ``sizes`` the names of these.
    """

    contents: Mapping[int, JsonObject] = MappingProxyType({})
    answers: tuple[MachineFit, ...] = ()
    files: Mapping[str, str] = EMPTY
    sizes: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        """Yield lines for the user."""
        for name in self.sizes:
            yield f"proposed: {name}, as several machines have its sizes"
        for answer in self.answers:
            yield answer.line()


def fit_machines(
    contents: Sequence[JsonObject], catalog: Catalog, release: Release, kubevirt: JsonObject
) -> FittedMachines:
    """Fit the VirtualMachines among ``contents`` that name no instance type and no preference."""
    machines = {place: each for place, each in enumerate(contents) if _is_bare(each)}
    proposals = propose_sizes(tuple(machines.values()), catalog, release)
    resources = tuple(resource for each in proposals for resource in each.resources)
    extended = catalog.after(CatalogSource("proposed", ResourceSet(resources)))
    fitter = Fitter(extended, release)
    cluster = Cluster.of(release, kubevirt)
    fitted: dict[int, JsonObject] = {}
    answers: list[MachineFit] = []
    for place, content in machines.items():
        fit = fitter.fit(content)
        label = str(Resource(content, _NOWHERE).current_id)
        if fit.quality is FitQuality.EXACT and fit.supplied:
            fitted[place] = fit.vm
            answers.append(MachineFit(label, fit))
        elif fit.quality is FitQuality.NONE:
            answers.append(MachineFit(label, fit))
        nearest = fit if fit.quality is FitQuality.NEAREST else fit.nearest
        if nearest is not None:
            impact = _impact(content, nearest.vm, extended, release, cluster)
            answers.append(MachineFit(label, nearest, impact))
    names = tuple(f"{text_at(each.manifest, 'kind')} {each.name}" for each in proposals)
    return FittedMachines(fitted, tuple(answers), _files(proposals), names)


def _is_bare(content: JsonObject) -> bool:
    vm = VirtualMachine.of(Resource(content, _NOWHERE))
    return vm is not None and text_at(content, "kind") == VM and not vm.has_matchers


def _impact(
    content: JsonObject, nearest: JsonObject, catalog: Catalog, release: Release, cluster: Cluster
) -> Impact | None:
    """Return the effect on a machine that runs of becoming what the nearest pair makes; None if unknown."""
    resources = ResourceSet((Resource(nearest, _NOWHERE),))
    expanded = expand(resources, catalog, release, ExpandMode.APPLIED)
    if expanded.failed:
        return None
    [after] = expanded.value
    before = Resource(content, _NOWHERE)
    views = VirtualMachineView.of(before), VirtualMachineView.of(after)
    if views[0] is None or views[1] is None:
        return None
    changes = field_changes(before.content, after.content)
    return judge(Views(views[0], views[1], cluster), None, changes).impact


def _files(proposals: Sequence[SizeProposal]) -> Mapping[str, str]:
    """Return the folder of proposed sizes, which is a catalog; nothing without any."""
    if not proposals:
        return {}
    names = {f"{each.name}.yaml": each.manifest for each in proposals}
    series: list[Json] = [name for name, each in names.items() if text_at(each, "kind") == _SERIES]
    others: list[Json] = [name for name in names if name not in series]
    kustomization: dict[str, Json] = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
    }
    fields = (("generators", series), ("resources", others))
    kustomization |= {field: found for field, found in fields if found}
    texts = {name: encode([manifest]) for name, manifest in names.items()}
    texts[KUSTOMIZATION] = encode([kustomization])
    return {posixpath.join(SIZES_FOLDER, name): text for name, text in texts.items()}


def _pair(fit: VmFit) -> str:
    found = (each for each in (fit.instancetype, fit.preference) if each is not None)
    return " and ".join(f"{each.matcher_type.noun} {each.resource.name}" for each in found)


def _named(fields: Iterable[object]) -> str:
    names = list(map(str, fields))
    rest = len(names) - _MOST_FIELDS
    return ", ".join(names) if rest <= 1 else f"{', '.join(names[:_MOST_FIELDS])} and {rest} other fields"
