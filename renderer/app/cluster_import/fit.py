"""Find instance types and preferences for imported machines that name none, and propose shared sizes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from renderer.adopt.dump.sources import SIZES_FOLDER
from renderer.adopt.fit.fit import Fitter
from renderer.adopt.fit.series import SizeProposal, propose_sizes
from renderer.adopt.fit.values import FitQuality, FitReport, VmFit
from renderer.diff.compare import compare_overlay
from renderer.diff.overlay_side import OverlaySide
from renderer.kubevirt.facts.kinds import VM
from renderer.kubevirt.facts.stored_values import as_stored, differences
from renderer.kubevirt.facts.virtual_machine import has_matchers, virtual_machine_paths
from renderer.kubevirt.instancetype.catalog import Catalog, CatalogSource
from renderer.kubevirt.instancetype.expand import expand
from renderer.model.difference import Impact
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.record import Record
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode
from renderer.pipeline.vm_changes import ProjectState, VmChanges

_NOWHERE = Site("")


class FittedMachines(Record):
    """The machines that a pair reproduces: ``contents``, by position, with the pair set.

    ``reports`` has the result for each machine that was examined. ``proposals`` are the sizes that several
    machines share.
    """

    contents: Mapping[int, JsonObject] = MappingProxyType({})
    reports: tuple[FitReport, ...] = ()
    proposals: tuple[SizeProposal, ...] = ()


def fit_machines(
    contents: Mapping[int, JsonObject], catalog: Catalog, release: Release, kubevirt: JsonObject
) -> FittedMachines:
    """Fit the VirtualMachines among ``contents`` that name no instance type and no preference.

    A pair is used only if neither a sync nor the next start of the machine changes anything.
    """
    machines = {place: each for place, each in contents.items() if _lacks_matchers(each)}
    fitter = Fitter(catalog, release)
    fits = {place: fitter.fit(content) for place, content in machines.items()}
    others = {place: machines[place] for place, fit in fits.items() if not _has_exact_instancetype(fit)}
    proposals = propose_sizes(tuple(others.values()), catalog, release)
    resources = tuple(resource for each in proposals for resource in each.resources)
    extended = catalog.after(CatalogSource(SIZES_FOLDER, ResourceSet(resources)))
    if proposals:
        fitter = Fitter(extended, release)
        fits |= {place: fitter.fit(content) for place, content in others.items()}
    effects = _Effects(extended, release, kubevirt)
    reports = {place: _fit_report(content, fits[place], effects) for place, content in machines.items()}
    written = {place: fits[place].vm for place, report in reports.items() if report.is_written}
    return FittedMachines(written, tuple(reports.values()), proposals)


def _lacks_matchers(content: JsonObject) -> bool:
    is_machine = virtual_machine_paths(content) is not None and text_at(content, "kind") == VM
    return is_machine and not has_matchers(content)


def _has_exact_instancetype(fit: VmFit) -> bool:
    return fit.quality is FitQuality.EXACT and fit.instancetype is not None and not fit.differing_at_start


def _fit_report(content: JsonObject, fit: VmFit, effects: _Effects) -> FitReport:
    """Return the result; report the nearest pair if only a preference fits that supplies nothing."""
    if fit.quality is FitQuality.EXACT and not fit.supplied:
        fit = fit.nearest or VmFit(FitQuality.NONE, content)
    instancetype, preference = (
        "" if each is None else each.resource.name for each in (fit.instancetype, fit.preference)
    )
    resource = Resource(content, _NOWHERE)
    report = FitReport(
        resource.current_id, fit.quality, instancetype, preference, fit.supplied, fit.differing
    )
    if fit.quality is FitQuality.NONE:
        return report
    if fit.differing_at_start:
        return report._replace(obstacle=f"the next start would change {_joined(fit.differing_at_start)}")
    effect = effects.of(content, fit.vm)
    if fit.quality is FitQuality.NEAREST:
        return report._replace(impact=effect.impact)
    if effect.fields:
        return report._replace(obstacle=f"a sync would write {_joined(effect.fields)}")
    return report


class _Effect(Record):
    """The effect of using a pair: the changed fields, and the impact on the machine."""

    fields: tuple[FieldPath, ...]
    impact: Impact | None = None


class _Effects:
    """The effects on running machines of using another pair."""

    def __init__(self, catalog: Catalog, release: Release, kubevirt: JsonObject) -> None:
        self._catalog = catalog
        self._release = release
        self._kubevirt = kubevirt

    def of(self, content: JsonObject, fitted: JsonObject) -> _Effect:
        """Return the effect on a machine of using its pair."""
        before = Resource(content, _NOWHERE)
        written = ResourceSet((before.with_content(fitted),))
        [after] = expand(written, self._catalog, self._release, ExpandMode.APPLIED).value
        fields = tuple(differences(as_stored(before.content), as_stored(after.content)))
        if not fields:
            return _Effect(())
        old, new = (ProjectState(ResourceSet((each,)), self._catalog) for each in (before, after))
        left, right = (
            OverlaySide(self._release, (each,), kubevirt=self._kubevirt) for each in (before, after)
        )
        compared = compare_overlay("", "", left, right, VmChanges(old, new, self._release))
        return _Effect(fields, next((change.impact for change in compared.changes), None))


def _joined(fields: Iterable[FieldPath]) -> str:
    return ", ".join(map(str, fields))
