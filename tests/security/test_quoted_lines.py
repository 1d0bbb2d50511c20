"""No line below a finding shows a credential, whether its file could be read or not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from renderer.app.public_diff import public_diff
from tests.security.test_secrets import invoked

CANARY = "canary-is-a-bird"
PROJECT = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays: [{path: prod}]\n"
TEMPLATE = (
    "apiVersion: vmrender.io/v1alpha1\nkind: Template\nmetadata: {name: t}\n"
    f"spec: {{template: t.j2, values: {{login: {CANARY}}}}}\n"
)
KEYS = "{apiVersion: v1, kind: Secret, metadata: {name: k}, stringData: {a: '{{ login }}'}}\n"


def thing(spec: str, kind: str = "Thing") -> dict[str, str]:
    head = f"apiVersion: example.com/v1\nkind: {kind}\nmetadata: {{name: obj, namespace: a}}\n"
    return {
        "prod/kustomization.yaml": "resources: [obj.yaml]\n",
        "prod/obj.yaml": f"{head}spec: {spec}\n".replace("CANARY", CANARY),
    }


def templated(template: str, text: str = KEYS) -> dict[str, str]:
    kustomization = "generators: [t.yaml]\n"
    return {"prod/kustomization.yaml": kustomization, "prod/t.yaml": template, "prod/t.j2": text}


CASES = {
    "a password twice": thing("{password: CANARY, password: CANARY}"),
    "a line with a password twice as a key": thing("\n  mysql -pCANARY: 1\n  mysql -pCANARY: 2"),
    "an assignment twice as a key": thing("{password=CANARY: 1, password=CANARY: 2}"),
    "a variable twice": thing("{env: [{name: DB_PASSWORD, value: CANARY, value: CANARY}]}"),
    "an option": thing("{args: ['--password=CANARY'], args: []}"),
    "a URL": thing("{url: 'https://app:CANARY@example.org/x', url: x}"),
    "a generator of Argo CD": thing(
        "{generators: [{list: {elements: [{password: CANARY, password: x}]}}]}", "ApplicationSet"
    ),
    "values of a chart that cannot be read": thing(
        "\n  values:\n    password: CANARY\n    x y: [", "HelmRelease"
    ),
    "a comment": thing("{a: 1, a: 2} # password: CANARY"),
    "a parameter with a misspelt value": {
        **thing(""),
        "prod/obj.yaml": "apiVersion: template.kubevirt.io/v1beta1\nkind: VirtualMachineTemplate\n"
        "metadata: {name: obj, namespace: a}\n"
        f"spec: {{parameters: [{{name: PASSWORD, valu: {CANARY}}}]}}\n",
    },
    "a Template without its file": templated(TEMPLATE.replace("t.j2", "no.j2")),
    "a Template with a key twice": templated(TEMPLATE.replace("login:", "login: x, login:")),
    "a Template with a lost anchor": templated(TEMPLATE.replace("login:", "a: *a, login:")),
    "a Template of another kind": templated(TEMPLATE.replace("Template", "Templat")),
    "a password in a message": templated(TEMPLATE.replace("login", "password"), "a: {{ fail(password) }}\n"),
}


@pytest.mark.parametrize("case", CASES)
def test_no_line_shows_a_credential(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path, text in {"vmrender.yaml": PROJECT, **CASES[case]}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    for command in (
        "validate",
        "validate --format sarif",
        "render",
        "render --check",
        "explain obj",
        "diff --live prod",
    ):
        code, stdout, stderr = invoked(command)
        assert code in (1, 2), (command, stderr)
        assert CANARY not in stdout + stderr, command


REFUSED = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web, namespace: a}
spec:
  runStrategy: Always
  template: {spec: {domain: {devices: {}}, dnsPolicy: VALUE}}
"""


@pytest.mark.parametrize("line", ["CANARY", "password=CANARY", "mysql -pCANARY", '"root CANARY x"'])
def test_a_line_of_cloud_init_data_is_not_named_as_a_key(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = f"#cloud-config\n{line}: 1\n{line}: 2\npackages: []\npackages: [vim]\n".replace("CANARY", CANARY)
    volume = {"name": "c", "cloudInitNoCloud": {"userData": data}}
    disks = {"disks": [{"name": "c", "disk": {}}]}
    domain = {"devices": disks, "memory": {"guest": "1Gi"}}
    machine = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "a"},
        "spec": {"runStrategy": "Always", "template": {"spec": {"domain": domain, "volumes": [volume]}}},
    }
    (tmp_path / "vm.json").write_text(json.dumps(machine))
    monkeypatch.chdir(tmp_path)
    _, stdout, stderr = invoked("validate vm.json")
    assert "userData has a key twice" in stderr
    assert "userData has the key packages twice" in stderr
    assert "bird" not in stdout + stderr


