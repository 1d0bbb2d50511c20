"""Entry points of a repository, where Flux, Argo CD and ``oc process`` begin."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.json import EMPTY, Json, JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import Reference
from renderer.model.kube.resource import Resource
from renderer.model.record import Record
from renderer.model.release import Release
from renderer.model.text_enum import TextEnum

#: A file with this text is not a manifest for Argo CD (``reposerver/repository.go`` skipFileRenderingMarker).
SKIP_MARK = "+argocd:skip-file-rendering"
#: The annotation of a first object that Git already points at its tree: the folder of its sources.
SOURCE_PATH = "vmrender.io/source-path"


class EntryKind(TextEnum):
    """The way an overlay is composed; the value is its key in ``vmrender.yaml``.

    ``engine`` is the common name of an entry whose engine deploys any number of overlays; empty for others.
    """

    __slots__ = ("engine",)
    _value_: str

    KUSTOMIZATION = "path"  # as kustomize builds a folder
    DIRECTORY = "directory"  # manifests of a plain folder or file, by Argo CD's rules
    GENERATED = "generate"  # a plain folder, by Flux's rules
    FLUX = "flux", "Flux cluster"  # a Flux Kustomization
    ARGOCD = "argocd", "Argo CD entry"  # an Argo CD Application

    def __init__(self, _text: str, engine: str = "") -> None:
        self.engine = engine


class Strictness(TextEnum):
    """What Flux does with a variable that has neither a value nor a default."""

    LENIENT = "lenient"  # it becomes empty
    PLAIN = "plain"  # ${name} is refused; with an operator, as in ${name%%:*}, it becomes empty
    STRICT = "strict"  # each is refused
    ASKED = "asked"  # the project wants an error, also if the cluster may have a value

    def refuses(self, operator: str, *, is_certain: bool) -> bool:
        """Return True if an unset variable in an expansion with ``operator``, or without one, is an error.

        ``is_certain``: the cluster has no other values than the repository.
        """
        if self is Strictness.ASKED:
            return True
        return is_certain and (self is Strictness.STRICT or (self is Strictness.PLAIN and not operator))


#: The kinds of entries of an engine; the field of that name is the folder to start in.
ENGINE_KINDS = tuple(kind for kind in EntryKind if kind.engine)


class EntryOptions(Record):
    """The options of an entry of ``overlays`` that say how its overlays are composed.

    ``directory`` has Argo CD's fields. ``parameters`` are parameters of templates,
    ``parameter_file`` a file with more of them. ``name_prefix`` is the first part of the names of overlays
    that a Flux or Argo CD entry leads to. ``secrets``: variables of Flux may come from Secrets, too.
    ``strict``: a variable without value or default is an error; None is what the release of Flux does,
    ``flux_release`` or else the release of the project or the cluster. ``repoint``: trees hold the engine's
    objects re-pointed at the trees of their overlays (``RepointedTree``).
    """

    kind: EntryKind = EntryKind.KUSTOMIZATION
    directory: JsonObject | None = None
    parameters: Mapping[str, str] | None = None
    parameter_file: str = ""
    name_prefix: str = ""
    secrets: bool = False
    strict: bool | None = None
    flux_release: Release | None = None
    repoint: bool = False

    @property
    def has_engine(self) -> bool:
        """Return True if the entry belongs to an engine, which may deploy any number of overlays."""
        return bool(self.kind.engine)


class RepointedTree(Record):
    """The tree that an object of Flux or Argo CD points at, in the copy that a rendered tree has of it.

    ``kind``, ``namespace`` and ``name`` identify the object, ``path`` is the tree's folder. ``has_list``: a
    kustomization in the tree lists its files. ``keeps_variables``: the tree may have Flux variables, which
    only the cluster can replace. ``sources`` are the indices of an Application's sources whose objects are in
    the tree; ``spec`` is the whole spec of the copy of an ApplicationSet.
    """

    kind: str
    namespace: str
    name: str
    path: str
    has_list: bool = False
    keeps_variables: bool = False
    sources: tuple[int, ...] = ()
    spec: JsonObject = EMPTY

    @property
    def reference(self) -> Reference:
        return self.kind, self.namespace, self.name


class ComposedArtifact(Record):
    """An artifact that an ArtifactGenerator composes of files of this repository.

    ``folder`` is where a build has its root: no folder of the repository has such a name. ``files`` are paths
    in the artifact, each with the file in the repository that it is a copy of; ``merged`` are the contents of
    those that are merged from several files.
    """

    folder: str
    files: Mapping[str, str]
    merged: Mapping[str, bytes] = EMPTY

    def source(self, path: str) -> str:
        """Return the file in the repository for a path below ``folder``; the path itself for any other."""
        return self.files.get(path.removeprefix(f"{self.folder}/"), path)


class EntryPoint(Record):
    """The input of one overlay, in place of the kustomization in its folder.

    ``entry`` is the Flux Kustomization or the Application as it is deployed. ``ignore`` are the ignore rules
    of its GitRepository, ``variables`` the objects that its variables come from, if the repository has them.
    ``folders`` are the folders that it is built from, and ``files`` the files that define its object;
    ``machines`` is the number of virtual machines that it deploys, ``instancetypes`` are the instance types
    and preferences that other entries of the cluster deploy for them. ``notes`` are findings about objects
    that the project's entry reaches but does not render. ``trees`` are the trees at which the engine's
    objects in this overlay are re-pointed. ``objects`` are rendered as they are: a ResourceSet, which is
    then the ``entry``, makes them, or somebody applies them by hand. ``repositories`` are the URLs by which
    an Application names this repository. ``kept`` says, at the first point of an entry, what the engine goes
    on to apply from other places than the trees. ``matched`` are targets of patches that select something in
    another entry point. ``strictness`` is what the cluster's Flux does with variables that are not set.
    """

    options: EntryOptions
    entry: Resource | None = None
    ignore: str = ""
    variables: tuple[Resource, ...] = ()
    folders: tuple[str, ...] = ()
    instancetypes: tuple[Resource, ...] = ()
    machines: int = 0
    notes: tuple[Diagnostic, ...] = ()
    trees: tuple[RepointedTree, ...] = ()
    objects: tuple[Resource, ...] = ()
    repositories: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    matched: frozenset[Site] = frozenset()
    strictness: Strictness = Strictness.STRICT
    artifact: ComposedArtifact | None = None

    @property
    def is_applied_by_hand(self) -> bool:
        """Return True if somebody has to apply its objects: no object of an engine does."""
        return self.entry is None and bool(self.objects)

    @property
    def files(self) -> frozenset[str]:
        """The files of the entry's object and of the objects that its variables come from."""
        objects = (*((self.entry,) if self.entry else ()), *self.variables, *self.objects)
        return frozenset(site.path for each in objects for site in each.sites())

    @property
    def description(self) -> Json:
        """Everything that determines the composition, except the files that are read."""
        known = (*((self.entry,) if self.entry else ()), *self.variables, *self.instancetypes, *self.objects)
        objects: list[Json] = []
        for each in known:  # the lines of findings are looked up in the files of the sites
            sites = ([site.path, site.document, str(site.field)] for site in each.sites())
            objects.append([each.content, *sites])
        notes = [note.message for note in self.notes]
        trees: list[Json] = [list(tree) for tree in self.trees]
        repositories: list[Json] = list(self.repositories)
        matched: list[Json] = [*sorted(f"{site.path} {site.document} {site.field}" for site in self.matched)]
        rest: list[Json] = [list(self.folders), notes, trees, repositories, matched, str(self.strictness)]
        copies = self.artifact.files.items() if self.artifact else ()
        artifact: list[Json] = [*sorted(f"{path} {file}" for path, file in copies)]
        return [objects, repr(self.options), self.ignore, *rest, artifact]
