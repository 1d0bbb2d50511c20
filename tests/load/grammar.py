"""``python -m tests.load.grammar [FEATURE…]``: the cost of small hostile repositories.

A repository has every pair of the features below, or one with ``--alone``, each as often as its share of the
bytes allows, so that the things that one feature multiplies (resources, transformers, patterns, variables,
texts, depth) are combined with those of every other. ``--command`` names a command to measure, ``all`` all of
the table. Prints CPU (user and system), memory and exit code of each, the worst first.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.load.measure import measured_command
from tests.security.git_history import committed

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
    """What a feature adds: lines of the kustomization by field, documents, and files."""

    fields: Mapping[str, str] = {}
    documents: str = ""
    files: Mapping[str, str] = {}


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
}
#: Commands with other paths; ``import`` and ``diff --live`` read the resources as a dump.
COMMANDS = (
    "build prod",
    "render",
    "validate",
    "validate prod/r.yaml --format sarif",
    "explain -n a configmap/cseed",
    "explain -n a pod/p spec.containers",
    "explain -n a vm/v0 spec.template",
    "diff",
    "diff --live prod/r.yaml",
    "import prod/r.yaml --fit --dry-run --all-namespaces",
    "migrate",
)
_PROJECT = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays: [path: prod]\n"


def repository(names: tuple[str, ...], size: int) -> Mapping[str, str]:
    """The files of a repository of about ``size`` bytes with these features."""
    parts = [FEATURES[name](size // len(names)) for name in names]
    fields: dict[str, str] = {}
    for part in parts:
        for field, text in part.fields.items():
            fields[field] = fields.get(field, "") + text
    files = {f"prod/{path}": text for part in parts for path, text in part.files.items()}
    written = "".join(
        f"{field}:{text}" if text.startswith(" ") and text.count("\n") == 1 else f"{field}:\n{text}"
        for field, text in fields.items()
    )
    seed = _CONFIG_MAP.format(n="seed") + _POD + "  - {name: c, image: i}\n" * ("containers" not in names)
    documents = "".join(part.documents for part in parts)
    return {
        "vmrender.yaml": _PROJECT,
        "prod/kustomization.yaml": f"resources: [r.yaml]\n{written}",
        "prod/r.yaml": (seed if "containers" not in names else _CONFIG_MAP.format(n="seed")) + documents,
        **files,
    }


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
    with tempfile.TemporaryDirectory() as folder:
        _write(folder, {**files, "prod/kustomization.yaml": "resources: []\n"})
        committed(Path(folder))
        _write(folder, files)
        for command in commands:
            took = measured_command(Path(folder), tuple(command.split()))
            yield Cost(took.seconds, took.memory, sum(map(len, files.values())), took.code, names, command)


def _write(folder: str, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
        (Path(folder) / path).write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.load.grammar", description=__doc__)
    parser.add_argument(
        "features", nargs="*", metavar="FEATURE", help=f"pairs with these: {', '.join(FEATURES)}"
    )
    parser.add_argument("--size", type=int, default=190_000, help="bytes of a repository [default: 190000]")
    parser.add_argument(
        "--command", action="append", help=f"instead of build: all, or one as {COMMANDS[4]!r}"
    )
    parser.add_argument("--alone", action="store_true", help="each feature by itself")
    arguments = parser.parse_args()
    found: list[Cost] = []
    commands = tuple(arguments.command or COMMANDS[:1])
    for names in itertools.combinations(FEATURES, 1 if arguments.alone else 2):
        if arguments.features and not set(arguments.features) & set(names):
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
