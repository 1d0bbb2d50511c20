"""Find the places in the sources that changed what a comparison found: ``base/eviction.yaml:12``.

A place counts if its file differs between the two sides, and what is written there, too. A resource knows the
documents that it was read from and patched by, so most causes are found without another rendering. For what
is left, such as an image that a kustomization sets or the memory that an instance type gives, one object of
each group of equal changes is rendered again with a trace, in a tenth of the overlays at most.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property
from typing import NamedTuple

from renderer.app.comparison.rendered_sides import RenderedSide, written_of
from renderer.app.comparison.side import Side
from renderer.diff.grouped import Group, Member, groups_of
from renderer.diff.reads import cause_in
from renderer.files.file_system import FileSystem, readable_content
from renderer.findings.locator import Locator
from renderer.kubevirt.facts.kinds import HYPERCONVERGED, KUBEVIRT, MACHINES, MATCHER_KEYS
from renderer.kubevirt.facts.virtual_machine import PATHS
from renderer.kustomize.reader.kustomization_graph import folders_above
from renderer.model.diagnostic import DiagnosticError
from renderer.model.difference import Cause, ChangeType, FieldChange, OverlayDifference, ResourceChange
from renderer.model.history import FieldHistory
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.location import BUILTIN_SCHEME, Site
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import DataPlace, Resource
from renderer.model.kustomization import KUSTOMIZATION_FILES
from renderer.model.provenance import StepKind
from renderer.model.render_config import PROJECT_FILE, ExpandMode
from renderer.model.run.limits import lowered
from renderer.model.run.taint import taint_masking
from renderer.model.run.work import allowed, spend, spent
from renderer.provenance.histories import Historian
from renderer.provenance.trace import Trace

_NEW, _REMOVED = "new", "removed"
#: One of so many overlays is rendered again, and a few of a small project.
_ONE_OF, _AT_LEAST = 10, 3
#: Changes of whole objects, which no field explains.
_WHOLE = (ChangeType.ADDED, ChangeType.REMOVED)
#: Steps whose values come from the object that a matcher of the machine names.
_FROM_MATCHER = (StepKind.INSTANCETYPE, StepKind.PREFERENCE)
_NAMES = (FieldPath.of("metadata", "name"), FieldPath.of("metadata", "namespace"))
_POST_BUILD = FieldPath.of("spec", "postBuild")
#: Steps for a site, and to look up what is written there on both sides (``model.run.work``).
_STEPS_PER_SITE, _STEPS_PER_SEARCH = 2, 120
_LOOKING = "looking for the causes of differences"


class _Places(NamedTuple):
    """Places that may have decided a value, the most decisive first; ``about`` is the object there."""

    sites: tuple[Site, ...]
    about: str = ""


class ChangedSources:
    """The two sides' files, and the places in them that differ."""

    def __init__(self, before: FileSystem, after: FileSystem) -> None:
        self._sides = before, after
        self._locators = Locator(before), Locator(after)
        self.differs = cache(self._differs)
        self.whole_file = cache(self._find_whole_file)
        self._cause_at = cache(self._find_cause_at)
        self._is_missing = cache(lambda is_after, path: _text(self._sides[is_after], path) is None)

    def cause(self, before: Iterable[_Places], after: Iterable[_Places]) -> Cause | None:
        """Return the first place after that has changed, or else the first before that is gone."""
        for places, is_after in (*((each, True) for each in after), *((each, False) for each in before)):
            spend(_STEPS_PER_SITE * len(places.sites), _LOOKING)
            for site in places.sites:
                if self.differs(site.path):
                    found = self._cause_at(site, places.sites[-1], is_after)
                    if found:
                        return found._replace(about=taint_masking().mask(places.about))
                elif site.text and self.differs(site.text.values_site.path):
                    found = self._cause_at(site.text.values_site, site.text.values_site, is_after)
                    if found:
                        return found
        return None

    def _find_whole_file(self, path: str) -> Cause | None:
        """Return a file that differs, with its first such line if both sides have it; else None."""
        if not self.differs(path):
            return None
        before, after = (_text(fs, path) for fs in self._sides)
        if before is None or after is None:
            return Cause(path, state=_NEW if before is None else _REMOVED)
        return Cause(path, _first_difference(before, after) + 1)

    def _differs(self, path: str) -> bool:
        if path.startswith(BUILTIN_SCHEME):
            return False
        before, after = (_text(fs, path) for fs in self._sides)
        return before != after

    def _find_cause_at(self, site: Site, base: Site, is_after: bool) -> Cause | None:  # noqa: FBT001 - cached
        """Return the cause, if what is written at the site differs between the two sides."""
        spend(_STEPS_PER_SEARCH, _LOOKING)
        before, after = (locator.written_at(site, base) for locator in self._locators)
        if is_after and after is not None:
            if before is None:
                is_new = self._is_missing(is_after=False, path=site.path)
                return Cause(site.path, after.key_line, _NEW if is_new else "")
            if before.text != after.text:
                return Cause(site.path, after.line + _first_difference(before.text, after.text))
        elif not is_after and before is not None and after is None:
            is_gone = self._is_missing(is_after=True, path=site.path)
            return Cause(site.path, 0 if is_gone else before.key_line, _REMOVED)
        return None


