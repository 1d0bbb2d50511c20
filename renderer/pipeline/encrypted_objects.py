"""Encrypted objects of KubeVirt pass by the stages that would have to read them, and are written as they are.

No schema, webhook or rule can say anything about ciphertext, and an expansion could write a value where Flux
expects ciphertext. Other encrypted objects stay among the rest, which no stage changes: rules look for the
Secrets that machines refer to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from renderer.kubevirt.facts.kinds import is_kubevirt_group
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Outcome, Severity
from renderer.model.kube.encryption import is_ciphertext, is_encrypted, public_names
from renderer.model.kube.resource import Resource, ResourceSet


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
    is_read = is_kubevirt_group(resource.gvk.group) or is_ciphertext(resource.kind)
    return is_read and is_encrypted(resource)


def _note(encrypted: Sequence[Resource]) -> Diagnostic:
    message = (
        f"encrypted with SOPS, so written as it is, neither expanded nor checked: {public_names(encrypted)}"
    )
    return Diagnostic.at(encrypted[0].origin, Code.NOT_RENDERED, message, severity=Severity.INFO)
