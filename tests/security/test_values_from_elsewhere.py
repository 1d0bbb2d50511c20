"""What an engine puts into a Secret is shown neither where it comes from, nor what is made of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.security.canaries.search import canaries
from tests.security.git_history import committed
from tests.security.test_secrets import invoked, raw

CANARY = "canary-is-a-bird"
ORIGIN = "https://example.org/a/b"
KEYS = "{{apiVersion: v1, kind: Secret, metadata: {{name: s, namespace: a}}, stringData: {{p: '{}'}}}}\n"
CONFIG_MAP = "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {}, namespace: a}}, data: {{x: '{}'}}}}\n"
GIT = f"""\
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {{name: flux-system, namespace: a}}
spec: {{url: '{ORIGIN}'}}
"""
KUSTOMIZATION = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: f, namespace: a}
spec:
  path: ./prod
  sourceRef: {kind: GitRepository, name: flux-system}
  postBuild: POST_BUILD
"""
APPLICATION_SET = f"""\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {{name: set, namespace: argocd}}
spec:
  goTemplate: true
  generators: [GENERATOR]
  template:
    metadata: {{name: '{{{{.name}}}}'}}
    spec:
      project: default
      destination: {{server: https://kubernetes.default.svc, namespace: a}}
      source:
        repoURL: {ORIGIN}
        path: prod
        targetRevision: HEAD
        kustomize:
          patches:
          - target: {{kind: Secret}}
            patch: '[{{"op": "replace", "path": "/stringData/p", "value": "{{{{.word}}}}"}}]'
          - target: {{kind: ConfigMap}}
            patch: '[{{"op": "replace", "path": "/data/x", "value": "EXPRESSION"}}]'
"""


def flux(post_build: str, *objects: str, **files: str) -> dict[str, str]:
    return {
        "clusters/a/git.yaml": GIT,
        "clusters/a/f.yaml": KUSTOMIZATION.replace("POST_BUILD", post_build),
        "prod/objects.yaml": "---\n".join(objects),
        **{f"clusters/a/{name}.yaml": text for name, text in files.items()},
    }


def resource_set(expression: str) -> dict[str, str]:
    resources = (KEYS.format("<< inputs.word >>"), CONFIG_MAP.format("made", expression))
    listed = "".join(f"  - {each}" for each in resources)
    made = (
        "apiVersion: fluxcd.controlplane.io/v1\nkind: ResourceSet\nmetadata: {name: set, namespace: a}\n"
        f"spec:\n  inputs: [{{word: {CANARY}}}]\n  resources:\n{listed}"
    )
    return flux("{}", CONFIG_MAP.format("cm", "y"), set=made)


def in_set(old: str, new: str, value: str = CANARY) -> dict[str, str]:
    """An ApplicationSet with another text in its template."""
    files = application_set("y", ELEMENTS.replace(CANARY, value))
    return {**files, "apps/set.yaml": files["apps/set.yaml"].replace(old, new)}


def application_set(expression: str, generator: str, **files: str) -> dict[str, str]:
    return {
        "apps/set.yaml": APPLICATION_SET.replace("GENERATOR", generator).replace("EXPRESSION", expression),
        "prod/kustomization.yaml": "resources: [objects.yaml]\n",
        "prod/objects.yaml": f"{KEYS.format('x')}---\n{CONFIG_MAP.format('cm', 'y')}",
        **files,
    }


