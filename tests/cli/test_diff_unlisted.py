"""``vmrender diff`` of what engines deploy besides the overlays of the project."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from renderer.cli.app import main
from tests.cli.diff_repositories import PROJECT, SETTINGS
from tests.cli.git_work_tree import commit, write

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

KUBEVIRT = "apiVersion: kubevirt.io/v1\nkind: KubeVirt\nmetadata: {name: kubevirt, namespace: kubevirt}\n"
RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: rook, namespace: rook}
spec: {interval: 5m, chart: {spec: {chart: rook, sourceRef: {kind: HelmRepository, name: rook}}}}
"""
WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "web:1"}]}}
"""
KUSTOMIZATION = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: infra, namespace: flux-system}
spec: {interval: 10m, path: ./infra, prune: true, sourceRef: {kind: GitRepository, name: fleet}}
"""
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: infra, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.org/vms.git, path: infra, targetRevision: HEAD}
  destination: {server: https://kubernetes.default.svc, namespace: infra}
  syncPolicy: {automated: {prune: true}}
"""
APPLICATIONS = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: all, namespace: argocd}
spec:
  goTemplate: true
  generators:
  - git: {repoURL: https://git.example.org/vms.git, revision: HEAD, directories: [{path: inf*}]}
  template:
    metadata: {name: "{{ .path.basename }}"}
    spec:
      project: default
      source: {repoURL: https://git.example.org/vms.git, path: "{{ .path.path }}", targetRevision: HEAD}
      destination: {server: https://kubernetes.default.svc, namespace: infra}
      syncPolicy: {automated: {prune: true}}
"""
MACHINE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: db, namespace: prod}
spec:
  runStrategy: Always
  template: {spec: {domain: {devices: {}, memory: {guest: 1Gi}}}}
