from __future__ import annotations

import pytest

from renderer.model.codes import Code
from tests.composing import built, only_error

DEPLOYMENT = """\
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: d}
    spec:
      template:
        spec:
          volumes: [{name: v, configMap: {name: c}}]
    """


def test_the_hash_follows_the_content_and_references_follow_the_name() -> None:
    kustomization = """\
        resources: [d.yaml]
        namePrefix: p-
        configMapGenerator:
        - name: c
          literals: [a=1]
        """
    text = built({"kustomization.yaml": kustomization, "d.yaml": DEPLOYMENT})
    assert text.count("name: p-c-h29d89cmmt") == 2
    assert "h29d89cmmt" not in built(
        {"kustomization.yaml": kustomization.replace("a=1", "a=2"), "d.yaml": DEPLOYMENT}
    )


def test_data_comes_from_env_files_literals_and_files() -> None:
    text = built(
        {
            "kustomization.yaml": """\
                generatorOptions: {disableNameSuffixHash: true}
                configMapGenerator:
                - name: c
                  env: last.env
                  envs: [first.env]
                  literals: ["quoted='it is'", 'half="', empty=, sum=1=1]
                  files: [conf/app.ini, renamed=conf/app.ini]
                """,
            "first.env": "\ufeff  A=1 \n# no\n\nB\n=nameless\n",
            "last.env": "C=x=y\r\n",
            "conf/app.ini": "[main]\n",
        }
    )
    assert text == (
        "apiVersion: v1\n"
        "data:\n"
        "  A: '1 '\n"
        '  B: ""\n'
        "  C: x=y\n"
        "  app.ini: |\n"
        "    [main]\n"
        '  empty: ""\n'
        "  half: '\"'\n"
        "  quoted: it is\n"
        "  renamed: |\n"
        "    [main]\n"
        "  sum: 1=1\n"
        "kind: ConfigMap\n"
        "metadata:\n"
        "  name: c\n"
    )


def test_long_secrets_are_broken_into_lines_of_70() -> None:
    text = built({"kustomization.yaml": "secretGenerator: [{name: s, files: [f]}]", "f": "a" * 60})
    assert "  f: |\n    YWFh" in text
    assert max(len(line.strip()) for line in text.splitlines()) == 70
    assert "type: Opaque" in text


BASE = """\
    namePrefix: p-
    configMapGenerator:
    - name: c
      literals: [a=1, b=1]
      options: {labels: {from: base, only: base}}
    """


def overlay(behavior: str, name: str = "c") -> dict[str, str]:
    return {
        "base/kustomization.yaml": BASE,
        "kustomization.yaml": f"""\
            resources: [base]
            configMapGenerator:
            - name: {name}
              behavior: {behavior}
              literals: [b=2]
              options: {{labels: {{from: overlay}}, disableNameSuffixHash: true}}
            """,
    }


@pytest.mark.parametrize("name", ["c", "p-c"])
def test_merge_keeps_data_and_replace_does_not(name: str) -> None:
    merged, replaced = built(overlay("merge", name)), built(overlay("replace", name))
    assert 'data:\n  a: "1"\n  b: "2"\n' in merged
    assert 'data:\n  b: "2"\n' in replaced
    for text in (merged, replaced):
        assert "    from: overlay\n    only: base\n  name: p-c\n" in text


@pytest.mark.parametrize(
    ("behavior", "name", "code"),
    [
        ("create", "c", Code.DUPLICATE_ID),
        ("unheard-of", "c", Code.DUPLICATE_ID),
        ("merge", "other", Code.PATCH_TARGET_MISSING),
        ("replace", "other", Code.PATCH_TARGET_MISSING),
    ],
)
def test_invalid_behavior_is_an_error(behavior: str, name: str, code: Code) -> None:
    assert only_error(overlay(behavior, name)).code is code


@pytest.mark.parametrize(
    "sources",
    [
        "literals: [TOPSECRET]",
        "literals: [=TOPSECRET]",
        "literals: [a=TOPSECRET, a=TOPSECRET]",
        "files: [a=b=c]",
        "files: [=f]",
        "files: [missing]",
        "files: [../outside]",
    ],
)
def test_bad_sources_are_located_without_showing_values(sources: str) -> None:
    error = only_error(
        {"o/kustomization.yaml": f"secretGenerator: [{{name: s, {sources}}}]", "outside": "TOPSECRET"}, "o"
    )
    assert str(error.sites[0].field).startswith("secretGenerator[0].")
    assert "TOPSECRET" not in f"{error.message} {error.hint}"


def test_a_generated_text_that_begins_with_a_tab_cannot_be_written() -> None:
    error = only_error({"kustomization.yaml": "configMapGenerator: [{name: c, files: [f]}]", "f": "\ta\nb\n"})
    assert "f" in error.message


def test_generators_in_files_are_run() -> None:
    text = built(
        {
            "kustomization.yaml": "generators: [g.yaml]\nnamespace: prod",
            "g.yaml": """\
                apiVersion: builtin
                kind: SecretGenerator
                metadata: {name: s}
                literals: [a=b]
                options: {disableNameSuffixHash: true}
                ---
                apiVersion: builtin
                kind: IAMPolicyGenerator
                metadata: {name: i}
                cloud: gke
                kubernetesService: {name: robot}
                serviceAccount: {name: account, projectId: project}
                """,
        }
    )
    assert "kind: Secret\nmetadata:\n  name: s\n  namespace: prod\n" in text
    assert "iam.gke.io/gcp-service-account: account@project.iam.gserviceaccount.com" in text


def test_charts_and_unknown_generators_have_a_hint() -> None:
    for kind in ("HelmChartInflationGenerator", "ConfigMapGenerater"):
        config = f"apiVersion: builtin\nkind: {kind}\nmetadata: {{name: g}}\n"
        error = only_error({"kustomization.yaml": "generators: [g.yaml]", "g.yaml": config})
        assert error.code is Code.UNSUPPORTED_FIELD
        assert error.hint
