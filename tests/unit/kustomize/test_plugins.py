from __future__ import annotations

import pytest

from renderer.kustomize.compose import BuildOptions
from renderer.kustomize.transformers.value_add import insert_path_part
from renderer.model.codes import Code
from tests.composing import built, only_error

RESOURCES = """\
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: c}
    ---
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: d, namespace: there}
    spec: {replicas: 1, template: {spec: {containers: [{name: c, image: a:1}]}}}
    """


def plugin(kind: str, fields: str, metadata: str = "name: t") -> str:
    return f"apiVersion: builtin\nkind: {kind}\nmetadata: {{{metadata}}}\n{fields}\n"


def files(config: str, field: str = "transformers") -> dict[str, str]:
    return {
        "kustomization.yaml": f"resources: [r.yaml]\n{field}: [t.yaml]",
        "r.yaml": RESOURCES,
        "t.yaml": config,
    }


NAME_SPECS = "fieldSpecs: [{path: metadata/name}]"


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (plugin("PrefixTransformer", f"prefix: x-\n{NAME_SPECS}"), "name: x-c\n"),
        (plugin("SuffixTransformer", f"suffix: -x\n{NAME_SPECS}"), "name: c-x\n"),
        (plugin("PrefixSuffixTransformer", f"prefix: a-\nsuffix: -z\n{NAME_SPECS}"), "name: a-c-z\n"),
        (plugin("NamespaceTransformer", "", "name: t, namespace: prod"), "name: c\n  namespace: prod\n"),
        (
            plugin("NamespaceTransformer", "unsetOnly: true", "name: t, namespace: prod"),
            "name: d\n  namespace: there\n",
        ),
        (
            plugin("LabelTransformer", "labels: {n: 5}\nfieldSpecs: [{path: metadata/labels, create: true}]"),
            '  labels:\n    "n": "5"\n',
        ),
        (
            plugin(
                "AnnotationsTransformer", "annotations: {a: true}\nfieldSpecs: [{path: spec/x, create: true}]"
            ),
            'spec:\n  x:\n    a: "true"\n',
        ),
        (plugin("ImageTagTransformer", "imageTag: {name: a, newTag: 2}"), "image: a:2\n"),
        (
            plugin(
                "ReplicaCountTransformer", "replica: {name: d, count: 3}\nfieldSpecs: [{path: spec/replicas}]"
            ),
            "replicas: 3\n",
        ),
        (
            plugin(
                "PatchTransformer", 'patch: \'[{"op":"remove","path":"/spec/replicas"}]\'\ntarget: {name: d}'
            ),
            "spec:\n  template:\n",
        ),
        (
            plugin(
                "PatchJson6902Transformer",
                'jsonOp: \'[{"op":"replace","path":"/spec/replicas","value":9}]\'\ntarget: {name: d}',
            ),
            "replicas: 9\n",
        ),
        (
            plugin(
                "PatchStrategicMergeTransformer",
                "patches: |\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: c}\n  data: {k: v}",
            ),
            "data:\n  k: v\n",
        ),
        (
            plugin(
                "ReplacementTransformer",
                "replacements:\n- source: {kind: ConfigMap}\n"
                "  targets: [{select: {kind: Deployment}, fieldPaths: [metadata.namespace]}]",
            ),
            "name: d\n  namespace: c\n",
        ),
        (
            plugin(
                "ValueAddTransformer", "value: v\ntargets: [{selector: {kind: ConfigMap}, fieldPath: data/k}]"
            ),
            "data:\n  k: v\n",
        ),
        (plugin("HashTransformer", ""), "name: c\n"),
    ],
)
def test_every_builtin_transformer_is_applied(config: str, expected: str) -> None:
    assert expected in built(files(config))


