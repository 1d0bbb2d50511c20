"""``vmrender diff`` of files that decide what is applied of a rendered tree, and that are not rendered."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from renderer.cli.app import main
from tests.cli.diff_repositories import APPLICATION_OF_PATH, GIT_REPOSITORY, ORIGIN, PROJECT, SETTINGS
from tests.cli.git_work_tree import commit, init, write

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

OTHER = SETTINGS.replace("settings", "other")
KUSTOMIZATION = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: NAME, namespace: flux-system}
spec:
  interval: 10m
  path: ./rendered/NAME
  prune: true
  sourceRef: {kind: GitRepository, name: fleet}
"""
LISTED = "resources:\n- prod/configmap_settings.yaml\n"
TREE = "rendered/prod"


@pytest.fixture
def folder(folder: Path) -> Path:
    """Return a repository with two rendered overlays, each of which a Kustomization of Flux applies."""
    files = {"vmrender.yaml": PROJECT, "clusters/source.yaml": GIT_REPOSITORY}
    for name in ("dev", "prod"):
        files[f"overlays/{name}/kustomization.yaml"] = "resources: [settings.yaml]\n"
        files[f"overlays/{name}/settings.yaml"] = SETTINGS.replace("prod", name)
        files[f"clusters/{name}.yaml"] = KUSTOMIZATION.replace("NAME", name)
    write(folder, files)
    assert vmrender("render").exit_code == 0
    commit(folder, {})
    return folder


def vmrender(*arguments: str) -> Result:
    return CliRunner(catch_exceptions=False).invoke(main, arguments)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (f"{TREE}/kustomization.yaml", "resources: []\n"),
        (f"{TREE}/kustomization.yaml", f"{LISTED}namePrefix: a-\n"),
        (f"{TREE}/kustomization.yml", f"{LISTED}- ../../other\n"),
        (f"{TREE}/Kustomization", LISTED),
        (f"{TREE}/prod/kustomization.yaml", "resources: []\n"),
        (f"{TREE}/.sourceignore", "*.yaml\n"),
        (f"{TREE}/other.yaml", OTHER),
        (f"{TREE}/prod/other.json", "{}"),
        (f"{TREE}/other.jsonnet", "{}"),
        ("rendered/kustomization.yaml", "resources: [prod/prod/configmap_settings.yaml]\n"),
        ("rendered/.sourceignore", "prod\n"),
        (".sourceignore", "/rendered/\n"),
    ],
)
def test_file_that_changes_what_is_applied_is_not_compared(folder: Path, path: str, text: str) -> None:
    write(folder, {path: text})
    result = vmrender("diff", "--fail-on", "refused")
    assert result.exit_code == 1
    assert result.stdout.startswith("NOT COMPARED: ")
    assert f"not compared: {path} " in result.stdout
    commit(folder, {})
    assert vmrender("diff").stdout == ""


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (f"{TREE}/NOTES.md", "a note\n"),
        ("rendered/kustomization.yaml", "resources: []\n"),
        (".sourceignore", "/docs/\n"),
        ("rendered/other/kustomization.yaml", "resources: []\n"),
    ],
)
def test_file_that_changes_nothing_is_no_difference(folder: Path, path: str, text: str) -> None:
    write(folder, {path: text})
    assert vmrender("diff").stdout == ""


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ("ignore: /rendered/prod/*", "GitRepository fleet has another spec.ignore"),
        ("sparseCheckout: [docs]", "GitRepository fleet has another spec.sparseCheckout"),
        ("include: [{repository: {name: other}}]", "GitRepository fleet has another spec.include"),
        ("recurseSubmodules: true", "GitRepository fleet has another spec.recurseSubmodules"),
        ("timeout: 20s", ""),
        ("secretRef: {name: key}", ""),
    ],
)
def test_source_with_other_files_is_not_compared(folder: Path, field: str, reason: str) -> None:
    write(folder, {"clusters/source.yaml": f"{GIT_REPOSITORY}  {field}\n"})
    output = vmrender("diff").stdout
    assert (f"not compared: {reason}" in output) if reason else ("not compared" not in output)


