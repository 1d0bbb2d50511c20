"""Predict what the first sync of imported sources does to machines, and list the steps to take before it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping, Sequence

from renderer.adopt.dump.gather import UserObject
from renderer.adopt.dump.sources import SourceObject
from renderer.adopt.dump.user_objects import is_machine
from renderer.adopt.import_summary import ToSeal
from renderer.checks.rules.references import references
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView


def files_to_seal(output: str, objects: Sequence[SourceObject]) -> tuple[ToSeal, ...]:
    """Return the placeholders below ``output``, each with the machines that name its object."""
    views = (VirtualMachineView.of(each.resource) for each in objects if not each.is_placeholder)
    machines: dict[tuple[str, str, str], dict[str, None]] = {}
    for kind, found in references(view for view in views if view is not None).items():
        for each in found:
            for name in each.names():
                named = machines.setdefault((kind, each.namespace, name), {})
                named[f"{each.resource.namespace}/{each.resource.name}"] = None
    return tuple(
        ToSeal(
            posixpath.join(output, each.path),
            in_cluster=not each.moved_from,
            machines=tuple(machines.get(each.resource.reference, ())),
        )
        for each in objects
        if each.is_placeholder
    )


def restarts(found: Iterable[UserObject], objects: Sequence[SourceObject]) -> tuple[str, ...]:
    """Return the running machines whose start data moves to a Secret that is written.

    KubeVirt sets RestartRequired for a volume that names another source (``pkg/virt-controller/watch/vm``,
    ``addRestartRequiredIfNeeded``).
    """
    names = {
        machine for each in files_to_seal("", objects) if not each.in_cluster for machine in each.machines
    }
    return tuple(
        name
        for each in found
        if each.runs and (name := f"{each.resource.namespace}/{each.resource.name}") in names
    )


def applied_by(found: Iterable[UserObject], objects: Iterable[SourceObject]) -> Mapping[str, tuple[str, ...]]:
    """Return the written objects that somebody deploys today, machines first, by who does."""
    written = {each.resource.object_key for each in objects if not each.is_placeholder}
    by_engine: dict[str, list[str]] = {}
    for each in sorted(found, key=lambda each: not is_machine(each.resource.gvk.group, each.resource.kind)):
        if each.engine and each.resource.object_key in written:
            by_engine.setdefault(each.engine, []).append(str(each.resource.current_id))
    ordered = sorted(by_engine.items(), key=lambda each: -len(each[1]))
    return {engine: tuple(names) for engine, names in ordered}
