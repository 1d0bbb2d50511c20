"""The schemas by KubeVirt release, group and kind, read on first use.

Shipped schemas are read and compiled once in a process, for all its projects.

Input has its own schemas: the schemas of a release, plus the kinds and fields that exist only at render time.
These are ``v1beta2`` of instance types and preferences and ``domain.cpu.guest`` of VirtualMachines, as in
KubeVirt's customisation proposal. Output is never checked by these.
"""

from __future__ import annotations

import json
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from renderer.checks.schemas.kind_schema import KindSchema
from renderer.checks.schemas.kinds_of_groups import meant_kind
from renderer.checks.schemas.kubernetes_kinds import kubernetes_kinds
from renderer.checks.schemas.kubevirt_kinds import (
    ALL_GROUPS,
    CHECKED_GROUPS,
    COMPANION_GROUPS,
    GROUPS,
    GROUPS_OF_KINDS,
    KINDS,
    WITHOUT_SCHEMA,
    KubevirtKind,
)
from renderer.files.bundled import data_folder
from renderer.kubevirt.facts.kinds import HYPERCONVERGED_GROUP, INSTANCETYPE_GROUP, KUBEVIRT_GROUP
from renderer.kubevirt.facts.virtual_machine import PATHS
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.kube.json import JsonObject, array_at, object_at, with_value
from renderer.model.kube.res_id import Gvk
from renderer.model.pattern import pattern
from renderer.model.project_schemas import NO_SCHEMAS, ProjectSchemas
from renderer.model.release import Release

if TYPE_CHECKING:
    from renderer.checks.schemas.project_schema_files import ProjectSchemaFiles


_VERSION = pattern(r"v[0-9][a-z0-9]{0,62}")
_KIND = pattern(r"[A-Za-z][A-Za-z0-9]{0,62}")
#: Prefixes of the names and short names of KubeVirt's kinds (``components/crds.go``).
_NEARLY = ("virtual", "vm")
_ADD_DEFINITION = "add its CustomResourceDefinition to the project's schemas"
V1BETA2 = "v1beta2"
_SPEC = ("properties", "spec")
#: In the kinds that contain a VirtualMachine.
_CPU_GUESTS = {
    kind: paths.instance.child("domain", "cpu", "guest")
    for kind, paths in PATHS.items()
    if paths.machine is not None
}
#: What ``input_schema`` makes of a schema, for all registries that have it.
_for_input: WeakKeyDictionary[KindSchema, KindSchema] = WeakKeyDictionary()
_VCPUS: JsonObject = {"type": "integer", "minimum": 1, "maximum": (1 << 32) - 1}


