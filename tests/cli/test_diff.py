"""``vmrender diff`` in a repository of the real git."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from renderer.cli.app import main
from tests.cli.diff_repositories import PROJECT, SCHEMA
from tests.cli.git_work_tree import commit, git, init, write

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

FORMATS = ("text", "json", "markdown", "html")
VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: db, namespace: prod}
spec:
  runStrategy: Always
  instancetype: {name: u1.small}
  template:
    spec:
      domain:
        devices:
          interfaces: [{name: default, masquerade: {}}]
      networks: [{name: default, pod: {}}]
"""
FILES = {
    "vmrender.yaml": PROJECT,
    "overlays/prod/kustomization.yaml": "resources: [vm.yaml]\n",
    "overlays/prod/vm.yaml": VM,
}


SOURCES = FILES.keys() - {"vmrender.yaml"}


@dataclass(frozen=True)
class Run:
    exit: int
    stdout: str
    stderr: str


@pytest.fixture
def folder(folder: Path) -> Path:
    commit(folder, FILES)
    return folder


def run(*arguments: str) -> Run:
    result = CliRunner(catch_exceptions=False).invoke(main, ["diff", *arguments], prog_name="vmrender")
    return Run(result.exit_code, result.stdout, result.stderr)


def test_without_a_project_file_both_sides_are_rendered_as_by_render(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = init(tmp_path / "plain")
    commit(repository, {"vms/db.yaml": VM})
    write(repository, {"vms/db.yaml": VM.replace("u1.small", "u1.medium")})
    monkeypatch.chdir(repository)
    found = run()
    assert found.stderr == ""
    assert "1 changed (1 overlay)" in found.stdout
    assert "1 changed (1 overlay)" in run("--since", "HEAD").stdout


def test_without_a_project_file_what_can_no_longer_be_built_is_not_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = init(tmp_path / "plain")
    both = {
        "base/kustomization.yaml": "resources: [vm.yaml]\n",
        "base/vm.yaml": VM,
        "sites/a/kustomization.yaml": "resources: [../../base]\n",
        "sites/b/kustomization.yaml": "resources: [../../base]\npatches: [path: patch.yaml]\n",
        "sites/b/patch.yaml": "kind: VirtualMachine\napiVersion: kubevirt.io/v1\n"
        "metadata: {name: db, namespace: prod, labels: {site: b}}\n",
        "sites/c/kustomization.yaml": "resources: [gone.yaml]\n",
    }
    commit(repository, both)
    write(repository, {"base/vm.yaml": VM.replace("name: db", "name: web")})
    monkeypatch.chdir(repository)
    found = run()
    assert "sites/b/patch.yaml" in found.stderr
    assert found.stdout.startswith("NOT COMPARED: sites/b; DATA: prod/db -> prod/web is replaced\n")
    assert "sites/c" not in found.stdout


def test_without_a_project_file_and_machines_nothing_is_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = init(tmp_path / "plain")
    commit(repository, {"read.me": "a"})
    commit(repository, {"vms/db.yaml": VM})
    (repository / "vms/db.yaml").unlink()
    commit(repository, {"read.me": "b"})
    monkeypatch.chdir(repository)
    assert run("HEAD~2", "HEAD") == Run(
        0, "", "HEAD~2 and HEAD have no vmrender.yaml, and nothing to render\n"
    )
    assert "1 removed (1 overlay)" in run("HEAD~1", "HEAD").stdout


def test_a_revision_from_before_the_project_file_is_read_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = init(tmp_path / "new")
    kustomization = FILES["overlays/prod/kustomization.yaml"]
    commit(repository, {"vms/db/kustomization.yaml": kustomization, "vms/db/vm.yaml": VM})
    commit(repository, {"vms/db/vm.yaml": VM.replace("u1.small", "ours")})
    size = "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\n"
    size += "metadata: {name: ours}\nspec: {cpu: {guest: 1}, memory: {guest: 4Gi}}\n"
    settings = PROJECT.replace("1.9", "1.6") + "catalogs: [path: sizes, builtin: common-instancetypes]\n"
    write(repository, {"vmrender.yaml": f"{settings}overlays: [path: vms/db]\n", "sizes/vm.yaml": size})
    write(repository, {"sizes/kustomization.yaml": kustomization})
    monkeypatch.chdir(repository)
    note = "{} has no vmrender.yaml: it is read with that of work tree\n"
    assert run() == Run(0, "", note.format("HEAD")), "nothing is new, and the cluster is not upgraded"
    write(repository, {"vmrender.yaml": f"{settings}overlays: [path: vms/db, path: new, path: 'other/*']\n"})
    write(repository, {"new/kustomization.yaml": kustomization, "new/vm.yaml": VM})
    write(repository, {"other/x/kustomization.yaml": kustomization, "other/x/vm.yaml": VM.replace("db", "x")})
    found = run("--each", "HEAD~1")
    assert found.stderr == note.format("HEAD~1")
    assert "2 added, 1 changed (3 overlays)" in found.stdout
    assert "spec.template.spec.domain.memory.guest: 2Gi -> 4Gi" in found.stdout


def test_a_catalog_beside_the_repository_is_in_no_revision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = init(tmp_path / "new")
    commit(repository, {"apps/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"})
    settings = f"{PROJECT}catalogs: [path: ../sizes]\noverlays: [path: apps]\n"
    write(repository, {"vmrender.yaml": settings})
    monkeypatch.chdir(repository)
    assert run() == Run(0, "", "HEAD has no vmrender.yaml: it is read with that of work tree\n")


def resize(folder: Path, name: str) -> None:
    write(folder, {"overlays/prod/vm.yaml": VM.replace("u1.small", name)})


def test_equal_sides_have_no_difference(folder: Path) -> None:
    del folder
    assert run() == Run(0, "", "")


def test_the_work_tree_is_compared_with_head(folder: Path) -> None:
    resize(folder, "u1.medium")
    assert run() == Run(
        1,
        """\
prod/db changes with its next live migration
HEAD -> work tree

1 changed (1 overlay)
virtual machines: 1 at the next live migration
judged as if each virtual machine had been started from HEAD
memory  2Gi -> 4Gi

live migrations
  changed VirtualMachine prod/db: at the next live migration
    by overlays/prod/vm.yaml:6
    spec.template.spec.domain.memory.guest: 2Gi -> 4Gi
      at the next live migration: the memory is plugged in by a live migration; nobody starts it unless \
workloadUpdateMethods of the cluster say so

overlays/prod (KubeVirt 1.9)
""",
        "",
    )
    assert run("--exit-zero").exit == 0


def test_two_revisions_are_compared_from_their_merge_base(folder: Path) -> None:
    git(folder, "checkout", "--quiet", "-b", "feature")
    resize(folder, "u1.medium")
    commit(folder, {})
    git(folder, "checkout", "--quiet", "main")
    resize(folder, "u1.large")
    base = git(folder, "rev-parse", "HEAD")
    commit(folder, {})

    for revisions in (("main", "feature"), ("main..feature",)):
        assert "memory.guest: 8Gi -> 4Gi" in run(*revisions).stdout
    parted = run("main...feature").stdout
    assert parted.splitlines()[1] == f"{base[:12]} (merge base of main) -> feature"
    assert "memory.guest: 2Gi -> 4Gi" in parted
    assert "memory.guest: 4Gi -> 8Gi" in run("feature").stdout
    assert run("main", "main") == Run(0, "", "")


def test_added_removed_and_renamed_resources_are_listed(folder: Path) -> None:
    generator = "configMapGenerator: [{name: settings, literals: [a=%s]}]\n"
    kustomization = "resources: [vm.yaml]\n"
    commit(folder, {"overlays/prod/kustomization.yaml": kustomization + generator % 1})
    other = VM.replace("name: db", "name: web")
    write(
        folder,
        {
            "overlays/prod/kustomization.yaml": "resources: [other.yaml]\n" + generator % 2,
            "overlays/prod/other.yaml": other.replace("u1.small", "u1.large"),
        },
    )
    text = run().stdout
    assert "  removed VirtualMachine prod/db: deleted\n" in text
    assert "  added VirtualMachine prod/web\n" in text
    assert "  renamed ConfigMap settings-" in text
    write(folder, {"overlays/prod/other.yaml": other})
    assert "  renamed VirtualMachine prod/db -> prod/web: replaced\n" in run().stdout


ROOT_DISK = "      volumes: [{name: root, dataVolume: {name: root}}]\n"
ROOT_TEMPLATE = """\
  dataVolumeTemplates:
    - metadata: {name: root}
      spec: {source: {blank: {}}, storage: {resources: {requests: {storage: 1Gi}}}}
"""
OF_THE_OLD = "with disks that the old VM owns, and that may be deleted with it: DataVolume root"


@pytest.mark.parametrize(
    ("vm", "kustomization", "disks"),
    [
        (VM, "namePrefix: x-", "with new disks"),
        (VM + ROOT_DISK, "namePrefix: x-", "with the same disks: root"),
        (VM + ROOT_DISK + ROOT_TEMPLATE, "namePrefix: x-", OF_THE_OLD),
        (VM + ROOT_DISK + ROOT_TEMPLATE, "namespace: other", "with new disks"),
    ],
    ids=["none", "shared", "owned", "another namespace"],
)
def test_a_renamed_machine_keeps_the_disks_with_equal_names(
    folder: Path, vm: str, kustomization: str, disks: str
) -> None:
    commit(folder, {"overlays/prod/vm.yaml": vm})
    write(folder, {"overlays/prod/kustomization.yaml": f"resources: [vm.yaml]\n{kustomization}\n"})
    found = json.loads(run("--format", "json").stdout)["overlays"][0]["changes"][0]
    assert found["type"] == "renamed"
    where = "under the new name" if "namePrefix" in kustomization else "in the namespace other"
    assert found["impact"]["reason"] == f"another VM is created {where}, {disks}"


def test_refused_vm_does_not_stop_the_comparison(folder: Path) -> None:
    write(
        folder,
        {"overlays/prod/vm.yaml": VM.replace("domain:\n", "domain:\n        memory: {guest: 1Gi}\n")},
    )
    result = run()
    assert result.exit == 1
    assert "changed VirtualMachine prod/db: refused" in result.stdout
    assert "overlays/prod/vm.yaml:10:18: error[conflict]" in result.stderr
    assert run("--exit-zero").exit == 1


@pytest.mark.parametrize("output_format", FORMATS)
def test_update_that_a_webhook_refuses_is_said(folder: Path, output_format: str) -> None:
    disk = (
        "apiVersion: cdi.kubevirt.io/v1beta1\nkind: DataVolume\nmetadata: {name: root, namespace: prod%s}\n"
    )
    disk += "spec: {source: {http: {url: 'https://images.example.org/%s'}}, storage: {}}\n"
    commit(
        folder,
        {
            "overlays/prod/disk.yaml": disk % ("", "v1"),
            "overlays/prod/kustomization.yaml": "resources: [vm.yaml, disk.yaml]\n",
        },
    )
    write(folder, {"overlays/prod/disk.yaml": disk % ("", "v2")})
    result = run("--format", output_format)
    assert result.exit == 1
    assert "the disk was filled from it; a DataVolume under another name is filled anew" in result.stdout
    force = ", annotations: {kustomize.toolkit.fluxcd.io/force: enabled}"
    write(folder, {"overlays/prod/disk.yaml": disk % (force, "v2")})
    assert "deletes it and creates it again, with what it holds" in run("--format", output_format).stdout


def test_refused_objects_are_counted_apart_from_machines(folder: Path) -> None:
    claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data, namespace: prod}\n"
    claim += "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: %s}}}\n"
    commit(
        folder,
        {
            "overlays/prod/data.yaml": claim % "20Gi",
            "overlays/prod/kustomization.yaml": "resources: [vm.yaml, data.yaml]\n",
        },
    )
    write(folder, {"overlays/prod/data.yaml": claim % "10Gi"})
    assert "\nother objects: 1 refused\n" in run().stdout
    assert json.loads(run("--format", "json").stdout)["summary"]["otherObjects"] == {"refused": 1}


