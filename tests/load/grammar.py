"""``python -m tests.load.grammar [FEATURE…]``: the cost of small hostile repositories.

A repository has every pair of the features below, or one with ``--alone``, each as often as its share of the
bytes allows, so that the things that one feature multiplies (resources, transformers, patterns, variables,
texts, depth, generators, functions, findings, overlays, values of Secrets) are combined with those of every
other. ``--command`` names a command to measure, ``all`` all of the table. Prints CPU (user and system),
memory and exit code of each, the worst first.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.load.measure import measured_command
from tests.security.git_history import committed, git

_HEAD = "---\napiVersion: v1\nkind: {kind}\nmetadata: {{{{name: {name}, namespace: a}}}}\n"
_CONFIG_MAP = _HEAD.format(kind="ConfigMap", name="c{n}") + "data: {{x: '$(A) ${{a}}'}}\n"
_MACHINE = (
    "---\napiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: v{n}, namespace: a}}\n"
    "spec:\n  runStrategy: Always\n  instancetype: {{name: u1.smal{n}}}\n"
    "  template:\n    spec:\n      domain: {{devices: {{}}}}\n"
    "      volumes: [{{name: a, secret: {{secretName: s{n}}}}}]\n"
)
_POD = "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: a}\nspec:\n  containers:\n"


class Parts(NamedTuple):
    """What a feature adds: lines of the kustomization by field, documents, and files of ``prod``.

    ``outside`` are files elsewhere, ``entry`` is an element of ``overlays`` in the project file, ``settings``
    are other lines of it.
    """

    fields: Mapping[str, str] = {}
    documents: str = ""
    files: Mapping[str, str] = {}
    outside: Mapping[str, str] = {}
    entry: str = ""
    settings: str = ""


Feature = Callable[[int], Parts]


def _filled(size: int, entry: str) -> str:
    """The entry with every number ``n`` from 0, as often as it fits into ``size`` bytes."""
    count = max(1, size // len(entry.format(n=1000)))
    return "".join(entry.format(n=number) for number in range(count))


def _listed(field: str, entry: str) -> Feature:
    return lambda size: Parts({field: _filled(size, entry)})


def _documents(entry: str) -> Feature:
    return lambda size: Parts(documents=_filled(size, entry))


def _template(size: int) -> Parts:
    del size
    text = (
        "{% for i in range(3000) %}\n---\napiVersion: v1\nkind: ConfigMap\n"
        "metadata: {name: t{{ i }}, namespace: a}\n{% endfor %}"
    )
    made = "apiVersion: vmrender.io/v1alpha1\nkind: Template\nmetadata: {name: m}\nspec: {template: t.j2}\n"
    return Parts({"generators": "- g.yaml\n"}, files={"g.yaml": made, "t.j2": text})


def _containers(size: int) -> Parts:
    return Parts(documents=_POD + _filled(size, "  - {{name: c{n}, image: i{n}, command: ['$(A)']}}\n"))


def _aliases(size: int) -> Parts:
    text = "x" * (size // 2)
    return Parts(
        documents="---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: l, namespace: a}\n"
        f"data:\n  a: &a {text}\n" + _filled(size // 2, "  k{n}: *a\n")
    )


def _depth(size: int) -> Parts:
    level = "[" * 80
    return Parts(
        documents="---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: d, namespace: a}\n"
        + _filled(size, f"k{{n}}: {level}1{']' * 80}\n")
    )


def _annotations(size: int) -> Parts:
    return Parts({"commonAnnotations": _filled(size, "  a{n}: b\n")})


def _variables(size: int) -> Parts:
    source = "objref: {{apiVersion: v1, kind: Secret, name: s}}, fieldref: {{fieldpath: data.k}}"
    return Parts(
        {"vars": _filled(size, f"- {{{{name: A{{n}}, {source}}}}}\n")},
        "---\napiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: a}\ndata: {k: YWJjZGVmZ2hp}\n",
    )


def _components(size: int) -> Parts:
    levels = min(12, max(2, size // 200))
    files = {
        f"c{number}/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
        + (f"components: [../c{number + 1}, ../c{number + 1}]\n" if number + 1 < levels else "")
        + "commonAnnotations: {a: b}\n"
        for number in range(levels)
    }
    return Parts({"components": "- c0\n"}, files=files)


def _field_specs(size: int) -> Parts:
    listed = _filled(size, "- {{path: metadata/annotations/x{n}, create: true}}\n")
    return Parts(
        {"configurations": "- f.yaml\n", "namePrefix": " x-\n"}, files={"f.yaml": f"namePrefix:\n{listed}"}
    )


def _patch_file(size: int) -> Parts:
    head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: big, namespace: a}\ndata:\n"
    return Parts(
        {"patches": "- path: big.yaml\n"},
        "---\n" + head + _filled(size // 2, "  k{n}: a\n"),
        {"big.yaml": head + _filled(size // 2, "  k{n}: b\n")},
    )


_REPOSITORY = "https://git.example.org/acme/fleet.git"


def _set(name: str, generators: list[object], app: str, *, go: bool = False) -> Parts:
    """An ApplicationSet in the folder ``apps``."""
    source = {"repoURL": _REPOSITORY, "targetRevision": "HEAD", "path": "prod"}
    destination = {"server": "https://kubernetes.default.svc", "namespace": "a"}
    template = {
        "metadata": {"name": app},
        "spec": {"project": "default", "destination": destination, "source": source},
    }
    written = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ApplicationSet",
        "metadata": {"name": name, "namespace": "argocd"},
        "spec": {"goTemplate": go, "generators": generators, "template": template},
    }
    return Parts(outside={f"apps/{name}.yaml": json.dumps(written)}, entry="argocd: apps")


def _tree(folder: str, size: int, path: str = "{n}.yaml") -> Mapping[str, str]:
    """Files with names that are long; a file takes about a hundred bytes of a tree of Git."""
    return {
        f"{folder}/{'a' * 40}{path.format(n=number)}": f"n: '{number}'\n" for number in range(size // 100)
    }


def _git(kind: str, patterns: list[str]) -> dict[str, object]:
    where = {"repoURL": _REPOSITORY, "revision": "HEAD"}
    return {"git": {**where, kind: [{"path": pattern} for pattern in patterns]}}


def _elements(count: int) -> dict[str, object]:
    return {"list": {"elements": [{"n": str(number)} for number in range(count)]}}


def _git_files(size: int) -> Parts:
    patterns = [f"*a*a*a*a*b{number}" for number in range(size // 2 // 30)]
    made = _set("files", [_git("files", patterns)], "f{{path.basename}}")
    return made._replace(outside={**made.outside, **_tree("d", size // 2)})


def _git_directories(size: int) -> Parts:
    patterns = [f"*a*a/*a*a*b{number}" for number in range(size // 2 // 30)]
    made = _set("directories", [_git("directories", patterns)], "d{{path.basename}}")
    return made._replace(outside={**made.outside, **_tree("e", size // 2, "/{n}/x.yaml")})


def _git_values(size: int) -> Parts:
    """An Application of each file in Git."""
    made = _set("values", [_git("files", ["v/*.yaml"])], "v{{path.filenameNormalized}}")
    return made._replace(outside={**made.outside, **_tree("v", size)})


def _git_matrix(size: int) -> Parts:
    both = [_elements(size // 2 // 15), _git("files", ["*a*a*a*b{{n}}*", "w/*{{n}}9.yaml"])]
    made = _set("matrix", [{"matrix": {"generators": both}}], "m{{n}}-{{path.filenameNormalized}}")
    return made._replace(outside={**made.outside, **_tree("w", size // 2)})


def _git_merge(size: int) -> Parts:
    both = [_elements(size // 2 // 15), _git("files", ["y/*.yaml"])]
    made = _set("merge", [{"merge": {"mergeKeys": ["n"], "generators": both}}], "g{{n}}")
    return made._replace(outside={**made.outside, **_tree("y", size // 2)})


_CALLS = (
    "uniq (until {n})",
    'join (repeat {n} "x") (until {n})',
    "toJson (until {n})",
    "deepEqual (until {n}) (until {n})",
    'regexReplaceAll "(a*)*b" (repeat {n} "a") "x"',
    "sortAlpha (until {n})",
    'splitList "a" (repeat {n} "a")',
    'printf "%{n}d" 1',
    "toYaml (untilStep 0 {n} 1)",
    'nindent {n} (repeat {n} "\\n")',
)


def _go_functions(size: int) -> Parts:
    count = size // 45
    calls = (_CALLS[number % len(_CALLS)].format(n=number) for number in range(count))
    text = "".join(f"{{{{ $x := {call} }}}}" for call in calls)
    return _set("functions", [_elements(3)], f"{text}f{{{{ .n }}}}", go=True)


def _resource_set(size: int) -> Parts:
    """A ResourceSet of the Flux operator, with inputs, templates and functions."""
    inputs = [{"n": str(number)} for number in range(size // 2 // 15)]
    calls = (_CALLS[number % len(_CALLS)].format(n=number) for number in range(size // 2 // 45))
    text = "".join(f"<< $x := {call} >>" for call in calls)
    made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"{text}r<< inputs.n >>"}}
    written = {
        "apiVersion": "fluxcd.controlplane.io/v1",
        "kind": "ResourceSet",
        "metadata": {"name": "made", "namespace": "flux-system"},
        "spec": {"inputs": inputs, "resources": [made]},
    }
    return Parts(outside={"clusters/prod/set.yaml": json.dumps(written)}, entry="flux: clusters/prod")


def _artifacts(size: int) -> Parts:
    """Copies of an ArtifactGenerator with patterns that match much and exclude much, and merges."""
    excluded = [f"**/*a*a*b{number}/**" for number in range(50)]
    copies: list[object] = [
        {"from": "@repo/z/**", "to": f"@artifact/c{number}/", "exclude": excluded}
        for number in range(size // 4000)
    ]
    merged = {"from": "@repo/m.yaml", "to": "@artifact/m.yaml", "strategy": "Merge"}
    artifact = {"name": "made", "copy": [*copies, *[merged] * (size // 4 // 100)]}
    source = {"alias": "repo", "kind": "GitRepository", "name": "flux-system"}
    generator = {
        "apiVersion": "source.extensions.fluxcd.io/v1beta1",
        "kind": "ArtifactGenerator",
        "metadata": {"name": "made", "namespace": "flux-system"},
        "spec": {"sources": [source], "artifacts": [artifact]},
    }
    kustomization = {
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
        "kind": "Kustomization",
        "metadata": {"name": "made", "namespace": "flux-system"},
        "spec": {"path": "./c0", "sourceRef": {"kind": "ExternalArtifact", "name": "made"}},
    }
    files = {
        "clusters/prod/made.yaml": f"{json.dumps(generator)}\n---\n{json.dumps(kustomization)}\n",
        "m.yaml": _filled(size // 4, "k{n}: {{a: [1]}}\n"),
        **_tree("z", size // 4, "/{n}/x.yaml"),
    }
    return Parts(outside=files, entry="flux: clusters/prod")


def _applications(size: int) -> Parts:
    entry = (
        "---\napiVersion: argoproj.io/v1alpha1\nkind: Application\n"
        "metadata: {{name: a{n}, namespace: argocd}}\nspec:\n  project: default\n"
        "  destination: {{server: 'https://kubernetes.default.svc', namespace: b{n}}}\n"
        f"  source: {{{{repoURL: '{_REPOSITORY}', targetRevision: HEAD, path: prod}}}}\n"
    )
    return Parts(outside={"apps/all.yaml": _filled(size, entry)}, entry="argocd: apps")


def _kustomizations(size: int) -> Parts:
    """Kustomizations of Flux of two folders: a large one without a kustomization, and ``prod``."""
    source = (
        "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\n"
        f"metadata: {{name: r, namespace: flux-system}}\nspec: {{url: '{_REPOSITORY}'}}\n"
    )
    entry = (
        "---\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
        "metadata: {{name: FOLDER{n}, namespace: flux-system}}\nspec:\n  path: FOLDER\n"
        "  sourceRef: {{kind: GitRepository, name: r}}\n  postBuild: {{substitute: {{a: b{n}}}}}\n"
    )
    entries = entry.replace("FOLDER", "shared") + entry.replace("FOLDER", "prod")
    large = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shared, namespace: a}\ndata:\n"
    files = {
        "clusters/prod/all.yaml": source + _filled(size // 2, entries),
        "shared/m.yaml": _MACHINE.format(n=0),
        "shared/c.yaml": f"{large}  x: {'x' * 60}\n" + _filled(size // 2, "  k{n}: v\n"),
    }
    return Parts(outside=files, entry="flux: clusters/prod")


def _sites(size: int) -> Parts:
    count = size // 90
    text = "resources: [../../prod]\nnamespace: s{n}\n"
    sites = {f"sites/s{number}/kustomization.yaml": text.format(n=number) for number in range(count)}
    return Parts(outside=sites, entry="path: 'sites/*'")


def _enum(size: int) -> Parts:
    values: Mapping[str, object] = {"enum": [f"value-{number}" for number in range(size // 2 // 14)]}
    spec = {"type": "array", "items": values}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}},
    }
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "foos.x.io"},
        "spec": {
            "group": "x.io",
            "names": {"kind": "Foo", "plural": "foos", "singular": "foo", "listKind": "FooList"},
            "scope": "Namespaced",
            "versions": [version],
        },
    }
    document = "---\napiVersion: x.io/v1\nkind: Foo\nmetadata: {name: foo, namespace: a}\nspec:\n"
    return Parts(
        documents=document + _filled(size // 2, "- z{n}\n"),
        outside={"crds/c.yaml": json.dumps(definition)},
        settings="schemas: [path: crds]\n",
    )


def _secrets(size: int) -> Parts:
    head = "---\napiVersion: v1\nkind: Secret\nmetadata: {name: all, namespace: a}\nstringData:\n"
    return Parts(documents=head + _filled(size, "  k{n}: v{n}zzzzzz\n"))


def _mistakes(size: int) -> Parts:
    head = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: wrong, namespace: a}\ndata:\n"
    return Parts(documents=head + _filled(size, "  k{n}: 1\n"))


def _flux(size: int) -> Parts:
    head = (
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
        "metadata: {name: f, namespace: flux-system}\n"
        "spec:\n  path: ./fl\n  postBuild:\n    substitute:\n      A: b\n"
    )
    outside = {
        "flux.yaml": head + _filled(size, "      a{n}: '${{A}}'\n"),
        "fl/kustomization.yaml": "resources: [../prod]\n",
    }
    return Parts(outside=outside, entry="path: fl\n  flux: {kustomization: flux.yaml}")


def _catalog(size: int) -> Parts:
    entry = (
        "---\napiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\n"
        "metadata: {{name: u1.smal{n}}}\nspec: {{cpu: {{guest: 1}}, memory: {{guest: 1Gi}}}}\n"
    )
    outside = {"cat/kustomization.yaml": "resources: [i.yaml]\n", "cat/i.yaml": _filled(size, entry)}
    return Parts(outside=outside, settings="catalogs: [path: cat]\n")


def _user_data(size: int) -> Parts:
    head = (
        "---\napiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: cloud, namespace: a}\n"
        "spec:\n  runStrategy: Always\n  template:\n    spec:\n      domain: {devices: {}}\n"
        "      volumes:\n      - name: c\n        cloudInitNoCloud:\n          userData: |\n"
        "            #cloud-config\n            runcmd:\n"
    )
    return Parts(documents=head + _filled(size, "            - echo password-{n} > /etc/x{n}\n"))


def _guest_data(size: int) -> Parts:
    """Machines that share their volumes by an alias, and the Secrets in these, which share their data."""
    volumes = _filled(size // 4, "{{name: v{n}, cloudInitNoCloud: {{secretRef: {{name: g{n}}}}}}}, ")
    data = "userdata: '#cloud-config', networkdata: '', " + _filled(size // 4, "k{n}: admin, ")
    item = "- {{{{apiVersion: {api}, kind: {kind}, metadata: {{{{name: g{{n}}, namespace: a}}}}, {rest}}}}}\n"
    machines = item.format(
        api="kubevirt.io/v1", kind="VirtualMachine", rest="spec: {{runStrategy: Always, template: *t}}"
    )
    others = item.format(api="v1", kind="Secret", rest="stringData: *d")
    shared = (
        "- {apiVersion: example.org/v1, kind: Shared, metadata: {name: shared, namespace: a},"
        f" t: &t {{spec: {{domain: {{devices: {{}}}}, volumes: [{volumes}]}}}}, d: &d {{{data}}}}}\n"
    )
    items = f"{shared}{_filled(size // 4, machines)}{_filled(size // 4, others)}"
    return Parts(documents=f"---\napiVersion: v1\nkind: List\nitems:\n{items}")


_RUNNING = (
    "---\napiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: run{n}, namespace: a}}\n"
    "spec:\n  runStrategy: Always\n  template:\n    metadata: {{labels: {{app: db}}}}\n"
    "    spec: {{domain: {{memory: {{guest: {n}Mi}}, devices: {{}}}}}}\n"
)


def _routes(size: int) -> Parts:
    """Routes of one Service whose hosts change, and the machines that it selects."""
    service = (
        _HEAD.format(kind="Service", name="db") + "spec: {{selector: {{app: db}}, ports: [{{port: 80}}]}}\n"
    )
    head = "---\napiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\n"
    route = (
        head + "metadata: {{name: r{n}, namespace: a}}\nspec: {{parentRefs: [{{name: g}}], "
        "hostnames: [latter{n}.example], rules: [{{backendRefs: [{{name: db, port: 80}}]}}]}}\n"
    )
    return Parts(documents=_filled(1, service) + _filled(1, _RUNNING) + _filled(size, route))


def _limits(size: int) -> Parts:
    """LimitRanges and quotas that no longer admit the pods of machines, each of another size."""
    limit = _HEAD.format(kind="LimitRange", name="l{n}").replace("{{{{", "{{").replace("}}}}", "}}")
    ranges = limit + "spec: {{limits: [{{type: Container, max: {{memory: 1Mi}}}}]}}\n"
    quota = (
        ranges.replace("LimitRange", "ResourceQuota").partition("spec")[0]
        + "spec: {{hard: {{limits.memory: 1Mi}}}}\n"
    )
    return Parts(documents=_filled(size // 2, _RUNNING) + _filled(size // 2, ranges + quota))


def _flux_secrets(size: int) -> Parts:
    """Variables of Flux, each of which a Secret has, and Kustomizations that wait for others."""
    source = (
        "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\n"
        f"metadata: {{name: r, namespace: flux-system}}\nspec: {{url: '{_REPOSITORY}'}}\n"
    )
    kustomization = (
        "---\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
        "metadata: {{name: NAME, namespace: flux-system}}\nspec:\n  path: ./waiting\n"
        "  sourceRef: {{kind: GitRepository, name: r}}\n"
        "  postBuild: {{substituteFrom: [{{kind: ConfigMap, name: variables}}]}}\n"
    )
    waiting = kustomization.replace("NAME", "w{n}") + "  dependsOn: [{{name: first}}]\n"
    head = "apiVersion: v1\nkind: {}\nmetadata: {{name: variables, namespace: flux-system}}\n"
    variables = _filled(size // 3, "  V{n}: latter-{n}zzz\n")
    made = _filled(size // 3, "  k{n}: a ${{V{n}}}\n")
    first = _filled(1, kustomization.replace("NAME", "first"))
    files = {
        "clusters/prod/waiting.yaml": source + first + _filled(size // 3, waiting),
        "clusters/prod/variables.yaml": head.format("ConfigMap") + f"data:\n{variables}",
        "waiting/secret.yaml": head.format("Secret") + f"stringData:\n{made}",
    }
    return Parts(outside=files, entry="flux: clusters/prod")


_ADD = '"[{{\\"op\\":\\"add\\",\\"path\\":\\"/x{n}\\",\\"value\\":1}}]"'
FEATURES: Mapping[str, Feature] = {
    "resources": _documents(_CONFIG_MAP),
    "machines": _documents(_MACHINE),
    "template": _template,
    "containers": _containers,
    "aliases": _aliases,
    "depth": _depth,
    "patches": _listed("patches", f"- {{{{target: {{{{name: '.*'}}}}, patch: {_ADD}}}}}\n"),
    "patch": _patch_file,
    "replacements": _listed(
        "replacements",
        "- sourceValue: b\n  targets:\n"
        "  - {{select: {{name: '.*'}}, options: {{create: true}}, fieldPaths: [data.r{n}]}}\n",
    ),
    "images": _listed("images", "- {{name: 'i{n}.*', newTag: b}}\n"),
    "labels": _listed("labels", "- {{pairs: {{l{n}: b}}, includeSelectors: true, includeTemplates: true}}\n"),
    "annotations": _annotations,
    "vars": _variables,
    "configMapGenerator": _listed("configMapGenerator", "- {{name: g{n}, literals: [a=b]}}\n"),
    "secretGenerator": _listed("secretGenerator", "- {{name: h{n}, literals: [a=password-{n}]}}\n"),
    "components": _components,
    "fieldSpecs": _field_specs,
    "gitFiles": _git_files,
    "gitDirectories": _git_directories,
    "gitValues": _git_values,
    "gitMatrix": _git_matrix,
    "gitMerge": _git_merge,
    "goFunctions": _go_functions,
    "resourceSet": _resource_set,
    "artifacts": _artifacts,
    "applications": _applications,
    "kustomizations": _kustomizations,
    "sites": _sites,
    "enum": _enum,
    "secrets": _secrets,
    "mistakes": _mistakes,
    "flux": _flux,
    "catalog": _catalog,
    "userData": _user_data,
    "guestData": _guest_data,
    "routes": _routes,
    "limits": _limits,
    "fluxSecrets": _flux_secrets,
}
#: Every command that reads a repository, in an order in which each finds what it needs. ``import`` and
#: ``diff --live`` read the resources as a dump, ``fn`` reads them as a ResourceList; ``init`` runs without a
#: project file. ``cd prod &&`` is the folder that Argo CD runs the plugin in.
COMMANDS = (
    "build prod",
    "render",
    "render --check",
    "validate",
    "validate prod/r.yaml --format sarif",
    "explain -n a configmap/cseed",
    "explain -n a pod/p spec.containers",
    "explain -n a vm/v0 spec.template",
    "diff",
    "diff --live prod/r.yaml",
    "diff --format json",
    "import prod/r.yaml --fit --dry-run --all-namespaces",
    "import prod/r.yaml --secrets placeholder --dry-run --all-namespaces",
    "expand prod/r.yaml",
    "fn < items.yaml",
    "cd prod && argocd generate",
    "argocd ignore-differences",
    "catalog list",
    "catalog show u1.smal0",
    "catalog diff prod cat",
    "catalog import prod --into made --release v1.7.0",
    "customize u1.smal0 --name u1.mine",
    "plan --shards 4",
    "schema list",
    "schema import crds/c.yaml --release 1.9",
    "migrate --check",
    "migrate",
    "pin prod --all",
    "unpin prod --all",
    "init --dry-run",
)
_PROJECT = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays:\n- path: prod\n"


def repository(names: tuple[str, ...], size: int) -> Mapping[str, str]:
    """The files of a repository of about ``size`` bytes with these features."""
    parts = [FEATURES[name](size // len(names)) for name in names]
    fields: dict[str, str] = {}
    for part in parts:
        for field, text in part.fields.items():
            fields[field] = fields.get(field, "") + text
    files = {f"prod/{path}": text for part in parts for path, text in part.files.items()}
    outside = {path: text for part in parts for path, text in part.outside.items()}
    written = "".join(
        f"{field}:{text}" if text.startswith(" ") and text.count("\n") == 1 else f"{field}:\n{text}"
        for field, text in fields.items()
    )
    entries = "".join(f"- {entry}\n" for entry in dict.fromkeys(part.entry for part in parts) if entry)
    seed = _CONFIG_MAP.format(n="seed") + _POD + "  - {name: c, image: i}\n" * ("containers" not in names)
    documents = "".join(part.documents for part in parts)
    return {
        "vmrender.yaml": _PROJECT + entries + "".join(part.settings for part in parts),
        "prod/kustomization.yaml": f"resources: [r.yaml]\n{written}",
        "prod/r.yaml": (seed if "containers" not in names else _CONFIG_MAP.format(n="seed")) + documents,
        **files,
        **outside,
    }


def _earlier(files: Mapping[str, str]) -> Mapping[str, str]:
    """The commit that ``diff`` compares with: other texts in the same objects, and without transformers."""
    before = {
        path: text.replace("x" * 60, "y" * 60)
        .replace("latter", "former")
        .replace("memory: 1Mi", "memory: 1Ti")
        for path, text in files.items()
    }
    return {**before, "prod/kustomization.yaml": "resources: [r.yaml]\n"}


def _resource_list(documents: str) -> str:
    """The documents as the input of a KRM function."""
    head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
    items = (each.strip("\n").replace("\n", "\n  ") for each in documents.split("---\n"))
    return head + "".join(f"- {item}\n" for item in items if item)


class Cost(NamedTuple):
    seconds: float
    memory: int
    size: int
    code: int
    names: tuple[str, ...]
    command: str


def costs(names: tuple[str, ...], size: int, commands: tuple[str, ...]) -> Iterator[Cost]:
    """Measure each command in a repository of these features."""
    files = repository(names, size)
    bytes_in_all = sum(map(len, files.values()))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write(name, _earlier(files))
        committed(folder)
        git(folder, "remote", "add", "origin", _REPOSITORY)
        _write(name, {**files, "items.yaml": _resource_list(files["prod/r.yaml"])})
        for command in commands:
            words, _, stdin = command.partition(" < ")
            if words.startswith("init"):
                (folder / "vmrender.yaml").unlink()
            inside, _, words = words.rpartition(" && ")
            where = folder / inside.removeprefix("cd ") if inside else folder
            took = measured_command(where, tuple(words.split()), folder / stdin if stdin else None)
            yield Cost(took.seconds, took.memory, bytes_in_all, took.code, names, command)


def _write(folder: str, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
        (Path(folder) / path).write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.load.grammar", description=__doc__)
    parser.add_argument(
        "features",
        nargs="*",
        metavar="FEATURE",
        help=f"pairs with at least one of these: {', '.join(FEATURES)}",
    )
    parser.add_argument("--size", type=int, default=190_000, help="bytes of a repository [default: 190000]")
    parser.add_argument(
        "--command", action="append", help=f"instead of build: all, or one as {COMMANDS[5]!r}"
    )
    parser.add_argument("--only", action="store_true", help="pairs of these features alone")
    parser.add_argument("--alone", action="store_true", help="each feature by itself")
    arguments = parser.parse_args()
    found: list[Cost] = []
    commands = tuple(arguments.command or COMMANDS[:1])
    for names in itertools.combinations(FEATURES, 1 if arguments.alone else 2):
        if arguments.features and not set(arguments.features) & set(names):
            continue
        if arguments.only and not set(names) <= set(arguments.features):
            continue
        for cost in costs(names, arguments.size, COMMANDS if commands == ("all",) else commands):
            found.append(cost)
            print(_line(cost), file=sys.stderr, flush=True)
    print("| features | command | CPU | peak memory | KB | exit |\n|---|---|---|---|---|---|")
    for cost in sorted(found, reverse=True)[:10]:
        print(_line(cost))


def _line(cost: Cost) -> str:
    return (
        f"| {', '.join(cost.names)} | {cost.command} | {cost.seconds:.1f} s "
        f"| {cost.memory / (1 << 20):,.0f} MiB | {cost.size // 1000} | {cost.code} |"
    )


if __name__ == "__main__":
    main()
