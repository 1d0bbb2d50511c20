"""Machine types that the hypervisor in KubeVirt's images no longer has, or that it calls deprecated.

The images have been built of CentOS Stream 9 since KubeVirt 0.59 (``hack/rpm-deps.sh``). Its QEMU has the
machine types of Enterprise Linux 9; the types of Enterprise Linux 7.6 and 8 are marked as deprecated, older
ones are gone. Upstream's QEMU deletes a machine type six years after its release
(``docs/about/removed-features.rst``). KubeVirt reports a deprecated type in the metric
``kubevirt_node_deprecated_machine_types`` and in the alert DeprecatedMachineType.
"""

from __future__ import annotations

from renderer.model.pattern import pattern
from renderer.model.release import Release
from renderer.model.text_enum import TextEnum


class MachineTypeState(TextEnum):
    """What became of a machine type."""

    DEPRECATED = "deprecated"
    GONE = "gone"


_DEPRECATED = pattern(r"pc-(q35|i440fx)-rhel(7\.6|8\.[0-9]+)\.[0-9]+")
_GONE = pattern(
    r"pc-(q35|i440fx)-(rhel(7\.[0-5]|[0-6]\.[0-9]+)\.[0-9]+|[0-2]\.[0-9]+)|rhel[0-6]\.[0-9]+\.[0-9]+"
)

#: ``q35`` with a version, ``pc-q35`` without one, and versions of Enterprise Linux that lack its name or
#: the last number.
_UNKNOWN = pattern(r"q35.+|pc-q35-?|pc-q35-rhel[0-9]+\.[0-9]+|pc-q35-(?!4\.0\.1)[0-9]+\.[0-9]+\.[0-9]+")


def machine_type_state(machine_type: str) -> MachineTypeState | None:
    """Return what became of a machine type; None for one that is there, or may be."""
    if _DEPRECATED.fullmatch(machine_type):
        return MachineTypeState.DEPRECATED
    return MachineTypeState.GONE if _GONE.fullmatch(machine_type) else None


def successor(machine_type: str) -> str | None:
    """Return the type for a machine whose type is gone: the newest with the same chipset, if it is there.

    A guest of another chipset, such as i440fx, might not find its disks with q35. A type that is only
    deprecated still starts, and a newer one changes what the guest sees.
    """
    is_gone = machine_type_state(machine_type) is MachineTypeState.GONE
    return "q35" if is_gone and machine_type.startswith("pc-q35-") else None


def without_version(machine_type: str) -> str | None:
    """Return the name of the newest type, if it is written in the form of those with a version."""
    return "q35" if machine_type in ("pc-q35", "pc-q35-") else None


def is_unknown_machine_type(machine_type: str) -> bool:
    """Return True for a name that KubeVirt's patterns ``q35*`` and ``pc-q35*`` accept, but no hypervisor."""
    return _UNKNOWN.fullmatch(machine_type) is not None


#: The QEMU in the images, from the first release on that has it (``rpm/BUILD.bazel``, ``qemu-kvm-core``).
_QEMU = (
    (Release(0, 59), "7.2"),
    (Release(1, 1), "8.0"),
    (Release(1, 3), "8.2"),
    (Release(1, 4), "9.0"),
    (Release(1, 5), "9.1"),
    (Release(1, 8), "10.1"),
)


def hypervisor(release: Release) -> str:
    """Return ``QEMU 9.1``, which a release of KubeVirt has; the release itself if that is too old to know.

    The machine type ``q35`` is the newest one of it.
    """
    known = [version for since, version in _QEMU if since <= release]
    return f"QEMU {known[-1]}" if known else f"KubeVirt {release.major}.{release.minor}"
