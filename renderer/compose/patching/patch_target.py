"""What a patch is for: the resources that its target selects, or the one that has its id."""

from __future__ import annotations

from collections.abc import Callable

from renderer.compose.identity import original_identity
from renderer.compose.res_map import ResMap
from renderer.compose.selection.selectors import ResourceSelector
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.model.field_path import FieldPath
from renderer.model.location import Site
from renderer.model.resource import Resource
from renderer.model.selection import Selector

_NAME = FieldPath.of("metadata", "name")


def selected_keys(
    resources: ResMap, target: Selector, listed: Site, warn: Callable[[Diagnostic], None]
) -> tuple[int, ...]:
    """The keys of the resources that ``target`` selects; none is worth a warning.

    ``listed`` is where the patch is listed. Raises: kustomization-field for a selector that cannot be read.
    """
    site = listed.below("target")
    selector = ResourceSelector(target, site)
    keys = tuple(key for key, resource in resources.named(selector.only_name) if selector.selects(resource))
    if not keys:
        warn(
            Diagnostic(
                code=Code.PATCH_TARGET_MISSING,
                severity=Severity.WARNING,
                message="the target of the patch selects nothing",
                sites=(site,),
                hint=_known_names(target, resources),
            )
        )
    return keys


def target_of(patch: Resource, resources: ResMap) -> int:
    """The key of the one resource that has or had the id of ``patch``. Raises: patch-target-missing."""
    keys = resources.with_id(original_identity(patch))
    if len(keys) == 1:
        return keys[0]
    found = f"{len(keys)} resources match" if keys else "there is no"
    raise DiagnosticError(
        Diagnostic(
            code=Code.PATCH_TARGET_MISSING,
            message=f"{found} {patch.current_id} to patch",
            sites=patch.sites(_NAME),
            resource=patch.current_id,
            hint=_nearest_ids(patch, resources),
        )
    )


def _known_names(target: Selector, resources: ResMap) -> str | None:
    from difflib import get_close_matches  # noqa: PLC0415 - only needed when something is wrong

    names = sorted({resource.name for resource in resources if resource.kind == target.kind})
    nearest = get_close_matches(target.name, names, n=3)
    return f"there is {', '.join(nearest or names[:5])}" if names else None


def _nearest_ids(patch: Resource, resources: ResMap) -> str | None:
    from difflib import get_close_matches  # noqa: PLC0415 - only needed when something is wrong

    same_kind = [resource for resource in resources if resource.kind == patch.kind]
    names = {resource.name: f"{resource.api_version} {resource.current_id}" for resource in same_kind}
    nearest = [names[name] for name in get_close_matches(patch.name, names, n=3)]
    return f"there is {', '.join(nearest)}" if nearest else "apiVersion, kind, name and namespace must agree"
