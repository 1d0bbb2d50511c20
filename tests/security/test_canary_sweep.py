"""Values of Secrets by each way in, at each place, with every command: no output contains them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

import pytest

from renderer.app import workers
from tests.security.git_history import committed
from tests.security.test_secrets import PRINTING, REPORTING, invoked

Files: TypeAlias = Mapping[str, str]

CANARY = "canary-is-a-bird"
PROJECT = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\nCATALOGSoverlays: [{path: prod}]\n"
KEYS = "apiVersion: v1\nkind: Secret\nmetadata: {name: keys, namespace: a}\nstringData: {password: VALUE}\n"
MACHINE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web, namespace: a}
spec: {runStrategy: Always, MATCHERtemplate: {spec: {domain: {devices: {}}DNS}}}
"""
SIZE = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: s, annotations: {instancetype.kubevirt.io/displayName: NAME}}
spec: {cpu: {guest: 1MODEL}, memory: {guest: SIZE}}
"""
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cm, namespace: a}\ndata: {dsn: VALUE}\n"

#: Objects with the value somewhere, each with the field it is in.
PLACES: Mapping[str, tuple[str, str, str]] = {
    "shown": (CONFIG_MAP, "ConfigMap", "data.dsn"),
    "refused": (
        MACHINE.replace("MATCHER", "").replace("DNS", ", dnsPolicy: VALUE"),
        "VirtualMachine",
        "spec.template.spec.dnsPolicy",
    ),
    "size": (
        SIZE.replace("SIZE", "VALUE").replace("NAME", "x").replace("MODEL", ""),
        "VirtualMachineClusterInstancetype",
        "spec.memory.guest",
    ),
    "model": (
        SIZE.replace("SIZE", "1Gi").replace("NAME", "x").replace("MODEL", ", model: VALUE"),
        "VirtualMachineClusterInstancetype",
        "spec.cpu.model",
    ),
    "name": (
        MACHINE.replace("MATCHER", "instancetype: {name: VALUE}, ").replace("DNS", ""),
        "VirtualMachine",
        "spec.instancetype.name",
    ),
}


def project(place: str, prod: Files, **outside: str) -> Files:
    """The repository with ``prod``; a machine has the instance type where that is the place."""
    is_size = place in ("size", "model")
    machine = MACHINE.replace("MATCHER", "instancetype: {name: s}, ").replace("DNS", "")
    files = {f"prod/{path}": text for path, text in prod.items()}
    files["vmrender.yaml"] = PROJECT.replace("CATALOGS", "catalogs: [{path: prod}]\n" if is_size else "")
    files["lone.yaml"] = machine if is_size else PLACES["shown"][0]
    if is_size:
        files["prod/vm.yaml"] = machine
        files["prod/kustomization.yaml"] = files["prod/kustomization.yaml"].replace("[", "[vm.yaml, ", 1)
    return {**files, **{path.replace("__", "."): text for path, text in outside.items()}}


def replaced(place: str, value: str = CANARY, options: str = "") -> Files:
    text, kind, field = PLACES[place]
    kustomization = f"""\
resources: [secret.yaml, at.yaml]
replacements:
- source: {{kind: Secret, name: keys, fieldPath: stringData.password{options}}}
  targets: [{{select: {{kind: {kind}}}, fieldPaths: [{field}]}}]
"""
    at = text.replace("VALUE", "x" if place != "size" else "1Gi")
    secret = KEYS.replace("VALUE", value)
    return project(place, {"kustomization.yaml": kustomization, "secret.yaml": secret, "at.yaml": at})


def variable(place: str) -> Files:
    text, kind, field = PLACES[place]
    kustomization = """\
resources: [secret.yaml, at.yaml]
configurations: [fields.yaml]
vars:
- name: PW
  objref: {apiVersion: v1, kind: Secret, name: keys}
  fieldref: {fieldpath: stringData.password}
"""
    fields = f"varReference: [{{kind: {kind}, path: {field.replace('.', '/')}}}]\n"
    prod = {
        "kustomization.yaml": kustomization,
        "fields.yaml": fields,
        "secret.yaml": KEYS.replace("VALUE", CANARY),
        "at.yaml": text.replace("VALUE", "'x$(PW)'"),
    }
    return project(place, prod)


def template(place: str) -> Files:
    text = f"{KEYS}---\n{PLACES[place][0]}".replace("VALUE", '"{{ pw }}"')
    written = (
        "apiVersion: vmrender.io/v1alpha1\nkind: Template\nmetadata: {name: t}\n"
        f"spec: {{template: t.j2, values: {{pw: {CANARY}}}}}\n"
    )
    prod = {"kustomization.yaml": "generators: [t.yaml]\nresources: []\n", "t.yaml": written, "t.j2": text}
    files = dict(project(place, prod))
    if place in ("size", "model"):
        files["prod/kustomization.yaml"] = "generators: [t.yaml]\nresources: [vm.yaml]\n"
    return files


_FLUX = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: f, namespace: a}
spec:
  path: ./prod
  sourceRef: {kind: GitRepository, name: flux-system}
  postBuild: {substituteFrom: [{kind: Secret, name: keys}]}
"""


