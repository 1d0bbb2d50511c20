"""The SSP object that the operator makes on OpenShift (``NewSSP`` in ``controllers/handlers/ssp.go``)."""

from __future__ import annotations

from renderer.kubevirt.hyperconverged.boot_images import data_import_cron_templates, is_multi_architecture
from renderer.kubevirt.hyperconverged.feature_gates import MULTI_ARCH_IMPORT
from renderer.kubevirt.hyperconverged.object_fields import Setting
from renderer.kubevirt.hyperconverged.release import OperatorFacts, OperatorRelease
from renderer.kubevirt.hyperconverged.settings import Settings
from renderer.kubevirt.hyperconverged.tls import security_profile
from renderer.model.kube.json import Json, JsonObject, object_at

_COMMON_INSTANCETYPES_SINCE = OperatorRelease(1, 11)
#: From here on virt-operator deploys common instance types, and Tekton tasks are not deployed.
_NO_INSTANCETYPES_SINCE = OperatorRelease(1, 12)
_TOKENS_SINCE = OperatorRelease(1, 14)
#: The API version v1beta3, without gates.
_V1BETA3_SINCE = OperatorRelease(1, 16)


def ssp_spec(settings: Settings, facts: OperatorFacts) -> JsonObject:
    """Return the spec before it goes through Go's types; fields that are not set may be None."""
    namespace = settings.get(Setting.COMMON_TEMPLATES_NAMESPACE)
    spec: dict[str, Json] = {
        "commonTemplates": {
            "dataImportCronTemplates": data_import_cron_templates(settings, facts),
            "namespace": "openshift" if namespace is None else namespace,
        },
        "templateValidator": {"placement": settings.get(Setting.INFRA_PLACEMENT), "replicas": 2},
        "tlsSecurityProfile": security_profile(settings),
    }
    proxy = settings.get(Setting.VM_CONSOLE_PROXY)
    if settings.release >= _TOKENS_SINCE and proxy is not None:
        spec["tokenGenerationService"] = {"enabled": proxy}
    if settings.release < _NO_INSTANCETYPES_SINCE:
        spec["tektonPipelines"] = {"namespace": _namespace(settings, Setting.TEKTON_PIPELINES_NAMESPACE)}
        spec["tektonTasks"] = {"namespace": _namespace(settings, Setting.TEKTON_TASKS_NAMESPACE)}
    if settings.release < _V1BETA3_SINCE:
        return {**spec, "featureGates": _gates(settings)}
    return {
        **spec,
        "cluster": {
            "controlPlaneArchitectures": [*facts.control_plane_architectures],
            "workloadArchitectures": [*facts.workload_architectures],
        },
        "enableMultipleArchitectures": _multiple_architectures(settings),
    }


def _namespace(settings: Settings, setting: Setting) -> Json:
    said = settings.get(setting)
    return settings.namespace if said is None else said


def _gates(settings: Settings) -> JsonObject:
    gates: dict[str, Json] = {}
    if settings.release < _TOKENS_SINCE:
        gates["deployVmConsoleProxy"] = settings.get(Setting.VM_CONSOLE_PROXY)
    if settings.release < _NO_INSTANCETYPES_SINCE:
        gates["deployTektonTaskResources"] = settings.has_gate("deployTektonTaskResources")
    if settings.release >= _COMMON_INSTANCETYPES_SINCE:
        gates["deployCommonInstancetypes"] = settings.release < _NO_INSTANCETYPES_SINCE
    return gates


def _multiple_architectures(settings: Settings) -> Json:
    """Return the switch; from 1.19 on it is always written, before only if the gate is."""
    if settings.release < (1, 19):
        return object_at(settings.spec, "featureGates").get(MULTI_ARCH_IMPORT)
    return is_multi_architecture(settings)
