"""The differences that the repository tells Argo CD and Flux to ignore.

argo-cd ``util/argo/normalizers/diff_normalizer.go`` and ``util/argo/managedfields``: ``ignoreDifferences`` of
an Application and ``resource.customizations.ignoreDifferences.<group>_<kind>`` of the ConfigMap
``argocd-cm``; kustomize-controller ``internal/controller/kustomization_controller.go`` (``apply``) for
``spec.ignore`` of its Kustomizations. Objects set policies of their own in annotations and labels, of which
Flux reads both (``apply`` of that controller), and Argo CD none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from glob import escape
from typing import NamedTuple, TypeAlias

from renderer.adopt.live.managed_fields import FieldOwners, Owner
from renderer.golang.glob_table import GlobTable
from renderer.kubevirt.facts.lists import field_changes, named_elements
from renderer.model.kube.field_path import ElementName, Segment
from renderer.model.kube.json import Json, JsonObject, array_at, count_values, object_at, text_at
from renderer.model.kube.list_elements import element_index
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.run.work import spend
from renderer.model.whole_number import whole_number

_CUSTOMIZATION = "resource.customizations.ignoreDifferences."
_ALL = "all"
#: Fields of a target in ``spec.ignore`` that are not evaluated.
_SELECTORS = ("version", "annotationSelector", "labelSelector")
#: The supported parts of a jq path: ``.field``, ``["field"]``, ``[]``, ``[0]``.
_JQ_PART = re.compile(
    r"""(?:\.(?P<field>[A-Za-z_]\w*)|\.?\["(?P<quoted>[^"\\]*)"\]|\.?\[(?P<index>\d{0,9})\])\??""", re.ASCII
)
#: ``| select(.name == "x")`` after ``[]``, the only supported filter.
_JQ_SELECT = re.compile(
    r'\s*\|\s*select\(\s*\.(?P<key>\w+)\s*==\s*"(?P<value>[^"\\]*)"\s*\)\s*(?:\|\s*)?', re.ASCII
)

#: Fields and elements that are copied in one step (``model.run.work``).
_COPIED_PER_STEP = 4
#: Steps for an element of a list, and for comparing a value.
_STEPS_PER_ELEMENT, _STEPS_PER_VALUE, _ACTIVITY = 6, 12, "leaving out ignored differences"

_FLUX = "kustomize.toolkit.fluxcd.io"
#: Labels and annotations of objects that Flux does not apply.
_NOT_APPLIED = (("reconcile", "disabled"), ("ssa", "ignore"))
_FLUX_VALUES = {"disabled": "disabled", "ignore": "Ignore", "ifnotpresent": "IfNotPresent"}
#: Managers whose fields kustomize-controller removes; these are prefixes.
_UNDONE = ("kubectl", "before-first-apply")

#: A part of a path: a segment, or None for any element of a list.
Step: TypeAlias = Segment | None
#: The path of a field that is not compared, including everything below it.
IgnoredPath: TypeAlias = tuple[Step, ...]


class IgnoreRule(NamedTuple):
    """Differences that one place in the repository tells an engine to ignore.

    ``source`` describes that place to the user. Empty texts of ``name`` and ``namespace`` match any. Fields
    owned by ``managers`` are ignored wherever they differ. ``not_evaluated`` are expressions outside the
    supported part of jq. ``unused`` says why a rule that ignores nothing does not.
    """

    source: str
    group: str
    kind: str
    name: str = ""
    namespace: str = ""
    paths: tuple[IgnoredPath, ...] = ()
    managers: tuple[str, ...] = ()
    not_evaluated: tuple[str, ...] = ()
    unused: str = ""

    @property
    def likeness(self) -> IgnoreRule:
        """The rule without its place: it is equal for rules that ignore the same differences."""
        return self._replace(source="", not_evaluated=())

    def without_ignored(self, written: JsonObject, live: JsonObject, owners: FieldOwners) -> JsonObject:
        """Return an object of Git with the ignored fields set to the values of the cluster."""
        for path in self.paths:
            written = object_at(_with_live_value(written, live, path))
        if self.managers:
            for change in field_changes(live, written):
                if any(owner.manager in self.managers for owner in owners.of(change.field)):
                    written = object_at(_with_live_value(written, live, change.field.segments))
        return written


class IgnoreRules:
    """The rules of an engine, each once, in the order of their places."""

    def __init__(self, rules: Iterable[IgnoreRule] = ()) -> None:
        self.all = tuple(dict.fromkeys(rules))

    @cached_property
    def _table(self) -> GlobTable[IgnoreRule]:
        return GlobTable(
            (
                (
                    (
                        *(rule.group, rule.kind),
                        *(escape(text) if text else None for text in (rule.name, rule.namespace)),
                    ),
                    rule,
                )
                for rule in self.all
            ),
            _ACTIVITY,
        )

    def about(self, resource: ResId) -> list[IgnoreRule]:
        """Return the rules that apply to an object."""
        if not self.all:
            return []
        return self._table.matching(
            (resource.gvk.group, resource.gvk.kind, resource.name, resource.namespace)
        )