def test_a_mistake_in_a_base_counts_once_with_all_its_overlays(folder: Path) -> None:
    overlays = {
        f"overlays/{name}/kustomization.yaml": "resources: [../../base]\n" for name in ("prod", "dev", "test")
    }
    base = {"base/kustomization.yaml": "resources: [vm.yaml]\n", "base/vm.yaml": VM}
    commit(folder, base | overlays)
    write(folder, {"base/vm.yaml": VM.replace("runStrategy", "runing")})
    result = run()
    assert result.stderr.count("base/vm.yaml:5:3") == 1
    assert "also:" not in result.stderr
    assert result.stderr.endswith("1 error\n")


def test_overlay_that_cannot_be_rendered_does_not_stop_the_others(folder: Path) -> None:
    staging = {name.replace("prod", "staging"): text for name, text in FILES.items()}
    commit(folder, staging)
    write(folder, {"overlays/staging/vm.yaml": "a: [\n"})
    resize(folder, "u1.medium")
    result = run()
    assert result.exit == 1
    assert "not compared: it cannot be rendered in work tree" in result.stdout
    assert "memory.guest: 2Gi -> 4Gi" in result.stdout
    assert "overlays/staging/vm.yaml:1:4: error[yaml-syntax]" in result.stderr


def test_change_may_fix_a_broken_overlay(folder: Path) -> None:
    commit(folder, {"overlays/prod/vm.yaml": "a: [\n"})
    write(folder, FILES)
    result = run()
    assert result.exit == 1
    assert "not compared: it cannot be rendered in HEAD" in result.stdout
    assert "HEAD:overlays/prod/vm.yaml:1:4: error[yaml-syntax]" in result.stderr


