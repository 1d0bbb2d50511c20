"""The versions of TLS as KubeVirt and OpenShift name them, in ``minTLSVersion``."""

from __future__ import annotations

#: In their order, which is also the order of the texts.
TLS_VERSIONS = TLS_1_0, TLS_1_1, TLS_1_2, TLS_1_3 = tuple(f"VersionTLS1{minor}" for minor in range(4))
