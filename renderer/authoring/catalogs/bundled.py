"""The instance types and preferences that KubeVirt's operator deploys by itself.

The names were read from ``pkg/virt-operator/resource/generate/components/data/…/common-cluster*-bundle.yaml``
at each minor release's first and last tag up to v1.9.0. Patch releases add names and rarely drop any; the
table gives a minor release all names that any of its patch releases has. With ``KUBEVIRT_SOURCE`` set to a
clone of KubeVirt, ``tests/unit/authoring/catalogs/test_bundled.py`` compares them with every tag's files.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from renderer.kubevirt.facts.kinds import INSTANCETYPE, PREFERENCE
from renderer.model.record import Record
from renderer.model.release import NEWEST, Release


class _Span(Record):
    """Names that the releases from 1.``first`` to 1.``last`` deploy."""

    first: int
    last: int
    names: str


_LAST = NEWEST.minor
_SPANS = {
    INSTANCETYPE.cluster_kind: (
        _Span(1, 1, "highperformance.large highperformance.medium highperformance.small"),
        _Span(1, 1, "server.large server.medium server.micro server.small server.tiny"),
        _Span(1, 4, "gn1.2xlarge gn1.4xlarge gn1.8xlarge gn1.xlarge"),
        _Span(1, _LAST, "cx1.2xlarge cx1.4xlarge cx1.8xlarge cx1.large cx1.medium cx1.xlarge"),
        _Span(1, _LAST, "m1.2xlarge m1.4xlarge m1.8xlarge m1.large m1.xlarge"),
        _Span(1, _LAST, "o1.2xlarge o1.4xlarge o1.8xlarge o1.large o1.medium o1.xlarge"),
        _Span(
            1,
            _LAST,
            "u1.2xlarge u1.4xlarge u1.8xlarge u1.large u1.medium u1.micro u1.nano u1.small u1.xlarge",
        ),
        _Span(2, _LAST, "n1.2xlarge n1.4xlarge n1.8xlarge n1.large n1.medium n1.xlarge"),
        _Span(2, _LAST, "o1.micro o1.nano o1.small"),
        _Span(
            3,
            _LAST,
            "rt1.2xlarge rt1.4xlarge rt1.8xlarge rt1.large rt1.medium rt1.micro rt1.small rt1.xlarge",
        ),
        _Span(3, _LAST, "u1.2xmedium"),
        _Span(
            6, _LAST, "cx1.2xlarge1gi cx1.4xlarge1gi cx1.8xlarge1gi cx1.large1gi cx1.medium1gi cx1.xlarge1gi"
        ),
        _Span(6, _LAST, "m1.2xlarge1gi m1.4xlarge1gi m1.8xlarge1gi m1.large1gi m1.xlarge1gi"),
        _Span(8, _LAST, "d1.2xlarge d1.2xmedium d1.4xlarge d1.8xlarge d1.large d1.medium d1.micro d1.nano"),
        _Span(8, _LAST, "d1.small d1.xlarge"),
    ),
    PREFERENCE.cluster_kind: (
        _Span(1, 3, "windows.2k12 windows.2k12.virtio"),
        _Span(1, 4, "centos.7 centos.7.desktop centos.stream8 centos.stream8.desktop"),
        _Span(1, _LAST, "alpine centos.stream9 centos.stream9.desktop cirros fedora ubuntu"),
        _Span(1, _LAST, "rhel.7 rhel.7.desktop rhel.8 rhel.8.desktop rhel.9 rhel.9.desktop"),
        _Span(1, _LAST, "windows.10 windows.10.virtio windows.11 windows.11.virtio"),
        _Span(1, _LAST, "windows.2k16 windows.2k16.virtio windows.2k19 windows.2k19.virtio"),
        _Span(1, _LAST, "windows.2k22 windows.2k22.virtio"),
        _Span(2, 4, "centos.stream8.dpdk"),
        _Span(2, _LAST, "centos.stream9.dpdk rhel.8.dpdk rhel.9.dpdk"),
        _Span(
            3, _LAST, "centos.stream10 centos.stream10.desktop fedora.arm64 opensuse.leap opensuse.tumbleweed"
        ),
        _Span(3, _LAST, "rhel.10 rhel.10.arm64 rhel.9.arm64 rhel.9.realtime sles"),
        _Span(4, _LAST, "windows.2k25 windows.2k25.virtio"),
        _Span(5, _LAST, "debian fedora.s390x legacy linux linux.efi rhel.9.s390x"),
        _Span(
            6, _LAST, "linux.virtiotransitional oraclelinux rhel.10.s390x windows.2k12 windows.2k12.virtio"
        ),
        _Span(6, _LAST, "windows.2k3 windows.2k8 windows.2k8.virtio windows.7 windows.7.virtio windows.xp"),
    ),
}


@lru_cache
def bundled_names(release: Release) -> Mapping[str, frozenset[str]]:
    """Return the names by kind, empty for a release that has no such bundle (before 1.1).

    From 1.4 on, the operator always deploys them unless ``commonInstancetypesDeployment.enabled`` of the
    KubeVirt object is false. From 1.1 to 1.3 it deploys them if the gate
    ``CommonInstancetypesDeploymentGate`` is set (``pkg/virt-operator/resource/apply/reconcile.go``).
    """
    return {
        kind: frozenset(
            name for span in spans if span.first <= release.minor <= span.last for name in span.names.split()
        )
        for kind, spans in _SPANS.items()
    }
