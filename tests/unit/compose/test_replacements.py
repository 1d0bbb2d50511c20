from __future__ import annotations

import pytest

from tests.composing import built, only_error

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
def test_replacements(source: str, target: str, expected: str) -> None:
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
def test_what_cannot_be_replaced(source: str, target: str) -> None:
    error = only_error({"kustomization.yaml": kustomization(source, target), "r.yaml": RESOURCES})
    assert str(error.sites[0].field).startswith("replacements[0]")
    assert error.hint
    assert "abc" not in error.message


def test_values_inside_of_json_text() -> None:
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


def test_a_source_is_found_by_the_name_it_had() -> None:
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


def test_an_ambiguous_source_names_all_of_them() -> None:
    text = kustomization("fieldPath: data.word", "fieldPaths: [spec.text]").replace("kind: ConfigMap, ", "")
    error = only_error({"kustomization.yaml": text, "r.yaml": RESOURCES})
    assert len(error.related) == 2


def test_replacements_in_files() -> None:
    one = (
        "source: {kind: ConfigMap}\ntargets: [{select: {kind: Thing}, fieldPaths: [spec.text]}]\nunknown: 1\n"
    )
    for content in (one, f"- {one}".replace("\n", "\n  ")):
        files = {
            "kustomization.yaml": "resources: [r.yaml]\nreplacements: [{path: x.yaml}]",
            "x.yaml": content,
        }
        assert "  text: source\n" in built({**files, "r.yaml": RESOURCES})
