"""Make `schemas/hyperconverged/`: the schemas of HyperConverged, by release of its operator and API version.

    python .ci/schemas_hyperconverged.py 1.10=hco00.crd.yaml … 1.19=hco00.crd.yaml main=hco00.crd.yaml

Each file is `deploy/crds/hco00.crd.yaml` of kubevirt/hyperconverged-cluster-operator at a release; those that
ship are of its release branches. Field names, types, bounds, defaults and rules in CEL are taken;
descriptions and `status` are not. A release with the schemas of the one before it has no files of its own.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import yaml  # noqa: E402 - as for the path above

from renderer.checks.schemas.definitions import with_definitions  # noqa: E402 - as above
from renderer.checks.schemas.kubernetes_formats import (  # noqa: E402 - as above
    LIST_KEYS,
    PRESERVED,
    QUANTITY_PATTERN,
    Schema,
    object_meta,
    quantity,
    whole_number,
)
from renderer.checks.schemas.schema_import import encoded  # noqa: E402 - as above
from renderer.model.digest_list import checksums  # noqa: E402 - as above

SCHEMAS = ROOT / "schemas"
GROUP, KIND, NAME = "hco.kubevirt.io", "HyperConverged", "kubevirt-hyperconverged"
RULES = "x-kubernetes-validations"
KEPT = (
    *("default", "enum", "maxItems", "maxLength", "maximum", "minItems", "minLength", "minimum", "required"),
    LIST_KEYS,
)


def converted(crd: dict) -> Schema:
    """Return a structural schema as JSON Schema; its defaults, rules and `nullable` are kept."""
    schema: Schema = {**typed(crd), **{keyword: crd[keyword] for keyword in KEPT if keyword in crd}}
    if crd.get("x-kubernetes-list-type") == "set":
        schema["uniqueItems"] = True
    if RULES in crd:
        schema[RULES] = [{"rule": " ".join(rule["rule"].split())} for rule in crd[RULES]]
    if crd.get("nullable"):
        schema["type"] = [schema["type"], "null"]
        if "enum" in schema:
            schema["enum"] = [*crd["enum"], None]
    return schema


def typed(crd: dict) -> Schema:
    kind = crd.get("type")
    if crd.get("x-kubernetes-int-or-string"):
        if crd["pattern"] != QUANTITY_PATTERN:
            raise ValueError(f"not a quantity: {crd}")
        return quantity(fractions=False)
    if kind == "object":
        return mapping(crd)
    if kind == "array":
        return {"type": kind, "items": converted(crd["items"])}
    if kind == "integer":
        return whole_number(32 if crd.get("format") == "int32" else 64, signed=True)
    pattern = {"pattern": crd["pattern"].replace(r"\d", "[0-9]")} if "pattern" in crd else {}
    time = {"format": "date-time"} if crd.get("format") == "date-time" else {}
    return {"type": kind, **pattern, **time}


def mapping(crd: dict) -> Schema:
    values = crd.get("additionalProperties")
    if values:
        return {"type": "object", "additionalProperties": converted(values)}
    properties = {name: converted(child) for name, child in sorted(crd.get("properties", {}).items())}
    is_open = {PRESERVED: True} if crd.get(PRESERVED) else {"additionalProperties": False}
    return {"type": "object", **({"properties": properties} if properties else {}), **is_open}


def document(version: dict, release: str) -> Schema:
    structural = version["schema"]["openAPIV3Schema"]
    metadata = object_meta()
    # The CRD accepts each name that contains this one, and the operator works on this one alone.
    name = structural["properties"]["metadata"]["properties"]["name"]
    if name["pattern"] != NAME:
        raise ValueError(f"the name of the object must match {name['pattern']}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"{KIND} {version['name']} (HyperConverged operator {release})",
        **with_definitions(
            {
                "type": "object",
                "properties": {
                    "apiVersion": {"const": f"{GROUP}/{version['name']}"},
                    "kind": {"const": KIND},
                    "metadata": {
                        **metadata,
                        "properties": {**metadata["properties"], "name": {"const": NAME}},
                    },
                    "spec": converted(structural["properties"]["spec"]),
                    "status": {"type": "object", PRESERVED: True},
                },
                "additionalProperties": False,
                "required": ["apiVersion", "kind", "metadata"],
            }
        ),
    }


def main(*arguments: str) -> None:
    last: dict[str, str] = {}
    for argument in arguments:
        release, _, path = argument.partition("=")
        for version in yaml.safe_load(Path(path).read_text())["spec"]["versions"]:
            name = version["name"]
            text = encoded(document(version, release))
            if json.loads(text) | {"title": ""} == json.loads(last.get(name, "{}")) | {"title": ""}:
                continue
            last[name] = text
            target = SCHEMAS / "hyperconverged" / release / f"{name}.json"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
    files = {path.relative_to(SCHEMAS).as_posix(): path.read_bytes() for path in SCHEMAS.rglob("*.json")}
    (SCHEMAS / "SHA256SUMS").write_text(checksums(files))


if __name__ == "__main__":
    main(*sys.argv[1:])
