from __future__ import annotations

import pytest

from renderer.files.file_system import MemoryFileSystem
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.resource import ResourceSet
from renderer.project.lone_file import LoneFiles

VM = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: web}\n"


def read(text: str) -> list[str]:
    files = LoneFiles(MemoryFileSystem({"a.yaml": text.encode()}), ("kubevirt.io",))
    return [f"{resource.kind} {resource.name}" for resource in files.read("a.yaml")]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a: [",
        "- hosts: all\n",
        "replicas: 1\n",
        "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n",
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: "apiVersion: kubevirt.io/v1"}\n',
        "patches:\n- patch: |\n    apiVersion: kubevirt.io/v1\n    kind: VirtualMachine\n",
        "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n",
        "apiVersion: kubevirt.iof/v1\nkind: VirtualMachine\nmetadata: {name: a}\n",
    ],
)
def test_foreign_objects_are_ignored(text: str) -> None:
    assert read(text) == []


def test_kubevirt_object_includes_others_in_its_file() -> None:
    other = "---\napiVersion: v1\nkind: Secret\nmetadata: {name: a}\n"
    assert read(VM + other) == ["VirtualMachine web", "Secret a"]
    json = '{"kind":"VirtualMachine","apiVersion":"kubevirt.io/v1","metadata":{"name":"web"}}'
    assert read(json) == ["VirtualMachine web"]
    listed = "kind: List\napiVersion: v1\nitems:\n- " + VM.replace("\n", "\n  ")
    assert read(listed) == ["VirtualMachine web"]


def test_objects_in_an_openshift_template_are_validated() -> None:
    template = "apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {name: a}\nobjects:\n- "
    assert read(template + VM.replace("\n", "\n  ")) == ["VirtualMachine web"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (VM + "a: [\n", Code.YAML_SYNTAX),
        (VM + "kind: twice\n", Code.YAML_DUPLICATE_KEY),
        (VM.replace("{name: web}", "{}"), Code.RESOURCE_INVALID),
        (VM.replace("web", "{{ name }}"), Code.NOT_CHECKED),
        (VM + "{% if a %}\n", Code.NOT_CHECKED),
    ],
)
def test_unreadable_kubevirt_file_is_reported(text: str, code: Code) -> None:
    with pytest.raises(DiagnosticError) as error:
        read(text)
    assert [found.code for found in error.value.diagnostics] == [code]


def test_utf_16_file_is_refused_only_if_it_is_kubevirts() -> None:
    contents = {"ours.yaml": VM.encode("utf-16"), "other.yaml": "a: b\n".encode("utf-16")}
    files = LoneFiles(MemoryFileSystem(contents), ("kubevirt.io",))
    assert files.read("other.yaml") == ResourceSet()
    with pytest.raises(DiagnosticError, match="not UTF-8"):
        files.read("ours.yaml")
