"""Find instance types of the catalog by size, to suggest them in place of one that does not fit."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from renderer.kubevirt.instancetype.api.instancetype import is_incomplete
from renderer.kubevirt.instancetype.catalog import Scope
from renderer.kubevirt.instancetype.find import MatchedObject
from renderer.kubevirt.instancetype.topology import count_of_vcpus
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import object_at
from renderer.model.kube.resource import Resource
from renderer.model.quantity import Quantity
from renderer.model.record import Record

_MOST = 2


class CatalogSize(Record):
    """An instance type's vCPUs and guest memory in bytes."""

    name: str
    vcpus: int
    memory: int
    written_memory: str

    def __str__(self) -> str:
        """``u1.large (2 vCPUs, 8Gi)``."""
        return f"{self.name} ({count_of_vcpus(self.vcpus)}, {self.written_memory})"

    @property
    def series(self) -> str:
        """``u1`` of ``u1.large``."""
        return _series(self.name)


def instancetypes_of_size(
    instancetype: MatchedObject, scope: Scope, *, vcpus: int | None, memory: int | None
) -> tuple[CatalogSize, ...]:
    """Return instance types of the same kind with these vCPUs and bytes of memory; None matches any amount.

    Instance types of the same series come first, then the ones that differ least in the other amount; two at
    most. The result is empty if ``instancetype`` itself has that size.
    """
    if vcpus is None and memory is None:
        return ()
    return _nearest(
        instancetype,
        scope,
        lambda size: vcpus in (None, size.vcpus) and memory in (None, size.memory),
    )


def instancetypes_of_at_least(
    instancetype: MatchedObject, scope: Scope, *, vcpus: int, memory: int
) -> tuple[CatalogSize, ...]:
    """Return instance types of the same kind with at least these amounts, in the same order."""
    return _nearest(instancetype, scope, lambda size: size.vcpus >= vcpus and size.memory >= memory)


def custom_sizes(instancetype: MatchedObject, scope: Scope) -> tuple[str, ...]:
    """Return the names of instance types of the same kind and series that leave their size to the VM."""
    series = _series(instancetype.resource.name)
    kind = instancetype.resource.gvk.kind
    others = (scope.find(kind, name) for name in scope.names(kind) if _series(name) == series)
    return tuple(
        resource.name
        for resource in others
        if resource is not None and is_incomplete(object_at(resource.content, "spec"))
    )


def _series(name: str) -> str:
    return name.rpartition(".")[0]


def _nearest(
    instancetype: MatchedObject, scope: Scope, fits: Callable[[CatalogSize], bool]
) -> tuple[CatalogSize, ...]:
    current = _size_of(instancetype.resource)
    if current is None or fits(current):
        return ()

    def distance(size: CatalogSize) -> tuple[bool, int, int, str]:
        unlike = size.series != current.series
        return (unlike, abs(size.memory - current.memory), abs(size.vcpus - current.vcpus), size.name)

    fitting = (size for size in _catalog_sizes(scope, instancetype.resource.gvk.kind) if fits(size))
    return tuple(sorted(fitting, key=distance)[:_MOST])


@lru_cache(maxsize=16)  # many VMs may be wrong, and they see the same catalog
def _catalog_sizes(scope: Scope, kind: str) -> tuple[CatalogSize, ...]:
    found = (scope.find(kind, name) for name in scope.names(kind))
    sizes = (_size_of(resource) for resource in found if resource is not None)
    return tuple(size for size in sizes if size is not None)


def _size_of(resource: Resource) -> CatalogSize | None:
    vcpus = object_at(resource.content, "spec", "cpu").get("guest")
    try:
        memory = Quantity.of(object_at(resource.content, "spec", "memory").get("guest"))
    except DiagnosticError:
        return None
    return CatalogSize(resource.name, vcpus, memory.value(), memory.json) if isinstance(vcpus, int) else None
