"""The Flux Kustomizations of a cluster: all that its root deploys, directly or through others.

Parents patch their children, so only built objects count. A Kustomization is built after the sources of its
variables have been built.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from renderer.files.file_system import FileSystem
from renderer.gitops.flux.flux_operator import is_resource_set, named_providers
from renderer.gitops.flux.generated_artifact import (
    EXTERNAL_ARTIFACT,
    GENERATOR_GROUP,
    CopiedFolder,
    copied_folder,
)
from renderer.gitops.flux.kustomization import (
    deployed_folder,
    is_flux_kustomization,
    is_suspended,
    source_key,
    variable_sources,
)
from renderer.gitops.flux.waiting import ReadyFirst
from renderer.gitops.reached import Reached
from renderer.gitops.repository_url import RepositoryUrls
from renderer.gitops.substitution.unset_variables import UnsetVariable
from renderer.kubevirt.facts.kubernetes_identity import entry_name_errors
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome
from renderer.model.entry_point import ComposedArtifact
from renderer.model.kube.json import array_at, object_at, text_at
from renderer.model.kube.res_id import Reference
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.run.work import spend
from renderer.model.text_enum import TextEnum

if TYPE_CHECKING:
    from renderer.gitops.flux.composed_artifact import ArtifactRequest
    from renderer.gitops.flux.resource_set import GeneratedObjects


#: Kinds of sources whose artifact may be the whole repository.
_FETCHED = ("GitRepository", "OCIRepository", "Bucket")
#: Keys of what is not one object: whatever may make an artifact, and all objects, which are never known.
_GENERATORS_AND_SOURCES: Reference = (EXTERNAL_ARTIFACT, "", "")
_ALL_OBJECTS: Reference = ("", "", "")
#: Steps of ``model.run.work`` to read, order and look up one of ``dependsOn``.
_STEPS_PER_DEPENDENCY = 4


class SourceRelation(TextEnum):
    """How the source of a Kustomization relates to the current repository."""

    SELF = "self"
    ASSUMED = "assumed"  # no object says which repository it is, and the path exists in this one
    OTHER = "other"
    GENERATED = "generated"  # an artifact that needs more than the current repository
    MISSING = "missing"  # no object says which repository it is, and there is no such path

    @property
    def is_built(self) -> bool:
        """Return True if the Kustomization is built from the current repository."""
        return self in (SourceRelation.SELF, SourceRelation.ASSUMED)


@dataclass(slots=True, eq=False)
class ReachedKustomization(Reached):
    """A Kustomization as its parent deploys it; ``outcome`` is None if it is not built.

    ``keeps_variables``: a source of its variables cannot be read here, or values that may have variables are
    encrypted, so some may stay. ``uncarried`` are warnings about objects that its tree cannot carry, so that
    it goes on to be applied from its sources. ``origin`` is what the folder of a generated artifact is copied
    from; ``entry`` then has the path of that. ``unset`` are the variables in its objects that nothing sets.
    ``artifact`` is composed of files here; if that is not
    possible, ``left_out`` is what notes call such Kustomizations, or ``refused`` are the errors of Flux.
    ``depends_on`` are the Kustomizations that it waits for.
    """

    source: SourceRelation = SourceRelation.MISSING
    ignore: str = ""
    keeps_variables: bool = False
    uncarried: tuple[Diagnostic, ...] = ()
    origin: CopiedFolder | None = None
    unset: tuple[UnsetVariable, ...] = ()
    artifact: ComposedArtifact | None = None
    left_out: str = ""
    refused: tuple[Diagnostic, ...] = ()
    depends_on: tuple[Reference, ...] = field(init=False)

    def __post_init__(self) -> None:
        listed = array_at(self.entry.content, "spec", "dependsOn")
        spend(len(listed) * _STEPS_PER_DEPENDENCY, "reading dependencies of Kustomizations")
        namespace = self.entry.namespace
        self.depends_on = tuple(
            ("Kustomization", text_at(each, "namespace") or namespace, text_at(each, "name"))
            for each in listed
        )

    @property
    def suspended(self) -> bool:
        return is_suspended(self.entry)


@dataclass(slots=True)
class ReachedSet:
    """A ResourceSet as the Kustomization ``parent`` deploys it; ``made`` is None until it is evaluated."""

    entry: Resource
    parent: ReachedKustomization
    made: GeneratedObjects | None = None

    @property
    def key(self) -> Reference:
        return self.entry.reference

    @property
    def objects(self) -> ResourceSet:
        """Return the objects that it makes, as far as they are known."""
        return self.made.objects if self.made else ResourceSet()


#: Builds a Kustomization; the objects known so far supply its variables.
Build: TypeAlias = Callable[[ReachedKustomization, Mapping[Reference, Resource]], Outcome[ResourceSet]]


class FluxDiscovery:
    """Follows one root, whose source is the current repository; ``urls`` recognises others of its sources.

    Kustomizations with an error in their name are not followed; they are in ``refused``, with the errors.
    """

    def __init__(
        self,
        build: Build,
        urls: RepositoryUrls,
        known: tuple[Resource, ...] = (),
        seen_by_source: Callable[[str], FileSystem] | None = None,
    ) -> None:
        """``known`` are objects of the cluster that no Kustomization deploys.

        ``seen_by_source`` returns the files of this repository that a source with some ignore rules has;
        without it, no artifact is composed.
        """
        self._build = build
        self._seen_by_source = seen_by_source
        self._urls = urls
        self._objects: dict[Reference, Resource] = {each.reference: each for each in known}
        self._generators = {each.reference: each for each in known if each.gvk.group == GENERATOR_GROUP}
        self._reached: dict[Reference, ReachedKustomization] = {}
        self._root_source: Reference | None = None
        self._waiting: ReadyFirst[ReachedKustomization] = ReadyFirst()
        self._waiting_sets: ReadyFirst[ReachedSet] = ReadyFirst()
        self.refused: dict[Reference, tuple[Diagnostic, ...]] = {}
        self.sets: dict[Reference, ReachedSet] = {}

    def follow(self, root: Resource) -> tuple[ReachedKustomization, ...]:
        """Return all Kustomizations, parents before children, breadth first."""
        self._root_source = source_key(root)
        source = self._objects.get(self._root_source)
        if source is not None:
            self._urls = self._urls.with_known(text_at(source.content, "spec", "url"))
        first = ReachedKustomization(root)
        self._reached[first.key] = first
        self._wait(first)
        while True:
            if ready := self._waiting.take_ready():
                self._visit(ready)
            elif ready_set := self._waiting_sets.take_ready():
                self._evaluate(ready_set)
            elif any_other := self._waiting.take_any():
                self._visit(any_other)
            elif any_set := self._waiting_sets.take_any():
                self._evaluate(any_set)
            else:
                break
        found: list[ReachedKustomization] = []
        level = [first]
        while level:
            found += level
            level = [child for each in level for child in each.children]
        return tuple(found)

    @property
    def objects(self) -> Mapping[Reference, Resource]:
        """The objects of the cluster as they were deployed."""
        return self._objects

    def related(self, resource: Resource, parent: ReachedKustomization) -> ReachedKustomization:
        """Return a Kustomization that is not followed, with its source."""
        reached = ReachedKustomization(resource, parent)
        self._find_source(reached)
        return reached

    def known(self, key: Reference) -> Resource | None:
        """Return an object of the cluster as it was deployed."""
        return self._objects.get(key)

    def _wait(self, reached: ReachedKustomization) -> None:
        self._waiting.add(reached, self._missing(reached))

    def _missing(self, reached: ReachedKustomization) -> Iterator[Reference]:
        """Yield each object that a Kustomization has to wait for; the next one when it is known."""
        while self._relation(reached) in (SourceRelation.MISSING, SourceRelation.ASSUMED):
            yield self._missing_source(reached)
        sources = variable_sources(reached.entry)
        spend(len(sources), "reading sources of variables")
        yield from (key for key in sources if key not in self._objects)

    def _missing_source(self, reached: ReachedKustomization) -> Reference:
        """Return what has to be known before a Kustomization's source is."""
        key = reached.origin.source if reached.origin else source_key(reached.entry)
        if key[0] != EXTERNAL_ARTIFACT:
            return key
        request = self._request(key)
        unknown = (each for each in request.sources if not self._is_known(each)) if request else ()
        return next(iter(unknown), _GENERATORS_AND_SOURCES)

    def _missing_inputs(self, reached: ReachedSet) -> Iterator[Reference]:
        """Yield each provider that a ResourceSet has to wait for; the next one when it is known."""
        providers = named_providers(reached.entry)
        while providers is None:
            yield _ALL_OBJECTS
        yield from (key for key in providers if key not in self._objects)

    def _find_source(self, reached: ReachedKustomization) -> None:
        reached.source = self._relation(reached)
        if reached.origin is not None:
            reached.entry = _with_path(reached.entry, reached.origin.folder)
        elif source_key(reached.entry)[0] == EXTERNAL_ARTIFACT:
            self._compose(reached)
        source = self._objects.get(reached.origin.source if reached.origin else source_key(reached.entry))
        if source is not None and reached.source is SourceRelation.SELF and not self._urls.known:
            self._urls = self._urls.with_known(text_at(source.content, "spec", "url"))
        reached.ignore = text_at(source.content, "spec", "ignore") if source else ""

    def _visit(self, reached: ReachedKustomization) -> None:
        self._find_source(reached)
        if reached.suspended or not reached.source.is_built:
            return
        reached.outcome = self._build(reached, self._objects)
        for resource in reached.outcome.value:
            self._add(resource, reached)

    def _evaluate(self, reached: ReachedSet) -> None:
        """Evaluate a ResourceSet, and note the objects that it makes."""
        from renderer.gitops.flux.resource_set import generate_objects  # noqa: PLC0415 - few clusters have any

        reached.made = generate_objects(reached.entry, self._objects)
        for resource in reached.made.objects:
            self._add(resource, reached.parent, reached.entry)

    def _add(self, resource: Resource, parent: ReachedKustomization, made_by: Resource | None = None) -> None:
        """Note an object that a Kustomization deploys, or a ResourceSet that it deploys makes."""
        self._objects[resource.reference] = resource
        self._waiting.note(resource.reference)
        self._waiting_sets.note(resource.reference)
        if resource.gvk.group == GENERATOR_GROUP:
            self._generators[resource.reference] = resource
        if resource.gvk.group == GENERATOR_GROUP or resource.kind in _FETCHED:
            self._waiting.note(_GENERATORS_AND_SOURCES)
        is_set = is_resource_set(resource)
        if not is_set and not is_flux_kustomization(resource):
            return
        if resource.reference in self._reached:
            parent.repeated.append(resource)
            return
        errors = tuple(entry_name_errors(resource))
        if errors:
            self.refused[resource.reference] = errors
            return
        if is_set:
            if resource.reference not in self.sets:
                self.sets[resource.reference] = reached = ReachedSet(resource, parent)
                self._waiting_sets.add(reached, self._missing_inputs(reached))
            return
        child = ReachedKustomization(resource, parent, made_by=made_by)
        self._reached[child.key] = child
        parent.children.append(child)
        self._wait(child)

    def _request(self, artifact: Reference) -> ArtifactRequest | None:
        from renderer.gitops.flux.composed_artifact import requested_artifact  # noqa: PLC0415 - few clusters

        return requested_artifact(self._generators.values(), *artifact[1:], self._files_of_source)

    def _files_of_source(self, key: Reference, folder: str) -> FileSystem | None:
        """Return the files of a source that is this repository; None for any other."""
        if self._seen_by_source is None or self._relation_of_source(key, folder) is not SourceRelation.SELF:
            return None
        source = self._objects.get(key)
        return self._seen_by_source(text_at(source.content, "spec", "ignore") if source else "")

    def _compose(self, reached: ReachedKustomization) -> None:
        """Compose the artifact that a Kustomization is built from, if all its files are here."""
        from renderer.gitops.flux.composed_artifact import (  # noqa: PLC0415 - as above
            NotComposedError,
            compose_artifact,
        )

        key = source_key(reached.entry)
        request = self._request(key)
        if request is None:
            return
        try:
            reached.artifact = compose_artifact(request, key[2], self._files_of_source)
        except NotComposedError as error:
            reached.source, reached.left_out = SourceRelation.GENERATED, str(error)
            return
        except DiagnosticError as error:
            reached.source, reached.refused = SourceRelation.SELF, error.diagnostics
            return
        path = deployed_folder(reached.entry)
        reached.entry = _with_path(reached.entry, posixpath.join(reached.artifact.folder, path))
        reached.source = SourceRelation.SELF

    def _relation(self, reached: ReachedKustomization) -> SourceRelation:
        key = source_key(reached.entry)
        path = text_at(reached.entry.content, "spec", "path")
        if key[0] == EXTERNAL_ARTIFACT:
            if reached.origin is None:
                reached.origin = copied_folder(
                    self._generators.values(), *key[1:], path, self._urls.is_folder
                )
            if reached.origin is None:
                return self._relation_of_artifact(key)
            key, path = reached.origin
        return self._relation_of_source(key, path)

    def _relation_of_artifact(self, key: Reference) -> SourceRelation:
        """Return GENERATED for an artifact whose generator and all its sources are known."""
        request = self._request(key)
        if request is None:
            return SourceRelation.MISSING
        is_known = all(map(self._is_known, request.sources))
        return SourceRelation.GENERATED if is_known else SourceRelation.MISSING

    def _is_known(self, source: Reference) -> bool:
        return source == self._root_source or source in self._objects

    def _relation_of_source(self, key: Reference, path: str) -> SourceRelation:
        if key == self._root_source:
            return SourceRelation.SELF
        source = self._objects.get(key)
        if source is None:
            may_be_self = key[0] in _FETCHED and path.strip("./") and self._urls.is_folder(path)
            return SourceRelation.ASSUMED if may_be_self else SourceRelation.MISSING
        url = text_at(source.content, "spec", "url")
        match key[0]:
            case "GitRepository":
                is_self = self._urls.is_this_repository(url, path)
            case "OCIRepository":  # an image may have the name of the repository and other content
                is_self = self._urls.lists(url)
            case _:
                is_self = False
        return SourceRelation.SELF if is_self else SourceRelation.OTHER


def _with_path(entry: Resource, folder: str) -> Resource:
    spec = {**object_at(entry.content, "spec"), "path": f"./{folder}"}
    return entry.with_content({**entry.content, "spec": spec})
