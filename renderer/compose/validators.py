"""Validators: transformers that may not change anything (kustomize ``kusttarget.go`` runValidators)."""

from __future__ import annotations

from renderer.compose.plugin_transforms import transforms
from renderer.compose.res_map import ResMap
from renderer.compose.transform import TransformerContext
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.json import JsonObject, without
from renderer.model.plugins import TransformerPlugin
from renderer.model.resource import Resource

_VALIDATED_BY = "validated-by"


def validate(plugin: TransformerPlugin, resources: ResMap, context: TransformerContext) -> None:
    """Runs the validator. Raises what it raises, and: kustomization-field when it changes a resource."""
    before = dict(resources.items())
    for transform in transforms(plugin, context):
        transform(resources)
    after = dict(resources.items())
    changed = next((old for key, old in before.items() if _differs(old, after.get(key))), None)
    if changed or len(after) != len(before):
        raise DiagnosticError(
            Diagnostic(
                code=Code.KUSTOMIZATION_FIELD,
                message=f"the validator {plugin.configured_by.kind} changes resources",
                sites=(plugin.site,),
                resource=changed.current_id if changed else None,
                hint="list it under transformers",
            )
        )


def _differs(old: Resource, new: Resource | None) -> bool:
    return new is None or (new is not old and _without_mark(new.content) != old.content)


def _without_mark(content: JsonObject) -> JsonObject:
    """The object without the label by which a validator may say that it was there."""
    return without(content, "metadata", "labels", _VALIDATED_BY)
