"""The AAQ object that the operator makes (``NewAAQ`` in ``controllers/handlers/aaq.go``)."""

from __future__ import annotations

from renderer.kubevirt.hyperconverged.kubevirt_object import certificates
from renderer.kubevirt.hyperconverged.object_fields import Setting
from renderer.kubevirt.hyperconverged.release import OperatorRelease
from renderer.kubevirt.hyperconverged.settings import Settings
from renderer.kubevirt.hyperconverged.tls import security_profile
from renderer.model.kube.json import JsonObject, object_at

_SINCE = OperatorRelease(1, 11)
_GATE, _GATE_UNTIL = "enableApplicationAwareQuota", OperatorRelease(1, 18)


def deploys_aaq(settings: Settings) -> bool:
    """Return True if the operator makes the object."""
    if settings.release < _SINCE:
        return False
    # Up to 1.18 the gate of v1beta1 counts beside its field, though the webhook calls it ignored.
    gate = object_at(settings.spec, "featureGates").get(_GATE)
    is_on = gate is True and settings.release <= _GATE_UNTIL
    return is_on or settings.get(Setting.APPLICATION_AWARE_QUOTA) is True


def aaq_spec(settings: Settings) -> JsonObject:
    """Return the spec before it goes through Go's types; fields that are not set may be None."""
    said = settings.object(Setting.APPLICATION_AWARE_CONFIG)
    return {
        "certConfig": certificates(settings),
        "configuration": {
            "allowApplicationAwareClusterResourceQuota": said.get(
                "allowApplicationAwareClusterResourceQuota"
            ),
            "vmiCalculatorConfiguration": {
                "configName": said.get("vmiCalcConfigName") or "DedicatedVirtualResources"
            },
        },
        "imagePullPolicy": "IfNotPresent",
        "infra": object_at(settings.get(Setting.INFRA_PLACEMENT)),
        "namespaceSelector": said.get("namespaceSelector"),
        "priorityClass": "kubevirt-cluster-critical",
        "tlsSecurityProfile": security_profile(settings),
        "workload": object_at(settings.get(Setting.WORKLOAD_PLACEMENT)),
    }
