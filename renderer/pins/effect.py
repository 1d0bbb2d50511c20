"""Whether a pinned overlay does what it is meant to, before a file is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome
from renderer.model.json import Json
from renderer.model.pin import Pinnable
from renderer.model.resource import Resource, ResourceSet
from renderer.pins.files import REVISION_KIND, PinFile
from renderer.pins.patch import is_target_of, revision_names


def check_effect(
    composed: Outcome[ResourceSet], files: Iterable[PinFile], chosen: Iterable[Pinnable]
) -> None:
    """Raises ``DiagnosticError`` unless the overlay composes and each of ``chosen`` got what its patch says.

    ``composed`` is the overlay with its pins, which are ``files``.
    """
    if composed.failed:
        raise DiagnosticError(*composed.diagnostics)
    resources = {resource.current_id: resource for resource in composed.value}
    revisions = {
        (r.namespace, r.name): r.content.get("data") for r in composed.value if r.kind == REVISION_KIND
    }
    patches = [file for file in files if not file.is_revision]
    findings = [
        finding
        for pinnable in chosen
        for patch in patches
        if is_target_of(patch.content, pinnable.target)
        for finding in _findings(resources.get(pinnable.resource.current_id), pinnable, patch, revisions)
    ]
    if findings:
        raise DiagnosticError(*findings)


def _findings(
    pinned: Resource | None,
    pinnable: Pinnable,
    patch: PinFile,
    revisions: dict[tuple[str, str], Json],
) -> Iterator[Diagnostic]:
    wanted = set(revision_names(patch.content))
    if pinned is None or not wanted.issubset(revision_names(pinned.content)):
        hint = "let it change single fields of spec.instancetype and spec.preference, not the whole"
        yield _failure(pinnable, "something in the overlay takes the pin away again", hint)
        return
    for name in sorted(wanted):
        if revisions.get((pinned.namespace, name)) is None:
            hint = "pin in the overlay that gives names their prefix, suffix and namespace"
            yield _failure(
                pinnable, f"ControllerRevision {name} has another name or namespace in the end", hint
            )


def _failure(pinnable: Pinnable, reason: str, hint: str) -> Diagnostic:
    return Diagnostic(
        code=Code.PIN_FAILED,
        message=f"{pinnable.label} cannot be pinned: {reason}",
        sites=pinnable.resource.sites(),
        resource=pinnable.resource.current_id,
        hint=hint,
    )