"""
DEPLOYERS = {"flux": KUSTOMIZATION, "argocd": APPLICATION, "set": APPLICATIONS}


@pytest.fixture
def folder(folder: Path) -> Path:
    """Return a repository with one overlay, which contains no machine."""
    overlay = {
        "overlays/prod/kustomization.yaml": "resources: [settings.yaml]\n",
        "overlays/prod/settings.yaml": SETTINGS,
    }
    commit(folder, {"vmrender.yaml": PROJECT} | overlay)
    return folder


def diff(*arguments: str) -> Result:
    return CliRunner(catch_exceptions=False).invoke(main, ("diff", *arguments))


@pytest.mark.parametrize("engine", DEPLOYERS)
def test_removed_operator_is_a_danger(folder: Path, engine: str) -> None:
    commit(folder, {"clusters/prod.yaml": DEPLOYERS[engine], "infra/kubevirt.yaml": KUBEVIRT + "---\n" + WEB})
    write(folder, {"infra/kubevirt.yaml": WEB})
    result = diff()
    assert result.exit_code == 1
    assert "removed KubeVirt kubevirt/kubevirt in clusters:infra\n" in result.stdout
    assert "data lost: KubeVirt kubevirt: deleted with all machines in the cluster" in result.stdout
    assert diff("--fail-on", "data").exit_code == 1


def test_suspended_kustomization_deletes_nothing(folder: Path) -> None:
    suspended = {"clusters/prod.yaml": KUSTOMIZATION.replace("prune: true", "prune: true, suspend: true")}
    both = KUBEVIRT + "---\n" + WEB
    commit(folder, {"clusters/prod.yaml": KUSTOMIZATION, "infra/kubevirt.yaml": both})
    commit(folder, suspended)
    found = diff("HEAD~1", "HEAD", "--fail-on", "data").stdout
    assert "not compared: Kustomization infra is suspended" in found
    assert "removed" not in found
    commit(folder, {"clusters/prod.yaml": KUSTOMIZATION, "infra/kubevirt.yaml": WEB})
    assert "not compared: Kustomization infra had spec.suspend" in diff("HEAD~1", "HEAD").stdout
    assert "removed KubeVirt kubevirt/kubevirt in clusters:infra\n" in diff("HEAD~2", "HEAD").stdout


def test_operator_that_is_removed_at_a_commit_alone_is_a_danger(folder: Path) -> None:
    written = {"clusters/prod.yaml": KUSTOMIZATION, "infra/kubevirt.yaml": KUBEVIRT + "---\n" + WEB}
    commit(folder, written)
    commit(folder, {"infra/kubevirt.yaml": WEB})
    commit(folder, written)
    assert diff("HEAD~2", "HEAD").stdout == ""
    result = diff("HEAD~2", "HEAD", "--each", "--fail-on", "data")
    assert result.exit_code == 1
    assert result.stdout.startswith("DATA: KubeVirt kubevirt/kubevirt loses data in between\n")


def test_kustomization_that_lists_less_is_compared_as_built(folder: Path) -> None:
    listed = {"infra/kubevirt.yaml": KUBEVIRT, "infra/web.yaml": WEB}
    listing = "resources: [kubevirt.yaml, web.yaml]\n"
    commit(folder, listed | {"clusters/prod.yaml": KUSTOMIZATION, "infra/kustomization.yaml": listing})
    write(folder, {"infra/kustomization.yaml": "resources: [web.yaml]\n"})
    assert "removed KubeVirt kubevirt/kubevirt in clusters:infra\n" in diff().stdout


@pytest.mark.parametrize("engine", ["flux", "argocd"])
def test_another_path_is_compared_with_the_former_one(folder: Path, engine: str) -> None:
    files = {"infra/kubevirt.yaml": KUBEVIRT, "web/web.yaml": WEB}
    commit(folder, files | {"clusters/prod.yaml": DEPLOYERS[engine]})
    write(
        folder,
        {
            "clusters/prod.yaml": DEPLOYERS[engine]
            .replace("path: ./infra", "path: ./web")
            .replace("path: infra", "path: web")
        },
    )
    assert "removed KubeVirt kubevirt/kubevirt in clusters:infra\n" in diff().stdout


@pytest.mark.parametrize("engine", ["flux", "argocd"])
def test_folder_outside_of_the_repository_deploys_nothing(folder: Path, engine: str) -> None:
    outside = DEPLOYERS[engine].replace("path: ./infra", "path: ../../infra")
    outside = outside.replace("path: infra", "path: ../../infra")
    commit(folder, {"clusters/prod.yaml": outside, "infra/web.yaml": WEB})
    write(folder, {"infra/web.yaml": WEB.replace("web:1", "web:2")})
    result = diff("HEAD")
    assert (result.exit_code, result.stderr) == (0, "")


def test_harmless_changes_are_counted_and_named(folder: Path) -> None:
    commit(folder, {"clusters/prod.yaml": KUSTOMIZATION, "infra/web.yaml": WEB})
    policy = "apiVersion: nmstate.io/v1\nkind: NodeNetworkConfigurationPolicy\nmetadata: {name: br1}\n"
    more = f"{SETTINGS}---\n{policy}"
    write(folder, {"infra/web.yaml": WEB.replace("web:1", "web:2"), "infra/more.yaml": more})
    result = diff("--fail-on", "data")
    names = ["NodeNetworkConfigurationPolicy br1", "ConfigMap prod/settings", "Deployment web/web"]
    assert result.exit_code == 0
    said = "3 changed objects outside of the overlays do no known harm: "
    assert f"{said}{', '.join(names)}\n" in result.stdout
    assert json.loads(diff("--format", "json").stdout)["changedElsewhere"] == names


@pytest.mark.parametrize(
    ("removed", "effect"),
    [
        (RELEASE, "removed HelmRelease rook/rook in infra: may delete objects"),
        (KUSTOMIZATION, "removed Kustomization flux-system/infra in infra: may delete objects"),
        (KUSTOMIZATION.replace("prune: true, ", ""), ""),
        (APPLICATION, ""),
        (
            APPLICATION.replace("argocd}", "argocd, finalizers: [resources-finalizer.argocd.argoproj.io]}"),
            "removed Application argocd/infra in infra: may delete objects",
        ),
    ],
)
def test_object_of_an_engine_is_compared_wherever_it_is(folder: Path, removed: str, effect: str) -> None:
    """What the Kustomization and the Application deploy is in another repository."""
    elsewhere = removed.replace("vms.git", "other.git").replace("./infra", "./absent")
    commit(folder, {"infra/all.yaml": elsewhere.replace("path: infra", "path: absent")})
    write(folder, {"infra/all.yaml": ""})
    result = diff()
    assert effect in result.stdout
    assert ("1 changed object outside of the overlays does no known harm" in result.stdout) is not bool(
        effect
    )
    assert result.exit_code == bool(effect)


def test_manifest_that_nothing_deploys_is_named(folder: Path) -> None:
    config_map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: a}\n"
    files = dict.fromkeys((f"infra/{name}.yaml" for name in "abcde"), config_map)
    commit(folder, files | {"values.yaml": "replicas: 1\n"})
    write(folder, {"values.yaml": "replicas: 2\n"} | dict.fromkeys(files, ""))
    result = diff()
    names = "infra/a.yaml, infra/b.yaml, infra/c.yaml and 2 more"
    assert result.exit_code == 0
    assert (
        "5 changed manifests are not compared, as nothing here deploys them, or what does cannot be built: "
        f"{names}\n" in result.stdout
    )
    assert json.loads(diff("--format", "json").stdout)["notCompared"] == [*files]
    assert "5 changed manifests" in diff("--format", "markdown").stdout
    assert "5 changed manifests" in diff("--format", "html").stdout
    assert diff("--overlay", "prod").stdout == ""


@pytest.mark.parametrize(
    ("replaced", "by", "said"),
    [
        ("LiveMigrate", "Evict", "KubeVirt kubevirt/kubevirt in infra: evicted"),
        ("", None, "data lost: KubeVirt kubevirt: deleted with all machines"),
        ("spec: {", "spec: {productName: x, ", "    spec.productName: nothing -> x\n"),  # not judged
    ],
)
def test_kubevirt_that_nothing_deploys_is_compared(
    folder: Path, replaced: str, by: str | None, said: str
) -> None:
    text = KUBEVIRT + "spec: {workloadUpdateStrategy: {workloadUpdateMethods: [LiveMigrate]}}\n"
    commit(folder, {"infra/kubevirt.yaml": text})
    write(folder, {"infra/kubevirt.yaml": "" if by is None else text.replace(replaced, by)})
    result = diff()
    assert said in result.stdout
    assert "not compared" not in result.stdout
    write(folder, {"infra/kubevirt.yaml": "", "infra/moved.yaml": text})
    assert diff().stdout == ""


REMOTE = "resources: ['https://git.example.org/other.git?ref=v1', kubevirt.yaml]\n"


@pytest.fixture
def remote(folder: Path) -> Path:
    """Return the repository with a folder that lists another repository, which is not read."""
    files = {
        "infra/kustomization.yaml": REMOTE,
        "infra/kubevirt.yaml": KUBEVIRT,
        "infra/patch.yaml": KUBEVIRT,
    }
    commit(folder, {"clusters/prod.yaml": KUSTOMIZATION} | files)
    return folder


@pytest.mark.parametrize("listing", [REMOTE, REMOTE.replace(", kubevirt.yaml", "")])
def test_files_of_a_folder_that_cannot_be_built_are_compared(remote: Path, listing: str) -> None:
    write(
        remote,
        {"infra/kustomization.yaml": listing, "infra/kubevirt.yaml": "" if listing == REMOTE else KUBEVIRT},
    )
    result = diff("--fail-on", "data")
    assert result.exit_code == 1
    assert "removed KubeVirt kubevirt/kubevirt in clusters:infra\n" in result.stdout


def test_kustomization_that_cannot_be_read_removes_nothing(remote: Path) -> None:
    write(remote, {"infra/kustomization.yaml": "resources: [kubevirt.yaml\n"})
    result = diff()
    assert result.exit_code == 0
    assert "removed" not in result.stdout
    assert "cannot be built: infra/kustomization.yaml\n" in result.stdout


@pytest.mark.parametrize(
    ("path", "text", "reason"),
    [
        (
            "clusters/prod.yaml",
            "patches: [{patch: '[]', target: {kind: KubeVirt}}]",
            "Kustomization infra changes, and its",
        ),
        ("clusters/prod.yaml", "postBuild: {substitute: {a: b}}", "Kustomization infra changes, and its"),
        ("clusters/prod.yaml", "timeout: 5m", ""),
        ("infra/data.txt", "two", "infra/data.txt changes, in a"),
    ],
)
def test_folder_that_cannot_be_built_and_is_built_otherwise(
    remote: Path, path: str, text: str, reason: str
) -> None:
    generator = "configMapGenerator: [{name: a, files: [data.txt]}]\n"
    commit(remote, {"infra/kustomization.yaml": REMOTE + generator, "infra/data.txt": "one"})
    deployer = KUSTOMIZATION.replace("prune: true", f"prune: true, {text}")
    write(remote, {path: text if path.startswith("infra") else deployer})
    said = diff("--fail-on", "data").stdout
    assert (f"  not compared: {reason} folder" in said) if reason else "NOT COMPARED" not in said


def test_change_in_a_folder_that_cannot_be_built_is_not_one_in_another(remote: Path) -> None:
    generator = "configMapGenerator: [{name: a, files: [data.txt]}]\n"
    files = {"more/kubevirt.yaml": KUBEVIRT}
    files |= {f"{each}/kustomization.yaml": REMOTE + generator for each in ("infra", "more")}
    files |= {f"{each}/data.txt": "one" for each in ("infra", "more")}
    second = KUSTOMIZATION.replace("name: infra", "name: more").replace("./infra", "./more")
    commit(remote, files | {"clusters/more.yaml": second})
    write(remote, {"more/data.txt": "two"})
    assert diff().stdout.startswith("NOT COMPARED: clusters:more\n")


def test_kustomization_removed_with_a_folder_that_cannot_be_built(remote: Path) -> None:
    for path in ("clusters/prod.yaml", "infra/kustomization.yaml", "infra/kubevirt.yaml"):
        (remote / path).unlink()
    result = diff("--fail-on", "data")
    assert result.exit_code == 1
    assert "removed Kustomization flux-system/infra in clusters:infra: may delete objects\n" in result.stdout
    assert "removed KubeVirt kubevirt/kubevirt in clusters:infra\n" in result.stdout


def test_kustomization_that_cannot_be_built_is_named(remote: Path) -> None:
    write(remote, {"infra/kustomization.yaml": REMOTE.replace("ref=v1", "ref=v2")})
    result = diff()
    named = "as nothing here deploys it, or what does cannot be built: infra/kustomization.yaml\n"
    assert result.exit_code == 0
    assert named in result.stdout


def test_kustomization_below_another_one_that_does_not_use_it_is_named(remote: Path) -> None:
    """As in a folder of applications, whose Kustomizations the one above lists."""
    above = KUSTOMIZATION.replace("infra", "apps").replace("./apps", "./")
    commit(remote, {"kustomization.yaml": "resources: [clusters/prod.yaml]\n", "clusters/apps.yaml": above})
    write(remote, {"infra/kustomization.yaml": REMOTE.replace("ref=v1", "ref=v2")})
    assert "cannot be built: infra/kustomization.yaml\n" in diff().stdout


@pytest.fixture
def entry(folder: Path) -> Path:
    """Return the repository with the cluster as an entry: a folder with a claim, and one with a machine."""
    (folder / "vmrender.yaml").write_text(f"{PROJECT}overlays: [{{flux: clusters}}]\n", encoding="utf-8")
    vms = KUSTOMIZATION.replace("infra", "vms")
    files = {"infra/release.yaml": RELEASE, "infra/settings.yaml": SETTINGS, "vms/vm.yaml": MACHINE}
    commit(folder, {"clusters/infra.yaml": KUSTOMIZATION, "clusters/vms.yaml": vms} | files)
    return folder


def test_what_an_entry_leads_to_no_more_stays_in_git(entry: Path) -> None:
    (entry / "infra/settings.yaml").unlink()
    result = diff()
    assert "removed ConfigMap prod/settings in clusters:infra" in result.stdout
    assert "HelmRelease" not in result.stdout


def test_object_that_no_kustomization_lists_any_more_is_gone(entry: Path) -> None:
    listing = "resources: [vms.yaml]\n"
    files = {"clusters/apps.yaml": KUSTOMIZATION.replace("infra", "apps"), "apps/kustomization.yaml": listing}
    vms = KUSTOMIZATION.replace("infra", "vms")
    commit(entry, files | {"apps/vms.yaml": vms, "clusters/vms.yaml": ""})
    write(entry, {"apps/kustomization.yaml": "resources: []\n"})
    assert diff().stdout.startswith("DATA: prod/db is deleted")


def test_side_that_cannot_be_built_is_not_empty(entry: Path) -> None:
    listing = "resources: [https://git.example.org/other.git, release.yaml, settings.yaml]\n"
    commit(entry, {"infra/kustomization.yaml": listing})
    write(entry, {"infra/kustomization.yaml": "resources: [release.yaml, settings.yaml]\n"})
    result = diff()
    assert result.stdout.startswith("NOT COMPARED: clusters:infra\n")
    assert "added" not in result.stdout


def test_each_commit_is_compared(folder: Path) -> None:
    commit(folder, {"clusters/prod.yaml": KUSTOMIZATION, "infra/release.yaml": RELEASE})
    base = "HEAD~2"
    commit(folder, {"infra/release.yaml": ""})
    commit(folder, {"infra/web.yaml": WEB})
    lines = diff("--each", f"{base}..HEAD").stdout.splitlines()
    assert "1 may delete objects of other objects" in lines[2]


GPU = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: lab, namespace: lab}
spec:
  runStrategy: Always
  template:
    spec:
      domain:
        cpu: {cores: 2}
        memory: {guest: 2Gi}
        devices: {hostDevices: [{name: gpu, deviceName: nvidia.com/p2000}]}
"""
WITH_GPU = f"""\
{KUBEVIRT}spec:
  configuration:
    developerConfiguration: {{featureGates: [HostDevices]}}
    permittedHostDevices:
      pciHostDevices: [{{pciVendorSelector: "10de:1c30", resourceName: nvidia.com/p2000}}]
"""


