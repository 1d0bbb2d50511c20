"""Flux: one Kustomization, or all that a cluster's root deploys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from renderer.files.file_system import FileSystem
from renderer.gitops.flux.artifact import ArtifactFileSystem
from renderer.gitops.flux.discovery import FluxDiscovery, ReachedKustomization
from renderer.gitops.repository_url import RepositoryUrls
from renderer.kustomize.reader.resources import read_resources
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Outcome, Severity, has_errors
from renderer.model.entry_point import EntryKind, EntryOptions, EntryPoint, Strictness
from renderer.model.kube.json import object_at
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import Reference
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.render_config import OverlayEntry, RenderConfig
from renderer.pipeline.entry_points import EntryPointComposer
from renderer.pipeline.flux_build import ArtifactBuilds, BuildContext, read_variables
from renderer.yamlio.encode import encode


def run_flux(fs: FileSystem, case: dict[str, Any]) -> dict[str, Any]:
    """Return the result of the case's entry, in the shape of its expectation. Raise ``DiagnosticError``."""
    entry = case["entry"]
    strict = bool(case.get("options", {}).get("strict"))
    data = tuple(each for path in case.get("data", ()) for each in read_resources(fs.read(path), Site(path)))
    if entry["kind"] == "Discovery":
        return {"entries": _discovered(fs, entry["path"])}
    found = read_resources(fs.read(entry["path"]), Site(entry["path"]))
    kustomization = next(each for each in found if each.kind == entry["kind"] and each.name == entry["name"])
    config = RenderConfig()
    overlay = config.overlay(OverlayEntry(entry["path"]), entry["path"], entry["name"])
    options = EntryOptions(EntryKind.FLUX, secrets=True, strict=strict)
    strictness = Strictness.STRICT if strict else Strictness.LENIENT
    point = EntryPoint(options, kustomization, "", data, strictness=strictness)
    composer = EntryPointComposer(fs, BuildContext())
    substituted = composer.substitute(overlay, point, composer.compose(overlay, point, None))
    return stated(composer.as_applied(point, substituted))


def _discovered(fs: FileSystem, folder: str) -> list[dict[str, Any]]:
    path = f"{folder}/flux-system/gotk-sync.yaml"
    sync = read_resources(fs.read(path), Site(path))
    root = next(each for each in sync if each.kind == "Kustomization")

    def build(reached: ReachedKustomization, known: Mapping[Reference, Resource]) -> Outcome[ResourceSet]:
        artifact = ArtifactFileSystem(fs, reached.ignore)
        variables = read_variables(reached.entry, known.values(), secrets=True)
        built = ArtifactBuilds(artifact).discover(reached.entry, variables)
        return Outcome(built.value.resources, built.diagnostics)

    urls = RepositoryUrls((), certain=True, is_folder=lambda _path: False)
    discovery = FluxDiscovery(build, urls, tuple(each for each in sync if each is not root))
    return [_entry(each) for each in discovery.follow(root)]


def _entry(reached: ReachedKustomization) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "name": reached.entry.name,
        "namespace": reached.entry.namespace,
        "path": object_at(reached.entry.content, "spec").get("path"),
        "source": str(reached.source),
    }
    if reached.suspended:
        entry["suspended"] = True
    if reached.outcome is not None:
        entry |= stated(reached.outcome)
    return entry


def stated(outcome: Outcome[ResourceSet]) -> dict[str, Any]:
    """The outcome of a build as vectors state it."""
    # Argo CD builds such a source, and the cluster refuses it later.
    built = tuple(each for each in outcome.diagnostics if each.code is not Code.APPLIED_KUSTOMIZATION)
    if has_errors(built):
        return {"error": error_text(built)}
    return {"stdout": encode(resource.content for resource in outcome.value)}


def error_text(diagnostics: tuple[Diagnostic, ...]) -> str:
    return "; ".join(
        f"{each.code}: {each.message}" for each in diagnostics if each.severity is Severity.ERROR
    )
