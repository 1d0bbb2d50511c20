"""Machines of overlays that stay, while what applies these gets another name or another maker."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.diff_repositories import PROJECT
from tests.cli.git_work_tree import commit, write
from tests.cli.test_diff import FLUX_SOURCE, ORIGIN, VM, kustomization, run

GATE = ("--fail-on", "data")
REPOSITORY = f"{PROJECT}repositories: ['{ORIGIN}']\n"
APPS = kustomization("apps")
TREE = {
    "vmrender.yaml": REPOSITORY,
    "overlays/prod/kustomization.yaml": "resources: [vm.yaml]\n",
    "overlays/prod/vm.yaml": VM,
    "clusters/source.yaml": FLUX_SOURCE,
}
PLAIN = APPS.replace("./apps", "./overlays/prod")
FINALIZER = "finalizers: [resources-finalizer.argocd.argoproj.io]"


def application(name: str = "apps", path: str = "apps", metadata: str = FINALIZER) -> str:
    return f"""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {name}, namespace: argocd, {metadata}}}
spec:
  project: default
  source: {{repoURL: "{ORIGIN}", path: {path}}}
  destination: {{server: "https://kubernetes.default.svc", namespace: prod}}
  syncPolicy: {{automated: {{prune: true}}}}
"""


def application_set(name: str, policy: str = "", namespace: str = "argocd") -> str:
    return f"""\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {{name: {name}, namespace: {namespace}}}
spec:
  goTemplate: true
  generators: [{{list: {{elements: [{{site: apps}}]}}}}]
  syncPolicy: {{{policy}}}
  template:
    metadata: {{name: "{{{{.site}}}}"}}
    spec:
      project: default
      source: {{repoURL: "{ORIGIN}", path: "{{{{.site}}}}"}}
      destination: {{server: "https://kubernetes.default.svc", namespace: prod}}
"""


def resource_set(name: str, made: str, metadata: str = "") -> str:
    indented = made.replace("\n", "\n      ").rstrip()
    return f"""\
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSet
metadata: {{name: {name}, namespace: flux-system{metadata}}}
spec:
  resources:
    - {indented}
"""


def shown(folder: Path, before: dict[str, str], after: dict[str, str]) -> str:
    """Return what is said of a change, of which the gate says the same."""
    commit(folder, before)
    write(folder, after)
    text = run().stdout
    assert run(*GATE).exit == ("may be deleted" in text)
    return text


@pytest.mark.parametrize(
    ("before", "annotation", "is_risk"),
    [
        (PLAIN, "", True),
        (PLAIN.replace("prune: true", "prune: false"), "", False),
        (PLAIN, "kustomize.toolkit.fluxcd.io/prune: disabled", False),
        (application(path="overlays/prod"), "", True),
        (
            application(path="overlays/prod"),
            "argocd.argoproj.io/sync-options: 'Prune=false,Delete=false'",
            False,
        ),
        (
            application_set("sites")
            .replace('path: "', 'path: "overlays/')
            .replace("site: apps", "site: prod"),
            "",
            True,
        ),
    ],
)
def test_new_name_of_what_deploys_a_folder(
    folder: Path,
    before: str,
    annotation: str,
    is_risk: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    machine = VM.replace("metadata: {", f"metadata: {{annotations: {{{annotation}}}, ")
    files = {**TREE, "overlays/prod/vm.yaml": machine, "clusters/apps.yaml": before}
    renamed = before.replace("name: apps", "name: machines").replace("name: sites", "name: machines")
    text = shown(folder, files, {"clusters/apps.yaml": renamed})
    assert text.count("changed VirtualMachine prod/db: may be deleted") == is_risk


def test_new_versions_of_apis_are_of_the_same_objects(folder: Path) -> None:
    root = kustomization("root").replace("./root", "./clusters")
    after = {"clusters/apps.yaml": PLAIN, "clusters/root.yaml": root, "clusters/source.yaml": FLUX_SOURCE}
    before = {path: text.replace("fluxcd.io/v1", "fluxcd.io/v1beta2") for path, text in after.items()}
    named = "sourceRef: {apiVersion: source.toolkit.fluxcd.io/v1, namespace: flux-system, "
    after = {path: text.replace("sourceRef: {", named) for path, text in after.items()}
    text = shown(folder, {**TREE, **before}, after)
    assert text.startswith("no running virtual machine changes"), text
    assert "not compared" not in text


DISK = """\
apiVersion: cdi.kubevirt.io/v1beta1
kind: DataVolume
metadata: {name: x, namespace: prod}
spec: {source: {blank: {}}, storage: {resources: {requests: {storage: 1Gi}}}}
"""
CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: x, namespace: prod}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
"""
POOL = """\
apiVersion: pool.kubevirt.io/v1beta1
kind: VirtualMachinePool
metadata: {name: x, namespace: prod}
spec:
  replicas: 1
  selector: {matchLabels: {a: b}}
  virtualMachineTemplate:
    metadata: {labels: {a: b}}
    spec:
      runStrategy: Always
      template:
        metadata: {labels: {a: b}}
        spec: {domain: {memory: {guest: 1Gi}, devices: {}}}
"""
SNAPSHOT = """\
apiVersion: snapshot.kubevirt.io/v1beta1
kind: VirtualMachineSnapshot
metadata: {name: x, namespace: prod}
spec: {source: {apiGroup: kubevirt.io, kind: VirtualMachine, name: db}}
"""
RESTORE = """\
apiVersion: snapshot.kubevirt.io/v1beta1
kind: VirtualMachineRestore
metadata: {name: x, namespace: prod}
spec: {virtualMachineSnapshotName: s, target: {apiGroup: kubevirt.io, kind: VirtualMachine, name: db}}
"""
SETTINGS = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: prod}\ndata: {a: b}\n"


