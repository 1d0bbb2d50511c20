from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from renderer.cli import app

CATALOG = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: u1.medium, labels: {vendor: example}}
spec: {cpu: {guest: 1}, memory: {guest: 4096Mi}}
---
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: u1.large}
spec: {cpu: {guest: 2}, memory: {guest: 8Gi}}
---
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterPreference
metadata: {name: fedora}
spec: {devices: {preferredDiskBus: virtio}}
"""

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: {name}
  labels: {{app: {name}}}
spec:
  runStrategy: Always
  instancetype: {{name: u1.medium}}
  preference: {{name: fedora}}
  template:
    spec:
      domain: {{devices: {{disks: [{{name: root}}]}}}}
      volumes: [{{name: root, containerDisk: {{image: example.com/fedora}}}}]
"""

OVERLAY = """\
# Production: ask before you change this.
namespace: prod   # of all of them

resources:
  - ../../base   # every VM

# Nothing below this line.
"""

FILES = {
    "vmrender.yaml": "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\ncatalogs: [{path: catalog}]\n",
    "catalog/kustomization.yaml": "resources: [objects.yaml]\n",
    "catalog/objects.yaml": CATALOG,
    "base/kustomization.yaml": "resources: [db.yaml, web.yaml]\n",
    "base/db.yaml": VM.format(name="db"),
    "base/web.yaml": VM.format(name="web"),
    "overlays/prod/kustomization.yaml": OVERLAY,
}
PINS = "overlays/prod/pins"


