"""The annotation with a machine's hook sidecars, as virt-controller reads it (``pkg/hooks/hooks.go``)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import NoReturn, TypeAlias

from renderer.checks.rules.image_reference import image_problem
from renderer.kubevirt.facts.image_sources import HOOK_SIDECARS
from renderer.kubevirt.facts.kubernetes_names import dns_label_errors
from renderer.model.kube.json import Json, array_at, object_at, text_at
from renderer.model.placeholders import has_placeholder
from renderer.model.suggest import suggest

#: A message, and a hint.
_Problem: TypeAlias = tuple[str, str | None]

_NOT_CREATED = "so the machine gets no pod"
_EXAMPLE = '[{"image": "registry.example.org/hook:1"}]'
_TEXT, _TEXTS = "text", "list of texts"
#: The fields that Go decodes and their types; it matches names in any case, and ignores other fields.
_FIELDS: Mapping[str, str | Mapping[str, str]] = {
    "image": _TEXT,
    "imagepullpolicy": _TEXT,
    "command": _TEXTS,
    "args": _TEXTS,
    "configmap": {"name": _TEXT, "key": _TEXT, "hookpath": _TEXT},
    "pvc": {"name": _TEXT, "volumepath": _TEXT, "sharedcomputepath": _TEXT},
}
#: The same names as they are usually written.
_NAMES = (
    *("image", "imagePullPolicy", "command", "args", "configMap", "pvc"),
    *("name", "key", "hookPath", "volumePath", "sharedComputePath"),
)
_SIMILAR = 0.7
_PULL_POLICIES = ("", "Always", "IfNotPresent", "Never")


def hook_sidecar_problems(written: str) -> Iterator[_Problem]:
    """Yield what makes virt-controller, or the API server that gets the pod, reject the annotation."""
    try:
        sidecars: Json = json.loads(written, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        where = f" (character {error.pos + 1})" if isinstance(error, json.JSONDecodeError) else ""
        yield f"{HOOK_SIDECARS} is not JSON{where}, {_NOT_CREATED}", f"write a list, such as {_EXAMPLE}"
        return
    if sidecars is None:
        return
    if not isinstance(sidecars, list):
        yield f"{HOOK_SIDECARS} is not a list, {_NOT_CREATED}", f"write a list, such as {_EXAMPLE}"
        return
    for number, sidecar in enumerate(sidecars, 1):
        if isinstance(sidecar, dict):
            yield from _sidecar_problems(number, sidecar)
        elif sidecar is not None:
            yield f"hook sidecar {number} is not a mapping, {_NOT_CREATED}", None


def hook_images(written: str) -> Iterator[str]:
    """Yield the images of the hook sidecars; none if the annotation cannot be read."""
    try:
        sidecars: Json = json.loads(written)
    except (ValueError, RecursionError):
        return
    for sidecar in map(object_at, array_at(sidecars)):
        yield from (text_at(sidecar, key) for key in sidecar if key.lower() == "image")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _sidecar_problems(number: int, sidecar: Mapping[str, Json]) -> Iterator[_Problem]:
    fields = {key.lower(): value for key, value in sidecar.items()}
    yield from _mistyped_names(f"hook sidecar {number}", sidecar, _FIELDS)
    for key, expected in _FIELDS.items():
        if isinstance(expected, dict) and isinstance(fields.get(key), dict):
            yield from _mistyped_names(f"{key} of hook sidecar {number}", object_at(fields[key]), expected)
        yield from _type_problems(f"{key} of hook sidecar {number}", fields.get(key), expected)
    image, policy = fields.get("image"), fields.get("imagepullpolicy")
    problem = image_problem(image) if isinstance(image, str) and image else None
    if problem and not has_placeholder(image):
        yield f"hook sidecar {number}: {problem[0]}", problem[1]
    if isinstance(policy, str) and policy not in _PULL_POLICIES:
        yield (
            f"hook sidecar {number} has the imagePullPolicy {policy!r}, which the API server rejects",
            f"one of {', '.join(filter(None, _PULL_POLICIES))}",
        )
    for key in ("configmap", "pvc"):
        name = text_at({each.lower(): value for each, value in object_at(fields.get(key)).items()}, "name")
        for error in dns_label_errors(name) if name and not has_placeholder(name) else ():
            message = (
                f"{key} {name!r} of hook sidecar {number} is the name of a volume of the pod: it {error}"
            )
            yield message, None


def _mistyped_names(
    what: str, written: Mapping[str, Json], known: Mapping[str, str | Mapping[str, str]]
) -> Iterator[_Problem]:
    """Yield the fields that Go ignores, and that are nearly one that it does not find."""
    missing = [name for name in _NAMES if name.lower() in known.keys() - {key.lower() for key in written}]
    for key in written:
        near = suggest(key, missing, most=1, cutoff=_SIMILAR) if key.lower() not in known else ()
        if near:
            yield f"{what} has no field {key!r}, which virt-controller ignores", f"did you mean {near[0]}?"


def _type_problems(what: str, value: Json, expected: str | Mapping[str, str]) -> Iterator[_Problem]:
    """Yield each value of a type that Go cannot decode; it decodes null into anything."""
    if value is None:
        return
    if isinstance(expected, str):
        is_right = (
            isinstance(value, str)
            if expected == _TEXT
            else isinstance(value, list) and all(each is None or isinstance(each, str) for each in value)
        )
        if not is_right:
            yield f"{what} is not a {expected}, {_NOT_CREATED}", None
    elif not isinstance(value, dict):
        yield f"{what} is not a mapping, {_NOT_CREATED}", None
    else:
        for key, content in value.items():
            if key.lower() in expected:
                yield from _type_problems(f"{key} in {what}", content, expected[key.lower()])
