"""``vmrender diff`` of the objects that deploy the overlays, which no overlay contains."""

from __future__ import annotations

import json
import shutil
from html import unescape
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from renderer.cli.app import main
from renderer.files.git_repository import GitFileSystem
from tests.cli.diff_repositories import APPLICATION_OF_PATH, GIT_REPOSITORY, ORIGIN, PROJECT, SCHEMA, SETTINGS
from tests.cli.git_work_tree import commit, write

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

KUSTOMIZATION = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: apps
  namespace: flux-system
spec:
  interval: 10m
  path: ./overlays/prod
  sourceRef: {kind: GitRepository, name: fleet}
"""
SOURCE = f"{GIT_REPOSITORY}  ref: {{branch: main}}\n"
APPLICATION = f"{APPLICATION_OF_PATH.replace('PATH', 'overlays/prod')}  syncPolicy: {{automated: {{}}}}\n"
APPLICATION_SET = f"""\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {{name: sites, namespace: argocd}}
spec:
  generators: [{{list: {{elements: [{{site: prod}}, {{site: dev}}]}}}}]
  template:
    metadata: {{name: "{{{{site}}}}"}}
    spec:
      project: default
      source: {{repoURL: "{ORIGIN}", targetRevision: main, path: "overlays/{{{{site}}}}"}}
      destination: {{server: "https://kubernetes.default.svc"}}
"""
OVERLAYS = {
    f"overlays/{name}/{file}": text
    for name in ("prod", "dev")
    for file, text in (
        ("kustomization.yaml", "resources: [settings.yaml]\n"),
        ("settings.yaml", SETTINGS.replace("prod", name)),
    )
}
DEV = KUSTOMIZATION.replace("name: apps", "name: dev").replace("overlays/prod", "overlays/dev")
FLUX = {
    "clusters/prod/source.yaml": SOURCE,
    "clusters/prod/apps.yaml": KUSTOMIZATION,
    "clusters/prod/dev.yaml": DEV,
}
ARGOCD = {"clusters/prod/apps.yaml": APPLICATION}

MACHINE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: db, namespace: prod}
spec: {runStrategy: Always, template: {spec: {domain: {memory: {guest: 1Gi}, devices: {}}}}}
"""


def project(entry: str) -> dict[str, str]:
    """Return a project with overlays of an engine, or for an empty ``entry`` with those in ``overlays/``."""
    if not entry:
        return {"vmrender.yaml": f"{PROJECT}repositories: ['{ORIGIN}']\n"}
    text = f"{PROJECT}repositories: ['{ORIGIN}']\noverlays: [{{{entry}: clusters/prod}}]\n"
    return {"vmrender.yaml": text}


def diff(*options: str) -> Result:
    return CliRunner(catch_exceptions=False).invoke(main, ["diff", *options])


@pytest.mark.parametrize("entry", ["", "flux"])
@pytest.mark.parametrize(
    "added",
    [
        "kubeConfig: {secretRef: {name: other}}",
        "serviceAccountName: admin",
        "force: true",
        "prune: true",
        "deletionPolicy: Delete",
        "suspend: true",
    ],
)
def test_a_changed_kustomization_is_a_difference(folder: Path, entry: str, added: str) -> None:
    commit(folder, project(entry) | OVERLAYS | FLUX)
    write(folder, {"clusters/prod/apps.yaml": f"{KUSTOMIZATION}  {added}\n"})
    result = diff()
    assert result.exit_code == 1
    assert result.stdout.count("changed Kustomization flux-system/apps") == 1
    assert "by clusters/prod/apps.yaml:10" in result.stdout
    assert f"spec.{added.partition(':')[0]}" in result.stdout


def test_source_that_is_compared_with_an_overlay_is_not_counted_elsewhere(folder: Path) -> None:
    cluster = KUSTOMIZATION.replace("name: apps", "name: cluster").replace("overlays/prod", "clusters/prod")
    commit(folder, project("flux") | OVERLAYS | FLUX | {"clusters/prod/cluster.yaml": cluster})
    write(folder, {"clusters/prod/source.yaml": SOURCE.replace("1m", "5m")})
    result = diff()
    assert "changed GitRepository flux-system/fleet" in result.stdout
    assert "outside of the overlays" not in result.stdout


