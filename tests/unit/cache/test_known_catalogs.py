from __future__ import annotations

from pathlib import Path

import pytest

from renderer.cache.known_results import KnownCatalogs
from renderer.cache.recorded_inputs import FileDigests, RecordedInputs
from renderer.cache.store import Store
from renderer.files.file_system import DiskFileSystem
from renderer.files.recorder import FileQuestion, RecordedFileSystem, Recorder, Task
from renderer.model.location import Site
from renderer.model.resource import Resource, ResourceSet

SIZE = Resource(
    {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterInstancetype",
        "metadata": {"name": "small"},
        "spec": {"cpu": {"guest": 1}},
    },
    Site("sizes/small.yaml"),
    (Site("sizes/patch.yaml"),),
)
WORK = Task("catalog", "sizes")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "sizes").mkdir()
    (tmp_path / "sizes/small.yaml").write_text("one")
    return tmp_path


def known(root: Path, project: str = "p") -> KnownCatalogs:
    fs, store = DiskFileSystem(root), Store(root / "cache", b"key")
    return KnownCatalogs(store, RecordedInputs(fs, FileDigests(root, fs.read, store)), (project,))


def keep(root: Path, *resources: Resource) -> None:
    recorder = Recorder()
    with recorder.using(WORK), recorder.using(Task("folder", "sizes")):
        RecordedFileSystem(DiskFileSystem(root), recorder).read("sizes/small.yaml")
    known(root).keep("sizes", ResourceSet(resources), recorder, WORK)


def test_it_comes_back_with_what_it_was_made_of(root: Path) -> None:
    keep(root, SIZE)
    recorder = Recorder()
    with recorder.using(WORK):
        assert known(root).find("sizes", recorder) == ResourceSet((SIZE,))
    assert set(recorder.inputs(WORK)) == {FileQuestion("read", "sizes/small.yaml")}
    assert Task("folder", "sizes") in recorder.used(WORK)


def test_what_changed_is_composed_again(root: Path) -> None:
    keep(root, SIZE)
    (root / "sizes/small.yaml").write_text("two")
    assert known(root).find("sizes", Recorder()) is None


def test_another_project_has_others(root: Path) -> None:
    keep(root, SIZE)
    assert known(root, "other").find("sizes", Recorder()) is None


def test_what_may_hold_a_password_is_not_kept(root: Path) -> None:
    secret = SIZE._replace(content={"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}})
    keep(root, SIZE, secret)
    assert known(root).find("sizes", Recorder()) is None


def test_what_has_more_to_it_than_is_kept_is_not(root: Path) -> None:
    keep(root, SIZE._replace(needs_hash=True))
    assert known(root).find("sizes", Recorder()) is None