NO_RULES = IgnoreRules()


def effective_rules(
    rules: Iterable[IgnoreRule], written: JsonObject, live: JsonObject, owners: FieldOwners
) -> Iterator[tuple[IgnoreRule, JsonObject]]:
    """Yield the rules that change an object of Git, and the object as each of them leaves it."""
    steps = _STEPS_PER_VALUE * count_values(written)
    for rule in rules:
        left = rule.without_ignored(written, live, owners)
        if left is not written:
            spend(steps, _ACTIVITY)  # the caller compares it with the cluster's
            written = left
            yield rule, written


def has_value(content: Json, path: IgnoredPath) -> bool:
    """Return True if an object has a value at the path of a rule."""
    if not path:
        return True
    first, rest = path[0], path[1:]
    if isinstance(content, list):
        spend(1 + len(content), _ACTIVITY)
        if first is None:
            return any(has_value(each, rest) for each in content)
        if isinstance(first, str):  # in a JSON pointer
            first = whole_number(first) if first.isdecimal() else len(content)
        index = element_index(content, first)
        return index is not None and has_value(content[index], rest)
    return isinstance(content, dict) and first in content and has_value(content[first], rest)


def rules_of_application(application: Resource) -> Iterator[IgnoreRule]:
    """Yield the rules of an Application, or of the template of an ApplicationSet."""
    spec = object_at(application.content, "spec")
    if application.kind == "ApplicationSet":
        spec = object_at(spec, "template", "spec")
    source = f"ignoreDifferences of {application.kind} {application.name}"
    for each in _distinct(array_at(spec, "ignoreDifferences")):
        rule = object_at(each)
        yield _rule(source, text_at(rule, "group"), text_at(rule, "kind"), rule)


def rules_of_settings(settings: Resource, customizations: Mapping[str, Json]) -> Iterator[IgnoreRule]:
    """Yield the rules of the ConfigMap ``argocd-cm``.

    ``customizations`` maps its keys to their values, which are YAML, already parsed.
    """
    for key, value in customizations.items():
        group, _, kind = key.removeprefix(_CUSTOMIZATION).rpartition("_")
        source = f"{key} of ConfigMap {settings.name}"
        if key == f"{_CUSTOMIZATION}{_ALL}":
            group, kind = "*", "*"
        yield _rule(source, group, kind, object_at(value))


def is_customization(key: str) -> bool:
    """Return True if a key of ``argocd-cm`` has ignored differences."""
    return key.startswith(_CUSTOMIZATION)


def rules_of_kustomization(kustomization: Resource) -> Iterator[IgnoreRule]:
    """Yield the rules in ``spec.ignore`` of a Flux Kustomization; rules with selectors are not evaluated."""
    source = f"spec.ignore of Kustomization {kustomization.name}"
    for each in _distinct(array_at(kustomization.content, "spec", "ignore")):
        rule = object_at(each)
        target = object_at(rule, "target")
        selectors = [text for key in _SELECTORS if (text := text_at(target, key))]
        paths, broken = _pointers(rule, "paths")
        yield IgnoreRule(
            source,
            text_at(target, "group") or "*",
            text_at(target, "kind") or "*",
            text_at(target, "name"),
            text_at(target, "namespace"),
            () if selectors else tuple(paths),
            not_evaluated=(*selectors, *broken),
        )


def _distinct(elements: Sequence[Json]) -> Iterable[Json]:
    """Return the elements of a list, each that YAML aliases repeat once."""
    return {id(each): each for each in elements}.values()


def _rule(source: str, group: str, kind: str, content: JsonObject) -> IgnoreRule:
    paths, not_evaluated = _pointers(content, "jsonPointers")
    for expression in _texts(content, "jqPathExpressions"):
        path = _jq_path(expression)
        if path is None:
            not_evaluated.append(expression)
        else:
            paths.append(path)
    return IgnoreRule(
        source,
        group,
        kind,
        text_at(content, "name"),
        text_at(content, "namespace"),
        tuple(paths),
        tuple(_texts(content, "managedFieldsManagers")),
        tuple(not_evaluated),
    )


def _texts(content: JsonObject, key: str) -> Iterator[str]:
    yield from (text for text in array_at(content, key) if isinstance(text, str))


