"""Whatever happens during a write, the tree is the old one or the new one, and nothing is lost."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from time import sleep

import pytest

from renderer.emit import write
from renderer.emit.proof import PROOF, write_proof
from renderer.emit.swap import exchange
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.digest import sha256
from renderer.model.render_config import OWNERSHIP_FILE
from tests.unit.emit.rendered_repository import FOREIGN, NEW, OLD, Repository

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}

#: Calls to the system, each with the way in which it fails.
SYSTEM_CALLS = {
    **dict.fromkeys(("link", "mkdir", "open", "rename", "replace", "write"), errno.ENOSPC),
    **dict.fromkeys(("chmod", "listdir", "lstat", "rmdir", "scandir", "stat", "unlink"), errno.EACCES),
    "fsync": errno.EIO,
}


@pytest.fixture
def old(tmp_path: Path) -> Repository:
    return Repository.with_old_tree(tmp_path / "repository")


class Faults:
    """Makes one call to the system fail, the one of a given number."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
        self.calls = 0
        self.number = number
        for name, error in SYSTEM_CALLS.items():
            monkeypatch.setattr(os, name, self._counted(getattr(os, name), error))

    def _counted(self, call: Callable[..., object], error: int) -> Callable[..., object]:
        def counted(*args: object, **keywords: object) -> object:
            self.calls += 1
            if self.calls == self.number:
                raise OSError(error, os.strerror(error), "somewhere")
            return call(*args, **keywords)

        return counted


@pytest.mark.parametrize("way", ["exchange", "replay"])
def test_fault_at_every_call_is_recoverable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    if way == "replay":
        monkeypatch.setattr(write, "exchange", lambda *_: False)
    old = Repository.with_old_tree(tmp_path / "old")
    number = reached = 0
    while reached == number:
        number += 1
        repository = old.copied_to(tmp_path / str(number))

        with monkeypatch.context() as patched:
            faults = Faults(patched, number)
            codes = [finding.code for finding in findings(repository, NEW)]
        reached = min(number, faults.calls)

        content = repository.content()
        assert codes in ([], [Code.WRITE_FAILED])
        assert FOREIGN.items() <= content.items()
        if codes == []:
            assert content == {**NEW, **FOREIGN}
        elif way == "exchange":
            assert content in ({**OLD, **FOREIGN}, {**NEW, **FOREIGN})
        assert findings(repository, NEW) == ()
        assert repository.content() == {**NEW, **FOREIGN}
        assert {path.split("/")[0] for path in repository.everything()} == {"rendered"}
    assert number > 50


def findings(repository: Repository, files: dict[str, str]) -> tuple[Diagnostic, ...]:
    try:
        repository.write(files)
    except DiagnosticError as error:
        return error.diagnostics
    return ()


@pytest.mark.parametrize("way", ["exchange", "replay"])
def test_kill_at_every_step_is_recoverable(tmp_path: Path, way: str) -> None:
    program = Path(__file__).with_name("kill_at_every_step.py")
    command = [sys.executable, str(program), str(tmp_path / "repository"), way]
    run = subprocess.run(command, env=os.environ | ENVIRONMENT, capture_output=True, text=True, check=False)

    assert run.stderr == ""
    assert all(int(steps) > 25 for steps in run.stdout.split())
    assert len(run.stdout.split()) == 2


WRITE_FOR_EVER = """
import sys
from pathlib import Path
from renderer.emit.write import write_tree
from tests.unit.emit.rendered_repository import NEW, OLD
print("ready", flush=True)
while True:
    write_tree(Path(sys.argv[1]), "rendered/prod", NEW)
    write_tree(Path(sys.argv[1]), "rendered/prod", OLD)
"""


def test_kill_at_any_moment_is_recoverable(old: Repository) -> None:
    random = Random(7)
    for _ in range(8):
        command = [sys.executable, "-c", WRITE_FOR_EVER, str(old.root)]
        with subprocess.Popen(command, env=os.environ | ENVIRONMENT, stdout=subprocess.PIPE) as process:
            assert process.stdout
            process.stdout.readline()
            sleep(random.uniform(0, 0.05))
            process.kill()

        assert old.content() in ({**OLD, **FOREIGN}, {**NEW, **FOREIGN})
        assert old.write(NEW).rescued == ()
        assert old.content() == {**NEW, **FOREIGN}


WRITE_OFTEN = """
import sys
from pathlib import Path
from renderer.emit.write import write_tree
for number in range(15):
    files = {f"{place}/vm_{number % 3}.yaml": f"{sys.argv[2]} {number}" for place in "abc"}
    assert not write_tree(Path(sys.argv[1]), "rendered/prod", files).rescued
"""


