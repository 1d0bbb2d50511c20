"""Add the kinds of other operators to `schemas/beside/`: networks, routes, snapshots, secrets and migrations.

    python .ci/schemas_operators.py kubernetes-sigs/gateway-api=CLONE metallb/metallb=CLONE …

Each CLONE is a Git repository with the tags that `SOURCES` lists; sources without one are left as they are.
Nobody knows which release of an operator a cluster has. So a kind has the fields and values of all the
releases, and is as loose as the loosest: a field is required if each of them requires it. Field names, types,
enums, bounds and patterns are taken; descriptions, defaults and rules in CEL are not.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import reduce
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import yaml  # noqa: E402 - as for the path above

from renderer.checks.schemas.crd_schema import version_schemas  # noqa: E402 - as above
from renderer.checks.schemas.kubernetes_formats import PRESERVED, Schema  # noqa: E402 - as above
from renderer.checks.schemas.schema_import import (  # noqa: E402 - as above
    encoded,
    with_definitions,
)
from renderer.model.digest_list import checksums  # noqa: E402 - as above

SCHEMAS = ROOT / "schemas"


class Source(NamedTuple):
    """A repository, its releases from old to new, and the files of its CustomResourceDefinitions."""

    repository: str
    releases: str
    path: str
    names: str


SOURCES = (
    Source(
        "bitnami-labs/sealed-secrets",
        "v0.24.0 v0.27.3 v0.36.6",
        "helm/sealed-secrets/crds/bitnami.com_{}.yaml",
        "sealedsecrets",
    ),
    Source(
        "external-secrets/external-secrets",
        "v0.16.2 v0.17.0 v0.20.4 v1.3.2 v2.4.1 v2.9.0",
        "config/crds/bases/external-secrets.io_{}.yaml",
        "clusterexternalsecrets clustersecretstores externalsecrets pushsecrets secretstores",
    ),
    Source(
        "k8snetworkplumbingwg/multi-networkpolicy",
        "master",
        "scheme.yml",
        "multinetworkpolicies",
    ),
    Source(
        "k8snetworkplumbingwg/sriov-network-operator",
        "v1.2.0 v1.3.0 v1.4.0 v1.5.0 v1.6.0",
        "config/crd/bases/sriovnetwork.openshift.io_{}.yaml",
        "ovsnetworks sriovibnetworks sriovnetworknodepolicies sriovnetworks",
    ),
    Source(
        "kubernetes-csi/external-snapshotter",
        "v6.3.4 v7.0.2 v8.2.1 v8.6.0",
        "client/config/crd/snapshot.storage.k8s.io_{}.yaml",
        "volumesnapshotclasses volumesnapshotcontents volumesnapshots",
    ),
    Source(
        "kubernetes-sigs/gateway-api",
        "v1.0.0 v1.1.1 v1.2.1 v1.3.0 v1.4.1 v1.5.1 v1.6.1",
        "config/crd/experimental/gateway.networking.k8s.io_{}.yaml",
        "backendtlspolicies gatewayclasses gateways grpcroutes httproutes referencegrants tcproutes tlsroutes"
        " udproutes",
    ),
    Source(
        "kubev2v/forklift",
        "v2.7.10 v2.8.5 v2.9.2 v2.10.6 v2.11.7 v2.12.5",
        "operator/config/crd/bases/forklift.konveyor.io_{}.yaml",
        "forkliftcontrollers hooks hosts migrations networkmaps plans providers storagemaps",
    ),
    Source(
        "metallb/metallb",
        "v0.13.12 v0.14.9 v0.15.3 v0.16.1",
        "config/crd/bases/metallb.io_{}.yaml",
        "bfdprofiles bgpadvertisements bgppeers communities ipaddresspools l2advertisements",
    ),
    Source(
        "nmstate/kubernetes-nmstate",
        "v0.79.0 v0.82.0 v0.86.0",
        "deploy/crds/nmstate.io_{}.yaml",
        "nodenetworkconfigurationpolicies",
    ),
    Source(
        "ovn-kubernetes/ovn-kubernetes",
        "v1.0.0 v1.1.0 v1.2.0 v1.3.0",
        "{}",
        "clusteruserdefinednetworks egressfirewalls userdefinednetworks",
    ),
)
#: Keywords whose value must be the same in both schemas to stay, and those of which the looser one stays.
_EQUAL = ("const", "pattern", "propertyNames", "title", "uniqueItems", "x-kubernetes-list-map-keys")
_LOOSER = {
    **dict.fromkeys(("minimum", "minItems", "minLength", "minProperties"), min),
    **dict.fromkeys(("maximum", "maxItems", "maxLength", "maxProperties"), max),
}
#: Alternatives are left out too: messages about them say little.
_DROPPED = ("default", "allOf", "anyOf", "not", "oneOf")


def loosest(old: Schema, new: Schema) -> Schema:
    """Return a schema that accepts what either of two releases accepts."""
    if old == new:
        return new
    if old.get("type") != new.get("type"):
        return {}
    merged: Schema = {"type": new["type"]} if "type" in new else {}
    for keyword in _EQUAL:
        if keyword in new and old.get(keyword) == new[keyword]:
            merged[keyword] = new[keyword]
    for keyword, choose in _LOOSER.items():
        if keyword in old and keyword in new:
            merged[keyword] = choose(old[keyword], new[keyword])
    if "enum" in old and "enum" in new:
        merged["enum"] = list(dict.fromkeys([*new["enum"], *old["enum"]]))
    if "items" in new:
        merged["items"] = loosest(old.get("items", {}), new["items"])
    required = [name for name in new.get("required", ()) if name in old.get("required", ())]
    if required:
        merged["required"] = required
    return {**merged, **fields(old, new)}


def fields(old: Schema, new: Schema) -> Schema:
    """Return the keywords for the fields of either schema, and for others."""
    before, after = old.get("properties", {}), new.get("properties", {})
    properties = {
        name: loosest(before.get(name, after.get(name)), after.get(name, before.get(name)))
        for name in {**after, **before}
    }
    found: Schema = {"properties": properties} if properties else {}
    others = [schema.get("additionalProperties", True) for schema in (old, new)]
    if others[0] == others[1]:
        return found if others[0] is True else {**found, "additionalProperties": others[0]}
    if all(isinstance(each, dict) for each in others):
        return {**found, "additionalProperties": loosest(*others)}
    return found  # one of the releases keeps any field


def stripped(schema: Schema) -> Schema:
    """Return a schema without what is dropped; patterns have the digits that Unicode does not extend."""
    kept = {key: value for key, value in schema.items() if key not in _DROPPED}
    if "pattern" in kept:
        kept["pattern"] = kept["pattern"].replace(r"\d", "[0-9]")
    if "properties" in kept:
        kept["properties"] = {name: stripped(child) for name, child in kept["properties"].items()}
    for keyword in ("items", "additionalProperties"):
        if isinstance(kept.get(keyword), dict):
            kept[keyword] = stripped(kept[keyword])
    return kept


def of_release(clone: Path, source: Source, release: str) -> Iterator[tuple[tuple[str, str, str], Schema]]:
    """Yield group, version and kind, and the schema, of what one release serves."""
    tree = ["git", "-C", str(clone), "ls-tree", "-r", "--name-only", release]
    listed = output_of(tree).splitlines()
    for name in source.names.split():
        path = source.path.format(name)
        if path == name:  # it has moved
            path = next((each for each in listed if is_definition(each, name)), "")
        if path not in listed:
            continue
        show = ["git", "-C", str(clone), "show", f"{release}:{path}"]
        text = output_of(show)
        for definition in yaml.load_all(without_templates(text), Loader=yaml.CSafeLoader):
            spec = (definition or {}).get("spec")
            for version, schema in version_schemas(definition).items() if spec else ():
                yield (spec["group"], version, spec["names"]["kind"]), stripped(schema)


def output_of(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603 - git, of the caller's clones


def is_definition(path: str, name: str) -> bool:
    return path.endswith((f"k8s.ovn.org_{name}.yaml", f"k8s.ovn.org_{name}.yaml.j2"))


def without_templates(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.startswith(("{{", "{%")))


def main(*arguments: str) -> None:
    clones = dict(argument.split("=", 1) for argument in arguments)
    for source in SOURCES:
        found: dict[tuple[str, str, str], list[Schema]] = {}
        for release in source.releases.split() if source.repository in clones else ():
            for kind, schema in of_release(Path(clones[source.repository]), source, release):
                found.setdefault(kind, []).append(schema)
        for (group, version, kind), schemas in found.items():
            schema = reduce(loosest, schemas)
            if "status" in schema["properties"]:
                schema["properties"]["status"] = {"type": "object", PRESERVED: True}
            path = SCHEMAS / "beside" / group / version / f"{kind.lower()}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(encoded(with_definitions(schema)))
    files: Mapping[str, bytes] = {
        path.relative_to(SCHEMAS).as_posix(): path.read_bytes() for path in SCHEMAS.rglob("*.json")
    }
    (SCHEMAS / "SHA256SUMS").write_text(checksums(files))


if __name__ == "__main__":
    main(*sys.argv[1:])
