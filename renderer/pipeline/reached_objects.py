"""Results of discoveries by Flux and Argo CD: select the objects to render, and note the rest."""

# ruff: noqa: PLC0415 - a stage is imported when it is first needed

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from renderer.files.file_system import FileSystem
from renderer.gitops.reached import Reached
from renderer.kubevirt.facts.kinds import INSTANCETYPE_GROUP, MACHINES
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome, Related, Severity
from renderer.model.engines import ARGOCD_GROUP, FLUX_DOMAIN
from renderer.model.kube.encryption import is_encrypted
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.plural import abridged, plural
from renderer.model.render_config import OverlayEntry, RenderConfig
from renderer.pipeline.flux_build import has_unread_part, needs_others
from renderer.project.overlays import entry_site

if TYPE_CHECKING:
    from renderer.gitops.repository_url import RepositoryUrls


class Outputs(NamedTuple):
    """The names of the overlays of an entry, and the folders that they are rendered into.

    The name of an object that is not in ``namespace`` begins with its own.
    """

    config: RenderConfig
    entry: OverlayEntry
    namespace: str

    def name(self, namespace: str, name: str) -> str:
        return name if namespace == self.namespace else f"{namespace}_{name}"

    def tree(self, namespace: str, name: str) -> str:
        """Return the output folder of the object of a name."""
        overlay = f"{self.entry.entry.name_prefix}/{self.name(namespace, name)}"
        return posixpath.normpath(self.config.output_of(self.entry, overlay))

    def name_of(self, deployer: Resource) -> str:
        """Return the name of the overlay of a Kustomization, ResourceSet or Application."""
        return self.name(deployer.namespace, _own_name(deployer))

    def tree_of(self, deployer: Resource) -> str:
        """Return the output folder of a Kustomization, ResourceSet or Application."""
        return self.tree(deployer.namespace, _own_name(deployer))


def _own_name(deployer: Resource) -> str:
    return f"{_SET_PREFIX}{deployer.name}" if deployer.kind == "ResourceSet" else deployer.name


ReachedT = TypeVar("ReachedT", bound=Reached)

_MOST_NAMED = 5
#: The start of the names of overlays of ResourceSets; names of Kustomizations have no underscore.
_SET_PREFIX = "resourceset_"
#: Errors about entries that deploy other objects, or need charts, services or other repositories.
_CANNOT_RENDER = frozenset({Code.ENTRY_POINT, Code.UNSUPPORTED_FIELD, Code.APPLICATION_SET})
#: API groups of objects that only deploy others: a rendered tree with only these would be useless.
_PLUMBING = (FLUX_DOMAIN, ARGOCD_GROUP)


def is_rendered(outcome: Outcome[ResourceSet]) -> bool:
    """Return True if it becomes an overlay: it holds more than plumbing and needs no other repository."""
    return not _is_plumbing(outcome) and not needs_others(outcome)


def rendered_source_errors(outcome: Outcome[ResourceSet] | None) -> Iterator[Diagnostic]:
    """Yield the errors about paths that lead into rendered trees."""
    for each in outcome.diagnostics if outcome else ():
        if each.code is Code.RENDERED_SOURCE:
            yield each


def may_deploy_more(outcome: Outcome[ResourceSet] | None) -> bool:
    """Return True if it cannot be built: it may deploy further Kustomizations or Applications.

    Charts and bases in other repositories are not rendered; what stands beside them is known.
    """
    return outcome is not None and outcome.failed and (not needs_others(outcome) or has_unread_part(outcome))


def is_broken(found: Iterable[Diagnostic]) -> bool:
    """Return True if the repository has errors, not only objects that cannot be rendered."""
    return any(each.severity is Severity.ERROR and each.code not in _CANNOT_RENDER for each in found)


def _is_plumbing(outcome: Outcome[ResourceSet]) -> bool:
    """Return True if it holds only objects of Flux and Argo CD themselves, or nothing at all."""
    rest = (each for each in outcome.value if not is_encrypted(each))
    return not outcome.failed and all(each.gvk.group.endswith(_PLUMBING) for each in rest)


def count_machines(outcome: Outcome[ResourceSet] | None) -> int:
    """Return the number of virtual machines; a pool counts as one."""
    return sum(each.gvk.kind in MACHINES for each in outcome.value) if outcome else 0


def deployed_instancetypes(outcomes: Iterable[Outcome[ResourceSet] | None]) -> tuple[Resource, ...]:
    """Return the instance types and preferences that a cluster's entry points deploy."""
    every = (each for outcome in outcomes if outcome for each in outcome.value)
    return tuple(each for each in every if each.gvk.group == INSTANCETYPE_GROUP)


def cycle_error(verb: str, names: Iterable[str], entry: Resource) -> DiagnosticError:
    """Return the error about a cycle of entry points; ``verb`` says how each refers to the next."""
    return Diagnostic.about(
        entry,
        None,
        Code.ENTRY_POINT_CYCLE,
        f"these {entry.kind}s {verb}: {' → '.join(names)}",
        "remove one of them from the cycle",
    ).error()


def named_objects(kind: str, objects: Collection[Resource]) -> str:
    """Return the number of objects of a kind, with the first of their names."""
    return f"{plural(len(objects), kind)} ({abridged([each.name for each in objects], _MOST_NAMED)})"


