"""Argo CD: the source and the parameters of an Application, and the differences that it has to ignore.

https://argo-cd.readthedocs.io/en/stable/operator-manual/config-management-plugins/: a parameter of the
application is an entry of the JSON list ``ARGOCD_APP_PARAMETERS``, a variable ``NAME`` of its ``env`` is
``ARGOCD_ENV_NAME``.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import NamedTuple, TypeVar

from renderer.app.project import Project, ProjectOpener, chosen_overlay, chosen_overlays
from renderer.app.usage_error import UsageError
from renderer.files.file_system import is_inside
from renderer.findings.located import Located
from renderer.findings.run_findings import RunFindings
from renderer.kubevirt.facts.controller_marks import contested_fields
from renderer.kubevirt.facts.kinds import VM
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.json import Json, JsonObject, object_at, text_at
from renderer.model.kustomization import KUSTOMIZATION_FILES
from renderer.model.plural import listed
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode, Overlay, OverlayEntry
from renderer.model.run.work import in_turn
from renderer.model.suggest import did_you_mean, member_named
from renderer.model.whole_number import json_integer
from renderer.project.overlays import FoundOverlays

_SOURCE_PATH = "ARGOCD_APP_SOURCE_PATH"
_LIST = "ARGOCD_APP_PARAMETERS"
_PREFIX = "ARGOCD_ENV_VMRENDER_"
_BOOLEANS = {"true": True, "false": False}
_NAMES = ("overlay", "kubevirt", "expand", "write-instancetypes")

T = TypeVar("T")


class ApplicationParameters(NamedTuple):
    """Parameters that an Application sets itself. None means that the project's value is used."""

    overlay: str | None = None
    kubevirt: Release | None = None
    expand: ExpandMode | None = None
    write_instancetypes: bool | None = None

    @classmethod
    def of(cls, environment: Mapping[str, str], parse: Callable[[str], Release]) -> ApplicationParameters:
        """Read the parameters from the list, and the rest from ``env``. Raises ``UsageError``.

        ``parse`` parses a release, and raises ``ValueError``.
        """
        given = {
            variable.removeprefix(_PREFIX).lower().replace("_", "-"): value
            for variable, value in environment.items()
            if variable.startswith(_PREFIX) and value
        }
        given |= _list_parameters(environment.get(_LIST, ""))
        for name in given:
            if name not in _NAMES:
                hint = did_you_mean(name, _NAMES, most=1, otherwise=f"known fields: {', '.join(_NAMES)}")
                raise UsageError(f"unknown parameter {name}; {hint}")
        return cls(
            given.get("overlay"),
            _read(given, "kubevirt", parse),
            _read(given, "expand", partial(member_named, ExpandMode, noun="mode")),
            _read(given, "write-instancetypes", _parse_boolean),
        )


def _list_parameters(text: str) -> Iterator[tuple[str, str]]:
    """Yield name and value of the parameters in a JSON list. Argo CD writes an empty text for no value."""
    if not text:
        return
    from json import loads  # noqa: PLC0415 - most applications have no parameters

    try:
        entries: Json = loads(text, parse_int=json_integer)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{_LIST} is not JSON: {error}") from None
    if entries is not None and not isinstance(entries, list):
        raise UsageError(f"{_LIST} is not a list")
    for entry in entries or ():
        name = text_at(entry, "name")
        if not name:
            raise UsageError(f"{_LIST} has a parameter without a name")
        if "array" in object_at(entry) or "map" in object_at(entry):
            raise UsageError(f"the parameter {name} is a string, not an array or map")
        value = text_at(entry, "string")
        if value:
            yield name, value


def _read(given: Mapping[str, str], name: str, parse: Callable[[str], T]) -> T | None:
    if name not in given:
        return None
    try:
        return parse(given[name])
    except (ValueError, UsageError) as error:
        raise UsageError(f"parameter {name}: {error}") from None


def _parse_boolean(text: str) -> bool:
    if text not in _BOOLEANS:
        raise ValueError(f"{text!r} is neither true nor false")
    return _BOOLEANS[text]


