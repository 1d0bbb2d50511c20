"""``diff`` names the places in the sources that changed what differs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from renderer.app.comparison.causes import ChangedSources
from renderer.files.file_system import DiskFileSystem, MemoryFileSystem
from renderer.model.run.limits import limits
from tests.cli.diff_repositories import APPLICATION_OF_PATH
from tests.cli.git_work_tree import commit, git, write
from tests.cli.test_diff import run

SITES = ("north", "south", "west")
VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: web
spec:
  runStrategy: Always
  instancetype: {name: ours}
  template:
    spec:
      terminationGracePeriodSeconds: 300
      domain:
        devices:
          disks: [{name: root}]
          interfaces: [{name: default, masquerade: {}}]
      networks: [{name: default, pod: {}}]
      volumes:
        - name: root
          containerDisk: {image: "registry.example.org/web:1"}
"""
EVICTION = """\
- op: add
  path: /spec/template/spec/evictionStrategy
  value: LiveMigrate
"""
SIZE = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: ours}
spec:
  cpu: {guest: 1}
  memory: {guest: 2Gi}
"""
PROJECT = """\
apiVersion: vmrender.io/v1alpha1
kind: RenderConfig
kubevirt: "1.8"
catalogs: [{path: catalog}]
"""
OVERLAY = """\
namespace: NAME
resources: [../../base]
labels:
  - pairs: {tier: gold}
    fields: [{path: spec/template/metadata/labels, kind: VirtualMachine, create: true}]
configMapGenerator:
  - name: settings
    files: [settings.conf]
"""
FILES = {
    "vmrender.yaml": PROJECT,
    "catalog/kustomization.yaml": "resources: [ours.yaml]\n",
    "catalog/ours.yaml": SIZE,
    "base/kustomization.yaml": """\
