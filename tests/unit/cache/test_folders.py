from __future__ import annotations

import multiprocessing
import os
import queue
import threading
from pathlib import Path
from typing import Any

import pytest

from renderer.cache.store import cache_folder
from renderer.files.signing_key import key_is_in_repository, signing_key

#: A folder that no test has its key in.
PROJECT = Path("/repository")


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path


def test_key_is_stable_and_private(state: Path) -> None:
    key = signing_key(os.environ, PROJECT)
    assert key is not None
    assert len(key) == 32
    assert signing_key(os.environ, PROJECT) == key
    [file] = (state / "vmrender").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600


def test_keys_differ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = set()
    for name in "ab":
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / name))
        keys.add(signing_key(os.environ, PROJECT))
    assert len(keys) == 2


def key_of(state: str, barrier: threading.Barrier, keys: queue.Queue[bytes | None]) -> None:
    barrier.wait(30)
    keys.put(signing_key({"XDG_STATE_HOME": state}, PROJECT))


@pytest.mark.parametrize("way", ["processes", "threads"])
def test_concurrent_creators_get_one_key(tmp_path: Path, way: str) -> None:
    system: Any = multiprocessing.get_context("fork")
    for number in range(5):
        if way == "processes":
            shared, start = (system.Barrier(8), system.Queue()), system.Process
        else:
            shared, start = (threading.Barrier(8), queue.Queue()), threading.Thread
        runs = [start(target=key_of, args=(str(tmp_path / str(number)), *shared)) for _ in range(8)]
        for run in runs:
            run.start()
        keys = {shared[1].get(timeout=30) for _ in runs}
        for run in runs:
            run.join()
        assert len(keys) == 1
        assert None not in keys
        [file] = (tmp_path / str(number) / "vmrender").iterdir()
        assert {file.read_bytes()} == keys


@pytest.mark.parametrize("mode", [0o644, 0o660, 0o602])
def test_key_readable_by_others_is_rejected(state: Path, mode: int) -> None:
    signing_key(os.environ, PROJECT)
    (state / "vmrender" / "cache-key").chmod(mode)
    assert signing_key(os.environ, PROJECT) is None


def test_key_that_is_a_link_is_rejected(state: Path) -> None:
    signing_key(os.environ, PROJECT)
    file = state / "vmrender" / "cache-key"
    file.symlink_to(file.rename(state / "elsewhere"))
    assert signing_key(os.environ, PROJECT) is None


def test_truncated_key_is_rejected(state: Path) -> None:
    signing_key(os.environ, PROJECT)
    (state / "vmrender" / "cache-key").write_bytes(b"short")
    assert signing_key(os.environ, PROJECT) is None


def test_no_writable_folder_means_no_key(state: Path) -> None:
    (state / "vmrender").write_text("")
    assert signing_key(os.environ, PROJECT) is None


def test_pipelines_can_provide_a_key(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VMRENDER_CACHE_KEY", "secret")
    assert signing_key(os.environ, PROJECT) == b"secret"
    assert list(state.iterdir()) == []


@pytest.mark.parametrize("place", [".state", "apps/prod/.state", "link", "apps/.."])
@pytest.mark.parametrize("has_git", [True, False])
def test_key_in_the_repository_is_not_used(tmp_path: Path, place: str, *, has_git: bool) -> None:
    root = tmp_path / "repository"
    project = root / "apps/prod" if has_git else root
    (root / "apps/prod").mkdir(parents=True)
    if has_git:
        (root / ".git").mkdir()
    (root / "link").symlink_to(tmp_path / "elsewhere")
    environment = {"XDG_STATE_HOME": f"{root}/{place}"}
    planted = Path(environment["XDG_STATE_HOME"], "vmrender/cache-key")
    assert signing_key(environment, project) is None
    assert not planted.exists()
    assert key_is_in_repository(environment, project)

    outside = {"XDG_STATE_HOME": f"{tmp_path}/state"}
    assert signing_key(outside, project)
    assert not key_is_in_repository(outside, project)
    assert signing_key({**environment, "VMRENDER_CACHE_KEY": "secret"}, project) == b"secret"


def test_relative_folders_are_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "here")
    assert cache_folder(os.environ) == tmp_path / ".cache/vmrender/v1"
