"""A HyperConverged object: what the webhooks of its operator refuse, and the rules in CEL of its schema.

``kubevirt/hyperconverged`` has what the operator does; here its answers become causes. The release of the
operator is the one that deploys the target release of KubeVirt.
"""

from __future__ import annotations

from renderer.kubevirt.admission.causes import Causes, invalid
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.hyperconverged.go_decoding import undecodable
from renderer.kubevirt.hyperconverged.mutating_webhook import Mutation, mutate
from renderer.kubevirt.hyperconverged.object_fields import version_of
from renderer.kubevirt.hyperconverged.release import ClusterFacts, OperatorRelease
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
from renderer.model.record import Record

_FACTS = ClusterFacts()
_GATES = FieldPath.of("spec", "featureGates")


class _Reviewed(Record):
    """An object with the release that reviews it, and its schema."""

    content: JsonObject
    release: OperatorRelease
    schema: StructuralSchema


def check_hyperconverged(content: JsonObject, cluster: Cluster) -> Causes:
    """Yield what the webhooks and the rules of the schema refuse. Wrong types are left to the schema."""
    reviewed = _reviewed(content, cluster)
    if reviewed is None:
        return
    found = [*undecodable(reviewed.content)]
    for each in found:
        yield invalid(each.at, each.message, each.hint, reported=ROOT)
    if found:
        return
    mutation = mutate(reviewed.content, reviewed.release, _FACTS)
    yield from _check_mutation(mutation)
    for problem in reviewed.schema.problems(mutation.content):
        if problem.code is ProblemCode.RULE:
            rule = RULES[problem.rule]
            yield invalid(problem.at, rule.message, rule.hint)
    for objection in review(mutation.content, reviewed.release, _FACTS).objections:
        reported = objection.reported or ROOT
        yield invalid(objection.at, objection.message, objection.hint, reported=reported, fix=objection.fix)


def warnings_of_hyperconverged(content: JsonObject, cluster: Cluster) -> Causes:
    """Yield the warnings about gates and fields of an admitted object; unknown gates are another finding."""
    reviewed = _reviewed(content, cluster)
    if reviewed is None:
        return
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
