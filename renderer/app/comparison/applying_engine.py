"""Flux or Argo CD as it applies an overlay, for the judgements of ``diff``."""

# ruff: noqa: PLC0415 - rules are imported for the objects that need them

from __future__ import annotations

from collections.abc import Callable

from renderer.model.difference import Impact
from renderer.model.kube.resource import Resource


class ApplyingEngine:
    """The engine that applies an overlay: of its entry point, or of the object that deploys it.

    ``find_deployer`` finds that object, and ``find_certain`` those whose settings may keep what Git removes.
    ``find_application`` returns the Application with a name. Each may search all manifests.
    """

    def __init__(
        self,
        owner: Resource | None,
        find_deployer: Callable[[], Resource | None],
        find_certain: Callable[[], tuple[Resource, ...]],
        find_application: Callable[[str], Resource | None] = lambda _name: None,
    ) -> None:
        self._owner = owner
        self._find_deployer = find_deployer
        self._find_certain = find_certain
        self._find_application = find_application

    def retention(self, removed: Resource, *, is_gone: bool) -> str:
        from renderer.gitops.pruning import retention_of

        owners = self._find_certain() or (None,)
        reasons = [retention_of(each, removed, is_gone=is_gone) for each in owners]
        return reasons[0] if all(reasons) else ""

    def removal(self, removed: Resource) -> Impact | None:
        from renderer.gitops.cascade import removal_impact

        return removal_impact(removed)

    def recreation(self, before: Resource, after: Resource, *, is_refused: bool) -> Impact | None:
        from renderer.gitops.recreation import recreation

        deployer = self._find_deployer() if is_refused else self._owner
        return recreation(deployer, before, after, is_refused=is_refused)

    def marked(self, before: Resource, after: Resource) -> Impact | None:
        from renderer.gitops.recreation import is_marked_for_argocd, marked_impact, new_instance

        if not is_marked_for_argocd(before, after):
            return None
        instance = new_instance(before, after)
        application = self._find_application(instance) if instance else None
        return marked_impact(self._find_deployer(), before, after, application)

    def forced_deletion(self, before: Resource, after: Resource) -> str:
        from renderer.gitops.recreation import forced_deletion

        return forced_deletion(self._find_deployer(), before, after)