def flux(place: str, text: str = "'x${password}'", secret: str = CANARY) -> Files:
    prod = {
        "kustomization.yaml": "resources: [at.yaml]\n",
        "at.yaml": PLACES[place][0].replace("VALUE", text),
    }
    options = "path: prod, flux: {kustomization: flux.yaml, resources: [secret.yaml], secrets: true}"
    files = dict(project(place, prod, flux__yaml=_FLUX, secret__yaml=KEYS.replace("VALUE", secret)))
    files["vmrender.yaml"] = files["vmrender.yaml"].replace("path: prod}", f"{options}}}")
    return files


def flux_entry(place: str) -> Files:
    files = dict(flux(place))
    repository = (
        "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\n"
        "metadata: {name: flux-system, namespace: a}\nspec: {url: https://example.org/a/b}\n"
    )
    files["clusters/a/flux.yaml"] = f"{files.pop('flux.yaml')}---\n{repository}"
    files["clusters/a/secret.yaml"] = files.pop("secret.yaml")
    before, _, _ = files["vmrender.yaml"].partition("overlays:")
    files["vmrender.yaml"] = (
        f"{before}repositories: [https://example.org/a/b]\noverlays: [{{flux: clusters/a, secrets: true}}]\n"
    )
    return files


def openshift(place: str) -> Files:
    def indented(text: str) -> str:
        first, *rest = text.replace("VALUE", '"${PASSWORD}"').splitlines()
        return "\n".join([f"- {first}", *(f"  {line}" for line in rest)])

    objects = f"{indented(KEYS)}\n{indented(PLACES[place][0])}"
    written = (
        "apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {name: t}\n"
        f"parameters: [{{name: PASSWORD, required: true}}]\nobjects:\n{objects}\n"
    )
    prod = {"kustomization.yaml": "resources: [at.yaml]\n", "at.yaml": written}
    files = dict(project(place, prod))
    files["vmrender.yaml"] = files["vmrender.yaml"].replace(
        "path: prod}", f"path: prod, parameters: {{PASSWORD: {CANARY}}}}}"
    )
    return files


def patched(place: str) -> Files:
    files = dict(replaced(place, "old-password"))
    files["prod/kustomization.yaml"] += (
        "patches:\n- patch: |-\n    apiVersion: v1\n    kind: Secret\n"
        "    metadata: {name: keys, namespace: a}\n"
        f"    stringData: {{password: {CANARY}}}\n"
    )
    return files


def generated(place: str) -> Files:
    files = dict(replaced(place))
    kustomization = files["prod/kustomization.yaml"].replace("secret.yaml, ", "")
    kustomization = kustomization.replace("stringData.password", "data.password")
    files["prod/kustomization.yaml"] = (
        f"{kustomization}secretGenerator: [{{name: keys, literals: [password={CANARY}]}}]\n"
    )
    return files


def env_file(place: str) -> Files:
    files = dict(generated(place))
    files["prod/kustomization.yaml"] = files["prod/kustomization.yaml"].replace(
        f"literals: [password={CANARY}]", "envs: [secret.env]"
    )
    files["prod/secret.env"] = f"password={CANARY}\n"
    return files


#: Ways in, each a repository with the value at a place.
WAYS: Mapping[str, Callable[[str], Files]] = {
    "replacement": replaced,
    "long": lambda place: replaced(place, CANARY + "x" * 80),
    "quotes": lambda place: replaced(place, '"canary: it\'s a #bird"'),
    "backslash": lambda place: replaced(place, "'canary\"is\\a-bird'"),
    "line breaks": lambda place: replaced(place, '"canary-one\\ncanary-two: x\\n"'),
    "a part": lambda place: replaced(place, f"user:{CANARY}", ', options: {delimiter: ":", index: 1}'),
    "patched Secret": patched,
    "secretGenerator": generated,
    "secretGenerator of a file": env_file,
    "vars": variable,
    "Template": template,
    "Flux": flux,
    "Flux operator": lambda place: flux(place, "'x${password/is/was}'"),
    "Flux cluster": flux_entry,
    "OpenShift Template": openshift,
}
#: Ways for overlays alone, which a catalog cannot be.
_OF_OVERLAYS = frozenset({"Flux", "Flux operator", "Flux cluster", "OpenShift Template"})
#: Ways that are tried at more places, and at one of them with every command in every format.
_IN_DEPTH = frozenset({"a part", "Flux operator", "OpenShift Template"})
FEW = (
    "validate --format text",
    "validate --format json",
    "diff --format json",
    "expand lone.yaml",
    "explain vm/web",
    "explain configmap/cm data.dsn",
    "render --check",
    "render --check",  # of the current content of the cache
)
#: They list the shipped objects unless the project has its own catalog.
OF_CATALOGS = ("catalog list", "catalog list --format json")
ALL = (
    *REPORTING,
    *PRINTING,
    *FEW,
    *(f"catalog list --format {name}" for name in ("table", "json", "names")),
    "catalog show s",
    "init --dry-run",
)


