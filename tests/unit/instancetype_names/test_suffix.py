from __future__ import annotations

import pytest

from renderer.instancetype_names.new_names import suffixed_name
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.json import Json, JsonObject
from renderer.model.render_config import InstancetypeNames
from tests.kubevirt_objects import instancetype, namespaced, preference
from tests.unit.instancetype_names.naming import HASH, PLAIN, VERSION, hashed, resource

VERSION_LABEL = "instancetype.kubevirt.io/version"
KEEP_NAME = "vmrender.io/keep-name"


def described(content: JsonObject, **metadata: Json) -> JsonObject:
    return {**content, "metadata": {**content["metadata"], **metadata}}  # type: ignore[dict-item]  # it is one


def problem(content: JsonObject, names: InstancetypeNames) -> Diagnostic:
    with pytest.raises(DiagnosticError) as error:
        suffixed_name(resource(content), names)
    (found,) = error.value.diagnostics
    assert found.code is Code.NAME_SUFFIX
    return found


def test_hash_is_stable() -> None:
    assert hashed(instancetype("acme.large", 2, "8Gi")) == "acme.large-faec49f18a"
    assert hashed(preference("acme.linux")) == "acme.linux-74234e98af"


@pytest.mark.parametrize(
    "same",
    [
        instancetype(memory="4096Mi"),
        instancetype(memory={"guest": 4 << 30, "hugepages": None}),
        instancetype(gpus=[], nodeSelector={}, schedulerName=""),
        described(instancetype(), labels={"a": "b"}, annotations={"c": "d"}, generation=3),
        {**instancetype(), "apiVersion": "instancetype.kubevirt.io/v1alpha2"},
        dict(reversed(instancetype().items())),
        namespaced(instancetype()),
    ],
)
def test_specs_equal_to_kubevirt_have_one_name(same: JsonObject) -> None:
    assert hashed(same) == hashed(instancetype())


@pytest.mark.parametrize(
    "other",
    [
        instancetype(vcpus=3),
        instancetype(memory="4097Mi"),
        instancetype(memory={"guest": "4Gi", "overcommitPercent": 10}),
        instancetype(annotations={"a": "b"}),
        instancetype(nodeSelector={"a": "b"}),
        instancetype(unheardOf=1),
        instancetype(cpu={"guest": 2, "dedicatedCPUPlacement": False}),  # a set value conflicts with the VM's
        instancetype(vcpus="two"),  # type: ignore[arg-type]  # wrong, and for validation to say so
    ],
)
def test_any_other_spec_has_another_name(other: JsonObject) -> None:
    assert hashed(other) != hashed(instancetype())


def test_plain_names_are_unchanged() -> None:
    assert suffixed_name(resource(instancetype("u1.medium")), PLAIN) == "u1.medium"


@pytest.mark.parametrize("names", [HASH, VERSION])
def test_an_object_can_keep_its_name(names: InstancetypeNames) -> None:
    kept = described(instancetype(), annotations={KEEP_NAME: "true"}, labels={VERSION_LABEL: "2"})
    assert suffixed_name(resource(kept), names) == "medium"
    versioned = described(instancetype(), annotations={KEEP_NAME: "false"}, labels={VERSION_LABEL: "2"})
    assert suffixed_name(resource(versioned), names) != "medium"


@pytest.mark.parametrize("value", ["yes", "True", True])
def test_keep_name_annotation_must_be_a_boolean(value: Json) -> None:
    found = problem(described(instancetype(), annotations={KEEP_NAME: value}), HASH)
    assert found.hint == f'write {KEEP_NAME}: "true"'


@pytest.mark.parametrize(
    ("version", "name"), [("1", "medium-1"), ("v1.4-rc.1", "medium-v1.4-rc.1"), (2, "medium-2")]
)
def test_a_version_is_a_label(version: Json, name: str) -> None:
    content = described(instancetype(), labels={VERSION_LABEL: version})
    assert suffixed_name(resource(content), VERSION) == name


@pytest.mark.parametrize("labels", [{}, {VERSION_LABEL: ""}, {VERSION_LABEL: None}, None])
def test_object_without_version_keeps_its_name(labels: Json) -> None:
    assert suffixed_name(resource(described(instancetype(), labels=labels)), VERSION) == "medium"


@pytest.mark.parametrize("version", ["V2", "1_0", "1..0", "-1", "1.", "ä"])
def test_version_must_be_a_valid_name_suffix(version: str) -> None:
    found = problem(described(instancetype(), labels={VERSION_LABEL: version}), VERSION)
    assert repr(version) in found.message
    assert str(found.field) == f'metadata.labels["{VERSION_LABEL}"]'


def test_a_name_must_fit_in_the_label_of_a_controller_revision() -> None:
    assert len(hashed(instancetype("a" * 52))) == 63
    found = problem(instancetype("a" * 53), HASH)
    assert "has 64 characters" in found.message
    assert str(found.field) == "metadata.name"
