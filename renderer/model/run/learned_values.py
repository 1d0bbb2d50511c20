"""What is learned of the values of Secrets from files, and what of it is an ordinary text after all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from functools import cache
from typing import NamedTuple, Protocol

from renderer.model.run.readings import readings


class Values(NamedTuple):
    """Values that no output may show.

    ``words`` count if no object has them as its name, and ``tokens`` if no field has them as the name of an
    image, a class or the like. ``variables`` are the names of Flux variables that such values are made of.
    """

    certain: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    tokens: frozenset[str] = frozenset()
    variables: frozenset[str] = frozenset()

    @classmethod
    def union(cls, found: Iterable[Values]) -> Values:
        """Return all values of several."""
        every = tuple(found)
        return cls(*(frozenset().union(*(each[at] for each in every)) for at in range(len(cls._fields))))


class FluxPlaces(NamedTuple):
    """The folders and namespaces with Kustomizations of Flux, which may read variables there."""

    folders: frozenset[str]
    namespaces: frozenset[str]


class Learned(Protocol):
    """Files with Secrets, such as those of a project or of one side of a comparison."""

    def values(self) -> Values:
        """Return the values of their Secrets."""

    def places(self) -> FluxPlaces:
        """Return where the files have Kustomizations of Flux."""

    def values_of_variables(self, names: AbstractSet[str], places: Callable[[], FluxPlaces]) -> Values:
        """Return the values that the files give in some places to variables."""

    def ordinary(self, values: Values) -> AbstractSet[str]:
        """Return the words and tokens among ``values`` that these files have as names."""


def confidential_values(learned: Iterable[Learned]) -> frozenset[str]:
    """Return the values that are confidential, with their readings: an ordinary text of one is of all.

    A Secret on one side of a comparison may use the variables of files that only the other side has.
    """
    every = tuple(learned)
    values = Values.union(each.values() for each in every)

    @cache
    def places() -> FluxPlaces:
        found = [each.places() for each in every]
        return FluxPlaces(*(frozenset[str]().union(*each) for each in zip(*found, strict=True)))

    if names := values.variables:
        values = Values.union((values, *(each.values_of_variables(names, places) for each in every)))
    ordinary = frozenset[str]().union(*(each.ordinary(values) for each in every))
    return values.certain.union(*map(readings, (values.words | values.tokens) - ordinary))
