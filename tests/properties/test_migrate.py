"""Migrating changes only deprecated fields, and the built output is unchanged."""

from __future__ import annotations

import json

import yaml
from hypothesis import given
from hypothesis import strategies as st

from renderer.app.migrate import MigratedProject, migrate
from renderer.authoring.migration.migrate_file import changed_contents
from renderer.files.file_system import MemoryFileSystem
from renderer.model.field_edit import RenameField, SetField, apply_edits
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject, object_at, without
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode, RenderConfig
from renderer.model.run.work import begin_run
from renderer.pipeline import Pipeline
from renderer.project.overlays import find_overlays
from renderer.yamlio.decode import decode_documents
from renderer.yamlio.edit import EditedText, edit_fields
from tests.properties.examples import examples
from tests.started import machines_start_the_same

comments = st.sampled_from(["", " # running: false", "  # - x: {"])
between = st.sampled_from([[], [""], ["# running: true"], ["  # note", ""]])
others = st.sampled_from(
    [
        "a: 1",
        "b: 'x: y'",
        "c: [1, {running: true}]",
        "d:\n  - running: true",
        "e: |\n    running: true\n\n    x",
    ]
)


@st.composite
def specs(draw: st.DrawFn) -> str:
    """A document with ``spec.running: true`` on a separate line, in some style."""
    indent = draw(st.sampled_from([" ", "  ", "    "]))
    fields = draw(st.lists(others, unique=True, max_size=3))
    fields.insert(
        draw(st.integers(0, len(fields))), "running:" + draw(st.sampled_from([" ", "   "])) + "true"
    )
    lines = ["spec:" + draw(comments)]
    for field in fields:
        lines += draw(between)
        first, *rest = field.split("\n")
        lines.append(indent + first + ("" if first.endswith("|") else draw(comments)))
        lines += [indent + line for line in rest]
    return "\n".join([*lines, *draw(between)])


@given(st.lists(specs(), min_size=1, max_size=3), st.data(), st.sampled_from(["\n", "\r\n"]))
def test_one_line_changes_to_the_intended_value(
    documents: list[str], data: st.DataObject, newline: str
) -> None:
    text = "\n---\n".join(documents) + data.draw(st.sampled_from(["", "\n", "\n\n# end\n"]))
    before = text.replace("\n", newline).encode()
    chosen = data.draw(st.integers(0, len(documents) - 1))
    edits = (
        RenameField(FieldPath.of("spec", "running"), "runStrategy"),
        SetField(FieldPath.of("spec", "runStrategy"), "Always"),
    )
    after = edit_fields(before, EditedText(chosen), edits)
    expected = list(decode_documents(before, "vm.yaml"))
    expected[chosen] = apply_edits(expected[chosen], edits)
    assert list(decode_documents(after, "vm.yaml")) == expected
    pairs = list(zip(before.split(b"\n"), after.split(b"\n"), strict=True))
    [(old, new)] = [(old, new) for old, new in pairs if old != new]
    assert new.replace(b"runStrategy", b"running").replace(b"Always", b"true") == old


POWERS: list[dict[str, Json]] = [
    {},
    {"running": True},
    {"running": False},
    {"running": None},
    {"running": "${ON}"},
    {"running": None, "runStrategy": "Manual"},
    {"runStrategy": "Manual"},
]
START: JsonObject = {"op": "replace", "path": "/spec/running", "value": True}
REMOVE: JsonObject = {"op": "remove", "path": "/spec/running"}
BY_HAND: JsonObject = {"op": "add", "path": "/spec/runStrategy", "value": "Manual"}
OPERATIONS: list[list[JsonObject]] = [[], [START], [REMOVE, BY_HAND], [BY_HAND]]
TOPOLOGIES = ["preferCores", "preferSpread", "preferAny", "preferSockets"]
FIRMWARE_PREFERENCES: list[JsonObject] = [
    {},
    {"preferredUseEfi": True},
    {"preferredUseEfi": True, "preferredUseSecureBoot": False},
    {"preferredUseEfi": True, "preferredUseSecureBoot": True, "preferredUseBios": True},
    {"preferredUseEfi": False, "preferredUseSecureBoot": False},
    {"preferredUseSecureBoot": False},
]
INSTANCETYPE: JsonObject = {
    "apiVersion": "instancetype.kubevirt.io/v1beta1",
    "kind": "VirtualMachineClusterInstancetype",
    "metadata": {"name": "i"},
    "spec": {"cpu": {"guest": 8}, "memory": {"guest": "1Gi"}},
}
FIRMWARES: list[JsonObject] = [{}, {"bootloader": {"efi": {}}}, {"bootloader": {"bios": {}}}]
RELEASES = [Release.parse("1.2"), Release.parse("1.4"), Release.parse("1.9")]