@pytest.mark.parametrize("entry", ["", "argocd"])
@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("targetRevision: main", "targetRevision: v2", "spec.source.targetRevision: main -> v2"),
        ("project: default", "project: vms", "spec.project: default -> vms"),
        ("kubernetes.default.svc", "other.example.org", "spec.destination.server"),
        ("automated: {}", "automated: {prune: true}", "spec.syncPolicy.automated"),
        ("automated: {}", "automated: {}, syncOptions: [Force=true]", "spec.syncPolicy.syncOptions"),
        ("namespace: argocd", "namespace: argocd, finalizers: [a/b]", "metadata.finalizers"),
    ],
)
def test_a_changed_application_is_a_difference(
    folder: Path, entry: str, old: str, new: str, field: str
) -> None:
    commit(folder, project(entry) | OVERLAYS | ARGOCD)
    write(folder, {"clusters/prod/apps.yaml": APPLICATION.replace(old, new)})
    result = diff()
    assert result.exit_code == 1
    assert result.stdout.count("changed Application argocd/apps") == 1
    assert "by clusters/prod/apps.yaml:" in result.stdout
    assert field in result.stdout


@pytest.mark.parametrize("has_machine", [True, False])
def test_application_that_replaces_its_objects_is_pending_for_machines(
    folder: Path, *, has_machine: bool
) -> None:
    machine = {"overlays/prod/settings.yaml": MACHINE} if has_machine else {}
    commit(folder, project("") | OVERLAYS | ARGOCD | machine)
    replacing = APPLICATION.replace("automated: {}", "automated: {}, syncOptions: [Replace=true]")
    write(folder, {"clusters/prod/apps.yaml": replacing})
    result = diff("--fail-on", "restart")
    assert result.exit_code == has_machine
    assert ("counts after a restart" in result.stdout) is has_machine


@pytest.mark.parametrize("entry", ["", "flux"])
def test_another_revision_of_the_source_is_not_compared(folder: Path, entry: str) -> None:
    commit(folder, project(entry) | OVERLAYS | FLUX)
    write(folder, {"clusters/prod/source.yaml": SOURCE.replace("branch: main", "tag: v2")})
    shown = diff().stdout
    assert shown.startswith("NOT COMPARED: ")
    assert "changed GitRepository flux-system/fleet" in shown
    assert "GitRepository fleet has another spec.ref" in shown


@pytest.mark.parametrize("entry", ["", "argocd"])
def test_a_changed_set_is_reported_once(folder: Path, entry: str) -> None:
    commit(folder, project(entry) | OVERLAYS | {"clusters/prod/sites.yaml": APPLICATION_SET})
    changed = APPLICATION_SET.replace("project: default", "project: vms")
    write(folder, {"clusters/prod/sites.yaml": changed})
    shown = diff().stdout
    assert shown.count("spec.template.spec.project: default -> vms") == 1
    assert "changed ApplicationSet argocd/sites" in shown
    assert "1 changed (2 overlays)" in shown


@pytest.mark.parametrize(("entry", "place"), [("", "overlays/flux"), ("flux", "clusters/prod")])
def test_an_object_in_an_overlay_is_reported_there_alone(folder: Path, entry: str, place: str) -> None:
    files = {
        f"{place}/kustomization.yaml": "resources: [apps.yaml, source.yaml, settings.yaml]\n",
        f"{place}/settings.yaml": SETTINGS.replace("prod", "flux-system"),
        f"{place}/source.yaml": SOURCE,
        f"{place}/apps.yaml": KUSTOMIZATION,
    }
    commit(folder, project(entry) | OVERLAYS | files)
    write(folder, {f"{place}/apps.yaml": f"{KUSTOMIZATION}  retryInterval: 1m\n  force: true\n"})
    assert diff().stdout.count("changed Kustomization flux-system/apps") == 1
    assert diff().stdout.startswith("DATA: Kustomization flux-system/apps may delete objects\n")


