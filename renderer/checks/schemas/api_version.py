"""The API version of an object: a required string, in the group that serves the kind.

Kinds of KubeVirt and CDI in a foreign group are rejected. Other projects also have some kinds of these names:
such an object is rejected if its group is one of Kubernetes' own or nearly one of KubeVirt's, or if it has
the fields of KubeVirt's kind. Kinds of vmrender are rejected as well: no cluster knows them.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.checks.schemas.kubevirt_kinds import API_VERSIONS_OF_KINDS, GROUPS_OF_KINDS
from renderer.checks.schemas.wording import value_description
from renderer.kubevirt.facts.kinds import (
    CDI_GROUP,
    DATA_SOURCE,
    HYPERCONVERGED_GROUP,
    KUBEVIRT_GROUP,
    STORAGE_PROFILE,
    VM,
    VM_POOL,
)
from renderer.kubevirt.facts.virtual_machine import INSTANCE_SPEC
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.field_edit import AddField, Edit, SetField
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import object_at
from renderer.model.kube.res_id import Gvk
from renderer.model.kube.resource import Resource
from renderer.model.suggest import suggest
from renderer.model.vmrender_api import INSTANCETYPE_SERIES, TEMPLATE, VMRENDER_GROUP

_FIELD = FieldPath.of("apiVersion")
#: Kinds that other projects also have.
_COMMON = frozenset({DATA_SOURCE, STORAGE_PROFILE, VM, VM_POOL})
#: Who has the kinds of a group that is not KubeVirt's own.
_PROJECTS = {CDI_GROUP: "CDI", HYPERCONVERGED_GROUP: "the HyperConverged operator"}
_KINDS_OF_VMRENDER = (INSTANCETYPE_SERIES, TEMPLATE)
_OF_VMRENDER = "list its file under generators of the kustomization, not under resources"
_KIND = FieldPath.of("kind")


def refuse_api_version(resource: Resource, served: str | None = None) -> Iterator[Diagnostic]:
    """Yield the problems of the ``apiVersion`` of an object that has no schema.

    ``served`` is the API version of a kind of Kubernetes, None for all others.
    """
    written = resource.content.get("apiVersion")
    if written is None or written == "":
        version = served or API_VERSIONS_OF_KINDS.get(resource.kind)
        edit: Edit = (
            SetField(_FIELD, version)
            if "apiVersion" in resource.content
            else AddField(ROOT, "apiVersion", version)
        )
        fix = edit if version else None
        yield Diagnostic.about(
            resource, _FIELD, Code.SCHEMA, "apiVersion is missing", _hint(version), fix=fix
        )
    elif not isinstance(written, str):
        message = f"apiVersion must be text, not {value_description(written)}"
        hint = _hint(API_VERSIONS_OF_KINDS.get(resource.kind))
        yield Diagnostic.about(resource, _FIELD, Code.SCHEMA, message, hint, fix=_own_version(resource.kind))
    elif is_of_vmrender(resource.gvk):
        message = f"{resource.kind} is a kind of vmrender, which no cluster serves"
        hint, near = _OF_VMRENDER, suggest(resource.kind, _KINDS_OF_VMRENDER, most=1)
        if near and near[0] != resource.kind:
            message, hint = (
                f"vmrender has no kind {resource.kind}",
                f"write kind: {near[0]}, and {_OF_VMRENDER}",
            )
        yield Diagnostic.about(resource, _KIND, Code.SCHEMA_MISSING, message, hint)
    elif _is_in_foreign_group(resource):
        gvk = resource.gvk
        where = f"in the group {gvk.group}" if gvk.group else f"with the apiVersion {gvk.version}"
        project = _PROJECTS.get(GROUPS_OF_KINDS[gvk.kind], "KubeVirt")
        message = f"{project} has no kind {gvk.kind} {where}"
        hint = f"it is in the group {GROUPS_OF_KINDS[gvk.kind]}"
        yield Diagnostic.about(
            resource, _FIELD, Code.SCHEMA_MISSING, message, hint, fix=_own_version(gvk.kind)
        )


def is_of_vmrender(gvk: Gvk) -> bool:
    """Return True if a kind is one of vmrender's own, or nearly one: no cluster serves it."""
    if gvk.group == VMRENDER_GROUP or gvk.kind == INSTANCETYPE_SERIES:
        return True
    pairs = ((gvk.group, VMRENDER_GROUP), (gvk.kind, INSTANCETYPE_SERIES))
    return any(suggest(written, [known], cutoff=0.8) for written, known in pairs)


def _hint(version: str | None) -> str:
    return f"write apiVersion: {version}" if version else "write the group and version that serve the kind"


def _own_version(kind: str) -> SetField | None:
    version = API_VERSIONS_OF_KINDS.get(kind)
    return SetField(_FIELD, version) if version else None


def _is_in_foreign_group(resource: Resource) -> bool:
    """Return True if a kind of KubeVirt is in a group that is not the kind's own."""
    gvk = resource.gvk
    own = GROUPS_OF_KINDS.get(gvk.kind)
    if own is None or gvk.group == own:
        return False
    if gvk.kind not in _COMMON:
        return True
    if "." not in gvk.group or gvk.group.endswith((".k8s.io", KUBEVIRT_GROUP)):
        return True
    if suggest(gvk.group or gvk.version, [own], most=1, cutoff=0.7):
        return True
    return "domain" in object_at(resource.content, *INSTANCE_SPEC.keys)
