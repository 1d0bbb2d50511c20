"""What code makes of a confidential value is confidential: in small letters, cut, counted, a part of it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.security.git_history import committed
from tests.security.test_secrets import invoked

PROJECT = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays: [{path: prod}]\n"
KEYS = "apiVersion: v1\nkind: Secret\nmetadata: {name: keys, namespace: a}\nstringData: {value: 'VALUE'}\n"
MACHINE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: obj, namespace: a}
spec:
  runStrategy: Always
  template:
    spec:
      domain:
        memory: {guest: 1Gi}
        devices:
          interfaces: [{name: default, masquerade: {}, macAddress: "02:00:00:00:00:01"}]
          disks: [{name: root, disk: {}}]
      networks: [{name: default, pod: {}}]
      volumes: [{name: root, containerDisk: {image: "quay.io/a/b:1"}}]
"""
VOLUME = (
    "apiVersion: cdi.kubevirt.io/v1beta1\nkind: DataVolume\nmetadata: {name: obj, namespace: a}\n"
    "spec: {storage: {resources: {requests: {storage: 1Gi}}}, source: {SOURCE: {url: x}}}\n"
)
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: obj, namespace: b}\n"
FROM_REGISTRY, FROM_HTTP = VOLUME.replace("SOURCE", "registry"), VOLUME.replace("SOURCE", "http")
INSTANCE = "spec.template.spec"
MAC = f"{INSTANCE}.domain.devices.interfaces.0.macAddress"
#: The object and its field, a Secret's value and the next one, and letters that only a part of one has.
COMPARED = {
    "MAC address": (MACHINE, MAC, "Tn8ZQ4wkxPLM", "P4kq8ZWxtnLM", ("tn8zq", "p4kq8")),
    "host name up to a dot": (MACHINE, "metadata.name", "tn8zq4.k83vq", "p4kq8z.k83vq", ("tn8zq", "p4kq8")),
    "long host name": (MACHINE, "metadata.name", "tn8zq4" * 12, "p4kq8z" * 12, ("tn8zq", "p4kq8")),
    "repository and tag": (
        *(FROM_REGISTRY, "spec.source.registry.url"),
        *("docker://tn8zq4:t91w", "docker://p4kq8z:t91w", ("tn8zq", "p4kq8", "t91w")),
    ),
    "folder and file": (
        *(FROM_HTTP, "spec.source.http.url"),
        *("https://tn8zq4.example/k83v/t91w.img", "https://p4kq8z.example/k83v/t91w.img"),
        ("tn8zq", "p4kq8", "k83v", "t91w"),
    ),
    "CPU model": (MACHINE, f"{INSTANCE}.domain.cpu.model", "Tn8ZQ4", "P4kq8Z", ("tn8zq", "p4kq8")),
    "serial": (MACHINE, f"{INSTANCE}.domain.firmware.serial", "Tn8ZQ4", "P4kq8Z", ("tn8zq", "p4kq8")),
}
FORMATS = ("text", "json", "jsonl", "markdown", "html")


def replaced(value: str, target: str, field: str) -> dict[str, str]:
    """A Secret's value that a replacement copies into a field of another object."""
    kind = target.partition("kind: ")[2].partition("\n")[0]
    return {
        "prod/keys.yaml": KEYS.replace("VALUE", value),
        "prod/obj.yaml": target,
        "prod/kustomization.yaml": "resources: [keys.yaml, obj.yaml]\nreplacements:\n"
        "- source: {kind: Secret, name: keys, fieldPath: stringData.value}\n"
        f"  targets: [{{select: {{kind: {kind}}}, options: {{create: true}}, fieldPaths: [{field}]}}]\n",
    }


