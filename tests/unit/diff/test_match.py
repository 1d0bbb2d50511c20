from __future__ import annotations

from renderer.diff.match import Matched, match
from renderer.model.kube.json import Json
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource


def resource(
    name: str, *, namespace: str = "", kind: str = "ConfigMap", version: str = "v1", **fields: Json
) -> Resource:
    place: dict[str, Json] = {"namespace": namespace} if namespace else {}
    content = {"apiVersion": version, "kind": kind, "metadata": {"name": name, **place}, **fields}
    return Resource(content, Site("a.yaml"))


def names(matched: Matched) -> dict[str, list[str]]:
    def text(each: Resource) -> str:
        return str(each.current_id).partition(" ")[2]

    return {
        "same": [text(after) for _, after in matched.same],
        "renamed": [f"{text(before)}>{text(after)}" for before, after in matched.renamed],
        "added": [text(each) for each in matched.added],
        "removed": [text(each) for each in matched.removed],
    }


def matched(before: list[Resource], after: list[Resource]) -> dict[str, list[str]]:
    return {key: value for key, value in names(match(before, after)).items() if value}


def test_resources_match_by_name_in_any_api_version() -> None:
    old = resource("a", kind="VirtualMachinePool", version="pool.kubevirt.io/v1alpha1", x=1)
    new = resource("a", kind="VirtualMachinePool", version="pool.kubevirt.io/v1beta1", x=2)
    assert matched([old], [new]) == {"same": ["a"]}
    other = resource("a", kind="VirtualMachinePool", version="example.org/v1")
    assert matched([old], [other]) == {"added": ["a"], "removed": ["a"]}


def test_similar_resource_under_another_name_is_renamed() -> None:
    assert matched([resource("a", x=1)], [resource("b", x=1)]) == {"renamed": ["a>b"]}
    assert matched([resource("a", x=1)], [resource("b", x=2)]) == {"added": ["b"], "removed": ["a"]}
    two = [resource("a", x=1), resource("b", x=1)]
    assert matched(two, [resource("b", x=1), resource("c", x=1)]) == {"same": ["b"], "renamed": ["a>c"]}


def test_name_hashes_are_ignored() -> None:
    before = [resource("settings-2222222222", data=1), resource("u1.a-0123456789", data=1)]
    after = [resource("settings-bbbbbbbbbb", data=2), resource("u1.a-abcdef0123", data=2)]
    assert matched(before, after) == {
        "renamed": ["settings-2222222222>settings-bbbbbbbbbb", "u1.a-0123456789>u1.a-abcdef0123"]
    }


def test_resources_match_across_namespaces() -> None:
    before, after = resource("a", namespace="x", data=1), resource("a", namespace="y", data=2)
    assert matched([before], [after]) == {"renamed": ["x/a>y/a"]}
