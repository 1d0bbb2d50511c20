"""A ControllerRevision that leaves Git, and the machines that need it, as ``vmrender diff`` sees them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from renderer.cli.app import main
from tests.cli.git_work_tree import commit, git, init, write

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

CASE = Path(__file__).parents[1] / "cases/pin/unpin-live-not-named"
POOL = Path(__file__).parents[1] / "cases/pin/unpin-of-a-pool"
REVISION = "u1.small-v1beta1-f18406237e"
WILL_NOT_START = "accepted, but the next start fails"
PINS = "overlays/prod/pins"


def run(*arguments: str) -> str:
    result = CliRunner(catch_exceptions=False).invoke(main, arguments, prog_name="vmrender")
    assert result.exit_code in (0, 1), result.output
    return result.stdout


def machine() -> str:
    return Path("overlays/prod/db.yaml").read_text(encoding="utf-8")


@pytest.fixture
def pinned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose machine is pinned to 3Gi, while the catalog has 2Gi by now."""
    repository = init(tmp_path / "repository")
    shutil.copytree(CASE, repository, dirs_exist_ok=True)
    monkeypatch.chdir(repository)
    write(repository, {"catalog/objects.yaml": catalog("3Gi")})
    run("pin", "prod", "--all")
    commit(repository, {"catalog/objects.yaml": catalog("2Gi")})
    return repository


def catalog(memory: str) -> str:
    return (
        "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\n"
        f"metadata: {{name: u1.small}}\nspec: {{cpu: {{guest: 1}}, memory: {{guest: {memory}}}}}\n"
        "---\napiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\n"
        "metadata: {name: u1.large}\nspec: {cpu: {guest: 2}, memory: {guest: 8Gi}}\n"
    )


def effect(*arguments: str) -> str:
    """The worst effect of a difference on the one machine."""
    document = json.loads(run("diff", *arguments, "--format", "json"))
    [change] = [
        change
        for overlay in document["overlays"]
        for change in overlay["changes"]
        if (change["after"] or change["before"])["kind"].startswith("VirtualMachine")
    ]
    return str(change["impact"]["effect"])


@pytest.mark.usefixtures("pinned")
def test_unpinned_machine_keeps_its_revision() -> None:
    run("unpin", "prod", "--all")
    text = run("diff")
    assert "changed VirtualMachine prod/db: no effect" in text
    assert (
        "the status goes on naming it, until that is cleared; without it the VM will not start again" in text
    )
    assert "removed ControllerRevision" not in text
    assert "needs a restart" not in text


def unpin_and_drop() -> None:
    run("unpin", "prod", "--all")
    run("unpin", "prod", "--cleared")


def drop_by_merge() -> None:
    """A merge that took the deletion of the folder."""
    shutil.rmtree(PINS)
    path = Path("overlays/prod/kustomization.yaml")
    path.write_text(path.read_text(encoding="utf-8").replace("components:\n- pins\n", ""), encoding="utf-8")


def drop_and_name_another() -> None:
    unpin_and_drop()
    Path("overlays/prod/db.yaml").write_text(machine().replace("u1.small", "u1.large"), encoding="utf-8")


def drop_and_halt() -> None:
    unpin_and_drop()
    Path("overlays/prod/db.yaml").write_text(machine().replace("Always", "Halted"), encoding="utf-8")


@pytest.mark.usefixtures("pinned")
@pytest.mark.parametrize("drop", [unpin_and_drop, drop_by_merge, drop_and_name_another, drop_and_halt])
def test_machine_without_its_revision_will_not_start_again(drop: Callable[[], None]) -> None:
    drop()
    text = run("diff")
    assert f"changed VirtualMachine prod/db: {WILL_NOT_START}" in text
    assert f"its status goes on naming ControllerRevision {REVISION}, which leaves Git" in text
    assert f"virtual machines: 1 {WILL_NOT_START}" in text
    assert effect() == "no-start"


@pytest.mark.usefixtures("pinned")
def test_other_instance_type_with_the_old_revision_is_refused() -> None:
    renamed = machine().replace("name: u1.small", "name: u1.large")
    assert renamed != machine()
    Path("overlays/prod/db.yaml").write_text(renamed, encoding="utf-8")
    assert effect() == "refused"
    assert "spec.instancetype.name changed from u1.small to u1.large, but revisionName did not" in run("diff")


