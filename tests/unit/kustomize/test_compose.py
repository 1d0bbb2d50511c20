from __future__ import annotations

from renderer.files.file_system import MemoryFileSystem
from renderer.kustomize.compose import BuildOptions, Composer
from renderer.kustomize.order import Reorder
from renderer.kustomize.reader.find_kustomization import LoadRestrictor
from renderer.kustomize.reader.load import Loader
from renderer.kustomize.reader.plugins import listed_resources
from renderer.model.codes import Code
from renderer.model.kube.location import Site
from tests.composing import built, only_error, outcome, warnings


def obj(kind: str, name: str, api_version: str = "v1", **metadata: str) -> str:
    more = "".join(f", {key}: {value}" for key, value in metadata.items())
    return f"apiVersion: {api_version}\nkind: {kind}\nmetadata: {{name: {name}{more}}}\n"


def names(files: dict[str, str], path: str = ".") -> list[str]:
    return [f"{r.kind} {r.name}" for r in outcome(files, path).value]


def test_order_is_by_kind_then_name() -> None:
    resources = [
        obj("VirtualMachine", "b", "kubevirt.io/v1"),
        obj("VirtualMachine", "a", "kubevirt.io/v1"),
        obj("VirtualMachine", "z", "kubevirt.io/v1", namespace="n"),
        obj("ValidatingWebhookConfiguration", "w", "admissionregistration.k8s.io/v1"),
        obj("Service", "s"),
        obj("Pod", "p"),
        obj("Namespace", "n"),
        obj("ConfigMap", "c"),
        obj("ConfigMap", "x", "example.com/v1"),
    ]
    files = {"kustomization.yaml": "resources: [r]", "r": "---\n".join(resources)}
    assert names(files) == [
        "Namespace n",
        "ConfigMap x",
        "ConfigMap c",
        "Service s",
        "VirtualMachine z",
        "VirtualMachine a",
        "VirtualMachine b",
        "Pod p",
        "ValidatingWebhookConfiguration w",
    ]
    unordered = outcome(files, options=BuildOptions(reorder=Reorder.NONE)).value
    assert [resource.name for resource in unordered] == ["b", "a", "z", "w", "s", "p", "n", "c", "x"]


def test_one_id_twice_is_an_error_that_names_both_places() -> None:
    files = {
        "kustomization.yaml": "resources: [a, b]",
        "a": obj("ConfigMap", "c"),
        "b": "---\n" + obj("ConfigMap", "other") + "---\n" + obj("ConfigMap", "c", namespace="default"),
    }
    error = only_error(files)
    assert error.code is Code.DUPLICATE_ID
    assert error.sites == (Site("b", 1),)
    assert error.related[0].sites == (Site("a"),)


def test_a_file_listed_twice_is_an_error_as_well() -> None:
    files = {"kustomization.yaml": "resources: [a, ./a]", "a": obj("ConfigMap", "c")}
    assert only_error(files).code is Code.DUPLICATE_ID


def test_base_may_be_used_twice_if_its_names_differ() -> None:
    files = {
        "base/kustomization.yaml": "resources: [c]",
        "base/c": obj("ConfigMap", "c"),
        "a/kustomization.yaml": "resources: [../base]\nnamePrefix: a-",
        "kustomization.yaml": "resources: [a, base]",
    }
    assert names(files) == ["ConfigMap a-c", "ConfigMap c"]


def test_component_transforms_all_preceding_resources() -> None:
    files = {
        "kustomization.yaml": "resources: [c]\ncomponents: [k1, k2]\nnameSuffix: -last\n",
        "c": obj("ConfigMap", "c"),
        "k1/kustomization.yaml": "kind: Component\nresources: [d]\nnamePrefix: one-\n",
        "k1/d": obj("ConfigMap", "d"),
        "k2/kustomization.yaml": "kind: Component\nnamePrefix: two-\n",
    }
    assert names(files) == ["ConfigMap two-one-c-last", "ConfigMap two-one-d-last"]


def test_local_objects_are_dropped_after_use() -> None:
    local = "kind: A\nmetadata: {name: %s, annotations: {config.kubernetes.io/local-config: '%s'}}\n"
    files = {
        "kustomization.yaml": "resources: [r]",
        "r": f"{local % ('a', 'true')}---\n{local % ('b', 'false')}",
    }
    assert names(files) == ["A b"]


def test_an_object_that_loses_its_name_is_an_error() -> None:
    files = {
        "kustomization.yaml": "resources: [r]\npatches: [{path: p, target: {}}]",
        "r": obj("ConfigMap", "c"),
        "p": "- {op: remove, path: /metadata/name}",
    }
    assert only_error(files).code is Code.RESOURCE_INVALID


def test_shared_base_is_composed_once() -> None:
    files = {
        "base/kustomization.yaml": b"resources: [c]\nnamePrefix: base-\n",
        "base/c": obj("ConfigMap", "c").encode(),
        "a/kustomization.yaml": b"resources: [../base]",
        "b/kustomization.yaml": b"resources: [../base]",
    }
    loader, composer = Loader(MemoryFileSystem(files)), Composer({})
    first, second = (composer.compose(loader.load(path)).value.resources for path in ("a", "b"))
    assert first[0] is second[0]


def test_last_composition_releases_resources_of_files_listed_once() -> None:
    files = {
        "base/kustomization.yaml": b"resources: [c]\nnamePrefix: base-\n",
        "base/c": obj("ConfigMap", "c").encode(),
        "one/kustomization.yaml": b"resources: [../base]\nnamePrefix: one-\n",
        "two/kustomization.yaml": b"resources: [../base, ../base/c]\n",
    }
    left = {}
    for path in ("one", "two"):
        loader = Loader(MemoryFileSystem(files), LoadRestrictor.NONE)
        kept, last = (Composer({}).compose(loader.load(path), is_last=is_last) for is_last in (False, True))
        assert last == kept
        left[path] = [resource.name for resource in listed_resources(loader.load(path).root)]
    assert left == {"one": [], "two": ["c", "c"]}


def test_a_warning_of_a_base_reaches_every_overlay_that_uses_it() -> None:
    files = {
        "base/kustomization.yaml": "resources: [c]\ncommonLabels: {a: b}",
        "base/c": obj("ConfigMap", "c"),
        "o/kustomization.yaml": "resources: [../base]",
    }
    assert [warning.code for warning in warnings(files, "o")] == [Code.DEPRECATED]


def test_nothing_is_written_for_a_kustomization_without_resources() -> None:
    assert built({"kustomization.yaml": "resources: []"}) == ""
