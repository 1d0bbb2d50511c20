"""Facts about a cluster that a change itself writes into the project, and what is said of it all the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.cli.diff_repositories import SCHEMA
from tests.cli.git_work_tree import commit, write
from tests.cli.test_diff import VM, kustomization, run

HEAD = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n"
NEWEST = f'{HEAD}kubevirt: "1.9"\n'
LARGER = VM.replace("u1.small", "u1.medium")
SIDECAR = VM.replace(
    "  template:\n",
    '  template:\n    metadata: {annotations: {hooks.kubevirt.io/hookSidecars: \'[{"image": "a/b:1"}]\'}}\n',
)
FILES = {"overlays/prod/kustomization.yaml": "resources: [vm.yaml]\n", "overlays/prod/vm.yaml": VM}


def kubevirt(configuration: str) -> str:
    return (
        "apiVersion: kubevirt.io/v1\nkind: KubeVirt\nmetadata: {name: kubevirt, namespace: kubevirt}\n"
        f"spec: {{configuration: {{{configuration}}}}}\n"
    )


STAGE, LIVE = kubevirt("vmRolloutStrategy: Stage"), kubevirt("vmRolloutStrategy: LiveUpdate")
FACTS = """\
apiVersion: vmrender.io/v1alpha1
kind: ClusterFacts
versions: {kubevirt: 1.9.0}
objects:
- apiVersion: kubevirt.io/v1
  kind: KubeVirt
  metadata: {name: kubevirt, namespace: kubevirt}
  spec: {configuration: {developerConfiguration: {featureGates: [Snapshot]}}}
