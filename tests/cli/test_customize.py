"""``customize --write``: the files it adds to a folder, and those it keeps."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from renderer.authoring.sizes.switches import SWITCHES
from renderer.cli import app

KUSTOMIZATION = "# ours\nresources:\n  - sizes.yaml   # by hand\n"
SIZES = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: base.small}
spec: {cpu: {guest: 1}, memory: {guest: 2Gi}}
"""
ADD = ("customize", "base.small", "--name", "base.large", "--vcpus", "4", "--write")


class Repository:
    """A repository on disk, and vmrender run in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.write(
            "vmrender.yaml",
            "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\ncatalogs: [{path: ours}]\n",
        )
        self.write("ours/kustomization.yaml", KUSTOMIZATION)
        self.write("ours/sizes.yaml", SIZES)

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_bytes(text.encode())

    def read(self, path: str) -> str:
        return (self.root / path).read_bytes().decode()

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
        assert not result.stdout
        assert self.tree() == before
        return result.stderr

    def tree(self) -> dict[str, bytes | None]:
        """Return the content of every path; None for a folder."""
        paths = (path for path in self.root.rglob("*") if not path.is_symlink())
        return {
            path.relative_to(self.root).as_posix(): path.read_bytes() if path.is_file() else None
            for path in paths
        }


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    root = tmp_path / "repository"
    root.mkdir()
    monkeypatch.chdir(root)
    return Repository(root)


def test_file_and_its_entry_are_written(repository: Repository) -> None:
    assert repository.ok(*ADD, "ours").stdout == ""
    assert repository.read("ours/kustomization.yaml") == KUSTOMIZATION + "  - base.large.yaml\n"
    printed = repository.ok(*ADD[:-1]).stdout
    assert repository.read("ours/base.large.yaml") == printed
    assert "name: base.larger" in repository.ok("customize", "vmf/base.large", "--name", "base.larger").stdout


def test_writing_twice_changes_nothing(repository: Repository) -> None:
    repository.ok(*ADD, "ours")
    before = repository.tree()
    assert repository.ok(*ADD, "ours").stderr == "ours/base.large.yaml: unchanged\n"
    assert repository.tree() == before


def test_only_force_overwrites(repository: Repository) -> None:
    repository.ok(*ADD, "ours")
    assert "is there already" in repository.refused(*ADD, "ours", "--memory", "9Gi")
    repository.ok(*ADD, "ours", "--memory", "9Gi", "--force")
    assert "guest: 9Gi" in repository.read("ours/base.large.yaml")
    assert repository.read("ours/kustomization.yaml").count("base.large.yaml") == 1


def test_force_keeps_other_objects_of_the_file(repository: Repository) -> None:
    repository.ok(*ADD, "ours")
    other = SIZES.replace("base.small", "other")
    repository.write("ours/base.large.yaml", repository.read("ours/base.large.yaml") + "---\n" + other)
    assert "would be lost" in repository.refused(*ADD, "ours", "--force")
    repository.write("ours/base.large.yaml", "a: [\n")
    assert "yaml-syntax" in repository.refused(*ADD, "ours", "--force")
    repository.write("ours/base.large.yaml", "# nothing yet\n")
    repository.ok(*ADD, "ours", "--force")


@pytest.mark.parametrize("spelled", ["./base.large.yaml", ".//base.large.yaml", "x/../base.large.yaml"])
def test_existing_entry_is_not_repeated(repository: Repository, spelled: str) -> None:
    text = f"{KUSTOMIZATION}  - {spelled}\n"
    repository.write("ours/kustomization.yaml", text)
    repository.write("vmrender.yaml", repository.read("vmrender.yaml").replace("ours", "theirs"))
    shutil.copytree("ours", "theirs")
    repository.write("theirs/kustomization.yaml", KUSTOMIZATION)
    repository.ok(*ADD, "ours")
    assert repository.read("ours/kustomization.yaml") == text


@pytest.mark.parametrize(
    "text", ["", "# sizes\n", "---\n", "resources:\n", "resources: []\n", "resources: ~\n"]
)
def test_kustomization_without_resources_gets_the_entry(repository: Repository, text: str) -> None:
    repository.write("new/kustomization.yaml", text)
    repository.ok(*ADD, "new")
    assert "name: base.large" in repository.ok("build", "new").stdout


def test_component_gets_the_entry_too(repository: Repository) -> None:
    component = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
    patch = "patches:\n- target: {name: elsewhere}\n  patch: '[{op: remove, path: /spec}]'\n"
    repository.write("new/kustomization.yaml", component + patch)
    repository.ok(*ADD, "new")
    assert repository.read("new/kustomization.yaml").endswith("resources:\n- base.large.yaml\n")


def test_existing_findings_are_not_attributed_to_the_copy(repository: Repository) -> None:
    repository.write("new/kustomization.yaml", "resources: [gone.yaml]\n")
    repository.ok(*ADD, "new")
    assert "gone.yaml" in repository.run("build", "new").stderr


def test_error_of_kustomize_is_found_before_writing(repository: Repository) -> None:
    text = SIZES.replace("ClusterInstancetype", "Instancetype").replace("base.small", "base.large")
    repository.write("ours/sizes.yaml", SIZES + "---\n" + text)
    assert "error[duplicate-id]" in repository.refused(*ADD, "ours")
    assert "error[duplicate-id]" in repository.refused(*ADD, "ours", "--force")


@pytest.mark.parametrize(
    "folder", ["..", "/etc", ".git/hooks", ".vmrender", "vmrender.yaml", "vmrender.yaml/x"]
)
def test_folders_unfit_for_sources_are_refused(repository: Repository, folder: str) -> None:
    assert "Error: " in repository.refused(*ADD, folder)


@pytest.mark.parametrize("link", ["ours/base.large.yaml", "ours/kustomization.yaml", "linked"])
def test_nothing_is_written_through_a_link(repository: Repository, link: str) -> None:
    elsewhere = repository.root.parent / "elsewhere"
    elsewhere.mkdir()
    repository.write("vmrender.yaml", repository.read("vmrender.yaml").replace("ours", "theirs"))
    shutil.copytree("ours", "theirs")
    Path(link).unlink(missing_ok=True)
    Path(link).symlink_to(elsewhere / "file" if link.startswith("ours") else elsewhere)
    assert "error[" in repository.refused(*ADD, "linked" if link == "linked" else "ours")
    assert list(elsewhere.iterdir()) == []


def test_link_inside_the_repository_is_refused_too(repository: Repository) -> None:
    Path("linked").symlink_to("ours")
    assert "error[output-invalid]: linked is a symbolic link" in repository.refused(*ADD, "linked")


@pytest.mark.parametrize("folder", ["ours", "new", "new/deeper"])
@pytest.mark.parametrize("step", range(2))
def test_full_disk_changes_nothing(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, folder: str, step: int
) -> None:
    calls = iter(range(100))
    replace = os.replace

    def failing(source: Path, target: Path) -> None:
        if next(calls) == step:
            raise OSError(28, "No space left on device", str(target))
        replace(source, target)

    monkeypatch.setattr(os, "replace", failing)
    result = repository.run(*ADD, folder)
    assert result.exit_code == 2
    assert "error[write-failed]" in result.stderr
    assert {path: text for path, text in repository.tree().items() if text is not None} == {
        "vmrender.yaml": repository.read("vmrender.yaml").encode(),
        "ours/kustomization.yaml": KUSTOMIZATION.encode(),
        "ours/sizes.yaml": SIZES.encode(),
    }


def test_unwritable_folder_is_reported(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(file: Path, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_CREAT:
            raise OSError(30, "Read-only file system", str(file))
        return opened(file, flags, mode)

    opened = os.open
    monkeypatch.setattr(os, "open", refusing)
    for folder in ("ours", "new"):
        assert "error[write-failed]" in repository.refused(*ADD, folder)


def test_paths_are_relative_to_the_working_directory(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository.root / "ours")
    repository.ok(*ADD, ".")
    repository.ok(*ADD, "../new")
    assert {"ours/base.large.yaml", "new/base.large.yaml"} <= repository.tree().keys()


@pytest.mark.parametrize("name", ["con", "a" * 253, "nul.x"])
def test_name_invalid_on_file_systems_gets_another_file_name(repository: Repository, name: str) -> None:
    before = repository.tree().keys()
    repository.ok("customize", "base.small", "--name", name, "--write", "ours")
    [file] = repository.tree().keys() - before
    assert file != f"ours/{name}.yaml"
    assert f"name: {name}\n" in repository.ok("build", "ours").stdout


@pytest.mark.skipif(not shutil.which("kubectl"), reason="needs kubectl kustomize")
def test_kustomize_builds_the_same(repository: Repository) -> None:
    repository.ok(*ADD, "ours")
    command = ["kubectl", "kustomize", "ours"]
    built = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert repository.ok("build", "--expand", "off", "ours").stdout == built


def test_help_has_every_switch(repository: Repository) -> None:
    text = repository.ok("customize", "--help").stdout
    assert [name for name in SWITCHES if f"--{name}" not in text] == []


def test_force_requires_write(repository: Repository) -> None:
    assert "--force is for --write DIR" in repository.refused(*ADD[:-1], "--force")
