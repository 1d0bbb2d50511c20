"""The release that a repository installs, from what its files say."""

from __future__ import annotations

import pytest

from renderer.discovery.detected_release import DetectedRelease, agreed, detected_releases
from renderer.discovery.manifests import Manifests
from renderer.files.file_system import MemoryFileSystem


def found_in(**files: str) -> tuple[DetectedRelease, ...]:
    content = {f"{name}.yaml": text.encode() for name, text in files.items()}
    return detected_releases(Manifests(MemoryFileSystem(content), ()))


def release_in(**files: str) -> str | None:
    found = agreed(found_in(**files))
    return found.release.as_target if found and found.release else None


def subscription(name: str = "kubevirt-hyperconverged", **spec: str) -> str:
    fields = "".join(f", {key}: {value}" for key, value in spec.items())
    return (
        "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\n"
        f"metadata: {{name: cnv, namespace: openshift-cnv}}\nspec: {{name: {name}{fields}}}\n"
    )


CSV = "kubevirt-hyperconverged-operator.v"


@pytest.mark.parametrize(
    ("version", "release"),
    [
        ("4.16.3", "openshift-virtualization-4.16"),
        ("5.0.0", "openshift-virtualization-5.0"),
        ("1.16.0", "hco-1.16"),
        ("4.9.0", None),
        ("4.99.0", None),
    ],
)
def test_subscription_names_the_minor_of_its_product(version: str, release: str | None) -> None:
    assert release_in(sub=subscription(startingCSV=f"{CSV}{version}")) == release


@pytest.mark.parametrize(("approval", "upgrades"), [("Manual", False), ("Automatic", True)])
def test_automatic_approval_upgrades(approval: str, upgrades: bool) -> None:  # noqa: FBT001 - a case
    (found,) = found_in(sub=subscription(startingCSV=f"{CSV}4.16.3", installPlanApproval=approval))

    assert found.installed.upgrades is upgrades


def test_subscription_without_a_version_names_no_release() -> None:
    (found,) = found_in(sub=subscription(channel="stable"))

    assert (found.release, found.path) == (None, "sub.yaml")


def test_other_operators_say_nothing() -> None:
    text = subscription("mtv-operator", startingCSV="mtv-operator.v2.5.6")

    assert not found_in(sub=text + "# not kubevirt-hyperconverged\n")


def test_patch_of_a_subscription_counts() -> None:
    patch = subscription(startingCSV=f"{CSV}4.16.3").replace("name: kubevirt-hyperconverged, ", "")

    assert release_in(patch=patch) == "openshift-virtualization-4.16"


def test_index_of_the_catalog_source_names_the_minor() -> None:
    index = (
        "apiVersion: operators.coreos.com/v1alpha1\nkind: CatalogSource\n"
        "metadata: {name: mirror, namespace: openshift-marketplace}\n"
        "spec: {sourceType: grpc, image: registry.acme.com/redhat/redhat-operator-index:v4.17}\n"
    )

    assert release_in(index=index, sub=subscription(source="mirror")) == "openshift-virtualization-4.17"
    assert release_in(index=index, sub=subscription(source="redhat-operators")) is None


def test_operator_policy_counts() -> None:
    policy = (
        "apiVersion: policy.open-cluster-management.io/v1beta1\nkind: OperatorPolicy\nmetadata: {name: cnv}\n"
        f"spec:\n  versions: [{CSV}4.18.4]\n"
        "  subscription: {name: kubevirt-hyperconverged, namespace: openshift-cnv}\n"
    )
    (found,) = found_in(policy=policy)

    assert (str(found.release.product if found.release else ""), found.installed.upgrades) == (
        "openshift-virtualization-4.18",
        False,
    )


def test_two_releases_of_a_product_are_uncertain() -> None:
    one, other = (subscription(startingCSV=f"{CSV}{version}") for version in ("4.16.3", "4.18.1"))

    assert release_in(one=one, other=other) is None
    assert release_in(one=one, other=one) == "openshift-virtualization-4.16"


