"""CustomResourceDefinitions and OpenAPI documents that ``vmrender schema import`` gets."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from renderer.checks.schemas.kubevirt_kinds import KINDS
from renderer.checks.schemas.project_schema import ProjectSchema, UnusableSchemaError
from renderer.checks.schemas.release_sources import release_schemas
from renderer.checks.schemas.schema_import import UnlikeKubevirtError, encoded, import_schema
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import Json
from renderer.model.release import LATEST
from renderer.yamlio.decode import decode_documents
from tests.fuzz.mutation import mutated_file, project
from tests.fuzz.target import SEEDS, Target

_SOURCES = tuple(project(SEEDS / "schema_import").values())
_OBJECT: Json = {
    "spec": {"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}, "again": [{}], "volumes": [{"n": 1}]},
    "metadata": {"name": "a"},
}


def _check(content: bytes) -> None:
    try:
        found = release_schemas((("a.yaml", each) for each in decode_documents(content, "a.yaml")), LATEST)
    except (DiagnosticError, UnlikeKubevirtError):
        return
    for kind in KINDS:
        if kind.name in found:
            try:
                text = encoded(import_schema(found[kind.name], kind, LATEST))
                schema = ProjectSchema(json.loads(text))
            except (UnlikeKubevirtError, UnusableSchemaError):
                continue
            assert isinstance(_OBJECT, dict)
            tuple(schema.violations({**_OBJECT, "kind": kind.name}))


TARGET = Target(st.sampled_from(_SOURCES).flatmap(mutated_file), _check)
