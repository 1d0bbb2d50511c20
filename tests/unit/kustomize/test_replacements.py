from __future__ import annotations

import pytest

from renderer.kustomize.replacement_value import ReplacementValue
from renderer.kustomize.replacements import _with_target_fields
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, object_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import ReplacementTarget
from tests.composing import built, only_error, warnings

RESOURCES = """\
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: source}
    data: {word: abc, number: "12", host: "db:5432/app", json: '{"a":{"b":1},"z":[1]}'}
    ---
    apiVersion: x.io/v1
    kind: Thing
    metadata: {name: one, labels: {role: t}}
    spec: {count: 5, text: "x:y:z", list: [a, b], map: {k: 1}, named: [{name: web, v: 1}, {name: db, v: 2}]}
    """


def replaced(source: str, target: str) -> str:
    return built({"kustomization.yaml": kustomization(source, target), "r.yaml": RESOURCES})


def kustomization(source: str, target: str) -> str:
    return f"""\
        resources: [r.yaml]
        replacements:
        - source: {{kind: ConfigMap, {source}}}
          targets:
          - {{select: {{kind: Thing}}, {target}}}
        """


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("fieldPath: data.word", "fieldPaths: [spec.text]", "  text: abc\n"),
        ("fieldPath: data.number", "fieldPaths: [spec.count]", "  count: 12\n"),
        ("fieldPath: data.number", "fieldPaths: [spec.text]", '  text: "12"\n'),
        ("fieldPath: data.number", "fieldPaths: [spec.new.deep], options: {create: true}", "    deep: 12\n"),
        ("fieldPath: data.word", "fieldPaths: ['spec.named.[name=db].name']", "  - name: abc\n    v: 2\n"),
        ("fieldPath: data.number", "fieldPaths: ['spec.named.*.v']", "  - name: web\n    v: 12\n"),
        ("fieldPath: data.word", "fieldPaths: [spec.list.1]", "  - a\n  - abc\n"),
        ("fieldPath: data.word", "fieldPaths: [spec.list.2], options: {create: true}", "  - b\n  - abc\n"),
        (
            "fieldPath: data.word",
            "fieldPaths: ['spec.named.[name=new].w'], options: {create: true}",
            "  - name: new\n    w: abc\n",
        ),
        (
            "fieldPath: data.word",
            "fieldPaths: ['metadata.annotations.[a.b/c]'], options: {create: true}",
            "    a.b/c: abc\n",
        ),
        ("fieldPath: data.word", "fieldPaths: [spec.text], options: {delimiter: ':', index: 1}", "x:abc:z"),
        (
            "fieldPath: data.word",
            "fieldPaths: [spec.text], options: {delimiter: ':', index: -1}",
            "abc:x:y:z",
        ),
        ("fieldPath: data.word", "fieldPaths: [spec.text], options: {delimiter: ':', index: 9}", "x:y:z:abc"),
        (
            "fieldPath: data.host, options: {delimiter: ':', index: 1}",
            "fieldPaths: [spec.text]",
            "  text: 5432/app\n",
        ),
        ("fieldPath: metadata", "fieldPaths: [spec.map]", "  map:\n    name: source\n"),
        ("", "fieldPaths: [spec.text]", "  text: source\n"),
    ],
)
def test_replacements_are_applied(source: str, target: str, expected: str) -> None:
    assert expected in replaced(source, target)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("fieldPath: data.nope", "fieldPaths: [spec.text]"),
        ("fieldPath: data.host, options: {delimiter: ':', index: 7}", "fieldPaths: [spec.text]"),
        ("fieldPath: data.word", "fieldPaths: [spec.count]"),
        ("fieldPath: data.word", "fieldPaths: [spec.nope]"),
        ("fieldPath: data.word", "fieldPaths: [spec.list.7]"),
        ("fieldPath: data.word", "fieldPaths: ['spec.named.[oops]']"),
        ("fieldPath: data.word", "fieldPaths: ['spec.named.[name=(].v']"),
        ("fieldPath: data.word", "fieldPaths: ['spec.named.[name=^q$].v'], options: {create: true}"),
        ("fieldPath: data.word", "fieldPaths: [spec.text.deeper]"),
        ("fieldPath: data.word", "fieldPaths: [spec.map], options: {delimiter: ':'}"),
        ("name: nobody", "fieldPaths: [spec.text]"),
    ],
)
def test_invalid_replacements_are_errors(source: str, target: str) -> None:
    error = only_error({"kustomization.yaml": kustomization(source, target), "r.yaml": RESOURCES})
    assert str(error.sites[0].field).startswith("replacements[0]")
    assert error.hint
    assert "abc" not in error.message


def test_values_inside_json_text_are_replaced() -> None:
    text = built(
        {
            "kustomization.yaml": """\
                resources: [r.yaml]
                replacements:
                - sourceValue: "7"
                  targets:
                  - {select: {kind: ConfigMap}, fieldPaths: [data.json.a.b]}
                """,
            "r.yaml": RESOURCES,
        }
    )
    assert """json: '{"a":{"b":7},"z":[1]}'""" in text


