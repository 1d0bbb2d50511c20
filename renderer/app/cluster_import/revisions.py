"""Compare the instance types that a cluster recorded for its virtual machines with the ones in Git.

If the revision of a VirtualMachine equals what the cluster has now, or what the catalogs in Git have, it
needs no pin. Otherwise it gets one, made from the ControllerRevision in the dump (``vmrender pin`` makes the
same from the catalog).
"""

from __future__ import annotations

from collections.abc import Sequence

from renderer.adopt.dump.gather import UserObject
from renderer.authoring.pins.folder import FileContent, PinFile, changes, files_in, read_folder
from renderer.authoring.pins.plan import patch_of
from renderer.files.file_system import FileSystem
from renderer.kubevirt.facts.kinds import INSTANCETYPE_API_VERSION, MATCHER_TYPES, MatcherType
from renderer.kubevirt.facts.lists import is_equal
from renderer.kubevirt.facts.virtual_machine import has_matchers
from renderer.kubevirt.instancetype.behaviour import Behaviour, behaviour_of
from renderer.kubevirt.instancetype.catalog import Catalog, Scope
from renderer.kubevirt.instancetype.cause import CauseError
from renderer.kubevirt.instancetype.find import (
    MatchedObject,
    decode_object,
    find_object,
    find_revision,
    missing_revision,
)
from renderer.kubevirt.instancetype.findings import vm_diagnostics
from renderer.kubevirt.instancetype.matcher import Matcher, read_matcher
from renderer.kubevirt.instancetype.pin import pinned_revision
from renderer.kubevirt.instancetype.revision import RevisionError, decode_revision
from renderer.kubevirt.instancetype.virtual_machine import VirtualMachine
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.kube.json import Json, JsonObject, object_at, text_at, without
from renderer.model.kube.resource import Resource
from renderer.model.pin import Pinnable
from renderer.model.quantity import are_equal_amounts
from renderer.model.record import Record
from renderer.model.release import Release

_DUMP_HINT = (
    "print them with the virtual machines: kubectl get vm,controllerrevision,virtualmachineinstancetype,"
    "virtualmachinepreference,virtualmachineclusterinstancetype,virtualmachineclusterpreference -A -o yaml"
)


class DetachedVm(Record):
    """A VirtualMachine that names no revision; it has a ``pin`` if the catalog has other content.

    ``findings`` report what cannot be compared.
    """

    content: JsonObject
    pin: Pinnable | None = None
    findings: tuple[Diagnostic, ...] = ()


class _MatcherComparison(Record):
    """The outcome for one matcher: the revision to pin to, if it needs one."""

    revision: JsonObject | None = None
    finding: Diagnostic | None = None


def detach_from_revisions(
    objects: Sequence[UserObject], catalogs: Sequence[Catalog], release: Release
) -> tuple[DetachedVm, ...]:
    """Remove the revision names from virtual machines; pin machines that were started with other content.

    Other content is content that none of ``catalogs`` has: what is installed in the cluster, and what Git
    has. All have the ControllerRevisions of the dump.
    """
    behaviour = behaviour_of(release)
    results = []
    for each in objects:
        detached = _detach(each, catalogs, behaviour)
        located = tuple(found._replace(sites=(), location=each.location) for found in detached.findings)
        results.append(detached._replace(findings=located))
    return tuple(results)


def _detach(found: UserObject, catalogs: Sequence[Catalog], behaviour: Behaviour) -> DetachedVm:
    """Compare the revisions of a VirtualMachine or VirtualMachinePool with the objects in ``catalogs``."""
    vm = VirtualMachine.of(found.resource)
    if vm is None or not has_matchers(found.content):
        return DetachedVm(found.content)
    live = vm._replace(content={**vm.content, **found.references})
    content = vm.content
    patch: dict[str, Json] = {}
    revisions: list[JsonObject] = []
    findings: list[Diagnostic] = []
    for matcher_type in MATCHER_TYPES:
        compared = _compare_matcher(live, matcher_type, catalogs, behaviour)
        if compared.finding:
            findings.append(compared.finding)
        if compared.revision:
            revisions.append(compared.revision)
            patch[matcher_type.key] = {"revisionName": text_at(compared.revision, "metadata", "name")}
        content = without(content, "spec", matcher_type.key, "revisionName")
    detached = vm.with_content(content)
    pin = Pinnable(detached, detached, patch, tuple(revisions)) if patch else None
    return DetachedVm(detached.content, pin, tuple(findings))


