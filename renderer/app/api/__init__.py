"""The library: what ``import renderer`` offers.

Open a project, list its overlays and its fleet, render, write, validate, compare and explain; expand, check
and compare objects that are dictionaries. The functions print nothing and never end the process. They accept
and return plain values, may be called from any thread, and leave no state in the calling thread.

Findings are values: a call returns them, with file and line. Two exceptions stop a call: ``DiagnosticError``
if the input cannot be used at all, and ``UsageError`` if a request names something that does not exist.
An argument of a wrong type raises ``TypeError``.

>>> import renderer
>>> project = renderer.open_project("shop")
>>> for overlay in renderer.list_overlays(project):
...     rendered = renderer.render(project, overlay.name)
...     print(overlay.path, list(rendered.files), len(rendered.findings))
overlays/prod ['shop/virtualmachine_db.yaml', 'shop/virtualmachine_web.yaml'] 0
overlays/test ['shop-test/virtualmachine_db.yaml', 'shop-test/virtualmachine_web.yaml'] 0
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from renderer.app.api.arguments import paths_of
from renderer.app.api.fleet import fleet_of
from renderer.app.api.objects import (
    Manifest,
    check_object,
    compare_states,
    expand_object,
    project_in_memory,
)
from renderer.app.api.runs import isolated_run, located_errors, reopen
from renderer.app.api.values import Expanded, Findings, Fleet, FleetMachine, Rendered
from renderer.app.comparison.result import Comparison
from renderer.app.diff import compare_revisions
from renderer.app.explain import explain_resource
from renderer.app.explanations import Question, explanation_of
from renderer.app.project import Project, chosen_overlay, chosen_overlays, project_files
from renderer.app.render import RenderMode, RenderRequest, RenderResult
from renderer.app.render import render as run_render
from renderer.app.reporter import Silent
from renderer.app.usage_error import UsageError
from renderer.app.validate import validate as run_validate
from renderer.emit.layout import layout
from renderer.files.disk import path_exists
from renderer.findings.located import Located as Diagnostic
from renderer.findings.located import LocatedError as DiagnosticError
from renderer.findings.run_findings import locate
from renderer.findings.shared_targets import settled
from renderer.kubevirt.facts.confidential.masked import shown_id
from renderer.kubevirt.facts.products import target_release
from renderer.model.codes import Code, Explanation
from renderer.model.history import ResourceHistory
from renderer.model.kube.resource import ResourceSet
from renderer.model.masking import Masking
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode, Overlay
from renderer.model.run.limits import lowered
from renderer.model.run.taint import noted_masking
from renderer.model.suggest import member_named
from renderer.pipeline import Pipeline
from renderer.project.project_root import find_project_root

__all__ = [
    "Comparison",
    "Diagnostic",
    "DiagnosticError",
    "Expanded",
    "Explanation",
    "Findings",
    "Fleet",
    "FleetMachine",
    "Overlay",
    "Project",
    "RenderResult",
    "Rendered",
    "ResourceHistory",
    "UsageError",
    "compare",
    "compare_objects",
    "expand",
    "explain",
    "explain_code",
    "list_fleet",
    "list_overlays",
    "open_project",
    "render",
    "validate",
    "validate_object",
    "write",
]

#: The fields of each value that ``docs/library.md`` promises to keep.
STABLE_FIELDS: Mapping[str, tuple[str, ...]] = {
    "Comparison": ("difference", "before", "after"),
    "Diagnostic": ("code", "message", "severity", "location", "resource", "field", "hint", "overlays"),
    "DiagnosticError": ("diagnostics",),
    "Expanded": ("manifest", "findings"),
    "Explanation": ("summary", "markdown"),
    "Findings": ("errors", "warnings"),
    "Fleet": ("machines", "findings"),
    "FleetMachine": FleetMachine._fields,
    "Overlay": ("path", "name", "output", "kubevirt", "expand"),
    "Project": ("root",),
    "RenderResult": ("trees", "findings", "overlays"),
    "Rendered": ("overlay", "files", "manifests", "findings"),
    "ResourceHistory": ("overlay", "resource", "fields"),
    "UsageError": (),
}


@isolated_run
def open_project(path: str | Path = ".", environment: Mapping[str, str] | None = None) -> Project:
    """Open the project that contains ``path``. Without a ``vmrender.yaml`` it has the defaults.

    ``environment`` has the variables for git, the cache and ``VMRENDER_LIMITS``; the default is the
    environment of the process. The settings are read now. Each call reads all other files again.

    Raises ``UsageError`` if the path does not exist, and ``DiagnosticError`` if ``vmrender.yaml`` cannot be
    used.

    >>> renderer.open_project("shop/overlays/prod").root.name
    'shop'
    """
    if not path_exists(path):
        raise UsageError(f"there is no file or folder {os.fspath(path)!r}")
    root = find_project_root(Path(path))
    environment = os.environ if environment is None else environment
    with located_errors(project_files(root, environment)):
        return Project.read(root, environment)


@isolated_run
def list_overlays(project: Project) -> tuple[Overlay, ...]:
    """Return the overlays of the project, in the order in which they are rendered.

    Raises ``DiagnosticError`` for entries of ``overlays`` that match nothing.

    >>> [(overlay.name, str(overlay.kubevirt)) for overlay in renderer.list_overlays(project)]
    [('prod', '1.9'), ('test', '1.9')]
    """
    with lowered(project.config.limits):
        return reopen(project).overlays()


@isolated_run
def list_fleet(project: Project, *overlays: str | Overlay) -> Fleet:
    """Return the virtual machines of the given overlays, or of all overlays if none are given.

    Each has the names of its instance type and preference in Git, the resulting size, and the findings about
    it. ``pandas.DataFrame(fleet.machines)`` makes a table.

    Raises ``UsageError`` for an unknown overlay, and ``DiagnosticError`` for a project without overlays.

    >>> fleet = renderer.list_fleet(project)
    >>> for machine in fleet.machines:
    ...     print(machine.overlay, machine.name, machine.instancetype, machine.vcpus, machine.memory)
    overlays/prod db u1.large 2 8589934592
    overlays/prod web u1.medium 1 4294967296
    overlays/test db u1.small 1 2147483648
    overlays/test web u1.medium 1 4294967296
    """
    project = reopen(project)
    with lowered(project.config.limits):
        found, names = project.look_up_overlays(), paths_of(overlays)
        if not names:
            found.all_overlays()  # a fleet without some of its machines would look whole
        return fleet_of(project, chosen_overlays(found, names))


@isolated_run
def render(project: Project, overlay: str | Overlay) -> Rendered:
    """Render an overlay in memory. Like all functions, it accepts a name, a path or an ``Overlay``.

    Raises ``UsageError`` for an unknown overlay, and ``DiagnosticError`` for a project without overlays.

    >>> rendered = renderer.render(project, "prod")
    >>> [manifest["metadata"]["name"] for manifest in rendered.manifests]
    ['db', 'web']
    >>> rendered
    Rendered('overlays/prod', 2 files, 2 resources, 0 findings)
    """
    project = reopen(project)
    with lowered(project.config.limits):
        [wanted] = paths_of([overlay])
        pipeline = Pipeline(project.fs, project.config)
        selected = chosen_overlay(pipeline.found, wanted)
        outcome = pipeline.render(selected)
        own = settled(outcome.diagnostics, selected, pipeline.found.overlays, project.fs)
        findings = Findings(locate(project.fs, own, selected.path))
        if outcome.failed:
            return Rendered(selected, {}, ResourceSet(), findings)
        secrets = Masking(pipeline.secrets(selected, outcome.value), others=(noted_masking(),))
        shown_ids = tuple(shown_id(each.current_id, secrets) for each in outcome.value)
        return Rendered(selected, layout(outcome.value, selected.files), outcome.value, findings, shown_ids)


@isolated_run
def write(
    project: Project, *overlays: str | Overlay, check: bool = False, all_or_nothing: bool = False
) -> RenderResult:
    """Render overlays into their folders; all overlays if none are given. With ``check``, only compare.

    The tree of an overlay with an error stays as it was; with ``all_or_nothing``, so do all others then.
    Raises ``UsageError`` for an unknown overlay, and ``DiagnosticError`` for a project without overlays.

    >>> result = renderer.write(project, "prod")
    >>> [(tree.output, tree.created) for tree in result.trees]
    [('rendered/prod', ('shop/virtualmachine_db.yaml', 'shop/virtualmachine_web.yaml'))]
    >>> renderer.write(project, "prod", check=True).findings
    ()
    """
    project = reopen(project)
    mode = RenderMode.CHECK if check else RenderMode.WRITE
    with lowered(project.config.limits):
        # Render in this process: a program with threads must not be forked.
        request = RenderRequest(paths_of(overlays), mode, jobs=1, all_or_nothing=all_or_nothing)
        result = run_render(project, request, Silent())
    return result._replace(findings=Findings(result.findings))


@isolated_run
def validate(project: Project, *paths: str, kubevirt: str | None = None) -> Findings:
    """Check files and folders, relative to the root of the project; the whole project without any.

    ``kubevirt``, such as ``1.8`` or ``hco-1.18``, overrides the target releases of the project.

    Raises ``UsageError`` if a path does not exist, ``DiagnosticError`` if the overlays of the project cannot
    be found, and ``ValueError`` for an unknown release.

    >>> renderer.validate(project, "overlays/prod")
    ()
    """
    project = reopen(project)
    with lowered(project.config.limits):
        result = run_validate(project, paths or ["."], _release(kubevirt))
        return Findings(result.findings)


@isolated_run
def compare(project: Project, *revisions: str, overlays: Iterable[str | Overlay] = ()) -> Comparison:
    """Compare the rendered overlays of two revisions, or of one revision (default HEAD) and the work tree.

    Each changed virtual machine has the effect of its change: a restart, a live migration, a refusal and so
    on. Revisions are written as for ``vmrender diff``.

    Raises ``DiagnosticError``: revision-unknown, git-unavailable; ``UsageError`` for more than two revisions
    and for an unknown overlay.

    >>> comparison = renderer.compare(project, "HEAD~1", "HEAD")
    >>> for overlay in comparison.difference.overlays:
    ...     for change in overlay.changes:
    ...         print(overlay.path, change.id, change.impact.effect)
    overlays/prod VirtualMachine shop/db restart
    """
    return compare_revisions(reopen(project), revisions, paths_of(overlays), Silent())


@isolated_run
def explain(project: Project, resource: str, field: str = "", overlay: str | Overlay = "") -> ResourceHistory:
    """Return the history of the fields of a rendered resource: the sources that set them.

    ``resource`` is ``NAME``, ``KIND/NAME``, ``NAMESPACE/KIND/NAME`` or a place in a rendered tree.

    Raises ``UsageError`` if the resource is in no overlay or in several, and ``DiagnosticError`` if no
    overlay can be rendered.

    >>> memory = "spec.template.spec.domain.memory.guest"
    >>> history = renderer.explain(project, "vm/db", memory, overlay="prod")
    >>> for field in history.fields:
    ...     for step in field.steps:
    ...         print(field.value, step.location.path)
    8Gi builtin:common-instancetypes/v1.7.0/instancetypes/u1.yaml
    """
    project = reopen(project)
    with lowered(project.config.limits):
        [path] = paths_of([overlay])
        explained = explain_resource(project, Question(resource, field, path))
        if explained.history is None:
            raise DiagnosticError(*explained.findings)
        return explained.history


@isolated_run
def expand(
    manifest: Manifest,
    catalog: Iterable[Manifest] = (),
    *,
    project: Project | None = None,
    kubevirt: str | None = None,
    mode: str | None = None,
) -> Expanded:
    """Expand a virtual machine given as a dictionary, and check it.

    Instance types, preferences, volumes and the KubeVirt object are looked up in ``catalog``, then in the
    catalogs of the project; without a project, in common-instancetypes. ``kubevirt``, such as ``1.8`` or
    ``hco-1.18``, and ``mode`` (``off``, ``applied`` or ``defaults``) override the project. The arguments are
    not changed.

    Raises ``ValueError`` for a value that cannot be written as JSON, and for an unknown release or mode.

    >>> vm = {
    ...     "apiVersion": "kubevirt.io/v1",
    ...     "kind": "VirtualMachine",
    ...     "metadata": {"name": "db"},
    ...     "spec": {
    ...         "runStrategy": "Always",
    ...         "instancetype": {"name": "u1.large"},
    ...         "template": {"spec": {"domain": {"devices": {}}}},
    ...     },
    ... }
    >>> renderer.expand(vm).manifest["spec"]["template"]["spec"]["domain"]["memory"]
    {'guest': '8Gi'}
    """
    chosen = _project_of(project)
    with lowered(chosen.config.limits):
        expand_mode = member_named(ExpandMode, mode, "mode") if mode else None
        return expand_object(manifest, catalog, chosen, _release(kubevirt), expand_mode)


@isolated_run
def validate_object(
    manifest: Manifest,
    catalog: Iterable[Manifest] = (),
    *,
    project: Project | None = None,
    kubevirt: str | None = None,
) -> Findings:
    """Check an object given as a dictionary: by its schema, by KubeVirt's webhooks, by the rules.

    ``catalog`` has objects that it refers to; they are checked as well. The other arguments are as in
    ``expand``. Findings have a ``field`` but no line.

    Raises ``ValueError`` for a value that cannot be written as JSON, and for an unknown release.

    >>> vm["spec"]["runStrategy"] = "Never"
    >>> [(found.code.value, str(found.field)) for found in renderer.validate_object(vm)]
    [('schema', 'spec.runStrategy')]
    """
    chosen = _project_of(project)
    with lowered(chosen.config.limits):
        return check_object(manifest, catalog, chosen, _release(kubevirt))


@isolated_run
def compare_objects(
    before: Iterable[Manifest],
    after: Iterable[Manifest],
    catalog: Iterable[Manifest] = (),
    *,
    kubevirt: str | None = None,
) -> Comparison:
    """Compare two states of some objects, as if one overlay composed them.

    Raises ``ValueError`` for a value that cannot be written as JSON, and for an unknown release;
    ``DiagnosticError`` (resource-invalid) for an empty object.

    >>> vm["spec"]["runStrategy"] = "Always"
    >>> larger = {**vm, "spec": {**vm["spec"], "instancetype": {"name": "u1.xlarge"}}}
    >>> [overlay] = renderer.compare_objects([vm], [larger]).difference.overlays
    >>> [(str(change.id), change.impact.effect.value) for change in overlay.changes]
    [('VirtualMachine db', 'restart')]
    """
    return compare_states(before, after, tuple(catalog), _release(kubevirt))


@isolated_run
def explain_code(code: str) -> Explanation:
    """Return the meaning of a diagnostic code. Raises ``ValueError`` for an unknown one.

    >>> renderer.explain_code("conflict").summary
    'A VM sets what its instance type sets'
    """
    return explanation_of(member_named(Code, code, "diagnostic code", "vmrender explain lists them"))


def _project_of(project: Project | None) -> Project:
    return project_in_memory(os.environ) if project is None else reopen(project)


def _release(text: str | None) -> Release | None:
    """Return the release in ``text``, if any. Raises ``ValueError`` for an unknown one."""
    return target_release(text) if text else None
