from __future__ import annotations

import hashlib
from typing import Any

import pytest

from renderer.authoring.catalogs.catalog_folder import (
    catalog_folder,
    described_kinds,
    plan_import,
    release_label,
)
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError
from renderer.model.digest_list import SUMS
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import KUSTOMIZATION_FILE

CLUSTER = "virtualmachineclusterinstancetypes.yaml"
PREFERENCES = "virtualmachinepreferences.yaml"
VERSION = "instancetype.kubevirt.io/common-instancetypes-version"


def resource(
    kind: str, name: str, memory: str = "1Gi", group: str = "instancetype.kubevirt.io", **labels: str
) -> Resource:
    content: dict[str, Any] = {
        "apiVersion": f"{group}/v1beta1",
        "kind": kind,
        "metadata": {"name": name, "labels": labels},
        "spec": {"memory": {"guest": memory}},
    }
    return Resource(content, Site("a.yaml"))


BIG = resource("VirtualMachineClusterInstancetype", "big")
ANY = resource("VirtualMachinePreference", "any")
NEW = catalog_folder([BIG, ANY], "ours", "v1.0.0")


def refusal(present: dict[str, bytes], *, force: bool = False) -> tuple[Code, str]:
    with pytest.raises(DiagnosticError) as error:
        plan_import(NEW, present, "catalog/ours", force=force)
    return error.value.diagnostics[0].code, error.value.diagnostics[0].message


def test_a_folder_has_a_file_for_each_kind_and_their_digests() -> None:
    assert [*NEW.files] == [CLUSTER, PREFERENCES, KUSTOMIZATION_FILE, SUMS]
    assert NEW.files[KUSTOMIZATION_FILE].decode().endswith(f"resources:\n- {CLUSTER}\n- {PREFERENCES}\n")
    sums = dict(line.split("  ")[::-1] for line in NEW.files[SUMS].decode().splitlines())
    assert sums == {
        name: hashlib.sha256(NEW.files[name]).hexdigest()
        for name in (CLUSTER, PREFERENCES, KUSTOMIZATION_FILE)
    }
    assert NEW.digest == hashlib.sha256(NEW.files[SUMS]).hexdigest()


def test_the_order_of_the_source_does_not_matter() -> None:
    assert catalog_folder([ANY, BIG, BIG], "ours", "v1.0.0") == NEW


def test_other_kinds_are_left_out() -> None:
    others = [resource("ConfigMap", "a"), resource("VirtualMachinePreference", "b", group="example.org")]

    found = catalog_folder([*others, BIG, resource("ConfigMap", "c")], "ours", "v1.0.0")

    assert found.size == 1
    assert described_kinds(found.left_out) == "2 ConfigMaps, 1 VirtualMachinePreference"


def test_objects_of_one_name_must_be_equal() -> None:
    with pytest.raises(DiagnosticError) as error:
        catalog_folder([BIG, resource("VirtualMachineClusterInstancetype", "big", "2Gi")], "ours", "v1.0.0")
    assert error.value.diagnostics[0].code is Code.DUPLICATE_ID


def test_nothing_to_import_is_an_error() -> None:
    with pytest.raises(DiagnosticError) as error:
        catalog_folder([resource("ConfigMap", "a")], "ours", "v1.0.0")
    assert error.value.diagnostics[0].code is Code.IMPORT_REFUSED


def test_a_bundle_says_which_release_it_is() -> None:
    labelled = resource("VirtualMachinePreference", "a", **{VERSION: "v1.5.1"})
    other = resource("VirtualMachinePreference", "b", **{VERSION: "v1.4.0"})

    assert release_label([labelled, ANY]) == "v1.5.1"
    assert release_label([labelled, other]) is None
    assert release_label([ANY]) is None


def test_existing_files_are_left_alone() -> None:
    mine = {"README.md": b"mine"}

    assert plan_import(NEW, mine, "x", force=False).writes == NEW.files
    assert plan_import(NEW, {**mine, **NEW.files}, "x", force=False) == ({}, ())


def test_foreign_files_are_never_replaced() -> None:
    message = f"catalog/ours/{KUSTOMIZATION_FILE} is in the way, and no import wrote it"

    for force in (False, True):
        assert refusal({KUSTOMIZATION_FILE: b"mine"}, force=force) == (Code.FOREIGN_FILE, message)
    without = NEW.files[SUMS].replace(KUSTOMIZATION_FILE.encode(), b"x.yaml")
    assert refusal({**NEW.files, SUMS: without}, force=True) == (Code.FOREIGN_FILE, message)
    assert refusal({SUMS: b"\xff junk", CLUSTER: b""}, force=True)[0] is Code.FOREIGN_FILE


def test_list_of_digests_names_only_files_of_an_import() -> None:
    digest = hashlib.sha256(b"mine").hexdigest()
    forged = f"{digest}  README.md\n".encode()

    assert plan_import(NEW, {"README.md": b"mine", SUMS: forged}, "x", force=True).removals == ()


def test_killed_import_is_resumed() -> None:
    for count in range(len(NEW.files)):
        begun = dict(list(NEW.files.items())[:count])
        assert plan_import(NEW, begun, "x", force=False).writes == NEW.files


def test_different_content_needs_force() -> None:
    old = catalog_folder(
        [resource("VirtualMachineClusterInstancetype", "big", "2Gi"), BIG][:1], "ours", "v1.0.0"
    )
    instancetypes = catalog_folder([resource("VirtualMachineInstancetype", "a"), BIG, ANY], "ours", "v1.0.0")

    code, message = refusal(dict(old.files))

    assert code is Code.IMPORT_REFUSED
    assert message == (
        "catalog/ours was imported with other content:"
        f" {KUSTOMIZATION_FILE}, {CLUSTER}, {PREFERENCES} would change"
    )
    assert plan_import(NEW, old.files, "x", force=True).writes == NEW.files
    assert plan_import(NEW, instancetypes.files, "x", force=True).removals == (
        "virtualmachineinstancetypes.yaml",
    )


def test_manual_edit_needs_force_to_be_replaced() -> None:
    present = {**NEW.files, CLUSTER: b"edited"}

    assert refusal(present) == (
        Code.IMPORT_REFUSED,
        f"{CLUSTER} in catalog/ours was changed since the import",
    )
    assert plan_import(NEW, present, "x", force=True).writes == NEW.files
