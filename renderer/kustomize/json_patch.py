"""JSON 6902 patches of resources, as kustomize applies them (``api/filters/patchjson6902``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from operator import is_

from renderer.golang.json_patch import OPERATIONS, OperationError, apply_operation
from renderer.kubevirt.facts.confidential.fields import SECTIONS_OF_SECRETS
from renderer.kubevirt.facts.confidential.object_fields import fields_of
from renderer.kubevirt.facts.confidential.secret_values import secret_values, secret_values_in_changes
from renderer.kustomize.annotations import with_annotations_for_build, with_text_annotations
from renderer.kustomize.identity import with_previous_id
from renderer.kustomize.res_map import ResMap
from renderer.kustomize.scalar_nodes import without_nodes
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.model.field_edit import SetField
from renderer.model.kube.field_path import FieldPath, Segment, format_pointer, parse_pointer
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, scalar_text, text_at, with_value
from renderer.model.kube.list_elements import child_at, value_at
from renderer.model.kube.res_id import Gvk
from renderer.model.kube.resource import Resource
from renderer.model.masking import Masking
from renderer.model.run.taint import taint, texts_of
from renderer.model.run.work import spend
from renderer.model.source_tree import JsonPatch
from renderer.model.suggest import did_you_mean, suggest
from renderer.yamlio.go_numbers import format_float, json_number

#: Keys compared in one step (``model.run.work``).
_KEYS_PER_STEP = 3

#: kustomize converts the patched object through floats; larger integers than this one are rounded.
_EXACT = 1 << 53


def slashless_paths(patch: JsonPatch) -> Iterator[Diagnostic]:
    """Yield a warning for each path that does not begin with a slash: kustomize drops its first name."""
    for index, operation in enumerate(patch.operations):
        for field in ("path", "from"):
            path = text_at(operation, field)
            dropped, slash, rest = path.partition("/")
            if not dropped or not slash:
                continue
            site = patch.site.below(index, field)
            yield Diagnostic.at(
                site,
                Code.PATCH_INVALID,
                f"{field} does not begin with /: kustomize drops {dropped}, and patches /{rest}",
                f"write /{path}",
                severity=Severity.WARNING,
                fix=SetField(site.field, f"/{path}"),
            )


class JsonPatching:
    """The operations of one patch, applied to resources.

    ``stores_previous_ids``: the id of a resource before the patch is stored with it.
    """

    def __init__(self, patch: JsonPatch, *, stores_previous_ids: bool) -> None:
        self._patch = patch
        self._stores_previous_ids = stores_previous_ids

    def apply(self, resources: ResMap, keys: Iterable[int]) -> None:
        """Patch the resources with the given keys. Raises: patch-invalid, build-limit."""
        for key in keys:
            patched = self._patched(key, resources)
            if patched.content:
                resources.replace(key, patched)
                resources.note_rounded(key)
            else:
                resources.remove(key)

    def _patched(self, key: int, resources: ResMap) -> Resource:
        resource = resources[key]
        if self._stores_previous_ids:
            resource = with_previous_id(resource)

        def check_growth(grown: Json) -> None:
            resources.check_growth(key, resource.with_content(object_at(grown), self._patch.site))

        document = self._apply_operations(_as_json(resource), resource, check_growth)
        content = self._rounded_object(document, resource, resources.rounded_content(key))
        patched = without_nodes(resource.with_content(content, self._patch.site))
        patched = with_text_annotations(patched, _float_text)
        if patched.api_version == resource.api_version:
            return patched
        # Previous ids are compared with the API version of the resource, not with one of their own.
        group, version = patched.gvk.group, patched.gvk.version
        previous = (id_._replace(gvk=Gvk(group, version, id_.gvk.kind)) for id_ in patched.previous_ids)
        return patched._replace(previous_ids=tuple(previous))

    def _apply_operations(
        self, document: Json, resource: Resource, check_growth: Callable[[Json], None]
    ) -> Json:
        """Return the document after all operations; note values that Secrets in it lose, and copied ones.

        Copies double a document with each operation: ``check_growth`` comes before anything that visits it.
        """
        secrets = frozenset() if _is_secret(document) else secret_values([document])
        copied: frozenset[str] = frozenset()  # they may be in a name as well, which the object shows
        for index, operation in enumerate(self._patch.operations):
            before = document
            if text_at(operation, "op") == "move" or _is_secret(before):
                check_growth(before)
            try:
                document = apply_operation(document, operation)
            except OperationError as error:
                wrong = text_at(operation, error.field)
                hint = None
                if error.field == "op":
                    hint = did_you_mean(wrong, OPERATIONS, most=1)
                elif error.field != "value":
                    hint = _path_hint(document, wrong)
                raise self._invalid(str(error), (index, error.field), operation, resource, hint) from None
            if _is_secret(before):
                secrets |= secret_values_in_changes(before, document)
            elif text_at(operation, "op") == "move":
                secrets |= _moved_values(before, operation, secrets)
            if text_at(operation, "op") == "copy" and not _is_into_secret(before, operation):
                copied |= _moved_values(before, operation, secrets)
        check_growth(document)
        if secrets or copied:  # an operation may move what another one added
            taint(copied | (secrets - secret_values([document])))
        return document

    def _rounded_object(self, document: Json, resource: Resource, exact: Json) -> JsonObject:
        try:
            rounded = document if _is_exact(document, exact) else _rounded(document)
        except OverflowError:  # from a patch in JSON: YAML reads such numbers as texts
            raise self._invalid("a number is too large", (0,), None, resource) from None
        if not isinstance(rounded, dict):
            raise self._invalid("the patch does not result in an object", (0,), None, resource)
        return rounded

    def _invalid(
        self,
        problem: str,
        place: tuple[Segment, ...],
        operation: Json,
        resource: Resource,
        hint: str | None = None,
    ) -> DiagnosticError:
        """Return the error about ``place`` in the patch: an operation, or a field of it."""
        fields = object_at(operation)
        where = f" ({fields.get('op')} {fields.get('path')})" if fields else ""
        found = Diagnostic.at(
            self._patch.site.below(*place),
            Code.PATCH_INVALID,
            f"the patch does not apply to {resource.current_id}: {problem}{where}",
            hint,
            resource=resource,
        )
        secrets = secret_values([resource.content])
        if _is_secret(resource.content):  # a value may be written in the place of a path, or at its end
            written = [text for key in ("op", "path", "from") for text in texts_of(fields.get(key))]
            secrets |= {text for text in written if not text.startswith("/") and text not in OPERATIONS}
            secrets |= {text for each in written for text in _below_entry(parse_pointer(each))}
        return found._replace(confidential=(Masking(secrets),) if secrets else ()).error()


def _is_secret(document: Json) -> bool:
    return text_at(document, "kind") == "Secret"


def _below_entry(keys: Sequence[str]) -> Sequence[str]:
    """Return the keys of a path below an entry of a Secret, which has none."""
    return keys[2:] if keys and keys[0] in SECTIONS_OF_SECRETS else ()


def _is_into_secret(document: Json, operation: Json) -> bool:
    """Return True if an operation puts a value into a Secret."""
    first = next(iter(parse_pointer(text_at(operation, "path"))), "")
    return _is_secret(document) and first in SECTIONS_OF_SECRETS


def _moved_values(document: Json, operation: Json, known: frozenset[str]) -> frozenset[str]:
    """Return the values of Secrets that an operation moves or copies; ``known`` are some that it may have.

    A field of which the object hides the value may be put where it is shown: then, the value is one of them.
    """
    segments: list[Segment] = []
    value = document
    for key in parse_pointer(text_at(operation, "from")):
        segments.append(int(key) if isinstance(value, list) and key.isdecimal() else key)
        value = child_at(value, segments[-1], None)
    is_whole = isinstance(value, dict | list)
    is_copy_of_tree = is_whole and text_at(operation, "op") == "copy" and not _is_secret(document)
    if not segments or is_copy_of_tree:  # it may have doubled often
        return frozenset()
    fields, field = fields_of(object_at(document)), FieldPath(tuple(segments))
    if is_whole:
        return fields.secret_values(field)
    return fields.confidential_values(field) | ({scalar_text(value)} & known)


def _path_hint(document: Json, path: str) -> str | None:
    """Return a hint about the first key of ``path`` that the object does not have; None if it has all.

    A path that does not begin with a slash gets one.
    """
    if not path.startswith("/"):
        return f"write /{path.replace('.', '/')}" if "/" not in path and "." in path else f"write /{path}"
    keys = parse_pointer(path)
    for index, key in enumerate(keys):
        if not isinstance(document, dict):
            return None
        if key not in document:
            nearest = suggest(key, document, most=1)
            if nearest:
                return f"did you mean {format_pointer((*keys[:index], *nearest, *keys[index + 1 :]))}?"
            if index == len(keys) - 1:
                return "drop the operation, or correct its path"
            there = format_pointer(keys[:index]) or "the top"
            return f"there is no {key} at {there}: add it first, with the fields below it"
        document = document[key]
    return None


def _as_json(resource: Resource) -> JsonObject:
    """Return the content to patch, in which annotations may be numbers."""
    content = with_annotations_for_build(resource)
    for each in resource.spellings:
        names = tuple(segment for segment in each.field.segments if isinstance(segment, str))
        if names[:-1] == ("metadata", "annotations") and value_at(content, names) == each.text:
            content = with_value(content, names, each.value)
    return content


def _is_exact(value: Json, exact: Json) -> bool:
    """Return True if a float can represent every integer in a tree exactly.

    Parts shared with the tree ``exact`` are skipped; otherwise every operation would go through the whole
    object.
    """
    # A plain loop and exact types, because this goes through whole objects.
    steps, waiting = 0, [(value, exact)]
    while waiting:
        node, old = waiting.pop()
        if isinstance(node, dict):
            before = object_at(old)
            new = [(child, before.get(key)) for key, child in node.items() if type(child) is not str]
        elif isinstance(node, list):
            new = [*zip_longest(node, array_at(old)[: len(node)])]
        elif type(node) is int and not -_EXACT <= node <= _EXACT:
            return False
        else:
            continue
        steps += len(node) // _KEYS_PER_STEP
        waiting += [each for each in new if each[0] is not each[1]]
    spend(steps, "applying patches")
    return True


def _rounded(value: Json) -> Json:
    """Return the value with integers rounded to floats; the same object if that changes nothing."""
    if isinstance(value, dict):
        spend(len(value) // _KEYS_PER_STEP, "applying patches")
        fields = {key: rounded for key, child in value.items() if (rounded := _rounded(child)) is not child}
        return {**value, **fields} if fields else value
    if isinstance(value, list):
        spend(len(value) // _KEYS_PER_STEP, "applying patches")
        elements = [*map(_rounded, value)]
        return value if all(map(is_, elements, value)) else elements
    if type(value) is int and not -_EXACT <= value <= _EXACT:
        return json_number(float(value))
    return value


def _float_text(value: Json) -> str:
    """Return the text of a scalar that was converted through floats."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return format_float(float(value))
    return scalar_text(value)