@pytest.mark.parametrize("entry", ["", "flux"])
def test_an_added_and_a_removed_kustomization(folder: Path, entry: str) -> None:
    commit(folder, project(entry) | OVERLAYS | {**FLUX, "clusters/prod/dev.yaml": ""})
    commit(folder, {"clusters/prod/dev.yaml": DEV})
    assert diff("HEAD~1", "HEAD").stdout.count("added Kustomization flux-system/dev") == 1
    assert diff("HEAD", "HEAD~1").stdout.count("removed Kustomization flux-system/dev") == 1


@pytest.mark.parametrize("field", ["targetNamespace: other", "patches: [{patch: 'kind: ConfigMap'}]"])
def test_what_a_folder_alone_does_not_show_is_not_compared(folder: Path, field: str) -> None:
    commit(folder, project("") | OVERLAYS | FLUX)
    write(folder, {"clusters/prod/apps.yaml": f"{KUSTOMIZATION}  {field}\n"})
    shown = diff().stdout
    assert shown.startswith("NOT COMPARED: overlays/prod\n")
    assert f"Kustomization apps has another spec.{field.partition(':')[0]}, and is not what" in shown


def test_what_an_application_sets_is_not_compared_with_a_folder_alone(folder: Path) -> None:
    commit(folder, project("") | OVERLAYS | ARGOCD)
    changed = APPLICATION.replace("targetRevision: main", "targetRevision: main, kustomize: {namePrefix: a-}")
    write(folder, {"clusters/prod/apps.yaml": changed})
    assert diff().stdout.startswith("NOT COMPARED: overlays/prod\n")


OTHER_OPTIONS = "Application apps has other options in .argocd-source files"
OF_CHART = "Application apps has a folder that becomes, or is no longer, that of a chart or plugin"


@pytest.mark.parametrize(
    ("path", "text", "reason"),
    [
        ("vms/.argocd-source.yaml", "directory: {exclude: settings.yaml}\n", OTHER_OPTIONS),
        ("vms/.argocd-source-apps.yaml", "kustomize: {patches: [{patch: 'kind: A'}]}\n", OTHER_OPTIONS),
        ("vms/Chart.yaml", "description: of any kind\n", OF_CHART),
        ("vms/kustomization.yaml", "resources: []\n", "Application apps applies the files of vms by a kust"),
        ("vms/.argocd-source-dev.yaml", "kustomize: {namePrefix: a-}\n", ""),
        ("vms/.argocd-source.yaml", "path: other\n", ""),
        ("vms/.argocd-source.yaml", "helm: {}\n", OTHER_OPTIONS),
    ],
)
def test_files_of_a_folder_that_argo_cd_reads_are_compared(
    folder: Path, path: str, text: str, reason: str
) -> None:
    config = f"{PROJECT}repositories: ['{ORIGIN}']\noverlays: [{{path: vms, directory: {{}}}}]\n"
    application = APPLICATION.replace("overlays/prod", "vms")
    files = {"vmrender.yaml": config, "vms/settings.yaml": SETTINGS, "argocd/apps.yaml": application}
    commit(folder, files)
    write(folder, {path: text})
    shown = diff().stdout
    assert (f"not compared: {reason}" in shown) if reason else ("not compared:" not in shown)
    commit(folder, {})
    assert diff().stdout == ""


def test_a_kustomization_that_vmrender_builds_too_is_compared(folder: Path) -> None:
    config = f"{PROJECT}repositories: ['{ORIGIN}']\noverlays: [path: vms]\n"
    application = APPLICATION.replace("overlays/prod", "vms")
    files = {"vmrender.yaml": config, "vms/settings.yaml": SETTINGS, "argocd/apps.yaml": application}
    commit(folder, files)
    write(folder, {"vms/kustomization.yaml": "resources: [settings.yaml]\n"})
    assert "not compared:" not in diff().stdout


