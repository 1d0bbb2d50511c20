"""A finding quotes a scalar of an object only if a walk through the object shows it."""

from __future__ import annotations

import json
from contextvars import copy_context
from pathlib import Path

import pytest
import yaml

import renderer
from renderer.findings.own_values import names_in_expansions, values_at
from renderer.kubevirt.facts.confidential.object_fields import ConfidentialFields
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject
from renderer.model.run.work import begin_run, spent
from tests.security.test_secrets import invoked

CANARY = "canary99isabird"
NUMBER = "98765432"
PROJECT = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n"
OVERLAY = f"{PROJECT}overlays: [{{path: prod}}]\n"
GIT = "repositories: ['https://example.org/a/b']\n"
SOURCE = "repoURL: https://example.org/a/b, path: prod, targetRevision: HEAD"
KEYS = "apiVersion: v1\nkind: Secret\nmetadata: {name: keys, namespace: a}\nstringData: {p: VALUE}\n"


def container(spec: str) -> dict[str, str]:
    """A container whose specification has a mistake."""
    head = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: obj, namespace: a}\n"
    pods = "selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: ["
    return {
        "vmrender.yaml": OVERLAY,
        "prod/kustomization.yaml": "resources: [obj.yaml]\n",
        "prod/obj.yaml": f"{head}spec: {{{pods}{{name: c, image: a/b:1, {spec}}}]}}}}}}\n",
    }


def application(source: str) -> dict[str, str]:
    return {
        "vmrender.yaml": f"{PROJECT}{GIT}overlays: [{{argocd: apps}}]\n",
        "apps/a.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: Application\n"
        "metadata: {name: obj, namespace: argocd}\nspec:\n  project: default\n"
        f"  destination: {{name: in-cluster, namespace: a}}\n  source: {{{source}}}\n",
        "prod/kustomization.yaml": "resources: [s.yaml]\n",
        "prod/s.yaml": KEYS.replace("VALUE", "x"),
    }


def flux(secret: str, decryption: str = "") -> dict[str, str]:
    head = "toolkit.fluxcd.io/v1\nkind: "
    return {
        "vmrender.yaml": f"{PROJECT}{GIT}overlays: [{{flux: clusters/a, secrets: true}}]\n",
        "clusters/a/git.yaml": f"apiVersion: source.{head}GitRepository\n"
        "metadata: {name: flux-system, namespace: a}\nspec: {url: 'https://example.org/a/b'}\n",
        "clusters/a/apps.yaml": f"apiVersion: kustomize.{head}Kustomization\n"
        "metadata: {name: apps, namespace: a}\nspec:\n  path: ./apps\n  interval: 1m\n  prune: true\n"
        "  sourceRef: {kind: GitRepository, name: flux-system}\n"
        f"  postBuild: {{substitute: {{q: r}}}}\n{decryption}",
        "apps/s.yaml": KEYS.replace("VALUE", secret),
    }


