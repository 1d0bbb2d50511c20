"""The resources that a patch applies to: selected by its target, or the one that has its id.

kustomize ``api/types/selector.go``, ``api/resmap/reswrangler.go`` Select.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from renderer.kustomize.build_annotations import read_build_annotations
from renderer.kustomize.identity import effective_namespace, original_identity
from renderer.kustomize.res_map import ResMap
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import object_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import Selector
from renderer.model.pattern import pattern
from renderer.model.run.work import spend
from renderer.model.suggest import did_you_mean, suggest

if TYPE_CHECKING:
    from renderer.model.kube.label_selector import Requirement


TextMatcher: TypeAlias = Callable[[str], bool]

#: Steps to check if a selector selects a resource (``model.run.work``).
STEPS_PER_SELECTION = 4

_LITERAL = pattern(r"[A-Za-z0-9_/ -]*")
_NAME = FieldPath.of("metadata", "name")


class ResourceSelector:
    """A selector, compiled once for many resources; ``site`` is the place where it is written."""

    def __init__(self, selector: Selector, site: Site) -> None:
        self._selector = selector
        self._site = site
        self._group = self._matcher("group", selector.group)
        self._version = self._matcher("version", selector.version)
        self._kind = self._matcher("kind", selector.kind)
        self._name = self._matcher("name", selector.name)
        self._namespace = self._matcher("namespace", selector.namespace)
        # Parsed when first needed: as in kustomize, an invalid one is ignored if no resource reaches it.
        self._labels: tuple[Requirement, ...] | None = None
        self._annotations: tuple[Requirement, ...] | None = None

    def selects(self, resource: Resource) -> bool:
        """Return True if kind, name, namespace (present or original), labels and annotations match."""
        return (
            self._matches_gvk(resource)
            and self._matches_name(resource)
            and self._matches_namespace(resource)
            and self.matches_metadata(resource)
        )

    @property
    def literal_name(self) -> str | None:
        """Return the one name that it matches, current or previous; None if there may be others."""
        name = self._selector.name
        return name if name and _LITERAL.fullmatch(name) else None

    @property
    def has_id_condition(self) -> bool:
        """Return True if it has a condition on kind, name or namespace."""
        return any((self._group, self._version, self._kind, self._name, self._namespace))

    @property
    def has_metadata_condition(self) -> bool:
        """Return True if it has a condition on labels or annotations."""
        return bool(self._selector.label_selector or self._selector.annotation_selector)

    def matches_metadata(self, resource: Resource) -> bool:
        """Return True if labels and annotations match."""
        selector = self._selector
        if selector.label_selector:
            if self._labels is None:
                self._labels = self._requirements("labelSelector", selector.label_selector)
            if not _are_met(self._labels, resource, "labels"):
                return False
        if selector.annotation_selector:
            if self._annotations is None:
                self._annotations = self._requirements("annotationSelector", selector.annotation_selector)
            return _are_met(self._annotations, resource, "annotations")
        return True

    def matches_any_id(self, resource: Resource) -> bool:
        """Return True if kind, name and namespace of one id, current or previous, match."""
        ids = (resource.current_id, *resource.previous_ids)
        gvk = resource.gvk
        return (
            (not self._group or self._group(gvk.group))
            and (not self._version or self._version(gvk.version))
            and any(
                (not self._kind or self._kind(id_.gvk.kind))
                and (not self._name or self._name(id_.name))
                and (not self._namespace or self._namespace(id_.namespace))
                for id_ in ids
            )
        )

    def _matches_gvk(self, resource: Resource) -> bool:
        if self._kind and not self._kind(resource.kind):
            return False
        if not self._group and not self._version:
            return True
        gvk = resource.gvk
        return (not self._group or self._group(gvk.group)) and (
            not self._version or self._version(gvk.version)
        )

    def _matches_name(self, resource: Resource) -> bool:
        return (
            not self._name
            or self._name(resource.name)
            or (bool(resource.previous_ids) and self._name(resource.previous_ids[0].name))
        )

    def _matches_namespace(self, resource: Resource) -> bool:
        if not self._namespace:
            return True
        current = effective_namespace(resource.api_version, resource.kind, resource.namespace)
        return self._namespace(current) or self._namespace(original_identity(resource).namespace)

    def _requirements(self, field: str, text: str) -> tuple[Requirement, ...]:
        from renderer.model.kube.label_selector import SelectorError, parse_selector  # noqa: PLC0415 - most builds need none

        try:
            return parse_selector(text)
        except SelectorError as error:
            raise Diagnostic.at(
                self._site.below(field), Code.KUSTOMIZATION_FIELD, f"{field} is not a selector: {error}"
            ).error() from None

    def _matcher(self, field: str, pattern: str) -> TextMatcher | None:
        """Return a function that matches a text with the whole ``pattern``; None if any text matches."""
        if not pattern:
            return None
        if _LITERAL.fullmatch(pattern):
            return pattern.__eq__
        from renderer.golang.regexp import RegexpError, compile_regexp  # noqa: PLC0415 - most builds need none

        try:
            return compile_regexp(pattern).matches
        except RegexpError as error:
            raise Diagnostic.at(
                self._site.below(field),
                Code.KUSTOMIZATION_FIELD,
                f"{field} is not a regular expression: {error}",
            ).error() from None


def _are_met(requirements: tuple[Requirement, ...], resource: Resource, field: str) -> bool:
    """Return True if the labels or annotations in ``field`` meet all requirements."""
    values = object_at(resource.content, "metadata", field)
    keys = (requirement.key for requirement in requirements if requirement.key in values)
    texts = {key: resource.written_text("metadata", field, key) for key in keys}
    return all(requirement.matches(texts) for requirement in requirements)


def selected_keys(
    resources: ResMap, target: Selector, listed: Site, warn: Callable[[Diagnostic], None]
) -> tuple[int, ...]:
    """Return the keys of the resources that ``target`` selects; warn if it selects nothing.

    ``listed`` is where the patch is listed. Raises: kustomization-field for an invalid selector.
    """
    site = listed.below("target")
    selector = ResourceSelector(target, site)
    named = resources.named(selector.literal_name)
    spend(len(named) * STEPS_PER_SELECTION, "selecting resources for patches")
    keys = tuple(key for key, resource in named if selector.selects(resource))
    if not keys:
        others = (
            each for _, each in named if selector.has_metadata_condition and selector.matches_any_id(each)
        )
        names = dict.fromkeys(each.name for each in others)
        shown = ", ".join([*names][:5])
        hint = f"without labelSelector and annotationSelector, it would select {shown}" if names else None
        warning = Diagnostic.at(
            site,
            Code.PATCH_TARGET_MISSING,
            "the target of the patch selects nothing",
            hint or _selection_hint(target, resources),
            severity=Severity.WARNING,
        )
        warn(warning._replace(unmatched_target=site))
    return keys


def has_target(patch: Resource, resources: ResMap) -> bool:
    """Return True if exactly one resource has or had the id of ``patch``."""
    return len(resources.keys_of(original_identity(read_build_annotations(patch)))) == 1


def target_of(patch: Resource, resources: ResMap) -> int:
    """Return the key of the one resource that has or had the id of ``patch``.

    Raises: patch-target-missing.
    """
    keys = resources.keys_of(original_identity(read_build_annotations(patch)))
    if len(keys) == 1:
        return keys[0]
    problem = f"{len(keys)} resources match" if keys else "there is no"
    raise Diagnostic(
        Code.PATCH_TARGET_MISSING,
        f"{problem} {patch.current_id} to patch",
        hint=_id_hint(patch, resources),
        sites=patch.sites(_NAME),
        resource=patch.current_id,
    ).error()


def _selection_hint(target: Selector, resources: ResMap) -> str | None:
    spend(len(resources), "suggesting names of resources")
    names = sorted({resource.name for resource in resources if resource.kind == target.kind})
    if names:
        return did_you_mean(target.name, names, otherwise=f"there is {', '.join(names[:5])}")
    kinds = {resource.kind for resource in resources}
    return did_you_mean(target.kind, sorted(kinds), most=1) if target.kind not in kinds else None


def _id_hint(patch: Resource, resources: ResMap) -> str | None:
    spend(len(resources), "suggesting names of resources")
    same_kind = [resource for resource in resources if resource.kind == patch.kind]
    names = {resource.name: f"{resource.api_version} {resource.current_id}" for resource in same_kind}
    nearest = [names[name] for name in suggest(patch.name, names)]
    if nearest:
        return f"did you mean {' or '.join(nearest)}?"
    return "apiVersion, kind, name and namespace must agree"
