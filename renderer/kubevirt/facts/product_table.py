"""The releases of products that bring KubeVirt, as tables, and where each row was read.

A row is about the releases from the first to the last of one minor, or of several minors for Cozystack.
``-`` is an unknown value. A branch, such as ``main``, is what it held on the day it was read, 2026-08-21.
"""

from __future__ import annotations

from collections.abc import Mapping

#: First, last, KubeVirt, Kubernetes that KubeVirt is built for, CDI, SSP, virt-template. 1.19 is a branch.
HYPERCONVERGED = """
    1.10.0  1.10.7  1.0.1   -      1.57.0  0.18.3  -
    1.11.0  1.11.0  1.1.1   -      1.58.1  0.19.0  -
    1.11.1  1.11.1  1.1.1   -      1.58.3  0.19.1  -
    1.12.0  1.12.0  1.2.2   1.29   1.59.0  0.20.0  -
    1.13.0  1.13.0  1.3.1   1.30   1.60.3  0.21.1  -
    1.14.0  1.14.0  1.4.0   1.31   1.61.1  0.22.2  -
    1.15.0  1.15.2  1.5.2   1.32   1.62.0  0.23.1  -
    1.16.0  1.16.0  1.6.2   1.33   1.63.1  0.24.1  -
    1.17.0  1.17.1  1.7.1   1.34   1.64.0  0.24.1  -
    1.17.2  1.17.3  1.7.4   1.34   1.64.0  0.24.1  -
    1.18.0  1.18.1  1.8.4   1.35   1.65.0  0.25.0  0.1.8
    1.19    1.19    1.9.0   1.36   1.66.0  0.26.0  0.2.2
    main    main    1.9.0   1.36   1.66.0  0.27.0  0.2.2
"""
HYPERCONVERGED_SOURCE = "hack/config of {ref} in kubevirt/hyperconverged-cluster-operator"

#: OpenShift, the HyperConverged minor that it is built from, then as above, at the tip of that branch.
OPENSHIFT_VIRTUALIZATION = """
    4.14    1.10    1.0.1   -      1.57.0  0.18.3  -
    4.15    1.11    1.1.1   -      1.58.3  0.19.1  -
    4.16    1.12    1.2.2   1.29   1.59.2  0.20.0  -
    4.17    1.13    1.3.1   1.30   1.60.5  0.21.1  -
    4.18    1.14    1.4.1   1.31   1.61.5  0.22.3  -
    4.19    1.15    1.5.3   1.32   1.62.0  0.23.1  -
    4.20    1.16    1.6.6   1.33   1.63.1  0.24.1  -
    4.21    1.17    1.7.4   1.34   1.64.0  0.24.1  -
    4.22    1.18    1.8.4   1.35   1.65.0  0.25.0  0.1.8
    5.0     1.19    1.9.0   1.36   1.66.0  0.26.0  0.2.2
"""
OPENSHIFT_VIRTUALIZATION_SOURCE = (
    "ci-operator/config/kubevirt/hyperconverged-cluster-operator in openshift/release, which builds {ref} for"
    " it (read for 4.14, 4.18, 4.22 and 5.0, counted between them); hack/config of that branch"
)

#: First, last, KubeVirt, the minor of RKE2.
HARVESTER = """
    1.0.0   1.0.0   0.45.0  1.21
    1.0.1   1.0.2   0.49.0  1.21
    1.0.3   1.0.3   0.49.0  1.22
    1.1.0   1.1.3   0.54.0  1.24
    1.2.0   1.2.1   0.54.0  1.25
    1.2.2   1.2.2   1.1.1   1.26
    1.3.0   1.3.0   1.1.0   1.27
    1.3.1   1.3.1   1.1.1   1.27
    1.3.2   1.3.2   1.1.1   1.28
    1.4.0   1.4.0   1.2.2   1.29
    1.4.1   1.4.1   1.2.2   1.30
    1.4.2   1.4.3   1.3.1   1.31
    1.5.0   1.5.1   1.4.0   1.32
    1.5.2   1.5.2   1.4.1   1.32
    1.6.0   1.6.1   1.5.2   1.33
    1.7.0   1.7.1   1.6.3   1.34
    1.7.2   1.7.3   1.6.6   -
    1.8.0   1.8.1   1.7.0   1.35
    1.8.2   1.8.2   1.7.4   -
    master  master  1.8.4   1.35
"""
#: The feature gates that its chart turns on, each list from one release on.
HARVESTER_GATES: Mapping[str, str] = {
    "1.0.0": "LiveMigration HotplugVolumes",
    "1.1.0": "LiveMigration HotplugVolumes HostDevices",
    "1.3.0": "LiveMigration HotplugVolumes HostDevices GPU",
    "1.4.0": "LiveMigration HotplugVolumes HostDevices GPU CPUManager",
    "1.5.0": "LiveMigration HotplugVolumes HostDevices GPU CPUManager VMPersistentState",
    "1.6.0": "LiveMigration HotplugVolumes HostDevices GPU CPUManager VMPersistentState VMLiveUpdateFeatures"
    " ExpandDisks",
    "1.8.0": "CPUManager DeclarativeHotplugVolumes ExpandDisks EnableVirtioFsConfigVolumes HostDevices",
}
HARVESTER_SOURCE = (
    "deploy/charts/harvester/values.yaml of {ref} in harvester/harvester, scripts/version-rke2 of {ref} in"
    " harvester/harvester-installer"
)

