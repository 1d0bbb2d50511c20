"""API versions that are written, validated and merged are served by the target release."""

from __future__ import annotations

from itertools import product

import pytest

from renderer.authoring.migration.change import Change
from renderer.authoring.migration.rules import version_findings
from renderer.checks.schemas.kubevirt_kinds import KINDS, KubevirtKind, api_versions
from renderer.checks.schemas.registry import SchemaRegistry
from renderer.kubevirt.facts.kinds import INSTANCETYPE_GROUP
from renderer.kubevirt.instancetype.served_version import in_served_version
from renderer.kustomize.merge_keys.kubevirt import KubevirtMergeSchema
from renderer.kustomize.merge_keys.schema_in_effect import kubernetes_merge_schema
from renderer.model.kube.json import JsonObject, array_at
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import Gvk
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import NEWEST, Release

RELEASES = [Release.parse(f"1.{minor}") for minor in range(NEWEST.minor + 1)]
OF_INSTANCETYPE = [kind for kind in KINDS if kind.group == INSTANCETYPE_GROUP]
SIZE: JsonObject = {"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}}


def test_written_api_version_is_served_by_every_release() -> None:
    for kind in OF_INSTANCETYPE:
        content: JsonObject = {
            "apiVersion": f"{INSTANCETYPE_GROUP}/v1beta2",
            "kind": kind.name,
            "metadata": {"name": "u1"},
            "spec": SIZE if kind.name.endswith("Instancetype") else {},
        }
        (written,) = in_served_version(ResourceSet((Resource(content, Site("a.yaml")),))).value
        for release in RELEASES:
            assert written.api_version in api_versions(kind, release), (kind, release)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_schemas_accept_the_served_api_versions(kind: KubevirtKind) -> None:
    registry = SchemaRegistry()
    for release in RELEASES:
        schema = registry.schema(release, Gvk(kind.group, "v1", kind.name)).document
        asked = array_at(schema, "properties", "apiVersion", "enum")
        assert tuple(asked) == api_versions(kind, release), release


def test_migration_suggests_api_versions_that_the_release_serves() -> None:
    for kind, release in product(KINDS, RELEASES):
        for version in api_versions(kind, release):
            for change in version_findings({"apiVersion": version, "kind": kind.name}):
                assert isinstance(change, Change)
                assert str(change.after).removeprefix("apiVersion: ") in api_versions(
                    kind, max(change.since, release)
                )


def test_lists_merge_in_every_served_version() -> None:
    schema = KubevirtMergeSchema(kubernetes_merge_schema())
    unknown = {
        version
        for kind, release in product(KINDS, RELEASES)
        for version in api_versions(kind, release)
        if kind.name != "KubeVirt" and schema.of_kind(version, kind.name) is None
    }
    assert unknown <= {"kubevirt.io/v1alpha3"}  # of releases before 1.0
