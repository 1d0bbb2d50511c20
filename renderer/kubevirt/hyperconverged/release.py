"""Releases of the HyperConverged Cluster Operator, and the cluster that it runs in."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.golang.go_types import GoTypes, go_types
from renderer.kubevirt.facts.products import product_release
from renderer.model.kube.json import EMPTY, JsonObject
from renderer.model.record import Record
from renderer.model.release import Release
from renderer.model.text_enum import TextEnum
from renderer.model.whole_number import whole_number

_MAIN = "main"


class OperatorRelease(Record):
    """A minor release of the operator, ordered by age. Its branch ``main`` is the next minor."""

    major: int
    minor: int

    @classmethod
    def parse(cls, text: str) -> OperatorRelease:
        """Parse ``1.17``, ``v1.17.2`` or ``main``. Raises ``ValueError`` for anything else."""
        if text == _MAIN:
            return LATEST
        numbers = text.removeprefix("v").split(".")
        is_canonical = all(number.isdecimal() and str(whole_number(number)) == number for number in numbers)
        if len(numbers) not in (2, 3) or not is_canonical:
            raise ValueError(f"not a release of the HyperConverged operator: {text!r}")
        return cls(int(numbers[0]), int(numbers[1]))

    @classmethod
    def deploying(cls, kubevirt: Release) -> OperatorRelease | None:
        """Return the release that deploys a minor of KubeVirt; None for a minor before all known ones.

        It is the release of the product, if that is one that the operator belongs to.
        """
        row = product_release(kubevirt)
        if row is not None and row.hyperconverged:
            return cls.parse(row.hyperconverged)
        minor = kubevirt.minor_release
        found = [release for release, deployed in _KUBEVIRT.items() if deployed.minor_release <= minor]
        return min((each for each in found if each.kubevirt.minor_release == minor), default=None) or (
            LATEST if found else None
        )

    def __str__(self) -> str:
        return _MAIN if self == LATEST else f"{self.major}.{self.minor}"

    @property
    def known(self) -> OperatorRelease:
        """The release whose behaviour is known and that it behaves like: the nearest one."""
        return min(max(self, OLDEST), LATEST)

    @property
    def kubevirt(self) -> Release:
        """The release of KubeVirt that it deploys."""
        return _KUBEVIRT[self.known]

    @property
    def stores_v1(self) -> bool:
        """True if ``HyperConverged`` objects are stored as ``hco.kubevirt.io/v1``; else as ``v1beta1``."""
        return self >= (1, 19)

    @property
    def serves_v1(self) -> bool:
        """True if the API server accepts ``hco.kubevirt.io/v1``."""
        return self >= (1, 18)


OLDEST = OperatorRelease(1, 10)
LATEST = OperatorRelease(1, 20)

#: ``KUBEVIRT_VERSION`` in ``deploy/operator.yaml`` of each release.
_KUBEVIRT: Mapping[OperatorRelease, Release] = {
    OperatorRelease(1, 10): Release(1, 0, 1),
    OperatorRelease(1, 11): Release(1, 1, 1),
    OperatorRelease(1, 12): Release(1, 2, 2),
    OperatorRelease(1, 13): Release(1, 3, 1),
    OperatorRelease(1, 14): Release(1, 4, 1),
    OperatorRelease(1, 15): Release(1, 5, 3),
    OperatorRelease(1, 16): Release(1, 6, 6),
    OperatorRelease(1, 17): Release(1, 7, 4),
    OperatorRelease(1, 18): Release(1, 8, 4),
    OperatorRelease(1, 19): Release(1, 9, 0),
    OperatorRelease(1, 20): Release(1, 9, 0),
}


#: The oldest first.
KNOWN_RELEASES = tuple(_KUBEVIRT)


class Platform(TextEnum):
    """The distribution of Kubernetes, as far as the operator tells them apart."""

    OPENSHIFT = "OpenShift"
    KUBERNETES = "Kubernetes"


class OperatorEnvironment(Record):
    """Variables of the operator's Deployment that change what it makes.

    ``machine_type`` is ``MACHINETYPE``. ``machine_types`` maps an architecture to its variable, such as
    ``AMD64_MACHINETYPE``. ``smbios`` is the content of ``SMBIOS``, ``passt_image`` the image of the binding
    passt, where a release has one. Unset variables are empty.
    """

    kvm_emulation: bool = False
    smbios: JsonObject = EMPTY
    machine_type: str = ""
    machine_types: Mapping[str, str] = EMPTY
    passt_image: str = ""

    @classmethod
    def of(cls, release: OperatorRelease) -> OperatorEnvironment:
        """Return the variables in ``deploy/operator.yaml`` of a release."""
        return cls(
            smbios={"family": "KubeVirt", "manufacturer": "KubeVirt", "product": "None"},
            machine_types=_machine_types(release),
            passt_image=_PASST_IMAGES.get(release, ""),
        )


_PASST = "quay.io/kubevirt/network-passt-binding@sha256:"
#: ``PRIMARY_UDN_SIDECAR_IMAGE``, and from 1.16 on ``PASST_SIDECAR_IMAGE``.
_PASST_IMAGES: Mapping[OperatorRelease, str] = {
    OperatorRelease(1, 13): f"{_PASST}43846ec7a193b45fb3a43aee1b3364df282f5736fd88c9b4ed123b7b50fc6e4d",
    OperatorRelease(1, 14): f"{_PASST}1d29d2433d10d6f48782ac250d7d8a29e6eab9516e5758eecb6e924d4121264a",
    OperatorRelease(1, 16): f"{_PASST}db67b918238f3c98a5d0e4005eda6a4e9271b9713e43903cdc2bacebe727be69",
    OperatorRelease(1, 17): f"{_PASST}1c91d68bc8d4cb6d5565addf370941b8d795149299947f48a792a13a0f46fe5b",
    OperatorRelease(1, 18): f"{_PASST}47f06f3c1482bc3fa13741ea7d483ba054b24441edbde12469581b48e3c71ca3",
}


def _machine_types(release: OperatorRelease) -> Mapping[str, str]:
    if release < (1, 12):
        return EMPTY
    s390x = {"s390x": "s390-ccw-virtio"} if release >= (1, 17) else {}
    return {"amd64": "q35", "arm64": "virt", **s390x}


class OperatorFacts(Record):
    """What the operator asks its cluster for; by default a highly available OpenShift on amd64.

    ``base_domain`` is the domain of an OpenShift cluster, empty if it is not known.
    ``environment`` is None for the variables that the release is deployed with.
    """

    platform: Platform = Platform.OPENSHIFT
    control_plane_multi_node: bool = True
    control_plane_node_exists: bool = True
    infrastructure_highly_available: bool = True
    control_plane_architectures: tuple[str, ...] = ("amd64",)
    workload_architectures: tuple[str, ...] = ("amd64",)
    base_domain: str = ""
    environment: OperatorEnvironment | None = None


def operator_types(release: OperatorRelease) -> GoTypes:
    """Return the Go types that a release was built with: it unmarshals a patched text over its object."""
    return go_types("hyperconverged", release.known)
