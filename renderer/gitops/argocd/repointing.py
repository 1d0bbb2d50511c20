"""Copies of Applications and ApplicationSets that point at rendered trees.

A tree holds the objects of all sources of this repository that can be rendered. In a copy, one source with
the tree takes their place; all other sources stay. (argo-cd ``pkg/apis/application/v1alpha1/types.go``)
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping, Sequence

from renderer.gitops.argocd.application import is_application, is_application_set, sources
from renderer.model.diagnostic import DiagnosticError
from renderer.model.entry_point import SOURCE_PATH, RepointedTree
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at, with_value, without
from renderer.model.kube.resource import Resource

_REFRESH_PATHS = "argocd.argoproj.io/manifest-generate-paths"
#: Fields of the source in an Application that stay if its path changes.
_REPOSITORY = ("repoURL", "targetRevision", "name")
#: Generators whose result is in the repository: no service or cluster has a say in it.
_OF_REPOSITORY = frozenset({"list", "git", "matrix", "merge", "selector", "template"})
_DEFAULT_REVISIONS = ("", "HEAD")
#: A patch that replaces what the template made by the metadata and spec of the list's element.
_WHOLE = (
    '{"metadata": {"$patch": "replace", {{ toJson .metadata | trimPrefix "{" }},'
    ' "spec": {"$patch": "replace", {{ toJson .spec | trimPrefix "{" }}}'
)


def repointed(resource: Resource, tree: RepointedTree) -> Resource:
    """Return the copy of an Application or ApplicationSet that points at ``tree``."""
    if is_application(resource):
        return resource.with_content(application_at_tree(resource.content, tree))
    if is_application_set(resource):
        return resource.with_content({**resource.content, "spec": tree.spec})
    return resource


def at_sources(resource: Resource, is_tree: Callable[[str], bool]) -> Resource:
    """Return an Application that Git already points at a tree with the source that its annotation names.

    The annotation has only a path, so the source has no options of kustomize or directories.
    """
    source = object_at(resource.content, "spec", "source")
    folder = text_at(resource.annotations, SOURCE_PATH)
    if not folder or not is_application(resource) or not is_tree(posixpath.normpath(text_at(source, "path"))):
        return resource
    at_source = {**_repository_of(source), "path": folder}
    return resource.with_content(with_value(resource.content, ("spec", "source"), at_source))


def application_at_tree(application: JsonObject, tree: RepointedTree) -> JsonObject:
    """Return an Application, or the template of one, with the tree in place of its rendered sources."""
    application = _without_annotation(application, SOURCE_PATH)
    spec = object_at(application, "spec")
    dry = object_at(spec, "sourceHydrator", "drySource")
    if dry:
        at_tree = with_value(spec, ("sourceHydrator", "drySource"), _source_at_tree(dry, tree))
        return _with_refresh_paths({**application, "spec": at_tree}, is_alone=True)
    listed = array_at(spec, "sources")
    if listed:
        found = list(_sources_at_tree([object_at(each) for each in listed], tree))
        spec = {**spec, "sources": found}
    else:
        found = [_source_at_tree(object_at(spec, "source"), tree)]
        spec = {**spec, "source": found[0]}
    return _with_refresh_paths({**application, "spec": spec}, is_alone=len(found) == 1)


def _sources_at_tree(listed: Sequence[JsonObject], tree: RepointedTree) -> Iterable[JsonObject]:
    """Yield the sources; the tree is where the last rendered one was, as later sources win.

    A source that also has values files for others stays as their ``ref``.
    """
    others = [source for index, source in enumerate(listed) if index not in tree.sources]
    for index, source in enumerate(listed):
        if index not in tree.sources:
            yield source
            continue
        reference = text_at(source, "ref")
        if reference and any(_mentions(other, f"${reference}") for other in others):
            yield {**_repository_of(source), "ref": reference}
        if index == tree.sources[-1]:
            yield _source_at_tree(source, tree)


def _source_at_tree(source: JsonObject, tree: RepointedTree) -> JsonObject:
    at_tree = {**_repository_of(source), "path": tree.path}
    return at_tree if tree.has_list else {**at_tree, "directory": {"recurse": True}}


def _repository_of(source: JsonObject) -> JsonObject:
    return {field: source[field] for field in _REPOSITORY if field in source}


def _mentions(value: Json, start: str) -> bool:
    """Return True if a text below ``value`` is ``start``, or a path that begins with it."""
    if isinstance(value, dict):
        return any(_mentions(child, start) for child in value.values())
    if isinstance(value, list):
        return any(_mentions(child, start) for child in value)
    return isinstance(value, str) and (value == start or value.startswith(f"{start}/"))


def _with_refresh_paths(application: JsonObject, *, is_alone: bool) -> JsonObject:
    """Return the Application with the paths whose commits refresh it: the tree's, if that ``is_alone``."""
    written = text_at(application, "metadata", "annotations", _REFRESH_PATHS)
    if not written or not is_alone:
        return _without_annotation(application, _REFRESH_PATHS)
    # relative to the path of the only source
    return with_value(application, ("metadata", "annotations", _REFRESH_PATHS), ".")