@pytest.mark.parametrize(("release", "expected"), [("1.4", "restart"), ("1.5", "no-start")])
def test_status_names_revisions_since_1_5(pinned: Path, release: str, expected: str) -> None:
    project = Path("vmrender.yaml").read_text(encoding="utf-8").replace('"1.6"', f'"{release}"')
    commit(pinned, {"vmrender.yaml": project})
    unpin_and_drop()
    assert effect() == expected


def test_machine_that_is_expanded_needs_no_revision(pinned: Path) -> None:
    project = Path("vmrender.yaml").read_text(encoding="utf-8").replace('"off"', "applied")
    write(pinned, {"vmrender.yaml": project})
    assert WILL_NOT_START not in run("diff")


def test_revision_that_leaves_git_later_is_a_note(pinned: Path) -> None:
    run("unpin", "prod", "--all")
    commit(pinned, {})
    unpin_and_drop()
    text = run("diff")
    note = f"ControllerRevision {REVISION} leaves Git: a machine whose status still names it will not start"
    assert f"{note} again (VirtualMachine prod/db); vmrender diff --live says whether one does" in text
    assert WILL_NOT_START not in text
    [overlay] = json.loads(run("diff", "--format", "json"))["overlays"]
    assert [each[: len(note)] for each in overlay["notes"]] == [note]
    commit(pinned, {})
    assert "no-start" in run("diff", "HEAD~2..HEAD", "--each", "--format", "json")


def move_without_pins() -> None:
    """Move the machine to another overlay of its namespace; the old one keeps neither it nor its pin."""
    Path("overlays/shop").mkdir()
    shutil.move("overlays/prod/db.yaml", "overlays/shop/db.yaml")
    Path("overlays/shop/kustomization.yaml").write_text("namespace: prod\nresources: [db.yaml]\n")
    Path("overlays/prod/kustomization.yaml").write_text("resources: []\n")
    shutil.rmtree(PINS)


def move_and_keep_the_revision() -> None:
    move_without_pins()
    git(Path(), "checkout", "--quiet", PINS)
    Path("overlays/prod/kustomization.yaml").write_text("namespace: prod\ncomponents: [pins]\n")
    run("unpin", "prod")


def move_with_pins() -> None:
    shutil.move("overlays/prod", "overlays/shop")


@pytest.mark.usefixtures("pinned")
@pytest.mark.parametrize(
    ("move", "starts"),
    [(move_without_pins, False), (move_and_keep_the_revision, True), (move_with_pins, True)],
)
def test_machine_that_moves_to_another_overlay(move: Callable[[], None], *, starts: bool) -> None:
    move()
    text = run("diff")
    moved = next((line for line in text.splitlines() if "changed VirtualMachine prod/db" in line), "")
    assert moved.endswith("no effect" if starts else WILL_NOT_START), text


def test_machines_of_a_pool_need_it_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = init(tmp_path / "repository")
    shutil.copytree(POOL, repository, dirs_exist_ok=True)
    monkeypatch.chdir(repository)
    commit(repository, {})
    unpin_and_drop()
    assert f"changed VirtualMachinePool prod/workers: {WILL_NOT_START}" in run("diff")
    git(repository, "checkout", "--quiet", ".")
    run("unpin", "prod", "--all")
    assert effect() == "restart"


def test_cluster_says_who_still_needs_a_revision(pinned: Path) -> None:
    synced = dump(f"{{name: u1.small, revisionName: {REVISION}}}", f"{{name: {REVISION}}}")
    write(pinned, {"../synced.yaml": synced})
    run("unpin", "prod", "--all")
    text = run("diff", "--live", "../synced.yaml")
    assert "drifted VirtualMachine prod/db: no effect" in text
    assert (
        f"ControllerRevision prod/{REVISION} is in Git only because VirtualMachine prod/db names it" in text
    )
    run("unpin", "prod", "--cleared")
    text = run("diff", "--live", "../synced.yaml")
    assert f"drifted VirtualMachine prod/db: {WILL_NOT_START}" in text
    assert f"its status names ControllerRevision {REVISION}, which Git does not have" in text
    assert effect("--live", "../synced.yaml") == "no-start"


def test_revision_that_nobody_has(pinned: Path) -> None:
    unpin_and_drop()
    write(pinned, {"../synced.yaml": dump("{name: u1.small}", "{name: gone}")})
    text = run("diff", "--live", "../synced.yaml")
    assert "its status names ControllerRevision gone, which neither Git nor the cluster has" in text


