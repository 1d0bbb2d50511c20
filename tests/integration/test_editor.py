"""Exported schemas in an editor: completion, hover and errors of yaml-language-server, for each kind.

The server is the npm package of that name, found on ``PATH`` or named by ``YAML_LANGUAGE_SERVER``; the tests
are skipped without it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, cast

import pytest

from renderer.app.editor_setup import set_up_editor
from renderer.app.project import Project
from renderer.authoring.new_project.editor_files import PATCH_SCHEMAS, SCHEMAS, Editor

SERVER = os.environ.get("YAML_LANGUAGE_SERVER") or shutil.which("yaml-language-server")
pytestmark = pytest.mark.skipif(not SERVER, reason="yaml-language-server is not installed")

_VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec:
  runStrategy: Always
  template:
    spec:
      domain:
        devices:
          disks:
            - name: root
              §
"""
_POOL = """\
apiVersion: pool.kubevirt.io/v1beta1
kind: VirtualMachinePool
metadata: {name: ci}
spec:
  replicas: 2
  selector: {matchLabels: {a: b}}
  §
"""
_INSTANCETYPE = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: big}
spec:
  cpu: {guest: 4}
  memory:
    guest: 8Gi
    §
"""
_PREFERENCE = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterPreference
metadata: {name: windows}
spec:
  devices:
    preferredDiskBus: virtio
    §
"""
_VM_TEMPLATE = """\
apiVersion: template.kubevirt.io/v1beta1
kind: VirtualMachineTemplate
metadata: {name: web}
spec:
  parameters: [{name: CORES}]
  virtualMachine:
    metadata: {name: "${NAME}"}
    spec:
      runStrategy: Always
      template:
        spec:
          domain:
            devices: {}
            cpu:
              cores: ${{CORES}}
              §
"""
_SIZE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec:
  runStrategy: Always
  instancetype:
    name: §
  template: {spec: {domain: {devices: {}}}}
"""
_SERIES = """\
apiVersion: vmrender.io/v1alpha1
kind: InstancetypeSeries
metadata: {name: db}
spec:
  sizes: [{name: large, vcpus: 2, memory: 8Gi}]
  §
"""
_TEMPLATE = """\
apiVersion: vmrender.io/v1alpha1
kind: Template
metadata: {name: web}
spec:
  template: web.yaml.j2
  §