@pytest.mark.parametrize(
    ("kubevirts", "refusal"),
    [((WITH_GPU,), ""), ((WITH_GPU, WITH_GPU), ""), ((KUBEVIRT,), "refused, as before")],
)
def test_machine_that_no_root_reaches_is_judged_by_the_kubevirt_of_the_project(
    folder: Path, kubevirts: tuple[str, ...], refusal: str
) -> None:
    infra = {
        path: text
        for number, kubevirt in enumerate(kubevirts)
        for path, text in {
            f"clusters/{number}/infra.yaml": KUSTOMIZATION.replace("./infra", f"./infra-{number}"),
            f"infra-{number}/kubevirt.yaml": kubevirt,
        }.items()
    }
    entries = ", ".join(f"{{flux: clusters/{number}}}" for number in range(len(kubevirts)))
    stray = KUSTOMIZATION.replace("infra", "lab")
    commit(
        folder,
        infra
        | {"vmrender.yaml": f"{PROJECT}overlays: [{entries}]\n", "old/lab.yaml": stray, "lab/vm.yaml": GPU},
    )
    write(folder, {"lab/vm.yaml": GPU.replace("cores: 2", "cores: 3")})
    result = diff()
    assert "changed VirtualMachine lab/lab in old:lab: needs a restart" in result.stdout
    assert refusal in result.stdout if refusal else "refused" not in result.stdout