class Repository:
    """A repository on disk, and vmrender run in it."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def replace(self, path: str, old: str, new: str) -> None:
        text = (self.root / path).read_text()
        assert old in text
        (self.root / path).write_text(text.replace(old, new))

    def run(self, *args: str) -> Result:
        return CliRunner().invoke(app.main, args)

    def ok(self, *args: str) -> Result:
        result = self.run(*args)
        assert result.exit_code == 0, result.output
        return result

    def refused(self, *args: str) -> str:
        """Return the error output; assert that nothing has changed."""
        before = self.tree()
        result = self.run(*args)
        assert result.exit_code in (1, 2), result.output
        assert "Traceback" not in result.output
        assert self.tree() == before
        return result.stderr

    def build(self, *args: str) -> str:
        return self.ok("build", "overlays/prod", *args).stdout

    def memory(self, name: str) -> str:
        """The guest memory of a VM as it is built."""
        [vm] = [text for text in self.build().split("---\n") if f"\n  name: {name}\n" in text]
        [line] = [line for line in vm.splitlines() if line.strip().startswith("guest: ")]
        return line.split()[1]

    def tree(self) -> dict[str, bytes]:
        files = (path for path in self.root.rglob("*") if path.is_file())
        return {path.relative_to(self.root).as_posix(): path.read_bytes() for path in files}

    def pins(self) -> set[str]:
        return {path.rpartition("/")[2] for path in self.tree() if path.startswith(PINS)}


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    made = Repository(tmp_path)
    for path, text in FILES.items():
        made.write(path, text)
    monkeypatch.chdir(tmp_path)
    return made


def upgrade(repository: Repository) -> None:
    repository.replace("catalog/objects.yaml", "4096Mi", "6Gi")


def test_catalog_upgrade_affects_only_unpinned_vms(repository: Repository) -> None:
    repository.ok("pin", "prod", "db")
    upgrade(repository)
    assert repository.memory("db") == "4Gi"
    assert repository.memory("web") == "6Gi"
    repository.ok("pin", "prod", "web")
    repository.ok("unpin", "prod", "db")
    assert repository.memory("db") == "6Gi"


def test_pinning_does_not_change_the_rendered_output(repository: Repository) -> None:
    repository.ok("render")
    before = repository.tree()
    repository.ok("pin", "prod", "--all")
    repository.ok("render", "--check")
    assert {path: text for path, text in repository.tree().items() if path.startswith("rendered")} == {
        path: text for path, text in before.items() if path.startswith("rendered")
    }


def test_with_matchers_kept_the_revisions_are_part_of_the_output(repository: Repository) -> None:
    repository.ok("pin", "prod", "db")
    text = repository.build("--expand", "off")
    assert text.count("kind: ControllerRevision") == 2
    assert text.count("revisionName: u1.medium-v1beta1-") == 1
    assert "kind: ControllerRevision" not in repository.build("--expand", "defaults")


@pytest.mark.skipif(not shutil.which("kubectl"), reason="needs kubectl kustomize")
def test_kustomize_builds_the_same(repository: Repository) -> None:
    repository.ok("pin", "prod", "--all")
    command = ["kubectl", "kustomize", "overlays/prod"]
    assert repository.build("--expand", "off") == subprocess.run(
        command, cwd=repository.root, capture_output=True, text=True, check=True
    ).stdout  # fmt: skip


def test_edited_file_keeps_every_byte_except_the_new_entry(repository: Repository) -> None:
    repository.ok("pin", "prod", "db")
    written = (repository.root / "overlays/prod/kustomization.yaml").read_text()
    assert written == OVERLAY + "\ncomponents:\n  - pins\n"


def test_unpinning_restores_the_original(repository: Repository) -> None:
    before = repository.tree()
    repository.ok("pin", "prod", "--all")
    repository.ok("unpin", "prod", "db")
    assert "virtualmachine_web.yaml" in repository.pins()
    repository.ok("unpin", "prod", "web")
    assert repository.tree() == before
    assert not (repository.root / PINS).exists()


def test_pinning_twice_changes_nothing(repository: Repository) -> None:
    repository.ok("pin", "prod", "--all")
    before = repository.tree()
    again = repository.ok("pin", "prod", "--all")
    assert "VirtualMachine prod/db: is pinned already, to u1.medium-v1beta1-" in again.stderr
    assert f"{PINS}: unchanged" in again.stderr
    repository.ok("pin", "prod", "--all", "--update")
    assert repository.tree() == before
    repository.ok("unpin", "prod", "--all")
    twice = repository.ok("unpin", "prod", "--all")
    assert "VirtualMachine prod/db: is not pinned" in twice.stderr


def test_equal_content_is_stored_once(repository: Repository) -> None:
    repository.ok("pin", "prod", "db")
    one = repository.pins()
    repository.ok("pin", "prod", "web")
    assert repository.pins() - one == {"virtualmachine_web.yaml"}
    repository.ok("unpin", "prod", "db")
    assert len(repository.pins()) == len(one)


def test_pin_is_renewed_only_on_request(repository: Repository) -> None:
    repository.ok("pin", "prod", "db")
    before = repository.tree()
    upgrade(repository)
    kept = repository.ok("pin", "prod", "db")
    assert "--update would pin u1.medium-v1beta1-" in kept.stderr
    assert repository.memory("db") == "4Gi"
    repository.ok("pin", "prod", "db", "--update")
    assert repository.memory("db") == "6Gi"
    assert len(repository.pins()) == 4
    repository.replace("catalog/objects.yaml", "6Gi", "4096Mi")
    repository.ok("pin", "prod", "db", "--update")
    assert repository.tree() == before


@pytest.mark.skipif(sys.platform == "win32", reason="there is no lock to wait for")
def test_concurrent_runs_keep_each_others_pins(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl  # noqa: PLC0415 - Windows has no such module

    lock, waiting = fcntl.flock, ["pin prod web"]

    def wait(descriptor: int, operation: int) -> None:
        if waiting:
            repository.ok(*waiting.pop().split())
        lock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", wait)
    refused = repository.run("pin", "prod", "db")
    assert refused.exit_code == 2
    assert "was changed by someone else while this command was at work" in refused.stderr
    assert "hint: nothing was written: run the command again" in refused.stderr
    listed = [f"virtualmachine_{name}.yaml" for name in ("db", "web")]
    assert [name in repository.pins() for name in listed] == [False, True]
    repository.ok("pin", "prod", "db")
    text = (repository.root / PINS / "kustomization.yaml").read_text()
    assert [name in text for name in listed] == [True, True]


def test_vms_are_chosen_by_name_namespace_and_label(repository: Repository) -> None:
    repository.ok("pin", "overlays/prod", "prod/db")
    repository.ok("pin", "prod", "-l", "app in (web)")
    assert {"virtualmachine_db.yaml", "virtualmachine_web.yaml"} <= repository.pins()
    repository.ok("unpin", "prod", "--selector", "app=web")
    assert "virtualmachine_web.yaml" not in repository.pins()


def test_selecting_no_vm_is_wrong_usage(repository: Repository) -> None:
    assert "did you mean db?" in repository.refused("pin", "prod", "dbb")
    for arguments in ([], ["-l", "app=nothing"], ["-l", "=("], ["other/db"], ["db", "nothing"]):
        for command in ("pin", "unpin"):
            assert repository.run(command, "prod", *arguments).exit_code == 2
    assert repository.run("pin", "nowhere", "--all").exit_code == 2
    assert repository.run("pin", "..", "--all").exit_code == 2
    assert repository.pins() == set()


def test_a_vm_without_matchers_is_named(repository: Repository) -> None:
    for matcher in ("  instancetype: {name: u1.medium}\n", "  preference: {name: fedora}\n"):
        repository.replace("base/db.yaml", matcher, "")
    result = repository.ok("pin", "prod", "db")
    assert "VirtualMachine prod/db: has neither instance type nor preference to pin" in result.stderr
    assert repository.pins() == set()


def test_vm_that_names_a_revision_itself_is_unchanged(repository: Repository) -> None:
    repository.ok("pin", "prod", "db")
    revision = next(name for name in repository.pins() if "u1.medium" in name)
    content = (repository.root / PINS / revision).read_text()
    repository.ok("unpin", "prod", "db")
    name = revision.removesuffix(".yaml").removeprefix("controllerrevision_prod_")
    repository.write("base/revision.yaml", content)
    repository.replace("base/kustomization.yaml", "[", "[revision.yaml, ")
    repository.replace("base/db.yaml", "{name: u1.medium}", f"{{name: u1.medium, revisionName: {name}}}")
    result = repository.ok("pin", "prod", "db")
    assert "VirtualMachine prod/db: pinned to fedora-v1beta1-" in result.stderr
    upgrade(repository)
    assert repository.memory("db") == "4Gi"


def test_pools_are_pinned_too(repository: Repository) -> None:
    vm = VM.format(name="x").partition("metadata:")[2].partition("spec:")[2].replace("\n", "\n    ").rstrip()
    pool = (
        "apiVersion: pool.kubevirt.io/v1beta1\nkind: VirtualMachinePool\nmetadata: {name: workers}\nspec:\n"
        f"  replicas: 3\n  selector: {{matchLabels: {{a: b}}}}\n  virtualMachineTemplate:\n"
        f"    metadata: {{labels: {{a: b}}}}\n    spec:{vm}\n"
    )
    repository.write("base/pool.yaml", pool)
    repository.replace("base/kustomization.yaml", "[", "[pool.yaml, ")
    repository.ok("pin", "prod", "workers")
    upgrade(repository)
    assert repository.memory("workers") == "4Gi"
    assert repository.memory("db") == "6Gi"


def test_vms_of_prefixed_and_repeated_bases_are_pinned(repository: Repository) -> None:
    for tenant in ("a", "b"):
        repository.write(
            f"tenants/{tenant}/kustomization.yaml", f"namePrefix: {tenant}-\nresources: [../../base]\n"
        )
    repository.write(
        "overlays/prod/kustomization.yaml",
        "namePrefix: p-\nnameSuffix: -x\nresources: [../../tenants/a, ../../tenants/b]\n",
    )
    repository.ok("pin", "prod", "p-a-db-x")
    upgrade(repository)
    assert repository.memory("p-a-db-x") == "4Gi"
    assert repository.memory("p-b-db-x") == "6Gi"
    assert repository.memory("p-a-web-x") == "6Gi"


def test_names_are_matched_literally(repository: Repository) -> None:
    repository.write("base/db.yaml", VM.format(name="a.b"))
    repository.write("base/web.yaml", VM.format(name="aXb").replace("aXb", "axb"))
    repository.ok("pin", "prod", "a.b")
    upgrade(repository)
    assert repository.memory("a.b") == "4Gi"
    assert repository.memory("axb") == "6Gi"


INFERRED = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: root
  labels:
    instancetype.kubevirt.io/default-instancetype: u1.medium
"""


