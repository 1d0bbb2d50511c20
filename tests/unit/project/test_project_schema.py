"""The schema of ``vmrender.yaml`` matches the tables of the program.

``pytest --update-cases`` writes those parts of it, and ``SHA256SUMS``; descriptions are written by hand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

import pytest

from renderer.files.builtin_catalogs import BUILTIN_CATALOGS
from renderer.files.bundled import data_folder
from renderer.model.cluster_settings import AccessMode, VolumeMode
from renderer.model.codes import RULE_CODES, STRICT_RULES, WARNING_CODES
from renderer.model.digest_list import checksums
from renderer.model.entry_point import ENGINE_KINDS, EntryKind
from renderer.model.release import LATEST, LATEST_KUBERNETES, OLDEST_KUBERNETES
from renderer.model.render_config import (
    PLACEHOLDERS,
    ExpandMode,
    Extra,
    InstancetypeNames,
    Layout,
    MergeKeys,
    WebhookField,
)
from renderer.model.rule_settings import Level
from renderer.model.run.limits import DEFAULTS, FIELDS, SIZES, limit_text
from renderer.project.cluster_settings import CLUSTER_FIELDS
from renderer.project.entry_settings import ENTRY_FIELDS

SCHEMAS = data_folder("schemas")
FILE = SCHEMAS / "vmrender" / "renderconfig.json"


def rules() -> dict[str, Any]:
    return {
        str(code): {"$ref": f"#/$defs/{'strictRule' if code in STRICT_RULES else 'rule'}"}
        for code in sorted((*RULE_CODES, *WARNING_CODES))
    }


def limits(present: dict[str, Any]) -> dict[str, Any]:
    """The limits with the sentences that describe them, to which the defaults are added."""
    found = {}
    for name, field in FIELDS.items():
        described = re.sub(
            r" \S+ when it is not given\.$", "", present.get(name, {}).get("description", "TODO.")
        )
        default = limit_text(field, getattr(DEFAULTS, field))
        found[name] = {
            "$ref": f"#/$defs/{'size' if field in SIZES else 'count'}",
            "description": f"{described} {default} when it is not given.",
        }
    return found


def texts(words: Iterable[str]) -> list[str]:
    return [str(word) for word in words]


def written(schema: dict[str, Any]) -> dict[str, Any]:
    """``schema`` with the parts that tables of the program own."""
    schema = json.loads(json.dumps(schema))
    properties, definitions = schema["properties"], schema["$defs"]
    definitions["rules"]["properties"] = rules()
    definitions["limits"]["properties"] = limits(definitions["limits"]["properties"])
    # YAML 1.1 reads off as false.
    definitions["ruleLevel"]["enum"] = [*texts(Level), False]
    definitions["expand"]["enum"] = [*texts(ExpandMode), False]
    definitions["layout"]["enum"] = texts(Layout)
    definitions["extras"]["items"]["enum"] = texts(Extra)
    definitions["webhookFields"]["items"]["enum"] = texts(WebhookField)
    definitions["instancetypeNames"]["enum"] = texts(InstancetypeNames)
    definitions["catalog"]["properties"]["builtin"]["enum"] = [*BUILTIN_CATALOGS]
    definitions["files"]["pattern"] = rf"^([a-z0-9._/-]|\{{({'|'.join(PLACEHOLDERS)})\}})*\.ya?ml$"
    definitions["release"]["examples"][0] = str(LATEST)
    definitions["overlay"]["anyOf"] = [
        {"required": [kind]} for kind in texts((EntryKind.KUSTOMIZATION, *ENGINE_KINDS))
    ]
    properties["mergeKeys"]["enum"] = [*texts(MergeKeys), None]
    properties["kubernetes"]["description"] = re.sub(
        r"1\.\d+ to 1\.\d+",
        f"{OLDEST_KUBERNETES} to {LATEST_KUBERNETES}",
        properties["kubernetes"]["description"],
    )
    of_cluster, of_class = definitions["cluster"]["properties"], definitions["storageClass"]["properties"]
    for name in CLUSTER_FIELDS:  # a cluster has the settings at the top of the file
        of_cluster[name] = properties[name]
    of_class["accessModes"]["items"]["enum"] = texts(AccessMode)
    of_class["volumeModes"]["items"]["enum"] = texts(VolumeMode)
    return schema


def test_schema_has_the_fields_of_the_reader() -> None:
    definitions = json.loads(FILE.read_text(encoding="utf-8"))["$defs"]

    assert set(ENTRY_FIELDS) <= definitions["overlay"]["properties"].keys()
    assert set(CLUSTER_FIELDS) < definitions["cluster"]["properties"].keys()


def test_schema_matches_the_tables(request: pytest.FixtureRequest) -> None:
    text = FILE.read_text(encoding="utf-8")
    expected = json.dumps(written(json.loads(text)), indent=2, ensure_ascii=False) + "\n"
    if request.config.getoption("--update-cases"):
        FILE.write_text(expected, encoding="utf-8")
        files = {path.relative_to(SCHEMAS).as_posix(): path.read_bytes() for path in SCHEMAS.rglob("*.json")}
        (SCHEMAS / "SHA256SUMS").write_text(checksums(files), encoding="utf-8")

    assert FILE.read_text(encoding="utf-8") == expected
    assert "TODO" not in expected
