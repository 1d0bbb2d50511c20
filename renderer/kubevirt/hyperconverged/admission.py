"""The admission of a new HyperConverged object: what the cluster stores of it, or who refuses it and why.

The order is the API server's: unknown fields are dropped and defaults filled in, the mutating webhook changes
the object, the schema validates it, the validating webhook reviews it. ``schemas/hyperconverged`` has the
schemas, ``mutating_webhook`` and ``validating_webhook`` what the operator does.
"""

from __future__ import annotations

from collections.abc import Mapping

from renderer.kubevirt.hyperconverged.cannot_make import CannotMakeCode, CannotMakeError
from renderer.kubevirt.hyperconverged.go_decoding import is_decodable
from renderer.kubevirt.hyperconverged.mutating_webhook import mutate
from renderer.kubevirt.hyperconverged.object_fields import Setting, version_of
from renderer.kubevirt.hyperconverged.objects import MadeObjects, make_objects
from renderer.kubevirt.hyperconverged.release import OperatorFacts, OperatorRelease
from renderer.kubevirt.hyperconverged.structural_schema import (
    Problem,
    StructuralSchema,
    structural_schema,
)
from renderer.kubevirt.hyperconverged.validating_webhook import WarningCode, review
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY, JsonObject, object_at
from renderer.model.record import Record
from renderer.model.text_enum import TextEnum


class Refuser(TextEnum):
    """Who refuses an object. The operator comes last: the API server has stored the object then."""

    SCHEMA = "schema"
    MUTATING_WEBHOOK = "mutating webhook"
    VALIDATING_WEBHOOK = "validating webhook"
    OPERATOR = "operator"


class Refusal(Record):
    """Why an object is refused: the ``problems`` that the schema finds, or a code with details."""

    by: Refuser
    code: str = ""
    field: FieldPath | None = None
    details: Mapping[str, str] = EMPTY
    problems: tuple[Problem, ...] = ()


class AdmissionWarning(Record):
    """A warning of a webhook: ``about`` is a feature gate or a field."""

    about: str
    code: str


class Admission(Record):
    """The object as it is stored, without the ``pruned`` fields.

    If it is admitted, ``made`` are the objects that the operator makes of it, and ``refusal`` is None.
    """

    content: JsonObject
    pruned: tuple[FieldPath, ...]
    warnings: tuple[AdmissionWarning, ...] = ()
    refusal: Refusal | None = None
    made: MadeObjects | None = None

    @property
    def spec(self) -> JsonObject:
        return object_at(self.content, "spec")


def admit(content: JsonObject, release: OperatorRelease, facts: OperatorFacts) -> Admission:
    """Return the admission of an object, whose API version the release serves.

    The validating webhook makes the operator's objects, and refuses what the operator could not make. Raises
    ``ValueError`` for a version that is not served.
    """
    schema = structural_schema(release, version_of(content))
    if schema is None:
        raise ValueError(f"{release} does not serve {version_of(content)}")
    pruned = schema.pruned(content)
    written = schema.defaulted(pruned.content)
    if not is_decodable(written, release):
        return Admission(written, pruned.fields, refusal=_undecodable_refusal(pruned.content, schema))
    mutation = mutate(written, release, facts)
    warnings = [AdmissionWarning(name, WarningCode.DEPRECATED) for name in mutation.deprecated]
    if mutation.contradicted is not None:
        refusal = Refusal(
            Refuser.MUTATING_WEBHOOK, "gateContradictsField", details={"gate": mutation.contradicted.name}
        )
        return Admission(written, pruned.fields, tuple(warnings), refusal)
    if mutation.unapplied is not None:
        refusal = Refusal(Refuser.MUTATING_WEBHOOK, "patchDoesNotApply")
        return Admission(written, pruned.fields, tuple(warnings), refusal)
    stored = schema.defaulted(mutation.content)
    answer = review(stored, release, facts)
    warnings += [AdmissionWarning(each.about, each.code) for each in answer.warnings]
    refused = Refusal(Refuser.SCHEMA, problems=problems) if (problems := schema.problems(stored)) else None
    if refused is None and answer.objections:
        first = answer.objections[0]
        details = {"reason": first.reason} if first.reason else {}
        refused = Refusal(Refuser.VALIDATING_WEBHOOK, first.code, first.reported, details)
    made: MadeObjects | None = None
    if refused is None:
        try:
            made = make_objects(stored, release, facts)
        except CannotMakeError as error:
            by = Refuser.OPERATOR if answer.skips_trial else Refuser.VALIDATING_WEBHOOK
            refused = _not_made(by, error, stored)
    return Admission(stored, pruned.fields, tuple(sorted(warnings)), refused, made)


def _not_made(by: Refuser, error: CannotMakeError, content: JsonObject) -> Refusal:
    """Return the refusal of an object of which the operator cannot make its objects."""
    named = {"annotation": error.annotation, "reason": str(error.reason or "")}
    field: FieldPath | None = None
    if error.annotation:
        field = FieldPath.of("metadata", "annotations")
    elif error.code is CannotMakeCode.NAME_SERVER:
        field = Setting.NAME_SERVER.place(version_of(content))
    return Refusal(by, error.code, field, {name: text for name, text in named.items() if text})


def _undecodable_refusal(content: JsonObject, schema: StructuralSchema) -> Refusal:
    """Return who refuses an object that Go cannot decode: its schema, where that knows why."""
    problems = schema.problems(schema.without_nulls(content))
    if problems:
        return Refusal(Refuser.SCHEMA, problems=problems)
    return Refusal(Refuser.MUTATING_WEBHOOK, "doesNotDecode")
