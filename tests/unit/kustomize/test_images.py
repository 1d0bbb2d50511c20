from __future__ import annotations

import pytest

from renderer.kustomize.compose import BuildOptions
from renderer.kustomize.transformers.image_name import ImageName
from renderer.model.diagnostic import Diagnostic
from renderer.model.render_config import MergeKeys
from tests.composing import built, only_error, outcome


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nginx", ImageName("nginx", "", "")),
        ("nginx:1", ImageName("nginx", "1", "")),
        ("host:5000/a/nginx", ImageName("host:5000/a/nginx", "", "")),
        ("host:5000/nginx:1", ImageName("host:5000/nginx", "1", "")),
        ("nginx@sha256:ab", ImageName("nginx", "", "sha256:ab")),
        ("host:5000/nginx:1@sha256:ab", ImageName("host:5000/nginx", "1", "sha256:ab")),
        ("", ImageName("", "", "")),
    ],
)
def test_image_name_is_split(text: str, expected: ImageName) -> None:
    assert ImageName.parse(text) == expected
    assert str(expected) == text


def image_of(image: str, entry: str) -> str:
    text = built(
        {
            "kustomization.yaml": f"resources: [r.yaml]\nimages: [{{{entry}}}]",
            "r.yaml": f"""\
                apiVersion: x.io/v1
                kind: Thing
                metadata: {{name: t}}
                deep: {{er: {{initContainers: [{{name: c, image: "{image}"}}]}}}}
                """,
        }
    )
    return text.split("image: ")[1].splitlines()[0]


@pytest.mark.parametrize(
    ("image", "entry", "expected"),
    [
        ("nginx:1", "name: nginx, newTag: '2'", "nginx:2"),
        ("nginx:1@sha256:ab", "name: nginx, newTag: '2'", "nginx:2"),
        ("nginx:1", "name: nginx, digest: sha256:cd", "nginx@sha256:cd"),
        ("nginx:1", "name: nginx, newTag: '2', digest: sha256:cd", "nginx:2@sha256:cd"),
        ("nginx:1", "name: nginx, newName: r.io/n", "r.io/n:1"),
        ("nginx:1@sha256:ab", "name: nginx, tagSuffix: -x", "nginx:1-x"),
        ("nginx:1", "name: 'ng.*x', newTag: '2'", "nginx:2"),
        ("mynginx:1", "name: nginx, newTag: '2'", "mynginx:1"),
        ("nginx-more:1", "name: nginx, newTag: '2'", "nginx-more:1"),
        ("r.io/nginx:1", "name: nginx, newTag: '2'", "r.io/nginx:1"),
    ],
)
def test_images_of_containers_are_found_anywhere(image: str, entry: str, expected: str) -> None:
    assert image_of(image, entry) == expected


def test_image_matched_by_both_rules_changes_twice_as_in_kustomize() -> None:
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: a:1}]}\n"
    kustomization = "resources: [r.yaml]\nimages: [{name: a, tagSuffix: -x}]"
    assert "image: a:1-x-x\n" in built({"kustomization.yaml": kustomization, "r.yaml": pod})


def test_definitions_of_custom_resources_are_left_alone() -> None:
    crd = "apiVersion: v1\nkind: CustomResourceDefinition\nmetadata: {name: p}\ncontainers: [{image: a:1}]\n"
    kustomization = "resources: [r.yaml]\nimages: [{name: a, newTag: '2'}]"
    assert "image: a:1\n" in built({"kustomization.yaml": kustomization, "r.yaml": crd})


@pytest.mark.parametrize("resource", ["containers: [1]", "containers: [{image: {a: b}}]"])
def test_malformed_containers_are_handled(resource: str) -> None:
    files = {
        "kustomization.yaml": "resources: [r.yaml]\nimages: [{name: a, newTag: '2'}]",
        "r.yaml": f"apiVersion: v1\nkind: Thing\nmetadata: {{name: p}}\n{resource}\n",
    }
    assert only_error(files).sites[0].path == "r.yaml"


def test_name_is_not_a_regular_expression() -> None:
    files = {"kustomization.yaml": "resources: [r.yaml]\nimages: [{name: '('}]"}
    files["r.yaml"] = "apiVersion: v1\nkind: Thing\nmetadata: {name: p}\n"
    assert str(only_error(files).sites[0].field) == "images[0].name"


