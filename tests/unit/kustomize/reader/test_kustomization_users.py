from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renderer.files.file_system import MemoryFileSystem
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph
from renderer.kustomize.reader.kustomization_users import KustomizationUsers
from renderer.model.run.work import begin_run, spent


def graph(used: Mapping[str, Iterable[str]]) -> KustomizationGraph:
    lists = {folder: ", ".join(f"../{each}" for each in below) for folder, below in used.items()}
    files = {f"{folder}/kustomization.yaml": f"resources: [{lists[folder]}]\n" for folder in used}
    return KustomizationGraph(MemoryFileSystem({path: text.encode() for path, text in files.items()}))


NAMES = "abcdefg"
GRAPHS = st.dictionaries(st.sampled_from(NAMES), st.lists(st.sampled_from(NAMES), unique=True, max_size=3))


@given(GRAPHS, st.lists(st.sampled_from(NAMES), unique=True))
def test_users_are_the_roots_that_reach_a_folder(used: Mapping[str, list[str]], roots: list[str]) -> None:
    of_all = graph(used)
    users = KustomizationUsers(of_all, roots)
    outermost = [
        root
        for root in roots
        if root in used and [*filter(lambda each: root in of_all.folders(each), roots)] == [root]
    ]
    assert users.outermost().roots == tuple(outermost)
    for folder in NAMES:
        reaching = [root for root in roots if folder in of_all.folders(root)]
        assert [*users.of([folder])] == reaching
        assert users.uses(folder) == bool(reaching)
        assert [*users.outermost().of([folder])] == [root for root in outermost if root in reaching]
        by_others = any(root not in of_all.folders(folder) for root in reaching)
        assert (folder in users.used_by_others) == by_others


def test_users_of_several_folders_come_once() -> None:
    users = KustomizationUsers(graph({"a": "x", "b": "xy", "c": "y", "x": "", "y": ""}), "abc")
    assert [*users.of("xy")] == ["a", "b", "c"]
    assert [*users.of("yx")] == ["b", "c", "a"]


@pytest.mark.parametrize("length", [500, 1000])
def test_a_long_chain_takes_steps_in_proportion_to_it(length: int) -> None:
    chain = {str(number): [str(number + 1)] for number in range(length)}
    begin_run()
    users = KustomizationUsers(graph(chain), chain)
    assert users.outermost().roots == ("0",)
    assert [*users.outermost().of(chain)] == ["0"]
    assert spent() < 5 * length
