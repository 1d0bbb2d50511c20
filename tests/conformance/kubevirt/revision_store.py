"""The ControllerRevisions that KubeVirt's controller stores (``pkg/instancetype/revision/store.go``).

The product stores none: this part of KubeVirt is here to show, by its vectors, that ours reads what it
stores.
"""

from __future__ import annotations

from dataclasses import dataclass

from renderer.kubevirt.facts.kinds import (
    INSTANCETYPE,
    INSTANCETYPE_API_VERSION,
    INSTANCETYPE_PREFIX,
    INSTANCETYPE_VERSION,
    MatcherType,
)
from renderer.kubevirt.instancetype.api.types import Decoding
from renderer.kubevirt.instancetype.apply_to_vm import apply
from renderer.kubevirt.instancetype.behaviour import Behaviour
from renderer.kubevirt.instancetype.catalog import Scope
from renderer.kubevirt.instancetype.cause import CauseError, ExpansionCause
from renderer.kubevirt.instancetype.find import MatchedObject, decode_object, find_object, spec_type_of
from renderer.kubevirt.instancetype.matcher import Matcher
from renderer.kubevirt.instancetype.resolve import ResolvedMatchers
from renderer.kubevirt.instancetype.revision import RevisionError, decode_revision
from renderer.model.codes import Code
from renderer.model.kube.json import JsonObject, object_at, text_at, without

LABEL = f"{INSTANCETYPE_PREFIX}object-"
#: Metadata of the object that a copy omits.
_DROPPED = frozenset({"labels", "annotations", "finalizers", "ownerReferences", "managedFields"})


def stored_revision(vm: JsonObject, found: MatchedObject, behaviour: Behaviour) -> JsonObject:
    """What KubeVirt's controller stores for the VirtualMachine ``vm``, and owned by it."""
    namespace = text_at(vm, "metadata", "namespace")
    data = _copy(found, namespace)
    copied = object_at(data, "metadata")
    version = f"-{INSTANCETYPE_VERSION}" if behaviour.revision_name_has_version else ""
    vm_and_object = f"{text_at(vm, 'metadata', 'name')}-{text_at(copied, 'name')}"
    metadata: JsonObject = {
        "name": f"{vm_and_object}{version}-{text_at(copied, 'uid')}-{_generation(copied)}",
        "namespace": namespace,
        "labels": _labels(data),
        "ownerReferences": [_owner(vm)],
    }
    return {"metadata": metadata, "data": data, "revision": 0}


def _copy(found: MatchedObject, namespace: str) -> JsonObject:
    """The object as it is stored; one that is written without a namespace is in the VirtualMachine's."""
    kind = found.resource.gvk.kind
    metadata = {
        key: value
        for key, value in object_at(found.resource.content, "metadata").items()
        if key not in _DROPPED and value is not None
    }
    if kind == found.matcher_type.kind and namespace:
        metadata["namespace"] = namespace
    spec = spec_type_of(found.matcher_type).decode(found.spec, Decoding(rewrites_quantities=True))
    return {"apiVersion": INSTANCETYPE_API_VERSION, "kind": kind, "metadata": metadata, "spec": spec}


def _labels(data: JsonObject) -> JsonObject:
    metadata = object_at(data, "metadata")
    return {
        f"{LABEL}generation": str(_generation(metadata)),
        f"{LABEL}kind": text_at(data, "kind"),
        f"{LABEL}name": text_at(metadata, "name"),
        f"{LABEL}uid": text_at(metadata, "uid"),
        f"{LABEL}version": INSTANCETYPE_VERSION,
    }


def _owner(vm: JsonObject) -> JsonObject:
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "name": text_at(vm, "metadata", "name"),
        "uid": text_at(vm, "metadata", "uid"),
        "controller": True,
        "blockOwnerDeletion": True,
    }


def _generation(metadata: JsonObject) -> int:
    generation = metadata.get("generation")
    return generation if isinstance(generation, int) else 0


@dataclass(frozen=True, slots=True)
class StoredRevision:
    """What became of one matcher: itself, its reference in the status, and a new ControllerRevision."""

    matcher: Matcher
    reference: JsonObject | None = None
    created: JsonObject | None = None


def store_revision(
    vm: JsonObject, matcher: Matcher, matcher_type: MatcherType, scope: Scope, behaviour: Behaviour
) -> StoredRevision:
    """Return the controller's result for one matcher of ``vm``. Raise ``CauseError``."""
    if behaviour.records_revision_in_status:
        return _stored_in_status(vm, matcher, matcher_type, scope, behaviour)
    if matcher.revision_name:
        return StoredRevision(matcher)
    revision, created = _revision(vm, matcher, matcher_type, scope, behaviour)
    name = text_at(revision, "metadata", "name")
    return StoredRevision(matcher._replace(revision_name=name), created=created)


def _stored_in_status(
    vm: JsonObject, matcher: Matcher, matcher_type: MatcherType, scope: Scope, behaviour: Behaviour
) -> StoredRevision:
    """``syncStatusWithMatcher``: a reference is kept while the matcher is unchanged."""
    before = object_at(vm, "status", matcher_type.status_ref)
    matched = {"name": matcher.name, "kind": matcher.kind, "inferFromVolume": matcher.infer_from_volume}
    changed = {key: value for key, value in matched.items() if value and value != text_at(before, key)}
    reference = {**(without(before, "controllerRevisionRef") if changed else before), **changed}
    if matcher.failure_policy is not None:
        reference["inferFromVolumeFailurePolicy"] = matcher.failure_policy
    if matcher.revision_name:
        return StoredRevision(
            matcher, {**reference, "controllerRevisionRef": {"name": matcher.revision_name}}
        )
    if reference.get("controllerRevisionRef") is not None:
        return StoredRevision(matcher, reference)
    revision, created = _revision(vm, matcher, matcher_type, scope, behaviour)
    name = text_at(revision, "metadata", "name")
    return StoredRevision(matcher, {**reference, "controllerRevisionRef": {"name": name}}, created)


def _revision(
    vm: JsonObject, matcher: Matcher, matcher_type: MatcherType, scope: Scope, behaviour: Behaviour
) -> tuple[JsonObject, JsonObject | None]:
    """The revision for the matcher, and it again if it is new."""
    found = decode_object(find_object(matcher, matcher_type, scope, behaviour), matcher_type, behaviour)
    if matcher_type is INSTANCETYPE:
        apply(ResolvedMatchers(found), object_at(vm, "spec", "template"), scope, behaviour)
    revision = stored_revision(vm, found, behaviour)
    existing = scope.find("ControllerRevision", text_at(revision, "metadata", "name"))
    if existing is None:
        return revision, revision
    _check_same(existing.content, found, behaviour)
    return revision, None


def _check_same(existing: JsonObject, found: MatchedObject, behaviour: Behaviour) -> None:
    """Raise ``CauseError`` unless the revision of that name has the same spec."""
    matcher_type = found.matcher_type
    spec_type = spec_type_of(matcher_type)
    reason = "holds another spec"
    try:
        stored = decode_revision(existing, matcher_type, behaviour)
        if spec_type.normal(stored.spec) == spec_type.normal(found.spec):
            return
    except RevisionError as error:
        reason = str(error)
    name = text_at(existing, "metadata", "name")
    message = f"ControllerRevision {name} is there already and {reason}"
    raise CauseError(ExpansionCause.at_field(matcher_type.path, Code.REVISION_INVALID, message))
