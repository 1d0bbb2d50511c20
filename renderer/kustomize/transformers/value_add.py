"""``ValueAddTransformer``: one value added to many fields (kustomize ``api/filters/valueadd``)."""

from __future__ import annotations

import posixpath

from renderer.kustomize.fields.field_specs import split_path
from renderer.kustomize.replacement_paths import PathError, PathMatcher, resolve_untyped
from renderer.kustomize.res_map import ResMap
from renderer.kustomize.selection import STEPS_PER_SELECTION, ResourceSelector
from renderer.kustomize.transform import Transform
from renderer.kustomize.transformers.namespace import with_namespace
from renderer.kustomize.values import ABSENT, Slot
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.json import Json, scalar_text
from renderer.model.kube.resource import Resource
from renderer.model.run.work import spend
from renderer.model.source_tree import AddValue, ValueTarget

_NAMESPACE = "metadata/namespace"


def value_add_transform(config: AddValue) -> Transform:
    """Return the transform that writes the value to the fields of all targets.

    The transform raises: kustomization-field, resource-invalid.
    """

    def add(resources: ResMap) -> None:
        for target in config.targets:
            selector = None
            if target.selector:
                selector = ResourceSelector(target.selector, target.site.below("selector"))
            spend(len(resources) * STEPS_PER_SELECTION, "selecting resources to add values to")
            for key, resource in resources.items():
                if selector is None or selector.selects(resource):
                    resources.replace(key, _with_value(resource, target, config.value))

    return add


def _with_value(resource: Resource, target: ValueTarget, value: str) -> Resource:
    if target.field_path == _NAMESPACE:
        return with_namespace(resource, value)
    try:
        content = _content_with_value(resource.content, target, value)
    except PathError as error:
        raise Diagnostic.at(
            target.site,
            Code.KUSTOMIZATION_FIELD,
            f"nothing can be added to {target.field_path} of {resource.current_id}: {error}",
            resource=resource,
        ).error() from None
    return resource.with_content(content, target.site) if isinstance(content, dict) else resource


def _content_with_value(content: Json, target: ValueTarget, value: str) -> Json:
    def insert(old: Slot, _at: object) -> Json:
        if isinstance(old, dict | list):
            raise PathError("it is not a scalar")
        path = "" if old is ABSENT or old is None else scalar_text(old)
        text = insert_path_part(path, target.position - 1, value) if target.position > 0 else value
        return resolve_untyped(text) if text else ""

    matcher = PathMatcher(insert, creates=True, within=lambda *_: 0)
    steps = tuple(step for name in split_path(target.field_path) if (step := name.strip()))
    changed = matcher.visit(content, steps)
    if not matcher.matches:
        raise PathError("the path leads through a scalar")
    return changed


def insert_path_part(path: str, position: int, part: str) -> str:
    """Return ``path`` with ``part`` as its name number ``position``, from 0; an absolute path stays absolute.

    kustomize ``kyaml/filesys/util.go``.
    """
    if not part:
        return path
    names = [name for name in path.split("/") if name]
    joined = posixpath.join(*names[:position], part, *names[position:])
    return f"/{joined}" if path.startswith("/") else joined
