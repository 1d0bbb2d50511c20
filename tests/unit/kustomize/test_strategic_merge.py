from __future__ import annotations

import pytest
import yaml

from renderer.kustomize.merge_keys.schema_in_effect import kubernetes_merge_schema
from renderer.kustomize.strategic_merge import StrategicMerge, StrategicMergeError
from renderer.model.kube.json import Json, JsonObject


def read(text: str) -> JsonObject:
    document: JsonObject = yaml.safe_load(text)
    return document


def merged(target: str, patch: str) -> JsonObject | None:
    return StrategicMerge(kubernetes_merge_schema()).apply(read(target), read(patch))


def pod(spec: str) -> str:
    return f"{{apiVersion: v1, kind: Pod, spec: {spec}}}"


def merged_pod(target: str, patch: str) -> Json:
    result = merged(pod(target), pod(patch))
    assert result is not None
    return result["spec"]


def spec(text: str) -> Json:
    return read(text)


@pytest.mark.parametrize(
    ("target", "patch", "expected"),
    [
        ("{a: 1, b: {c: 1, d: 2}}", "{b: {c: 3}, e: 4}", "{a: 1, b: {c: 3, d: 2}, e: 4}"),
        ("{a: 1, b: {c: 1}}", "{a: null, b: null}", "{}"),
        ("{a: {b: 1}}", "{a: {$patch: replace, c: 2}}", "{a: {c: 2}}"),
        ("{a: {b: 1}, c: 1}", "{a: {$patch: delete}}", "{c: 1}"),
        ("{a: {b: 1}}", "{a: {$patch: merge, c: 2}}", "{a: {b: 1, c: 2}}"),
        ("{a: null, b: 1}", "{c: 1}", "{a: null, b: 1, c: 1}"),
        ("{a: null}", "{a: null}", "{}"),
        ("{a: null}", "{a: {b: 1}}", "{a: {b: 1}}"),
        ("{}", "{a: {b: null, c: {d: null}, e: 1}}", "{a: {c: {}, e: 1}}"),
        ("{}", "{a: {$patch: delete}, b: {$patch: replace, c: 1}}", "{b: {c: 1}}"),
        ("{a: [1, 2]}", "{a: [3]}", "{a: [3]}"),
        ("{a: [1]}", "{a: [{$patch: delete}, null]}", "{a: [{$patch: delete}, null]}"),
        ("{a: [1]}", "{a: null}", "{}"),
    ],
)
def test_objects_without_a_schema_are_merged(target: str, patch: str, expected: str) -> None:
    kind = "apiVersion: kubevirt.io/v1, kind: VirtualMachine"
    result = merged(f"{{{kind}, spec: {target}}}", f"{{{kind}, spec: {patch}}}")
    assert result == read(f"{{{kind}, spec: {expected}}}")


@pytest.mark.parametrize(
    ("target", "patch", "expected"),
    [
        (
            "{containers: [{name: a, image: 1}, {name: b}]}",
            "{containers: [{name: c}, {name: a, image: 2}]}",
            "{containers: [{name: c}, {name: a, image: 2}, {name: b}]}",
        ),
        (
            "{containers: [{name: a}, {name: b}]}",
            "{containers: [{name: a, $patch: delete}]}",
            "{containers: [{name: b}]}",
        ),
        (
            "{containers: [{name: a}, {name: b}]}",
            "{containers: [{$patch: replace}, {name: c}]}",
            "{containers: [{name: c}]}",
        ),
        ("{containers: [{name: a}], x: 1}", "{containers: [{$patch: delete}]}", "{x: 1}"),
        (
            "{containers: [{name: a, ports: [{containerPort: 1, protocol: TCP, x: 1}]}]}",
            "{containers: [{name: a, ports: [{containerPort: 1, protocol: TCP, y: 2}, {containerPort: 2}]}]}",
            (
                "{containers: [{name: a, ports: "
                "[{containerPort: 2}, {containerPort: 1, protocol: TCP, x: 1, y: 2}]}]}"
            ),
        ),
        (
            "{containers: [{name: a, env: [{name: x, value: 1}]}]}",
            "{containers: [{name: a, env: [{name: x, value: null, valueFrom: {y: z}}]}]}",
            "{containers: [{name: a, env: [{name: x, valueFrom: {y: z}}]}]}",
        ),
        ("{tolerations: [{key: a}]}", "{tolerations: [{key: b}]}", "{tolerations: [{key: b}]}"),
        (
            "{containers: [{name: null, x: 1}, {name: b}]}",
            "{containers: [{name: c}]}",
            "{containers: [{name: c}]}",
        ),
        ("{containers: [{name: a}]}", "{containers: null}", "{}"),
        ("{containers: [{name: a}]}", "{containers: []}", "{containers: [{name: a}]}"),
    ],
)
def test_lists_of_known_kinds_merge_by_their_keys(target: str, patch: str, expected: str) -> None:
    assert merged_pod(target, patch) == spec(expected)


