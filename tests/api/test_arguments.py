"""The library refuses wrong arguments, and never answers a different question."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

import renderer

VM: Mapping[str, Any] = {
    "apiVersion": "kubevirt.io/v1",
    "kind": "VirtualMachine",
    "metadata": {"name": "db"},
    "spec": {"runStrategy": "Always", "template": {"spec": {"domain": {"devices": {}}}}},
}
#: The same functions for mypy, as a notebook calls them: with anything.
lib: Any = renderer


def test_missing_path_is_refused(shop: Path) -> None:
    project = renderer.open_project(shop)
    for path in ("nope.yaml", "overlays/prd", "overlays/prod/nope"):
        with pytest.raises(renderer.UsageError, match=f"no file or folder '{path}' in"):
            renderer.validate(project, "overlays/prod", path)
    for path in ("overlays/prod/", "./overlays/prod", ".", "overlays/prod/kustomization.yaml"):
        assert renderer.validate(project, path) == ()


def test_missing_project_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "nope", tmp_path / "does/not/exist", f"{tmp_path}/nul\0", ""):
        with pytest.raises(renderer.UsageError, match="there is no file or folder"):
            renderer.open_project(path)
    assert renderer.open_project(tmp_path).root == tmp_path


def test_all_functions_refuse_an_unknown_overlay_alike(shop: Path) -> None:
    project = renderer.open_project(shop)
    calls: list[Callable[[str], object]] = [
        lambda name: renderer.render(project, name),
        lambda name: renderer.list_fleet(project, name),
        lambda name: renderer.write(project, name),
        lambda name: renderer.compare(project, overlays=[name]),
        lambda name: renderer.explain(project, "vm/db", overlay=name),
    ]
    for call in calls:
        with pytest.raises(renderer.UsageError, match=r"there is no overlay 'prd'; did you mean prod\?"):
            call("prd")


def test_listed_overlay_is_accepted_as_argument(shop: Path) -> None:
    project = renderer.open_project(shop)
    overlay = next(each for each in renderer.list_overlays(project) if each.name == "test")
    assert renderer.render(project, overlay).overlay == overlay
    assert {each.overlay for each in renderer.list_fleet(project, overlay).machines} == {overlay.path}
    assert [tree.source for tree in renderer.write(project, overlay).trees] == [overlay.path]
    assert renderer.explain(project, "vm/db", overlay=overlay).overlay == overlay.path
    assert renderer.compare(project, overlays=[overlay]) == renderer.compare(project, overlays=["test"])


def test_empty_object_is_not_a_deletion() -> None:
    for before, after, catalog, place in (
        ([VM], [{}], [], "after[0]"),
        ([VM, {}], [VM], [], "before[1]"),
        ([VM], [VM], [MappingProxyType({})], "catalog[0]"),
    ):
        with pytest.raises(renderer.DiagnosticError) as raised:
            renderer.compare_objects(before, after, catalog)
        [found] = raised.value.diagnostics
        assert found.code == "resource-invalid"
        assert found.message.startswith(f"{place} is not a Kubernetes object")


def test_objects_may_come_from_generators() -> None:
    compared = renderer.compare_objects(iter([VM]), (each for each in [VM]), iter(()))
    assert not compared.difference
    assert renderer.expand(MappingProxyType(VM), iter(())).manifest


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda _: lib.expand("text"), "expand takes a mapping as manifest, not a str"),
        (lambda _: lib.expand(None), "expand takes a mapping as manifest, not None"),
        (lambda _: lib.expand(42), "expand takes a mapping as manifest, not an int"),
        (lambda _: lib.expand([VM]), "expand takes a mapping as manifest, not a list"),
        (lambda _: lib.expand(VM, VM), "expand takes a list of mappings as catalog, not a dict"),
        (lambda _: lib.expand(VM, ["x"]), r"catalog\[0\] must be a mapping, not a str"),
        (lambda _: lib.expand(VM, kubevirt=1.9), "expand takes a str as kubevirt, not a float"),
        (lambda _: lib.expand(VM, project="."), "expand takes a Project, .* as project, not a str"),
        (lambda _: lib.validate_object([VM]), "validate_object takes a mapping"),
        (lambda _: lib.compare_objects(VM, VM), "compare_objects takes a list of mappings as before"),
        (lambda _: lib.compare_objects([[]], [[]]), r"before\[0\] must be a mapping, not a list"),
        (lambda _: lib.list_fleet("."), "list_fleet takes a Project, as open_project returns, as project"),
        (lambda _: lib.render(".", "prod"), "render takes a Project"),
        (
            lambda project: lib.list_fleet(project, ["prod"]),
            "a name, a path or an Overlay as each of its overlays, not a list",
        ),
        (
            lambda project: lib.compare(project, overlays="dev"),
            "a list of names, paths or Overlays as overlays, not a str",
        ),
        (lambda project: lib.write(project, check="no"), "write takes a bool as check, not a str"),
        (lambda _: lib.open_project(1), "open_project takes a str or a Path as path, not an int"),
        (lambda _: lib.explain_code(1), "explain_code takes a str as code, not an int"),
        (lambda _: lib.expand(), "expand: missing a required argument: 'manifest'"),
    ],
)
def test_wrong_type_is_named(shop: Path, call: Callable[[object], object], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call(renderer.open_project(shop))


def test_invalid_choice_lists_the_valid_ones() -> None:
    with pytest.raises(ValueError, match="no mode 'x'; the modes are applied, defaults, off"):
        renderer.expand(VM, mode="x")
    with pytest.raises(ValueError, match=r"no diagnostic code 'conflct'; did you mean conflict\?"):
        renderer.explain_code("conflct")
    with pytest.raises(ValueError, match="no diagnostic code 'zzzz'; vmrender explain lists them"):
        renderer.explain_code("zzzz")


def test_patch_release_is_accepted() -> None:
    sized = {**VM, "spec": {**VM["spec"], "instancetype": {"name": "u1.small"}}}

    def resources(kubevirt: str) -> object:
        manifest: Any = renderer.expand(sized, kubevirt=kubevirt, mode="defaults").manifest
        return manifest["spec"]["template"]["spec"]["domain"].get("resources")

    assert resources("1.6.3") == {"requests": {"memory": "2Gi"}}
    assert [resources(release) for release in ("1.6.4", "1.6", "1.6.99")] == [None] * 3
    with pytest.raises(ValueError, match=r"KubeVirt 1.12.3 is not supported; 1.0 to 1.9 are"):
        renderer.expand(sized, kubevirt="1.12.3")


def test_release_of_a_product_has_the_gates_of_its_operator() -> None:
    machine = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "db", "namespace": "shop"},
        "spec": {
            "runStrategy": "Always",
            "template": {
                "spec": {
                    "domain": {
                        "memory": {"guest": "2Gi"},
                        "devices": {"hostDevices": [{"name": "nic", "deviceName": "vendor.example/nic"}]},
                    }
                }
            },
        },
    }

    codes = [
        [each.code for each in renderer.validate_object(machine, kubevirt=release)]
        for release in ("1.7.4", "hco-1.17")
    ]

    assert codes == [["admission"], []]
