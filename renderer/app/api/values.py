"""The values that the functions of the library return: findings, rendered overlays, a fleet.

They are frozen. In a notebook, values with findings or machines are displayed as tables.
"""

# ruff: noqa: PLC0415 - only notebooks need HTML

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, NamedTuple

from renderer.findings.located import Located
from renderer.model.diagnostic import Severity
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import ResourceSet
from renderer.model.plural import plural
from renderer.model.quantity import Quantity, QuantityFormat
from renderer.model.render_config import Overlay


class Findings(tuple[Located, ...]):
    """The findings of a call: a tuple of ``Diagnostic``, sorted by file and line."""

    __slots__ = ()

    @property
    def errors(self) -> Findings:
        """The findings that prevent a tree from being written."""
        return Findings(found for found in self if found.severity is Severity.ERROR)

    @property
    def warnings(self) -> Findings:
        """The findings that are probably mistakes, but do not prevent a tree from being written."""
        return Findings(found for found in self if found.severity is Severity.WARNING)

    def _repr_html_(self) -> str:
        from renderer.report.notebook import findings_table

        return findings_table(self)


class Rendered(NamedTuple):
    """A rendered overlay in memory: ``files``, text by path below ``overlay.output``, and the findings.

    ``resources`` are the same objects with their origins; they are shared: do not change them. ``shown_ids``
    are their ids without values of Secrets. All three are empty if one of the findings is an error.
    """

    overlay: Overlay
    files: Mapping[str, str]
    resources: ResourceSet
    findings: Findings
    shown_ids: tuple[ResId, ...] = ()

    @property
    def manifests(self) -> list[dict[str, Any]]:
        """The objects as dictionaries; the caller may change them."""
        return [deepcopy(dict(resource.content)) for resource in self.resources]

    def __repr__(self) -> str:
        """Name the overlay and only count the rest: a rendered tree may hold Secrets."""
        return (
            f"Rendered({self.overlay.path!r}, {len(self.files)} files, {len(self.resources)} resources, "
            f"{len(self.findings)} findings)"
        )

    def _repr_html_(self) -> str:
        from renderer.report.notebook import findings_table, paragraph, table

        rows = [(each.gvk.api_version, each.gvk.kind, each.namespace, each.name) for each in self.shown_ids]
        listed = table(("apiVersion", "kind", "namespace", "name"), rows) if rows else ""
        return "\n".join((paragraph(self.overlay.path), listed, findings_table(self.findings)))


class Expanded(NamedTuple):
    """An expanded object, a dictionary that the caller may change, and the findings.

    If one of the findings is an error, ``manifest`` is None.
    """

    manifest: dict[str, Any] | None
    findings: Findings

    def __repr__(self) -> str:
        """Only name the kind: the manifest may hold passwords."""
        manifest = "None" if self.manifest is None else f"a {self.manifest.get('kind')}"
        return f"Expanded({manifest}, {plural(len(self.findings), 'finding')})"


class FleetMachine(NamedTuple):
    """A virtual machine of an overlay, or several identical ones if ``replicas`` is not 1.

    ``overlay`` is the path of its overlay. ``kind`` is VirtualMachine, VirtualMachinePool and the like.
    ``instancetype`` and ``preference`` are the names in its matchers in Git; they are empty without a
    matcher, and if the matcher infers the name from a volume. ``vcpus``, ``memory`` in bytes and ``gpus``
    count one machine with its instance type applied; None if it cannot be expanded. ``findings`` are the
    findings about it. ``cluster`` is the cluster that the overlay goes to; empty for the default cluster.
    A text with a value of a Secret is ``***``, and a number that depends on one is None.
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
    cluster: str = ""


class Fleet(NamedTuple):
    """All virtual machines of the requested overlays.

    ``findings`` has the findings of all overlays, including findings about other objects and whole files.
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
        return "\n".join((counted, table(columns, map(_table_row, self.machines))))


def _table_row(machine: FleetMachine) -> tuple[str, ...]:
    name = machine.name if machine.replicas == 1 else f"{machine.name} ({machine.replicas})"
    vcpus = "" if machine.vcpus is None else str(machine.vcpus)
    memory = (
        ""
        if machine.memory is None
        else Quantity.of_integer(machine.memory, QuantityFormat.BINARY_SI).canonical
    )
    codes = ", ".join(dict.fromkeys(found.code.value for found in machine.findings))
    return (
        machine.overlay,
        machine.namespace,
        name,
        machine.instancetype,
        machine.preference,
        machine.run_strategy,
        vcpus,
        memory,
        codes,
    )
