from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from renderer.emit.ownership import decode_ownership, encode_ownership
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError

EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
HEADER = "# vmrender-owned 1 - the files vmrender wrote here and may replace or remove; do not edit\n"


def test_lists_digest_and_path_sorted_by_path() -> None:
    encoded = encode_ownership({"b/vm_b.yaml": b"", "_cluster/x.yaml": b"x\n", "a/vm_a.yaml": b""})

    assert encoded.decode() == (
        HEADER
        + "73cb3858a687a8494ca3323053016282f3dad39d42cf62ca4e79dda2aac7d9ac  _cluster/x.yaml\n"
        + f"{EMPTY}  a/vm_a.yaml\n"
        + f"{EMPTY}  b/vm_b.yaml\n"
    )


def test_reads_back_what_was_written() -> None:
    encoded = encode_ownership({"a/vm_a.yaml": b"", "b.yaml": b""})

    assert decode_ownership(encoded, "owned") == {"a/vm_a.yaml": EMPTY, "b.yaml": EMPTY}


def test_sha256sum_accepts_the_file(tmp_path: Path) -> None:
    files = {"a.yaml": b"a\n", "b/c.yaml": b"c\n"}
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(content)
    (tmp_path / "owned").write_bytes(encode_ownership(files))

    command = ["sha256sum", "--check", "--strict", "owned"]
    checked = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (checked.returncode, checked.stdout) == (0, "a.yaml: OK\nb/c.yaml: OK\n")


def test_windows_line_ends_are_accepted() -> None:
    assert decode_ownership(f"{HEADER}{EMPTY}  a.yaml\n\n".replace("\n", "\r\n").encode(), "owned") == {
        "a.yaml": EMPTY
    }


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ("", 1, "the ownership file does not begin as one"),
        ("\0\xff\n", 1, "the ownership file does not begin as one"),
        ("# vmrender-owned 2 - later\n", 1, "the ownership file has format 2, this vmrender knows 1"),
        (f"{HEADER}<<<<<<< HEAD\n", 2, "the ownership file has a line that is not a digest and a path"),
        (
            f"{HEADER}\n{EMPTY[1:]}  a.yaml\n",
            3,
            "the ownership file has a line that is not a digest and a path",
        ),
        (
            f"{HEADER}{EMPTY}  a.yaml\n{EMPTY}  a.yaml\n",
            3,
            "the ownership file lists 'a.yaml' twice",
        ),
    ],
)
def test_invalid_line_is_located(content: str, line: int, message: str) -> None:
    with pytest.raises(DiagnosticError) as raised:
        decode_ownership(content.encode("latin-1"), "rendered/prod/.vmrender-owned")

    [finding] = raised.value.diagnostics
    assert finding.code is Code.OWNERSHIP_INVALID
    assert str(finding.location) == f"rendered/prod/.vmrender-owned:{line}"
    assert finding.message == message


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "../overlays/vm.yaml",
        "a/../../b.yaml",
        "a/./b.yaml",
        "a//b.yaml",
        "a/",
        "C:/windows/system.ini",
        "..\\overlays\\vm.yaml",
        "a\0b.yaml",
        "a\rb.yaml",
        ".git/hooks/pre-commit",
        "a/.GIT/config",
        ".vmrender-owned",
        "name:stream",
        "a/" * 10_000 + "b.yaml",
    ],
)
def test_paths_outside_the_tree_are_refused(path: str) -> None:
    with pytest.raises(DiagnosticError, match="which is not a file of this tree"):
        decode_ownership(f"{HEADER}{EMPTY}  {path}\n".encode(), "owned")