def written(files: dict[str, str], folder: Path) -> None:
    for name, text in {"vmrender.yaml": PROJECT, **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def shown(command: str) -> str:
    """Return all that a command prints, in small letters and without separators of digits."""
    code, out, err = invoked(command)
    assert code in (0, 1, 2), err
    return f"{out}{err}".lower().replace(",", "")


@pytest.mark.parametrize("case", COMPARED)
def test_comparison_shows_nothing_made_of_a_value(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, field, before, after, parts = COMPARED[case]
    written(replaced(before, target, field), tmp_path)
    committed(tmp_path)
    written(replaced(after, target, field), tmp_path)
    monkeypatch.chdir(tmp_path)
    for name in FORMATS:
        output = shown(f"diff --format {name}")
        assert not [part for part in parts if part in output], output


NAMESPACE = "metadata.namespace"
SELECTED = MACHINE.replace("      domain:\n", "      nodeSelector: {tn8zq4wkxplm: x}\n      domain:\n")
TWO = MACHINE + "---\n" + CONFIG_MAP
#: A question about an object, the object, and its field that has a Secret's value; else the value is a key.
ASKED = {
    "a name that is nearly its own": ("explain vm/ob", MACHINE, NAMESPACE),
    "a field that it does not have": ("explain vm/obj spec.nope", MACHINE, NAMESPACE),
    "a name of several": ("explain obj", TWO, NAMESPACE),
    "an object of another namespace": ("explain obj -n b", MACHINE, NAMESPACE),
    "a field that is nearly a key": (f"explain vm/obj {INSTANCE}.nodeSelector.tn0zq4wkxplm", SELECTED, ""),
}


@pytest.mark.parametrize("case", ASKED)
def test_answer_to_a_wrong_question_shows_no_value(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command, target, field = ASKED[case]
    written(replaced("tn8zq4wkxplm", target, field or "metadata.annotations.x"), tmp_path)
    monkeypatch.chdir(tmp_path)
    assert "tn8zq" not in shown(command)


GUEST_MEMORY = f"{INSTANCE}.domain.memory.guest"
GRACE = MACHINE.replace("      domain:\n", "      terminationGracePeriodSeconds: VALUE\n      domain:\n")
CLAIM = (
    "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: obj, namespace: a}\n"
    "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n"
)
#: An object, its field, a Secret's value in it that is wrong there, and letters or digits that tell of it.
JUDGED = {
    "quantity in small letters": (MACHINE, GUEST_MEMORY, "772196695g", ("772196", "829139")),
    "quantity with two letters": (MACHINE, GUEST_MEMORY, "772196695mb", ("772196", "809706")),
    "quantity without a unit": (MACHINE, GUEST_MEMORY, "772196695", ("772196",)),
    "quantity in thousandths": (CLAIM, "spec.resources.requests.storage", "772196695m", ("7721",)),
    "seconds as text": (GRACE, "", "772196695s", ("772196",)),
    "nearest known word": (MACHINE, f"{INSTANCE}.domain.cpu.model", "Haswel1-noTS", ("haswell",)),
    "nearest enumerated word": (MACHINE, "spec.runStrategy", "Alwais7q", ("alwais", "did you mean")),
    "name in small letters": (MACHINE, f"{INSTANCE}.hostname", "Tn8zq_4wkxplm", ("tn8zq",)),
}
REPORTS = (
    *(f"validate --format {name}" for name in ("text", "json", "github", "sarif", "junit", "gitlab")),
    *("build prod", "render --check", "render --check --format json", "explain obj", "fix --diff"),
)


@pytest.mark.parametrize("case", JUDGED)
def test_finding_tells_nothing_made_of_a_value(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, field, value, parts = JUDGED[case]
    written(replaced(value, target.replace("VALUE", value), field or "metadata.annotations.x"), tmp_path)
    monkeypatch.chdir(tmp_path)
    for command in REPORTS:
        output = shown(command) if command != "build prod" else invoked(command)[2].lower().replace(",", "")
        assert not [part for part in parts if part in output], f"{command}\n{output}"


ROLE = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: obj}\nrules: []\n"
#: An object, its field, and a Secret's value and its former one in it.
NAMED = {
    "capital letters and a colon": (ROLE, "metadata.name", "TN8ZQ4:AbC", "P4KQ8Z:AbC"),
    "long name": (ROLE, "metadata.name", "tn8zq4wkxp" * 23, "p4kq8zwxtn" * 23),
    "name of a device": (ROLE, "metadata.name", "con.tn8zq4wkxp", "aux.p4kq8zwxtn"),
    "namespace": (CONFIG_MAP, "metadata.namespace", "tn8zq4wkxp", "p4kq8zwxtn"),
    "kind": (CONFIG_MAP, "kind", "Tn8ZQ4wkxp", "P4kq8Zwxtn"),
}
CHECKS = ("render --check", "render --check --tracked", "render --check --format json", "render --dry-run -v")


@pytest.mark.parametrize("case", NAMED)
def test_path_of_a_rendered_file_shows_no_value(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, field, former, value = NAMED[case]
    written(replaced(former, target, field), tmp_path)
    monkeypatch.chdir(tmp_path)
    assert invoked("render")[0] == 0
    committed(tmp_path)
    written(replaced(value, target, field), tmp_path)
    for commands in (CHECKS, ("render", "render --check --tracked --format json")):
        for command in commands:
            output = shown(command)
            assert not [part for part in ("tn8zq", "p4kq8") if part in output], f"{command}\n{output}"


def former_variable(text: str) -> dict[str, str]:
    """A variable of Flux from a Secret that is in no tree, in a text of an object."""
    return {
        "vmrender.yaml": PROJECT.replace(
            "path: prod",
            "path: prod, flux: {kustomization: flux.yaml, resources: [keys.yaml], secrets: true}",
        ),
        "flux.yaml": "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
        "metadata: {name: f, namespace: a}\nspec: {path: ./prod, sourceRef: {kind: GitRepository, name: g},"
        " postBuild: {substituteFrom: [{kind: Secret, name: keys}]}}\n",
        "prod/kustomization.yaml": "resources: [obj.yaml]\n",
        "prod/obj.yaml": text,
    }


@pytest.mark.parametrize(
    "text",
    [
        "kind: Foo\napiVersion: ${value}.example.com/v1\nmetadata: {name: x, namespace: a}\n",
        "kind: ${value}\napiVersion: example.com/v1\nmetadata: {name: x, namespace: a}\n",
        "kind: Foo\napiVersion: example.com/v1\nmetadata: {name: '${value}', namespace: a}\n",
        "kind: Foo\napiVersion: example.com/v1\nmetadata: {name: x, namespace: '${value}'}\n",
    ],
)
def test_former_value_in_an_identity_is_not_shown(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written({**former_variable(text), "keys.yaml": KEYS.replace("VALUE", "Tn8zQ4wkxPlm")}, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert invoked("render")[0] == 0
    (tmp_path / "keys.yaml").write_text(KEYS.replace("VALUE", "P4kq8zWxtnLm"))
    for command in CHECKS[:1]:
        output = shown(command)
        assert not [part for part in ("tn8zq", "p4kq8") if part in output], f"{command}\n{output}"


WITH_DATA = MACHINE.replace(
    "      volumes: [", "      volumes: [{name: seed, cloudInitNoCloud: {FIELD: DATA}}, "
).replace("disks: [", "disks: [{name: seed, disk: {}}, ")


@pytest.mark.parametrize(
    ("field", "data"),
    [
        ("userData", '"#!tn8zq4wkxplm\\nx\\n"'),
        ("userData", '"#!opt/tn8zq4wkxplm\\nx\\n"'),
        ("networkData", '"version: 2\\nwifis: {tn8zq4wkxplm: x}\\n"'),
    ],
)
def test_finding_about_start_data_quotes_no_word_of_it(
    field: str, data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = WITH_DATA.replace("FIELD", field).replace("DATA", data)
    written({"prod/kustomization.yaml": "resources: [obj.yaml]\n", "prod/obj.yaml": machine}, tmp_path)
    monkeypatch.chdir(tmp_path)
    for command in ("validate", "validate --format json"):
        output = shown(command)
        assert "cloud-init" in output
        assert "tn8zq" not in output


def test_result_of_a_function_shows_no_value_in_the_path_of_its_field() -> None:
    machine = yaml.safe_load(MACHINE)
    machine["metadata"]["tn8zq4wkxplm"] = "y"
    items = [yaml.safe_load(KEYS.replace("VALUE", "tn8zq4wkxplm")), machine]
    given = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": items}
    config = {"apiVersion": "vmrender.io/v1alpha1", "kind": "Validation", "metadata": {"name": "f"}}
    _, out, _ = invoked("fn", yaml.safe_dump({**given, "functionConfig": config}))
    [result] = yaml.safe_load(out)["results"]
    assert result["field"] == {"path": 'metadata["***"]'}


@pytest.mark.parametrize(
    ("machine", "others", "settings"),
    [
        ({"metadata": {"name": "tn8zq4wkxplm", "namespace": "a"}}, [], {}),
        ({"metadata": {"name": "web", "namespace": "tn8zq4wkxplm"}}, [], {}),
        ({"apiVersion": "kubevirt.io/tn8zq4wkxplm"}, [], {}),
        ({"kind": "tn8zq4wkxplm"}, [], {}),
        (
            {"metadata": {"name": "web", "annotations": {"config.kubernetes.io/path": "tn8zq4wkxplm.yaml"}}},
            [],
            {},
        ),
        ({}, [{"kind": "tn8zq4wkxplm"}], {}),
        ({}, [], {"kubevirt": "tn8zq4wkxplm", "rules": {"tn8zq4wkxplm": "x"}}),
    ],
)
def test_result_of_a_function_shows_no_value_of_a_given_secret(
    machine: dict[str, object], others: list[object], settings: dict[str, object]
) -> None:
    """The value is in another object, in the path of its file, or in what cannot be used."""
    wrong = {**yaml.safe_load(MACHINE), **machine}
    wrong["spec"]["unknown"] = "x"
    items = [yaml.safe_load(KEYS.replace("VALUE", "Tn8zq4wkxplm")), wrong, *others]
    items.insert(0, yaml.safe_load(KEYS.replace("VALUE", "tn8zq4wkxplm").replace("keys", "others")))
    given = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": items}
    config = {"apiVersion": "vmrender.io/v1alpha1", "kind": "Validation", "metadata": {"name": "f"}}
    _, out, err = invoked("fn", yaml.safe_dump({**given, "functionConfig": {**config, "spec": settings}}))
    results = yaml.safe_load(out)["results"]
    assert results
    assert "tn8zq" not in f"{results}{err}".lower()


def test_migration_quotes_no_line_with_a_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kubevirt = (
        "apiVersion: kubevirt.io/v1\nkind: KubeVirt\nmetadata: {name: kv, namespace: a}\n"
        "spec:\n  configuration:\n    machineType: tn8zq4wkxplm\n"
    )
    files = {
        "prod/kustomization.yaml": "resources: [obj.yaml, keys.yaml]\n",
        "prod/keys.yaml": KEYS.replace("VALUE", "tn8zq4wkxplm"),
        "prod/obj.yaml": kubevirt,
    }
    written(files, tmp_path)
    monkeypatch.chdir(tmp_path)
    output = shown("migrate --check")
    assert "prod/obj.yaml:6" in output
    assert "tn8zq" not in output


def test_live_comparison_shows_no_value_as_an_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = KEYS.replace("VALUE", "tn8zq4wkxplm")
    files = {
        "prod/kustomization.yaml": "resources: [obj.yaml, keys.yaml]\n",
        "prod/keys.yaml": keys,
        "prod/obj.yaml": MACHINE,
    }
    written(files, tmp_path)
    managed = (
        ", managedFields: [{manager: tn8zq4wkxplm, operation: Update, apiVersion: v1,"
        " time: '2024-01-01T00:00:00Z', fieldsType: FieldsV1, fieldsV1: {'f:spec': {'f:runStrategy': {}}}}]}"
    )
    live = MACHINE.replace("namespace: a}", f"namespace: a{managed}").replace("Always", "Halted")
    (tmp_path / "dump.yaml").write_text(f"{keys}---\n{live}")
    monkeypatch.chdir(tmp_path)
    for command in ("diff --live dump.yaml", "diff --live dump.yaml --format json"):
        output = shown(command)
        assert "runstrategy" in output
        assert "tn8zq" not in output