"""
_PROJECT = """\
apiVersion: vmrender.io/v1alpha1
kind: RenderConfig
kubevirt: "1.9"
catalogs: [{builtin: common-instancetypes}]
"""


class LanguageServer:
    """A yaml-language-server over its standard streams, with the schemas of a folder for all YAML files."""

    def __init__(self, schemas: Path) -> None:
        self._numbers = count(1)
        self._process = subprocess.Popen(
            [cast("str", SERVER), "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._write = cast("IO[bytes]", self._process.stdin)
        self._read = cast("IO[bytes]", self._process.stdout)
        self._settings = {
            "yaml": {
                "schemas": {schemas.as_uri(): ["*.yaml"]},
                "schemaStore": {"enable": False},
                "hover": True,
                "completion": True,
                "validate": True,
            }
        }

    def __enter__(self) -> Self:
        self._ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self._send({"method": "initialized", "params": {}})
        self._send({"method": "workspace/didChangeConfiguration", "params": {"settings": self._settings}})
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def opened(self, name: str, text: str) -> list[str]:
        """Open a document and return the messages about it."""
        uri = f"file:///work/{name}.yaml"
        document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        self._send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
        while True:
            message = self._message()
            if message.get("method") == "textDocument/publishDiagnostics":
                params = message["params"]
                if params["uri"] == uri:
                    return [each["message"] for each in params["diagnostics"]]

    def offered(self, name: str, text: str) -> list[str]:
        """Return what the server offers at the mark of a document that is open."""
        found = self._at_mark("textDocument/completion", name, text)
        return [item["label"] for item in found["items"]]

    def shown(self, name: str, text: str) -> str:
        """Return what the server shows for the word at the mark of a document that is open."""
        found = self._at_mark("textDocument/hover", name, text)
        return found["contents"]["value"] if found else ""

    def _at_mark(self, method: str, name: str, text: str) -> Any:  # noqa: ANN401 - any JSON
        before = text.partition("§")[0]
        line = before.count("\n")
        position = {"line": line, "character": len(before.split("\n")[-1])}
        identifier = {"uri": f"file:///work/{name}.yaml"}
        return self._ask(method, {"textDocument": identifier, "position": position})

    def _ask(self, method: str, params: dict[str, Any]) -> Any:  # noqa: ANN401 - any JSON
        number = next(self._numbers)
        self._send({"id": number, "method": method, "params": params})
        while True:
            message = self._message()
            if message.get("id") == number and "method" not in message:
                return message.get("result")

    def _send(self, message: dict[str, Any]) -> None:
        content = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._write.write(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))
        self._write.flush()

    def _message(self) -> dict[str, Any]:
        """Read a message; requests of the server are answered."""
        length = 0
        while line := self._read.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        message: dict[str, Any] = json.loads(self._read.read(length))
        if "id" in message and "method" in message:
            is_settings = message["method"] == "workspace/configuration"
            result = (
                [self._settings.get(each["section"]) for each in message["params"]["items"]]
                if is_settings
                else None
            )
            self._send({"id": message["id"], "result": result})
        return message


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    (root / "vmrender.yaml").write_text(_PROJECT)
    set_up_editor(Project.read(root), Editor.VSCODE)
    return root


@pytest.fixture(scope="module")
def server(repository: Path) -> Iterator[LanguageServer]:
    with LanguageServer(repository / SCHEMAS / "all.json") as started:
        yield started


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        (_VM, "bootOrder"),
        (_SIZE, "u1.medium"),
        (_POOL, "virtualMachineTemplate"),
        (_INSTANCETYPE, "overcommitPercent"),
        (_PREFERENCE, "preferredInterfaceModel"),
        (_SERIES, "memoryPerVCPU"),
        (_TEMPLATE, "valuesFrom"),
        (_VM_TEMPLATE, "maxSockets"),
    ],
)
def test_offers_what_can_be_written(server: LanguageServer, text: str, offered: str) -> None:
    name = f"offer-{offered}"
    server.opened(name, text.replace("§", ""))
    assert offered in server.offered(name, text)


@pytest.mark.parametrize(
    ("text", "word", "title"),
    [
        (_VM, "runStrategy", "Run strategy"),
        (_POOL, "replicas", "Replicas"),
        (_INSTANCETYPE, "memory", "Memory"),
        (_PREFERENCE, "preferredDiskBus", "Preferred disk bus"),
        (_SERIES, "sizes", "The sizes"),
        (_TEMPLATE, "template", "The path of the Jinja2 file"),
        (_VM_TEMPLATE, "parameters", "Parameters"),
    ],
)
def test_shows_what_a_field_means(server: LanguageServer, text: str, word: str, title: str) -> None:
    name = f"hover-{word}"
    plain = text.replace("§", "")
    server.opened(name, plain)
    assert title in server.shown(name, plain.replace(f"{word}:", f"{word}§:", 1))


@pytest.mark.parametrize("text", [_VM, _POOL, _INSTANCETYPE, _PREFERENCE, _SERIES, _TEMPLATE, _VM_TEMPLATE])
def test_refuses_unknown_fields(server: LanguageServer, text: str) -> None:
    kind = text.split()[3]
    messages = server.opened(f"unknown-{kind}", text.replace("§", "fieldOfNobody: 1"))
    assert "Property fieldOfNobody is not allowed." in messages


@pytest.mark.parametrize("text", [_VM, _POOL, _INSTANCETYPE, _PREFERENCE, _SERIES, _TEMPLATE, _VM_TEMPLATE])
def test_accepts_what_is_right(server: LanguageServer, text: str) -> None:
    right = text.replace("  §\n", "\n") + (
        "  virtualMachineTemplate: {spec: {template: {}}}\n" if text is _POOL else ""
    )
    assert server.opened(f"right-{text.split()[3]}", right.replace("§", "")) == []


def test_other_kinds_are_left_alone(server: LanguageServer) -> None:
    assert server.opened("service", "apiVersion: v1\nkind: Service\nspec: {a: 1}\n") == []


@pytest.mark.parametrize("name", ["of-the-overlay", "${SIZE}"])
def test_a_size_without_a_catalog_is_accepted(server: LanguageServer, name: str) -> None:
    assert server.opened("size", _SIZE.replace("§", name)) == []


def test_a_patch_needs_no_field(repository: Path) -> None:
    patch = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec:
  template:
    spec:
      hostname: null
      domain:
        devices:
          disks:
            - name: old
              $patch: delete
"""
    with LanguageServer(repository / PATCH_SCHEMAS / "all.json") as server:
        assert server.opened("patch", patch) == []
        assert server.opened("typo", patch.replace("hostname", "hostnam")) == [
            "Property hostnam is not allowed."
        ]


def test_the_project_file_is_described(repository: Path) -> None:
    with LanguageServer(repository / SCHEMAS / "vmrender.io/renderconfig_v1alpha1.json") as server:
        text = _PROJECT + "§"
        server.opened("vmrender", text.replace("§", ""))
        assert "mergeKeys" in server.offered("vmrender", text)
