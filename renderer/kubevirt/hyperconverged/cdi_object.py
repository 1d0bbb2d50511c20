"""The CDI object that the operator makes (``NewCDI`` in ``controllers/handlers/cdi.go``)."""

from __future__ import annotations

from renderer.kubevirt.hyperconverged.kubevirt_object import certificates, uninstall_strategy
from renderer.kubevirt.hyperconverged.object_fields import Setting
from renderer.kubevirt.hyperconverged.release import OperatorRelease
from renderer.kubevirt.hyperconverged.settings import Settings
from renderer.kubevirt.hyperconverged.tls import security_profile
from renderer.model.kube.json import JsonObject, array_at, object_at

ANNOTATIONS: JsonObject = {"cdi.kubevirt.io/configAuthority": ""}

#: The feature gates of CDI, with the first and last minor release that turns them on.
_GATES = (
    ("HonorWaitForFirstConsumer", 10, 99),
    ("DataVolumeClaimAdoption", 12, 99),
    ("WebhookPvcRendering", 14, 18),
)
_LOG_VERBOSITY_SINCE = OperatorRelease(1, 11)


def cdi_spec(settings: Settings) -> JsonObject:
    """Return the spec before it goes through Go's types; fields that are not set may be None."""
    verbosity = settings.object(Setting.LOG_VERBOSITY)
    return {
        "certConfig": certificates(settings),
        "config": {
            "featureGates": [name for name, first, last in _GATES if first <= settings.release.minor <= last],
            "filesystemOverhead": settings.get(Setting.FILESYSTEM_OVERHEAD),
            "insecureRegistries": array_at(settings.object(Setting.STORAGE_IMPORT), "insecureRegistries")
            or None,
            "logVerbosity": verbosity.get("cdi") if settings.release >= _LOG_VERBOSITY_SINCE else None,
            "podResourceRequirements": settings.get(Setting.STORAGE_RESOURCES),
            "scratchSpaceStorageClass": settings.get(Setting.SCRATCH_SPACE_STORAGE_CLASS),
            "tlsSecurityProfile": security_profile(settings),
        },
        "infra": object_at(settings.get(Setting.INFRA_PLACEMENT)),
        "uninstallStrategy": uninstall_strategy(settings),
        "workload": object_at(settings.get(Setting.WORKLOAD_PLACEMENT)),
    }
