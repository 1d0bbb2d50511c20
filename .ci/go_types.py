"""Make `schemas/go/`: the tables of Go types that vmrender reads and writes JSON by.

    python .ci/go_types.py hyperconverged 1.10=FOLDER 1.11=FOLDER … main=FOLDER
    python .ci/go_types.py virtual-machine 1.7=FOLDER 1.8=FOLDER

Each folder is a checkout with its `vendor/`: of the HyperConverged operator at the branch of that release,
or of KubeVirt at the first tag of that release, with the CDI API 1.64 in it, as in kubevirt/virt-template.
Names of fields, their types and whether Go leaves out an empty value are taken; comments are not.

Both tables have types of Kubernetes and CDI: from different versions of these, by releases of different
programs, and only one with the order of fields and the names of types. So they share no rows.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

TABLES = Path(__file__).resolve().parents[1] / "schemas" / "go"

#: The operator's own packages, which are not in `vendor/`.
OWN = "github.com/kubevirt/hyperconverged-cluster-operator/"
#: Prefix of the types of a package in the table, and the folders in `vendor/` that it may be in.
PACKAGES = {
    "hco1beta1": [f"{OWN}api/v1beta1"],
    "hco1": [f"{OWN}api/v1"],
    "hcogates": [f"{OWN}api/v1/featuregates"],
    "kubevirt": ["kubevirt.io/api/core/v1"],
    "backup": ["kubevirt.io/api/backup/v1alpha1"],
    "cdi": ["kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"],
    "ssp": ["kubevirt.io/ssp-operator/api/v1beta3", "kubevirt.io/ssp-operator/api/v1beta2"],
    "network": ["github.com/kubevirt/cluster-network-addons-operator/pkg/apis/networkaddonsoperator/shared"],
    "aaq": [
        "kubevirt.io/application-aware-quota/staging/src/kubevirt.io/application-aware-quota-api/pkg/apis/core/v1alpha1"
    ],
    "sdk": ["kubevirt.io/controller-lifecycle-operator-sdk/api"],
    "openshift": ["github.com/openshift/api/config/v1"],
    "core": ["k8s.io/api/core/v1"],
    "meta": ["k8s.io/apimachinery/pkg/apis/meta/v1"],
}
#: What Go reads and writes by methods of its own.
SPECIAL = {
    "k8s.io/apimachinery/pkg/api/resource.Quantity": "Quantity",
    "meta.Duration": "Duration",
    "meta.Time": "Time",
    "meta.MicroTime": "Time",
    "meta.FieldsV1": "any",
    "k8s.io/apimachinery/pkg/util/intstr.IntOrString": "IntOrString",
    "k8s.io/apimachinery/pkg/runtime.RawExtension": "any",
    "encoding/json.RawMessage": "any",
    "k8s.io/apimachinery/pkg/types.UID": "string",
}
SCALARS = {"string": "string", "bool": "bool", "float32": "float", "float64": "float", "interface{}": "any"}
INTEGERS = re.compile(r"u?int(8|16|32|64)?|byte")


class Target(NamedTuple):
    """The types that a table begins with.

    ``verbatim`` keeps what a converter and Go's errors show: the order of fields, and the names of types
    that are not structs.
    """

    roots: list[str]
    verbatim: bool = False


TARGETS = {
    "hyperconverged": Target(
        [
            "kubevirt.KubeVirtSpec",
            "cdi.CDISpec",
            "ssp.SSPSpec",
            "network.NetworkAddonsConfigSpec",
            "aaq.AAQSpec",
            "hco1beta1.HyperConvergedSpec",
            "hco1.HyperConvergedSpec",
        ],
    ),
    "virtual-machine": Target(["kubevirt.VirtualMachine"], verbatim=True),
}

STRUCT = re.compile(r"^(?:type )?(\w+) struct \{(.*?)^\}", re.MULTILINE | re.DOTALL)
EMPTY_STRUCT = re.compile(r"^\s*(?:type )?(\w+) struct ?\{ ?\}", re.MULTILINE)
ALIAS = re.compile(r"^\s*(?:type )?(\w+)(?: =)? ((?:\*|\[\]|map\[[\w.]+\])*[\w.]+)$", re.MULTILINE)
GROUP = re.compile(r"^type \((.*?)^\)", re.MULTILINE | re.DOTALL)
IMPORT = re.compile(r'^\s*(?:import )?(\w+ )?"([^"]+)"$', re.MULTILINE)
FIELD = re.compile(r"^\s*(?:(\w+)\s+)?((?:\*|\[\]|map\[[\w.]+\])*[\w.]+(?:\{\})?)(?:\s+`([^`]*)`)?$")
JSON_TAG = re.compile(r'json:"([^"]*)"')


class Field(NamedTuple):
    """A field of a struct: its name in JSON, its type, and a word about what Go writes of an empty value."""

    name: str
    type: str
    written: str


class Package:
    """The types of a package of one release, by name."""

    def __init__(self, prefix: str, folder: Path) -> None:
        self.prefix = prefix
        self.structs: dict[str, tuple[str, dict[str, str]]] = {}
        self.aliases: dict[str, tuple[str, dict[str, str]]] = {}
        for file in sorted(folder.glob("*.go")):
            if file.name.startswith("zz_") or file.name.endswith("_test.go") or "swagger" in file.name:
                continue
            text = re.sub(r"/\*.*?\*/", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
            text = re.sub(r"(^|\s)//.*", "", text)
            imports = {(alias.strip() or path.split("/")[-1]): path for alias, path in IMPORT.findall(text)}
            for group in GROUP.findall(text):
                text += re.sub(r"^\t", "", group, flags=re.MULTILINE)
            for name in EMPTY_STRUCT.findall(text):
                self.structs[name] = ("", imports)
            for name, body in STRUCT.findall(text):
                self.structs[name] = (body, imports)
            without_structs = STRUCT.sub("", text)
            for name, target in ALIAS.findall(without_structs):
                self.aliases.setdefault(name, (target, imports))


class Release:
    """The types of one release."""

    def __init__(self, checkout: Path, target: Target) -> None:
        self.packages: dict[str, Package] = {}
        self.paths: dict[str, str] = {}
        self.roots = target.roots
        self.verbatim = target.verbatim
        self.names: dict[str, str] = {}
        for prefix, folders in PACKAGES.items():
            for folder in folders:
                self.paths[folder] = prefix
            places = (
                checkout / folder.removeprefix(OWN)
                if folder.startswith(OWN)
                else checkout / "vendor" / folder
                for folder in folders
            )
            found = next((place for place in places if place.is_dir()), None)
            if found is not None:
                self.packages[prefix] = Package(prefix, found)

    def structs(self) -> dict[str, list[Field]]:
        """Return the fields of each struct that the roots lead to."""
        found: dict[str, list[Field]] = {}
        waiting = [root for root in self.roots if root.split(".")[0] in self.packages]
        while waiting:
            name = waiting.pop()
            if name in found:
                continue
            found[name] = list(self._fields(name))
            for field in found[name]:
                inner = re.sub(r"^(?:\*|\[\]|map\[\])*", "", field.type)
                if "." in inner and inner not in self.names:
                    waiting.append(inner)
        return found

    def _fields(self, name: str) -> Iterator[Field]:
        prefix, _, short = name.partition(".")
        package = self.packages[prefix]
        body, imports = package.structs[short]
        for line in body.splitlines():
            match = FIELD.match(line.rstrip())
            if match is None:
                if line.strip():
                    raise ValueError(f"{name}: {line}")
                continue
            declared, type_, tags = match.groups()
            tag = JSON_TAG.search(tags or "")
            json_name, *options = tag[1].split(",") if tag else [declared or ""]
            if json_name == "-":
                continue
            resolved = self.resolve(type_, prefix, imports)
            if (declared is None and not json_name) or "inline" in options:
                yield from self._fields(resolved.lstrip("*"))
                continue
            written = " zero" if "omitzero" in options else "" if "omitempty" in options else " always"
            yield Field(json_name or declared or "", resolved, written)

    def resolve(self, type_: str, prefix: str, imports: dict[str, str]) -> str:
        """Return a type as in the table: `*core.Affinity`, `[]string`, `map[]Quantity`."""
        if type_.startswith("*"):
            return "*" + self.resolve(type_[1:], prefix, imports).lstrip("*")
        if type_ == "[]byte":
            return "string"
        if type_.startswith("[]"):
            return "[]" + self.resolve(type_[2:], prefix, imports)
        if type_.startswith("map["):
            return "map[]" + self.resolve(type_.partition("]")[2], prefix, imports)
        if type_ in SCALARS:
            return SCALARS[type_]
        if INTEGERS.fullmatch(type_):
            return type_
        if "." in type_:
            alias, _, short = type_.partition(".")
            path = imports[alias]
            if f"{path}.{short}" in SPECIAL:
                return SPECIAL[f"{path}.{short}"]
            prefix = self.paths[path]
        else:
            short = type_
        full = f"{prefix}.{short}"
        if full in SPECIAL:
            return SPECIAL[full]
        package = self.packages[prefix]
        if short in package.structs:
            return full
        target, of = package.aliases[short]
        resolved = self.resolve(target, prefix, of)
        if not self.verbatim:
            return resolved
        self.names[full] = resolved
        return full


def spans(values: list[str], releases: list[str]) -> str:
    """Return the releases in which something is there: empty for all, or `1.12-`, `-1.15`, `1.12-1.14`."""
    first, last = releases.index(values[0]), releases.index(values[-1])
    if values != releases[first : last + 1]:
        raise ValueError(f"not one span: {values}")
    start = "" if first == 0 else values[0]
    end = "" if last == len(releases) - 1 else values[-1]
    return f" {start}-{end}" if start or end else ""


def table(releases: dict[str, dict[str, list[Field]]], *, verbatim: bool) -> Iterator[str]:
    """Yield the lines of the structs."""
    names = sorted({name for structs in releases.values() for name in structs})
    order = list(releases)
    for name in names:
        yield name
        having = [release for release in order if name in releases[release]]
        rows: dict[Field, list[str]] = {}
        for release in reversed(having) if verbatim else having:
            for field in releases[release][name]:
                rows.setdefault(field, []).append(release)
        for field, present in rows.items() if verbatim else sorted(rows.items(), key=lambda row: row[0].name):
            present.sort(key=order.index)
            # A struct's own span bounds its fields: only what differs within it is said.
            span = "" if present == having else spans(present, order)
            yield f"  {field.name} {field.type}{field.written}{span}"


def main(arguments: list[str]) -> None:
    """Write a table."""
    target = TARGETS[arguments[0]]
    releases = {}
    names: dict[str, str] = {}
    for argument in arguments[1:]:
        name, _, folder = argument.partition("=")
        release = Release(Path(folder), target)
        releases[name] = release.structs()
        names |= release.names
    lines = [
        *(f"{name} = {type_}" for name, type_ in sorted(names.items())),
        *table(releases, verbatim=target.verbatim),
    ]
    (TABLES / f"{arguments[0]}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