def test_added_and_removed_overlays_are_compared(folder: Path) -> None:
    write(folder, {name.replace("prod", "staging"): text for name, text in FILES.items()})
    assert "  added VirtualMachine prod/db in overlays/staging\n" in run().stdout
    assert run("--overlay", "prod") == Run(0, "", "")
    assert "  added " in run("--overlay", "staging").stdout
    shutil.rmtree(folder / "overlays/prod")
    assert "  removed VirtualMachine prod/db: deleted\n" in run("--overlay", "prod").stdout


def test_each_side_has_its_own_project_file(folder: Path) -> None:
    write(folder, {"vmrender.yaml": PROJECT.replace("1.9", "1.8")})
    assert "machine type" not in run().stdout
    write(folder, {"vmrender.yaml": PROJECT.replace("1.9", "1.7")})
    found = run().stdout
    assert "overlays/prod (KubeVirt 1.9 -> 1.7)\n" in found
    assert "machine type: q35 (the newest of QEMU 10.1) -> q35 (the newest of QEMU 9.1)" in found


@pytest.mark.parametrize("release", ["1.4", "1.3", "1.0"])
@pytest.mark.parametrize("is_changed", [False, True])
def test_older_release_admits_what_the_newer_one_chose_at_random(
    folder: Path,
    release: str,
    is_changed: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    write(folder, {"vmrender.yaml": PROJECT.replace("1.9", release)})
    if is_changed:
        resize(folder, "u1.medium")
    found = run()
    assert "start again" not in found.stdout
    assert run("--fail-on", "no-start,refused").exit == 0

    serial = VM.replace("domain:", "domain:\n        firmware: {serial: not a serial}")
    write(folder, {"overlays/prod/vm.yaml": serial})
    assert run("--fail-on", "no-start,refused").exit == 1


@pytest.mark.parametrize(
    "settings",
    [
        'kubevirt: "1.2"\n',
        (
            'kubevirt: "1.4"\nclusters: [{name: east, kubevirt: "1.2"}]\n'
            "overlays: [{path: overlays/prod, cluster: east}]\n"
        ),
        'kubevirt: "1.4"\noverlays: [{path: overlays/prod, kubevirt: "1.2"}]\n',
    ],
)
def test_newer_side_is_rendered_for_another_release(folder: Path, settings: str) -> None:
    head = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n"
    vm = VM.replace("{name: u1.small}", "{name: u1.small}\n  preference: {name: fedora}")
    commit(folder, {"vmrender.yaml": head + settings, "overlays/prod/vm.yaml": vm})
    asked = run("--kubevirt", "1.9")
    between = run("HEAD..HEAD", "--kubevirt", "1.9")
    write(folder, {"vmrender.yaml": head + re.sub('"1.[24]"', '"1.9"', settings)})
    edited = run()

    assert "KubeVirt 1.2 -> 1.9)" in asked.stdout
    assert "guest sees machine type: q35 (the newest of QEMU 8.0)" in asked.stdout
    without_cause = re.sub(r" +by vmrender.yaml:[0-9, ]+\n|this change states .+\n", "", edited.stdout)
    assert (asked.exit, asked.stdout) == (edited.exit, without_cause)
    assert between.stdout == asked.stdout.replace("work tree", "HEAD")
    refused = run("--live", "-", "--kubevirt", "1.9")
    assert (refused.exit, refused.stdout) == (2, "")
    assert "leave out --live" in refused.stderr


def test_revision_without_a_project_file_is_compared(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, {f"site/{name}": text for name, text in FILES.items()})
    monkeypatch.chdir(folder / "site")
    assert "  added VirtualMachine prod/db\n" in run().stdout


@pytest.mark.parametrize("expand", ["applied", '"off"'])
def test_edited_instance_type_shows_the_vms_it_changes(folder: Path, expand: str) -> None:
    catalog = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: ours}
