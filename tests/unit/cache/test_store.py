from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renderer.cache.store import CacheSize, Store, clear, size_of
from renderer.model.kube.json import Json

KEY = b"k" * 32
VALUE: Json = {"a": [1, "ä", None, True, 1.5]}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path, KEY)


def entries(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_stored_entry_is_read_back(store: Store) -> None:
    store.put(VALUE, "a", "b")
    assert store.get("a", "b") == VALUE
    assert store.get("a") is None


def test_parts_of_a_name_are_kept_apart(store: Store) -> None:
    store.put(VALUE, "a", "bc")
    assert store.get("ab", "c") is None


def test_later_of_two_entries_wins(store: Store) -> None:
    store.put(1, "a")
    store.put(2, "a")
    assert store.get("a") == 2


@given(st.integers(min_value=0), st.integers(1, 255))
def test_damaged_entry_is_ignored(place: int, change: int) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        store = Store(folder, KEY)
        store.put(VALUE, "a")
        [file] = entries(folder)
        content = bytearray(file.read_bytes())
        content[place % len(content)] ^= change
        file.write_bytes(content)
        assert store.get("a") is None


@pytest.mark.parametrize("length", [0, 1, 31, 32, 33])
def test_truncated_entry_is_ignored(tmp_path: Path, store: Store, length: int) -> None:
    store.put(VALUE, "a")
    [file] = entries(tmp_path)
    file.write_bytes(file.read_bytes()[:length])
    assert store.get("a") is None


def test_entry_signed_by_another_key_is_ignored(tmp_path: Path, store: Store) -> None:
    Store(tmp_path, b"another").put(VALUE, "a")
    assert store.get("a") is None


def test_entry_under_another_name_is_ignored(tmp_path: Path, store: Store) -> None:
    store.put("wrong", "b")
    [wrong] = entries(tmp_path)
    store.put("right", "a")
    [right] = set(entries(tmp_path)) - {wrong}
    right.write_bytes(wrong.read_bytes())
    assert store.get("a") is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_special_files_and_links_are_not_read(tmp_path: Path, store: Store) -> None:
    store.put(VALUE, "a")
    [file] = entries(tmp_path)
    kept = file.rename(tmp_path / "kept")
    file.symlink_to(kept)
    assert store.get("a") is None
    file.unlink()
    os.mkfifo(file)
    assert store.get("a") is None
    file.unlink()
    file.mkdir()
    assert store.get("a") is None


def test_unwritable_store_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = Store(tmp_path / "file", KEY)
    store.put(VALUE, "a")
    assert store.get("a") is None


def test_least_recently_used_entries_are_evicted_first(tmp_path: Path) -> None:
    store = Store(tmp_path, KEY, largest=10_000)
    for number in range(10):
        store.put("x" * 1_500, str(number))
    for number, file in enumerate(sorted(entries(tmp_path), key=lambda file: file.stat().st_mtime_ns)):
        os.utime(file, (number, number))
    assert store.get("0") is not None
    store.tidy()
    assert size_of(tmp_path).bytes <= 7_500
    assert store.get("0") is not None
    assert store.get("1") is None


def test_clear_removes_only_entries(tmp_path: Path, store: Store) -> None:
    store.put(VALUE, "a")
    outside = tmp_path.with_name(f"{tmp_path.name}-outside")
    outside.mkdir()
    (outside / "file").write_text("")
    (tmp_path / "zz").symlink_to(outside)
    (tmp_path / "mine.txt").write_text("")
    assert clear(tmp_path).entries == 1
    assert size_of(tmp_path) == CacheSize(0, 0)
    assert (outside / "file").exists()
    assert (tmp_path / "mine.txt").exists()
