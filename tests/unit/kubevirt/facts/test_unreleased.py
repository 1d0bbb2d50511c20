"""Nothing targets a release that KubeVirt has not made, unless somebody names it."""

from __future__ import annotations

import pytest

from renderer.checks.schemas.registry import SchemaRegistry
from renderer.discovery.detected_release import detected_releases
from renderer.discovery.manifests import Manifests
from renderer.files.file_system import MemoryFileSystem
from renderer.kubevirt.facts.cluster_facts import ClusterFacts
from renderer.kubevirt.facts.product_table import KUBEVIRT
from renderer.kubevirt.facts.products import is_supported, products, target_release
from renderer.kubevirt.facts.unreleased import about_target
from renderer.model.diagnostic import Severity
from renderer.model.release import LATEST, NEWEST, UNRELEASED, Release, snapshot_of
from renderer.model.render_config import RenderConfig

NEXT = Release(*next(iter(UNRELEASED)))


def test_defaults_are_released() -> None:
    assert RenderConfig().kubevirt == LATEST
    assert snapshot_of(LATEST) is None
    assert not is_supported(NEXT)


def test_no_product_brings_it() -> None:
    for product in products():
        for row in product.releases:
            if is_supported(row.kubevirt):
                assert snapshot_of(target_release(row.name)) is None
    assert NEXT.number not in KUBEVIRT


@pytest.mark.parametrize(
    "text",
    [
        f"image: quay.io/kubevirt/virt-operator:v{NEXT}\n",
        f"image: quay.io/kubevirt/virt-operator:v{NEXT}-beta.0\n",
        f"apiVersion: kubevirt.io/v1\nkind: KubeVirt\nmetadata: {{name: k}}\nspec: {{imageTag: v{NEXT}}}\n",
    ],
)
def test_a_repository_that_installs_it_is_not_rendered_for_it(text: str) -> None:
    (found,) = detected_releases(Manifests(MemoryFileSystem({"operator.yaml": text.encode()}), ()))

    assert (found.release, found.installed.version) == (None, f"{NEXT}")


@pytest.mark.parametrize("version", [f"{NEXT}", f"v{NEXT}", f"{NEXT.minor_release}"])
def test_facts_of_a_cluster_that_runs_it_name_the_newest_release(version: str) -> None:
    assert ClusterFacts({"kubevirt": version}).kubevirt == LATEST


def test_remark_says_what_is_known_of_it() -> None:
    (remark,) = about_target(target_release("1.10"))
    snapshot = UNRELEASED[NEXT[0], NEXT[1]]

    assert (remark.severity, snapshot.date in remark.message) == (Severity.INFO, True)
    assert snapshot.commit[:10] in remark.message
    assert about_target(target_release("hco-main")) == ()


def test_it_has_schemas_like_any_release() -> None:
    assert SchemaRegistry().releases[-1] == NEWEST