def test_options_of_what_deploys_the_deployers_are_compared(folder: Path) -> None:
    root = APPLICATION.replace("overlays/prod", "argocd").replace("name: apps", "name: root")
    commit(folder, project("") | OVERLAYS | {"argocd/apps.yaml": APPLICATION, "argocd/root.yaml": root})
    write(folder, {"argocd/.argocd-source.yaml": "directory: {exclude: apps.yaml}\n"})
    assert "Application root has another source, and deploys what deploys it" in diff().stdout


def test_options_of_the_application_of_a_set_are_compared(folder: Path) -> None:
    commit(folder, project("") | OVERLAYS | {"argocd/sites.yaml": APPLICATION_SET})
    write(folder, {"overlays/prod/.argocd-source-prod.yaml": "kustomize: {namePrefix: a-}\n"})
    shown = diff().stdout
    assert shown.startswith("NOT COMPARED: overlays/prod\n")
    assert "Application prod has other options in .argocd-source files" in shown


@pytest.mark.parametrize("changed", ["", KUSTOMIZATION.replace("overlays/prod", "elsewhere")])
def test_a_folder_that_nothing_deploys_any_more_is_not_compared(folder: Path, changed: str) -> None:
    commit(folder, project("") | OVERLAYS | FLUX)
    write(folder, {"clusters/prod/apps.yaml": changed})
    shown = diff().stdout
    assert shown.startswith("NOT COMPARED: overlays/prod\n")
    assert "not compared: nothing in this repository deploys it any more" in shown
    assert shown.count("Kustomization flux-system/apps") == 1


@pytest.mark.parametrize("entry", ["", "argocd"])
def test_an_object_above_the_deployers_is_compared(folder: Path, entry: str) -> None:
    root = APPLICATION.replace("name: apps", "name: root").replace("overlays/prod", "clusters/prod")
    files = ARGOCD | {"clusters/prod/root.yaml" if entry else "root.yaml": root}
    commit(folder, project(entry) | OVERLAYS | files)
    write(folder, {path: text.replace("automated: {}", "") for path, text in files.items() if "root" in path})
    shown = diff().stdout
    assert shown.count("changed Application argocd/root") == 1
    assert "spec.syncPolicy" in shown


def test_a_kustomization_of_another_source_is_not_above(folder: Path) -> None:
    other = KUSTOMIZATION.replace("apps", "other").replace("name: fleet", "name: upstream")
    other = other.replace("overlays/prod", "clusters/prod")
    commit(folder, project("") | OVERLAYS | FLUX | {"other.yaml": other})
    write(folder, {"other.yaml": f"{other}  prune: true\n"})
    assert diff().exit_code == 0


def test_each_cluster_has_an_object_of_one_name(folder: Path) -> None:
    clusters = {
        f"clusters/{cluster}/{name}.yaml": text.replace("overlays/prod", f"overlays/{cluster}")
        for cluster in ("prod", "dev")
        for name, text in (("apps", KUSTOMIZATION), ("source", SOURCE))
    }
    entries = "overlays: [{flux: clusters/prod}, {flux: clusters/dev}]\n"
    for project_file in (project("")["vmrender.yaml"], project("")["vmrender.yaml"] + entries):
        commit(folder, {"vmrender.yaml": project_file} | OVERLAYS | clusters)
        for cluster in ("prod", "dev"):
            file = f"clusters/{cluster}/apps.yaml"
            write(folder, clusters | {file: f"{clusters[file]}  force: true\n"})
            shown = diff().stdout
            assert shown.count("changed Kustomization flux-system/apps") == 1
            assert f"by clusters/{cluster}/apps.yaml:10" in shown
            write(folder, clusters | {f"clusters/{cluster}/source.yaml": SOURCE.replace("main", "next")})
            assert "NOT COMPARED: " in diff().stdout
            assert f"by clusters/{cluster}/source.yaml:7" in diff().stdout
            write(folder, clusters)


