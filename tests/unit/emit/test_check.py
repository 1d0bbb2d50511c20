from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pytest

from renderer.emit import check
from renderer.emit.check import TreeDiff
from renderer.emit.output_folder import OutputFolder
from renderer.emit.tree import Tree, read_tree
from renderer.files.disk import ConfinedFolder
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError
from tests.unit.emit.rendered_repository import Repository

OLD = {"a/vm_a.yaml": "a: 1\nb: 1\n", "a/vm_b.yaml": "b: 1\n", "c/vm_c.yaml": "c: 1\n"}
NEW = {"a/vm_a.yaml": "a: 1\nb: 2\n", "a/vm_b.yaml": "b: 1\n", "d/vm_d.yaml": "d: 1\n"}


def lines(repository: Repository, files: dict[str, str]) -> list[str]:
    """Return the findings of the check; assert that it wrote nothing."""
    before = stamps(repository.root)
    found = repository.check(files).diagnostics
    assert stamps(repository.root) == before
    return [f"{finding.location}: [{finding.code}] {finding.message}" for finding in found]


def stamps(root: Path) -> dict[Path, tuple[int, int, int, int]]:
    """Return the state that a write changes; the access time is ignored."""
    found = ((path, path.lstat()) for path in root.rglob("*"))
    return {path: (s.st_ino, s.st_mode, s.st_mtime_ns, s.st_ctime_ns) for path, s in found}


def test_up_to_date_tree_passes(repository: Repository) -> None:
    repository.write(OLD)
    repository.put("README.md", "mine")

    assert repository.check(OLD).value == TreeDiff(unchanged=tuple(sorted(OLD)))
    assert lines(repository, OLD) == []


def test_every_file_that_differs_is_named(repository: Repository) -> None:
    repository.write(OLD)

    assert lines(repository, NEW) == [
        "rendered/prod/a/vm_a.yaml:2: [stale] a/vm_a.yaml is out of date",
        "rendered/prod/c/vm_c.yaml: [stale] c/vm_c.yaml is left over",
        "rendered/prod/d/vm_d.yaml: [stale] d/vm_d.yaml is missing",
    ]


def test_diff_leads_to_the_expected_tree(repository: Repository) -> None:
    repository.write(OLD)

    assert repository.check(NEW).value == TreeDiff(
        created=("d/vm_d.yaml",),
        updated=("a/vm_a.yaml",),
        removed=("c/vm_c.yaml",),
        unchanged=tuple(path for path in OLD if NEW.get(path) == OLD[path]),
        text="""\
--- rendered/prod/a/vm_a.yaml
+++ rendered/prod/a/vm_a.yaml
@@ -1,2 +1,2 @@
 a: 1
-b: 1
+b: 2
--- rendered/prod/c/vm_c.yaml
+++ /dev/null
@@ -1 +0,0 @@
-c: 1
--- /dev/null
+++ rendered/prod/d/vm_d.yaml
@@ -0,0 +1 @@
+d: 1
""",
    )


def test_missing_tree_is_reported(repository: Repository) -> None:
    assert [line.partition("[")[2] for line in lines(repository, OLD)] == [
        "stale] a/vm_a.yaml is missing",
        "stale] a/vm_b.yaml is missing",
        "stale] c/vm_c.yaml is missing",
    ]


def test_edit_is_reported_as_an_edit(repository: Repository) -> None:
    repository.write(OLD)
    repository.put("a/vm_a.yaml", "a: 3\n")

    assert lines(repository, OLD) == [
        "rendered/prod/a/vm_a.yaml: [foreign-file] a/vm_a.yaml was edited after vmrender wrote it"
    ]
    assert "-a: 3\n+a: 1\n" in repository.check(OLD).value.text


def test_a_folder_in_the_way_has_no_diff(repository: Repository) -> None:
    (repository.tree / "a.yaml").mkdir(parents=True)

    assert [line.partition("[")[2] for line in lines(repository, {"a.yaml": ""})] == [
        "foreign-file] a.yaml cannot be written: a folder or link is in its way"
    ]
    assert repository.check({"a.yaml": ""}).value.text == ""


@pytest.mark.parametrize("damage", ["lost", "shortened"])
def test_outdated_ownership_file_is_reported(repository: Repository, damage: str) -> None:
    repository.write(OLD)
    owned = repository.tree / ".vmrender-owned"
    if damage == "lost":
        owned.unlink()
    else:
        owned.write_text("\n".join(owned.read_text().split("\n")[:-4]))

    assert lines(repository, OLD) == ["rendered/prod/.vmrender-owned: [stale] .vmrender-owned is out of date"]


def test_unreadable_files_are_reported(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> bytes:
        raise PermissionError(13, "Permission denied", "rendered/prod")

    repository.write(OLD)
    monkeypatch.setattr(ConfinedFolder, "read", refuse)

    with pytest.raises(DiagnosticError) as raised:
        repository.check(OLD)
    [finding] = raised.value.diagnostics
    assert finding.code is Code.FILE_UNREADABLE
    assert finding.message == "cannot read the rendered tree: Permission denied (rendered/prod)"


def test_tree_exchanged_during_the_check_is_read_again(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.write(OLD)
    reads: list[Tree] = []

    def read_while_another_writes(output: OutputFolder, wanted: Collection[str]) -> Tree:
        reads.append(read_tree(output, wanted))
        if len(reads) == 1:
            repository.write(NEW)
        return reads[-1]

    monkeypatch.setattr(check, "read_tree", read_while_another_writes)

    assert repository.check(NEW).diagnostics == ()
    assert len(reads) == 2