def test_removed_source_is_not_compared(folder: Path) -> None:
    (folder / "clusters/source.yaml").unlink()
    assert "not compared: GitRepository fleet, its source, is removed" in vmrender("diff").stdout


def test_exchanged_outputs_are_not_compared(folder: Path) -> None:
    entries = "[{path: overlays/dev, output: rendered/prod}, {path: overlays/prod, output: rendered/dev}]"
    write(folder, {"vmrender.yaml": f"{PROJECT}overlays: {entries}\n"})
    assert vmrender("render").exit_code == 0
    output = vmrender("diff").stdout
    assert output.startswith("NOT COMPARED: 2 overlays\n")
    assert "Kustomization prod no longer deploys it" in output
    assert "Kustomization prod deploys it from now on" in output


def test_output_that_nothing_deploys_is_not_compared(folder: Path) -> None:
    write(folder, {"vmrender.yaml": f"{PROJECT}output: built/{{name}}\n"})
    assert vmrender("render", "--prune").exit_code == 0
    output = vmrender("diff").stdout
    assert output.startswith("NOT COMPARED: 2 overlays\n")
    assert "not compared: nothing in this repository deploys it any more" in output


@pytest.mark.parametrize(
    ("path", "text", "level"),
    [
        ("kustomization.yaml", "resources: []\n", "error"),
        ("kustomization.yaml", f"{LISTED}images: [{{name: a, newTag: b}}]\n", "error"),
        ("prod/kustomization.yml", "resources: []\n", "error"),
        ("prod/.sourceignore", "*settings*\n", "error"),
        ("kustomization.yaml", "resources: [", "error"),
        ("Chart.yaml", "name: a\n", "error"),
        ("old-Chart.yaml", "name: a\n", "error"),
        (".argocd-source-prod.yaml", "kustomize: {namePrefix: a-}\n", "error"),
        ("kustomization.yaml", f"{LISTED}- ../../other.yaml\n", "warning"),
        ("other.jsonnet", "{}", "warning"),
        ("kustomization.yaml", LISTED, ""),
        (".sourceignore", "*.md\n", ""),
    ],
)
@pytest.mark.parametrize("option", [[], ["--check"], ["--dry-run"]])
def test_render_reports_what_is_not_applied(
    folder: Path, path: str, text: str, level: str, option: list[str]
) -> None:
    write(folder, {f"{TREE}/{path}": text})
    result = vmrender("render", *option)
    assert result.exit_code == (1 if level == "error" else 0)
    found = f"{TREE}/{path}: {level}[foreign-file]: vmrender did not write {path}"
    assert (found in result.stderr) if level else ("foreign-file" not in result.stderr)


SUSPENDED = '[{"op": "add", "path": "/spec/suspend", "value": true}]'
ABOVE = KUSTOMIZATION.replace("path: ./rendered/NAME", "path: PATH").replace("NAME", "all")


@pytest.mark.parametrize(
    ("path", "changed"),
    [
        ("./rendered", ABOVE.replace("PATH", "./other")),
        ("./", ABOVE.replace("PATH", "./other")),
        ("./rendered", ABOVE.replace("PATH", "./rendered") + "  suspend: true\n"),
        ("./rendered", ABOVE.replace("PATH", "./rendered") + "  namePrefix: a-\n"),
    ],
)
def test_object_that_deploys_a_folder_above_the_trees_is_known(folder: Path, path: str, changed: str) -> None:
    for name in ("dev", "prod"):
        (folder / f"clusters/{name}.yaml").unlink()
    commit(folder, {"clusters/all.yaml": ABOVE.replace("PATH", path)})
    write(folder, {"clusters/all.yaml": changed})
    assert vmrender("diff").stdout.startswith("NOT COMPARED: 2 overlays\n")


def test_kustomization_that_lists_a_tree_is_not_compared(folder: Path) -> None:
    listing = "resources: [../../rendered/prod/prod/configmap_settings.yaml]\n"
    deploys = KUSTOMIZATION.replace("./rendered/NAME", "./deploy/prod").replace("NAME", "prod")
    commit(folder, {"clusters/prod.yaml": deploys, "deploy/prod/kustomization.yaml": listing})
    write(folder, {"deploy/prod/kustomization.yaml": f"{listing}namePrefix: a-\n"})
    output = vmrender("diff").stdout
    assert "not compared: deploy/prod/kustomization.yaml changes, by which rendered/prod is applied" in output


