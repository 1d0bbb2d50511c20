"""What a repository says about the kustomize-controller of a cluster: its release, and a feature gate.

Flux 2.N has kustomize-controller 1.N. The gate ``StrictPostBuildSubstitutions`` exists since 1.3 and is on by
default since 1.9, which also began to refuse operators on variables that are not set (kustomize-controller
``internal/features/features.go``, fluxcd/pkg ``envsubst/template.go`` evalFunc, envsubst 1.7.0).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from renderer.gitops.flux.kustomization import is_flux_kustomization, source_key
from renderer.model.diagnostic import DiagnosticError
from renderer.model.engines import FLUX_OPERATOR_GROUP, FLUX_SOURCE_GROUP
from renderer.model.entry_point import Strictness
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.kube.res_id import Reference
from renderer.model.kube.resource import Resource
from renderer.model.pattern import pattern
from renderer.model.record import Record
from renderer.model.release import Release
from renderer.model.whole_number import whole_number
from renderer.yamlio.decode import decode_yaml11

CONTROLLER = "kustomize-controller"
_GATE_SINCE, _ON_SINCE = Release(2, 3), Release(2, 9)
#: The chart of the Flux operator that makes a FluxInstance of its values.
_INSTANCE_CHART = "flux-instance"
_MANIFESTS = "flux-manifests"
_VERSION_LABEL = "app.kubernetes.io/version"
_FLAG = "--feature-gates="
_GATE = pattern(r"\bStrictPostBuildSubstitutions=(true|false)\b")
_TAG = pattern(r".*/kustomize-controller:v?([0-9]+)\.([0-9]+)\.[^@]*(@(?s:.*))?")
#: A version, or a range of one minor: v2.8.3, 2.8.x, ~2.8.
_VERSION = pattern(r"[v~=]*([0-9]+)\.([0-9]+)(\.[0-9x*]+)?([-+].*)?")
#: An artifact of the Flux operator with the releases that it may install.
_ARTIFACT = pattern(r".*/flux-operator-manifests:v0\.([0-9]+)\.[0-9]+(@(?s:.*))?")
#: The newest minor of Flux 2 in such an artifact, by the minor of the operator that brought it (flux-operator
#: ``config/data/flux``).
_NEWEST_MINORS = ((53, 9), (42, 8), (30, 7), (21, 6), (15, 5), (10, 4), (0, 3))


class Controller(Record):
    """The kustomize-controller of a cluster; None for what the repository does not say.

    ``release`` is the release of Flux, ``strict_gate`` the gate ``StrictPostBuildSubstitutions``.
    """

    release: Release | None = None
    strict_gate: bool | None = None

    @property
    def strictness(self) -> Strictness:
        """What the controller does with a variable that is not set; an unknown release is the newest."""
        if self.release is not None and self.release < _GATE_SINCE:
            return Strictness.LENIENT
        is_newest = self.release is None or self.release >= _ON_SINCE
        if self.strict_gate is None:
            return Strictness.STRICT if is_newest else Strictness.LENIENT
        if not self.strict_gate:
            return Strictness.LENIENT
        return Strictness.STRICT if is_newest else Strictness.PLAIN


def strictness(release: Release | None, found: Controller, *, strict: bool | None) -> Strictness:
    """Return the strictness that the project asks for, or else that of the release or the cluster.

    ``release`` is the one that the project names; ``found`` is what the objects of the cluster say.
    """
    if strict is not None:
        return Strictness.ASKED if strict else Strictness.LENIENT
    return found._replace(release=release or found.release).strictness


def find_controller(objects: Mapping[Reference, Resource]) -> Controller:
    """Return the controller that the objects of a cluster deploy: the Deployment itself, or what makes it."""
    release: Release | None = None
    gate: bool | None = None
    for found in filter(None, (_described(each, objects) for each in objects.values())):
        release = release or found.release
        gate = found.strict_gate if gate is None else gate
    return Controller(release, gate)


def _described(resource: Resource, objects: Mapping[Reference, Resource]) -> Controller | None:
    """Return what one object says about the controller; None for all unrelated objects."""
    match resource.kind:
        case "Deployment" if resource.name == CONTROLLER:
            return _of_deployment(resource)
        case "FluxInstance" if resource.gvk.group == FLUX_OPERATOR_GROUP:
            return _of_instance(object_at(resource.content, "spec"))
        case "HelmRelease":
            return _of_chart(resource, objects)
        case "OCIRepository" if resource.gvk.group == FLUX_SOURCE_GROUP:
            return _of_manifests(resource)
        case "Kustomization" if is_flux_kustomization(resource) and source_key(resource)[2] == _MANIFESTS:
            return Controller(strict_gate=_patched_gate(array_at(resource.content, "spec", "patches")))
    return None


def _of_deployment(resource: Resource) -> Controller:
    containers = [
        object_at(each) for each in array_at(resource.content, "spec", "template", "spec", "containers")
    ]
    tags = filter(None, (_TAG.fullmatch(text_at(each, "image")) for each in containers))
    release = _version(text_at(resource.labels, _VERSION_LABEL))
    for tag in tags if release is None else ():
        major, minor = map(whole_number, tag.groups()[:2])  # Flux 2.8 has kustomize-controller 1.8
        release = Release(major + 1, minor) if major else Release(0, minor)
    return Controller(
        release, _gate(f"{each}" for container in containers for each in array_at(container, "args"))
    )


def _of_instance(spec: JsonObject) -> Controller:
    """Return what ``spec`` of a FluxInstance says."""
    distribution = object_at(spec, "distribution")
    release = _version(text_at(distribution, "version"))
    artifact = _ARTIFACT.fullmatch(text_at(distribution, "artifact"))
    if release is None and artifact:  # a range: the newest of the artifact
        release = Release(
            2, next(flux for since, flux in _NEWEST_MINORS if whole_number(artifact[1]) >= since)
        )
    return Controller(release, _patched_gate(array_at(spec, "kustomize", "patches")))


def _of_chart(release: Resource, objects: Mapping[Reference, Resource]) -> Controller | None:
    """Return what the values of a HelmRelease of the chart ``flux-instance`` say."""
    spec = object_at(release.content, "spec")
    names = (text_at(spec, "chart", "spec", "chart"), text_at(spec, "chartRef", "name"), release.name)
    if _INSTANCE_CHART not in names:
        return None
    written = [object_at(spec, "values"), *reversed(list(_values_from(release, objects)))]
    found = [_of_instance(object_at(values, "instance")) for values in written]
    return Controller(
        next((each.release for each in found if each.release is not None), None),
        next((each.strict_gate for each in found if each.strict_gate is not None), None),
    )


def _values_from(release: Resource, objects: Mapping[Reference, Resource]) -> Iterator[JsonObject]:
    """Yield the values in the ConfigMaps that a HelmRelease names."""
    for reference in array_at(release.content, "spec", "valuesFrom"):
        named = ("ConfigMap", release.namespace, text_at(reference, "name"))
        source = objects.get(named)
        text = (
            text_at(source.content, "data", text_at(reference, "valuesKey") or "values.yaml")
            if source
            else ""
        )
        try:
            yield object_at(decode_yaml11(text.encode(), ""))
        except DiagnosticError:  # Helm reports it
            continue


def _of_manifests(repository: Resource) -> Controller | None:
    """Return the release in the tag of Flux's own manifests, ``oci://ghcr.io/fluxcd/flux-manifests``."""
    if not text_at(repository.content, "spec", "url").rstrip("/").endswith(f"/{_MANIFESTS}"):
        return None
    ref = object_at(repository.content, "spec", "ref")
    return Controller(_version(text_at(ref, "tag") or text_at(ref, "semver")))


def _patched_gate(patches: Iterable[Json]) -> bool | None:
    """Return the gate that patches of the Deployment set."""
    texts = (
        text_at(each, "patch")
        for each in patches
        if text_at(each, "target", "kind") in ("", "Deployment")
        and (CONTROLLER in text_at(each, "patch") or _may_select(text_at(each, "target", "name")))
    )
    return _gate(texts)


def _may_select(name: str) -> bool:
    """Return True if the name of a patch's target, a regular expression, may select the controller."""
    return CONTROLLER in name or name in ("", ".*")


def _gate(texts: Iterable[str]) -> bool | None:
    flags = (word.partition(_FLAG)[2] for text in texts for word in text.split() if _FLAG in word)
    found = [match[1] == "true" for flag in flags for match in _GATE.finditer(flag)]
    return found[-1] if found else None  # a later flag wins


def _version(text: str) -> Release | None:
    """Return the minor of a version; None for a range of several minors, which may include the newest."""
    found = _VERSION.fullmatch(text.strip())
    return Release(whole_number(found[1]), whole_number(found[2])) if found else None