class SchemaRegistry:
    """The schemas in ``folder``, by default the bundled ones: ``kubevirt/<release>/<kind>.json``.

    ``project`` are the repository's own schemas, of other kinds and of releases without bundled schemas;
    ``kubernetes`` is the minor release for Kubernetes' own kinds, by default the latest.
    """

    def __init__(
        self,
        folder: Path | None = None,
        project: ProjectSchemas = NO_SCHEMAS,
        kubernetes: Release | None = None,
    ) -> None:
        self._root = folder or data_folder("schemas")
        self.kubernetes = kubernetes_kinds(self._root / "kubernetes" / "definitions.json", kubernetes)
        self._folder = self._root / "kubevirt"
        self._project = project
        self._schemas: dict[tuple[Release, KubevirtKind], KindSchema] = {}
        self._companions: dict[tuple[Gvk, Release | None], KindSchema | None] = {}

    @property
    def groups(self) -> frozenset[str]:
        """Return the API groups that have schemas here, except Kubernetes' own."""
        return CHECKED_GROUPS | self._project_files.groups if self._project_files else CHECKED_GROUPS

    def scope_of(self, group: str, kind: str) -> bool | None:
        """Return True for a kind that the project's schemas make cluster-wide, None for one without any."""
        return self._project_files.scope_of(group, kind) if self._project_files else None

    def knows(self, gvk: Gvk) -> bool:
        """Return True if ``gvk`` is in a group of KubeVirt's, or a kind with a schema of another source."""
        is_by_release = gvk.group in ALL_GROUPS or gvk.group == HYPERCONVERGED_GROUP
        return is_by_release or self.other_schema(gvk) is not None

    def other_schema(self, gvk: Gvk, release: Release | None = None) -> KindSchema | None:
        """Return the schema of a kind that is not KubeVirt's: the project's own, or else the bundled one.

        Of the bundled ones few differ with the release of KubeVirt; without it, it is the newest one's.
        Raises ``DiagnosticError``: schema-invalid, schema-missing.
        """
        own = self.schema_of_project(gvk)
        return own or self._companion_schema(gvk, release) or self.kubernetes.schema(gvk)

    def _companion_schema(self, gvk: Gvk, release: Release | None) -> KindSchema | None:
        if gvk.group not in COMPANION_GROUPS:
            return None
        key = gvk, release and release.minor_release
        if key not in self._companions:
            is_plain = _VERSION.fullmatch(gvk.version) and _KIND.fullmatch(gvk.kind)
            is_known = is_plain and not meant_kind(gvk)  # another finding is about a mistyped kind
            folder, name = self._root / "beside" / gvk.group / gvk.version, f"{gvk.kind.lower()}.json"
            paths = (folder / str(key[1]) / name, folder / name)
            path = next((path for path in paths if path.is_file()), None) if is_known else None
            self._companions[key] = _shipped(path) if path else None
        return self._companions[key]

    def schema_of_project(self, gvk: Gvk) -> KindSchema | None:
        """Return the project's own schema of ``gvk``, a kind that has no bundled schemas by release.

        Raises ``DiagnosticError``: schema-invalid, schema-missing.
        """
        return self._project_files.find(gvk) if self._project_files else None

    @cached_property
    def _project_files(self) -> ProjectSchemaFiles | None:
        if not self._project.others:
            return None
        from renderer.checks.schemas.project_schema_files import ProjectSchemaFiles  # noqa: PLC0415 - few projects have any

        return ProjectSchemaFiles(self._project)

    def schema(self, release: Release, gvk: Gvk) -> KindSchema:
        """Return the schema of ``gvk`` at ``release``, whatever the version.

        Raises ``DiagnosticError``: schema-missing with the missing schema and the available ones, or
        schema-invalid with the error in one of the project's schemas.
        """
        if all((kind.group, kind.name) != (gvk.group, gvk.kind) for kind in KINDS):
            own = self.other_schema(gvk, release)
            if own is not None:
                return own
        if gvk.group == HYPERCONVERGED_GROUP:
            from renderer.checks.schemas.hyperconverged_schema import hyperconverged_schema  # noqa: PLC0415 - few repositories have any

            return hyperconverged_schema(release, gvk)
        kind = _kubevirt_kind(gvk)
        release = release.minor_release
        found = self._schemas.get((release, kind))
        if found is None:
            found = self._imported_schema(release, kind) or self._bundled_schema(release, kind)
            self._schemas[release, kind] = found
        return found

    @cached_property
    def releases(self) -> tuple[Release, ...]:
        """Return the releases that have schemas, oldest first."""
        shipped = {folder.name for folder in self._folder.glob("[0-9]*.[0-9]*")}
        imported = {path.partition("/")[0] for path in self._project.releases}
        return tuple(sorted(Release.parse(name) for name in shipped | imported))

    def _imported_schema(self, release: Release, kind: KubevirtKind) -> KindSchema | None:
        """Return the schema that the project has imported. Raises ``DiagnosticError``: schema-invalid."""
        file = self._project.releases.get(f"{release}/{kind.file_name}")
        if file is None:
            return None
        from renderer.checks.schemas.project_schema_files import imported_schema  # noqa: PLC0415 - few projects have any

        return imported_schema(*file)

    def _bundled_schema(self, release: Release, kind: KubevirtKind) -> KindSchema:
        path = self._folder / str(release) / kind.file_name
        try:
            return _shipped(path)
        except FileNotFoundError:
            available = ", ".join(map(str, self.releases)) or "no release"
            raise Diagnostic(
                Code.SCHEMA_MISSING,
                f"there is no schema of {kind.name} for KubeVirt {release}",
                hint=f"looked for kubevirt/{release}/{kind.file_name}; there are schemas for {available}",
            ).error() from None


@cache
def _shipped(file: Path) -> KindSchema:
    return KindSchema(json.loads(file.read_bytes()))


