"""An instance as KubeVirt's webhooks see it: the mutating webhook has set defaults."""

from __future__ import annotations

import pytest

from renderer.kubevirt.instancetype.admission_requests import admission_requests
from renderer.kubevirt.instancetype.catalog import Catalog
from renderer.model.kube.json import Json, JsonObject, object_at
from renderer.model.release import Release
from tests.kubevirt_objects import resources


def webhook_spec(release: str, **spec: Json) -> JsonObject:
    """The spec of an instance as the validating webhook sees it."""
    instance: JsonObject = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachineInstance",
        "metadata": {"name": "web"},
        "spec": {"domain": {"devices": {}}, **spec},
    }
    (request,) = admission_requests(resources(instance), Catalog(), Release.parse(release))
    return object_at(request.content, "spec")


@pytest.mark.parametrize(
    ("release", "architecture", "efi", "seen"),
    [
        ("1.7", "arm64", {}, {}),
        ("1.8", "arm64", {}, {"secureBoot": False}),
        ("1.9", "arm64", {"persistent": True}, {"persistent": True, "secureBoot": False}),
        ("1.9", "arm64", {"secureBoot": True}, {"secureBoot": True}),
        ("1.9", "amd64", {}, {}),
    ],
)
def test_efi_on_arm64_has_no_secure_boot_since_1_8(
    release: str, architecture: str, efi: JsonObject, seen: JsonObject
) -> None:
    domain: JsonObject = {"devices": {}, "firmware": {"bootloader": {"efi": efi}}}
    spec = webhook_spec(release, architecture=architecture, domain=domain)
    assert object_at(spec, "domain", "firmware", "bootloader")["efi"] == seen


def test_bios_on_arm64_gets_no_efi() -> None:
    domain: JsonObject = {"devices": {}, "firmware": {"bootloader": {"bios": {}}}}
    spec = webhook_spec("1.9", architecture="arm64", domain=domain)
    assert object_at(spec, "domain", "firmware", "bootloader") == {"bios": {}}