@pytest.mark.parametrize(
    ("target", "patch", "expected"),
    [
        ("80 TCP, 53 UDP old", "443 TCP, 53 UDP new, 53 TCP", "443 TCP, 53 TCP, 80 TCP, 53 UDP new"),
        ("80 - old, 81", "80 - new, 82 TCP", "82 TCP, 80 - new, 81"),
        ("80, 53 UDP", "80 - new", "80 - new, 53 UDP"),
    ],
)
def test_lists_with_two_keys_have_new_elements_first(target: str, patch: str, expected: str) -> None:
    """Ports are written as number, protocol and name; the results are from ``kubectl kustomize``."""

    def ports(written: str) -> str:
        keys = ("containerPort", "protocol", "name")
        listed = (zip(keys, port.split(), strict=False) for port in written.split(", "))
        fields = (", ".join(f"{key}: {value}" for key, value in port if value != "-") for port in listed)
        return f"{{containers: [{{name: a, ports: [{{{'}, {'.join(fields)}}}]}}]}}"

    assert merged_pod(ports(target), ports(patch)) == spec(ports(expected))


def test_lists_of_scalars_are_united_with_the_patch_first() -> None:
    target = "{apiVersion: v1, kind: Secret, metadata: {finalizers: [a, b]}}"
    patch = "{apiVersion: v1, kind: Secret, metadata: {finalizers: [c, b]}}"
    assert merged(target, patch) == read("{apiVersion: v1, kind: Secret, metadata: {finalizers: [c, b, a]}}")


def test_upstream_oddities_of_keyed_lists_are_kept() -> None:
    assert merged_pod(  # an element to be replaced is unchanged
        "{containers: [{name: a, image: 1}]}", "{containers: [{name: a, $patch: replace, image: 2}]}"
    ) == spec("{containers: [{name: a, image: 1}]}")
    assert merged_pod(  # an element without its key removes the elements before it
        "{containers: [{name: a}, {image: 1}, {name: b}]}", "{containers: [{name: c}]}"
    ) == spec("{containers: [{image: 1}]}")


def test_embedded_object_merges_by_its_own_kind() -> None:
    deployment = "apiVersion: apps/v1, kind: Deployment, spec: {template: {spec: {containers: [{name: %s}]}}}"
    result = merged(
        f"{{kind: Wrapper, object: {{{deployment % 'a'}}}}}",
        f"{{kind: Wrapper, object: {{{deployment % 'b'}}}}}",
    )
    expected = deployment.replace("[{name: %s}]", "[{name: b}, {name: a}]")
    assert result == read(f"{{kind: Wrapper, object: {{{expected}}}}}")


def test_directive_at_the_root_deletes_but_does_not_replace() -> None:
    assert merged("{kind: A, a: 1}", "{kind: A, $patch: delete}") is None
    assert merged("{kind: A, a: 1}", "{kind: A, $patch: replace, b: 2}") == read("{kind: A, a: 1}")


def test_scalar_keeps_the_quotes_of_the_replaced_one() -> None:
    assert merged('{a: "1", b: one}', "{a: 2, b: 2}") == {"a": "2", "b": 2}


@pytest.mark.parametrize(
    ("target", "patch", "field"),
    [
        ("{a: {b: {c: 1}}}", "{a: {b: [1]}}", "a.b"),
        ("{a: {b: [1]}}", "{a: {b: 1}}", "a.b"),
        ("{a: {b: 1}}", "{a: {b: {c: 1}}}", "a.b"),
        ("{a: {b: 1}}", "{a: {$patch: remove}}", "a"),
        (pod("{containers: {a: b}}"), "{spec: {containers: [{name: a}]}}", "spec.containers"),
    ],
)
def test_mismatched_type_is_an_error_that_names_the_field(target: str, patch: str, field: str) -> None:
    with pytest.raises(StrategicMergeError) as error:
        merged(target, patch)
    assert str(error.value.field) == field


def test_neither_the_object_nor_the_patch_is_changed() -> None:
    target = read(pod("{containers: [{name: a, env: [{name: x}]}], nodeSelector: {a: b}}"))
    patch = read(
        pod("{containers: [{name: a, env: [{name: x, $patch: delete}]}], nodeSelector: {$patch: replace}}")
    )
    before = repr((target, patch))
    StrategicMerge(kubernetes_merge_schema()).apply(target, patch)
    assert repr((target, patch)) == before


def test_untouched_parts_are_shared() -> None:
    target = read("{kind: A, touched: {a: 1}, untouched: {b: [1]}}")
    result = StrategicMerge(kubernetes_merge_schema()).apply(target, read("{touched: {a: 2}}"))
    assert result is not None
    assert result["untouched"] is target["untouched"]