spec: {cpu: {guest: 1}, memory: {guest: 2Gi}}
"""
    project = f"{PROJECT}catalogs: [{{path: catalog}}]\nexpand: {expand}\n"
    files = {"catalog/kustomization.yaml": "resources: [ours.yaml]\n", "vmrender.yaml": project}
    vms = {"overlays/prod/vm.yaml": VM.replace("u1.small", "ours")}
    commit(folder, {**FILES, **files, **vms, "catalog/ours.yaml": catalog})
    write(folder, {"catalog/ours.yaml": catalog.replace("2Gi", "4Gi")})
    text = run().stdout
    assert "spec.template.spec.domain.memory.guest: 2Gi -> 4Gi" in text
    assert "memory  2Gi -> 4Gi\n" in text
    kept = "no effect: the VM keeps its ControllerRevision until its matcher names another object"
    assert (kept in text) is (expand == '"off"')
    assert ("at the next live migration" in text) is (expand == "applied")


@pytest.mark.parametrize(("release", "effect"), [("1.9", "at the next live migration"), ("1.4", "refused")])
def test_changed_instance_type_is_compared_with_matchers_kept(
    folder: Path, release: str, effect: str
) -> None:
    commit(folder, {"vmrender.yaml": PROJECT.replace("1.9", release) + 'expand: "off"\n'})
    resize(folder, "u1.medium")
    text = run().stdout
    assert f"changed VirtualMachine prod/db: {effect}\n" in text
    assert "spec.instancetype.name: u1.small -> u1.medium\n" in text
    assert "domain.memory.guest: 2Gi -> 4Gi (from the instance type or preference)\n" in text


def test_expansion_mode_does_not_affect_the_comparison(folder: Path) -> None:
    write(folder, {"vmrender.yaml": f'{PROJECT}expand: "off"\n'})
    assert "virtual machines: 1 no effect\n" in run().stdout


CANARY = "kanarienvogel"
CONFIDENTIAL = f"""\
apiVersion: v1
kind: Secret
metadata:
  name: a
  annotations: {{kubectl.kubernetes.io/last-applied-configuration: {CANARY}-0}}
stringData: {{password: {CANARY}-1}}
---
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {{name: a}}
spec:
  runStrategy: Always
  template:
    spec:
      accessCredentials:
        - sshPublicKey:
            source: {{secret: {{secretName: logins}}}}
            propagationMethod: {{noCloud: {{}}}}
      domain:
        devices: {{disks: [{{name: init}}]}}
        resources: {{requests: {{memory: 1Gi}}}}
      volumes:
        - name: init
          cloudInitNoCloud: {{userData: "{CANARY}-3", networkData: "{CANARY}-4"}}
