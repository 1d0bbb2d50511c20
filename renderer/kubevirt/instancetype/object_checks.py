"""Check instance types and preferences themselves: KubeVirt's rejections and warnings.

KubeVirt ``pkg/instancetype/webhooks/admitter.go`` and ``pkg/instancetype/preference/webhooks/admitter.go``.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kubevirt.facts.kinds import INSTANCETYPE, INSTANCETYPE_GROUP, MatcherType
from renderer.kubevirt.instancetype.api.object_meta import OBJECT_META
from renderer.kubevirt.instancetype.api.types import DecodeError, Decoding, Struct
from renderer.kubevirt.instancetype.behaviour import Behaviour
from renderer.kubevirt.instancetype.cause import CauseError, ExpansionCause
from renderer.kubevirt.instancetype.find import spec_type_of
from renderer.kubevirt.instancetype.topology import (
    THREADS_PER_CORE,
    Across,
    Topology,
    preferred_topology,
    spread_options,
)
from renderer.model.codes import Code
from renderer.model.field_edit import RemoveField, SetField
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY, Json, JsonObject, object_at, text_at
from renderer.model.kube.sharing import once_for_same
from renderer.model.record import Record

_KNOWN_SECTIONS = frozenset({"apiVersion", "kind", "metadata", "spec", "status"})
_API_VERSION = FieldPath.of("apiVersion")
_METADATA = FieldPath.of("metadata")
_SPEC = FieldPath.of("spec")
_OVERCOMMIT = FieldPath.of("spec", "memory", "overcommitPercent")
_HUGEPAGES = FieldPath.of("spec", "memory", "hugepages")
LAUNCH_SECURITY = FieldPath.of("spec", "launchSecurity")
_TOPOLOGY = FieldPath.of("spec", "cpu", "preferredCPUTopology")
_ACROSS = FieldPath.of("spec", "cpu", "spreadOptions", "across")
_RATIO = FieldPath.of("spec", "cpu", "spreadOptions", "ratio")
_MAX_PERCENT = 100
#: The prefix of deprecated topologies: preferCores is now cores.
_DEPRECATED = "prefer"


class ObjectVerdict(Record):
    """The causes for which an object is rejected, or the warnings about an accepted one."""

    causes: tuple[ExpansionCause, ...] = ()
    warnings: tuple[ExpansionCause, ...] = ()


@once_for_same
def check_object(content: JsonObject, matcher_type: MatcherType, behaviour: Behaviour) -> ObjectVerdict:
    """Check the created or changed instance type or preference ``content``.

    Raises ``CauseError`` for an object that cannot be decoded.
    """
    causes = tuple(_section_causes(content))
    if causes:
        return ObjectVerdict(causes)
    _decode_section(content, _METADATA, OBJECT_META)
    spec = object_at(_decode_section(content, _SPEC, spec_type_of(matcher_type)))
    if matcher_type is INSTANCETYPE:
        causes, warnings = tuple(_overcommit_causes(spec)), _instancetype_warnings(spec, behaviour)
    else:
        causes, warnings = tuple(_topology_causes(spec, behaviour)), _preference_warnings(spec, behaviour)
    if causes:
        return ObjectVerdict(causes)
    return ObjectVerdict(warnings=(*_version_warnings(content, behaviour), *warnings))


def _version_warnings(content: JsonObject, behaviour: Behaviour) -> Iterator[ExpansionCause]:
    """Warn about a deprecated version that is served; a version that is not served is reported elsewhere."""
    version = text_at(content, "apiVersion").rpartition("/")[2]
    if version.startswith("v1alpha") and version in behaviour.served_versions:
        message = f"{version} is deprecated, and KubeVirt 1.6 does not serve it"
        fix = SetField(_API_VERSION, f"{INSTANCETYPE_GROUP}/v1beta1")
        yield ExpansionCause.at_field(
            _API_VERSION, Code.DEPRECATED, message, "use v1beta1; the fields stay the same", fix=fix
        )


def _section_causes(content: JsonObject) -> Iterator[ExpansionCause]:
    """Yield the causes for which KubeVirt names no field."""
    for key in content:
        if key not in _KNOWN_SECTIONS:
            at = FieldPath.of(key)
            yield ExpansionCause.at_field(
                at, Code.RESOURCE_INVALID, f"{at} is unknown", "drop it", reported="", fix=RemoveField(at)
            )
    if "spec" not in content:
        yield ExpansionCause.at_field(_SPEC, Code.RESOURCE_INVALID, "there is no spec", reported="")


def _decode_section(content: JsonObject, section: FieldPath, section_type: Struct) -> Json:
    value = content.get(str(section))
    try:
        return section_type.decode(EMPTY if value is None else value, Decoding())
    except DecodeError as error:
        at = section.child(*error.field.segments)
        message = f"{at} {error.reason}"
        raise CauseError(ExpansionCause.at_field(at, Code.RESOURCE_INVALID, message)) from None


def _overcommit_causes(spec: JsonObject) -> Iterator[ExpansionCause]:
    memory = object_at(spec, "memory")
    percent = memory.get("overcommitPercent")
    if not isinstance(percent, int) or percent == 0:
        return
    if not 0 <= percent <= _MAX_PERCENT:
        message = f"{_OVERCOMMIT} must be from 0 to {_MAX_PERCENT}, not {percent}"
        yield ExpansionCause.at_field(_OVERCOMMIT, Code.RESOURCE_INVALID, message)
    if memory.get("hugepages") is not None:
        message = "memory in huge pages cannot be overcommitted"
        yield ExpansionCause.at_field(
            _OVERCOMMIT, Code.RESOURCE_INVALID, message, f"drop {_OVERCOMMIT} or {_HUGEPAGES}"
        )


def _topology_causes(spec: JsonObject, behaviour: Behaviour) -> Iterator[ExpansionCause]:
    topology = preferred_topology(spec, behaviour.topologies)
    if topology is None and behaviour.checks_topology_names:
        name = object_at(spec, "cpu").get("preferredCPUTopology")
        hint = f"use {', '.join(topology.value for topology in Topology)}"
        yield ExpansionCause.at_field(_TOPOLOGY, Code.TOPOLOGY, f'"{name}" is not a CPU topology', hint)
    if topology is Topology.SPREAD and behaviour.checks_spread_options:
        yield from _spread_causes(spec)


def _spread_causes(spec: JsonObject) -> Iterator[ExpansionCause]:
    options = spread_options(spec)
    if options.across is None:
        word = object_at(spec, "cpu", "spreadOptions").get("across")
        hint = f"use {', '.join(across.value for across in Across)}"
        yield ExpansionCause.at_field(_ACROSS, Code.TOPOLOGY, f'vCPUs cannot be spread across "{word}"', hint)
    elif options.across is Across.CORES_THREADS and options.ratio != THREADS_PER_CORE:
        message = f"vCPUs are spread across cores and threads in the ratio {THREADS_PER_CORE} only"
        cause = ExpansionCause.at_field(
            _RATIO, Code.TOPOLOGY, message, f"set {options.ratio_field}: {THREADS_PER_CORE}"
        )
        yield cause._replace(at=options.ratio_field)


def _instancetype_warnings(spec: JsonObject, behaviour: Behaviour) -> Iterator[ExpansionCause]:
    if behaviour.warns_of_launch_security and spec.get("launchSecurity") is not None:
        message = f"{LAUNCH_SECURITY} of instance types is deprecated"
        hint = "use spec.preferredLaunchSecurity of the preference"
        yield ExpansionCause.at_field(LAUNCH_SECURITY, Code.DEPRECATED, message, hint)


def _preference_warnings(spec: JsonObject, behaviour: Behaviour) -> Iterator[ExpansionCause]:
    name = object_at(spec, "cpu").get("preferredCPUTopology")
    if not behaviour.checks_topology_names or not isinstance(name, str) or not name.startswith(_DEPRECATED):
        return
    message = f"{_TOPOLOGY}: {name} is deprecated"
    yield ExpansionCause.at_field(
        _TOPOLOGY, Code.DEPRECATED, message, f"use {behaviour.topologies[name].value}"
    )
