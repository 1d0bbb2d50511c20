"""Replace variables in resources, as Flux does after the build.

Each object is written as YAML, variables are replaced in that text, and the text is parsed again. A value may
change the type of a field, and may hold YAML of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from renderer.gitops.substitution.exposed_variables import (
    NAME_IN_EXPANSION,
    ConfidentialTexts,
    exposed_variables,
)
from renderer.gitops.substitution.post_build import DISABLED, SUBSTITUTE, Variables
from renderer.gitops.substitution.unset_variables import (
    Mention,
    UnsetVariable,
    at_mention,
    misspelt_mark,
    texts_in,
    unset_variables,
)
from renderer.golang.envsubst import (
    CharacterBudget,
    Evaluated,
    SubstitutionError,
    TooLongError,
    evaluate,
    parse,
)
from renderer.kubevirt.facts.confidential.conditions import resembling
from renderer.kubevirt.facts.confidential.exposed_values import is_searched_for
from renderer.kubevirt.facts.confidential.secret_values import confidential_texts
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome, Related, Severity
from renderer.model.entry_point import Strictness
from renderer.model.kube.encryption import SOPS, is_ciphertext, is_encrypted, public_names
from renderer.model.kube.field_path import ROOT
from renderer.model.kube.json import Json, JsonObject, object_at
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.kube.sharing import once_for_same
from renderer.model.run.limits import over_limit
from renderer.model.run.taint import taint, taint_new_parts
from renderer.model.run.work import spend
from renderer.model.text_enum import TextEnum
from renderer.yamlio.decode import decode_yaml11
from renderer.yamlio.encode import encode

#: Quotes of the manifest are lost when kustomize rewrites it, before variables are replaced.
_QUOTE = "write ${quote}${name}${quote}, and quote: '\"' among the variables"
#: Stands for a confidential value in a text that is compared with the one that has it.
_OTHER = "x"
#: Steps to write, evaluate and parse the text of an object (``model.run.work``).
_STEPS_PER_TEXT, _CHARACTERS_PER_STEP = 100, 6


class SecondPass(TextEnum):
    """When Flux substitutes variables again, in the tree that the result becomes."""

    NEVER = "never"
    INCOMPLETE = "incomplete"  # if the cluster has more variables: users then keep postBuild
    ENCRYPTED = "encrypted"  # also if encrypted values may have variables: the copy then keeps postBuild


class Substituted(NamedTuple):
    """The resources, the results of operators on confidential values, and the variables that are not set."""

    resources: ResourceSet
    confidential: frozenset[str] = frozenset()
    unset: tuple[UnsetVariable, ...] = ()


def substitute(
    resources: ResourceSet,
    variables: Variables,
    strictness: Strictness,
    *,
    again: SecondPass = SecondPass.NEVER,
    known: Substitutions | None = None,
) -> Outcome[Substituted]:
    """Replace variables in the resources, except where a label or annotation forbids it.

    If Flux substitutes the objects ``again``, everything that it must not replace then and that looks like an
    expansion is escaped, and the result is as if Flux had done it all at once.

    Reports variable-unset (an error for what ``strictness`` refuses), substitution-failed and duplicate-id.
    If values are too long, it reports only build-limit, and returns the resources unchanged. What is
    ``known`` is not done again.
    """
    if not variables.values and not variables.always and not variables.incomplete:
        _exposed(resources.resources, resources.resources, variables)  # notes places
        return Outcome(Substituted(resources))
    encrypted = tuple(filter(may_hold_variables, resources))
    is_repeated = (again is not SecondPass.NEVER and variables.incomplete) or (
        again is SecondPass.ENCRYPTED and bool(encrypted)
    )
    made = (known or Substitutions()).of(resources.resources, variables, escapes=is_repeated)
    if made.error:
        return Outcome(Substituted(resources), made.error)
    changed = ResourceSet(made.resources)
    unset = (each.finding(strictness) for each in made.unset)
    found = (
        *unset,
        *made.findings,
        *_encrypted_notes(encrypted, again),
        *_duplicates(changed, resources),
    )
    return Outcome(Substituted(changed, made.confidential, made.unset), found)


class _Made(NamedTuple):
    """What a substitution made; with an ``error``, nothing."""

    resources: tuple[Resource, ...]
    confidential: frozenset[str] = frozenset()
    unset: tuple[UnsetVariable, ...] = ()
    findings: tuple[Diagnostic, ...] = ()
    error: tuple[Diagnostic, ...] = ()


class Substitutions:
    """Substitutions, each made once for the same resources and variables, by whoever needs it first.

    The confidential values that it finds are recorded then (``model.run.taint``), for all that ask later.
    """

    def __init__(self) -> None:
        # By the identity of the resources, which are kept alive here.
        self._known: dict[int, tuple[tuple[Resource, ...], list[tuple[Variables, bool, _Made]]]] = {}

    def of(self, resources: tuple[Resource, ...], variables: Variables, *, escapes: bool) -> _Made:
        """Return what becomes of the resources; ``escapes`` what Flux must not replace a second time."""
        known = self._known.setdefault(id(resources), (resources, []))[1]
        for of, escaped, made in known:
            if escaped is escapes and of == variables:
                return made
        made = _substituted(resources, variables, escapes=escapes)
        known.append((variables, escapes, made))
        return made


def _substituted(resources: tuple[Resource, ...], variables: Variables, *, escapes: bool) -> _Made:
    taint(variables.confidential)
    substitution = _Substitution(variables, escapes=escapes)
    try:
        changed = tuple(map(substitution.of, resources))
        exposed = _exposed(resources, changed, variables)
        if exposed:
            taint(exposed)
            more = variables._replace(confidential=variables.confidential | exposed)
            substitution = _Substitution(more, escapes=escapes)
            changed = tuple(map(substitution.of, resources))
    except DiagnosticError as error:
        return _Made(resources, error=error.diagnostics)
    taint(substitution.confidential)
    confidential = frozenset(substitution.confidential)
    return _Made(changed, confidential, tuple(substitution.unset), tuple(substitution.findings))


def _exposed(
    before: tuple[Resource, ...], after: tuple[Resource, ...], variables: Variables
) -> frozenset[str]:
    """Return the values of variables that are confidential because of what uses them.

    The kind of an object may be a variable as well: what it becomes says whether the object is a Secret.
    """
    if not variables.public and not variables.config_maps:
        return frozenset()
    pairs = [
        (old, new)
        for old, new in zip(before, after, strict=True)
        if not _is_disabled(old) and _may_have_expansions(old.content)
    ]
    written = (confidential_texts({**old.content, "kind": new.kind}, _has_expansion) for old, new in pairs)
    made = (confidential_texts(new.content) for old, new in pairs if new.content is not old.content)
    exposed = exposed_variables(
        ConfidentialTexts(chain.from_iterable(written), _names_of(old for old, _ in pairs)),
        ConfidentialTexts(chain.from_iterable(made), _names_of(after)),
        variables,
    )
    return exposed.values | _misspelt_values((old for old, _ in pairs), exposed.missing, variables)


def _names_of(resources: Iterable[Resource]) -> Iterator[str]:
    return (name for each in resources for name in (each.name, each.namespace))


def _misspelt_values(
    substituted: Iterable[Resource], missing: frozenset[str], variables: Variables
) -> frozenset[str]:
    """Return the values of variables that nothing uses and whose names seem to be misspelt missing ones."""
    similar = {
        name: variables.values[name]
        for name in resembling(variables.values, missing)
        if variables.values[name] not in variables.confidential
    }
    if not similar:
        return frozenset()
    every_text = (text for each in substituted for _, text in texts_in(each.content))
    used = {name for text in every_text for name in NAME_IN_EXPANSION.findall(text)}
    return frozenset(filter(is_searched_for, (similar[name] for name in similar.keys() - used)))


def may_hold_variables(resource: Resource) -> bool:
    """Return True if Flux may find variables in the object once it has decrypted it.

    The ``data`` of a Secret is base64, which has no ``$``.
    """
    if not is_encrypted(resource) or _is_disabled(resource):
        return False
    public = ("data", SOPS) if resource.kind == "Secret" else (SOPS,)
    readable = {key: value for key, value in resource.content.items() if key not in public}
    return any(is_ciphertext(text) for _, text in texts_in(readable))


class _Substitution:
    def __init__(self, variables: Variables, *, escapes: bool) -> None:
        self._variables = variables
        self._escapes = escapes
        self._characters = CharacterBudget()
        self.findings: list[Diagnostic] = []
        self.unset: list[UnsetVariable] = []
        self.confidential: set[str] = set()

    def of(self, resource: Resource) -> Resource:
        """Return the resource after substitution. Raises ``DiagnosticError``: build-limit."""
        if _is_disabled(resource) or not _may_have_expansions(resource.content):
            return resource
        try:
            evaluated = self._evaluated(resource.content)
            self.unset += unset_variables(resource, evaluated.unset, self._variables)
            for variable, derived in evaluated.derived.items():
                if self._variables.values.get(variable) in self._variables.confidential:
                    self.confidential |= derived
            read = self._read(resource.content, evaluated)
            self._taint_secret_parts(resource.content, evaluated, read)
            return _as_resource(resource, read)
        except TooLongError as error:
            raise over_limit("added_size", error.message, resource=resource) from None
        except SubstitutionError as error:
            failing = self._failing(resource)
            mark = misspelt_mark(resource)
            hint = f"$${{name}} stays ${{name}}; the annotation {SUBSTITUTE}: {DISABLED} keeps all as it is"
            if mark:
                hint = f"{SUBSTITUTE} says {mark}; write {DISABLED}, which keeps all as it is"
            found = Diagnostic.about(
                resource, failing.field, Code.SUBSTITUTION_FAILED, error.message, error.hint or hint
            )
            self.findings.append(at_mention(found, resource, failing))
            return resource

    def _evaluated(self, content: Json) -> Evaluated:
        """Evaluate an object as YAML text. Raises ``SubstitutionError``."""
        return self._evaluated_with(content, self._variables.values, keeps_unknown=self._variables.incomplete)

    def _evaluated_with(self, content: Json, values: Mapping[str, str], *, keeps_unknown: bool) -> Evaluated:
        text = encode([content])
        spend(_STEPS_PER_TEXT + len(text) // _CHARACTERS_PER_STEP, "substituting variables")
        return evaluate(
            parse(text, keeps_escapes=self._escapes),
            values,
            self._characters,
            keeps_unknown=keeps_unknown,
            escapes=self._escapes,
        )

    def _taint_secret_parts(self, content: JsonObject, evaluated: Evaluated, read: Json) -> None:
        """Record what is in an object only because a confidential variable was put in."""
        confidential = self._variables.confidential
        if not confidential:
            return
        values = {
            name: _OTHER if value in confidential else value for name, value in self._variables.values.items()
        }
        without_secrets = self._evaluated_with(content, values, keeps_unknown=self._variables.incomplete)
        if without_secrets.text == evaluated.text:
            return
        try:
            known = _read_again(without_secrets.text)
        except SubstitutionError:  # without the values, it is not YAML
            known = content
        taint_new_parts(read, known)

    def _read(self, content: JsonObject, evaluated: Evaluated) -> Json:
        """Parse an object again after its evaluation. Raises ``SubstitutionError``.

        An object that keeps variables may be unreadable without their values, or Flux may later find another
        text than the one that is left: it writes the object anew, and quotes that came from variables are
        gone. Then each text is substituted by itself as far as that is safe.
        """
        if not evaluated.kept:
            return _read_again(evaluated.text)
        try:
            read = _read_again(evaluated.text)
        except SubstitutionError:
            return self._as_far_as_safe(content)
        return read if encode([read]) == evaluated.text else self._as_far_as_safe(content)

    def _as_far_as_safe(self, value: Json) -> Json:
        """Return a value with each text evaluated by itself.

        A text that keeps variables stays as written unless Flux will find what is left of it.
        """
        if isinstance(value, dict):
            return {key: self._as_far_as_safe(child) for key, child in value.items()}
        if isinstance(value, list):
            return [self._as_far_as_safe(child) for child in value]
        if not isinstance(value, str):
            return value
        evaluated = self._evaluated({"text": value})
        try:
            read = object_at(_read_again(evaluated.text))
        except SubstitutionError:
            return value
        if read.keys() != {"text"} or (evaluated.kept and encode([read]) != evaluated.text):
            return value
        return read["text"]

    def _failing(self, resource: Resource) -> Mention:
        """Return the first text that cannot be substituted and parsed by itself, and its first such line."""
        for field, text in texts_in(resource.content):
            if self._fails(text):
                offset = 0
                for line in text.splitlines(keepends=True):
                    if self._fails(line):
                        return Mention(field, text, offset + max(line.find("${"), 0), "")
                    offset += len(line)
                return Mention(field, text.partition("\n")[0], 0, "")  # an expansion of several lines
        return Mention(ROOT, "", 0, "")

    def _fails(self, text: str) -> bool:
        try:
            _read_again(self._evaluated({"text": text}).text)
        except SubstitutionError:
            return True
        return False


def _read_again(text: str) -> Json:
    """Parse the text. Raises ``SubstitutionError``, which does not quote it: it may hold passwords."""
    try:
        return decode_yaml11(text.encode(errors="surrogateescape"), "")
    except DiagnosticError:
        raise SubstitutionError("with the values in it, the object is no longer YAML", _QUOTE) from None


def _as_resource(resource: Resource, content: Json) -> Resource:
    """Return the changed resource. Raises ``SubstitutionError`` if it is no longer an object."""
    if not isinstance(content, dict):
        raise SubstitutionError("with the values in it, this is no longer an object")
    changed = resource._replace(content=content)
    if not changed.kind or not changed.name:
        raise SubstitutionError("with the values in it, the object has no kind or no metadata.name")
    return changed


@once_for_same
def _may_have_expansions(tree: JsonObject | Sequence[Json]) -> bool:
    """Return True if a key or a text has the start of an expansion, or of an escaped one."""
    children = tree.values() if isinstance(tree, dict) else tree
    return any(map(_has_expansion, children)) or (isinstance(tree, dict) and any(map(_has_expansion, tree)))


def _has_expansion(value: Json) -> bool:
    if isinstance(value, str):
        return "${" in value or "$$" in value
    return isinstance(value, dict | list) and _may_have_expansions(value)


def _is_disabled(resource: Resource) -> bool:
    return DISABLED in (resource.labels.get(SUBSTITUTE), resource.annotations.get(SUBSTITUTE))


def _encrypted_notes(encrypted: Sequence[Resource], again: SecondPass) -> Iterator[Diagnostic]:
    """Yield one note about all objects in which Flux may find variables, unless it will look for them."""
    if not encrypted or again is not SecondPass.INCOMPLETE:
        return
    yield Diagnostic.at(
        encrypted[0].origin,
        Code.VARIABLES_NOT_FOUND,
        f"encrypted values may have variables, which stay as written: {public_names(encrypted)}",
        "with repoint: true in an entry of flux, Flux substitutes them in the tree; if there are none, "
        f"annotate the object with {SUBSTITUTE}: {DISABLED}",
        severity=Severity.INFO,
    )


def _duplicates(changed: ResourceSet, before: ResourceSet) -> Iterator[Diagnostic]:
    """Report objects that now have the name of another object."""
    names_before = [resource.current_id for resource in before]
    names = [resource.current_id for resource in changed]
    first: dict[ResId, Resource] = {}
    for resource in changed if names != names_before else ():
        other = first.setdefault(resource.current_id, resource)
        if other is not resource:
            yield Diagnostic.about(
                resource,
                None,
                Code.DUPLICATE_ID,
                f"with the values in it, there are two resources {resource.current_id}",
                related=(Related("the other one", other.sites()),),
            )
