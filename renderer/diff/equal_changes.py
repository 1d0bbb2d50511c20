"""Judge equal changes once, of machines that differ only in name, namespace and labels.

A change of a base changes each machine of each overlay alike. What the cluster does with one depends on the
manifests of both sides, on what their references find, and on the cluster. The key of a change has all of
that. A name or namespace is left out of it if nothing else in the key has it, as nothing can compare it then;
and a judgement that mentions it is not shared.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterator
from hashlib import blake2b
from typing import Any, NamedTuple

from renderer.kubevirt.facts.firmware_uuid import uuid_of_name
from renderer.kubevirt.facts.launcher_pod import host_name
from renderer.kubevirt.impact.judge import Judgement
from renderer.model.kube.json import EMPTY, JsonObject, object_at, with_value
from renderer.model.kube.resource import Resource
from renderer.model.run.work import spend

_IDENTITY = ("name", "namespace")
_LABELS = (("metadata", "labels"), ("spec", "template", "metadata", "labels"))
#: Labels with this in their keys are KubeVirt's; it reads the keys of others alone.
_KUBEVIRT = "kubevirt.io"
#: In place of each name that nothing else has. A missing namespace is empty.
_ANY = "*"
#: Steps to compare a change with those that are known, and to judge it (``model.run.work``).
_STEPS_PER_CHANGE, _STEPS_PER_JUDGEMENT = 250, 2_250
_BYTES_PER_STEP = 1_000
_COMPARING = "comparing objects"
#: That of ``marshal``.
_ENCODING = "utf-8", "surrogatepass"


class MachineChange(NamedTuple):
    """The change of a VirtualMachine in place: its manifests before and after, and as KubeVirt applies them.

    ``facts`` are what its references find, and what is known of it alone, in plain values. ``surroundings``
    is the number of all else that may decide the judgement.
    """

    written: tuple[Resource, Resource]
    applied: tuple[Resource, Resource]
    facts: Any
    surroundings: int


class _Key(NamedTuple):
    """``digest`` is that of the machine's content; a name or namespace that nothing else has is ``_ANY``."""

    digest: bytes
    name: str
    namespace: str
    surroundings: int


class EqualChanges:
    """The judgements of one run, by the key of the change; None for those that mention the machine."""

    def __init__(self) -> None:
        self._judgements: dict[_Key, Judgement | None] = {}
        self._surroundings: list[object] = []

    def number_of(self, surroundings: object) -> int:
        """Return the number that equal surroundings have."""
        spend(len(self._surroundings), _COMPARING)
        if surroundings not in self._surroundings:
            self._surroundings.append(surroundings)
        return self._surroundings.index(surroundings)

    def judged(self, change: MachineChange | None, judge: Callable[[], Judgement]) -> Judgement:
        """Return the judgement of a change, by ``judge`` unless that of an equal one is known."""
        spend(_STEPS_PER_CHANGE, _COMPARING)
        key = None if change is None else _key_of(change)
        known = None if key is None else self._judgements.get(key)
        if known is not None:
            return known
        spend(_STEPS_PER_JUDGEMENT, _COMPARING)
        judgement = judge()._replace(running=EMPTY)
        if key is not None and change is not None and key not in self._judgements:
            name, namespace = _identity(change)
            words = [*_words_of_name(name)] if key.name == _ANY else []
            words += [namespace] if key.namespace == _ANY else []
            text = repr(judgement)
            is_shared = not any(word in text for word in words)
            self._judgements[key] = judgement if is_shared else None
        return judgement


def _key_of(change: MachineChange) -> _Key | None:
    """Return the key; None if a value is too deep, or of another type than JSON's."""
    seen = [_seen(*each) for each in zip(change.written, reversed(change.written), strict=True)]
    if change.applied != change.written:
        seen += [_seen(*each) for each in zip(change.applied, reversed(change.applied), strict=True)]
    try:
        content = marshal.dumps((seen, change.facts), 2)  # equal values have equal bytes here
    except ValueError:
        return None
    spend(len(content) // _BYTES_PER_STEP, _COMPARING)
    name, namespace = _identity(change)
    is_own_name = not any(word.encode(*_ENCODING) in content for word in _words_of_name(name))
    is_own_namespace = namespace.encode(*_ENCODING) not in content
    return _Key(
        blake2b(content).digest(),
        _ANY if is_own_name else name,
        _ANY if is_own_namespace else namespace,
        change.surroundings,
    )


def _identity(change: MachineChange) -> tuple[str, str]:
    after = change.written[1]
    return after.name, after.namespace


def _words_of_name(name: str) -> Iterator[str]:
    """Yield the texts that KubeVirt makes of a name: the host name, and the UUID."""
    yield host_name(name, EMPTY)
    yield uuid_of_name(name)


def _seen(machine: Resource, other: Resource) -> list[Any]:
    """Return the content without name and namespace, and the keys alone of labels that both sides have."""
    content = machine.content
    metadata = {key: value for key, value in object_at(content, "metadata").items() if key not in _IDENTITY}
    content = {**content, "metadata": metadata}
    keys: list[str] = []
    for path in _LABELS:
        labels = object_at(content, *path)
        if labels and labels == object_at(other.content, *path):
            of_kubevirt: JsonObject = {key: value for key, value in labels.items() if _KUBEVIRT in key}
            content = with_value(content, path, of_kubevirt)
            keys += [*path, *labels]
    return [content, keys]
