"""What the fields of KubeVirt's kinds mean, in our own words: ``schemas/fields.yaml``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache

from renderer.files.bundled import data_folder
from renderer.kubevirt.facts.feature_gates import Gate, is_on_by_default, state_of
from renderer.model.kube.json import Json, JsonObject, object_at
from renderer.model.record import Record
from renderer.model.release import Release
from renderer.yamlio.decode import decode_documents

#: The entry of fields that mean the same in every parent.
_ANY = "any"


class FieldDescription(Record):
    """What a field means: a title and one or more sentences.

    ``default`` is what KubeVirt does without the field, None if that depends or is nothing. ``gate`` is the
    feature gate that the field needs, ``deprecated`` the first release that advises against it.
    """

    title: str
    text: str
    default: Json = None
    example: Json = None
    gate: Gate | None = None
    deprecated: Release | None = None

    def remarks(self, release: Release, since: Release | None = None) -> Iterator[str]:
        """Yield what else there is to say at ``release`` of a field that came with the release ``since``."""
        if self.default is not None:
            text = self.default if isinstance(self.default, str) else json.dumps(self.default)
            yield f"Default: {text}."
        if since is not None:
            yield f"Since KubeVirt {since}."
        if self.gate and state_of(self.gate, release) and not is_on_by_default(self.gate, release):
            yield f"Needs the feature gate {self.gate}."
        if self.is_deprecated(release):
            yield f"Deprecated since KubeVirt {self.deprecated}."

    def is_deprecated(self, release: Release) -> bool:
        return self.deprecated is not None and self.deprecated <= release


def describe(names: Sequence[str]) -> FieldDescription | None:
    """Return the description of the field at the end of a path of names; None if there is none."""
    known = _descriptions()
    parent = names[-2] if len(names) > 1 else _ANY
    return known.get((parent, names[-1])) or known.get((_ANY, names[-1]))


@cache
def _descriptions() -> dict[tuple[str, str], FieldDescription]:
    path = data_folder("schemas") / "fields.yaml"
    (content,) = map(object_at, decode_documents(path.read_bytes(), path.name))
    return {
        (parent, name): _description({"text": entry} if isinstance(entry, str) else object_at(entry))
        for parent, fields in content.items()
        for name, entry in object_at(fields).items()
    }


def _description(entry: JsonObject) -> FieldDescription:
    title, _, text = str(entry["text"]).partition(". ")
    gate, deprecated = entry.get("gate"), entry.get("deprecated")
    return FieldDescription(
        title,
        text,
        entry.get("default"),
        entry.get("example"),
        Gate(str(gate)) if gate else None,
        Release.bound(str(deprecated)) if deprecated else None,
    )
