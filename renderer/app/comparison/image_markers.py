"""Images that Flux's image automation may write into the sources of overlays after a change.

The controller replaces the value before a comment ``{"$imagepolicy": "NAMESPACE:NAME"}`` by the latest image
of that policy, and commits it (image-automation-controller ``pkg/update/setters.go``
``UpdateWithSetters``). A pull request that adds one changes nothing by itself, and what the controller
commits later may be in no pull request. So does one that changes an ImagePolicy, the ImageRepository that it
reads, or an ImageUpdateAutomation, or ends a pause of these. The image of a container in a Deployment or the
like is not one that a machine boots from.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from renderer.app.comparison.manifests_with import documents_of, manifests_with
from renderer.app.comparison.side import Side
from renderer.files.file_system import is_inside, readable_content
from renderer.model.difference import OverlayDifference
from renderer.model.kube.json import JsonObject, object_at, text_at
from renderer.model.pattern import pattern
from renderer.model.plural import listed
from renderer.model.run.work import spend
from renderer.pipeline.overlay_files import OverlayFiles

_MARKER = pattern(rb"#[ \t]{0,9}(\{[ \t]{0,9}\"\$imagepolicy\"[^}\n]{1,200}\})")
#: The field with an image that a machine boots from.
_DISK = b"containerDisk"
_WORKLOAD = pattern(
    rb"(?m)^kind:[ \t]{1,9}(?:Deployment|StatefulSet|DaemonSet|ReplicaSet|Job|CronJob|Pod)[ \t\r]{0,9}$"
)
#: What a marker names: the namespace and name of a policy, and perhaps a part of the image.
_NAMED = pattern(rb"\"\$imagepolicy\"[ \t]{0,9}:[ \t]{0,9}\"([^\":]*):([^\":]*)")
_GROUP = b"image.toolkit.fluxcd.io/"
_POLICY, _REPOSITORY, _UPDATE = "ImagePolicy", "ImageRepository", "ImageUpdateAutomation"
#: The fields that decide which image is written, and where.
_DECIDING: Mapping[str, tuple[str, ...]] = {
    _POLICY: ("imageRepositoryRef", "policy", "filterTags", "digestReflectionPolicy"),
    _REPOSITORY: ("image", "exclusionList"),
    _UPDATE: ("sourceRef", "policySelector"),
}
_MAY_WRITE = "may write other images from now on"
_MOST_PLACES = 5


class _Automation(NamedTuple):
    """An object of image automation that changes: what it writes at markers of ``policies`` in a ``folder``.

    ``policies`` are namespaces and names; None for all.
    """

    label: str
    folder: str
    policies: frozenset[tuple[str, str]] | None


def with_new_markers(
    differences: Sequence[OverlayDifference], sides: tuple[Side, Side], changed: Iterable[str]
) -> list[OverlayDifference]:
    """Return the differences; one is not complete if automation may write another image of a container disk.

    By a new marker in its files, or by an object of image automation that changes.
    """
    changed = frozenset(changed)
    before, after = sides
    places = {path: lines for path in changed if (lines := [*_new_markers(before, after, path)])}
    automations = [*_changed_automations(before, after, changed)]
    if not places and not automations:
        return [*differences]

    @cache
    def has_disk(path: str) -> bool:
        return _DISK in (readable_content(after.fs, path) or b"")

    @cache
    def markers(path: str) -> Sequence[tuple[int, bytes]]:
        return [*_markers(readable_content(after.fs, path) or b"")]

    files = OverlayFiles(after.fs, after.graph)
    found: list[OverlayDifference] = []
    for each in differences:
        overlay = after.overlays.get(each.path)
        own = files.of(overlay) if overlay else frozenset[str]()
        where = [f"{path}:{line}" for path in sorted(places.keys() & own) for line in places[path]]
        reasons = [f"image automation {_MAY_WRITE}: {listed(where, _MOST_PLACES)}"] if where else []
        spend(len(automations) * len(own), "looking for markers of image automation")
        for automation in automations:
            written = [
                f"{path}:{line}"
                for path in sorted(own)
                if is_inside(path, automation.folder)
                for line, marker in markers(path)
                if automation.policies is None or _is_of(marker, automation.policies)
            ]
            if written:
                reasons.append(f"{automation.label} {_MAY_WRITE}: {listed(written, _MOST_PLACES)}")
        for reason in reasons if any(map(has_disk, own)) else ():
            each = each.also_incomparable(reason)  # noqa: PLW2901 - one reason after the other
        found.append(each)
    return found


def _changed_automations(before: Side, after: Side, changed: Iterable[str]) -> Iterator[_Automation]:
    """Yield the objects that make automation write other images, or write again after a pause."""
    former, latter = (
        {key: spec for path in changed for key, spec in _automations(side, path)} for side in (before, after)
    )
    different = {key for key, spec in latter.items() if former.get(key) != spec}
    repositories = {key[1:] for key in different if key[0] == _REPOSITORY}
    users = manifests_with(after, {_POLICY}) if repositories else ()
    policies = [each for manifest in users for each in _automations(after, manifest.path)]
    for kind, namespace, name in sorted(different):
        label, spec = f"{kind} {name}", latter[kind, namespace, name]
        if kind == _UPDATE:
            yield _Automation(label, text_at(spec, "folder"), None)
            continue
        own = {(namespace, name)}
        if kind == _REPOSITORY:
            own = {
                key[1:]
                for key, each in policies
                if key[0] == _POLICY and _repository_of(key, each) == (namespace, name)
            }
        yield _Automation(label, ".", frozenset(own))


def _automations(side: Side, path: str) -> Iterator[tuple[tuple[str, str, str], JsonObject]]:
    """Yield the fields that decide which images are written, of each active object in a file."""
    content = readable_content(side.fs, path) or b""
    if _GROUP not in content or not side.listing.is_manifest(path):
        return
    for each in documents_of(content, path) or ():
        kind, spec = text_at(each, "kind"), object_at(each, "spec")
        fields = _DECIDING.get(kind)
        if (
            fields
            and spec.get("suspend") is not True
            and text_at(each, "apiVersion").startswith(_GROUP.decode())
        ):
            deciding = {field: spec.get(field) for field in fields}
            deciding["folder"] = posixpath.normpath(text_at(spec, "update", "path") or ".")
            deciding["git"] = {key: object_at(spec, "git").get(key) for key in ("checkout", "push")}
            yield (kind, text_at(each, "metadata", "namespace"), text_at(each, "metadata", "name")), deciding


def _repository_of(policy: tuple[str, str, str], spec: JsonObject) -> tuple[str, str]:
    reference = object_at(spec, "imageRepositoryRef")
    return text_at(reference, "namespace") or policy[1], text_at(reference, "name")


def _is_of(marker: bytes, policies: frozenset[tuple[str, str]]) -> bool:
    """Return True for a marker of one of the policies; Git may leave out the namespace of these."""
    match = _NAMED.search(marker)
    name = (match[1].decode(), match[2].decode()) if match else ("", "")
    return not policies.isdisjoint({name, ("", name[1])})


def _new_markers(before: Side, after: Side, path: str) -> Iterator[int]:
    """Yield the lines of a file with a marker that it did not have, and that is not in a workload."""
    content = readable_content(after.fs, path) or b""
    if b"$imagepolicy" not in content:
        return
    known = Counter(_MARKER.findall(readable_content(before.fs, path) or b""))
    for number, marker in _markers(content):
        if known[marker] > 0:
            known[marker] -= 1
        else:
            yield number


def _markers(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file with markers that are not in a workload, and the markers."""
    first = 1
    for document in content.split(b"\n---") if b"$imagepolicy" in content else ():
        is_workload = _WORKLOAD.search(document) is not None
        for number, line in enumerate(document.split(b"\n"), first):
            if not is_workload:
                yield from ((number, marker) for marker in _MARKER.findall(line))
        first += document.count(b"\n") + 1
