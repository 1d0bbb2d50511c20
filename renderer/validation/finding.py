"""A violation in one place of a resource, and the release whose schema it violates."""

from __future__ import annotations

from collections.abc import Callable

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.model.field_path import FieldPath
from renderer.model.record import Record
from renderer.model.release import Release
from renderer.model.res_id import Gvk
from renderer.model.resource import Resource
from renderer.validation.kind_schema import KindSchema, SchemaTree
from renderer.validation.kubevirt_kinds import GROUPS
from renderer.validation.registry import SchemaRegistry


class SchemaFinding(Record):
    """A problem of ``field``; ``parent``: it is missing, only the mapping it should be in can be shown.

    ``target`` is the release that it is a problem for, where there is one for which it is none.
    """

    field: FieldPath
    message: str
    hint: str | None = None
    code: Code = Code.SCHEMA
    severity: Severity = Severity.ERROR
    parent: bool = False
    target: Release | None = None

    def of(self, resource: Resource) -> Diagnostic:
        return Diagnostic(
            code=self.code,
            message=self.message,
            severity=self.severity,
            sites=resource.sites(self.field.parent if self.parent else self.field),
            resource=resource.current_id,
            field=self.field,
            hint=self.hint,
            target=self.target,
        )


class SchemaTarget(Record):
    """The kind and release a resource is judged by."""

    gvk: Gvk
    release: Release
    schemas: SchemaRegistry

    @property
    def schema(self) -> KindSchema:
        """Raises ``DiagnosticError`` (schema-missing)."""
        return self.schemas.schema(self.release, self.gvk)

    @property
    def authority(self) -> str:
        """Who says what there is."""
        return f"KubeVirt {self.release}" if self.gvk.group in GROUPS else "the schema"

    def known_elsewhere(self, knows: Callable[[SchemaTree], bool]) -> str | None:
        """``needs KubeVirt 1.7`` if another release than the target ``knows`` it, else None.

        Costs a walk through the other releases' schemas: only for what is wrong.
        """
        knowing = [release for release in self.schemas.releases if self._knows(release, knows)]
        later = [release for release in knowing if release > self.release]
        if later:
            return f"needs KubeVirt {later[0]}"
        if knowing:
            return f"is of KubeVirt {knowing[-1]} and older"
        return None

    def _knows(self, release: Release, knows: Callable[[SchemaTree], bool]) -> bool:
        try:
            return knows(self.schemas.schema(release, self.gvk).tree)
        except DiagnosticError:
            return False
