"""Warn about an entry of ``images`` that sets no image, and say where the name occurs or nearly does."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from renderer.kubevirt.facts.container_images import imported_images, machine_images
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kustomize.res_map import ResMap
from renderer.kustomize.transform import TransformerContext
from renderer.kustomize.transformers.image_name import CONTAINER_LISTS, ImageName
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.kube.json import Json, text_at
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import Image
from renderer.model.run.work import spend
from renderer.model.suggest import did_you_mean


def missed_image(
    image: Image, matches: Callable[[str], bool], resources: ResMap, context: TransformerContext
) -> Diagnostic:
    """Return the warning; ``matches`` tells if an image has the name."""
    spend(8 * len(resources), "suggesting names of images")
    return Diagnostic.at(
        image.site.below("name"),
        Code.IMAGE_TARGET_MISSING,
        f"no container has the image {image.name}, so this entry changes nothing",
        _hint(image, matches, resources, context),
        severity=Severity.WARNING,
    )


def _hint(
    image: Image, matches: Callable[[str], bool], resources: ResMap, context: TransformerContext
) -> str | None:
    started = next(((each, name) for each, name in _started(resources) if matches(name)), None)
    if started is not None and not context.knows_kubevirt:
        return (
            f"it matches a containerDisk or kernelBoot of {started[0].current_id}, which kustomize does not"
            " look at: write mergeKeys: kubevirt into vmrender.yaml"
        )
    imports = (each for each in resources if any(map(matches, imported_images(each.content))))
    importer = next(imports, None)
    if importer is not None:
        return (
            f"it matches the registry that {importer.current_id} imports from, which images do not change:"
            " change its url"
        )
    written = [name for _, name in _started(resources)] if context.knows_kubevirt else []
    written += (name for each in resources for name in _container_images(each.content))
    names = {ImageName.parse(name).name for name in written}
    return did_you_mean(image.name, sorted(names), otherwise="correct its name, or remove the entry")


def _started(resources: ResMap) -> Iterator[tuple[Resource, str]]:
    for resource in resources:
        machine = VirtualMachineView.of(resource)
        if machine is not None:
            yield from ((resource, name) for _, name in machine_images(machine))


def _container_images(value: Json) -> Iterator[str]:
    if isinstance(value, list):
        for element in value:
            yield from _container_images(element)
    elif isinstance(value, dict):
        for key, child in value.items():
            if key in CONTAINER_LISTS and isinstance(child, list):
                yield from filter(None, (text_at(element, "image") for element in child))
            elif isinstance(child, dict | list):
                yield from _container_images(child)
