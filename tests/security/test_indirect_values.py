"""A confidential value is masked wherever it comes from: catalogs, Git's metadata, patches within objects."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.security.canaries.search import canaries
from tests.security.git_history import committed
from tests.security.test_secrets import invoked

CANARY = "canary-is-a-bird"
PROJECT = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays: [{path: prod}]\n"
KUSTOMIZATION = "resources: [o.yaml]\n"
CONFIG_MAP = (
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: made, namespace: a}, data: {x: public-text}}\n"
)
MACHINE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web, namespace: a}
spec:
  runStrategy: Always
  template:
    spec:
      domain: {devices: {}}
"""
SIZE = f"""\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {{name: ours, annotations: {{url: 'https://user:{CANARY}@example.org/x'}}}}
spec: {{cpu: {{guest: 1}}, memory: {{guest: 1Gi}}, annotations: {{db-password: {CANARY}}}}}
"""
COMMANDS = ("diff", "diff --format json", "render --check", "validate")


def written(root: Path, files: dict[str, str], old: str = "", new: str = "") -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text.replace(old, new) if old else text, encoding="utf-8")


def shown(*commands: str) -> list[str]:
    """Return the lines of the outputs that have a canary."""
    leaks: list[str] = []
    for command in commands:
        code, stdout, stderr = invoked(command)
        assert code in (0, 1, 2), stderr
        leaks += [f"{command}: {line}" for line in canaries(stdout + stderr)]
    return leaks


def test_catalogs_are_masked_without_any_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    listed = f"{PROJECT}catalogs: [{{path: sizes}}]\n"
    kustomization = {"sizes/kustomization.yaml": KUSTOMIZATION, "sizes/o.yaml": SIZE}
    files = {"vmrender.yaml": listed, "prod/kustomization.yaml": "resources: []\n", **kustomization}
    written(tmp_path, files)
    written(tmp_path, {"old/kustomization.yaml": KUSTOMIZATION, "old/o.yaml": SIZE}, "canary", "oldcanary")
    committed(tmp_path)
    written(tmp_path, files, "canary", "newcanary")

    pairs = ("catalog diff old sizes", "catalog diff HEAD")
    leaks = shown(*pairs, *(f"{each} --format json" for each in pairs), "catalog show ours", "catalog list")
    assert leaks == []
    for each in pairs:  # a change is seen nevertheless
        assert "db-password: (withheld) -> (withheld)" in invoked(each)[1]
    assert "newcanary" in invoked("catalog export")[1]


def test_subject_of_a_commit_is_masked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    secret = f"---\napiVersion: v1\nkind: Secret\nmetadata: {{name: k}}\nstringData: {{p: {CANARY}}}\n"
    files = {
        "vmrender.yaml": PROJECT,
        "prod/kustomization.yaml": KUSTOMIZATION,
        "prod/o.yaml": MACHINE + secret,
    }
    written(tmp_path, files, "Always", "Halted")
    committed(tmp_path)
    written(tmp_path, files)
    committed(tmp_path, f"rotate to {CANARY} of https://user:canary@example.org/x")

    formats = ("text", "json", "markdown", "html", "jsonl")
    assert shown(*(f"diff --since HEAD~1 --format {each}" for each in formats)) == []
    assert "rotate to ***" in invoked("diff --since HEAD~1")[1]


FLUX = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: f, namespace: a}
spec:
  path: ./x
  sourceRef: {kind: GitRepository, name: e}
  patches:
"""
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: f, namespace: a}
spec:
  source:
    repoURL: https://example.org/o
    path: x
"""


def operation(kind: str, path: str, value: str = CANARY) -> str:
    patch = f"{{op: add, path: {path}, value: '{value}'}}"
    return f"{FLUX}  - target: {{kind: {kind}}}\n    patch: |\n      - {patch}\n"


def chart(values: str) -> str:
    return f"{APPLICATION}    helm: {{valuesObject: {{auth: {values}}}}}\n"


def merged(text: str) -> str:
    lines = "".join(f"      {line}\n" for line in text.splitlines())
    return f"{FLUX}  - patch: |\n{lines}"


