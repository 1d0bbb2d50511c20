"""List the virtual machines of a project: their names and matchers in Git, and the resulting sizes."""

from __future__ import annotations

from collections.abc import Iterable

from renderer.app.api.values import Findings, Fleet, FleetMachine
from renderer.app.project import Project
from renderer.diff.masking import without_values_in
from renderer.findings.locator import Locator
from renderer.findings.run_findings import RunFindings, locate
from renderer.kubevirt.facts.kinds import MATCHER_KEYS
from renderer.kubevirt.facts.sizes import machine_size
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.kube.json import EMPTY, text_at
from renderer.model.kube.resource import Resource
from renderer.model.masking import Masking
from renderer.model.render_config import ExpandMode, Overlay
from renderer.model.run.taint import taint_masking
from renderer.model.run.work import in_turn
from renderer.pipeline import Pipeline


def fleet_of(project: Project, overlays: Iterable[Overlay]) -> Fleet:
    """Render overlays in memory, and list their virtual machines in the order of overlays and files."""
    pipeline, locator = Pipeline(project.fs, project.config), Locator(project.fs)
    machines: list[FleetMachine] = []
    findings = RunFindings(project.fs, locator=locator)
    for overlay in in_turn(tuple(overlays)):
        outcome = pipeline.render(overlay)
        findings.add(outcome.diagnostics, overlay.path)
        applied = outcome.value
        if overlay.expand is ExpandMode.OFF:
            applied = pipeline.render(overlay._replace(expand=ExpandMode.APPLIED)).value
        # Unexpanded: an expanded machine has no matchers any more.
        written = pipeline.build(overlay._replace(expand=ExpandMode.OFF)).value
        before = {each.current_id: each for each in written}
        secrets = Masking(pipeline.secrets(overlay, (*applied, *written)), others=(taint_masking(),))
        for machine in filter(None, map(VirtualMachineView.of, applied)):
            identity = machine.resource.current_id
            own = (found for found in outcome.diagnostics if found.resource == identity)
            about_it = Findings(locate(project.fs, own, overlay.path, locator))
            machines.append(_machine(overlay, machine, before.get(identity), about_it, secrets))
    return Fleet(tuple(machines), Findings(findings.found()))


def _machine(
    overlay: Overlay,
    machine: VirtualMachineView,
    written: Resource | None,
    findings: Findings,
    secrets: Masking,
) -> FleetMachine:
    view = VirtualMachineView.of(written) if written is not None else None
    spec = view.spec if view is not None else EMPTY
    is_expanded = not findings.errors and not any(machine.spec.get(name) for name in MATCHER_KEYS)
    size = machine_size(machine) if is_expanded else None
    public = VirtualMachineView.of(without_values_in(machine.resource, secrets))
    known = machine_size(public) if public is not None else None
    return FleetMachine(
        overlay=overlay.path,
        kind=machine.kind,
        namespace=secrets.mask(machine.namespace),
        name=secrets.mask(machine.name),
        instancetype=secrets.mask(text_at(spec, "instancetype", "name")),
        preference=secrets.mask(text_at(spec, "preference", "name")),
        run_strategy=secrets.mask(machine.run_strategy),
        replicas=(public or machine).replicas,
        vcpus=size.vcpus if size and known and size.vcpus == known.vcpus else None,
        memory=size.memory if size and known and size.memory == known.memory else None,
        gpus=size and size.gpus,
        findings=findings,
        cluster=overlay.cluster,
    )