OPERATOR = (
    "resources: [https://github.com/kubevirt/kubevirt/releases/download/v1.8.3/kubevirt-operator.yaml]\n"
)
EVICTING = f"{KUBEVIRT}spec: {{workloadUpdateStrategy: {{workloadUpdateMethods: [Evict]}}}}\n"


@pytest.mark.parametrize("deployed", [True, False])
@pytest.mark.parametrize(
    "kubevirt", ["infra/kubevirt.yaml", "overlays/prod/settings.yaml", "other/object.yaml"]
)
def test_upgrade_by_the_url_of_the_operator(folder: Path, kubevirt: str, *, deployed: bool) -> None:
    files = {"infra/kustomization.yaml": OPERATOR, kubevirt: EVICTING}
    commit(folder, files | ({"clusters/prod.yaml": KUSTOMIZATION} if deployed else {}))
    write(folder, {"infra/kustomization.yaml": OPERATOR.replace("1.8.3", "1.9.0")})
    result = diff("--fail-on", "restart")
    assert result.exit_code == 1
    assert "changed Kustomization infra in infra: evicted\n" in result.stdout
    assert "(workloadUpdateMethods of KubeVirt kubevirt/kubevirt: Evict)\n" in result.stdout
    assert "not compared" not in result.stdout


SUBSCRIPTION = """\
apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: {name: hco, namespace: openshift-cnv}
spec:
  name: kubevirt-hyperconverged
  channel: stable
  installPlanApproval: Manual
  startingCSV: kubevirt-hyperconverged-operator.v4.18.0
"""


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("channel: stable", "channel: candidate", "another channel of the Subscription: OLM may"),
        (
            "Approval: Manual",
            "Approval: Automatic",
            "another installPlanApproval of the Subscription: OLM may",
        ),
        ("v4.18.0", "v4.19.0", ""),  # OLM reads it once
    ],
)
def test_subscription_that_may_install_another_release(folder: Path, old: str, new: str, words: str) -> None:
    commit(folder, {"infra/hco.yaml": SUBSCRIPTION, "infra/kubevirt.yaml": EVICTING})
    write(folder, {"infra/hco.yaml": SUBSCRIPTION.replace(old, new)})
    result = diff("--fail-on", "restart")
    assert result.exit_code == int(bool(words))
    assert words in result.stdout
    assert "not compared" not in result.stdout


