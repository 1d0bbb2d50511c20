from __future__ import annotations

from renderer.emit.tree_options import extras
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import LATEST
from renderer.model.render_config import Extra

ALL = tuple(Extra)


def resource(kind: str) -> Resource:
    return Resource({"apiVersion": "v1", "kind": kind, "metadata": {"name": "x"}}, Site("x.yaml"))


def test_a_tree_without_manifests_has_no_kustomization() -> None:
    assert set(extras(ALL, "overlays/prod", LATEST, (), ResourceSet())) == {".gitattributes", "README.md"}


def test_a_kustomization_lists_its_files_sorted() -> None:
    files = extras(ALL, "overlays/prod", LATEST, ("b/x.yaml", "a/x.yaml"), ResourceSet((resource("A"),)))
    assert files["kustomization.yaml"].endswith("resources:\n- a/x.yaml\n- b/x.yaml\n")


def test_readme_escapes_markup() -> None:
    kind = "A | <img src=x> `b` [c](d)\n# e"
    text = extras([Extra.README], "overlays/<b>", LATEST, (), ResourceSet((resource(kind),)))["README.md"]
    assert "| A----img-src-x---b---c--d----e | 1 |" in text
    assert "overlays/-b-" in text
