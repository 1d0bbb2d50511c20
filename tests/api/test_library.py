"""The library as users see it: ``import renderer``, and plain values from then on."""

from __future__ import annotations

import json
import subprocess
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

import renderer
from renderer.model.run.limits import limits

FILES = {
    "vmrender.yaml": """\
apiVersion: vmrender.io/v1alpha1
kind: RenderConfig
kubevirt: "1.9"
overlays:
- path: overlays/*
limits: {overlays: 50}
""",
    "overlays/prod/kustomization.yaml": "namespace: shop\nresources: [vm.yaml]\n",
    "overlays/prod/vm.yaml": """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: db}
spec:
  runStrategy: Always
  instancetype: {name: u1.small}
  template: {spec: {domain: {devices: {}}}}
""",
    "overlays/test/kustomization.yaml": "namespace: test\nresources: [vm.yaml]\n",
    "overlays/test/vm.yaml": """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: db}
spec: {runstrategy: Always, template: {spec: {domain: {devices: {}}}}}
""",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> renderer.Project:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "as it was")
    monkeypatch.chdir("/")
    return renderer.open_project(tmp_path / "overlays")


def git(folder: Path, *arguments: str) -> None:
    who = "-c", "user.name=test", "-c", "user.email=test@example.com"
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True)


def test_overlays_are_listed_and_rendered_in_memory(project: renderer.Project) -> None:
    assert [overlay.name for overlay in renderer.list_overlays(project)] == ["prod", "test"]
    prod = renderer.render(project, "prod")
    assert list(prod.files) == ["shop/virtualmachine_db.yaml"]
    assert "sockets: 1" in prod.files["shop/virtualmachine_db.yaml"]
    assert [resource.kind for resource in prod.resources] == ["VirtualMachine"]
    assert prod.findings == ()
    assert not (project.root / "rendered").exists()


def test_findings_have_a_location(project: renderer.Project) -> None:
    test = renderer.render(project, "overlays/test")
    assert not test.files
    assert {(found.code, str(found.location)) for found in test.findings} >= {
        ("unknown-field", "overlays/test/vm.yaml:4:8")
    }
    assert test.findings.errors == tuple(found for found in test.findings if found.severity == "error")
    assert set(renderer.validate(project, "overlays/test")) == set(test.findings)
    assert renderer.validate(project, "overlays/prod") == ()


def test_trees_are_written_and_compared(project: renderer.Project) -> None:
    written = renderer.write(project, "prod")
    assert [(tree.output, tree.created) for tree in written.trees] == [
        ("rendered/prod", ("shop/virtualmachine_db.yaml",))
    ]
    assert renderer.write(project, "prod", check=True).findings == ()
    (project.root / "rendered/prod/shop/virtualmachine_db.yaml").write_text("edited")
    stale = renderer.write(project, "prod", check=True).findings
    assert [found.code for found in stale] == ["foreign-file"]


def test_a_change_is_compared_with_a_revision(project: renderer.Project) -> None:
    file = project.root / "overlays/prod/vm.yaml"
    file.write_text(FILES["overlays/prod/vm.yaml"].replace("u1.small", "u1.large"))
    compared = renderer.compare(project, "HEAD", overlays=["prod"])
    [overlay] = compared.difference.overlays
    assert [(change.type, change.id.name) for change in overlay.changes] == [("changed", "db")]
    with pytest.raises(renderer.DiagnosticError, match="no-such"):
        renderer.compare(project, "no-such")


def test_raised_findings_have_lines_like_returned_ones(project: renderer.Project) -> None:
    config = project.root / "vmrender.yaml"
    config.write_text(FILES["vmrender.yaml"].replace("overlays/*", "overlays/gone"))
    with pytest.raises(renderer.DiagnosticError) as raised:
        renderer.list_overlays(renderer.open_project(project.root))
    [found] = raised.value.diagnostics
    assert isinstance(found, renderer.Diagnostic)
    assert str(found.location) == "vmrender.yaml:5:9"

    config.write_text(FILES["vmrender.yaml"].replace('"1.9"', "never"))
    with pytest.raises(renderer.DiagnosticError) as raised:
        renderer.open_project(project.root)
    assert [str(each.location) for each in raised.value.diagnostics] == ["vmrender.yaml:3:11"]


