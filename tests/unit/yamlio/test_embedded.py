"""Fields in texts inside YAML, and in operations of JSON patches."""

from __future__ import annotations

import pytest

from renderer.model.kube.field_path import ElementName, FieldPath
from renderer.yamlio.marks import Mark, MarkedFile

KUSTOMIZATION = b"""\
namePrefix: a-
patches:
- patch: |-
    # a comment

    spec:
      cpu:
        cores: 4
- patch: '{"spec": {"memory": 1}}'
- patch: >
    spec:
      folded: true
- patch: |
    kind: A
    ---
    kind: B
    spec: {second: 1}
- patch: |2
      - op: add
        path: /spec/disks/-
        value:
          name: data
          bus: ide
      - op: replace
        path: /spec/disks/1/cache
        value: none
      - op: replace
        path: /spec/disks/0/cache
        value: writeback
      - op: add
        path: /metadata/annotations/a~1b~0c
        value: x
      - op: remove
        path: /spec/gone
      - op: remove
        path: /spec/tags/0
"""
BASE = b"spec:\n  disks:\n  - name: root\n  - name: swap\n"
DISKS = FieldPath.of("spec", "disks")


def mark(entry: int, field: FieldPath) -> Mark | None:
    patch = FieldPath.of("patches", entry, "patch")
    indexed = MarkedFile(BASE).indexed(0, field)
    found = MarkedFile(KUSTOMIZATION).find(0, patch.child(*field.segments), patch.child(*indexed.segments))
    return found and found._replace(end=0)


@pytest.mark.parametrize(
    ("entry", "field", "expected"),
    [
        (0, FieldPath.of("spec", "cpu", "cores"), Mark(8, 9, exact=True)),
        (0, FieldPath.of("spec", "cpu", "sockets"), Mark(3, 3, exact=False)),
        (1, FieldPath.of("spec", "memory"), Mark(9, 10, exact=True)),
        (2, FieldPath.of("spec"), Mark(10, 10, exact=True)),
        (3, FieldPath.of("spec", "second"), Mark(17, 12, exact=True)),
        (4, DISKS.child(ElementName("name", "data"), "bus"), Mark(23, 11, exact=True)),
        (4, DISKS.child(ElementName("name", "swap"), "cache"), Mark(26, 9, exact=True)),
        (4, DISKS.child(ElementName("name", "root"), "cache"), Mark(29, 9, exact=True)),
        (4, FieldPath.of("metadata", "annotations", "a/b~c"), Mark(32, 9, exact=True)),
        (4, FieldPath.of("spec", "gone"), Mark(33, 9, exact=True)),
        (4, FieldPath.of("spec", "gone", "below"), Mark(33, 9, exact=True)),
        (4, FieldPath.of("spec", "never"), Mark(18, 3, exact=False)),
        (4, FieldPath.of("spec", "tags", 0), Mark(18, 3, exact=False)),  # by now it may be another one
        (4, FieldPath.of(4), Mark(33, 9, exact=True)),
    ],
)
def test_the_line_in_the_text_is_the_line_in_the_file(entry: int, field: FieldPath, expected: Mark) -> None:
    assert mark(entry, field) == expected


def test_a_patch_in_a_file_of_its_own() -> None:
    patch = MarkedFile(b"- op: add\n  path: /spec/a\n  value: {b: 1}\n")
    assert patch.find(0, FieldPath.of("spec", "a", "b")) == Mark(3, 11, exact=True, end=12)
    assert patch.find(0, FieldPath.of("spec", "a", "c")) == Mark(3, 3, exact=False, end=8)
    assert patch.find(0, FieldPath.of("spec")) == Mark(1, 1, exact=False)


def test_the_line_of_an_added_element_is_that_of_the_operation_that_adds_it() -> None:
    patch = MarkedFile(
        b"- {op: add, path: /spec/disks/-, value: {name: data, bus: ide}}\n"
        b"- {op: add, path: /spec/disks/-, value: {name: logs, bus: ide}}\n"
        b"- {op: replace, path: /spec/disks/2/bus, value: sata}\n"
    )

    def line(name: str, field: str) -> int:
        found = patch.find(0, DISKS.child(ElementName("name", name), field))
        assert found
        return found.line

    assert (line("data", "name"), line("logs", "name")) == (1, 2)
    assert line("logs", "bus") == 3