resources: [web.yaml]
patches: [{path: eviction.yaml, target: {kind: VirtualMachine}}]
""",
    "base/web.yaml": VM,
    "base/eviction.yaml": EVICTION,
    **{f"overlays/{name}/kustomization.yaml": OVERLAY.replace("NAME", name) for name in SITES},
    **{f"overlays/{name}/settings.conf": "colour=blue\nshape=round\n" for name in SITES},
}


@pytest.fixture
def fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    commit(tmp_path, FILES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def causes(folder: Path, files: dict[str, str], kind: str = "VirtualMachine") -> list[list[str]]:
    """The causes of each group of changed objects of a kind, after some files have got other texts."""
    write(folder, files)
    document = json.loads(run("--format", "json").stdout)
    return [
        [_text(cause) for cause in group["causes"]] for group in document["groups"] if group["kind"] == kind
    ]


def _text(cause: Mapping[str, object]) -> str:
    facts = [
        cause["path"],
        cause["line"],
        cause["about"],
        None if cause["state"] == "changed" else cause["state"],
    ]
    return " ".join(str(fact) for fact in facts if fact is not None)


def test_a_patch_in_a_base(fleet: Path) -> None:
    assert causes(fleet, {"base/eviction.yaml": EVICTION.replace("LiveMigrate", "None")}) == [
        ["base/eviction.yaml 3"]
    ]


def test_a_field_of_the_machine(fleet: Path) -> None:
    assert causes(fleet, {"base/web.yaml": VM.replace("300", "600")}) == [["base/web.yaml 10"]]


def test_a_removed_line_is_one_of_the_side_before(fleet: Path) -> None:
    text = VM.replace("      terminationGracePeriodSeconds: 300\n", "")
    assert causes(fleet, {"base/web.yaml": text}) == [["base/web.yaml 10 removed"]]


def test_a_moved_line_changes_nothing(fleet: Path) -> None:
    moved = f"# A web server.\n{VM}".replace("300", "600").replace("{name: root}", "{name: root, serial: a}")
    assert causes(fleet, {"base/web.yaml": moved}) == [["base/web.yaml 14", "base/web.yaml 11"]]


def test_the_matcher_of_the_machine(fleet: Path) -> None:
    other = f"{SIZE}---\n{SIZE.replace('ours', 'other').replace('2Gi', '4Gi')}"
    files = {"base/web.yaml": VM.replace("ours", "other"), "catalog/ours.yaml": other}
    assert causes(fleet, files) == [["base/web.yaml 7"]]


def test_an_instance_type_in_a_catalog(fleet: Path) -> None:
    expected = "catalog/ours.yaml 6 VirtualMachineClusterInstancetype ours"
    assert causes(fleet, {"catalog/ours.yaml": SIZE.replace("2Gi", "4Gi")}) == [[expected]]


def test_a_file_of_each_overlay(fleet: Path) -> None:
    files = {
        f"overlays/{name}/kustomization.yaml": OVERLAY.replace("NAME", name).replace("gold", "silver")
        for name in SITES
    }
    assert causes(fleet, files) == [[f"overlays/{name}/kustomization.yaml 4" for name in SITES]]


def test_the_file_of_a_generator(fleet: Path) -> None:
    files = {f"overlays/{name}/settings.conf": "colour=blue\nshape=square\n" for name in SITES}
    assert causes(fleet, files, "ConfigMap") == [[f"overlays/{name}/settings.conf 2" for name in SITES]]


def test_a_new_and_a_removed_file(fleet: Path) -> None:
    listing = FILES["base/kustomization.yaml"].replace("web.yaml", "web.yaml, db.yaml")
    files = {"base/db.yaml": VM.replace("name: web", "name: db"), "base/kustomization.yaml": listing}
    assert causes(fleet, files) == [["base/db.yaml new"]]
    commit(fleet, files)
    (fleet / "base/db.yaml").unlink()
    assert causes(fleet, {"base/kustomization.yaml": FILES["base/kustomization.yaml"]}) == [
        ["base/db.yaml removed"]
    ]


def test_a_file_that_is_no_longer_listed(fleet: Path) -> None:
    first = f"overlays/{SITES[0]}/kustomization.yaml"
    assert causes(fleet, {first: FILES[first].replace("resources: [../../base]\n", "")}) == [[f"{first} 2"]]


def test_a_folder_that_is_no_longer_listed(fleet: Path) -> None:
    listing = FILES["base/kustomization.yaml"]
    db = {"base/db/kustomization.yaml": "resources: [db.yaml]\n", "base/db/db.yaml": VM.replace("web", "db")}
    commit(fleet, {**db, "base/kustomization.yaml": listing.replace("web.yaml", "web.yaml, db")})
    assert causes(fleet, {"base/kustomization.yaml": listing}) == [["base/kustomization.yaml 1"]]


def test_a_variable_of_flux(fleet: Path) -> None:
    entry = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: web, namespace: flux-system}
spec:
  path: ./web
  prune: true
  sourceRef: {kind: GitRepository, name: flux-system}
  postBuild:
    substitute:
      GRACE: "300"
"""
    files = {
        "vmrender.yaml": PROJECT.replace(
            "[{path: catalog}]", "[{path: catalog}]\noverlays: [{flux: clusters}]"
        ),
        "clusters/web.yaml": entry,
        "web/kustomization.yaml": "namespace: prod\nresources: [web.yaml]\n",
        "web/web.yaml": VM.replace("300", "${GRACE}"),
    }
    commit(fleet, files)
    assert causes(fleet, {"clusters/web.yaml": entry.replace("300", "600")}) == [["clusters/web.yaml 10"]]


def test_the_target_namespace_of_a_kustomization_that_its_parent_patches(fleet: Path) -> None:
    entry = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: web, namespace: flux-system}
spec:
  path: ./web
  prune: true
  targetNamespace: prod
  sourceRef: {kind: GitRepository, name: flux-system}
