"""Findings about generators ``clusters`` whose selector matches no cluster that the project lists.

The clusters of Argo CD are Secrets, which are not in Git: ``vmrender.yaml`` has to list them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from renderer.gitops.argocd.generators.context import ArgoCluster
from renderer.gitops.argocd.generators.table import COMBINING, cluster_labels
from renderer.gitops.argocd.parameters import SetError, requirements_of
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.kube.field_path import FieldPath, Segment
from renderer.model.kube.json import Json, array_at, object_at
from renderer.model.kube.label_selector import Operator, Requirement, selects
from renderer.model.kube.resource import Resource
from renderer.model.run.work import spend


def unmatched_clusters(entry: Resource, clusters: tuple[ArgoCluster, ...]) -> Iterator[Diagnostic]:
    """Yield a warning for each selector of the ApplicationSet ``entry`` that matches no cluster."""
    for path, selector in _selectors(entry.content.get("spec"), ("spec",)):
        try:
            requirements = requirements_of(selector)
        except SetError:  # reported by the generator
            continue
        spend(len(clusters) * len(requirements), "selecting clusters")
        if requirements and not any(selects(requirements, cluster_labels(each)) for each in clusters):
            yield Diagnostic.about(
                entry,
                FieldPath(path),
                Code.APPLICATION_SET,
                f"the ApplicationSet {entry.name} selects no cluster that vmrender.yaml lists, so it deploys"
                " nothing here",
                _cure(requirements),
                severity=Severity.WARNING,
            )


def _selectors(value: Json, path: tuple[Segment, ...]) -> Iterator[tuple[tuple[Segment, ...], Json]]:
    """Yield the selectors of ``clusters``, also in a matrix or merge, each with its path."""
    for index, generator in enumerate(array_at(value, "generators")):
        place = (*path, "generators", index)
        clusters = object_at(generator).get("clusters")
        if isinstance(clusters, dict):
            yield (*place, "clusters", "selector"), clusters.get("selector")
        for combining in COMBINING:
            yield from _selectors(object_at(generator, combining), (*place, combining))


def _cure(requirements: Iterable[Requirement]) -> str:
    labels = ", ".join(f"{key}: {value}" for key, value in _labels(requirements))
    added = f", labels: {{{labels}}}" if labels else ""
    return (
        "list the cluster in vmrender.yaml, with the labels of its Secret:"
        f" clusters: [{{name: NAME, server: https://NAME:6443{added}}}]"
    )


def _labels(requirements: Iterable[Requirement]) -> Iterator[tuple[str, str]]:
    """Yield labels that meet the requirements, without the one that every cluster has."""
    for each in requirements:
        if each.operator is Operator.IN and each.key not in cluster_labels(ArgoCluster("", "")):
            yield each.key, min(each.values)
        elif each.operator is Operator.EXISTS:
            yield each.key, '""'