@pytest.mark.parametrize(
    "written", [CANARY, '"canary\\x2dis-a-bird"', "'canary-is-a-bird'", '"canary-is-a-\\\n    bird"']
)
def test_no_line_shows_what_a_secret_of_the_overlay_has(
    written: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "vmrender.yaml": PROJECT,
        "prod/kustomization.yaml": "resources: [vm.yaml]\n"
        f"secretGenerator: [{{name: keys, literals: [password={CANARY}]}}]\n",
        "prod/vm.yaml": REFUSED.replace("VALUE", written),
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    for command in ("validate", "render", "render", "render --no-cache"):
        code, stdout, stderr = invoked(command)
        assert code == 1
        assert 'dnsPolicy cannot be "***"' in stderr
        assert "(not shown, as it may be confidential)" in stderr
        assert "bird" not in stdout + stderr


def test_no_line_below_a_value_that_is_not_accepted_shows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = REFUSED.replace("dnsPolicy", "hostname")
    files = {
        "vmrender.yaml": PROJECT,
        "prod/kustomization.yaml": "resources: [vm.yaml]\n"
        f"secretGenerator: [{{name: keys, literals: [password={CANARY}]}}]\n",
        "prod/vm.yaml": machine.replace("VALUE", CANARY),
        "cluster.yaml": machine.replace("VALUE", "other"),
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    code, stdout, stderr = invoked("diff --live cluster.yaml --accept a/web")

    assert code == 1
    assert "hostname is confidential" in stderr
    assert CANARY not in stdout + stderr


RESOURCE_SET = """\
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSet
metadata: {name: web, namespace: a}
spec:
  inputs:
  - tenant: blue
    code: VALUE
  resources:
  - apiVersion: v1
    kind: KIND
    metadata: {name: k, namespace: a}
    data: {tenant: << inputs.code >>}
"""


@pytest.mark.parametrize("value", [CANARY, "b1rd"])
@pytest.mark.parametrize("in_git", ["Secret", "ConfigMap"])
def test_value_that_is_confidential_on_one_side_is_on_both(
    value: str, in_git: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    objects = {
        "Secret": RESOURCE_SET.replace("KIND", "Secret").replace("  data", "  stringData"),
        "ConfigMap": RESOURCE_SET.replace("KIND", "ConfigMap"),
    }
    in_cluster = "ConfigMap" if in_git == "Secret" else "Secret"
    files = {
        "vmrender.yaml": PROJECT,
        "prod/kustomization.yaml": "resources: [set.yaml]\n",
        "prod/set.yaml": objects[in_git].replace("VALUE", value),
        "cluster.yaml": objects[in_cluster].replace("VALUE", f"other-{value}"),
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    code, stdout, stderr = invoked("diff --live cluster.yaml --accept a/web --dry-run")

    assert code == 1
    assert "spec.inputs[0].code is confidential" in stderr
    assert value not in stdout + stderr


@pytest.mark.parametrize("former", ["code: canary-is-a-bird", "code: other", "pin: canary-is-a-bird"])
def test_diff_hides_a_line_on_both_sides(former: str) -> None:
    """As soon as one of them has a Secret."""
    hidden = RESOURCE_SET.replace("VALUE", CANARY).replace("KIND", "Secret")
    shown = hidden.replace("Secret", "ConfigMap").replace(f"code: {CANARY}", former).replace(".code", ".pin")
    for before, after in ((shown, hidden), (hidden, shown)):
        made = public_diff("x.yaml", before.encode(), after.encode())
        assert "canary" not in made
        assert "other" not in made


def test_a_kept_overlay_quotes_no_part_of_a_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "vmrender.yaml": PROJECT,
        "prod/kustomization.yaml": "resources: [r.yaml]\npatches:\n"
        "- {target: {kind: ConfigMap}, path: p.yaml}\n"
        """- target: {kind: Secret}\n  patch: '[{"op": "remove", "path": "/stringData/k"}]'\n""",
        "prod/p.yaml": '- {op: add, path: x/metadata/annotations/a, value: "canary\n    is a bird"}\n',
        "prod/r.yaml": "apiVersion: v1\nkind: ConfigMap\n"
        "metadata: {name: c, namespace: a, annotations: {b: c}}\n---\n"
        "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: a}\n"
        "stringData: {k: canary is a bird}\n",
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("VMRENDER_CACHE_KEY", "a" * 32)

    first, second = invoked("render"), invoked("render")

    assert "does not begin with /" in first[2]
    assert "does not begin with /" in second[2]
    assert "canary" not in first[2] + second[2]


def test_columns_do_not_say_how_long_a_value_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: m, namespace: a}\n"
    files = {
        "vmrender.yaml": PROJECT,
        "prod/kustomization.yaml": "resources: [secret.yaml, machine.yaml]\n",
        "prod/secret.yaml": KEYS.replace("{{ login }}", CANARY),
        "prod/machine.yaml": f"{machine}spec:\n  runStrategy: {CANARY}\n"
        "  template: {spec: {domain: {devices: x}}}\n",
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    monkeypatch.chdir(tmp_path)

    _, stdout, _ = invoked("validate --format json")

    ends = {each["field"]: each["location"]["endColumn"] for each in json.loads(stdout)["findings"]}
    assert ends["spec.runStrategy"] == 0
    assert ends["spec.template.spec.domain.devices"] > 0