@pytest.mark.parametrize(
    ("added", "reason"),
    [
        (
            f"patches: [{{target: {{name: prod}}, patch: '{SUSPENDED}'}}]\n",
            "clusters/kustomization.yaml changes Kustomization prod, which deploys it",
        ),
        ("patches: [{path: patch.yaml}]\n", "and Kustomization prod cannot be built from clusters"),
        ("commonAnnotations: {}\n", ""),
    ],
)
def test_object_that_a_kustomization_patches_is_compared_as_built(
    folder: Path, added: str, reason: str
) -> None:
    listing = "resources: [source.yaml, dev.yaml, prod.yaml]\n"
    commit(folder, {"clusters/kustomization.yaml": listing})
    write(folder, {"clusters/kustomization.yaml": listing + added})
    output = vmrender("diff").stdout
    assert (reason in output) if reason else (output == "")


@pytest.mark.parametrize("changed", ["", ABOVE.replace("PATH", "./other"), f"{ABOVE}  namePrefix: a-\n"])
def test_change_above_the_objects_that_deploy_is_not_compared(folder: Path, changed: str) -> None:
    commit(folder, {"root.yaml": ABOVE.replace("PATH", "./clusters")})
    write(folder, {"root.yaml": changed.replace("PATH", "./clusters")})
    output = vmrender("diff").stdout
    assert output.startswith("NOT COMPARED: 2 overlays\n")
    assert "what deploys it" in output


@pytest.mark.parametrize("path", ["clusters/prod.yaml", "clusters/a/other.yaml", "elsewhere/prod.yaml"])
def test_second_object_of_that_name_is_not_compared(folder: Path, path: str) -> None:
    other = KUSTOMIZATION.replace("./rendered/NAME", "./other").replace("NAME", "prod")
    write(folder, {path: f"{(folder / path).read_text()}---\n{other}" if (folder / path).exists() else other})
    output = vmrender("diff").stdout
    if path.startswith("clusters"):
        assert f"not compared: {path} has a Kustomization prod, too" in output
    else:  # of another cluster, for all that is known
        assert output == ""
    commit(folder, {})
    assert vmrender("diff").stdout == ""


def test_escaped_object_is_known(folder: Path) -> None:
    file = folder / "clusters/prod.yaml"
    group, escaped = "kustomize.toolkit.fluxcd.io/v1", '"kustomize.\\x74oolkit.fluxcd.io/v1"'
    text = file.read_text("utf-8").replace(group, escaped)
    commit(folder, {"clusters/prod.yaml": text})
    write(folder, {"clusters/prod.yaml": f"{text}  suspend: true\n"})
    assert vmrender("diff").stdout.startswith("NOT COMPARED: overlays/prod\n")


def test_tree_that_is_left_behind_is_not_compared(folder: Path) -> None:
    shutil.rmtree(folder / "clusters")
    commit(folder, {})
    write(folder, {"vmrender.yaml": f"{PROJECT}output: built/{{name}}\n"})
    output = vmrender("diff").stdout
    assert output.startswith("NOT COMPARED: 2 overlays\n")
    assert "it is rendered into built/prod: what applies rendered/prod gets no change any more" in output


SET = f"""\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {{name: namespaces, namespace: argocd}}
spec:
  generators: [{{git: {{repoURL: "{ORIGIN}", revision: main, directories: [{{path: rendered/prod/*}}]}}}}]
  template:
    metadata: {{name: "{{{{path.basename}}}}"}}
    spec:
      project: default
      source: {{repoURL: "{ORIGIN}", targetRevision: main, path: "{{{{path}}}}"}}
      destination: {{server: "https://kubernetes.default.svc"}}
"""
LOST = "Application apps no longer reads 1 object of rendered/prod"
FOUND = "Application apps reads 1 object of rendered/prod, which it did not read before"


def application(path: str) -> dict[str, str]:
    return {"clusters/prod.yaml": APPLICATION_OF_PATH.replace("PATH", path)}


