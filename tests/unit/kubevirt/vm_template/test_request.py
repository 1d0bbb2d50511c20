"""What a VirtualMachineTemplateRequest makes."""

from __future__ import annotations

import pytest

from renderer.kubevirt.vm_template.refusal import TemplateRefusedError
from renderer.kubevirt.vm_template.request import make_of_request, stable_name
from renderer.kubevirt.vm_template.typed_machine import types_of
from renderer.model.kube.json import Json, JsonObject, array_at, object_at
from renderer.model.release import Release

TYPES = types_of(Release(1, 9))
SOURCE: JsonObject = {
    "metadata": {"name": "db", "namespace": "prod", "labels": {"a": "b"}},
    "spec": {
        "template": {
            "spec": {
                "domain": {
                    "firmware": {"uuid": "u", "serial": "s"},
                    "devices": {"interfaces": [{"name": "n", "macAddress": "02:00:00:00:00:01"}]},
                },
                "volumes": [{"name": "root", "dataVolume": {"name": "db-root"}}],
            }
        },
        "dataVolumeTemplates": [{"metadata": {"name": "db-root"}, "spec": {"storage": {}}}],
    },
}


def request(**spec: Json) -> JsonObject:
    reference: Json = {"namespace": "prod", "name": "db"}
    return {
        "metadata": {"name": "golden", "namespace": "templates", "uid": "1"},
        "spec": {"virtualMachineRef": reference, **spec},
    }


def test_template_has_neither_identity_nor_names_of_its_source() -> None:
    made = make_of_request(request(), SOURCE, [("root", "snap")], TYPES)

    machine = object_at(made.template, "spec", "virtualMachine")
    spec = object_at(machine, "spec", "template", "spec")
    assert machine["metadata"] == {"name": "${NAME}"}
    assert object_at(spec, "domain")["firmware"] == {}
    assert array_at(spec, "domain", "devices", "interfaces") == [{"name": "n"}]
    assert array_at(spec, "volumes") == [{"name": "root", "dataVolume": {"name": "db-root-${NAME}"}}]
    (template,) = array_at(machine, "spec", "dataVolumeTemplates")
    assert object_at(template, "spec", "source") == {
        "pvc": {"namespace": "templates", "name": stable_name("golden", "1", "root")}
    }


def test_state_of_the_machine_is_not_cloned() -> None:
    made = make_of_request(request(), SOURCE, [("persistent-state-for-db", "a"), ("root", "b")], TYPES)

    assert [object_at(each, "spec", "source", "snapshot")["name"] for each in made.data_volumes] == ["b"]


def test_reserved_labels_are_left_out() -> None:
    labels = {"a": "b", "template.kubevirt.io/x": "y"}
    made = make_of_request(request(templateName="t", templateLabels=labels), SOURCE, [], TYPES)

    assert made.template["metadata"] == {
        "name": "t",
        "namespace": "templates",
        "labels": {"a": "b", "template.kubevirt.io/RequestUID": "1"},
    }


def test_source_needs_a_namespace_and_a_template() -> None:
    with pytest.raises(TemplateRefusedError, match="emptySourceNamespace"):
        make_of_request(request(virtualMachineRef={"name": "db"}), SOURCE, [], TYPES)
    with pytest.raises(TemplateRefusedError, match="sourceHasNoTemplate"):
        make_of_request(request(), {"spec": {}}, [], TYPES)


@pytest.mark.parametrize(
    ("base", "name"),
    [("web", "web-"), ("0a", "x-0a-"), ("", "x-"), ("a" * 60, "a" * 54 + "-"), ("A", "obj-"), ("é", "obj-")],
)
def test_names_begin_with_their_base(base: str, name: str) -> None:
    made = stable_name(base, "uid")

    assert made.startswith(name)
    assert len(made) <= 63