def test_inferred_instance_type_is_pinned_by_name(repository: Repository) -> None:
    repository.write("base/claim.yaml", INFERRED)
    repository.replace("base/kustomization.yaml", "[", "[claim.yaml, ")
    repository.replace(
        "base/db.yaml", "{name: u1.medium}", "{inferFromVolume: root, inferFromVolumeFailurePolicy: Ignore}"
    )
    repository.replace(
        "base/db.yaml",
        "containerDisk: {image: example.com/fedora}",
        "persistentVolumeClaim: {claimName: root}",
    )
    repository.replace("base/db.yaml", "domain: {", "domain: {memory: {guest: 1Gi}, ")
    before = repository.build()
    repository.ok("pin", "prod", "db")
    assert repository.build() == before
    upgrade(repository)
    assert repository.memory("db") == "4Gi"


def test_changed_size_of_a_pinned_vm_is_a_warning(repository: Repository) -> None:
    repository.ok("pin", "prod", "db")
    repository.replace("base/db.yaml", "u1.medium", "u1.large")
    result = repository.ok("build", "overlays/prod")
    assert (
        "base/db.yaml:8:24: warning[revision-mismatch]: instance type u1.large has no effect" in result.stderr
    )
    repository.ok("pin", "prod", "db", "--update")
    assert repository.memory("db") == "8Gi"
    assert "warning" not in repository.ok("build", "overlays/prod").stderr