@dataclass(frozen=True)
class ApplicationSource:
    """The source of an application: ``folder``, its ``spec.source.path``, in a copy of the repository."""

    project: Project
    folder: str

    @classmethod
    def in_working_directory(
        cls, open_project: ProjectOpener, environment: Mapping[str, str]
    ) -> ApplicationSource:
        """Open the project in the working directory. Raises ``DiagnosticError`` if it is invalid."""
        here = Path.cwd()
        project = open_project(here, _root_of_copy(here, environment.get(_SOURCE_PATH, "")))
        return cls(project, project.relative(here))

    @cached_property
    def found(self) -> FoundOverlays:
        """The overlays of the project. Raises ``DiagnosticError``."""
        return self.project.look_up_overlays()

    def overlay(self, parameters: ApplicationParameters) -> Overlay:
        """Return the overlay to render. Raises ``DiagnosticError`` if it does not exist."""
        overlay = self._find_overlay(parameters.overlay).with_target(parameters.kubevirt, parameters.expand)
        write = parameters.write_instancetypes
        return overlay if write is None else overlay._replace(write_instancetypes=write)

    def _find_overlay(self, name: str | None) -> Overlay:
        """Return the overlay with that name; without a name, the listed or unlisted one in the folder."""
        if name:
            return chosen_overlay(self.found, name)
        for overlay in self.found.overlays:
            if overlay.path == self.folder:
                return overlay
        self._check_is_overlay()
        return self.project.config.overlay(
            OverlayEntry(self.folder), self.folder, posixpath.basename(self.folder)
        )

    def _check_is_overlay(self) -> None:
        """Raise ``DiagnosticError`` if the folder is not an overlay itself, but contains overlays."""
        below = [overlay.name for overlay in self.found.overlays if is_inside(overlay.path, self.folder)]
        if below and not any(
            self.project.fs.is_file(f"{self.folder}/{name}") for name in KUSTOMIZATION_FILES
        ):
            raise Diagnostic(
                Code.KUSTOMIZATION_MISSING,
                f"no kustomization in {self.folder}",
                hint=f"set the application's parameter overlay to one of {listed(below)}",
            ).error()


def _root_of_copy(here: Path, source_path: str) -> Path | None:
    """Return the root of the copy, where the Application's path begins. The copy has no ``.git``."""
    parts = Path(source_path).parts
    return here.parents[len(parts) - 1] if parts and here.parts[-len(parts) :] == parts else None


def announced_parameters(overlay: Overlay, *, is_listed: bool) -> list[JsonObject]:
    """Return the parameters in Argo CD's form, each with its value if the Application sets none."""
    modes = ", ".join(ExpandMode)
    return [
        {
            "name": "overlay",
            "title": "Overlay",
            "tooltip": "Name or path of the overlay to render, if it is not the one in the path",
            "string": overlay.name if is_listed else "",
        },
        {
            "name": "kubevirt",
            "title": "KubeVirt release",
            "tooltip": "The release that runs in the cluster, as in 1.9 or hco-1.18",
            "string": overlay.kubevirt.as_target,
        },
        {
            "name": "expand",
            "title": "Expansion",
            "tooltip": f"How far virtual machines are expanded: {modes}",
            "string": str(overlay.expand),
        },
        {
            "name": "write-instancetypes",
            "title": "Write instance types",
            "tooltip": "Whether instance types and preferences are among the manifests",
            "itemType": "boolean",
            "string": "true" if overlay.write_instancetypes else "false",
        },
    ]


class IgnoreDifferences(NamedTuple):
    """``text`` is a part of an Application's spec, None if there are errors; ``overlays`` are paths."""

    text: str | None
    findings: tuple[Located, ...]
    overlays: tuple[str, ...]


def ignore_differences(project: Project, names: tuple[str, ...]) -> IgnoreDifferences:
    """List the fields that the rendered virtual machines do not set and KubeVirt fills in.

    Fields that they set and other controllers change are listed as well.

    Raises ``DiagnosticError`` if an overlay does not exist.
    """
    from renderer.kubevirt.instancetype.behaviour import behaviour_of  # noqa: PLC0415 - a stage
    from renderer.kubevirt.instancetype.open_fields import open_fields  # noqa: PLC0415 - a stage
    from renderer.pipeline import Pipeline  # noqa: PLC0415 - a stage

    project = project.proposed()
    pipeline = Pipeline(project.fs, project.config)
    found = pipeline.found
    selected = chosen_overlays(found, names)
    findings = RunFindings(project.fs)
    findings.add(() if names else found.errors)
    paths: dict[str, None] = {}
    for overlay in in_turn(selected):
        outcome = pipeline.render(overlay)
        findings.add(outcome.diagnostics, overlay.path)
        paths |= dict.fromkeys(open_fields(outcome.value, behaviour_of(overlay.kubevirt)))
        machines = [each.content for each in outcome.value if each.kind == VM]
        paths |= dict.fromkeys(path for each in machines for path in contested_fields(each))
    text = None if findings.has_errors else _application_text(tuple(paths))
    return IgnoreDifferences(text, findings.found(), tuple(overlay.path for overlay in selected))


def _application_text(paths: tuple[str, ...]) -> str:
    from renderer.yamlio.encode import encode  # noqa: PLC0415 - a stage

    if not paths:
        return encode([{"ignoreDifferences": []}])
    ignored = {"group": "kubevirt.io", "kind": "VirtualMachine", "jqPathExpressions": list(paths)}
    # Without the option, a sync would still remove fields that the diff does not show.
    return encode(
        [
            {
                "ignoreDifferences": [ignored],
                "syncPolicy": {"syncOptions": ["RespectIgnoreDifferences=true"]},
            }
        ]
    )
