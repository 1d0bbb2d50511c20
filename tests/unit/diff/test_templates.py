"""What a change of a VirtualMachineTemplate, or of a request, does: nothing to what runs, or refused."""

from __future__ import annotations

from renderer.diff.compare import compare_overlay
from renderer.diff.overlay_side import OverlaySide
from renderer.model.difference import Effect, ResourceChange
from renderer.model.kube.json import JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import LATEST


def change_of(kind: str, before: JsonObject, after: JsonObject, versions: tuple[str, str]) -> ResourceChange:
    def side(spec: JsonObject, version: str) -> OverlaySide:
        content: JsonObject = {
            "apiVersion": f"template.kubevirt.io/{version}",
            "kind": kind,
            "metadata": {"name": "golden"},
            "spec": spec,
        }
        return OverlaySide(LATEST, (Resource(content, Site("template.yaml")),))

    [change] = compare_overlay("a", "a", side(before, versions[0]), side(after, versions[1])).changes
    return change


def test_machines_of_a_changed_template_stay_as_they_are() -> None:
    before: JsonObject = {"virtualMachine": {"spec": {"runStrategy": "Always"}}}
    after: JsonObject = {"virtualMachine": {"spec": {"runStrategy": "Halted"}}}
    change = change_of("VirtualMachineTemplate", before, after, ("v1beta1", "v1beta1"))
    assert change.impact is not None
    assert change.impact.effect is Effect.NONE
    assert "stay as they are" in change.impact.reason


def test_the_spec_of_a_request_may_not_change_and_its_api_version_may() -> None:
    before: JsonObject = {"virtualMachineRef": {"name": "a", "namespace": "prod"}}
    after: JsonObject = {"virtualMachineRef": {"name": "b", "namespace": "prod"}}
    kind = "VirtualMachineTemplateRequest"
    refused = change_of(kind, before, after, ("v1beta1", "v1beta1")).impact
    assert refused is not None
    assert refused.effect is Effect.REFUSED
    assert change_of(kind, before, before, ("v1alpha1", "v1beta1")).impact is None
