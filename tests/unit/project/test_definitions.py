"""The file that defines an instance type is found, whatever else is in the repository."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from renderer.files.file_system import DiskFileSystem
from renderer.model.kube.json import JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Definition
from renderer.project.definitions import Definitions
from renderer.project.validation_scope import ManifestFiles

SIZE = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: shop.small}
"""
KINDS = ("VirtualMachineClusterInstancetype", "VirtualMachineInstancetype")


def no_generator(_content: JsonObject, _site: Site) -> Iterator[tuple[JsonObject, Site]]:
    return iter(())


def found(root: Path, name: str = "shop.small") -> Definition | None:
    fs = DiskFileSystem(root)
    return Definitions(fs, ManifestFiles(fs), no_generator).find(KINDS, name)


def test_definition_in_a_listed_file_is_found(tmp_path: Path) -> None:
    (tmp_path / "sizes").mkdir()
    (tmp_path / "sizes" / "all.yaml").write_text(f"kind: ConfigMap\n---\n{SIZE}")
    (tmp_path / "sizes" / "kustomization.yaml").write_text("resources: [all.yaml]\n")

    definition = found(tmp_path)

    assert definition is not None
    assert (definition.site.path, definition.site.document) == ("sizes/all.yaml", 1)
    assert definition.catalog_hint == "add `- path: sizes` under catalogs in vmrender.yaml"


def test_definition_in_a_list_is_found(tmp_path: Path) -> None:
    items = "".join(f"  {line}\n" for line in SIZE.splitlines())
    (tmp_path / "all.yaml").write_text(f"apiVersion: v1\nkind: List\nitems:\n- {items.lstrip()}")

    definition = found(tmp_path)

    assert definition is not None
    assert str(definition.site.field) == "items[0].metadata.name"
    assert "list all.yaml under resources" in definition.catalog_hint


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("broken.yaml", f"{SIZE}---\n: [Instancetype"),
        ("other-group.yaml", SIZE.replace("instancetype.kubevirt.io", "example.com")),
        ("text.txt", SIZE),
        ("rendered/prod/size.yaml", SIZE),
        (".hidden/size.yaml", SIZE),
        ("list-of-texts.yaml", "[Instancetype, 1]"),
    ],
)
def test_other_objects_are_not_definitions(tmp_path: Path, file: str, text: str) -> None:
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text(text)
    if file.startswith("rendered"):
        (tmp_path / "rendered" / "prod" / ".vmrender-owned").write_text("")

    assert found(tmp_path) is None
