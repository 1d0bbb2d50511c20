from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from renderer.emit import staging, write
from renderer.emit.output_folder import OutputFolder
from renderer.emit.staging import StagingArea, Turn
from renderer.emit.write import TREES_AT_ONCE, TreeChange, Written, remove_tree, write_trees
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError
from tests.unit.emit.rendered_repository import OUTPUT, Repository

OLD = {"a/vm_a.yaml": "a: 1\n", "a/vm_b.yaml": "b: 1\n", "c/vm_c.yaml": "c: 1\n"}
NEW = {"a/vm_a.yaml": "a: 2\n", "a/vm_b.yaml": "b: 1\n", "d/vm_d.yaml": "d: 1\n"}


def refusals(repository: Repository, files: dict[str, str], *force: str) -> list[str]:
    """Return the findings of a refused write; assert that it changed nothing."""
    before = repository.everything()
    with pytest.raises(DiagnosticError) as raised:
        repository.write(files, force)
    assert repository.everything() == before
    findings = raised.value.diagnostics
    assert {finding.code for finding in findings} == {Code.FOREIGN_FILE}
    assert all(finding.hint for finding in findings)
    return [f"{finding.location}: {finding.message}" for finding in findings]


def state(folder: Path) -> dict[str, tuple[int, ...]]:
    """Return every file and folder with the metadata that a write would change."""
    found: dict[str, tuple[int, ...]] = {}
    for path in [folder, *folder.rglob("*")]:
        status = path.lstat()
        found[str(path)] = (status.st_ino, status.st_mtime_ns, status.st_ctime_ns, status.st_mode)
    return found


def test_first_tree_is_written(repository: Repository) -> None:
    written = repository.write(OLD)

    assert written == Written(created=tuple(OLD), updated=(), removed=(), unchanged=())
    assert repository.content() == OLD
    assert set(repository.everything()) == {f"{OUTPUT}/{path}" for path in (*OLD, ".vmrender-owned")}


def test_changed_tree_is_updated(repository: Repository) -> None:
    repository.write(OLD)

    written = repository.write(NEW)

    assert written == Written(
        created=("d/vm_d.yaml",),
        updated=("a/vm_a.yaml",),
        removed=("c/vm_c.yaml",),
        unchanged=("a/vm_b.yaml",),
    )
    assert repository.content() == NEW
    assert not (repository.tree / "c").exists()
    assert not (repository.root / ".vmrender").exists()


def test_empty_staging_folder_is_removed(repository: Repository) -> None:
    repository.write({"a.yaml": "a\n"})
    (repository.root / ".vmrender").mkdir()

    repository.write({"a.yaml": "a\n"})

    assert not (repository.root / ".vmrender").exists()


def test_an_unchanged_tree_is_not_touched(repository: Repository) -> None:
    repository.write(OLD)
    before = state(repository.root)

    assert repository.write(OLD).unchanged == tuple(OLD)
    assert state(repository.root) == before


def test_an_unchanged_file_of_a_changed_tree_stays_the_same_file(repository: Repository) -> None:
    repository.write(OLD)
    before = (repository.tree / "a/vm_b.yaml").stat()

    repository.write(NEW)

    after = (repository.tree / "a/vm_b.yaml").stat()
    assert (after.st_ino, after.st_mtime_ns, after.st_nlink) == (before.st_ino, before.st_mtime_ns, 1)


def test_bytes_match_the_text(repository: Repository) -> None:
    repository.write({"a.yaml": "a: ä\r\n"})

    assert (repository.tree / "a.yaml").read_bytes() == b"a: \xc3\xa4\r\n"


def test_tree_without_files_is_written(repository: Repository) -> None:
    repository.write(OLD)
    repository.write({})

    assert repository.content() == {}
    assert repository.write({}) == Written(created=(), updated=(), removed=(), unchanged=())


def test_missing_file_is_restored(repository: Repository) -> None:
    repository.write(OLD)
    (repository.tree / "a/vm_a.yaml").unlink()

    assert repository.write(OLD).created == ("a/vm_a.yaml",)
    assert repository.content() == OLD


def test_missing_superseded_file_is_not_counted_as_removed(repository: Repository) -> None:
    repository.write(OLD)
    (repository.tree / "c/vm_c.yaml").unlink()

    assert repository.write(NEW).removed == ()


