"""The operating system of a guest, as far as its machine shows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from renderer.model.kube.json import JsonObject, object_at

WINDOWS, LINUX = "windows", "linux"
#: The annotation with the operating system that OpenShift's console and templates write.
OS_ANNOTATION = "vm.kubevirt.io/os"
_LINUXES = (
    *("alma", "alpine", "amazon", "arch", "cachyos", "centos", "cirros", "coreos", "debian", "fedora"),
    *("flatcar", "linux", "opensuse", "oracle", "photon", "rhel", "rocky", "sles", "sled", "suse"),
    *("talos", "ubuntu"),
)


def guest_system(names: Iterable[str], domain: JsonObject) -> str:
    """Return ``windows`` or ``linux``; empty if the machine does not show it.

    ``names`` are those of its preference and operating system. The first that is known says it, else the
    Hyper-V features of its ``domain``, which only Windows uses.
    """
    for name in map(str.lower, names):
        if name.startswith("win"):
            return WINDOWS
        if name.startswith(_LINUXES):
            return LINUX
    return WINDOWS if any(enabled_features(object_at(domain, "features", "hyperv"))) else ""


def enabled_features(features: JsonObject) -> Iterator[str]:
    """Yield the names of the features that a domain, or its Hyper-V section, switches on."""
    for name, value in sorted(features.items()):
        if value is not None and object_at(value).get("enabled") is not False:
            yield name
