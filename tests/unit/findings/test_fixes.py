"""A fix is an edit of the one document that writes the field."""

from __future__ import annotations

import pytest

from renderer.files.file_system import MemoryFileSystem
from renderer.findings.located import LocatedFix
from renderer.findings.run_findings import RunFindings, locate
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.field_edit import (
    AddField,
    Edit,
    MoveField,
    RemoveField,
    RemoveItem,
    RenameField,
    SetField,
    apply_edits,
    edited_place,
)
from renderer.model.fix import Fix
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.masking import Masking
from renderer.yamlio.decode import decode_documents
from renderer.yamlio.edit import EditedText, edit_fields

BASE = b"""\
# the database
kind: VirtualMachine
spec:
  running: true
  memory: &size 4GB
  domain:
    cores: 2
  empty:
  disks:
  - name: root
    bus: sata
  - name: data
    bus: sata
"""
PATCH = b"""\
kind: VirtualMachine
spec:
  disks:
  - name: data
    bus: virtoi   # fast
"""
OPERATIONS = b"""\
- op: add
  path: /spec/domain/machine
  value: {type: q35x}
- op: replace
  path: /spec/memory
  value: 8GB
"""
KUSTOMIZATION = b"""\
patches:
- target: {kind: VirtualMachine}
  patch: |-
    kind: VirtualMachine
    spec:
      memory: 16GB
"""
FILES = {"vm.yaml": BASE, "patch.yaml": PATCH, "ops.yaml": OPERATIONS, "kustomization.yaml": KUSTOMIZATION}
INLINE = FieldPath.of("patches", 0, "patch")
SPEC = FieldPath.of("spec")
CODE = Code.SCHEMA


def content(**changed: object) -> JsonObject:
    base = decode_documents(BASE, "")[0]
    assert isinstance(base, dict)
    return apply_edits(base, [SetField(SPEC.child(key), value) for key, value in changed.items()])  # type: ignore[return-value, arg-type]


def vm(*layers: Site, **changed: object) -> Resource:
    return Resource(content(**changed), Site("vm.yaml"), layers)


def fix_of(resource: Resource, *edits: Edit) -> LocatedFix | None:
    finding = Diagnostic.about(
        resource, edited_place(edits[0]), CODE, "wrong", "right", fix=Fix.of(resource, *edits)
    )
    [located] = locate(MemoryFileSystem(FILES), [finding])
    return located.fix


def applied(fix: LocatedFix | None) -> str:
    assert fix is not None
    where = EditedText(fix.document, fix.inline, fix.path == "kustomization.yaml")
    return edit_fields(FILES[fix.path], where, fix.edits).decode()


def test_value_is_replaced_where_it_is_written() -> None:
    disks = [{"name": "root", "bus": "sata"}, {"name": "data", "bus": "virtoi"}]
    patched = vm(Site("patch.yaml"), disks=disks)
    fix = fix_of(patched, SetField(SPEC.child("disks", 1, "bus"), "virtio"))
    at = SPEC.child("disks", 0, "bus")
    assert fix == LocatedFix("patch.yaml", 0, ROOT, (SetField(at, "virtio"),), "virtoi")
    assert "bus: virtio   # fast" in applied(fix)
    fix = fix_of(patched, SetField(SPEC.child("disks", 0, "bus"), "scsi"))
    assert fix == LocatedFix("vm.yaml", 0, ROOT, (SetField(at, "scsi"),), "sata")


def test_value_that_the_file_does_not_have_is_not_replaced() -> None:
    assert fix_of(vm(memory="${SIZE}"), SetField(SPEC.child("memory"), "4Gi")) is None


def test_field_that_another_document_would_bring_back_is_neither_removed_nor_renamed() -> None:
    at = SPEC.child("disks", 1, "bus")
    assert fix_of(vm(), RemoveField(at)) is not None
    assert fix_of(vm(Site("patch.yaml")), RemoveField(at)) is None
    assert fix_of(vm(Site("patch.yaml")), RenameField(at, "cache")) is None


def test_missing_field_is_added_with_the_mappings_around_it() -> None:
    fix = fix_of(
        vm(Site("patch.yaml")), AddField(SPEC.child("domain", "firmware", "bootloader"), "efi", "yes")
    )
    added = AddField(SPEC.child("domain"), "firmware", {"bootloader": {"efi": "yes"}})
    assert fix == LocatedFix("vm.yaml", 0, ROOT, (added,))
    assert '    cores: 2\n    firmware:\n      bootloader:\n        efi: "yes"\n' in applied(fix)
    fix = fix_of(vm(), AddField(SPEC.child("empty"), "a", 1))
    assert fix == LocatedFix("vm.yaml", 0, ROOT, (SetField(SPEC.child("empty"), {"a": 1}),), "")
    assert fix_of(vm(), AddField(SPEC.child("domain"), "cores", 1)) is None


