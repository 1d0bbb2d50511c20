"""TLS security profiles of OpenShift, and the configuration of KubeVirt that they become.

``config/v1/types_tlssecurityprofile.go`` of openshift/api, ``pkg/crypto/crypto.go`` of openshift/library-go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from renderer.kubevirt.facts.tls_versions import TLS_1_0, TLS_1_2, TLS_1_3, TLS_VERSIONS
from renderer.kubevirt.hyperconverged.cannot_make import CannotMakeCode, CannotMakeError
from renderer.kubevirt.hyperconverged.object_fields import Setting
from renderer.kubevirt.hyperconverged.release import OperatorRelease
from renderer.kubevirt.hyperconverged.settings import Settings
from renderer.model.kube.json import Json, JsonObject, array_at, text_at

_DEFAULT: JsonObject = {"type": "Intermediate", "intermediate": {}}
_MINIMUM = {"Old": TLS_1_0, "Intermediate": TLS_1_2, "Modern": TLS_1_3}
#: KubeVirt refuses ciphers beside TLS 1.3: since this release, none are written for the profile ``Modern``.
_NO_CIPHERS_OF_MODERN_SINCE = OperatorRelease(1, 15)
#: The names of the ciphers of TLS 1.3 are known since this release.
_TLS_13_SINCE = OperatorRelease(1, 15)
#: Ciphers that Go does not have left the profiles, and one came to the known ones.
_GO_CIPHERS_SINCE = OperatorRelease(1, 18)

_TLS_13 = ("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256")
#: IANA's names of the ciphers that OpenSSL names otherwise.
_IANA: Mapping[str, str] = {
    "ECDHE-ECDSA-AES128-GCM-SHA256": "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
    "ECDHE-RSA-AES128-GCM-SHA256": "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
    "ECDHE-ECDSA-AES256-GCM-SHA384": "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
    "ECDHE-RSA-AES256-GCM-SHA384": "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    "ECDHE-ECDSA-CHACHA20-POLY1305": "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
    "ECDHE-RSA-CHACHA20-POLY1305": "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
    "ECDHE-ECDSA-AES128-SHA256": "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256",
    "ECDHE-RSA-AES128-SHA256": "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256",
    "AES128-GCM-SHA256": "TLS_RSA_WITH_AES_128_GCM_SHA256",
    "AES256-GCM-SHA384": "TLS_RSA_WITH_AES_256_GCM_SHA384",
    "AES128-SHA256": "TLS_RSA_WITH_AES_128_CBC_SHA256",
    "ECDHE-ECDSA-AES128-SHA": "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
    "ECDHE-RSA-AES128-SHA": "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
    "ECDHE-ECDSA-AES256-SHA": "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
    "ECDHE-RSA-AES256-SHA": "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA",
    "AES128-SHA": "TLS_RSA_WITH_AES_128_CBC_SHA",
    "AES256-SHA": "TLS_RSA_WITH_AES_256_CBC_SHA",
    "DES-CBC3-SHA": "TLS_RSA_WITH_3DES_EDE_CBC_SHA",
}
_IANA_SINCE_GO_CIPHERS = {"ECDHE-RSA-DES-CBC3-SHA": "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA"}
_INTERMEDIATE = (
    *_TLS_13,
    "ECDHE-ECDSA-AES128-GCM-SHA256",
    "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE-RSA-AES256-GCM-SHA384",
    "ECDHE-ECDSA-CHACHA20-POLY1305",
    "ECDHE-RSA-CHACHA20-POLY1305",
)
#: The ciphers of each profile, without those that no release passes on to KubeVirt: they have no known name.
_CIPHERS: Mapping[str, Sequence[str]] = {
    "Old": (
        *_INTERMEDIATE,
        "ECDHE-ECDSA-AES128-SHA256",
        "ECDHE-RSA-AES128-SHA256",
        "ECDHE-ECDSA-AES128-SHA",
        "ECDHE-RSA-AES128-SHA",
        "ECDHE-ECDSA-AES256-SHA",
        "ECDHE-RSA-AES256-SHA",
        "AES128-GCM-SHA256",
        "AES256-GCM-SHA384",
        "AES128-SHA256",
        "AES128-SHA",
        "AES256-SHA",
        "DES-CBC3-SHA",
    ),
    "Intermediate": _INTERMEDIATE,
    "Modern": _TLS_13,
}


def security_profile(settings: Settings) -> JsonObject:
    """Return the TLS profile of an object: its own, else OpenShift's default."""
    profile = settings.get(Setting.TLS_SECURITY_PROFILE)
    return profile if isinstance(profile, dict) else _DEFAULT


def kubevirt_tls(settings: Settings) -> JsonObject:
    """Return ``tlsConfiguration`` of KubeVirt. Raises ``CannotMakeError`` for a type without ciphers."""
    profile = security_profile(settings)
    custom = profile.get("custom")
    if isinstance(custom, dict):
        ciphers, minimum = array_at(custom, "ciphers"), text_at(custom, "minTLSVersion")
    else:
        kind = text_at(profile, "type")
        if kind not in _MINIMUM:
            raise CannotMakeError(
                CannotMakeCode.CRASH, f"the operator crashes on the TLS profile type {kind!r}"
            )
        minimum = _MINIMUM[kind]
        is_modern = isinstance(profile.get("modern"), dict)
        no_ciphers = is_modern and settings.release >= _NO_CIPHERS_OF_MODERN_SINCE
        ciphers = [] if no_ciphers else [*_CIPHERS[kind]]
    return {
        "minTLSVersion": minimum if minimum in TLS_VERSIONS else TLS_1_2,
        "ciphers": _iana_names(ciphers, settings.release),
    }


def _iana_names(ciphers: Sequence[Json], release: OperatorRelease) -> list[Json]:
    """Return the names of the known ciphers."""
    names = {
        **_IANA,
        **(dict(zip(_TLS_13, _TLS_13, strict=True)) if release >= _TLS_13_SINCE else {}),
        **(_IANA_SINCE_GO_CIPHERS if release >= _GO_CIPHERS_SINCE else {}),
    }
    return [names[cipher] for cipher in ciphers if isinstance(cipher, str) and cipher in names]