def _text(fs: FileSystem, path: str) -> str | None:
    """Return the text of a file; None if there is none, or none that can be read."""
    content = readable_content(fs, path)
    return None if content is None else content.decode("utf-8", "surrogateescape")


def _first_difference(before: str, after: str) -> int:
    """Return the number, from 0, of the first line of ``after`` that differs."""
    lines, others = after.splitlines(), before.splitlines()
    pairs = enumerate(zip(lines, others, strict=False))
    return next((number for number, (one, other) in pairs if one != other), min(len(lines) - 1, len(others)))


class Causes:
    """Finds the causes of the differences between two sides."""

    def __init__(self, before: Side, after: Side) -> None:
        self._sides = before, after
        self._sources = ChangedSources(before.fs, after.fs)

    def as_written(
        self, difference: OverlayDifference, rendered: tuple[RenderedSide | None, RenderedSide | None]
    ) -> OverlayDifference:
        """Return an overlay's difference with the causes that manifests and patches show."""
        if not difference.changes:
            return difference
        before, after = ({each.current_id: each for each in written_of(side)} for side in rendered)

        def with_causes(change: ResourceChange) -> ResourceChange:
            old = before.get(change.before) if change.before else None
            new = after.get(change.after) if change.after else None
            if old is None or new is None:
                return change._replace(cause=self._cause_of_object(difference, old, new))
            fields = tuple(
                each
                if each.read
                else each._replace(
                    cause=self._sources.cause(_written(old, each.field), _written(new, each.field))
                )
                for each in change.fields
            )
            if change.type is ChangeType.RENAMED:
                names = (self._sources.cause(_written(old, name), _written(new, name)) for name in _NAMES)
                return change._replace(fields=fields, cause=next(filter(None, names), None))
            return change._replace(fields=fields)

        changes = tuple(map(with_causes, difference.changes))
        return difference._replace(changes=_with_causes_of_reads(changes))

    def traced(self, overlays: Sequence[OverlayDifference]) -> tuple[OverlayDifference, ...]:
        """Return the differences with causes for the fields that no manifest or patch contains."""
        traced: dict[str, _TracedOverlay] = {}
        left = max(len(overlays) // _ONE_OF, _AT_LEAST) if 2 * spent() < allowed() else 0
        found: dict[int, ResourceChange] = {}
        configurations = _configurations(overlays)
        for group in groups_of(overlays):
            causes = [each.cause for each in group.change.fields] or [group.change.cause]
            if all(causes) or group.change.type in _WHOLE:
                continue
            member = next((each for each in group.members if each.overlay.path in traced), group.members[0])
            path = member.overlay.path
            if group.change.fields and path not in traced and len(traced) < left:
                traced[path] = _TracedOverlay(member.overlay, self._sides, self._sources)
            fallback = (
                self._variables(member.overlay)
                or self._project_file(member.overlay)
                or (configurations.get(member.overlay.cluster) if _depends_on_kubevirt(group) else None)
            )
            for each, change in self._with_traced_causes(group, member, traced.get(path), fallback):
                found[id(each)] = change
        return tuple(
            overlay._replace(changes=tuple(found.get(id(each), each) for each in overlay.changes))
            for overlay in overlays
        )

    def _with_traced_causes(
        self, group: Group, traced: Member, overlay: _TracedOverlay | None, fallback: Cause | None
    ) -> Iterator[tuple[ResourceChange, ResourceChange]]:
        """Yield each change of a group, and the change with the causes of the traced member's fields."""
        causes = [
            each.cause or (overlay.cause(traced.change, each) if overlay else None) or fallback
            for each in traced.change.fields
        ]
        for member in group.members:
            fields = tuple(
                each._replace(cause=each.cause or self._alike(cause, traced.overlay, member.overlay))
                for each, cause in zip(member.change.fields, causes, strict=True)
            )
            own = member.change.cause or (None if fields else fallback)
            yield member.change, member.change._replace(fields=fields, cause=own)

    def _alike(
        self, cause: Cause | None, traced: OverlayDifference, other: OverlayDifference
    ) -> Cause | None:
        """Return the cause in another overlay: the file of the same name, if it is in its folder."""
        folder = f"{traced.path}/"
        if cause is None or other is traced or not cause.path.startswith(folder):
            return cause
        return self._sources.whole_file(f"{other.path}/{cause.path.removeprefix(folder)}")

    def _cause_of_object(
        self, difference: OverlayDifference, old: Resource | None, new: Resource | None
    ) -> Cause | None:
        """Return the place of an object that is on one side only, or a kustomization that may list it.

        That is the one of the overlay, or else the nearest that has changed, upwards from the object's file.
        """
        found = new or old
        cause = self._sources.whole_file(found.origin.path) if found else None
        if found is not None and cause is not None:
            place = (_Places((found.origin,)),)
            if not cause.state:
                cause = self._sources.cause(() if new else place, place if new else ())
        folders = (difference.path, *(folders_above(found.origin.path) if found else ()))
        names = (posixpath.normpath(f"{folder}/{name}") for folder in folders for name in KUSTOMIZATION_FILES)
        listing = (self._sources.whole_file(name) for name in names)
        return cause or next(filter(None, listing), None) or self._project_file(difference)

    def _variables(self, overlay: OverlayDifference) -> Cause | None:
        """Return the line of the variables that Flux puts into an overlay, if it has changed."""
        paths = overlay.former or overlay.path, overlay.path
        overlays = (side.overlays.get(path) for side, path in zip(self._sides, paths, strict=True))
        entries = [each.deployer if each else None for each in overlays]
        before, after = (
            (_Places(each.sites(_POST_BUILD)),) if each is not None and each.sites(_POST_BUILD) else ()
            for each in entries
        )
        return self._sources.cause(before, after)

    def _project_file(self, difference: OverlayDifference) -> Cause | None:
        """Return the line of the target release if it differs, or another line of the project file."""
        if difference.releases[0] == difference.releases[1]:
            return self._sources.whole_file(PROJECT_FILE)
        release = (_Places((Site(PROJECT_FILE, 0, FieldPath.of("kubevirt")),)),)
        return self._sources.cause(release, release) or self._sources.whole_file(PROJECT_FILE)


def _depends_on_kubevirt(group: Group) -> bool:
    """Return True for machines that keep their names: what KubeVirt is told neither moves nor renames one."""
    return group.change.id.gvk.kind in MACHINES and group.change.type is not ChangeType.RENAMED


def _configurations(overlays: Iterable[OverlayDifference]) -> Mapping[str, Cause]:
    """Return the places that changed the ``KubeVirt`` object of each cluster, or what is made into it."""
    return {
        overlay.cluster: cause
        for overlay in overlays
        for change in overlay.changes
        if change.id.gvk.kind in (KUBEVIRT, HYPERCONVERGED)
        for cause in change.causes[:1]
    }


def _with_causes_of_reads(changes: Sequence[ResourceChange]) -> tuple[ResourceChange, ...]:
    """Return the changes, with the cause of a changed object at the machines that read it."""
    read = {each.read for change in changes for each in change.fields if each.read}
    causes = {change.id: cause_in(change) for change in changes if change.id in read}
    return tuple(
        change._replace(
            fields=tuple(
                each._replace(cause=causes.get(each.read, each.cause)) if each.read else each
                for each in change.fields
            )
        )
        if any(each.read for each in change.fields)
        else change
        for change in changes
    )


def _written(resource: Resource, field: FieldPath) -> tuple[_Places, ...]:
    """Return the documents that a resource was made of, and the places of its data."""
    place = resource.data_place(str(field.segments[-1])) if resource.data_places else None
    data = () if place is None else (_place_of_data(place),)
    return (*data, _Places(resource.sites(field)))


def _place_of_data(place: DataPlace) -> _Places:
    """Return the file that a generator read, and the entry that names it."""
    return _Places((Site(place.file), place.site) if place.file else (place.site,))


class _TracedOverlay:
    """An overlay that is rendered again on both sides, to follow its fields back to the sources."""

    def __init__(self, overlay: OverlayDifference, sides: tuple[Side, Side], sources: ChangedSources) -> None:
        self._sources = sources
        before, after = sides
        self._rendered = (
            _TracedSide(before, overlay.former or overlay.path),
            _TracedSide(after, overlay.path),
        )

    def cause(self, change: ResourceChange, field: FieldChange) -> Cause | None:
        before, after = self._rendered
        return self._sources.cause(
            before.places(change.before, field.field), after.places(change.after, field.field)
        )


class _TracedSide:
    """A traced overlay on one side; without resources if it cannot be rendered."""

    def __init__(self, side: Side, path: str) -> None:
        self._side = side
        self._overlay = side.overlays.get(path)

    @cached_property
    def _trace(self) -> tuple[Historian, dict[ResId, Resource]] | None:
        if self._overlay is None:
            return None
        trace = Trace()
        with lowered(self._side.config.limits):
            pipeline = self._side.traced(trace)
            overlay = self._overlay._replace(expand=ExpandMode.APPLIED)
            with suppress(DiagnosticError):
                resources = pipeline.render(overlay).value
                return Historian(trace, overlay), {each.current_id: each for each in resources}
        return None

    def places(self, resource: ResId | None, field: FieldPath) -> Iterator[_Places]:
        """Yield the places that decided a field, the last step first."""
        if self._trace is None or resource is None:
            return
        historian, resources = self._trace
        found = resources.get(resource)
        if found is None:
            return
        for history in historian.histories(found, historian.fields_at(found, field)):
            if any(
                step.act in _FROM_MATCHER for step in history.steps
            ):  # another size rather than its content
                for key in MATCHER_KEYS:
                    yield _Places(found.sites(PATHS[found.kind].spec.child(key)))
            yield from _places_of(history)
            yield from self._data_of_renamed(history, resources)

    @staticmethod
    def _data_of_renamed(history: FieldHistory, resources: Mapping[ResId, Resource]) -> Iterator[_Places]:
        """Yield the data of the ConfigMaps and Secrets whose hashed names are in a field."""
        for step in history.steps:
            for source in step.sources if step.act is StepKind.NAME_REFERENCE else ():
                renamed = resources.get(source.resource)
                yield from map(_place_of_data, renamed.data_places if renamed else ())


def _places_of(history: FieldHistory, about: str = "") -> Iterator[_Places]:
    for step in reversed(history.steps):
        for source in step.sources:
            yield from _places_of(source, f"{source.resource.gvk.kind} {source.resource.name}")
        if step.sites:
            yield _Places(step.sites, about)