"""
EAST = 'clusters: [{name: east, kubevirt: "1.9", featureGates: [Sidecar]}]\n'
IN_EAST = "overlays: [{path: overlays/prod, cluster: east}]\n"
CONFIGURED = {"vmrender.yaml": f"{NEWEST}configuration: [kv.yaml]\n", "kv.yaml": STAGE}


@pytest.fixture
def folder(folder: Path) -> Path:
    commit(folder, FILES)
    return folder


PROJECT_FILE = "vmrender.yaml"
OLD = f'{HEAD}kubevirt: "1.5"\n'
IN_CATALOG = {
    PROJECT_FILE: f"{NEWEST}catalogs: [{{path: fake}}, {{builtin: common-instancetypes}}]\n",
    "fake/kustomization.yaml": "resources: [kv.yaml]\n",
    "fake/kv.yaml": LIVE,
}
WITH_CATALOG = {**IN_CATALOG, "fake/kv.yaml": STAGE}
CATALOGS = "catalogs: [{path: fake}, {builtin: common-instancetypes}]"
OF_EAST = f'clusters: [{{name: east, kubevirt: "1.9", {CATALOGS}}}]\n{IN_EAST}'
EAST_ALONE = 'clusters: [{name: east, kubevirt: "1.9"}]\n' + IN_EAST
HCO = "apiVersion: hco.kubevirt.io/v1beta1\nkind: HyperConverged\nmetadata: {name: h, namespace: kubevirt}\n"
PATCHED = {
    PROJECT_FILE: f"{NEWEST}configuration: [kv]\n",
    "kv/kustomization.yaml": "resources: [kv.yaml]\npatches: [{path: patch.yaml}]\n",
    "kv/patch.yaml": STAGE,
    "kv/kv.yaml": kubevirt("imagePullPolicy: Always"),
}
OTHER_FILE = {PROJECT_FILE: f"{NEWEST}configuration: [other.yaml]\n", "other.yaml": LIVE}
OF_OVERLAY = f'{OLD}overlays: [{{path: overlays/prod, kubevirt: "1.9"}}]\n'
WITHOUT_GATE = NEWEST + EAST.replace("Sidecar", "Snapshot") + IN_EAST
WITH_FACTS = {PROJECT_FILE: f"{HEAD}facts: facts.yaml\n", "facts.yaml": FACTS}


@pytest.mark.parametrize(
    ("before", "after", "danger", "changed"),
    [
        ({PROJECT_FILE: OLD}, {PROJECT_FILE: NEWEST}, "restart", "kubevirt 1.5 -> 1.9"),
        ({PROJECT_FILE: OLD}, {PROJECT_FILE: OF_OVERLAY}, "restart", "kubevirt of overlays/prod 1.5 -> 1.9"),
        (
            {PROJECT_FILE: NEWEST},
            {PROJECT_FILE: f"{NEWEST}featureGates: [Sidecar]\n"},
            "refused",
            "featureGates",
        ),
        (CONFIGURED, OTHER_FILE, "restart", "configuration"),
        (CONFIGURED, {"kv.yaml": LIVE}, "restart", "the content of configuration"),
        (PATCHED, {"kv/patch.yaml": LIVE}, "restart", "the content of configuration"),
        (CONFIGURED, IN_CATALOG, "restart", "configuration, the KubeVirt object"),
        (WITH_CATALOG, {PROJECT_FILE: NEWEST}, "restart", "the KubeVirt object"),
        (
            {**WITH_CATALOG, PROJECT_FILE: NEWEST + OF_EAST},
            {PROJECT_FILE: NEWEST + EAST_ALONE},
            "restart",
            "the KubeVirt object of east",
        ),
        (WITH_CATALOG, {"fake/kv.yaml": f"{HCO}spec: {{}}\n"}, "restart", "the KubeVirt object"),
        (
            WITH_FACTS,
            {"facts.yaml": FACTS.replace("Snapshot", "Sidecar")},
            "refused",
            "the content of facts",
        ),
        ({PROJECT_FILE: NEWEST}, {PROJECT_FILE: NEWEST + EAST + IN_EAST}, "refused", "featureGates of east"),
        (
            {PROJECT_FILE: WITHOUT_GATE},
            {PROJECT_FILE: NEWEST + EAST + IN_EAST},
            "refused",
            "featureGates of east",
        ),
    ],
)
def test_change_is_judged_as_the_first_side_knows_the_cluster(
    folder: Path, before: dict[str, str], after: dict[str, str], danger: str, changed: str
) -> None:
    commit(folder, before)
    write(folder, after)
    honest = run("--fail-on", danger)
    assert honest.exit == 0, honest.stdout
    write(folder, {"overlays/prod/vm.yaml": SIDECAR if danger == "refused" else LARGER})
    found = run("--fail-on", danger)
    assert found.exit == 1
    assert (
        f"\nthis change states other facts about the cluster ({changed}): the worse of both" in found.stdout
    )
    assert "as HEAD knows the cluster: " in found.stdout
    document = json.loads(run("--format", "json").stdout)
    Draft202012Validator(SCHEMA).validate(document)
    assert len(document["assumptions"]) == 1
    for form in ("markdown", "html"):
        assert "this change states other facts about the cluster" in run("--format", form).stdout


def test_catalog_that_patches_the_object_cannot_be_undone(folder: Path) -> None:
    catalog = {path: text for path, text in PATCHED.items() if path != PROJECT_FILE}
    catalogs = "catalogs: [{path: kv}, {builtin: common-instancetypes}]\n"
    commit(folder, {**catalog, PROJECT_FILE: NEWEST + catalogs})
    write(folder, {"kv/patch.yaml": LIVE, "overlays/prod/vm.yaml": LARGER})
    found = run("--fail-on", "restart")
    assert found.exit == 1
    assert "not compared: as HEAD knows the cluster, its sources cannot be used" in found.stdout


def test_changed_object_that_an_overlay_applies_is_a_change_of_the_cluster(folder: Path) -> None:
    listed = {"overlays/kubevirt/kustomization.yaml": "resources: [kv.yaml]\n"}
    project = {"vmrender.yaml": f"{NEWEST}configuration: [overlays/kubevirt]\n"}
    commit(folder, {**listed, **project, "overlays/kubevirt/kv.yaml": STAGE})
    write(folder, {"overlays/kubevirt/kv.yaml": LIVE, "overlays/prod/vm.yaml": LARGER})
    found = run("--fail-on", "restart")
    assert found.exit == 0
    assert "other facts" not in found.stdout


@pytest.mark.parametrize(
    ("place", "exit_code"), [("clusters/prod", 0), ("docs/examples", 1), ("kubevirt", 1)]
)
def test_changed_object_of_a_folder_that_an_engine_deploys(folder: Path, place: str, exit_code: int) -> None:
    """It is a change of the cluster, unless what deploys it may be an example, or applies only itself."""
    root = kustomization("root").replace("./root", "./clusters/prod")
    commit(folder, {"clusters/prod/root.yaml": root, "vmrender.yaml": f"{NEWEST}configuration: [kubevirt]\n"})
    commit(folder, {"kubevirt/kv.yaml": STAGE})
    deployer = {f"{place}/kubevirt.yaml": kustomization("kubevirt")}
    write(folder, {**deployer, "kubevirt/kv.yaml": LIVE, "overlays/prod/vm.yaml": LARGER})
    assert run("--fail-on", "restart").exit == exit_code


def test_release_that_the_user_asks_for_is_not_a_claim_of_the_change(folder: Path) -> None:
    commit(folder, {"vmrender.yaml": f'{HEAD}kubevirt: "1.5"\n'})
    write(folder, {"overlays/prod/vm.yaml": LARGER})
    assert run("--kubevirt", "1.9", "--fail-on", "restart").exit == 0
    assert run("--fail-on", "restart").exit == 1


def test_settings_that_say_the_same_are_not_mentioned(folder: Path) -> None:
    commit(folder, {"vmrender.yaml": NEWEST})
    write(folder, {"vmrender.yaml": f'{NEWEST}# a comment\nexpand: "off"\n', "overlays/prod/vm.yaml": LARGER})
    assert "other facts" not in run().stdout


DISKS = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web-1, namespace: shop}
spec:
  runStrategy: Always
  template:
    metadata: {labels: {app: "web"}}
    spec:
      domain: {memory: {guest: 1Gi}, devices: {disks: [{name: root, disk: {bus: virtio}}]}}
      volumes: [{name: root, persistentVolumeClaim: {claimName: root}}]
"""
PATCH = """\
resources: [vm.yaml]
patches:
- patch: |
    apiVersion: kubevirt.io/v1
    kind: VirtualMachine
    metadata: {name: web-1, namespace: shop}
    spec: {template: {spec: {volumes: [{name: x, emptyDisk: {capacity: 1Gi}}]}}}
"""
BY_FLUX = f"{NEWEST}overlays: [{{flux: clusters}}]\n"
BY_PATH = f"{NEWEST}overlays: [{{path: overlays/prod}}]\n"
MERGED = "mergeKeys: kubevirt\n"
PATCHED_LIST = {"overlays/prod/kustomization.yaml": PATCH}
UNSET = {"overlays/prod/vm.yaml": DISKS.replace('"web"', '"a${UNKNOWN}"')}
KUSTOMIZATION = kustomization("prod", "postBuild: {substitute: {KNOWN: a}}").replace(
    "./prod", "./overlays/prod"
)