def test_equal_objects_are_no_difference(folder: Path) -> None:
    commit(folder, project("flux") | OVERLAYS | FLUX)
    write(folder, {"clusters/prod/apps.yaml": f"# a comment\n{KUSTOMIZATION}"})
    result = diff()
    assert (result.exit_code, result.stdout) == (0, "")


FORCED = """\
DATA: Kustomization flux-system/apps may delete objects
HEAD -> work tree

1 changed (2 overlays)
other objects: 1 may delete objects

data at risk
  changed Kustomization flux-system/apps in clusters/prod:apps: may delete objects
    by clusters/prod/apps.yaml:10
    REASON
    spec.force: nothing -> true

clusters/prod:apps (KubeVirt 1.9)
  1 equal
"""
REASON = (
    "spec.force: Flux deletes what the cluster does not let it update, with the disks that it owns, and"
    " creates it again"
)


def test_force_is_a_danger_for_data(folder: Path) -> None:
    commit(folder, project("flux") | OVERLAYS | FLUX)
    write(folder, {"clusters/prod/apps.yaml": f"{KUSTOMIZATION}  force: true\n"})
    assert diff().stdout == FORCED.replace("REASON", REASON)
    assert diff("--fail-on", "data").exit_code == 1
    assert diff("--fail-on", "refused").exit_code == 0


@pytest.mark.parametrize(
    ("field", "shown"),
    [
        ("force: On", "DATA: Kustomization flux-system/apps may delete objects\n"),
        ("suspend: y", "NOT COMPARED: overlays/prod\n"),
    ],
)
def test_a_flag_of_a_kustomization_is_read_as_flux_reads_it(folder: Path, field: str, shown: str) -> None:
    commit(folder, project("") | OVERLAYS | FLUX)
    write(folder, {"clusters/prod/apps.yaml": f"{KUSTOMIZATION}  {field}\n"})
    assert diff().stdout.startswith(shown)


@pytest.mark.parametrize(("before", "after"), [("prune: no", "prune: YES"), ("enabled: off", "enabled: on")])
def test_a_flag_of_an_application_is_read_as_argo_cd_reads_it(folder: Path, before: str, after: str) -> None:
    texts = [APPLICATION.replace("{}", f"{{prune: true, {each}}}") for each in (before, after)]
    old, new = (each.replace("prune: true, prune", "prune") for each in texts)
    commit(folder, project("") | OVERLAYS | {"clusters/prod/apps.yaml": old})
    write(folder, {"clusters/prod/apps.yaml": new})
    assert diff().stdout.partition("\n")[0].endswith("DATA: Application argocd/apps may delete objects")


@pytest.mark.parametrize("entry", ["", "argocd"])
@pytest.mark.parametrize(
    ("sync", "shown"),
    [
        ("prune: true", "DATA: Application argocd/apps may delete objects\n"),
        ("syncOptions: [Force=true]", "DATA: Application argocd/apps may delete objects\n"),
        ("syncStrategy: {hook: {force: true}}", "DATA: Application argocd/apps may delete objects\n"),
        ("prune: true, dryRun: true", "no running virtual machine changes"),
        ("revision: main", "no running virtual machine changes"),
        ("revision: other", "NOT COMPARED: "),
        ("revisions: [other]", "NOT COMPARED: "),
        ("source: {path: overlays/dev}", "NOT COMPARED: "),
        ("manifests: ['{}']", "NOT COMPARED: "),
    ],
)
def test_a_sync_that_git_starts_has_its_own_options(folder: Path, entry: str, sync: str, shown: str) -> None:
    commit(folder, project(entry) | OVERLAYS | ARGOCD)
    write(folder, {"clusters/prod/apps.yaml": f"{APPLICATION}operation: {{sync: {{{sync}}}}}\n"})
    assert diff().stdout.startswith(shown)