EXTENSION = """\
apiVersion: olm.operatorframework.io/v1
kind: ClusterExtension
metadata: {name: hco}
spec: {source: {catalog: {packageName: community-kubevirt-hyperconverged, version: 1.13.0}}}
"""


@pytest.mark.parametrize(
    ("after", "words"),
    [
        (
            EXTENSION.replace("1.13", "1.15"),
            "another version of the ClusterExtension: OLM may install another",
        ),
        ("", "OLM deletes KubeVirt's definitions, and with these all machines of the cluster"),
    ],
)
def test_extension_that_installs_another_release(folder: Path, after: str, words: str) -> None:
    commit(folder, {"infra/hco.yaml": EXTENSION, "infra/kubevirt.yaml": EVICTING})
    write(folder, {"infra/hco.yaml": after})
    result = diff("--fail-on", "restart,data")
    assert result.exit_code == 1
    assert words in result.stdout


VENDORED = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: virt-operator, namespace: kubevirt}
spec: {template: {spec: {containers: [{name: virt-operator, image: "kubevirt/virt-operator:v1.8.3"}]}}}
"""


@pytest.mark.parametrize(
    ("after", "is_lost"),
    [
        ({"infra/kustomization.yaml": "resources: []\n"}, True),
        ({"infra/kustomization.yaml": ""}, True),
        ({"infra/kustomization.yaml": "resources: []\n", "operator/kustomization.yaml": OPERATOR}, False),
        (
            {"infra/kustomization.yaml": "resources: [operator.yaml]\n", "infra/operator.yaml": VENDORED},
            False,
        ),
    ],
)
@pytest.mark.parametrize("deployed", [True, False])
def test_removal_of_the_url_of_the_operator(
    folder: Path, after: dict[str, str], *, is_lost: bool, deployed: bool
) -> None:
    files = {"infra/kustomization.yaml": OPERATOR}
    commit(folder, files | ({"clusters/prod.yaml": KUSTOMIZATION} if deployed else {}))
    write(folder, after)
    result = diff("--fail-on", "data")
    assert result.exit_code == int(is_lost)
    assert ("removed Kustomization infra in infra: may delete objects\n" in result.stdout) is is_lost
    assert ("deletes KubeVirt's definitions, and with these all machines" in result.stdout) is is_lost


@pytest.mark.parametrize("release", ["1.8.3", "1.9.0"])
def test_the_rest_of_a_kustomization_with_the_operator_is_not_compared(folder: Path, release: str) -> None:
    commit(folder, {"infra/kustomization.yaml": OPERATOR, "clusters/prod.yaml": KUSTOMIZATION})
    rest = "secretGenerator: [{name: a, literals: [key=hidden]}]\n"
    write(folder, {"infra/kustomization.yaml": OPERATOR.replace("1.8.3", release) + rest})
    result = diff().stdout
    assert ("virt-operator goes from 1.8.3 to 1.9.0" in result) is (release == "1.9.0")
    assert "1 changed manifest is not compared" in result
    assert "hidden" not in result


def test_operator_of_another_release_than_the_project_is_rendered_for(folder: Path) -> None:
    commit(folder, {"infra/kustomization.yaml": OPERATOR.replace("1.8.3", "1.9.0")})
    write(folder, {"infra/kustomization.yaml": OPERATOR})
    said = "[installed-release]: the repository installs KubeVirt 1.8.3, and the project is rendered for 1.9"
    assert said in diff().stderr
    assert "installed-release" not in diff("--kubevirt", "1.8").stderr
    write(folder, {"vmrender.yaml": PROJECT.replace("1.9", "1.8.3")})
    assert "installed-release" not in diff().stderr


CHART = {"infra/Chart.yaml": "apiVersion: v2\nname: a\nversion: 1.0.0\n", "infra/templates/vm.yaml": MACHINE}
OF_CHART = APPLICATION.replace(
    "name: infra,", "name: infra, finalizers: [resources-finalizer.argocd.argoproj.io],"
)
OF_CHARTS = APPLICATIONS.replace("inf*", "inf*}, {path: web*")


@pytest.mark.parametrize("beside", ["", "{repoURL: https://git.example.org/vms.git, path: web}"])
@pytest.mark.parametrize(
    ("old", "new", "reported"),
    [
        ("name: infra", "name: b", "renamed Application argocd/infra -> argocd/b in clusters: may delete"),
        ("path: infra", "path: infra, helm: {releaseName: b}", "another source"),
        ("namespace: infra", "namespace: b", "another destination"),
    ],
)
def test_chart_of_this_repository_is_not_compared_with_its_folder(
    folder: Path, beside: str, old: str, new: str, reported: str
) -> None:
    [line] = [each for each in OF_CHART.splitlines() if each.startswith("  source: ")]
    both = f"  sources: [{line.removeprefix('  source: ')}, {beside}]"
    before = OF_CHART.replace(line, both) if beside else OF_CHART
    commit(folder, CHART | {"clusters/prod.yaml": before, "web/settings.yaml": SETTINGS})
    write(folder, {"clusters/prod.yaml": before.replace(old, new)})
    assert reported in diff("--fail-on", "data").stdout


def test_set_no_longer_makes_the_application_of_a_chart(folder: Path) -> None:
    commit(folder, CHART | {"clusters/prod.yaml": OF_CHARTS, "web/settings.yaml": SETTINGS})
    write(folder, {"clusters/prod.yaml": OF_CHARTS.replace("{path: inf*}, ", "")})
    assert "removed Application argocd/infra in clusters: may delete objects" in diff().stdout


def test_folder_that_becomes_a_chart_is_not_compared(folder: Path) -> None:
    commit(folder, {"clusters/prod.yaml": OF_CHART, "infra/vm.yaml": MACHINE})
    write(folder, {"infra/Chart.yaml": CHART["infra/Chart.yaml"]})
    assert "not compared: Application infra stays, and is not rendered any more" in diff().stdout


TEMPLATE = "{{ if .Values.on }}\n" + MACHINE + "{{ end }}\n"
FLUX_CHART = RELEASE.replace(
    "chart: rook, sourceRef: {kind: HelmRepository", "chart: ./infra, sourceRef: {kind: GitRepository"
)
INFLATED = "helmCharts: [{name: infra, valuesFile: ../values/infra.yml}]\nhelmGlobals: {chartHome: ..}\n"
SOURCES = """\
  sources:
  - repoURL: https://git.example.org/vms.git
    path: infra
    helm: {valueFiles: [$v/values/infra.yml]}
  - {repoURL: https://git.example.org/vms.git, ref: v}
"""
HELM = APPLICATION.replace(
    "path: infra", "path: infra, helm: {valueFiles: [/values/infra.yml], values: 'a: 1'}"
)


@pytest.mark.parametrize(
    "deployer",
    [
        HELM,
        HELM.replace("/values/", "../values/"),
        APPLICATION.replace(APPLICATION.splitlines(keepends=True)[5], SOURCES),
        FLUX_CHART.replace("./infra,", "./infra, valuesFiles: [./values/infra.yml],"),
    ],
)
@pytest.mark.parametrize(
    "changed", ["infra/templates/vm.yaml", "infra/values.yaml", "infra/templates/_a.tpl", "values/infra.yml"]
)
def test_machines_of_a_chart_are_not_compared(folder: Path, deployer: str, changed: str) -> None:
    files = {
        "infra/values.yaml": "on: 1\n",
        "infra/templates/_a.tpl": "{{/* */}}\n",
        "values/infra.yml": "on: 1\n",
    }
    commit(folder, CHART | files | {"clusters/prod.yaml": deployer, "infra/templates/vm.yaml": TEMPLATE})
    write(folder, {changed: "b: 2\n"})
    result = diff("--fail-on", "restart")
    assert result.exit_code == 1
    assert f"not compared: {changed} changes, and vmrender does not render what Helm" in result.stdout


@pytest.mark.parametrize("changed", ["infra/templates/vm.yaml", "values/infra.yml"])
def test_chart_that_a_kustomization_inflates_is_not_compared(folder: Path, changed: str) -> None:
    files = {"apps/kustomization.yaml": INFLATED, "values/infra.yml": "on: 1\n"}
    deployer = {"clusters/prod.yaml": KUSTOMIZATION.replace("./infra", "./apps")}
    commit(folder, CHART | files | deployer | {"infra/templates/vm.yaml": TEMPLATE})
    write(folder, {changed: "b: 2\n"})
    assert f"not compared: {changed} changes, and vmrender does not" in diff().stdout


def test_other_values_of_a_chart_are_not_compared(folder: Path) -> None:
    commit(folder, CHART | {"clusters/prod.yaml": HELM})
    write(folder, {"clusters/prod.yaml": HELM.replace("a: 1", "a: 2")})
    assert "not compared: what deploys it changes, and vmrender does not render what" in diff().stdout


def test_inputs_of_tools_without_machines_are_counted(folder: Path) -> None:
    jsonnet = APPLICATION.replace("infra", "js")
    charts = {"clusters/prod.yaml": OF_CHART, "clusters/js.yaml": jsonnet}
    files = {
        "infra/templates/web.yaml": WEB,
        "infra/templates/b.yaml": WEB,
        "js/a.jsonnet": "{}",
        "js/a.yaml": SETTINGS,
    }
    commit(folder, charts | files | {"infra/Chart.yaml": CHART["infra/Chart.yaml"], "infra/README.md": ""})
    write(folder, {"infra/README.md": "# Web\n"})
    assert diff().stdout == ""
    write(folder, {each: "{a: 1}\n" for each in files if each != "js/a.yaml"})
    result = diff("--fail-on", "data")
    assert result.exit_code == 0
    assert "2 changed inputs of Helm, jsonnet or a plugin are not compared: infra, js\n" in result.stdout
    assert json.loads(diff("--format", "json").stdout)["notRendered"] == ["infra", "js"]


CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: "${claim}", namespace: prod}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
"""
VARIABLES = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: vars}\ndata: {claim: c-one}\n"
GENERATED = (
    "generatorOptions: {disableNameSuffixHash: true}\nnamespace: flux-system\n"
    "configMapGenerator: [{name: vars, %s}]\n"
)
PATCHED = 'resources: [../base]\npatches: [{target: {kind: ConfigMap}, patch: "%s"}]\n'
SUBSTITUTED = KUSTOMIZATION.replace(
    "prune: true,", "prune: true, postBuild: {substituteFrom: [{kind: ConfigMap, name: vars}]},"
)


