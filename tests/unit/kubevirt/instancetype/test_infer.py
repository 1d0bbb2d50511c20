from __future__ import annotations

import pytest

from renderer.kubevirt.facts.kinds import INSTANCETYPE, PREFERENCE, MatcherType
from renderer.kubevirt.instancetype.infer import InferenceError, infer_matcher
from renderer.kubevirt.instancetype.matcher import Matcher
from renderer.model.kube.json import Json, JsonObject
from tests.kubevirt_objects import behaviour, labelled, scope

LABELS: JsonObject = {
    "instancetype.kubevirt.io/default-instancetype": "u1.small",
    "instancetype.kubevirt.io/default-instancetype-kind": "VirtualMachineInstancetype",
    "instancetype.kubevirt.io/default-preference": "fedora",
}
OF_CLAIM: JsonObject = {"pvc": {"name": "claim", "namespace": "prod"}}
OF_SNAPSHOT: JsonObject = {"snapshot": {"name": "snap", "namespace": "prod"}}
OF_DATA_SOURCE: JsonObject = {"sourceRef": {"kind": "DataSource", "name": "source"}}
CLAIM_VOLUME: JsonObject = {"name": "root", "persistentVolumeClaim": {"claimName": "claim"}}
DATA_VOLUME: JsonObject = {"name": "root", "dataVolume": {"name": "data"}}

CLAIM = labelled("PersistentVolumeClaim", "claim", labels=LABELS)
SNAPSHOT = labelled("VolumeSnapshot", "snap", labels=LABELS)
DATA_SOURCE = labelled("DataSource", "source", labels=LABELS)
SOURCE_OF_CLAIM = labelled("DataSource", "source", {"source": OF_CLAIM})
SOURCE_OF_SNAPSHOT = labelled("DataSource", "source", {"source": OF_SNAPSHOT})


def spec_with(volume: JsonObject, template: Json = None) -> JsonObject:
    templates = [] if template is None else [{"metadata": {"name": "data"}, "spec": template}]
    return {"template": {"spec": {"volumes": [volume]}}, "dataVolumeTemplates": templates}


def inferred(
    vm_spec: JsonObject,
    *objects: JsonObject,
    policy: str | None = None,
    matcher_type: MatcherType = INSTANCETYPE,
    release: str | None = None,
) -> Matcher | None:
    matcher = Matcher(infer_from_volume="root", failure_policy=policy)
    return infer_matcher(matcher, matcher_type, vm_spec, scope(*objects), behaviour(release))


CHAINS = [
    (spec_with(CLAIM_VOLUME), (CLAIM,)),
    (spec_with(DATA_VOLUME), (labelled("DataVolume", "data", labels=LABELS),)),
    (spec_with(DATA_VOLUME), (labelled("DataVolume", "data", {"source": OF_CLAIM}), CLAIM)),
    (spec_with(DATA_VOLUME), (labelled("DataVolume", "data", {"source": OF_SNAPSHOT}), SNAPSHOT)),
    (spec_with(DATA_VOLUME), (labelled("DataVolume", "data", OF_DATA_SOURCE), DATA_SOURCE)),
    (spec_with(DATA_VOLUME), (labelled("DataVolume", "data", OF_DATA_SOURCE), SOURCE_OF_CLAIM, CLAIM)),
    (spec_with(DATA_VOLUME), (labelled("DataVolume", "data", OF_DATA_SOURCE), SOURCE_OF_SNAPSHOT, SNAPSHOT)),
    (spec_with(DATA_VOLUME, {"source": OF_CLAIM}), (CLAIM,)),
    (spec_with(DATA_VOLUME, {"source": OF_SNAPSHOT}), (SNAPSHOT,)),
    (spec_with(DATA_VOLUME, OF_DATA_SOURCE), (DATA_SOURCE,)),
    (spec_with(DATA_VOLUME, OF_DATA_SOURCE), (SOURCE_OF_CLAIM, CLAIM)),
    (spec_with(DATA_VOLUME, OF_DATA_SOURCE), (SOURCE_OF_SNAPSHOT, SNAPSHOT)),
    # The claim of a garbage-collected DataVolume has its name.
    (spec_with(DATA_VOLUME), (labelled("PersistentVolumeClaim", "data", labels=LABELS),)),
]