def _compare_matcher(
    vm: VirtualMachine, matcher_type: MatcherType, catalogs: Sequence[Catalog], behaviour: Behaviour
) -> _MatcherComparison:
    scopes = [Scope(catalog, vm.resource.namespace) for catalog in catalogs]
    scope = scopes[0]
    try:
        matcher = read_matcher(vm.spec, matcher_type)
        if matcher is None or not matcher.name:
            return _MatcherComparison()
        missing = missing_revision(matcher, matcher_type, vm.status, scope, behaviour)
        revision = None if missing else find_revision(matcher, matcher_type, vm.status, scope, behaviour)
        stored = None if revision is None else _object_in_revision(revision, matcher, matcher_type, behaviour)
        found = [_object_in_catalog(matcher, matcher_type, each, behaviour) for each in scopes]
        if stored is None and not any(found):
            find_object(matcher, matcher_type, scope, behaviour)  # which says why there is none
    except CauseError as error:
        problem = next(iter(vm_diagnostics(error, vm)))
        message = f"{vm.resource.current_id}: {problem.message}"
        return _MatcherComparison(
            finding=Diagnostic.about(
                vm.resource, vm.base, problem.code, message, _DUMP_HINT, severity=Severity.WARNING
            )
        )
    except RevisionError as error:
        return _MatcherComparison(finding=_not_compared(vm, matcher_type, f"its ControllerRevision {error}"))
    if missing:
        reason = f"the dump does not have its ControllerRevision {missing}"
        return _MatcherComparison(finding=_not_compared(vm, matcher_type, reason))
    if stored is None or any(each is not None and is_same_spec(stored.spec, each.spec) for each in found):
        return _MatcherComparison()
    return _MatcherComparison(pinned_revision(stored, vm.resource.namespace))


def _object_in_revision(
    revision: Resource, matcher: Matcher, matcher_type: MatcherType, behaviour: Behaviour
) -> MatchedObject:
    """Return the object in the revision. Raises ``RevisionError``."""
    spec = decode_revision(revision.content, matcher_type, behaviour).spec
    kind = matcher_type.matched_kind(matcher.kind) or matcher_type.cluster_kind
    name = text_at(revision.content, "data", "metadata", "name") or matcher.name
    stored: JsonObject = {
        "apiVersion": INSTANCETYPE_API_VERSION,
        "kind": kind,
        "metadata": {"name": name},
        "spec": spec,
    }
    return MatchedObject(matcher_type, Resource(stored, revision.origin), spec)


def _object_in_catalog(
    matcher: Matcher, matcher_type: MatcherType, scope: Scope, behaviour: Behaviour
) -> MatchedObject | None:
    """Return the object in a catalog, or None."""
    try:
        return decode_object(find_object(matcher, matcher_type, scope, behaviour), matcher_type, behaviour)
    except CauseError:
        return None


def is_same_spec(left: Json, right: Json) -> bool:
    """Return True if two specs are equivalent: quantities are compared as amounts, ``1Gi`` is ``1024Mi``."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(is_same_spec(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(is_same_spec, left, right))
    return is_equal(left, right) or are_equal_amounts(left, right)


def _not_compared(vm: VirtualMachine, matcher_type: MatcherType, reason: str) -> Diagnostic:
    name = text_at(object_at(vm.spec, matcher_type.key), "name")
    return Diagnostic.about(
        vm.resource,
        vm.field(matcher_type.path),
        Code.REVISION_INVALID,
        f"{vm.resource.current_id}: it is unknown whether the {matcher_type.noun} {name} of the catalog is"
        f" the one that the cluster keeps for it: {reason}",
        _DUMP_HINT,
        severity=Severity.WARNING,
    )


def pin_changes(
    fs: FileSystem, path: str, kustomization: FileContent, pins: Sequence[Pinnable]
) -> Sequence[FileContent]:
    """Return the files that add pins to the component at ``path``, and it to a kustomization.

    The pins of other machines stay. Raises ``DiagnosticError``: edit-refused, foreign-file for a component
    that was changed by hand.
    """
    folder = read_folder(path, files_in(fs, path) if fs.is_folder(path) else {})
    files = {each.name: each for each in folder.files}
    for pin in pins:
        for content in (*pin.revisions, patch_of(pin, {})):
            file = PinFile.of(content)
            files[file.name] = file
    return changes(folder, kustomization, files.values()).writes