@pytest.mark.parametrize(
    "files",
    [
        {"vars/kustomization.yaml": GENERATED % "envs: [v.env]", "vars/v.env": "claim=c-one\n"},
        {"vars/kustomization.yaml": GENERATED % "literals: [claim=c-one]"},
        {
            "base/kustomization.yaml": "resources: [vars.yaml]\n",
            "base/vars.yaml": VARIABLES.replace("c-one", "base"),
            "vars/kustomization.yaml": PATCHED % "- {op: replace, path: /data/claim, value: c-one}",
        },
    ],
)
def test_variables_are_as_a_kustomization_makes_them(folder: Path, files: dict[str, str]) -> None:
    target = "path: ./vars, targetNamespace: flux-system"
    deployers = {
        f"clusters/{cluster}/{name}.yaml": text.replace("name: infra", f"name: {name}")
        for cluster, place in (("prod", "vars"), ("test", "test"))
        for name, text in (
            ("infra", SUBSTITUTED),
            ("vars", KUSTOMIZATION.replace("path: ./infra", target.replace("vars", place))),
        )
    }
    others = {path.replace("vars/", "test/"): text.replace("c-one", "test") for path, text in files.items()}
    commit(folder, deployers | others | files | {"infra/claim.yaml": CLAIM})
    write(folder, {path: text.replace("c-one", "c-two") for path, text in files.items()})
    text = diff().stdout
    assert "renamed PersistentVolumeClaim prod/c-one -> prod/c-two in clusters/prod:infra\n" in text
    assert "clusters/test" not in text


