"""Explain a rendered resource: the files, patches, transformers and defaults that set its fields."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from renderer.app.explanations import Question
from renderer.app.project import Project, chosen_overlays
from renderer.app.target_remarks import remarks_on_targets
from renderer.app.usage_error import UsageError
from renderer.files.disk import folder_exists
from renderer.findings.located import Located
from renderer.findings.locator import Locator
from renderer.findings.run_findings import RunFindings, locate
from renderer.kubevirt.facts.confidential.masked import public_part, shown_id
from renderer.kubevirt.facts.confidential.secret_values import secret_values
from renderer.kubevirt.facts.kinds import MACHINES
from renderer.model.diagnostic import Diagnostic
from renderer.model.history import FieldHistory, ResourceHistory
from renderer.model.kube.field_path import ROOT
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.masking import Masking
from renderer.model.plural import listed
from renderer.model.render_config import ExpandMode, Overlay
from renderer.model.run.taint import taint_again, taint_masking
from renderer.model.run.work import in_turn
from renderer.model.suggest import suggest
from renderer.model.whole_number import whole_number
from renderer.pipeline import Pipeline
from renderer.project.overlays import FoundOverlays, is_named, overlay_at
from renderer.provenance.histories import Historian, with_locations, without_secret_values
from renderer.provenance.paths import indexed, named
from renderer.provenance.patterns import FieldPattern, ResourcePattern, nearest_fields
from renderer.provenance.trace import Trace
from renderer.yamlio.decode import decode_documents
from renderer.yamlio.marks import WrittenField, field_at_line

#: A place as editors and compilers write it, ``FILE[:LINE[:COLUMN]]``.
_FILE = re.compile(r"(?P<path>.+\.ya?ml)(?::(?P<line>[0-9]+))?(?::[0-9]+)?")


class NoSuchResourceError(UsageError):
    """No overlay has the resource that the question names."""


class NoSuchFieldError(UsageError):
    """The resource has not, and never had, the field that the question names."""


class _QuestionTarget(NamedTuple):
    """The overlays and the resource that a question is about."""

    overlays: tuple[Overlay, ...]
    resource: ResourcePattern
    field: str


class _Match(NamedTuple):
    """A resource that the question may be about, and its overlay."""

    overlay: Overlay
    resource: Resource


class Explained(NamedTuple):
    """The history of the resource, and the errors in its overlay.

    ``history`` is None if no overlay has the resource and some could not be rendered. ``overlays`` are the
    paths of the overlays that the findings are about.
    """

    history: ResourceHistory | None
    findings: tuple[Located, ...]
    overlays: tuple[str, ...]


def explain_resource(project: Project, question: Question) -> Explained:
    """Find the resource and trace its fields back to their sources.

    Raises ``NoSuchResourceError``, ``UsageError`` if several resources match, and ``DiagnosticError``.
    """
    project = project.proposed()
    run, trace = Pipeline(project.fs, project.config), Trace()
    target = _question_target(project, run.found, question)
    pipeline = run.traced(trace)
    found: list[_Match] = []
    everything: list[Resource] = []
    findings: dict[str, tuple[Diagnostic, ...]] = {}
    for overlay in in_turn(target.overlays):
        outcome = pipeline.render(overlay)
        findings[overlay.path] = outcome.diagnostics if outcome.failed else ()
        everything += outcome.value
        found += (_Match(overlay, each) for each in target.resource.select(outcome.value))
    if not found and any(findings.values()):
        errors = RunFindings(project.fs)
        for overlay_path, of_overlay in findings.items():
            errors.add(of_overlay, overlay_path)
        return Explained(None, errors.found(), tuple(findings))
    taint_again(
        secret_values(each.content for each in everything)
    )  # before any of them is a name in an error
    # What deploys a machine, or holds its disk, often has its name.
    found = [each for each in found if each.resource.kind in MACHINES] or found
    one = _only_match(found, everything, question)
    at_start = False
    try:
        histories = _field_histories(Historian(trace, one.overlay), one.resource, target.field)
    except NoSuchFieldError:
        started = _field_histories_at_start(project, one, target.field)
        if started is None:
            raise
        histories, at_start = started, True
    histories = without_secret_values(
        histories, Masking(pipeline.confidential(one.overlay), inside_words=True), taint_masking()
    )
    path, fields = one.overlay.path, with_locations(histories, Locator(project.fs).location_of)
    shown = shown_id(one.resource.current_id, taint_masking())
    history = ResourceHistory(path, shown, fields, one.overlay.cluster, at_start)
    reported = (*findings[path], *remarks_on_targets([one.overlay]))
    return Explained(history, locate(project.fs, reported, path), (path,))


def _question_target(project: Project, found: FoundOverlays, question: Question) -> _QuestionTarget:
    place = _rendered_place(project, found.overlays, question)
    if place:
        return place
    try:
        resource = ResourcePattern.parse(question.resource, question.namespace)
    except ValueError as error:
        raise UsageError(str(error)) from None
    return _QuestionTarget(_selected_overlays(project, found, question.overlay), resource, question.field)


def _selected_overlays(project: Project, found: FoundOverlays, name: str) -> tuple[Overlay, ...]:
    """Return the overlay with that name or path, listed or not; without a name, return all."""
    folder = Path(name)
    if name and folder_exists(folder) and not any(is_named(each, name) for each in found.overlays):
        unlisted = overlay_at(project.config, found.overlays, project.relative(folder))
        return (unlisted._replace(write_instancetypes=True),)
    if not found.overlays and not found.errors and not name:
        raise NoSuchResourceError("this project has no overlay that could hold a resource")
    return chosen_overlays(found, [name] if name else [])


def _only_match(found: Sequence[_Match], everything: Iterable[Resource], question: Question) -> _Match:
    """Return the only match. Raises ``UsageError`` unless there is exactly one."""
    paths = list(dict.fromkeys(each.overlay.path for each in found))
    if len(paths) > 1:
        name = found[0].overlay.name
        hint = f"say which with --overlay, as in --overlay {name}"
        raise UsageError(f"{question.resource} is in {', '.join(paths)}; {hint}")
    if len(found) > 1:
        names = sorted(_qualified_name(each.resource) for each in found)
        raise UsageError(f"{question.resource} may be any of {', '.join(names)}")
    if not found:
        raise NoSuchResourceError(
            f"there is no resource {question.resource!r}; {_suggestion(question, everything)}"
        )
    return found[0]


def _suggestion(question: Question, everything: Iterable[Resource]) -> str:
    by_name: dict[str, str] = {}
    secrets = taint_masking()
    for each in everything:
        for name in (each.name, *(previous.name for previous in each.previous_ids)):
            if not secrets.is_in(name):
                by_name.setdefault(name, _qualified_name(each))
    near = suggest(question.resource.rpartition("/")[2], by_name)
    if near:
        suggested = dict.fromkeys(by_name[name] for name in near)
        return f"did you mean {' or '.join(suggested)}?"
    return "write KIND/NAME of a rendered resource, or a file of a rendered tree"


def _qualified_name(resource: Resource) -> str:
    shown = shown_id(resource.current_id, taint_masking())
    front = f"{shown.namespace}/" if shown.namespace else ""
    return f"{front}{shown.gvk.kind}/{shown.name}"


def _field_histories(historian: Historian, resource: Resource, field: str) -> tuple[FieldHistory, ...]:
    fields = historian.fields(resource)
    if not field:
        return historian.histories(resource, frozenset(fields))
    try:
        pattern = FieldPattern(field)
    except ValueError as error:
        raise UsageError(str(error)) from None
    wanted = {path for path in fields if pattern.match(path, indexed(resource.content, path)) is not None}
    if not wanted:
        secrets = taint_masking()
        near = nearest_fields(field, (public_part(path, secrets) for path in fields))
        hint = f"did you mean {' or '.join(near)}?" if near else "without a field, all are shown"
        shown = shown_id(resource.current_id, secrets)
        raise NoSuchFieldError(f"{shown} has no field {field!r}, and never had; {hint}")
    return historian.histories(resource, wanted)


def _field_histories_at_start(project: Project, one: _Match, field: str) -> tuple[FieldHistory, ...] | None:
    """Return the histories in the machine that KubeVirt starts, if the overlay leaves its expansion to it.

    Return None for any other object, and if KubeVirt could not start it. Raises ``NoSuchFieldError``.
    """
    if one.overlay.expand is not ExpandMode.OFF or one.resource.kind not in MACHINES:
        return None
    overlay, trace = one.overlay.with_target(None, ExpandMode.APPLIED), Trace()
    outcome = Pipeline(project.fs, project.config).traced(trace).render(overlay)
    started = (each for each in outcome.value if each.current_id == one.resource.current_id)
    resource = None if outcome.failed else next(started, None)
    return None if resource is None else _field_histories(Historian(trace, overlay), resource, field)


def _rendered_place(
    project: Project, overlays: Iterable[Overlay], question: Question
) -> _QuestionTarget | None:
    """Return what is at a place such as ``rendered/prod/vm_db.yaml:12``; None for a resource.

    Raises ``UsageError`` if the file is not in a rendered tree, or does not have the line;
    ``DiagnosticError`` if it cannot be read.
    """
    match = _FILE.fullmatch(question.resource)
    if match is None:
        return None
    path = project.relative(Path(match["path"]))
    overlay = _overlay_of_file(path, tuple(overlays))
    content = project.fs.read(path)
    documents = [object_ if isinstance(object_, dict) else {} for object_ in decode_documents(content, path)]
    place = (
        field_at_line(content, whole_number(match["line"]))
        if match["line"]
        else _only_document(documents, path)
    )
    if place is None or not documents[place.document]:
        raise UsageError(f"there is no resource on line {match['line']} of {path}")
    resource = Resource(documents[place.document], Site(path, place.document))
    kind = f"{resource.kind}.{resource.gvk.group}".rstrip(".")
    pattern = ResourcePattern(resource.name, kind, resource.namespace)
    field = named(resource.content, place.field)
    return _QuestionTarget((overlay,), pattern, question.field or (str(field) if field != ROOT else ""))


def _overlay_of_file(path: str, overlays: tuple[Overlay, ...]) -> Overlay:
    outputs = {posixpath.normpath(overlay.output): overlay for overlay in overlays}
    found = [output for output in outputs if path.startswith(f"{output}/")]
    if not found:
        known = listed([*outputs], 3) or "nowhere"
        raise UsageError(
            f"{path} is not a file of a rendered tree: name the object, such as vm/NAME, or a file in {known}"
        )
    return outputs[max(found, key=len)]


def _only_document(documents: list[dict[str, object]], path: str) -> WrittenField:
    """Return the only resource of the file."""
    numbers = [number for number, document in enumerate(documents) if document]
    if len(numbers) != 1:
        raise UsageError(f"{path} holds {len(numbers)} resources; say which with {path}:LINE")
    return WrittenField(numbers[0], ROOT)