VM: dict[str, Any] = {
    "apiVersion": "kubevirt.io/v1",
    "kind": "VirtualMachine",
    "metadata": {"name": "db"},
    "spec": {
        "runStrategy": "Always",
        "instancetype": {"name": "ours", "kind": "VirtualMachineInstancetype"},
        "template": {"spec": {"domain": {"devices": {}}}},
    },
}
OURS: dict[str, Any] = {
    "apiVersion": "instancetype.kubevirt.io/v1beta1",
    "kind": "VirtualMachineInstancetype",
    "metadata": {"name": "ours"},
    "spec": {"cpu": {"guest": 3}, "memory": {"guest": "5Gi"}},
}


def test_expanded_dictionary_is_a_new_one() -> None:
    given, catalog = deepcopy(VM), deepcopy([OURS])
    expanded = renderer.expand(given, catalog, kubevirt="1.8")
    assert (given, catalog) == (VM, [OURS])
    assert expanded.findings == ()
    assert expanded.manifest
    spec = expanded.manifest["spec"]
    assert "instancetype" not in spec
    assert spec["template"]["spec"]["domain"]["memory"] == {"guest": "5Gi"}
    assert spec["template"]["spec"]["domain"]["cpu"] == {"sockets": 3, "cores": 1, "threads": 1}
    spec["template"]["spec"]["domain"]["cpu"]["sockets"] = 99
    again = renderer.expand(given, catalog, kubevirt="1.8").manifest
    assert again
    assert again["spec"]["template"]["spec"]["domain"]["cpu"]["sockets"] == 3


def test_a_dictionary_is_expanded_with_the_catalogs_of_a_project(project: renderer.Project) -> None:
    assert renderer.expand(VM, project=project).manifest is None
    (project.root / "catalog").mkdir()
    (project.root / "catalog/ours.yaml").write_text(json.dumps(OURS))
    (project.root / "catalog/kustomization.yaml").write_text("resources: [ours.yaml]")
    settings = project.root / "vmrender.yaml"
    settings.write_text(settings.read_text() + "catalogs: [{path: catalog}]\n")
    in_default = {**VM, "metadata": {"name": "db", "namespace": "default"}}
    ours = {**OURS, "metadata": {"name": "ours", "namespace": "default"}}
    (project.root / "catalog/ours.yaml").write_text(json.dumps(ours))
    assert renderer.expand(in_default, project=renderer.open_project(project.root)).manifest


def test_invalid_dictionary_is_a_finding() -> None:
    refused = renderer.expand(VM)
    assert refused.manifest is None
    assert [found.code for found in refused.findings] == ["instancetype-not-found"]
    assert [found.code for found in renderer.validate_object(VM)] == ["instancetype-not-found"]
    assert renderer.validate_object(VM, [OURS]) == ()
    assert renderer.expand({}).findings.errors
    assert renderer.validate_object({"kind": "VirtualMachine"}).errors
    misspelt = deepcopy(VM)
    misspelt["spec"]["template"]["spec"]["domain"]["cpus"] = 2
    [found] = renderer.validate_object(misspelt, [OURS])
    assert (found.code, str(found.field), str(found.location)) == (
        "unknown-field",
        "spec.template.spec.domain.cpus",
        "(object).yaml",
    )


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, object(), 1j])
def test_values_outside_json_are_refused(value: object) -> None:
    with pytest.raises(ValueError, match="cannot be written as JSON"):
        renderer.expand({**VM, "spec": value})


