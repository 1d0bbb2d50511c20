"""The objects of a dump that ``import --only`` names, and what the machines among them use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from renderer.adopt.dump.gather import Gathered, UserObject
from renderer.adopt.dump.user_objects import is_machine
from renderer.checks.rules.references import references
from renderer.golang.glob import file_path_match
from renderer.kubevirt.facts.kinds import CLUSTER_KINDS
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.kube.res_id import Reference, namespaced_name

NOT_SELECTED = "--only does not name it"
#: The kinds of claims that a name in a machine stands for.
_CLAIMS = {"PersistentVolumeClaim": ("DataVolume", "PersistentVolumeClaim")}


def selected(gathered: Gathered, patterns: Collection[str]) -> Gathered:
    """Return the objects whose ``namespace/name`` matches one of the patterns, and what they use.

    A star does not match a slash, so a pattern without one names objects without a namespace. Objects that a
    machine uses are disks, Secrets, ConfigMaps, networks, accounts, its instance type, its preference and its
    namespace.
    """
    named = [each for each in gathered.objects if any(_matches(each, pattern) for pattern in patterns)]
    used = {key for each in named for key in _used(each)}
    wanted = {id(each) for each in named}
    objects, left_out = [], Counter(gathered.left_out)
    for each in gathered.objects:
        if id(each) in wanted or each.resource.reference in used:
            objects.append(each)
        else:
            left_out[each.resource.kind, NOT_SELECTED] += 1
    return gathered._replace(objects=tuple(objects), left_out=left_out)


def unmatched(objects: Sequence[UserObject], patterns: Collection[str]) -> Iterator[str]:
    """Yield the patterns that no object matches."""
    for pattern in patterns:
        if not any(_matches(each, pattern) for each in objects):
            yield pattern


def qualified_name(each: UserObject) -> str:
    """Return ``namespace/name``, or the name of an object without a namespace."""
    return namespaced_name(each.resource.namespace, each.resource.name)


def _matches(each: UserObject, pattern: str) -> bool:
    return file_path_match(pattern, qualified_name(each))


def _used(each: UserObject) -> Iterator[Reference]:
    """Yield the objects that a machine uses, in every kind that a name allows."""
    resource = each.resource
    if not is_machine(resource.gvk.group, resource.kind):
        return
    yield "Namespace", "", resource.namespace
    view = VirtualMachineView.of(resource)
    if view is None:
        return
    for kind, found in references([view]).items():
        for reference in found:
            for named in _CLAIMS.get(kind, (kind,)):
                yield from ((named, reference.namespace, name) for name in reference.names())
    for kind, name in view.matched_objects():
        yield kind, ("" if kind in CLUSTER_KINDS else resource.namespace), name
