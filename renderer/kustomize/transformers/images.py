"""Names, tags and digests of container images (``api/filters/imagetag``, ``api/internal/image``)."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kustomize.fields.field_specs import FieldSpecFilter, FieldSpecIndex, WrongTypeError
from renderer.kustomize.transform import Transform, TransformerContext
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.json import Json, scalar_text
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import FieldSpec, Image
from renderer.model.record import Record
from renderer.model.run.work import spend

_CONTAINER_LISTS = ("containers", "initContainers")
_UNTOUCHED_KIND = "CustomResourceDefinition"


class ImageName(Record):
    """The parts of an image; ``tag`` and ``digest`` may be empty."""

    name: str
    tag: str
    digest: str

    @classmethod
    def parse(cls, text: str) -> ImageName:
        """Return the parts of an image; a colon before the first slash belongs to the host."""
        start = max(text.find("/"), 0)
        at, colon = text.find("@", start), text.find(":", start)
        if at >= 0 and not start <= colon < at:
            return cls(text[:at], "", text[at + 1 :])
        if colon < 0:
            return cls(text, "", "")
        if at < 0:
            return cls(text[:colon], text[colon + 1 :], "")
        return cls(text[:colon], text[colon + 1 : at], text[at + 1 :])

    def __str__(self) -> str:
        tag = f":{self.tag}" if self.tag else ""
        digest = f"@{self.digest}" if self.digest else ""
        return f"{self.name}{tag}{digest}"


def image_transforms(context: TransformerContext) -> Iterator[Transform]:
    """Yield the transform of each entry of ``images``."""
    for image in context.root.kustomization.images:
        yield image_transform(image, context.field_specs.images)


def image_transform(image: Image, specs: tuple[FieldSpec, ...]) -> Transform:
    """Return the transform that sets ``image`` in containers, then in the fields of ``specs``.

    Some images change twice, as in kustomize.
    Raises: kustomization-field. The transform raises: resource-invalid.
    """
    change = _ImageChange(image)
    index = FieldSpecIndex(specs)
    fields = FieldSpecFilter(change)

    def tag(resource: Resource) -> Resource:
        if resource.kind == _UNTOUCHED_KIND:
            return resource
        return fields.apply(_in_containers(resource, change), index.targets(resource))

    return lambda resources: resources.update(tag)


class _ImageChange:
    def __init__(self, image: Image) -> None:
        from renderer.golang.regexp import RegexpError, compile_regexp  # noqa: PLC0415 - most builds need none

        self._image = image
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

    def __call__(self, value: Json) -> Json:
        if isinstance(value, dict | list):
            raise WrongTypeError("a text")
        text = "" if value is None else scalar_text(value)
        if not self._pattern.search(text):
            return value
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
        if key in _CONTAINER_LISTS and isinstance(field, list):
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
