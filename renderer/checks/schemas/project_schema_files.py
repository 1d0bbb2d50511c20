"""The repository's own schemas, and the choice of the schema for a kind.

A file is a CustomResourceDefinition, or a JSON Schema whose path identifies its kind:
``<group>/<version>/<kind>.json`` or, as for kubeconform, ``<group>/<kind>_<version>.json``, with the kind in
lower case.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from renderer.checks.schemas.crd_schema import kind_of, version_schemas
from renderer.checks.schemas.project_schema import ProjectSchema, UnusableSchemaError
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.cluster_wide import CRD, declared_scopes
from renderer.model.kube.json import JsonObject, object_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import Gvk
from renderer.model.project_schemas import SCHEMA_PATHS, ProjectSchemas
from renderer.yamlio.decode import decode_documents

_GROUP = re.compile(rb"""\bgroup["']?\s*:\s*["']?([a-z0-9.-]+)""")


class ProjectSchemaFiles:
    """The schemas of ``files``, each read when the first object of its group is checked."""

    def __init__(self, files: ProjectSchemas) -> None:
        self._files = files.others
        self._found: dict[Gvk, ProjectSchema | None] = {}

    @cached_property
    def groups(self) -> frozenset[str]:
        """Return the API groups that have schemas here."""
        of_paths = {kind.group for _, kind in self._by_path}
        of_definitions = (group for _, content in self._definitions.values() for group in _groups(content))
        return frozenset((*of_paths, *of_definitions))

    @cached_property
    def kinds(self) -> tuple[tuple[Gvk, str], ...]:
        """Return every kind with a schema, and its file; a kind from a path has unknown case."""
        found = [(gvk, path) for path, gvk in self._by_path]
        for path in self._definitions:
            for crd in self._crds(path):
                group, kind = kind_of(crd)
                found += [(Gvk(group, version, kind), path) for version in version_schemas(crd)]
        return tuple(found)

    def scope_of(self, group: str, kind: str) -> bool | None:
        """Return True for a kind that a definition here makes cluster-wide, and None for one without any."""
        if group not in self.groups:
            return None
        of_group = (path for path, (_, content) in self._definitions.items() if group in _groups(content))
        return declared_scopes(crd for path in of_group for crd in self._crds(path)).get((group, kind))

    def find(self, gvk: Gvk) -> ProjectSchema | None:
        """Return the schema of ``gvk``; None if the kind has no schema.

        Raises ``DiagnosticError``: schema-invalid for an unusable schema, and schema-missing for a version
        that the kind's definition does not serve.
        """
        if gvk.group not in self.groups:
            return None
        if gvk not in self._found:
            self._found[gvk] = self._lookup(gvk)
        return self._found[gvk]

    def _lookup(self, gvk: Gvk) -> ProjectSchema | None:
        for path, gvk_of_path in self._by_path:
            if gvk_of_path == gvk._replace(kind=gvk.kind.lower()):
                documents = decode_documents(self._files[path][1], path)
                return _usable_schema(object_at(next(iter(documents), None)), path)
        for path, (_, content) in self._definitions.items():
            if gvk.group in _groups(content):
                for crd in self._crds(path):
                    if kind_of(crd) == (gvk.group, gvk.kind):
                        return _schema_of_version(version_schemas(crd), gvk, path)
        return None

    @cached_property
    def _by_path(self) -> tuple[tuple[str, Gvk], ...]:
        matches = (
            (path, pattern.fullmatch(below))
            for path, (below, _) in self._files.items()
            for pattern in SCHEMA_PATHS
        )
        return tuple(
            (path, Gvk(match["group"], match["version"], match["kind"].lower()))
            for path, match in matches
            if match
        )

    @cached_property
    def _definitions(self) -> Mapping[str, tuple[str, bytes]]:
        by_path = {path for path, _ in self._by_path}
        return {
            path: file
            for path, file in self._files.items()
            if path not in by_path and CRD.encode() in file[1]
        }

    def _crds(self, path: str) -> Iterator[JsonObject]:
        for document in decode_documents(self._files[path][1], path):
            if text_at(document, "kind") == CRD:
                yield object_at(document)


def _groups(content: bytes) -> frozenset[str]:
    return frozenset(match[1].decode() for match in _GROUP.finditer(content))


def _schema_of_version(schemas: Mapping[str, JsonObject], gvk: Gvk, path: str) -> ProjectSchema:
    if gvk.version not in schemas:
        raise Diagnostic(
            Code.SCHEMA_MISSING,
            f"there is no schema of {gvk.kind} {gvk.api_version}",
            hint=f"{path} defines {', '.join(schemas) or 'no version'}",
        ).error()
    return _usable_schema(schemas[gvk.version], path)


def imported_schema(path: str, content: bytes) -> ProjectSchema:
    """Return the imported schema of a KubeVirt kind. Raises ``DiagnosticError``: schema-invalid."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise Diagnostic.at(
            Site(path),
            Code.SCHEMA_INVALID,
            "this imported schema is not a JSON object",
            "import the release again with vmrender schema import",
        ).error()
    return _usable_schema(document, path)


def _usable_schema(schema: JsonObject, path: str) -> ProjectSchema:
    try:
        return ProjectSchema(schema)
    except UnusableSchemaError as error:
        raise Diagnostic.at(
            Site(path), Code.SCHEMA_INVALID, f"this schema cannot be used: {error}"
        ).error() from None