def test_deep_nesting_is_refused() -> None:
    deep: dict[str, Any] = {}
    for _ in range(5000):
        deep = {"a": deep}
    try:
        refused = renderer.expand({**VM, "spec": deep})
    except ValueError as error:
        assert "cannot be written as JSON" in str(error)  # noqa: PT017 - either is right, by Python's version
    else:
        assert [found.code for found in refused.findings] == ["yaml-limit"]


def test_unknown_releases_and_modes_are_refused(project: renderer.Project) -> None:
    for call in (
        lambda: renderer.expand(VM, kubevirt="0.1"),
        lambda: renderer.validate(project, kubevirt="0.1"),
        lambda: renderer.validate_object(VM, kubevirt="0.1"),
        lambda: renderer.compare_objects([], [], kubevirt="0.1"),
    ):
        with pytest.raises(ValueError, match=r"0\.1"):
            call()
    with pytest.raises(ValueError, match="everything"):
        renderer.expand(VM, mode="everything")


def test_states_of_objects_are_compared() -> None:
    larger = {**OURS, "spec": {"cpu": {"guest": 4}, "memory": {"guest": "5Gi"}}}
    halted = {**VM, "spec": {**VM["spec"], "runStrategy": "Halted"}}
    [overlay] = renderer.compare_objects([VM, OURS], [VM, larger]).difference.overlays
    assert {change.id.gvk.kind: change.impact and change.impact.effect for change in overlay.changes}
    [stopped] = renderer.compare_objects([VM], [halted], [OURS]).difference.overlays
    assert [change.impact and change.impact.effect for change in stopped.changes] == ["stop"]
    [nothing] = renderer.compare_objects([], [VM], [OURS], kubevirt="1.7").difference.overlays
    assert [(change.type, str(change.id)) for change in nothing.changes] == [("added", "VirtualMachine db")]
    assert str(nothing.releases[1]) == "1.7"


def test_the_fleet_is_listed(project: renderer.Project) -> None:
    fleet = renderer.list_fleet(project)
    assert [machine[:7] for machine in fleet.machines] == [
        ("overlays/prod", "VirtualMachine", "shop", "db", "u1.small", "", "Always"),
        ("overlays/test", "VirtualMachine", "test", "db", "", "", "Always"),
    ]
    good, bad = fleet.machines
    assert (good.replicas, good.vcpus, good.memory, good.gpus) == (1, 1, 2 << 30, 0)
    assert (bad.vcpus, bad.memory) == (None, None)
    assert "unknown-field" in [found.code for found in bad.findings]
    assert set(bad.findings) == set(fleet.findings)
    assert renderer.list_fleet(project, "prod").machines == (good,)


def test_machines_of_overlays_that_are_not_expanded_have_their_size(project: renderer.Project) -> None:
    settings = project.root / "vmrender.yaml"
    settings.write_text(settings.read_text() + 'expand: "off"\n')
    [machine] = renderer.list_fleet(renderer.open_project(project.root), "prod").machines
    assert (machine.instancetype, machine.vcpus, machine.memory) == ("u1.small", 1, 2 << 30)


def test_fields_and_codes_are_explained(project: renderer.Project) -> None:
    history = renderer.explain(project, "vm/db", "spec.template.spec.domain.cpu.sockets", overlay="prod")
    assert [field.value for field in history.fields] == [1]
    assert "u1.yaml" in str(history.fields[0].steps)
    with pytest.raises(renderer.UsageError, match="nobody"):
        renderer.explain(project, "vm/nobody", overlay="prod")
    assert renderer.explain_code("conflict").summary


def test_limits_of_a_project_do_not_affect_others(project: renderer.Project) -> None:
    file = project.root / "vmrender.yaml"
    file.write_text(file.read_text().replace("overlays: 50", "overlays: 1"))
    before = limits()
    with pytest.raises(renderer.DiagnosticError, match="2 overlays, more than 1"):
        renderer.render(renderer.open_project(project.root), "prod")
    assert limits() == before