KUBEVIRT = BuildOptions(merge_keys=MergeKeys.KUBEVIRT)
MACHINES = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: vm}
spec: {template: {spec: &spec {
  volumes: [{name: root, containerDisk: {image: "quay.io/a/b:1"}}, {name: ci, cloudInitNoCloud: {}}],
  domain: {firmware: {kernelBoot: {container: {image: "quay.io/a/b:1"}}}}}}}
---
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstance
metadata: {name: vmi}
spec: {volumes: [{name: root, containerDisk: {image: "quay.io/a/b:1"}}]}
---
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstanceReplicaSet
metadata: {name: set}
spec: {template: {spec: {volumes: [{name: root, containerDisk: {image: "quay.io/a/b:1"}}]}}}
---
apiVersion: pool.kubevirt.io/v1beta1
kind: VirtualMachinePool
metadata: {name: pool}
spec: {virtualMachineTemplate: {spec: {template: {spec: {
  volumes: [{name: root, containerDisk: {image: "quay.io/a/b:1"}}]}}}}}
"""
ENTRY = "images: [{name: quay.io/a/b, %s}]"
#: What projects write by hand: a path for every kind, and one for a kind.
CONFIGURED = """\
images:
- path: spec/template/spec/volumes/containerDisk/image
- path: spec/volumes[]/containerDisk/image
  kind: VirtualMachineInstance
"""


def machines(entry: str, **others: str) -> dict[str, str]:
    return {
        "kustomization.yaml": f"resources: [vm.yaml]\n{ENTRY % entry}",
        "vm.yaml": MACHINES.replace("&spec ", ""),
        **others,
    }


def test_container_disks_and_kernels_change_if_asked_for() -> None:
    files = machines("newTag: '2'")
    assert built(files, options=KUBEVIRT).count("quay.io/a/b:2") == 5
    assert "quay.io/a/b:2" not in built(files)


def test_field_that_the_project_configures_changes_once() -> None:
    files = machines("tagSuffix: -x", **{"c.yaml": CONFIGURED})
    files["kustomization.yaml"] += "\nconfigurations: [c.yaml]"
    text = built(files, options=KUBEVIRT)
    assert text.count("quay.io/a/b:1-x\n") == 5
    assert built(files).count("quay.io/a/b:1-x\n") == 3


def missed(files: dict[str, str], options: BuildOptions | None = None) -> list[Diagnostic]:
    found = outcome(files, options=options).diagnostics
    return [each for each in found if each.code == "image-target-missing"]


def test_entry_that_sets_nothing_is_said_with_the_reason() -> None:
    (warning,) = missed(machines("newTag: '2'"))
    assert str(warning.sites[0].field) == "images[0].name"
    assert warning.hint is not None
    assert "kustomize does not look at: write mergeKeys: kubevirt" in warning.hint
    assert missed(machines("newTag: '2'"), KUBEVIRT) == []


@pytest.mark.parametrize(
    ("entry", "hint"),
    [
        ("name: quay.io/a/bb, newTag: '2'", "did you mean quay.io/a/b?"),
        ("name: docker.io/library/something, newTag: '2'", "correct its name, or remove the entry"),
        ("name: quay.io/c/d, newTag: '2'", "it matches the registry that DataVolume d imports from"),
    ],
)
def test_hint_of_an_entry_that_sets_nothing(entry: str, hint: str) -> None:
    disk = "apiVersion: cdi.kubevirt.io/v1beta1\nkind: DataVolume\nmetadata: {name: d}\n"
    disk += "spec: {source: {registry: {url: 'docker://quay.io/c/d:1'}}}"
    files = {
        "kustomization.yaml": f"resources: [vm.yaml, d.yaml]\nimages: [{{{entry}}}]",
        "vm.yaml": MACHINES.replace("&spec ", ""),
        "d.yaml": disk,
    }
    (warning,) = missed(files, KUBEVIRT)
    assert warning.hint is not None
    assert warning.hint.startswith(hint)


POD = "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: 'a:2'}]}}"


def test_image_that_has_the_tag_already_is_set() -> None:
    files = {"kustomization.yaml": "resources: [p.yaml]\nimages: [{name: a, newTag: '2'}]", "p.yaml": POD}
    assert missed(files) == []


def test_component_may_have_images_of_others() -> None:
    files = {
        "kustomization.yaml": "resources: [p.yaml]\ncomponents: [c]",
        "c/kustomization.yaml": (
            "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
            "images: [{name: b, newTag: '2'}, {name: a, newTag: '3'}]"
        ),
        "p.yaml": POD,
    }
    assert missed(files) == []
    assert "image: a:3" in built(files)
