"""Dumps are read object by object, and what is not a dump is reported."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

import pytest
import yaml

from renderer.adopt.dump.files import find_files
from renderer.adopt.dump.read import read_dump
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import JsonObject
from renderer.model.kube.live_object import LiveObject
from renderer.model.record import Record

VM: JsonObject = {
    "apiVersion": "kubevirt.io/v1",
    "kind": "VirtualMachine",
    "metadata": {"name": "db", "annotations": {"a": "\u20ac"}},
    "spec": {"running": True, "other": [None, -1.5]},
}
MAP: JsonObject = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "b"}}
LIST: JsonObject = {
    "apiVersion": "v1",
    "items": [VM, MAP],
    "kind": "List",
    "metadata": {"resourceVersion": ""},
}


class InMemory(Record):
    content: bytes
    path: str = "dump"
    is_named: bool = True

    def open(self) -> BinaryIO:
        return BytesIO(self.content)


def read(text: str | bytes, *, is_named: bool = True) -> list[LiveObject]:
    content = text.encode() if isinstance(text, str) else text
    return list(read_dump([InMemory(content, is_named=is_named)]))


def contents(text: str | bytes) -> list[JsonObject]:
    return [live.content for live in read(text)]


def refused(text: str | bytes) -> tuple[Code, str, int]:
    with pytest.raises(DiagnosticError) as caught:
        read(text)
    [found] = caught.value.diagnostics
    return found.code, found.message, found.location.line if found.location else 0


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(LIST),
        json.dumps(LIST, indent=4),
        "\ufeff" + json.dumps(LIST),
        yaml.safe_dump(LIST),
        "---\n" + yaml.safe_dump(LIST) + "---\n",
        yaml.safe_dump_all([VM, None, MAP]),
        json.dumps(VM) + "\n" + json.dumps(MAP),
        json.dumps([VM, MAP]),
        json.dumps({**LIST, "items": [{**LIST, "items": [VM]}, {**LIST, "items": [MAP]}]}),
        yaml.safe_dump({**LIST, "items": [{**LIST, "items": [VM, MAP]}]}),
        "--- " + yaml.safe_dump(LIST, default_flow_style=True),
        json.dumps(VM)
        + json.dumps({"kind": "ConfigMapList", "apiVersion": "v1", "items": [{"metadata": MAP["metadata"]}]}),
        "apiVersion: v1\nitems: []\nkind: List\n---\n" + yaml.safe_dump_all([VM, MAP]),
        *(
            print_text(VM)
            + separator
            + print_text(
                {"apiVersion": "v1", "items": [{"metadata": MAP["metadata"]}], "kind": "ConfigMapList"}
            )
            for print_text, separator in ((json.dumps, ""), (yaml.safe_dump, "---\n"))
        ),
        yaml.safe_dump(VM)
        + "---\n"
        + yaml.safe_dump({"items": [{"metadata": MAP["metadata"]}], "kind": "ConfigMapList"}, sort_keys=False)
        + "apiVersion: v1\n",
    ],
)
def test_lists_documents_and_nested_lists_give_the_same_objects(text: str) -> None:
    assert contents(text) == [VM, MAP]


@pytest.mark.parametrize(
    "text", ['[{"metadata": {"name": "a"}}]', '{"items": [{"metadata": {"name": "a"}}], "kind": "List"}']
)
def test_item_whose_kind_nothing_says_is_refused(text: str) -> None:
    with pytest.raises(DiagnosticError) as raised:
        contents(text)
    assert "not a Kubernetes object" in raised.value.diagnostics[0].message


def test_object_knows_its_first_line() -> None:
    assert [live.location.line for live in read(yaml.safe_dump(LIST))] == [3, 14]
    assert [live.location.line for live in read(json.dumps(LIST, indent=1))] == [4, 21]


def test_empty_dump_has_no_objects() -> None:
    assert read("") == read("---\n") == read('{"apiVersion": "v1", "items": [], "kind": "List"}') == []


def test_json_that_is_cut_anywhere_is_truncated() -> None:
    text = json.dumps(LIST)
    refusals = {cut: refused(text[:cut])[:2] for cut in range(1, len(text))}

    assert {code for code, _ in refusals.values()} == {Code.DUMP_INVALID}
    assert [cut for cut, (_, message) in refusals.items() if "ends here in the middle" not in message] == []


def test_yaml_cut_anywhere_inside_its_list_is_refused() -> None:
    text = yaml.safe_dump(LIST)
    for cut in range(text.index("items:"), text.index("kind: List")):
        assert refused(text[:cut])[0] in (Code.DUMP_INVALID, Code.YAML_SYNTAX), text[:cut]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"kind": "Table", "apiVersion": "meta.k8s.io/v1", "columnDefinitions": [], "rows": []}', "a Table"),
        ("apiVersion: meta.k8s.io/v1\nkind: Table\nrows: []\n", "a Table"),
        ("NAMESPACE   NAME   AGE   STATUS\nprod   db   3d   Running\n", "columns"),
        ("NAME   AGE\ndb   3d\n", "columns"),
        (
            '{"kind": "Status", "apiVersion": "v1", "message": "forbidden"}',
            "API server about an error: forbidden",
        ),
        ("just text", "is not a Kubernetes object"),
        ("- a\n- b\n", "is not a Kubernetes object"),
        (
            '{"kind": "Thing", "apiVersion": "v1", "items": [], "metadata": {}}',
            "has items, and is not a List",
        ),
        ("apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n", "no metadata.name"),
        ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ../../etc}\n", "no API server accepts"),
        (
            'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "a\\u001b[2J"}\n',
            "no API server accepts",
        ),
        (b"\x1f\x8b\x08\x00", "compressed"),
    ],
)
def test_input_that_is_not_a_dump_is_refused(text: str | bytes, says: str) -> None:
    code, message, _ = refused(text)

    assert code is Code.DUMP_INVALID
    assert says in message


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1,, }',
        '{"a" 1}',
        '{"a": NaN}',
        '{"a": 1e999}',
        "{1: 2}",
        '{"a": tru }',
        "a: b: c\n",
        b'{"a": "\xff"}',
    ],
)
def test_broken_text_is_refused(text: str | bytes) -> None:
    assert refused(text)[0] is Code.YAML_SYNTAX


@pytest.mark.parametrize("opening", ['{"a":', "["])
@pytest.mark.parametrize("depth", [200, 100_000])
def test_deep_nesting_is_refused(opening: str, depth: int) -> None:
    closing = "}" if opening[0] == "{" else "]"
    text = opening * depth + "1" + closing * depth
    assert refused(f'{{"b": {text}}}')[0] in (Code.YAML_LIMIT, Code.YAML_SYNTAX)
    assert refused(f"b: {text}")[0] in (Code.YAML_LIMIT, Code.YAML_SYNTAX)


@pytest.mark.parametrize("start", ['{"a": "', 'a: "'])
def test_endless_object_is_not_read_to_its_end(start: str) -> None:
    class Endless(BytesIO):
        requested = 0

        def read(self, size: int | None = -1) -> bytes:
            Endless.requested += size or 0
            return start.encode() if Endless.requested == (size or 0) else b"x" * (size or 0)

    class Endlessly(InMemory):
        def open(self) -> BinaryIO:
            Endless.requested = 0
            return Endless()

    with pytest.raises(DiagnosticError) as caught:
        list(read_dump([Endlessly(b"")]))
    assert caught.value.diagnostics[0].code is Code.YAML_LIMIT


def test_lone_surrogates_become_the_replacement_character_as_in_go() -> None:
    [content] = contents(json.dumps({**MAP, "data": {"a": "\ud83d", "b": "\U0001f600"}}))

    assert content["data"] == {"a": "\ufffd", "b": "\U0001f600"}


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_long_list_is_streamed(form: str) -> None:
    item = (
        yaml.safe_dump([{**MAP, "data": {"a": "x" * 20_000}}])
        if form == "yaml"
        else json.dumps({**MAP, "data": {"a": "x" * 20_000}})
    )

    class Long(BytesIO):
        def __init__(self) -> None:
            super().__init__()
            self._parts = self._all()

        def _all(self) -> Iterator[bytes]:
            yield b'{"items": [' if form == "json" else b"items:\n"
            for number in range(1500):
                yield (("," if number and form == "json" else "") + item).encode()
            yield b'], "kind": "List"}' if form == "json" else b"kind: List\n"

        def read(self, size: int | None = -1) -> bytes:
            buffer = getattr(self, "_held", b"")
            while len(buffer) < (size or 0) and (part := next(self._parts, None)):
                buffer += part
            self._held = buffer[size:]
            return buffer[:size]

    class LongFile(InMemory):
        def open(self) -> BinaryIO:
            return Long()

    tracemalloc.start()
    count = sum(1 for _ in read_dump([LongFile(b"")]))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert count == 1500
    assert most < 12 << 20  # of 30 MB


def test_a_folder_that_is_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    top = tmp_path / "dump"
    (top / "loop").mkdir(parents=True)
    (top / "loop" / "again").symlink_to(top)
    assert list(find_files([str(top)])) == []

    top.joinpath(*["d"] * 150).mkdir(parents=True)
    with pytest.raises(DiagnosticError) as caught:
        list(find_files([str(top)]))
    assert caught.value.diagnostics[0].code is Code.FILE_UNREADABLE
    assert caught.value.diagnostics[0].message == f"{top} has more than 100 folders in one another"


def test_a_folder_of_must_gather_is_read_file_by_file(tmp_path: Path) -> None:
    folder = tmp_path / "namespaces" / "b" / "core"
    folder.mkdir(parents=True)
    (folder / "configmaps.yaml").write_text(
        "---\n" + yaml.safe_dump({**LIST, "items": [MAP], "kind": "ConfigMapList"})
    )
    (folder / "notes.yaml").write_text("gathered: today\n")
    (folder / "pod.log").write_text("no yaml: at: all")
    (folder / "empty.yaml").write_text("")
    (folder / "outside.yaml").symlink_to("/etc/passwd")
    (tmp_path / "cluster-scoped-resources").mkdir()
    (tmp_path / "cluster-scoped-resources" / "vm.json").write_text(json.dumps(VM))

    found = list(read_dump(find_files([str(tmp_path)])))

    assert [live.content for live in found] == [VM, MAP]
    assert found[0].location.path.endswith("cluster-scoped-resources/vm.json")


def test_missing_file_is_named() -> None:
    with pytest.raises(DiagnosticError, match="no such file: /nowhere"):
        list(read_dump(find_files(["/nowhere"])))
