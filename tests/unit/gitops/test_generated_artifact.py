"""What the folders of generated artifacts are copied from."""

from __future__ import annotations

import pytest

from renderer.gitops.flux.generated_artifact import CopiedFolder, copied_folder
from renderer.model.kube.json import JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource

REPOSITORY = ("GitRepository", "flux-system", "fleet")


def origin(path: str, *copies: JsonObject, folders: tuple[str, ...] = ("apps", "apps/web")) -> str | None:
    """The folder of the repository that ``path`` of the artifact is a copy of."""
    generator: JsonObject = {
        "apiVersion": "source.extensions.fluxcd.io/v1beta1",
        "kind": "ArtifactGenerator",
        "metadata": {"name": "apps", "namespace": "flux-system"},
        "spec": {
            "sources": [
                {"alias": "repo", "kind": "GitRepository", "name": "fleet"},
                {"alias": "vendor", "kind": "OCIRepository", "name": "vendor", "namespace": "other"},
            ],
            "artifacts": [{"name": "web", "copy": list(copies)}],
        },
    }
    generators = [Resource(generator, Site("apps.yaml"))]
    found = copied_folder(generators, "flux-system", "web", path, folders.__contains__)
    assert copied_folder(generators, "elsewhere", "web", path, folders.__contains__) is None
    if found is None:
        return None
    assert found == CopiedFolder(REPOSITORY, found.folder)
    return found.folder


def copy(pattern: str, target: str = "", **fields: str | list[str]) -> JsonObject:
    return {"from": f"@repo/{pattern}", "to": f"@artifact/{target}", **fields}


@pytest.mark.parametrize(
    ("path", "pattern", "target", "folder"),
    [
        ("./", "apps/web/**", "", "apps/web"),
        ("./base", "apps/web/**", "", "apps/web/base"),
        ("./web", "apps/web/**", "web/", "apps/web"),
        ("apps/web", "**", "", "apps/web"),
        ("./", "**", "", "."),
        ("./web", "apps/web", "", "apps/web"),  # a folder is copied with its name
        ("./apps", "apps/web/**", "apps/web/", "apps"),
        ("./apps", "apps/web/**", "apps/", "apps/web"),
    ],
)
def test_folder_of_a_whole_copy(path: str, pattern: str, target: str, folder: str) -> None:
    assert origin(path, copy(pattern, target)) == folder


@pytest.mark.parametrize(
    "copies",
    [
        (copy("apps/*/base/**"),),
        (copy("apps/web/*.yaml"),),
        (copy("apps/web.yaml"),),
        (copy("apps/web/**", exclude=["secret.yaml"]),),
        (copy("apps/web/**", strategy="Merge"),),
        (copy("apps/web/**"), copy("apps/db/**")),
        (copy("apps/web/**"), {"from": "@vendor/web/**", "to": "@artifact/vendor/"}),
        (copy("apps/web/**", "renamed/"),),
        (),
    ],
)
def test_folder_that_is_put_together_is_no_copy(copies: tuple[JsonObject, ...]) -> None:
    assert origin("./", *copies) is None


def test_other_folders_of_the_artifact_do_not_matter() -> None:
    vendor: JsonObject = {"from": "@vendor/*.yaml", "to": "@artifact/vendor/"}
    assert origin("./web", copy("apps/web/**", "web/", exclude=["*.md"]), vendor) == "apps/web"
