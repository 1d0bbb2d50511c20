from __future__ import annotations

import json

import pytest

from tests.composing import built, only_error

THING = """\
    apiVersion: x.io/v1
    kind: Thing
    metadata: {name: t}
    spec: {secret: s, items: [{name: a, v: 1}, {name: b}], image: nginx:1}
    ---
    apiVersion: v1
    kind: Secret
    metadata: {name: s}
    """
PATCH = "apiVersion: x.io/v1\nkind: Thing\nmetadata: {name: t}\nspec: {items: [{name: a, w: 2}]}\n"


def test_custom_field_specs_are_applied() -> None:
    configuration = """\
        nameReference: [{kind: Secret, version: v1, fieldSpecs: [{kind: Thing, path: spec/secret}]}]
        images: [{path: spec/image, create: true}]
        commonLabels: [{path: spec/labels, create: true, kind: Thing}]
        """
    text = built(
        {
            "kustomization.yaml": """\
                resources: [r.yaml]
                configurations: [c.yaml]
                namePrefix: p-
                images: [{name: nginx, newTag: "2"}]
                commonLabels: {a: b}
                """,
            "c.yaml": configuration,
            "r.yaml": THING,
        }
    )
    assert "  secret: p-s\n" in text
    assert "  image: nginx:2\n" in text
    assert "  labels:\n    a: b\n  secret:" in text


@pytest.mark.parametrize(
    "configuration",
    ["imagess: []", "images: [{paths: a}]", "images: [{path: 'spec/containers[]/image'}]", "[]"],
)
def test_invalid_configurations_are_refused(configuration: str) -> None:
    files = {"kustomization.yaml": "resources: [r.yaml]\nconfigurations: [c.yaml]", "r.yaml": THING}
    assert only_error({**files, "c.yaml": configuration}).sites[0].path == "c.yaml"


def test_name_references_from_annotated_schemas() -> None:
    reference = {"x-kubernetes-object-ref-api-version": "v1", "x-kubernetes-object-ref-kind": "Secret"}
    spec = {"secret": reference | {"x-kubernetes-object-ref-name-key": "name"}}
    top = {"apiVersion": {}, "kind": {}, "metadata": {}, "spec": {"$ref": "io.x.Spec"}}
    schema = {"io.x.Thing": {"Schema": {"properties": top}}, "io.x.Spec": {"Schema": {"properties": spec}}}
    text = built(
        {
            "kustomization.yaml": "resources: [r.yaml]\ncrds: [c.json]\nnamePrefix: p-",
            "c.json": json.dumps(schema),
            "r.yaml": THING.replace("secret: s", "secret: {name: s}"),
        }
    )
    assert "  secret:\n    name: p-s\n" in text


def open_api(**field: object) -> str:
    items = {"type": "array", "items": {"type": "object"}, **field}
    definition = {
        "properties": {"spec": {"properties": {"items": items}}},
        "x-kubernetes-group-version-kind": [{"group": "x.io", "version": "v1", "kind": "Thing"}],
    }
    return json.dumps({"definitions": {"io.x.Thing": definition}})


MERGED = "  - name: a\n    v: 1\n    w: 2\n  - name: b\n"
BY_NAME = {"x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name"}


@pytest.mark.parametrize(
    ("schema", "merges"),
    [
        (open_api(**BY_NAME), True),
        (open_api(**{**BY_NAME, "x-kubernetes-patch-strategy": "merge,retainKeys"}), True),
        (open_api(**{"x-kubernetes-patch-strategy": "merge", "x-kubernetes-list-map-keys": ["name"]}), True),
        (open_api(**{"x-kubernetes-patch-merge-key": "name"}), False),
    ],
)
def test_merge_keys_from_a_schema(schema: str, merges: bool) -> None:  # noqa: FBT001 (a case)
    files = {"r.yaml": THING, "p.yaml": PATCH, "schema.json": schema}
    kustomization = "resources: [r.yaml]\nopenapi: {path: schema.json}\npatches: [{path: p.yaml}]"
    assert (MERGED in built({**files, "kustomization.yaml": kustomization})) is merges


def test_schema_of_a_base_applies_to_its_overlay() -> None:
    files = {"base/r.yaml": THING, "p.yaml": PATCH, "base/schema.json": open_api(**BY_NAME)}
    files["base/kustomization.yaml"] = "resources: [r.yaml]\nopenapi: {path: schema.json}"
    files["kustomization.yaml"] = "resources: [base]\npatches: [{path: p.yaml}]"
    assert MERGED in built(files)


@pytest.mark.parametrize(
    "field",
    ["{version: v1.14.1}", "{path: schema.json, version: v1.21.2}", "{path: nope.json}", "{path: list.json}"],
)
def test_invalid_schemas_are_refused(field: str) -> None:
    files = {"r.yaml": THING, "schema.json": open_api(), "list.json": "[]"}
    error = only_error({**files, "kustomization.yaml": f"resources: [r.yaml]\nopenapi: {field}"})
    assert error.sites


def test_circular_references_terminate() -> None:
    definition = json.loads(open_api())["definitions"]["io.x.Thing"]
    definition["properties"]["spec"] = {"$ref": "#/definitions/io.x.Loop"}
    schema = {"definitions": {"io.x.Thing": definition, "io.x.Loop": {"$ref": "#/definitions/io.x.Loop"}}}
    files = {"r.yaml": THING, "p.yaml": PATCH, "schema.json": json.dumps(schema)}
    kustomization = "resources: [r.yaml]\nopenapi: {path: schema.json}\npatches: [{path: p.yaml}]"
    assert "w: 2" in built({**files, "kustomization.yaml": kustomization})


ORDERED = "resources: [r.yaml]\nsortOptions: {order: %s}"


@pytest.mark.parametrize(
    ("options", "first"),
    [("fifo", "Thing"), ("legacy", "Secret"), ("legacy, legacySortOptions: {orderFirst: [Thing]}", "Thing")],
)
def test_resources_are_sorted_by_order(options: str, first: str) -> None:
    text = built({"kustomization.yaml": ORDERED % options, "r.yaml": THING})
    assert text.splitlines()[1] == f"kind: {first}"


@pytest.mark.parametrize("options", ["alphabetic", "fifo, legacySortOptions: {orderFirst: [Thing]}"])
def test_invalid_orders_are_refused(options: str) -> None:
    error = only_error({"kustomization.yaml": ORDERED % options, "r.yaml": THING})
    assert str(error.sites[0].field).startswith("sortOptions")


@pytest.mark.parametrize(
    ("entry", "expected"),
    [("{name: d, count: 3}", "replicas: 3\n"), ("{name: d, count: 0}", "replicas: 0\n")],
)
def test_replicas_match_the_name_before_the_prefix(entry: str, expected: str) -> None:
    deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\n"
    kustomization = f"resources: [r.yaml]\nnamePrefix: p-\nreplicas: [{entry}]"
    assert expected in built({"kustomization.yaml": kustomization, "r.yaml": deployment})


def test_replicas_without_a_target_are_an_error() -> None:
    error = only_error(
        {"kustomization.yaml": "resources: [r.yaml]\nreplicas: [{name: t, count: 1}]", "r.yaml": THING}
    )
    assert str(error.sites[0].field) == "replicas[0].name"
