"""While it is not completely known what is deployed, no tree is stale, and no tree of others is rewritten."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from renderer.cli.app import main
from tests.cli.git_work_tree import commit, init, write

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

PAGE = Path(__file__).parents[2] / "docs" / "adoption.md"
FILES = dict(re.findall(r"^```yaml (\S+)\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL))
CONFLICT = "<<<<<<< HEAD\n"
TEAMS = "argocd/apps/teams.yaml"
#: A set with the same Applications, which nothing deploys.
ROOT_SET = FILES[TEAMS].replace("name: teams", "name: others").replace("team-{{", "other-{{")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The repository of the page, rendered and committed."""
    folder = init(tmp_path / "repository")
    monkeypatch.chdir(folder)
    write(folder, FILES)
    assert run("render").exit_code == 0
    commit(folder, {})
    return folder


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def trees(folder: Path) -> dict[str, bytes]:
    files = (path for path in (folder / "rendered").rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def break_file(folder: Path, path: str, text: str = CONFLICT) -> None:
    with (folder / path).open("a") as file:
        file.write(text)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("clusters/prod/apps.yaml", CONFLICT),
        ("clusters/prod/flux-system/kustomization.yaml", "a: [\n"),
        ("clusters/prod/flux-system/gotk-sync.yaml", CONFLICT),
        ("argocd/root.yaml", CONFLICT),
        ("argocd/apps/web.yaml", CONFLICT),
        (TEAMS, CONFLICT),
        (TEAMS, "a: [\n"),
    ],
)
@pytest.mark.parametrize("options", [(), ("--prune",), ("--prune", "--tracked")])
def test_broken_parent_leaves_all_trees(
    repository: Path, path: str, text: str, options: tuple[str, ...]
) -> None:
    before = trees(repository)
    break_file(repository, path, text)
    result = run("render", *options)
    assert result.exit_code == 1
    assert trees(repository) == before
    assert "stale-tree" not in result.stderr
    assert ("no tree is pruned: not all overlays are known" in result.stderr) is ("--prune" in options)
    checked = run("render", "--check").stderr
    assert "stale" not in checked
    difference = run("diff").stdout
    assert "removed" not in difference
    assert "not compared" in difference


def test_set_that_cannot_be_evaluated_leaves_all_trees(repository: Path) -> None:
    before = trees(repository)
    (repository / TEAMS).write_text(FILES[TEAMS].replace(".path.basename", ".path.basename | nothing"))
    result = run("render", "--prune")
    assert result.exit_code == 1
    assert trees(repository) == before
    assert "removed" not in run("diff").stdout


def test_broken_set_that_nothing_deploys_leaves_all_trees(repository: Path) -> None:
    write(repository, {"argocd/others.yaml": ROOT_SET})
    assert run("render").exit_code == 0
    before = trees(repository)
    assert "rendered/argocd/other-data/data/virtualmachine_log.yaml" in before
    break_file(repository, "argocd/others.yaml")
    assert run("render", "--prune").exit_code == 1
    assert trees(repository) == before


def test_broken_object_of_the_flux_operator_leaves_all_trees(repository: Path) -> None:
    for path in ("clusters/prod/flux-system/gotk-sync.yaml", "clusters/prod/flux-system/kustomization.yaml"):
        (repository / path).unlink()
    instance = "apiVersion: fluxcd.controlplane.io/v1\nkind: FluxInstance\nmetadata: {name: flux}\nspec:\n"
    sync = "kind: GitRepository, url: 'https://git.example.org/acme/fleet.git', path: clusters/prod"
    write(repository, {"clusters/prod/instance.yaml": f"{instance}  sync: {{{sync}}}\n"})
    assert run("render", "--prune").exit_code == 0
    before = trees(repository)
    break_file(repository, "clusters/prod/instance.yaml")
    assert run("render", "--prune").exit_code == 1
    assert trees(repository) == before


