"""``vmrender explain RESOURCE [FIELD]``: where the fields of a rendered resource come from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from renderer.cli.console import report
from renderer.cli.exit_code import ExitCode
from renderer.cli.rendered_place import rendered_place
from renderer.cli.repository import Repository
from renderer.kubevirt.confidential import secret_values
from renderer.model.diagnostic import Diagnostic
from renderer.model.field_path import ROOT
from renderer.model.history import FieldHistory, ResourceHistory
from renderer.model.render_config import Overlay
from renderer.model.resource import Resource
from renderer.pipeline import Pipeline
from renderer.pipeline.entry_points import find_overlays
from renderer.provenance.histories import Historian, located, without_secret_values
from renderer.provenance.paths import indexed
from renderer.provenance.patterns import FieldPattern, ResourcePattern, nearest_fields
from renderer.provenance.trace import Trace
from renderer.report import history_json, history_text
from renderer.source.locate import Locator
from renderer.source.overlays import overlay_at, select_overlays


class NoSuchResourceError(click.UsageError):
    """No overlay has what was asked for."""


class Question(NamedTuple):
    """What is asked, in the words of the command line; texts that were not given are empty."""

    resource: str
    field: str = ""
    overlay: str = ""
    namespace: str = ""


class _Asked(NamedTuple):
    """What the question means: a resource in some overlay, or in the one that was named."""

    overlays: tuple[Overlay, ...]
    resource: ResourcePattern
    field: str


class _Found(NamedTuple):
    overlay: Overlay
    resource: Resource


def explain_resource(question: Question, *, as_json: bool) -> ExitCode:
    """Prints the histories, and what is wrong in the overlay if something is.

    Raises ``NoSuchResourceError``, ``click.UsageError`` for what may be several, and ``DiagnosticError``.
    """
    repository = Repository.here()
    asked = _asked(repository, question)
    trace = Trace()
    pipeline = Pipeline(repository.fs, repository.config, trace=trace)
    found: list[_Found] = []
    everything: list[Resource] = []
    findings: dict[str, tuple[Diagnostic, ...]] = {}
    for overlay in asked.overlays:
        outcome = pipeline.render(overlay).in_overlay(overlay.path)
        findings[overlay.path] = outcome.diagnostics if outcome.failed else ()
        everything += outcome.value
        found += (_Found(overlay, each) for each in asked.resource.among(outcome.value))
    if not found and any(findings.values()):
        return report(repository.fs, [each for path in findings for each in findings[path]], findings)
    one = _only(found, everything, question)
    histories = without_secret_values(
        _histories(Historian(trace, one.overlay), one.resource, asked.field),
        pipeline.confidential(one.overlay),
        secret_values(each.content for each in everything),
    )
    whole = ResourceHistory(
        one.overlay.path,
        one.resource.current_id,
        located(histories, Locator(repository.fs).location_of),
    )
    click.echo((history_json if as_json else history_text).write(whole), nl=False)
    wrong = findings[one.overlay.path]
    return report(repository.fs, wrong, [one.overlay.path]) if wrong else ExitCode.CLEAN


def _asked(repository: Repository, question: Question) -> _Asked:
    overlays = find_overlays(repository.fs, repository.config)
    place = rendered_place(repository, overlays, question.resource)
    if place:
        field = str(place.field) if place.field != ROOT else ""
        return _Asked((place.overlay,), place.resource, question.field or field)
    try:
        resource = ResourcePattern.parse(question.resource, question.namespace)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    return _Asked(_chosen(repository, overlays, question.overlay), resource, question.field)


def _chosen(repository: Repository, overlays: tuple[Overlay, ...], name: str) -> tuple[Overlay, ...]:
    """The overlay of that name or path, also of a folder that the project does not list; else all."""
    folder = Path(name)
    if name and folder.is_dir() and not any(name in (each.name, each.path) for each in overlays):
        unlisted = overlay_at(repository.config, overlays, repository.relative(folder))
        return (unlisted._replace(write_instancetypes=True),)
    if not overlays and not name:
        raise NoSuchResourceError("this project has no overlay that could hold a resource")
    return select_overlays(overlays, [name] if name else [])


def _only(found: Sequence[_Found], everything: Iterable[Resource], question: Question) -> _Found:
    """Raises ``click.UsageError`` unless it is one."""
    paths = list(dict.fromkeys(each.overlay.path for each in found))
    if len(paths) > 1:
        name = found[0].overlay.name
        way_out = f"say which with --overlay, as in --overlay {name}"
        raise click.UsageError(f"{question.resource} is in {', '.join(paths)}; {way_out}")
    if len(found) > 1:
        ways = sorted(_unmistakable(each.resource) for each in found)
        raise click.UsageError(f"{question.resource} may be any of {', '.join(ways)}")
    if not found:
        raise NoSuchResourceError(
            f"there is no resource {question.resource!r}; {_nearest(question, everything)}"
        )
    return found[0]


def _nearest(question: Question, everything: Iterable[Resource]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - only when something is wrong

    by_name: dict[str, str] = {}
    for each in everything:
        for name in (each.name, *(previous.name for previous in each.previous_ids)):
            by_name.setdefault(name, _unmistakable(each))
    near = get_close_matches(question.resource.rpartition("/")[2], list(by_name), n=3)
    if near:
        meant = dict.fromkeys(by_name[name] for name in near)
        return f"did you mean {' or '.join(meant)}?"
    return "write KIND/NAME of one that an overlay is rendered to, or a file of a rendered tree"


def _unmistakable(resource: Resource) -> str:
    front = f"{resource.namespace}/" if resource.namespace else ""
    return f"{front}{resource.kind}/{resource.name}"


def _histories(historian: Historian, resource: Resource, field: str) -> tuple[FieldHistory, ...]:
    fields = historian.fields(resource)
    if not field:
        return historian.histories(resource, fields)
    try:
        pattern = FieldPattern(field)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    wanted = {path for path in fields if pattern.matched(path, indexed(resource.content, path)) is not None}
    if not wanted:
        near = nearest_fields(field, fields)
        hint = f"did you mean {' or '.join(near)}?" if near else "without a field all of them are shown"
        raise click.UsageError(f"{resource.current_id} has no field {field!r}, nor ever had; {hint}")
    return historian.histories(resource, wanted)