"""


@pytest.mark.parametrize("output_format", FORMATS)
def test_confidential_values_are_withheld(folder: Path, output_format: str) -> None:
    states = ("kind: Nothing", CONFIDENTIAL, CONFIDENTIAL.replace(CANARY, f"{CANARY}-other"))
    listed = {"overlays/prod/kustomization.yaml": "resources: [vm.yaml, secret.yaml]\n"}
    empty = "\n---\n".join(
        text.split("stringData")[0].split("spec:")[0] for text in CONFIDENTIAL.split("---\n")
    )
    for before, after in ((empty, states[1]), (states[1], states[2]), (states[2], empty)):
        commit(folder, {**listed, "overlays/prod/secret.yaml": before})
        write(folder, {"overlays/prod/secret.yaml": after})
        result = run("--format", output_format)
        assert "secret.yaml:8:1" not in result.stdout  # errors are printed elsewhere
        assert CANARY not in result.stdout + result.stderr
        assert result.exit == 1


def test_json_matches_its_schema(folder: Path) -> None:
    validator = Draft202012Validator(SCHEMA)
    resize(folder, "u1.medium")
    write(folder, {"overlays/new/kustomization.yaml": "configMapGenerator: [{name: a, literals: [a=b]}]\n"})
    document = json.loads(run("--format", "json").stdout)
    assert list(validator.iter_errors(document)) == []
    assert document["verdict"] == "prod/db changes with its next live migration"
    assert document["summary"] == {
        "dangers": {"migration": 1, "none": 1},
        "resources": {"added": 1, "changed": 1},
        "virtualMachines": {"next-migration": 1},
        "otherObjects": {},
    }
    assert [(each["danger"], each["members"][0]["overlay"]) for each in document["groups"]] == [
        ("migration", "overlays/prod"),
        ("none", "overlays/new"),
    ]
    (field,) = document["overlays"][1]["changes"][0]["fields"]  # after that of overlays/new
    assert field["before"] == {"value": "2Gi"}
    write(folder, FILES)
    shutil.rmtree(folder / "overlays/new")
    document = json.loads(run("--format", "json").stdout)
    assert document["overlays"][0]["changes"] == []
    assert list(validator.iter_errors(document)) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nonsense"], "no such revision: nonsense"),
        (["main...nonsense"], "no such revision: nonsense"),
        (["main", "-x"], "No such option"),
        (["a", "b", "c"], "there are two sides at most"),
        (["--overlay", "prodd"], "there is no overlay 'prodd'; did you mean prod"),
        (["--limit-bytes", "10"], "Invalid value"),
    ],
)
def test_wrong_arguments_are_refused(folder: Path, arguments: list[str], message: str) -> None:
    del folder
    result = run(*arguments)
    assert result.exit == 2
    assert message in result.stderr
    assert result.stdout == ""


def test_invalid_project_file_of_a_revision_is_reported(folder: Path) -> None:
    commit(folder, {"vmrender.yaml": "kind: [\n"})
    write(folder, FILES)
    result = run()
    assert result.exit == 2
    assert result.stderr.startswith("HEAD:vmrender.yaml:1:7: error[yaml-syntax]")


def test_a_shallow_clone_says_how_to_get_the_rest(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(folder, {})
    git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{folder}", "clone")
    monkeypatch.chdir(tmp_path / "clone")
    assert run() == Run(0, "", "")
    result = run("HEAD~1")
    assert result.exit == 2
    assert "this clone is shallow" in result.stderr


def test_overlay_outside_a_sparse_checkout_is_not_compared(folder: Path) -> None:
    machine = (
        "{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: db}, spec: {runStrategy: Always,"
        " template: {spec: {domain: {devices: {}, memory: {guest: 1Gi}}}}}}\n"
    )
    files = {
        "vmrender.yaml": "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n"
        "overlays: [{path: plain}, {path: 'teams/*'}]\n",
        **{f"{name}.yaml": machine for name in ("plain/a", "plain/b", "teams/a/a", "bases/a", "docs/a")},
        "teams/a/kustomization.yaml": "resources: [a.yaml]\n",
        "teams/b/kustomization.yaml": "resources: [../../bases]\n",
        "teams/c/kustomization.yaml": "resources: []\n",
        "bases/kustomization.yaml": "resources: [a.yaml]\n",
    }
    commit(folder, {path: text.replace("db", path[:9].replace("/", "-")) for path, text in files.items()})
    left_out = ("plain/b.yaml", "teams/a/", "bases/a.yaml", "docs/")
    git(folder, "sparse-checkout", "set", "--no-cone", "/*", *(f"!/{path}" for path in left_out))

    result = run("--format", "json")
    overlays = json.loads(result.stdout)["overlays"]
    reason = "the sparse checkout of this work tree leaves out {}; git sparse-checkout add FOLDER"
    assert {each["path"]: each["incomparable"] for each in overlays} == {
        "plain": reason.format("plain/b.yaml"),
        "teams/a": reason.format("teams/a/a.yaml"),
        "teams/b": reason.format("bases/a.yaml"),
        "teams/c": None,
    }
    assert [each["changes"] for each in overlays] == [[], [], [], []]

    git(folder, "sparse-checkout", "set", "--no-cone", "/teams")
    result = run()
    assert (result.exit, result.stdout) == (2, "")
    assert "leaves out vmrender.yaml" in result.stderr


def test_bare_repository_has_only_revisions(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "clone", "--quiet", "--bare", str(folder), "bare")
    monkeypatch.chdir(tmp_path / "bare")
    assert run("HEAD", "HEAD") == Run(0, "", "")
    result = run("HEAD")
    assert result.exit == 2
    assert "name two revisions: vmrender diff A B" in result.stderr


def test_without_git_the_comparison_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, FILES)
    monkeypatch.chdir(tmp_path)
    result = run()
    assert result.exit == 2
    assert "error[git-unavailable]" in result.stderr


def test_repository_without_a_commit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(init(tmp_path), FILES)
    monkeypatch.chdir(tmp_path)
    result = run()
    assert result.exit == 2
    assert "no such revision: HEAD\n" in result.stderr
    assert "has no commit yet" in result.stderr


def test_verbose_reports_durations(folder: Path) -> None:
    del folder
    result = run("--verbose")
    assert re.search(r"^overlays/\S+: both sides rendered in \S+ m?s$", result.stderr, re.MULTILINE)
    assert re.search(r"^overlays/\S+: compared in \S+ m?s$", result.stderr, re.MULTILINE)
    assert re.search(r"^done in \S+ m?s$", result.stderr, re.MULTILINE)
    assert run("--no-progress").stderr == run().stderr == ""


def test_each_commit_is_compared(folder: Path) -> None:
    """A socket that was plugged in in between is not given back."""
    for name in ("u1.large", "u1.medium"):
        commit(folder, {"overlays/prod/vm.yaml": VM.replace("u1.small", name)})
    assert "virtual machines: 1 at the next live migration\n" in run("HEAD~2..HEAD").stdout
    lines = run("HEAD~2..HEAD", "--each").stdout.splitlines()
    assert lines[0] == "prod/db needs a restart"
    assert lines[2].endswith(": 1 at the next live migration")
    assert "virtual machines: 1 needs a restart" in lines


def test_a_pending_live_migration_is_not_forgotten(folder: Path) -> None:
    commit(folder, {"overlays/prod/vm.yaml": VM.replace("u1.small", "u1.medium")})
    commit(folder, {"overlays/prod/vm.yaml": VM.replace("u1.small", "u1.large")})
    at_once = run("HEAD~1").stdout
    assert "sockets: 1 -> 2\n      at the next live migration" in at_once
    commit(folder, {"README.md": "More room."})
    since = run("--since", "HEAD~2").stdout.replace("HEAD~2", "HEAD~1")
    assert since[since.index("\noverlays/prod") :] == at_once[at_once.index("\noverlays/prod") :]


def test_a_commit_that_cannot_be_read_is_not_compared(folder: Path) -> None:
    broken = {
        "overlays/prod/vm.yaml": "a: [\n",
        "vmrender.yaml": "kind: [\n",
    }
    for path, text in broken.items():
        commit(folder, {path: text})
        commit(folder, {path: FILES[path]})
    commit(folder, {"README.md": "all is well"})
    each = run("HEAD~5..HEAD", "--each")
    assert (each.exit, each.stderr) == (1, "")
    assert each.stdout.startswith("NOT COMPARED: 2 commits\n")
    assert [line.rpartition(": ")[2] for line in each.stdout.splitlines()[2:6]] == [
        "1 overlay not compared",
        "nothing happens to virtual machines",
        "1 overlay not compared",
        "nothing happens to virtual machines",
    ]
    listed = json.loads(run("HEAD~5..HEAD", "--each", "--format", "json").stdout)["commits"]
    assert [each["notCompared"] for each in listed] == [["overlays/prod"], [], ["overlays/prod"], []]


def test_an_entry_that_is_gone_does_not_stop_the_others(folder: Path) -> None:
    entries = "".join(f"- path: overlays/{name}\n" for name in ("prod", "gone"))
    project = f"apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays:\n{entries}"
    staging = {name.replace("prod", "gone"): text for name, text in FILES.items() if "prod" in name}
    commit(folder, {**staging, "vmrender.yaml": project})
    shutil.rmtree(folder / "overlays/gone")
    resize(folder, "u1.medium")
    result = run()
    assert result.exit == 1
    assert "not compared: work tree may deploy it" in result.stdout
    assert "memory.guest: 2Gi -> 4Gi" in result.stdout
    assert "error[kustomization-missing]: no such file or folder: overlays/gone" in result.stderr


@pytest.mark.usefixtures("folder")
def test_a_revision_that_is_an_overlay_is_named_so() -> None:
    result = run("overlays/prod")
    assert result.exit == 2
    assert "hint: there is an overlay of that name: vmrender diff --overlay overlays/prod" in result.stderr
    assert "--overlay" not in run("overlays/test").stderr


def test_line_ends_converted_by_git_are_not_changes(folder: Path) -> None:
    write(folder, {".gitattributes": "*.conf text eol=crlf\n"})
    (folder / "overlays/prod/unattend.conf").write_bytes(b"a=1\r\nb=2\r\n")
    generator = "configMapGenerator: [{name: unattend, files: [unattend.conf]}]\n"
    commit(folder, {"overlays/prod/kustomization.yaml": f"resources: [vm.yaml]\n{generator}"})
    assert git(folder, "status", "--porcelain") == ""
    assert run().exit == 0


def test_since_equals_a_range_with_each(folder: Path) -> None:
    commit(folder, {"overlays/prod/vm.yaml": VM.replace("u1.small", "u1.large")})
    commit(folder, {"overlays/prod/vm.yaml": VM.replace("u1.small", "u1.medium")})
    assert run("--since", "HEAD~2", "HEAD").stdout == run("HEAD~2..HEAD", "--each").stdout
    assert run("--since", "HEAD~2").stdout == run("HEAD~2", "--each").stdout
    assert run("--since", "HEAD~2", "HEAD~1", "HEAD").exit == 2


def test_an_overlay_in_another_folder_deletes_nothing(folder: Path) -> None:
    (folder / "overlays/prod").rename(folder / "overlays/production")
    text = run().stdout
    assert "changed VirtualMachine prod/db: no effect\n    moved from overlays/prod\n" in text
    assert "deleted" not in text


ORIGIN = "https://git.example.org/acme/fleet.git"
FLUX_SOURCE = f"""\
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {{name: flux-system, namespace: flux-system}}
spec: {{interval: 1h, url: "{ORIGIN}"}}
"""


def kustomization(name: str, fields: str = "prune: true") -> str:
    return f"""\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {{name: {name}, namespace: flux-system}}
