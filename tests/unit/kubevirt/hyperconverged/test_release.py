"""Releases of the HyperConverged operator."""

from __future__ import annotations

import pytest

from renderer.kubevirt.hyperconverged.release import (
    LATEST,
    OLDEST,
    OperatorEnvironment,
    OperatorFacts,
    OperatorRelease,
    Platform,
)
from renderer.model.release import Release


class TestOperatorRelease:
    @pytest.mark.parametrize("text", ["1.17", "v1.17", "1.17.0", "v1.17.3"])
    def test_patch_and_prefix_do_not_matter(self, text: str) -> None:
        assert OperatorRelease.parse(text) == OperatorRelease(1, 17)
        assert str(OperatorRelease.parse(text)) == "1.17"

    def test_main_is_the_next_minor(self) -> None:
        assert OperatorRelease.parse("main") == LATEST == OperatorRelease.parse("1.20")
        assert str(LATEST) == "main"

    @pytest.mark.parametrize("text", ["", "1", "1.x", "1.017", "main2", "1.2.3.4", "1.-3", "v"])
    def test_other_texts_are_refused(self, text: str) -> None:
        with pytest.raises(ValueError, match="not a release of the HyperConverged operator"):
            OperatorRelease.parse(text)

    def test_releases_are_ordered_by_age(self) -> None:
        assert OLDEST < OperatorRelease(1, 11) < OperatorRelease(1, 19) < LATEST

    def test_unknown_release_behaves_like_the_nearest_known_one(self) -> None:
        assert OperatorRelease(1, 3).known == OLDEST
        assert OperatorRelease(1, 16).known == OperatorRelease(1, 16)
        assert OperatorRelease(2, 1).known == LATEST

    def test_each_release_deploys_its_kubevirt(self) -> None:
        assert OLDEST.kubevirt == Release(1, 0, 1)
        assert OperatorRelease(1, 18).kubevirt == Release(1, 8, 4)
        assert LATEST.kubevirt == Release(1, 9, 0)

    def test_v1_is_served_from_1_18_and_stored_from_1_19(self) -> None:
        served = [minor for minor in range(10, 21) if OperatorRelease(1, minor).serves_v1]
        stored = [minor for minor in range(10, 21) if OperatorRelease(1, minor).stores_v1]

        assert (served, stored) == ([18, 19, 20], [19, 20])


def test_facts_default_to_highly_available_openshift_on_amd64() -> None:
    facts = OperatorFacts()

    assert facts.platform is Platform.OPENSHIFT
    assert facts.control_plane_multi_node
    assert facts.control_plane_node_exists
    assert facts.infrastructure_highly_available
    assert facts.workload_architectures == ("amd64",)


@pytest.mark.parametrize(
    ("minor", "architectures"),
    [(11, []), (12, ["amd64", "arm64"]), (16, ["amd64", "arm64"]), (17, ["amd64", "arm64", "s390x"])],
)
def test_environment_of_a_release_has_its_machine_types(minor: int, architectures: list[str]) -> None:
    environment = OperatorEnvironment.of(OperatorRelease(1, minor))

    assert list(environment.machine_types) == architectures
    assert environment.smbios == {"family": "KubeVirt", "manufacturer": "KubeVirt", "product": "None"}
