from __future__ import annotations

from pathlib import Path

import pytest

from renderer.cache.known_results import KnownCatalogs
from renderer.cache.recorded_inputs import FileDigests, RecordedInputs
from renderer.cache.store import Store
from renderer.files.file_system import DiskFileSystem
from renderer.files.recorder import FileQuestion, RecordedFileSystem, Recorder, Task
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet

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


def test_catalog_is_read_back_with_its_sources(root: Path) -> None:
    keep(root, SIZE)
    recorder = Recorder()
    with recorder.using(WORK):
        assert known(root).find("sizes", recorder) == ResourceSet((SIZE,))
    assert set(recorder.inputs(WORK)) == {FileQuestion("read", "sizes/small.yaml")}
    assert Task("folder", "sizes") in recorder.used(WORK)


def test_changed_catalog_is_composed_again(root: Path) -> None:
    keep(root, SIZE)
    (root / "sizes/small.yaml").write_text("two")
    assert known(root).find("sizes", Recorder()) is None


def test_catalogs_are_kept_per_project(root: Path) -> None:
    keep(root, SIZE)
    assert known(root, "other").find("sizes", Recorder()) is None


def test_catalog_that_may_contain_a_password_is_not_cached(root: Path) -> None:
    secret = SIZE._replace(content={"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}})
    keep(root, SIZE, secret)
    assert known(root).find("sizes", Recorder()) is None


def test_catalog_with_unsupported_details_is_not_cached(root: Path) -> None:
    keep(root, SIZE._replace(needs_hash=True))
    assert known(root).find("sizes", Recorder()) is None
