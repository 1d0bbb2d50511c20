"""Make VirtualMachineTemplates of the OpenShift Templates of a project, if they make the same machines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from renderer.app.migrate import MigratedProject, cannot_build
from renderer.authoring.migration.change import Change, NotMigrated, Subject
from renderer.authoring.migration.migrate_file import Migrated, MigrationSource, Reason
from renderer.authoring.migration.template_text import migrated_text
from renderer.authoring.migration.vm_template import convert, converted
from renderer.files.file_system import FilesAbove
from renderer.gitops.openshift_template import is_template
from renderer.gitops.templates import process_templates
from renderer.kubevirt.facts.kinds import VM
from renderer.kubevirt.vm_template.expression import BadExpressionError, read_expression
from renderer.kubevirt.vm_template.processing import substituted_machine
from renderer.kubevirt.vm_template.refusal import TemplateRefusedError
from renderer.kubevirt.vm_template.template import KIND, MACHINE
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, scalar_text, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import Release
from renderer.model.render_config import Overlay
from renderer.pipeline import Pipeline
from renderer.yamlio.decode import decode_documents
from renderer.yamlio.edit import RefusedEditError, rewrite_document

_MENTIONS = re.compile(rb"kind[\"']?:\s*[\"']?Template\b")
_FIXED = ("apiVersion", "kind")


def migrate_templates(project: MigratedProject, paths: Iterable[str]) -> tuple[Migrated, ...]:
    """Migrate the Templates in the files at ``paths`` in memory. Raises ``DiagnosticError``."""
    done: dict[str, bytes] = {}
    migrated: list[Migrated] = []
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
            one = _MigratedTemplates(project, file, content, found).run(done)
            done |= {file: one.content} if one.changes else {}
            migrated.append(one)
    return tuple(migrated)


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


class _MigratedTemplates:
    """Migrates the Templates of one file, and compares what is built of it before and after."""

    def __init__(
        self, project: MigratedProject, file: str, content: bytes, found: tuple[Resource, ...]
    ) -> None:
        used = project.deprecated_file(file, content, ())
        self._project = project
        self._source: MigrationSource = used.source
        self._builds = used.builds
        self._found = found
        self._release = min(used.source.releases)

    def run(self, done: Mapping[str, bytes]) -> Migrated:
        """Migrate the file; ``done`` are the files that are migrated already."""
        content, changes, warnings = self._source.content, [], list[Diagnostic]()
        for template in self._found:
            problems, made = self._migrated(template, content)
            warnings += (_stays(template, each) for each in problems)
            if not problems:
                content = made
                before, after = f"Template {template.name}", f"{KIND} {template.name}"
                field = FieldPath.of("kind")
                changes.append(
                    (template.origin.child(field), Change(Subject.TEMPLATE, field, before, after, ()))
                )
        reason = self._reason_against(done, content) if changes else None
        if reason is not None:
            stay = NotMigrated(ROOT, reason.why, reason.hint)
            templates = [
                each for each in self._found if (each.origin.child(FieldPath.of("kind"))) in dict(changes)
            ]
            warnings += (_stays(each, stay) for each in templates)
            content, changes = self._source.content, []
        return Migrated(self._source, content, tuple(changes), tuple(warnings))

    def _migrated(self, template: Resource, content: bytes) -> tuple[tuple[NotMigrated, ...], bytes]:
        """Return what stands against a Template, and the content of the file with it."""
        if template.origin.field != ROOT:
            why = "it is in a List, whose lines cannot be moved"
            return (NotMigrated(ROOT, why, "give it a document of its own"),), content
        conversion = convert(template, self._release)
        problems = conversion.problems
        if not problems and _makes_another_machine(template, conversion.content, self._release):
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

    def _reason_against(self, done: Mapping[str, bytes], content: bytes) -> Reason | None:
        """Return why the file stays: a build that cannot be made, or that would not stay the same."""
        project = self._project
        fs = FilesAbove({**done, self._source.path: content}, project.fs)
        for build in self._builds:
            before = Pipeline(FilesAbove(done, project.fs), project.config).compose_overlay(build)
            if before.failed:
                return cannot_build(build)
            after = Pipeline(fs, project.config).compose_overlay(build)
            expected = sorted(_json(self._expected(each)) for each in before.value)
            if after.failed or sorted(_json(each.content) for each in after.value) != expected:
                return _would_change(build)
        return None

    def _expected(self, resource: Resource) -> JsonObject:
        """Return a resource of a build as it should be afterwards."""
        is_migrated = any(
            resource.origin.path == each.origin.path and resource.origin.document == each.origin.document
            for each in self._found
        )
        if is_migrated and is_template(resource) and len(array_at(resource.content, "objects")) == 1:
            return converted(resource.content, self._release)
        return resource.content


def _would_change(build: Overlay) -> Reason:
    return Reason(
        f"{build.path} would not stay the same: what it does to Templates is not done to {KIND}s",
        f"let its patches and replacements select the kind {KIND} as well, and migrate again",
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
        [made] = processed.value
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
