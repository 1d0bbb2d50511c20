"""Every stage finds the parts of a virtual machine at the same paths, in all four kinds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping

import pytest

from renderer.authoring.migration.change import Change
from renderer.authoring.migration.rules import findings
from renderer.authoring.pins.plan import vm_spec
from renderer.checks.rules.context import Context
from renderer.checks.schemas.kind_schema import KindSchema
from renderer.checks.schemas.registry import InputSchemaRegistry, SchemaRegistry
from renderer.diff.compare import compare_overlay
from renderer.diff.overlay_side import OverlaySide
from renderer.files.bundled import data_folder
from renderer.instancetype_names.references import references
from renderer.kubevirt.facts.virtual_machine import PATHS, VirtualMachineView
from renderer.kubevirt.instancetype.virtual_machine import VirtualMachine
from renderer.kustomize.merge_keys.kubevirt import KubevirtMergeSchema
from renderer.kustomize.merge_keys.schema_in_effect import kubernetes_merge_schema
from renderer.model.difference import Effect
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject, with_value
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import Gvk
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import LATEST

API_VERSIONS = {
    "VirtualMachine": "kubevirt.io/v1",
    "VirtualMachinePool": "pool.kubevirt.io/v1beta1",
    "VirtualMachineInstance": "kubevirt.io/v1",
    "VirtualMachineInstanceReplicaSet": "kubevirt.io/v1",
}
#: As in Go's types, written out a second time.
INSTANCES = {
    "VirtualMachine": "spec.template.spec",
    "VirtualMachinePool": "spec.virtualMachineTemplate.spec.template.spec",
    "VirtualMachineInstance": "spec",
    "VirtualMachineInstanceReplicaSet": "spec.template.spec",
}
MACHINES = {"VirtualMachine": "", "VirtualMachinePool": "spec.virtualMachineTemplate"}

every_kind = pytest.mark.parametrize("kind", INSTANCES)
every_machine = pytest.mark.parametrize("kind", MACHINES)


def test_all_kinds_are_compared() -> None:
    assert PATHS.keys() == INSTANCES.keys()


def keys(path: str) -> tuple[str, ...]:
    return tuple(path.split(".")) if path else ()


def resource(kind: str, *fields: tuple[str, Json]) -> Resource:
    content: JsonObject = {"apiVersion": API_VERSIONS[kind], "kind": kind, "metadata": {"name": "web"}}
    for path, value in fields:
        content = with_value(content, keys(path), value)
    return Resource(content, Site("a.yaml"))


def below(path: str, rest: str) -> str:
    return f"{path}.{rest}" if path else rest


@every_kind
def test_instance_is_found_in_every_kind(kind: str) -> None:
    made = resource(kind, (below(INSTANCES[kind], "hostname"), "here"))
    view = VirtualMachineView.of(made)
    assert view is not None
    assert view.instance == {"hostname": "here"}
    assert str(view.in_instance("hostname")) == below(INSTANCES[kind], "hostname")
    (machine,) = Context(ResourceSet((made,)), ResourceSet((made,)), LATEST).machines
    assert machine.instance == view.instance


@every_kind
def test_change_of_the_instance_is_found_in_every_kind(kind: str) -> None:
    field = below(INSTANCES[kind], "hostname")
    before, after = (OverlaySide(LATEST, (resource(kind, (field, name)),)) for name in ("here", "there"))
    (change,) = compare_overlay("overlays/prod", "prod", before, after).changes
    assert [str(each.field) for each in change.fields] == [field]
    assert change.impact is not None
    assert change.impact.effect is not Effect.NONE


@every_kind
def test_lists_of_the_instance_merge_by_name(kind: str) -> None:
    schema = KubevirtMergeSchema(kubernetes_merge_schema())
    field = schema.of_kind(API_VERSIONS[kind], kind)
    for key in (*keys(INSTANCES[kind]), "volumes"):
        field = schema.fields(field).get(key)
    assert field is not None
    assert field.merge_keys == ("name",)


@pytest.mark.parametrize("kind", [kind for kind in INSTANCES if kind != "VirtualMachineInstanceReplicaSet"])
def test_schemas_of_all_releases_have_volumes_in_the_instance(kind: str) -> None:
    registry = SchemaRegistry()
    gvk = Gvk.parse(API_VERSIONS[kind], kind)
    for release in registry.releases:
        schema = registry.schema(release, gvk)
        volumes = schema.tree.at(FieldPath((*keys(INSTANCES[kind]), "volumes")))
        assert volumes is not None, release


@every_machine
def test_requested_vcpus_are_read_and_never_written(kind: str) -> None:
    schema: KindSchema = InputSchemaRegistry().schema(LATEST, Gvk.parse(API_VERSIONS[kind], kind))
    assert schema.tree.at(FieldPath((*keys(INSTANCES[kind]), "domain", "cpu", "guest"))) is not None


def named_in(made: Resource) -> Iterator[str]:
    return (str(reference.field) for reference in references(made.content))


#: Each owner of the question where the spec of a VirtualMachine is, and whether it finds ``running``.
SPECS: Mapping[str, Callable[[Resource], object]] = {
    "pins": lambda made: vm_spec(made.content).get("running"),
    "instancetype": lambda made: (vm := VirtualMachine.of(made)) and vm.spec.get("running"),
    "kubevirt": lambda made: (view := VirtualMachineView.of(made)) and view.spec.get("running"),
    "migration": lambda made: any(
        isinstance(each, Change) and str(each.field).endswith("spec.running")
        for each in findings(made.content)
    ),
}


@every_machine
@pytest.mark.parametrize("owner", SPECS)
def test_spec_is_found_in_every_kind(kind: str, owner: str) -> None:
    spec = below(MACHINES[kind], "spec")
    made = resource(kind, (below(INSTANCES[kind], "domain"), {}), (f"{spec}.running", True))
    assert SPECS[owner](made) is True


@every_machine
def test_matchers_are_found_in_every_kind(kind: str) -> None:
    spec = below(MACHINES[kind], "spec")
    made = resource(
        kind, (below(INSTANCES[kind], "domain"), {}), (f"{spec}.instancetype", {"name": "u1.small"})
    )
    assert list(named_in(made)) == [f"{spec}.instancetype.name"]
    view = VirtualMachineView.of(made)
    assert view is not None
    assert str(view.in_spec("instancetype", "name")) == f"{spec}.instancetype.name"


@every_kind
def test_kinds_of_other_groups_are_ignored(kind: str) -> None:
    other = resource(kind)
    foreign = other.with_content({**other.content, "apiVersion": "example.com/v1"})
    assert VirtualMachineView.of(foreign) is None
    assert VirtualMachine.of(foreign) is None


def test_the_folder_of_schemas_is_not_empty() -> None:
    schema = data_folder("schemas") / "kubevirt" / str(LATEST) / "virtualmachine.json"
    assert json.loads(schema.read_bytes())