MOVE = """\
patches:
- target: {kind: VirtualMachine}
  patch: |
    - op: move
      from: /spec/template/spec/volumes/0/cloudInitNoCloud/userData
      path: /spec/template/spec/hostname
    - {op: copy, from: /spec/template/spec/hostname, path: /spec/template/spec/subdomain}
"""
PATCHES = {
    "password": operation("BGPPeer", "/spec/password"),
    "header": operation("DataVolume", "/spec/source/http/extraHeaders/-", f"X-My: {CANARY}"),
    "kernel": operation(
        "VirtualMachine",
        "/spec/template/spec/domain/firmware/kernelBoot/kernelArgs",
        f"inst.rootpw={CANARY}",
    ),
    "token": operation("Provider", "/spec/authToken"),
    "arguments": f"{FLUX}  - target: {{kind: Deployment}}\n    patch: |\n      - op: add\n"
    "        path: /spec/template/spec/containers/0/args\n"
    f"        value: [--password, {CANARY}]\n",
    "values of a chart": operation("HelmRelease", "/spec/values/db/apiKey"),
    "merge of a password": merged(
        f"apiVersion: metallb.io/v1beta2\nkind: BGPPeer\nmetadata: {{name: p}}\nspec: {{password: {CANARY}}}"
    ),
    "merge of values": merged(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: p}\n"
        f"spec: {{values: {{db: {{apiKey: {CANARY}}}}}}}"
    ),
    "merge of a variable": merged(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: p}\nspec: {template: {spec: {containers:"
        f" [{{name: c, env: [{{name: DB_PASSWORD, value: {CANARY}}}]}}]}}}}}}"
    ),
    "Application": f"{APPLICATION}    kustomize:\n      patches:\n"
    "      - target: {kind: BGPPeer}\n        patch: |\n"
    f"          - {{op: replace, path: /spec/password, value: {CANARY}}}\n",
    "HyperConverged": "apiVersion: hco.kubevirt.io/v1beta1\nkind: HyperConverged\nmetadata:\n"
    "  name: f\n  namespace: a\n  annotations:\n    kubevirt.kubevirt.io/jsonpatch:"
    f' \'[{{"op":"add","path":"/spec/x/password","value":"{CANARY}"}}]\'\n',
    "below a password": operation("BGPPeer", "/spec/password/x"),
    "list of passwords": chart(f"{{password: [{CANARY}], passwords: [{CANARY}]}}"),
    "value of a password": chart(f"{{adminPassword: {{value: {CANARY}}}}}"),
    "passwords by name": chart(f"{{passwords: {{admin: {CANARY}}}}}"),
    "plural in a parameter": f"{APPLICATION}    helm:\n      parameters:\n"
    f"      - {{name: 'users[0].passwords', value: {CANARY}}}\n",
    "template of a password": "apiVersion: secrets.hashicorp.com/v1beta1\nkind: VaultStaticSecret\n"
    "metadata: {name: f, namespace: a}\nspec: {destination: {transformation: {templates: {password:"
    f" {{text: {CANARY}}}}}}}}}\n",
    "misspelt section": f"{MACHINE}      volumes:\n      - name: x\n        cloudInitNoCloude: {CANARY}\n",
    "misspelt field": f"{MACHINE}      volumes:\n      - name: x\n"
    f"        cloudInitNoCloude:\n          userDta: {CANARY}\n",
    "misspelt annotation": MACHINE.replace(
        "    spec:\n",
        f"    metadata: {{annotations: {{kubevirt.io/ignitionData: {CANARY}}}}}\n    spec:\n",
        1,
    ),
    "answer file by another name": CONFIG_MAP.replace(
        "x: public-text", f"a.xml: '<unattend>{CANARY}</unattend>'"
    ),
    "misspelt answer file": CONFIG_MAP.replace("x: public-text", f"Unattended.xml: {CANARY}"),
    "moved start data": f"{MACHINE}      volumes: [{{name: x, cloudInitNoCloud: {{userData: {CANARY}}}}}]\n",
}


@pytest.mark.parametrize("case", PATCHES)
def test_value_is_judged_where_it_is_put(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    patch = MOVE if case == "moved start data" else ""
    files = {
        "vmrender.yaml": PROJECT,
        "prod/kustomization.yaml": KUSTOMIZATION + patch,
        "prod/o.yaml": PATCHES[case],
    }
    written(tmp_path, files)
    invoked("render")
    committed(tmp_path)
    written(tmp_path, files, "canary", "newcanary")
    text = PATCHES[case]
    kind = text.partition("kind: ")[2].split("\n")[0].split(",")[0].lower()
    name = text.partition("name: ")[2].split(",")[0].split("\n")[0]

    assert shown(*COMMANDS, f"explain {kind}/{name} -n a") == []


PUBLIC = {
    "an operation": operation("VirtualMachine", "/spec/template/spec/hostname", "shown-before"),
    "a merge": merged("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: p}\ndata: {x: shown-before}"),
    "a reference": chart("{password: {secretKeyRef: {name: shown-before}}}"),
    "the name of a Secret": chart("{password: {existingSecret: shown-before}}"),
    "a schema of a password": chart("{password: {type: string, title: shown-before}}"),
    "an account": f"{MACHINE}      x: {{serviceAccountToken: {{audience: shown-before, path: t}}}}\n",
    "a ConfigMap": CONFIG_MAP.replace("public-text", "shown-before"),
}


@pytest.mark.parametrize("case", PUBLIC)
def test_what_is_public_is_shown(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files = {"vmrender.yaml": PROJECT, "prod/kustomization.yaml": KUSTOMIZATION, "prod/o.yaml": PUBLIC[case]}
    written(tmp_path, files)
    committed(tmp_path)
    written(tmp_path, files, "shown-before", "shown-now")

    assert "shown-now" in invoked("diff")[1]
