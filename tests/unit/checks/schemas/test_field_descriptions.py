"""``schemas/fields.yaml``: a description for every field that a user writes, and none for others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest
import yaml

from renderer.checks.schemas.editor_schema import FieldNames, field_names
from renderer.checks.schemas.field_descriptions import describe
from renderer.checks.schemas.kubevirt_kinds import api_versions, kinds_at
from renderer.checks.schemas.registry import SchemaRegistry
from renderer.files.bundled import data_folder
from renderer.kubevirt.facts.kinds import KUBEVIRT_GROUP, VM_TEMPLATE_REQUEST
from renderer.model.kube.json import Json, JsonObject
from renderer.model.kube.res_id import Gvk
from renderer.model.release import OLDEST, Release
from tests.unit.kubevirt.admission.valid_vm import causes, cluster

REGISTRY = SchemaRegistry()
RELEASES = [release for release in REGISTRY.releases if release >= OLDEST]
WRITTEN: Mapping[str, Mapping[str, Json]] = yaml.safe_load(
    (data_folder("schemas") / "fields.yaml").read_bytes()
)


def fields_of_users() -> Iterator[FieldNames]:
    """The path of each field of each kind in each release, without those of the KubeVirt object."""
    for release in RELEASES:
        for kind in kinds_at(release):
            if kind.name not in ("KubeVirt", VM_TEMPLATE_REQUEST):
                version = api_versions(kind, release)[0].rpartition("/")[2]
                yield from field_names(REGISTRY.schema(release, Gvk(kind.group, version, kind.name)).document)


FIELDS = frozenset(fields_of_users())


def test_every_field_is_described() -> None:
    assert [".".join(names) for names in sorted(FIELDS) if describe(names) is None] == []


def test_every_description_is_of_a_field() -> None:
    ends = {names[-2:] for names in FIELDS} | {("any", names[-1]) for names in FIELDS}
    assert [
        (parent, name) for parent, fields in WRITTEN.items() for name in fields if (parent, name) not in ends
    ] == []


def test_every_description_has_a_title_and_a_sentence() -> None:
    for parent, fields in WRITTEN.items():
        for name in fields:
            found = describe((parent, name))
            assert found is not None
            assert found.title
            assert len(found.title) < 40, (parent, name)
            assert found.text.endswith("."), (parent, name)


GATED: Mapping[FieldNames, JsonObject] = {
    ("devices", "gpus"): {"domain.devices.gpus": [{"name": "a", "deviceName": "b/c"}]},
    ("devices", "hostDevices"): {"domain.devices.hostDevices": [{"name": "a", "deviceName": "b/c"}]},
    ("devices", "autoattachVSOCK"): {"domain.devices.autoattachVSOCK": True},
    ("devices", "downwardMetrics"): {"domain.devices.downwardMetrics": {}},
    ("devices", "video"): {"domain.devices.video": {"type": "vga"}},
    ("devices", "panicDevices"): {"domain.devices.panicDevices": [{"model": "pvpanic"}]},
    ("domain", "rebootPolicy"): {"domain.rebootPolicy": "Reboot"},
    ("tpm", "persistent"): {"domain.devices.tpm": {"persistent": True}},
    ("memory", "reservedOverhead"): {"domain.memory.reservedOverhead": {"addedOverhead": "1Gi"}},
    ("launchSecurity", "sev"): {"domain.launchSecurity": {"sev": {}}},
    ("launchSecurity", "tdx"): {"domain.launchSecurity": {"tdx": {}}},
    ("numa", "guestMappingPassthrough"): {"domain.cpu.numa": {"guestMappingPassthrough": {}}},
    ("volumes", "hostDisk"): {
        "volumes": [{"name": "root", "hostDisk": {"path": "/a", "type": "Disk"}}],
    },
    ("volumes", "downwardMetrics"): {"volumes": [{"name": "root", "downwardMetrics": {}}]},
    ("networks", "resourceClaim"): {
        "networks": [{"name": "default", "resourceClaim": {"claimName": "a", "requestName": "b"}}],
    },
    ("spec", "liveUpdateFeatures"): {"/liveUpdateFeatures": {}},
}


@pytest.mark.parametrize("names", GATED, ids=".".join)
@pytest.mark.parametrize("release", RELEASES, ids=str)
def test_remarks_name_the_gates_that_webhooks_want(names: FieldNames, release: Release) -> None:
    found = describe(names)
    assert found is not None
    machine = REGISTRY.schema(release, Gvk(KUBEVIRT_GROUP, "", "VirtualMachine")).document
    if any(field[-2:] == names for field in field_names(machine)):
        said = f"Needs the feature gate {found.gate}." in found.remarks(release)
        wanted = {cause.gate for cause in causes(GATED[names], cluster(release=release))}
        assert said == (found.gate in wanted)
