"""Names, tags and digests of container images (``api/filters/imagetag``, ``api/internal/image``)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from renderer.kubevirt.facts.container_images import IMAGE_FIELDS
from renderer.kubevirt.facts.kinds import KUBEVIRT_GROUP, POOL_GROUP, VM_POOL
from renderer.kubevirt.facts.virtual_machine import PATHS
from renderer.kustomize.fields.field_specs import FieldSpecFilter, FieldSpecIndex, WrongTypeError
from renderer.kustomize.res_map import ResMap
from renderer.kustomize.transform import Transform, TransformerContext
from renderer.kustomize.transformers.image_name import CONTAINER_LISTS, ImageName
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.json import Json, scalar_text
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import COMPONENT_KIND, FieldSpec, Image
from renderer.model.run.work import spend

_UNTOUCHED_KIND = "CustomResourceDefinition"


def image_transforms(context: TransformerContext) -> Iterator[Transform]:
    """Yield the transform of each entry of ``images``."""
    specs = context.field_specs.images
    if context.knows_kubevirt:
        specs = with_machine_images(specs)
    for image in context.root.kustomization.images:
        yield image_transform(image, specs, context)


def with_machine_images(specs: tuple[FieldSpec, ...]) -> tuple[FieldSpec, ...]:
    """Return the field specs, and the specs of virtual machines that none of them covers."""
    return (*specs, *(added for added in _machine_specs() if not any(_covers(each, added) for each in specs)))


@cache
def _machine_specs() -> tuple[FieldSpec, ...]:
    return tuple(
        FieldSpec("/".join((*map(str, paths.instance.segments), field)), group=group, kind=kind)
        for kind, paths in PATHS.items()
        for group in (POOL_GROUP if kind == VM_POOL else KUBEVIRT_GROUP,)
        for field in IMAGE_FIELDS
    )


def _covers(spec: FieldSpec, other: FieldSpec) -> bool:
    """Return True if a spec, which a project may have written itself, leads to all fields of the other."""
    return (
        spec.path.replace("[]", "") == other.path
        and spec.kind in ("", other.kind)
        and spec.group in ("", other.group)
        and not spec.version
    )


def image_transform(
    image: Image, specs: tuple[FieldSpec, ...], context: TransformerContext | None = None
) -> Transform:
    """Return the transform that sets ``image`` in containers, then in the fields of ``specs``.

    Some images change twice, as in kustomize. With a ``context``, it warns if no image has the name.
    Raises: kustomization-field. The transform raises: resource-invalid.
    """
    change = _ImageChange(image)
    index = FieldSpecIndex(specs)
    fields = FieldSpecFilter(change)

    def tag(resource: Resource) -> Resource:
        if resource.kind == _UNTOUCHED_KIND:
            return resource
        return fields.apply(_in_containers(resource, change), index.targets(resource))

    def tag_all(resources: ResMap) -> None:
        resources.update(tag)
        if context is not None and not change.has_matched and _must_match(context):
            from renderer.kustomize.transformers.missed_images import missed_image  # noqa: PLC0415 - few miss

            context.warn(missed_image(image, change.matches, resources, context))

    return tag_all


def _must_match(context: TransformerContext) -> bool:
    """Return False for a component, which others use for different resources, and for a partial read."""
    return not context.root.is_partial and context.root.kustomization.kind != COMPONENT_KIND


class _ImageChange:
    def __init__(self, image: Image) -> None:
        from renderer.golang.regexp import RegexpError, compile_regexp  # noqa: PLC0415 - most builds need none

        self._image = image
        #: True once an image had the name.
        self.has_matched = False
        try:
            self._pattern = compile_regexp(
                rf"^{image.name}(:[a-zA-Z0-9_.{{}}-]*)?(@sha256:[a-zA-Z0-9_.{{}}-]*)?$"
            )
        except RegexpError as error:
            raise Diagnostic.at(
                image.site.below("name"),
                Code.KUSTOMIZATION_FIELD,
                f"the image name {image.name} is not a regular expression: {error}",
            ).error() from None

    def matches(self, text: str) -> bool:
        """Return True if a text is an image of the name."""
        return self._pattern.is_in(text)

    def __call__(self, value: Json) -> Json:
        if isinstance(value, dict | list):
            raise WrongTypeError("a text")
        text = "" if value is None else scalar_text(value)
        if not self.matches(text):
            return value
        self.has_matched = True
        image, old = self._image, ImageName.parse(text)
        name = image.new_name or old.name
        if image.new_tag or image.digest:
            return str(ImageName(name, image.new_tag, image.digest))
        if image.tag_suffix:
            return str(ImageName(name, old.tag + image.tag_suffix, ""))
        return str(ImageName(name, old.tag, old.digest))


def _in_containers(resource: Resource, change: _ImageChange) -> Resource:
    """Return the resource with the images of all its containers changed (``imagetag/legacy.go``)."""
    try:
        content = _changed_containers(resource.content, change)
    except WrongTypeError as error:
        raise Diagnostic.about(
            resource,
            None,
            Code.RESOURCE_INVALID,
            f"an element of the containers of {resource.current_id} is not {error}",
        ).error() from None
    return resource.with_content(content) if isinstance(content, dict) else resource


def _changed_containers(value: Json, change: _ImageChange) -> Json:
    if isinstance(value, list | dict):
        spend(4 + 3 * len(value), "changing images")
    if isinstance(value, list):
        elements = [_changed_containers(element, change) for element in value]
        return value if all(new is old for new, old in zip(elements, value, strict=True)) else elements
    if not isinstance(value, dict):
        return value
    fields: dict[str, Json] = {}
    for key, child in value.items():
        field = _changed_containers(child, change) if isinstance(child, dict | list) else child
        if key in CONTAINER_LISTS and isinstance(field, list):
            field = [_changed_container(element, change) for element in field]
        fields[key] = field
    return value if all(fields[key] is child for key, child in value.items()) else fields


def _changed_container(container: Json, change: _ImageChange) -> Json:
    if container is None:
        return None
    if not isinstance(container, dict):
        raise WrongTypeError("a mapping")
    if "image" not in container:
        return container
    image = change(container["image"])
    return container if image is container["image"] else {**container, "image": image}
