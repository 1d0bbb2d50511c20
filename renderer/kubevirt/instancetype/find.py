"""Find the instance type or preference that a matcher names.

KubeVirt ``pkg/instancetype/find`` and ``…/preference/find``: a revision has precedence; without one, kind and
name count.
"""

from __future__ import annotations

from renderer.kubevirt.facts.kinds import (
    CONTROLLER_REVISION,
    INSTANCETYPE,
    INSTANCETYPE_API_VERSION,
    INSTANCETYPE_PREFIX,
    INSTANCETYPE_VERSION,
    PROPOSED_INSTANCETYPE_VERSION,
    MatcherType,
)
from renderer.kubevirt.instancetype.api.instancetype import INSTANCETYPE_SPEC, V1BETA2_INSTANCETYPE_SPEC
from renderer.kubevirt.instancetype.api.preference import PREFERENCE_SPEC
from renderer.kubevirt.instancetype.api.types import DecodeError, Decoding, Struct
from renderer.kubevirt.instancetype.behaviour import Behaviour
from renderer.kubevirt.instancetype.catalog import Scope
from renderer.kubevirt.instancetype.cause import CauseError, ExpansionCause
from renderer.kubevirt.instancetype.matcher import Matcher
from renderer.model.codes import Code
from renderer.model.diagnostic import Related
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY, JsonObject, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.kube.sharing import once_for_same
from renderer.model.record import Record

_OBJECT_NAME_LABEL = f"{INSTANCETYPE_PREFIX}object-name"
_SPEC = FieldPath.of("spec")
_API_VERSION = FieldPath.of("apiVersion")


class MatchedObject(Record):
    """An instance type or preference: its v1beta1 ``spec``, and the resource with the spec at ``field``.

    If a v1beta2 instance type leaves a size to the VM, ``cpu.guest`` or ``memory.guest``, the spec lacks it.
    """

    matcher_type: MatcherType
    resource: Resource
    spec: JsonObject
    field: FieldPath = _SPEC

    def __str__(self) -> str:
        """``instance type u1.small``."""
        if not self.is_revision:
            return f"{self.matcher_type.noun} {self.resource.name}"
        stored = text_at(self.resource.content, "data", "metadata", "name")
        name = f" {stored}" if stored else ""
        return f"{self.matcher_type.noun}{name} of ControllerRevision {self.resource.name}"

    @property
    def is_revision(self) -> bool:
        """True if the spec is the copy in a ControllerRevision."""
        return self.field is not _SPEC

    def related(self, field: FieldPath) -> Related:
        """Return the location of ``field``, a path in the document of an instance type or preference."""
        *parents, last = (str(segment) for segment in field.segments[1:])
        value = object_at(self.spec, *parents).get(last)
        text = str(field) if value is None or isinstance(value, dict | list) else f"{field}: {value}"
        return Related(text, self.resource.sites(self.field.child(*field.segments[1:])))

    def left_to_vm(self, field: FieldPath) -> Related:
        """Return the location where ``field`` could be set; the path is as in ``related``."""
        return self.related(field)._replace(message=f"{field} is left to the VM")


class Finder:
    """Find the objects that matchers name, for one release; every object is decoded once."""

    def __init__(self, behaviour: Behaviour, *, live: bool = False) -> None:
        """``live``: the VMs come from a cluster; a revision that was not read with them is skipped."""
        self._behaviour = behaviour
        self._live = live
        self._found: dict[tuple[int, MatcherType], MatchedObject] = {}

    def find(
        self, matcher: Matcher | None, matcher_type: MatcherType, status: JsonObject, scope: Scope
    ) -> MatchedObject | None:
        """Return the object that ``matcher`` names for a VM with that ``status``; None without a matcher.

        Raises ``CauseError`` if there is no such object, or if it cannot be decoded.
        """
        if matcher is None:
            return None
        revision = None
        if not self._live or missing_revision(matcher, matcher_type, status, scope, self._behaviour) is None:
            revision = find_revision(matcher, matcher_type, status, scope, self._behaviour)
        resource = revision or find_object(matcher, matcher_type, scope, self._behaviour)
        # The catalog keeps the resource alive, and so its id.
        found = self._found.get((id(resource), matcher_type))
        if found is None:
            if revision is None:
                found = decode_object(resource, matcher_type, self._behaviour)
            else:
                found = _decode_stored(
                    revision, revision_field(matcher, matcher_type), matcher_type, self._behaviour
                )
            self._found[id(resource), matcher_type] = found
        return found

    @property
    def used(self) -> tuple[Resource, ...]:
        """The objects, not revisions, that have been found so far."""
        return tuple(found.resource for found in self._found.values() if not found.is_revision)


