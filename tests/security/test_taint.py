"""Values of Secrets that arrive by indirect ways are in no output either."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path

import pytest

from tests.security.git_history import committed
from tests.security.test_secrets import REPORTING, contains_canary, in_turn, invoked

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


def with_variable(value: str, dsn: str = "${password}") -> dict[str, str]:
    """The value as a variable of Flux, put into a field without quotes."""
    return {
        **FLUX,
        "secret.yaml": KEYS.replace("VALUE", value),
        "prod/cm.yaml": CONFIG_MAP.replace("dsn: x", f"dsn: {dsn}"),
    }


def with_parameter(value: str, field: str = "${{PASSWORD}}") -> dict[str, str]:
    """The value as a parameter of an OpenShift Template, which may become any value."""
    objects = (KEYS.replace("VALUE", "'${PASSWORD}'"), CONFIG_MAP.replace("dsn: x", f"dsn: '{field}'"))
    items = "".join("- " + text.replace("\n", "\n  ").rstrip(" ") for text in objects)
    return {
        "vmrender.yaml": PROJECT.replace("path: prod", f"path: prod, parameters: {{PASSWORD: {value}}}"),
        "prod/kustomization.yaml": "resources: [t.yaml]\n",
        "prod/t.yaml": "apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {name: t}\n"
        f"parameters: [{{name: PASSWORD, required: true}}]\nobjects:\n{items}",
    }


def with_machine_parameter(value: str) -> dict[str, str]:
    """The value as a parameter of a VirtualMachineTemplate, in user data and, as any value, in a field."""
    return {
        "vmrender.yaml": PROJECT.replace("path: prod", f"path: prod, parameters: {{LOGIN: {value}}}"),
        "prod/kustomization.yaml": "resources: [t.yaml]\n",
        "prod/t.yaml": "apiVersion: template.kubevirt.io/v1beta1\nkind: VirtualMachineTemplate\n"
        "metadata: {name: t}\nspec:\n  parameters: [{name: LOGIN, required: true}]\n  virtualMachine:\n"
        "    metadata: {name: web}\n    spec:\n      runStrategy: Always\n      template:\n        spec:\n"
        "          hostname: '${{LOGIN}}'\n          domain: {devices: {}}\n          volumes:\n"
        "          - name: c\n            cloudInitNoCloud: {userData: 'password: ${LOGIN}'}\n",
    }


def encoded(value: str, width: int) -> dict[str, str]:
    """A Secret with base64 on lines of a width, and a ConfigMap that has the text."""
    text = b64encode(value.encode()).decode()
    lines = "\n".join(f"    {text[start : start + width]}" for start in range(0, len(text), width))
    return {
        "prod/kustomization.yaml": "resources: [secret.yaml, cm.yaml]\n",
        "prod/secret.yaml": KEYS.replace("stringData: {password: VALUE}", f"data:\n  password: |\n{lines}"),
        "prod/cm.yaml": CONFIG_MAP.replace("dsn: x", f"dsn: '{value}'"),
    }


MACHINE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web, namespace: a}
spec:
  runStrategy: Always
  template:
    spec:
      hostname: web
      dnsPolicy: Default
      domain: {devices: {disks: [{name: a, disk: {}}]}}
      volumes:
      - name: a
        VOLUME
"""
TEMPLATE = """\
apiVersion: vmrender.io/v1alpha1
kind: Template
metadata: {name: t}
spec:
  template: t.j2
  values: {pw: VALUE}
"""


def chained(kind: str, field: str) -> dict[str, str]:
    """A ConfigMap with all of a Secret's value, of which a machine gets a part."""
    copy = "{kind: ConfigMap, name: cm, fieldPath: data.dsn, options: {delimiter: ':', index: 1}}"
    kustomization = REPLACED.replace(" OPTIONS", "").replace("[", "[vm.yaml, ", 1)
    return {
        **replaced(f"user:{CANARY}"),
        "prod/vm.yaml": MACHINE.replace("VOLUME", "emptyDisk: {capacity: 1Gi}"),
        "prod/kustomization.yaml": f"{kustomization}- source: {copy}\n"
        f"  targets: [{{select: {{kind: {kind}}}, fieldPaths: [{field}]}}]\n",
    }