CHART = "kind: HelmChart\nspec: {{chart: {}, version: {}}}\n"
HARVESTER = "kind: ManagedChart\nspec: {chart: harvester, repoName: harvester-charts, version: 1.6.1}\n"
COZYSTACK = "kind: HelmRelease\nspec: {chart: {spec: {chart: cozy-installer, version: 1.3.6}}}\n"
COZYSTACK_IMAGE = "kind: Pod\nspec: {image: 'ghcr.io/cozystack/cozystack/installer:v0.34.0@sha256:00'}\n"
SUSE = (
    "kind: OCIRepository\nspec: {url: oci://registry.suse.com/edge/charts/kubevirt, ref: {tag: 3_up0.6.1}}\n"
)
APPLICATION = "kind: Application\nspec: {{source: {{repoURL: {}, chart: kubevirt, targetRevision: 0.4.0}}}}\n"
KUBEVIRT = "kind: KubeVirt\nspec: {imageTag: v1.7.1}\n"


@pytest.mark.parametrize(
    ("text", "release"),
    [
        (CHART.format("oci://registry.suse.com/edge/charts/kubevirt", "303.0.2+up0.6.1"), "suse-edge-0.6.1"),
        (SUSE, "suse-edge-0.6.1"),
        (HARVESTER, "harvester-1.6.1"),
        (COZYSTACK, "cozystack-1.3.6"),
        (COZYSTACK_IMAGE, "cozystack-0.34.0"),
        (APPLICATION.format("https://x/kubevirt-community-stack"), "kubevirt-community-stack-0.4.0"),
        (KUBEVIRT, "1.7.1"),
        (APPLICATION.format("https://charts.acme.com"), None),
        (CHART.format("harvester-csi-driver", "1.6.1"), None),
        (CHART.format("cozystack", "'>=1.3.0'"), None),
    ],
)
def test_charts_images_and_objects_name_releases(text: str, release: str | None) -> None:
    assert release_in(file=f"apiVersion: kubevirt.io/v1\nmetadata: {{name: it}}\n{text}") == release


ASSETS = "https://github.com/kubevirt/kubevirt/releases/download"
RAW = "https://raw.githubusercontent.com/kubevirt"
SOURCE = "https://github.com/kubevirt/kubevirt"
OPERATORS = "https://github.com/kubevirt/hyperconverged-cluster-operator"


def kustomization(*resources: str) -> str:
    return "resources:\n" + "".join(f"- {each}\n" for each in resources)