ELEMENTS = f"{{list: {{elements: [{{name: one, word: {CANARY}}}]}}}}"
FILES = f"{{git: {{repoURL: '{ORIGIN}', revision: HEAD, files: [{{path: 'cfg/*.yaml'}}]}}}}"
#: Files that cannot be built, with or without the Secret in them.
BROKEN = {
    "a Secret that nothing lists": {"prod/kustomization.yaml": "resources: [other.yaml]\n"},
    "a Secret in a base": {
        "prod/objects.yaml": "",
        "prod/kustomization.yaml": "resources: [../base]\nresorces: []\n",
        "base/kustomization.yaml": "resources: [sub/secret.yaml]\n",
        "base/sub/secret.yaml": KEYS.format("${x}"),
    },
    "a Secret in a patch": {
        "prod/objects.yaml": "",
        "prod/kustomization.yaml": "resorces: []\npatches:\n- target: {kind: Secret}\n"
        "  patch: '[{op: add, path: /stringData/p, value: \"${x}\"}]'\n",
    },
    "a broken Secret": {"prod/objects.yaml": "kind: Secret\nstringData:\n  p: ${x}\n x: [\n"},
    "a variable that is refused": {
        "clusters/a/vars.yaml": CONFIG_MAP.format("vars", CANARY).replace("x:", "a-b: c, x:")
    },
}
CASES = {
    "a variable of Flux": flux(f"{{substitute: {{word: {CANARY}}}}}", KEYS.format("${word}")),
    "a variable in a URL": flux(f"{{substitute: {{word: {CANARY}}}}}", KEYS.format("https://u:${word}@h")),
    "a variable and what operators make of it": flux(
        f"{{substitute: {{word: {CANARY}}}}}",
        KEYS.format("${word}"),
        CONFIG_MAP.format("cm", "${word^^} ${word:0:8} ${word/is/was}"),
    ),
    "a variable of which a Secret has a part": flux(
        f"{{substitute: {{word: {CANARY}}}}}",
        KEYS.format("${word:0:8}"),
        CONFIG_MAP.format("cm", "${word} ${word^^}"),
    ),
    "a variable that YAML reads without its quotes and its comment": flux(
        "{substituteFrom: [{kind: ConfigMap, name: vars}]}",
        KEYS.format("${x}"),
        vars=CONFIG_MAP.format("vars", f'"{CANARY}" # a bird'),
    ),
    "a variable of a ConfigMap": flux(
        "{substituteFrom: [{kind: ConfigMap, name: vars}]}",
        KEYS.format("${x}"),
        vars=CONFIG_MAP.format("vars", CANARY),
    ),
    **{
        f"a variable of a folder with {name}": {
            **flux(
                "{substituteFrom: [{kind: ConfigMap, name: vars}]}",
                KEYS.format("${x}"),
                vars=CONFIG_MAP.format("vars", CANARY),
            ),
            **broken,
        }
        for name, broken in BROKEN.items()
    },
    "a variable in names": flux(
        f"{{substitute: {{word: {CANARY}}}}}",
        KEYS.format("${word}"),
        CONFIG_MAP.format("'${word} x'", "y").replace("namespace: a", "namespace: '${word}'"),
    ),
    **{
        f"an input: {expression}": resource_set(expression)
        for expression in ("<< inputs.word | upper >>", "<< inputs.word | trunc 8 >>")
    },
    **{
        f"an element: {expression}": application_set(expression, ELEMENTS)
        for expression in ("y", "{{.word | upper}}", "{{.word | trunc 8}}", "{{fail .word}}")
    },
    **{
        f"an element in a name: {name}": in_set("{{.name}}", name)
        for name in ("one{{fail .word}}", "one{{regexFind .word `(`}}{{fail .word}}")
    },
    "an element in a namespace": in_set("namespace: a}", "namespace: 'X{{.word}}'}"),
    "an element in the hash of a name": in_set(
        "metadata: {name: '{{.name}}'}", "metadata: {name: 'one-{{.word | sha256sum | trunc 8}}'}"
    ),
    "an element in a path": in_set(
        "patches:", "components: ['{{.word}}']\n          patches:", f"../{CANARY}"
    ),
    "an element that is a template": application_set(
        "y",
        f"{{matrix: {{generators: [{{list: {{elements: [{{name: one}}]}}}},"
        f" {{list: {{elements: [{{word: '{{{{{CANARY}'}}]}}}}]}}}}",
    ),
    "a file of a generator": application_set(
        "{{.word | upper}}", FILES, **{"cfg/a.yaml": f"name: one\nword: {CANARY}\n"}
    ),
}
SET = CASES["an input: << inputs.word | upper >>"]
CASES |= {
    f"an input by {form}": {
        **SET,
        "clusters/a/set.yaml": SET["clusters/a/set.yaml"].replace("<< inputs.word >>", form),
    }
    for form in (
        '<< index inputs "word" >>',
        '<< get inputs "word" | b64enc >>',
        "<< inputs | toJson | b64enc >>",
        "<< with inputs.word >><< . >><< end >>",
        "<< range $k, $v := inputs >><< $v >><< end >>",
        "<< range inputs >><< . >><< end >>",
    )
}
CASES |= {
    f"an element by {form}": {
        **application_set("{{.word | upper}}", ELEMENTS),
        "apps/set.yaml": APPLICATION_SET.replace("GENERATOR", ELEMENTS)
        .replace("EXPRESSION", "{{.word | upper}}")
        .replace("{{.word}}", form),
    }
    for form in ("{{range $k, $v := .}}{{$v}}{{end}}", "{{toJson . | b64enc}}", "{{index . `word`}}")
}
CASES |= {
    "an element in a mapping": {
        **application_set(
            "{{.db.word | upper}}", FILES, **{"cfg/a.yaml": f"name: one\ndb: {{word: {CANARY}}}\n"}
        ),
        "apps/set.yaml": APPLICATION_SET.replace("GENERATOR", FILES)
        .replace("EXPRESSION", "{{.db.word | upper}}")
        .replace("{{.word}}", "{{.db.word}}"),
    },
    "an element with a key that is not ASCII": {
        path: text.replace(".word", ".wört").replace("word:", "wört:").replace("{.wört |", "{.wört |")
        for path, text in application_set("{{.word | upper}}", ELEMENTS).items()
    },
    **{
        f"an element with the key {key}": {
            path: text.replace("goTemplate: true", "goTemplate: false")
            .replace("{{.word}}", f"{{{{{key}}}}}")
            .replace("{{.name}}", "{{name}}")
            .replace("word:", f"'{key}':")
            for path, text in application_set("y", ELEMENTS).items()
        }
        for key in ("db/conf", "db conf", "1a")
    },
    "an element of which another generator makes one": application_set(
        "y",
        f"{{matrix: {{generators: [{{list: {{elements: [{{name: one, conf: {CANARY}}}]}}}},"
        " {list: {elements: [{word: 'X{{.conf | upper}}'}]}}]}}",
    ),
}
COMMANDS = (
    *(f"diff --format {name}" for name in ("text", "json", "html")),
    *(f"render --check --format {name}" for name in ("text", "json")),
    *("validate", "validate --format sarif", "explain configmap/cm", "render"),
)


