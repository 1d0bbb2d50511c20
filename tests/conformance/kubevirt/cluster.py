"""The objects of a case, as the renderer sees them."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import yaml

from renderer.kubevirt.instancetype.catalog import Catalog, CatalogSource, Scope
from renderer.model.kube.json import Json, array_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from tests.conformance.kubevirt.case import Case


def scope_of(case: Case) -> Scope:
    """The objects that the case's VM can use: its own, and the catalog if the case has one."""
    objects = CatalogSource("objects", _resources(array_at(case.input, "objects")))
    catalog = read_catalog(case.catalog) if case.input.get("catalog") is True else Catalog()
    return Scope(catalog.after(objects), text_at(case.input, "vm", "metadata", "namespace"))


@lru_cache
def read_catalog(path: Path) -> Catalog:
    with path.open(encoding="utf-8") as stream:
        documents = [document for document in yaml.load_all(stream, yaml.CSafeLoader) if document]
    return Catalog.of(CatalogSource("catalog", _resources(documents)))


def _resources(documents: Json) -> ResourceSet:
    contents = (document for document in array_at(documents) if isinstance(document, dict))
    return ResourceSet(tuple(Resource(content, Site("case", at)) for at, content in enumerate(contents)))