spec:
  interval: 1h
  path: ./{name}
  sourceRef: {{kind: GitRepository, name: flux-system}}
  {fields}
"""


def application(name: str, automated: str = "prune: true", finalizers: str = "") -> str:
    return f"""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {name}, namespace: argocd, finalizers: [{finalizers}]}}
spec:
  project: default
  source: {{repoURL: "{ORIGIN}", targetRevision: main, path: {name}}}
  destination: {{server: "https://kubernetes.default.svc"}}
  syncPolicy: {{automated: {{{automated}}}}}
"""


OWNERS: dict[str, Callable[[str], str]] = {"flux": kustomization, "argocd": application}


def moved(folder: Path, engine: str, owner: str, machine: str = VM, new: str = "vms") -> str:
    """What ``diff`` says about a VM that ``owner``, of the name apps, leaves to another object, ``new``."""
    make = OWNERS[engine]
    entry = PROJECT + f"repositories: ['{ORIGIN}']\noverlays: [{{{engine}: clusters}}]\n"
    other = VM.replace("name: db,", "name: web,")
    commit(
        folder,
        {
            "vmrender.yaml": entry,
            "clusters/source.yaml": FLUX_SOURCE,
            "clusters/apps.yaml": owner,
            f"clusters/{new}.yaml": make(new),
            "apps/db.yaml": machine,
            "apps/other.yaml": VM.replace("name: db,", "name: other,"),
            f"{new}/web.yaml": other,
        },
    )
    (folder / "apps/db.yaml").rename(folder / new / "db.yaml")
    return run().stdout


def test_flux_may_delete_a_machine_that_moves(folder: Path) -> None:
    text = moved(folder, "flux", kustomization("apps"))
    assert "changed VirtualMachine prod/db in clusters:vms: may be deleted" in text
    assert "Kustomization flux-system/apps may delete it" in text
    assert "annotate it with kustomize.toolkit.fluxcd.io/prune: disabled first" in text
    assert "1 may be deleted" in text


def test_argo_cd_may_delete_a_machine_that_moves(folder: Path) -> None:
    text = moved(folder, "argocd", application("apps"))
    assert "changed VirtualMachine prod/db in clusters:vms: may be deleted" in text
    assert "annotate it with argocd.argoproj.io/sync-options: Prune=false first" in text


KEPT = VM.replace("metadata: {", "metadata: {annotations: {%s}, ")


@pytest.mark.parametrize(
    ("engine", "owner", "machine"),
    [
        ("flux", kustomization("apps", "prune: false"), VM),
        ("flux", kustomization("apps"), KEPT % "kustomize.toolkit.fluxcd.io/prune: disabled"),
        ("argocd", application("apps", "prune: false"), VM),
        ("argocd", application("apps", "enabled: false, prune: true"), VM),
        ("argocd", application("apps"), KEPT % "argocd.argoproj.io/sync-options: Prune=false"),
    ],
)
def test_a_machine_that_no_engine_deletes_moves_safely(
    folder: Path, engine: str, owner: str, machine: str
) -> None:
    text = moved(folder, engine, owner, machine)
    assert "moved from clusters:apps\n" in text
    assert "may be deleted" not in text


@pytest.mark.parametrize(
    ("engine", "old", "exemption"),
    [
        ("flux", kustomization("apps"), "kustomize.toolkit.fluxcd.io/prune: disabled"),
        ("flux", kustomization("apps", "deletionPolicy: Delete"), "prune: disabled"),
        ("flux", kustomization("apps", "prune: false"), ""),
        ("argocd", application("apps", "", "resources-finalizer.argocd.argoproj.io"), ": Delete=false"),
        (
            "argocd",
            application("apps", "prune: true", "resources-finalizer.argocd.argoproj.io/background"),
            ": Prune=false,Delete=false",
        ),
        ("argocd", application("apps", ""), ""),
    ],
)
def test_a_renamed_owner_may_delete_its_machines(folder: Path, engine: str, old: str, exemption: str) -> None:
    entry = PROJECT + f"repositories: ['{ORIGIN}']\noverlays: [{{{engine}: clusters}}]\n"
    files = {"vmrender.yaml": entry, "clusters/source.yaml": FLUX_SOURCE, "apps/db.yaml": VM}
    commit(folder, {**files, "clusters/apps.yaml": old})
    write(folder, {"clusters/apps.yaml": old.replace("name: apps,", "name: databases,")})
    text = run().stdout
    assert (f"{exemption} first" in text) is bool(exemption)
    assert ("changed VirtualMachine prod/db in clusters:databases: may be deleted" in text) is bool(exemption)


def test_a_renamed_entry_moves_nothing(folder: Path) -> None:
    entry = PROJECT + f"repositories: ['{ORIGIN}']\noverlays: [{{flux: clusters}}]\n"
    commit(
        folder,
        {
            "vmrender.yaml": entry,
            "clusters/source.yaml": FLUX_SOURCE,
            "clusters/apps.yaml": kustomization("apps"),
            "apps/db.yaml": VM,
        },
    )
    (folder / "clusters").rename(folder / "fleet")
    write(folder, {"vmrender.yaml": entry.replace("flux: clusters", "flux: fleet")})
    text = run().stdout
    assert "moved from clusters:apps\n" in text
    assert "may be deleted" not in text


SET = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: all, namespace: argocd}
spec:
  generators: [{list: {elements: [{name: apps}, {name: vms}]}}]
"""