@pytest.mark.parametrize(("vm_spec", "objects"), CHAINS)
def test_labels_are_found_through_every_chain(vm_spec: JsonObject, objects: tuple[JsonObject, ...]) -> None:
    assert inferred(vm_spec, *objects) == Matcher("u1.small", "VirtualMachineInstancetype")
    assert inferred(vm_spec, *objects, matcher_type=PREFERENCE) == Matcher("fedora")


def test_label_nearest_to_the_volume_wins() -> None:
    nearer = {"instancetype.kubevirt.io/default-instancetype": "nearer"}
    data_volume = labelled("DataVolume", "data", {"source": OF_CLAIM}, nearer)

    assert inferred(spec_with(DATA_VOLUME), data_volume, CLAIM) == Matcher("nearer")


def test_labels_of_a_data_volume_template_are_ignored() -> None:
    vm_spec = spec_with(DATA_VOLUME, {"source": {"blank": {}}})

    with pytest.raises(InferenceError) as error:
        inferred(vm_spec, labelled("DataVolume", "data", labels=LABELS))

    assert error.value.ignorable


def test_source_without_namespace_is_not_searched_in_the_vms_namespace() -> None:
    with pytest.raises(InferenceError) as error:
        inferred(spec_with(DATA_VOLUME, {"source": {"pvc": {"name": "claim"}}}), CLAIM)

    assert not error.value.ignorable


def test_a_source_in_another_namespace_is_found_there() -> None:
    elsewhere = labelled("PersistentVolumeClaim", "claim", labels=LABELS, namespace="images")
    vm_spec = spec_with(DATA_VOLUME, {"source": {"pvc": {"name": "claim", "namespace": "images"}}})

    assert inferred(vm_spec, elsewhere) is not None


IGNORABLE = [
    (spec_with(CLAIM_VOLUME), (labelled("PersistentVolumeClaim", "claim"),)),
    (spec_with({"name": "root", "containerDisk": {"image": "x"}}), ()),
    (spec_with(DATA_VOLUME, {"source": {"http": {"url": "x"}}}), ()),
    (spec_with(DATA_VOLUME, {"sourceRef": {"kind": "datasource", "name": "source"}}), (DATA_SOURCE,)),
    (spec_with(DATA_VOLUME, OF_DATA_SOURCE), (labelled("DataSource", "source", {"source": {}}),)),
]
FATAL = [
    (spec_with({"name": "other", "persistentVolumeClaim": {"claimName": "claim"}}), (CLAIM,)),
    (spec_with(CLAIM_VOLUME), ()),
    (spec_with(DATA_VOLUME), ()),
    (spec_with(DATA_VOLUME, OF_DATA_SOURCE), ()),
    (spec_with(DATA_VOLUME, OF_DATA_SOURCE), (SOURCE_OF_CLAIM,)),
]


@pytest.mark.parametrize(("vm_spec", "objects"), IGNORABLE)
def test_missing_labels_and_unsupported_sources_can_be_ignored(
    vm_spec: JsonObject, objects: tuple[JsonObject, ...]
) -> None:
    assert inferred(vm_spec, *objects, policy="Ignore") is None
    with pytest.raises(InferenceError):
        inferred(vm_spec, *objects, policy="Reject")
    with pytest.raises(InferenceError):
        inferred(vm_spec, *objects)


@pytest.mark.parametrize(("vm_spec", "objects"), FATAL)
def test_missing_objects_cannot_be_ignored(vm_spec: JsonObject, objects: tuple[JsonObject, ...]) -> None:
    with pytest.raises(InferenceError):
        inferred(vm_spec, *objects, policy="Ignore")


@pytest.mark.parametrize(
    "vm_spec", [spec_with(DATA_VOLUME, {"source": OF_SNAPSHOT}), spec_with(DATA_VOLUME, OF_DATA_SOURCE)]
)
def test_snapshots_are_followed_since_1_9(vm_spec: JsonObject) -> None:
    assert inferred(vm_spec, SOURCE_OF_SNAPSHOT, SNAPSHOT, release="1.9") is not None
    assert inferred(vm_spec, SOURCE_OF_SNAPSHOT, SNAPSHOT, policy="Ignore", release="1.8") is None


def test_unlabelled_object_is_located() -> None:
    with pytest.raises(InferenceError) as error:
        inferred(spec_with(CLAIM_VOLUME), labelled("PersistentVolumeClaim", "claim"))

    (cause,) = error.value.causes
    assert cause.field == "spec.instancetype.inferFromVolume"
    assert "PersistentVolumeClaim prod/claim" in cause.message
    assert [site.path for related in cause.related for site in related.sites] == ["catalog.yaml"]