"""
    files = {
        "vmrender.yaml": PROJECT.replace(
            "[{path: catalog}]", "[{path: catalog}]\noverlays: [{flux: clusters}]"
        ),
        "clusters/web.yaml": entry,
        "clusters/kustomization.yaml": "resources: [web.yaml]\npatches:\n"
        "  - target: {kind: Kustomization}\n"
        "    patch: '{kind: Kustomization, metadata: {name: _}, spec: {interval: 1h}}'\n",
        "web/web.yaml": VM,
    }
    commit(fleet, files)
    moved = {"clusters/web.yaml": entry.replace("targetNamespace: prod", "targetNamespace: vms")}
    assert causes(fleet, moved) == [["clusters/web.yaml 7"]]


def test_neither_configuration_nor_a_new_project_file_moves_an_object(fleet: Path) -> None:
    """Another Application takes the objects over."""
    kubevirt = "apiVersion: kubevirt.io/v1\nkind: KubeVirt\nmetadata: {name: kubevirt, namespace: kubevirt}\n"
    application = APPLICATION_OF_PATH.replace("PATH", "web")
    settings = "[{path: catalog}]\noverlays: [{argocd: apps}]\n"
    files = {
        "vmrender.yaml": PROJECT.replace("[{path: catalog}]\n", settings),
        "apps/web.yaml": application,
        "web/web.yaml": VM.replace("name: web\n", "name: web\n  namespace: vms\n"),
        "web/vms.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: vms}\n",
        "web/kubevirt.yaml": f"{kubevirt}spec: {{infra: {{replicas: 2}}}}\n",
    }
    commit(fleet, files)
    moved = {"apps/web.yaml": application.replace("name: apps", "name: web")}
    moved["web/kubevirt.yaml"] = f"{kubevirt}spec: {{infra: {{replicas: 3}}}}\n"
    assert causes(fleet, moved, "Namespace") == [[]]
    (fleet / "vmrender.yaml").unlink()
    commit(fleet, {path: text for path, text in files.items() if path in moved})
    assert causes(fleet, {"vmrender.yaml": files["vmrender.yaml"], **moved}, "Namespace") == [[]]


def test_the_configuration_of_the_cluster(fleet: Path) -> None:
    """The machines, whose manifests are the same, would not start again."""
    kubevirt = """\
apiVersion: kubevirt.io/v1
kind: KubeVirt
metadata: {name: kubevirt, namespace: kubevirt}
spec:
  configuration:
    network: {permitBridgeInterfaceOnPodNetwork: true}
"""
    listing = FILES["base/kustomization.yaml"].replace("web.yaml", "web.yaml, kubevirt.yaml")
    vm = VM.replace("masquerade", "bridge")
    commit(fleet, {"base/web.yaml": vm, "base/kubevirt.yaml": kubevirt, "base/kustomization.yaml": listing})
    assert causes(fleet, {"base/kubevirt.yaml": kubevirt.replace("true", "false")}) == [
        ["base/kubevirt.yaml 6"]
    ]


def test_the_target_release(fleet: Path) -> None:
    """KubeVirt 1.0 does not know the field."""
    commit(fleet, {"base/web.yaml": VM.replace("devices:", "memory: {maxGuest: 8Gi}\n        devices:")})
    assert causes(fleet, {"vmrender.yaml": PROJECT.replace('"1.8"', '"1.0"')}) == [["vmrender.yaml 3"]]


def test_work_that_is_nearly_used_up_is_not_spent_on_causes(
    fleet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("renderer.app.comparison.causes.allowed", lambda: 1)
    assert causes(fleet, {"catalog/ours.yaml": SIZE.replace("2Gi", "4Gi")}) == [[]]
    assert causes(fleet, {"base/eviction.yaml": EVICTION.replace("LiveMigrate", "None")}) == [
        ["base/eviction.yaml 3"]
    ]


def test_a_file_that_cannot_be_read_is_no_cause(tmp_path: Path) -> None:
    (tmp_path / "large.yaml").write_text(f"#{'x' * (limits().file_size + 1)}")
    (tmp_path / "folder.yaml").mkdir()
    sources = ChangedSources(MemoryFileSystem({}), DiskFileSystem(tmp_path))
    assert [sources.whole_file(path) for path in ("large.yaml", "folder.yaml", "none.yaml")] == [None] * 3


def test_shared_causes_are_counted_above_the_objects(fleet: Path) -> None:
    write(fleet, {"base/eviction.yaml": EVICTION.replace("LiveMigrate", "None")})
    text = run().stdout
    assert (
        "\nchanges in the sources\n"
        "  base/eviction.yaml:3 changes 3 machines in 3 overlays: 3 need a restart\n"
    ) in text
    assert "  changed 3 VirtualMachines in 3 overlays: needs a restart\n    by base/eviction.yaml:3\n" in text
    for output_format in ("markdown", "html"):
        shown = run("--format", output_format).stdout.replace("&#58;", ":")
        assert shown.count("base/eviction.yaml:3 changes 3 machines in 3 overlays") == 1
        assert shown.count("evictionStrategy") == 1
