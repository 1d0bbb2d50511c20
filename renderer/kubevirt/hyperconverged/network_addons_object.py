"""The NetworkAddonsConfig that the operator makes (``controllers/handlers/networkAddons.go``)."""

from __future__ import annotations

from ipaddress import IPv6Address

from renderer.golang.duration import format_duration, parse_duration
from renderer.kubevirt.hyperconverged.cannot_make import CannotMakeCode, CannotMakeError
from renderer.kubevirt.hyperconverged.object_fields import Setting
from renderer.kubevirt.hyperconverged.release import OperatorFacts, OperatorRelease, Platform
from renderer.kubevirt.hyperconverged.settings import Settings
from renderer.kubevirt.hyperconverged.tls import security_profile
from renderer.model.kube.json import Json, JsonObject, object_at, text_at

#: Where the operator reads each interval, and its default.
_INTERVALS = {
    "caRotateInterval": ("ca", "duration", "48h"),
    "caOverlapInterval": ("ca", "renewBefore", "24h"),
    "certRotateInterval": ("server", "duration", "24h"),
    "certOverlapInterval": ("server", "renewBefore", "12h"),
}
_KUBE_MAC_POOL_SINCE = OperatorRelease(1, 17)
_IPAM_ON_DEMAND, _IPAM_SINCE = OperatorRelease(1, 13), OperatorRelease(1, 14)
_IPAM_NAMESPACE_SINCE = OperatorRelease(1, 16)


def network_addons_spec(settings: Settings, facts: OperatorFacts) -> JsonObject:
    """Return the spec before it goes through Go's types; fields that are not set may be None.

    Raises ``CannotMakeError`` for a name server without an IPv4 address.
    """
    name_server = settings.get(Setting.NAME_SERVER)
    if name_server and not _is_ipv4(str(name_server)):
        raise CannotMakeError(CannotMakeCode.NAME_SERVER, f"{name_server!r} is not an IPv4 address")
    pool = settings.object(Setting.KUBE_MAC_POOL) if settings.release >= _KUBE_MAC_POOL_SINCE else {}
    return {
        "kubeMacPool": {"rangeStart": pool.get("rangeStart"), "rangeEnd": pool.get("rangeEnd")},
        "kubeSecondaryDNS": _secondary_dns(settings, facts),
        "kubevirtIpamController": _ipam_controller(settings, facts),
        "linuxBridge": {},
        "multus": {},
        "ovs": {} if settings.annotation("deployOVS") == "true" else None,
        "placementConfiguration": _placements(settings),
        "selfSignConfiguration": _intervals(settings.object(Setting.CERTIFICATES)),
        "tlsSecurityProfile": security_profile(settings),
    }


def _secondary_dns(settings: Settings, facts: OperatorFacts) -> Json:
    if not settings.has_gate("deployKubeSecondaryDNS"):
        return None
    domain = facts.base_domain if facts.platform is Platform.OPENSHIFT else ""
    return {"domain": domain, "nameServerIP": settings.get(Setting.NAME_SERVER)}


def _is_ipv4(text: str) -> bool:
    """Return True for what ``IsIPv4String`` of k8s.io/utils accepts: zeros may lead, IPv6 may contain it."""
    if ":" in text:
        try:
            return IPv6Address(text).ipv4_mapped is not None
        except ValueError:
            return False
    parts = text.split(".")
    return len(parts) == 4 and all(part.isascii() and part.isdigit() and int(part) < 256 for part in parts)  # noqa: PLR2004 - four bytes


def _ipam_controller(settings: Settings, facts: OperatorFacts) -> Json:
    """Return the controller's settings: from 1.13 on, and there on demand."""
    asked = settings.release >= _IPAM_ON_DEMAND and settings.has_gate("deployKubevirtIpamController")
    if settings.release < _IPAM_SINCE and not asked:
        return None
    is_named = settings.release >= _IPAM_NAMESPACE_SINCE and facts.platform is Platform.OPENSHIFT
    return {"defaultNetworkNADNamespace": "openshift-ovn-kubernetes"} if is_named else {}


def _placements(settings: Settings) -> Json:
    infra = _placement(settings.object(Setting.INFRA_PLACEMENT))
    workloads = _placement(settings.object(Setting.WORKLOAD_PLACEMENT))
    return None if infra is None and workloads is None else {"infra": infra, "workloads": workloads}


def _placement(placement: JsonObject) -> Json:
    """Return a placement; None if it says nothing."""
    says_something = (
        placement.get("affinity") is not None or placement.get("tolerations") or placement.get("nodeSelector")
    )
    return placement if says_something else None


def _intervals(certificates: JsonObject) -> JsonObject:
    return {
        field: _duration(text_at(object_at(certificates, kind), name) or default)
        for field, (kind, name, default) in _INTERVALS.items()
    }


def _duration(text: str) -> str:
    nanoseconds = parse_duration(text)
    return text if nanoseconds is None else format_duration(nanoseconds)
