"""The table of products, and the target releases that a user names by them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from renderer.kubevirt.facts.products import (
    Configuration,
    ProductRelease,
    configuration_of,
    is_supported,
    product_release,
    products,
    target_release,
)
from renderer.model.release import Release, supported_releases

#: The rows of a reference, as JSON: ``PRODUCTS_FILE=products.json pytest …``.
_REFERENCE = Path(os.environ.get("PRODUCTS_FILE", ""))


def row(text: str) -> ProductRelease:
    found = product_release(target_release(text))
    assert found is not None
    return found


class TestTargetRelease:
    @pytest.mark.parametrize(
        ("text", "number", "name"),
        [
            ("hco-1.17", "1.7.4", "hco-1.17.3"),
            ("hco-1.17.1", "1.7.1", "hco-1.17.1"),
            ("hco-1.19", "1.9.0", "hco-1.19"),
            ("hco-main", "1.9.0", "hco-main"),
            ("openshift-virtualization-4.20", "1.6.6", "openshift-virtualization-4.20"),
            ("openshift-virtualization-5.0", "1.9.0", "openshift-virtualization-5.0"),
            ("harvester-1.6", "1.5.2", "harvester-1.6.1"),
            ("harvester-1.6.0", "1.5.2", "harvester-1.6.0"),
            ("harvester-1.2", "1.1.1", "harvester-1.2.2"),
            ("cozystack-1.2", "1.6.3", "cozystack-1.2.4"),
            ("cozystack-1.5", "1.8.4", "cozystack-1.5.4"),
            ("cozystack-1.5.3", "1.8.2", "cozystack-1.5.3"),
            ("cozystack-0.37.10", "1.5.2", "cozystack-0.37.10"),
            ("suse-edge-0.6", "1.5.2", "suse-edge-0.6.1"),
            ("kubevirt-community-stack-0.7", "1.8.1", "kubevirt-community-stack-0.7.1"),
        ],
    )
    def test_release_of_a_product_is_its_kubevirt(self, text: str, number: str, name: str) -> None:
        release = target_release(text)

        assert (str(release), release.number, release.as_target) == (f"{number} of {text}", number, text)
        assert row(text).name == name

    def test_version_may_begin_with_v(self) -> None:
        assert target_release("hco-v1.17.2").as_target == "hco-1.17.2"

    @pytest.mark.parametrize("text", ["1.8", "v1.8.4", "kubevirt-1.8", "kubevirt-v1.8.4", "1.8.99"])
    def test_release_of_kubevirt_has_no_product(self, text: str) -> None:
        release = target_release(text)

        assert release == Release.parse(text.removeprefix("kubevirt-"))
        assert product_release(release) is None
        assert configuration_of(release) is Configuration.USER

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("hoc-1.17", "there is no product 'hoc'; did you mean hco-1.17?"),
            ("HCO-1.17", "there is no product 'HCO'; did you mean hco-1.17?"),
            (
                "openshift-4.20",
                "there is no product 'openshift'; did you mean openshift-virtualization-4.20?",
            ),
            ("hyperconverged-1.17", "there is no product 'hyperconverged'; did you mean hco-1.17?"),
            ("hco-1.17.9", "there is no release 1.17.9 of hco; did you mean hco-1.17?"),
            ("hco-1.20", "there is no release 1.20 of hco; did you mean hco-1.19?"),
            (
                "openshift-virtualization-4.20.3",
                (
                    "there is no release 4.20.3 of openshift-virtualization; did you mean"
                    " openshift-virtualization-4.20?"
                ),
            ),
            (
                "suse-edge-0.6.9.1",
                "there is no release 0.6.9.1 of suse-edge; did you mean suse-edge-0.6.1 or suse-edge-0.7.0?",
            ),
            ("harvester-main", "there is no release main of harvester; did you mean harvester-master?"),
            ("cozystack", "'cozystack' names no release; write it as cozystack-1.6.2"),
            ("hco-1.x", "'hco-1.x' names no release; write it as hco-1.19"),
            (
                "latest",
                (
                    "'latest' is not a KubeVirt release; write it as 1.9 or 1.9.0, or as the release of a"
                    " product, such as hco-1.18"
                ),
            ),
            ("1.9.0-rc.1", "'1.9.0-rc.1' is not a KubeVirt release; write it as 1.9 or 1.9.0"),
            ("kubevirt-2.0", f"KubeVirt 2.0 is not supported; {supported_releases()}"),
        ],
    )
    def test_unknown_one_gets_the_near_ones(self, text: str, message: str) -> None:
        with pytest.raises(ValueError) as raised:  # noqa: PT011 - the whole message is asserted
            target_release(text)
        assert str(raised.value) == message

    def test_product_that_resembles_none_gets_all(self) -> None:
        names = ", ".join(each.name for each in products())
        with pytest.raises(ValueError, match=f"there is no product 'metal-as'; the products are {names}"):
            target_release("metal-as-1.0")

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            (
                "harvester-1.1",
                (
                    "harvester-1.1.3 has KubeVirt 0.54.0, which is not supported; the nearest that is:"
                    " harvester-1.2.2, with KubeVirt 1.1.1"
                ),
            ),
            (
                "suse-edge-0.1.0",
                (
                    "suse-edge-0.1.0 has KubeVirt 0.58.0, which is not supported; the nearest that is:"
                    " suse-edge-0.2.0, with KubeVirt 1.1.0"
                ),
            ),
        ],
    )
    def test_kubevirt_without_schemas_names_the_nearest_with(self, text: str, message: str) -> None:
        with pytest.raises(ValueError) as raised:  # noqa: PT011 - the whole message is asserted
            target_release(text)
        assert str(raised.value) == message

    def test_kubevirt_whose_schemas_are_imported_is_supported(self) -> None:
        assert target_release("harvester-1.1.0", {Release.parse("0.54")}).number == "0.54.0"

    @pytest.mark.parametrize("version", ["9" * 5_000, "1." * 3_000 + "1", "1.017", "0"])
    def test_absurd_versions_are_refused(self, version: str) -> None:
        with pytest.raises(ValueError, match="there is no release"):
            target_release(f"hco-{version}")


class TestRows:
    def test_names_are_unique(self) -> None:
        names = [each.name for product in products() for each in product.releases]
        assert len(names) == len({*names})

    def test_each_supported_release_can_be_a_target(self) -> None:
        for product in products():
            for each in product.releases:
                if is_supported(each.kubevirt):
                    assert target_release(each.name)[:3] == each.kubevirt[:3]

    def test_each_row_says_where_it_was_read(self) -> None:
        for product in products():
            assert all(each.source and "{" not in each.source for each in product.releases)

    def test_row_has_the_operators_of_its_release(self) -> None:
        found = row("hco-1.18")
        assert (found.cdi, found.ssp, found.virt_template) == ("1.65.0", "0.25.0", "0.1.8")
        assert found.hyperconverged == "1.18.1"
        assert row("openshift-virtualization-4.20").hyperconverged == "1.16"
        assert str(found.kubernetes) == "1.35"
        assert row("cozystack-1.4").kubernetes is None

    def test_product_says_what_configures_kubevirt(self) -> None:
        assert configuration_of(target_release("hco-1.17")) is Configuration.HYPERCONVERGED
        assert (
            configuration_of(target_release("openshift-virtualization-4.18")) is Configuration.HYPERCONVERGED
        )
        assert configuration_of(target_release("harvester-1.6")) is Configuration.CHART
        assert configuration_of(target_release("cozystack-1.4")) is Configuration.USER

    def test_gates_of_a_chart_change_with_its_release(self) -> None:
        assert row("harvester-1.2").feature_gates == ("LiveMigration", "HotplugVolumes", "HostDevices")
        assert row("harvester-1.4.0").feature_gates[-1] == "CPUManager"
        assert "LiveMigration" not in row("harvester-1.8.2").feature_gates


@pytest.mark.skipif(not _REFERENCE.is_file(), reason="PRODUCTS_FILE is not set")
class TestReference:
    """The table has each row of the reference."""

    def test_releases_of_hyperconverged(self) -> None:
        for each in json.loads(_REFERENCE.read_text())["hyperconverged"]["rows"]:
            is_minor = each["ref"].startswith("release-")
            if is_minor and each["openshiftVirtualization"]:
                _agree(f"openshift-virtualization-{each['openshiftVirtualization']}", each)
            if not is_minor or each["hco"] == "1.19":
                _agree(f"hco-{each['hco']}", each)

    @pytest.mark.parametrize("product", ["harvester", "cozystack"])
    def test_releases_of_products(self, product: str) -> None:
        content = json.loads(_REFERENCE.read_text())[product]
        rows = content.get("all", content["rows"])
        known = {
            each.version: each for found in products() if found.name == product for each in found.releases
        }
        assert known.keys() == {each[product] for each in rows}
        for each in rows:
            found = known[each[product]]
            assert found.kubevirt.number == each["kubevirt"]
            assert found.cdi == each.get("cdi", "")
            assert list(found.feature_gates) == each.get("featureGates", [])
            assert _minor(each.get("kubernetes")) == (str(found.kubernetes) if found.kubernetes else None)

    @pytest.mark.parametrize("product", ["suse-edge", "kubevirt-community-stack"])
    def test_releases_of_charts(self, product: str) -> None:
        rows = json.loads(_REFERENCE.read_text())[f"{product} kubevirt chart"]["rows"]
        known = next(each for each in products() if each.name == product)
        assert {each.version: each.kubevirt.number for each in known.releases} == {
            each["chart"]: each["kubevirt"] for each in rows
        }

    def test_releases_of_kubevirt(self) -> None:
        content = json.loads(_REFERENCE.read_text())
        minors = {each["kubevirt"]: each["kubernetesBuiltFor"] for each in content["kubevirt"]["rows"]}
        templates = {each["kubevirt"]: each["virtTemplate"] for each in content["virt-template"]["rows"]}
        for each in products()[0].releases:
            minor = each.version.rpartition(".")[0]
            assert minors.get(minor) == (str(each.kubernetes) if each.kubernetes else None)
            assert templates.get(each.version, "") == each.virt_template


def _agree(name: str, reference: dict[str, str | None]) -> None:
    found = row(name)
    assert found.kubevirt.number == reference["kubevirt"], name
    assert (found.cdi, found.ssp) == (reference["cdi"], reference["ssp"]), name
    assert (found.virt_template or None) == reference["virtTemplate"], name
    assert (str(found.kubernetes) if found.kubernetes else None) == reference["kubernetesBuiltFor"], name


def _minor(version: str | None) -> str | None:
    return version and ".".join(version.split(".")[:2])