@pytest.mark.parametrize(
    ("config", "code"),
    [
        (plugin("PrefixTransformer", "prefix: x-"), Code.KUSTOMIZATION_FIELD),
        (plugin("NamespaceTransformer", "setRoleBindingSubjects: some"), Code.KUSTOMIZATION_FIELD),
        (plugin("ReplicaCountTransformer", "replica: {name: d, count: 3}"), Code.PATCH_TARGET_MISSING),
        (plugin("PatchTransformer", "patch: ' '"), Code.PATCH_INVALID),
        (plugin("PatchTransformer", "path: missing.yaml"), Code.FILE_NOT_FOUND),
        (plugin("PatchJson6902Transformer", "jsonOp: '[]'"), Code.PATCH_INVALID),
        (plugin("PatchStrategicMergeTransformer", "paths: []"), Code.KUSTOMIZATION_FIELD),
        (plugin("ValueAddTransformer", "value: v"), Code.KUSTOMIZATION_FIELD),
        (plugin("SortOrderTransformer", ""), Code.UNSUPPORTED_FIELD),
        (plugin("ConfigMapGenerator", "literals: [a=b]"), Code.UNSUPPORTED_FIELD),
        ("apiVersion: example.com/v1\nkind: Exec\nmetadata: {name: t}\n", Code.UNSUPPORTED_FIELD),
        (f"{plugin('HashTransformer', '')}---\n{plugin('HashTransformer', '')}", Code.DUPLICATE_ID),
    ],
)
def test_invalid_configurations_are_refused(config: str, code: Code) -> None:
    error = only_error(files(config))
    assert error.code is code
    assert error.sites[0].path == "t.yaml"


def test_configurations_in_a_folder_are_composed_first() -> None:
    text = built(
        {
            "kustomization.yaml": "resources: [r.yaml]\ntransformers: [folder]",
            "r.yaml": RESOURCES,
            "folder/kustomization.yaml": """\
                resources: [t.yaml]
                patches:
                - target: {kind: PrefixTransformer}
                  patch: '[{"op": "replace", "path": "/prefix", "value": "patched-"}]'
                """,
            "folder/t.yaml": plugin("PrefixTransformer", f"prefix: x-\n{NAME_SPECS}"),
        }
    )
    assert "name: patched-c\n" in text


def test_validator_may_not_change_resources() -> None:
    assert "name: c\n" in built(files(plugin("LabelTransformer", "labels: {}"), "validators"))
    config = plugin("LabelTransformer", "labels: {a: b}\nfieldSpecs: [{path: metadata/labels, create: true}]")
    assert "LabelTransformer" in only_error(files(config, "validators")).message


@pytest.mark.parametrize(
    ("path", "position", "expected"),
    [
        ("", 0, "P"),
        ("/", 0, "/P"),
        ("a", 0, "P/a"),
        ("/a", 0, "/P/a"),
        ("/a", 1, "/a/P"),
        ("a/b/c", 2, "a/b/P/c"),
        ("a/b", 99, "a/b/P"),
    ],
)
def test_path_of_a_file_fieldspec_is_split(path: str, position: int, expected: str) -> None:
    assert insert_path_part(path, position, "P") == expected


def test_build_metadata_names_origins() -> None:
    text = built(
        {
            "over/kustomization.yaml": """\
                resources: [../base]
                namePrefix: p-
                buildMetadata: [originAnnotations, transformerAnnotations, managedByLabel]
                """,
            "base/kustomization.yaml": "resources: [r.yaml]\nconfigMapGenerator: [{name: g}]\n",
            "base/r.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n",
        },
        "over",
    )
    by = "configuredBy:\n        apiVersion: builtin\n        kind:"
    assert text.count("app.kubernetes.io/managed-by: kustomize-v5.8.1") == 2
    assert text.count("      - configuredIn: kustomization.yaml\n        configuredBy:\n") == 2
    assert "    config.kubernetes.io/origin: |\n      path: ../base/r.yaml\n" in text
    assert f"      configuredIn: ../base/kustomization.yaml\n      {by} ConfigMapGenerator\n" in text


def test_origins_of_an_earlier_build_are_removed() -> None:
    resource = (
        "apiVersion: v1\nkind: Secret\nmetadata: {name: s, annotations: {config.kubernetes.io/origin: x}}\n"
    )
    assert "origin" not in built({"kustomization.yaml": "resources: [r.yaml]", "r.yaml": resource})


def test_managed_by_label_is_added() -> None:
    files = {"kustomization.yaml": "resources: [r.yaml]", "r.yaml": RESOURCES}
    text = built(files, options=BuildOptions(managed_by_label=True))
    assert text.count("app.kubernetes.io/managed-by: kustomize-") == 2
