"""A HyperConverged object: what the webhooks of its operator refuse, and the rules in CEL of its schema.

``kubevirt/hyperconverged`` has what the operator does; here its answers become causes. The release of the
operator is the one that deploys the target release of KubeVirt.
"""

from __future__ import annotations

from renderer.kubevirt.admission.causes import Cause, Causes, duplicate, invalid
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.hyperconverged.cannot_make import CannotMakeCode, CannotMakeError
from renderer.kubevirt.hyperconverged.go_decoding import decoding_error, undecodable
from renderer.kubevirt.hyperconverged.mutating_webhook import Mutation, mutate
from renderer.kubevirt.hyperconverged.object_fields import Setting, version_of
from renderer.kubevirt.hyperconverged.objects import make_objects
from renderer.kubevirt.hyperconverged.release import (
    OperatorEnvironment,
    OperatorFacts,
    OperatorRelease,
    Platform,
)
from renderer.kubevirt.hyperconverged.structural_schema import (
    RULES,
    ProblemCode,
    StructuralSchema,
    structural_schema,
)
from renderer.kubevirt.hyperconverged.validating_webhook import WarningCode, review
from renderer.model.field_edit import RemoveField
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import JsonObject, array_at, text_at
from renderer.model.kube.sharing import once_for_same
from renderer.model.record import Record

_FACTS = OperatorFacts()
_SPEC = FieldPath.of("spec")
_GATES = _SPEC.child("featureGates")
#: Clusters that differ in what the operator makes: a patch may need what only some of them have.
_CLUSTERS = (
    _FACTS,
    OperatorFacts(
        platform=Platform.KUBERNETES,
        control_plane_multi_node=False,
        infrastructure_highly_available=False,
        environment=OperatorEnvironment(),
    ),
    OperatorFacts(
        control_plane_node_exists=False,
        environment=OperatorEnvironment(
            smbios={"family": "", "manufacturer": "", "product": "", "sku": "", "version": ""},
            machine_types={"amd64": "q35", "arm64": "virt", "s390x": "s390-ccw-virtio"},
        ),
    ),
)
#: Where a user finds what the operator does not accept, and what to write there.
_PLACES = {
    CannotMakeCode.BOOT_IMAGES: Setting.DATA_IMPORT_CRON_TEMPLATES,
    CannotMakeCode.CRASH: Setting.TLS_SECURITY_PROFILE,
    CannotMakeCode.NAME_SERVER: Setting.NAME_SERVER,
}
_HINTS = {
    CannotMakeCode.BOOT_IMAGES: "rename one of them",
    CannotMakeCode.CRASH: "write type: Old, Intermediate or Modern, or Custom with the section custom",
    CannotMakeCode.JSON_PATCH: (
        "correct it: its operations change /spec/… of the object that the operator makes"
    ),
    CannotMakeCode.NAME_SERVER: "write an address such as 192.0.2.10",
    CannotMakeCode.SPEC: "write a value that fits into the object that the operator makes",
    CannotMakeCode.TUNING: 'write it as {"qps": 100, "burst": 200}, with tuningPolicy: annotation',
}


class _Reviewed(Record):
    """An object with the release that reviews it, and its schema."""

    content: JsonObject
    release: OperatorRelease
    schema: StructuralSchema


@once_for_same
def check_hyperconverged(content: JsonObject, cluster: Cluster) -> tuple[Cause, ...]:
    """Return what the webhooks and the rules of the schema refuse. Wrong types are left to the schema."""
    reviewed = _reviewed(content, cluster)
    return () if reviewed is None else tuple(_causes(reviewed))


@once_for_same
def warnings_of_hyperconverged(content: JsonObject, cluster: Cluster) -> tuple[Cause, ...]:
    """Return the warnings about gates and fields of an admitted object; unknown gates are another finding."""
    reviewed = _reviewed(content, cluster)
    return () if reviewed is None else tuple(_warnings(reviewed))