def described_groups(groups: Mapping[str, list[str]]) -> Iterator[str]:
    """Yield the number and the first names of each group that is not empty; the kind ends with ``(s)``."""
    for what, names in groups.items():
        if names:
            noun, _, which = what.partition("(s)")
            yield f"{plural(len(names), noun)}{which} ({abridged(names, _MOST_NAMED)})"


def left_out_notes(entry: OverlayEntry, groups: Mapping[str, list[str]]) -> Iterator[Diagnostic]:
    """Yield a note for each group of objects that the entry reaches but does not render."""
    for described in described_groups(groups):
        yield Diagnostic.at(
            entry_site(entry.path, entry.listed_by),
            Code.NOT_RENDERED,
            f"not rendered of {entry.path}: {described}",
            severity=Severity.INFO,
        )


def with_parents(reached: Iterable[ReachedT], rendered: Iterable[ReachedT]) -> list[ReachedT]:
    """Return the rendered entry points, and all that deploy one of them: those hold its copy.

    Where such a parent cannot be built, what it deploys goes on to be applied from its sources.
    """
    every = list(reached)
    wanted = {each.key: each for each in rendered}
    buildable = [
        (each, each.deployed) for each in every if each.outcome is not None and not needs_others(each.outcome)
    ]
    while True:
        objects = {each.deployed_as for each in wanted.values()}
        parents = [each for each, deployed in buildable if each.key not in wanted and deployed & objects]
        if not parents:
            return [each for each in every if each.key in wanted]
        wanted |= {each.key: each for each in parents}


def urls_of_copies(entry: OverlayEntry, urls: RepositoryUrls, used: Iterable[str]) -> Iterator[Diagnostic]:
    """Yield a note for each URL of re-pointed objects that is not known to be this repository's."""
    for url in dict.fromkeys(used):
        if entry.entry.repoint and url and not urls.names(url):
            yield Diagnostic.at(
                entry_site(entry.path, entry.listed_by),
                Code.SOURCE_ASSUMED,
                f"copies point at trees in {url}, which is not a Git remote of this repository",
                "merge the trees there before anybody applies a copy, or write the URL of this repository",
                severity=Severity.INFO,
            )


def points_at_sources(entry: OverlayEntry, name: str, objects: Collection[str]) -> Iterator[Diagnostic]:
    """Yield a warning if the tree ``name`` has ``objects`` that would undo the use of other trees."""
    if objects:
        site = entry_site(entry.path, entry.listed_by)
        counted, names = plural(len(objects), "object"), abridged(sorted(objects), _MOST_NAMED)
        message = f"the tree of {entry.path}:{name} points at the sources of {counted} ({names})"
        hint = "with repoint: true in the entry, the tree has copies of them that point at rendered trees"
        yield Diagnostic.at(site, Code.POINTS_AT_SOURCES, message, hint, severity=Severity.WARNING)


def nothing_rendered(
    entry: OverlayEntry,
    what: str,
    names: Collection[str],
    notes: Iterable[Diagnostic],
    urls: Iterable[str] = (),
) -> DiagnosticError:
    """Return the error about an entry without overlays; it names the objects that the entry reaches.

    ``what`` is the kind of the objects with these ``names``. ``notes`` say what is left out. ``urls`` are the
    repositories that the objects name and that seem to be other ones.
    """
    site = entry_site(entry.path, entry.listed_by).below(entry.listed_by)
    if not names:
        message = f"{entry.path} deploys no {what}"
        hint = "name a folder or file that has one; list clusters to choose from under clusters"
    else:
        counted = f"{plural(len(names), what)} ({abridged([*names], _MOST_NAMED)})"
        message = f"{entry.path} deploys {counted}, but no object of this repository to render"
        others = tuple(dict.fromkeys(urls))
        hint = (
            f"if this repository is {' or '.join(others[:_MOST_NAMED])}, list that under repositories in"
            " vmrender.yaml; else leave the entry out"
            if others
            else "check that their paths are folders with manifests, or leave the entry out"
        )
    related = tuple(Related(note.message, note.sites) for note in notes)
    return Diagnostic.at(site, Code.ENTRY_POINT, message, hint, related=related).error()


def repository_urls(fs: FileSystem, config: RenderConfig) -> RepositoryUrls:
    """Return the repository's URLs: from its remotes and from the project."""
    from renderer.gitops.repository_url import RepositoryUrls, remote_urls

    known = (*config.repositories, *remote_urls(git_file(fs, "config")))
    certain = bool(config.repositories)
    return RepositoryUrls(known, certain=certain, is_folder=lambda path: _is_folder_or_outside(fs, path))


def _is_folder_or_outside(fs: FileSystem, path: str) -> bool:
    folder = posixpath.normpath(path.lstrip("/") or ".")
    return folder.startswith("..") or fs.is_folder(folder)  # the build refuses a path that leads out


def git_file(fs: FileSystem, name: str) -> str:
    """Return the content of a file in ``.git``; empty if it does not exist, as in a linked work tree.

    Raises ``DiagnosticError`` if it exists and cannot be read: it says which repository this is.
    """
    try:
        return fs.read(f".git/{name}").decode(errors="replace")
    except DiagnosticError as error:
        if any(found.code is Code.FILE_UNREADABLE for found in error.diagnostics):
            raise
        return ""
