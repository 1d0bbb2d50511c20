"""Whether a VirtualMachine with its instance type and preference is admitted.

KubeVirt ``pkg/instancetype/webhooks/vm/admitter.go`` and
``pkg/virt-api/webhooks/validating-webhook/admitters/vms-admitter.go``: the vCPUs can be spread, else nothing
conflicts, else, once defaulted, the requirements are met.
"""

from __future__ import annotations

from renderer.instancetype.apply.vmi import apply_to_template
from renderer.instancetype.apply_error import ApplyError, Party
from renderer.instancetype.behaviour import Behaviour, VmMemory
from renderer.instancetype.catalog import Scope
from renderer.instancetype.cause import Cause, CauseError, CrashError
from renderer.instancetype.conflict_cause import conflict_causes
from renderer.instancetype.custom.limits import limit_causes
from renderer.instancetype.defaults.devices import default_network
from renderer.instancetype.defaults.resources import (
    default_cpu_topology,
    default_guest_memory,
    default_requests,
)
from renderer.instancetype.defaults.vmi_spec import default_architecture
from renderer.instancetype.find import Found
from renderer.instancetype.requirements import check_requirements
from renderer.instancetype.resolve import Selected
from renderer.instancetype.spread import check_spread
from renderer.kubevirt.cluster import ClusterConfig
from renderer.model.field_path import FieldPath
from renderer.model.json import JsonObject, object_at
from renderer.model.record import Record


class Cluster(Record):
    """The cluster that is rendered for."""

    behaviour: Behaviour
    config: ClusterConfig = ClusterConfig()


class ConflictError(CauseError):
    """The VirtualMachine and its instance type set the same fields."""


def admit(selected: Selected, template: JsonObject, scope: Scope, cluster: Cluster) -> JsonObject:
    """The VirtualMachine's ``spec.template`` with everything applied, and nothing defaulted.

    Raises ``CauseError`` with the causes for which KubeVirt refuses it.
    """
    if selected.custom_size.vcpus is None:
        spread = check_spread(selected.instancetype, selected.preference, cluster.behaviour)
        if spread is not None:
            raise CauseError(spread)
    applied = apply(selected, template, scope, cluster.behaviour)
    beyond_limits = tuple(limit_causes(selected, applied))
    if beyond_limits:
        raise CauseError(*beyond_limits)
    _check_defaulted(selected, object_at(applied, "spec"), scope, cluster)
    return applied


def apply(selected: Selected, template: JsonObject, scope: Scope, behaviour: Behaviour) -> JsonObject:
    """The VirtualMachine's ``spec.template`` with instance type and preference applied.

    Raises ``ConflictError``, or ``CrashError`` for what cannot be applied.
    """
    instancetype, preference = selected.instancetype, selected.preference
    if instancetype is None and preference is None:
        return template
    try:
        applied = apply_to_template(
            _spec(instancetype),
            _spec(preference),
            template,
            behaviour,
            vm_gives_memory=selected.custom_size.memory is not None,
        )
    except ApplyError as error:
        raise CrashError(*_causes(error, selected)) from None
    if instancetype is not None and applied.conflicts:
        raise ConflictError(
            *conflict_causes(applied.conflicts, instancetype, template, scope, selected.custom_size)
        )
    return applied.template


def _check_defaulted(selected: Selected, vmi_spec: JsonObject, scope: Scope, cluster: Cluster) -> None:
    """Raises ``DefaultsError``, or ``CauseError`` for a requirement."""
    behaviour, config = cluster.behaviour, cluster.config
    default_network(vmi_spec, config, behaviour)
    if selected.preference is None or selected.preference.spec.get("requirements") is None:
        return
    vmi_spec = default_architecture(vmi_spec, config)
    if selected.instancetype is None:
        vmi_spec = default_requests(vmi_spec, config, behaviour)
        if behaviour.vm_memory is not VmMemory.AS_WRITTEN:
            vmi_spec = default_guest_memory(vmi_spec)
        vmi_spec = default_cpu_topology(vmi_spec)
    unmet = check_requirements(selected, vmi_spec, scope, behaviour)
    if unmet is not None:
        raise CauseError(unmet)


def _spec(found: Found | None) -> JsonObject | None:
    return None if found is None else found.spec


def _causes(error: ApplyError, selected: Selected) -> tuple[Cause, ...]:
    """What went wrong in applying: at the VirtualMachine's field, or at the matcher that leads to it."""
    party = {Party.INSTANCETYPE: selected.instancetype, Party.PREFERENCE: selected.preference}.get(
        error.party
    )
    causes = []
    for diagnostic in error.diagnostics:
        at = diagnostic.field or FieldPath.of("spec")
        matcher = at if party is None else party.matcher_type.path
        causes.append(
            Cause(
                code=diagnostic.code,
                field=str(matcher),
                at=matcher,
                message=diagnostic.message,
                hint=diagnostic.hint,
                related=() if party is None else (party.related(at),),
            )
        )
    return tuple(causes)
