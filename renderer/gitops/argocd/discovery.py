"""The Applications that other Applications deploy, directly or through further Applications."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from renderer.gitops.argocd.application import is_application, is_application_set, sources
from renderer.gitops.reached import Reached
from renderer.kubevirt.facts.kubernetes_identity import entry_name_errors
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome
from renderer.model.kube.json import text_at
from renderer.model.kube.res_id import Reference
from renderer.model.kube.resource import Resource, ResourceSet


class ReachedApplication(Reached):
    """An Application as it is deployed; ``outcome`` is None without a source in this repository."""

    __slots__ = ()

    @property
    def namespace(self) -> str:
        """Return the namespace of its destination."""
        return text_at(self.entry.content, "spec", "destination", "namespace")


#: Builds the sources of an Application that are in this repository.
Build: TypeAlias = Callable[[Resource], Outcome[ResourceSet]]
#: The Applications of an ApplicationSet. Raises ``DiagnosticError``.
Generate: TypeAlias = Callable[[Resource], tuple[Resource, ...]]


class ArgocdDiscovery:
    """Follows Applications breadth first.

    Errors in an ApplicationSet, and in the name of an Application (``name_errors``), are collected in
    ``findings``, and in ``failed`` by the object in Git.
    """

    def __init__(
        self,
        build: Build,
        generate: Generate,
        is_this_repository: Callable[[str, str], bool],
        name_errors: Callable[[Resource], Iterable[Diagnostic]] = entry_name_errors,
    ) -> None:
        self._build = build
        self._name_errors = name_errors
        self._generate = generate
        self._is_this_repository = is_this_repository
        self._reached: dict[Reference, ReachedApplication] = {}
        self.findings: list[Diagnostic] = []
        self.failed: dict[Reference, tuple[Diagnostic, ...]] = {}

    def follow(self, entries: Iterable[Resource]) -> tuple[ReachedApplication, ...]:
        """Return all Applications, parents before children."""
        level = [reached for entry in entries for reached in self._applications(entry, None)]
        found: list[ReachedApplication] = []
        while level:
            for reached in level:
                found.append(reached)
                self._visit(reached)
            level = [child for reached in level for child in reached.children]
        return tuple(found)

    def _visit(self, reached: ReachedApplication) -> None:
        if not any(
            self._is_this_repository(source.url, source.path) and not source.is_chart
            for source in sources(reached.entry)
        ):
            return
        reached.outcome = self._build(reached.entry)
        for resource in reached.outcome.value:
            reached.children += self._applications(resource, reached)

    def _applications(
        self, resource: Resource, parent: ReachedApplication | None
    ) -> Iterator[ReachedApplication]:
        """Yield the Application, or the Applications that an ApplicationSet generates; only new ones."""
        if is_application(resource):
            yield from self._new(resource, parent, None)
        elif is_application_set(resource):
            try:
                generated = self._generate(resource)
            except DiagnosticError as error:
                self.findings += error.diagnostics
                self.failed[resource.reference] = error.diagnostics
                return
            for application in generated:
                yield from self._new(application, parent, resource)

    def _new(
        self, entry: Resource, parent: ReachedApplication | None, made_by: Resource | None
    ) -> Iterator[ReachedApplication]:
        errors = tuple(self._name_errors(entry))
        if errors:
            self.findings += errors
            self.failed[(made_by or entry).reference] = errors
            return
        reached = ReachedApplication(entry, parent, made_by)
        if reached.key not in self._reached:
            self._reached[reached.key] = reached
            yield reached
        elif parent is not None:
            parent.repeated.append(entry)