def _kubevirt_kind(gvk: Gvk) -> KubevirtKind:
    for kind in KINDS:
        if (kind.group, kind.name) == (gvk.group, gvk.kind):
            return kind
    if gvk.kind in WITHOUT_SCHEMA or gvk.group not in GROUPS:
        message = f"there is no schema of {gvk.kind}: it is not checked"
        raise Diagnostic(
            Code.SCHEMA_MISSING, message, hint=_ADD_DEFINITION, severity=Severity.WARNING
        ).error()
    hint = _kind_hint(gvk)
    if gvk.group == KUBEVIRT_GROUP and not hint:
        message = (
            f"KubeVirt itself has no kind {gvk.kind}, which another operator has to serve: it is not checked"
        )
        raise Diagnostic(
            Code.SCHEMA_MISSING, message, hint=_ADD_DEFINITION, severity=Severity.WARNING
        ).error()
    here = ", ".join(kind.name for kind in KINDS if kind.group == gvk.group)
    raise Diagnostic(
        Code.SCHEMA_MISSING,
        f"KubeVirt has no kind {gvk.kind} in the group {gvk.group}",
        hint=hint or f"known kinds: {here}",
    ).error()


def _kind_hint(gvk: Gvk) -> str:
    """Return the hint for a kind that is nearly one of KubeVirt's; empty for one that others may serve.

    KubeVirt's own group is shared: node-maintenance-operator, ssp-operator and vm-import-operator started
    with kinds in it (``NodeMaintenance``, ``KubevirtCommonTemplatesBundle``, ``V2VVmware``).
    """
    from renderer.checks.schemas.wording import nearest  # noqa: PLC0415 - only when something is wrong

    if gvk.kind in GROUPS_OF_KINDS:
        return f"it is in the group {GROUPS_OF_KINDS[gvk.kind]}"
    here = [kind.name for kind in KINDS if kind.group == gvk.group]
    suggested = nearest(gvk.kind, here)
    if suggested:
        return f"did you mean {suggested}?"
    is_nearly = gvk.kind.lower().startswith(_NEARLY)
    return f"known kinds: {', '.join(here)}" if is_nearly else ""


class InputSchemaRegistry(SchemaRegistry):
    """The registry of schemas for input: ``SchemaRegistry``, plus v1beta2 at every release."""

    def schema(self, release: Release, gvk: Gvk) -> KindSchema:
        """Return the schema for a document of ``gvk`` that will be rendered for ``release``.

        Raises ``DiagnosticError`` as ``SchemaRegistry.schema`` does.
        """
        written = super().schema(release, gvk)
        if gvk.group == INSTANCETYPE_GROUP and gvk.version != V1BETA2:
            return written
        found = _for_input.get(written)
        if found is None:
            document = input_schema(written.document, gvk)
            if document is written.document:
                return written
            # An imported schema keeps its engine, whose patterns take linear time.
            found = _for_input[written] = type(written)(document)
        return found


def input_schema(written: JsonObject, gvk: Gvk) -> JsonObject:
    """Return the schema of input of ``gvk``, derived from the schema of ``written`` output of its kind."""
    if gvk.group == INSTANCETYPE_GROUP:
        return _v1beta2(written, gvk.kind) if gvk.version == V1BETA2 else written
    guest = _CPU_GUESTS.get(gvk.kind)
    if guest is None:
        return written
    return with_value(written, [part for key in guest.keys for part in ("properties", key)], _VCPUS)


def _v1beta2(written: JsonObject, kind: str) -> JsonObject:
    schema = with_value(written, ("properties", "apiVersion"), {"enum": [f"{INSTANCETYPE_GROUP}/{V1BETA2}"]})
    schema = {**schema, "title": f"{kind} ({V1BETA2}, at render time only)"}
    if not kind.endswith("Instancetype"):
        return schema
    schema = _without_required(schema, _SPEC, "cpu", "memory")
    for section in ("cpu", "memory"):
        schema = _without_required(schema, (*_SPEC, "properties", section), "guest")
    return schema


def _without_required(schema: JsonObject, path: tuple[str, ...], *optional: str) -> JsonObject:
    part = object_at(schema, *path)
    required = [name for name in array_at(part, "required") if name not in optional]
    rest = {key: value for key, value in part.items() if key != "required"}
    return with_value(schema, path, {**rest, "required": required} if required else rest)
