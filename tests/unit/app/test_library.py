"""The library as its user has it: ``import renderer``, and plain values from then on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import renderer
from renderer.model.json import object_at
from renderer.model.limits import limits

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


def test_findings_have_their_place(project: renderer.Project) -> None:
    test = renderer.render(project, "overlays/test")
    assert not test.files
    assert {(found.code, str(found.location)) for found in test.findings} >= {
        ("unknown-field", "overlays/test/vm.yaml:4:8")
    }
    validated = renderer.validate(project, "overlays/test")
    assert validated.overlays == ("overlays/test",)
    assert set(validated.findings) == set(test.findings)
    assert renderer.validate(project, "overlays/prod").findings == ()


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


def test_documents_are_expanded(project: renderer.Project) -> None:
    expanded = renderer.expand(project, {"vm.yaml": FILES["overlays/prod/vm.yaml"]}, kubevirt="1.8")
    [vm] = expanded.resources
    assert "instancetype" not in object_at(vm.content, "spec")
    refused = renderer.expand(project, {"vm.yaml": FILES["overlays/test/vm.yaml"]})
    assert not refused.resources
    assert str(refused.findings[0].location).startswith("vm.yaml:4")
    with pytest.raises(ValueError, match=r"0\.1"):
        renderer.expand(project, {}, kubevirt="0.1")


def test_fields_and_codes_are_explained(project: renderer.Project) -> None:
    history = renderer.explain(project, "vm/db", "spec.template.spec.domain.cpu.sockets", overlay="prod")
    assert [field.value for field in history.fields] == [1]
    assert "u1.yaml" in str(history.fields[0].steps)
    with pytest.raises(renderer.UsageError, match="nobody"):
        renderer.explain(project, "vm/nobody", overlay="prod")
    assert renderer.explain_code("conflict").summary


def test_limits_of_a_project_are_its_own(project: renderer.Project) -> None:
    file = project.root / "vmrender.yaml"
    file.write_text(file.read_text().replace("overlays: 50", "overlays: 1"))
    before = limits()
    with pytest.raises(renderer.DiagnosticError, match="2 overlays, more than 1"):
        renderer.render(renderer.open_project(project.root), "prod")
    assert limits() == before


def test_every_public_name_is_there_typed_and_documented() -> None:
    for name in renderer.__all__:
        assert getattr(renderer, name).__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        renderer.nothing  # type: ignore[attr-defined] # noqa: B018 - it is the test


def test_importing_the_package_imports_nothing_else() -> None:
    code = "import sys; before = set(sys.modules); import renderer; print(*sorted(set(sys.modules) - before))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["renderer"]