def find_object(matcher: Matcher, matcher_type: MatcherType, scope: Scope, behaviour: Behaviour) -> Resource:
    """Return the catalog's object that ``matcher`` names, ignoring its revision. Raises ``CauseError``."""
    kind = matcher_type.matched_kind(matcher.kind)
    if kind is None:
        from renderer.kubevirt.instancetype import not_found  # noqa: PLC0415 - only errors need it

        raise CauseError(not_found.unknown_kind(matcher, matcher_type, scope, behaviour))
    resource = scope.find(kind, matcher.name)
    if resource is None:
        from renderer.kubevirt.instancetype import not_found  # noqa: PLC0415 - only errors need it

        raise CauseError(not_found.not_found(matcher, matcher_type, kind, scope, behaviour))
    return resource


def find_revision(
    matcher: Matcher, matcher_type: MatcherType, status: JsonObject, scope: Scope, behaviour: Behaviour
) -> Resource | None:
    """Return the ControllerRevision to use; None to use the object itself. Raises ``CauseError``."""
    name = matcher.revision_name or _status_revision(matcher_type, status, behaviour)
    if not name:
        return None
    revision = scope.find(CONTROLLER_REVISION, name)
    if revision is None:
        from renderer.kubevirt.instancetype import not_found  # noqa: PLC0415 - only errors need it

        at = revision_field(matcher, matcher_type)
        raise CauseError(not_found.revision_not_found(name, at, matcher_type, scope, behaviour))
    if matcher.revision_name or not behaviour.uses_revision_by_name:
        return revision
    return revision if revision.labels.get(_OBJECT_NAME_LABEL) == matcher.name else None


def missing_revision(
    matcher: Matcher, matcher_type: MatcherType, status: JsonObject, scope: Scope, behaviour: Behaviour
) -> str | None:
    """Return the name of the ControllerRevision that the VM names if it is not in the catalog."""
    name = matcher.revision_name or _status_revision(matcher_type, status, behaviour)
    return name if name and scope.find(CONTROLLER_REVISION, name) is None else None


def _status_revision(matcher_type: MatcherType, status: JsonObject, behaviour: Behaviour) -> str:
    if not status or not behaviour.records_revision_in_status:
        return ""
    return text_at(status, matcher_type.status_ref, "controllerRevisionRef", "name")


def revision_field(matcher: Matcher, matcher_type: MatcherType) -> FieldPath:
    """Return the field that names the revision: in the matcher, else in the status."""
    if matcher.revision_name:
        return matcher_type.path.child("revisionName")
    return FieldPath.of("status", matcher_type.status_ref, "controllerRevisionRef", "name")


def _decode_stored(
    revision: Resource, named_at: FieldPath, matcher_type: MatcherType, behaviour: Behaviour
) -> MatchedObject:
    from renderer.kubevirt.instancetype.revision import RevisionError, decode_revision  # noqa: PLC0415 - few are pinned

    try:
        stored = decode_revision(revision.content, matcher_type, behaviour)
    except RevisionError as error:
        from renderer.kubevirt.instancetype import not_found  # noqa: PLC0415 - only errors need it

        raise CauseError(not_found.unusable_revision(revision, named_at, matcher_type, error)) from None
    return MatchedObject(matcher_type, revision, stored.spec, stored.field)


def spec_type_of(matcher_type: MatcherType, version: str = INSTANCETYPE_VERSION) -> Struct:
    """Return the Go type that decodes the matcher's objects of ``version``."""
    if matcher_type is not INSTANCETYPE:
        return PREFERENCE_SPEC
    return V1BETA2_INSTANCETYPE_SPEC if version == PROPOSED_INSTANCETYPE_VERSION else INSTANCETYPE_SPEC


@once_for_same
def decode_object(resource: Resource, matcher_type: MatcherType, behaviour: Behaviour) -> MatchedObject:
    """Return the object with its spec decoded.

    The object must have version v1beta2 or a version that the release serves. Fields that the release does
    not know yet are dropped, as its API server would do. Raises ``CauseError``.
    """
    version = resource.gvk.version
    if version not in behaviour.served_versions and version != PROPOSED_INSTANCETYPE_VERSION:
        gvk = resource.gvk
        raise CauseError(
            ExpansionCause.at_field(
                matcher_type.path,
                Code.API_VERSION,
                f"{matcher_type.noun} {resource.name} is of {gvk.version},"
                f" which KubeVirt {behaviour.release} does not serve",
                f"make it {INSTANCETYPE_API_VERSION}; its fields stay the same",
                related=(Related(f"apiVersion: {gvk.api_version}", resource.sites(_API_VERSION)),),
            )
        )
    content = resource.content.get("spec")
    decoding = Decoding(release=behaviour.release)
    try:
        spec = spec_type_of(matcher_type, version).decode(EMPTY if content is None else content, decoding)
    except DecodeError as error:
        field = _SPEC.child(*error.field.segments)
        raise CauseError(
            ExpansionCause.at_field(
                matcher_type.path,
                Code.RESOURCE_INVALID,
                f"{matcher_type.noun} {resource.name} cannot be read: {field} {error.reason}",
                related=(Related(str(field), resource.sites(field)),),
            )
        ) from None
    return MatchedObject(matcher_type, resource, object_at(spec))