def test_one_wrong_vm_stops_all(repository: Repository) -> None:
    repository.replace("base/web.yaml", "u1.medium", "u1.nano")
    stderr = repository.refused("pin", "prod", "--all")
    assert "base/web.yaml:8:24: error[instancetype-not-found]" in stderr
    repository.ok("pin", "prod", "db")


def test_a_pinned_vm_outlives_its_instance_type(repository: Repository) -> None:
    repository.ok("pin", "prod", "db")
    repository.replace("catalog/objects.yaml", "name: u1.medium", "name: u2.medium")
    repository.replace("base/web.yaml", "u1.medium", "u2.medium")
    assert repository.memory("db") == "4Gi"
    assert "is pinned already" in repository.ok("pin", "prod", "--all").stderr
    assert "error[instancetype-not-found]" in repository.refused("pin", "prod", "db", "--update")
    repository.ok("unpin", "prod", "db")


def test_patch_that_would_undo_the_pin_is_found_before_writing(repository: Repository) -> None:
    repository.write(
        "overlays/prod/kustomization.yaml",
        "resources: [../../base]\npatches:\n- target: {name: db}\n  patch: |\n"
        "    - {op: replace, path: /spec/instancetype, value: {name: u1.medium}}\n",
    )
    stderr = repository.refused("pin", "prod", "db")
    assert "error[pin-failed]: VirtualMachine db cannot be pinned" in stderr


def test_pin_of_a_removed_vm_is_dropped(repository: Repository) -> None:
    repository.ok("pin", "prod", "--all")
    repository.write("base/kustomization.yaml", "resources: [web.yaml]\n")
    assert repository.run("build", "overlays/prod").exit_code == 1
    result = repository.ok("unpin", "prod", "db")
    assert "VirtualMachine db: pin dropped, since it is no longer in the overlay" in result.stderr
    assert repository.memory("web") == "4Gi"
    assert "virtualmachine_db.yaml" not in repository.pins()


def test_files_edited_by_hand_are_kept(repository: Repository) -> None:
    repository.ok("pin", "prod", "--all")
    changed = (repository.root / PINS / "virtualmachine_db.yaml").read_text() + "# why\n"
    repository.write(f"{PINS}/virtualmachine_db.yaml", changed)
    repository.write(f"{PINS}/NOTES", "mine")
    result = repository.ok("unpin", "prod", "--all")
    assert f"{PINS}/virtualmachine_db.yaml: warning[foreign-file]" in result.stderr
    assert repository.pins() == {"virtualmachine_db.yaml", "NOTES"}
    assert repository.memory("db") == "4Gi"