def test_other_entries_are_rendered(repository: Path) -> None:
    break_file(repository, "argocd/root.yaml")
    for path in ("apps/db.yaml", "web/web.yaml"):
        (repository / path).write_text(FILES[path].replace("u1.small", "u1.large"))
    before = trees(repository)
    result = run("render")
    changed = {path for path, content in trees(repository).items() if content != before[path]}
    assert {path.rpartition("/")[0] for path in changed} == {"rendered/prod/apps/vms", "rendered/prod/apps"}
    assert "all trees of argocd stay as they are" in result.stderr


def test_application_that_deploys_none_does_not_stop_the_others(repository: Path) -> None:
    break_file(repository, "web/web.yaml")
    (repository / "teams/data/log.yaml").write_text(
        FILES["teams/data/log.yaml"].replace("u1.small", "u1.large")
    )
    before = trees(repository)
    result = run("render")
    assert "argocd:_entry -> rendered/argocd/_entry: 1 file, unchanged" in result.stderr
    changed = {path for path, content in trees(repository).items() if content != before[path]}
    assert {path.split("/")[2] for path in changed} == {"team-data"}


def test_suspended_kustomization_keeps_its_tree_and_machines(repository: Path) -> None:
    path = "clusters/prod/apps.yaml"
    write(repository, {path: FILES[path].replace("spec:\n", "spec:\n  suspend: true\n")})
    difference = run("diff").stdout
    assert "removed" not in difference
    assert (
        "in work tree, it is suspended: nothing is applied, and its objects stay in the cluster" in difference
    )
    before = trees(repository)
    result = run("render", "--prune")
    assert set(trees(repository)) == set(before)
    assert "stale" not in result.stderr
    commit(repository, {})
    write(repository, FILES)
    assert "added VirtualMachine" not in run("diff").stdout


def test_variables_of_a_broken_kustomization_keep_the_tree_of_others(repository: Path) -> None:
    settings = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: site}\ndata: {site: south}\n"
    first = FILES["clusters/prod/apps.yaml"]
    config = first.replace("name: apps", "name: config", 1).replace("./apps", "./config")
    files = {
        "config/site.yaml": settings,
        "config/kustomization.yaml": "resources: [site.yaml]\n",
        "clusters/prod/config.yaml": config.replace("targetNamespace: vms", "targetNamespace: flux-system"),
        "clusters/prod/apps.yaml": first.replace(
            "substitute: {site: north}", "substituteFrom: [{kind: ConfigMap, name: site}]"
        ),
    }
    write(repository, files)
    assert run("render").exit_code == 0
    before = trees(repository)
    assert "rendered/prod/apps/vms/virtualmachine_south-db.yaml" in before
    break_file(repository, "config/kustomization.yaml", "a: [\n")
    result = run("render", "--prune")
    assert result.exit_code == 1
    assert trees(repository) == before
    assert "the ConfigMap site is not known before config can be built" in result.stderr


def test_copy_of_a_broken_kustomization_with_encrypted_values_stays(repository: Path) -> None:
    path = "clusters/prod/apps.yaml"
    encrypted = "spec:\n  decryption: {provider: sops}\n"
    value = "'ENC[AES256_GCM,data:AA==,type:str]'"
    manifest = f"apiVersion: v1\nkind: Secret\nmetadata: {{name: s}}\nstringData: {{a: {value}}}\n"
    manifest += f"sops: {{mac: {value}, version: 3.9.0}}\n"
    write(repository, {path: FILES[path].replace("spec:\n", encrypted, 1), "apps/secret.yaml": manifest})
    assert run("render").exit_code == 0
    before = trees(repository)
    assert b"postBuild" in before["rendered/prod/flux-system/flux-system/kustomization_apps.yaml"]
    break_file(repository, "apps/db.yaml")
    assert run("render", "--prune").exit_code == 1
    assert trees(repository) == before


def test_removed_overlay_is_pruned_while_all_is_known(repository: Path) -> None:
    shutil.rmtree(repository / "teams")
    (repository / TEAMS).unlink()
    assert run("render", "--prune").exit_code == 0
    assert not (repository / "rendered/argocd/team-data").exists()
