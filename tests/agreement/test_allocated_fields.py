"""Fields that an import omits are the cluster's in ``diff --live``: after an import nothing has drifted."""

from __future__ import annotations

from renderer.adopt.dump.user_objects import clean
from renderer.adopt.live.drift import Drift
from renderer.kubevirt.facts.allocated_fields import (
    ALLOCATED_FIELDS,
    ANY,
    TRACKING_MARKS,
    AllocatedField,
    is_chosen_by_cluster,
    is_tracking,
)
from renderer.kubevirt.facts.controller_marks import (
    CONTROLLER_FINALIZERS,
    CONTROLLER_MARKS,
    ControllerMark,
    contested_fields,
)
from renderer.kubevirt.facts.kinds import VM
from renderer.kubevirt.facts.server_fields import SERVER_FIELDS
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject, object_at, with_value
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource

_ROWS = (*ALLOCATED_FIELDS, *TRACKING_MARKS)


_BOUND = ("metadata", "annotations", "pv.kubernetes.io/bound-by-controller")


def base(kind: str, api_version: str = "") -> JsonObject:
    usual = "kubevirt.io/v1" if kind == VM else "v1"
    return {"apiVersion": api_version or usual, "kind": kind, "metadata": {"name": "a"}}


def with_field(content: JsonObject, path: tuple[str, ...]) -> JsonObject:
    """Return the object with a value at a path, in an element of a list where the path has ``ANY``."""
    if ANY not in path:
        return with_value(content, path, "chosen")
    at = path.index(ANY)
    element: Json = with_value({"name": "b"}, path[at + 1 :], "chosen")
    return with_value(content, path[:at], [element])


def drifted(live: JsonObject, written: JsonObject) -> tuple[str, ...]:
    found = Drift(Resource(live, Site("")), Resource(written, Site("")), written, merges=False)
    return tuple(str(change.field) for change in found.fields)


def live_objects() -> list[tuple[AllocatedField, JsonObject]]:
    objects = [(row, base(row.kind or "ConfigMap", row.group and f"{row.group}/v1beta1")) for row in _ROWS]
    return [(row, with_field(with_value(content, _BOUND, "yes"), row.path)) for row, content in objects]


def test_import_removes_the_allocated_field() -> None:
    for row, live in live_objects():
        removed = [str(field) for field in clean(live).removed]
        named = ".".join(row.path) in [each.replace('["', ".").replace('"]', "") for each in removed]
        assert named is not row.is_kept, row


def test_imported_object_has_no_drift() -> None:
    for row, live in live_objects():
        assert drifted(live, clean(live).content) == (), row
    for path, _ in SERVER_FIELDS:
        live = with_value(base("ConfigMap"), (*path[:-1], path[-1].replace("*", "some")), "by the cluster")
        assert drifted(live, clean(live).content) == (), path


def test_field_chosen_by_the_cluster_is_not_drift() -> None:
    for row, live in live_objects():
        if ANY not in row.path:
            assert drifted(live, base(row.kind or "ConfigMap")) == (), row


def test_another_field_of_the_same_kind_is_drift() -> None:
    for row, _ in live_objects():
        written = base(row.kind or "ConfigMap", row.group and f"{row.group}/v1beta1")
        live = with_value(written, ("spec", "byHand"), "x")
        assert drifted(live, clean(live).content) == ()
        assert drifted(live, written) == ("spec",), row


def test_a_kind_of_the_same_name_in_another_group_keeps_its_fields() -> None:
    for row in ALLOCATED_FIELDS:
        for api_version in ("example.com/v1", "serving.knative.dev/v1", "pool.kubevirt.io/v1"):
            if row.kind:
                foreign = with_field(with_value(base(row.kind, api_version), _BOUND, "yes"), row.path)
                assert FieldPath(row.path) not in clean(foreign).removed, row
                assert not is_chosen_by_cluster(Resource(foreign, Site("")).gvk, FieldPath(row.path)), row


def test_field_of_all_kinds_is_not_drift_in_any_group() -> None:
    for api_version in ("v1", "apps/v1", "example.com/v1", "cdi.kubevirt.io/v1beta1"):
        for row in ALLOCATED_FIELDS:
            if not row.kind:
                live = with_value(base("Thing", api_version), row.path, "{}")
                assert drifted(live, base("Thing", api_version)) == (), row
                assert is_chosen_by_cluster(Resource(live, Site("")).gvk, FieldPath(row.path)), row


def marked_objects() -> list[tuple[ControllerMark, JsonObject]]:
    """An object with each mark of another controller, as that controller writes it."""
    uid = "5d307ca9-b3ef-428c-8861-06e72d69f223"
    objects = []
    for row in CONTROLLER_MARKS:
        group, kind = row.kinds[0] if row.kinds else ("", "ConfigMap")
        content = base(kind, f"{group}/v1beta1" if group and kind != VM else "")
        if not row.is_written(content):
            content = with_value(content, ("metadata", "annotations"), {"migration": uid, "plan": uid})
        key = row.path[-1].replace("*", "some")
        value = "Helm" if key == "app.kubernetes.io/managed-by" else uid
        objects.append((row, with_value(content, (*row.path[:-1], key), value)))
    return objects


def test_marks_of_other_controllers_are_left_out_and_no_drift() -> None:
    for row, live in marked_objects():
        assert object_at(clean(live).content, "metadata") == {"name": "a"}, row
        assert drifted(live, clean(live).content) == (), row


def test_marks_that_git_has_are_contested() -> None:
    for row, live in marked_objects():
        key = row.path[-1].replace("*", "some")
        assert f'.metadata.{row.path[1]}["{key}"]' in contested_fields(live), row


def test_finalizers_of_other_controllers_are_no_drift() -> None:
    for name in (*CONTROLLER_FINALIZERS, "example.org/of-a-controller"):
        live = with_value(base(VM), ("metadata", "finalizers"), [name.replace("*", "some")])
        assert drifted(live, base(VM)) == (), name
        assert ".metadata.finalizers" in contested_fields(live)


def test_allocated_and_server_fields_are_disjoint() -> None:
    assert [row for row in _ROWS if ANY in row.path and not row.is_kept] == []


def test_tracking_labels_and_annotations_are_kept_apart() -> None:
    other = {"labels": "annotations", "annotations": "labels"}
    for row in TRACKING_MARKS:
        _, section, key = row.path
        assert is_tracking(FieldPath(row.path))
        assert not is_tracking(FieldPath.of("metadata", other[section], key)), row
