"""Defaulted fields are not changes: both sides are compared as the cluster stores them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from renderer.app.comparison.compared_overlay import compare_sides
from renderer.app.comparison.side import Side
from renderer.files.builtin_catalogs import BuiltinFileSystem
from renderer.files.file_system import MemoryFileSystem
from renderer.model.difference import Effect, ResourceChange

RELEASES = [f"1.{minor}" for minor in range(3, 10)]
UPSTREAM = Path(__file__).parents[4] / "shared/catalogs"
PREFERENCE = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterPreference
metadata:
  name: linux
spec:
  devices: {preferredDiskBus: virtio}
"""
VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: db, namespace: shop}
spec:
  runStrategy: Always
  preference: {name: linux}
  template:
    spec:
      domain:
        memory: {guest: 4Gi}
        devices:
          interfaces: [{name: default, masquerade: {}}]
      networks: [{name: default, pod: {}}]
      volumes: [{name: root, containerDisk: {image: "quay.io/containerdisks/fedora:41"}}]
"""


#: The catalog that ships, in place of files.
SHIPPED = None


def side(vm: str, catalog: dict[str, str] | None, release: str, expand: str = "applied") -> Side:
    settings = (
        f'apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\nkubevirt: "{release}"\nexpand: "{expand}"\n'
    )
    listed = "builtin: common-instancetypes" if catalog is SHIPPED else "path: catalog"
    files = {
        "vmrender.yaml": f"{settings}catalogs: [{{{listed}}}]\n",
        "overlays/prod/kustomization.yaml": "resources: [vm.yaml]\n",
        "overlays/prod/vm.yaml": vm,
        **{f"catalog/{path}": text for path, text in (catalog or {}).items()},
    }
    return Side(
        "", BuiltinFileSystem(MemoryFileSystem({path: text.encode() for path, text in files.items()}))
    )


def changes(before: Side, after: Side) -> tuple[ResourceChange, ...]:
    path = "overlays/prod"
    rendered = before.render(path), after.render(path)
    assert [each.errors for each in rendered if each] == [(), ()]
    return compare_sides((before, after), rendered, path, "prod").changes


def own_catalog(preference: str) -> dict[str, str]:
    return {"kustomization.yaml": "resources: [preference.yaml]\n", "preference.yaml": preference}


def template(vm: str, fields: str) -> str:
    return vm.replace("      domain:\n", f"{fields}      domain:\n")


@pytest.mark.parametrize("expand", ["applied", "off"])
@pytest.mark.parametrize("release", RELEASES)
def test_a_preference_that_names_the_architecture_of_the_cluster_changes_nothing(
    release: str, expand: str
) -> None:
    named = f"{PREFERENCE}  preferredArchitecture: amd64\n  machine: {{preferredMachineType: q35}}\n"
    before = side(VM, own_catalog(PREFERENCE), release, expand)
    assert changes(before, side(VM, own_catalog(named), release, expand)) == ()


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("is_written_before", [True, False])
def test_writing_out_defaulted_fields_changes_nothing(release: str, *, is_written_before: bool) -> None:
    written = template(VM, "      architecture: amd64\n").replace(
        "        memory:", "        machine: {type: q35}\n        memory:"
    )
    vms = (written, VM) if is_written_before else (VM, written)
    sides = [side(vm, own_catalog(PREFERENCE), release) for vm in vms]
    assert changes(sides[0], sides[1]) == ()


@pytest.mark.parametrize("release", RELEASES)
def test_another_machine_type_and_a_serial_are_changes(release: str) -> None:
    fields = "        machine: {type: pc-q35-9.0}\n        firmware: {serial: A1}\n        memory:"
    other = VM.replace("        memory:", fields)
    (change,) = changes(*(side(vm, own_catalog(PREFERENCE), release) for vm in (VM, other)))
    assert [str(field.field) for field in change.fields] == [
        "spec.template.spec.domain.firmware",
        "spec.template.spec.domain.machine",
    ]
    assert change.impact
    assert change.impact.effect is Effect.RESTART


@pytest.mark.skipif(not UPSTREAM.is_dir(), reason="the catalogs of common-instancetypes are not here")
@pytest.mark.parametrize("release", RELEASES)
def test_a_newer_common_instancetypes_restarts_no_vm_for_the_architecture(release: str) -> None:
    vm = VM.replace("{name: linux}", "{name: fedora}\n  instancetype: {name: u1.medium}").replace(
        "        memory: {guest: 4Gi}\n", ""
    )
    assert changes(side(vm, _upstream("v1.3.0"), release), side(vm, SHIPPED, release)) == ()


@cache
def _upstream(version: str) -> dict[str, str]:
    top = UPSTREAM / f"common-instancetypes-{version}"
    files = (path for path in top.rglob("*.yaml") if path.is_file())
    return {path.relative_to(top).as_posix(): path.read_text(encoding="utf-8") for path in files}
