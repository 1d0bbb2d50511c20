from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from renderer.emit.ownership import decode_ownership, encode_ownership, is_ours, unchanged_ownership
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError

EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
OTHER = "73cb3858a687a8494ca3323053016282f3dad39d42cf62ca4e79dda2aac7d9ac"
HEADER = "# vmrender-owned 2 - the files vmrender wrote here and may replace or remove; do not edit\n"
FIRST_FORMAT = HEADER.replace("owned 2", "owned 1")


def test_entries_are_ordered_by_the_digest_of_their_paths() -> None:
    encoded = encode_ownership({"b/vm_b.yaml": b"", "_cluster/x.yaml": b"x\n", "a/vm_a.yaml": b""})

    assert encoded.decode() == (
        f"{HEADER}\n"
        f"# b/vm_b.yaml\n{EMPTY}  b/vm_b.yaml\n\n"
        f"# a/vm_a.yaml\n{EMPTY}  a/vm_a.yaml\n\n"
        f"# _cluster/x.yaml\n{OTHER}  _cluster/x.yaml\n\n"
        "# end\n"
    )


def test_reads_back_what_was_written() -> None:
    encoded = encode_ownership({"a/vm_a.yaml": b"", "b.yaml": b""})

    assert decode_ownership(encoded, "owned") == {"a/vm_a.yaml": {EMPTY}, "b.yaml": {EMPTY}}
    assert unchanged_ownership(encoded) == {"a/vm_a.yaml": EMPTY, "b.yaml": EMPTY}


def test_an_empty_tree_has_no_entry() -> None:
    encoded = encode_ownership({})

    assert decode_ownership(encoded, "owned") == {}
    assert unchanged_ownership(encoded) == {}


def test_reads_the_first_format() -> None:
    written = f"{FIRST_FORMAT}{EMPTY}  a.yaml\n{OTHER}  b.yaml\n"

    assert decode_ownership(written.encode(), "owned") == {"a.yaml": {EMPTY}, "b.yaml": {OTHER}}


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_reads_both_sides_of_a_merge(line_end: str) -> None:
    merged = (
        f"<<<<<<< HEAD\n{FIRST_FORMAT}||||||| base\n{FIRST_FORMAT}=======\n{HEADER}>>>>>>> other\n"
        f"<<<<<<< HEAD\n{EMPTY}  a.yaml\n=======\n{OTHER}  a.yaml\n{OTHER}  b.yaml\n>>>>>>> other\n"
    )

    assert decode_ownership(merged.replace("\n", line_end).encode(), "owned") == {
        "a.yaml": {EMPTY, OTHER},
        "b.yaml": {OTHER},
    }


CONFLICT = b"a: 1\n<<<<<<< HEAD\nb: 2\n=======\nb: 3\n>>>>>>> other\nkind: A\n"


@pytest.mark.parametrize(
    ("content", "owned", "expected"),
    [
        (b"", {"a.yaml": {EMPTY}}, True),
        (b"edited", {"a.yaml": {EMPTY}}, False),
        (b"a: 1\nkind: A\n", {"a.yaml": {EMPTY, OTHER}}, True),
        (b"a: 1\nkind: A\n---\nkind: B\n", {"a.yaml": {EMPTY, OTHER}}, True),
        # a list with any two digests, or one and a file with a conflict, does not make these ours
        (b"PASSWORD=a\n", {"a.yaml": {EMPTY, OTHER}}, False),
        (b"kind: A\na: 1\n", {"a.yaml": {EMPTY, OTHER}}, False),
        (b"a: 1\n", {"a.yaml": {EMPTY, OTHER}}, False),
        (b"# mine\na: 1\nkind: A\n", {"a.yaml": {EMPTY, OTHER}}, False),
        (CONFLICT.replace(b"kind: A", b"and so on"), {"a.yaml": {EMPTY}}, False),
        (CONFLICT, {"a.yaml": {EMPTY}}, True),
        (CONFLICT.replace(b"\n", b"\r\n"), {"a.yaml": {EMPTY}}, True),
        (CONFLICT.replace(b"=======", b"======="[1:]), {"a.yaml": {EMPTY}}, False),
        (CONFLICT.replace(b"\n", b"\n  "), {"a.yaml": {EMPTY}}, False),  # quoted in a value
        (CONFLICT, {"b.yaml": {EMPTY}}, False),
        (b"", {}, False),
    ],
)
def test_what_vmrender_and_git_wrote_is_ours(
    content: bytes, owned: dict[str, set[str]], *, expected: bool
) -> None:
    assert is_ours(content, "a.yaml", owned) is expected


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
        "a.yaml": {EMPTY}
    }


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ("", 1, "the ownership file does not begin as one"),
        ("\0\xff\n", 1, "the ownership file does not begin as one"),
        ("# vmrender-owned 3 - later\n", 1, "the ownership file has format 3, this vmrender knows 2"),
        (f"{HEADER}<<<<<<<HEAD\n", 2, "the ownership file has a line that is not a digest and a path"),
        (
            f"{HEADER}\n{EMPTY[1:]}  a.yaml\n",
            3,
            "the ownership file has a line that is not a digest and a path",
        ),
        (f"{EMPTY}  a.yaml\n{HEADER}", 1, "the ownership file does not begin as one"),
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