#: What kustomize puts into start data of a machine.
MACHINE = (
    "{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: web, namespace: a},"
    " spec: {runStrategy: Always, template: {spec: {domain: {devices: {disks: [{name: i, disk: {}}]}},"
    " volumes: [{name: i, cloudInitNoCloud: {userData: \"#cloud-config\\npassword: 'x'\\n\"}}]}}}}\n"
)
USER_DATA = "spec.template.spec.volumes.0.cloudInitNoCloud.userData"


def replaced(text: str, options: str = "") -> dict[str, str]:
    """A ConfigMap whose text a replacement puts into the user data of a machine."""
    kustomization = (
        "resources: [objects.yaml]\nreplacements:\n- source: {kind: ConfigMap, fieldPath: data.x}\n"
        f"  targets: [{{select: {{kind: VirtualMachine}}, fieldPaths: [{USER_DATA}]{options}}}]\n"
    )
    files = flux("{substitute: {a: b}}", MACHINE, CONFIG_MAP.format("cm", text))
    return {**files, "prod/kustomization.yaml": kustomization}


def part_of_secret(text: str, options: str) -> dict[str, str]:
    """A ConfigMap whose text a replacement puts into a part of a Secret's value."""
    kustomization = (
        "resources: [objects.yaml]\nreplacements:\n- source: {kind: ConfigMap, fieldPath: data.x}\n"
        f"  targets: [{{select: {{kind: Secret}}, fieldPaths: [stringData.p], options: {options}}}]\n"
    )
    files = flux("{substitute: {a: b}}", KEYS.format(text), CONFIG_MAP.format("cm", CANARY))
    return {**files, "prod/kustomization.yaml": kustomization}


