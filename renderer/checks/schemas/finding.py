"""A violation at one place of a resource, and the release whose schema it violates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress

from renderer.checks.schemas.kind_schema import KindSchema, SchemaTree
from renderer.checks.schemas.known_values import NULL_WHEN_MISSING, WEBHOOK_SCHEMA
from renderer.checks.schemas.kubernetes_formats import TEMPLATE_METADATA
from renderer.checks.schemas.kubernetes_kinds import GROUPS as KUBERNETES_GROUPS
from renderer.checks.schemas.kubevirt_kinds import GROUPS, REWRITTEN
from renderer.checks.schemas.registry import SchemaRegistry
from renderer.kubevirt.facts.kinds import HYPERCONVERGED_GROUP
from renderer.kubevirt.hyperconverged.release import OperatorRelease
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.model.field_edit import Edit
from renderer.model.fix import Fix
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY, JsonObject, text_at
from renderer.model.kube.res_id import Gvk
from renderer.model.kube.resource import Resource
from renderer.model.record import Record
from renderer.model.release import Release

_ZEROS: Mapping[str, str | int | bool] = {"string": "", "integer": 0, "boolean": False}


class SchemaFinding(Record):
    """A problem of ``field``.

    ``parent``: the field is missing, so the finding is at the mapping that lacks it. ``about_key``: the name
    of the field is the problem. ``target`` is the release for which it is a problem, if there is another for
    which it is not. ``fix`` is an edit of the resource, if there is one right answer.
    """

    field: FieldPath
    message: str
    hint: str | None = None
    code: Code = Code.SCHEMA
    severity: Severity = Severity.ERROR
    parent: bool = False
    about_key: bool = False
    target: Release | None = None
    fix: Edit | None = None

    def of(self, resource: Resource) -> Diagnostic:
        return Diagnostic(
            self.code,
            self.message,
            hint=self.hint,
            severity=self.severity,
            sites=resource.sites(self.field.parent if self.parent else self.field),
            resource=resource.current_id,
            field=self.field,
            target=self.target,
            about_key=self.about_key,
            fix=None if self.fix is None else Fix.of(resource, self.fix),
        )


class SchemaTarget(Record):
    """The kind and release of the schema for resources.

    ``unknown_fields`` caches the findings so far, by field, kind of its value and the names of its siblings.
    """

    gvk: Gvk
    release: Release
    schemas: SchemaRegistry
    unknown_fields: dict[tuple[FieldPath, str, frozenset[str]], SchemaFinding]

    @property
    def schema(self) -> KindSchema:
        """Return the schema. Raises ``DiagnosticError`` (schema-missing)."""
        return self.schemas.schema(self.release, self.gvk)

    @property
    def authority(self) -> str:
        """Return who defines the fields and values."""
        if self.is_of_kubernetes:
            return f"Kubernetes {self.schemas.kubernetes.minor}"
        operator = OperatorRelease.deploying(self.release)
        if self.gvk.group == HYPERCONVERGED_GROUP and operator is not None:
            return f"the HyperConverged operator {operator}"
        return f"KubeVirt {self.release}" if self.gvk.group in GROUPS else "the schema"

    @property
    def is_of_kubernetes(self) -> bool:
        """Return True if the kind is one of Kubernetes' own, and the project has no schema for it."""
        kinds = self.schemas.kubernetes
        return self.gvk.group in KUBERNETES_GROUPS and self.schema is kinds.schema(self.gvk)

    def zero_for_missing(self, field: FieldPath) -> str | int | bool | None:
        """Return the zero value that KubeVirt sets for a missing required ``field``; None if it rejects it.

        From 1.0 on, required texts, numbers and booleans have a default in the webhooks' OpenAPI schema. So
        the webhooks do not report them as missing, and the mutating webhook writes them as Go does:
        ``"image": ""``. The API server, which checks afterwards, sees the zero value. It rejects one that is
        invalid for the field.
        """
        path = field.segments
        if (self.gvk.group, self.gvk.kind) not in REWRITTEN or self.release < WEBHOOK_SCHEMA:
            return None
        schemas = [schema or EMPTY for schema in self.schema.tree.along(field)]
        zero = _ZEROS.get(str(schemas[-1].get("type")))
        is_copied = any(text_at(schema, "title") == TEMPLATE_METADATA for schema in schemas)
        is_null = str(field).endswith(NULL_WHEN_MISSING)
        if zero is None or path[0] != "spec" or is_copied or is_null:
            return None
        alone: JsonObject = {"properties": {"field": schemas[-1]}}
        return zero if KindSchema(alone).is_valid({"field": zero}) else None

    @property
    def judging_release(self) -> Release | None:
        """Return the release of KubeVirt whose schema applies; None for kinds of Kubernetes."""
        return None if self.is_of_kubernetes else self.release

    def known_elsewhere(self, knows: Callable[[SchemaTree], bool]) -> str | None:
        """Return ``needs KubeVirt 1.7`` if another release than the target ``knows`` the field, else None.

        Walks through the other releases' schemas, so it is called only for errors.
        """
        if self.is_of_kubernetes:
            return self._known_to_other_minors(knows)
        knowing: list[Release] = []
        for release in self.schemas.releases:
            with suppress(DiagnosticError):  # a release without a usable schema of the kind
                if knows(self.schemas.schema(release, self.gvk).tree):
                    knowing.append(release)
        later = [release for release in knowing if release > self.release]
        if later:
            return f"needs {self._named(later[0])}"
        return f"exists only up to {self._named(knowing[-1])}" if knowing else None

    def _named(self, release: Release) -> str:
        """Return the release of KubeVirt, or of the operator that deploys it, for a message."""
        if self.gvk.group != HYPERCONVERGED_GROUP:
            return f"KubeVirt {release}"
        return f"the HyperConverged operator {OperatorRelease.deploying(release)}, with KubeVirt {release}"

    def _known_to_other_minors(self, knows: Callable[[SchemaTree], bool]) -> str | None:
        kinds = self.schemas.kubernetes
        schemas = ((minor, kinds.at(minor).schema(self.gvk)) for minor in kinds.minors)
        knowing = [minor for minor, schema in schemas if schema is not None and knows(schema.tree)]
        later = [minor for minor in knowing if minor > kinds.minor]
        if later:
            return f"needs Kubernetes {later[0]}; the target is {kinds.minor}"
        return f"exists only up to Kubernetes {knowing[-1]}" if knowing else None
