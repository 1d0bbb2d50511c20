"""A command pays for what it does: a build imports no unused modules."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BUILD = """
import sys
from renderer.cli.app import main
sys.argv = ["vmrender", "build", "--expand", "off", "."]
try:
    main()
finally:
    print("modules:", *sys.modules)
"""
VIRTUAL_MACHINE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec: {template: {spec: {}}}
"""
#: Stages and libraries, with all that is in them.
RARELY_USED = (
    "renderer.kubevirt.admission",
    "renderer.authoring.catalogs",
    "renderer.kubevirt.instancetype",
    "renderer.report.text",
    "renderer.checks.rules",
    "renderer.findings.locator",
    "renderer.gitops.substitution",
    "renderer.authoring.templates",
    "renderer.checks.schemas",
    "difflib",
    "hashlib",
    "jinja2",
    "json",
    "jsonschema_rs",
)


@pytest.fixture
def overlay(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "kustomization.yaml").write_text("resources: [vm.yaml]\nnamePrefix: a-\n")
    (tmp_path / "vm.yaml").write_text(VIRTUAL_MACHINE)
    return tmp_path


def imported(folder: Path, build: str = BUILD) -> set[str]:
    run = subprocess.run(
        [sys.executable, "-c", build], capture_output=True, text=True, check=True, cwd=folder
    )
    manifests, _, modules = run.stdout.partition("modules:")
    assert "name: a-web" in manifests
    return set(modules.split())


def test_plain_build_imports_little(overlay: Path) -> None:
    assert not {name for name in imported(overlay) if name.startswith(RARELY_USED)}


def test_catalogs_are_imported_only_to_expand_or_validate(overlay: Path) -> None:
    spec = "{runStrategy: Halted, instancetype: {name: u1.small}, template: {spec: {domain: {devices: {}}}}}"
    (overlay / "vm.yaml").write_text(VIRTUAL_MACHINE.replace("{template: {spec: {}}}", spec))

    assert "renderer.kubevirt.instancetype" not in imported(overlay)
    assert "renderer.kubevirt.instancetype" in imported(overlay, BUILD.replace('"--expand", "off", ', ""))
    assert "renderer.kubevirt.instancetype" in imported(
        overlay, BUILD.replace('"off"', '"off", "--validate"')
    )


def test_jinja_is_imported_only_for_templates(overlay: Path) -> None:
    (overlay / "kustomization.yaml").write_text(
        "resources: [vm.yaml]\nnamePrefix: a-\ngenerators: [g.yaml]\n"
    )
    head = "apiVersion: vmrender.io/v1alpha1\nmetadata: {name: x}\n"
    sizes = "kind: InstancetypeSeries\nspec: {sizes: [{name: s, vcpus: 1, memory: 1Gi}]}\n"
    (overlay / "g.yaml").write_text(head + sizes)
    assert "jinja2" not in imported(overlay)

    (overlay / "t.j2").write_text("kind: A\nmetadata: {name: b}\n")
    (overlay / "g.yaml").write_text(head + "kind: Template\nspec: {template: t.j2}\n")
    assert "jinja2" in imported(overlay)
