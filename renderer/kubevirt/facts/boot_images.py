"""The boot images that a cluster imports, and the DataSources that it makes for them.

A data import cron imports an image again and again, and manages a DataSource that refers to the newest
import. CDI copies the labels of a cron to its DataSource, and adds the labels that the image asks for. The
crons of the objects in a repository are read in ``hyperconverged/data_sources.py``.

SSP ``internal/operands/data-sources/reconcile.go``; CDI ``pkg/controller/dataimportcron-controller.go``,
``datasource-controller.go`` and ``util.go`` (``addLabelsFromTerminationMessage``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from renderer.kubevirt.facts.kinds import INSTANCETYPE, PREFERENCE
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import EMPTY, JsonObject, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.record import Record
from renderer.model.release import LATEST, Release

#: The namespace of boot images in OpenShift Virtualization, and with the operators as upstream builds them.
OPENSHIFT_IMAGES = "openshift-virtualization-os-images"
UPSTREAM_IMAGES = "kubevirt-os-images"
OS_IMAGE_NAMESPACES = (OPENSHIFT_IMAGES, UPSTREAM_IMAGES)
#: The architectures that a cluster can import images for.
ARCHITECTURES = ("amd64", "arm64", "s390x")

#: The annotation with which CDI fills a volume before anybody uses it.
IMMEDIATE_BINDING = "cdi.kubevirt.io/storage.bind.immediate.requested"
#: The annotation that switches a template off.
ENABLE_ANNOTATION = "dataimportcrontemplate.kubevirt.io/enable"
#: The annotation of a cron with the architectures of its image, separated by commas.
ARCHITECTURES_OF_CRON = "ssp.kubevirt.io/dict.architectures"
#: The first KubeVirt with a certain release of HyperConverged, whose minor is higher by ten.
_IMAGES_HAVE_LABELS_SINCE = Release(1, 2)  # with CDI 1.59 (#3103)
_TEMPLATES_HAVE_LABELS_UNTIL = Release(1, 3)  # HyperConverged f3434d63
_SEVERAL_ARCHITECTURES_SINCE = Release(1, 6)


class BootImage(Record):
    """The preference that an image asks for, or that each version of it asks for, since a release.

    ``elsewhere`` has the preferences for architectures other than amd64 that differ; None where not known.
    """

    preference: str | Mapping[str, str]
    since: Release = _IMAGES_HAVE_LABELS_SINCE
    elsewhere: Mapping[str, str | None] = {}


_RHEL8 = BootImage("rhel.8", Release(1, 4), {"s390x": None})
_RHEL9 = BootImage("rhel.9", Release(1, 4), {"arm64": "rhel.9.arm64", "s390x": None})
_RHEL10 = BootImage("rhel.10", Release(1, 5), {"arm64": "rhel.10.arm64", "s390x": None})
#: Images of registries, and image streams. All of them ask for the instance type u1.medium.
_IMAGES: Mapping[str, BootImage] = {
    # kubevirt/containerdisks ``cmd/medius/common/registry.go`` and ``artifacts/fedora/fedora.go`` (25091d7c).
    "quay.io/containerdisks/almalinux": BootImage({"9": "rhel.9", "10": "rhel.10"}),
    "quay.io/containerdisks/centos-stream": BootImage({"9": "centos.stream9", "10": "centos.stream10"}),
    "quay.io/containerdisks/debian": BootImage("debian"),
    "quay.io/containerdisks/fedora": BootImage(
        "fedora", elsewhere={"arm64": "fedora.arm64", "s390x": "fedora.s390x"}
    ),
    "quay.io/containerdisks/opensuse-leap": BootImage("opensuse.leap"),
    "quay.io/containerdisks/opensuse-microos": BootImage("opensuse.tumbleweed"),
    "quay.io/containerdisks/opensuse-tumbleweed": BootImage("opensuse.tumbleweed"),
    "quay.io/containerdisks/ubuntu": BootImage("ubuntu"),
    # RedHatQE/openshift-virtualization-tests ``tests/global_config.py`` and ``global_config_multiarch.py``,
    # branches cnv-4.19 to main; rhel9 was seen in a cluster with 4.18.2. 4.18 has KubeVirt 1.4.
    "registry.redhat.io/rhel8/rhel-guest-image": _RHEL8,
    "registry.redhat.io/rhel9/rhel-guest-image": _RHEL9,
    "registry.redhat.io/rhel10/rhel-guest-image": _RHEL10,
    "rhel8-guest": _RHEL8,
    "rhel9-guest": _RHEL9,
    "rhel10-guest": _RHEL10,
}


class CommonImage(Record):
    """A boot image that the operator imports by default: HyperConverged ``assets/dataImportCronTemplates``.

    Images that only OpenShift Virtualization adds are in the tests of Red Hat, as above; of these neither
    ``size`` nor ``architectures`` is known. ``since`` is a release of KubeVirt.
    """

    data_source: str
    image: str
    size: str = ""
    architectures: str = ""
    since: Release = Release(1, 0)
    openshift_only: bool = False

    @property
    def cron(self) -> str:
        """The name of its template."""
        return f"{self.data_source}-image-cron"

    def labels(self, release: Release) -> JsonObject:
        """Return the labels of its template with the operator that deploys a release of KubeVirt."""
        preference = _PREFERENCE_OF_TEMPLATE.get(self.data_source)
        if preference is None or release >= _TEMPLATES_HAVE_LABELS_UNTIL:
            return EMPTY
        return _labels("centos.9.stream" if release < (1, 1) and preference != "fedora" else preference)

    def managed(self, release: Release) -> ManagedDataSource:
        """Return its DataSource, if nothing changes the template."""
        return ManagedDataSource(
            self.data_source, None, self.labels(release), self.image, openshift_only=self.openshift_only
        )


#: The labels of the templates themselves; all name the instance type u1.medium.
_PREFERENCE_OF_TEMPLATE = {"centos-stream9": "centos.stream9", "fedora": "fedora"}
COMMON_IMAGES = (
    CommonImage("centos-stream9", "quay.io/containerdisks/centos-stream:9", "10Gi", "amd64,arm64,s390x"),
    CommonImage(
        "centos-stream10",
        "quay.io/containerdisks/centos-stream:10",
        "10Gi",
        "amd64,arm64,s390x",
        since=Release(1, 3),
    ),
    CommonImage("fedora", "quay.io/containerdisks/fedora:latest", "5Gi", "arm64,s390x,amd64"),
    CommonImage("rhel8", "rhel8-guest", openshift_only=True),
    CommonImage("rhel9", "rhel9-guest", openshift_only=True),
    CommonImage("rhel10", "rhel10-guest", since=Release(1, 5), openshift_only=True),
)
#: DataSources that SSP makes for OpenShift's templates. Without a cron, somebody fills them by hand.
#: SSP ``data/common-templates-bundle``, versions 0.25.0 to 0.35.0.
_TEMPLATE_DATA_SOURCES = frozenset(
    {
        *("centos-stream8", "centos-stream9", "centos6", "centos7", "fedora", "opensuse", "rhel7", "rhel8"),
        *("rhel9", "ubuntu", "win10", "win11", "win2k12r2", "win2k16", "win2k19", "win2k22", "win2k25"),
    }
)


class ManagedDataSource(Record):
    """A DataSource that a data import cron manages; no file has to write it.

    Without a ``namespace`` it is where the operator's boot images are. ``labels`` are the labels of the cron;
    ``image`` is what it imports, an image of a registry or an image stream. ``made_by`` is the object with
    the cron, at ``field``; None for a template that the operator adds. With ``architectures`` the cluster
    has one DataSource for each, whose name ends in it.
    """

    name: str
    namespace: str | None
    labels: JsonObject
    image: str
    made_by: Resource | None = None
    field: FieldPath = ROOT
    openshift_only: bool = False
    architectures: tuple[str, ...] = ()

    @property
    def places(self) -> tuple[str, ...]:
        """The namespaces that it may be in: which one depends on who built the operator."""
        if self.namespace is not None:
            return (self.namespace,)
        return (OPENSHIFT_IMAGES,) if self.openshift_only else OS_IMAGE_NAMESPACES

    @property
    def names(self) -> tuple[str, ...]:
        """Its name, and the names for single architectures."""
        return self.name, *(f"{self.name}-{architecture}" for architecture in self.architectures)

    def label(self, label: str, architecture: str, release: Release) -> str:
        """Return the value of a label for instance types and preferences; empty if it is not known.

        ``architecture`` is the architecture of the image.
        """
        return text_at(self.labels, label) or text_at(image_labels(self.image, architecture, release), label)


def image_labels(image: str, architecture: str, release: Release) -> JsonObject:
    """Return the labels of a volume that is imported from an image; empty if they are not known."""
    name, _, tag = image.partition("@")[0].partition(":")
    known = _IMAGES.get(name)
    if known is None or release < known.since:
        return EMPTY
    preference: str | None
    if isinstance(known.preference, str):
        preference = known.preference
    else:
        preference = known.preference.get(tag.partition(".")[0].partition("-")[0])
    preference = known.elsewhere.get(architecture, preference)
    return EMPTY if preference is None else _labels(preference)


def default_data_sources(release: Release) -> Iterator[ManagedDataSource]:
    """Yield the DataSources of the templates that the operator adds."""
    architectures = ARCHITECTURES if release >= _SEVERAL_ARCHITECTURES_SINCE else ()
    for image in COMMON_IMAGES:
        if release >= image.since:
            yield image.managed(release)._replace(architectures=architectures)


def is_made_by_operators(name: str, namespace: str) -> bool:
    """Return True if HyperConverged or SSP makes a DataSource of that name, whatever it refers to."""
    if namespace not in OS_IMAGE_NAMESPACES:
        return False
    defaults = (each for each in default_data_sources(LATEST) if namespace in each.places)
    return name in _TEMPLATE_DATA_SOURCES or any(name in each.names for each in defaults)


def is_enabled(template: JsonObject) -> bool:
    """Return False for a template whose annotation switches it off."""
    annotations = object_at(template, "metadata", "annotations")
    return ENABLE_ANNOTATION not in annotations or str(annotations[ENABLE_ANNOTATION]).lower() == "true"


def _labels(preference: str) -> JsonObject:
    return {INSTANCETYPE.name_label: "u1.medium", PREFERENCE.name_label: preference}