@pytest.mark.parametrize("is_folder", [True, False])
@pytest.mark.parametrize(
    ("object_", "goods"),
    [
        (DISK, ", with its data, before"),
        (CLAIM, ", with its data, before"),
        (POOL, ", with the disks that it owns, before"),
        (SNAPSHOT, ", with its data, before"),
        (RESTORE, "takes it over; what is created again is carried out again: annotate"),
        (SETTINGS, ""),
    ],
)
def test_object_with_data_that_another_owner_takes_over(
    folder: Path,
    object_: str,
    goods: str,
    is_folder: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    before = PLAIN if is_folder else APPS
    project = REPOSITORY if is_folder else f"{REPOSITORY}overlays: [{{flux: clusters}}]\n"
    files = {
        **TREE,
        "vmrender.yaml": project,
        "clusters/apps.yaml": before,
        "overlays/prod/vm.yaml": object_,
        "apps/x.yaml": object_,
    }
    text = shown(folder, files, {"clusters/apps.yaml": before.replace("name: apps", "name: machines")})
    kind = object_.partition("kind: ")[2].partition("\n")[0]
    assert (f"changed {kind} prod/x" in text and "may be deleted" in text) is bool(goods)
    assert goods in text
    if object_ in (DISK, CLAIM, SNAPSHOT):
        assert "data lost: " in text


def test_one_of_two_objects_that_deploy_a_folder_leaves(folder: Path) -> None:
    files = {**TREE, "clusters/apps.yaml": PLAIN, "clusters/b.yaml": PLAIN.replace("name: apps", "name: b")}
    text = shown(folder, files, {"clusters/apps.yaml": ""})
    assert "Kustomization flux-system/apps may delete it, with the disks that it owns, before" in text


ARGOCD = {"vmrender.yaml": f"{REPOSITORY}overlays: [{{argocd: argocd}}]\n", "apps/db.yaml": VM}
CREATE_ONLY = "applicationsSync: create-only"


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        (
            application_set("sites"),
            application_set("machines"),
            "argocd/machines makes that again: annotate it with argocd.argoproj.io/sync-options: Delete",
        ),
        (
            application_set("sites"),
            application_set("sites", namespace="other"),
            "Application argocd/apps may delete it, with the disks that it owns, before Application other/",
        ),
        (application_set("sites"), application(), "before that is applied from Git"),
        (application(), application_set("sites"), "what deploys it may delete Application argocd/apps"),
        (application(metadata="labels: {}"), application_set("sites"), ""),
        (application_set("sites", CREATE_ONLY), application_set("machines", CREATE_ONLY), ""),
        (application_set("sites", "preserveResourcesOnDeletion: true"), application_set("machines"), ""),
        (application_set("sites"), application_set("sites", "applicationsSync: sync"), ""),
    ],
)
def test_application_with_another_maker(folder: Path, before: str, after: str, reason: str) -> None:
    text = shown(folder, {**ARGOCD, "argocd/apps.yaml": before}, {"argocd/apps.yaml": after})
    assert ("may be deleted" in text) is bool(reason)
    assert reason in text


