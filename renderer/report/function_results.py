"""Findings as results of a KRM function.

https://github.com/kubernetes-sigs/kustomize/blob/master/cmd/config/docs/api-conventions/functions-spec.md
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import reduce
from itertools import zip_longest
from typing import NamedTuple

from renderer.emit.layout import PathMasking
from renderer.findings.located import Located, LocatedRelated
from renderer.kubevirt.facts.confidential.masked import shown_id, shown_path
from renderer.kustomize.krm import FunctionSubject, orchestrator_note
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.masking import Masking
from renderer.model.run.taint import taint_masking, tainted

#: Of the index of a document; no file has more documents.
_MOST_DIGITS = 9


class FunctionFinding(NamedTuple):
    """A finding with the given object that it is about, and the given object of each related place.

    ``confidential`` finds the values that the names of these objects may have, besides the noted ones.
    """

    finding: Located
    subject: FunctionSubject | None
    related: tuple[FunctionSubject | None, ...]
    confidential: tuple[Masking, ...] = ()

    def shown_id(self, resource: Resource) -> ResId:
        """Return the id of an object with ``***`` for each confidential value."""
        return reduce(shown_id, (*self.confidential, taint_masking()), resource.current_id)

    def shown_field(self, field: FieldPath) -> FieldPath:
        """Return the path likewise."""
        return reduce(shown_path, (*self.confidential, taint_masking()), field)


def write(found: Iterable[FunctionFinding], given: str) -> tuple[JsonObject, ...]:
    """Return one result for each distinct finding; ``given`` is the path of the input list."""
    results = (_result(each, given) for each in found)
    return tuple({json.dumps(result): result for result in results}.values())


def _result(found: FunctionFinding, given: str) -> JsonObject:
    finding, subject = found.finding, found.subject
    result: dict[str, Json] = {
        "message": _message(found, given),
        "severity": str(finding.severity),
        "tags": {"code": str(finding.code)},
    }
    location = finding.location
    file: JsonObject | None = None
    if subject:
        shown = found.shown_id(subject.resource)
        namespace = {"namespace": shown.namespace} if shown.namespace else {}
        result["resourceRef"] = {
            "apiVersion": shown.gvk.api_version,
            "kind": shown.gvk.kind,
            **namespace,
            "name": shown.name,
        }
        if subject.field.segments:
            result["field"] = {"path": str(found.shown_field(subject.field))}
        file = _original_file(subject.resource)
    elif location and location.path != given:
        file = {"path": location.path}
    return {**result, "file": file} if file else result


def _message(found: FunctionFinding, given: str) -> str:
    related = [
        f"{_related_place(each, subject and found.shown_id(subject.resource), given)}: {each.message}"
        # The values of a template are related as well, but not part of the given list.
        for each, subject in zip_longest(found.finding.related, found.related)
    ]
    hint = [f"hint: {found.finding.hint}"] if found.finding.hint else []
    return "\n".join([found.finding.message, *related, *hint])


def _related_place(related: LocatedRelated, subject: ResId | None, given: str) -> str:
    """Return a file and line, or the object's name if it was given to the function."""
    if related.location and related.location.path != given:
        return str(related.location)
    return str(subject) if subject else "see also"


def _original_file(resource: Resource) -> JsonObject | None:
    """Return the file that the orchestrator read the object from."""
    path, index = orchestrator_note(resource.content, "path"), orchestrator_note(resource.content, "index")
    if not path:
        return None
    path = PathMasking(tainted()).mask(path)
    is_index = index.isdecimal() and len(index) <= _MOST_DIGITS
    return {"path": path, "index": int(index)} if is_index else {"path": path}
