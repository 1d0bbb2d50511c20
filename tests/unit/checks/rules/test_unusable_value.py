"""Values that KubeVirt admits and that never work."""

from __future__ import annotations

import pytest

from renderer.checks.rules.context import Context
from renderer.checks.rules.rule import Finding
from renderer.checks.rules.unusable_value import RULE
from renderer.model.kube.json import Json
from renderer.model.release import LATEST
from tests.kubevirt_objects import resources, vm

LONG = "/".join(["a" * 51] * 5)  # 259 characters


def findings(**pod: Json) -> list[Finding]:
    machine = vm(
        "web", None, template={"spec": {"domain": {"memory": {"guest": "2Gi"}, "devices": {}}, **pod}}
    )
    everything = resources(machine)
    return [*RULE.check(Context(everything, everything, LATEST))]


def of_image(image: str) -> list[Finding]:
    return findings(volumes=[{"name": "root", "containerDisk": {"image": image}}])


@pytest.mark.parametrize(
    "image",
    [
        "fedora",
        "quay.io/containerdisks/fedora:43",
        "localhost/x_y__z:Tag_1.0-rc",
        "[2001:db8::1]:5000/x",
        "Registry/x",
        f"quay.io:5000/{LONG[4:]}:43",
        f"localhost/{LONG[4:]}",
        f"registry.example.com/x@sha256:{'0' * 64}",
    ],
)
def test_valid_image_names_are_accepted(image: str) -> None:
    assert of_image(image) == []


@pytest.mark.parametrize("image", ["quay.io/x:größe", "quay.io/x:४३", "quay.io/größe", "foo:bar/baz"])
def test_non_ascii_image_name_is_reported(image: str) -> None:
    assert [found.message for found in of_image(image)] == [f"invalid image reference {image!r}"]


@pytest.mark.parametrize(
    ("image", "length"),
    [
        (f"quay.io/{LONG[3:]}:43", 256),
        (LONG[3:], 256),
        (f"{LONG[3:]}@sha256:{'0' * 64}", 256),
        (f"quay.io/{'a' * 5000}", 5008),
    ],
)
def test_overlong_image_name_is_reported(image: str, length: int) -> None:
    hints = [found.hint for found in of_image(image)]
    assert hints == [f"shorten it: a repository has at most 255 characters, not {length}"]


@pytest.mark.parametrize(
    ("network", "kinds"),
    [
        ("a.b/a.b", ["Namespace"]),
        ("A/A", ["Namespace", "NetworkAttachmentDefinition"]),
        ("a/A", ["NetworkAttachmentDefinition"]),
        ("a/a.b", []),
    ],
)
def test_wrong_part_of_a_network_name_is_named(network: str, kinds: list[str]) -> None:
    found = findings(networks=[{"name": "plant", "multus": {"networkName": network}}])
    assert sorted(finding.message.split()[1] for finding in found) == kinds
