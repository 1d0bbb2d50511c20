from __future__ import annotations

import pytest

from renderer.kustomize.variables import expand_references
from renderer.model.kube.json import Scalar
from tests.composing import built, only_error, warnings

VALUES: dict[str, Scalar] = {"V": "text", "N": 7, "B": True, "F": 1.5}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$(V)", "text"),
        ("$(N)", 7),
        ("$(B)", True),
        ("a$(N)b$(B)c$(F)", "a7btruec1.5"),
        ("$$(V)", "$(V)"),
        ("$(UNKNOWN)$(V)", "$(UNKNOWN)text"),
        ("$(V", "$(V"),
        ("100$", "100$"),
        ("$x$(V)", "$xtext"),
        ("$(A$(V))", "$(A$(V))"),
        ("$()", "$()"),
    ],
)
def test_variables_are_expanded(text: str, expected: Scalar) -> None:
    used: set[str] = set()
    assert expand_references(text, VALUES, used.add) == expected


RESOURCES = """\
    apiVersion: v1
    kind: Service
    metadata: {name: s, namespace: one}
    spec: {ports: [{port: 80}], nothing: null}
    ---
    apiVersion: v1
    kind: Pod
    metadata: {name: p, annotations: {at: "$(NAME):$(PORT)"}}
    spec: {containers: [{name: c, args: ["$(PORT)", "$(NAME)"], image: "$(NAME)"}]}
    """


def variable(name: str, /, **fields: str) -> str:
    objref = {"apiVersion": "v1", "kind": "Service", "name": "s"} | {
        key: value for key, value in fields.items() if key != "path"
    }
    reference = f", fieldref: {{fieldPath: '{fields['path']}'}}" if "path" in fields else ""
    pairs = ", ".join(f"{key}: {value}" for key, value in objref.items())
    return f"- {{name: {name}, objref: {{{pairs}}}{reference}}}\n"


def files(*variables: str) -> dict[str, str]:
    text = "resources: [r.yaml]\nnamePrefix: x-\nvars:\n" + "".join(variables)
    return {"kustomization.yaml": text, "r.yaml": RESOURCES}


def test_final_names_are_written_into_variable_fields() -> None:
    text = built(files(variable("NAME"), variable("PORT", path="spec.ports[0].port")))
    assert "    at: x-s:80\n" in text
    assert "  - args:\n    - 80\n    - x-s\n    image: $(NAME)\n" in text


@pytest.mark.parametrize(
    "variables",
    [
        [variable("NAME", name="nobody")],
        [variable("NAME", path="spec.nope")],
        [variable("NAME", path="spec.ports.name")],
        [variable("NAME", apiVersion="apps/v1")],
        [variable("NAME", namespace="two")],
        [variable("NAME"), variable("NAME")],
    ],
)
def test_variables_without_a_value_are_errors(variables: list[str]) -> None:
    error = only_error(files(*variables))
    assert "NAME" in error.message
    assert str(error.sites[0].field).startswith("vars[")


def test_ambiguous_variable_is_an_error() -> None:
    two = (
        f"{RESOURCES}---\n    apiVersion: v1\n    kind: Service\n    metadata: {{name: s, namespace: two}}\n"
    )
    ambiguous = {**files(variable("NAME")), "r.yaml": two}
    assert len(only_error(ambiguous).related) == 2
    assert "x-s" in built({**files(variable("NAME", namespace="two")), "r.yaml": two})


def test_variable_of_a_base_used_twice_is_an_error() -> None:
    base = {f"base/{name}": text for name, text in files(variable("NAME")).items()}
    over = {f"{name}/kustomization.yaml": f"resources: [../base]\nnamePrefix: {name}-" for name in ("a", "b")}
    error = only_error({**base, **over, "kustomization.yaml": "resources: [a, b]"})
    assert "NAME" in error.message


def test_unused_variable_is_a_warning() -> None:
    found = warnings(files(variable("UNUSED")))
    assert any("UNUSED" in warning.message for warning in found)
