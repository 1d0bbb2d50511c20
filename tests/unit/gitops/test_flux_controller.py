"""The release of Flux and its gate, as the objects of a cluster name them."""

from __future__ import annotations

import pytest

from renderer.gitops.flux.controller import Controller, find_controller, strictness
from renderer.model.entry_point import Strictness
from renderer.model.kube.json import Json, JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import Release

_STRICT = "--feature-gates=StrictPostBuildSubstitutions=true"
_LENIENT = "--feature-gates=ObjectLevelWorkloadIdentity=true,StrictPostBuildSubstitutions=false"


def made(kind: str, name: str, spec: JsonObject, api_version: str = "apps/v1", **metadata: Json) -> Resource:
    content: JsonObject = {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": name, "namespace": "flux-system", **metadata},
        "spec": spec,
    }
    return Resource(content, Site("flux.yaml"))


def deployment(image: str, *args: str, version: str = "", name: str = "kustomize-controller") -> Resource:
    containers: Json = [{"name": "manager", "image": image, "args": list(args)}]
    labels: JsonObject = {"app.kubernetes.io/version": version} if version else {}
    return made("Deployment", name, {"template": {"spec": {"containers": containers}}}, labels=labels)


def patch(text: str, name: str = "kustomize-controller", kind: str = "Deployment") -> JsonObject:
    operation = f"- op: add\n  path: /spec/template/spec/containers/0/args/-\n  value: {text}\n"
    return {"target": {"kind": kind, "name": name}, "patch": operation}


def instance(version: str, *patches: JsonObject) -> JsonObject:
    return {"distribution": {"version": version}, "kustomize": {"patches": list(patches)}}


def found(*objects: Resource) -> Controller:
    return find_controller({each.reference: each for each in objects})


@pytest.mark.parametrize(
    ("resource", "expected"),
    [
        (deployment("ghcr.io/fluxcd/kustomize-controller:v1.8.5"), Controller(Release(2, 8))),
        (deployment("registry:5000/fluxcd/kustomize-controller:v1.9.0@sha256:1f"), Controller(Release(2, 9))),
        (deployment("ghcr.io/fluxcd/kustomize-controller:v0.35.1"), Controller(Release(0, 35))),
        (deployment("ghcr.io/fluxcd/kustomize-controller:latest"), Controller()),
        (deployment("local/kustomize-controller:latest", version="v2.7.5"), Controller(Release(2, 7))),
        (deployment("x", _STRICT, version="v2.5.1"), Controller(Release(2, 5), strict_gate=True)),
        (deployment("x", _LENIENT), Controller(None, strict_gate=False)),
        (deployment("x", _STRICT, version="v2.5.1", name="helm-controller"), Controller()),
    ],
)
def test_deployment_names_release_and_gate(resource: Resource, expected: Controller) -> None:
    assert found(resource) == expected


@pytest.mark.parametrize(
    ("version", "release"),
    [
        ("2.8.7", Release(2, 8)),
        ("v2.8.x", Release(2, 8)),
        ("~2.7", Release(2, 7)),
        ("=2.9.1", Release(2, 9)),
        ("2.x", None),  # the newest
        ("^2.7.0", None),
        (">=2.6 <2.9", None),
        ("", None),
    ],
)
def test_flux_instance_names_release(version: str, release: Release | None) -> None:
    resource = made("FluxInstance", "flux", instance(version), "fluxcd.controlplane.io/v1")

    assert found(resource) == Controller(release)


@pytest.mark.parametrize(
    ("version", "tag", "release"),
    [
        ("2.x", "v0.35.0", Release(2, 7)),
        ("", "v0.45.1", Release(2, 8)),
        ("2.x", "v0.53.0@sha256:1f", Release(2, 9)),
        ("2.x", "v0.60.0", Release(2, 9)),
        ("2.6.x", "v0.60.0", Release(2, 6)),
        ("2.x", "latest", None),
    ],
)
def test_artifact_of_the_operator_limits_a_range(version: str, tag: str, release: Release | None) -> None:
    artifact = f"oci://ghcr.io/controlplaneio-fluxcd/flux-operator-manifests:{tag}"
    spec: JsonObject = {"distribution": {"version": version, "artifact": artifact}}

    assert found(made("FluxInstance", "flux", spec, "fluxcd.controlplane.io/v1")) == Controller(release)