def combinations() -> Iterator[tuple[str, str]]:
    """Every way with one place, those in depth with more, and each place with several ways."""
    places = tuple(PLACES)
    for index, way in enumerate(WAYS):
        chosen = {places[index % len(places)], *(("shown", "refused") if way in _IN_DEPTH else ())}
        yield from ((way, "name" if way in _OF_OVERLAYS and p in ("size", "model") else p) for p in chosen)


@pytest.mark.parametrize(("way", "place"), sorted(set(combinations())))
def test_canary_is_in_no_output(
    way: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = (*FEW, *OF_CATALOGS) if place in ("size", "model") else FEW
    commands = ALL if way in _IN_DEPTH and place == "refused" else few
    files = WAYS[way](place)
    written(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    code, _, stderr = invoked("render")
    assert code in (0, 1), stderr
    committed(tmp_path)
    assert leaks(few) == []
    # Now they report the same of the sources, and differences from the rendered tree.
    written(tmp_path, {path: text.replace("canary", "newcanary") for path, text in files.items()})
    assert leaks(commands) == []


#: A warning is about the line with the value, which a Secret has as well.
WARNED = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web, namespace: a}
spec: {running: true, template: {metadata: {annotations: {pw: CANARY}}, spec: {domain: {devices: {}}}}}
"""
GENERATED = "resources: [vm.yaml]\nsecretGenerator: [{name: keys, literals: [password=CANARY]}]\n"
#: A base that removes its Secret again: only the note made at that time knows the value.
REMOVED = """\
resources: [secret.yaml]
patches: [{patch: "{apiVersion: v1, kind: Secret, metadata: {name: keys}, $patch: delete}"}]
"""


@pytest.mark.parametrize(("secrets", "alone"), [("overlay", 0), ("base", 1)])
def test_workers_and_cache_do_not_reveal_canaries(
    secrets: str, alone: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A finding about a line with the value: the process that prints it has never read the file.

    The Secret of a base that all share is read by the first process alone, before workers begin, and the
    overlay that it renders has no findings, so that it is not rendered again.
    """
    overlays = [f"o{number}" for number in range(6)]
    kustomization = GENERATED if secrets == "overlay" else "resources: [../base, vm.yaml]\n"
    files = {
        f"{overlay}/{path}": text.replace("CANARY", CANARY if secrets == "base" else f"{CANARY}-{overlay}")
        for overlay in overlays
        for path, text in (("kustomization.yaml", kustomization), ("vm.yaml", WARNED))
    }
    if secrets == "base":
        files["o0/vm.yaml"] = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}\n"
    files["base/kustomization.yaml"] = REMOVED
    files["base/secret.yaml"] = (
        f"{{apiVersion: v1, kind: Secret, metadata: {{name: keys}}, stringData: {{password: {CANARY}}}}}\n"
    )
    listed = ", ".join(f"path: {overlay}" for overlay in overlays).replace(", ", "}, {")
    files["vmrender.yaml"] = (
        f"apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays: [{{{listed}}}]\n"
    )
    written(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(workers, "workers_worth", lambda seconds, _: 99 if len(seconds) >= alone else 0)
    for command in ("render --jobs 2 --format json", "render --jobs 2", "render --check --jobs 2", "render"):
        code, stdout, stderr = invoked(command)
        assert code == 0, stderr
        assert "runStrategy" in stdout + stderr  # the warning is there
        assert "canary" not in stdout + stderr, command


def written(root: Path, files: Files) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


def leaks(commands: Iterable[str]) -> list[str]:
    found = []
    for command in commands:
        code, stdout, stderr = invoked(command)
        assert code in (0, 1, 2), (command, stderr)
        output = stderr if command.startswith(("build", "expand")) else stdout + stderr
        found += [f"{command}: {line}" for line in output.splitlines() if "canary" in line]
    return found
