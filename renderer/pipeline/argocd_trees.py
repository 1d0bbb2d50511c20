"""The trees of an entry of Argo CD, which copies of its Applications and ApplicationSets point at."""

# ruff: noqa: PLC0415 - a stage is imported when it is first needed

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.model.entry_point import RepointedTree
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import text_at
from renderer.model.kube.resource import Resource
from renderer.model.render_config import Extra
from renderer.pipeline.reached_objects import Outputs
from renderer.project.tree_paths import is_tree

if TYPE_CHECKING:
    from renderer.gitops.argocd.application import DeployedSource
    from renderer.gitops.argocd.discovery import Generate, ReachedApplication
    from renderer.gitops.folder_reader import FolderReader

#: The name of the overlay with the objects that somebody applies by hand; no object can have it.
START = "_entry"

#: Policies with which a set never changes its Applications (``ApplicationsSyncPolicy`` AllowUpdate).
_WITHOUT_UPDATES = ("create-only", "create-delete")
_SET_HINT = (
    "write all that makes the Applications of the set into spec.template, without templatePatch,"
    " and give Applications that vmrender does not render a set of their own"
)


class ArgocdTrees:
    """Assigns trees to Applications; ``findings`` are about objects that stay as they are."""

    def __init__(self, folders: FolderReader, outputs: Outputs, generate: Generate) -> None:
        self._folders = folders
        self._outputs = outputs
        self._generate = generate
        self._trees: dict[tuple[str, str], RepointedTree] = {}  # by namespace and name
        config, entry = outputs.config, outputs.entry
        #: True if a kustomization in each tree lists its files.
        self._have_list = Extra.KUSTOMIZATION in (entry.tree.over(config.tree).extras or ())
        self.findings: dict[Diagnostic, None] = {}

    def add(self, reached: ReachedApplication, is_rendered: Callable[[DeployedSource], bool]) -> None:
        """Add the tree of an Application; ``is_rendered`` is True for the sources of this repository.

        An Application that cannot be built has its old tree; without one, it stays as it is. In a set it does
        not: for its sake, the set would have to become a list.
        """
        from renderer.gitops.argocd.application import sources

        application = reached.entry
        own = self._outputs.tree_of(application)
        is_broken = reached.outcome is not None and reached.outcome.failed
        if is_broken and reached.made_by is None and not is_tree(self._folders.fs, own):
            return
        every = list(sources(application))
        found = [
            index for index, source in enumerate(every) if is_rendered(source) and self._has_tree(source)
        ]
        places = {(every[index].url, every[index].revision) for index in found}
        if found and every[0].field[1] == "sourceHydrator" and not self._have_list:
            message = (
                f"the Application {application.name} stays as it is: its source hydrator needs a tree with a"
                " kustomization"
            )
            hint = "set extras: [kustomization] in vmrender.yaml or in the entry"
            field = FieldPath.of("spec", "sourceHydrator")
            self._note(Diagnostic.about(application, field, Code.POINTS_AT_SOURCES, message, hint))
        elif len(places) > 1:
            message = (
                f"the Application {application.name} stays as it is: its sources of this repository have"
                " different revisions, and a tree has one"
            )
            hint = "give them the same repoURL and targetRevision"
            field = FieldPath.of("spec", "sources")
            self._note(Diagnostic.about(application, field, Code.POINTS_AT_SOURCES, message, hint))
        elif found:
            namespace, name = application.namespace, application.name
            tree = RepointedTree(
                application.kind, namespace, name, own, self._have_list, sources=tuple(found)
            )
            self._trees[namespace, name] = tree

    def of(self, resources: Iterable[Resource]) -> Iterator[RepointedTree]:
        """Yield the tree of each Application and ApplicationSet that gets a copy."""
        from renderer.gitops.argocd.application import is_application, is_application_set

        for resource in resources:
            tree = None
            if is_application(resource):
                tree = self._trees.get((resource.namespace, resource.name))
            elif is_application_set(resource):
                tree = self._of_set(resource)
            if tree:
                yield tree

    def _has_tree(self, source: DeployedSource) -> bool:
        """Return True if the objects of a source of this repository are in the tree."""
        from renderer.gitops.argocd.application import SourceType, source_folder, source_type, with_overrides

        try:
            folder = source_folder(self._folders.fs, source)
            kind = source_type(self._folders, with_overrides(self._folders, source, folder), folder)
        except DiagnosticError:  # reported when the overlay is composed; it keeps its tree until then
            return True
        return kind in (SourceType.KUSTOMIZE, SourceType.DIRECTORY)

    def _of_set(self, entry: Resource) -> RepointedTree | None:
        from renderer.gitops.argocd.repointing import repointed_set

        namespace = entry.namespace
        try:
            names = [each.name for each in self._generate(entry)]
        except DiagnosticError:  # reported where the set is followed
            return None
        trees = {name: tree for name in names if (tree := self._trees.get((namespace, name)))}
        if not trees:
            return None
        spec = repointed_set(entry, self._generate, trees, lambda name: self._outputs.tree(namespace, name))
        if spec is None:
            message = (
                f"the ApplicationSet {entry.name} stays as it is, and its Applications are applied from their"
                " sources: its generators ask for more than this repository has, so a list of Applications"
                " in their place might delete some"
            )
            field = FieldPath.of("spec", "generators")
            self._note(Diagnostic.about(entry, field, Code.POINTS_AT_SOURCES, message, _SET_HINT))
            return None
        policy = text_at(entry.content, "spec", "syncPolicy", "applicationsSync")
        if policy in _WITHOUT_UPDATES:
            message = (
                f"with applicationsSync: {policy}, the ApplicationSet {entry.name} does not re-point"
                " Applications that there are"
            )
            hint = "use sync or create-update until its Applications point at their trees"
            field = FieldPath.of("spec", "syncPolicy", "applicationsSync")
            self._note(Diagnostic.about(entry, field, Code.APPLICATION_SET, message, hint))
        return RepointedTree(entry.kind, namespace, entry.name, "", spec=spec)

    def _note(self, finding: Diagnostic) -> None:
        self.findings[finding._replace(severity=Severity.WARNING)] = None


def start_objects(roots: Iterable[Resource], reached: Iterable[ReachedApplication]) -> Iterator[Resource]:
    """Yield the objects that no other Application deploys: somebody applies them by hand."""
    deployed = [(each.deployed_as, each.deployed) for each in reached]
    for root in roots:
        if not any(root.reference in objects for by, objects in deployed if by != root.reference):
            yield root
