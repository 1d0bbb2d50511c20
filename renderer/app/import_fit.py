"""Find instance types and preferences for imported machines that name none, and propose sizes they share."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from renderer.diff.impact.judge import judge
from renderer.diff.impact.table import Views
from renderer.diff.live.cluster_objects import ClusterObjects
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
from renderer.pipeline.held_changes import ProjectState
from renderer.pipeline.live_machines import LiveMachines
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
        effect = f"; on the machine: {self.impact.effect}, as {self.impact.reason}" if self.impact else ""
        return f"nearest: {self.label}: {_pair(fit)} would change {_named(fit.differing)}{effect}"


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
    fitter = Fitter(catalog, release)
    fits = {place: fitter.fit(content) for place, content in machines.items()}
    others = {place: machines[place] for place, fit in fits.items() if not _has_size(fit)}
    proposals = propose_sizes(tuple(others.values()), catalog, release)
    resources = tuple(resource for each in proposals for resource in each.resources)
    extended = catalog.after(CatalogSource("proposed", ResourceSet(resources)))
    if proposals:
        fitter = Fitter(extended, release)
        fits |= {place: fitter.fit(content) for place, content in others.items()}
    effects = _Effects(extended, release, kubevirt)
    fitted: dict[int, JsonObject] = {}
    answers: list[MachineFit] = []
    for place, content in machines.items():
        fit = fits[place]
        label = str(Resource(content, _NOWHERE).current_id)
        if fit.quality is FitQuality.EXACT and fit.supplied:
            fitted[place] = fit.vm
            answers.append(MachineFit(label, fit))
        elif fit.quality is FitQuality.NONE:
            answers.append(MachineFit(label, fit))
        nearest = fit if fit.quality is FitQuality.NEAREST else fit.nearest
        if nearest is not None:
            answers.append(MachineFit(label, nearest, effects.of(content, nearest.vm)))
    names = tuple(f"{text_at(each.manifest, 'kind')} {each.name}" for each in proposals)
    return FittedMachines(fitted, tuple(answers), _files(proposals), names)


def _is_bare(content: JsonObject) -> bool:
    vm = VirtualMachine.of(Resource(content, _NOWHERE))
    return vm is not None and text_at(content, "kind") == VM and not vm.has_matchers


def _has_size(fit: VmFit) -> bool:
    return fit.quality is FitQuality.EXACT and fit.instancetype is not None


class _Effects:
    """The effects on machines that run of becoming what another pair makes of them."""

    def __init__(self, catalog: Catalog, release: Release, kubevirt: JsonObject) -> None:
        self._catalog = catalog
        self._release = release
        self._cluster = Cluster.of(release, kubevirt)
        state = ProjectState(ResourceSet(), catalog)
        found = (Resource(kubevirt, _NOWHERE),) if kubevirt else ()
        self._machines = LiveMachines(state, release, ClusterObjects(found))

    def of(self, content: JsonObject, nearest: JsonObject) -> Impact | None:
        """Return the effect; None where the other machine cannot be expanded."""
        written = ResourceSet((Resource(nearest, _NOWHERE),))
        expanded = expand(written, self._catalog, self._release, ExpandMode.APPLIED)
        if expanded.failed:
            return None
        before, [after] = Resource(content, _NOWHERE), expanded.value
        views = VirtualMachineView.of(before), VirtualMachineView.of(after)
        if views[0] is None or views[1] is None:
            return None
        synced = self._machines.sync(before, after)
        changes = field_changes(before.content, after.content)
        held = None if synced is None else synced.change
        return judge(Views(views[0], views[1], self._cluster), held, changes).impact


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