def test_concurrent_writers_take_turns(old: Repository) -> None:
    commands = [[sys.executable, "-c", WRITE_OFTEN, str(old.root), str(writer)] for writer in range(4)]
    writers = [subprocess.Popen(command, env=ENVIRONMENT) for command in commands]

    assert [writer.wait() for writer in writers] == [0, 0, 0, 0]
    last = {text for path, text in old.content().items() if path not in FOREIGN}
    assert last in [{f"{writer} 14"} for writer in range(4)]
    assert len(old.content()) == 3 + len(FOREIGN)
    assert old.top_level() == ["rendered"]


def meanwhile(monkeypatch: pytest.MonkeyPatch, way: str, act: Callable[[], object]) -> None:
    """Let another writer ``act`` right before the new tree replaces the old one."""

    def exchange_after(new: Path, folder: Path) -> bool:
        act()
        return way == "exchange" and exchange(new, folder)

    monkeypatch.setattr(write, "exchange", exchange_after)


@pytest.mark.parametrize("way", ["exchange", "replay"])
@pytest.mark.parametrize(
    ("path", "kept_as"),
    [
        ("new.txt", "new.txt"),  # a file of no concern
        ("new/deep/er.txt", "new/deep/er.txt"),
        ("a/vm_a.yaml", "a/vm_a.yaml.edited"),  # one that is updated
        ("c/vm_c.yaml", "c/vm_c.yaml"),  # one that is removed
        ("d/vm_d.yaml", "d/vm_d.yaml.edited"),  # one that is created
    ],
)
def test_files_written_meanwhile_are_kept(
    old: Repository, monkeypatch: pytest.MonkeyPatch, path: str, kept_as: str, way: str
) -> None:
    meanwhile(monkeypatch, way, lambda: old.put(path, "theirs"))

    rescued = old.write(NEW).rescued

    if way == "replay" and path == "c/vm_c.yaml":
        kept_as = "c/vm_c.yaml.edited"
    assert old.content() == {**NEW, **FOREIGN, kept_as: "theirs"}
    assert rescued == (() if way == "replay" and path.startswith("new") else (kept_as,))
    assert old.top_level() == ["rendered"]