def test_revision_edited_by_hand_is_not_reused(repository: Repository) -> None:
    repository.ok("pin", "prod", "db")
    revision = next(name for name in repository.pins() if "u1.medium" in name)
    repository.replace(f"{PINS}/{revision}", "4096Mi", "1Gi")
    assert f"{revision} was changed by hand" in repository.refused("pin", "prod", "web")


@pytest.mark.parametrize("text", ["# mine\n", "namePrefix: x-\n"])
def test_foreign_component_is_left_alone(repository: Repository, text: str) -> None:
    repository.ok("pin", "prod", "db")
    component = f"{PINS}/kustomization.yaml"
    repository.write(component, (repository.root / component).read_text() + text)
    for command in ("pin", "unpin"):
        assert f"{component}: error[foreign-file]" in repository.refused(command, "prod", "--all")


def test_a_missing_file_is_named(repository: Repository) -> None:
    repository.ok("pin", "prod", "db")
    (repository.root / PINS / "virtualmachine_db.yaml").unlink()
    assert "virtualmachine_db.yaml is missing" in repository.refused("unpin", "prod", "--all")


@pytest.mark.parametrize("name", ["../../../escaped", "/tmp/x", "con", "a" * 240, "Ünïcode", "a\\nb", "x/y"])
def test_hostile_names_stay_inside_the_folder(repository: Repository, name: str) -> None:
    repository.replace("catalog/objects.yaml", "name: u1.medium", f'name: "{name}"')
    for vm in ("db", "web"):
        repository.replace(f"base/{vm}.yaml", "name: u1.medium", f'name: "{name}"')
    repository.replace("base/db.yaml", "  name: db", f'  name: "{name}"')
    before = set(repository.tree())
    repository.ok("pin", "prod", "--all")
    new = set(repository.tree()) - before
    assert new
    assert {path.rpartition("/")[0] for path in new} == {PINS}
    repository.ok("unpin", "prod", "--all")
    assert set(repository.tree()) == before


