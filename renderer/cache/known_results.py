"""Results of earlier runs, valid while none of their inputs has changed.

For rendered overlays, only digests and findings are stored, as manifests may hold passwords; for catalogs,
the composed resources.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from renderer.cache.recorded_inputs import RecordedInputs, inputs_from_json
from renderer.cache.store import Store
from renderer.files.builtin_catalogs import decode_composed, encode_composed
from renderer.files.recorder import (
    UNANSWERED,
    FileQuestion,
    Inputs,
    Recorder,
    SharedInputs,
    Task,
    inputs_json,
)
from renderer.findings.located import Located, LocatedFix, LocatedRelated
from renderer.model.codes import Code
from renderer.model.diagnostic import Severity
from renderer.model.field_edit import (
    AddField,
    AddItem,
    Edit,
    MoveField,
    RemoveField,
    RemoveItem,
    RenameField,
    SetField,
)
from renderer.model.kube.field_path import ElementName, FieldPath
from renderer.model.kube.json import Json
from renderer.model.kube.location import Location, Site
from renderer.model.kube.res_id import Gvk, ResId
from renderer.model.kube.resource import ResourceSet
from renderer.model.record import Record
from renderer.model.release import Release
from renderer.model.render_config import Overlay
from renderer.model.run.taint import count_tainted, noted_masking

#: Objects of this group are stored whole; of others, which may hold passwords, only the digests.
_GROUP = "instancetype.kubevirt.io"
_EDITS: Mapping[str, Callable[..., Edit]] = {
    kind.__name__: kind for kind in (SetField, RenameField, AddField, RemoveField, AddItem, RemoveItem)
}


def finding_json(found: Located) -> Json:
    """Return ``found`` as JSON."""
    return [
        found.code,
        found.message,
        found.severity,
        found.location,
        found.resource,
        None if found.field is None else _path_json(found.field),
        found.hint,
        [list(related) for related in found.related],
        found.overlays,
        found.target,
        found.fix and _fix_json(found.fix),
        found.other_objects,
        found.hides_line,
        found.unmatched_target and _site_json(found.unmatched_target),
    ]


def finding_from_json(value: Any) -> Located:  # noqa: ANN401 - signed by the one who wrote it: of the form above
    """Return the finding in an entry of the cache, JSON of the form above."""
    code, message, severity, location, resource, field, hint, related, overlays, target, *rest = value
    fix, others, hides_line, unmatched = rest
    return Located(
        code=Code(code),
        message=message,
        severity=Severity(severity),
        location=location and Location(*location),
        resource=resource and ResId(Gvk(*resource[0]), *resource[1:]),
        field=None if field is None else _path_from_json(field),
        hint=hint,
        related=tuple(
            LocatedRelated(text, place and Location(*place), is_row) for text, place, is_row in related
        ),
        overlays=tuple(overlays),
        target=target and Release(*target),
        fix=fix and _fix_from_json(*fix),
        other_objects=others,
        hides_line=hides_line,
        unmatched_target=unmatched and _site_from_json(*unmatched),
    )


def _path_json(path: FieldPath) -> Json:
    return [list(segment) if isinstance(segment, ElementName) else segment for segment in path.segments]


def _path_from_json(segments: Iterable[Any]) -> FieldPath:
    return FieldPath(tuple(ElementName(*each) if isinstance(each, list) else each for each in segments))


def _site_json(site: Site) -> Json:
    return [site.path, site.document, _path_json(site.field)]


def _site_from_json(path: str, document: int, field: Any) -> Site:  # noqa: ANN401 - as above
    return Site(path, document, _path_from_json(field))


def _fix_json(fix: LocatedFix) -> Json:
    edits = [
        [type(edit).__name__, *(_path_json(each) if isinstance(each, FieldPath) else each for each in edit)]
        for edit in fix.edits
    ]
    return [fix.path, fix.document, _path_json(fix.inline), edits, fix.old, fix.separators]


def _fix_from_json(path: str, document: int, inline: Any, *rest: Any) -> LocatedFix:  # noqa: ANN401 - as above
    edits, old, separators = rest
    made = tuple(
        MoveField(*map(_path_from_json, parts))
        if name == MoveField.__name__
        else _EDITS[name](_path_from_json(parts[0]), *parts[1:])
        for name, *parts in edits
    )
    return LocatedFix(path, document, _path_from_json(inline), made, old, tuple(separators))


class KnownOverlay(Record):
    """A run that succeeded.

    ``tree`` is the digest of the ownership file that it wrote or would write. ``folders`` are the folders
    that it read as kustomizations. ``seconds`` is its duration.
    """

    tree: str
    folders: frozenset[str]
    findings: tuple[Located, ...]
    seconds: float


class KnownOverlays:
    """The stored results; ``project`` has everything else that the result of an overlay depends on."""

    def __init__(
        self, store: Store, recorded: RecordedInputs, project: tuple[str, ...], trees: Iterable[str] = ()
    ) -> None:
        """``trees`` are the folders with rendered trees, in which files have names of objects."""
        self._store = store
        self._recorded = recorded
        self._project = project
        self._trees = tuple("" if tree == "." else f"{tree}/" for tree in trees)
        #: Whether a path in shared inputs has a confidential value, by digest and number of known values.
        self._with_value: dict[tuple[str, int], bool] = {}
        #: By digest: of an earlier run, whether they are still current; of this run, that they are stored.
        self._shared: dict[str, bool] = {}
        self._stored: set[str] = set()

    def find(self, overlay: Overlay) -> KnownOverlay | None:
        """Return the known result; None if the overlay is new, or one of its inputs differs now."""
        entry: Any = self._store.get(*self._name(overlay))
        if entry is None or not self._recorded.are_current(entry["inputs"]):
            return None
        if not all(map(self._are_current, entry["shared"])):
            return None
        findings = tuple(map(finding_from_json, entry["findings"]))
        return KnownOverlay(entry["tree"], frozenset(entry["folders"]), findings, entry["seconds"])

    def seconds(self, overlay: Overlay) -> float | None:
        """Return the seconds that the overlay took last time, even if it has changed; None if unknown."""
        entry: Any = self._store.get(*self._name(overlay))
        return None if entry is None else float(entry["seconds"])

    def _are_current(self, digest: str) -> bool:
        """Return True if no answer in shared inputs has changed; several overlays may depend on them."""
        if digest not in self._shared:
            entry: Any = self._store.get(*_shared_name(digest))
            self._shared[digest] = entry is not None and self._recorded.are_current(json.loads(entry))
        return self._shared[digest]

    def keep(self, overlay: Overlay, known: KnownOverlay, inputs: Inputs) -> None:
        """Store the result for the next run; ``inputs`` has the repository's answer to each question.

        A question about a rendered file that is named after a confidential value would store it.
        """
        if not inputs.are_answered or self._names_value(inputs):
            return
        for part in inputs.shared:
            self._keep_shared(part)
        entry: Json = {
            "inputs": inputs_json(inputs.own),
            "shared": [part.digest for part in inputs.shared],
            "tree": known.tree,
            "folders": sorted(known.folders),
            "findings": list(map(finding_json, known.findings)),
            "seconds": known.seconds,
        }
        self._store.put(entry, *self._name(overlay))

    def _names_value(self, inputs: Inputs) -> bool:
        """Return True if a rendered file that was asked for has a confidential value in its path."""
        if not noted_masking():
            return False
        for part in inputs.shared:
            key = part.digest, count_tainted()
            if key not in self._with_value:
                self._with_value[key] = self._has_value(question for question, _ in part.answers())
            if self._with_value[key]:
                return True
        return self._has_value(inputs.own)

    def _has_value(self, asked: Iterable[FileQuestion]) -> bool:
        paths = (question.path for question in asked if question.path.startswith(self._trees))
        return noted_masking().is_in("\n".join(paths))

    def _keep_shared(self, part: SharedInputs) -> None:
        if part.digest not in self._stored:
            self._store.put(part.text, *_shared_name(part.digest))
            self._stored.add(part.digest)

    def _name(self, overlay: Overlay) -> Iterable[str]:
        entry = json.dumps(overlay.entry.description, sort_keys=True) if overlay.entry else ""
        return "overlay", *self._project, overlay.path, overlay.listed_as, entry


def _shared_name(digest: str) -> Iterable[str]:
    return "inputs", digest


class KnownCatalogs:
    """The catalogs of earlier runs; ``project`` has everything else that a composed catalog depends on."""

    def __init__(self, store: Store, recorded: RecordedInputs, project: tuple[str, ...]) -> None:
        self._store = store
        self._recorded = recorded
        self._project = project

    def find(self, folder: str, recorder: Recorder) -> ResourceSet | None:
        """Return the stored catalog in ``folder``, or None; record its inputs as if it had been read."""
        entry: Any = self._store.get(*self._name(folder))
        if entry is None or not self._recorded.are_current(entry["inputs"]):
            return None
        recorder.recall(inputs_from_json(entry["inputs"]), (Task(*task) for task in entry["used"]))
        return ResourceSet(decode_composed(entry["composed"].encode()).resources)

    def keep(self, folder: str, composed: ResourceSet, recorder: Recorder, task: Task) -> None:
        """Store the composed resources for the next run; ``task`` is the task that composed them."""
        seen = recorder.inputs(task)
        if UNANSWERED in seen.values() or any(resource.gvk.group != _GROUP for resource in composed):
            return
        try:
            text = encode_composed(composed)
        except ValueError:  # it has more than the stored form can express
            return
        if noted_masking().is_in(text):
            return
        used = [list(used) for used in sorted(recorder.used(task))]
        self._store.put({"inputs": inputs_json(seen), "used": used, "composed": text}, *self._name(folder))

    def _name(self, folder: str) -> Iterable[str]:
        return "catalog", *self._project, folder