def _causes(reviewed: _Reviewed) -> Causes:
    unreadable = decoding_error(reviewed.content, reviewed.release)
    if unreadable is not None:
        yield from _check_decoding(reviewed.content, unreadable)
        return
    mutation = mutate(reviewed.content, reviewed.release, _FACTS)
    yield from _check_mutation(mutation)
    for problem in reviewed.schema.problems(mutation.content):
        if problem.code is ProblemCode.RULE:
            rule = RULES[problem.rule]
            yield invalid(problem.at, rule.message, rule.hint)
    for repeated in reviewed.schema.repeated(reviewed.content):
        named = " and ".join(repeated.keys)
        hint = "keep one of the two"
        yield duplicate(repeated.at, f"an earlier entry has the same {named}", hint)
    objections = review(mutation.content, reviewed.release, _FACTS).objections
    for objection in objections:
        reported = objection.reported or ROOT
        yield invalid(objection.at, objection.message, objection.hint, reported=reported, fix=objection.fix)
    if not objections and mutation.contradicted is None and mutation.unapplied is None:
        yield from _check_objects(mutation.content, reviewed.release)


def _warnings(reviewed: _Reviewed) -> Causes:
    mutated = mutate(reviewed.content, reviewed.release, _FACTS).content
    for warning in review(mutated, reviewed.release, _FACTS).warnings:
        if warning.code is not WarningCode.UNKNOWN:
            is_plain = warning.at.parent == _GATES and warning.hint.startswith("drop it")
            fix = RemoveField(warning.at) if is_plain else None
            yield invalid(warning.at, warning.message, warning.hint, fix=fix)


def _reviewed(content: JsonObject, cluster: Cluster) -> _Reviewed | None:
    """Return the object with its defaults; None if its schema already refuses it, or is not known."""
    release = OperatorRelease.deploying(cluster.release)
    schema = structural_schema(release, version_of(content)) if release else None
    if release is None or schema is None:
        return None
    stored = schema.defaulted(schema.pruned(content).content)
    if any(problem.code is ProblemCode.TYPE for problem in schema.problems(stored)):
        return None
    return _Reviewed(stored, release, schema)


def _check_mutation(mutation: Mutation) -> Causes:
    gate = mutation.contradicted
    if gate is not None:
        at = next(
            _GATES.child(index)
            for index, entry in enumerate(array_at(mutation.content, "spec", "featureGates"))
            if text_at(entry, "name").lower() == gate.name.lower()
        )
        message = f"the feature gate {gate.name} says the opposite of {gate.field}"
        yield invalid(at, message, "drop the gate: the field replaces it", reported=ROOT)
    if mutation.unapplied is not None:
        section = mutation.unapplied.parent
        message = f"the operator's webhook cannot set {mutation.unapplied}, since {section} is missing"
        hint = f"add {section}, which may be empty"
        yield invalid(section, message, hint, reported=ROOT)


def _check_decoding(content: JsonObject, unreadable: str) -> Causes:
    found = [*undecodable(content)]
    for each in found:
        yield invalid(each.at, each.message, each.hint, reported=ROOT)
    if not found:
        message = f"the operator cannot read spec.{unreadable}"
        yield invalid(_SPEC, message, "write a value of that type", reported=ROOT)


def _check_objects(content: JsonObject, release: OperatorRelease) -> Causes:
    """Check that the operator can make its objects, whatever the cluster is."""
    errors: list[CannotMakeError] = []
    for facts in _CLUSTERS:
        try:
            make_objects(content, release, facts)
        except CannotMakeError as error:
            errors.append(error)
        else:
            return
    first = errors[0]
    at = _SPEC
    if first.annotation:
        at = FieldPath.of("metadata", "annotations", first.annotation)
    elif first.code in _PLACES:
        at = _PLACES[first.code].place(version_of(content))
    message = f"the operator refuses the annotation: {first}" if first.annotation else str(first)
    yield invalid(at, message, _HINTS.get(first.code), reported=ROOT)
