from __future__ import annotations

from collections.abc import Iterator, Mapping

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from renderer.kubevirt.instancetype.api.instancetype import INSTANCETYPE_SPEC
from renderer.kubevirt.instancetype.api.types import Decoding
from renderer.model.kube.json import Json, JsonObject, object_at, text_at
from tests.kubevirt_objects import instancetype, labelled, namespaced, resources, vm
from tests.unit.instancetype_names.naming import HASH, PLAIN, hashed, outcome, renamed, undone

NAME_LABEL = "instancetype.kubevirt.io/default-instancetype"
KIND_LABEL = f"{NAME_LABEL}-kind"
KINDS = ("", "VirtualMachineClusterInstancetype", "virtualmachineinstancetypes")

TEXTS = st.dictionaries(st.sampled_from("abc"), st.sampled_from("xyz"), max_size=2)
SPECS: st.SearchStrategy[JsonObject] = st.fixed_dictionaries(
    {"cpu": st.fixed_dictionaries({"guest": st.integers(1, 8)}, optional={"maxSockets": st.integers(1, 8)})}
    | {"memory": st.fixed_dictionaries({"guest": st.sampled_from(["1Gi", "1024Mi", "2Gi", 2 << 30])})},
    optional={
        "annotations": TEXTS,
        "nodeSelector": TEXTS,
        "ioThreadsPolicy": st.sampled_from(["auto", "shared"]),
        "gpus": st.lists(st.fixed_dictionaries({"name": st.sampled_from("ab"), "deviceName": st.just("d")})),
    },
)
NAMES = st.sampled_from(["a", "b", "a-b", "u1.medium"])


@st.composite
def objects(draw: st.DrawFn) -> list[JsonObject]:
    """Instance types in both scopes, no two of one name."""
    made: dict[tuple[str, str], JsonObject] = {}
    for name, namespace, spec in draw(
        st.lists(st.tuples(NAMES, st.sampled_from(["", "prod", "dev"]), SPECS), max_size=5)
    ):
        content: JsonObject = {**instancetype(name), "spec": spec}
        made[name, namespace] = namespaced(content, namespace) if namespace else content
    return list(made.values())


@st.composite
def referrers(draw: st.DrawFn) -> list[JsonObject]:
    pairs = draw(st.lists(st.tuples(NAMES, st.sampled_from(KINDS)), max_size=4))
    machines = [
        vm(f"vm{n}", instancetype={"name": name, "kind": kind}) for n, (name, kind) in enumerate(pairs)
    ]
    cluster = [
        labelled("DataSource", f"image{n}", labels={NAME_LABEL: name, KIND_LABEL: KINDS[1]})
        for n, (name, _) in enumerate(pairs)
    ]
    return [*machines, *cluster]


def shuffled(value: Json, data: st.DataObject) -> Json:
    """The same, with the keys of its mappings in another order."""
    if isinstance(value, dict):
        return {key: shuffled(value[key], data) for key in data.draw(st.permutations(sorted(value)))}
    return value


def references(content: JsonObject) -> Iterator[str]:
    yield text_at(content, "spec", "instancetype", "name")
    yield text_at(content, "metadata", "labels", NAME_LABEL)


def identity(content: JsonObject) -> tuple[Json, str, str]:
    return content["kind"], text_at(content, "metadata", "namespace"), text_at(content, "metadata", "name")


@settings(derandomize=True)
@given(SPECS, TEXTS, TEXTS, st.data())
def test_one_spec_has_one_name(
    spec: JsonObject, labels: Mapping[str, str], annotations: Mapping[str, str], data: st.DataObject
) -> None:
    one: JsonObject = {**instancetype(), "spec": spec}
    metadata: JsonObject = {"annotations": annotations, "labels": labels, "name": "medium"}
    assert hashed(one) == hashed({**one, "spec": shuffled(spec, data), "metadata": metadata})


@settings(derandomize=True)
@given(SPECS, SPECS)
def test_specs_equal_to_kubevirt_have_one_name(one: JsonObject, other: JsonObject) -> None:
    same = normal(one) == normal(other)
    assert (hashed({**instancetype(), "spec": one}) == hashed({**instancetype(), "spec": other})) == same


def normal(spec: JsonObject) -> Json:
    return INSTANCETYPE_SPEC.normal(INSTANCETYPE_SPEC.decode(spec, Decoding()))


@settings(derandomize=True)
@given(objects(), objects(), referrers())
def test_named_spec_is_the_written_one(
    own: list[JsonObject], plain: list[JsonObject], using: list[JsonObject]
) -> None:
    """A reference that named an object before names the same one after, and any other stays as it was."""
    catalogs = ((PLAIN, resources(*plain, file="catalog.yaml")),)
    after = renamed(*own, *using, catalogs=catalogs)
    new_of = {identity(old): new for old, new in zip(own, after, strict=False)}
    written = {identity(new) for new in after}
    for old, new in zip(using, after[len(own) :], strict=True):
        kind = text_at(old, "spec", "instancetype", "kind")
        scope = ("VirtualMachineInstancetype", "prod") if kind == KINDS[2] else (KINDS[1], "")
        for before, now in zip(references(old), references(new), strict=True):
            mine = new_of.get((*scope, before))
            assert now == (before if mine is None else text_at(mine, "metadata", "name"))
            assert mine is None or (*scope, now) in written


@settings(derandomize=True)
@given(objects(), referrers())
def test_second_run_is_equal_and_undoing_restores_the_source(
    own: list[JsonObject], using: list[JsonObject]
) -> None:
    after = renamed(*own, *using)
    assert renamed(*own, *using) == after
    assert undone(*own, *after[len(own) :]) == [*own, *using]


@settings(derandomize=True)
@given(objects(), objects(), referrers())
def test_references_to_unrelated_names_are_unchanged(
    own: list[JsonObject], catalog: list[JsonObject], using: list[JsonObject]
) -> None:
    catalogs = ((HASH, resources(*catalog)),)
    foreign = {text_at(content, "metadata", "name") for content in (*own, *catalog)}
    assume(all(name not in foreign for content in using for name in references(content)))
    result = outcome(*using, catalogs=catalogs)
    assert [each.content for each in result.value] == using
    assert all(object_at(new.content) is old for new, old in zip(result.value, using, strict=True))
