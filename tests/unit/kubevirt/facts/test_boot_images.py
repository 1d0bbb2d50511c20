"""Labels of boot images by release and architecture."""

from __future__ import annotations

import pytest

from renderer.kubevirt.facts.boot_images import (
    OPENSHIFT_IMAGES,
    UPSTREAM_IMAGES,
    default_data_sources,
    image_labels,
    is_made_by_operators,
)
from renderer.kubevirt.facts.kinds import INSTANCETYPE, PREFERENCE
from renderer.model.release import LATEST, Release

DISKS = "quay.io/containerdisks/"


@pytest.mark.parametrize(
    ("image", "architecture", "preference"),
    [
        (f"{DISKS}fedora:latest", "amd64", "fedora"),
        (f"{DISKS}fedora", "arm64", "fedora.arm64"),
        (f"{DISKS}fedora@sha256:aa", "s390x", "fedora.s390x"),
        (f"{DISKS}centos-stream:9", "arm64", "centos.stream9"),
        (f"{DISKS}centos-stream:10-20250101", "amd64", "centos.stream10"),
        (f"{DISKS}almalinux:9.5", "arm64", "rhel.9"),
        ("rhel9-guest", "amd64", "rhel.9"),
        ("registry.redhat.io/rhel10/rhel-guest-image:latest", "arm64", "rhel.10.arm64"),
    ],
)
def test_image_asks_for_a_preference(image: str, architecture: str, preference: str) -> None:
    assert image_labels(image, architecture, LATEST) == {
        INSTANCETYPE.name_label: "u1.medium",
        PREFERENCE.name_label: preference,
    }


@pytest.mark.parametrize(
    ("image", "architecture", "release"),
    [
        (f"{DISKS}fedora:41", "amd64", "1.1"),
        (f"{DISKS}centos-stream:8", "amd64", "1.9"),
        (f"{DISKS}centos-stream", "amd64", "1.9"),
        (f"{DISKS}cirros:0.6", "amd64", "1.9"),
        ("registry.example.org/containerdisks/fedora:41", "amd64", "1.9"),
        ("rhel9-guest", "amd64", "1.3"),
        ("rhel9-guest", "s390x", "1.9"),
        ("", "amd64", "1.9"),
    ],
)
def test_labels_of_other_images_are_unknown(image: str, architecture: str, release: str) -> None:
    assert image_labels(image, architecture, Release.parse(release)) == {}


def preferences(release: str) -> dict[str, str]:
    target = Release.parse(release)
    return {
        each.name: each.label(PREFERENCE.name_label, "amd64", target) for each in default_data_sources(target)
    }


def test_defaults_depend_on_the_release() -> None:
    red_hat = {"rhel8": "", "rhel9": ""}
    assert preferences("1.0") == {"centos-stream9": "centos.9.stream", "fedora": "fedora", **red_hat}
    assert preferences("1.2") == {"centos-stream9": "centos.stream9", "fedora": "fedora", **red_hat}
    assert preferences("1.9") == {
        "centos-stream9": "centos.stream9",
        "centos-stream10": "centos.stream10",
        "fedora": "fedora",
        "rhel8": "rhel.8",
        "rhel9": "rhel.9",
        "rhel10": "rhel.10",
    }


def test_operators_make_data_sources_of_their_namespaces_only() -> None:
    assert is_made_by_operators("win2k22", OPENSHIFT_IMAGES)
    assert is_made_by_operators("rhel10", OPENSHIFT_IMAGES)
    assert not is_made_by_operators("rhel10", UPSTREAM_IMAGES)
    assert not is_made_by_operators("fedora", "golden")
