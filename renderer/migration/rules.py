"""Which rules hold for which kinds, and what they make of an object."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from renderer.migration import discontinued, firmware, run_strategy, spread_ratio, topology
from renderer.migration.api_versions import of_object
from renderer.migration.change import Change, Finding
from renderer.model.field_edit import apply_edits
from renderer.model.json import JsonObject, object_at, text_at
from renderer.model.res_id import Gvk

_Rule: TypeAlias = Callable[[JsonObject], Iterator[Finding]]

_OF_INSTANCETYPE: tuple[_Rule, ...] = (discontinued.in_instancetype,)
_OF_PREFERENCE: tuple[_Rule, ...] = (
    topology.in_preference,
    spread_ratio.in_preference,
    firmware.in_preference,
)

#: By kind; the API version is looked at in all of them, and in all others of KubeVirt's groups.
_RULES: Mapping[str, tuple[_Rule, ...]] = {
    "VirtualMachine": (run_strategy.in_virtual_machine, discontinued.in_virtual_machine),
    "VirtualMachinePool": (run_strategy.in_pool, discontinued.in_pool),
    "VirtualMachineInstance": (discontinued.in_instance,),
    "VirtualMachineInstancePreset": (discontinued.in_preset,),
    "VirtualMachineInstanceReplicaSet": (discontinued.in_template,),
    "VirtualMachineInstancetype": _OF_INSTANCETYPE,
    "VirtualMachineClusterInstancetype": _OF_INSTANCETYPE,
    "VirtualMachinePreference": _OF_PREFERENCE,
    "VirtualMachineClusterPreference": _OF_PREFERENCE,
    "KubeVirt": (discontinued.in_kubevirt,),
}
_GROUP = "kubevirt.io"

#: What a file has in it that any rule has something to say of.
MENTIONS = re.compile(
    rb"running|v1alpha[123]|prefer|launchSecurity|liveUpdateFeatures|slirp|macvtap|passt"
    rb"|VirtualMachineInstancePreset|kind:\s*[\"']?KubeVirt|\"KubeVirt\""
)


def findings(content: JsonObject) -> Iterator[Finding]:
    """What there is to say of an object of KubeVirt's, or of a patch of one; nothing of any other."""
    gvk = Gvk.parse(text_at(content, "apiVersion"), text_at(content, "kind"))
    if gvk.group == _GROUP or gvk.group.endswith(f".{_GROUP}"):
        yield from of_object(content)
        for rule in _RULES.get(gvk.kind, ()):
            yield from rule(content)


def findings_in_part(part: JsonObject, kinds: str) -> Iterator[Finding]:
    """What there is to say of ``part`` of an object whose kind matches ``kinds``, if that says anything."""
    yield from of_object(part)
    rules = dict.fromkeys(
        rule
        for kind, of_kind in _RULES.items()
        if not kinds or _matches(kinds, kind)
        for rule in of_kind
        if rule is not discontinued.in_preset
    )
    for rule in rules:
        yield from rule(part)


def today(content: JsonObject) -> JsonObject:
    """The object with all that is deprecated in it written anew, whichever releases know that."""
    changes = [found for found in findings(content) if isinstance(found, Change)]
    for change in changes:
        content = object_at(apply_edits(content, change.edits))
    return content


def _matches(kinds: str, kind: str) -> bool:
    """kustomize ``api/types/selector.go``: anchored regular expressions."""
    try:
        return re.fullmatch(kinds, kind) is not None
    except re.error:
        return False