@pytest.mark.parametrize("way", ["exchange", "replay"])
def test_files_edited_in_place_meanwhile_are_kept(
    old: Repository, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    meanwhile(monkeypatch, way, lambda: old.put("README.md", "theirs"))

    assert old.write(NEW).rescued == ()
    assert old.content() == {**NEW, **FOREIGN, "README.md": "theirs"}


def test_names_of_kept_files_do_not_collide(old: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    old.put("a/vm_a.yaml.edited", "before")
    meanwhile(monkeypatch, "exchange", lambda: old.put("a/vm_a.yaml", "theirs"))

    assert old.write(NEW).rescued == ("a/vm_a.yaml.edited-2",)
    assert old.content()["a/vm_a.yaml.edited"] == "before"


@pytest.mark.parametrize("error", [errno.EACCES, errno.ENOSPC, errno.EIO])
def test_failed_exchange_changes_nothing(
    old: Repository, monkeypatch: pytest.MonkeyPatch, error: int
) -> None:
    def fail(*_: object) -> bool:
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(write, "exchange", fail)

    assert len(findings(old, NEW)) == 1
    assert old.content() == {**OLD, **FOREIGN}
    assert old.top_level() == ["rendered"]


def test_folders_are_exchanged(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()

    if not exchange(tmp_path / "one", tmp_path / "other"):
        pytest.skip("this system cannot exchange folders")

    assert [path.name for path in (tmp_path / "one").iterdir()] == ["other"]
    with pytest.raises(FileNotFoundError):
        exchange(tmp_path / "one", tmp_path / "missing")


@pytest.mark.parametrize("call", ["link", "rename"])
def test_file_system_without_links_or_renames_across_mounts_is_supported(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    """No hard links at all, or a mount that looks like the same file system."""
    genuine = getattr(os, call)

    def refuse(one: Path, other: Path, **_: object) -> None:
        if call == "link" or os.path.realpath(other) == str(repository.tree):
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        genuine(one, other)

    monkeypatch.setattr(os, call, refuse)
    repository.write(OLD)
    for path, text in FOREIGN.items():
        repository.put(path, text)
    modified = (repository.tree / "a/vm_b.yaml").stat().st_mtime_ns

    assert repository.write(NEW).rescued == ()
    assert repository.content() == {**NEW, **FOREIGN}
    assert (repository.tree / "a/vm_b.yaml").stat().st_mtime_ns == modified
    assert repository.top_level() == ["rendered"]


#: Ownership files that a pull request may put into staging.
CLAIMS: dict[str, Callable[[Repository], str | None]] = {
    "nothing": lambda _: None,
    "another file": lambda _: "# vmrender-owned 1\n" + "0" * 64 + "  ../../outside/precious\n",
    "its own file": lambda _: f"# vmrender-owned 1\n{sha256(b'planted')}  planted.yaml\n",
    "the tree's own": lambda old: (old.tree / OWNERSHIP_FILE).read_text(),
}


@pytest.mark.parametrize("proof", ["none", "made up", "of another user"])
@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize("state", ["swapping", "replaying"])
def test_files_planted_in_staging_have_no_effect(
    old: Repository, tmp_path: Path, state: str, claim: str, proof: str
) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/precious").write_text("precious")
    area = old.root / ".vmrender/prod-293bf4df"
    planted = area / state
    planted.mkdir(parents=True)
    if claimed := CLAIMS[claim](old):
        (planted / OWNERSHIP_FILE).write_text(claimed)
    (planted / "link").symlink_to(tmp_path / "outside")
    (planted / "planted.yaml").write_text("planted")
    if proof == "of another user":
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("VMRENDER_CACHE_KEY", "theirs")
            owned = (planted / OWNERSHIP_FILE).read_bytes() if claimed else None
            write_proof(area, owned, owned or b"")
    elif proof == "made up":
        (area / PROOF).write_text(f"- - {'0' * 64}\n")

    for act in (lambda: old.write(NEW), lambda: old.write(OLD), lambda: old.check(OLD)):
        with pytest.raises(DiagnosticError) as raised:
            act()
        assert [finding.code for finding in raised.value.diagnostics] == [Code.OUTPUT_INVALID]
    assert (tmp_path / "outside/precious").read_text() == "precious"
    assert old.content() == {**OLD, **FOREIGN}
    assert (planted / "planted.yaml").read_text() == "planted"


def test_files_planted_in_a_half_built_tree_are_removed(old: Repository) -> None:
    planted = old.root / ".vmrender/prod-293bf4df/building"
    planted.mkdir(parents=True)
    (planted / "planted.yaml").write_text("planted")

    assert old.write(NEW).created == ("d/vm_d.yaml",)
    assert old.content() == {**NEW, **FOREIGN}
    assert old.top_level() == ["rendered"]


def test_file_next_to_the_tree_of_a_killed_run_does_not_become_a_manifest(
    old: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(write, "remove_old_tree", die)
        with pytest.raises(KeyboardInterrupt):
            old.write(NEW)
    (old.root / ".vmrender/prod-293bf4df/swapping/planted.yaml").write_text("planted")

    assert old.write(NEW).rescued == ("planted.yaml.edited",)
    assert old.content() == {**NEW, **FOREIGN, "planted.yaml.edited": "planted"}


@pytest.mark.parametrize("state", ["building", "swapping", "replaying"])
def test_a_link_in_staging_is_not_followed(old: Repository, tmp_path: Path, state: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("precious")
    area = old.root / ".vmrender/prod-293bf4df"
    area.mkdir(parents=True)
    (area / state).symlink_to(outside)

    findings(old, NEW)

    assert (outside / "precious").read_text() == "precious"
    assert old.content() in ({**OLD, **FOREIGN}, {**NEW, **FOREIGN})


def test_staging_is_ignored_by_git(old: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def look() -> None:
        command = ["git", "-C", str(old.root), "status", "--porcelain", "--untracked-files=normal"]
        seen.append(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    subprocess.run(["git", "init", "--quiet", str(old.root)], check=True)
    meanwhile(monkeypatch, "exchange", look)
    old.write(NEW)

    assert seen == ["?? rendered/\n"]


def test_read_only_root_with_writable_outputs_is_enough(
    old: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    places: list[Path] = []
    genuine = os.access

    def access(path: str, mode: int) -> bool:
        return path != str(old.root) and genuine(path, mode)

    def exchange_and_note(new: Path, folder: Path) -> bool:
        places.append(new.resolve().relative_to(old.root))
        return exchange(new, folder)

    monkeypatch.setattr(os, "access", access)
    monkeypatch.setattr(write, "exchange", exchange_and_note)
    old.write(NEW)

    assert [place.parts[:2] for place in places] == [("rendered", ".vmrender")]
    assert old.content() == {**NEW, **FOREIGN}