def test_dump_without_revisions_says_nothing_about_them(pinned: Path) -> None:
    unpin_and_drop()
    machines, _, _ = dump("{name: u1.small}", f"{{name: {REVISION}}}").partition("---")
    write(pinned, {"../synced.yaml": machines})
    assert WILL_NOT_START not in run("diff", "--live", "../synced.yaml")


def test_revision_of_kubevirt_is_not_in_git(pinned: Path) -> None:
    unpin_and_drop()
    owner = "ownerReferences: [{controller: true, kind: VirtualMachine, name: db}], "
    synced = dump("{name: u1.small}", f"{{name: {REVISION}}}")
    write(pinned, {"../synced.yaml": synced.replace("labels:", f"{owner}labels:")})
    assert WILL_NOT_START not in run("diff", "--live", "../synced.yaml")


def test_machines_of_a_pool_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = init(tmp_path / "repository")
    shutil.copytree(POOL, repository, dirs_exist_ok=True)
    monkeypatch.chdir(repository)
    synced = dump("{name: u1.small}", f"{{name: {REVISION}}}").replace("name: db", "name: workers-0")
    write(repository, {"../synced.yaml": synced})
    assert "will not start again" not in run("diff", "--live", "../synced.yaml")
    unpin_and_drop()
    text = run("diff", "--live", "../synced.yaml")
    named = f"VirtualMachine prod/workers-0 will not start again once ControllerRevision {REVISION} is pruned"
    assert f"{named}, which Git does not have" in text


def test_folder_of_an_entry_point_keeps_what_its_overlay_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kustomization = (
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
        "metadata: {name: vms, namespace: flux-system}\n"
        "spec: {interval: 1m, path: ./apps, prune: true, targetNamespace: prod, "
        "sourceRef: {kind: GitRepository, name: flux-system}}\n"
    )
    project = (
        'apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\nkubevirt: "1.7"\n'
        'catalogs: [{path: catalog}]\noverlays: [{flux: clusters/prod, expand: "off"}]\n'
    )
    files = {
        "vmrender.yaml": project,
        "catalog/kustomization.yaml": "resources: [objects.yaml]\n",
        "catalog/objects.yaml": catalog("3Gi"),
        "clusters/prod/vms.yaml": kustomization,
        "apps/kustomization.yaml": "resources: [db.yaml]\n",
        "apps/db.yaml": (CASE / "overlays/prod/db.yaml").read_text(encoding="utf-8"),
    }
    write(init(tmp_path / "repository"), files)
    monkeypatch.chdir(tmp_path / "repository")
    run("pin", "apps", "--all")
    run("unpin", "apps", "--all")
    [revision] = Path("apps/pins").glob("controllerrevision_*.yaml")
    name = revision.stem.removeprefix("controllerrevision_")
    for named, stays in ((name, True), ("db-u1.small-7", False)):
        write(Path(), {"../synced.yaml": live("{name: u1.small}", f"{{name: {named}}}")})
        run("unpin", "apps", "--live", "../synced.yaml")
        assert revision.exists() is stays


def dump(matcher: str, reference: str) -> str:
    """The machine as a cluster has it, and the ControllerRevision of its pin."""
    return (
        f"{live(matcher, reference)}---\napiVersion: apps/v1\nkind: ControllerRevision\n"
        f"metadata: {{name: {REVISION}, namespace: prod, "
        "labels: {instancetype.kubevirt.io/object-name: u1.small}}\nrevision: 0\n"
        "data: {apiVersion: instancetype.kubevirt.io/v1beta1, kind: VirtualMachineClusterInstancetype, "
        "metadata: {name: u1.small}, spec: {cpu: {guest: 1}, memory: {guest: 3Gi}}}\n"
    )


def live(matcher: str, reference: str) -> str:
    """The machine as a cluster has it, with this matcher, and this reference in its status."""
    text = (CASE / "overlays/prod/db.yaml").read_text(encoding="utf-8")
    text = text.replace("{name: u1.small}", matcher).replace("  name: db", "  name: db\n  namespace: prod")
    return f"{text}status: {{instancetypeRef: {{name: u1.small, controllerRevisionRef: {reference}}}}}\n"