def test_a_deployer_that_only_kustomize_can_read_is_compared(folder: Path) -> None:
    named = "metadata: {name: n, namespace: prod}"
    beside = f"---\n{SETTINGS.replace('metadata: {name: settings, namespace: prod}', named)}"
    commit(folder, project("") | OVERLAYS | {"apps.yaml": f"{KUSTOMIZATION}{beside}"})
    write(folder, {"apps.yaml": f"{KUSTOMIZATION}  force: true\n{beside}"})
    assert diff().stdout.startswith("DATA: Kustomization flux-system/apps may delete objects\n")


@pytest.mark.parametrize("output_format", ["markdown", "html", "json", "jsonl"])
def test_every_format_has_it(folder: Path, output_format: str) -> None:
    commit(folder, project("flux") | OVERLAYS | FLUX)
    write(folder, {"clusters/prod/apps.yaml": f"{KUSTOMIZATION}  force: true\n"})
    shown = unescape(diff("--format", output_format).stdout)
    assert "Flux deletes what the cluster does not let it update" in shown
    assert "may-delete" in shown if output_format.startswith("json") else "may delete objects" in shown
    if output_format == "json":
        Draft202012Validator(SCHEMA).validate(json.loads(shown))


def read_of_revisions(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the files that are read of revisions from now on."""
    found: list[str] = []
    read = GitFileSystem.read

    def recorded(fs: GitFileSystem, path: str) -> bytes:
        found.append(path)
        return read(fs, path)

    monkeypatch.setattr(GitFileSystem, "read", recorded)
    return found


@pytest.mark.parametrize("revisions", [["HEAD"], ["HEAD~1", "HEAD"]])
def test_equal_files_of_a_revision_are_not_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch, revisions: list[str]
) -> None:
    commit(folder, project("") | OVERLAYS | {"flux/apps.yaml": KUSTOMIZATION})
    change = {"overlays/prod/settings.yaml": SETTINGS.replace("prod}", "prod, labels: {tier: gold}}")}
    commit(folder, change) if revisions[1:] else write(folder, change)
    read = read_of_revisions(monkeypatch)
    assert "changed ConfigMap prod/settings" in diff(*revisions).stdout
    assert "overlays/prod/settings.yaml" in read
    # The second revision is searched for what its Secrets have, as a work tree is, and for generators.
    assert read.count("flux/apps.yaml") == 2 * (len(revisions) - 1)


def test_line_ends_of_a_checkout_are_no_difference(folder: Path) -> None:
    commit(
        folder,
        project("") | OVERLAYS | {"flux/apps.yaml": KUSTOMIZATION, ".gitattributes": "*.yaml eol=crlf\n"},
    )
    (folder / "flux/apps.yaml").write_bytes(KUSTOMIZATION.replace("\n", "\r\n").encode())
    assert not diff().stdout


def test_an_object_behind_a_link_is_compared(folder: Path) -> None:
    commit(folder, project("") | OVERLAYS | {"flux/.texts/apps.txt": KUSTOMIZATION})
    (folder / "flux/apps.yaml").symlink_to(".texts/apps.txt")
    commit(folder, {})
    write(folder, {"flux/.texts/apps.txt": f"{KUSTOMIZATION}  force: true\n"})
    assert "spec.force: nothing -> true" in diff().stdout


@pytest.mark.parametrize("entry", ["", "argocd"])
def test_another_repository_is_not_compared(folder: Path, entry: str) -> None:
    commit(folder, project(entry) | OVERLAYS | ARGOCD)
    moved = APPLICATION.replace("git.example.org", "other.example.net")
    write(folder, {"clusters/prod/apps.yaml": moved})
    assert "Application apps has another repoURL" in diff().stdout
    by_ssh = APPLICATION.replace(ORIGIN, "git@git.example.org:vms.git")
    write(folder, {"clusters/prod/apps.yaml": by_ssh})
    assert not diff().stdout.startswith("NOT COMPARED")


INSTANCE = """\
apiVersion: fluxcd.controlplane.io/v1
kind: FluxInstance
metadata: {name: flux, namespace: flux-system}
spec:
  sync: {kind: GitRepository, url: "https://git.example.org/vms.git", ref: heads/main, path: clusters/prod}
"""
HYDRATED = APPLICATION.replace(
    "  source: {", "  sourceHydrator: {syncSource: {targetBranch: env, path: prod}, drySource: {"
).replace("prod}\n  destination", "prod}}\n  destination")
CHART = "{chart: x, repoURL: https://charts.example.org, targetRevision: 1.0.0}"
WITH_CHART = APPLICATION.replace("source: {", "sources: [{").replace("prod}", f"prod}}, {CHART}]")


@pytest.mark.parametrize(
    ("file", "before", "after"),
    [
        ("source.yaml", SOURCE, f"{SOURCE}  sparseCheckout: [clusters, overlays/dev]\n"),
        ("source.yaml", "", SOURCE),
        ("apps.yaml", HYDRATED, HYDRATED.replace("targetBranch: env", "targetBranch: next")),
        ("apps.yaml", HYDRATED, HYDRATED.replace("{syncSource", "{hydrateTo: {targetBranch: x}, syncSource")),
        ("apps.yaml", HYDRATED, APPLICATION),
        ("apps.yaml", APPLICATION, HYDRATED),
        ("apps.yaml", APPLICATION, WITH_CHART),
        ("apps.yaml", WITH_CHART, WITH_CHART.replace("chart: x", "chart: y")),
        ("apps.yaml", WITH_CHART, APPLICATION),
        ("flux.yaml", INSTANCE, INSTANCE.replace("heads/main", "heads/other")),
        ("flux.yaml", INSTANCE, INSTANCE.replace("vms.git", "other.git")),
        ("flux.yaml", INSTANCE, INSTANCE.replace("sync: {", "sync: {name: root, ")),
        ("flux.yaml", INSTANCE, f"{INSTANCE}  kustomize: {{patches: [{{patch: x}}]}}\n"),
        ("flux.yaml", "", INSTANCE),
    ],
)
@pytest.mark.parametrize("is_entry", [True, False])
def test_what_may_deploy_other_files_is_not_compared(
    folder: Path, file: str, before: str, after: str, *, is_entry: bool
) -> None:
    is_argocd = file == "apps.yaml"
    others = {} if is_argocd else FLUX
    entry = ("argocd" if is_argocd else "flux") if is_entry else ""
    commit(folder, project(entry) | OVERLAYS | others | {f"clusters/prod/{file}": before})
    assert diff().exit_code == 0
    write(folder, {f"clusters/prod/{file}": after})
    assert diff().stdout.startswith("NOT COMPARED: ")


def test_another_namespace_is_not_compared_with_a_folder_alone(folder: Path) -> None:
    commit(folder, project("") | OVERLAYS | ARGOCD)
    changed = APPLICATION.replace('default.svc"', 'default.svc", namespace: other')
    write(folder, {"clusters/prod/apps.yaml": changed})
    assert "Application apps has another destination.namespace" in diff().stdout


def test_pruning_begins_without_the_option_that_forbids_it(folder: Path) -> None:
    pruning = APPLICATION.replace("{}", "{prune: true}")
    kept = pruning.replace("syncPolicy: {", "syncPolicy: {syncOptions: [Prune=false], ")
    commit(folder, project("") | OVERLAYS | {"clusters/prod/apps.yaml": kept})
    write(folder, {"clusters/prod/apps.yaml": pruning})
    assert diff().stdout.startswith("DATA: Application argocd/apps may delete objects\n")


def test_earlier_changes_arrive_once_ignored_fields_are_not_respected(folder: Path) -> None:
    rule = "  ignoreDifferences: [{kind: ConfigMap, jsonPointers: [/metadata/name]}]\n"
    respected = APPLICATION.replace("{automated", "{syncOptions: [RespectIgnoreDifferences=true], automated")
    commit(folder, project("argocd") | OVERLAYS | {"clusters/prod/apps.yaml": respected + rule})
    write(folder, {"clusters/prod/apps.yaml": APPLICATION + rule})
    assert "not compared: earlier changes of ConfigMap prod/settings arrive now" in diff().stdout


COMPONENT = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
VARIABLES = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: variables, namespace: flux-system}
data: {size: %s}
"""


@pytest.mark.parametrize(
    ("deployer", "file", "texts"),
    [
        (
            f"{KUSTOMIZATION}  components: [../../parts]\n",
            "parts/kustomization.yaml",
            (COMPONENT, f"{COMPONENT}namePrefix: a-\n"),
        ),
        (
            APPLICATION.replace("path: ", "kustomize: {components: [../../parts]}, path: "),
            "parts/kustomization.yaml",
            (COMPONENT, f"{COMPONENT}namePrefix: a-\n"),
        ),
        (
            f"{KUSTOMIZATION}  postBuild: {{substituteFrom: [{{kind: ConfigMap, name: variables}}]}}\n",
            "clusters/prod/variables.yaml",
            (VARIABLES % "one", VARIABLES % "two"),
        ),
        (KUSTOMIZATION.replace("overlays/prod", "rendered"), "rendered/beside.yaml", ("", SETTINGS)),
    ],
)
def test_what_else_a_deployer_reads_is_not_compared(
    folder: Path, deployer: str, file: str, texts: tuple[str, str]
) -> None:
    commit(folder, project("") | OVERLAYS | {"clusters/prod/apps.yaml": deployer, file: texts[0]})
    assert diff().exit_code == 0
    write(folder, {file: texts[1]})
    shown = diff().stdout
    assert shown.startswith("NOT COMPARED: ")
    assert f"{file} changes, " in shown or "ConfigMap variables changes, " in shown


def test_what_deploys_is_applied_beside_a_tree(folder: Path) -> None:
    deployer = {"clusters/prod/apps.yaml": KUSTOMIZATION.replace("overlays/prod", "rendered")}
    commit(folder, project("") | OVERLAYS | deployer)
    write(folder, {"rendered/other.yaml": SOURCE.replace("name: fleet", "name: other")})
    assert diff().exit_code == 0


SET = APPLICATION_SET.replace("elements: [{site: prod}, {site: dev}]", "elements: [{site: prod, value: ONE}]")


@pytest.mark.parametrize(
    ("template", "values", "shown"),
    [
        (
            SET.replace("targetRevision: main", 'targetRevision: "{{value}}"'),
            ("main", "other"),
            "Application prod has another targetRevision",
        ),
        (
            SET.replace("https://kubernetes.default.svc", "{{value}}"),
            ("https://a", "https://b"),
            "Application prod has another destination",
        ),
        (
            f"{SET}      syncPolicy: {{syncOptions: ['Force={{{{value}}}}']}}\n",
            ("'false'", "'true'"),
            "changed Application argocd/prod: may delete objects",
        ),
    ],
)
def test_what_a_set_fills_in_is_judged_as_if_it_were_written(
    folder: Path, template: str, values: tuple[str, str], shown: str
) -> None:
    before, after = (template.replace("ONE", value) for value in values)
    commit(folder, project("argocd") | OVERLAYS | {"clusters/prod/sites.yaml": before})
    write(folder, {"clusters/prod/sites.yaml": after})
    assert shown in diff().stdout


def test_a_patched_source_of_an_entry_is_compared(folder: Path) -> None:
    listing = "resources: [source.yaml, apps.yaml, dev.yaml]\n"
    place = "clusters/prod/kustomization.yaml"
    commit(folder, project("flux") | OVERLAYS | FLUX | {place: listing})
    write(folder, {place: f"{listing}{PATCHES}"})
    assert "changes GitRepository fleet, which deploys it" in diff().stdout


PATCHES = """\
patches:
  - target: {kind: GitRepository}
    patch: |-
      - {op: replace, path: /spec/ref/branch, value: other}
"""
