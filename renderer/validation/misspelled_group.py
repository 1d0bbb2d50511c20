"""Kinds of KubeVirt's in an API group that is nearly one of KubeVirt's."""

from __future__ import annotations

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.gvk import Gvk
from renderer.validation.kubevirt_kinds import KINDS


def refuse_misspelled_group(gvk: Gvk) -> None:
    """Of a kind that is not KubeVirt's. Other projects have a VirtualMachine, too.

    Raises ``DiagnosticError`` (schema-missing) for ``kubevirt/v1``, ``kubevirt.io`` and the like.
    """
    for kind in KINDS:
        if kind.name == gvk.kind:
            from renderer.validation.wording import nearest  # noqa: PLC0415 - most kinds are of other names

            written = gvk.group or gvk.version  # without a slash all of apiVersion is the version
            if nearest(written, [kind.group]):
                raise DiagnosticError(_of_no_group(gvk, kind.group))


def _of_no_group(gvk: Gvk, group: str) -> Diagnostic:
    written = f"in the group {gvk.group}" if gvk.group else f"of the apiVersion {gvk.version}"
    return Diagnostic(
        code=Code.SCHEMA_MISSING,
        message=f"KubeVirt has no kind {gvk.kind} {written}",
        hint=f"it is of the group {group}",
    )
