from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from renderer.cache import recorded_inputs as file_digests
from renderer.cache.recorded_inputs import FileDigests
from renderer.cache.store import Store
from renderer.model.kube.json import array_at

Reader = Callable[[], FileDigests]
HOUR_AGO = 3600


@pytest.fixture
def reads() -> list[str]:
    return []


@pytest.fixture
def run(tmp_path: Path, reads: list[str]) -> Reader:
    """The digests as one run after the other sees them."""
    root, store = tmp_path / "root", Store(tmp_path / "cache", b"key")
    root.mkdir()

    def read(path: str) -> bytes:
        reads.append(path)
        return (root / path).read_bytes()

    return lambda: FileDigests(root, read, store)


@pytest.fixture
def file(tmp_path: Path, run: Reader, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file written long before, by the clock of the file system."""
    del run
    path = tmp_path / "root" / "a"
    path.write_text("one")
    later = path.stat().st_ctime_ns + HOUR_AGO * 1_000_000_000
    monkeypatch.setattr(file_digests, "time_ns", lambda: later)
    return path


def of(run: Reader, path: str = "a") -> str | None:
    digests = run()
    found = digests.of(path)
    digests.keep()
    return found


def test_unchanged_file_is_read_once(file: Path, run: Reader, reads: list[str]) -> None:
    digest = sha256(file.read_bytes()).hexdigest()
    assert [of(run), of(run), of(run)] == [digest] * 3
    assert reads == ["a"]


def test_changed_file_is_read_again_even_with_equal_size_and_time(
    file: Path, run: Reader, reads: list[str]
) -> None:
    of(run)
    before = file.stat()
    file.write_text("two")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert of(run) == sha256(b"two").hexdigest()
    assert reads == ["a", "a"]


def test_replaced_file_is_read_again(file: Path, run: Reader) -> None:
    of(run)
    other = file.with_name("b")
    other.write_text("two")
    other.replace(file)
    assert of(run) == sha256(b"two").hexdigest()


def test_recently_changed_file_is_not_trusted(
    file: Path, run: Reader, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_digests, "time_ns", lambda: file.stat().st_ctime_ns + 1_000_000)
    of(run)
    of(run)
    assert reads == ["a", "a"]


def test_clocks_with_whole_seconds_get_a_margin_of_two(
    file: Path, run: Reader, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = (file.stat().st_ctime_ns // 1_000_000_000 + 10) * 1_000_000_000
    os.utime(file, ns=(whole, whole))
    monkeypatch.setattr(file_digests, "time_ns", lambda: whole + 1_500_000_000)
    of(run)
    of(run)
    assert reads == ["a", "a"]


def test_non_file_has_no_digest(file: Path, run: Reader) -> None:
    file.with_name("link").symlink_to(file)
    file.with_name("folder").mkdir()
    assert [of(run, path) for path in ("link", "folder", "none", "a/b", "a\0")] == [None] * 5


def is_alone(run: Reader, tree: str = "t", **texts: str) -> bool | None:
    """Return True if ``out`` has no other files; None unless they have these texts."""
    digests = run()
    wanted = {name: sha256(text.encode()).hexdigest() for name, text in texts.items()}
    found: bool | None = digests.tree_has_no_other_files("out", tree, wanted, [""])
    digests.keep()
    return found


def are(run: Reader, tree: str = "t", **texts: str) -> bool:
    """Return True if the files in ``out`` have these texts, and all together the digest ``tree``."""
    return is_alone(run, tree, **texts) is not None


@pytest.fixture
def tree(file: Path) -> Path:
    out = file.with_name("out")
    out.mkdir()
    for name in ("a", "b"):
        (out / name).write_text(name)
    return out


@pytest.mark.usefixtures("tree")
def test_unchanged_tree_is_read_once(run: Reader, reads: list[str]) -> None:
    assert [are(run, a="a", b="b"), are(run, a="a", b="b")] == [True, True]
    assert reads == ["out/a", "out/b"]


def test_tree_is_read_again_for_other_files(tree: Path, run: Reader) -> None:
    assert are(run, a="a", b="b")
    assert not are(run, a="a", b="c", tree="of others")
    (tree / "c").write_text("c")
    assert are(run, a="a", b="b", c="c", tree="of three")


def test_change_in_a_tree_is_detected_even_with_equal_size_and_time(tree: Path, run: Reader) -> None:
    assert are(run, a="a", b="b")
    before = (tree / "b").stat()
    (tree / "b").write_text("c")
    os.utime(tree / "b", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert not are(run, a="a", b="b")
    (tree / "b").write_text("b")
    assert are(run, a="a", b="b")


def test_removed_file_of_a_tree_is_detected(tree: Path, run: Reader) -> None:
    assert are(run, a="a", b="b")
    (tree / "b").rename(tree / "c")
    assert not are(run, a="a", b="b")
    (tree / "b").symlink_to("c")
    assert not are(run, a="a", b="b")
    assert not are(run, **{"a": "a", "b\0": "b"})


def test_recently_changed_tree_is_not_trusted(
    tree: Path, run: Reader, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_digests, "time_ns", lambda: (tree / "b").stat().st_ctime_ns + 1_000_000)
    assert [are(run, a="a", b="b"), are(run, a="a", b="b")] == [True, True]
    assert reads == ["out/a", "out/b"] * 2


@pytest.mark.parametrize(
    "name", ["more.yaml", "more.json", "kustomization.yml", "deeper/more.yaml", "deeper/"]
)
def test_added_manifest_or_folder_in_a_tree_is_detected(tree: Path, run: Reader, name: str) -> None:
    assert [is_alone(run, a="a", b="b"), is_alone(run, a="a", b="b")] == [True, True]
    more = tree / name
    if name.endswith("/"):
        more.mkdir()
    else:
        more.parent.mkdir(exist_ok=True)
        more.write_text("kind: ConfigMap")
    assert [is_alone(run, a="a", b="b"), is_alone(run, a="a", b="b")] == [False, False]
    shutil.rmtree(tree / "deeper", ignore_errors=True)
    more.unlink(missing_ok=True)
    assert is_alone(run, a="a", b="b") is True


def test_other_files_in_a_tree_are_ignored(tree: Path, run: Reader) -> None:
    (tree / "README.md").write_text("read me")
    (tree / "away").symlink_to(tree.parent)
    assert is_alone(run, a="a", b="b") is True


def test_folder_replaced_by_a_link_is_another_tree(tree: Path, run: Reader) -> None:
    assert is_alone(run, a="a", b="b") is True
    tree.rename(tree.with_name("elsewhere"))
    tree.symlink_to("elsewhere")
    assert is_alone(run, a="a", b="b") is None


def test_files_of_a_tree_just_written_are_known(
    tree: Path, run: Reader, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    wait = 200_000_000
    now = (tree / "b").stat().st_ctime_ns + wait
    tree.rename(tree.with_name("new"))
    tree.with_name("new").rename(tree)
    changed = tree.stat().st_ctime_ns
    monkeypatch.setattr(file_digests, "time_ns", lambda: max(now, changed + 1000))
    assert is_alone(run, a="a", b="b") is True
    (tree / "more.yaml").write_text("kind: ConfigMap")  # within the same tick of the clock, it may be
    os.utime(tree, ns=(changed, changed))
    assert is_alone(run, a="a", b="b") is False
    assert reads == ["out/a", "out/b"]


def test_entries_of_an_earlier_release_are_completed(
    tree: Path, run: Reader, reads: list[str], tmp_path: Path
) -> None:
    assert is_alone(run, a="a", b="b") is True
    store, name = Store(tmp_path / "cache", b"key"), ("file-signs", str(tree.parent))
    store.put({"out/": array_at(store.get(*name), "out/")[:2]}, *name)
    assert [is_alone(run, a="a", b="b"), is_alone(run, a="a", b="b")] == [True, True]
    assert reads == ["out/a", "out/b"]
