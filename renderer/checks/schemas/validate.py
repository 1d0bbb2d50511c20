"""Check resources against their schemas.

The schema of the target release applies to KubeVirt's kinds, the project's own schemas, if any, to other
kinds. A valid resource costs a few microseconds; only an invalid one is examined closely.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING

from renderer.checks.schemas.kind_schema import KindSchema
from renderer.checks.schemas.kinds_of_groups import meant_kind, mistyped_kind
from renderer.checks.schemas.kubevirt_kinds import GROUPS_OF_KINDS, OPERATOR_GROUPS
from renderer.checks.schemas.registry import SchemaRegistry
from renderer.kubevirt.facts.kinds import is_kubevirt_group
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.field_edit import SetField
from renderer.model.kube.encryption import is_encrypted
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import count_values
from renderer.model.kube.res_id import Gvk
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.kube.sharing import once_for_same
from renderer.model.release import Release
from renderer.model.run.work import spend

if TYPE_CHECKING:
    from renderer.checks.schemas.finding import SchemaTarget

_KIND = FieldPath.of("kind")
_API_VERSION = FieldPath.of("apiVersion")

#: Steps for expanding and checking a value, and for an object of KubeVirt's in addition to its values
#: (``model.run.work``).
_STEPS_PER_VALUE, _STEPS_PER_KUBEVIRT_OBJECT = 6, 200
#: Steps for a violation, for its finding, and for each patch that may have written the field.
_STEPS_PER_VIOLATION, _STEPS_PER_FINDING, _STEPS_PER_LAYER = 30, 60, 2
_WORK = "expanding and checking resources"
_LOOKING = "looking for what is wrong with resources"


def validate(resources: ResourceSet, release: Release, schemas: SchemaRegistry) -> tuple[Diagnostic, ...]:
    """Return the findings by resource and field: unknown-field, schema, placeholder.

    A missing or unusable schema is reported once for each kind.
    """
    run = _Run(release, schemas, Counter(resource.gvk for resource in resources))
    return tuple(chain.from_iterable(map(run.findings, resources)))


def unchecked(resources: ResourceSet, schemas: SchemaRegistry) -> Iterator[Resource]:
    """Yield the resources without a schema, about which ``validate`` reports nothing."""
    for resource in resources:
        with suppress(DiagnosticError):  # an unusable schema is a finding
            gvk = resource.gvk
            is_reported = gvk.kind in GROUPS_OF_KINDS or schemas.kubernetes.api_version_of(gvk)
            is_reported = is_reported or meant_kind(gvk)
            if not is_reported and not schemas.knows(gvk):
                yield resource


@once_for_same
def _target(gvk: Gvk, release: Release, schemas: SchemaRegistry) -> SchemaTarget:
    from renderer.checks.schemas.finding import SchemaTarget  # noqa: PLC0415 - only when something is wrong

    return SchemaTarget(gvk, release, schemas, {})


@once_for_same
def _violations(
    resource: Resource, schema: KindSchema, release: Release, schemas: SchemaRegistry
) -> tuple[Diagnostic, ...]:
    """Return the findings about a resource: the same ones in each overlay of the base that it comes from."""
    _count_values(resource)
    if schema.is_valid(resource.content):
        return _broken_rules(resource)
    if is_encrypted(resource):
        return ()
    from renderer.checks.schemas.findings import findings  # noqa: PLC0415 - only when something is wrong

    target, violations = _target(resource.gvk, release, schemas), schema.violations(resource.content)
    spend(_STEPS_PER_VIOLATION * len(violations), _LOOKING)
    found = findings(violations, target)
    spend((_STEPS_PER_FINDING + _STEPS_PER_LAYER * len(resource.layers)) * len(found), _LOOKING)
    return tuple(each.of(resource) for each in found)


def _broken_rules(resource: Resource) -> tuple[Diagnostic, ...]:
    if resource.gvk.group not in OPERATOR_GROUPS or is_encrypted(resource):
        return ()
    from renderer.checks.schemas.operator_rules import broken_rules  # noqa: PLC0415 - few overlays have such objects

    return broken_rules(resource)


def _count_values(resource: Resource) -> None:
    spend(_STEPS_PER_VALUE * count_values(resource.content), _WORK)


class _Run:
    def __init__(self, release: Release, schemas: SchemaRegistry, objects: Mapping[Gvk, int]) -> None:
        self._release = release
        self._objects = objects
        self._schemas = schemas
        self._by_gvk: dict[Gvk, KindSchema | None] = {}
        self._known: set[Gvk] = set()

    def findings(self, resource: Resource) -> tuple[Diagnostic, ...]:
        gvk = resource.gvk
        if is_kubevirt_group(gvk.group):  # other stages work on it in each overlay
            spend(_STEPS_PER_KUBEVIRT_OBJECT, _WORK)
        problems = () if gvk in self._by_gvk else tuple(self._lookup_problems(gvk, resource))
        schema = self._by_gvk[gvk]
        if schema is not None:
            return problems + _violations(resource, schema, self._release, self._schemas)
        _count_values(resource)
        if gvk in self._known:
            return problems
        return (*problems, *self._api_version_problems(resource))

    def _api_version_problems(self, resource: Resource) -> Iterator[Diagnostic]:
        """Yield the problems of the API version of an object without a schema."""
        gvk = resource.gvk
        served = self._schemas.kubernetes.api_version_of(gvk)
        if served is not None and gvk.version:
            minor = self._schemas.kubernetes.minor
            message = f"Kubernetes {minor} does not serve {resource.kind} as {resource.api_version}"
            at = FieldPath.of("apiVersion")
            hint, fix = f"write apiVersion: {served}", SetField(at, served)
            yield Diagnostic.about(resource, at, Code.API_VERSION, message, hint, fix=fix)
            return
        is_known = (
            gvk.kind in GROUPS_OF_KINDS or gvk.kind.startswith("Instance") or gvk.group.startswith("vm")
        )
        if not is_known and gvk.version and isinstance(resource.content.get("apiVersion"), str):
            mistyped = mistyped_kind(resource)
            if mistyped is not None:
                yield mistyped
            return  # most objects
        from renderer.checks.schemas.api_version import refuse_api_version  # noqa: PLC0415 - seldom needed

        yield from refuse_api_version(resource, served)

    def _lookup_problems(self, gvk: Gvk, resource: Resource) -> Iterator[Diagnostic]:
        self._by_gvk[gvk] = None
        try:
            if self._schemas.knows(gvk):
                self._known.add(gvk)
                schema = self._by_gvk[gvk] = self._schemas.schema(self._release, gvk)
                if schema is not None:
                    schema.expect(self._objects[gvk])
        except DiagnosticError as error:
            for diagnostic in error.diagnostics:
                if diagnostic.sites or diagnostic.location:  # it is at the schema's own file
                    yield diagnostic
                else:
                    at = _API_VERSION if diagnostic.code is Code.API_VERSION else _KIND
                    fix = diagnostic.fix and diagnostic.fix._replace(roots=resource.sites())
                    yield diagnostic._replace(sites=resource.sites(at), resource=resource.current_id, fix=fix)
