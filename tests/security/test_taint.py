"""Values of Secrets that come in by other ways are in no output either."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.security.git_history import committed
from tests.security.test_secrets import REPORTING, invoked

CANARY = "canary-is-a-bird"
PROJECT = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays: [{path: prod}]\n"
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cm, namespace: a}\ndata: {dsn: x}\n"
KEYS = "apiVersion: v1\nkind: Secret\nmetadata: {name: keys, namespace: a}\nstringData: {password: VALUE}\n"
REPLACED = """\
resources: [secret.yaml, cm.yaml]
replacements:
- source: {kind: Secret, name: keys, fieldPath: stringData.password OPTIONS}
  targets: [{select: {kind: ConfigMap}, fieldPaths: [data.dsn]}]
"""
FLUX = {
    "vmrender.yaml": PROJECT.replace(
        "path: prod", "path: prod, flux: {kustomization: flux.yaml, resources: [secret.yaml], secrets: true}"
    ),
    "flux.yaml": "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
    "metadata: {name: f, namespace: a}\n"
    "spec: {path: ./prod, postBuild: {substituteFrom: [{kind: Secret, name: keys}]}}\n",
    "secret.yaml": KEYS.replace("VALUE", CANARY),
    "prod/kustomization.yaml": "resources: [cm.yaml]\n",
    "prod/cm.yaml": CONFIG_MAP.replace("dsn: x", 'dsn: "x${password}"'),
}


def replaced(value: str, options: str = "") -> dict[str, str]:
    return {
        "prod/secret.yaml": KEYS.replace("VALUE", value),
        "prod/cm.yaml": CONFIG_MAP,
        "prod/kustomization.yaml": REPLACED.replace(" OPTIONS", options),
    }


CASES = {
    "long": replaced(CANARY + "x" * 80),
    "quotes": replaced('"canary: it\'s a #bird"'),
    "backslash": replaced("'canary\"is\\a-bird'"),
    "line breaks": replaced('"canary-one\\ncanary-two: x\\n"'),
    "a part": replaced(f"user:{CANARY}", ', options: {delimiter: ":", index: 1}'),
    "Flux": FLUX,
    "read as replacements": {
        "prod/key.txt": CANARY,
        "prod/kustomization.yaml": "secretGenerator: [{name: g, files: [key.txt]}]\n"
        "replacements: [{path: key.txt}]\n",
    },
    "read as configurations": {
        "prod/key.txt": CANARY,
        "prod/kustomization.yaml": "secretGenerator: [{name: g, files: [key.txt]}]\n"
        "configurations: [key.txt]\n",
    },
    "of a Template": {
        "prod/kustomization.yaml": "generators: [t.yaml]\n",
        "prod/t.j2": KEYS.replace("VALUE", "{{ pw|quantity }}"),
        "prod/t.yaml": "apiVersion: vmrender.io/v1alpha1\nkind: Template\nmetadata: {name: t}\n"
        f'spec:\n  template: t.j2\n  values: {{pw: {CANARY}, "a b": 1}}\n',
    },
}


@pytest.mark.parametrize("case", CASES)
def test_values_are_masked_wherever_they_go(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path, text in {"vmrender.yaml": PROJECT, **CASES[case]}.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    invoked("render")
    committed(tmp_path)
    for path in CASES[case]:
        text = (tmp_path / path).read_text(encoding="utf-8")
        (tmp_path / path).write_text(text.replace("canary", "newcanary"), encoding="utf-8")
    leaks = []
    for command in (*REPORTING, "explain configmap/cm data.dsn"):
        code, stdout, stderr = invoked(command)
        assert code in (0, 1, 2), (command, stderr)
        leaks += [f"{command}: {line}" for line in (stdout + stderr).splitlines() if "canary" in line]
    assert leaks == []


def test_the_reason_of_a_refusal_repeats_no_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "prod").mkdir()
    (tmp_path / "vmrender.yaml").write_text(PROJECT, encoding="utf-8")
    (tmp_path / "prod/kustomization.yaml").write_text("resources: [a.yaml]\n", encoding="utf-8")
    secret = KEYS.replace("VALUE", "x")
    (tmp_path / "prod/a.yaml").write_text(secret, encoding="utf-8")
    committed(tmp_path)
    monkeypatch.chdir(tmp_path)
    for value in (CANARY, f"[{CANARY}]"):
        text = secret.replace("stringData: {password: x}", f"stringData: {value}")
        (tmp_path / "prod/a.yaml").write_text(text, encoding="utf-8")
        for form in ("text", "json", "markdown", "html"):
            code, stdout, stderr = invoked(f"diff --format {form}")
            assert code == 1, stderr
            assert "must be" in stdout
            assert CANARY not in stdout + stderr
