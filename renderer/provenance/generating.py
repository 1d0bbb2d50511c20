"""Where a generator's configuration says what a field of a generated resource holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from renderer.model.act import Act
from renderer.model.field_path import FieldPath
from renderer.model.generators import DataGenerator
from renderer.model.location import Site
from renderer.model.plugins import GeneratorPlugin
from renderer.model.resource import Resource
from renderer.provenance.version import Source
from renderer.sizes.field_sites import row_sites

_DATA = ("data", "binaryData", "stringData")
_SERIES = "InstancetypeSeries"


@dataclass(frozen=True, slots=True)
class Made:
    """The maker of a resource that comes from a generator."""

    resource: Resource
    generator: GeneratorPlugin

    @property
    def act(self) -> Act:
        return Act.GENERATED

    def words(self, _field: FieldPath) -> str:
        by, text = self.generator.configured_by, self.resource.origin.text
        words = f"{by.kind} {by.name}".rstrip()
        return f"{words}, made of {text.values}" if text else words

    def sites(self, field: FieldPath) -> tuple[Site, ...]:
        return generated_at(self.generator, self.resource, field)

    def sources(self, _field: FieldPath, _among: Sequence[Resource]) -> Iterator[Source]:
        yield from ()


def generated_at(generator: GeneratorPlugin, made: Resource, field: FieldPath) -> tuple[Site, ...]:
    """The places that may say it, most specific first; ``made`` is what was generated, or merged into."""
    config = generator.config
    if isinstance(config, DataGenerator):
        return (*_entries(config, field), config.args.site)
    if isinstance(config, Resource) and config.kind == _SERIES:
        return row_sites(made.origin, config.origin, field)
    return (made.origin.child(field),)


def _entries(config: DataGenerator, field: FieldPath) -> Iterator[Site]:
    """Where data, labels and annotations are listed, and a name."""
    at, segments = config.args.site, field.segments
    if segments[0] in _DATA:
        yield from (pair.site for pair in reversed(config.data) if pair.key == segments[-1])
    elif segments[0] == "metadata":
        yield from (at.below(*segments[1:]), at.below("options", *segments[1:]))
    else:
        yield at.child(field)