def patched(*operations: dict[str, str], options: str = "") -> dict[str, str]:
    """A Secret with annotations, and a JSON patch."""
    secret = KEYS.replace("VALUE", CANARY).replace("namespace: a", "namespace: a, annotations: {b: c}")
    patches = f"patches: [{{target: {{kind: Secret}}, path: patch.yaml{options}}}]\n"
    return {
        "prod/secret.yaml": secret,
        "prod/patch.yaml": json.dumps(operations),
        "prod/kustomization.yaml": f"resources: [secret.yaml]\n{patches}",
    }


def templated(value: str, dsn: str) -> dict[str, str]:
    """A Template of a Secret with the value, and of a ConfigMap with what an expression makes of it."""
    config_map = CONFIG_MAP.replace("dsn: x", f'dsn: "{dsn}"')
    return {
        "prod/kustomization.yaml": "generators: [t.yaml]\n",
        "prod/t.j2": KEYS.replace("VALUE", '"a-user: {{ pw }}"') + f"---\n{config_map}",
        "prod/t.yaml": TEMPLATE.replace("VALUE", value),
    }


def without_quotes(value: str) -> dict[str, str]:
    """A Template that writes the value without quotes, so that YAML reads what is in it."""
    text = (
        KEYS.replace("VALUE", "'a {{ pw | tojson }}'")
        + "---\n"
        + CONFIG_MAP.replace("dsn: x", "dsn: {{ pw }}")
    )
    return {**templated(value, "x"), "prod/t.j2": text}