def _without_annotation(application: JsonObject, name: str) -> JsonObject:
    changed = without(application, "metadata", "annotations", name)
    if changed is application or object_at(changed, "metadata", "annotations"):
        return changed
    return without(changed, "metadata", "annotations")


def repointed_set(
    entry: Resource,
    generate: Callable[[Resource], Iterable[Resource]],
    trees: Mapping[str, RepointedTree],
    tree_pattern: Callable[[str], str],
) -> JsonObject | None:
    """Return the spec of an ApplicationSet that generates the same Applications, at their ``trees`` by name.

    ``tree_pattern`` returns the path of the tree for an Application's name, or for the template of the name.
    The set keeps its generators if a path in its template is enough. Then an Application that vmrender does
    not know, of a cluster that only Argo CD knows, is not deleted. Otherwise the new set lists its
    Applications. Returns None where that is not safe, because generators ask a cluster or a service.
    """
    before = _by_name(generate(entry))
    expected = {
        name: application_at_tree(application, trees[name]) if name in trees else application
        for name, application in before.items()
    }
    with_paths = _with_paths(entry, list(trees.values()), tree_pattern)
    try:
        if _by_name(generate(entry.with_content({**entry.content, "spec": with_paths}))) == expected:
            return with_paths
    except DiagnosticError:  # the name alone does not make a path
        pass
    return _with_list(entry, expected) if _is_of_repository(entry, expected) else None


def _with_paths(
    entry: Resource, trees: Sequence[RepointedTree], tree_pattern: Callable[[str], str]
) -> JsonObject:
    """Return the spec with the trees in the template's sources."""
    spec = object_at(entry.content, "spec")
    template = object_at(spec, "template")
    path = tree_pattern(text_at(template, "metadata", "name"))
    return {**spec, "template": application_at_tree(template, trees[0]._replace(path=path))}


def _with_list(entry: Resource, applications: Mapping[str, JsonObject]) -> JsonObject:
    """Return the spec with a list of Applications, which a patch puts in whole (``template/patch.go``).

    The project is not the patch's to set, and a template needs a destination. ``templatePatch`` needs Argo CD
    2.10.
    """
    elements: list[Json] = [
        {"metadata": without(object_at(each, "metadata"), "namespace"), "spec": object_at(each, "spec")}
        for each in applications.values()
    ]
    return {
        **object_at(entry.content, "spec"),
        "goTemplate": True,
        "goTemplateOptions": ["missingkey=error"],
        "generators": [{"list": {"elements": elements}}],
        "template": {
            "metadata": {"name": "{{ .metadata.name }}"},
            "spec": {"project": "{{ .spec.project }}", "destination": {}},
        },
        "templatePatch": _WHOLE,
    }


def _is_of_repository(entry: Resource, applications: Mapping[str, JsonObject]) -> bool:
    """Return True if all that the generators read is in the commit that the Applications deploy.

    Only then is it sure that a list of these Applications deletes none.
    """
    revisions = {
        source.revision
        for content in applications.values()
        for source in sources(entry.with_content(content))
        if not source.is_chart
    }
    generators = array_at(entry.content, "spec", "generators")
    return all(_reads_repository(object_at(each), revisions) for each in generators)


def _reads_repository(generator: JsonObject, revisions: set[str]) -> bool:
    if not generator.keys() <= _OF_REPOSITORY:
        return False
    revision = text_at(generator, "git", "revision")
    if revision not in _DEFAULT_REVISIONS and revision not in revisions:
        return False
    return all(
        _reads_repository(object_at(nested), revisions)
        for kind in ("matrix", "merge")
        for nested in array_at(generator, kind, "generators")
    )


def _by_name(applications: Iterable[Resource]) -> dict[str, JsonObject]:
    """Return the generated part of Applications by their names."""
    return {
        each.name: {"metadata": object_at(each.content, "metadata"), "spec": object_at(each.content, "spec")}
        for each in applications
    }
