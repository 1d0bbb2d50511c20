"""The answer of KubeVirt's ``expand-spec`` API (``pkg/instancetype/expand/expand.go``)."""

from __future__ import annotations

from renderer.instancetype.admission import Cluster, apply
from renderer.instancetype.behaviour import ExpandDefaults
from renderer.instancetype.catalog import Scope
from renderer.instancetype.defaults.devices import default_disks, default_network
from renderer.instancetype.defaults.vmi_object import default_vmi_object
from renderer.instancetype.defaults.vmi_spec import default_vmi_spec
from renderer.instancetype.resolve import Selected
from renderer.model.json import JsonObject, object_at


def expand_spec(selected: Selected, template: JsonObject, scope: Scope, cluster: Cluster) -> JsonObject:
    """The VirtualMachine's ``spec.template``, applied and defaulted as far as the release does it.

    Disks and the network are there before the preference is applied, which therefore reaches them; without
    a matcher nothing is done. Raises ``CauseError``.
    """
    behaviour, config = cluster.behaviour, cluster.config
    if behaviour.expand_defaults is ExpandDefaults.NONE:
        return apply(selected, template, scope, behaviour)
    applied = apply(selected, with_default_devices(template, cluster), scope, behaviour)
    spec = default_vmi_spec(object_at(applied, "spec"), config, behaviour)
    if behaviour.expand_defaults is ExpandDefaults.OBJECT:
        spec = default_vmi_object(spec, config.cpu_model)
    return {**applied, "spec": spec}


def with_default_devices(template: JsonObject, cluster: Cluster) -> JsonObject:
    """``spec.template`` as the release applies to it; the template itself for one that adds no defaults."""
    if cluster.behaviour.expand_defaults is ExpandDefaults.NONE:
        return template
    spec = default_disks(object_at(template, "spec"))
    return {**template, "spec": default_network(spec, cluster.config, cluster.behaviour)}
