"""Migrate a file for its target releases: the changes, and warnings about fields that stay."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import chain
from typing import NamedTuple

from renderer.authoring.migration.change import Change, NotMigrated, Subject
from renderer.authoring.migration.sources import LocatedFinding
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.kube.field_path import ROOT, Segment
from renderer.model.kube.location import Site
from renderer.model.release import Release
from renderer.yamlio.edit import EditedText, RefusedEditError, edit_fields, edit_places


class MigrationSource(NamedTuple):
    """A file with its findings, and the releases that its builds are rendered for.

    ``oldest_build`` names the build for the oldest release.
    """

    path: str
    content: bytes
    found: tuple[LocatedFinding, ...]
    releases: frozenset[Release]
    oldest_build: str


class Reason(NamedTuple):
    """The reason why a field stays, as the end of a sentence, and what the user can do."""

    why: str
    hint: str


class Migrated(NamedTuple):
    """A migrated file: its new content, the changes, and warnings about fields that stay."""

    source: MigrationSource
    content: bytes
    changes: tuple[tuple[Site, Change], ...]
    warnings: tuple[Diagnostic, ...]

    @property
    def subjects(self) -> frozenset[Subject]:
        """Return the subjects of the changes."""
        return frozenset(change.subject for _, change in self.changes)


def migrate_file(source: MigrationSource, blocked: Mapping[Subject, Reason]) -> Migrated:
    """Return the file with the changes that every release supports, except for ``blocked`` subjects."""
    content, applied = _with_batched_changes(source, blocked)
    changes: list[tuple[Site, Change]] = []
    warnings: list[Diagnostic] = []
    for where, finding in source.found:
        site = Site(source.path, where.document, where.inline.child(*finding.field.segments))
        if finding.since > max(source.releases):
            continue
        if isinstance(finding, NotMigrated):
            warnings.append(
                Diagnostic.at(
                    site, Code.NOT_MIGRATED, finding.message, finding.hint, severity=Severity.WARNING
                )
            )
            continue
        reason = _reason(source, finding, blocked)
        if reason is None:
            try:
                if id(finding) not in applied:
                    content = edit_fields(content, where, finding.edits)
                changes.append((site, finding))
                continue
            except RefusedEditError as error:
                reason = Reason(f"its line cannot be changed by itself: {error}", f"write {finding.after}")
        warnings.append(
            Diagnostic.at(
                site,
                Code.NOT_MIGRATED,
                f"{finding.before} is deprecated, and stays: {reason.why}",
                reason.hint,
                severity=Severity.WARNING,
            )
        )
    return Migrated(source, content, tuple(changes), tuple(warnings))


def _with_batched_changes(
    source: MigrationSource, blocked: Mapping[Subject, Reason]
) -> tuple[bytes, frozenset[int]]:
    """Return the content after the changes of documents with several changed places, and their ids.

    Applying each change by itself would parse the document again each time.
    """
    content, applied = source.content, set[int]()
    # By document, and in it by text and item of a List.
    documents: dict[int, dict[tuple[EditedText, tuple[Segment, ...]], list[Change]]] = {}
    for where, finding in source.found:
        if isinstance(finding, Change) and _reason(source, finding, blocked) is None:
            is_in_list = where.inline == ROOT and finding.field.segments[:1] == ("items",)
            item = finding.field.segments[:2] if is_in_list else ()
            documents.setdefault(where.document, {}).setdefault((where, item), []).append(finding)
    for places in documents.values():
        if len(places) == 1 or any(where.inline == ROOT and not item for where, item in places):
            continue
        edits = [
            (where, [edit for each in found for edit in each.edits]) for (where, _), found in places.items()
        ]
        with suppress(RefusedEditError):
            content = edit_places(content, edits)
            applied.update(map(id, chain.from_iterable(places.values())))
    return content, frozenset(applied)


def changed_contents(files: Iterable[Migrated]) -> dict[str, bytes]:
    """Return the new content of the changed files, by path."""
    return {file.source.path: file.content for file in files if file.changes}


def _reason(source: MigrationSource, change: Change, blocked: Mapping[Subject, Reason]) -> Reason | None:
    """Return the reason why the change is not applied; None if it is."""
    oldest = min(source.releases)
    if change.since > oldest:
        why = f"{source.oldest_build} is for KubeVirt {oldest}, which does not know {change.after}"
        return Reason(
            why, f"migrate again when every build that uses it is for {change.since.as_bound} or newer"
        )
    return blocked.get(change.subject)
