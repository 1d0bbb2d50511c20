"""The instance type or preference that a matcher means.

KubeVirt ``pkg/instancetype/find`` and ``…/preference/find``: a revision before anything else, then by kind.
"""

from __future__ import annotations

from renderer.instancetype.api import v1beta2
from renderer.instancetype.api.instancetype import INSTANCETYPE_SPEC, V1BETA2_INSTANCETYPE_SPEC
from renderer.instancetype.api.preference import PREFERENCE_SPEC
from renderer.instancetype.api.types import DecodeError, Decoding, Struct
from renderer.instancetype.behaviour import Behaviour
from renderer.instancetype.catalog import Scope
from renderer.instancetype.cause import Cause, CauseError
from renderer.instancetype.matcher import INSTANCETYPE, Matcher, MatcherType
from renderer.instancetype.not_found import not_found, revision_not_found, unknown_kind, unusable_revision
from renderer.instancetype.revision import RevisionError, decode_revision
from renderer.model.codes import Code
from renderer.model.diagnostic import Related
from renderer.model.field_path import FieldPath
from renderer.model.json import EMPTY, JsonObject, object_at, text_at
from renderer.model.record import Record
from renderer.model.resource import Resource

_OBJECT_NAME_LABEL = "instancetype.kubevirt.io/object-name"
_SPEC = FieldPath.of("spec")
_API_VERSION = FieldPath.of("apiVersion")


class Found(Record):
    """An instance type or preference: its v1beta1 ``spec``, and the resource that holds it at ``field``.

    What a v1beta2 instance type leaves to the VM, ``cpu.guest`` or ``memory.guest``, is not in the spec.
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
        """Whether it is what a ControllerRevision keeps."""
        return self.field is not _SPEC

    def related(self, field: FieldPath) -> Related:
        """The place of ``field``, counted from the document of an instance type or preference."""
        *parents, last = (str(segment) for segment in field.segments[1:])
        value = object_at(self.spec, *parents).get(last)
        text = str(field) if value is None or isinstance(value, dict | list) else f"{field}: {value}"
        return Related(text, self.resource.sites(self.field.child(*field.segments[1:])))

    def left_to_vm(self, field: FieldPath) -> Related:
        """The place where ``field`` could be, counted as in ``related``."""
        return self.related(field)._replace(message=f"{field} is left to the VM")


class Finder:
    """Finds what matchers mean to one release.

    A revision comes before anything else, then kind and name count. Every object is decoded once.
    """

    def __init__(self, behaviour: Behaviour) -> None:
        self._behaviour = behaviour
        self._found: dict[tuple[int, MatcherType], Found] = {}

    def find(
        self, matcher: Matcher | None, matcher_type: MatcherType, status: JsonObject, scope: Scope
    ) -> Found | None:
        """What ``matcher`` means to a VirtualMachine with that ``status``; None for no matcher.

        Raises ``CauseError`` when it means nothing, or something that cannot be decoded.
        """
        if matcher is None:
            return None
        revision = find_revision(matcher, matcher_type, status, scope, self._behaviour)
        resource = revision or find_object(matcher, matcher_type, scope, self._behaviour)
        # The catalog keeps the resource, and with it its id.
        found = self._found.get((id(resource), matcher_type))
        if found is None:
            if revision is None:
                found = decoded(resource, matcher_type, self._behaviour)
            else:
                found = _stored(revision, _named_at(matcher, matcher_type), matcher_type, self._behaviour)
            self._found[id(resource), matcher_type] = found
        return found

    @property
    def used(self) -> tuple[Resource, ...]:
        """The objects, not revisions, that something was found in so far."""
        return tuple(found.resource for found in self._found.values() if not found.is_revision)


def find_object(matcher: Matcher, matcher_type: MatcherType, scope: Scope, behaviour: Behaviour) -> Resource:
    """The catalog's object that ``matcher`` names, whatever its revision. Raises ``CauseError``."""
    kind = matcher_type.matched_kind(matcher.kind)
    if kind is None:
        raise CauseError(unknown_kind(matcher, matcher_type))
    resource = scope.find(kind, matcher.name)
    if resource is None:
        raise CauseError(not_found(matcher, matcher_type, kind, scope, behaviour))
    return resource


