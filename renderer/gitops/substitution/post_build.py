"""Read ``spec.postBuild`` of a Flux Kustomization and the variables that it names.

kustomize-controller ``api/v1/kustomization_types.go``; fluxcd/pkg ``kustomize_varsub.go`` LoadVariables:
later sources win over earlier ones, ``postBuild.substitute`` wins over all of them, and line breaks in values
are dropped.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from renderer.gitops.entry_fields import empty_fields
from renderer.model.base64_text import decoded_base64
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Related, Severity
from renderer.model.engines import FLUX_KUSTOMIZE_GROUP
from renderer.model.fields import Fields
from renderer.model.kube.encryption import is_encrypted
from renderer.model.kube.json import EMPTY, Json, JsonObject, object_at, scalar_text, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import namespaced_name
from renderer.model.kube.resource import Resource
from renderer.model.run.taint import noted_masking
from renderer.model.run.work import spend
from renderer.model.text_enum import TextEnum

#: Other fields of ``spec`` that change what is applied.
_IGNORED_FIELDS = (
    "commonMetadata",
    "components",
    "images",
    "namePrefix",
    "nameSuffix",
    "patches",
    "targetNamespace",
)
#: The label or annotation of objects in which Flux replaces no variables.
SUBSTITUTE, DISABLED = f"{FLUX_KUSTOMIZE_GROUP}/substitute", "disabled"
#: Keys that name a value beside them, and a variable with its value in a text.
_NAMING = ("name", "key")
#: Fields of a source of variables that have none.
_OTHER_FIELDS = frozenset({"apiVersion", "kind", "metadata", "immutable", "type", "data", "stringData"})
_ASSIGNMENT = re.compile(r"""(?m)^[ \t-]*+["']?([\w-]{1,80})["']?\s{0,9}[:=]\s{0,9}(\S.*)$""")
_NAME = re.compile(r"[_A-Za-z][_A-Za-z0-9]*")
#: Steps for a variable of an object each time that an entry names the object (``model.run.work``).
_STEPS_PER_VARIABLE = 4


class SourceKind(TextEnum):
    """The kinds that ``substituteFrom`` may name."""

    CONFIG_MAP = "ConfigMap"
    SECRET = "Secret"  # noqa: S105 - a kind


class SubstituteReference(NamedTuple):
    """An object whose data are variables; it may be missing if it is ``optional``."""

    site: Site
    kind: SourceKind
    name: str
    optional: bool = False


class Strategy(TextEnum):
    """``substituteStrategy``: whether defaults apply even if no variable is given."""

    WITH_VARIABLES = "WithVariables"
    ALWAYS = "Always"


class Misplaced(NamedTuple):
    """A text that is meant as the value of a variable, perhaps of one with one of the names around it."""

    names: frozenset[str]
    text: str


class PostBuild(NamedTuple):
    """``spec.postBuild``: variables by name, and the objects that hold more, in ``namespace``.

    ``misplaced`` are the variables that are written in a wrong form or place.
    """

    site: Site
    namespace: str = ""
    substitute: Mapping[str, str] = EMPTY
    sources: tuple[SubstituteReference, ...] = ()
    always: bool = False
    misplaced: tuple[Misplaced, ...] = ()


def read_post_build(
    kustomization: Resource,
    findings: list[Diagnostic],
    spec_fields: Container[str],
    *,
    variables_only: bool = True,
) -> PostBuild:
    """Read ``spec.postBuild``; errors are added to ``findings``.

    ``spec_fields`` are the names of the fields of ``spec``: another one may have been meant for variables.
    ``variables_only``: the rest of the Kustomization has no effect here, which is a finding as well.
    """
    fields = Fields(kustomization.content, kustomization.origin, findings, Code.FLUX_KUSTOMIZATION)
    spec = fields.child("spec")
    findings += empty_fields(kustomization)
    if variables_only:
        findings += _ignored_field_warnings(kustomization)
    written = spec.child("postBuild")
    written.only("substitute", "substituteFrom", "substituteStrategy")
    strategy = written.choice("substituteStrategy", Strategy)
    return PostBuild(
        site=written.site,
        namespace=kustomization.namespace,
        substitute=written.child("substitute").texts(),
        sources=tuple(_sources(written.elements("substituteFrom"))),
        always=strategy is Strategy.ALWAYS,
        misplaced=tuple(_misplaced(spec.content, spec_fields)),
    )


def _misplaced(spec: JsonObject, known: Container[str]) -> Iterator[Misplaced]:
    """Yield what may be meant as variables, in ``postBuild`` and in unknown fields."""
    post_build = object_at(spec, "postBuild")
    unknown = (key for key in spec if key not in known)
    others = () if post_build else ("postBuild",)
    yield from (found for key in (*unknown, *others) for found in _possible_values(spec.get(key), {key}))
    yield from _not_variables(post_build.get("substitute"))
    for field, value in post_build.items():
        if field == "substituteFrom" and isinstance(value, list):
            for entry in map(object_at, value):
                rest = {key: each for key, each in entry.items() if key not in SubstituteReference._fields}
                yield from _possible_values(rest)
        elif field not in ("substitute", "substituteStrategy"):
            yield from _possible_values(value, {field})


def _not_variables(section: Json) -> Iterator[Misplaced]:
    """Yield what of a section is not a variable with its value, but may be meant as one."""
    if not isinstance(section, dict):
        yield from _possible_values(section)
    for name, value in object_at(section).items():
        if not isinstance(value, str) or not _NAME.fullmatch(name):
            yield from _possible_values(value, {name})


def _possible_values(value: Json, names: AbstractSet[str] = frozenset()) -> Iterator[Misplaced]:
    """Yield the scalars in a value with the keys and names around them, and the assignments in texts."""
    if isinstance(value, list):
        yield from (found for each in value for found in _possible_values(each, names))
    elif isinstance(value, dict):
        own = names | {text_at(value, key) for key in _NAMING}
        yield from (found for key, child in value.items() for found in _possible_values(child, own | {key}))
    elif value is not None:
        text = scalar_text(value)
        yield Misplaced(frozenset(names), text)
        for found in _ASSIGNMENT.finditer(text):
            yield Misplaced(frozenset({found[1]}), found[2])


def _sources(entries: Iterable[Fields]) -> Iterable[SubstituteReference]:
    for entry in entries:
        entry.only("kind", "name", "optional")
        kind, name = entry.choice("kind", SourceKind), entry.text("name")
        if "kind" not in entry.content:  # an empty one is reported already
            entry.reject(None, "an entry of substituteFrom needs a kind", "ConfigMap or Secret")
        if name == "" or "name" not in entry.content:
            entry.reject(None, "an entry of substituteFrom needs a name")
        if kind and name:
            yield SubstituteReference(entry.site, kind, name, entry.flag("optional") or False)


def _ignored_field_warnings(kustomization: Resource) -> Iterable[Diagnostic]:
    for field in _IGNORED_FIELDS:
        if object_at(kustomization.content, "spec").get(field):
            yield Diagnostic.at(
                kustomization.origin.below("spec", field),
                Code.FLUX_KUSTOMIZATION,
                f"spec.{field} of the Flux Kustomization has no effect on what is rendered",
                "write it into the kustomization of the overlay, which Flux and vmrender both build",
                severity=Severity.WARNING,
            )


class Variables(NamedTuple):
    """The variables and their values.

    ``always``: defaults apply even without any values. ``confidential`` are values that must not be printed,
    ``unread`` the Secrets that the project file does not allow vmrender to read. ``incomplete``: the cluster
    may have more values, so variables without a value stay as written. ``uncertain``: an optional source is
    not in the repository, and may be in the cluster. ``misplaced`` are variables in a wrong form or place,
    which Flux ignores or refuses. ``config_maps`` are the namespaces and names of the ConfigMaps that may
    have variables, here or in the cluster. ``lines`` are values of several lines as their sources have them.
    """

    values: Mapping[str, str] = EMPTY
    always: bool = False
    confidential: frozenset[str] = frozenset()
    unread: tuple[str, ...] = ()
    incomplete: bool = False
    uncertain: bool = False
    misplaced: tuple[Misplaced, ...] = ()
    config_maps: tuple[tuple[str, str], ...] = ()
    lines: Mapping[str, str] = EMPTY

    @property
    def public(self) -> frozenset[str]:
        """The values that nothing calls confidential so far."""
        return frozenset(self.values.values()) - self.confidential


class VariableReader:
    """Reads variables from ``candidates``, objects of the repository; errors are added to ``findings``.

    ``lenient``: a source that is encrypted, not allowed or not in the repository causes a warning, and leaves
    the variables incomplete.
    """

    def __init__(
        self,
        candidates: Iterable[Resource],
        *,
        secrets: bool,
        findings: list[Diagnostic],
        lenient: bool = False,
    ) -> None:
        self._candidates: defaultdict[tuple[str, str], list[Resource]] = defaultdict(list)
        for each in candidates:
            if each.api_version == "v1":
                self._candidates[each.kind, each.name].append(each)
        self._secrets = secrets
        self._findings = findings
        self._lenient = lenient
        self._incomplete = False
        self._uncertain = False
        self._misplaced: list[Misplaced] = []

    def read(self, post_build: PostBuild) -> Variables:
        """Return the values of ``substitute`` and ``substituteFrom``; an unreadable source is a finding."""
        written: dict[str, str] = {}
        confidential: set[str] = set()
        for reference in post_build.sources:
            if reference.kind is SourceKind.SECRET and not self._secrets:
                secrets = self._candidates_for(reference, post_build.namespace) if self._lenient else []
                if any(map(is_encrypted, secrets)):
                    self._note_unread(reference, "is encrypted with SOPS")
                elif secrets:
                    self._note_unread(
                        reference, "is not read", "secrets: true in its entry of vmrender.yaml reads it"
                    )
                elif self._lenient and not reference.optional:
                    self._note_unread(reference, "is not in the repository")
                self._uncertain = self._uncertain or (self._lenient and not secrets)
                _forget(written, secrets)
                continue
            if self._lenient:
                encrypted = self._candidates_for(reference, post_build.namespace)
                _forget(written, filter(is_encrypted, encrypted))
            found = dict(self._variables(reference, post_build.namespace))
            written.update(found)
            if reference.kind is SourceKind.SECRET:
                confidential.update(map(_in_one_line, found.values()))
        written.update(post_build.substitute)
        values = {name: _in_one_line(value) for name, value in written.items()}
        confidential.update(filter(noted_masking().is_in, values.values()))  # one of them may be a copy
        for name in post_build.substitute:
            self._check_name(name, post_build.site.below("substitute", name))
        unread = [source.name for source in post_build.sources if source.kind is SourceKind.SECRET]
        return Variables(
            values,
            post_build.always,
            frozenset(filter(None, confidential)),
            () if self._secrets else tuple(unread),
            self._incomplete,
            self._uncertain,
            (*post_build.misplaced, *self._misplaced),
            tuple(
                (post_build.namespace, source.name)
                for source in post_build.sources
                if source.kind is SourceKind.CONFIG_MAP
            ),
            {name: value for name, value in written.items() if "\n" in value},
        )

    def _note_unread(self, reference: SubstituteReference, problem: str, hint: str | None = None) -> None:
        """Record that the values of a source are not known here."""
        self._incomplete = True
        self._findings.append(
            Diagnostic.at(
                reference.site.below("name"),
                Code.VARIABLES_NOT_FOUND,
                f"the {reference.kind} {reference.name} {problem}: its variables stay as written",
                hint,
                severity=Severity.WARNING,
            )
        )

    def _candidates_for(self, reference: SubstituteReference, namespace: str) -> list[Resource]:
        named = self._candidates.get((reference.kind, reference.name), ())
        found = [each for each in named if not namespace or each.namespace in ("", namespace)]
        spend(
            sum(_STEPS_PER_VARIABLE * len(_names_in(each)) for each in found), "reading sources of variables"
        )
        return found

    def _variables(self, reference: SubstituteReference, namespace: str) -> Iterator[tuple[str, str]]:
        source = self._source(reference, namespace)
        if source is None:
            return
        if is_encrypted(source):
            if self._lenient:
                self._note_unread(reference, "is encrypted with SOPS")
                return
            self._reject(
                f"{source.current_id} is encrypted with SOPS",
                source.origin,
                "write its variables into a ConfigMap",
            )
            return
        is_secret = reference.kind is SourceKind.SECRET
        if not is_secret:
            rest = {key: value for key, value in source.content.items() if key not in _OTHER_FIELDS}
            self._misplaced += (*_possible_values(rest), *_not_variables(source.content.get("data")))
        for field in ("data", "stringData") if is_secret else ("data",):
            for name, written in object_at(source.content, field).items():
                site = source.origin.below(field, name)
                self._check_name(name, site)
                value = self._value(written, site, encoded=is_secret and field == "data")
                if value is not None:
                    yield name, value

    def _value(self, written: Json, site: Site, *, encoded: bool) -> str | None:
        if not isinstance(written, str):
            self._reject("the value of a variable must be text", site, "write it in quotes")
            return None
        if not encoded:
            return written
        try:
            return decoded_base64(written).decode()
        except ValueError:  # invalid base64, not ASCII, or not text
            self._reject("the value of the variable is not text in base64", site)
            return None

    def _source(self, reference: SubstituteReference, namespace: str) -> Resource | None:
        """Return the object in the Kustomization's namespace, or one without a written namespace."""
        named = self._candidates_for(reference, namespace)
        self._uncertain = self._uncertain or (self._lenient and not named)
        if len(named) > 1:
            self._reject(
                f"there are {len(named)} objects {reference.kind} {reference.name} to read variables from",
                reference.site.below("name"),
                "list the file of the intended one under flux.resources in vmrender.yaml",
                (Related("this is one", each.sites()) for each in named),
            )
        elif not named and self._lenient and not reference.optional:
            self._note_unread(reference, "is not in the repository")
        elif not named and not reference.optional:
            name = namespaced_name(namespace, reference.name)
            self._findings.append(
                Diagnostic.at(
                    reference.site.below("name"),
                    Code.VARIABLES_NOT_FOUND,
                    f"there is no {reference.kind} {name} in the repository to read variables from",
                    "list its file or folder under flux.resources in vmrender.yaml, or write optional: true",
                )
            )
        return named[0] if len(named) == 1 else None

    def _check_name(self, name: str, site: Site) -> None:
        if not _NAME.fullmatch(name):
            self._reject(
                f"{name} is not a name for a variable, and Flux refuses all of them with it",
                site,
                "use only letters, digits and _",
            )

    def _reject(
        self, message: str, site: Site, hint: str | None = None, related: Iterable[Related] = ()
    ) -> None:
        self._findings.append(
            Diagnostic.at(site, Code.FLUX_KUSTOMIZATION, message, hint, related=tuple(related))
        )


def _forget(values: dict[str, str], unread: Iterable[Resource]) -> None:
    """Remove the values that ``unread`` objects override; encryption leaves their keys readable."""
    for source in unread:
        for name in _names_in(source):
            values.pop(name, None)


def _names_in(source: Resource) -> list[str]:
    return [name for field in ("data", "stringData") for name in object_at(source.content, field)]


def _in_one_line(value: str) -> str:
    return value.replace("\n", "")