@pytest.mark.parametrize(
    ("reject", "changes"),
    [
        ("name: one", False),
        ("name: o", True),
        ("name: 'o.*'", False),
        ("labelSelector: role=t", False),
        ("labelSelector: role=other", True),
        ("kind: Other", True),
    ],
)
def test_rejections_match_whole_names(reject: str, changes: bool) -> None:  # noqa: FBT001 (a case)
    text = replaced("fieldPath: data.word", f"reject: [{{{reject}}}], fieldPaths: [spec.text]")
    assert ("text: abc" in text) is changes


def test_source_is_found_by_a_previous_name() -> None:
    files = {
        "base/kustomization.yaml": "resources: [r.yaml]\nnamePrefix: p-\n",
        "base/r.yaml": RESOURCES,
        "kustomization.yaml": """\
            resources: [base]
            replacements:
            - source: {kind: ConfigMap, name: source}
              targets:
              - {select: {name: one}, fieldPaths: [spec.text]}
            """,
    }
    assert "  text: p-source\n" in built(files)


def test_ambiguous_source_names_all_candidates() -> None:
    text = kustomization("fieldPath: data.word", "fieldPaths: [spec.text]").replace("kind: ConfigMap, ", "")
    error = only_error({"kustomization.yaml": text, "r.yaml": RESOURCES})
    assert len(error.related) == 2


def test_replacements_in_files_are_applied() -> None:
    one = (
        "source: {kind: ConfigMap}\ntargets: [{select: {kind: Thing}, fieldPaths: [spec.text]}]\nunknown: 1\n"
    )
    for content in (one, f"- {one}".replace("\n", "\n  ")):
        files = {
            "kustomization.yaml": "resources: [r.yaml]\nreplacements: [{path: x.yaml}]",
            "x.yaml": content,
        }
        assert "  text: source\n" in built({**files, "r.yaml": RESOURCES})


def in_texts(path: str) -> dict[str, str]:
    return {
        "kustomization.yaml": f"""\
            resources: [r.yaml]
            replacements:
            - sourceValue: new
              targets:
              - {{select: {{kind: App}}, fieldPaths: ["{path}"]}}
            """,
        "r.yaml": """\
            apiVersion: x.io/v1
            kind: App
            metadata: {name: app}
            spec:
              items: [{json: '{"a":"old","in":"{\\"b\\":1}"}'}, {json: '{"a":"old"}'}]
            """,
    }


@pytest.mark.parametrize(
    "path",
    [
        "spec.items.*.json.a",
        "spec.items.[json=.*].json.a",
        "spec.items.0.json.in.b",
        "spec.items.*.json.in.b",
    ],
)
def test_field_in_an_embedded_text_that_kustomize_does_not_write_is_a_warning(path: str) -> None:
    files = in_texts(path)
    text = built(files)
    assert text.count('"a":"old"') == 2
    assert "new" not in text
    (warning,) = warnings(files)
    assert path in warning.message
    assert str(warning.sites[0].field) == "replacements[0].targets[0].fieldPaths[0]"


def test_a_field_in_the_text_of_one_element_is_written() -> None:
    files = in_texts("spec.items.1.json.a")
    assert '{"a":"new"}' in built(files)
    assert warnings(files) == []


def selecting(select: str, source: str = "one") -> dict[str, str]:
    """Return the files of an overlay; the names in its base had no prefix."""
    return {
        "base/kustomization.yaml": "resources: [r.yaml]\nnamePrefix: p-\n",
        "base/r.yaml": RESOURCES,
        "kustomization.yaml": f"""\
            resources: [base]
            replacements:
            - source: {{kind: Thing, name: {source}}}
              targets:
              - {{select: {{{select}}}, fieldPaths: [data.word]}}
            """,
    }


@pytest.mark.parametrize(
    ("select", "hints"),
    [
        ("kind: ConfigMap, name: sourc", ["did you mean source?"]),
        ("kind: ConfigMap, name: p-sourc", ["did you mean p-source?"]),
        ("kind: ConfigMap, name: 'sourcex?c'", []),
        ("kind: 'ConfigMaps+'", []),
        ("kind: ConfigMap, name: source, namespace: elsewhere", []),
        ("kind: ConfigMap, name: p-source, namespace: elsewhere", []),
    ],
)
def test_hint_for_a_target_knows_previous_names_and_ignores_patterns(select: str, hints: list[str]) -> None:
    assert [warning.hint for warning in warnings(selecting(select))] == hints


def test_the_hint_for_a_source_knows_previous_names() -> None:
    assert only_error(selecting("kind: ConfigMap", "onee")).hint == "did you mean one?"
    assert only_error(selecting("kind: ConfigMap", "p-onee")).hint == "did you mean p-one?"


def test_growth_in_fields_that_share_a_node_is_seen_after_the_last_field() -> None:
    found: list[Resource] = []
    groups = ((FieldPath.of("spec", "a"), FieldPath.of("spec", "b")),)
    content: JsonObject = {
        "apiVersion": "v1",
        "kind": "T",
        "metadata": {"name": "t"},
        "spec": {"a": "", "b": ""},
    }
    resource = Resource(content, Site(""))._replace(shared_fields=groups)
    target = ReplacementTarget(select=None, field_paths=("spec.a",), site=Site(""))
    value = ReplacementValue.from_source_value("long")
    made = _with_target_fields(resource, value, target, found.append, lambda _: None)
    assert object_at(found[-1].content, "spec") == {"a": "long", "b": "long"}
    assert found[-1] == made