def test_foreign_files_keep_their_inodes(repository: Repository) -> None:
    repository.write(OLD)
    readme = repository.put("README.md", "ours")
    deep = repository.put("c/notes/deep.txt", "ours")
    (repository.tree / "empty/folder").mkdir(parents=True)
    (repository.tree / "link").symlink_to("/etc/passwd")
    (repository.tree / "dangling").symlink_to("nowhere")
    os.mkfifo(repository.tree / "a/fifo")
    before = [file.stat().st_ino for file in (readme, deep)]

    repository.write(NEW)

    assert [file.stat().st_ino for file in (readme, deep)] == before
    assert repository.content() == {
        **NEW,
        "README.md": "ours",
        "c/notes/deep.txt": "ours",
        "link": "-> /etc/passwd",
        "dangling": "-> nowhere",
    }
    assert (repository.tree / "empty/folder").is_dir()
    assert stat.S_ISFIFO((repository.tree / "a/fifo").lstat().st_mode)


def test_files_next_to_the_tree_are_kept(repository: Repository) -> None:
    (repository.root / "rendered/dev").mkdir(parents=True)
    (repository.root / "rendered/dev/vm.yaml").write_text("dev")

    repository.write(OLD)
    repository.write(NEW)

    assert (repository.root / "rendered/dev/vm.yaml").read_text() == "dev"


def test_modes_are_kept(repository: Repository) -> None:
    repository.write(OLD)
    (repository.tree / "a/vm_a.yaml").chmod(0o640)
    (repository.tree / "a").chmod(0o750)
    repository.tree.chmod(0o711)

    repository.write(NEW)

    modes = [stat.S_IMODE((repository.tree / path).stat().st_mode) for path in ("a/vm_a.yaml", "a", "")]
    assert modes == [0o640, 0o750, 0o711]


def test_foreign_file_in_the_way_is_reported(repository: Repository) -> None:
    repository.write(OLD)
    repository.put("d/vm_d.yaml", "mine")

    assert refusals(repository, NEW) == [
        "rendered/prod/d/vm_d.yaml: d/vm_d.yaml is in the way, and vmrender did not write it"
    ]


def test_line_ends_converted_by_git_are_not_an_edit(repository: Repository) -> None:
    repository.write(OLD)
    repository.put("a/vm_a.yaml", OLD["a/vm_a.yaml"].replace("\n", "\r\n"))

    assert refusals(repository, NEW) == [
        "rendered/prod/a/vm_a.yaml: a/vm_a.yaml has other line ends than vmrender wrote"
    ]


def test_every_obstacle_is_named(repository: Repository) -> None:
    repository.write(OLD)
    repository.put("a/vm_a.yaml", "edited")
    repository.put("c/vm_c.yaml", "edited")
    (repository.tree / "d/vm_d.yaml").mkdir(parents=True)

    assert refusals(repository, NEW) == [
        "rendered/prod/a/vm_a.yaml: a/vm_a.yaml was edited after vmrender wrote it",
        "rendered/prod/c/vm_c.yaml: c/vm_c.yaml was edited after vmrender wrote it",
        "rendered/prod/d/vm_d.yaml: d/vm_d.yaml cannot be written: a folder or link is in its way",
    ]


def test_edit_is_reported_even_if_nothing_else_changes(repository: Repository) -> None:
    repository.write(OLD)
    repository.put("a/vm_a.yaml", "edited")

    assert len(refusals(repository, OLD)) == 1


def test_foreign_file_with_the_expected_content_is_adopted(repository: Repository) -> None:
    for path, text in OLD.items():
        repository.put(path, text)
    before = (repository.tree / "a/vm_a.yaml").stat()

    assert repository.write(OLD).unchanged == tuple(OLD)
    after = (repository.tree / "a/vm_a.yaml").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert repository.write(NEW).removed == ("c/vm_c.yaml",)


def test_without_ownership_file_only_equal_files_are_adopted(repository: Repository) -> None:
    repository.write(OLD)
    (repository.tree / ".vmrender-owned").unlink()

    assert [line.split(": ")[1] for line in refusals(repository, NEW)] == [
        "a/vm_a.yaml is in the way, and vmrender did not write it"
    ]