CASES = {
    "long": replaced(CANARY + "x" * 80),
    "quotes": replaced('"canary: it\'s a #bird"'),
    "backslash": replaced("'canary\"is\\a-bird'"),
    "line breaks": replaced('"canary-one\\ncanary-two: x\\n"'),
    "a part": replaced(f"user:{CANARY}", ', options: {delimiter: ":", index: 1}'),
    "Flux": FLUX,
    "Flux, in quotes": with_variable("'\"canary-is-a-bird\"'"),
    "Flux, in single quotes": with_variable("\"'canary-is-a-bird'\""),
    "Flux, with escapes": with_variable("'\"\\x63anary-is-a-bird\"'"),
    "Flux, with a comment": with_variable("'canary-is-a-bird # of paradise'"),
    "Flux, a mapping": with_variable("'{user: app, word: canary-is-a-bird}'"),
    "Flux, a list": with_variable("'[app, canary-is-a-bird]'"),
    "Flux, a key": with_variable("'{canary-is-a-bird: x}'"),
    "Flux, with a tag": with_variable("'!!str canary-is-a-bird'"),
    "Flux, binary": with_variable("'!!binary Y2FuYXJ5LWlzLWEtYmlyZA=='"),
    "Flux, with an anchor": with_variable("'[&a canary-is-a-bird, *a]'"),
    "Flux, merged": with_variable("'{<<: {user: canary-is-a-bird}, word: x}'"),
    "Flux, from base64 on lines": {
        **with_variable("x"),
        "secret.yaml": KEYS.replace(
            "stringData: {password: VALUE}", 'data: {password: "Y2FuYXJ5\\nLWlzLWEtYmlyZA=="}'
        ),
    },
    "OpenShift, in quotes": with_parameter("'\"canary-is-a-bird\"'"),
    "OpenShift, a mapping": with_parameter("""'{"user": "app", "word": "canary-is-a-bird"}'"""),
    "OpenShift, a key": with_parameter("""'{"canary-is-a-bird": ["x"]}'"""),
    "virt-template, in quotes": with_machine_parameter("'\"canary-is-a-bird\"'"),
    "virt-template, a list": with_machine_parameter("""'["app", "canary-is-a-bird"]'"""),
    "virt-template, a mapping": with_machine_parameter("""'{"user": "app", "word": "canary-is-a-bird"}'"""),
    "virt-template, a key": with_machine_parameter("""'{"canary-is-a-bird": ["x"]}'"""),
    "base64 on lines": encoded(CANARY + "x" * 90, 76),
    "base64 on short lines": encoded(CANARY + "x" * 20, 8),
    "base64 in base64": encoded(b64encode(CANARY.encode()).decode(), 76),
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
    "a part of a copy": chained("VirtualMachine", "spec.template.spec.hostname"),
    "a part that is refused": chained("VirtualMachine", "spec.template.spec.dnsPolicy"),
    "a part of a machine's data": {
        "prod/vm.yaml": MACHINE.replace("VOLUME", f"cloudInitNoCloud: {{userData: 'user: {CANARY}'}}"),
        "prod/cm.yaml": CONFIG_MAP,
        "prod/kustomization.yaml": "resources: [vm.yaml, cm.yaml]\nreplacements:\n"
        "- source: {kind: VirtualMachine, options: {delimiter: ': ', index: 1}, name: web,\n"
        "    fieldPath: spec.template.spec.volumes.0.cloudInitNoCloud.userData}\n"
        "  targets: [{select: {kind: ConfigMap}, fieldPaths: [data.dsn]}]\n",
    },
    "a mapping": {
        **replaced(CANARY),
        "prod/kustomization.yaml": REPLACED.replace("stringData.password OPTIONS", "stringData").replace(
            "data.dsn", "data"
        ),
    },
    "moved by a patch": patched(
        {"op": "move", "from": "/stringData/password", "path": "/metadata/annotations/a"},
        {"op": "remove", "path": "/stringData"},
    ),
    "added and moved by a patch": patched(
        {"op": "add", "path": "/stringData/b", "value": f"{CANARY}-b"},
        {"op": "copy", "from": "/stringData/b", "path": "/metadata/annotations/a"},
        {"op": "remove", "path": "/stringData"},
    ),
    "another kind by a patch": patched(
        {"op": "replace", "path": "/kind", "value": "ConfigMap"},
        {"op": "move", "from": "/stringData", "path": "/data"},
        options=", options: {allowKindChange: true}",
    ),
    "deleted after it was copied": {
        **{path.replace("prod/", "prod/base/"): text for path, text in replaced(CANARY).items()},
        "prod/kustomization.yaml": "resources: [base]\npatches:\n- patch: |-\n"
        "    {apiVersion: v1, kind: Secret, metadata: {name: keys, namespace: a}, $patch: delete}\n",
    },
    "a file that is a patch, too": {
        "prod/cm.yaml": CONFIG_MAP,
        "prod/more.yaml": CONFIG_MAP.replace("dsn: x", f"dsn: {CANARY}"),
        "prod/kustomization.yaml": "resources: [cm.yaml]\npatches: [{path: more.yaml}]\n"
        "secretGenerator: [{name: g, files: [more.yaml]}]\n",
    },
    "a file with pairs, too": {
        "prod/key.env": f"dsn={CANARY}\n",
        "prod/kustomization.yaml": "secretGenerator: [{name: g, files: [key.env]}]\n"
        "configMapGenerator: [{name: cm, envs: [key.env], options: {disableNameSuffixHash: true}}]\n",
    },
    "further lines of a value with pairs": {
        "prod/key.env": f"PIN=Long-line-1\n{CANARY}\n",
        "prod/kustomization.yaml": "secretGenerator: [{name: g, envs: [key.env]}]\n",
    },
    "a part by a Template": templated(f"user:{CANARY}", "{{ pw.split(':')[1] }}"),
    "encoded by a Template": templated(CANARY, "{{ pw | b64encode }}"),
    "put together by a Template": templated("is-a-bird", "{{ 'can' ~ 'ary-' ~ pw }}"),
    "in quotes, by a Template": without_quotes("'\"canary-is-a-bird\"'"),
    "a mapping, by a Template": without_quotes("'{user: app, word: canary-is-a-bird}'"),
    "a key, by a Template": without_quotes("'{canary-is-a-bird: x}'"),
    "a value of YAML, by a Template": without_quotes("{word: canary-is-a-bird}"),
    "values of a Template in a file": {
        **templated("x", "a{{ pw }}"),
        "prod/t.yaml": TEMPLATE.replace("values: {pw: VALUE}", "valuesFrom: [{file: values.yaml}]"),
        "prod/values.yaml": f"pw: {CANARY}\n",
    },
    "values of a Template in a file that is wrong": {
        **templated("x", "a{{ pw }}"),
        "prod/t.yaml": TEMPLATE.replace("values: {pw: VALUE}", "valuesFrom: [{file: values.yaml}]"),
        "prod/values.yaml": f"pw: {CANARY}: x\n",
    },
    "of a Template, cut off": {
        **templated("x", "{{ pw | quantity }}"),
        "prod/t.yaml": TEMPLATE.replace(
            "values: {pw: VALUE}", f"matrix: {{pw: [{'x' * 12}{CANARY}, {'x' * 60}{CANARY}]}}"
        ),
    },
    "cut off in a message": {
        "prod/secret.yaml": KEYS.replace("VALUE", CANARY),
        "prod/vm.yaml": MACHINE.replace("Default", f"'{'x' * 45}|'").replace(
            "VOLUME", "emptyDisk: {capacity: 1Gi}"
        ),
        "prod/kustomization.yaml": REPLACED.replace(" OPTIONS", "")
        .replace("cm.yaml", "vm.yaml")
        .replace(
            "kind: ConfigMap}, fieldPaths: [data.dsn]",
            "kind: VirtualMachine}, "
            "options: {delimiter: '|', index: 1}, fieldPaths: [spec.template.spec.dnsPolicy]",
        ),
    },
    "a copy that Flux takes": {
        **FLUX,
        "vmrender.yaml": FLUX["vmrender.yaml"].replace("secret.yaml", "vars"),
        "flux.yaml": FLUX["flux.yaml"].replace("Secret, name: keys", "ConfigMap, name: cm"),
        "prod/cm.yaml": CONFIG_MAP.replace("dsn: x", "dsn: '${dsn:7}'"),
        **{path.replace("prod/", "vars/"): text for path, text in replaced(f"a-user:{CANARY}").items()},
    },
    "the rest of a Secret that was torn": {
        "prod/kustomization.yaml": "resources: [secret.yaml]\n",
        "prod/secret.yaml": KEYS.replace("{password: VALUE}", f"\n---\n  password: {CANARY}"),
    },
    "below what ends the document": {
        "prod/kustomization.yaml": "resources: [secret.yaml]\n",
        "prod/secret.yaml": f"  password: {CANARY}\n"
        + KEYS.replace("stringData: {password: VALUE}", "stringData:"),
    },
    "of an OpenShift Template, misspelt": {
        "vmrender.yaml": PROJECT.replace("path: prod", f"path: prod, parameters: {{PW: {CANARY}, B: [x]}}"),
        "prod/kustomization.yaml": "resources: []\n",
    },
    "of an OpenShift Template, not closed": {
        "vmrender.yaml": PROJECT.replace("path: prod}", f"path: prod,\n  parameters: {{PW: {CANARY}\n"),
        "prod/kustomization.yaml": "resources: []\n",
    },
    "of a Template": {
        "prod/kustomization.yaml": "generators: [t.yaml]\n",
        "prod/t.j2": KEYS.replace("VALUE", "{{ pw|quantity }}"),
        "prod/t.yaml": "apiVersion: vmrender.io/v1alpha1\nkind: Template\nmetadata: {name: t}\n"
        f'spec:\n  template: t.j2\n  values: {{pw: {CANARY}, "a b": 1}}\n',
    },
}


@pytest.mark.parametrize("case", CASES)
def test_values_are_masked_in_every_output(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path, text in {"vmrender.yaml": PROJECT, **CASES[case]}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    invoked("render")
    committed(tmp_path)
    for path in CASES[case]:
        text = (tmp_path / path).read_text(encoding="utf-8")
        (tmp_path / path).write_text(text.replace("canary", "newcanary"), encoding="utf-8")
    leaks = []
    explained = "explain configmap/cm data.dsn", "explain configmap/keys"
    for command in (*in_turn(REPORTING, [*CASES].index(case)), *explained, "init --dry-run"):
        code, stdout, stderr = invoked(command)
        assert code in (0, 1, 2), (command, stderr)
        leaks += [f"{command}: {line}" for line in (stdout + stderr).splitlines() if contains_canary(line)]
    assert leaks == []


def test_error_message_contains_no_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