def test_field_is_moved_where_its_mapping_is_written() -> None:
    to = SPEC.child("domain", "memory")
    fix = fix_of(vm(), MoveField(SPEC.child("disks", 1, "bus"), SPEC.child("domain", "bus")))
    assert fix is not None
    assert fix.edits == (MoveField(SPEC.child("disks", 1, "bus"), SPEC.child("domain", "bus")),)
    assert "    cores: 2\n    bus: sata\n" in applied(fix)
    assert fix_of(vm(), MoveField(SPEC.child("memory"), to.child("guest"))) is None


def test_edit_on_which_something_else_depends_is_no_fix() -> None:
    text = b"spec:\n  a: &x 1\n  b: *x\n  c: >\n    folded\n"
    fs = MemoryFileSystem({"vm.yaml": text})
    for name in ("a", "b", "c"):
        finding = Diagnostic.at(Site("vm.yaml"), CODE, "wrong", fix=SetField(SPEC.child(name), 2))
        assert [each.fix for each in locate(fs, [finding])] == [None]


def test_name_that_is_there_as_well_is_not_given_again() -> None:
    assert fix_of(vm(), RenameField(SPEC.child("running"), "memory")) is None


def test_group_is_removed_with_its_last_field() -> None:
    fs = MemoryFileSystem({"vm.yaml": b"spec:\n  a: 1\n  resources:\n    requests: {cpu: 1}\n"})
    edit = RemoveField(SPEC.child("resources", "requests", "cpu"))
    [located] = locate(fs, [Diagnostic.at(Site("vm.yaml"), CODE, "wrong", fix=edit)])
    assert located.fix is not None
    assert located.fix.edits == (RemoveField(SPEC.child("resources")),)


def test_several_edits_name_the_field_that_the_first_one_makes() -> None:
    running, strategy = SPEC.child("running"), SPEC.child("runStrategy")
    fix = fix_of(vm(), RenameField(running, "runStrategy"), SetField(strategy, "Always"))
    assert "  runStrategy: Always\n" in applied(fix)


@pytest.mark.parametrize(
    ("edit", "written", "old"),
    [
        (SetField(SPEC.child("memory"), "8G"), SetField(FieldPath.of(1, "value"), "8G"), "8GB"),
        (RemoveField(SPEC.child("memory")), RemoveItem(FieldPath.of(1)), "8GB"),
        (
            SetField(SPEC.child("domain", "machine", "type"), "q35"),
            SetField(FieldPath.of(0, "value", "type"), "q35"),
            "q35x",
        ),
        (RenameField(SPEC.child("domain", "machine"), "m"), None, None),
    ],
    ids=lambda value: str(value)[:20],
)
def test_value_of_an_operation_is_edited(edit: Edit, written: Edit | None, old: str | None) -> None:
    patched = vm(Site("ops.yaml"), memory="8GB", domain={"cores": 2, "machine": {"type": "q35x"}})
    resource = patched._replace(origin=Site("elsewhere.yaml"))
    assert fix_of(resource, edit) == (written and LocatedFix("ops.yaml", 0, ROOT, (written,), old))


def test_patch_in_a_kustomization_is_edited_as_text() -> None:
    fix = fix_of(
        vm(Site("kustomization.yaml", 0, INLINE), memory="16GB"), SetField(SPEC.child("memory"), "16G")
    )
    assert fix == LocatedFix(
        "kustomization.yaml", 0, INLINE, (SetField(SPEC.child("memory"), "16G"),), "16GB"
    )
    assert applied(fix).endswith("      memory: 16G\n")


def test_document_of_another_kind_is_not_edited() -> None:
    generator = vm()._replace(content={**content(), "kind": "Secret"})
    assert fix_of(generator, AddField(ROOT, "type", "Opaque")) is None


def test_confidential_values_are_in_no_fix() -> None:
    edit = SetField(SPEC.child("memory"), "4Gi")
    finding = Diagnostic.about(vm(), SPEC, CODE, "wrong", fix=edit)
    secret = finding._replace(confidential=(Masking(["4GB"]),))
    [located] = locate(MemoryFileSystem(FILES), [secret])
    assert located.fix is None
    data = Diagnostic.at(Site("vm.yaml"), CODE, "x", fix=SetField(SPEC.child("userData"), "a"))
    [located] = locate(MemoryFileSystem({"vm.yaml": b"spec: {userData: b}\n"}), [data])
    assert located.fix is None


def test_equal_findings_keep_the_fix_that_they_agree_on() -> None:
    def finding(value: str) -> Diagnostic:
        return Diagnostic.about(vm(), SPEC, CODE, "wrong", fix=SetField(SPEC.child("memory"), value))

    run = RunFindings(MemoryFileSystem(FILES))
    for overlay in ("dev", "prod"):
        run.add([finding("4Gi")], overlay)
    [merged] = run.found()
    assert merged.fix is not None
    assert merged.overlays == ("dev", "prod")
    run.add([finding("4G")], "test")
    run.add([finding("4G")], "stage")
    assert [each.fix for each in run.found()] == [None]