@pytest.mark.parametrize(
    ("text", "release"),
    [
        (kustomization(f"{ASSETS}/v1.8.3/kubevirt-operator.yaml"), "1.8.3"),
        (kustomization(f"{ASSETS}/v1.8.3/kubevirt-cr.yaml"), "1.8.3"),
        (
            kustomization(f"{ASSETS}/v1.7.0/kubevirt-cr.yaml", f"{ASSETS}/v1.8.3/kubevirt-operator.yaml"),
            "1.8.3",
        ),
        (kustomization(f"{SOURCE}//manifests/release?ref=v1.8.3"), "1.8.3"),
        (kustomization(f"{SOURCE}/manifests?timeout=90s&ref=release-1.8"), "1.8"),
        (kustomization("git@github.com:kubevirt/kubevirt.git//manifests?version=v1.8.3"), "1.8.3"),
        (kustomization(f"git::{SOURCE}.git?ref=refs/tags/v1.8.3"), "1.8.3"),
        (kustomization(f"{RAW}/kubevirt/v1.8.3/manifests/kubevirt-operator.yaml"), "1.8.3"),
        (kustomization(f"{SOURCE}/raw/refs/tags/v1.8.3/manifests/operator.yaml"), "1.8.3"),
        (kustomization(f"{SOURCE}/archive/refs/tags/v1.8.3.tar.gz"), "1.8.3"),
        (kustomization(f"{OPERATORS}//deploy?ref=v1.16.0"), "hco-1.16"),
        (
            kustomization(f"{RAW}/hyperconverged-cluster-operator/release-1.16/deploy/operator.yaml"),
            "hco-1.16",
        ),
        (f"cluster: {{extraManifests: ['{ASSETS}/v1.8.3/kubevirt-operator.yaml']}}\n", "1.8.3"),
        (f"spec: {{url: {SOURCE}, ref: {{tag: v1.8.3}}}}\n", "1.8.3"),
        (f"spec: {{url: '{SOURCE}.git', ref: {{branch: release-1.8}}}}\n", "1.8"),
        (f"spec: {{source: {{repoURL: {SOURCE}, path: manifests, targetRevision: v1.8.3}}}}\n", "1.8.3"),
        ("images: [{name: quay.io/kubevirt/virt-operator, newTag: v1.8.3}]\n", "1.8.3"),
        ("values: {image: {tag: v1.8.3, repository: kubevirt/virt-operator}}\n", "1.8.3"),
        ("env:\n- name: KUBEVIRT_VERSION\n  value: v1.8.3\n", "1.8.3"),
        ("image: quay.io/kubevirt/hyperconverged-cluster-operator:1.16.0\n", "hco-1.16"),
        ("image: quay.io/kubevirt/hyperconverged-cluster-operator:1.18.0-unstable\n", None),
        (kustomization(f"{ASSETS}/v1.8.3/virtctl-v1.8.3-linux-amd64"), None),
        (kustomization(f"{RAW}/kubevirt/v1.8.3/examples/vm-cirros.yaml"), None),
        (kustomization(f"{SOURCE}//examples?ref=v1.8.3"), None),
        (kustomization(f"{SOURCE}//manifests?ref=main"), None),
        (
            kustomization("https://github.com/kubevirt/containerized-data-importer//manifests?ref=v1.8.3"),
            None,
        ),
        (
            kustomization("https://github.com/acme/kubevirt/releases/download/v1.8.3/kubevirt-operator.yaml"),
            None,
        ),
        (f"# curl -LO {ASSETS}/v1.8.3/kubevirt-operator.yaml\nresources: []\n", None),
        (f"help: {SOURCE}/blob/v1.8.3/docs/a.yaml\n", None),
    ],
)
def test_urls_and_tags_name_releases(text: str, release: str | None) -> None:
    assert release_in(kustomization=text) == release


def test_index_of_a_chart_repository_installs_nothing() -> None:
    chart = "{name: kubevirt, version: 0.2.8, repository: https://x/kubevirt-community-stack}"
    entries = f"entries: {{stack: [{{name: stack, version: 0.2.8, dependencies: [{chart}]}}]}}\n"

    assert not found_in(index=f"apiVersion: v1\n{entries}")
    assert found_in(values=entries)


def test_a_line_says_it() -> None:
    (found,) = found_in(kustomization=kustomization("a.yaml", f"{ASSETS}/v1.8.3/kubevirt-operator.yaml"))

    assert str(found) == f"the URL {ASSETS}/v1.8.3/kubevirt-operator.yaml in kustomization.yaml:3"


@pytest.mark.parametrize(
    ("files", "release"),
    [
        (["image: virt-operator:v1.8.3", "image: virt-operator:v1.7.1"], None),
        (["image: virt-operator:v1.8.3", "image: virt-operator:v0.57.1"], "1.8.3"),
        (["image: virt-operator:v1.8.3", KUBEVIRT + "apiVersion: kubevirt.io/v1"], "1.7.1"),
        (
            ["name: VIRT_OPERATOR_IMAGE\n  value: a/virt-operator:v1.6.1", "image: virt-operator:v1.9.0"],
            "1.6.1",
        ),
        (["name: KUBEVIRT_VERSION\n  value: v1.6.1", "image: virt-operator@sha256:00"], "1.6.1"),
        (["value: virt-operator:v1.7.1", "value: hyperconverged-cluster-operator:1.16.0"], "1.7.1"),
        (
            ["value: virt-operator:v1.6.2", "value: kubevirt/hyperconverged-cluster-operator:1.16.0"],
            "hco-1.16",
        ),
    ],
)
def test_the_most_certain_release_counts(files: list[str], release: str | None) -> None:
    assert release_in(**{f"f{number}": each + "\n" for number, each in enumerate(files)}) == release


def test_chart_of_somebody_says_no_release_by_its_version() -> None:
    (found,) = found_in(chart=CHART.format("kubevirt-operator", "0.2.0"))

    assert (found.release, found.installed.reason) == (None, "version 0.2.0 of the chart kubevirt-operator")
