from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renderer.cache.store import CacheSize, Store, clear, size_of
from renderer.model.json import Json

KEY = b"k" * 32
VALUE: Json = {"a": [1, "ä", None, True, 1.5]}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path, KEY)


def entries(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_what_was_put_in_comes_out(store: Store) -> None:
    store.put(VALUE, "a", "b")
    assert store.get("a", "b") == VALUE
    assert store.get("a") is None


def test_the_parts_of_a_name_do_not_run_together(store: Store) -> None:
    store.put(VALUE, "a", "bc")
    assert store.get("ab", "c") is None


def test_of_two_the_later_counts(store: Store) -> None:
    store.put(1, "a")
    store.put(2, "a")
    assert store.get("a") == 2


@given(st.integers(min_value=0), st.integers(1, 255))
def test_a_damaged_entry_is_none(place: int, change: int) -> None:
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
def test_an_entry_that_is_not_whole_is_none(tmp_path: Path, store: Store, length: int) -> None:
    store.put(VALUE, "a")
    [file] = entries(tmp_path)
    file.write_bytes(file.read_bytes()[:length])
    assert store.get("a") is None


def test_what_another_signed_is_none(tmp_path: Path, store: Store) -> None:
    Store(tmp_path, b"another").put(VALUE, "a")
    assert store.get("a") is None


def test_an_entry_does_not_count_under_another_name(tmp_path: Path, store: Store) -> None:
    store.put("wrong", "b")
    [wrong] = entries(tmp_path)
    store.put("right", "a")
    [right] = set(entries(tmp_path)) - {wrong}
    right.write_bytes(wrong.read_bytes())
    assert store.get("a") is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_what_is_no_file_is_neither_waited_for_nor_followed(tmp_path: Path, store: Store) -> None:
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


def test_a_place_that_cannot_be_written_to_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = Store(tmp_path / "file", KEY)
    store.put(VALUE, "a")
    assert store.get("a") is None


def test_the_least_used_go_first_when_it_is_full(tmp_path: Path) -> None:
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


def test_clearing_takes_entries_and_nothing_else(tmp_path: Path, store: Store) -> None:
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
