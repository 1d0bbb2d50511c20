from __future__ import annotations

from typing import Any

import pytest

from renderer.model.codes import Code
from tests.composing import built, only_error, outcome

DEPLOYMENT = """\
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web}
    spec:
      selector: {matchLabels: {app: web}}
      template: {metadata: {labels: {app: web}}, spec: {}}
"""


def labelled(label: str) -> tuple[Any, Any, Any]:
    """The labels of a Deployment, of its template and of its selector."""
    files = {"kustomization.yaml": f"resources: [d]\nlabels:\n- {label}\n", "d": DEPLOYMENT}
    (deployment,) = outcome(files).value
    content: Any = deployment.content
    spec = content["spec"]
    labels = content["metadata"].get("labels")
    return labels, spec["template"]["metadata"]["labels"], spec["selector"]["matchLabels"]


def test_labels_are_set_in_the_configured_fields() -> None:
    new, old, both = {"a": "b"}, {"app": "web"}, {"app": "web", "a": "b"}
    assert labelled("{pairs: {a: b}}") == (new, old, old)
    assert labelled("{pairs: {a: b}, includeTemplates: true}") == (new, both, old)
    assert labelled("{pairs: {a: b}, includeSelectors: true}") == (new, both, both)


def test_custom_fields_are_created_if_configured() -> None:
    label = "{pairs: {a: b}, fields: [{path: spec/template/labels, kind: VM, create: true}, {path: x/y}]}"
    files = {
        "kustomization.yaml": f"resources: [r]\nlabels: [{label}]\n",
        "r": "kind: VM\nmetadata: {name: v}\n",
    }
    expected = (
        "kind: VM\nmetadata:\n  labels:\n    a: b\n  name: v\nspec:\n  template:\n    labels:\n      a: b\n"
    )
    assert built(files) == expected


def test_common_labels_and_annotations_reach_templates_and_selectors() -> None:
    files = {
        "kustomization.yaml": "resources: [d]\ncommonLabels: {a: b}\ncommonAnnotations: {c: d}\n",
        "d": DEPLOYMENT,
    }
    text = built(files)
    assert text.count("a: b") == 3
    assert text.count("c: d") == 2


def test_labels_replace_what_is_there_and_null() -> None:
    files = {
        "kustomization.yaml": "resources: [r]\nlabels: [{pairs: {a: new}}]\ncommonAnnotations: {x: z}\n",
        "r": "kind: A\nmetadata:\n  name: a\n  labels: {a: old, b: kept}\n  annotations:\n",
    }
    text = built(files)
    assert "a: new\n    b: kept" in text
    assert "annotations:\n    x: z" in text


def test_labels_must_be_a_mapping() -> None:
    files = {
        "kustomization.yaml": "resources: [r]\nlabels: [{pairs: {a: b}}]\n",
        "r": "kind: A\nmetadata: {name: a, labels: text}\n",
    }
    error = only_error(files)
    assert error.code is Code.RESOURCE_INVALID
    assert "metadata/labels" in error.message


@pytest.mark.parametrize("key", ["'true'", "'1'", "'1.5'", "'2020-01-02'", "'~'", "y"])
def test_new_label_with_an_unquoted_non_text_name_fails_as_in_kustomize(key: str) -> None:
    files = {
        "kustomization.yaml": f"resources: [r]\nlabels: [{{pairs: {{{key}: x}}}}]\n",
        "r": "kind: A\nmetadata: {name: a}\n",
    }
    assert only_error(files).code is Code.RESOURCE_INVALID


def test_annotations_become_texts_and_empty_ones_are_dropped() -> None:
    resource = "kind: A\nmetadata:\n  name: %s\n  annotations: %s\n"
    files = {
        "kustomization.yaml": "resources: [a, b]",
        "a": resource % ("a", "{n: 1.10, t: true, e: null}"),
        "b": resource % ("b", "{}"),
    }
    assert built(files) == (
        'kind: A\nmetadata:\n  annotations:\n    e: "null"\n    "n": "1.10"\n    t: "true"\n  name: a\n'
        "---\nkind: A\nmetadata:\n  name: b\n"
    )


def test_contradicting_field_specs_are_an_error() -> None:
    fields = "[{path: metadata/labels, create: false}]"
    files = {
        "kustomization.yaml": f"resources: []\nlabels: [{{pairs: {{a: b}}, fields: {fields}}}]\n",
    }
    assert only_error(files).code is Code.KUSTOMIZATION_FIELD
