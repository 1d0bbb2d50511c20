"""Kinds of KubeVirt's in an API group that is nearly one of KubeVirt's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.release import Release
from renderer.model.res_id import Gvk
from renderer.model.resource import Resource, ResourceSet
from renderer.validation.kind_schema import KindSchema
from renderer.validation.kubevirt_kinds import KINDS
from renderer.validation.registry import SchemaRegistry


def refuse_misspelled_group(gvk: Gvk) -> None:
    """Of a kind that is not KubeVirt's. Other projects have a VirtualMachine, too.

    Raises ``DiagnosticError`` (schema-missing) for ``kubevirt/v1``, ``kubevirt.io`` and the like.
    """
    for kind in KINDS:
        if kind.name == gvk.kind:
            from renderer.validation.wording import nearest  # noqa: PLC0415 - most kinds are of other names

            written = gvk.group or gvk.version  # without a slash all of apiVersion is the version
            if nearest(written, [kind.group]):
                raise DiagnosticError(_of_no_group(gvk, kind.group))


def _of_no_group(gvk: Gvk, group: str) -> Diagnostic:
    written = f"in the group {gvk.group}" if gvk.group else f"of the apiVersion {gvk.version}"
    return Diagnostic(
        code=Code.SCHEMA_MISSING,
        message=f"KubeVirt has no kind {gvk.kind} {written}",
        hint=f"it is of the group {group}",
    )


def validate(resources: ResourceSet, release: Release, schemas: SchemaRegistry) -> tuple[Diagnostic, ...]:
    """What is wrong, by resource and field: unknown-field, schema, placeholder.

    A schema that is missing, or cannot be used, is reported once for each kind.
    """
    run = _Run(release, schemas)
    return tuple(diagnostic for resource in resources for diagnostic in run.judged(resource))


class _Run:
    def __init__(self, release: Release, schemas: SchemaRegistry) -> None:
        self._release = release
        self._schemas = schemas
        self._by_gvk: dict[Gvk, KindSchema | None] = {}

    def judged(self, resource: Resource) -> Iterator[Diagnostic]:
        gvk = resource.gvk
        if gvk not in self._by_gvk:
            yield from self._looked_up(gvk, resource)
        schema = self._by_gvk[gvk]
        if schema is not None and not schema.is_valid(resource.content):
            yield from self._explained(gvk, resource, schema)

    def _explained(self, gvk: Gvk, resource: Resource, schema: KindSchema) -> Iterator[Diagnostic]:
        from renderer.validation.finding import SchemaTarget  # noqa: PLC0415 - as above
        from renderer.validation.findings import findings  # noqa: PLC0415 - only when something is wrong

        target = SchemaTarget(gvk, self._release, self._schemas)
        for finding in findings(schema.violations(resource.content), target):
            yield finding.of(resource)

    def _looked_up(self, gvk: Gvk, resource: Resource) -> Iterator[Diagnostic]:
        self._by_gvk[gvk] = None
        try:
            if self._schemas.covers(gvk):
                self._by_gvk[gvk] = self._schemas.schema(self._release, gvk)
            else:
                refuse_misspelled_group(gvk)
        except DiagnosticError as error:
            for diagnostic in error.diagnostics:
                if diagnostic.sites or diagnostic.location:  # the schema's own file
                    yield diagnostic
                else:
                    yield replace(diagnostic, sites=resource.sites(), resource=resource.current_id)