@pytest.mark.parametrize(
    ("deployer", "before", "after", "reason"),
    [
        (application(TREE), "layout: bundle", "", LOST),
        (application(TREE), "", "layout: bundle", FOUND),
        (application(TREE), "extras: [kustomization]", "", LOST),
        (application(f"{TREE}, directory: {{recurse: true}}"), "layout: bundle", "", ""),
        (application(f"{TREE}, directory: {{recurse: true}}"), "extras: [kustomization]", "", ""),
        (application(f"{TREE}, directory: {{recurse: true, include: '*_*'}}"), "", "layout: bundle", LOST),
        (application("rendered, directory: {recurse: true}"), "", "layout: bundle", ""),
        (application(f"{TREE}/prod"), "", "layout: bundle", LOST),
        ({}, "layout: bundle", "", ""),  # Flux
        (
            {
                "clusters/prod.yaml": KUSTOMIZATION.replace("./rendered/NAME", "./deploy"),
                "deploy/kustomization.yaml": f"resources: [../{TREE}/prod/configmap_settings.yaml]\n",
            },
            "",
            "layout: bundle",
            "Kustomization NAME no longer reads 1 object of rendered/prod",
        ),
    ],
)
def test_objects_in_files_that_an_engine_does_not_read_are_not_compared(
    folder: Path, deployer: dict[str, str], before: str, after: str, reason: str
) -> None:
    project = f"{PROJECT}repositories: ['{ORIGIN}']\noverlays: [path: overlays/prod]\n"
    write(folder, {"vmrender.yaml": f"{project}{before}\n", **deployer})
    assert vmrender("render", "--prune").exit_code == 0
    commit(folder, {})
    write(folder, {"vmrender.yaml": f"{project}{after}\n"})
    for _ in range(2):  # also before the tree is rendered
        output = vmrender("diff").stdout
        assert (f"not compared: {reason}\n" in output) if reason else (output == "")
        assert vmrender("render").exit_code == 0


def test_applications_for_the_folders_of_a_tree_are_known(folder: Path) -> None:
    project = f"{PROJECT}repositories: ['{ORIGIN}']\noverlays: [path: overlays/prod]\n"
    commit(folder, {"vmrender.yaml": project, "clusters/prod.yaml": SET})
    write(folder, {"vmrender.yaml": f"{project}layout: bundle\n"})
    assert "Application prod no longer reads 1 object of rendered/prod\n" in vmrender("diff").stdout
    assert vmrender("render").exit_code == 0
    assert "nothing in this repository deploys it any more\n" in vmrender("diff").stdout


def test_file_of_a_plain_folder_that_argo_cd_does_not_read_is_not_compared(folder: Path) -> None:
    entry = "{path: vms, directory: {recurse: true}}"
    project = f"{PROJECT}repositories: ['{ORIGIN}']\noverlays: [{entry}]\n"
    commit(folder, {"vmrender.yaml": project, "vms/settings.yaml": SETTINGS, **application("vms")})
    (folder / "vms/old").mkdir()
    (folder / "vms/settings.yaml").rename(folder / "vms/old/settings.yaml")
    reason = "not compared: Application apps no longer reads 1 object of rendered/vms"
    assert reason in vmrender("diff").stdout
    commit(folder, application("vms, directory: {recurse: true}"))
    (folder / "vms/old/settings.yaml").rename(folder / "vms/settings.yaml")
    assert vmrender("diff").stdout == ""


MACHINE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: db, namespace: prod}
spec:
  runStrategy: Always
  template: {spec: {domain: {memory: {guest: 1Gi}, devices: {}}}}
"""
ROOT = KUSTOMIZATION.replace("NAME", "flux-system").replace("name: fleet", "name: flux-system")
ADOPTED = "rendered/prod/apps"
HIDING = f"/{ADOPTED}/prod/virtualmachine_db.yaml"


@pytest.fixture
def adopted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository whose root Kustomization applies the tree of its entry."""
    folder = init(tmp_path / "repository")
    monkeypatch.chdir(folder)
    write(folder, {"vmrender.yaml": f"{PROJECT}overlays: [{{flux: clusters/prod, repoint: true}}]\n"})
    sync = GIT_REPOSITORY.replace("name: fleet", "name: flux-system") + "---\n" + ROOT
    apps = KUSTOMIZATION.replace("NAME", "apps").replace("name: fleet", "name: flux-system")
    write(folder, {"clusters/prod/flux-system/gotk-sync.yaml": sync.replace("./rendered", "./rendered/prod")})
    write(folder, {"clusters/prod/apps.yaml": apps.replace("./rendered/", "./"), "apps/db.yaml": MACHINE})
    assert vmrender("render").exit_code == 0
    commit(folder, {})
    return folder


