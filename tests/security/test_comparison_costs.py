"""Comparing takes work that grows with what is compared and with the rules, not with their product."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from time import process_time
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import Mock

import pytest

from renderer.adopt.live.ignored_differences import IgnoreRules, rules_of_application, rules_of_kustomization
from renderer.app.comparison import overlay_owners, redirected_overlays, target_secrets, unlisted_side
from renderer.app.comparison.deployer_map import DeployerMap
from renderer.app.comparison.ignores import Ignores
from renderer.app.comparison.readers_elsewhere import ReadersElsewhere
from renderer.app.comparison.redirected_overlays import RedirectedOverlays
from renderer.app.comparison.relocated_overlays import Relocation, relocation_of
from renderer.app.comparison.rendered_sides import RenderedSide
from renderer.app.comparison.shared_clusters import SharedClusters
from renderer.app.comparison.side import Side
from renderer.app.comparison.unlisted_side import UnlistedSide
from renderer.diff import orders, reads, services
from renderer.diff.compare import compare_overlay
from renderer.diff.images import image_moves
from renderer.diff.missing import Makers
from renderer.diff.overlay_side import OverlaySide
from renderer.diff.routes import Routes, lost_ways_of_route
from renderer.diff.vm_fields import ChangedFields
from renderer.files.file_system import FileSystem, MemoryFileSystem, readable_content
from renderer.gitops.argocd.application import as_application
from renderer.gitops.engine_reaction import redirection_by_instance
from renderer.kubevirt.facts.pool_names import split_index
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.impact import storage_objects
from renderer.kubevirt.impact.storage_objects import Target, targets_of
from renderer.model.difference import (
    ChangeType,
    Difference,
    Effect,
    FieldChange,
    OverlayDifference,
    ResourceChange,
)
from renderer.model.difference_rule import DifferenceRule
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY, Json, JsonObject, object_at
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import Gvk, ResId
from renderer.model.kube.resource import Resource
from renderer.model.masking import Masking
from renderer.model.plural import listed
from renderer.model.release import LATEST
from renderer.model.render_config import ExpandMode, Overlay, RenderConfig
from renderer.model.run.limits import lowered
from renderer.model.run.work import WorkLimitError, begin_run, spent
from renderer.pipeline import deployers, overlay_files
from renderer.pipeline.deployers import _recurses
from renderer.pipeline.overlay_files import _flux_files
from renderer.provenance.patterns import FieldPattern

CONFIG_MAP = Gvk("", "v1", "ConfigMap")


def config_map(name: str) -> ResId:
    return ResId(CONFIG_MAP, name, "a")


def changed(count: int) -> Difference:
    field = FieldChange(FieldPath.of("data", "x"), "1", "2")
    changes = tuple(
        ResourceChange(ChangeType.CHANGED, id_, id_, (field,))
        for id_ in (config_map(f"c{number}") for number in range(count))
    )
    return Difference("a", "b", (OverlayDifference("o", "o", (None, None), changes),))


def ignoring(*rules: DifferenceRule) -> tuple[int, list[tuple[str, int]], int]:
    """Return the changes that are left of 1,000, the sources of the others, and the steps."""
    ignores = Ignores((), RenderConfig(ignored_differences=rules))
    begin_run()
    [overlay] = ignores.without_ignored(changed(1000)).overlays
    return len(overlay.changes), [(each.source, each.number) for each in overlay.ignored], spent()


@pytest.mark.parametrize(("kind", "name", "left"), [("", "b*", 1000), ("Config*", "", 0), ("", "c7", 999)])
def test_equal_rules_of_a_project_count_once(kind: str, name: str, left: int) -> None:
    rules = [DifferenceRule(f"diff.ignore[{number}]", kind, name, field="data.x") for number in range(5000)]
    found = ignoring(*rules)
    assert found == ignoring(rules[0])
    assert found[0] == left


def test_rules_of_a_project_for_other_objects_cost_nothing() -> None:
    rules = [DifferenceRule(f"{number}", "ConfigMap", f"d{number}") for number in range(5000)]
    assert ignoring(*rules) == (1000, [], 0)


def test_rules_of_a_project_count_in_their_order() -> None:
    rules = [
        DifferenceRule("by name", name="c1", field="data.x"),
        DifferenceRule("by glob", name="c1*", field="data"),
        DifferenceRule("by the same name", name="c1", field="data.x"),
        DifferenceRule("by kind", "ConfigMap", field="data"),
    ]
    assert ignoring(*rules)[:2] == (0, [("by kind", 889), ("by name", 1), ("by glob", 110)])


def application(rules: Json) -> Resource:
    content: JsonObject = {
        "kind": "Application",
        "metadata": {"name": "a"},
        "spec": {"ignoreDifferences": rules},
    }
    return Resource(content, Site("a.yaml"))


def test_rules_of_an_engine_that_aliases_repeat_are_read_once() -> None:
    rule: Json = {"kind": "C*p", "jsonPointers": ["/data/y"]}
    assert len([*rules_of_application(application([rule] * 5000))]) == 1
    flux: Json = {"paths": ["/data/y"]}
    content: JsonObject = {"kind": "Kustomization", "spec": {"ignore": [flux] * 5000}}
    assert len([*rules_of_kustomization(Resource(content, Site("k.yaml")))]) == 1


def test_rules_of_an_engine_for_other_objects_cost_nothing() -> None:
    rules: Json = [
        {"kind": "ConfigMap", "name": f"c{number}", "jsonPointers": ["/data/y"]} for number in range(5000)
    ]
    found = IgnoreRules(rules_of_application(application(rules)))
    begin_run()
    for number in range(1000):
        assert [each.name for each in found.about(config_map(f"c{number}"))] == [f"c{number}"]
    assert spent() == 0


@pytest.mark.parametrize(
    ("pattern", "path", "found"),
    [
        ("...a" * 40 + ".b", ("a",) * 90, None),
        ("...a" * 40, ("a",) * 90, 40),
        ("." * 30_000, ("a",) * 90, None),
        (".".join("a" * 3000), ("a" + ".a" * 2999,), 1),
        ("...a" * 40 + ".b", ("a" + ".a" * 90,), None),
    ],
)
def test_a_pattern_is_not_matched_in_each_way(pattern: str, path: tuple[str, ...], found: int | None) -> None:
    begin_run()
    field = FieldPath(path)
    assert FieldPattern(pattern).match(field, field) == (None if found is None else FieldPath(path[:found]))
    assert spent() < 100_000


def vm(name: str, volumes: Json = (), labels: JsonObject = EMPTY) -> JsonObject:
    template: JsonObject = {
        "metadata": {"labels": labels},
        "spec": {"domain": {"devices": {}}, "volumes": volumes},
    }
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": name, "namespace": "a"},
        "spec": {"runStrategy": "Always", "template": template},
    }


def other(kind: str, name: str, version: str = "v1", **fields: Json) -> JsonObject:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": "a"}, **fields}


def side(*objects: JsonObject) -> OverlaySide:
    return OverlaySide(LATEST, tuple(Resource(each, Site("a.yaml")) for each in objects))


def compared(before: OverlaySide, after: OverlaySide) -> dict[str, ResourceChange]:
    return {each.id.name: each for each in compare_overlay("o", "o", before, after).changes}


class Counted(dict[str, Json]):
    """A mapping that counts how often its values are listed."""

    count = 0

    def values(self) -> Any:  # noqa: ANN401 - as of a dict
        Counted.count += 1
        return super().values()


def test_custom_resources_are_searched_once_for_all_machines() -> None:
    secret: Json = [{"name": "s", "secret": {"secretName": "sec"}}]
    machines = [vm(f"m{number}", secret) for number in range(50)]
    shared = Counted(a=["x"] * 10, b=Counted(c="y"))
    foos = [other("Foo", f"f{number}", "x.io/v1", spec=shared) for number in range(50)]
    Counted.count = 0
    makers = Makers(Resource(each, Site("a.yaml")) for each in (*foos, other("Secret", "s")))
    assert makers.names == {"x", "y", *(f"f{number}" for number in range(50))}
    assert [makers.may_make(name) for name in ("x", "sec")] == [True, False]
    assert Counted.count == 2
    for named, lost in (("sec", 0), ("other", 50)):
        sealed = other("Foo", "g", "x.io/v1", spec={"a": [{"b": named}]})
        found = compared(side(other("Secret", "sec"), *machines), side(*machines, sealed))
        assert sum(Effect.NO_START in each.effects for each in found.values()) == lost


def pool(name: str) -> JsonObject:
    template: JsonObject = {"spec": {"volumes": [{"name": "v", "secret": {"secretName": "x"}}]}}
    spec: JsonObject = {
        "nameGeneration": {"appendIndexToSecretRefs": True},
        "virtualMachineTemplate": {"spec": {"runStrategy": "Always", "template": template}},
    }
    return other("VirtualMachinePool", name, "pool.kubevirt.io/v1beta1", spec=spec)


def test_names_with_an_index_are_split_once_for_all_pools(monkeypatch: pytest.MonkeyPatch) -> None:
    split: list[str] = []

    def counted(name: str) -> tuple[str, int] | None:
        split.append(name)
        return split_index(name)

    monkeypatch.setattr(reads, "split_index", counted)
    pools = [pool(f"p{number}") for number in range(20)]
    secrets = [other("Secret", f"y-{number}") for number in range(200)]
    found = compared(side(*pools, *secrets, other("Secret", "x-1")), side(*pools))
    assert sum(len(each.fields) for each in found.values()) == 20
    assert len(split) == 201


def test_each_object_that_a_pool_names_counts_as_work() -> None:
    pools = [pool(f"p{number}") for number in range(20)]
    secrets = [other("Secret", f"x-{number}") for number in range(200)]
    begin_run()
    with lowered({"work": 100_000}), pytest.raises(WorkLimitError, match="pools"):
        compared(side(*pools, *secrets), side(*pools))


@pytest.mark.parametrize("is_removed", [False, True])
def test_services_are_compared_with_what_has_their_labels(*, is_removed: bool) -> None:
    def of_label(value: str) -> list[JsonObject]:
        return [
            other("Service", f"s{number}", spec={"selector": {"app": value, "n": f"{number}"}})
            for number in range(300)
        ]

    machines = [vm(f"m{number}", labels={"app": "b", "n": f"{number}"}) for number in range(300)]
    begin_run()
    found = compared(side(*of_label("b"), *machines), side(*(() if is_removed else of_label("c")), *machines))
    for number in range(300):
        impact = found[f"s{number}"].impact
        assert impact is not None
        assert f"VirtualMachine m{number}" in impact.reason
    least = spent()
    begin_run()
    twice = [vm(f"n{number}", labels={"app": "b"}) for number in range(300)]
    compared(
        side(*of_label("b"), *machines, *twice),
        side(*(() if is_removed else of_label("c")), *machines, *twice),
    )
    assert spent() - least < 20_000


def test_services_of_one_selector_are_judged_once_and_name_a_few_machines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judged: list[Sequence[str]] = []

    def counted(texts: Sequence[str]) -> str:
        judged.append(texts)
        return listed(texts)

    monkeypatch.setattr(services, "listed", counted)
    machines = [vm(f"m{number}", labels={"app": "b"}) for number in range(50)]
    sides = [
        side(*(other("Service", f"s{n}", spec={"selector": {"app": value}}) for n in range(50)), *machines)
        for value in "bc"
    ]
    [impact] = {each.impact for each in compared(*sides).values()}
    assert impact is not None
    assert [len(texts) for texts in judged] == [50]
    assert impact.reason.count("VirtualMachine") == 20
    assert "and 30 more" in impact.reason


def test_orders_look_for_their_machines_in_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[JsonObject] = []

    def counted(instance: JsonObject) -> Mapping[str, Target]:
        searched.append(instance)
        return targets_of(instance)

    monkeypatch.setattr(orders, "targets_of", counted)
    machines = [
        vm(f"m{number}", [{"name": "v", "persistentVolumeClaim": {"claimName": f"c{number}"}}])
        for number in range(50)
    ]
    transfers = [
        other(
            "ObjectTransfer",
            f"t{number}",
            "cdi.kubevirt.io/v1beta1",
            spec={
                "source": {"kind": "PersistentVolumeClaim", "namespace": "a", "name": f"c{number}"},
                "target": {"namespace": "b"},
            },
        )
        for number in range(50)
    ]
    found = compared(side(*machines), side(*machines, *transfers))
    assert [each.disk for change in found.values() for each in change.data] == ["v"] * 50
    assert len(searched) == 50


def test_renamed_containers_are_paired_by_their_images() -> None:
    def pod(name: str, image: str) -> Resource:
        containers: Json = [{"name": f"{name}{n}", "image": f"{image}{n}:1"} for n in range(4000)]
        return Resource(other("Pod", "p", spec={"containers": containers}), Site("a.yaml"))

    began = process_time()
    assert not [*image_moves([(pod("a", "i"), pod("b", "i"))], Masking())]
    assert len([*image_moves([(pod("a", "i"), pod("b", "j"))], Masking())]) == 8000
    assert process_time() - began < 2


def overlay(path: str) -> Overlay:
    return Overlay(path, path, path, LATEST, ExpandMode.OFF, "", write_instancetypes=False)


def test_objects_of_other_overlays_are_compared_with_the_names_that_an_overlay_lacks() -> None:
    secrets: Json = [{"name": name, "secret": {"secretName": name}} for name in ("s7", "t")]
    overlays = {path: overlay(path) for path in ("secrets", *(f"o{number}" for number in range(100)))}
    one = cast("Side", SimpleNamespace(overlays=overlays))
    readers = ReadersElsewhere(SharedClusters((one, one)))
    begin_run()
    for number in range(100):
        machine = vm(f"m{number}", secrets)
        readers.add(f"o{number}", RenderedSide(side(machine, other("ConfigMap", f"own{number}"))))
    readers.add("secrets", RenderedSide(side()))
    removed = [Resource(other("Secret", f"s{n}"), Site("a.yaml")).current_id for n in range(500)]
    gone = tuple(ResourceChange(ChangeType.REMOVED, each, None) for each in removed)
    differences = [OverlayDifference(f"o{n}", f"o{n}", (LATEST, LATEST)) for n in range(100)]
    before = spent()
    found = readers.added_to([*differences, OverlayDifference("secrets", "", (LATEST, LATEST), gone)])
    assert [change.fields[0].read for each in found[:-1] for change in each.changes] == [removed[7]] * 100
    assert spent() - before < 5000


def volumes_of(names: str, count: int = 100) -> Json:
    return [{"name": f"v{n}", "dataVolume": {"name": f"{names}{n}"}} for n in range(count)]


def with_templates(machine: JsonObject, names: str, count: int = 100) -> JsonObject:
    templates: Json = [{"metadata": {"name": f"{names}{n}"}, "spec": {"storage": {}}} for n in range(count)]
    return {**machine, "spec": {**object_at(machine, "spec"), "dataVolumeTemplates": templates}}


def test_templates_of_disks_are_read_once_for_all_volumes(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Json] = []

    def counted(content: JsonObject, *keys: str) -> JsonObject:
        read.append(None)
        return object_at(content, *keys)

    monkeypatch.setattr(storage_objects, "object_at", counted)
    sides = [side(with_templates(vm("m", volumes_of(names)), names)) for names in "xy"]
    [change] = compared(*sides).values()
    assert len(change.data) >= 100
    assert len(read) < 5000


def test_volumes_that_are_reserved_for_claims_are_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Json] = []

    def counted(content: JsonObject, *keys: str) -> JsonObject:
        read.append(keys)
        return object_at(content, *keys)

    monkeypatch.setattr(storage_objects, "object_at", counted)
    volumes = [
        other("PersistentVolume", f"v{n}", spec={"claimRef": {"namespace": "a", "name": f"c{n}"}})
        for n in range(100)
    ]
    claims = [other("PersistentVolumeClaim", f"c{n}", spec={}) for n in range(100)]
    found = compared(side(*volumes, *claims), side(*volumes))
    assert sum("its PersistentVolume stays" in each.text for c in found.values() for each in c.data) == 100
    assert read.count(("spec", "claimRef")) <= 200


def test_fields_of_an_instance_are_compared_in_a_table() -> None:
    fields = [FieldChange(FieldPath.of("spec", f"k{n}", "a"), "1", "2") for n in range(3000)]
    began = process_time()
    known = ChangedFields(fields)
    for field, expected in (
        (("spec", "k7"), True),
        (("spec", "k7", "a"), True),
        (("spec", "k7", "a", "b"), True),
        (("spec", "k7", "b"), False),
        (("other",), False),
        ((), True),
    ):
        assert known.overlap(FieldChange(FieldPath(field), "1", "2")) is expected
    assert all(known.overlap(each) for each in fields)
    assert process_time() - began < 1


def test_restores_and_revisions_look_for_their_machines_in_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    viewed: list[Resource] = []
    of = VirtualMachineView.of

    def counted(resource: Resource) -> VirtualMachineView | None:
        viewed.append(resource)
        return of(resource)

    machines = [vm(f"m{n}") for n in range(50)]
    target: JsonObject = {"apiGroup": "kubevirt.io", "kind": "VirtualMachine", "name": "zz"}
    restores = [
        other("VirtualMachineRestore", f"r{n}", "snapshot.kubevirt.io/v1beta1", spec={"target": target})
        for n in range(50)
    ]
    revisions = [
        other("ControllerRevision", f"c{n}", "apps/v1", data={"metadata": {"name": "u"}}) for n in range(50)
    ]
    sides = side(*machines, *revisions), side(*machines, *restores)
    monkeypatch.setattr(VirtualMachineView, "of", counted)
    compared(*sides)
    assert len(viewed) < 3000


def test_clusters_of_a_side_are_listed_once_for_all_overlays() -> None:
    head = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n"
    after = f"{head}clusters: [{{name: east}}]\noverlays: [{{path: overlays/*, cluster: east}}]\n"
    folders = {f"overlays/o{number}/kustomization.yaml": b"resources: []\n" for number in range(1500)}
    sides = (
        Side("before", MemoryFileSystem({**folders, "vmrender.yaml": head.encode()})),
        Side("after", MemoryFileSystem({**folders, "vmrender.yaml": after.encode()})),
    )
    began = process_time()
    assert {relocation_of(sides, path) for path in sides[1].overlays} == {
        Relocation("", "east", is_renamed=True)
    }
    assert process_time() - began < 0.05


HEAD = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n"


def sides_of(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Side, Side]:
    both = ({path: text.encode() for path, text in files.items()} for files in (before, after))
    first, second = (Side(name, MemoryFileSystem(files)) for name, files in zip("ab", both, strict=True))
    return first, second


def test_flux_instances_are_compared_once_for_all_overlays(monkeypatch: pytest.MonkeyPatch) -> None:
    def files(revision: str) -> dict[str, str]:
        head = "apiVersion: fluxcd.controlplane.io/v1\nkind: FluxInstance\n"
        instances = "---\n".join(
            f"{head}metadata: {{name: f{number}}}\nspec: {{sync: {{path: k, ref: {revision}}}}}\n"
            for number in range(20)
        )
        deployer = (
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps}\n"
            "spec: {path: ./, sourceRef: {kind: GitRepository, name: x}}\n"
        )
        overlays = {f"o/{number}/kustomization.yaml": "resources: []\n" for number in range(20)}
        project = f"{HEAD}overlays: [{{path: o/*}}]\n"
        return {"vmrender.yaml": project, "k/i.yaml": instances, "k/a.yaml": deployer, **overlays}

    compared: list[Resource | None] = []

    def counted(old: Resource | None, new: Resource | None) -> str:
        compared.append(new)
        return redirection_by_instance(old, new)

    monkeypatch.setattr(redirected_overlays, "redirection_by_instance", counted)
    before, after = sides_of(files("main"), files("next"))
    deployers = DeployerMap(before, after)
    for each in after.overlays.values():
        deployers.add(each)
    redirected = RedirectedOverlays(before, after, deployers, frozenset({"k/i.yaml"}))
    for each in after.overlays.values():
        found = [reason for reason in redirected.reasons(each) if "FluxInstance" in reason]
        assert len(found) == 20
        assert found[2].startswith("FluxInstance f2 has another spec.sync.ref")
    assert len(compared) == 20


def test_owners_of_an_overlay_are_compared_with_those_of_the_same_cluster(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def applications(count: int) -> str:
        return "---\n".join(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\n"
            f"metadata: {{name: a{number}}}\n"
            f"spec: {{destination: {{name: c{number % 40}}}, source: {{repoURL: ., path: rendered,"
            " directory: {recurse: true}}}\n"
            for number in range(count)
        )

    files = {
        "vmrender.yaml": f"{HEAD}overlays: [{{path: o/*}}]\n",
        "o/a/kustomization.yaml": "resources: []\n",
    }
    before, after = sides_of({**files, "k/a.yaml": applications(40)}, {**files, "k/a.yaml": applications(80)})
    read: list[Json] = []

    def counted(value: Json, *keys: str) -> JsonObject:
        read.append(value)
        return object_at(value, *keys)

    monkeypatch.setattr(overlay_owners, "object_at", counted)
    found = [*overlay_owners.joint_owners(before, after, "o/a")]
    assert len(found) == 40
    assert "a41 begins to apply what" in found[1]
    assert len(read) < 500


def test_applications_of_one_folder_are_asked_once_whether_they_recurse(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = "repoURL: https://x.example/r.git, path: ."
    applications = "---\n".join(
        f"apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: a{number}, namespace: a}}\n"
        f"spec: {{source: {{{source}, directory: {{recurse: {number == 0}}}}}}}\n"
        for number in range(20)
    )
    project = f"{HEAD}overlays: [{{path: o/*}}]\n"
    files = {"vmrender.yaml": project, "o/a/kustomization.yaml": "", "k.yaml": applications}
    side, _ = sides_of(files, files)
    asked = Mock(side_effect=_recurses)
    monkeypatch.setattr(deployers, "_recurses", asked)
    for number in range(20):
        assert [each.name for each, _ in side.deployers.applied_beside(f"d/{number}.yaml")] == ["a0"]
    assert asked.call_count == 20
    assert len([*side.deployers.applied_beside("x.yaml")]) == 20


def test_files_that_kustomizations_of_one_folder_share_are_looked_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kustomizations = "---\n".join(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
        f"metadata: {{name: k{number}, namespace: a}}\n"
        "spec: {path: ./d, prune: true, sourceRef: {kind: GitRepository, name: x}}\n"
        for number in range(20)
    )
    shared = {f"d/{number}.yaml": "kind: ConfigMap\n" for number in range(10)}
    project = f"{HEAD}overlays: [{{path: o/*}}]\n"
    files = {"vmrender.yaml": project, "o/a/kustomization.yaml": "", "k/a.yaml": kustomizations, **shared}
    side, _ = sides_of(files, files)
    unlisted, read = UnlistedSide(side), list[str]()

    def counted(fs: FileSystem, path: str) -> bytes | None:
        read.append(path)
        return readable_content(fs, path)

    listed: list[str] = []

    def files_of_folder(*args: Any) -> Iterator[str]:  # noqa: ANN401 - handed on
        listed.append(args[-1])
        return _flux_files(*args)

    monkeypatch.setattr(unlisted_side, "readable_content", counted)
    monkeypatch.setattr(overlay_files, "_flux_files", files_of_folder)
    for each in unlisted.overlays.values():
        assert not unlisted.may_configure(each)
        assert {*shared} <= unlisted.files(each)
    assert (len(unlisted.overlays), len(listed)) == (20, 1)
    assert len(read) == len({*read}) == 11


def test_secrets_of_clusters_are_compared_once_for_each_application(monkeypatch: pytest.MonkeyPatch) -> None:
    application = (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\n"
        "spec: {destination: {name: b}, source: {repoURL: ., path: rendered, directory: {recurse: true}}}\n"
    )
    overlays = {f"o/{number}/kustomization.yaml": "" for number in range(20)}
    files = {"vmrender.yaml": f"{HEAD}overlays: [{{path: o/*}}]\n", "k/a.yaml": application, **overlays}
    before, after = sides_of(files, files)
    read: list[str] = []

    def counted(deployer: Resource) -> Resource:
        read.append(deployer.name)
        return as_application(deployer)

    monkeypatch.setattr(target_secrets, "as_application", counted)
    targets = target_secrets.TargetSecrets(before, after, ["s.yaml"])
    assert not any(targets.reason(each) for each in after.overlays.values())
    assert (len(after.overlays), read) == (20, ["a"])


def test_hosts_and_paths_of_a_route_are_counted() -> None:
    def route(host: str) -> Resource:
        rule: Json = {
            "matches": [{"path": {"value": f"/{number}"}} for number in range(20)],
            "backendRefs": [{"name": "s"}],
        }
        spec: JsonObject = {"hostnames": [f"{host}{number}" for number in range(20)], "rules": [rule]}
        return Resource(other("HTTPRoute", "r", "gateway.networking.k8s.io/v1", spec=spec), Site("a.yaml"))

    begin_run()
    assert len([*lost_ways_of_route(route("a"), route("b"), Routes([route("a")]))]) == 20 * 20
    assert 20**3 < spent() < 20**4


def test_routes_of_one_service_are_compared_with_those_of_their_hosts_and_paths() -> None:
    def route(name: str, host: str) -> Resource:
        spec: JsonObject = {"hostnames": [host], "rules": [{"backendRefs": [{"name": "s"}]}]}
        return Resource(other("HTTPRoute", name, "gateway.networking.k8s.io/v1", spec=spec), Site("a.yaml"))

    before, after = ([route(f"r{at}", f"{host}{at}.example") for at in range(200)] for host in "ab")
    begin_run()
    others = Routes([*after, route("all", "*.example")])
    assert not any(next(lost_ways_of_route(*each, others), None) for each in zip(before, after, strict=True))
    others = Routes(after)
    lost = [found for each in zip(before, after, strict=True) for found in lost_ways_of_route(*each, others)]
    assert [each.place for each in lost] == [f"host a{at}.example" for at in range(200)]
    assert spent() < 200 * 100
