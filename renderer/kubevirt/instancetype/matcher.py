"""Read and check ``spec.instancetype`` and ``spec.preference``.

KubeVirt ``pkg/instancetype/webhooks/vm/mutator.go``.
"""

from __future__ import annotations

from renderer.kubevirt.facts.kinds import INSTANCETYPE, MatcherType
from renderer.kubevirt.instancetype.cause import CauseError, ExpansionCause
from renderer.model.codes import Code
from renderer.model.diagnostic import Related
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject
from renderer.model.record import Record

IGNORE = "Ignore"
REJECT = "Reject"


class Matcher(Record):
    """The fields of a matcher; a missing one is empty, a missing failure policy None.

    An inferred matcher has the volume that it was inferred from, and the label that names the object;
    ``boot_image`` names the DataSource that has this label by default, if no file of the repository says so.
    """

    name: str = ""
    kind: str = ""
    revision_name: str = ""
    infer_from_volume: str = ""
    failure_policy: str | None = None
    volume: FieldPath | None = None
    label: Related | None = None
    boot_image: str = ""

    def __eq__(self, other: object) -> bool:
        """Return True if both name the same object; the volume that it was inferred from does not count."""
        return isinstance(other, Matcher) and tuple(self)[:5] == tuple(other)[:5]

    def __hash__(self) -> int:
        return hash(tuple(self)[:5])

    @property
    def may_fail_to_infer(self) -> bool:
        return bool(self.infer_from_volume) and self.failure_policy == IGNORE

    def with_kind(self, kind: str) -> Matcher:
        return self._replace(kind=kind)

    def content(self) -> JsonObject:
        """Return the matcher as written in a VirtualMachine."""
        texts = {
            "name": self.name,
            "kind": self.kind,
            "revisionName": self.revision_name,
            "inferFromVolume": self.infer_from_volume,
        }
        content: dict[str, Json] = {key: text for key, text in texts.items() if text}
        if self.failure_policy is not None:
            content["inferFromVolumeFailurePolicy"] = self.failure_policy
        return content


def read_matcher(vm_spec: JsonObject, matcher_type: MatcherType) -> Matcher | None:
    """Return the matcher in a VirtualMachine's ``spec``; None if it is missing. Raises ``CauseError``."""
    content = vm_spec.get(matcher_type.key)
    if content is None:
        return None
    if not isinstance(content, dict):
        raise CauseError(_wrong_type(matcher_type.path, "a mapping"))
    return Matcher(
        _text(content, "name", matcher_type) or "",
        _text(content, "kind", matcher_type) or "",
        _text(content, "revisionName", matcher_type) or "",
        _text(content, "inferFromVolume", matcher_type) or "",
        _text(content, "inferFromVolumeFailurePolicy", matcher_type),
    )


def _text(content: JsonObject, key: str, matcher_type: MatcherType) -> str | None:
    value = content.get(key)
    if value is None or isinstance(value, str):
        return value
    raise CauseError(_wrong_type(matcher_type.path.child(key), "a string"))


def _wrong_type(at: FieldPath, expected: str) -> ExpansionCause:
    return ExpansionCause.at_field(at, Code.MATCHER_INVALID, f"{at} must be {expected}")


def check_matcher(matcher: Matcher | None, matcher_type: MatcherType) -> tuple[ExpansionCause, ...]:
    """Return the mutating webhook's rejections of the matcher itself, without looking at its object."""
    if matcher is None:
        return ()
    path = matcher_type.path
    causes: list[ExpansionCause] = []
    if matcher.infer_from_volume:
        for key, value in (("name", matcher.name), ("kind", matcher.kind)):
            if value:
                message = f"{path}.{key} is set together with inferFromVolume"
                hint = f"drop one of {path}.{key} and {path}.inferFromVolume"
                causes.append(ExpansionCause.at_field(path.child(key), Code.MATCHER_INVALID, message, hint))
    elif not matcher.name:
        article = "an" if matcher_type is INSTANCETYPE else "a"
        message = f"{path} names neither {article} {matcher_type.noun} nor a volume to infer it from"
        hint = f"set {path}.name, or {path}.inferFromVolume to the name of a volume"
        causes.append(ExpansionCause.at_field(path, Code.MATCHER_INVALID, message, hint))
    if matcher.failure_policy not in (None, IGNORE, REJECT):
        at = path.child("inferFromVolumeFailurePolicy")
        message = f'"{matcher.failure_policy}" is not a failure policy'
        causes.append(ExpansionCause.at_field(at, Code.MATCHER_INVALID, message, f"use {IGNORE} or {REJECT}"))
    return tuple(causes)


def check_matcher_update(
    new: Matcher | None, old: Matcher | None, matcher_type: MatcherType
) -> tuple[ExpansionCause, ...]:
    """Return the mutating webhook's rejection of a matcher with a new name and the old revision."""
    if new is None or old is None or not new.revision_name:
        return ()
    if new.name == old.name or new.revision_name != old.revision_name:
        return ()
    at = matcher_type.path.child("revisionName")
    message = f"{matcher_type.path}.name changed from {old.name} to {new.name}, but revisionName did not"
    return (
        ExpansionCause.at_field(at, Code.MATCHER_INVALID, message, f"drop {at}, or name the new revision"),
    )


def keeps_stored_revision(new: Matcher | None, old: Matcher | None) -> bool:
    """Return True if a VM whose matcher was ``old`` goes on using the revision that its status names.

    A revision that ``new`` names itself, or another object, takes its place. A field that ``new`` leaves
    empty is not compared. KubeVirt 1.5, ``pkg/instancetype/revision/store.go`` (``syncStatusWithMatcher``).
    """
    if new is None or old is None or new.revision_name:
        return False
    compared = (
        (new.name, old.name),
        (new.kind, old.kind),
        (new.infer_from_volume, old.infer_from_volume),
    )
    return all(after in ("", before) for after, before in compared)
