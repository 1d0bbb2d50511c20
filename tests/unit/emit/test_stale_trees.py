from __future__ import annotations

from pathlib import Path

import pytest

from renderer.emit.leftovers import find_stale_trees

PROJECT = "vmrender.yaml"


def find(root: Path, *outputs: str, patterns: tuple[str, ...] = ("rendered/{name}",)) -> tuple[str, ...]:
    return find_stale_trees(root, outputs, patterns, PROJECT)


def tree(root: Path, path: str) -> None:
    (root / path).mkdir(parents=True)
    (root / path / ".vmrender-owned").touch()


def test_trees_that_are_rendered_are_not_stale(tmp_path: Path) -> None:
    tree(tmp_path, "rendered/prod")
    assert find(tmp_path, "rendered/prod") == ()
    assert find(tmp_path, "Rendered/Prod") == ()
    assert find(tmp_path, "rendered/dev") == ("rendered/prod",)


def test_stale_trees_are_found_at_any_depth_below_outputs(tmp_path: Path) -> None:
    for path in ("rendered/old/a", "rendered/b", "elsewhere/c", "clusters/one/d"):
        tree(tmp_path, path)
    assert find(tmp_path) == ("rendered/b", "rendered/old/a")
    assert find(tmp_path, patterns=("clusters/{name}/rendered",)) == ("clusters/one/d",)
    assert find(tmp_path, patterns=("elsewhere/gone",)) == ("elsewhere/c",)
    assert find(tmp_path, patterns=("gone",)) == ()


def test_a_whole_repository_is_searched_no_deeper_than_outputs_are(tmp_path: Path) -> None:
    tree(tmp_path, "a/rendered")
    tree(tmp_path, "b/deep/rendered")
    assert find(tmp_path, patterns=("{name}/rendered",)) == ("a/rendered",)


def test_foreign_folders_are_ignored(tmp_path: Path) -> None:
    tree(tmp_path, "rendered/theirs/rendered/prod")
    (tmp_path / "rendered/theirs" / PROJECT).touch()
    tree(tmp_path, "rendered/.git/modules")
    tree(tmp_path, "outside/prod")
    (tmp_path / "rendered/link").symlink_to(tmp_path / "outside")
    assert find(tmp_path) == ()


@pytest.mark.parametrize("link", ["rendered", "rendered/deep"])
def test_no_link_is_followed(tmp_path: Path, link: str) -> None:
    tree(tmp_path, "outside/prod")
    (tmp_path / link).parent.mkdir(exist_ok=True)
    (tmp_path / link).symlink_to(tmp_path / "outside")
    assert find(tmp_path, patterns=(f"{link}/x",)) == ()


def test_unrendered_project_has_no_stale_trees(tmp_path: Path) -> None:
    assert find(tmp_path) == ()
