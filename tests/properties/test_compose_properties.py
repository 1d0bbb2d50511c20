from __future__ import annotations

import json
from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from renderer.golang.json_patch import OperationError, apply_operation
from renderer.kustomize.merge_keys.schema_in_effect import kubernetes_merge_schema
from renderer.kustomize.strategic_merge import StrategicMerge, StrategicMergeError
from renderer.model.kube.json import Json
from tests.composing import outcome

_KEYS = st.sampled_from(
    [
        *("apiVersion", "kind", "metadata", "name", "namespace", "labels", "annotations", "spec", "template"),
        *(
            "containers",
            "ports",
            "containerPort",
            "protocol",
            "env",
            "subjects",
            "roleRef",
            "rules",
            "$patch",
        ),
        *("matchLabels", "selector", "items", "webhooks", "finalizers", "volumes", "configMap", "a"),
    ]
)
_TEXTS = st.sampled_from(
    [
        *("", "a", "web", "v1", "apps/v1", "Pod", "Deployment", "List", "RoleBinding", "delete", "replace"),
        *("TCP", "/", "1", "true", "rbac.authorization.k8s.io/v1", "default", "ServiceAccount", "ConfigMap"),
    ]
)
_SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.just(1.5) | _TEXTS
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=25,
)
_OBJECTS = st.dictionaries(_KEYS, _VALUES, max_size=6)
_METADATA = st.fixed_dictionaries({"name": _TEXTS}, optional={"labels": _VALUES, "annotations": _VALUES})
_RESOURCES = st.fixed_dictionaries(
    {"apiVersion": _TEXTS, "kind": _TEXTS, "metadata": _METADATA | _VALUES},
    optional={"spec": _VALUES, "subjects": _VALUES, "roleRef": _VALUES, "items": _VALUES, "rules": _VALUES},
)
_POINTERS = st.lists(_KEYS | st.sampled_from(["0", "-1", "-", "9"]), max_size=4).map(
    lambda keys: "".join(f"/{key}" for key in keys)
)
_OPERATIONS = st.fixed_dictionaries(
    {
        "op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test", "x"]),
        "path": _POINTERS | _VALUES,
        "from": _POINTERS | _VALUES,
        "value": _VALUES,
    }
)
_KUSTOMIZATIONS = st.fixed_dictionaries(
    {"resources": st.just(["r.yaml"])},
    optional={
        "namePrefix": _SCALARS,
        "nameSuffix": _TEXTS,
        "namespace": _TEXTS,
        "commonLabels": _VALUES | st.dictionaries(_TEXTS, _TEXTS, max_size=2),
        "commonAnnotations": st.dictionaries(_TEXTS, _TEXTS, max_size=2),
        "labels": st.lists(
            st.fixed_dictionaries(
                {"pairs": st.dictionaries(_TEXTS, _TEXTS, max_size=2)},
                optional={"includeSelectors": st.booleans(), "fields": _VALUES},
            ),
            max_size=2,
        ),
        "patches": st.lists(
            st.fixed_dictionaries(
                {"patch": (st.lists(_OPERATIONS, max_size=3) | _RESOURCES | _VALUES).map(json.dumps)},
                optional={
                    "target": st.dictionaries(st.sampled_from(["kind", "name", "labelSelector"]), _TEXTS)
                },
            ),
            max_size=2,
        ),
    },
)


@given(_KUSTOMIZATIONS, st.lists(_RESOURCES | _VALUES, max_size=3))
def test_any_input_gives_resources_or_diagnostics(
    kustomization: dict[str, Json], documents: list[Json]
) -> None:
    files = {
        "kustomization.yaml": json.dumps(kustomization),
        "r.yaml": "\n---\n".join(json.dumps(document) for document in documents),
    }
    result = outcome(files)
    assert result.failed or all(resource.kind for resource in result.value)


@given(_OBJECTS, _OBJECTS)
def test_strategic_merge_changes_neither_side_and_raises_only_diagnostics(
    target: dict[str, Json], patch: dict[str, Json]
) -> None:
    before = repr((target, patch))
    with suppress(StrategicMergeError):
        StrategicMerge(kubernetes_merge_schema()).apply(target, patch)
    assert repr((target, patch)) == before


@given(_OBJECTS)
def test_empty_patch_changes_nothing_without_a_schema(target: dict[str, Json]) -> None:
    plain = {key: value for key, value in target.items() if key != "kind"}
    assert StrategicMerge(kubernetes_merge_schema()).apply(plain, {}) == plain


@given(_OBJECTS, st.lists(_OPERATIONS, max_size=4))
def test_json_patches_change_nothing_in_place_and_raise_only_diagnostics(
    document: dict[str, Json], operations: list[Json]
) -> None:
    before = repr((document, operations))
    with suppress(OperationError):
        patched: Json = document
        for operation in operations:
            patched = apply_operation(patched, operation)
    assert repr((document, operations)) == before
