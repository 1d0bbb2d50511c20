"""Which schema judges a resource: by KubeVirt release, group and kind, read when first asked for."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path

from renderer.bundled import data_folder
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.model.gvk import Gvk
from renderer.model.json import JsonObject
from renderer.model.release import Release
from renderer.validation.kind_schema import KindSchema
from renderer.validation.kubevirt_kinds import GROUPS, KINDS, WITHOUT_SCHEMA, KubevirtKind


class SchemaRegistry:
    """The schemas in ``folder``, by default those that ship: ``kubevirt/<release>/<kind>.json``."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = (folder or data_folder("schemas")) / "kubevirt"
        self._schemas: dict[tuple[Release, KubevirtKind], KindSchema] = {}

    def covers(self, gvk: Gvk) -> bool:
        """Whether ``gvk`` is of a group of KubeVirt's for which there are schemas."""
        return gvk.group in GROUPS

    def schema(self, release: Release, gvk: Gvk) -> KindSchema:
        """The schema of ``gvk`` at ``release``, whatever the version.

        Raises ``DiagnosticError`` (schema-missing) that says what was looked for and what there is.
        """
        kind = _kind(gvk)
        found = self._schemas.get((release, kind))
        if found is None:
            found = self._schemas[release, kind] = KindSchema(self._read(release, kind))
        return found

    @cached_property
    def releases(self) -> tuple[Release, ...]:
        """The releases there are schemas of, the oldest first."""
        return tuple(sorted(Release.parse(folder.name) for folder in self._folder.glob("[0-9]*.[0-9]*")))

    def _read(self, release: Release, kind: KubevirtKind) -> JsonObject:
        path = self._folder / str(release) / kind.file_name
        try:
            document: JsonObject = json.loads(path.read_bytes())
        except FileNotFoundError:
            there_are = ", ".join(map(str, self.releases)) or "none"
            raise _missing(
                f"there is no schema of {kind.name} for KubeVirt {release}",
                f"looked for kubevirt/{release}/{kind.file_name}; there are schemas for {there_are}",
            ) from None
        return document


def _kind(gvk: Gvk) -> KubevirtKind:
    for kind in KINDS:
        if (kind.group, kind.name) == (gvk.group, gvk.kind):
            return kind
    if gvk.kind in WITHOUT_SCHEMA:
        raise _missing(f"there is no schema of {gvk.kind}: it is not checked", None, Severity.WARNING)
    raise _missing(f"KubeVirt has no kind {gvk.kind} in the group {gvk.group}", _meant(gvk))


def _meant(gvk: Gvk) -> str:
    from renderer.validation.wording import nearest  # noqa: PLC0415 - only when something is wrong

    elsewhere = [kind.group for kind in KINDS if kind.name == gvk.kind]
    here = [kind.name for kind in KINDS if kind.group == gvk.group]
    meant = nearest(gvk.kind, here)
    if elsewhere:
        return f"it is of the group {elsewhere[0]}"
    return f"did you mean {meant}?" if meant else f"known kinds: {', '.join(here)}"


def _missing(message: str, hint: str | None, severity: Severity = Severity.ERROR) -> DiagnosticError:
    return DiagnosticError(
        Diagnostic(code=Code.SCHEMA_MISSING, message=message, hint=hint, severity=severity)
    )