CASES: dict[str, tuple[Code, dict[str, str]]] = {
    "a number as a variable": (Code.SCHEMA, container(f"env: [{{name: DB_PASSWORD, value: {NUMBER}}}]")),
    "a number as an argument": (Code.SCHEMA, container(f"args: [serve, --password, {NUMBER}]")),
    "a command as text": (Code.SCHEMA, container(f"command: mysql -u root -p{CANARY} db")),
    "a variable as text": (Code.SCHEMA, container(f"env: ['DB_PASSWORD={CANARY}']")),
    "a variable in the place of the list": (Code.SCHEMA, container(f"env: DB_PASSWORD={CANARY}")),
    "a number as a header": (
        Code.SCHEMA,
        {
            "vmrender.yaml": OVERLAY,
            "prod/kustomization.yaml": "resources: [obj.yaml]\n",
            "prod/obj.yaml": "apiVersion: cdi.kubevirt.io/v1beta1\nkind: DataVolume\n"
            "metadata: {name: obj, namespace: a}\n"
            f"spec: {{source: {{http: {{url: 'https://x/y', extraHeaders: [{NUMBER}]}}}}, storage: {{}}}}\n",
        },
    ),
    "a patched number": (
        Code.SCHEMA,
        {
            **container("env: [{name: DB_PASSWORD, value: x}]"),
            "prod/kustomization.yaml": "resources: [obj.yaml]\npatches:\n- target: {kind: Deployment}\n"
            "  patch: |-\n    - op: replace\n      path: /spec/template/spec/containers/0/env/0/value\n"
            f"      value: {NUMBER}\n",
        },
    ),
    "an unknown field of an Application": (Code.UNKNOWN_FIELD, application(f"{SOURCE}, password: {CANARY}")),
    "an unknown field of a Kustomization": (
        Code.UNKNOWN_FIELD,
        flux("x", f"  decryption: {{provider: sops, password: {CANARY}}}\n"),
    ),
    "an expansion without its end": (Code.SUBSTITUTION_FAILED, flux(f"'Tr${{{CANARY}'")),
    "an expansion in a value": (Code.VARIABLE_UNSET, flux(f"'Tr${{{CANARY}}}x'")),
    "an expression in a value": (
        Code.TEMPLATE_FAILED,
        {
            "vmrender.yaml": OVERLAY,
            "prod/kustomization.yaml": "generators: [t.yaml]\n",
            "prod/t.yaml": "apiVersion: vmrender.io/v1alpha1\nkind: Template\nmetadata: {name: t}\n"
            "spec: {template: t.j2, values: {a: b}}\n",
            "prod/t.j2": KEYS.replace("VALUE", f"'Tr{{{{{CANARY}}}}}x'"),
        },
    ),
    "an action of an ApplicationSet": (
        Code.APPLICATION_SET,
        {
            **application(SOURCE),
            "apps/a.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\n"
            "metadata: {name: set, namespace: argocd}\nspec:\n  goTemplate: true\n"
            "  generators: [{list: {elements: [{name: one}]}}]\n  template:\n"
            "    metadata: {name: '{{.name}}'}\n"
            "    spec:\n      project: default\n      destination: {name: in-cluster, namespace: a}\n"
            f"      source: {{{SOURCE}, helm: {{valuesObject: {{password: 'Tr{{{{{CANARY}}}}}x'}}}}}}\n",
        },
    ),
    "the value of a replacement in the place of its source": (
        Code.KUSTOMIZATION_FIELD,
        {
            "vmrender.yaml": OVERLAY,
            "prod/s.yaml": KEYS.replace("VALUE", "x"),
            "prod/kustomization.yaml": f"resources: [s.yaml]\nreplacements:\n- source: {CANARY}\n"
            "  targets: [{select: {kind: Secret}, fieldPaths: [stringData.p]}]\n",
        },
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_finding_quotes_no_confidential_scalar(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, files = CASES[case]
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    monkeypatch.chdir(tmp_path)

    _, output, error = invoked("validate --format json")

    assert code in {each["code"] for each in json.loads(output)["findings"]}
    assert not [value for value in (CANARY, NUMBER) if value in output + error]


@pytest.mark.parametrize(
    ("text", "names"),
    {
        "${DB_PASSWORD}": [],
        "${A}-${BBBB}": [],
        "postgres://app:${DB_PASSWORD}@db/x": [],
        "#cloud-config\nfqdn: ${name}.example.com\n": [],
        "password: Tr${s3cret}x\n": ["s3cret"],
        "Tr${s3cret": ["s3cret"],
        "a ${s3cret} b": ["s3cret"],
        "Tr<<s3cret>>x": ["s3cret"],
        "Tr{{s3cret}}x": ["s3cret"],
        "{% if name %}{{ name }}{% endif %}": [],
        "Tr{% s3cret %}x": ["s3cret"],
    }.items(),
)
def test_name_of_a_variable_alone_is_no_part_of_a_value(text: str, names: list[str]) -> None:
    assert list(names_in_expansions(text)) == names


def test_only_what_a_finding_may_quote_is_walked() -> None:
    def steps(size: int) -> int:
        entries: dict[str, JsonObject] = {f"a{number}": {"password": "x"} for number in range(size)}
        content: JsonObject = {"kind": "Thing", "spec": {"field": 1, "entries": {**entries}}}
        finding = Diagnostic(Code.SCHEMA, "spec.field must be text, not the number 1")
        begin_run()
        values_at(finding, ConfidentialFields("", (content,)), (FieldPath(("spec", "field")),))
        return spent()

    few, many = (copy_context().run(steps, size) for size in (10, 10_000))
    assert many == few


KEYS_AND_MACHINE = """\
apiVersion: v1
kind: Secret
metadata: {name: k, namespace: a}
stringData: {p: VALUE}
---
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web, namespace: a}
spec: {runStrategy: Always, template: {spec: {dnsPolicy: CANARY, domain: {devices: {}}}}}
""".replace("CANARY", CANARY)


def test_error_of_the_new_side_quotes_no_former_value_of_a_secret() -> None:
    documents = ([*yaml.safe_load_all(KEYS_AND_MACHINE.replace("VALUE", each))] for each in (CANARY, "other"))
    found = renderer.compare_objects(*documents)

    assert [each.message for each in found.after] == ['spec.template.spec.dnsPolicy cannot be "***"']
    assert found.new_errors == ()


def test_error_quotes_no_value_that_a_secret_has_in_the_cluster(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "prod").mkdir()
    (tmp_path / "vmrender.yaml").write_text(OVERLAY)
    (tmp_path / "prod/kustomization.yaml").write_text("resources: [obj.yaml]\n")
    (tmp_path / "prod/obj.yaml").write_text(KEYS_AND_MACHINE.replace("VALUE", "other"))
    (tmp_path / "dump.yaml").write_text(KEYS_AND_MACHINE.replace("VALUE", CANARY))
    monkeypatch.chdir(tmp_path)

    _, output, error = invoked("diff --live dump.yaml")

    assert "dnsPolicy cannot be" in output + error
    assert CANARY not in output + error


UNBUILT = {
    "a broken machine": {"prod/vm.yaml": f"kind: VirtualMachine\nspec: {{hostname: {CANARY}: y}}\n"},
    "a broken document beside it": {"prod/keys.yaml": f"{KEYS}---\nkind: ConfigMap\nx: {CANARY}: y\n"},
    "a kustomization with a mistake": {"prod/kustomization.yaml": f"namespace: [{CANARY}]\n"},
    "a kustomization that is no YAML": {"prod/kustomization.yaml": f"namespace: {CANARY}: y\n"},
    "a file that does not exist": {"prod/kustomization.yaml": f"resources: [../base, {CANARY}.yaml]\n"},
    "a generator": {
        "prod/kustomization.yaml": f"secretGenerator: [{{name: k, literals: [x={CANARY}]}}]\n"
        f"commonAnnotations: {{x: [{CANARY}]}}\n",
        "prod/keys.yaml": "",
        "base/keys.yaml": "",
    },
    "a generator in a file": {
        "prod/kustomization.yaml": f"generators: [g.yaml]\nnamespace: [{CANARY}]\n",
        "prod/g.yaml": "apiVersion: builtin\nkind: SecretGenerator\nmetadata: {name: k}\n"
        f"literals: [x={CANARY}]\n",
        "prod/keys.yaml": "",
        "base/keys.yaml": "",
    },
    **{
        f"a template: {values}": {
            "prod/kustomization.yaml": f"generators: [t.yaml]\nnamespace: [{CANARY}]\n",
            "prod/t.yaml": "apiVersion: vmrender.io/v1alpha1\nkind: Template\nmetadata: {name: t}\n"
            f"spec: {{template: t.j2, {values}}}\n",
            "prod/t.j2": KEYS.replace("VALUE", "{{ row.code }}"),
            "prod/keys.yaml": "",
            "base/keys.yaml": "",
        }
        for values in (f"values: {{row: {{code: {CANARY}}}}}", f"matrix: {{code: [a, {CANARY}]}}")
    },
}


@pytest.mark.parametrize("case", UNBUILT)
def test_overlay_that_cannot_be_built_has_the_values_of_its_secrets(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "vmrender.yaml": OVERLAY,
        "prod/kustomization.yaml": "resources: [../base, vm.yaml, keys.yaml]\n",
        "prod/keys.yaml": KEYS.replace("keys", "own"),
        "prod/vm.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: a}}\n",
        "base/kustomization.yaml": "resources: [keys.yaml]\n",
        "base/keys.yaml": KEYS,
        **UNBUILT[case],
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text.replace("VALUE", CANARY))
    monkeypatch.chdir(tmp_path)

    for command in ("validate", "validate --format json", "render"):
        code, output, error = invoked(command)
        assert code in (1, 2)
        assert CANARY not in output + error
