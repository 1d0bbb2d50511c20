"""The catalog of each KubeVirt release passes its schemas; the release before lacks just the newer fields."""

from __future__ import annotations

import os
import subprocess
from collections import Counter

import pytest

from renderer.checks.schemas.registry import SchemaRegistry
from renderer.checks.schemas.validate import validate
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject, with_value
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import UNRELEASED, Release
from renderer.yamlio.decode import decode_documents

SCHEMAS = SchemaRegistry()
#: A clone of KubeVirt with its tags.
KUBEVIRT = os.environ.get("KUBEVIRT_SOURCE", "")
DATA = "pkg/virt-operator/resource/generate/components/data/"
LAST_TAGS = (
    "v1.0.1",
    "v1.1.1",
    "v1.2.2",
    "v1.3.1",
    "v1.4.1",
    "v1.5.3",
    "v1.6.6",
    "v1.7.4",
    "v1.8.4",
    "v1.9.0",
)
#: The last tag of each minor, and the commit that was read for one without a tag.
REVISIONS = {
    **{Release.parse(tag).minor_release: tag for tag in LAST_TAGS},
    **{Release(*minor).minor_release: snapshot.commit for minor, snapshot in UNRELEASED.items()},
}
#: What the release before does not know of a release's catalog: fields, and how many objects have them.
NEWER: dict[Release, dict[str, int]] = {
    Release.parse("1.3"): {"spec.cpu.spreadOptions": 5},
    Release.parse("1.4"): {"spec.firmware.preferredEfi": 18, "spec.cpu.preferredCPUTopology": 16},
    Release.parse("1.9"): {"spec.devices.preferredVideoType": 9},
}
VALUES: dict[str, Json] = {
    "spec.cpu.spreadOptions": {"ratio": 4},
    "spec.firmware.preferredEfi": {"secureBoot": True},
    "spec.cpu.preferredCPUTopology": "sockets",
    "spec.devices.preferredVideoType": "virtio",
}
FIELDS = [(release, field) for release, fields in NEWER.items() for field in fields]


def judged(contents: list[JsonObject], release: Release) -> tuple[Diagnostic, ...]:
    resources = tuple(Resource(content, Site("bundle")) for content in contents)
    return validate(ResourceSet(resources), release, SCHEMAS)


def before(release: Release) -> Release:
    return Release.parse(f"1.{release.minor - 1}") if release.minor else Release.parse("0.59")


def bundle(revision: str) -> list[JsonObject]:
    listed = git("ls-tree", "-r", "--name-only", revision, DATA).split()
    files = [path for path in listed if "common-cluster" in path and path.endswith(".yaml")]
    documents = (
        each for path in files for each in decode_documents(git("show", f"{revision}:{path}").encode(), path)
    )
    return [document for document in documents if isinstance(document, dict)]


def git(*arguments: str) -> str:
    return subprocess.run(
        ["git", "-C", KUBEVIRT, *arguments], capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.skipif(not KUBEVIRT, reason="KUBEVIRT_SOURCE is not set")
@pytest.mark.parametrize("release", REVISIONS, ids=str)
def test_release_accepts_its_catalog_and_the_previous_one_all_except_newer_fields(release: Release) -> None:
    contents = bundle(REVISIONS[release])
    assert judged(contents, release) == ()
    older = judged(contents, before(release))
    assert Counter(str(found.field) for found in older) == Counter(NEWER.get(release, {}))
    assert {found.target for found in older} <= {before(release)}


@pytest.mark.parametrize(("release", "field"), FIELDS)
def test_newer_field_is_known_since_its_release(release: Release, field: str) -> None:
    preference: JsonObject = {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterPreference",
        "metadata": {"name": "linux"},
        "spec": {},
    }
    content = with_value(preference, field.split("."), VALUES[field])
    assert judged([content], release) == ()
    (found,) = judged([content], before(release))
    assert found.field == FieldPath(tuple(field.split(".")))
    assert found.target == before(release)
    assert f"needs KubeVirt {release}" in found.message
