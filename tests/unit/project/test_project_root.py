"""A named path belongs to the project that contains it, and cannot leave it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError
from renderer.project.project_root import find_project_root, path_in_project, read_named_file

pytestmark = pytest.mark.skipif(not hasattr(os, "symlink"), reason="links as on Unix")


@pytest.fixture
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two projects, ``pr`` in a checkout, and a third one inside ``pr``."""
    for name in ("pr/.git", "pr/overlays/prod", "pr/part/sub", "outside/.git", "outside/k"):
        (tmp_path / name).mkdir(parents=True)
    for name in (
        "pr/vmrender.yaml",
        "pr/part/vmrender.yaml",
        "outside/vmrender.yaml",
        "outside/k/vmrender.yaml",
    ):
        (tmp_path / name).write_text("")
    for name in ("pr/overlays/prod/vm.yaml", "pr/part/sub/vm.yaml", "outside/vm.yaml", "outside/k/vm.yaml"):
        (tmp_path / name).write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("written", "root", "place"),
    [
        ("pr", "pr", "."),
        ("pr/overlays/prod/vm.yaml", "pr", "overlays/prod/vm.yaml"),
        ("pr/overlays/../part/sub", "pr/part", "sub"),
        ("pr/part/sub/vm.yaml", "pr/part", "sub/vm.yaml"),
        ("pr/new/folder", "pr", "new/folder"),
        ("outside/k/vm.yaml", "outside/k", "vm.yaml"),
    ],
)
def test_nearest_project_above_is_used(top: Path, written: str, root: str, place: str) -> None:
    for path in (Path(written), top / written):
        assert find_project_root(path) == top / root
        assert path_in_project(top / root, path) == place


@pytest.mark.parametrize(
    "target", ["outside/vm.yaml", "outside", "outside/k", "outside/k/vm.yaml", "nowhere"]
)
@pytest.mark.parametrize("below", ["", "/vm.yaml", "/k", "/k/vm.yaml"])
@pytest.mark.parametrize("chained", [False, True])
def test_link_out_of_the_project_is_refused(top: Path, target: str, below: str, *, chained: bool) -> None:
    link = top / "pr/overlays/prod/link"
    if chained:
        (top / "pr/first").symlink_to(top / target)
        link.symlink_to("../../first")
    else:
        link.symlink_to(Path("../../..") / target)
    path = Path(f"pr/overlays/prod/link{below}")
    assert find_project_root(path) == top / "pr"
    assert path_in_project(top / "pr", path) is None


def test_linked_folder_out_of_the_project_is_refused(top: Path) -> None:
    (top / "pr/part/above").symlink_to("..")
    (top / "pr/out").symlink_to("../outside")
    assert find_project_root(Path("pr/part/above/overlays")) == top / "pr/part"
    assert path_in_project(top / "pr/part", Path("pr/part/above/overlays")) is None
    assert find_project_root(Path("pr/out/../overlays/prod")) == top / "pr"


def test_links_inside_of_a_project_are_followed(top: Path) -> None:
    (top / "pr/link").symlink_to("overlays/prod")
    assert find_project_root(Path("pr/link/vm.yaml")) == top / "pr"
    assert path_in_project(top / "pr", Path("pr/link/vm.yaml")) == "overlays/prod/vm.yaml"
    (top / "pr/other").symlink_to("part")
    assert find_project_root(Path("pr/other/sub")) == top / "pr/part"


@pytest.mark.parametrize("written", ["current", "current/overlays/prod/vm.yaml", "home/me/pr/overlays"])
def test_a_link_to_a_project_is_followed(top: Path, written: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (top / "current").symlink_to("pr")
    (top / "data").mkdir()
    (top / "home").symlink_to("data")
    (top / "data/me").symlink_to(top)
    assert find_project_root(Path(written)) == top / "pr"
    assert path_in_project(top / "pr", Path(written)) is not None
    monkeypatch.chdir(top / "current")
    assert find_project_root(Path("overlays")) == top / "pr"


def test_without_a_project_the_root_is_the_working_directory_or_the_folder(top: Path) -> None:
    (top / "plain/sub").mkdir(parents=True)
    assert find_project_root(Path("plain/sub")) == top
    assert find_project_root(Path("plain"), top / "plain") == top / "plain"
    os.chdir(top / "pr/part")
    assert find_project_root(top / "plain/sub") == top / "plain/sub"


def test_named_file_is_read_unless_it_links_out(top: Path) -> None:
    (top / "outside/vm.yaml").write_text("canary")
    (top / "pr/overlays/prod/vm.yaml").write_text("good")
    assert read_named_file(Path("pr/overlays/prod/vm.yaml")) == b"good"
    assert read_named_file(top / "outside/vm.yaml") == b"canary"
    (top / "pr/file.yaml").symlink_to("../outside/vm.yaml")
    (top / "pr/folder").symlink_to("../outside")
    for path in ("pr/file.yaml", "pr/folder/vm.yaml"):
        with pytest.raises(DiagnosticError) as error:
            read_named_file(Path(path))
        assert error.value.diagnostics[0].code is Code.FILE_OUTSIDE_ROOT
