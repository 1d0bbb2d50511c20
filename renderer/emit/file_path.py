"""The path of a resource's own file: ``<namespace or _cluster>/<kind>_<name>.yaml``, lower case.

What a path may hold is letters, digits, ``.``, ``_`` and ``-``; anything else (the ``:`` of RBAC names)
becomes ``-``. Names that Windows keeps for devices get a ``-``, long ones are cut and get a digest.

When several resources come to one path (names that differ in case only, one kind in two API groups), *all* of
them take the next longer form until they differ, so the result does not depend on their order:

1. ``<kind>_<name>``
2. ``<kind>.<group>_<name>``
3. ``<kind>.<group>_<name>-<8 digits of a digest of group, version, kind, namespace and name>``
4. as 3, with the whole digest of these and of the content
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from enum import IntEnum
from hashlib import sha256

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.resource import Resource
from renderer.yamlio.encode import encode

CLUSTER_FOLDER = "_cluster"

_UNSAFE = re.compile(r"[^a-z0-9._-]")
_OUTER_DOTS = re.compile(r"^\.+|\.+$")
_WINDOWS_DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|$)")
_LONGEST = 120  # with the longest suffix still under the 255 bytes that file systems allow


class _Form(IntEnum):
    SHORT = 1
    GROUP = 2
    DIGEST = 3
    CONTENT = 4


def file_paths(resources: Iterable[Resource]) -> tuple[str, ...]:
    """The path of each resource, in their order; no two are equal, even where case does not count.

    Raises ``DiagnosticError``: duplicate-id for resources of one identity and content.
    """
    resources = tuple(resources)
    forms = [_Form.SHORT] * len(resources)
    paths = [_path(resource, _Form.SHORT) for resource in resources]
    while shared := {path for path, count in Counter(paths).items() if count > 1}:
        for index, resource in enumerate(resources):
            if paths[index] in shared:
                forms[index] = _longer(forms[index], resource)
                paths[index] = _path(resource, forms[index])
    return tuple(paths)


def object_file_name(name: str) -> str:
    """The file of an object in a folder of sources: its name alone, safe on every file system."""
    return f"{_safe(name)}.yaml"


def _longer(form: _Form, resource: Resource) -> _Form:
    if form is _Form.CONTENT:
        raise DiagnosticError(
            Diagnostic(
                code=Code.DUPLICATE_ID,
                message=f"{resource.current_id} is there twice",
                sites=resource.sites(),
                resource=resource.current_id,
                hint="give each of them a name of its own",
            )
        )
    return _Form(form + 1)


def _path(resource: Resource, form: _Form) -> str:
    folder = _safe(resource.namespace) or CLUSTER_FOLDER
    return f"{folder}/{_stem(resource, form)}.yaml"


def _stem(resource: Resource, form: _Form) -> str:
    gvk, name = resource.gvk, resource.name
    kind = f"{gvk.kind}.{gvk.group}" if form >= _Form.GROUP and gvk.group else gvk.kind
    stem = _safe(f"{kind}_{name}" if name else kind)
    identity = f"{gvk.group}\n{gvk.version}\n{gvk.kind}\n{resource.namespace}\n{name}"
    if form is _Form.DIGEST:
        return f"{stem}-{_digest(identity)[:8]}"
    if form is _Form.CONTENT:
        return f"{stem}-{_digest(identity + encode([resource.content]))}"
    return stem


def _safe(text: str) -> str:
    """``text`` as a file name on every file system; empty only when ``text`` is."""
    name = _UNSAFE.sub("-", text.lower())
    name = _OUTER_DOTS.sub(lambda dots: "-" * len(dots[0]), name)
    name = _WINDOWS_DEVICE.sub(r"\1-", name, count=1) if _WINDOWS_DEVICE.match(name) else name
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 9]}-{_digest(text)[:8]}"


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