@pytest.mark.parametrize(
    ("path", "text", "reason"),
    [
        (".sourceignore", f"{HIDING}\n", ".sourceignore changes what Flux sees of it"),
        ("rendered/.sourceignore", "virtual*\n", "rendered/.sourceignore changes what Flux sees of it"),
        (f"{ADOPTED}/.sourceignore", "*\n", f"{ADOPTED}/.sourceignore may change what is applied"),
        (f"{ADOPTED}/other.yaml", OTHER, f"{ADOPTED}/other.yaml may change what is applied"),
        (f"{ADOPTED}/kustomization.yaml", "resources: []\n", f"{ADOPTED}/kustomization.yaml may change"),
        ("rendered/prod/flux-system/more.yaml", KUSTOMIZATION, "rendered/prod/flux-system/more.yaml may"),
        (".sourceignore", "/docs/\n", ""),
        (f"{ADOPTED}/NOTES.md", "a note\n", ""),
    ],
)
def test_what_is_applied_of_the_tree_of_an_entry_is_compared(
    adopted: Path, path: str, text: str, reason: str
) -> None:
    write(adopted, {path: text})
    output = vmrender("diff").stdout
    assert (f"not compared: {reason}" in output) if reason else (output == "")
    commit(adopted, {})
    assert vmrender("diff").stdout == ""


def test_tree_of_an_entry_is_compared_by_the_ignore_rules_of_its_source(adopted: Path) -> None:
    sync = adopted / "clusters/prod/flux-system/gotk-sync.yaml"
    text = sync.read_text("utf-8")
    reason = "not compared: Kustomization apps no longer reads 1 object of rendered/prod/apps"
    for ignored, is_hidden in ((HIDING, True), ("/docs/", False)):
        write(
            adopted, {str(sync): text.replace("interval: 1m", f'interval: 1m\n  ignore: "{ignored}\\n"', 1)}
        )
        assert (reason in vmrender("diff").stdout) is is_hidden


def test_link_in_place_of_a_tree_is_not_compared(adopted: Path) -> None:
    shutil.move(adopted / ADOPTED, adopted / "other")
    (adopted / ADOPTED).symlink_to("../../other", target_is_directory=True)
    assert f"not compared: {ADOPTED} becomes, or is no longer, a symbolic link" in vmrender("diff").stdout


def test_tree_that_no_engine_applies_yet_is_not_looked_at(adopted: Path) -> None:
    sync = adopted / "clusters/prod/flux-system/gotk-sync.yaml"
    at_sources = sync.read_text("utf-8").replace("./rendered/prod/flux-system", "./clusters/prod")
    commit(adopted, {str(sync): at_sources})
    assert vmrender("render").exit_code == 0
    commit(adopted, {})
    write(adopted, {".sourceignore": "/rendered/\n", f"{ADOPTED}/other.yaml": OTHER})
    assert vmrender("diff").stdout == ""


def test_files_that_a_foreign_kustomization_uses_are_compared(folder: Path) -> None:
    listing = f"{LISTED}- ../../more\npatches: [path: patch.txt]\n"
    used = {"more/kustomization.yaml": "resources: [other.txt]\n", "more/other.txt": OTHER}
    commit(folder, {f"{TREE}/kustomization.yaml": listing, f"{TREE}/patch.txt": SETTINGS, **used})
    for path in (f"{TREE}/patch.txt", "more/other.txt"):
        write(folder, {path: f"{(folder / path).read_text('utf-8')}data: {{a: b}}\n"})
        assert f"not compared: {path} may change what is applied" in vmrender("diff").stdout
        commit(folder, {})
