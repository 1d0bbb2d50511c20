"""The DataSources that the data import crons of an object manage, for any object in a repository.

A repository writes crons as ``DataImportCron`` objects, or as templates in the object of an operator: in
``HyperConverged``, whose operator adds templates of its own, or in ``SSP``. A ``HyperConverged`` object need
not be one that its webhook admits; ``boot_images.py`` makes the exact templates of an admitted one.

HyperConverged ``controllers/handlers/golden-images/golden_images.go``.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kubevirt.facts.boot_images import (
    ARCHITECTURES,
    ARCHITECTURES_OF_CRON,
    COMMON_IMAGES,
    ManagedDataSource,
    is_enabled,
)
from renderer.kubevirt.facts.kinds import (
    CDI_GROUP,
    DATA_IMPORT_CRON,
    HYPERCONVERGED,
    HYPERCONVERGED_GROUP,
    SSP,
    SSP_GROUP,
)
from renderer.kubevirt.hyperconverged.feature_gates import MULTI_ARCH_IMPORT, listed_gates
from renderer.kubevirt.hyperconverged.object_fields import Setting, version_of
from renderer.kubevirt.hyperconverged.release import OLDEST, OperatorRelease
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import JsonObject, array_at, object_at, text_at
from renderer.model.kube.list_elements import value_at
from renderer.model.kube.resource import Resource
from renderer.model.release import Release


def managed_data_sources(resource: Resource, release: Release) -> Iterator[ManagedDataSource]:
    """Yield the DataSources that crons in ``resource`` manage; none for an object of any other kind."""
    group, kind, content = resource.gvk.group, resource.kind, resource.content
    if (group, kind) == (CDI_GROUP, DATA_IMPORT_CRON):
        yield _managed(content, resource, ROOT)._replace(namespace=resource.namespace)
    elif (group, kind) == (SSP_GROUP, SSP):
        at = FieldPath.of("spec", "commonTemplates", "dataImportCronTemplates")
        for index, template in enumerate(array_at(content, *at.keys)):
            yield _managed(object_at(template), resource, at.child(index))
    elif (group, kind) == (HYPERCONVERGED_GROUP, HYPERCONVERGED):
        yield from _of_hyperconverged(resource, release)


def boot_image_namespaces(hyperconverged: Resource) -> tuple[str, ...]:
    """Return the namespaces that a ``HyperConverged`` object names for boot images."""
    content = hyperconverged.content
    templates = array_at(content, *Setting.DATA_IMPORT_CRON_TEMPLATES.place_in(content).keys)
    named = (_common_namespace(content), *(text_at(each, "metadata", "namespace") for each in templates))
    return tuple(filter(None, named))


def _of_hyperconverged(resource: Resource, release: Release) -> Iterator[ManagedDataSource]:
    """Yield what is left of the operator's templates, and the object's (``GetDataImportCronTemplates``)."""
    content = resource.content
    at = Setting.DATA_IMPORT_CRON_TEMPLATES.place_in(content)
    written = {
        text_at(template, "metadata", "name"): (at.child(index), object_at(template))
        for index, template in enumerate(array_at(content, *at.keys))
    }
    architectures = ARCHITECTURES if _is_multi_architecture(content) else ()
    common = {image.cron: image for image in COMMON_IMAGES if release >= image.since}
    if _imports_common_images(content, release):
        namespace = _common_namespace(content) or None
        for image in common.values():
            managed = image.managed(release)._replace(architectures=architectures)
            if image.cron not in written:
                yield managed._replace(namespace=namespace)
            elif is_enabled(written[image.cron][1]):
                field, template = written[image.cron]
                changed = _managed(template, resource, field)
                yield managed._replace(
                    name=changed.name or managed.name,
                    namespace=changed.namespace,
                    image=changed.image or managed.image,
                    made_by=resource,
                    field=field,
                )
    for name, (field, template) in written.items():
        if name not in common and is_enabled(template):
            managed = _managed(template, resource, field)
            is_split = ARCHITECTURES_OF_CRON in object_at(template, "metadata", "annotations")
            yield managed._replace(architectures=architectures if is_split else ())


def _managed(cron: JsonObject, made_by: Resource, field: FieldPath) -> ManagedDataSource:
    registry = object_at(cron, "spec", "template", "spec", "source", "registry")
    return ManagedDataSource(
        text_at(cron, "spec", "managedDataSource"),
        text_at(cron, "metadata", "namespace") or None,
        object_at(cron, "metadata", "labels"),
        text_at(registry, "url").removeprefix("docker://") or text_at(registry, "imageStream"),
        made_by,
        field,
    )


def _common_namespace(content: JsonObject) -> str:
    return text_at(content, *Setting.COMMON_BOOT_IMAGE_NAMESPACE.place_in(content).keys)


def _imports_common_images(content: JsonObject, release: Release) -> bool:
    operator = OperatorRelease.deploying(release) or OLDEST
    switch = Setting.COMMON_BOOT_IMAGES.place_at(version_of(content), operator)
    return value_at(content, switch.segments) is not False


def _is_multi_architecture(content: JsonObject) -> bool:
    written = value_at(content, Setting.MULTI_ARCHITECTURE.place_in(content).segments)
    if isinstance(written, bool):
        return written
    gates = object_at(content, "spec").get("featureGates")
    if isinstance(gates, dict):
        return gates.get(MULTI_ARCH_IMPORT) is True
    return any(gate.name == MULTI_ARCH_IMPORT and gate.is_enabled for gate in listed_gates(gates))
