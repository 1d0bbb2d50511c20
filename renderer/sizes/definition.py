"""The values of an ``InstancetypeSeries``, read and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from renderer.kubevirt.kinds import INSTANCETYPE
from renderer.model.json import JsonObject
from renderer.model.location import Site
from renderer.model.quantity import Quantity
from renderer.model.text_enum import TextEnum
from renderer.sizes.names import NamePattern


class InstancetypeScope(TextEnum):
    """The scope of an instance type, in the words of a CustomResourceDefinition's scope."""

    CLUSTER = "Cluster"
    NAMESPACED = "Namespaced"

    @property
    def kind(self) -> str:
        return INSTANCETYPE.cluster_kind if self is InstancetypeScope.CLUSTER else INSTANCETYPE.kind


@dataclass(frozen=True, slots=True)
class Hugepages:
    """A variant of every size: page size, ``text`` as nodes name it, and the suffix of its names."""

    page_size: Quantity
    text: str
    suffix: str


@dataclass(frozen=True, slots=True)
class SeriesSize:
    """One row of the table, completed by the ratios; memory is a quantity of bytes.

    None in ``vcpus`` or ``memory`` leaves it to the VirtualMachine.
    """

    site: Site
    name: str
    vcpus: int | None
    memory: str | None
    max_sockets: int | None

    @property
    def is_custom(self) -> bool:
        return self.vcpus is None or self.memory is None


@dataclass(frozen=True, slots=True)
class SeriesTemplate:
    """The parts that all instance types of a series share."""

    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    spec: JsonObject


@dataclass(frozen=True, slots=True)
class Series:
    """A whole series; ``hugepages`` is empty when the series does not vary them."""

    name_pattern: NamePattern
    scopes: tuple[InstancetypeScope, ...]
    template: SeriesTemplate
    hugepages: tuple[Hugepages, ...]
    sizes: tuple[SeriesSize, ...]
