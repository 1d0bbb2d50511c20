"""Changes of machines that differ in name, namespace and labels alone are judged once."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import copy_context

from renderer.diff.compare import compare_overlay
from renderer.diff.equal_changes import EqualChanges
from renderer.diff.overlay_side import OverlaySide
from renderer.kubevirt.instancetype.catalog import Catalog
from renderer.model.difference import Effect, ResourceChange
from renderer.model.kube.json import Json, JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import Release
from renderer.model.run.work import begin_run, spent
from renderer.pipeline.vm_changes import ProjectState, VmChanges
from tests.kubevirt_objects import vm

RELEASE = Release.parse("1.9")
ROOT: JsonObject = {"name": "root", "disk": {"bus": "virtio"}}
VOLUME: JsonObject = {"name": "root", "dataVolume": {"name": "root"}}
IMAGE: JsonObject = {"name": "root", "containerDisk": {"image": "linux:1"}}
BLANK: JsonObject = {"source": {"blank": {}}, "storage": {"resources": {"requests": {"storage": "1Gi"}}}}


class Fleet:
    """Compares overlays that share their equal changes."""

    def __init__(self) -> None:
        self._equal_changes = EqualChanges()

    def changes(
        self, before: Sequence[JsonObject], after: Sequence[JsonObject]
    ) -> tuple[ResourceChange, ...]:
        written = [tuple(Resource(each, Site("a.yaml")) for each in side) for side in (before, after)]
        states = [ProjectState(ResourceSet(each), Catalog()) for each in written]
        sides = [OverlaySide(RELEASE, each) for each in written]
        changes = VmChanges(states[0], states[1], RELEASE)
        compared = compare_overlay("a", "a", sides[0], sides[1], changes, equal_changes=self._equal_changes)
        return compared.changes

    def change(self, before: JsonObject, after: JsonObject, *others: JsonObject) -> ResourceChange:
        """Return the change of one machine, which is in its overlay with others that stay."""
        (change,) = self.changes([before, *others], [after, *others])
        return change


def machine(name: str, namespace: str, *, cores: int = 1, **spec: Json) -> dict[str, Json]:
    domain: JsonObject = {"devices": {"disks": [ROOT]}, "cpu": {"cores": cores}}
    content = vm(name, domain, **spec)
    labels = {"site": namespace}
    return {
        **content,
        "metadata": {"name": name, **({"namespace": namespace} if namespace else {}), "labels": labels},
    }


def with_template(content: JsonObject, **fields: Json) -> dict[str, Json]:
    """The machine with other fields in the spec of its template."""
    spec = content["spec"]
    assert isinstance(spec, dict)
    template = spec["template"]
    assert isinstance(template, dict)
    inner = template["spec"]
    assert isinstance(inner, dict)
    return {**content, "spec": {**spec, "template": {**template, "spec": {**inner, **fields}}}}


def steps_of(names: list[str], namespaces: list[str]) -> int:
    def compare() -> int:
        begin_run()
        fleet = Fleet()
        for namespace in namespaces:
            before, after = ([machine(name, namespace, cores=cores) for name in names] for cores in (1, 2))
            assert len(fleet.changes(before, after)) == len(names)
        return spent()

    return copy_context().run(compare)


def test_equal_changes_cost_a_fraction_of_the_first() -> None:
    one = steps_of(["db-1"], ["east"])
    many = steps_of(["db-1", "db-2", "db-3", "db-4", "db-5"], ["east", "west"])

    assert many < 4 * one


def test_each_change_names_its_own_machine() -> None:
    fleet = Fleet()
    changes = [
        fleet.change(machine(name, place), machine(name, place, cores=2))
        for name, place in (("db", "east"), ("web", "west"))
    ]

    assert [(each.id.name, each.id.namespace) for each in changes] == [("db", "east"), ("web", "west")]
    assert changes[0].fields == changes[1].fields
    assert changes[0].impact == changes[1].impact


def test_text_that_mentions_a_machine_is_not_shared() -> None:
    """Without a serial in Git, KubeVirt chooses one for each machine."""
    fleet = Fleet()
    found: list[str] = []
    for place in ("east", "west"):
        before = with_template(machine("db", place), volumes=[IMAGE])
        firmware: JsonObject = {
            "devices": {"disks": [ROOT]},
            "cpu": {"cores": 1},
            "firmware": {"serial": "1"},
        }
        change = fleet.change(before, with_template(before, domain=firmware))
        found += [each.before for each in change.guest if "serial" in each.fact]

    assert found == ["one chosen for east/db", "one chosen for west/db"]


def test_namespace_that_a_manifest_has_counts() -> None:
    """The webhook refuses a template for another namespace than the machine's."""
    fleet = Fleet()
    template: JsonObject = {"metadata": {"name": "root", "namespace": "east"}, "spec": BLANK}
    effects: list[Effect | None] = []
    for place in ("east", "", "west"):
        before, after = (
            with_template(machine("db", place, cores=cores, dataVolumeTemplates=[template]), volumes=[VOLUME])
            for cores in (1, 2)
        )
        change = fleet.change(before, after)
        effects.append(change.impact and change.impact.effect)

    assert Effect.REFUSED not in effects[:2]
    assert effects[2] is Effect.REFUSED


def test_disks_that_a_machine_finds_count() -> None:
    """A DataVolume of one overlay has a size, which a change of its machine names."""
    fleet = Fleet()
    disk: JsonObject = {
        "apiVersion": "cdi.kubevirt.io/v1beta1",
        "kind": "DataVolume",
        "metadata": {"name": "root", "namespace": "west"},
        "spec": {"storage": {"resources": {"requests": {"storage": "30Gi"}}}},
    }
    texts = [
        str(
            fleet.change(
                with_template(machine("db", place), volumes=[VOLUME]),
                with_template(machine("db", place), volumes=[IMAGE]),
                *others,
            ).data
        )
        for place, others in (("east", ()), ("west", (disk,)))
    ]

    assert ["30Gi" in text for text in texts] == [False, True]
