"""Cases of the mode ``decode``."""

from __future__ import annotations

from renderer.kubevirt.facts.kinds import INSTANCETYPE, PREFERENCE
from renderer.kubevirt.instancetype.api.types import Decoding
from renderer.kubevirt.instancetype.behaviour import behaviour_of
from renderer.kubevirt.instancetype.find import spec_type_of
from renderer.kubevirt.instancetype.revision import RevisionError, decode_revision
from renderer.model.kube.json import object_at
from tests.conformance.kubevirt.case import Case, Outputs

_AS_WRITTEN_BACK = Decoding(rewrites_quantities=True)


def decode_outputs(case: Case) -> Outputs:
    """``spec``, or ``error``."""
    matcher_type = PREFERENCE if case.input.get("preference") is True else INSTANCETYPE
    try:
        stored = decode_revision(object_at(case.input, "revision"), matcher_type, behaviour_of(case.target))
    except RevisionError as error:
        reason = str(error)
        return {"error": lambda: reason}
    return {"spec": lambda: spec_type_of(matcher_type).decode(stored.spec, _AS_WRITTEN_BACK)}
