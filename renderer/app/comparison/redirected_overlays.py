"""Find reasons why an engine applies something else of an overlay, in the objects that deploy it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property

from renderer.app.comparison.deployer_builds import DeployerBuilds
from renderer.app.comparison.deployer_map import DeployerKey, DeployerMap, entry_object
from renderer.app.comparison.side import Side
from renderer.app.comparison.target_secrets import TargetSecrets
from renderer.files.file_system import is_inside, normal_path
from renderer.gitops.argocd.application import (
    SourceType,
    as_application,
    effective_type,
    is_application,
    makes_other_manifests,
    sources,
)
from renderer.gitops.engine_reaction import (
    changes_below,
    redirection_by_instance,
    redirections,
    unrendered_changes,
)
from renderer.gitops.flux.kustomization import deployed_folder, is_flux_kustomization, source_key
from renderer.gitops.folder_reader import FolderReader
from renderer.gitops.replacement import may_make_less
from renderer.kubevirt.facts.lists import is_same
from renderer.kustomize.reader.kustomization_graph import folders_above
from renderer.model.engines import FLUX_SOURCE_GROUP
from renderer.model.entry_point import EntryKind
from renderer.model.kube.json import text_at
from renderer.model.kube.res_id import ObjectKey
from renderer.model.kube.resource import Resource
from renderer.model.render_config import Overlay
from renderer.model.run.work import spend

#: The work steps of a FluxInstance that makes another root, for each overlay that the root deploys.
_STEPS_PER_INSTANCE = 8


class RedirectedOverlays:
    """Compares what deploys the overlays; ``changed`` are the files that differ."""

    def __init__(self, before: Side, after: Side, deployers: DeployerMap, changed: frozenset[str]) -> None:
        self._sides = before, after
        self._deployers = deployers
        self._folders = FolderReader(before.fs), FolderReader(after.fs)
        self._builds = DeployerBuilds(before, after, changed)
        self._targets = TargetSecrets(before, after, changed)
        self._changes_below = cache(self._changes_below_of)
        self._rivals = cache(self._rivals_of)
        self._new_objects = cache(self._new_objects_of)
        self._rebuilt = cache(self._rebuilt_by)

    def reasons(self, overlay: Overlay) -> Iterator[str]:
        """Yield why something else than what is rendered may be applied of an overlay."""
        found = [*self._written_reasons(overlay)]
        yield from found
        if not found and overlay.deployer is None:
            for old, new in self._deployers.applied(overlay):
                if new is None:
                    yield f"no set makes {old.kind} {old.name} any more, which deploys it"
                else:
                    if not is_same(old.content, new.content):
                        yield from redirections(old, new)
                    yield from self._built_otherwise(old, new, overlay)

    def _written_reasons(self, overlay: Overlay) -> Iterator[str]:
        path = overlay.path
        yield from filter(None, [self._builds.of_tree(path), self._builds.of_variables(path)])
        yield from filter(None, [self._builds.of_target(path), self._targets.reason(overlay)])
        if path in self._sides[1].overlays:
            yield from self._listed_above(overlay)
            yield from self._applied_from_above(overlay)
            yield from self._handovers(path)
            yield from [*self._handovers_above(path)] or self._unapplied(path)
            for key in self._deployers.of(path)[1]:
                yield from self._rivals(key)
            old, new = (entry_object(side, path) for side in self._sides)
            if old is not None and new is not None:
                yield from redirections(old, new)
        elif path in self._sides[0].overlays:
            yield from filter(None, [self.departure(path)])
        yield from self._instances(path)
        (former, latter), (above, now_above) = self._deployers.of(path), self._deployers.above(path)
        deployers = {**former, **latter}
        for key in {**above, **now_above, **deployers}:
            yield from self._changes(key, overlay, is_direct=key in deployers)

    def _handovers(self, path: str) -> Iterator[str]:
        """Yield why an overlay of both sides is not deployed as it was: another one is in its place.

        That one object deploys an overlay no longer, and another does so from now on, may be a new name of
        the object; that is a change of these objects themselves.
        """
        former, latter = self._deployers.of(path)
        old, new = (side.overlays.get(path) for side in self._sides)
        if (
            not former
            and old
            and new
            and old.output != new.output
            and self._sides[0].fs.is_folder(old.output)
        ):
            yield f"it is rendered into {new.output}, and what deploys {old.output} is not in this repository"
        if former and not latter:
            yield "nothing in this repository deploys it any more"
            return
        for key in former or ():
            if key not in latter and (found := self._deployers.object(1, key)):
                yield f"{found.kind} {found.name} no longer deploys it"
        for key in latter if former else ():
            if key not in former and (found := self._deployers.object(0, key)):
                yield f"{found.kind} {found.name} deploys it from now on"

    def _listed_above(self, overlay: Overlay) -> Iterator[str]:
        """Yield why an overlay may be deployed by a new kustomization above it, which lists it.

        An Application of the folder builds it; so may something that is not in this repository, if nothing
        that is there deploys the overlay. What a Kustomization builds is compared.
        """
        before, after = self._sides
        if overlay.deployer or any(self._deployers.of(overlay.path)):
            return
        known = [*after.deployers.with_sources_above(overlay.path)]
        for folder in folders_above(overlay.path):
            links = after.graph.links(folder)
            if not links or before.graph.links(folder):
                continue
            own = after.graph.files_of_overlay(after.overlays[overlay.path])
            if own.isdisjoint(after.graph.files(folder)):
                continue
            applications = filter(is_application, map(as_application, known))
            if not known:
                yield f"{links.file} lists it from now on, and nothing in Git says what is deployed"
            for each in applications:
                if _kustomizations_of(after, self._folders[1], each, folder):
                    yield f"{each.kind} {each.name} deploys it by {links.file} from now on"

    def _applied_from_above(self, overlay: Overlay) -> Iterator[str]:
        """Yield why a plain folder is built otherwise by the Kustomization of a folder above."""
        if overlay.entry is None or overlay.entry.options.kind is not EntryKind.DIRECTORY:
            return
        former = {each.object_key: each for each in self._sides[0].deployers.with_sources_above(overlay.path)}
        for new in self._sides[1].deployers.with_sources_above(overlay.path):
            if new.object_key in former and is_flux_kustomization(new):
                yield from self._built_by_others(former[new.object_key], new, overlay.path)

    def _unapplied(self, path: str) -> Iterator[str]:
        """Yield why an object does not deploy an overlay any more, although it stays: nothing applies it.

        What applied it may deploy a link, which leads elsewhere from now on.
        """
        before, after = (side.deployers for side in self._sides)
        former, latter = self._deployers.of(path)
        for key in (key for key in former if key in latter):
            old, new = self._deployers.pair(key)
            if old and new and before.is_applied(old) and not after.is_applied(new):
                label = f"{new.kind} {new.name} of {new.origin.path}"
                yield f"nothing in this repository applies {label} any more, which deploys it"

    def departure(self, path: str) -> str:
        """Return why an overlay is not rendered any more, although the Application that deploys it stays."""
        after = self._sides[1]
        entry = entry_object(self._sides[0], path)
        if entry is None or path in after.overlays:
            return ""
        for each in after.deployers.written.get(entry.object_key, ()):
            if is_application(each) and makes_other_manifests(after.fs, each):
                label = f"{each.kind} {each.name}"
                return f"{label} stays, and is not rendered any more: it has a chart or plugin, or no folder"
        return ""

    def _handovers_above(self, path: str) -> Iterator[str]:
        """Yield why what deploys an overlay may be another object, or deleted: what deploys that changes."""
        former, latter = self._deployers.above(path)
        for key in former:
            old, new = self._deployers.pair(key)
            if old is not None and (new is None or key not in latter):
                yield f"{old.kind} {old.name} no longer applies what deploys it"
            elif old is not None and new is not None:
                yield from self._changes_below(key)

    def _changes_below_of(self, key: DeployerKey) -> tuple[str, ...]:
        old, new = self._deployers.pair(key)
        return tuple(changes_below(old, new, self._folders)) if old and new else ()

    def _rivals_of(self, key: DeployerKey) -> tuple[str, ...]:
        """Return why an object may not be the one that is applied: another one has its name from now on."""
        new, deployers = self._deployers.object(1, key), self._sides[1].deployers
        return tuple(
            f"{rival.origin.path} has a {rival.kind} {rival.name}, too: one of them is applied"
            for rival in self._new_objects(key.deployer)
            if new is not None and deployers.are_rivals(new, rival)
        )

    def _new_objects_of(self, key: ObjectKey) -> list[Resource]:
        """Return the objects of a name that have another content than before, or that were not there."""
        former, latter = (side.deployers.written.get(key, ()) for side in self._sides)
        known = {each.origin: each.content for each in former}
        return [each for each in latter if known.get(each.origin) != each.content]

    def _rebuilt_by(self, key: DeployerKey) -> str:
        old, new = self._deployers.pair(key)
        return self._builds.of_deployer(old, new) if old and new else ""

    def _changes(self, key: DeployerKey, overlay: Overlay, *, is_direct: bool) -> Iterator[str]:
        """Yield the reasons that a change of a deployer is for an overlay.

        ``is_direct``: it deploys the overlay itself, and not only the object that does so.
        """
        old, new = self._deployers.pair(key)
        if old is None:
            if new is not None and is_direct and self._is_known_source(new, overlay.path):
                yield f"{new.kind} {new.name}, its source, was not in Git: it may have been another one"
            return
        if new is None:
            if is_direct and key.deployer[0] == FLUX_SOURCE_GROUP:
                yield f"{old.kind} {old.name}, its source, is removed"
            return
        is_folder = overlay.deployer is None
        if is_folder or key.deployer[0] == FLUX_SOURCE_GROUP:  # sources are read from their files alone
            yield from filter(None, [self._rebuilt(key)])
        if is_direct and not is_same(old.content, new.content):
            yield from redirections(old, new)
        if is_direct and is_folder:
            field = may_make_less(old, new)
            if field and not self._sides[0].deployers.made_for(old, overlay):
                yield f"{new.kind} {new.name} has other {field}: it may no longer make what deploys this"
            yield from self._built_otherwise(old, new, overlay)

    def _built_otherwise(self, old: Resource, new: Resource, overlay: Overlay) -> Iterator[str]:
        """Yield why an engine builds the folder of an overlay otherwise than vmrender, or than before."""
        yield from unrendered_changes(old, new, self._folders, ("postBuild",) if overlay.flux else ())
        sides = [side.overlays.get(overlay.path) for side in self._sides]
        kinds = {
            each.entry.options.kind if each and each.entry else EntryKind.KUSTOMIZATION for each in sides
        }
        if len(kinds) == 1:
            yield from self._built_by_others(old, new, overlay.path)

    def _built_by_others(self, old: Resource, new: Resource, path: str) -> Iterator[str]:
        """Yield why an object deploys the files of a folder by other kustomizations than before."""
        former, latter = (
            _kustomizations_of(side, folders, each, path)
            for side, folders, each in zip(self._sides, self._folders, (old, new), strict=True)
        )
        if former is not None and latter is not None and former != latter:
            how = "by a kustomization" if latter else "without a kustomization"
            yield f"{new.kind} {new.name} applies the files of {path} {how} from now on"

    def _is_known_source(self, source: Resource, path: str) -> bool:
        """Return True if what deploys an overlay named a source that was not in Git yet."""
        if source.gvk.group != FLUX_SOURCE_GROUP:
            return False
        deployers = [self._deployers.object(0, key) for key in self._deployers.of(path)[0]]
        entry = entry_object(self._sides[0], path)
        return any(
            each is not None and is_flux_kustomization(each) and source_key(each) == source.reference
            for each in (*deployers, entry)
        )

    def _instances(self, path: str) -> Iterator[str]:
        """Yield why a FluxInstance makes another root, which deploys what deploys an overlay."""
        places = {
            found.origin.path
            for number in (0, 1)
            for key in {**self._deployers.of(path)[number], **self._deployers.above(path)[number]}
            if (found := self._deployers.object(number, key))
        }
        by_folder = self._redirecting_instances if places else {}
        reasons = {
            number: reason
            for folder in {above for place in places for above in (place, *folders_above(place))}
            for number, reason in by_folder.get(folder, ())
        }
        spend(_STEPS_PER_INSTANCE * len(reasons), "comparing FluxInstances")
        yield from (reasons[number] for number in sorted(reasons))

    @cached_property
    def _redirecting_instances(self) -> Mapping[str, Sequence[tuple[int, str]]]:
        """Why FluxInstances make other roots than before, in order, by the folders of the roots."""
        before, after = self._sides
        former: dict[ObjectKey, dict[str, Resource]] = {}
        for each in before.deployers.instances:
            former.setdefault(each.object_key, {}).setdefault(each.origin.path, each)
        found: dict[str, list[tuple[int, str]]] = {}
        for number, new in enumerate(after.deployers.instances):
            same = former.get(new.object_key, {})
            old = same.get(new.origin.path) or next(iter(same.values()), None)
            reason = redirection_by_instance(old, new)
            written = [text_at(each.content, "spec", "sync", "path") for each in (old, new) if each]
            for folder in {normal_path(each) for each in written} if reason else ():
                found.setdefault(folder, []).append((number, reason))
        return found


def _kustomizations_of(
    side: Side, folders: FolderReader, deployer: Resource, path: str
) -> frozenset[str] | None:
    """Return the folders with the kustomizations that an object builds to deploy a folder.

    None if it does not deploy the folder. Of kustomizations in one another, the uppermost one is built. Argo
    CD looks for one in the folder itself, Flux in the folder of its Kustomization and below (fluxcd/pkg
    ``kustomize/kustomize_generator.go`` ``generateKustomization``).
    """
    if not is_flux_kustomization(deployer):
        own = (each for each in sources(as_application(deployer)) if posixpath.normpath(each.path) == path)
        types = {effective_type(folders, each) for each in own} - {None}
        return frozenset({path} if SourceType.KUSTOMIZE in types else ()) if types else None
    source = deployed_folder(deployer)
    if not is_inside(path, source):
        return None
    known = side.listing.kustomizations
    above = [each for each in (path, *folders_above(path)) if each in known and is_inside(each, source)]
    if above:
        return frozenset(above[-1:])
    spend(len(known), "looking for kustomizations below a folder")
    found = {each for each in known if is_inside(each, path)}
    return frozenset(each for each in found if found.isdisjoint(folders_above(each)))
