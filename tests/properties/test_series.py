from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from renderer.authoring.sizes.names import DERIVED_LABELS, size_labels
from renderer.authoring.sizes.series import generate
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import Json, JsonObject, object_at, text_at
from renderer.model.kube.location import Site
from renderer.model.quantity import Quantity
from renderer.model.source_tree import Generated

SITE = Site("series.yaml")
RIGHT: JsonObject = {
    "metadata": {"name": "s1"},
    "spec": {
        "scopes": ["Cluster"],
        "namePattern": "{series}.{size}",
        "template": {
            "metadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}},
            "spec": {"cpu": {"model": "host-model"}, "memory": {"overcommitPercent": 50}},
        },
        "hugepages": [{"pageSize": "2Mi", "suffix": "x"}],
        "memoryPerVCPU": "2Gi",
        "maxSocketsPerVCPU": 2,
        "sizes": [{"name": "small", "vcpus": 2, "maxSockets": 4}, {"name": "large", "memory": "8Gi"}],
    },
}
WRONG: st.SearchStrategy[Json] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=4),
    st.sampled_from(
        ["1Gi", "1e-9", "-1", "1e9999999999", "{size}", "{}", [], {}, [[]], [{}], {"cpu": None}, 1 << 70]
    ),
)
NAMES = st.from_regex(r"[a-z][a-z0-9]{0,9}", fullmatch=True)


def contents(made: tuple[Generated, ...]) -> tuple[JsonObject, ...]:
    return tuple(each.content for each in made)


def places(value: Json, *path: str | int) -> Iterator[tuple[str | int, ...]]:
    """The path of every value in the document."""
    yield path
    if isinstance(value, dict):
        for key, child in value.items():
            yield from places(child, *path, key)
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from places(child, *path, index)


def replaced(value: Json, path: tuple[str | int, ...], new: Json) -> Json:
    if not path:
        return new
    head, *rest = path
    if isinstance(value, dict):
        return {key: replaced(old, tuple(rest), new) if key == head else old for key, old in value.items()}
    assert isinstance(value, list)
    return [replaced(old, tuple(rest), new) if index == head else old for index, old in enumerate(value)]


@settings(derandomize=True)
@given(st.sampled_from(list(places(RIGHT))), WRONG)
def test_any_field_value_is_valid_or_an_error(path: tuple[str | int, ...], wrong: Json) -> None:
    content = replaced(RIGHT, path, wrong)
    try:
        made = generate(content, SITE)  # type: ignore[arg-type]  # hostile on purpose
    except DiagnosticError:
        return
    assert made
    for one in contents(made):
        labels = object_at(one, "metadata", "labels")
        derived = {key: value for key, value in labels.items() if key in DERIVED_LABELS}
        size = text_at(labels, "instancetype.kubevirt.io/size")
        assert derived == size_labels(object_at(one, "spec"), size)


@settings(derandomize=True)
@given(st.dictionaries(NAMES, st.integers(1, 512), min_size=1), st.integers(1, 1 << 20))
def test_all_sizes_of_a_ratio_have_it_and_matching_labels(sizes: dict[str, int], ratio: int) -> None:
    content: JsonObject = {
        "metadata": {"name": "s1"},
        "spec": {
            "scopes": ["Namespaced", "Cluster"],
            "memoryPerVCPU": f"{ratio}Mi",
            "sizes": [{"name": name, "vcpus": vcpus} for name, vcpus in sizes.items()],
        },
    }
    made = contents(generate(content, SITE))
    assert len({(one["kind"], text_at(one, "metadata", "name")) for one in made}) == 2 * len(sizes)
    for one in made:
        size = text_at(one, "metadata", "name").removeprefix("s1.")
        spec = object_at(one, "spec")
        assert object_at(spec, "cpu") == {"guest": sizes[size]}
        assert Quantity.parse(text_at(spec, "memory", "guest")).value() == sizes[size] * ratio << 20
        assert object_at(one, "metadata", "labels") == size_labels(spec, size)
