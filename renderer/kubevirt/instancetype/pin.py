"""Pin VirtualMachines: create the ControllerRevisions that store their objects in Git, and the patch.

A revision looks like KubeVirt's, but its name comes from its content, and it has no owner.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from renderer.kubevirt.facts.kinds import (
    APPS_GROUP,
    CONTROLLER_REVISION,
    INSTANCETYPE_API_VERSION,
    INSTANCETYPE_PREFIX,
    INSTANCETYPE_VERSION,
    MatcherType,
)
from renderer.kubevirt.instancetype.behaviour import Behaviour, behaviour_of
from renderer.kubevirt.instancetype.catalog import Catalog, Scope
from renderer.kubevirt.instancetype.cause import CauseError
from renderer.kubevirt.instancetype.custom_size import unpinnable_causes
from renderer.kubevirt.instancetype.find import Finder, MatchedObject
from renderer.kubevirt.instancetype.findings import vm_diagnostics
from renderer.kubevirt.instancetype.matcher import Matcher, read_matcher
from renderer.kubevirt.instancetype.resolve import resolve_matchers, select
from renderer.kubevirt.instancetype.virtual_machine import VirtualMachine
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.json import Json, JsonObject, content_digest, text_at
from renderer.model.release import Release

_NO_NAME_CHARACTERS = re.compile(r"[^a-z0-9.-]+")
_NAME_PART = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?")
_LABEL_VALUE = re.compile(r"(?=.{0,63}\Z)(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?")
#: Leaves room for version and digest within the 253 characters of a name in Kubernetes.
_LONGEST_PREFIX = 200
#: Returns the name that a ControllerRevision has at the end of the build, given its original name.
FinalName = Callable[[str], str]


def pinned_revision(found: MatchedObject, namespace: str) -> JsonObject:
    """Return the revision that stores an object, for all VirtualMachines in ``namespace``.

    Equal content has an equal name. Quantities stay as written; KubeVirt would write 1Gi for 1024Mi.
    """
    data = _copy(found, namespace)
    text = _NO_NAME_CHARACTERS.sub("-", found.resource.name.lower())[:_LONGEST_PREFIX]
    prefix = ".".join(_NAME_PART.findall(text)) or found.matcher_type.key
    metadata: dict[str, Json] = {"name": f"{prefix}-{INSTANCETYPE_VERSION}-{content_digest(data)}"}
    if namespace:
        metadata["namespace"] = namespace
    metadata["labels"] = _labels(found)
    return {
        "apiVersion": f"{APPS_GROUP}/v1",
        "kind": CONTROLLER_REVISION,
        "metadata": metadata,
        "data": data,
        "revision": 0,
    }


def _copy(found: MatchedObject, namespace: str) -> JsonObject:
    """Return the object without its cluster's metadata; a namespaced one gets the VM's namespace."""
    kind = found.resource.gvk.kind
    metadata: dict[str, Json] = {"name": found.resource.name}
    if namespace and kind == found.matcher_type.kind:
        metadata["namespace"] = namespace
    return {"apiVersion": INSTANCETYPE_API_VERSION, "kind": kind, "metadata": metadata, "spec": found.spec}


def _labels(found: MatchedObject) -> JsonObject:
    """Return the labels, without uid and generation; KubeVirt converts a revision without a version."""
    labels = {"kind": found.resource.gvk.kind, "name": found.resource.name, "version": INSTANCETYPE_VERSION}
    return {
        f"{INSTANCETYPE_PREFIX}object-{key}": value
        for key, value in labels.items()
        if _LABEL_VALUE.fullmatch(value)
    }


@dataclass(frozen=True, slots=True)
class Pin:
    """A patch for the ``spec`` of a VirtualMachine and the ControllerRevisions it names, or the errors."""

    patch: JsonObject = field(default_factory=dict)
    revisions: tuple[JsonObject, ...] = ()
    findings: tuple[Diagnostic, ...] = ()


class Pinner:
    """Pin one VirtualMachine after the other; looked-up objects are cached for the next."""

    def __init__(self, catalog: Catalog, release: Release, final_name: FinalName) -> None:
        self._catalog = catalog
        self._behaviour: Behaviour = behaviour_of(release)
        self._finder = Finder(self._behaviour)
        self._final_name = final_name

    def pin(self, vm: VirtualMachine) -> Pin:
        """Return the pin to the currently selected objects; empty without any, or if a revision is named."""
        try:
            return self._pin(vm)
        except (CauseError, DiagnosticError) as error:
            return Pin(findings=vm_diagnostics(error, vm))

    def _pin(self, vm: VirtualMachine) -> Pin:
        scope = Scope(self._catalog, vm.resource.namespace)
        matchers = resolve_matchers(vm.spec, scope, self._behaviour)
        selected = select(matchers, vm.status, scope, self._finder)
        unpinnable = tuple(unpinnable_causes(selected.instancetype, self._behaviour.release))
        if unpinnable:
            raise CauseError(*unpinnable)
        patch: dict[str, Json] = {}
        revisions: list[JsonObject] = []
        for matcher, found in (
            (matchers.instancetype, selected.instancetype),
            (matchers.preference, selected.preference),
        ):
            if matcher is None or found is None or found.is_revision:
                continue
            revision = pinned_revision(found, vm.resource.namespace)
            revisions.append(revision)
            name = self._final_name(text_at(revision, "metadata", "name"))
            patch[found.matcher_type.key] = _matcher_patch(vm.spec, matcher, found.matcher_type, name)
        if matchers.clears_memory and "instancetype" in patch:
            patch["template"] = {"spec": {"domain": {"memory": None}}}
        return Pin(patch, tuple(revisions))


def _matcher_patch(
    vm_spec: JsonObject, matcher: Matcher, matcher_type: MatcherType, revision: str
) -> JsonObject:
    """Return the patch of a matcher. A matcher that infers its object names that object from now on.

    KubeVirt drops the ``revisionName`` of a matcher when it infers (``pkg/instancetype/infer``).
    """
    written = read_matcher(vm_spec, matcher_type)
    if written is None or not written.infer_from_volume:
        return {"revisionName": revision}
    named: dict[str, Json] = {"name": matcher.name, "revisionName": revision, "inferFromVolume": None}
    if matcher.kind:
        named["kind"] = matcher.kind
    if written.failure_policy is not None:
        named["inferFromVolumeFailurePolicy"] = None
    return named
