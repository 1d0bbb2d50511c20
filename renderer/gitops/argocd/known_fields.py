"""The fields of Applications, ApplicationSets and AppProjects (argo-cd ``manifests/crds``, 3.5).

Releases add fields; only ksonnet's were ever removed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from renderer.gitops.known_fields import Types, fields_unknown_to, types_of
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.field_edit import Edit, SetField
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import array_at, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.suggest import suggest
from renderer.model.sync_options import ignored_option

_TYPES: Final[Types] = types_of("argo-cd")
#: How source-integrity policies check signatures (argo-cd ``docs/user-guide/source-integrity-git-gpg.md``).
_SIGNATURE_MODES = ("none", "head", "strict")
#: Where each kind has the spec of an Application.
_SPECS = {"Application": ("spec",), "ApplicationSet": ("spec", "template", "spec")}


def unknown_fields(resource: Resource) -> Iterator[Diagnostic]:
    """Yield a warning for each field, and each value of some fields, that objects of Argo CD do not have."""
    yield from fields_unknown_to(_TYPES, resource)
    yield from _ignored_sync_options(resource)
    if resource.kind == "AppProject":
        yield from _source_integrity(resource)


def _ignored_sync_options(resource: Resource) -> Iterator[Diagnostic]:
    """Yield a warning for each sync option that Argo CD ignores."""
    spec = _SPECS.get(resource.kind)
    if not spec:
        return
    path = FieldPath((*spec, "syncPolicy", "syncOptions"))
    for index, option in enumerate(array_at(resource.content, *map(str, path.segments))):
        ignored = ignored_option(option) if isinstance(option, str) else None
        if ignored:
            place = path.child(index)
            fix = SetField(place, ignored.meant) if ignored.meant else None
            yield _warning(resource, place, ignored.message, ignored.hint, fix)


def _source_integrity(project: Resource) -> Iterator[Diagnostic]:
    """Yield warnings about policies for signatures that do not do what they say (from 3.5 on)."""
    policies = array_at(project.content, "spec", "sourceIntegrity", "git", "policies")
    if policies and array_at(project.content, "spec", "signatureKeys"):
        place = FieldPath.of("spec", "signatureKeys")
        message = "signatureKeys have no effect if sourceIntegrity is set"
        hint = "move the keys into its policies and remove signatureKeys"
        yield _warning(project, place, message, hint, None)
    for index, policy in enumerate(policies):
        mode = text_at(object_at(policy, "gpg"), "mode")
        if mode and mode not in _SIGNATURE_MODES:
            place = FieldPath.of("spec", "sourceIntegrity", "git", "policies", index, "gpg", "mode")
            message = f"there is no mode {mode} for signatures: Argo CD syncs nothing from these repositories"
            otherwise = f"its values are {', '.join(_SIGNATURE_MODES)}"
            near = suggest(mode, _SIGNATURE_MODES, most=1)
            nearest = f"did you mean {near[0]}?" if near else otherwise
            yield _warning(project, place, message, nearest, SetField(place, near[0]) if near else None)


def _warning(
    resource: Resource, place: FieldPath, message: str, hint: str | None, fix: Edit | None
) -> Diagnostic:
    return Diagnostic.about(
        resource, place, Code.UNKNOWN_FIELD, message, hint, severity=Severity.WARNING, fix=fix
    )
