"""No message repeats content that is written where a path or a mapping belongs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.security.test_secrets import invoked

CANARY = "canary-is-a-bird"
ORIGIN = "https://git.example.org/acme/fleet.git"
HEAD = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n"
PROJECT = f"{HEAD}overlays: [{{path: prod}}]\n"
KEYS = "apiVersion: v1\nkind: Secret\nmetadata: {name: keys, namespace: a}\nstringData: {a: b}\n"
OPERATIONS = json.dumps([{"op": "add", "path": "/stringData/a", "value": CANARY}])
PATCH = f"apiVersion: v1\nkind: Secret\nmetadata: {{name: keys}}\nstringData: {{a: {CANARY}}}\n"
FLOW = f"{{kind: Secret, stringData: {{a: {CANARY}}}}}"
#: What is written in place of a path.
CONTENTS = {
    "operations": OPERATIONS,
    "operations of YAML": f"- op: add\n  path: /stringData/a\n  value: {CANARY}\n",
    "a patch": PATCH,
    "a patch on a line": FLOW,
    "a patch without its end": FLOW[:-1],
    "a pair": f"password={CANARY}",
    "a pair above the folder": f"../password={CANARY}/x",
    "a field": f"stringData: {CANARY}",
}
#: What may have a path: the fields of a kustomization.
FIELDS = {
    "resources": "resources: [CONTENT]",
    "components": "components: [CONTENT]",
    "generators": "generators: [CONTENT]",
    "transformers": "transformers: [CONTENT]",
    "configurations": "configurations: [CONTENT]",
    "crds": "crds: [CONTENT]",
    "openapi": "openapi: {path: CONTENT}",
    "patches": "patches: [{target: {kind: Secret}, path: CONTENT}]",
    "patchesJson6902": "patchesJson6902: [{target: {version: v1, kind: Secret, name: keys}, path: CONTENT}]",
    "patchesStrategicMerge": "patchesStrategicMerge: [CONTENT]",
    "replacements": "replacements: [CONTENT]",
    "path of replacements": "replacements: [{path: CONTENT}]",
    "envs of a secretGenerator": "secretGenerator: [{name: s, envs: [CONTENT]}]",
    "env of a secretGenerator": "secretGenerator: [{name: s, env: CONTENT}]",
    "Envs of a secretGenerator": "SecretGenerator: [{name: s, Envs: [CONTENT]}]",
    "envs of a configMapGenerator": "configMapGenerator: [{name: s, envs: [CONTENT]}]",
    "files of a configMapGenerator": "configMapGenerator: [{name: s, files: [CONTENT]}]",
    "an answer file": "configMapGenerator: [{name: s, files: ['autounattend.xml=<a>CANARY</a>']}]",
    "files of an inline generator": "generators: ['{apiVersion: builtin, "
    "kind: SecretGenerator, metadata: {name: s}, files: [CONTENT]}']",
    "a chart": "helmCharts: [{name: x, valuesFile: CONTENT}]",
}


def kustomization(field: str, content: str) -> dict[str, str]:
    """A kustomization with a content in a field."""
    written = FIELDS[field].replace("CONTENT", json.dumps(content)).replace("CANARY", CANARY)
    resources = "" if field == "resources" else "resources: [secret.yaml]\n"
    return {
        "vmrender.yaml": PROJECT,
        "prod/kustomization.yaml": f"{resources}{written}\n",
        "prod/secret.yaml": KEYS,
    }


def project(settings: str) -> dict[str, str]:
    return {
        "vmrender.yaml": f"{HEAD}{settings}\n",
        "t.yaml": "apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {name: t}\n"
        "parameters: [{name: PW}]\nobjects: []\n",
    }


def flux(spec: str) -> dict[str, str]:
    return {
        "vmrender.yaml": f"{HEAD}overlays: [{{flux: clusters/p}}]\n",
        "clusters/p/k.yaml": "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
        "metadata: {name: k, namespace: a}\nspec:\n  prune: true\n  interval: 1m\n"
        f"  sourceRef: {{kind: GitRepository, name: x}}\n  {spec}\n",
        "apps/kustomization.yaml": "resources: [secret.yaml]\n",
        "apps/secret.yaml": KEYS,
    }


def argocd(kustomize: str) -> dict[str, str]:
    return {
        "vmrender.yaml": f"{HEAD}repositories: [{ORIGIN}]\noverlays: [{{argocd: argocd}}]\n",
        "argocd/a.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: Application\n"
        "metadata: {name: s, namespace: argocd}\nspec:\n  project: default\n"
        "  destination: {server: https://x.example.org, namespace: a}\n"
        f"  source: {{repoURL: {ORIGIN}, path: apps, targetRevision: main, kustomize: {kustomize}}}\n",
        "apps/kustomization.yaml": "resources: [secret.yaml]\n",
        "apps/secret.yaml": KEYS,
    }


def template(spec: str) -> dict[str, str]:
    return {
        "vmrender.yaml": PROJECT,
        "prod/kustomization.yaml": "generators: [t.yaml]\n",
        "prod/t.yaml": "apiVersion: vmrender.io/v1alpha1\nkind: Template\nmetadata: {name: t}\n"
        f"spec: {{{spec}}}\n",
    }


OTHERS = {
    "parameters of an entry": project(f"overlays: [{{path: t.yaml, parameters: PW={CANARY}}}]"),
    "schemas": project(f"schemas: [{json.dumps(FLOW)}]"),
    "a path of schemas": project(f"schemas: [{{path: {json.dumps(FLOW)}}}]"),
    "catalogs": project(f"catalogs: [{{path: 'stringData: {CANARY}'}}]"),
    "an overlay": project(f"overlays: [{{path: 'stringData: {CANARY}'}}]"),
    "the path of Flux": flux(f"path: {json.dumps(FLOW)}"),
    "components of Flux": flux(f"path: ./apps\n  components: ['stringData: {CANARY}']"),
    "a patch of Argo CD": argocd(f"{{patches: [{{target: {{kind: Secret}}, path: '{OPERATIONS}'}}]}}"),
    "components of Argo CD": argocd(f"{{components: ['stringData: {CANARY}']}}"),
    "a file of values": template(f"template: t.j2, valuesFrom: [{{file: 'pw: {CANARY}'}}]"),
    "the text of a template": template(f"template: 'pw: {CANARY}'"),
    "a matrix": template(f"template: t.j2, matrix: 'pw,x={CANARY}'"),
}
CASES = {
    **{
        f"{field}: {name}": kustomization(field, content)
        for field in FIELDS
        for name, content in CONTENTS.items()
        if field != "an answer file" or name == "a pair"
        # With a key before it, that is a path.
        if field != "files of a configMapGenerator" or name != "a pair above the folder"
    },
    **OTHERS,
    "the end of a path of a JSON patch": kustomization("patches", "x")
    | {
        "prod/kustomization.yaml": "resources: [secret.yaml]\npatches:\n- target: {kind: Secret}\n"
        f"  patch: '[{{op: replace, path: /stringData/a/{CANARY}, value: x}}]'\n"
    },
}
COMMANDS = ("validate", "validate --format json", "render", "diff", "explain secret/keys", "init --dry-run")


@pytest.mark.parametrize("case", CASES)
def test_no_message_repeats_content(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path, text in CASES[case].items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    for command in COMMANDS:
        code, stdout, stderr = invoked(command)
        assert code in (0, 1, 2), (command, stderr)
        assert "canary" not in stdout + stderr, (command, stdout, stderr)


@pytest.mark.parametrize(
    "path", ["no such folder/a.yaml", "../base", "a@b+c,d.yaml", "https://example.org/a//b?ref=v1", "*.yaml"]
)
def test_messages_name_a_path(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in kustomization("patches", path).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    _, _, stderr = invoked("validate")

    assert path.removeprefix("../") in stderr.partition("\n")[0]
