"""``vmrender catalog`` where a golden case is not enough: revisions, checkouts, imported modules."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from renderer.cli.app import main

CHECKOUTS = Path(__file__).parents[3] / "shared/catalogs"
SIZE = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineInstancetype
metadata: {name: small}
spec: {cpu: {guest: 1}, memory: {guest: 1Gi}}
"""

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def run(*arguments: str) -> Result:
    return CliRunner(catch_exceptions=False).invoke(main, ["catalog", *arguments], prog_name="vmrender")


def git(folder: Path, *arguments: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    author = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *author, *arguments], cwd=folder, env=environment, check=True, capture_output=True)


@pytest.fixture(params=[".", "deep/project"])
def project(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that is a Git repository or a folder of one, with two commits."""
    folder = tmp_path / str(request.param)
    (folder / "ours").mkdir(parents=True)
    (folder / "vmrender.yaml").write_text("apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n")
    (folder / "ours/kustomization.yaml").write_text("resources: [size.yaml]\n")
    (folder / "ours/size.yaml").write_text(SIZE)
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "one")
    (folder / "ours/size.yaml").write_text(SIZE.replace("guest: 1}", "guest: 2}"))
    git(tmp_path, "commit", "--quiet", "--all", "--message", "two")
    monkeypatch.chdir(folder)
    return folder


@needs_git
def test_revisions_are_compared(project: Path) -> None:
    (project / "ours/size.yaml").write_text(SIZE.replace("1Gi", "1024Mi"))

    committed = run("diff", "HEAD~1:ours", "main:ours")

    assert committed.exit_code == 1
    assert committed.stdout.splitlines() == [
        "changed instance type small (namespaced)",
        "  spec.cpu.guest: 1 -> 2",
        "0 added, 0 removed, 1 changed, 0 equal",
    ]
    assert run("diff", "HEAD~1:ours", "ours").exit_code == 0
    assert "guest: 2" in run("export", "HEAD:ours").stdout


@needs_git
@pytest.mark.parametrize("written", ["HEAD~1..HEAD", "HEAD~1..", "HEAD~1...main", "HEAD~1"])
def test_catalogs_of_the_project_are_compared_at_revisions(project: Path, written: str) -> None:
    listing = (project / "vmrender.yaml").read_text() + "catalogs: [{path: ours}]\n"
    (project / "vmrender.yaml").write_text(listing)
    git(project, "commit", "--quiet", "--all", "--message", "listed")
    (project / "ours/size.yaml").write_text(SIZE.replace("guest: 1}", "guest: 3}"))
    git(project, "commit", "--quiet", "--all", "--message", "three")

    compared = run("diff", written)

    assert compared.exit_code == 1, compared.stderr
    assert "  spec.cpu.guest: 2 -> 3\n" in compared.stdout


@needs_git
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ours",), "vmrender catalog diff BEFORE AFTER; or A..B for the project's catalogs"),
        (("HEAD:ours",), "vmrender catalog diff BEFORE AFTER; or A..B for the project's catalogs"),
        (("mian",), "no such revision: mian"),
        (("HEAD", "HEAD~1"), "vmrender catalog diff A..B compares the project's catalogs at two revisions"),
    ],
)
@pytest.mark.usefixtures("project")
def test_refused_comparison_names_the_right_form(arguments: tuple[str, ...], message: str) -> None:
    result = run("diff", *arguments)

    assert result.exit_code == 2
    assert message in result.stderr


@needs_git
@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("mian:ours", "no such revision: mian"),
        ("HEAD:theirs", "there is no theirs in revision HEAD"),
        ("HEAD:../ours", "../ours of HEAD leads outside the repository"),
        (":ours", "'' is not the name of a revision"),
    ],
)
@pytest.mark.usefixtures("project")
def test_unreadable_revision_is_reported(reference: str, message: str) -> None:
    result = run("diff", reference, "ours")

    assert result.exit_code == 2
    assert message in result.stderr


@needs_git
def test_finding_in_a_revision_has_its_line(project: Path) -> None:
    (project / "ours/size.yaml").write_text("kind: [\n")
    git(project, "commit", "--quiet", "--all", "--message", "broken")
    (project / "ours/size.yaml").write_text(SIZE)

    result = run("diff", "HEAD:ours", "ours")

    assert result.exit_code == 2
    assert result.stderr.startswith("HEAD:ours/size.yaml:1:7: error[yaml-syntax]: ")


@pytest.mark.skipif(not CHECKOUTS.exists(), reason="no checkouts of common-instancetypes at hand")
@pytest.mark.parametrize("release", ["v1.3.0", "v1.7.0"])
def test_checkout_is_imported_like_the_upstream_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, release: str
) -> None:
    monkeypatch.chdir(tmp_path)
    checkout = CHECKOUTS / f"common-instancetypes-{release}"
    built = (CHECKOUTS / f"common-instancetypes-{release}.expected.yaml").read_text()

    imported = run("import", str(checkout), "--release", release, "--add")
    exported = run("export", f"catalog/common-instancetypes/{release}")
    again = run("import", str(checkout), "--release", release)
    listed = run("list", "--format", "json", "--class", "u1", "--scope", "cluster")

    assert (imported.exit_code, again.exit_code) == (0, 0)
    assert "unchanged" in again.stderr
    assert by_id(exported.stdout) == by_id(built)
    u1 = {entry["name"]: (entry["vcpus"], entry["memory"]) for entry in json.loads(listed.stdout)}
    assert u1["u1.medium"] == (1, "4Gi")
    assert run("diff", str(checkout), f"catalog/common-instancetypes/{release}").exit_code == 0


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[{path: ./ours/}]", "[{path: ./ours/}, {path: c/sizes/v2.0.0}]"),
        ("[]", "[{path: c/sizes/v2.0.0}]"),
        (
            "[{path: a}, {path: old/sizes/v1.0.0}, {builtin: common-instancetypes}]",
            "[{path: a}, {path: c/sizes/v2.0.0}, {path: old/sizes/v1.0.0}, {builtin: common-instancetypes}]",
        ),
        ("[{path: ./c/sizes/v2.0.0/}]", "[{path: ./c/sizes/v2.0.0/}]"),
    ],
)
@pytest.mark.parametrize("cluster", ["", "east"])
def test_import_is_listed_after_own_catalogs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str, after: str, cluster: str
) -> None:
    monkeypatch.chdir(tmp_path)
    head = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n"
    listing = "clusters:\n- name: east\n  catalogs: {}\n" if cluster else "catalogs: {}\n"
    Path("vmrender.yaml").write_text(head + listing.format(before))
    Path("bundle.yaml").write_text(SIZE)
    options = ("--release", "v2.0.0", "--name", "sizes", "--into", "c", "--add")

    for _ in range(2):
        result = run("import", "bundle.yaml", *options, *(["--cluster", cluster] if cluster else []))
        assert result.exit_code == 0, result.stderr
        assert Path("vmrender.yaml").read_text() == head + listing.format(after)


def by_id(manifests: str) -> dict[tuple[str, str], object]:
    documents = yaml.load_all(manifests, yaml.CSafeLoader)
    return {(document["kind"], document["metadata"]["name"]): document for document in documents}


def test_a_list_imports_neither_schemas_nor_expansion() -> None:
    program = (
        "import sys\nfrom renderer.cli.app import main\ntry:\n  main()\nfinally:\n  print(*sys.modules)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, "catalog", "list", "--format", "names"],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    modules = set(ran.stdout.split("\n")[-2].split())

    assert "renderer.authoring.catalogs.listing" in modules
    assert modules.isdisjoint(
        {
            "renderer.kubevirt.instancetype.expand",
            "renderer.files.git",
            "renderer.findings.locator",
            "renderer.checks.schemas",
            "difflib",
            "jsonschema_rs",
            "subprocess",
        }
    )
