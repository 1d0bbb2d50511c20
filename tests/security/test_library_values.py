"""What a notebook, a log or an uncaught error shows of the values of the library has no value of a Secret."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

import renderer
from renderer.app.project import Project
from tests.security.git_history import committed

CANARY = "canary-is-a-bird"
HEAD = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n"
PROJECT = f"{HEAD}overlays: [{{path: prod}}]\n"
SECRET = (
    "apiVersion: v1\nkind: Secret\nmetadata: {name: keys, namespace: a}\n"
    f"stringData: {{a: {CANARY}, b: 12345678Ki}}\n"
)
MACHINE = (
    "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: web, namespace: a}\n"
    "spec: {runStrategy: Always, template: {spec: {domain: {memory: {guest: 1Gi}, devices: {}}}}}\n"
)
APPLICATIONS = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: s, namespace: argocd}
spec:
  goTemplate: true
  generators: [{list: {elements: [{name: a, pw: CANARY}]}}]
  template:
    metadata: {name: "{{.name}}NAME"}
    spec:
      project: default
      destination: {namespace: a, server: "https://kubernetes.default.svc"}
      source:
        repoURL: https://git.example.com/a/b.git
        path: apps
        targetRevision: HEAD
        kustomize:
          patches: [{target: {kind: Secret}, patch: "[{op: replace, path: /stringData/a, value: '{{.pw}}'}]"}]
""".replace("CANARY", CANARY)
ARGOCD = f"{HEAD}overlays: [{{argocd: argo}}]\nrepositories: ['https://git.example.com/a/b.git']\n"
APPS = {
    "vmrender.yaml": ARGOCD,
    "apps/kustomization.yaml": "resources: [all.yaml]\n",
    "apps/all.yaml": f"{SECRET.replace(CANARY, 'x')}---\n{MACHINE}",
    "argo/set.yaml": APPLICATIONS.replace("NAME", ""),
}
CALLS: Mapping[str, Callable[[Project], object]] = {
    "open_project": lambda project: project,
    "list_overlays": renderer.list_overlays,
    "list_fleet": renderer.list_fleet,
    "render": lambda project: renderer.render(project, renderer.list_overlays(project)[0]),
    "write": lambda project: renderer.write(project, check=True),
    "validate": renderer.validate,
    "compare": renderer.compare,
    "explain": lambda project: renderer.explain(project, "secret/keys"),
}


def replaced(field: str, entry: str = "a") -> Mapping[str, str]:
    source = f"source: {{kind: Secret, name: keys, fieldPath: stringData.{entry}}}"
    targets = (
        f"targets: [{{select: {{kind: VirtualMachine}}, fieldPaths: [{field}], options: {{create: true}}}}]"
    )
    return {
        "vmrender.yaml": PROJECT,
        "prod/kustomization.yaml": f"resources: [all.yaml]\nreplacements: [{{{source}, {targets}}}]\n",
        "prod/all.yaml": f"{SECRET}---\n{MACHINE}",
    }


REPOSITORIES: Mapping[str, Mapping[str, str]] = {
    **{
        f"replaced {field}": replaced(field)
        for field in (
            "metadata.name",
            "metadata.namespace",
            "spec.instancetype.name",
            "spec.preference.name",
            "spec.runStrategy",
        )
    },
    "replaced memory": replaced("spec.template.spec.domain.memory.guest", "b"),
    "element of an ApplicationSet": APPS,
    "failing ApplicationSet": {**APPS, "argo/set.yaml": APPLICATIONS.replace("NAME", "{{fail .pw}}")},
    "credential in the project file": {
        "vmrender.yaml": f"{PROJECT}repositories: 'https://u:{CANARY}@h/x'\n",
        "prod/all.yaml": MACHINE,
    },
}


@pytest.mark.parametrize("name", REPOSITORIES)
def test_no_value_of_the_library_shows_a_secret(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for path, text in REPOSITORIES[name].items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    committed(tmp_path)
    environment = {**os.environ, "TOKEN": CANARY, "XDG_CACHE_HOME": str(tmp_path.parent / "cache")}
    shown = [(call, text) for call, function in CALLS.items() for text in _shown_of(function, environment)]
    size = str(12345678 << 10)
    assert not [(call, text) for call, text in shown if CANARY in text or size in text]


def _shown_of(call: Callable[[Project], object], environment: Mapping[str, str]) -> Iterator[str]:
    """Yield what is shown of the result of a call, or of the error that nobody catches."""
    try:
        result = call(renderer.open_project(".", environment))
    except renderer.DiagnosticError as error:
        yield from (str(error), repr(error), "".join(traceback.format_exception(error)))
    else:
        yield from (str(result), repr(result))
        if hasattr(result, "_repr_html_"):
            yield result._repr_html_()


def test_expanded_object_is_not_printed() -> None:
    data = {"name": "init", "cloudInitNoCloud": {"userData": f"#cloud-config\npassword: {CANARY}\n"}}
    machine = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "web"},
        "spec": {
            "runStrategy": "Always",
            "template": {"spec": {"domain": {"memory": {"guest": "1Gi"}, "devices": {}}, "volumes": [data]}},
        },
    }
    expanded = renderer.expand(machine)
    assert expanded.manifest is not None
    assert repr(expanded) == "Expanded(a VirtualMachine, 1 finding)"
