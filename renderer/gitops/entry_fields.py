"""The formats of fields of entry points, and findings about malformed and empty fields.

Formats are as the API server enforces them (kustomize-controller ``api/v1/kustomization_types.go``, argo-cd
``pkg/apis/application/v1alpha1/types.go``), or as the engine needs them: names of namespaces, and
``parseStringToDuration`` for the retries of Argo CD.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.field_edit import SetField
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, object_at
from renderer.model.kube.resource import Resource
from renderer.model.pattern import pattern
from renderer.model.placeholders import has_placeholder
from renderer.model.plural import enumerated
from renderer.model.record import Record
from renderer.model.suggest import suggest

#: Maps from text to text in Flux's objects.
_MAPS = frozenset({"annotations", "labels", "matchLabels", "substitute"})
#: Fields of Flux's objects whose content has any form (``x-kubernetes-preserve-unknown-fields``).
_OF_ANY_FORM = frozenset({"patchesJson6902", "patchesStrategicMerge", "values"})
_GIVE_A_VALUE = "give it a value, or remove it"
_TRUE, _FALSE = ("true", "yes", "on"), ("false", "no", "off")


class TextFormat(Record):
    """A text that matches ``regex``; ``meaning`` describes it in messages."""

    regex: str
    meaning: str


#: The format of a field: a text format, or one of several words.
Format: TypeAlias = TextFormat | tuple[str, ...]

#: A boolean, not a string.
_FLAG = TextFormat("", "true or false")
_DURATION = TextFormat(r"([0-9]+(\.[0-9]+)?(ms|s|m|h))+", "a duration such as 30s, 10m or 1h30m")
#: A number without a unit is a number of seconds.
_RETRY = TextFormat(rf"[0-9]+|[-+]?{_DURATION.regex}", _DURATION.meaning)
_NAMESPACE = TextFormat(r"(?=.{1,63}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?", "the name of a namespace")

KUSTOMIZATION_FORMATS: Mapping[str, Format] = {
    "interval": _DURATION,
    "retryInterval": _DURATION,
    "timeout": _DURATION,
    "targetNamespace": _NAMESPACE,
    "deletionPolicy": ("MirrorPrune", "Delete", "WaitForTermination", "Orphan"),
    "sourceRef.kind": ("GitRepository", "OCIRepository", "Bucket", "ExternalArtifact"),
    "validation": ("none", "client", "server"),
    "decryption.provider": ("sops",),
    "force": _FLAG,
    "prune": _FLAG,
    "suspend": _FLAG,
    "wait": _FLAG,
}
APPLICATION_FORMATS: Mapping[str, Format] = {
    "destination.namespace": _NAMESPACE,
    "syncPolicy.automated.allowEmpty": _FLAG,
    "syncPolicy.automated.enabled": _FLAG,
    "syncPolicy.automated.prune": _FLAG,
    "syncPolicy.automated.selfHeal": _FLAG,
    "syncPolicy.retry.backoff.duration": _RETRY,
    "syncPolicy.retry.backoff.maxDuration": _RETRY,
}


def malformed_fields(entry: Resource, formats: Mapping[str, Format]) -> Iterator[Diagnostic]:
    """Yield an error for each field of the spec whose value does not match ``formats`` (by path).

    A field that is absent, null, empty or still to be filled in is skipped.
    """
    for dotted, expected in formats.items():
        *parents, name = dotted.split(".")
        value = object_at(entry.content, "spec", *parents).get(name)
        if value in (None, "") or has_placeholder(value) or _fits(value, expected):
            continue
        path = FieldPath(("spec", *parents, name))
        meaning = expected.meaning if isinstance(expected, TextFormat) else enumerated(expected, "or")
        message = f"{path} must be {meaning}, not {_describe(value)}"
        hint, right = _correction(value, expected)
        fix = None if right is None else SetField(path, right)
        yield Diagnostic.about(entry, path, Code.SCHEMA, message, hint, fix=fix)


def empty_fields(resource: Resource) -> Iterator[Diagnostic]:
    """Yield an error for each field of a Flux object's spec with nothing after it.

    Flux applies its own objects server-side, and no field that it names is nullable in their
    CustomResourceDefinitions, so that the API server refuses the null.
    """
    for path in _nulls(resource.content.get("spec"), FieldPath.of("spec")):
        in_map = not _MAPS.isdisjoint(path.parent.segments[-1:])
        hint = 'write "" after it for the empty text, or remove it' if in_map else _GIVE_A_VALUE
        message = f"{path} has nothing after it, and the API server refuses a null there"
        yield Diagnostic.about(resource, path, Code.FLUX_KUSTOMIZATION, message, hint)


def _nulls(value: Json, path: FieldPath) -> Iterator[FieldPath]:
    if value is None:
        yield path
    elif isinstance(value, dict):
        for key, child in value.items():
            if key not in _OF_ANY_FORM:
                yield from _nulls(child, path.child(key))
    elif isinstance(value, list):
        for index, element in enumerate(value):
            yield from _nulls(element, path.child(index))


def _describe(value: Json) -> str:
    if isinstance(value, str):
        return f"the text {json.dumps(value, ensure_ascii=False)}"
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    return f"{'' if isinstance(value, bool) else 'the number '}{json.dumps(value)}"


def _fits(value: Json, expected: Format) -> bool:
    if expected is _FLAG:
        return isinstance(value, bool)
    if isinstance(expected, TextFormat):
        return isinstance(value, str) and pattern(expected.regex).fullmatch(value) is not None
    return value in expected


def _correction(value: Json, expected: Format) -> tuple[str | None, Json]:
    """Return a hint with the probable correction of the value, and the correction if there is exactly one."""
    text = value if isinstance(value, str) else json.dumps(value)
    if not isinstance(expected, TextFormat):
        near = suggest(text, expected)
        hint = f"did you mean {' or '.join(near)}?" if near else None
        return hint, near[0] if len(near) == 1 else None
    if expected is _FLAG:
        for flag, words in (("true", _TRUE), ("false", _FALSE)):
            if text.lower() in words:
                return f"did you mean {flag}, without quotes?", flag == "true"
        return None, None
    is_duration = expected in (_DURATION, _RETRY)
    suggested = _duration(text) if is_duration else text.lower().replace("_", "-").replace(" ", "-")
    return (f"did you mean {suggested}?", suggested) if _fits(suggested, expected) else (None, None)


def _duration(text: str) -> str:
    """Return ``10m`` for ``10 minutes``, ``600s`` for ``600`` and ``24h`` for ``1d``."""
    found = pattern(r"\s*([0-9]+)\s*+([a-zA-Z]*)\s*").fullmatch(text)
    if not found:
        return ""
    unit = found[2].lower() or "s"
    if unit.startswith("d"):
        return f"{24 * int(found[1][:9])}h"
    return found[1] + ("ms" if unit.startswith(("ms", "milli")) else unit[0])