def _pointers(content: JsonObject, key: str) -> tuple[list[IgnoredPath], list[str]]:
    """Return the paths of JSON pointers, and the pointers that remove nothing: not even the whole object.

    evanphx/json-patch ``v4/patch.go`` ``findObject``: a path without a slash leads nowhere.
    """
    texts = [*_texts(content, key)]
    return [_pointer(text) for text in texts if "/" in text], [text for text in texts if "/" not in text]


def _pointer(text: str) -> IgnoredPath:
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:])


def _jq_path(expression: str) -> IgnoredPath | None:
    """Return the field that a jq path expression selects; None if it needs more of jq than is supported."""
    steps: list[Step] = []
    rest = expression.strip()
    while rest:
        part = _JQ_PART.match(rest)
        if part is None:
            return None
        rest = rest[part.end() :]
        if part["index"] == "":
            selected = _JQ_SELECT.match(rest)
            steps.append(ElementName(selected["key"], selected["value"]) if selected else None)
            rest = rest[selected.end() :] if selected else rest
        elif part["index"] is not None:
            steps.append(whole_number(part["index"]))
        else:
            steps.append(part["field"] if part["quoted"] is None else part["quoted"])
    return tuple(steps) or None


def _with_live_value(written: Json, live: Json, steps: IgnoredPath) -> Json:
    """Return ``written`` with the value of ``live`` at a path; without the path if ``live`` lacks it."""
    if not steps:
        return live
    first, rest = steps[0], steps[1:]
    if isinstance(written, list) and isinstance(live, list):
        if isinstance(first, str):  # in a JSON pointer
            return (
                _with_live_value(written, live, (whole_number(first), *rest))
                if first.isdecimal()
                else written
            )
        return _with_live_elements(written, live, first, rest)
    if not isinstance(first, str):
        return written
    written_fields, live_fields = object_at(written), object_at(live)
    spend(1 + len(written_fields) // _COPIED_PER_STEP, _ACTIVITY)
    if first not in written_fields and first not in live_fields:
        return written
    child = _with_live_value(written_fields.get(first), live_fields.get(first), rest)
    if child is not None and child is written_fields.get(first):
        return written
    if child is not None and (child != {} or first in written_fields or not rest):
        return {**written_fields, first: child}
    return {name: value for name, value in written_fields.items() if name != first}


def _with_live_elements(
    written: Sequence[Json], live: Sequence[Json], segment: Step, rest: IgnoredPath
) -> Json:
    """Return a list with the live values of one element, or of all elements without a ``segment``."""
    spend(1 + _STEPS_PER_ELEMENT * len(written), _ACTIVITY)
    if segment is None and not rest:
        return live
    selected = None if segment is None else element_index(written, segment)
    if not rest and segment is not None:
        index = element_index(live, segment)
        there = [] if index is None else [live[index]]
        if selected is None:
            return [*written, *there]
        return [*written[:selected], *there, *written[selected + 1 :]]
    pairs = named_elements(written, live)
    others = [*live] if pairs is None else [pairs[1].get(name) for name in pairs[0]]
    made: list[Json] = []
    for index, each in enumerate(written):
        other = others[index] if index < len(others) else None
        is_selected = other is not None and (segment is None or index == selected)
        made.append(_with_live_value(each, other, rest) if is_selected else each)
    return made if any(new is not old for new, old in zip(made, written, strict=True)) else written


class FluxPolicy(NamedTuple):
    """The policy of an object for Flux: ``ignores`` says why Flux ignores it; empty if Flux does not.

    ``merges``: fields that kubectl has added stay.
    """

    ignores: str = ""
    merges: bool = False


def flux_policy(written: Resource, live: Resource | None) -> FluxPolicy:
    """Return the policy of Flux for an object of Git; ``live`` is the cluster's object, if it exists."""
    for key, value in _flux_metadata(written, live):
        if (key, value) in _NOT_APPLIED:
            return FluxPolicy(_named(key, value))
    for key, value in _flux_metadata(written):
        if live is not None and (key, value) == ("ssa", "ifnotpresent"):
            return FluxPolicy(_named(key, value))
        if (key, value) == ("ssa", "merge"):
            return FluxPolicy(merges=True)
    return FluxPolicy()


def _named(key: str, value: str) -> str:
    return f"{_FLUX}/{key}: {_FLUX_VALUES[value]}"


def _flux_metadata(*resources: Resource | None) -> Iterator[tuple[str, str]]:
    for resource in resources:
        for metadata in () if resource is None else (resource.annotations, resource.labels):
            for key in ("reconcile", "ssa"):
                value = text_at(metadata, f"{_FLUX}/{key}").lower()
                if value:
                    yield key, value


def is_undone_by_flux(live: Resource, owner: Owner) -> bool:
    """Return True if Flux removes the fields that a manager has added to an object that it deploys."""
    return bool(text_at(live.labels, f"{_FLUX}/name")) and owner.manager.startswith(_UNDONE)
