"""The order in which objects that fit a VirtualMachine equally well are taken.

The name that the VirtualMachine itself mentions comes first, the longest before the others: in a label or an
annotation, an image, a source of its disks, or its own name. Then cluster-wide objects, which KubeVirt
deploys, then the smallest name.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TypeAlias

from renderer.instancetype.catalog import Scope
from renderer.instancetype.find import Found
from renderer.kubevirt.kinds import CLUSTER_KINDS, MATCHER_TYPES
from renderer.model.json import Json, JsonObject, array_at, object_at, text_at

#: The place of an object in the order: the smallest is taken.
Place: TypeAlias = tuple[int, bool, str]

#: A label that is there to name the object counts more than a mention of any length elsewhere.
_NAMED = 1000
_NAMING_LABELS = frozenset(matcher_type.name_label for matcher_type in MATCHER_TYPES)


class Mentions:
    """The texts of a VirtualMachine in which the name of an instance type or preference may stand."""

    def __init__(self, vm: JsonObject) -> None:
        labels = object_at(vm, "metadata", "labels")
        self._named = frozenset(str(labels[key]) for key in _NAMING_LABELS & labels.keys())
        self._words = tuple({_letters(text) for text in _texts(vm) if text})
        self._known: dict[str, int] = {}

    def of(self, name: str) -> int:
        """Return how clearly the VM mentions a name; 0 where it does not."""
        if name not in self._known:
            self._known[name] = _NAMED if name in self._named else self._length(_letters(name))
        return self._known[name]

    def _length(self, letters: str) -> int:
        return len(letters) if letters and any(letters in word for word in self._words) else 0


@lru_cache(maxsize=4096)
def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def _texts(vm: JsonObject) -> Iterator[str]:
    template = object_at(vm, "spec", "template")
    for metadata in (object_at(vm, "metadata"), object_at(template, "metadata")):
        for key in ("labels", "annotations"):
            for label, value in object_at(metadata, key).items():
                yield from (text for text in (value, label.rpartition("/")[2]) if isinstance(text, str))
    for volume in array_at(template, "spec", "volumes"):
        yield text_at(volume, "containerDisk", "image")
    for each in array_at(vm, "spec", "dataVolumeTemplates"):
        spec = object_at(each, "spec")
        yield text_at(spec, "sourceRef", "name")
        for source in object_at(spec, "source").values():
            yield from _strings(source)
    yield text_at(vm, "metadata", "name")


def _strings(value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        yield from (each for each in value.values() if isinstance(each, str))


def in_order(members: tuple[Found, ...], mentions: Mentions, scope: Scope) -> tuple[Found, ...]:
    """Return those objects that a VM in ``scope`` sees, the first to take first."""
    visible = [
        each for each in members if scope.find(each.resource.kind, each.resource.name) is each.resource
    ]
    return tuple(sorted(visible, key=lambda found: order(found, mentions)))


def order(found: Found | None, mentions: Mentions) -> Place:
    """Return the place of an object among those that fit equally well: the smallest is taken."""
    if found is None:
        return 0, False, ""
    resource = found.resource
    return -mentions.of(resource.name), resource.kind not in CLUSTER_KINDS, resource.name
