"""Where a VirtualMachine cannot have a custom size, as what is written would reach a cluster with it."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.instancetype.api.v1beta2 import is_incomplete, leaves_vcpus_to_vm
from renderer.instancetype.cause import Cause
from renderer.instancetype.custom.size import VCPUS, gives_vcpus
from renderer.instancetype.find import Found
from renderer.instancetype.matcher import INSTANCETYPE
from renderer.model.codes import Code
from renderer.model.field_path import FieldPath
from renderer.model.json import JsonObject
from renderer.model.release import Release


def unexpanded_causes(instancetype: Found | None, template: JsonObject, release: Release) -> Iterator[Cause]:
    """Why a VirtualMachine with that ``spec.template`` cannot be written with its matchers."""
    way_out = "expand this overlay (expand: applied, or defaults)"
    if gives_vcpus(template):
        yield Cause.at_field(
            VCPUS,
            Code.CUSTOM_SIZE,
            f"KubeVirt {release} does not know {VCPUS};"
            " its API server would drop it from a VM that is not expanded",
            f"{way_out}, or write sockets, cores and threads in its place",
        )
    if instancetype is not None and is_incomplete(instancetype.spec):
        yield _matcher_cause(
            instancetype,
            f"{instancetype} has no size of its own, and KubeVirt {release} knows no such instance types;"
            " a VM that is not expanded would not find it",
            f"{way_out}, or take an instance type that has a size",
        )


def unpinnable_causes(instancetype: Found | None, release: Release) -> Iterator[Cause]:
    """Why no ControllerRevision can keep the instance type of a VirtualMachine."""
    if instancetype is not None and is_incomplete(instancetype.spec):
        yield _matcher_cause(
            instancetype,
            f"{instancetype} has no size of its own, and a ControllerRevision of it is nothing that"
            f" KubeVirt {release} could read",
            "pin an instance type that has a size",
        )


def _matcher_cause(instancetype: Found, message: str, hint: str) -> Cause:
    left = "cpu" if leaves_vcpus_to_vm(instancetype.spec) else "memory"
    field = FieldPath.of("spec", left, "guest")
    return Cause(
        code=Code.CUSTOM_SIZE,
        field=str(INSTANCETYPE.path),
        at=INSTANCETYPE.path,
        message=message,
        hint=hint,
        related=(instancetype.left_to_vm(field),),
    )