@pytest.mark.parametrize("engine", ["flux", "argocd", "set"])
@pytest.mark.parametrize("is_kept", [False, True])
def test_a_machine_that_moves_between_folders_may_be_deleted(
    folder: Path, engine: str, *, is_kept: bool
) -> None:
    exemption = "argocd.argoproj.io/sync-options: Prune=false"
    if engine == "flux":
        exemption = "kustomize.toolkit.fluxcd.io/prune: disabled"
    set_of_all = (
        application('"x-{{name}}"').replace('path: "x-', 'path: "overlays/').partition("metadata: ")[2]
    )
    owners = {
        "flux": {name: kustomization(name).replace("./", "./overlays/") for name in ("apps", "vms")},
        "argocd": {name: application(name).replace("path: ", "path: overlays/") for name in ("apps", "vms")},
        "set": {"all": f"{SET}  template:\n    metadata: {indent(set_of_all, '    ').lstrip()}"},
    }
    other = VM.replace("name: db,", "name: web,")
    commit(
        folder,
        {
            "vmrender.yaml": f"{PROJECT}repositories: ['{ORIGIN}']\n",
            "clusters/source.yaml": FLUX_SOURCE,
            **{f"clusters/{name}.yaml": text for name, text in owners[engine].items()},
            "overlays/apps/kustomization.yaml": "resources: [db.yaml]\n",
            "overlays/apps/db.yaml": KEPT % exemption if is_kept else VM,
            "overlays/vms/kustomization.yaml": "resources: [web.yaml]\n",
            "overlays/vms/web.yaml": other,
        },
    )
    (folder / "overlays/apps/db.yaml").rename(folder / "overlays/vms/db.yaml")
    write(
        folder,
        {
            "overlays/apps/kustomization.yaml": "resources: []\n",
            "overlays/vms/kustomization.yaml": "resources: [web.yaml, db.yaml]\n",
        },
    )
    text = run().stdout
    assert ("may be deleted" in text) is not is_kept, text
    assert ("moved from overlays/apps\n" in text) is is_kept


