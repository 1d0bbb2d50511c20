"""What of a changed field may be shown: everything but the values that open something."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

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
#: Keys of a ConfigMap for a sysprep volume, in small letters (KubeVirt ``pkg/config/sysprep.go``).
_ANSWER_FILES = frozenset({"autounattend.xml", "unattend.xml"})
_REFERENCES = frozenset({"networkDataSecretRef", "secretRef", "userDataSecretRef"})


def without_secrets(change: FieldChange, kind: str, values: Collection[str] = ()) -> FieldChange:
    """The change with ``NoValue.WITHHELD`` for each value that is confidential in an object of ``kind``.

    So is one that holds any of ``values``, wherever it stands.
    """
    shown = _Shown(kind, values)
    return change._replace(
        before=shown.of(change.before, change.field), after=shown.of(change.after, change.field)
    )


class _Shown(NamedTuple):
    kind: str
    values: Collection[str]

    def of(self, value: Value, field: FieldPath) -> Value:
        if isinstance(value, NoValue):
            return value
        if not isinstance(value, dict | list):
            return NoValue.WITHHELD if self._is_confidential(value, field) else value
        return self._masked(value, field)

    def _masked(self, value: Json, field: FieldPath) -> Json:
        """The value with ``***`` for what is confidential in it."""
        if isinstance(value, dict):
            return {key: self._masked(child, field.child(key)) for key, child in value.items()}
        if isinstance(value, list):
            return [self._masked(child, field.child(index)) for index, child in enumerate(value)]
        return MASK if self._is_confidential(value, field) else value

    def _is_confidential(self, value: Json, field: FieldPath) -> bool:
        is_copy = isinstance(value, str) and any(secret in value for secret in self.values)
        return is_copy or _is_confidential(field.segments, self.kind)


def _is_confidential(segments: tuple[Segment, ...], kind: str) -> bool:
    if kind == _SECRET and segments and segments[0] not in _PUBLIC:
        return True
    if kind == "ConfigMap" and any(str(segment).lower() in _ANSWER_FILES for segment in segments):
        return True
    for position, segment in enumerate(segments):
        if segment in _CONFIDENTIAL:
            return _REFERENCES.isdisjoint(segments[position:])
    return False