def test_force_applies_only_to_named_files(repository: Repository) -> None:
    repository.write(OLD)
    for path in ("a/vm_a.yaml", "c/vm_c.yaml", "d/vm_d.yaml"):
        repository.put(path, "edited")
    assert len(refusals(repository, NEW, "a/vm_a.yaml", "d/vm_d.yaml")) == 1

    written = repository.write(NEW, ("a/vm_a.yaml", "c/vm_c.yaml", "d/vm_d.yaml"))

    assert (written.updated, written.removed) == (("a/vm_a.yaml", "d/vm_d.yaml"), ("c/vm_c.yaml",))
    assert repository.content() == NEW
    assert written.rescued == ()


def test_force_does_not_remove_a_folder(repository: Repository) -> None:
    repository.put("a/vm_a.yaml/mine.txt", "mine")

    assert len(refusals(repository, OLD, "a/vm_a.yaml")) == 1


def test_force_is_not_needed_for_unrelated_files(repository: Repository) -> None:
    repository.write(OLD)
    mine = repository.put("mine.yaml", "mine")

    repository.write(NEW, ("mine.yaml",))

    assert mine.read_text() == "mine"


@pytest.mark.parametrize("link", ["a", "a/vm_a.yaml"])
def test_no_file_is_written_through_a_link(repository: Repository, tmp_path: Path, link: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "vm_a.yaml").write_text("outside")
    (repository.tree / link).parent.mkdir(parents=True)
    (repository.tree / link).symlink_to(outside if link == "a" else outside / "vm_a.yaml")

    assert refusals(repository, {"a/vm_a.yaml": "new"}) == [
        "rendered/prod/a/vm_a.yaml: a/vm_a.yaml cannot be written: a folder or link is in its way"
    ]
    assert (outside / "vm_a.yaml").read_text() == "outside"


def test_no_file_is_pruned_through_a_link(repository: Repository, tmp_path: Path) -> None:
    repository.write(OLD)
    (repository.tree / "c").rename(tmp_path / "outside")
    (repository.tree / "c").symlink_to(tmp_path / "outside")

    repository.write(NEW)

    assert (tmp_path / "outside/vm_c.yaml").read_text() == "c: 1\n"
    assert (repository.tree / "c").is_symlink()


def test_ownership_file_with_outside_paths_is_refused(repository: Repository) -> None:
    repository.write(OLD)
    (repository.root / "precious").write_text("")
    owned = repository.tree / ".vmrender-owned"
    owned.write_text(owned.read_text().replace("c/vm_c.yaml", "../../precious"))
    before = repository.everything()

    with pytest.raises(DiagnosticError) as raised:
        repository.write(NEW)

    assert [finding.code for finding in raised.value.diagnostics] == [Code.OWNERSHIP_INVALID]
    assert repository.everything() == before


@pytest.mark.parametrize("kind", ["link", "folder"])
def test_ownership_file_that_is_not_a_file_is_refused(repository: Repository, kind: str) -> None:
    repository.put("x", "")
    owned = repository.tree / ".vmrender-owned"
    owned.symlink_to("x") if kind == "link" else owned.mkdir()

    with pytest.raises(DiagnosticError, match="the ownership file is not a regular file"):
        repository.write(NEW)


@pytest.mark.parametrize("path", ["../vm.yaml", "/vm.yaml", ".vmrender-owned", "a/.git/config", "a\\b", ""])
def test_layout_outside_the_tree_is_an_internal_error(repository: Repository, path: str) -> None:
    with pytest.raises(ValueError, match="no path in a rendered tree"):
        repository.write({path: ""})
    assert repository.everything() == {}


@pytest.mark.parametrize("place", [".vmrender", ".vmrender/building", ".vmrender/prod-293bf4df"])
def test_staging_is_not_reached_through_a_link(repository: Repository, tmp_path: Path, place: str) -> None:
    repository.write(OLD)
    outside = tmp_path / "outside"
    outside.mkdir()
    (repository.root / place).parent.mkdir(exist_ok=True)
    (repository.root / place).symlink_to(outside)

    with pytest.raises(DiagnosticError) as raised:
        repository.write(NEW)

    assert [finding.code for finding in raised.value.diagnostics] == [Code.OUTPUT_INVALID]
    assert list(outside.iterdir()) == []
    assert repository.content() == OLD