@st.composite
def preferences(draw: st.DrawFn, release: Release) -> JsonObject:
    spec: dict[str, Json] = {"firmware": draw(st.sampled_from(FIRMWARE_PREFERENCES))}
    if draw(st.booleans()):
        spec["preferSpreadSocketToCoreRatio"] = draw(st.sampled_from([0, 2, 4]))
    if draw(st.booleans()):
        spec["cpu"] = {"preferredCPUTopology": draw(st.sampled_from(TOPOLOGIES))}
    if release >= (1, 3) and draw(st.booleans()):
        options: list[Json] = [{"ratio": 2}, {"across": "CoresThreads"}]
        cpu: JsonObject = {"preferredCPUTopology": "preferSpread"}
        spec["cpu"] = {**cpu, "spreadOptions": draw(st.sampled_from(options))}
    version = "v1beta1" if release >= (1, 6) else draw(st.sampled_from(["v1beta1", "v1alpha2"]))
    return {
        "apiVersion": f"instancetype.kubevirt.io/{version}",
        "kind": "VirtualMachineClusterPreference",
        "metadata": {"name": "p"},
        "spec": spec,
    }


@st.composite
def repositories(draw: st.DrawFn, release: Release) -> dict[str, bytes]:
    """A base with a VM and its preference, and two overlays that patch it in either form."""
    version = draw(st.sampled_from(["kubevirt.io/v1", "kubevirt.io/v1alpha3"]))
    firmware = draw(st.sampled_from(FIRMWARES))
    files: dict[str, Json] = {
        "base/kustomization.yaml": {"resources": ["vm.yaml", "instancetype.yaml", "preference.yaml"]},
        "base/instancetype.yaml": INSTANCETYPE,
        "base/vm.yaml": machine(draw(st.sampled_from(POWERS[1:])), version, firmware),
        "base/preference.yaml": draw(preferences(release)),
    }
    for overlay in ("a", "b"):
        patch = json.dumps(draw(st.sampled_from(OPERATIONS)))
        files[f"overlays/{overlay}/kustomization.yaml"] = {
            "resources": ["../../base"],
            "patches": [{"path": "patch.yaml"}, {"target": {"kind": "VirtualMachine"}, "patch": patch}],
        }
        files[f"overlays/{overlay}/patch.yaml"] = {
            "apiVersion": version,
            "kind": "VirtualMachine",
            "metadata": {"name": "vm"},
            "spec": draw(st.sampled_from(POWERS)),
        }
    return {path: yaml.safe_dump(content).encode() for path, content in files.items()}


def machine(spec: JsonObject, version: str, firmware: JsonObject) -> Json:
    domain: JsonObject = {"devices": {}, "features": {"smm": {"enabled": True}}, "firmware": firmware}
    return {
        "apiVersion": version,
        "kind": "VirtualMachine",
        "metadata": {"name": "vm"},
        "spec": {
            **spec,
            "instancetype": {"name": "i"},
            "preference": {"name": "p"},
            "template": {"spec": {"domain": domain}},
        },
    }


def built(files: dict[str, bytes], config: RenderConfig, mode: ExpandMode) -> list[list[JsonObject] | None]:
    """The virtual machines of each overlay; None for one that cannot be built."""
    fs = MemoryFileSystem(files)
    found: list[list[JsonObject] | None] = []
    for overlay in find_overlays(fs, config):
        pipeline = Pipeline(fs, config)
        target = overlay.with_target(None, mode)
        outcome = pipeline.compose(overlay.path) if mode is ExpandMode.OFF else pipeline.build(target)
        vms = [each.content for each in outcome.value if each.kind == "VirtualMachine"]
        found.append(None if outcome.failed else [in_other_words(vm) for vm in vms])
    return found


def in_other_words(vm: JsonObject) -> JsonObject:
    """Return the VM with all its run settings in terms of KubeVirt's API."""
    spec = object_at(vm, "spec")
    strategies = [str(spec[name]) for name in ("running", "runStrategy") if spec.get(name) is not None]
    expected = {{"True": "Always", "False": "Halted"}.get(word, word) for word in strategies}
    rest = without(without(spec, "running"), "runStrategy")
    return {**vm, "apiVersion": "kubevirt.io/v1", "spec": {**rest, "runs": sorted(expected)}}


@examples(0.5)  # each is built several times
@given(st.sampled_from(RELEASES), st.data())
def test_built_output_is_unchanged(release: Release, data: st.DataObject) -> None:
    begin_run()
    files = data.draw(repositories(release))
    config = RenderConfig(kubevirt=release, catalogs=())
    after = {
        **files,
        **changed_contents(migrate(MigratedProject(MemoryFileSystem(files), config, None), ["."])),
    }
    with machines_start_the_same():  # and so does the output for the migrated ones
        for mode in (ExpandMode.OFF, ExpandMode.APPLIED):
            pairs = zip(built(files, config, mode), built(after, config, mode), strict=True)
            assert all(before is None or before == migrated for before, migrated in pairs)
    again = migrate(MigratedProject(MemoryFileSystem(after), config, None), ["."])
    assert not changed_contents(again)


def test_migrated_repository_without_obstacles_has_no_deprecations() -> None:
    files = {
        "overlays/a/kustomization.yaml": b"resources: [vm.yaml]\n",
        "overlays/a/vm.yaml": yaml.safe_dump(machine({"running": True}, "kubevirt.io/v1alpha3", {})).encode(),
    }
    project = MigratedProject(MemoryFileSystem(files), RenderConfig(catalogs=()), None)
    [file] = migrate(project, ["."])
    assert b"runStrategy: Always" in file.content
    assert b"running" not in file.content
    assert b"v1alpha3" not in file.content
