"""Argo CD: one Application, an app of apps, or an ApplicationSet."""

from __future__ import annotations

from typing import Any

from renderer.files.file_system import FileSystem
from renderer.gitops.argocd.application import is_application, is_application_set
from renderer.gitops.argocd.application_set import generate_applications, rendering_of
from renderer.gitops.argocd.discovery import ArgocdDiscovery, ReachedApplication
from renderer.gitops.argocd.generators.context import ArgoCluster, SetContext
from renderer.gitops.argocd.generators.repository_tree import RepositoryTree
from renderer.kustomize.reader.resources import read_resources
from renderer.model.diagnostic import DiagnosticError, Outcome
from renderer.model.kube.cluster_wide import with_default_namespace
from renderer.model.kube.json import object_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.pipeline.argocd_build import ApplicationBuilder
from renderer.yamlio.encode import encode
from tests.conformance.entry_points_flux import stated

_CHECKOUT = "https://git.example.org/orchard/estate.git"


def run_argocd(fs: FileSystem, case: dict[str, Any]) -> dict[str, Any]:
    """Return the result of the case's entry, in the shape of its expectation. Raise ``DiagnosticError``."""
    path, kind, name = (case["entry"][key] for key in ("path", "kind", "name"))
    found = read_resources(fs.read(path), Site(path))
    entry = next(each for each in found if each.kind == kind and each.name == name)
    clusters = tuple(_cluster(each) for each in case.get("clusters", ()))

    def generate(set_: Resource) -> tuple[Resource, ...]:
        return generate_applications(
            set_, SetContext(RepositoryTree(fs), rendering_of(set_), clusters, _is_here)
        )

    # The vectors have what generators make; the API server refuses some of these names later.
    discovery = ArgocdDiscovery(
        lambda application: ApplicationBuilder(fs).build(application, lambda url: _is_here(url, "")),
        generate,
        _is_here,
        name_errors=lambda _application: (),
    )
    reached = discovery.follow([entry])
    if discovery.findings:
        raise DiagnosticError(*discovery.findings)
    if is_application_set(entry) or any(map(_has_children, reached)):
        return {"entries": [_entry(each) for each in reached]}
    outcome = reached[0].outcome or Outcome(ResourceSet())
    actual = stated(outcome)
    if "applied" in case["expect"] and not outcome.failed:
        applied = with_default_namespace(outcome.value, reached[0].namespace)
        actual["applied"] = encode(each.content for each in applied)
    return actual


def _has_children(reached: ReachedApplication) -> bool:
    found = reached.outcome.value if reached.outcome else ()
    return any(is_application(each) or is_application_set(each) for each in found)


def _entry(reached: ReachedApplication) -> dict[str, Any]:
    content = reached.entry.content
    metadata = {key: value for key, value in object_at(content, "metadata").items() if key != "finalizers"}
    spec = object_at(content, "spec")
    entry: dict[str, Any] = {
        "name": reached.entry.name,
        "path": text_at(spec, "source", "path"),
        "namespace": reached.namespace,
        "source": spec.get("sources") or spec.get("source"),
        "application": {"metadata": metadata, "spec": spec},
    }
    if reached.outcome is None:
        return {**entry, "other": True}
    return entry | stated(reached.outcome)


def _cluster(written: dict[str, Any]) -> ArgoCluster:
    return ArgoCluster(written["name"], written["server"], written["labels"], written["annotations"])


def _is_here(url: str, _path: str) -> bool:
    return url == _CHECKOUT
