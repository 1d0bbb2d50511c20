"""The templates of data import crons that the operator gives to SSP, exactly as it writes them.

``assets/dataImportCronTemplates`` and ``controllers/handlers/golden-images`` of the operator; up to 1.15
``controllers/operands/ssp.go``. ``facts/boot_images.py`` has the images; ``data_sources.py`` reads the crons
of any object in a repository, admitted or not.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kubevirt.facts.boot_images import (
    ARCHITECTURES_OF_CRON,
    COMMON_IMAGES,
    IMMEDIATE_BINDING,
    is_enabled,
)
from renderer.kubevirt.hyperconverged.cannot_make import CannotMakeCode, CannotMakeError, Reason
from renderer.kubevirt.hyperconverged.feature_gates import MULTI_ARCH_IMPORT
from renderer.kubevirt.hyperconverged.object_fields import Setting
from renderer.kubevirt.hyperconverged.release import OperatorFacts, OperatorRelease, operator_types
from renderer.kubevirt.hyperconverged.settings import Settings
from renderer.model.kube.json import Json, JsonObject, object_at, text_at, with_value, without

_NAMESPACES_SINCE = OperatorRelease(1, 11)
#: Since this release images name their architectures, and annotations of the user's template count.
_MULTI_ARCHITECTURE_SINCE = OperatorRelease(1, 16)
_IMPORTS_KEPT_SINCE = OperatorRelease(1, 18)


def is_multi_architecture(settings: Settings) -> bool:
    """Return True if images of several architectures are imported."""
    said = settings.get(Setting.MULTI_ARCHITECTURE)
    if isinstance(said, bool):
        return said
    is_known = settings.release >= _MULTI_ARCHITECTURE_SINCE
    return is_known and settings.has_gate(MULTI_ARCH_IMPORT)


def data_import_cron_templates(settings: Settings, facts: OperatorFacts) -> list[Json]:
    """Return the templates for SSP, sorted by name. Raises ``CannotMakeError`` for two with one name."""
    own: dict[str, JsonObject] = {}
    for template in map(object_at, settings.array(Setting.DATA_IMPORT_CRON_TEMPLATES)):
        name = text_at(template, "metadata", "name")
        if name in own:
            message = f"two data import cron templates have the name {name}"
            raise CannotMakeError(CannotMakeCode.BOOT_IMAGES, message, Reason.DUPLICATE)
        own[name] = template
    common = {
        text_at(template, "metadata", "name"): template for template in _common_templates(settings.release)
    }
    made = [template for name, template in own.items() if name not in common and is_enabled(template)]
    if _imports_common_images(settings):
        made += _with_changes(common, own, settings)
    written = (_for_ssp(template, settings, facts) for template in made)
    return sorted(
        (template for template in written if template is not None),
        key=lambda template: text_at(template, "metadata", "name"),
    )


def _imports_common_images(settings: Settings) -> bool:
    said = settings.get(Setting.COMMON_BOOT_IMAGES)
    return said is True or (said is None and settings.release >= _MULTI_ARCHITECTURE_SINCE)


def _common_templates(release: OperatorRelease) -> Iterator[JsonObject]:
    """Yield the templates that the operator ships with."""
    kubevirt = release.kubevirt
    for image in COMMON_IMAGES:
        if image.openshift_only or kubevirt < image.since:
            continue
        annotations = {IMMEDIATE_BINDING: "true"}
        if release >= _MULTI_ARCHITECTURE_SINCE:
            annotations[ARCHITECTURES_OF_CRON] = image.architectures
        metadata: dict[str, Json] = {"annotations": annotations, "name": image.cron}
        if labels := image.labels(kubevirt):
            metadata["labels"] = labels
        kept: dict[str, Json] = {}
        if release >= _IMPORTS_KEPT_SINCE:
            kept = {"importsToKeep": 1, "retentionPolicy": "None"}
        source = {"registry": {"url": f"docker://{image.image}"}}
        storage = {"resources": {"requests": {"storage": image.size}}}
        yield {
            "metadata": metadata,
            "spec": {
                **kept,
                "garbageCollect": "Outdated",
                "managedDataSource": image.data_source,
                "schedule": "0 */12 * * *",
                "template": {"spec": {"source": source, "storage": storage}},
            },
        }


def _with_changes(
    common: dict[str, JsonObject], own: dict[str, JsonObject], settings: Settings
) -> Iterator[JsonObject]:
    """Yield the common templates, with what the user's templates of the same name change."""
    namespace = settings.get(Setting.COMMON_BOOT_IMAGE_NAMESPACE)
    for name, template in common.items():
        if name not in own:
            has_namespace = namespace and settings.release >= _NAMESPACES_SINCE
            yield with_value(template, ("metadata", "namespace"), namespace) if has_namespace else template
        elif is_enabled(own[name]):
            yield _changed(template, own[name], settings)


def _changed(template: JsonObject, own: JsonObject, settings: Settings) -> JsonObject:
    """Return a common template with the spec of the user's, which gets the schedule if it has none."""
    spec = object_at(own, "spec")
    if not spec.get("schedule"):
        spec = with_value(spec, ("schedule",), object_at(template, "spec").get("schedule"))
    metadata = object_at(template, "metadata")
    if settings.release >= _NAMESPACES_SINCE:
        metadata = with_value(metadata, ("namespace",), object_at(own, "metadata").get("namespace"))
    if settings.release >= _MULTI_ARCHITECTURE_SINCE:
        metadata = with_value(metadata, ("annotations",), _annotations(template, own, settings))
    return {"metadata": metadata, "spec": spec}


def _annotations(template: JsonObject, own: JsonObject, settings: Settings) -> JsonObject:
    """Return the annotations of both, with the architectures of the template whose image is imported."""
    common = object_at(template, "metadata", "annotations")
    added = object_at(own, "metadata", "annotations")
    both = {**common, **added}
    if not is_multi_architecture(settings):
        return both
    image = common if _has_image_of(template, own, settings.release) else added
    if ARCHITECTURES_OF_CRON in image:
        return {**both, ARCHITECTURES_OF_CRON: image[ARCHITECTURES_OF_CRON]}
    return without(both, ARCHITECTURES_OF_CRON)


def _has_image_of(template: JsonObject, own: JsonObject, release: OperatorRelease) -> bool:
    """Return True if a user's template imports from the registry that the common template imports from."""

    def registry(of: JsonObject) -> Json:
        source = object_at(of, "spec", "template", "spec", "source")
        return operator_types(release).rewritten("*cdi.DataVolumeSourceRegistry", source.get("registry"))

    own_registry = registry(own)
    return own_registry is None or own_registry == registry(template)


def _for_ssp(template: JsonObject, settings: Settings, facts: OperatorFacts) -> JsonObject | None:
    """Return a template as SSP gets it; None if its image has none of the workers' architectures."""
    metadata = object_at(template, "metadata")
    annotations = {IMMEDIATE_BINDING: "true", **object_at(metadata, "annotations")}
    if settings.release >= _MULTI_ARCHITECTURE_SINCE and not is_multi_architecture(settings):
        annotations.pop(ARCHITECTURES_OF_CRON, None)
    elif settings.release >= _MULTI_ARCHITECTURE_SINCE and ARCHITECTURES_OF_CRON in annotations:
        offered = text_at(annotations, ARCHITECTURES_OF_CRON).split(",")
        usable = [each for each in offered if each in facts.workload_architectures]
        if not usable:
            return None
        annotations[ARCHITECTURES_OF_CRON] = ",".join(usable)
    return {"metadata": {**metadata, "annotations": annotations}, "spec": template.get("spec")}
