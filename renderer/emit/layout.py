"""Cut a rendered overlay into files: resources in, text by relative path out. Pure.

The path of a resource's file is its pattern filled in, ``{namespace}/{kind}_{name}.yaml`` by default. A path
holds small letters, digits, ``.``, ``_`` and ``-``; anything else (the ``:`` of RBAC names) becomes ``-``.
Names that Windows reserves for devices, and names of kustomization files, get a ``-``; long names are cut and
get a digest. A resource without a namespace is in ``_default`` if its kind is known to have namespaces, as it
gets one from whoever applies it, and else in ``_cluster``. A resource without a group is in ``core``.

If a pattern has ``{name}``, each resource has a file of its own. If several resources get the same path
(names that differ only in case, one kind in two API groups), *all* of them get the next longer form until
they differ, so the result does not depend on their order:

1. the pattern as it is
2. with ``<kind>.<group>`` for the kind
3. as 2, and ``-<8 digits of a digest of group, version, kind, namespace and name>`` after the file's name
4. as 3, with the whole digest of these and of the content
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from renderer.emit.bounded_text import bounded_texts, text_of
from renderer.emit.ownership import LONGEST_PATH
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.digest import sha256
from renderer.model.entry_point import SKIP_MARK
from renderer.model.kube.cluster_wide import ClusterWideKinds
from renderer.model.kube.encryption import is_encrypted
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.resource import Resource
from renderer.model.masking import Masking
from renderer.model.pattern import pattern
from renderer.model.render_config import CLUSTER_FOLDER, DEFAULT_FOLDER, PER_RESOURCE, is_per_resource
from renderer.model.run.limits import limits
from renderer.yamlio.encode import encode, encode_in_order

_CORE_GROUP = "core"
_CATALOG, _RESOURCES = "catalog", "resources"
_CATALOG_GROUP = "instancetype.kubevirt.io"

_SAFE = "abcdefghijklmnopqrstuvwxyz0123456789._-"
_UNSAFE = pattern(r"[^a-z0-9._-]")
_WINDOWS_DEVICES = frozenset({"con", "prn", "aux", "nul", "com", "lpt"})
_WINDOWS_DEVICE = pattern(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|$)")
_NAMELESS = "_"
_KUSTOMIZATION = "kustomization"
_LONGEST = 120  # with the longest suffix still under the 255 bytes that file systems allow
#: A name that was cut, without its digest.
_CUT_NAME = pattern(rf"(.{{{_LONGEST - 9}}})-[0-9a-f]{{8}}")
#: The forms of a path: short, with the group, with a digest of the identity, with a digest of the content.
_SHORT, _GROUP, _IDENTITY, _CONTENT = range(4)
#: Characters of a piece, which needs up to 512 bytes with Python's header; the same for non-ASCII text.
_PIECE, _WIDE_PIECE = 460, 100


def file_paths(resources: Iterable[Resource], file_pattern: str) -> tuple[str, ...]:
    """Return the path of each resource by ``file_pattern`` (``model.render_config``), in the given order.

    If each has a file of its own, the paths are distinct, even if case is ignored. Raises
    ``DiagnosticError``: duplicate-id for resources with the same identity and content, output-invalid for a
    path that is too long.
    """
    resources = tuple(resources)
    namespaces = _NamespaceFolders(resources)
    paths = [_path(resource, file_pattern, _SHORT, namespaces) for resource in resources]
    forms = [_SHORT] * len(resources)
    is_shared = not is_per_resource(file_pattern)
    while not is_shared and (shared := {path for path, count in Counter(paths).items() if count > 1}):
        for index, resource in enumerate(resources):
            if paths[index] in shared:
                forms[index] = _next_form(forms[index], resource)
                paths[index] = _path(resource, file_pattern, forms[index], namespaces)
    if max(map(len, paths), default=0) > LONGEST_PATH:
        path, resource = max(zip(paths, resources, strict=True), key=lambda each: len(each[0]))
        raise Diagnostic(
            Code.OUTPUT_INVALID,
            f"the path of its file has {len(path)} characters; the maximum is {LONGEST_PATH}",
            hint="give files: a pattern that repeats less of the name",
            sites=resource.sites(FieldPath.of("metadata", "name")),
            resource=resource.current_id,
        ).error()
    return tuple(paths)


def object_file_name(name: str) -> str:
    """Return the file name of an object in a source folder: only its name, safe on every file system."""
    return f"{_safe(name)}.yaml"


def _next_form(form: int, resource: Resource) -> int:
    if form == _CONTENT:
        raise Diagnostic.about(
            resource,
            None,
            Code.DUPLICATE_ID,
            f"{resource.current_id} occurs twice",
            "give each of them its own name",
        ).error()
    return form + 1


class _NamespaceFolders:
    """The names of folders for the namespaces of resources."""

    def __init__(self, resources: Iterable[Resource]) -> None:
        self._cluster_wide = ClusterWideKinds(resources)

    def of(self, resource: Resource) -> str:
        if resource.namespace:
            return _safe(resource.namespace)
        return DEFAULT_FOLDER if self._cluster_wide.scope(resource) is False else CLUSTER_FOLDER


def _path(resource: Resource, file_pattern: str, form: int, namespaces: _NamespaceFolders) -> str:
    gvk = resource.gvk
    values = {
        "namespace": namespaces.of(resource),
        "kind": f"{gvk.kind}.{gvk.group}" if form >= _GROUP and gvk.group else gvk.kind,
        "name": resource.name,
        "group": gvk.group or _CORE_GROUP,
        "version": gvk.version,
        "part": _CATALOG if gvk.group == _CATALOG_GROUP else _RESOURCES,
    }
    *folders, file = (part.format_map(values) for part in file_pattern.split("/"))
    stem, _, suffix = file.rpartition(".")
    safe = _safe(stem if resource.name else stem.rstrip("_-.")) or _NAMELESS
    if safe == _KUSTOMIZATION:
        safe = f"{safe}-"
    above = (_safe(folder) or _NAMELESS for folder in folders)
    return "/".join((*above, f"{safe}{_digest_suffix(resource, form)}.{suffix}"))


def _digest_suffix(resource: Resource, form: int) -> str:
    if form < _IDENTITY:
        return ""
    gvk = resource.gvk
    identity = f"{gvk.group}\n{gvk.version}\n{gvk.kind}\n{resource.namespace}\n{resource.name}"
    if form == _IDENTITY:
        return f"-{sha256(identity)[:8]}"
    return f"-{sha256(identity + encode([resource.content]))}"


class PathMasking:
    """The search for confidential values in paths of files, as ``file_paths`` spells them there."""

    def __init__(self, values: Iterable[str], others: Sequence[PathMasking] = ()) -> None:
        values = tuple(values)
        spelled = (_spelled(value).strip(".") for value in values)
        self.search: Masking = Masking((*values, *spelled), others=[each.search for each in others])

    def mask(self, path: str) -> str:
        """Return the path with ``***`` for each value in it, also for one that is cut."""
        return self.search.mask("/".join(map(self._masked_name, path.split("/"))))

    def _masked_name(self, name: str) -> str:
        cut = _CUT_NAME.match(name)
        if cut is None:
            return name
        masked = self.search.mask(f"{cut[1]}…")  # as messages cut values, for which Masking looks
        return name if masked.endswith("…") else f"{masked}{name[cut.end() :]}"


def _spelled(text: str) -> str:
    name = text.lower()
    if name.strip(_SAFE):  # compile the expression only for unsafe names
        name = _UNSAFE.sub("-", name)
    return name


@lru_cache(maxsize=1024)
def _safe(text: str) -> str:
    """Return ``text`` as a file name that is valid on every file system; empty only if ``text`` is."""
    name = _spelled(text)
    name = name.lstrip(".").rjust(len(name), "-").rstrip(".").ljust(len(name), "-")
    if name[:3] in _WINDOWS_DEVICES and _WINDOWS_DEVICE.match(name):
        name = _WINDOWS_DEVICE.sub(r"\1-", name, count=1)
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 9]}-{sha256(text)[:8]}"


def layout(resources: Iterable[Resource], file_pattern: str = PER_RESOURCE) -> Mapping[str, str]:
    """Return the text of every file by path below the output folder (separated by ``/``), sorted by path.

    ``file_pattern`` assigns resources to files (``file_paths``); resources in one file keep the order of the
    set. Raises ``DiagnosticError`` as ``file_paths`` does, and build-limit for too much text.
    """
    resources = tuple(resources)
    return texts_by_path(resources, file_paths(resources, file_pattern))


def texts_by_path(resources: Iterable[Resource], paths: Iterable[str]) -> Mapping[str, str]:
    """Return the texts as in ``layout``, for resources and the path of each (``file_paths``).

    Each resource is freed once its text is made; the text reuses its memory (``_TextsByPath``).
    Raises ``DiagnosticError``: build-limit.
    """
    files = _grouped(zip(paths, resources, strict=True))
    del resources
    left = limits().output_size
    pieces: dict[str, tuple[str, ...]] = {}
    for path in sorted(files):
        text = "---\n".join(bounded_texts(files.pop(path), left, _file_text))
        left -= len(text)
        pieces[path] = pieces_of(text)
    return _TextsByPath(pieces)


def _file_text(resource: Resource) -> str:
    """Return the text of a resource in its file.

    Keys are sorted, except in an object that SOPS has encrypted: its MAC depends on the order of its values
    (``sops.go`` Encrypt), and ``sops decrypt`` verifies the MAC. The mark that makes Argo CD skip a file is
    escaped.
    """
    text = encode_in_order(resource.content) if is_encrypted(resource) else text_of(resource)
    if SKIP_MARK not in text:
        return text
    in_json = json.dumps(resource.content, indent=2, sort_keys=not is_encrypted(resource))
    return in_json.replace(SKIP_MARK, f"\\u002b{SKIP_MARK[1:]}") + "\n"


def _grouped(resources: Iterable[tuple[str, Resource]]) -> dict[str, list[Resource]]:
    files: dict[str, list[Resource]] = {}
    for path, resource in resources:
        files.setdefault(path, []).append(resource)
    return files


class _TextsByPath(Mapping[str, str]):
    """Texts by path, stored in pieces that fit into the memory that resources free.

    Python keeps objects of up to 512 bytes in its own pages. Freed resources leave gaps in all of these pages
    but seldom a whole page, so few pages go back to the system. A whole text would need additional pages of
    the system.
    """

    def __init__(self, pieces: Mapping[str, tuple[str, ...]]) -> None:
        self._pieces = pieces

    def __getitem__(self, path: str) -> str:
        return "".join(self._pieces[path])

    def __iter__(self) -> Iterator[str]:
        return iter(self._pieces)

    def __len__(self) -> int:
        return len(self._pieces)


def pieces_of(text: str) -> tuple[str, ...]:
    """Return the text in pieces of up to 512 bytes each."""
    most = _PIECE if text.isascii() else _WIDE_PIECE
    return tuple([text[start : start + most] for start in range(0, len(text), most)])
