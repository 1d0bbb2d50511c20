"""Findings about fields whose values Flux puts in: their hints are about the variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from renderer.checks.schemas.wording import IN_QUOTES
from renderer.gitops.substitution.post_build import Variables
from renderer.golang.envsubst import SubstitutionError, evaluate, parse
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.list_elements import value_at
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource

#: Findings that are about the variable itself.
_OF_VARIABLES = frozenset({Code.VARIABLE_UNSET, Code.SUBSTITUTION_FAILED, Code.PLACEHOLDER})


def with_variables_named(
    found: Iterable[Diagnostic],
    before: Iterable[Resource],
    after: Iterable[Resource],
    variables: Variables,
) -> Iterator[Diagnostic]:
    """Yield the findings; of a field whose value Flux puts in, the hint says what to do with the variable.

    ``before`` and ``after`` are the objects of an overlay before and after ``variables`` are put in.
    """
    written: dict[Site, Resource] = {each.origin: each for each in before}
    sources: dict[ResId, Resource] = {
        each.current_id: written[each.origin] for each in after if each.origin in written
    }
    for each in found:
        source = sources.get(each.resource) if each.resource else None
        if source is None or each.field is None or each.code in _OF_VARIABLES:
            yield each
            continue
        text = value_at(source.content, each.field.segments)
        yield _about_variable(each, text, variables) if isinstance(text, str) and "${" in text else each


def _about_variable(found: Diagnostic, text: str, variables: Variables) -> Diagnostic:
    """Return a finding about a field that is written as ``text``, which has variables."""
    try:
        nodes = parse(text)
        evaluated = evaluate(nodes, variables.values, keeps_unknown=variables.incomplete)
    except SubstitutionError:
        return found
    if evaluated.text == text:  # each ${ in it is escaped, or kept
        return found
    found = found._replace(fix=None)  # the value is not in this file
    unset = " and ".join(f"${{{variable}}}" for variable in evaluated.unset)
    if unset:
        return found._replace(hint=f"first give a value to {unset}: it is empty here")
    if not (found.hint or "").startswith(IN_QUOTES):
        return found
    kind = "a boolean" if evaluated.text.isalpha() else "a number"
    message = f"{found.field} must be text, but Flux puts in {evaluated.text}, which YAML reads as {kind}"
    lost = "quotes are lost before Flux puts in the value"
    [*names] = {node.variable: None for node in nodes if not isinstance(node, str)}
    quoted = f"${{quote}}{text}${{quote}}, with quote: '\"' among the variables"
    if text == f"${{{names[0]}}}":
        value = variables.values[names[0]]
        hint = f"{lost}: give {names[0]} quotes of its own, {names[0]}: '\"{value}\"', or write {quoted}"
    else:
        hint = f"{lost}: write {quoted}"
    return found._replace(message=message, hint=hint)