@pytest.mark.parametrize("name", [".vmrender", "prod-293bf4df", "lock"])
def test_staging_folder_may_be_removed_by_another_run_at_any_moment(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The first look at ``name`` is the last that finds it: a second look that trusts the first fails."""
    repository.write(OLD)
    area = repository.root / ".vmrender/prod-293bf4df"

    def look_and_remove(look: Callable[..., os.stat_result], path: Path | str, **how: bool) -> os.stat_result:
        found = look(path, **how)
        if os.fspath(path).endswith(f"/{name}"):
            patched.undo()
            shutil.rmtree(area.parent)
        return found

    area.mkdir(parents=True)
    (area.parent / "lock").touch()
    with monkeypatch.context() as patched:
        for look in (os.lstat, os.stat):
            patched.setattr(os, look.__name__, partial(look_and_remove, look))
        StagingArea.of(OutputFolder(repository.root, OUTPUT))
    assert not area.parent.exists()
    assert repository.write(NEW).created == ("d/vm_d.yaml",)


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only to root")
def test_read_only_folder_is_reported(repository: Repository) -> None:
    repository.write(OLD)
    repository.tree.parent.chmod(0o555)
    try:
        with pytest.raises(DiagnosticError) as raised:
            repository.write(NEW)
    finally:
        repository.tree.parent.chmod(0o755)

    assert [finding.code for finding in raised.value.diagnostics] == [Code.WRITE_FAILED]
    assert repository.content() == OLD


def test_stale_tree_is_removed(repository: Repository) -> None:
    repository.write(OLD)

    assert remove_tree(repository.root, OUTPUT).removed == tuple(OLD)
    assert not repository.tree.exists()
    assert remove_tree(repository.root, OUTPUT).removed == ()


def test_foreign_files_in_a_removed_tree_are_kept(repository: Repository) -> None:
    repository.write(OLD)
    repository.put("README.md", "ours")

    remove_tree(repository.root, OUTPUT)

    assert repository.everything() == {f"{OUTPUT}/README.md": "ours"}


def test_tree_with_an_edited_file_is_removed_only_by_force(repository: Repository) -> None:
    repository.write(OLD)
    repository.put("a/vm_a.yaml", "edited")
    before = repository.everything()

    with pytest.raises(DiagnosticError):
        remove_tree(repository.root, OUTPUT)
    assert repository.everything() == before

    assert remove_tree(repository.root, OUTPUT, force=["a/vm_a.yaml"]).removed == tuple(OLD)
    assert not repository.tree.exists()


def test_many_files_are_written_concurrently(repository: Repository) -> None:
    files = {f"{number % 7}/vm_{number}.yaml": f"a: {number}\n" for number in range(200)}

    assert len(repository.write(files).created) == 200
    assert repository.content() == files


def test_disk_error_in_one_of_many_files_changes_nothing(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.write(OLD)
    genuine, calls = os.fsync, count()

    def fail_late(descriptor: int) -> None:
        if next(calls) == 100:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        genuine(descriptor)

    monkeypatch.setattr(os, "fsync", fail_late)
    with pytest.raises(DiagnosticError) as raised:
        repository.write({f"vm_{number}.yaml": "a: 1\n" for number in range(200)})

    assert [finding.code for finding in raised.value.diagnostics] == [Code.WRITE_FAILED]
    assert repository.content() == OLD
    assert repository.top_level() == ["rendered"]


@pytest.mark.parametrize(
    "place", [".vmrender", ".vmrender/prod-293bf4df", ".vmrender/building", ".vmrender/lock"]
)
@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_obstacles_to_staging_are_named(repository: Repository, place: str, kind: str) -> None:
    planted = repository.root / place
    planted.parent.mkdir(parents=True, exist_ok=True)
    if kind == "link":
        planted.symlink_to("/etc")
    else:
        os.mkfifo(planted)

    with pytest.raises(DiagnosticError) as raised:
        repository.write(OLD)

    [finding] = raised.value.diagnostics
    assert finding.code is Code.OUTPUT_INVALID
    assert finding.message == f"{place} is in the way of the folder in which vmrender works"


def changes(files: dict[str, str], count: int) -> list[TreeChange]:
    return [TreeChange(f"rendered/{number:02}", files) for number in range(count)]


def test_more_trees_than_workers_are_written(repository: Repository) -> None:
    results = list(write_trees(repository.root, changes(OLD, TREES_AT_ONCE + 1)))

    assert results == [Written(created=tuple(OLD), updated=(), removed=(), unchanged=())] * len(results)
    assert len(list((repository.root / "rendered").iterdir())) == len(results) == TREES_AT_ONCE + 1
    assert repository.top_level() == ["rendered"]


def test_refused_tree_does_not_stop_the_others(repository: Repository) -> None:
    (repository.root / "rendered/01/a/vm_a.yaml").mkdir(parents=True)

    first, refused, last = write_trees(repository.root, changes(OLD, 3))

    assert first == last == Written(created=tuple(OLD), updated=(), removed=(), unchanged=())
    assert isinstance(refused, DiagnosticError)
    assert [finding.code for finding in refused.diagnostics] == [Code.FOREIGN_FILE]
    assert set(repository.everything()) == {
        f"rendered/{number}/{path}" for number in ("00", "02") for path in (*OLD, ".vmrender-owned")
    }


@pytest.mark.parametrize("failing", range(8))
def test_disk_error_in_one_of_several_trees_changes_nothing(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    """Two of them are new. It is unknown which files are on the disk, so no tree is replaced."""
    [*write_trees(repository.root, changes(OLD, 2))]
    before = repository.everything()
    genuine, calls = os.fsync, count()

    def fail(descriptor: int) -> None:
        if next(calls) == failing:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        genuine(descriptor)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fail)
        results = [*write_trees(repository.root, changes(NEW, 4))]

    for result in results:
        assert isinstance(result, DiagnosticError)
        assert [finding.code for finding in result.diagnostics] == [Code.WRITE_FAILED]
    assert repository.everything() == before
    assert [*write_trees(repository.root, changes(NEW, 4))][3] == Written(tuple(NEW), (), (), ())


def test_trees_on_different_file_systems_take_turns(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that has one lock and waits for another may wait forever."""
    current: list[str] = []
    genuine = staging.locked

    @contextmanager
    def locked(top: Path) -> Iterator[Path]:
        assert not current
        with genuine(top) as folder:
            current.append(top.name)
            yield folder
            acquired.append(current.pop())

    def parent(output: OutputFolder) -> Path:
        return output.root / "rendered" if output.path.endswith(("1", "3")) else output.root

    acquired: list[str] = []
    (repository.root / "rendered").mkdir()
    monkeypatch.setattr(staging, "locked", locked)
    monkeypatch.setattr(staging, "_staging_parent", parent)

    results = [*write_trees(repository.root, changes(OLD, 4))]

    assert results == [Written(created=tuple(OLD), updated=(), removed=(), unchanged=())] * 4
    assert acquired == ["repository", "rendered"]
    assert len(list((repository.root / "rendered").iterdir())) == 4
    assert repository.top_level() == ["rendered"]


def test_folders_above_a_failed_tree_are_removed(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "the disk is full")

    monkeypatch.setattr(write, "build_tree", fail)

    [failed] = write_trees(repository.root, [TreeChange("new/above/prod", NEW)])

    assert isinstance(failed, DiagnosticError)
    assert not (repository.root / "new").exists()


def test_tree_is_removed_while_the_lock_is_held(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise that run would lose the ownership file that it has just written."""
    repository.write(OLD)
    seen: list[bool] = []
    leave = Turn.__exit__

    def look_and_leave(self: Turn, *error: object) -> None:
        seen.append((repository.root / OUTPUT).exists())
        leave(self, *error)

    monkeypatch.setattr(Turn, "__exit__", look_and_leave)

    remove_tree(repository.root, OUTPUT)

    assert seen[-1] is False
    assert repository.top_level() in ([], ["rendered"])


def test_folders_nested_too_deeply_stop_the_write(repository: Repository) -> None:
    repository.root.joinpath(OUTPUT, *["d"] * 101).mkdir(parents=True)
    with pytest.raises(DiagnosticError, match="folders are nested too deeply"):
        repository.write({"a.yaml": "a"})
