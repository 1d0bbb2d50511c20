"""The objects made of HyperConverged: any spec, any patch."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from renderer.golang.go_types import GoTypeError
from renderer.kubevirt.hyperconverged.cannot_make import CannotMakeError
from renderer.kubevirt.hyperconverged.object_fields import Setting
from renderer.kubevirt.hyperconverged.objects import MadeObjects, make_objects
from renderer.kubevirt.hyperconverged.release import OperatorFacts, OperatorRelease, operator_types
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, with_value

RELEASES = st.integers(10, 20).map(lambda minor: OperatorRelease(1, minor))
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 300),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["", "a", "1Gi", "90s", "true", "Enabled", "annotation", "highBurst", "Custom"]),
)
NAMES = st.sampled_from(
    [
        "name",
        "spec",
        "metadata",
        "enabled",
        "enable",
        "ca",
        "duration",
        "type",
        "custom",
        "pciHostDevices",
        "cpu",
    ]
)
VALUES: st.SearchStrategy[Json] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=6,
)


@st.composite
def objects(draw: st.DrawFn) -> JsonObject:
    """Return an object in which some settings have any value."""
    version = draw(st.sampled_from(["v1beta1", "v1"]))
    spec: JsonObject = draw(st.dictionaries(NAMES, VALUES, max_size=2))
    for setting in draw(st.lists(st.sampled_from(list(Setting)), max_size=4)):
        path = setting.place(version).segments[1:]
        spec = with_value(spec, [str(segment) for segment in path], draw(VALUES))
    return {"apiVersion": f"hco.kubevirt.io/{version}", "spec": spec}


def made(content: JsonObject, release: OperatorRelease) -> MadeObjects | None:
    try:
        return make_objects(content, release, OperatorFacts())
    except CannotMakeError:
        return None


@given(objects(), RELEASES)
def test_any_spec_is_made_into_objects_or_refused(content: JsonObject, release: OperatorRelease) -> None:
    objects = made(content, release)

    if objects is not None:
        types = operator_types(release)
        assert types.rewritten("kubevirt.KubeVirtSpec", objects.kubevirt.spec) == objects.kubevirt.spec
        assert types.rewritten("cdi.CDISpec", objects.cdi.spec) == objects.cdi.spec
        gates = object_at(objects.kubevirt.spec, "configuration", "developerConfiguration")
        assert not {*array_at(gates, "featureGates")} & {*array_at(gates, "disabledFeatureGates")}


PATHS = st.lists(
    st.sampled_from(
        ["configuration", "developerConfiguration", "featureGates", "migrations", "network", "0", "-"]
    ),
    min_size=1,
    max_size=4,
).map(lambda names: "/spec/" + "/".join(names))
OPERATIONS = st.lists(
    st.fixed_dictionaries(
        {
            "op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test"]),
            "path": PATHS,
            "from": PATHS,
            "value": VALUES,
        }
    ),
    max_size=3,
)


@given(st.one_of(OPERATIONS, VALUES).map(json.dumps) | st.text(max_size=20), RELEASES)
def test_any_patch_is_applied_or_refused(written: str, release: OperatorRelease) -> None:
    content: JsonObject = {
        "metadata": {"annotations": {"kubevirt.kubevirt.io/jsonpatch": written}},
        "spec": {},
    }

    objects = made(content, release)

    if objects is not None:
        spec = objects.kubevirt.spec
        assert operator_types(release).rewritten("kubevirt.KubeVirtSpec", spec) == spec


@given(VALUES, RELEASES)
def test_what_go_writes_is_read_and_written_unchanged(value: Json, release: OperatorRelease) -> None:
    types = operator_types(release)
    for type_ in ("*core.Affinity", "ssp.DataImportCronTemplate", "map[]kubevirt.InterfaceBindingPlugin"):
        try:
            written = types.rewritten(type_, value)
        except GoTypeError:
            continue
        assert types.rewritten(type_, written) == written
