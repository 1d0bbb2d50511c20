from __future__ import annotations

import hashlib
from collections.abc import Mapping

import pytest

from renderer.emit.generated_files import plan_generated_files
from renderer.files.file_system import MemoryFileSystem
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError
from renderer.model.digest_list import SUMS

FILES = {"all.json": b"{}\n", "kubevirt.io/vm_v1.json": b"[]\n"}
NEWER = {"all.json": b"{1}\n", "kubevirt.io/vm_v1.json": b"[1]\n"}


def generated(present: Mapping[str, bytes], files: Mapping[str, bytes] = FILES) -> dict[str, bytes]:
    """Return the content of the folder after ``files`` were generated into it."""
    planned = plan_generated_files(
        MemoryFileSystem({f"out/{name}": present[name] for name in present}), "out", files
    )
    written = {path.removeprefix("out/"): content for path, content in planned.writes.items()}
    assert planned.before == {f"out/{name}": present.get(name) for name in written}
    return {**present, **written}


def refused(present: Mapping[str, bytes], files: Mapping[str, bytes] = NEWER) -> list[str | None]:
    with pytest.raises(DiagnosticError) as raised:
        generated(present, files)
    assert {found.code for found in raised.value.diagnostics} == {Code.FOREIGN_FILE}
    return [found.message.partition(" ")[0] for found in raised.value.diagnostics]


def listing(files: Mapping[str, bytes]) -> bytes:
    return "".join(f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files)).encode()


def test_generated_files_are_listed_with_their_digests() -> None:
    assert generated({}) == {**FILES, SUMS: listing(FILES)}


def test_only_generated_files_are_replaced() -> None:
    first = generated({"notes.txt": b"mine"})

    assert generated(first, NEWER) == {"notes.txt": b"mine", **NEWER, SUMS: listing(NEWER)}
    on_windows = {name: content.replace(b"\n", b"\r\n") for name, content in first.items()}
    assert generated(on_windows, NEWER)[SUMS] == listing(NEWER)
    assert refused({**first, "all.json": b"edited"}) == ["out/all.json"]
    assert refused({"all.json": b"mine"}) == ["out/all.json"]


def test_interrupted_run_is_completed() -> None:
    assert generated(FILES) == {**FILES, SUMS: listing(FILES)}


def test_list_of_other_files_is_kept() -> None:
    assert refused({SUMS: listing({"disk.img": b""})}) == [f"out/{SUMS}"]
    assert refused({SUMS: b"\xff notes"}) == [f"out/{SUMS}"]


def test_digests_of_other_files_stay_while_they_exist() -> None:
    first = generated({}, {"1.10/vm.json": b"1", "1.11/vm.json": b"2"})
    del first["1.10/vm.json"]
    edited = {**first, "1.11/vm.json": b"edited"}

    assert generated(edited, FILES)[SUMS] == listing({"1.11/vm.json": b"2", **FILES})