CASES |= {
    "a word that becomes a part of a Secret": part_of_secret("a=b", "{delimiter: '=', index: 1}"),
    "a word that is put before a Secret": part_of_secret("abc", "{delimiter: '-', index: -1}"),
    "a word that becomes an element in a Secret": part_of_secret("a,b,c", "{delimiter: ',', index: 1}"),
    "a text that becomes user data": replaced(f"#!/bin/sh\n\njoin {CANARY}\n"),
    "a password of user data that others repeat": flux(
        "{substitute: {a: b}}",
        MACHINE.replace("'x'", f"9X{CANARY}"),
        MACHINE.replace("name: web,", f"name: we, annotations: {{note: 'login with 9X{CANARY}'}},"),
        CONFIG_MAP.format("cm", f"is 9X{CANARY}"),
    ),
    "an answer file that another ConfigMap has as well": {
        **flux("{substitute: {a: b}}"),
        "prod/unattend.xml": f"<unattend><Password><Value>{CANARY}</Value></Password></unattend>\n",
        "prod/kustomization.yaml": "configMapGenerator:\n- {name: a, files: [unattend.xml]}\n"
        "- {name: cm, namespace: a, files: [x=unattend.xml]}\n- {name: c, literals: ['y=is "
        + CANARY
        + " x']}\n",
    },
    "a word that becomes a part of user data": replaced(CANARY, ', options: {delimiter: "\'", index: 1}'),
}


@pytest.mark.parametrize("case", CASES)
def test_value_is_not_shown(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = "{argocd: apps}" if "apps/set.yaml" in CASES[case] else "{flux: clusters/a}"
    project = (
        "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n"
        f"overlays: [{entry}]\nrepositories: ['{ORIGIN}']\n"
    )
    files = {"vmrender.yaml": project, **CASES[case]}
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    invoked("render")
    committed(tmp_path)
    for path, text in files.items():
        (tmp_path / path).write_text(text.replace("canary", "newcanary"), encoding="utf-8")

    leaks: list[str] = []
    for command in COMMANDS:
        code, stdout, stderr = invoked(command)
        assert code in (0, 1, 2), stderr
        leaks += [f"{command}: {line}" for line in canaries(stdout + stderr)]

    assert leaks == []


@pytest.mark.parametrize("edit", ["", "x:", "x: ''", "xx: CANARY", "y: other", "x: abc"])
def test_former_value_of_a_variable_that_a_secret_uses_is_not_shown(
    edit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In Git, the variable has no value, or a misspelt name; the cluster and the rendered tree have it."""
    made = f"x: '{CANARY}'"
    project = (
        "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n"
        f"overlays: [{{flux: clusters/a}}]\nrepositories: ['{ORIGIN}']\n"
    )
    config_map = CONFIG_MAP.format("vars", CANARY)
    files = flux(
        "{substituteFrom: [{kind: ConfigMap, name: vars}]}",
        KEYS.format("a=${x:-b}"),
        vars=config_map,
        all=KUSTOMIZATION.replace("name: f", "name: all")
        .replace("./prod", "./clusters/a")
        .replace("POST_BUILD", "{}"),
    )
    for path, text in {"vmrender.yaml": project, "dump.yaml": f"---\n{config_map}", **files}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert invoked("render")[0] == 0
    committed(tmp_path)
    edited = config_map.replace(made, edit.replace("CANARY", CANARY))
    (tmp_path / "clusters/a/vars.yaml").write_text(edited, encoding="utf-8")

    outputs = [
        invoked(command) for command in ("render --check", "explain configmap/vars", "diff --live dump.yaml")
    ]

    assert all(code in (0, 1) for code, *_ in outputs)
    lines = [line for _, stdout, stderr in outputs for line in (stdout + stderr).splitlines()]
    assert [line for line in lines if canaries(line)] == []


def test_cache_names_no_rendered_file_with_a_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Flux reads the ignore files of all folders, so an overlay depends on the trees of all others."""
    named = CONFIG_MAP.format("'${word}'", "y")
    project = (
        "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n"
        f"overlays: [{{flux: clusters/a}}]\nrepositories: ['{ORIGIN}']\n"
    )
    files = flux(f"{{substitute: {{word: {CANARY}}}}}", KEYS.format("${word}"), named)
    repository, cache = tmp_path / "repository", tmp_path / "cache"
    for path, text in {"vmrender.yaml": project, **files}.items():
        (repository / path).parent.mkdir(parents=True, exist_ok=True)
        (repository / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(repository)
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))

    for command in ("render", "validate", "render"):
        assert invoked(command)[0] == 0

    assert [*repository.glob(f"rendered/**/*{CANARY}*")]
    kept = [raw(file) for file in cache.rglob("*") if file.is_file()]
    assert kept
    assert not [text for text in kept if "canary" in text]
