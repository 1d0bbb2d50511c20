"""Whether an instance type has what a preference requires, without a VirtualMachine that names both."""

from __future__ import annotations

from renderer.instancetype.behaviour import behaviour_of
from renderer.instancetype.catalog import Catalog, Scope
from renderer.instancetype.find import decoded
from renderer.instancetype.matcher import INSTANCETYPE, PREFERENCE
from renderer.instancetype.requirements import check_requirements
from renderer.instancetype.resolve import Selected
from renderer.model.json import object_at
from renderer.model.release import Release
from renderer.model.resource import Resource


def satisfies(instancetype: Resource, preference: Resource, release: Release) -> bool:
    """Whether CPU and memory are enough, as admission would find.

    The architecture is the VM's own, so that any is taken. Raises ``CauseError`` for one that the release
    cannot decode.
    """
    behaviour = behaviour_of(release)
    selected = Selected(
        decoded(instancetype, INSTANCETYPE, behaviour), decoded(preference, PREFERENCE, behaviour)
    )
    architecture = object_at(preference.content, "spec", "requirements").get("architecture")
    cause = check_requirements(selected, {"architecture": architecture}, Scope(Catalog(), ""), behaviour)
    return cause is None
