"""Every stage knows the same kinds of KubeVirt, in the same groups."""

from __future__ import annotations

from renderer.authoring.catalogs.entry import KINDS as CATALOG_KINDS
from renderer.authoring.catalogs.entry import is_entry
from renderer.authoring.migration.rules import with_deprecations_rewritten
from renderer.checks.schemas.kubevirt_kinds import GROUPS_OF_KINDS
from renderer.emit.tree_options import in_sync_waves
from renderer.kubevirt.facts.kinds import (
    INSTANCETYPE_API_VERSION,
    MATCHER_TYPE_OF,
    is_kubevirt_group,
)
from renderer.kubevirt.instancetype.catalog import Catalog, CatalogSource
from renderer.kubevirt.instancetype.virtual_machine import VirtualMachine, needs_instancetype_stage
from renderer.model.kube.json import JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet


def an_object(kind: str) -> Resource:
    content: JsonObject = {"apiVersion": INSTANCETYPE_API_VERSION, "kind": kind, "metadata": {"name": "a"}}
    return Resource(content, Site("a.yaml"))


def test_all_groups_end_with_kubevirt_io() -> None:
    assert all(map(is_kubevirt_group, GROUPS_OF_KINDS.values()))
    assert not any(map(is_kubevirt_group, ("", "apps", "notkubevirt.io", "kubevirt.io.example.com")))


def test_instance_types_and_preferences_are_known_to_every_stage() -> None:
    assert set(CATALOG_KINDS) == set(MATCHER_TYPE_OF)
    for kind in MATCHER_TYPE_OF:
        resource = an_object(kind)
        one = ResourceSet((resource,))
        assert is_entry(resource)
        assert needs_instancetype_stage(one)
        assert Catalog.of(CatalogSource("a", one)).named(kind, "a")
        [waved] = in_sync_waves(one).value
        assert waved.annotations == {"argocd.argoproj.io/sync-wave": "-1"}


def test_old_versions_are_rewritten_to_the_stored_version() -> None:
    for version in ("v1alpha1", "v1alpha2"):
        old: JsonObject = {
            "apiVersion": f"instancetype.kubevirt.io/{version}",
            "kind": "VirtualMachinePreference",
        }
        assert with_deprecations_rewritten(old)["apiVersion"] == INSTANCETYPE_API_VERSION


def test_virtual_machines_are_found_only_in_kubevirts_machines_and_pools() -> None:
    for kind in ("VirtualMachine", "VirtualMachinePool"):
        own: JsonObject = {
            "apiVersion": f"{GROUPS_OF_KINDS[kind]}/v1",
            "kind": kind,
            "metadata": {"name": "a"},
        }
        assert VirtualMachine.of(Resource(own, Site("a.yaml"))) is not None
        foreign = Resource({**own, "apiVersion": "example.com/v1"}, Site("a.yaml"))
        assert VirtualMachine.of(foreign) is None
