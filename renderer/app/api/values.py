"""The values that the functions of the library return: findings, rendered overlays, a fleet.

They are frozen. In a notebook, those with findings or machines show themselves as tables.
"""

# ruff: noqa: PLC0415 - only notebooks need HTML

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, NamedTuple

from renderer.findings.located import Located
from renderer.model.diagnostic import Severity
from renderer.model.plural import plural
from renderer.model.quantity import Quantity, QuantityFormat
from renderer.model.render_config import Overlay
from renderer.model.resource import ResourceSet


class Findings(tuple[Located, ...]):
    """The findings of a call: a tuple of ``Diagnostic``, in the order in which one reads the files."""

    __slots__ = ()

    @property
    def errors(self) -> Findings:
        """The findings that keep a tree from being written."""
        return Findings(found for found in self if found.severity is Severity.ERROR)

    @property
    def warnings(self) -> Findings:
        """The findings that are probably mistakes, and keep nothing from being written."""
        return Findings(found for found in self if found.severity is Severity.WARNING)

    def _repr_html_(self) -> str:
        from renderer.report.notebook import findings_table

        return findings_table(self)


class Rendered(NamedTuple):
    """An overlay in memory: ``files``, text by path below ``overlay.output``, and the findings.

    ``resources`` are the same objects with their origins; they are shared, so read them only.
    ``files`` and ``resources`` are empty when one of the findings is an error.
    """

    overlay: Overlay
    files: Mapping[str, str]
    resources: ResourceSet
    findings: Findings

    @property
    def manifests(self) -> list[dict[str, Any]]:
        """The objects as dictionaries, which are the caller's to change."""
        return [deepcopy(dict(resource.content)) for resource in self.resources]

    def __repr__(self) -> str:
        """Name the overlay and count the rest: a rendered tree may hold Secrets."""
        return (
            f"Rendered({self.overlay.path!r}, {len(self.files)} files, {len(self.resources)} resources, "
            f"{len(self.findings)} findings)"
        )

    def _repr_html_(self) -> str:
        from renderer.report.notebook import findings_table, paragraph, table

        rows = [(each.api_version, each.kind, each.namespace, each.name) for each in self.resources]
        listed = table(("apiVersion", "kind", "namespace", "name"), rows) if rows else ""
        return "\n".join((paragraph(self.overlay.path), listed, findings_table(self.findings)))


class Expanded(NamedTuple):
    """An expanded object, a dictionary of the caller's own, and the findings.

    ``manifest`` is None when one of the findings is an error.
    """

    manifest: dict[str, Any] | None
    findings: Findings


class FleetMachine(NamedTuple):
    """A virtual machine of an overlay, or several equal ones where ``replicas`` is not 1.

    ``overlay`` is the path of its overlay, ``kind`` is VirtualMachine, VirtualMachinePool and the like.
    ``instancetype`` and ``preference`` are the names that its matchers have in Git; they are empty without a
    matcher, and where a volume says which it is. ``vcpus``, ``memory`` in bytes and ``gpus`` are those of
    one machine with its instance type applied; None where it cannot be expanded. ``findings`` are those
    about it.
    """

    overlay: str
    kind: str
    namespace: str
    name: str
    instancetype: str
    preference: str
    run_strategy: str
    replicas: int
    vcpus: int | None
    memory: int | None
    gpus: int | None
    findings: Findings


class Fleet(NamedTuple):
    """All virtual machines of the overlays that were asked for.

    ``findings`` are those of all overlays, also about what is no virtual machine, or about whole files.
    """

    machines: tuple[FleetMachine, ...]
    findings: Findings

    def _repr_html_(self) -> str:
        from renderer.report.notebook import paragraph, table

        amount = sum(machine.replicas for machine in self.machines)
        columns = (
            "overlay",
            "namespace",
            "name",
            "instance type",
            "preference",
            "runs",
            "vCPUs",
            "memory",
            "findings",
        )
        counted = paragraph(plural(amount, "virtual machine"))
        return "\n".join((counted, table(columns, map(_row, self.machines))))


def _row(machine: FleetMachine) -> tuple[str, ...]:
    name = machine.name if machine.replicas == 1 else f"{machine.name} ({machine.replicas})"
    vcpus = "" if machine.vcpus is None else str(machine.vcpus)
    memory = (
        ""
        if machine.memory is None
        else Quantity.of_integer(machine.memory, QuantityFormat.BINARY_SI).canonical
    )
    said = ", ".join(dict.fromkeys(found.code.value for found in machine.findings))
    return (
        machine.overlay,
        machine.namespace,
        name,
        machine.instancetype,
        machine.preference,
        machine.run_strategy,
        vcpus,
        memory,
        said,
    )