@pytest.mark.parametrize(("prune", "is_risk"), [("true", True), ("false", False)])
def test_application_whose_parent_prunes_nothing_stays(
    folder: Path,
    prune: str,
    is_risk: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    root = application("root", "argocd").replace("prune: true", f"prune: {prune}")
    entry = {"vmrender.yaml": f"{REPOSITORY}overlays: [{{argocd: boot}}]\n", "boot/root.yaml": root}
    files = {**ARGOCD, **entry, "argocd/apps.yaml": application()}
    text = shown(folder, files, {"argocd/apps.yaml": application_set("sites")})
    assert ("may be deleted" in text) is is_risk


FLUX = {
    "vmrender.yaml": f"{REPOSITORY}overlays: [{{flux: clusters}}]\n",
    "clusters/source.yaml": FLUX_SOURCE,
    "clusters/root.yaml": kustomization("flux-system").replace("./flux-system", "./clusters"),
    "apps/db.yaml": VM,
}
KEPT = ', annotations: {fluxcd.controlplane.io/prune: "disabled"}'


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        (
            resource_set("tenants", APPS),
            resource_set("teams", APPS),
            "ResourceSet flux-system/tenants may delete Kustomization flux-system/apps, and so this",
        ),
        (resource_set("tenants", APPS), APPS, "before that is applied from Git"),
        (APPS, resource_set("tenants", APPS), "what deploys it may delete Kustomization flux-system/apps"),
        (
            resource_set("tenants", VM),
            resource_set("teams", VM),
            "annotate it with fluxcd.controlplane.io/prune: disabled first",
        ),
        (
            resource_set("tenants", VM.replace("namespace: prod", f"namespace: prod{KEPT}")),
            resource_set("teams", VM),
            "",
        ),
        (
            resource_set("tenants", APPS.replace("prune: true", "deletionPolicy: Orphan")),
            resource_set("teams", APPS),
            "",
        ),
    ],
)
def test_what_a_resource_set_makes_gets_another_maker(
    folder: Path, before: str, after: str, reason: str
) -> None:
    text = shown(folder, {**FLUX, "clusters/apps.yaml": before}, {"clusters/apps.yaml": after})
    assert ("may be deleted" in text) is bool(reason)
    assert reason in text


def test_objects_that_both_sides_have_in_git_are_not_removed(folder: Path) -> None:
    commit(folder, {**FLUX, "clusters/apps.yaml": resource_set("tenants", APPS)})
    commit(folder, {"clusters/apps.yaml": APPS.replace("prune: true", "prune: true\n  force: true")})
    text = run("HEAD~1", "HEAD").stdout
    assert "removed ResourceSet flux-system/tenants" in text
    assert "GitRepository" not in text
    assert "Kustomization flux-system/flux-system" not in text
    assert "GitRepository" not in run("HEAD", "HEAD~1").stdout


@pytest.mark.parametrize(
    "files",
    [
        {"apps/Chart.yaml": "apiVersion: v2\nname: a\nversion: 1.0.0\n"},
        {"argocd/apps.yaml": application().replace("path: ", "plugin: {name: a}, path: ")},
    ],
)
def test_application_that_is_not_rendered_any_more_may_delete(folder: Path, files: dict[str, str]) -> None:
    beside = {"argocd/b.yaml": application("b", "b"), "b/vm.yaml": VM.replace("name: db", "name: other")}
    text = shown(folder, {**ARGOCD, **beside, "argocd/apps.yaml": application(metadata="labels: {}")}, files)
    assert "Application apps stays, and is not rendered any more" in text
    assert "removed VirtualMachine prod/db in argocd:apps: may be deleted" in text
