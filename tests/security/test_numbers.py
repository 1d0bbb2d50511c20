"""Numbers with more digits than Python reads are findings, wherever they are written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.security.test_secrets import invoked

N = "9" * 5000
PROJECT = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays: [{path: prod}]\n"
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: p, labels: {n: '1'}}\n"
SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: a, namespace: p}\nspec: {ports: [{port: 80}]}\n"
MACHINE = (
    "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\n"
    "metadata: {name: m, namespace: p, annotations: {A: 'N'}}\n"
    "spec:\n  runStrategy: Manual\n"
    "  template: {spec: {domain: {cpu: {cores: C}, devices: {}, memory: {guest: M}}}}\n"
)
SET = (
    "apiVersion: kubevirt.io/v1\nkind: KubeVirt\nmetadata: {name: kubevirt, namespace: kubevirt}\n"
    "spec: {certificateRotateStrategy: {selfSigned: {ca: {duration: Nd}}}}\n"
)
#: Content of prod/kustomization.yaml and prod/a.yaml in which N is a number of 5,000 digits.
WRITTEN = {
    "data": ("resources: [a.yaml]", f"{CONFIG_MAP}data: {{k: N}}\n"),
    "key": ("resources: [a.yaml]", f"{CONFIG_MAP}data: {{N: x}}\n"),
    "port": ("resources: [a.yaml]", SERVICE.replace("80", "N")),
    "quoted-port": ("resources: [a.yaml]", SERVICE.replace("80", "'N'")),
    "cores": ("resources: [a.yaml]", MACHINE.replace("C", "N")),
    "quoted-cores": ("resources: [a.yaml]", MACHINE.replace("C", "'N'")),
    "memory": ("resources: [a.yaml]", MACHINE.replace("M", "N")),
    "exponent": ("resources: [a.yaml]", MACHINE.replace("M", "1eN")),
    "hexadecimal": ("resources: [a.yaml]", f"{CONFIG_MAP}data: {{k: 0xN}}\n"),
    "octal": ("resources: [a.yaml]", f"{CONFIG_MAP}data: {{k: 0N}}\n".replace("N", "7" * 5000)),
    "float": ("resources: [a.yaml]", f"{CONFIG_MAP}data: {{k: N.N}}\n"),
    "threads": (
        "resources: [a.yaml]",
        MACHINE.replace("A", "kubevirt.io/migration-threads").replace("C", "1").replace("M", "1Gi"),
    ),
    "duration": ("resources: [a.yaml]", SET),
    "operation": (
        (
            "resources: [a.yaml]\n"
            "patches: [{target: {kind: Service}, patch: '[{op: remove, path: /spec/ports/N}]'}]"
        ),
        SERVICE,
    ),
    "negative-operation": (
        (
            "resources: [a.yaml]\npatches:\n"
            '- {target: {kind: Service}, patch: \'[{"op": "remove", "path": "/spec/ports/-N"}]\'}'
        ),
        SERVICE,
    ),
    "operation-value": (
        (
            "resources: [a.yaml]\npatches:\n"
            '- {target: {kind: Service}, patch: \'[{"op": "add", "path": "/spec/x", "value": N}]\'}'
        ),
        SERVICE,
    ),
    "replacement": (
        (
            "resources: [a.yaml]\nreplacements:\n- source: {kind: Service, fieldPath: spec.ports.N.port}\n"
            "  targets: [{select: {kind: Service}, fieldPaths: [spec.ports.N.port]}]"
        ),
        SERVICE,
    ),
    "variable": (
        (
            "resources: [a.yaml]\nvars: [{name: A, objref: {kind: Service, name: a, apiVersion: v1},"
            " fieldref: {fieldpath: 'spec.ports[N].port'}}]"
        ),
        SERVICE,
    ),
    "replicas": ("resources: [a.yaml]\nreplicas: [{name: a, count: N}]", CONFIG_MAP),
    "json": ("resources: [a.yaml]", '{"apiVersion": "v1", "kind": "ConfigMap", "data": {"k": N}}'),
}


@pytest.mark.parametrize("place", sorted(WRITTEN))
def test_number_in_a_repository(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prod").mkdir()
    (tmp_path / "vmrender.yaml").write_text(PROJECT, encoding="utf-8")
    kustomization, manifest = (text.replace("N", N) for text in WRITTEN[place])
    for path, text in {"prod/kustomization.yaml": kustomization + "\n", "prod/a.yaml": manifest}.items():
        (tmp_path / path).write_text(text, encoding="utf-8")
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain/a.json").write_text(f'{{"kind": "ConfigMap", "data": {N}}}', encoding="utf-8")
    for command in (
        "validate",
        "render",
        "build prod",
        "validate prod/a.yaml",
        "import prod/a.yaml --dry-run",
    ):
        assert code_of(command) in (0, 1, 2)


@pytest.mark.parametrize(
    "text",
    [
        "kubevirt: 1.N",
        "kubevirt: 'N.N'",
        "flux: N.N",
        "limits: {work: N}",
        "limits: {work: 'N'}",
        "limits: {fileSize: NGi}",
        "kubevirt: 1.9\nschemas: [{path: s.json}]",
    ],
)
def test_number_in_the_project_file(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prod").mkdir()
    (tmp_path / "prod/kustomization.yaml").write_text("resources: []\n", encoding="utf-8")
    (tmp_path / "s.json").write_text(f'{{"properties": {N}}}', encoding="utf-8")
    (tmp_path / "vmrender.yaml").write_text(PROJECT + text.replace("N", N) + "\n", encoding="utf-8")
    for command in ("validate", "render"):
        assert code_of(command) in (1, 2)


@pytest.mark.parametrize(
    ("command", "variable", "value"),
    [
        ("argocd generate", "ARGOCD_APP_PARAMETERS", '[{"name": "expand", "string": N}]'),
        ("argocd generate", "ARGOCD_APP_PARAMETERS", "N"),
        ("argocd generate", "ARGOCD_APP_PARAMETERS", "[" * 5000),
        ("argocd generate", "ARGOCD_ENV_VMRENDER_KUBEVIRT", "1.N"),
        ("validate", "VMRENDER_LIMITS", "work=N"),
        ("validate", "VMRENDER_LIMITS", "fileSize=NGi"),
        ("validate", "VMRENDER_LIMITS", "fileSize=1eN"),
        ("render --jobs N", "X", ""),
        ("render --shard N/N", "X", ""),
        ("plan --workers N", "X", ""),
        ("explain rendered/prod/a.yaml:N", "X", ""),
        ("explain a /spec/N", "X", ""),
        ("build prod --kubevirt 1.N", "X", ""),
        ("pin prod --update --wave N", "X", ""),
        ("diff --limit-bytes N", "X", ""),
    ],
)
def test_number_in_the_environment(
    command: str, variable: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prod").mkdir()
    (tmp_path / "prod/kustomization.yaml").write_text("resources: []\n", encoding="utf-8")
    (tmp_path / "vmrender.yaml").write_text(PROJECT, encoding="utf-8")
    monkeypatch.setenv(variable, value.replace("N", N))
    assert code_of(command.replace("N", N)) in (1, 2)


@pytest.mark.parametrize("note", ["index", "path", "id"])
def test_number_in_the_annotations_of_a_function(
    note: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    annotations = {f"{prefix}{note}": N for prefix in ("internal.config.kubernetes.io/", "config.k8s.io/")}
    item = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "annotations": annotations}}
    given = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        "items": [{**item, "data": {"k": 1}}],
    }
    assert code_of("fn", json.dumps(given)) == 1


def code_of(command: str, stdin: str | None = None) -> int:
    code, _, shown = invoked(command, stdin)
    assert "Traceback" not in shown, shown[-2000:]
    assert "set_int_max_str_digits" not in shown
    return code