#: First, last, KubeVirt, CDI. Cozystack names no release of Kubernetes.
COZYSTACK = """
    0.0.1   0.8.0   1.1.0   1.58.0
    0.9.0   0.12.0  1.2.2   1.58.0
    0.13.0  0.18.0  1.3.1   1.60.2
    0.19.0  0.33.3  1.4.0   1.61.0
    0.34.0  0.41.11 1.5.2   1.62.0
    1.0.0   1.3.6   1.6.3   1.64.0
    1.4.0   1.5.3   1.8.2   1.64.0
    1.5.4   1.6.2   1.8.4   1.64.0
    main    main    1.8.4   1.64.0
"""
#: The newest patch release of each minor; all earlier patches of it were released.
COZYSTACK_NEWEST = """
    0.0.1 0.1.0 0.2.0 0.3.1 0.4.0 0.5.0 0.6.0 0.7.0 0.8.0 0.9.1 0.10.4 0.11.0 0.12.0 0.13.0 0.14.1 0.15.0
    0.16.5 0.17.1 0.18.0 0.19.0 0.20.2 0.21.1 0.22.0 0.23.1 0.24.1 0.25.3 0.26.1 0.27.0 0.28.2 0.29.1 0.30.6
    0.31.2 0.32.1 0.33.3 0.34.8 0.35.5 0.36.3 0.37.10 0.38.8 0.39.5 0.40.7 0.41.11
    1.0.8 1.1.7 1.2.4 1.3.6 1.4.6 1.5.4 1.6.2
"""
COZYSTACK_SOURCE = (
    "the image of virt-operator in packages/system/kubevirt-operator of {ref} in cozystack/cozystack"
)

#: First, last, KubeVirt. The releases are those of the chart ``kubevirt``, not of SUSE Edge.
SUSE_EDGE = """
    0.1.0   0.1.0   0.58.0
    0.2.0   0.2.1   1.1.0
    0.2.2   0.2.5   1.1.1
    0.3.0   0.3.1   1.2.2
    0.4.0   0.4.0   1.3.1
    0.5.0   0.5.0   1.4.0
    0.6.0   0.6.1   1.5.2
    0.7.0   0.7.0   1.7.0
"""
SUSE_EDGE_SOURCE = "charts/kubevirt/*/Chart.yaml in suse-edge/charts"

#: First, last, KubeVirt. The releases are those of the chart ``kubevirt``.
COMMUNITY_STACK = """
    0.1.3   0.1.6   1.0.0
    0.2.0   0.2.8   1.2.0
    0.3.0   0.3.0   1.5.2
    0.4.0   0.4.0   1.6.2
    0.5.0   0.5.0   1.7.0
    0.7.0   0.7.1   1.8.1
"""
COMMUNITY_STACK_SOURCE = (
    "charts/kubevirt/Chart.yaml of kubevirt-{version} in cloudymax/kubevirt-community-stack"
)

#: First, last, the Kubernetes that KubeVirt is built for, virt-template.
KUBEVIRT = """
    1.0.0   1.0.1   -      -
    1.1.0   1.1.1   -      -
    1.2.0   1.2.2   1.29   -
    1.3.0   1.3.1   1.30   -
    1.4.0   1.4.1   1.31   -
    1.5.0   1.5.3   1.32   -
    1.6.0   1.6.6   1.33   -
    1.7.0   1.7.4   1.34   -
    1.8.0   1.8.2   1.35   0.1.7
    1.8.3   1.8.4   1.35   0.1.8
    1.9.0   1.9.0   1.36   0.2.2
"""
KUBEVIRT_SOURCE = (
    "docs/release_notes.md in kubevirt/user-guide; data/virt-template/install-virt-operator.yaml of {ref} in"
    " kubevirt/kubevirt"
)
