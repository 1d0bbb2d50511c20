from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renderer.kustomize.reader.kustomization_graph import folders_above
from renderer.model.run.limits import lowered
from renderer.model.run.work import WorkLimitError, begin_run, spent
from renderer.project.excluded_paths import ExcludedPaths

PARTS = st.sampled_from(["a", "b", "ab", "a*", "*b", "?", "[!a]", "[a", "**", ""])
PATHS = st.lists(st.sampled_from(["a", "b", "ab", "[a", "c.yaml"]), min_size=1, max_size=4).map("/".join)


def matches(pattern: Sequence[str], names: Sequence[str]) -> bool:
    """Return True if the pattern matches the path of the names, or of the first ones."""
    if not pattern:
        return True
    if pattern[0] == "**":
        return any(matches(pattern[1:], names[skipped:]) for skipped in range(len(names) + 1))
    return bool(names) and fnmatchcase(names[0], pattern[0]) and matches(pattern[1:], names[1:])


@given(st.lists(st.lists(PARTS, min_size=1, max_size=4)), st.lists(PATHS))
def test_path_is_excluded_if_a_pattern_matches_it_or_a_folder_above(
    patterns: list[list[str]], paths: list[str]
) -> None:
    excluded = ExcludedPaths("/".join(pattern) for pattern in patterns)
    for path in (*paths, "."):
        names = [] if path == "." else path.split("/")
        assert excluded.has(path) is any(matches(pattern, names) for pattern in patterns), path


def test_patterns_of_other_folders_cost_nothing() -> None:
    excluded = ExcludedPaths(f"x{number}/*a*b{number}" for number in range(1000))
    begin_run()
    assert not any(excluded.has(f"o/{number}/x.yaml") for number in range(1000))
    assert spent() == 0


def test_deep_paths_are_followed() -> None:
    assert ExcludedPaths(["**/x"]).has("a/" * 5000 + "x")
    assert not ExcludedPaths(["**/x"]).has("a/" * 5000 + "y")


def test_patterns_of_any_folder_count_as_work() -> None:
    excluded = ExcludedPaths(f"**/*a*b{number}" for number in range(1000))
    begin_run()
    with lowered({"work": 100_000}), pytest.raises(WorkLimitError) as raised:
        [*map(excluded.has, (f"o/{number}/x.yaml" for number in range(1000)))]
    assert raised.value.activity == "looking for excluded paths"


@pytest.mark.parametrize("path", ["/etc", "/etc/passwd", "//etc", "/"])
def test_path_from_the_root_of_the_disk_ends_at_the_top(path: str) -> None:
    assert not ExcludedPaths(["a"]).has(path)
    assert [*folders_above(path)][-1] == "."