def test_each_commit_is_compared_with_what_deploys_it(folder: Path) -> None:
    entry = {
        "vmrender.yaml": f"{PROJECT}repositories: ['{ORIGIN}']\n",
        "clusters/apps.yaml": kustomization("apps").replace("./apps", "./overlays/prod"),
    }
    commit(folder, entry)
    for fields in ("force: true", "suspend: true", "prune: true"):
        text = kustomization("apps", fields).replace("./apps", "./overlays/prod")
        commit(folder, {"clusters/apps.yaml": text})
    text = run("HEAD~3", "HEAD", "--each").stdout
    assert "change: 1 may delete objects of other objects\n" in text
    assert "change: 1 overlay not compared\n" in text


CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing}
  versions: [{name: v1, schema: {openAPIV3Schema: {type: object}}}]
"""


def test_schemas_that_a_commit_lists_and_lacks_are_no_obstacle(folder: Path) -> None:
    commit(folder, {"vmrender.yaml": f"{PROJECT}schemas: [{{path: crds}}]\n"})
    write(folder, {"vmrender.yaml": f"{PROJECT}schemas: [{{path: crds.yaml}}]\n", "crds.yaml": CRD})

    assert run().exit == 0
    (folder / "crds.yaml").unlink()
    found = run()
    assert found.exit == 2
    assert "vmrender.yaml:4:18: error[config-invalid]: no such file or folder: crds.yaml" in found.stderr
