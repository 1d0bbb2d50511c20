"""The Applications of a folder: a base used by another kustomization belongs to that one."""

from __future__ import annotations

import pytest

from renderer.files.file_system import MemoryFileSystem
from renderer.gitops.argocd.roots import application_objects
from renderer.model.kube.resource import Resource

APPLICATION = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\n"


def _kustomization(*resources: str, kind: str = "Kustomization", field: str = "resources") -> str:
    return f"kind: {kind}\n{field}: [{', '.join(resources)}]\n"


@pytest.mark.parametrize("path", ["apps", "apps/", "."])
@pytest.mark.parametrize(
    ("folders", "composed"),
    [
        ({"base": _kustomization("a.yaml"), "prod": _kustomization("../base")}, ["prod"]),
        ({"base": _kustomization("a.yaml"), "prod": _kustomization("a.yaml")}, ["base", "prod"]),
        (
            {
                "base": _kustomization("a.yaml"),
                "middle": _kustomization("../base"),
                "prod": _kustomization("../middle"),
                "test": _kustomization("../base"),
            },
            ["prod", "test"],
        ),
        (
            {
                "part": _kustomization("a.yaml", kind="Component"),
                "prod": _kustomization("../part", field="components"),
            },
            ["prod"],
        ),
        ({"base": _kustomization("a.yaml"), "prod": _kustomization("../base", field="bases")}, ["prod"]),
        # Kustomizations that use each other are built, so that the circle is reported.
        ({"one": _kustomization("../two"), "two": _kustomization("../one")}, ["one", "two"]),
    ],
)
def test_kustomization_used_by_another_is_not_composed_alone(
    path: str, folders: dict[str, str], composed: list[str]
) -> None:
    files = {f"apps/{name}/kustomization.yaml": text for name, text in folders.items()}
    files |= {f"apps/{name}/a.yaml": APPLICATION for name in folders}
    asked: list[str] = []
    fs = MemoryFileSystem({name: text.encode() for name, text in files.items()})

    def compose(folder: str) -> tuple[Resource, ...]:
        asked.append(folder)
        return ()

    application_objects(fs, path, compose, lambda *_: None)
    assert asked == [f"apps/{name}" for name in composed]
