"""The places of variables that Secrets use, which are confidential whatever value is there now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from renderer.gitops.substitution.post_build import SourceKind, Variables
from renderer.kubevirt.facts.confidential.exposed_values import exposed_values, is_searched_for
from renderer.model.pattern import pattern
from renderer.model.run.taint import taint_place

#: The name in an expansion of a variable.
NAME_IN_EXPANSION = pattern(r"\$\{#?(\w++)")
#: An expansion without others in its arguments.
_EXPANSION = pattern(NAME_IN_EXPANSION.pattern + r"[^${}]*+\}")


def note_places(
    texts: Sequence[tuple[str, str]], names: Iterable[str], variables: Variables
) -> frozenset[str]:
    """Note where the variables are from that become values of Secrets and have no value that is searched for.

    A cluster or a former tree may have another value in the ConfigMap: it is empty, renamed or gone only in
    Git. ``texts`` are confidential texts with their keys, and ``names`` names of objects, all before the
    substitution. Returns the names of the variables.
    """
    if not variables.config_maps:
        return frozenset()
    written = {name for _, text in texts for name in NAME_IN_EXPANSION.findall(text)}
    known = {name for name, value in variables.values.items() if is_searched_for(value)}
    stand_ins = {name: f"variable-{index}-of-flux" for index, name in enumerate(sorted(written - known))}
    if not stand_ins:
        return frozenset()

    def with_stand_ins(text: str) -> str:
        return _EXPANSION.sub(lambda found: stand_ins.get(found[1], found[0]), text)

    values = [(key, with_stand_ins(text)) for key, text in texts]
    exposed = exposed_values(values, map(with_stand_ins, names), stand_ins.values())
    missing = frozenset(name for name, stand_in in stand_ins.items() if stand_in in exposed)
    for namespace, config_map in variables.config_maps:
        for name in missing:
            taint_place(SourceKind.CONFIG_MAP, namespace, config_map, name)
    return missing
