"""Check that a dump describes one cluster, with one object for each identity."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kubevirt.facts.kinds import KUBEVIRT_GROUP
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Related, Severity
from renderer.model.kube.json import text_at
from renderer.model.kube.live_object import LiveObject
from renderer.model.kube.location import Location
from renderer.model.kube.res_id import ObjectKey
from renderer.model.record import Record

_SYSTEM = ("", "Namespace", "", "kube-system")
_SPLIT_HINT = "use one cluster at a time, and print its objects with one command"


class _Seen(Record):
    uid: str
    version: str
    resource_version: int
    location: Location


class Consistency:
    """The objects of a dump that were read so far, and the findings about them."""

    def __init__(self) -> None:
        self._seen: dict[ObjectKey, _Seen] = {}
        self._versions: dict[tuple[str, str], dict[str, Location]] = {}
        self._mixed: list[Diagnostic] = []

    def add(self, live: LiveObject) -> bool:
        """Record an object. Return True if it counts, False for the older of two prints of it."""
        identity, gvk = live.id.object_key, live.id.gvk
        new = _Seen(live.uid, gvk.version, _resource_version(live), live.location)
        self._versions.setdefault((gvk.group, gvk.kind), {}).setdefault(gvk.version, live.location)
        old = self._seen.get(identity)
        if old is None:
            self._seen[identity] = new
            return True
        if old.uid != new.uid:
            if identity == _SYSTEM:
                message = "this dump was printed from two clusters: the namespace kube-system has two uids"
            else:
                message = (
                    f"{live.id} has two uids: the dump is from two clusters, or the object was recreated"
                )
            self._mixed.append(_mixed(message, live, old))
            return False
        if old.resource_version < 0 and new.resource_version < 0:
            message = f"{live.id} is printed twice, without metadata.resourceVersion to say which is newer"
            self._mixed.append(_mixed(message, live, old))
            return False
        if new.resource_version <= old.resource_version:
            return False
        self._seen[identity] = new
        return True

    def check(self) -> None:
        """Raise ``DiagnosticError`` if the objects do not describe one cluster."""
        errors = [each for each in self.findings() if each.severity is Severity.ERROR]
        if errors:
            raise DiagnosticError(*errors)

    def findings(self) -> Iterator[Diagnostic]:
        """Yield the findings about the dump as a whole."""
        yield from self._mixed
        for (group, kind), versions in self._versions.items():
            if len(versions) > 1:
                *others, last = versions
                named = f"{', '.join(others)} and {last}"
                handling = (
                    "written in v1, as the fields are the same"
                    if group == KUBEVIRT_GROUP
                    else "written in their own versions"
                )
                yield Diagnostic.in_file(
                    versions[last],
                    Code.DUMP_MIXED,
                    f"this dump has objects of the kind {kind} in the versions {named}",
                    f"they are {handling}; one command for all objects of a kind prints one version",
                    severity=Severity.WARNING,
                )


def _mixed(message: str, live: LiveObject, old: _Seen) -> Diagnostic:
    return Diagnostic(
        Code.DUMP_MIXED,
        message,
        hint=_SPLIT_HINT,
        location=live.location,
        resource=live.id,
        related=(Related("the other one", location=old.location),),
    )


def _resource_version(live: LiveObject) -> int:
    """Return the version of an object as a number, to compare prints from one cluster; -1 if it has none."""
    text = text_at(live.metadata, "resourceVersion")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 20 else -1  # noqa: PLR2004 - of 64 bits