@pytest.mark.parametrize(
    ("before", "after", "change", "said"),
    [
        (BY_FLUX, BY_FLUX + MERGED, PATCHED_LIST, "(mergeKeys)"),
        (BY_PATH, BY_PATH + MERGED, PATCHED_LIST, "(mergeKeys)"),
        (BY_FLUX, BY_FLUX.replace("clusters}", "clusters, strict: false}"), UNSET, "(strict of clusters)"),
        (
            BY_FLUX,
            BY_FLUX.replace("clusters}", './clusters, fluxVersion: "2.8"}'),
            UNSET,
            "(fluxVersion of ./clusters)",
        ),
    ],
)
def test_settings_that_no_engine_knows_are_judged_by_the_former_ones(
    folder: Path, before: str, after: str, change: dict[str, str], said: str
) -> None:
    files = {"clusters/prod.yaml": KUSTOMIZATION, "overlays/prod/vm.yaml": DISKS}
    commit(folder, {**files, PROJECT_FILE: before})
    write(folder, {PROJECT_FILE: after})
    assert run("--fail-on", "data,refused").exit == 0
    write(folder, change)
    found = run("--fail-on", "data,refused")
    assert found.exit == 1
    assert f"an engine that applies the sources does not know {said}: the worse of both" in found.stdout
    assert "as HEAD renders it" in found.stdout


def test_settings_of_a_tree_that_is_applied_are_of_the_change(folder: Path) -> None:
    tree = kustomization("prod").replace("./prod", "./rendered/prod")
    files = {"clusters/prod.yaml": tree, "overlays/prod/vm.yaml": DISKS}
    commit(folder, {**files, PROJECT_FILE: BY_PATH})
    write(folder, {PROJECT_FILE: BY_PATH + MERGED, **PATCHED_LIST})
    found = run("--fail-on", "data,refused")
    assert found.exit == 0
    assert "as HEAD renders it" not in found.stdout
