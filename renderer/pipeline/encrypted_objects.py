"""Encrypted objects pass by the stages that would have to read them, and are written as they are.

No schema, webhook or rule can say anything about ciphertext, and an expansion could write a value where Flux
expects ciphertext. Encrypted Secrets and ConfigMaps stay among the others: rules look for the Secrets that
machines refer to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Outcome, Severity
from renderer.model.kube.encryption import is_encrypted
from renderer.model.kube.resource import Resource, ResourceSet

#: Kinds of the core group that every stage can pass over.
_PLAIN_KINDS = ("ConfigMap", "Secret")
_MOST_NAMED = 5


def past_encrypted(
    composed: Outcome[ResourceSet], stages: Callable[[Outcome[ResourceSet]], Outcome[ResourceSet]]
) -> Outcome[ResourceSet]:
    """Run ``stages`` on the resources that are not encrypted. The others follow unchanged, with a note."""
    encrypted = tuple(each for each in composed.value if _is_passed_by(each))
    if not encrypted:
        return stages(composed)
    others = composed.value.where(lambda each: not _is_passed_by(each))
    processed = stages(Outcome(others, composed.diagnostics))
    written = ResourceSet((*processed.value, *encrypted))
    return Outcome(written, (*processed.diagnostics, _note(encrypted)))


def _is_passed_by(resource: Resource) -> bool:
    return is_encrypted(resource) and resource.kind not in _PLAIN_KINDS


def _note(encrypted: Sequence[Resource]) -> Diagnostic:
    names = ", ".join(f"{each.kind} {each.name}" for each in encrypted[:_MOST_NAMED])
    more = ", …" if len(encrypted) > _MOST_NAMED else ""
    return Diagnostic.about(
        encrypted[0],
        None,
        Code.NOT_RENDERED,
        f"encrypted with SOPS, so written as it is, neither expanded nor checked: {names}{more}",
        severity=Severity.INFO,
    )
