"""Pin VirtualMachines: the ControllerRevisions that keep their instance types and preferences in Git, and the patch.

A revision is as KubeVirt's, but named after its content, and without an owner.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from renderer.instancetype.behaviour import Behaviour, behaviour_of
from renderer.instancetype.catalog import Catalog, Scope
from renderer.instancetype.cause import CauseError
from renderer.instancetype.custom_size import unpinnable_causes
from renderer.instancetype.find import Finder, Found
from renderer.instancetype.findings import vm_diagnostics
from renderer.instancetype.matcher import Matcher, MatcherType, read_matcher
from renderer.instancetype.resolve import resolve_matchers, select
from renderer.instancetype.revision_store import API_VERSION, LABEL, VERSION
from renderer.instancetype.virtual_machine import VirtualMachine
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.json import Json, JsonObject, content_digest, text_at
from renderer.model.release import Release

_NO_NAME_CHARACTERS = re.compile(r"[^a-z0-9.-]+")
_NAME_PART = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?")
_LABEL_VALUE = re.compile(r"(?=.{0,63}\Z)(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?")
#: With version and digest still within the 253 characters of a name in Kubernetes.
_LONGEST_PREFIX = 200


def pinned_revision(found: Found, namespace: str) -> JsonObject:
    """The revision that keeps what was found, for all VirtualMachines in ``namespace``.

    Equal content has an equal name. Quantities stay as they are written, where KubeVirt makes 1Gi of 1024Mi.
    """
    data = _copy(found, namespace)
    metadata: dict[str, Json] = {"name": f"{_prefix(found)}-{VERSION}-{content_digest(data)}"}
    if namespace:
        metadata["namespace"] = namespace
    metadata["labels"] = _labels(found)
    return {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": metadata,
        "data": data,
        "revision": 0,
    }


def _copy(found: Found, namespace: str) -> JsonObject:
    """The object without what only a cluster knows of it; a namespaced one is in the VirtualMachine's."""
    kind = found.resource.gvk.kind
    metadata: dict[str, Json] = {"name": found.resource.name}
    if namespace and kind == found.matcher_type.kind:
        metadata["namespace"] = namespace
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": metadata, "spec": found.spec}


def _labels(found: Found) -> JsonObject:
    """KubeVirt takes a revision without the version for one to convert. It also notes uid and generation."""
    labels = {"kind": found.resource.gvk.kind, "name": found.resource.name, "version": VERSION}
    return {f"{LABEL}{key}": value for key, value in labels.items() if _LABEL_VALUE.fullmatch(value)}


def _prefix(found: Found) -> str:
    name = _NO_NAME_CHARACTERS.sub("-", found.resource.name.lower())[:_LONGEST_PREFIX]
    return ".".join(_NAME_PART.findall(name)) or found.matcher_type.key


#: The name that a ControllerRevision of a given name has at the end of the build.
FinalName = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Pin:
    """A patch for the ``spec`` of a VirtualMachine and the ControllerRevisions it names, or what is wrong."""

    patch: JsonObject = field(default_factory=dict)
    revisions: tuple[JsonObject, ...] = ()
    findings: tuple[Diagnostic, ...] = ()


class Pinner:
    """Pins one VirtualMachine after the other; what it has looked up serves the next as well."""

    def __init__(self, catalog: Catalog, release: Release, final_name: FinalName) -> None:
        self._catalog = catalog
        self._behaviour: Behaviour = behaviour_of(release)
        self._finder = Finder(self._behaviour)
        self._final_name = final_name

    def pin(self, vm: VirtualMachine) -> Pin:
        """The pin to what the matchers select now; empty when they select nothing or name a revision."""
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
        for matcher, found in _unpinned(
            (matchers.instancetype, selected.instancetype), (matchers.preference, selected.preference)
        ):
            revision = pinned_revision(found, vm.resource.namespace)
            revisions.append(revision)
            name = self._final_name(text_at(revision, "metadata", "name"))
            patch[found.matcher_type.key] = _patched(vm.spec, matcher, found.matcher_type, name)
        if matchers.clears_memory and "instancetype" in patch:
            patch["template"] = {"spec": {"domain": {"memory": None}}}
        return Pin(patch, tuple(revisions))


def _unpinned(*found: tuple[Matcher | None, Found | None]) -> Iterator[tuple[Matcher, Found]]:
    for matcher, each in found:
        if matcher is not None and each is not None and not each.is_revision:
            yield matcher, each


def _patched(vm_spec: JsonObject, matcher: Matcher, matcher_type: MatcherType, revision: str) -> JsonObject:
    """What the patch says of a matcher. One that infers has to say from now on what it inferred.

    KubeVirt forgets the ``revisionName`` of a matcher when it infers (``pkg/instancetype/infer``).
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