def test_nothing_is_written_through_a_symbolic_link(repository: Repository) -> None:
    elsewhere = repository.root / "elsewhere"
    elsewhere.mkdir()
    (repository.root / PINS).symlink_to(elsewhere)
    assert "symbolic link" in repository.refused("pin", "prod", "db")
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("step", range(5))
def test_full_disk_changes_nothing(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    monkeypatch.setattr(os, "replace", failing(os.replace, step))
    assert "error[write-failed]" in repository.refused("pin", "prod", "db")
    monkeypatch.undo()
    monkeypatch.chdir(repository.root)
    repository.ok("pin", "prod", "db")


@pytest.mark.parametrize("step", range(3))
def test_full_disk_keeps_older_pins(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    repository.ok("pin", "prod", "db")
    upgrade(repository)
    monkeypatch.setattr(os, "replace", failing(os.replace, step))
    assert "error[write-failed]" in repository.refused("pin", "prod", "db", "--update")


def failing(replace: Callable[[Path, Path], None], step: int) -> Callable[[Path, Path], None]:
    """A ``replace`` that fails once."""
    calls = iter(range(100))

    def wrapper(source: Path, target: Path) -> None:
        if next(calls) == step:
            raise OSError(28, "No space left on device", str(target))
        replace(source, target)

    return wrapper


def keep_matchers(repository: Repository, release: str = "1.6") -> None:
    """Have the overlay write the matchers and the revisions of pins."""
    project = f'{FILES["vmrender.yaml"]}expand: "off"\nkubevirt: "{release}"\n'
    repository.write("vmrender.yaml", project)


def status(revisions: str) -> str:
    """A dump of both machines, whose status names these ControllerRevisions, and of a ControllerRevision."""
    machines = (
        VM.format(name=name).replace("metadata:\n", "metadata:\n  namespace: prod\n")
        + f"status: {{instancetypeRef: {{{revisions}}}}}\n"
        for name in ("db", "web")
    )
    return "---\n".join(machines)


def test_wave_moves_the_next_machines(repository: Repository) -> None:
    repository.ok("pin", "prod", "--all")
    upgrade(repository)
    command = ("pin", "prod", "--all", "--update", "--wave", "50%")
    first = repository.ok(*command)
    assert "VirtualMachine prod/db: pinned to u1.medium-v1beta1-" in first.stderr
    assert "; needs a restart (" in first.stderr
    assert "1 machine left: run this again for the next wave" in first.stderr
    assert (repository.memory("db"), repository.memory("web")) == ("6Gi", "4Gi")
    assert "left" not in repository.ok(*command).stderr
    assert (repository.memory("db"), repository.memory("web")) == ("6Gi", "6Gi")
    before = repository.tree()
    assert f"{PINS}: unchanged" in repository.ok(*command).stderr
    assert repository.tree() == before


@pytest.mark.parametrize("wave", ["0", "-1", "101%", "0%", "few", "", "1.5", "9" * 30])
def test_wave_is_a_number_of_machines(repository: Repository, wave: str) -> None:
    refused = repository.refused("pin", "prod", "--all", "--update", "--wave", wave)
    assert "is neither a number of machines nor a percentage" in refused


def test_dry_run_writes_nothing(repository: Repository) -> None:
    before = repository.tree()
    assert f"{PINS}: 6 files to be written" in repository.ok("pin", "prod", "--all", "--dry-run").stderr
    assert repository.tree() == before
    repository.ok("pin", "prod", "--all")
    before = repository.tree()
    assert "5 files to be removed" in repository.ok("unpin", "prod", "--all", "--dry-run").stderr
    assert repository.tree() == before


def test_revisions_stay_until_no_status_names_them(repository: Repository) -> None:
    repository.ok("pin", "prod", "--all")
    keep_matchers(repository)
    pinned = {name for name in repository.pins() if name.startswith("controllerrevision")}
    upgrade(repository)
    repository.ok("unpin", "prod", "db")
    repository.ok("pin", "prod", "web", "--update")
    assert pinned < repository.pins()
    named = next(name for name in pinned if "u1.medium" in name)
    name = named.removeprefix("controllerrevision_prod_").removesuffix(".yaml")
    for content in (status(f"controllerRevisionRef: {{name: {name}}}"), VM.format(name="db"), "[]\n"):
        repository.write("dump.yaml", content)
        repository.run("unpin", "prod", "--live", "dump.yaml")
        assert named in repository.pins()
    repository.write("dump.yaml", status("controllerRevisionRef: {name: db-u1.medium-v1beta1-7-1}"))
    result = repository.ok("unpin", "prod", "--live", "dump.yaml")
    assert (
        f"ControllerRevision prod/{name}: removed, since no machine in the cluster names it" in result.stderr
    )
    assert named not in repository.pins()


def test_pinning_a_machine_that_may_still_use_an_older_revision_says_so(repository: Repository) -> None:
    repository.ok("pin", "prod", "--all")
    keep_matchers(repository)
    named = next(name for name in repository.pins() if "u1.medium" in name)
    older = named.removeprefix("controllerrevision_prod_").removesuffix(".yaml")
    repository.ok("unpin", "prod", "db")
    assert "if its status" not in repository.ok("pin", "prod", "db").stderr
    repository.ok("unpin", "prod", "db")
    upgrade(repository)

    result = repository.ok("pin", "prod", "db", "--dry-run")

    assert f"; if its status still names {older}, this moves it to another copy\n" in result.stderr
    keep_matchers(repository, "1.4")
    assert "if its status" not in repository.ok("pin", "prod", "db").stderr


def test_newer_print_of_a_machine_counts(repository: Repository) -> None:
    repository.ok("pin", "prod", "--all")
    keep_matchers(repository)
    named = next(name for name in repository.pins() if "u1.medium" in name)
    name = named.removeprefix("controllerrevision_prod_").removesuffix(".yaml")
    repository.ok("unpin", "prod", "--all")
    printed = (
        status(f"controllerRevisionRef: {{name: {revision}}}").replace(
            "  namespace: prod\n", f"  namespace: prod\n  resourceVersion: '{version}'\n"
        )
        for version, revision in ((1, name), (2, "db-u1.medium-v1beta1-7-1"))
    )
    repository.write("dump.yaml", "---\n".join(printed))
    result = repository.ok("unpin", "prod", "--live", "dump.yaml")
    assert f"{name}: removed, since no machine in the cluster names it" in result.stderr


def test_revision_of_the_running_machine_stays(repository: Repository) -> None:
    repository.ok("pin", "prod", "--all")
    keep_matchers(repository)
    repository.ok("unpin", "prod", "--all")
    named = next(name for name in repository.pins() if "u1.medium" in name)
    name = named.removeprefix("controllerrevision_prod_").removesuffix(".yaml")
    started = (
        "---\napiVersion: apps/v1\nkind: ControllerRevision\nmetadata:\n  name: revision-start-vm-1-1\n"
        "  namespace: prod\n  ownerReferences: [{kind: VirtualMachine, name: db}]\n"
        f"data: {{spec: {{instancetype: {{name: u1.medium, revisionName: {name}}}}}}}\nrevision: 1\n"
    )
    repository.write("dump.yaml", status("") + started)
    result = repository.ok("unpin", "prod", "--live", "dump.yaml")
    assert f"{name}: stays in Git: VirtualMachine prod/db, as it was started, names it" in result.stderr
    assert named in repository.pins()


def test_user_may_say_that_the_status_is_cleared(repository: Repository) -> None:
    repository.ok("pin", "prod", "--all")
    keep_matchers(repository)
    pinned = repository.pins()
    unpinned = repository.ok("unpin", "prod", "--all", "--cleared")  # nobody can have cleared it yet
    assert "--subresource=status" in unpinned.stderr
    assert {name for name in pinned if not name.startswith("virtualmachine")} == repository.pins()
    repository.ok("unpin", "prod", "--cleared")
    assert repository.pins() == set()
    assert (repository.root / "overlays/prod/kustomization.yaml").read_text() == OVERLAY
    assert "leave one of them out" in repository.refused("unpin", "prod", "--cleared", "--live", "-")


def test_status_of_one_machine_is_cleared_while_another_keeps_the_revision(repository: Repository) -> None:
    repository.ok("pin", "prod", "--all")
    keep_matchers(repository)
    pinned = repository.pins()
    result = repository.ok("unpin", "prod", "db")
    assert "kubectl patch vm/db -n prod --subresource=status" in result.stderr
    assert pinned - repository.pins() == {"virtualmachine_db.yaml"}
    named = next(name for name in pinned if "u1.medium" in name)
    name = named.removeprefix("controllerrevision_prod_").removesuffix(".yaml")
    repository.write("dump.yaml", status(f"controllerRevisionRef: {{name: {name}}}"))
    result = repository.ok("unpin", "prod", "--live", "dump.yaml")
    assert 'kubectl patch "vm/$vm"' in result.stderr


@pytest.mark.parametrize("release", ["1.4", "1.5"])
def test_status_names_revisions_since_1_5(repository: Repository, release: str) -> None:
    repository.ok("pin", "prod", "--all")
    keep_matchers(repository, release)
    result = repository.ok("unpin", "prod", "--all")
    assert ("--subresource=status" in result.stderr) is (release == "1.5")
    assert bool(repository.pins()) is (release == "1.5")


def test_names_in_printed_commands_are_quoted(repository: Repository) -> None:
    repository.replace("base/db.yaml", "  name: db", "  name: $(touch x)")
    repository.ok("pin", "prod", "--all")
    keep_matchers(repository)
    result = repository.run("unpin", "prod", "--all")
    assert "for vm in '$(touch x)' web; do kubectl patch \"vm/$vm\" -n" in result.stderr


def test_names_in_printed_commands_are_not_options(repository: Repository) -> None:
    repository.replace("base/db.yaml", "  name: db", "  name: --all")
    repository.ok("pin", "prod", "--all")
    keep_matchers(repository)
    assert "kubectl patch vm/--all -n prod" in repository.ok("unpin", "prod", "--", "--all").stderr
