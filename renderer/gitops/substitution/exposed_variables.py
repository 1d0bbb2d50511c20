"""The variables that Secrets and start data use, which are confidential where they come from.

What counts is the name of a variable in a confidential text before the substitution. After it, the value may
be in no text any more: an operator changed it (``${word:0:8}``), or YAML read it without quotes or comments.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import NamedTuple

from renderer.gitops.substitution.post_build import SourceKind, Variables
from renderer.golang.envsubst import DEFAULT_OPERATORS, Node, SubstitutionError, VariableExpansion, parse
from renderer.kubevirt.facts.confidential.exposed_values import (
    ADDRESS,
    exposed_values,
    exposures,
    is_searched_for,
)
from renderer.model.masking import Masking
from renderer.model.pattern import pattern
from renderer.model.run.taint import Place, taint_places
from renderer.model.run.work import spend

#: The name in an expansion of a variable.
NAME_IN_EXPANSION = pattern(r"\$\{#?(\w++)")
#: An expansion without others in its arguments.
_EXPANSION = pattern(NAME_IN_EXPANSION.pattern + r"[^${}]*+\}")
#: Steps to parse a text, and to note a place (``model.run.work``).
_STEPS_PER_TEXT, _CHARACTERS_PER_STEP, _STEPS_PER_PLACE = 2, 6, 4
_LOOKING = "looking for variables in Secrets"


class ConfidentialTexts(NamedTuple):
    """Confidential texts with their keys, and the names and namespaces of objects."""

    texts: Iterable[tuple[str, str]]
    names: Iterable[str]


class Exposed(NamedTuple):
    """The values of variables that are confidential, and the names of the variables without such a value."""

    values: frozenset[str] = frozenset()
    missing: frozenset[str] = frozenset()


def exposed_variables(before: ConfidentialTexts, after: ConfidentialTexts, variables: Variables) -> Exposed:
    """Return what variables become values of Secrets or passwords, by the texts before and after.

    By name, every expansion of a variable counts, whatever its operator. By value, what only the value shows
    counts as well, such as a token in a text of several lines. Values of several lines are returned as their
    sources have them, too.

    The places of variables without a value that is searched for are noted: a cluster or a former tree may
    have another value in the ConfigMap, which is empty, renamed or gone only in Git.
    """
    if not variables.public and not variables.config_maps:
        return Exposed()
    made_names = tuple(after.names)
    search = Masking(filter(is_searched_for, variables.public))
    # Flux substitutes a value as it is, and most texts have none.
    texts = (found for found in after.texts if search.is_in(found[1]))
    by_value = exposed_values(texts, made_names, variables.public)
    names = _exposed_names(before, made_names, variables)
    missing = frozenset(name for name in names if not is_searched_for(variables.values.get(name, "")))
    spend(_STEPS_PER_PLACE * len(variables.config_maps) * len(missing), _LOOKING)
    taint_places(
        Place(SourceKind.CONFIG_MAP, namespace, config_map, name)
        for namespace, config_map in variables.config_maps
        for name in missing
    )
    used = names - missing
    by_name = by_value.union(variables.values[name] for name in used)
    in_lines = (lines for name, lines in variables.lines.items() if variables.values.get(name) in by_name)
    return Exposed(by_name.union(in_lines) - variables.confidential, missing)


def _exposed_names(
    before: ConfidentialTexts, made_names: Collection[str], variables: Variables
) -> frozenset[str]:
    """Return the names of variables that a Secret uses as its value, as a part of one, or as a password."""
    written = [found for found in before.texts if "${" in found[1]]
    mentioned = used = {name for _, text in written for name in NAME_IN_EXPANSION.findall(text)}
    if not variables.config_maps:
        used = {name for name in used if is_searched_for(variables.values.get(name, ""))}
    if not used:
        return frozenset()
    values = frozenset((name, variables.values[name]) for name in mentioned & variables.values.keys())
    certain, uncertain = _exposures_of_stand_ins(tuple(written), frozenset(used), values)
    stand_ins = _StandIns(used, variables.values)
    found = set(map(stand_ins.names.__getitem__, certain))
    if uncertain <= certain:
        return frozenset(found)
    every_name = "\0".join(
        (*made_names, *(each for name in before.names for each in stand_ins.in_text(name)))
    )
    for stand_in in uncertain - certain:
        name = stand_ins.names[stand_in]
        value = variables.values.get(name, "")
        if stand_in not in every_name and not (is_searched_for(value) and value in every_name):
            found.add(name)
    return frozenset(found)


@lru_cache(maxsize=16)  # Kustomizations of one folder have the same texts, and mostly the same variables
def _exposures_of_stand_ins(
    texts: Sequence[tuple[str, str]], used: AbstractSet[str], values: AbstractSet[tuple[str, str]]
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the stand-ins that texts expose, and those that are public if a name has them."""
    stand_ins = _StandIns(used, dict(values))
    in_texts = ((key, each) for key, text in texts for each in stand_ins.in_text(text))
    return exposures(in_texts, stand_ins.names)


class _StandIns:
    """Words that stand for expansions of variables in a text.

    They differ in their first characters, by which they are searched for. One is an address, as a value is.
    """

    def __init__(self, used: Iterable[str], values: Mapping[str, str]) -> None:
        self._values = values
        self._words = {name: f"v{index:05}-of-flux" for index, name in enumerate(sorted(used))}
        self._addresses = {
            name: word.replace("-", ADDRESS, 1)
            for name, word in self._words.items()
            if ADDRESS in values.get(name, "")
        }
        self.names = {word: name for words in (self._words, self._addresses) for name, word in words.items()}

    def in_text(self, text: str) -> Iterable[str]:
        """Return the text with stand-ins, in each way in which its expansions may be read.

        An expansion is its variable, set or not, or else its arguments, which have variables of their own.
        """
        if "${" not in text:
            return (text,)
        spend(_STEPS_PER_TEXT + len(text) // _CHARACTERS_PER_STEP, _LOOKING)
        try:
            nodes = parse(text)
        except SubstitutionError:  # Flux would refuse it
            return (_EXPANSION.sub(lambda found: self._words.get(found[1], found[0]), text),)
        ways = (self._of_variables, self._of_values, self._of_arguments)
        return dict.fromkeys("".join(map(way, nodes)) for way in ways)

    def _of_variables(self, node: Node) -> str:
        if isinstance(node, str):
            return node
        return self._stand_in(node) or "".join(map(self._of_variables, node.arguments))

    def _of_values(self, node: Node) -> str:
        """Return what stands for a value; a short one stays, and one that is not set has its default."""
        if isinstance(node, str):
            return node
        value = self._values.get(node.variable, "")
        if is_searched_for(value):
            return self._stand_in(node)
        return value or "".join(map(self._of_values, node.arguments))

    def _of_arguments(self, node: Node) -> str:
        if isinstance(node, str):
            return node
        nested = (self._of_arguments(each) for each in node.arguments if not isinstance(each, str))
        return "".join(nested) or self._of_values(node)

    def _stand_in(self, node: VariableExpansion) -> str:
        """Return the word for an expansion; an operator may leave any part of an address."""
        word = self._words.get(node.variable, "")
        is_whole = not node.operator or node.operator in DEFAULT_OPERATORS
        return self._addresses.get(node.variable, word) if is_whole else word
