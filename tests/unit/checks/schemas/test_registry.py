from __future__ import annotations

import json
from pathlib import Path

import pytest

from renderer.checks.schemas.kubevirt_kinds import API_VERSIONS_OF_KINDS, KINDS
from renderer.checks.schemas.registry import InputSchemaRegistry, SchemaRegistry
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.model.kube.json import object_at
from renderer.model.kube.res_id import Gvk
from renderer.model.release import LATEST, Release

VM = Gvk("kubevirt.io", "v1", "VirtualMachine")
SPEC_FIELDS = ("properties", "spec", "properties")


def missing(gvk: Gvk, release: Release = LATEST, folder: Path | None = None) -> Diagnostic:
    with pytest.raises(DiagnosticError) as caught:
        SchemaRegistry(folder).schema(release, gvk)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code is Code.SCHEMA_MISSING
    return diagnostic


@pytest.mark.parametrize(
    ("registry", "gvk"),
    [
        (SchemaRegistry, VM),
        (SchemaRegistry, Gvk("cdi.kubevirt.io", "v1beta1", "DataVolume")),
        (SchemaRegistry, Gvk("", "v1", "Secret")),
        (InputSchemaRegistry, VM),
        (InputSchemaRegistry, Gvk("instancetype.kubevirt.io", "v1beta2", "VirtualMachineInstancetype")),
    ],
)
def test_shipped_schema_is_compiled_once_for_all_projects(registry: type[SchemaRegistry], gvk: Gvk) -> None:
    assert registry().schema(LATEST, gvk) is registry().schema(LATEST, gvk)


def test_the_version_does_not_choose_the_schema() -> None:
    registry = SchemaRegistry()
    old = Gvk("kubevirt.io", "v1alpha3", "VirtualMachine")
    assert registry.schema(LATEST, VM) is registry.schema(LATEST, old)


def test_schemas_are_read_lazily(tmp_path: Path) -> None:
    assert SchemaRegistry(tmp_path / "nowhere").knows(VM)


def test_release_without_schemas_names_the_available_ones() -> None:
    diagnostic = missing(VM, Release.parse("2.0"))
    assert diagnostic.message == "there is no schema of VirtualMachine for KubeVirt 2.0"
    assert diagnostic.hint is not None
    assert "kubevirt/2.0/virtualmachine.json" in diagnostic.hint
    assert "0.56" in diagnostic.hint
    assert "1.9" in diagnostic.hint


def test_empty_folder_has_no_releases(tmp_path: Path) -> None:
    diagnostic = missing(VM, folder=tmp_path)
    assert diagnostic.hint == "looked for kubevirt/1.9/virtualmachine.json; there are schemas for no release"


def test_schemas_of_another_folder_are_used(tmp_path: Path) -> None:
    folder = tmp_path / "kubevirt" / "3.1"
    folder.mkdir(parents=True)
    (folder / "virtualmachine.json").write_text(json.dumps({"type": "object", "properties": {"x": {}}}))
    registry = SchemaRegistry(tmp_path)
    assert registry.releases == (Release.parse("3.1"),)
    assert registry.schema(Release.parse("3.1"), VM).document["type"] == "object"


@pytest.mark.parametrize(
    ("gvk", "hint"),
    [
        (Gvk("kubevirt.io", "v1", "VirtualMachin"), "did you mean VirtualMachine?"),
        (Gvk("kubevirt.io", "v1", "virtualmachine"), "did you mean VirtualMachine?"),
        (Gvk("kubevirt.io", "v1", "VirtualMachinePool"), "it is in the group pool.kubevirt.io"),
        (Gvk("pool.kubevirt.io", "v1", "Deployment"), "known kinds: VirtualMachinePool"),
    ],
)
def test_unknown_kind_names_the_nearest(gvk: Gvk, hint: str) -> None:
    diagnostic = missing(gvk)
    assert diagnostic.severity is Severity.ERROR
    assert diagnostic.hint == hint


def test_a_kind_of_kubevirt_without_a_schema_is_a_warning() -> None:
    diagnostic = missing(Gvk("snapshot.kubevirt.io", "v2", "VirtualMachineSnapshot"))
    assert diagnostic.severity is Severity.WARNING


@pytest.mark.parametrize("group", ["", "apps", "cdi.kubevirt.io", "KubeVirt.io"])
def test_other_groups_have_no_schema(group: str) -> None:
    assert not SchemaRegistry().knows(Gvk(group, "v1", "VirtualMachine"))


def test_a_template_request_has_the_fields_of_its_release() -> None:
    def fields(release: Release) -> set[str]:
        gvk = Gvk("template.kubevirt.io", "v1alpha1", "VirtualMachineTemplateRequest")
        return set(object_at(SchemaRegistry().schema(release, gvk).document, *SPEC_FIELDS))

    later = {"templateLabels", "ttlSecondsAfterFinished"}
    assert fields(Release(1, 8)) == {"virtualMachineRef", "templateName"}
    assert fields(LATEST) == fields(Release(1, 8)) | later


@pytest.mark.parametrize("version", ["../v1beta1", "v1beta1/../v1beta1", "", "V1"])
def test_version_is_not_used_as_a_path(version: str) -> None:
    assert SchemaRegistry().other_schema(Gvk("cdi.kubevirt.io", version, "DataVolume")) is None


def test_every_related_kind_has_a_schema_of_its_version() -> None:
    registry = SchemaRegistry()
    missing = {
        kind
        for kind, version in API_VERSIONS_OF_KINDS.items()
        if registry.other_schema(Gvk.parse(version, kind)) is None
    }
    assert missing == {kind.name for kind in KINDS} | {"HyperConverged"}  # by release
