"""What of a changed field may be shown: everything but the values that open something."""

from __future__ import annotations

from renderer.model.difference import FieldChange, NoValue, Value
from renderer.model.field_path import FieldPath, Segment
from renderer.model.json import Json

MASK = "***"

_SECRET = "Secret"  # noqa: S105 - the kind
#: What of a Secret may be read.
_PUBLIC = frozenset({"apiVersion", "kind", "metadata", "type", "immutable"})
#: Fields, in whatever object, below which everything is withheld but the names of other objects.
_CONFIDENTIAL = frozenset(
    {
        "accessCredentials",
        "cloudInitConfigDrive",
        "cloudInitNoCloud",
        "dhCert",  # these two of launchSecurity.sev
        "session",
        "kubectl.kubernetes.io/last-applied-configuration",
        "kubevirt.io/ignitiondata",
    }
)
_REFERENCES = frozenset({"networkDataSecretRef", "secretRef", "userDataSecretRef"})


def without_secrets(change: FieldChange, kind: str) -> FieldChange:
    """The change with ``NoValue.WITHHELD`` for each value that is confidential in an object of ``kind``."""
    field = change.field
    return change._replace(before=_shown(change.before, field, kind), after=_shown(change.after, field, kind))


def _shown(value: Value, field: FieldPath, kind: str) -> Value:
    if isinstance(value, NoValue):
        return value
    if not isinstance(value, dict | list):
        return NoValue.WITHHELD if _is_confidential(field.segments, kind) else value
    return _masked(value, field, kind)


def _masked(value: Json, field: FieldPath, kind: str) -> Json:
    """The value with ``***`` for what is confidential in it."""
    if isinstance(value, dict):
        return {key: _masked(child, field.child(key), kind) for key, child in value.items()}
    if isinstance(value, list):
        return [_masked(child, field.child(index), kind) for index, child in enumerate(value)]
    return MASK if _is_confidential(field.segments, kind) else value


def _is_confidential(segments: tuple[Segment, ...], kind: str) -> bool:
    if kind == _SECRET and segments and segments[0] not in _PUBLIC:
        return True
    for position, segment in enumerate(segments):
        if segment in _CONFIDENTIAL:
            return _REFERENCES.isdisjoint(segments[position:])
    return False
