"""Annotations that suppress a rule for one object: ``ignore.vmrender.io/CODE: the reason``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from renderer.checks.rules import has_vmrender_annotation
from renderer.checks.rules.rule import Finding, Rule, no_findings
from renderer.model.codes import RULE_CODES, Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.field_edit import Edit, RemoveField, RenameField
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import object_at, with_value, without
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.record import Record
from renderer.model.rule_settings import Level
from renderer.model.suggest import suggest
from renderer.model.vmrender_api import VMRENDER_GROUP

PREFIX = f"ignore.{VMRENDER_GROUP}/"
_ANNOTATIONS = ("metadata", "annotations")
_EXAMPLE = f"write {PREFIX}CODE: and the reason"


class Suppression(Record):
    """One annotation; it suppresses ``code`` for ``resource``."""

    code: Code
    resource: Resource
    annotation: str

    def unused_finding(self) -> Diagnostic:
        message = f"{self.annotation} ignores nothing: there is no such finding"
        return _needless(self.resource, self.annotation, message).diagnostic(
            Code.UNUSED_SUPPRESSION, Severity(RULE.level)
        )

    def invalid_finding(self) -> Diagnostic:
        message = f"{self.code} cannot be ignored: it is an error, not a rule or a warning"
        return _needless(self.resource, self.annotation, message).diagnostic(
            Code.SUPPRESSION_INVALID, Severity.ERROR
        )


class Suppressions(Record):
    """The suppressions of an overlay; ``invalid`` are the findings about malformed ones."""

    by_target: Mapping[tuple[ResId | None, Code], Suppression] = MappingProxyType({})
    invalid: tuple[Diagnostic, ...] = ()

    def of(self, diagnostic: Diagnostic) -> Suppression | None:
        """Return the suppression of ``diagnostic``, unless KubeVirt rejects the object."""
        if diagnostic.severity is Severity.ERROR and diagnostic.code not in RULE_CODES:
            return None
        return self.by_target.get((diagnostic.resource, diagnostic.code))

    def unused(self, suppressed: Iterable[Diagnostic]) -> Sequence[Suppression]:
        """Return the suppressions that suppress nothing."""
        used = {(diagnostic.resource, diagnostic.code) for diagnostic in suppressed}
        return [suppression for target, suppression in self.by_target.items() if target not in used]


def read_suppressions(resources: Iterable[Resource]) -> Suppressions:
    """Return the suppressions in annotations, and the findings about invalid ones."""
    found: dict[tuple[ResId | None, Code], Suppression] = {}
    invalid: list[Diagnostic] = []
    for resource in resources:
        for annotation, reason in object_at(resource.content, *_ANNOTATIONS).items():
            problem = _problem(annotation, reason) if VMRENDER_GROUP in annotation else None
            if problem is not None:
                message, hint, fix = problem
                finding = Finding(resource, FieldPath.of(*_ANNOTATIONS, annotation), message, hint, fix=fix)
                invalid.append(finding.diagnostic(Code.SUPPRESSION_INVALID, Severity.ERROR))
            elif annotation.startswith(PREFIX):
                code = Code(annotation.removeprefix(PREFIX))
                found[resource.current_id, code] = Suppression(code, resource, annotation)
    return Suppressions(found, tuple(invalid))


def without_suppressions(resources: ResourceSet) -> ResourceSet:
    """Return the resources without suppressions: the annotations are for vmrender, not for the cluster."""
    if not any(map(has_vmrender_annotation, resources)):
        return resources

    def cleaned(resource: Resource) -> Resource:
        if not has_vmrender_annotation(resource):
            return resource
        content = resource.content
        annotations = object_at(content, *_ANNOTATIONS)
        kept = {key: value for key, value in annotations.items() if not key.startswith(PREFIX)}
        return resource.with_content(
            with_value(content, _ANNOTATIONS, kept) if kept else without(content, *_ANNOTATIONS)
        )

    return resources.map(cleaned)


def _problem(annotation: str, reason: object) -> tuple[str, str, Edit | None] | None:
    """Return the problem of an annotation in our domain, a hint and a fix; None if there is no problem."""
    if annotation.startswith(PREFIX):
        code = annotation.removeprefix(PREFIX)
        if code not in set(Code):
            nearest = suggest(code, Code, most=1)
            hint = f"did you mean {PREFIX}{nearest[0]}?" if nearest else f"rules: {', '.join(RULE_CODES)}"
            at = FieldPath.of(*_ANNOTATIONS, annotation)
            fix = RenameField(at, f"{PREFIX}{nearest[0]}") if nearest else None
            return f"{annotation}: there is no finding {code}", hint, fix
        if not isinstance(reason, str) or not reason.strip():
            hint = f"write the reason after it: {annotation}: made by hand"
            return f"{annotation} has no reason", hint, None
    elif annotation in (
        f"{VMRENDER_GROUP}/ignore",
        f"ignore.{VMRENDER_GROUP}",
        f"{VMRENDER_GROUP}/ignore-rules",
    ):
        return f"{annotation} ignores nothing", _EXAMPLE, None
    return None


def _needless(resource: Resource, annotation: str, message: str) -> Finding:
    at = FieldPath.of(*_ANNOTATIONS, annotation)
    return Finding(resource, at, message, "remove the annotation", fix=RemoveField(at))


#: ``checks.rules.judge`` finds unused suppressions, after all rules have run.
RULE = Rule(Code.UNUSED_SUPPRESSION, Level.WARNING, no_findings)
