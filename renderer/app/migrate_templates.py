"""Make VirtualMachineTemplates of the OpenShift Templates of a project, if they make the same machines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple, Self

from renderer.app.migrate import DeprecatedFile, MigratedProject, cannot_build
from renderer.authoring.migration.change import Change, NotMigrated, Subject
from renderer.authoring.migration.migrate_file import Migrated, Reason
from renderer.authoring.migration.template_text import migrated_text
from renderer.authoring.migration.vm_template import convert, converted
from renderer.files.file_system import FilesAbove
from renderer.gitops.openshift_template import is_template
from renderer.gitops.templates import process_templates
from renderer.kubevirt.facts.kinds import VM, VM_TEMPLATE
from renderer.kubevirt.vm_template.expression import BadExpressionError, read_expression
from renderer.kubevirt.vm_template.processing import substituted_machine
from renderer.kubevirt.vm_template.refusal import TemplateRefusedError
from renderer.kubevirt.vm_template.template import MACHINE
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, scalar_text, text_at
from renderer.model.kube.location import DocumentPlace, Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import Release
from renderer.model.render_config import Overlay
from renderer.pipeline import Pipeline
from renderer.yamlio.decode import decode_documents
from renderer.yamlio.edit import RefusedEditError, rewrite_document

_MENTIONS = re.compile(rb"kind[\"']?:\s*[\"']?Template\b")
_FIXED = ("apiVersion", "kind")
_KIND = FieldPath.of("kind")


def migrate_templates(project: MigratedProject, paths: Iterable[str]) -> tuple[Migrated, ...]:
    """Migrate the Templates in the files at ``paths`` in memory. Raises ``DiagnosticError``."""
    files: list[_TemplateFile] = []
    for file in dict.fromkeys(file for path in paths for file in project.files(path)):
        content = project.fs.read(file)
        if not _MENTIONS.search(content) or not project.may_have_objects(file, content):
            continue
        try:
            documents = decode_documents(content, file)
        except DiagnosticError:  # of another tool, or an error that the build reports
            continue
        found = tuple(_templates(file, documents))
        if found:
            files.append(_TemplateFile.of(project.deprecated_file(file, content, ()), found))
    changed = [each for each in files if each.migrated.changes]
    if not any(_reasons_against(project, {}, changed)):
        return tuple(each.migrated for each in files)
    return tuple(_one_by_one(project, files))


def _one_by_one(project: MigratedProject, files: Iterable[_TemplateFile]) -> Iterator[Migrated]:
    """Yield each file, migrated if all that is built of it, and of the files before, stays the same."""
    done: dict[str, bytes] = {}
    for file in files:
        reason = next(_reasons_against(project, done, [file]), None) if file.migrated.changes else None
        if reason is None:
            done |= {file.migrated.source.path: file.migrated.content}
            yield file.migrated
        else:
            yield file.kept(NotMigrated(ROOT, reason.why, reason.hint))


def _reasons_against(
    project: MigratedProject, done: Mapping[str, bytes], files: Sequence[_TemplateFile]
) -> Iterator[Reason]:
    """Yield why ``files`` stay: builds that cannot be made, or that would not stay the same.

    ``done`` are files that are migrated already.
    """
    new = {file.migrated.source.path: file.migrated.content for file in files}
    releases = {place: file.release for file in files for place in file.places}
    before, after = (
        Pipeline(FilesAbove(each, project.fs), project.config) for each in (done, {**done, **new})
    )
    builds = {build.path: build for file in files for build in file.builds}
    for build in builds.values():
        old, made = before.compose_overlay(build), after.compose_overlay(build)
        if old.failed:
            yield cannot_build(build)
            continue
        expected = sorted(_json(_expected(each, releases)) for each in old.value)
        if made.failed or sorted(_json(each.content) for each in made.value) != expected:
            yield _would_change(build)


def _expected(resource: Resource, releases: Mapping[DocumentPlace, Release]) -> JsonObject:
    """Return a resource of a build as it should be afterwards."""
    release = releases.get(resource.origin.document_place)
    if release is None or not is_template(resource) or len(array_at(resource.content, "objects")) != 1:
        return resource.content
    return converted(resource.content, release)


def _templates(file: str, documents: Iterable[Json]) -> Iterator[Resource]:
    """Yield the Templates that make machines, also those in Lists."""
    for index, document in enumerate(documents):
        content, site = object_at(document), Site(file, index)
        items = array_at(content, "items") if text_at(content, "kind").endswith("List") else ()
        parts = [
            (content, site),
            *((object_at(each), site.below("items", at)) for at, each in enumerate(items)),
        ]
        for part, origin in parts:
            template = Resource(part, origin)
            kinds = [text_at(each, "kind") for each in array_at(part, "objects")]
            if is_template(template) and VM in kinds:
                yield template


class _TemplateFile(NamedTuple):
    """A file of Templates, migrated without a look at what is built of it.

    ``release`` is the oldest one that it is for.
    """

    migrated: Migrated
    templates: tuple[Resource, ...]
    builds: tuple[Overlay, ...]
    release: Release

    @classmethod
    def of(cls, used: DeprecatedFile, templates: tuple[Resource, ...]) -> Self:
        """Migrate the Templates of a file, as far as nothing stands against them."""
        content, release = used.source.content, min(used.source.releases)
        changes: list[tuple[Site, Change]] = []
        warnings: list[Diagnostic] = []
        for template in templates:
            problems, content = _rewritten(template, content, release)
            warnings += (_stays(template, each) for each in problems)
            if not problems:
                old, new = f"Template {template.name}", f"{VM_TEMPLATE} {template.name}"
                changes.append((template.origin.child(_KIND), Change(Subject.TEMPLATE, _KIND, old, new, ())))
        return cls(
            Migrated(used.source, content, tuple(changes), tuple(warnings)), templates, used.builds, release
        )

    @property
    def places(self) -> Iterator[DocumentPlace]:
        """The path and document of each Template that is migrated."""
        for site, _ in self.migrated.changes:
            yield site.document_place

    def kept(self, problem: NotMigrated) -> Migrated:
        """Return the file as it is, with a warning for each Template that would have been migrated."""
        places = set(self.places)
        stay = (each for each in self.templates if each.origin.document_place in places)
        warnings = (*self.migrated.warnings, *(_stays(each, problem) for each in stay))
        source = self.migrated.source
        return Migrated(source, source.content, (), warnings)


def _rewritten(template: Resource, content: bytes, release: Release) -> tuple[tuple[NotMigrated, ...], bytes]:
    """Return the obstacles to migrating a Template, and without any, the content of its file after it."""
    if template.origin.field != ROOT:
        why = "it is in a List, whose lines cannot be moved"
        return (NotMigrated(ROOT, why, "give it a document of its own"),), content
    conversion = convert(template, release)
    problems = conversion.problems
    if not problems and _makes_another_machine(template, conversion.content, release):
        why = "the same values would make another machine of it"
        problems = (NotMigrated(ROOT, why, "write it by hand, and compare what both make"),)
    if problems:
        return problems, content
    rewritten = partial(migrated_text, before=template.content, after=conversion.content)
    try:
        return (), rewrite_document(content, template.origin.document, rewritten)
    except RefusedEditError as error:
        hint = "write objects, parameters and message with lines of their own"
        return (NotMigrated(ROOT, str(error), hint),), content


def _would_change(build: Overlay) -> Reason:
    return Reason(
        f"{build.path} would not stay the same: what it does to Templates is not done to {VM_TEMPLATE}s",
        f"let its patches and replacements select the kind {VM_TEMPLATE} as well, and migrate again",
    )


def _stays(template: Resource, problem: NotMigrated) -> Diagnostic:
    return Diagnostic.at(
        template.origin.child(problem.field),
        Code.NOT_MIGRATED,
        f"the Template {template.name} stays: {problem.message}",
        problem.hint,
        severity=Severity.WARNING,
    )


def _makes_another_machine(template: Resource, content: JsonObject, release: Release) -> bool:
    """Return True if two sets of values show that both templates do not make the same machine."""
    for values in _samples(template):
        processed = process_templates(ResourceSet((template,)), values, release)
        if processed.failed:
            continue
        [made] = processed.value.labelled
        try:
            machine = substituted_machine(object_at(content, *MACHINE.keys), values)
        except TemplateRefusedError:
            continue
        if _without_type(made.content) != _without_type(machine):
            return True
    return False


def _samples(template: Resource) -> Iterator[dict[str, str]]:
    """Yield the values that processing would take, and then a different one for each parameter."""
    declared = [object_at(each) for each in array_at(template.content, "parameters")]
    yield {text_at(each, "name"): _sample(each) for each in declared}
    yield {text_at(each, "name"): f"v{index}" for index, each in enumerate(declared)}


def _sample(parameter: JsonObject) -> str:
    value = scalar_text(parameter.get("value") or "")
    if not value and parameter.get("generate"):
        try:
            return read_expression(text_at(parameter, "from")).example
        except BadExpressionError:
            return "v"
    return value or ("v" if parameter.get("required") is True else "")


def _without_type(content: JsonObject) -> JsonObject:
    return {name: value for name, value in content.items() if name not in _FIXED}


def _json(content: JsonObject) -> str:
    return json.dumps(content, sort_keys=True)
