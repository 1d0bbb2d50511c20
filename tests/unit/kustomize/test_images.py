from __future__ import annotations

import pytest

from renderer.kustomize.transformers.images import ImageName
from tests.composing import built, only_error


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