@pytest.mark.parametrize(
    ("patches", "gate"),
    [
        ([patch(_STRICT)], True),
        ([patch(_LENIENT, "(kustomize-controller|helm-controller)")], False),
        ([patch(_STRICT), patch(_LENIENT)], False),
        ([patch(_STRICT, "")], True),
        ([patch(_STRICT, "helm-controller")], None),
        ([patch(_STRICT, kind="ServiceAccount")], None),
        ([patch("--feature-gates=CancelHealthCheckOnNewRevision=true")], None),
    ],
)
def test_patches_set_the_gate(patches: list[JsonObject], gate: bool | None) -> None:  # noqa: FBT001 - a parameter of the test
    by_operator = made("FluxInstance", "flux", instance("2.9.x", *patches), "fluxcd.controlplane.io/v1")
    by_kustomization = made(
        "Kustomization",
        "flux",
        {"sourceRef": {"kind": "OCIRepository", "name": "flux-manifests"}, "patches": list(patches)},
        "kustomize.toolkit.fluxcd.io/v1",
    )

    assert found(by_operator).strict_gate is gate
    assert found(by_kustomization).strict_gate is gate


def test_values_of_the_chart_of_the_operator_name_release_and_gate() -> None:
    release = made(
        "HelmRelease",
        "flux",
        {
            "chartRef": {"kind": "OCIRepository", "name": "flux-instance"},
            "valuesFrom": [{"kind": "ConfigMap", "name": "flux-values"}],
            "values": {"instance": {"distribution": {"version": "2.6.4"}}},
        },
        "helm.toolkit.fluxcd.io/v2",
    )
    values = made("ConfigMap", "flux-values", {}, "v1")
    text = (
        f"instance:\n  distribution: {{version: 2.5.0}}\n  kustomize: {{patches: [{{patch: '{_STRICT}'}}]}}\n"
    )
    values = values.with_content({**values.content, "data": {"values.yaml": text}})

    assert found(release, values) == Controller(Release(2, 6), strict_gate=True)
    assert found(release) == Controller(Release(2, 6))


def test_tag_of_the_manifests_of_flux_names_the_release() -> None:
    spec: JsonObject = {"url": "oci://ghcr.io/fluxcd/flux-manifests", "ref": {"tag": "v2.1.2"}}
    other: JsonObject = {**spec, "url": "oci://ghcr.io/acme/shop-manifests"}

    assert found(made("OCIRepository", "f", spec, "source.toolkit.fluxcd.io/v1")) == Controller(Release(2, 1))
    assert found(made("OCIRepository", "f", other, "source.toolkit.fluxcd.io/v1")) == Controller()


@pytest.mark.parametrize(
    ("strict", "release", "controller", "expected"),
    [
        (None, None, Controller(), Strictness.STRICT),
        (None, None, Controller(Release(2, 8)), Strictness.LENIENT),
        (None, None, Controller(Release(2, 9)), Strictness.STRICT),
        (None, None, Controller(Release(3, 0)), Strictness.STRICT),
        (None, None, Controller(strict_gate=False), Strictness.LENIENT),
        (None, None, Controller(Release(2, 3), strict_gate=True), Strictness.PLAIN),
        (None, None, Controller(Release(2, 2), strict_gate=True), Strictness.LENIENT),  # there is no gate
        (None, Release.parse("2.9"), Controller(Release(2, 8)), Strictness.STRICT),
        (None, Release.parse("2.8.3"), Controller(), Strictness.LENIENT),
        (None, Release.parse("2.9"), Controller(Release(2, 8), strict_gate=False), Strictness.LENIENT),
        (True, Release.parse("2.1"), Controller(Release(2, 1), strict_gate=False), Strictness.ASKED),
        (False, Release.parse("2.9"), Controller(Release(2, 9), strict_gate=True), Strictness.LENIENT),
    ],
)
def test_project_counts_before_release_and_gate(
    strict: bool | None,  # noqa: FBT001 - a parameter of the test
    release: Release | None,
    controller: Controller,
    expected: Strictness,
) -> None:
    assert strictness(release, controller, strict=strict) is expected
