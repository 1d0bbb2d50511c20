from __future__ import annotations

import os
from pathlib import Path

import pytest

from renderer.files.file_system import SubmoduleError
from renderer.files.work_tree import WorkTree
from renderer.model.diagnostic import DiagnosticError
from tests.security.git_history import committed, git

LFS = "*.yaml filter=lfs diff=lfs merge=lfs -text"


def project(root: Path, attributes: str, content: str = "a: 1\n") -> WorkTree:
    (root / "vms").mkdir(exist_ok=True)
    (root / "vms/a.yaml").write_text(content, encoding="utf-8")
    (root / ".gitattributes").write_text(f"{attributes}\n", encoding="utf-8")
    git(root, "init", "--quiet")
    git(root, "add", "vms")
    return WorkTree(root, os.environ)


@pytest.mark.parametrize(
    ("attributes", "named"),
    [
        ("*.yaml working-tree-encoding=SHIFT_JIS", "working-tree-encoding=SHIFT_JIS"),
        ("*.yaml filter=evil", "filter=evil"),
        ("*.yaml filter=lfs2", "filter=lfs2"),
        ("[attr]odd ident filter=evil\nvms/* odd", "filter=evil"),
    ],
)
def test_files_that_git_converts_are_refused(attributes: str, named: str, tmp_path: Path) -> None:
    with pytest.raises(DiagnosticError, match=f"for its attribute {named};"):
        project(tmp_path, attributes).read("vms/a.yaml")


@pytest.mark.parametrize(
    "attributes",
    [
        "* text=auto eol=lf",
        "*.yaml text eol=crlf",
        "*.yaml -text linguist-generated",
        "*.png filter=lfs diff=lfs merge=lfs -text",
        LFS,
        "*.png filter=crypt",
        "*.yaml -filter -ident working-tree-encoding=UTF-8",
        "*.yaml ident",
    ],
)
def test_files_that_git_leaves_as_they_are_can_be_read(attributes: str, tmp_path: Path) -> None:
    assert project(tmp_path, attributes).read("vms/a.yaml") == b"a: 1\n"


def test_identifiers_that_git_expands_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DiagnosticError, match="for its attribute ident;"):
        project(tmp_path, "*.yaml ident", "a: $Id$\n").read("vms/a.yaml")


def test_attributes_above_the_project_and_of_the_clone_count(tmp_path: Path) -> None:
    project(tmp_path, "*.yaml filter=evil")
    with pytest.raises(DiagnosticError, match="filter=evil"):
        WorkTree(tmp_path / "vms", os.environ).read("a.yaml")

    (tmp_path / ".gitattributes").unlink()
    (tmp_path / ".git/info").mkdir(exist_ok=True)
    (tmp_path / ".git/info/attributes").write_text("vms/* filter=other\n", encoding="utf-8")
    with pytest.raises(DiagnosticError, match="filter=other"):
        WorkTree(tmp_path, os.environ).read("vms/a.yaml")


def test_file_behind_a_link_has_the_attributes_of_its_place(tmp_path: Path) -> None:
    tree = project(tmp_path, "vms/* filter=evil")
    (tmp_path / "link.yaml").symlink_to("vms/a.yaml")
    with pytest.raises(DiagnosticError, match="filter=evil"):
        tree.read("link.yaml")


def test_git_starts_only_for_attributes_that_convert(tmp_path: Path) -> None:
    project(tmp_path, LFS)
    assert WorkTree(tmp_path, {}).read("vms/a.yaml") == b"a: 1\n"  # without a PATH, git is not found


def test_submodule_that_was_not_fetched_is_refused(tmp_path: Path) -> None:
    (tmp_path / "vms/sub").mkdir(parents=True)
    (tmp_path / "vms/empty").mkdir()
    (tmp_path / ".gitmodules").write_text('[submodule "s"]\npath = vms/sub\nurl = https://example.org/s\n')
    committed(tmp_path)
    git(tmp_path, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},vms/sub")

    for tree in (WorkTree(tmp_path, os.environ), WorkTree(tmp_path, {})):
        with pytest.raises(SubmoduleError, match="vms/sub is a submodule that is empty here"):
            tree.list("vms/sub")
    tree = WorkTree(tmp_path, os.environ)
    assert [tree.list("vms/empty"), tree.list("none")] == [(), ()]
    assert [str(each.location) for each in tree.differing("vms")] == ["vms/sub"]

    (tmp_path / "vms/sub/a.yaml").write_text("a: 1\n", encoding="utf-8")
    assert WorkTree(tmp_path, os.environ).list("vms/sub") == ("a.yaml",)
