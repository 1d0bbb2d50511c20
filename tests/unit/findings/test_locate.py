from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType

from renderer.files.file_system import DiskFileSystem, MemoryFileSystem
from renderer.findings.locator import Locator
from renderer.findings.run_findings import RunFindings, locate
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Related, Severity
from renderer.model.kube.field_path import ElementName, FieldPath
from renderer.model.kube.location import Location, Site
from renderer.yamlio.decode import decode_documents

BASE = b"""\
kind: List
---
spec:
  disks:
  - name: root
  - name: data
    disk:
      bus: sata
"""
PATCH = b"""\
spec:
  disks:
  - name: data
    cache: none
"""
FS = MemoryFileSystem({"base.yaml": BASE, "patch.yaml": PATCH})
DATA = FieldPath.of("spec", "disks", ElementName("name", "data"))


def sites(*field: str) -> tuple[Site, ...]:
    return Site("patch.yaml", 0, DATA.child(*field)), Site("base.yaml", 1, DATA.child(*field))


def test_last_writer_of_the_field_is_named() -> None:
    assert Locator(FS).location_of(sites("cache")) == Location("patch.yaml", 4, 5, 10)
    assert Locator(FS).location_of(sites("disk", "bus")) == Location("base.yaml", 8, 7, 10)


def test_unwritten_field_is_located_at_its_nearest_parent_in_the_base() -> None:
    assert Locator(FS).location_of(sites("serial")) == Location("base.yaml", 6, 5, 15)


def test_deleted_file_is_still_named() -> None:
    assert Locator(FS).location_of((Site("gone.yaml"),)) == Location("gone.yaml")


def test_findings_are_in_reading_order_without_repetition() -> None:
    def finding(site: Site, message: str) -> Diagnostic:
        return Diagnostic(
            code=Code.SCHEMA, message=message, sites=(site,), related=(Related("other side", sites("cache")),)
        )

    late, early = Site("patch.yaml", 0, DATA), Site("base.yaml", 1, DATA)
    located = locate(FS, [finding(late, "b"), finding(early, "a"), finding(late, "b")])
    assert [diagnostic.message for diagnostic in located] == ["a", "b"]
    assert located[0].related[0].location == Location("patch.yaml", 4, 5, 10)


def test_errors_come_first_at_one_place_only() -> None:
    note = Diagnostic(Code.DEPRECATED, "note", Severity.INFO, sites=(Site("patch.yaml", 0, DATA),))
    warning = note._replace(code=Code.CONFLICT, message="warning", severity=Severity.WARNING)
    error = note._replace(code=Code.UNKNOWN_FIELD, message="error", severity=Severity.ERROR)
    in_base = warning._replace(sites=(Site("base.yaml", 1, DATA),))
    located = locate(FS, [note, warning, in_base, error])
    assert [each.message for each in located] == ["warning", "error", "warning", "note"]


def test_findings_with_related_places_on_one_line_are_merged() -> None:
    def finding(*places: Site) -> Diagnostic:
        return Diagnostic(
            code=Code.SCHEMA,
            message="a",
            sites=sites("cache"),
            related=(Related("other side", places),),
        )

    patched, base = sites("disk", "bus")
    findings = RunFindings(FS)
    findings.add([finding(patched, base)], "prod")
    findings.add([finding(base)], "test")
    (located,) = findings.found()
    assert located.overlays == ("prod", "test")
    assert [related.location for related in located.related] == [Location("base.yaml", 8, 7, 10)]


class Counting(MemoryFileSystem):
    """Notes the files that are read."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        super().__init__(files)
        self.was_read: list[str] = []

    def read(self, path: str) -> bytes:
        self.was_read.append(path)
        return super().read(path)


def test_file_is_read_once_for_all_its_findings() -> None:
    fs = Counting(FS.files)
    findings = [
        Diagnostic(code=Code.SCHEMA, message=str(number), sites=sites("serial")) for number in range(3)
    ]
    assert len(locate(fs, findings)) == 3
    assert sorted(fs.was_read) == ["base.yaml", "patch.yaml"]


def test_at_most_twelve_files_locate_a_finding(tmp_path: Path) -> None:
    """To learn how a finding gets its line, it is enough to read the files that run here."""
    (tmp_path / "vm.yaml").write_text("spec:\n  disks:\n  - name: x\n    bus: virtio\n")
    field = FieldPath.of("spec", "disks", ElementName("name", "x"), "bus")
    finding = Diagnostic(code=Code.SCHEMA, message="", sites=(Site("vm.yaml", 0, field),))
    fs = DiskFileSystem(tmp_path)

    reading = _files_of(lambda: decode_documents(fs.read("vm.yaml"), "vm.yaml"))
    finding_the_line = _files_of(lambda: Locator(fs).location_of(finding.sites))

    assert locate(fs, [finding])[0].location == Location("vm.yaml", 4, 10, 16)
    assert reading
    assert len(finding_the_line - reading) <= 12


def _files_of(function: Callable[[], object]) -> set[str]:
    """The files of ours of which ``function`` calls functions."""
    files: set[str] = set()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            files.add(frame.f_code.co_filename)

    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(None)
    return {file for file in files if f"{os.sep}renderer{os.sep}" in file}


def test_small_files_are_kept_for_the_next_overlay() -> None:
    large = b"data: " + b"a" * (3 << 20) + b"\n"
    fs = Counting({"one.yaml": large, "two.yaml": large, "small.yaml": b"data: a\n"})
    locator = Locator(fs)

    def read_for(*paths: str) -> list[str]:
        """Return the files that are read to locate findings in these."""
        fs.was_read.clear()
        for path in paths:
            locator.location_of((Site(path, 0, DATA),))
        return [*fs.was_read]

    assert len(read_for("one.yaml", "two.yaml", "small.yaml", "one.yaml", "two.yaml")) == 3
    locator.forget_files()
    assert read_for("two.yaml", "small.yaml") == ["small.yaml"]  # only the last file is kept
    locator.forget_files()
    assert read_for("two.yaml", "small.yaml") == []