def find_revision(
    matcher: Matcher, matcher_type: MatcherType, status: JsonObject, scope: Scope, behaviour: Behaviour
) -> Resource | None:
    """The ControllerRevision to take, None to take the object itself. Raises ``CauseError``."""
    named = matcher.revision_name
    name = named or _status_revision(matcher_type, status, behaviour)
    if not name:
        return None
    revision = scope.find("ControllerRevision", name)
    if revision is None:
        raise CauseError(revision_not_found(name, _named_at(matcher, matcher_type), matcher_type, scope))
    if named or revision.labels.get(_OBJECT_NAME_LABEL) == matcher.name:
        return revision
    return None


def _status_revision(matcher_type: MatcherType, status: JsonObject, behaviour: Behaviour) -> str:
    if not status or not behaviour.notes_revision_in_status:
        return ""
    return text_at(status, matcher_type.status_ref, "controllerRevisionRef", "name")


def _named_at(matcher: Matcher, matcher_type: MatcherType) -> FieldPath:
    """Where the VirtualMachine names a revision: in the matcher, else in its status."""
    if matcher.revision_name:
        return matcher_type.path.child("revisionName")
    return FieldPath.of("status", matcher_type.status_ref, "controllerRevisionRef", "name")


def _stored(
    revision: Resource, named_at: FieldPath, matcher_type: MatcherType, behaviour: Behaviour
) -> Found:
    try:
        stored = decode_revision(revision.content, matcher_type, behaviour)
    except RevisionError as error:
        raise CauseError(unusable_revision(revision, named_at, matcher_type, error)) from None
    return Found(matcher_type, revision, stored.spec, stored.field)


def spec_type_of(matcher_type: MatcherType, version: str = "v1beta1") -> Struct:
    """The type of what the matcher finds, by which objects of ``version`` are read."""
    if matcher_type is not INSTANCETYPE:
        return PREFERENCE_SPEC
    return V1BETA2_INSTANCETYPE_SPEC if version == v1beta2.VERSION else INSTANCETYPE_SPEC


def decoded(resource: Resource, matcher_type: MatcherType, behaviour: Behaviour) -> Found:
    """The object's spec, when it can be decoded and is of v1beta2 or a version that the release serves.

    Fields that the release does not know yet are not in it, as its API server would drop them.

    Raises ``CauseError``.
    """
    version = resource.gvk.version
    if version not in behaviour.served_versions and version != v1beta2.VERSION:
        raise CauseError(_not_served(resource, matcher_type, behaviour))
    content = resource.content.get("spec")
    how = Decoding(release=behaviour.release)
    try:
        spec = spec_type_of(matcher_type, version).decode(EMPTY if content is None else content, how)
    except DecodeError as error:
        raise CauseError(_undecodable(resource, matcher_type, error)) from None
    return Found(matcher_type, resource, object_at(spec))


def _not_served(resource: Resource, matcher_type: MatcherType, behaviour: Behaviour) -> Cause:
    gvk = resource.gvk
    return Cause(
        code=Code.API_VERSION,
        field=str(matcher_type.path),
        at=matcher_type.path,
        message=f"{matcher_type.noun} {resource.name} is of {gvk.version},"
        f" which KubeVirt {behaviour.release} does not serve",
        hint=f"make it {gvk.group}/v1beta1; its fields stay the same",
        related=(Related(f"apiVersion: {gvk.api_version}", resource.sites(_API_VERSION)),),
    )


def _undecodable(resource: Resource, matcher_type: MatcherType, error: DecodeError) -> Cause:
    field = _SPEC.child(*error.field.segments)
    return Cause(
        code=Code.RESOURCE_INVALID,
        field=str(matcher_type.path),
        at=matcher_type.path,
        message=f"{matcher_type.noun} {resource.name} cannot be read: {field} {error.reason}",
        related=(Related(str(field), resource.sites(field)),),
    )
