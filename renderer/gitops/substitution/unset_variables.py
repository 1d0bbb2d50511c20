"""Variables that have neither a value nor a default: where they are, and what Flux does with them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from renderer.gitops.substitution.post_build import DISABLED, SUBSTITUTE, Variables
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Related, Severity
from renderer.model.engines import FLUX_KUSTOMIZE_GROUP
from renderer.model.entry_point import Strictness
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import Json, object_at, text_at
from renderer.model.kube.location import Location
from renderer.model.kube.resource import Resource
from renderer.model.record import Record
from renderer.model.suggest import suggest

#: An escaped dollar, or the beginning of an expansion, and its end if it has no operator.
_MENTION = re.compile(r"\$\$|\$\{#?(\w+)(\})?")
#: Fields of the spec of a Kustomization that change its build, in which it then replaces variables.
_BUILT_FIELDS = tuple((name,) for name in ("images", "namePrefix", "nameSuffix", "patches"))


class Mention(Record):
    """The first expansion of a variable: its field, the text there, its offset, and its short form."""

    field: FieldPath
    text: str
    offset: int
    expansion: str

    @property
    def location(self) -> Location:
        """The place in the text, as in a file without a name."""
        line_start = self.text.rfind("\n", 0, self.offset) + 1
        column = self.offset - line_start + 1
        return Location("", self.text.count("\n", 0, self.offset) + 1, column, column + len("${"))


class UnsetVariable(Record):
    """A variable without a value in an object, and the operator of its expansion.

    ``is_certain``: the cluster has no other values than the repository. ``unread`` are Secrets that may have
    the variable, and ``near`` the names of known variables that resemble it.
    """

    resource: Resource
    variable: str
    operator: str
    mention: Mention
    is_certain: bool
    unread: tuple[str, ...] = ()
    near: tuple[str, ...] = ()

    def finding(self, strictness: Strictness) -> Diagnostic:
        """Return the finding at the place of the expansion."""
        is_refused = strictness.refuses(self.operator, is_certain=self.is_certain)
        effect = "Flux refuses the whole Kustomization" if is_refused else "Flux puts in nothing"
        found = Diagnostic.about(
            self.resource,
            self.mention.field,
            Code.VARIABLE_UNSET,
            f"nothing gives a value to ${{{self.variable}}}: {effect}",
            self._suggestion() + self._hint(),
            severity=Severity.ERROR if is_refused else Severity.WARNING,
        )
        return at_mention(found, self.resource, self.mention)

    def _suggestion(self) -> str:
        names = " or ".join(f"${{{name}}}" for name in self.near)
        return f"did you mean {names}? Otherwise " if names else ""

    def _hint(self) -> str:
        if self.unread:
            secrets = ", ".join(self.unread)
            return (
                f"it may be in the Secret {secrets}, which is read with flux.secrets: true in vmrender.yaml"
            )
        escaped = f"${self.mention.expansion}"
        default = f"write a default: ${{{self.variable}:-default}}"
        if self.resource.gvk.group == FLUX_KUSTOMIZE_GROUP:
            give = f"add it to the postBuild of the Kustomization that deploys this one, or {default}"
            if self._is_left_to_own_variables:
                return f"write {escaped}, which leaves it to its own postBuild; or {give}"
            return give
        keep = f"write {escaped}, or {_annotate(self.resource)}"
        give = f"add it to postBuild.substitute, or {default}"
        if self.operator or "\n" in self.mention.text:
            return f"if a script reads it, {keep}; otherwise {give}"
        return f"{give}; if Flux is to leave it alone, {keep}"

    @property
    def _is_left_to_own_variables(self) -> bool:
        """Return True if the Kustomization has the variable, and replaces it in what this field changes."""
        own = object_at(self.resource.content, "spec", "postBuild", "substitute")
        return self.variable in own and self.mention.field.segments[1:2] in _BUILT_FIELDS


def misspelt_mark(resource: Resource) -> str:
    """Return the label or annotation about substitution if Flux ignores its value; else the empty text."""
    written = [text_at(each, SUBSTITUTE) for each in (resource.labels, resource.annotations)]
    value = next((each for each in written if each and suggest(each, (DISABLED,))), "")
    return value if DISABLED not in written else ""


def _annotate(resource: Resource) -> str:
    mark = misspelt_mark(resource)
    if mark:
        return f"correct {SUBSTITUTE}: it says {mark}; write {DISABLED}"
    return f"annotate the object with {SUBSTITUTE}: {DISABLED}"


def unset_variables(
    resource: Resource, unset: Mapping[str, str], variables: Variables
) -> Iterator[UnsetVariable]:
    """Yield the variables in ``unset``, which have the operators of their expansions."""
    mentions = _mentions(resource) if unset else {}
    for variable, operator in unset.items():
        mention = mentions.get(variable, Mention(ROOT, "", 0, f"${{{variable}}}"))
        near = suggest(variable, variables.values, most=2, cutoff=0.75)
        yield UnsetVariable(
            resource, variable, operator, mention, not variables.uncertain, variables.unread, near
        )


def texts_in(value: Json, field: FieldPath = ROOT) -> Iterator[tuple[FieldPath, str]]:
    """Yield every key and every text below ``value``, each with its path."""
    if isinstance(value, str):
        yield field, value
    elif isinstance(value, dict):
        for key, child in value.items():
            yield field.child(key), key
            yield from texts_in(child, field.child(key))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from texts_in(child, field.child(index))


def _mentions(resource: Resource) -> dict[str, Mention]:
    """Return the first expansion of each variable."""
    found: dict[str, Mention] = {}
    for field, text in texts_in(resource.content):
        for match in _MENTION.finditer(text):
            expansion = match[0] if match[2] else f"{match[0]}...}}"
            if match[1]:
                found.setdefault(match[1], Mention(field, text, match.start(), expansion))
    return found


def at_mention(found: Diagnostic, resource: Resource, mention: Mention) -> Diagnostic:
    """Return the finding at the line of the expansion, in the file that a generator read it from."""
    segments = mention.field.segments
    key = segments[1] if len(segments) > 1 and segments[0] == "data" else None
    place = resource.data_place(key) if isinstance(key, str) else None
    if place is not None and place.file:
        inside = mention.location
        line = Location(place.file, place.line) if place.line else inside._replace(path=place.file)
        generator = Related(f"{resource.kind} {resource.original_id.name} is made of it", (place.generator,))
        return found._replace(sites=(), location=line, related=(generator,))
    if place is not None:
        return found._replace(sites=(place.site,))
    if "\n" in mention.text and not resource.layers:
        return found._replace(location=mention.location)
    return found