PLAIN = """\
apiVersion: v1
kind: Secret
metadata: {name: vars, namespace: flux-system}
stringData: {run: Always}
"""
GENERATED_SECRET = GENERATED.replace("configMap", "secret")


@pytest.mark.parametrize(
    "files",
    [
        {"clusters/vars.yaml": PLAIN},
        {"clusters/vars.yaml": PLAIN.replace("stringData", "sops: {version: '3'}\ndata")},
        {"vars/kustomization.yaml": GENERATED_SECRET % "envs: [v.env]", "vars/v.env": "run=Always\n"},
    ],
)
@pytest.mark.parametrize("strategy", ["${run}", "Always"])
def test_machine_with_variables_of_a_secret_is_not_compared(
    folder: Path, files: dict[str, str], strategy: str
) -> None:
    deployer = SUBSTITUTED.replace("ConfigMap", "Secret")
    machine = MACHINE.replace("Always", strategy)
    commit(folder, {"clusters/infra.yaml": deployer, "infra/vm.yaml": machine} | files)
    write(folder, {path: text.replace("Always", "Halted") for path, text in files.items()})
    is_said = "not compared: Secret vars changes, of which variables of machines are taken" in diff().stdout
    assert is_said is (strategy == "${run}")


def test_chart_whose_folder_goes_is_not_compared(folder: Path) -> None:
    commit(folder, CHART | {"clusters/prod.yaml": OF_CHART})
    shutil.rmtree(folder / "infra")
    assert "not compared: infra/Chart.yaml changes, and vmrender does not render what" in diff().stdout


def test_chart_that_nothing_deploys_is_counted_once(folder: Path) -> None:
    commit(folder, CHART | {"infra/charts/a/Chart.yaml": "name: a\n", "infra/charts/a/values.yaml": ""})
    write(folder, {"infra/templates/vm.yaml": TEMPLATE, "infra/charts/a/values.yaml": "a: 1\n"})
    result = diff("--fail-on", "data")
    assert result.exit_code == 0
    assert "1 changed input of Helm, jsonnet or a plugin is not compared: infra\n" in result.stdout
