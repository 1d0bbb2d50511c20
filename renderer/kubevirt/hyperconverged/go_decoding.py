"""The values that the operator's Go types cannot hold: its webhooks then refuse the object.

``HyperConvergedSpec`` is in ``api/v1beta1`` and ``api/v1``. The schema accepts any text
as a duration and any number as an unsigned one.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.golang.duration import parse_duration
from renderer.golang.go_types import GoTypeError
from renderer.kubevirt.hyperconverged.object_fields import V1, V1BETA1, Setting, version_of
from renderer.kubevirt.hyperconverged.release import OperatorRelease, operator_types
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY, Json, JsonObject, object_at
from renderer.model.kube.list_elements import value_at
from renderer.model.record import Record

#: The Go types of the spec, by API version.
GO_TYPES = {V1: "hco1.HyperConvergedSpec", V1BETA1: "hco1beta1.HyperConvergedSpec"}
_MOST_UINT32 = (1 << 32) - 1
_MOST_UINT64 = (1 << 64) - 1


class Undecodable(Record):
    """A value that Go cannot decode, and what it must be."""

    at: FieldPath
    message: str
    hint: str


def is_decodable(content: JsonObject, release: OperatorRelease) -> bool:
    """Return True if Go can read an object of an API version that the release serves."""
    return decoding_error(content, release) is None


def decoding_error(content: JsonObject, release: OperatorRelease) -> str | None:
    """Return why Go cannot read an object; None if it can."""
    try:
        operator_types(release).decode(GO_TYPES[version_of(content)], content.get("spec", EMPTY))
    except GoTypeError as error:
        return str(error)
    return None


def undecodable(content: JsonObject) -> Iterator[Undecodable]:
    """Yield values of the right type that Go cannot decode: the ones that are written by mistake."""
    certificates = Setting.CERTIFICATES.place_in(content)
    for certificate in ("ca", "server"):
        for name in ("duration", "renewBefore"):
            yield from _check_duration(content, certificates.child(certificate, name))
    workload_update = Setting.WORKLOAD_UPDATE.place_in(content)
    yield from _check_duration(content, workload_update.child("batchEvictionInterval"))
    for setting, names in (
        (Setting.LIVE_MIGRATION, ("parallelMigrationsPerCluster", "parallelOutboundMigrationsPerNode")),
        (Setting.LIVE_UPDATE, ("maxCpuSockets", "maxHotplugRatio")),
    ):
        for name in names:
            yield from _check_unsigned(content, setting.place_in(content).child(name), _MOST_UINT32)
    verbosity = Setting.LOG_VERBOSITY.place_in(content).child("kubevirt")
    levels = object_at(value_at(content, verbosity.segments))
    for name in levels:
        yield from _check_unsigned(content, verbosity.child(name), _MOST_UINT64)
    for node in object_at(levels, "nodeVerbosity"):
        yield from _check_unsigned(content, verbosity.child("nodeVerbosity", node), _MOST_UINT64)


def _check_duration(content: JsonObject, at: FieldPath) -> Iterator[Undecodable]:
    written: Json = value_at(content, at.segments)
    if isinstance(written, str) and parse_duration(written) is None:
        hint = "write a duration such as 48h or 1h30m; Go has no unit for days"
        yield Undecodable(at, f"{written!r} is not a duration", hint)


def _check_unsigned(content: JsonObject, at: FieldPath, most: int) -> Iterator[Undecodable]:
    written: Json = value_at(content, at.segments)
    if isinstance(written, int) and not isinstance(written, bool) and not 0 <= written <= most:
        yield Undecodable(at, f"{written} is not a number from 0 to {most}", "write 0 or more")
