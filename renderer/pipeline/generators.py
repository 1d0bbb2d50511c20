"""vmrender's own kinds that a kustomization may list under ``generators``, each with its generator."""

# ruff: noqa: PLC0415 - a stage is imported when it is first needed

from __future__ import annotations

from renderer.model.kube.json import JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import Gvk
from renderer.model.source_tree import Generated, ListedFiles
from renderer.model.vmrender_api import INSTANCETYPE_SERIES, TEMPLATE, VMRENDER_GROUP, VMRENDER_VERSION


def _series(content: JsonObject, site: Site, _files: ListedFiles) -> tuple[Generated, ...]:
    from renderer.authoring.sizes.series import generate

    return generate(content, site)


def _template(content: JsonObject, site: Site, files: ListedFiles) -> tuple[Generated, ...]:
    from renderer.authoring.templates.template import generate

    return generate(content, site, files)


#: By kind: a function that gets the object, its site and the files listed with it.
GENERATORS = {
    Gvk(VMRENDER_GROUP, VMRENDER_VERSION, INSTANCETYPE_SERIES): _series,
    Gvk(VMRENDER_GROUP, VMRENDER_VERSION, TEMPLATE): _template,
}
