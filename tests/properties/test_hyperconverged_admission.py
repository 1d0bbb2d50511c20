"""The admission of HyperConverged objects: any spec is admitted or refused; what is stored is admitted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from renderer.kubevirt.admission.hyperconverged_object import check_hyperconverged, warnings_of_hyperconverged
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.hyperconverged.admission import admit
from renderer.kubevirt.hyperconverged.conversion import as_stored, converted
from renderer.kubevirt.hyperconverged.object_fields import Setting
from renderer.kubevirt.hyperconverged.release import OperatorFacts, OperatorRelease
from renderer.model.kube.json import Json, JsonObject, with_value, without

RELEASES = st.integers(10, 20).map(lambda minor: OperatorRelease(1, minor))
SCALARS = st.sampled_from(
    [None, True, False, 0, -1, 10, 1.5, 10**30, "", "a", "1Gi", "90s", "2d", "${X}", "Custom", "highBurst"]
)
NAMES = st.sampled_from(
    [
        "name",
        "spec",
        "metadata",
        "annotations",
        "ca",
        "duration",
        "type",
        "custom",
        "enabled",
        "nodePlacement",
    ]
)
VALUES: st.SearchStrategy[Json] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=6,
)
GATES = st.lists(
    st.fixed_dictionaries(
        {"name": st.sampled_from(["alignCPUs", "AlignCPUs", "persistentReservation", "nonRoot", "template"])},
        optional={"state": st.sampled_from(["Enabled", "Disabled", "enabled"])},
    ),
    max_size=3,
)


@st.composite
def objects(draw: st.DrawFn) -> JsonObject:
    """Return an object in which some settings have any value."""
    version = draw(st.sampled_from(["v1beta1", "v1"]))
    spec: JsonObject = {"featureGates": draw(st.one_of(GATES, VALUES))}
    for setting in draw(
        st.lists(st.sampled_from([each for each in Setting if each and each.v1]), max_size=3)
    ):
        spec = with_value(spec, setting.place(version).keys[1:], draw(VALUES))
    return {
        "apiVersion": f"hco.kubevirt.io/{version}",
        "kind": "HyperConverged",
        "metadata": {"name": "kubevirt-hyperconverged"},
        "spec": draw(st.one_of(st.just(spec), VALUES)),
    }


@given(objects(), RELEASES)
def test_what_is_stored_is_admitted_as_it_is(content: JsonObject, release: OperatorRelease) -> None:
    if not release.serves_v1 and content["apiVersion"] == "hco.kubevirt.io/v1":
        return
    admission = admit(content, release, OperatorFacts())
    if admission.refusal is not None:
        return
    again = admit(admission.content, release, OperatorFacts())
    assert again.refusal is None
    assert again.content == admission.content
    assert again.pruned == ()


@given(objects(), st.integers(18, 20).map(lambda minor: OperatorRelease(1, minor)))
def test_stored_object_survives_being_read_in_the_other_version(
    content: JsonObject, release: OperatorRelease
) -> None:
    admission = admit(content, release, OperatorFacts())
    if admission.refusal is not None or not release.stores_v1:
        return
    stored = as_stored(admission.content, release)
    back = converted(converted(stored, "v1beta1", release), "v1", release)
    again = converted(converted(back, "v1beta1", release), "v1", release)
    assert without(again, "metadata") == without(back, "metadata")


@given(objects(), st.integers(0, 9).map(lambda minor: OperatorRelease(1, 10 + minor)))
def test_any_object_has_findings_or_none(content: JsonObject, release: OperatorRelease) -> None:
    cluster = Cluster(release.kubevirt)
    for cause in (*check_hyperconverged(content, cluster), *warnings_of_hyperconverged(content, cluster)):
        assert cause.message
        assert cause.hint
