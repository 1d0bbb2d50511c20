from __future__ import annotations

import pytest

from renderer.model.kube.field_path import FieldPath
from renderer.yamlio.marks import WrittenField, field_at_line

TEXT = b"""\
# a comment
kind: A
spec:
  disks:
  - disk:
      bus: sata
    name: root
  text: |
    one
    two
---
kind: B
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (1, WrittenField(0, FieldPath())),
        (2, WrittenField(0, FieldPath.of("kind"))),
        (4, WrittenField(0, FieldPath.of("spec", "disks"))),
        (5, WrittenField(0, FieldPath.of("spec", "disks", 0, "disk"))),
        (6, WrittenField(0, FieldPath.of("spec", "disks", 0, "disk", "bus"))),
        (7, WrittenField(0, FieldPath.of("spec", "disks", 0, "name"))),
        (10, WrittenField(0, FieldPath.of("spec", "text"))),
        (12, WrittenField(1, FieldPath.of("kind"))),
        (99, WrittenField(1, FieldPath.of("kind"))),
    ],
)
def test_innermost_field_of_a_line_is_found(line: int, expected: WrittenField) -> None:
    assert field_at_line(TEXT, line) == expected


def test_aliases_are_not_multiplied() -> None:
    bomb = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 40))
    assert field_at_line(f"a0: &a0 x\n{bomb}".encode(), 3) is not None


@pytest.mark.parametrize("content", [b"", b"a: [", b"\xff"])
def test_lines_without_a_field_are_recognized(content: bytes) -> None:
    assert field_at_line(content, 1) is None
